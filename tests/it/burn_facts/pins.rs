//! Holding single entries of a weight through a [`Reparameterization`].

use burn::module::{Module, Param, Reparameterization, Reparameterizer};
use burn::optim::decay::WeightDecayConfig;
use burn::optim::momentum::MomentumConfig;
use burn::optim::{AdamConfig, AdamWConfig, ModuleOptimizer, SgdConfig};
use burn::tensor::{Bool, Device, Tensor, TensorData};

use super::{TinyNet, WEIGHT, bits, flex, ndarray, tensor, values};

/// Entries of one weight that are held at a value; both tensors are flat, row by row.
#[derive(Module, Debug)]
struct Pins {
    pinned: Tensor<1, Bool>,
    value: Tensor<1>,
}

impl Reparameterization for Pins {
    const NAME: &'static str = "pins";

    fn apply<const D: usize>(&self, base: Tensor<D>) -> Tensor<D> {
        let shape = base.shape();
        base.mask_where(self.pinned.clone().reshape(shape.clone()), self.value.clone().reshape(shape))
    }
}

/// Attaches pins to `linear.weight` and to nothing else.
struct PinLinear {
    pinned: [bool; 6],
    value: [f32; 6],
    device: Device,
}

impl Reparameterizer for PinLinear {
    type Reparam = Pins;

    fn reparameterize<const D: usize>(
        &mut self,
        path: &str,
        param: Param<Tensor<D>>,
    ) -> (Param<Tensor<D>>, Option<Pins>) {
        let pins = (path == "linear.weight").then(|| Pins {
            pinned: Tensor::from_data(TensorData::new(self.pinned.to_vec(), [6]), &self.device),
            value: tensor(self.value.to_vec(), [6], &self.device),
        });
        (param, pins)
    }
}

const PINNED: [bool; 6] = [true, false, true, false, true, false];
/// A pruned entry, a frozen one and a subnormal; what stands at the free entries is never read.
const VALUE: [f32; 6] = [0.0, 9.0, 0.75, 9.0, -1e-40, 9.0];

fn pinned_net(device: &Device) -> TinyNet {
    pin(TinyNet::new(device), PINNED, VALUE, device)
}

fn pin(net: TinyNet, pinned: [bool; 6], value: [f32; 6], device: &Device) -> TinyNet {
    net.apply_reparameterization(PinLinear { pinned, value, device: device.clone() })
}

/// Ten steps on the pinned network, moved into the optimizer each time.
fn train_ten_steps(mut net: TinyNet, mut optimizer: ModuleOptimizer, device: &Device) -> TinyNet {
    for _ in 0..10 {
        let gradients = net.gradients(device);
        net = optimizer.step(0.05, net, gradients);
    }
    net
}

fn assert_pins_held(weight: Tensor<2>, what: &str) {
    let held = bits(weight);
    for entry in 0..6 {
        if PINNED[entry] {
            assert_eq!(held[entry], VALUE[entry].to_bits(), "{what}: pinned entry {entry} moved");
        } else {
            assert_ne!(held[entry], WEIGHT[entry].to_bits(), "{what}: free entry {entry} stood still");
        }
    }
}

fn assert_ten_steps_hold_the_pins(optimizer: &ModuleOptimizer) {
    for device in [flex().autodiff(), ndarray().autodiff()] {
        let net = train_ten_steps(pinned_net(&device), optimizer.clone(), &device);
        assert_pins_held(net.linear.weight.val(), "live");
        assert_pins_held(net.valid().linear.weight.val(), "valid");
        assert_pins_held(net.valid().train().linear.weight.val(), "valid, then train");
        assert_pins_held(net.valid().materialize().linear.weight.val(), "valid, then materialize");
        assert_pins_held(net.materialize().linear.weight.val(), "materialize");
    }
}

#[test]
fn pinned_entries_get_exactly_zero_gradient() {
    for device in [flex().autodiff(), ndarray().autodiff()] {
        let net = pinned_net(&device);
        let gradients = net.gradients(&device);
        let gradient = values(gradients.get::<2>(net.linear.weight.id).unwrap());
        for entry in 0..6 {
            assert_eq!(gradient[entry] == 0.0, PINNED[entry], "entry {entry}: {}", gradient[entry]);
        }
    }
}

#[test]
fn pinned_entries_keep_their_bits_under_adam_with_weight_decay() {
    let decay = WeightDecayConfig::new(0.1);
    assert_ten_steps_hold_the_pins(&AdamConfig::new().with_weight_decay(Some(decay)).init());
}

#[test]
fn pinned_entries_keep_their_bits_under_adamw() {
    assert_ten_steps_hold_the_pins(&AdamWConfig::new().with_weight_decay(0.1).init());
}

#[test]
fn pinned_entries_keep_their_bits_under_sgd_with_momentum_and_decay() {
    let config = SgdConfig::new()
        .with_momentum(Some(MomentumConfig::new()))
        .with_weight_decay(Some(WeightDecayConfig::new(0.1)));
    assert_ten_steps_hold_the_pins(&config.init());
}

#[test]
fn the_hidden_base_of_a_pinned_entry_drifts_so_only_the_materialized_network_is_saved() {
    let device = flex().autodiff();
    let optimizer = AdamWConfig::new().with_weight_decay(0.1).init();
    let net = train_ten_steps(pinned_net(&device), optimizer, &device);
    let base = values(net.linear.weight.base());
    assert!(base[0] < WEIGHT[0] && base[0] > 0.0, "decayed towards zero, not pinned: {}", base[0]);
    let saved = values(net.valid().materialize().linear.weight.base());
    assert_eq!(saved[0].to_bits(), 0.0_f32.to_bits());
}

#[test]
fn without_materialize_the_old_pins_silently_stay() {
    let device = flex().autodiff();
    let net = pin(pinned_net(&device), [true; 6], [4.0; 6], &device);
    assert_eq!(values(net.linear.weight.val()), [0.0, -0.25, 0.75, -1.0, -1e-40, 0.25]);
}

#[test]
fn after_materialize_new_pins_replace_the_old_ones_and_the_id_stays() {
    let device = flex().autodiff();
    let net = pinned_net(&device);
    let id = net.linear.weight.id;
    let net = pin(net.materialize(), [true, true, false, false, false, false], [4.0; 6], &device);
    assert_eq!(values(net.linear.weight.val()), [4.0, 4.0, 0.75, -1.0, -1e-40, 0.25]);
    assert_eq!(net.linear.weight.id, id);
    let gradients = net.gradients(&device);
    assert_ne!(values(gradients.get::<2>(id).unwrap())[2], 0.0, "entry 2 is free again");
}

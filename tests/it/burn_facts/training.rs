//! Copies, ids, and gradients that are computed in one place and applied in another.

use burn::module::{Module, ModuleMapper, ModuleVisitor, Param, ParamId};
use burn::optim::decay::WeightDecayConfig;
use burn::optim::{AdamConfig, SgdConfig};
use burn::tensor::Tensor;

use super::{TinyNet, WEIGHT, bits, flex, ndarray, values};

/// Doubles every weight matrix; vectors, and with them batch-norm statistics, stay.
struct DoubleMatrices;

impl ModuleMapper for DoubleMatrices {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        if D < 2 {
            return param;
        }
        param.map(|tensor| Tensor::from_inner(tensor.inner() * 2.0).require_grad())
    }
}

#[test]
fn a_clone_keeps_the_ids_and_changing_it_leaves_the_original_alone() {
    let net = TinyNet::new(&flex().autodiff());
    let view = net.clone().map(&mut DoubleMatrices);
    assert_eq!(view.linear.weight.id, net.linear.weight.id);
    assert_eq!(values(view.linear.weight.val()), WEIGHT.map(|weight| 2.0 * weight));
    assert_eq!(values(net.linear.weight.val()), WEIGHT);
}

#[test]
fn two_networks_built_alike_have_ids_of_their_own() {
    let device = flex().autodiff();
    assert_ne!(TinyNet::new(&device).linear.weight.id, TinyNet::new(&device).linear.weight.id);
}

#[test]
fn gradients_from_a_changed_view_step_the_clean_network() {
    for device in [flex().autodiff(), ndarray().autodiff()] {
        let net = TinyNet::new(&device);
        let view = net.clone().map(&mut DoubleMatrices);
        let gradients = view.gradients(&device);
        let gradient = values(gradients.get::<2>(net.linear.weight.id).unwrap());
        let own = values(net.gradients(&device).get::<2>(net.linear.weight.id).unwrap());
        assert_ne!(gradient, own, "the view has gradients of its own");

        let stepped = SgdConfig::new().init().step(0.5, net, gradients);
        let expected: Vec<f32> = WEIGHT.iter().zip(&gradient).map(|(w, g)| w - 0.5 * g).collect();
        assert_eq!(values(stepped.linear.weight.val()), expected);
    }
}

#[test]
fn host_made_weights_give_the_same_losses_twice() {
    for device in [flex().autodiff(), ndarray().autodiff()] {
        let losses = || {
            let mut net = TinyNet::new(&device);
            let decay = WeightDecayConfig::new(0.01);
            let mut adam = AdamConfig::new().with_weight_decay(Some(decay)).init();
            let mut losses = Vec::new();
            for _ in 0..10 {
                losses.extend(bits(net.loss(&device).inner()));
                let gradients = net.gradients(&device);
                net = adam.step(0.05, net, gradients);
            }
            losses
        };
        let first = losses();
        assert_ne!(first[0], first[9], "the network learns");
        assert_eq!(first, losses());
    }
}

/// Collects names the way that works, and counts calls of the way that does not.
#[derive(Default)]
struct Names {
    path: Vec<String>,
    found: Vec<String>,
    with_path: usize,
}

impl ModuleVisitor for Names {
    fn enter_module(&mut self, name: &str, _container_type: &str) {
        self.path.push(name.to_owned());
    }

    fn exit_module(&mut self, _name: &str, _container_type: &str) {
        self.path.pop();
    }

    fn visit_float<const D: usize>(&mut self, _param: &Param<Tensor<D>>) {
        self.found.push(self.path.join("."));
    }

    fn visit_float_with_path<const D: usize>(&mut self, _path: &[String], _id: ParamId, _tensor: &Tensor<D>) {
        self.with_path += 1;
    }
}

#[test]
fn names_come_from_enter_module_and_visit_float_with_path_is_never_called() {
    let mut names = Names::default();
    TinyNet::new(&flex()).visit(&mut names);
    let expected =
        ["linear.weight", "linear.bias", "norm.gamma", "norm.beta", "norm.running_mean", "norm.running_var"];
    assert_eq!(names.found, expected);
    assert_eq!(names.with_path, 0);
}

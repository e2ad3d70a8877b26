//! Packed weights of a convolution in evaluation: of all channels of its input, or of those alone that are not +0.0.

use std::borrow::Cow;

use super::evaluate::is_relu;
use super::pass::{Pass, Values};
use crate::kernels::conv::ConvShape;
use crate::kernels::pack::{BLOCK, Packing, Side};
use crate::kernels::scratch::Aligned;
use crate::kernels::{live, sparse};
use crate::prepared::{Packed, Prepared};
use doc::structure::{LayerKind, Op, Role, Window};

/// What is carried out together with a convolution.
pub struct Fused {
    /// The batch norm after it.
    pub norm: Option<usize>,
    /// Whether a copy is added then.
    pub adds: bool,
    /// Whether a ReLU follows.
    pub relu: bool,
    /// Whether 2×2 pixels become one then.
    pub pool: bool,
    /// Number of operations after the convolution.
    pub taken: usize,
}

/// Weights for some pass.
pub struct Weights<'a> {
    /// The channels of the input that are summed; `None`: all.
    pub inputs: Option<Cow<'a, [usize]>>,
    /// Their weights.
    pub packed: Values<'a>,
}

impl<'a> Pass<'a> {
    /// What is fused with a convolution before these operations.
    pub fn fused(&self, following: &[Op]) -> Fused {
        let norm = self.norm_layer(following.first());
        let mut taken = usize::from(norm.is_some());
        let adds = matches!(following.get(taken), Some(Op::Add(_)));
        taken += usize::from(adds);
        let relu = is_relu(following.get(taken));
        taken += usize::from(relu);
        let pool = following.get(taken) == Some(&Op::MaxPool(Window::HALVES));
        taken += usize::from(pool);
        Fused { norm, adds, relu, pool, taken }
    }

    /// The weights of a convolution of these numbers.
    ///
    /// Channels that are +0.0 everywhere are left out before a ReLU. With finite weights their products are ±0.0, which
    /// change no sum but −0.0; so a sum is the same, or −0.0 instead of +0.0, and the ReLU makes both +0.0.
    pub fn weights(&self, layer: usize, shape: &ConvShape, relu: bool, input: &[f32]) -> Weights<'a> {
        let index = self.position(layer, Role::Weight);
        let ready = self.prepared.and_then(|prepared| prepared.of(self.network, index));
        if let Some(Packed { inputs: None, values, .. }) = ready {
            return Weights { inputs: None, packed: Values::Given(values) };
        }
        let looks = relu && self.asked.is_none();
        let live = looks.then(|| live::channels(shape.inputs, input)).flatten();
        if let (Some(live), Some(Packed { inputs: Some(inputs), values, .. })) = (&live, ready)
            && live.iter().all(|channel| inputs.binary_search(channel).is_ok())
        {
            return Weights { inputs: Some(Cow::Borrowed(inputs)), packed: Values::Given(values) };
        }
        let values = self.network.values(index);
        let inputs = live.filter(|_| sparse::are_finite(values));
        let packing = packing(shape, inputs.as_deref());
        let mut packed = self.scratch.take(packing.len());
        let blocks = match self.asked {
            Some([first, end]) => first / BLOCK..end.div_ceil(BLOCK),
            None => 0..packing.blocks(),
        };
        packing.pack_blocks(values, inputs.as_deref(), blocks, &mut packed);
        Weights { inputs: inputs.map(Cow::Owned), packed: Values::Own(packed) }
    }

    /// Packs the weights of all convolutions.
    pub fn prepare(&self, live: &dyn Fn(usize) -> Option<Vec<usize>>) -> Prepared {
        let (structure, mut prepared) = (self.structure(), Prepared::default());
        let shapes = structure.shapes();
        for (at, op) in structure.ops.iter().enumerate() {
            let Op::Layer(layer) = op else { continue };
            let LayerKind::Convolution(window) = structure.layers[*layer].kind else { continue };
            let index = self.position(*layer, Role::Weight);
            let values = self.network.values(index);
            let leaves_out = self.fused(&structure.ops[at + 1..]).relu && sparse::are_finite(values);
            let inputs = if leaves_out { live(at) } else { None };
            let outputs = structure.layers[*layer].output.channels;
            let shape = ConvShape {
                images: 0,
                height: shapes[at].height,
                width: shapes[at].width,
                inputs: shapes[at].channels,
                outputs,
                window,
            };
            let packing = packing(&shape, inputs.as_deref());
            let mut packed = Aligned::new(packing.len());
            packing.pack_blocks(values, inputs.as_deref(), 0..packing.blocks(), &mut packed);
            prepared.add(self.network, index, inputs, packed);
        }
        prepared
    }
}

/// How the weights of some channels of the input are packed.
fn packing(shape: &ConvShape, inputs: Option<&[usize]>) -> Packing {
    let inputs = inputs.map_or(shape.inputs, <[usize]>::len);
    Packing::new(&ConvShape { inputs, ..*shape }, Side::Forward)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{Activations, Compute, Initialisation, NativeCompute, Network, Shortcuts};
    use data::Shape;
    use doc::{Loss, Net, Structure};
    use intervene::{BiasInit, Init};

    const NET: &str = "Sequential(layers: [Conv(channels: 40), BatchNorm(), Relu, Conv(channels: 35), Relu, MaxPool(), \
        Residual(body: [Conv(channels: 35), BatchNorm()]), Relu, Conv(channels: 3), Flatten, Linear()])";

    /// A network of which every second channel of the first layers never opens.
    fn network() -> Network {
        let net: Net = form::ron_text::from_str(NET).unwrap();
        let structure = Structure::new(&net, Shape::new(2, 9, 7), 3, &Loss::CrossEntropy).unwrap();
        let init = Initialisation { weights: Init::KaimingNormal, biases: BiasInit::Usual };
        let mut network = Network::new(Arc::new(structure), init, 3, 0);
        for (layer, role) in [(1, Role::Shift), (2, Role::Bias)] {
            let index = network.structure().position(layer, role).unwrap();
            let shifts: Vec<f32> =
                (0..network.values(index).len()).map(|at| if at % 2 == 0 { -90.0 } else { 0.1 }).collect();
            network.write(index, &shifts);
        }
        network
    }

    fn bits(values: &[f32]) -> Vec<u32> {
        values.iter().map(|value| value.to_bits()).collect()
    }

    #[test]
    fn channels_of_zeros_are_left_out_and_no_bit_changes() {
        let compute = NativeCompute::exact();
        let mut network = network();
        let ops = network.structure().ops.clone();
        let values = (0_u16..5 * 126).map(|at| f32::from(at * 37 % 101) / 50.0 - 0.9).collect();
        let input = Activations::of_samples(Shape::new(2, 9, 7), values);
        let each = |network: &Network| {
            let step = |input, op| compute.forward(network, op..op + 1, &input);
            bits(&(0..ops.len()).fold(input.clone(), step).values)
        };
        let convolution = 3; // the second
        let before = compute.forward(&network, 0..convolution, &input);
        let live = before.live_channels().expect("half of the channels are zeros");
        assert!(live.len() <= 20 && live.iter().all(|channel| channel % 2 == 1), "{live:?}");
        let prepared = compute.prepare(&network, &|op| (op == convolution).then(|| live.clone()));
        let index = network.structure().position(2, Role::Weight).unwrap();
        assert_eq!(prepared.of(&network, index).unwrap().inputs.as_ref(), Some(&live));
        for (entry, value) in [(9, 0.5), (1, 1e-42), (0, f32::INFINITY), (0, 0.25), (3, f32::NAN)] {
            let all = 0..ops.len();
            let shortcuts = Shortcuts { prepared: Some(&prepared), channels: None };
            let with = compute.forward_with(&network, all.clone(), &input, &shortcuts);
            assert_eq!(bits(&with.values), each(&network), "prepared, {entry} {value}");
            assert_eq!(
                bits(&compute.forward(&network, all, &input).values),
                each(&network),
                "{entry} {value}"
            );
            network.overlay(index, entry, value);
            assert!(prepared.of(&network, index).is_none(), "another array");
        }
        let nan = compute.forward(&network, 0..ops.len(), &input);
        assert!(nan.values.iter().any(|value| value.is_nan()), "NaN meets zeros");
    }
}

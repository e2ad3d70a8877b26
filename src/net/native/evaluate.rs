//! Evaluation mode: running statistics, nothing dropped, nothing kept. The weights of a convolution are packed for all channels
//! of its input, or for those alone that are not +0.0.

use std::borrow::Cow;
use std::ops::Range;

use data::Shape;
use doc::Activation;
use doc::structure::{FORKED, LayerKind, Op, Parameter, Role, Window};
use kernels::conv::{ConvShape, Images};
use kernels::direct::{Epilogue, GROUP, convolve};
use kernels::geometry::{BLOCK, Direction, Packing};
use kernels::norm;
use kernels::parallel::chunks_mut;
use kernels::part::{gather_channels, live_channels};
use kernels::scratch::{Aligned, Buffer};
use kernels::sparse;

use super::{Cut, Pass, State, Values};
use crate::compute::{Packed, Prepared};

/// So few weights may be packed again for every few images.
const FEW_WEIGHTS: usize = 64 * 1024;

struct Head {
    ops: usize,
    images: usize,
}

/// Returns true if an operation is a ReLU.
pub fn is_relu(op: Option<&Op>) -> bool {
    op == Some(&Op::Activation(Activation::Relu))
}

/// Operations that are carried out together with a convolution.
pub struct Fused {
    pub norm: Option<usize>,
    /// True if a copy is added then.
    pub adds: bool,
    pub relu: bool,
    /// True if 2×2 pixels become one then.
    pub pool: bool,
    /// Number of operations after the convolution.
    pub taken: usize,
}

/// Weights for some pass.
pub struct Weights<'a> {
    /// The channels of the input that are summed; `None`: all.
    pub inputs: Option<Cow<'a, [usize]>>,
    pub packed: Values<'a>,
}

impl<'a> Pass<'a> {
    pub fn evaluate(&self, ops: Range<usize>, cut: Cut<'a>) -> Cut<'a> {
        match self.head(&ops, &cut) {
            Some(head) => {
                let state = self.in_parts(ops.start..ops.start + head.ops, head.images, &cut.state);
                self.walk(ops.start + head.ops..ops.end, Cut { state, ..cut })
            }
            None => self.walk(ops, cut),
        }
    }

    /// Returns, where images are large and weights few, all operations up to a pooling, or to the last block with few
    /// weights, for as many images as keep the activations in the second cache.
    fn head(&self, ops: &Range<usize>, cut: &Cut<'a>) -> Option<Head> {
        if !cut.stack.is_empty() || !cut.state.shape.is_image() {
            return None;
        }
        let structure = self.structure();
        let shapes = structure.shapes();
        let (mut weights, mut largest, mut copies, mut most_copies) = (0, 0, 0, 0);
        let mut end = None;
        for (at, op) in structure.ops.iter().enumerate().take(ops.end).skip(ops.start) {
            largest = largest.max(shapes[at].len());
            match op {
                Op::Layer(layer) if structure.layers[*layer].kind != LayerKind::Linear => {
                    weights += structure.weight(*layer).map_or(0, Parameter::len);
                }
                Op::Activation(_) if end == Some(at) => end = Some(at + 1),
                Op::Fork => {
                    copies += 1;
                    most_copies = most_copies.max(copies);
                }
                Op::Add(_) => {
                    copies -= 1;
                    end = if copies == 0 { Some(at + 1) } else { end };
                }
                Op::MaxPool(_) if copies == 0 => {
                    end = Some(at + 1);
                    break;
                }
                Op::Activation(_) | Op::MaxPool(_) | Op::Swap | Op::Subsample { .. } => {}
                Op::Layer(_)
                | Op::AveragePool(_)
                | Op::AdaptiveAveragePool(_)
                | Op::Flatten
                | Op::Dropout(_) => break,
            }
            if weights > FEW_WEIGHTS {
                break;
            }
        }
        let images = (GROUP / (largest.max(1) * (1 + 2 * most_copies))).max(1);
        end.filter(|_| self.count >= 4 * images).map(|end| Head { ops: end - ops.start, images })
    }

    fn in_parts(&self, ops: Range<usize>, images: usize, state: &State<'a>) -> State<'a> {
        let shape = self.structure().shapes()[ops.end];
        let mut output = self.scratch.take(self.count * shape.len());
        let (size, layout, values) = (state.shape.len(), state.layout, &**state.values);
        let (before, part) = (state.shape, images * shape.len());
        chunks_mut(&mut output, part, usize::MAX, |at, output| {
            let count = output.len() / shape.len();
            let values = &values[at * images * size..][..count * size];
            let pass = Pass { count, ..*self };
            let cut = Cut::new(State::given(values, before, layout));
            output.copy_from_slice(&pass.walk(ops.clone(), cut).state.values);
        });
        State::images(output, shape)
    }

    fn walk(&self, ops: Range<usize>, mut cut: Cut<'a>) -> Cut<'a> {
        let mut rest = &self.structure().ops[ops];
        while let Some((op, following)) = rest.split_first() {
            let taken;
            (cut, taken) = self.step(op, following, cut);
            rest = &rest[taken..];
        }
        cut
    }

    /// Carries out an operation and those that are fused with it; returns how many there were.
    pub fn step(&self, op: &Op, following: &[Op], mut cut: Cut<'a>) -> (Cut<'a>, usize) {
        match op {
            Op::Layer(layer) => return self.layer(*layer, following, cut),
            Op::Activation(kind) => cut.state = self.activate(kind, cut.state),
            Op::MaxPool(window) => cut.state = self.max_pool(*window, &self.channels_last(cut.state)).0,
            Op::AveragePool(window) => {
                cut.state = self.average_windows(*window, &self.channels_last(cut.state));
            }
            Op::AdaptiveAveragePool(side) => {
                cut.state = self.average_pool(*side, self.channels_last(cut.state));
            }
            Op::Flatten => cut.state = self.flatten(cut.state),
            Op::Dropout(_) => {}
            Op::Fork => {
                cut.state = self.channels_last(cut.state);
                cut.stack.push(cut.state.clone());
            }
            Op::Swap => std::mem::swap(&mut cut.state, cut.stack.last_mut().expect(FORKED)),
            Op::Subsample { stride, channels } => {
                cut.state = self.subsample(*stride, *channels, &self.channels_last(cut.state));
            }
            Op::Add(_) => {
                let relu = is_relu(following.first());
                let other = cut.pop();
                cut.state = self.add(cut.state, other, relu);
                return (cut, 1 + usize::from(relu));
            }
        }
        (cut, 1)
    }

    fn layer(&self, layer: usize, following: &[Op], mut cut: Cut<'a>) -> (Cut<'a>, usize) {
        match self.structure().layers[layer].kind {
            LayerKind::Linear => {
                cut.state = self.linear(layer, &cut.state);
                (cut, 1)
            }
            LayerKind::Convolution(window) => {
                let fused = self.fused(following);
                let residual = fused.adds.then(|| self.channels_last(cut.pop()));
                let state = self.channels_last(cut.state);
                cut.state = self.convolve((layer, window), &fused, residual.as_ref(), &state);
                (cut, 1 + fused.taken)
            }
            LayerKind::BatchNorm => {
                let relu = is_relu(following.first());
                let state = self.channels_last(cut.state);
                let inverse = self.running_inverse(layer);
                let mut output = self.scratch.take(state.values.len());
                let norm = self.norm(layer, self.parameter(layer, Role::RunningMean), &inverse);
                norm::normalise(&norm, relu, &state.values, None, &mut output);
                cut.state = state.with(output);
                (cut, 1 + usize::from(relu))
            }
        }
    }

    /// Computes 1/√(running variance + ε).
    pub fn running_inverse(&self, layer: usize) -> Buffer<'a> {
        let variance = self.parameter(layer, Role::RunningVariance);
        let mut inverse = self.scratch.take(variance.len());
        norm::inverse(variance, &mut inverse);
        inverse
    }

    /// Computes a convolution, fused with the norm, the addition, the ReLU and the pooling after it.
    fn convolve(
        &self,
        (layer, window): (usize, Window),
        &Fused { norm, relu, pool, .. }: &Fused,
        residual: Option<&State<'a>>,
        state: &State<'a>,
    ) -> State<'a> {
        let shape = self.convolution(layer, window, state.shape);
        let Weights { inputs, packed } = self.weights(layer, &shape, relu, &state.values);
        let (shape, input) = match &inputs {
            None => (shape, None),
            Some(inputs) => {
                let mut input = self.scratch.take(state.values.len() / shape.inputs * inputs.len());
                gather_channels(shape.inputs, inputs, &state.values, &mut input);
                (ConvShape { inputs: inputs.len(), ..shape }, Some(input))
            }
        };
        let input: &[f32] = input.as_deref().unwrap_or(&state.values);
        let packing = Packing::new(&shape, Direction::Forward);
        let inverse = norm.map(|norm| self.running_inverse(norm));
        let norm = norm
            .zip(inverse.as_ref())
            .map(|(n, inverse)| self.norm(n, self.parameter(n, Role::RunningMean), inverse));
        let residual = residual.map(|state| &**state.values as &[f32]);
        let epilogue = Epilogue { bias: self.bias(layer), norm, residual, relu, pool, asked: self.asked };
        let images = self.images(self.structure().layers[layer].output);
        let images = if pool { images.halved() } else { images };
        let mut output = self.scratch.take(images.len());
        convolve(&shape, input, &packing, &packed, &epilogue, &mut output, self.scratch);
        let Images { height, width, channels, .. } = images;
        State::images(output, Shape { channels, height, width })
    }

    /// Returns what is fused with a convolution before these operations.
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

    /// Returns the weights of a convolution of these numbers.
    ///
    /// Channels that are +0.0 everywhere are left out before a ReLU. With finite weights their products are ±0.0, which
    /// change no sum but −0.0; so a sum is the same, or −0.0 instead of +0.0, and the ReLU makes both +0.0.
    pub fn weights(&self, layer: usize, shape: &ConvShape, relu: bool, input: &[f32]) -> Weights<'a> {
        let index = self.position(layer, Role::Weight);
        let ready = self.prepared.and_then(|prepared| prepared.get(self.network, index));
        if let Some(Packed { inputs: None, values, .. }) = ready {
            return Weights { inputs: None, packed: Values::Given(values) };
        }
        let looks = relu && self.asked.is_none();
        let live = looks.then(|| live_channels(shape.inputs, input)).flatten();
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
            let packing = packing(&self.convolution(*layer, window, shapes[at]), inputs.as_deref());
            let mut packed = Aligned::new(packing.len());
            packing.pack_blocks(values, inputs.as_deref(), 0..packing.blocks(), &mut packed);
            prepared.add(self.network, index, inputs, packed);
        }
        prepared
    }
}

/// Returns how the weights of some channels of the input are packed.
fn packing(shape: &ConvShape, inputs: Option<&[usize]>) -> Packing {
    let inputs = inputs.map_or(shape.inputs, <[usize]>::len);
    Packing::new(&ConvShape { inputs, ..*shape }, Direction::Forward)
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
        let input = Activations::from_samples(Shape::new(2, 9, 7), values);
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
        assert_eq!(prepared.get(&network, index).unwrap().inputs.as_ref(), Some(&live));
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
            assert!(prepared.get(&network, index).is_none(), "another array");
        }
        let nan = compute.forward(&network, 0..ops.len(), &input);
        assert!(nan.values.iter().any(|value| value.is_nan()), "NaN meets zeros");
    }
}

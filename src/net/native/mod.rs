//! Networks on hand-written CPU kernels: forward and backward passes over the host's arrays, without an autodiff graph.
//!
//! Images have their channels last. Evaluation always uses the direct convolution and applies the batch norm and the ReLU
//! after it while the sums are in registers; the rounding is that of separate operations, so a pass may be cut anywhere.
//! Results depend on the inputs alone, never on threads; in evaluation, the result of a sample does not depend on the
//! other samples of its batch.

mod backward;
mod evaluate;
mod pass;
#[cfg(test)]
mod tests;
mod train;
mod weights;

use std::ops::Range;

use pass::{Cut, Pass, State};
use train::Training;

use super::activations::{Activations, Layout, channels};
use super::compute::{Channels, Compute, DropoutStream, NoTap, Shortcuts, Tap, TrainPass, TrainingOutput};
use super::kernels::conv::Convolution;
use super::kernels::direct::Direct;
use super::kernels::scratch::Scratch;
use super::kernels::winograd::Winograd;
use super::network::Network;
use super::prepared::Prepared;

/// Computes with hand-written CPU kernels.
pub struct NativeCompute {
    /// Buffers of earlier passes, to be reused.
    scratch: Scratch,
    /// How convolutions are computed in training.
    convolution: &'static dyn Convolution,
}

impl NativeCompute {
    /// The direct convolution in training too.
    pub fn exact() -> Self {
        Self { scratch: Scratch::default(), convolution: &Direct }
    }

    /// Winograd's convolution in training where it is faster, unless a [tap asks for exact sums](Tap::needs_exact_sums);
    /// evaluation stays direct.
    pub fn fast() -> Self {
        Self { scratch: Scratch::default(), convolution: &Winograd }
    }

    fn pass<'a>(&'a self, network: &'a Network, count: usize) -> Pass<'a> {
        Pass { scratch: &self.scratch, network, count, asked: None, prepared: None }
    }
}

impl Compute for NativeCompute {
    fn logits(&self, network: &Network, inputs: &[f32], count: usize) -> Vec<f32> {
        let pass = self.pass(network, count);
        let input = State::given(inputs, network.structure().input, Layout::ChannelsFirst);
        pass.evaluate(0..network.structure().ops.len(), Cut::of(input)).state.values.to_vec()
    }

    fn forward(&self, network: &Network, ops: Range<usize>, input: &Activations) -> Activations {
        self.forward_with(network, ops, input, &Shortcuts::default())
    }

    fn forward_with(
        &self,
        network: &Network,
        ops: Range<usize>,
        input: &Activations,
        shortcuts: &Shortcuts,
    ) -> Activations {
        let asked = shortcuts.channels.map(|channels| channels.range);
        let pass = Pass { asked, prepared: shortcuts.prepared, ..self.pass(network, input.count) };
        debug_assert_eq!(
            network.structure().shapes()[ops.start],
            input.shape,
            "the activations fit the operations"
        );
        let cut = pass.evaluate(ops, Cut::given(input));
        match shortcuts.channels {
            Some(Channels { range, of, alone: true }) => {
                channels(&cut.state.values, (cut.state.shape, cut.state.layout), range, of)
            }
            Some(_) | None => cut.into_activations(input.count),
        }
    }

    fn prepare(&self, network: &Network, live: &dyn Fn(usize) -> Option<Vec<usize>>) -> Prepared {
        self.pass(network, 0).prepare(live)
    }

    fn is_independent_of_batch(&self) -> bool {
        true
    }

    fn training_forward(
        &self,
        network: &Network,
        inputs: &[f32],
        count: usize,
        dropout: DropoutStream,
    ) -> TrainingOutput {
        let mut training = Training::new(self.pass(network, count), self.convolution, dropout);
        let logits = training.forward(inputs, &mut NoTap::all(), false).values.to_vec();
        TrainingOutput { logits, statistics: training.statistics }
    }

    fn train_tapped(
        &self,
        network: &Network,
        inputs: &[f32],
        count: usize,
        dropout: DropoutStream,
        tap: &mut dyn Tap,
        gradient: &mut dyn FnMut(&[f32]) -> Vec<f32>,
    ) -> TrainPass {
        let convolution = if tap.needs_exact_sums() { &Direct } else { self.convolution };
        let mut training = Training::new(self.pass(network, count), convolution, dropout);
        training.leaves_out_held = !tap.reads_held_gradients();
        let logits = training.forward(inputs, tap, true);
        let gradient = gradient(&logits.values);
        drop(logits);
        training.backward(&gradient)
    }

    fn recycle(&self, pass: TrainPass) {
        pass.gradients.into_iter().flatten().for_each(|gradient| self.scratch.give(gradient));
    }
}

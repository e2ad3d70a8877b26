//! Training mode, backward: the tape from its end to its start.

use super::pass::FORKED;
use super::train::{After, Kept, Training};
use crate::compute::{Gradients, TrainPass};
use crate::kernels::activate;
use crate::kernels::combine;
use crate::kernels::conv::{ConvGradients, ConvShape, Factors};
use crate::kernels::linear;
use crate::kernels::norm::{self, Next, NormGradients};
use crate::kernels::part::Part;
use crate::kernels::pool::{self, Pooled};
use crate::kernels::scratch::Buffer;
use doc::structure::Role;

impl<'a> Training<'a> {
    /// Gradients of the parameters, from that of the logits.
    pub fn backward(mut self, gradient: &[f32]) -> TrainPass {
        let gradients = vec![None; self.pass.network.len()];
        let is_layer =
            |kept: &Kept| matches!(kept, Kept::Linear { .. } | Kept::Convolution { .. } | Kept::Norm { .. });
        let first = self.tape.iter().position(is_layer).unwrap_or(self.tape.len());
        let tape: Vec<Kept<'a>> = self.tape.drain(first..).collect();
        let (gradient, stack) = (self.pass.copy(gradient), Vec::new());
        let mut back = Back { gradient, stack, sums: None, gradients, training: &self };
        for (number, kept) in tape.into_iter().enumerate().rev() {
            back.step(kept, number == 0);
        }
        let gradients = back.gradients;
        TrainPass { gradients, statistics: self.statistics }
    }
}

/// A backward pass.
struct Back<'a, 't> {
    /// Gradient of the loss with respect to the activations at this point.
    gradient: Buffer<'a>,
    /// Those with respect to the copies on the stack.
    stack: Vec<Buffer<'a>>,
    /// Its sums over the pixels, where they are known already.
    sums: Option<Buffer<'a>>,
    gradients: Gradients,
    training: &'t Training<'a>,
}

impl<'a> Back<'a, '_> {
    /// One operation; the inputs of the first layer need no gradient.
    fn step(&mut self, kept: Kept<'a>, is_first: bool) {
        let sums = self.sums.take();
        let pass = self.training.pass;
        match kept {
            Kept::Linear { layer, input } => self.linear(layer, &input, is_first),
            Kept::Convolution { layer, input, shape, part } => {
                self.convolution(layer, &input, (&shape, part.as_ref()), sums, is_first);
            }
            Kept::Norm { layer, input, mean, inverse, way, after, shape } => {
                let norm = pass.norm(layer, &mean, &inverse);
                let [mut scale, mut shift] = [0, 1].map(|_| pass.scratch.vector(mean.len()));
                let mut sums = pass.scratch.take(mean.len());
                let gradients = NormGradients { scale: &mut scale, shift: &mut shift, bias: &mut sums };
                // Where something is fused with the norm, the gradient after it, which another buffer replaces.
                let mut given = match &after {
                    After::Nothing => None,
                    After::Pooling(_) | After::Sum(_) => {
                        Some(std::mem::replace(&mut self.gradient, pass.scratch.take(input.len())))
                    }
                };
                let next = match (&after, &mut given) {
                    (After::Pooling(which), Some(gradient)) => {
                        Next::Pooling(Pooled { images: pass.images(shape), gradient, which })
                    }
                    (After::Sum(relu), Some(gradient)) => {
                        Next::Sum { gradient, relu: relu.as_ref().map(|relu| &***relu) }
                    }
                    (After::Nothing, _) | (_, None) => Next::Alone,
                };
                norm::backward(&norm, way, &input, next, &mut self.gradient, gradients, pass.scratch);
                if matches!(after, After::Sum(_)) {
                    self.stack.extend(given);
                }
                self.sums = Some(sums);
                self.give(layer, [(Role::Scale, Some(scale)), (Role::Shift, Some(shift))]);
            }
            Kept::Activation { curve, values } => activate::backward(curve, &values, &mut self.gradient),
            Kept::MaxPool { images, window, which } => {
                let mut gradient = pass.scratch.take(images.len());
                let pooled = Pooled { images, gradient: &self.gradient, which: &which };
                pool::max_pool_backward(&pooled, window, &mut gradient);
                self.gradient = gradient;
            }
            Kept::AverageWindows { images, window } => {
                let mut gradient = pass.scratch.take(images.len());
                pool::average_windows_backward(&images, window, &self.gradient, &mut gradient);
                self.gradient = gradient;
            }
            Kept::AveragePool { images, side } => {
                let mut gradient = pass.scratch.take(images.len());
                pool::average_pool_backward(&images, side, &self.gradient, &mut gradient);
                self.gradient = gradient;
            }
            Kept::Flatten { shape } if shape.is_image() && shape.channels > 1 => {
                let mut gradient = pass.scratch.take(self.gradient.len());
                activate::to_channels_last(shape.channels, shape.plane(), &self.gradient, &mut gradient);
                self.gradient = gradient;
            }
            Kept::Flatten { .. } => {}
            Kept::Dropout { factors } => activate::scale(&mut self.gradient, &factors),
            // The way back: an addition gives its gradient to both, and a fork adds those of both.
            Kept::Add => self.stack.push(pass.copy(&self.gradient)),
            Kept::Swap => {
                std::mem::swap(&mut self.gradient, self.stack.last_mut().expect(FORKED));
            }
            Kept::Fork => {
                let other = self.stack.pop().expect(FORKED);
                combine::add(&mut self.gradient, &other);
            }
            Kept::Subsample { images, stride, channels } => {
                let mut gradient = pass.scratch.take(images.len());
                combine::subsample_pad_backward(&images, stride, channels, &self.gradient, &mut gradient);
                self.gradient = gradient;
            }
            Kept::Written { places } => places.into_iter().for_each(|place| self.gradient[place] = 0.0),
        }
    }

    fn linear(&mut self, layer: usize, input: &[f32], is_first: bool) {
        let pass = self.training.pass;
        let shape = pass.linear_shape(layer);
        let mut weight_gradient = pass.scratch.vector(shape.inputs * shape.outputs);
        linear::backward_weight(
            &shape,
            input,
            &self.gradient,
            &mut weight_gradient,
            self.training.free(layer),
        );
        let bias_gradient = pass.bias(layer).map(|bias| {
            let mut gradient = pass.scratch.vector(bias.len());
            norm::channel_sums(&self.gradient, &mut gradient, pass.scratch);
            gradient
        });
        if !is_first {
            let mut gradient = pass.scratch.take(input.len());
            linear::backward_input(
                &shape,
                pass.parameter(layer, Role::Weight),
                &self.gradient,
                &mut gradient,
                pass.scratch,
            );
            self.gradient = gradient;
        }
        self.give(layer, [(Role::Weight, Some(weight_gradient)), (Role::Bias, bias_gradient)]);
    }

    fn convolution(
        &mut self,
        layer: usize,
        input: &[f32],
        (shape, part): (&ConvShape, Option<&Part>),
        sums: Option<Buffer<'a>>,
        is_first: bool,
    ) {
        let pass = self.training.pass;
        let mut weight_gradient = pass.scratch.vector(shape.weight_len());
        let bias_gradient = pass.bias(layer).map(|bias| {
            let mut gradient = pass.scratch.vector(bias.len());
            match sums {
                Some(sums) => gradient.copy_from_slice(&sums),
                None => norm::channel_sums(&self.gradient, &mut gradient, pass.scratch),
            }
            gradient
        });
        let mut gradient = (!is_first).then(|| pass.scratch.take(input.len()));
        let weight = pass.parameter(layer, Role::Weight);
        let gradients = ConvGradients {
            output: &self.gradient,
            input: gradient.as_deref_mut(),
            weight: &mut weight_gradient,
        };
        let factors = Factors { shape, input, weight, scratch: pass.scratch, part: None };
        match part {
            Some(part) => part.backward(self.training.convolution, &factors, gradients),
            None => self.training.convolution.backward(&factors, gradients),
        }
        if let Some(gradient) = gradient {
            self.gradient = gradient;
        }
        self.give(layer, [(Role::Weight, Some(weight_gradient)), (Role::Bias, bias_gradient)]);
    }

    /// Keeps the gradients of those parameters that a layer has.
    fn give(&mut self, layer: usize, gradients: [(Role, Option<Vec<f32>>); 2]) {
        for (role, gradient) in gradients {
            let Some(gradient) = gradient else { continue };
            let index = self.training.pass.position(layer, role);
            self.gradients[index] = Some(gradient);
        }
    }
}

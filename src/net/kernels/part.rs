//! Convolutions of networks of which whole channels are gone: held at zero, without gradients that anything reads.
//!
//! The channels that are left are copied side by side and convolved alone. No bit changes: each sum leaves out products that
//! are ±0.0, in its order. As at the head of [`sparse`], that matters only where a number is not finite, or where a sum ends
//! at −0.0; then all channels are convolved.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::conv::{ConvGradients, ConvShape, Convolution, Factors, Window};
use crate::parallel::{COST, any, chunks_mut};
use crate::scratch::{Buffer, Scratch};
use crate::simd::{LANES, vectorise};
use crate::sparse;

/// Channels that are summed at a time, at most; each range of them keeps whole vectors, so that a sum is divided as before.
pub const RANGE: usize = 256;
/// Pixels that a task copies, or that are looked at before the channels found are counted.
const PIXELS: usize = 64;

/// The channels of a convolution that are left.
#[derive(Debug)]
pub struct Part {
    pub whole: ConvShape,
    /// Channels of the input, ascending.
    pub inputs: Vec<usize>,
    /// Channels of the output, ascending.
    pub outputs: Vec<usize>,
    /// True if a sum ended at −0.0, so that the whole could have another sign.
    minus_zero: AtomicBool,
}

impl Part {
    /// Finds the channels that are left of a convolution whose others are held at zero; `None` where they are so many
    /// that leaving the rest out is not faster, or where a channel is held at something else.
    pub fn new(whole: &ConvShape, weight: &[f32], free: &FreeBits) -> Option<Self> {
        let (taps, row) = (whole.taps(), whole.inputs * whole.taps());
        let is_free = |first: usize, len: usize| {
            (first..first + len).step_by(LANES).any(|at| free.any(at, LANES.min(first + len - at)))
        };
        let outputs: Vec<usize> = (0..whole.outputs).filter(|output| is_free(output * row, row)).collect();
        let mut gone: Vec<usize> = (0..whole.inputs).collect();
        for output in &outputs {
            gone.retain(|input| !is_free(output * row + input * taps, taps));
            if gone.is_empty() {
                break;
            }
        }
        let outputs = filled_up(whole.outputs, |output| outputs.binary_search(&output).is_ok());
        let inputs = filled_up(whole.inputs, |input| gone.binary_search(&input).is_err());
        let (all, left) = (whole.inputs * whole.outputs, inputs.len() * outputs.len());
        let is_faster = all > 0 && 4 * left <= 3 * all;
        let part = Self { whole: *whole, inputs, outputs, minus_zero: AtomicBool::new(false) };
        (is_faster && part.all_others_are_zero(weight)).then_some(part)
    }

    fn all_others_are_zero(&self, weight: &[f32]) -> bool {
        let (taps, row) = (self.whole.taps(), self.whole.inputs * self.whole.taps());
        let others: Vec<usize> =
            (0..self.whole.inputs).filter(|input| self.inputs.binary_search(input).is_err()).collect();
        let is_zero =
            |weights: &[f32]| weights.iter().fold(0, |any, weight| any | weight.to_bits() << 1) == 0;
        !any(self.whole.outputs, weight.len() * COST, |output| {
            let weights = &weight[output * row..][..row];
            if self.outputs.binary_search(&output).is_ok() {
                !others.iter().all(|input| is_zero(&weights[input * taps..][..taps]))
            } else {
                !is_zero(weights)
            }
        })
    }

    /// Returns the shape of what is left.
    pub fn shape(&self) -> ConvShape {
        ConvShape { inputs: self.inputs.len(), outputs: self.outputs.len(), ..self.whole }
    }

    /// Records that a sum ended at −0.0, so that all channels must be convolved.
    pub fn mark_negative_zero(&self) {
        self.minus_zero.store(true, Ordering::Relaxed);
    }

    /// Computes output = input ∗ weight, + bias where there is one, as all channels would give it.
    pub fn forward(
        &self,
        convolution: &dyn Convolution,
        factors: &Factors,
        bias: Option<&[f32]>,
        output: &mut [f32],
    ) {
        if sparse::are_small(factors.input) {
            let scratch = factors.scratch;
            let shape = self.shape();
            let input = gather(factors.input, self.whole.inputs, &self.inputs, scratch);
            let weight = self.weights(factors.weight, scratch);
            let biases: Option<Vec<f32>> =
                bias.map(|bias| self.outputs.iter().map(|output| bias[*output]).collect());
            let mut found = scratch.take(shape.output_len());
            let part = Factors { shape: &shape, input: &input, weight: &weight, scratch, part: Some(self) };
            convolution.forward(&part, biases.as_deref(), &mut found);
            if !self.minus_zero.swap(false, Ordering::Relaxed) {
                // The others are sums of nothing.
                let others = bias.map(|bias| bias.iter().map(|bias| 0.0 + bias).collect());
                let others = others.unwrap_or_else(|| vec![0.0; self.whole.outputs]);
                return scatter(&found, &self.outputs, &others, output);
            }
        }
        convolution.forward(factors, bias, output);
    }

    /// Goes backward. Gradients of weights that are gone keep what they are.
    pub fn backward(&self, convolution: &dyn Convolution, factors: &Factors, gradients: ConvGradients) {
        let ConvGradients { output, input: mut input_gradient, weight: weight_gradient } = gradients;
        if sparse::are_small(factors.input) && sparse::are_small(output) {
            let scratch = factors.scratch;
            let shape = self.shape();
            let input = gather(factors.input, self.whole.inputs, &self.inputs, scratch);
            let given = gather(output, self.whole.outputs, &self.outputs, scratch);
            let weight = self.weights(factors.weight, scratch);
            let mut back = input_gradient.is_some().then(|| scratch.take(shape.input_len()));
            let mut weights = scratch.take(shape.weight_len());
            let part = Factors { shape: &shape, input: &input, weight: &weight, scratch, part: Some(self) };
            let gradients =
                ConvGradients { output: &given, input: back.as_deref_mut(), weight: &mut weights };
            convolution.backward(&part, gradients);
            if !self.minus_zero.swap(false, Ordering::Relaxed) {
                self.give_weights(&weights, weight_gradient);
                if let (Some(back), Some(input)) = (back, &mut input_gradient) {
                    scatter(&back, &self.inputs, &vec![0.0; self.whole.inputs], input);
                }
                return;
            }
        }
        let gradients = ConvGradients { output, input: input_gradient, weight: weight_gradient };
        convolution.backward(factors, gradients);
    }

    fn weights<'a>(&self, weight: &[f32], scratch: &'a Scratch) -> Buffer<'a> {
        let (taps, row) = (self.whole.taps(), self.inputs.len() * self.whole.taps());
        let mut found = scratch.take(self.outputs.len() * row);
        let work = found.len() * COST;
        chunks_mut(&mut found, row, work, |at, to| {
            let from = &weight[self.outputs[at] * self.whole.inputs * taps..];
            for (to, input) in to.chunks_exact_mut(taps).zip(&self.inputs) {
                copy(&from[input * taps..][..taps], to);
            }
        });
        found
    }

    /// Writes gradients of the weights that are left in their places.
    fn give_weights(&self, from: &[f32], to: &mut [f32]) {
        let (taps, row) = (self.whole.taps(), self.inputs.len() * self.whole.taps());
        let work = from.len() * COST;
        chunks_mut(to, self.whole.inputs * taps, work, |output, to| {
            let Ok(at) = self.outputs.binary_search(&output) else { return };
            for (from, input) in from[at * row..][..row].chunks_exact(taps).zip(&self.inputs) {
                copy(from, &mut to[input * taps..][..taps]);
            }
        });
    }
}

/// Copies the places of a window: most often nine, for which a call of the general copy costs more than the numbers.
fn copy(from: &[f32], to: &mut [f32]) {
    match (<&[f32; Window::SAME3.taps()]>::try_from(from), to.first_chunk_mut()) {
        (Ok(from), Some(to)) => *to = *from,
        (Ok(_) | Err(_), _) => to.copy_from_slice(from),
    }
}

/// Returns the channels that are left, and as many others as make whole vectors of them in every [`RANGE`].
fn filled_up(count: usize, is_left: impl Fn(usize) -> bool) -> Vec<usize> {
    let mut all = Vec::new();
    for first in (0..count).step_by(RANGE) {
        let range = first..(first + RANGE).min(count);
        let (mut found, others): (Vec<usize>, Vec<usize>) = range.partition(|channel| is_left(*channel));
        // There must be one.
        let most = if first == 0 { found.len().max(1) } else { found.len() };
        let missing = most.next_multiple_of(LANES) - found.len();
        found.extend(others.into_iter().take(missing));
        found.sort_unstable();
        all.extend(found);
    }
    all
}

fn gather<'a>(from: &[f32], count: usize, channels: &[usize], scratch: &'a Scratch) -> Buffer<'a> {
    let mut to = scratch.take(from.len() / count * channels.len());
    let work = to.len() * COST;
    chunks_mut(&mut to, PIXELS * channels.len(), work, |at, to| {
        let pixels = to.len() / channels.len();
        gather_channels(count, channels, &from[at * PIXELS * count..][..pixels * count], to);
    });
    to
}

/// Writes pixels with these channels, and `others` in all other channels.
fn scatter(from: &[f32], channels: &[usize], others: &[f32], to: &mut [f32]) {
    let (count, work) = (others.len(), to.len() * COST);
    chunks_mut(to, PIXELS * count, work, |at, to| {
        let from = from[at * PIXELS * channels.len()..].chunks_exact(channels.len());
        for (to, from) in to.chunks_exact_mut(count).zip(from) {
            to.copy_from_slice(others);
            for (channel, value) in channels.iter().zip(from) {
                to[*channel] = *value;
            }
        }
    });
}

/// A bit for each entry, set where an optimizer changes it. A word has sixteen of them, the first entry's the lowest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FreeBits {
    words: Vec<u16>,
}

impl FreeBits {
    /// Returns the bits of so many entries.
    pub fn new(size: usize, is_free: impl Fn(usize) -> bool) -> Self {
        let mut bits = Self { words: vec![0; size.div_ceil(LANES)] };
        (0..size).filter(|entry| is_free(*entry)).for_each(|entry| bits.set(entry, true));
        bits
    }

    /// Sets or clears the bit of an entry.
    pub fn set(&mut self, entry: usize, is_free: bool) {
        let (word, bit) = (&mut self.words[entry / LANES], 1 << (entry % LANES));
        *word = if is_free { *word | bit } else { *word & !bit };
    }

    /// Returns the words of the entries from `first` on, which begins a word.
    #[inline(always)]
    pub fn words(&self, first: usize) -> &[u16] {
        debug_assert!(first.is_multiple_of(LANES), "the start of a word");
        &self.words[first / LANES..]
    }

    /// Returns true if any of at most sixteen entries from `first` on is free.
    #[inline(always)]
    pub fn any(&self, first: usize, count: usize) -> bool {
        let (word, shift) = (first / LANES, first % LANES);
        let next = self.words.get(word + 1).copied().unwrap_or_default();
        let bits = (u32::from(self.words[word]) | u32::from(next) << LANES) >> shift;
        bits & ((1 << count) - 1) > 0
    }
}

/// Returns the channels of pixels that are not +0.0 everywhere, ascending, the first one if there are none: a sum may leave
/// the others out. `None` where they are so many that leaving the others out is not faster; then few pixels are looked at.
pub fn live_channels(count: usize, values: &[f32]) -> Option<Vec<usize>> {
    let most = count - count / 8;
    if count < LANES || most == count {
        return None;
    }
    // For each channel, the bits that any of its numbers has.
    let mut bits = vec![0; count];
    for pixels in values.chunks(PIXELS * count) {
        let to = &mut bits[..];
        vectorise(
            #[inline(always)]
            move || {
                for pixel in pixels.chunks_exact(count) {
                    for (bits, value) in to.iter_mut().zip(pixel) {
                        *bits |= value.to_bits();
                    }
                }
            },
        );
        if bits.iter().filter(|bits| **bits > 0).count() > most {
            return None;
        }
    }
    let mut found: Vec<usize> = (0..count).filter(|channel| bits[*channel] > 0).collect();
    if found.is_empty() {
        found.push(0);
    }
    Some(found)
}

/// Copies some channels of each pixel; `from` has `count` channels.
pub fn gather_channels(count: usize, channels: &[usize], from: &[f32], to: &mut [f32]) {
    assert_eq!(to.len() * count, from.len() * channels.len(), "one number for each pixel and channel");
    assert!(channels.iter().all(|channel| *channel < count), "channels that there are");
    vectorise(
        #[inline(always)]
        move || {
            for (from, to) in from.chunks_exact(count).zip(to.chunks_exact_mut(channels.len())) {
                for (to, channel) in to.iter_mut().zip(channels) {
                    *to = from[*channel];
                }
            }
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_found_across_words() {
        let mut bits = FreeBits::new(100, |entry| entry == 15 || entry == 16 || entry == 99);
        assert_eq!((bits.words(0)[0], bits.words(16)[0], bits.words(96)), (1 << 15, 1, &[8][..]));
        assert!(bits.any(0, 16) && bits.any(3, 13) && bits.any(16, 1) && bits.any(84, 16) && bits.any(99, 1));
        assert!(!bits.any(0, 15) && !bits.any(17, 16) && !bits.any(83, 16));
        bits.set(15, false);
        bits.set(17, true);
        assert!(!bits.any(0, 16) && bits.any(17, 16) && bits.any(2, 15));
    }

    #[test]
    fn a_channel_lives_if_any_number_of_it_has_a_bit() {
        let mut values = vec![0.0; 100 * 20];
        assert_eq!(live_channels(20, &values), Some(vec![0]));
        values[99 * 20 + 7] = -0.0;
        values[3 * 20 + 19] = f32::NAN;
        assert_eq!(live_channels(20, &values), Some(vec![7, 19]));
        let mut to = vec![1.0; 200];
        gather_channels(20, &[7, 19], &values, &mut to);
        assert_eq!((to[198].to_bits(), to[7].is_nan(), to[0]), ((-0.0_f32).to_bits(), true, 0.0));
        values[..20].fill(1.0);
        assert_eq!(live_channels(20, &values), None, "leaving none out does not pay");
        assert_eq!(live_channels(8, &values[..8]), None);
    }
}

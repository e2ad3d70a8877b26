//! Channels of images that are +0.0 in every pixel, as behind a ReLU that never opens: a sum may leave them out.

use super::simd::{Kernel, LANES, Simd, dispatch};

/// Pixels that are looked at before the channels found are counted.
const PIXELS: usize = 64;

/// The channels of pixels that are not +0.0 everywhere, ascending, the first one if there are none. `None` where they are
/// so many that leaving the others out does not pay; then few pixels are looked at.
pub fn channels(count: usize, values: &[f32]) -> Option<Vec<usize>> {
    let most = count - count / 8;
    if count < LANES || most == count {
        return None;
    }
    let mut bits = vec![0; count];
    for pixels in values.chunks(PIXELS * count) {
        dispatch(Collect { pixels, bits: &mut bits });
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

struct Collect<'a> {
    pixels: &'a [f32],
    /// For each channel, the bits that any of its numbers has.
    bits: &'a mut [u32],
}

impl Kernel for Collect<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        for pixel in self.pixels.chunks_exact(self.bits.len()) {
            for (bits, value) in self.bits.iter_mut().zip(pixel) {
                *bits |= value.to_bits();
            }
        }
    }
}

/// Copies some channels of each pixel, of which `from` has `count` channels.
///
/// # Panics
/// When `to` does not have one number for each pixel and channel.
pub fn gather(count: usize, channels: &[usize], from: &[f32], to: &mut [f32]) {
    assert_eq!(to.len() * count, from.len() * channels.len(), "one number for each pixel and channel");
    assert!(channels.iter().all(|channel| *channel < count), "channels that there are");
    dispatch(Gather { count, channels, from, to });
}

struct Gather<'a> {
    count: usize,
    channels: &'a [usize],
    from: &'a [f32],
    to: &'a mut [f32],
}

impl Kernel for Gather<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let pixels = self.from.chunks_exact(self.count);
        for (from, to) in pixels.zip(self.to.chunks_exact_mut(self.channels.len())) {
            for (to, channel) in to.iter_mut().zip(self.channels) {
                *to = from[*channel];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_channel_lives_if_any_number_of_it_has_a_bit() {
        let mut values = vec![0.0; 100 * 20];
        assert_eq!(channels(20, &values), Some(vec![0]));
        values[99 * 20 + 7] = -0.0;
        values[3 * 20 + 19] = f32::NAN;
        assert_eq!(channels(20, &values), Some(vec![7, 19]));
        let mut to = vec![1.0; 200];
        gather(20, &[7, 19], &values, &mut to);
        assert_eq!((to[198].to_bits(), to[7].is_nan(), to[0]), ((-0.0_f32).to_bits(), true, 0.0));
        values[..20].fill(1.0);
        assert_eq!(channels(20, &values), None, "leaving none out does not pay");
        assert_eq!(channels(8, &values[..8]), None);
    }
}

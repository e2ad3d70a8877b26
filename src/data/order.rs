//! What training draws in every epoch, defined so that another program can repeat it: the order of samples, and changes of
//! images.

use std::ops::Range;

use rand::Rng;

use crate::Shape;

/// Draws a whole number from `0..bound`, every one with the same probability.
///
/// With 32-bit words w of the stream: m = w · bound; the result is m >> 32, unless the low 32 bits of m are below 2³² mod
/// bound: then the word is dropped and the next one taken (Lemire, "Fast random integer generation in an interval", 2019).
///
/// # Panics
/// When `bound` is 0.
pub fn below(bound: u32, rng: &mut impl Rng) -> u32 {
    assert!(bound > 0, "no number is below 0");
    let unfair = bound.wrapping_neg() % bound;
    loop {
        let product = u64::from(rng.next_u32()) * u64::from(bound);
        let [high, low] = [product >> 32, product & u64::from(u32::MAX)];
        if low >= u64::from(unfair) {
            return u32::try_from(high).expect("a product of 32-bit numbers has 32 high bits");
        }
    }
}

/// Draws the order of the numbers `0..len`: Fisher–Yates from the end.
///
/// It begins with 0, 1, …, `len` − 1; for `last` from `len` − 1 down to 1, the entry at `last` changes places with the
/// entry at [`below`]`(last + 1)`.
///
/// # Panics
/// When `len` does not fit 32 bits.
pub fn shuffled(len: usize, rng: &mut impl Rng) -> Vec<u32> {
    let len = u32::try_from(len).expect("a part has fewer than 2³² samples");
    let mut order: Vec<u32> = (0..len).collect();
    for last in (1..len).rev() {
        order.swap(last as usize, below(last + 1, rng) as usize);
    }
    order
}

/// Returns consecutive ranges of `size` positions that cover `0..len`; the last one is smaller where `len` is no multiple.
///
/// # Panics
/// When `size` is 0.
pub fn batches(len: usize, size: usize) -> impl ExactSizeIterator<Item = Range<usize>> {
    assert!(size > 0, "a batch holds at least one sample");
    (0..len.div_ceil(size)).map(move |batch| batch * size..len.min((batch + 1) * size))
}

form::choice! {
    /// Random changes of training images that a file can name.
    pub enum Augmentation: "Augmentation" {
        FlipHorizontal, "Flip", "Mirrors left and right with probability ½";
        Crop(usize) = 4, "Crop", "Shifts by up to this many pixels in each direction; new pixels are 0", range [0, 64];
    }
}

/// Changes one image, `[channels, height, width]`, in the order of the list.
///
/// Drawn are, so that another program can repeat it: for a flip [`below`]`(2)`, 1 for yes; for `Crop(p)` twice
/// [`below`]`(2p + 1)` − p, the columns first and then the rows. What comes in is the value 0 of what enters the network:
/// black, or the mean of the channel after standardisation.
pub fn augment(image: &mut [f32], shape: Shape, changes: &[Augmentation], rng: &mut impl Rng) {
    for change in changes {
        match change {
            Augmentation::FlipHorizontal => {
                if below(2, rng) == 1 {
                    flip_horizontal(image, shape);
                }
            }
            Augmentation::Crop(padding) => {
                let mut draw = || {
                    let shifts = u32::try_from(2 * padding + 1).unwrap_or(u32::MAX);
                    (below(shifts, rng) as usize).cast_signed() - padding.cast_signed()
                };
                let (dx, dy) = (draw(), draw());
                shift_crop(image, shape, dx, dy);
            }
        }
    }
}

fn flip_horizontal(image: &mut [f32], shape: Shape) {
    image.chunks_exact_mut(shape.width).for_each(<[f32]>::reverse);
}

/// Shifts the image `dx` pixels to the left and `dy` up; zeros fill the rest.
fn shift_crop(image: &mut [f32], shape: Shape, dx: isize, dy: isize) {
    let Shape { channels: _, height, width } = shape;
    for plane in image.chunks_exact_mut(shape.plane()) {
        let old = plane.to_vec();
        for row in 0..height {
            for column in 0..width {
                let from = (row.checked_add_signed(dy), column.checked_add_signed(dx));
                plane[row * width + column] = match from {
                    (Some(y), Some(x)) if y < height && x < width => old[y * width + x],
                    _ => 0.0,
                };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;

    #[test]
    fn an_order_holds_every_index_once() {
        let mut order = shuffled(1000, &mut ChaCha8Rng::seed_from_u64(1));
        assert_ne!(order[..10], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
        order.sort_unstable();
        assert!(order.into_iter().eq(0..1000));
    }

    #[test]
    fn an_order_is_the_one_that_another_program_draws() {
        let mut rng = ChaCha8Rng::from_seed([0; 32]);
        // From a ChaCha8 written out in Python, with a key of zeros.
        assert_eq!(shuffled(10, &mut rng), [5, 3, 0, 2, 9, 6, 4, 8, 7, 1]);
    }

    #[test]
    fn nothing_and_one_sample_need_no_draw() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        assert!(shuffled(0, &mut rng).is_empty());
        assert_eq!(shuffled(1, &mut rng), [0]);
        assert_eq!(rng, ChaCha8Rng::seed_from_u64(1));
    }

    #[test]
    fn every_place_is_equally_likely() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let mut first = [0_u32; 3];
        for _ in 0..3000 {
            first[shuffled(3, &mut rng)[0] as usize] += 1;
        }
        // The standard deviation of a count is 26.
        assert!(first.iter().all(|&count| count.abs_diff(1000) < 104), "{first:?}");
    }

    #[test]
    fn the_last_smaller_batch_is_kept() {
        assert!(batches(7, 3).eq([0..3, 3..6, 6..7]));
        assert!(batches(6, 3).eq([0..3, 3..6]));
        assert_eq!(batches(0, 3).len(), 0);
    }
}

#[cfg(test)]
mod augment_tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use crate::order::*;

    const SHAPE: Shape = Shape::new(1, 2, 3);
    const IMAGE: [f32; 6] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];

    #[test]
    fn a_flip_mirrors_every_row() {
        let mut image = IMAGE;
        flip_horizontal(&mut image, SHAPE);
        assert_eq!(image, [3.0, 2.0, 1.0, 6.0, 5.0, 4.0]);
    }

    #[test]
    fn a_crop_shifts_and_fills_with_zeros() {
        let mut image = IMAGE;
        shift_crop(&mut image, SHAPE, 1, 0);
        assert_eq!(image, [2.0, 3.0, 0.0, 5.0, 6.0, 0.0]);
        let mut image = IMAGE;
        shift_crop(&mut image, SHAPE, -1, 1);
        assert_eq!(image, [0.0, 4.0, 5.0, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn every_shift_and_both_sides_occur_and_nothing_else() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..500 {
            let mut image = IMAGE;
            augment(&mut image, SHAPE, &[Augmentation::FlipHorizontal, Augmentation::Crop(1)], &mut rng);
            seen.insert(image.map(|value| value as u32));
        }
        assert_eq!(seen.len(), 2 * 9);
    }
}

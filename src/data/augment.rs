//! Random changes of training images.

use rand::Rng;

use super::{Shape, below};

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

/// Mirrors an image left and right.
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

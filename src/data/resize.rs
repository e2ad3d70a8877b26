//! Resizing of images: bilinear with half-pixel centres.

use super::{Samples, Shape};

/// The same samples with images of another size, channel by channel.
///
/// Output pixel i reads the input coordinate (i + ½)·in/out − ½, clamped to the image: what
/// `torch.nn.functional.interpolate(mode="bilinear", align_corners=False)` does.
pub fn resize(samples: &Samples, height: usize, width: usize) -> Samples {
    let old = samples.shape;
    if (old.height, old.width) == (height, width) {
        return samples.clone();
    }
    let rows = taps(old.height, height);
    let columns = taps(old.width, width);
    let mut values = Vec::with_capacity(samples.len() * old.channels * height * width);
    for plane in samples.values.chunks_exact(old.plane()) {
        for &(top, bottom, down) in &rows {
            for &(left, right, across) in &columns {
                let at = |row: usize, column: usize| plane[row * old.width + column];
                let above = at(top, left) * (1.0 - across) + at(top, right) * across;
                let below = at(bottom, left) * (1.0 - across) + at(bottom, right) * across;
                values.push(above * (1.0 - down) + below * down);
            }
        }
    }
    Samples::new(Shape::new(old.channels, height, width), values, samples.labels.clone())
}

/// For each output position the two input positions and the share of the second.
fn taps(input: usize, output: usize) -> Vec<(usize, usize, f32)> {
    let scale = input as f32 / output as f32;
    let tap = |position: usize| {
        let centre = ((position as f32 + 0.5) * scale - 0.5).max(0.0);
        let first = (centre as usize).min(input - 1);
        (first, (first + 1).min(input - 1), centre - first as f32)
    };
    (0..output).map(tap).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_pixels_become_four_as_torch_has_them() {
        let samples = Samples::new(Shape::new(1, 1, 2), vec![0.0, 4.0], vec![0]);
        assert_eq!(resize(&samples, 1, 4).values, [0.0, 1.0, 3.0, 4.0]);
    }

    #[test]
    fn a_square_becomes_smaller_by_averaging_its_middle() {
        let values = (0..16u8).map(f32::from).collect();
        let samples = Samples::new(Shape::new(1, 4, 4), values, vec![0]);
        assert_eq!(resize(&samples, 2, 2).values, [2.5, 4.5, 10.5, 12.5]);
    }

    #[test]
    fn the_same_size_changes_nothing() {
        let samples = Samples::new(Shape::new(1, 2, 2), vec![1.0, 2.0, 3.0, 4.0], vec![0]);
        assert_eq!(resize(&samples, 2, 2), samples);
    }
}

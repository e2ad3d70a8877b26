//! Resizing of images: bilinear with half-pixel centres.

use super::Shape;

/// The values of images in another size, channel by channel.
///
/// Output pixel i reads the input coordinate (i + ½)·in/out − ½, clamped to the image: what
/// `torch.nn.functional.interpolate(mode="bilinear", align_corners=False)` does.
pub(super) fn resize(values: &[f32], old: Shape, new: Shape) -> Vec<f32> {
    let rows = taps(old.height, new.height);
    let columns = taps(old.width, new.width);
    let mut resized = Vec::with_capacity(values.len() / old.plane() * new.plane());
    for plane in values.chunks_exact(old.plane()) {
        for &(top, bottom, down) in &rows {
            for &(left, right, across) in &columns {
                let at = |row: usize, column: usize| plane[row * old.width + column];
                let above = at(top, left) * (1.0 - across) + at(top, right) * across;
                let below = at(bottom, left) * (1.0 - across) + at(bottom, right) * across;
                resized.push(above * (1.0 - down) + below * down);
            }
        }
    }
    resized
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
        assert_eq!(resize(&[0.0, 4.0], Shape::new(1, 1, 2), Shape::new(1, 1, 4)), [0.0, 1.0, 3.0, 4.0]);
    }

    #[test]
    fn a_square_becomes_smaller_by_averaging_its_middle() {
        let values: Vec<f32> = (0..16u8).map(f32::from).collect();
        assert_eq!(resize(&values, Shape::new(1, 4, 4), Shape::new(1, 2, 2)), [2.5, 4.5, 10.5, 12.5]);
    }

    #[test]
    fn the_same_size_changes_nothing() {
        let (shape, values) = (Shape::new(1, 2, 2), [1.0, 2.0, 3.0, 4.0]);
        assert_eq!(resize(&values, shape, shape), values);
    }
}

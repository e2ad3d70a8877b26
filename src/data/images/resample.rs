//! Resizing of bytes as Pillow does it, to the bit: bilinear with antialias, in fixed-point arithmetic, one direction after the
//! other.

use std::ops::Range;

/// Fractional bits of the weights.
const BITS: u32 = 22;

/// A pixel of the result: the first of the old pixels in it, and their weights.
type Taps = (usize, Vec<i32>);

/// A window of a picture in another size, `[height, width, channels]` of the window.
///
/// `bytes` are `[height, width, channels]` of the picture; sizes and window are width before height. The filter is a triangle
/// that is as wide as the scale. After the first direction, values are rounded to bytes.
pub(super) fn resample(
    bytes: &[u8],
    channels: usize,
    [width, height]: [usize; 2],
    [new_width, new_height]: [usize; 2],
    [columns, rows]: [Range<usize>; 2],
) -> Vec<u8> {
    let across = taps(width, new_width, columns);
    let down = taps(height, new_height, rows);
    if is_down_first([width, height], [new_width, new_height]) {
        let low = resample_down(bytes, width * channels, &down);
        return resample_across(&low, width, channels, &across);
    }
    // Only the rows that the window needs.
    let first = down.first().map_or(0, |(first, _)| *first);
    let end = down.last().map_or(0, |(first, weights)| first + weights.len());
    let narrow =
        resample_across(&bytes[first * width * channels..end * width * channels], width, channels, &across);
    let down: Vec<Taps> = down.into_iter().map(|(at, weights)| (at - first, weights)).collect();
    resample_down(&narrow, across.len() * channels, &down)
}

/// Whether Pillow, from version 13, resizes the height before the width: where that removes more than twice as much.
fn is_down_first([width, height]: [usize; 2], [new_width, new_height]: [usize; 2]) -> bool {
    let [narrower, lower] =
        [(width, new_width), (height, new_height)].map(|(old, new)| old.cast_signed() - new.cast_signed());
    lower > 0 && lower > 2 * narrower
}

/// The taps of some pixels of a side that goes from `old` to `new` pixels.
fn taps(old: usize, new: usize, window: Range<usize>) -> Vec<Taps> {
    let scale = old as f64 / new as f64;
    let support = scale.max(1.0);
    window
        .map(|at| {
            let centre = (at as f64 + 0.5) * scale;
            let first = (centre - support + 0.5).max(0.0) as usize;
            let end = ((centre + support + 0.5) as usize).min(old);
            let weight = |pixel: usize| {
                let distance = (pixel as f64 - centre + 0.5) * (1.0 / support);
                (1.0 - distance.abs()).max(0.0)
            };
            let weights: Vec<f64> = (first..end).map(weight).collect();
            let sum = weights.iter().fold(0.0, |sum, weight| sum + weight);
            let fixed = |weight: &f64| (0.5 + weight / sum * f64::from(1 << BITS)) as i32;
            (first, weights.iter().map(fixed).collect())
        })
        .collect()
}

/// A byte of a sum of weighted bytes.
fn rounded(sum: i32) -> u8 {
    (sum >> BITS).clamp(0, 255) as u8
}

/// Half of a byte's unit, with which a sum begins.
const HALF: i32 = 1 << (BITS - 1);

/// Each row, `width` pixels, gets a pixel for each of the taps.
fn resample_across(bytes: &[u8], width: usize, channels: usize, taps: &[Taps]) -> Vec<u8> {
    match channels {
        1 => across::<1>(bytes, width, taps),
        _ => across::<3>(bytes, width, taps),
    }
}

fn across<const CHANNELS: usize>(bytes: &[u8], width: usize, taps: &[Taps]) -> Vec<u8> {
    let mut result = Vec::with_capacity(bytes.len() / width * taps.len());
    for row in bytes.chunks_exact(width * CHANNELS) {
        for (first, weights) in taps {
            let mut sums = [HALF; CHANNELS];
            let pixels = row[first * CHANNELS..].chunks_exact(CHANNELS);
            for (pixel, weight) in pixels.zip(weights) {
                for (sum, byte) in sums.iter_mut().zip(pixel) {
                    *sum += i32::from(*byte) * weight;
                }
            }
            result.extend(sums.map(rounded));
        }
    }
    result
}

/// A row of `row` bytes for each of the taps.
fn resample_down(bytes: &[u8], row: usize, taps: &[Taps]) -> Vec<u8> {
    let mut result = Vec::with_capacity(row * taps.len());
    let mut sums = vec![0; row];
    for (first, weights) in taps {
        sums.fill(HALF);
        for (pixels, weight) in bytes[first * row..].chunks_exact(row).zip(weights) {
            for (sum, byte) in sums.iter_mut().zip(pixels) {
                *sum += i32::from(*byte) * weight;
            }
        }
        result.extend(sums.iter().map(|&sum| rounded(sum)));
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_a_part_of_the_whole_and_the_same_size_changes_nothing() {
        let bytes: Vec<u8> = (0..7 * 5 * 3_u32).map(|at| (at * 37 % 251) as u8).collect();
        assert_eq!(resample(&bytes, 3, [7, 5], [7, 5], [0..7, 0..5]), bytes);
        for (from, to) in [([7, 5], [4, 3]), ([5, 7], [4, 5]), ([3, 11], [2, 7]), ([7, 5], [15, 11])] {
            let bytes = &bytes[..from[0] * from[1] * 3];
            let whole = resample(bytes, 3, from, to, [0..to[0], 0..to[1]]);
            let window = resample(bytes, 3, from, to, [1..2, 1..3]);
            let pixel = |column: usize, row: usize| &whole[(row * to[0] + column) * 3..][..3];
            assert_eq!(window, [pixel(1, 1), pixel(1, 2)].concat(), "{from:?} {to:?}");
        }
    }

    #[test]
    fn height_comes_first_where_much_more_of_it_goes() {
        // Found by comparing Pillow 13 with both orders.
        for (from, to, is_first) in [
            ([60, 120], [50, 100], false),
            ([60, 121], [50, 100], true),
            ([60, 150], [50, 128], true),
            ([60, 150], [44, 120], false),
            ([200, 150], [220, 120], true),
            ([100, 100], [110, 116], false),
        ] {
            assert_eq!(is_down_first(from, to), is_first, "{from:?} {to:?}");
        }
    }
}

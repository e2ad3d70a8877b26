//! Sets inside the binary: UCI digits and iris, as scikit-learn ships them.
//!
//! Where they come from, under which licence, and how the files were made: `assets/data/README.md`.

use std::io::Read;

use flate2::read::GzDecoder;

use super::{Parts, Samples, Shape, records};

static DIGITS: &[u8] = include_bytes!("../../assets/data/digits.bin.gz");
static IRIS: &[u8] = include_bytes!("../../assets/data/iris.bin.gz");

/// Every fifth sample is for testing: 0, 5, 10, …
const TEST_STRIDE: usize = 5;

/// 1,797 handwritten digits of 1×8×8 pixels, 0 to 16 scaled to 0 to 1; 1,437 for training and 360 for testing.
pub fn digits() -> Parts {
    parts(records::decode(&unpack(DIGITS), Shape::new(1, 8, 8), 16.0), 10, false)
}

/// 150 irises with 4 measurements in centimetres, to be standardised; 120 for training and 30 for testing.
pub fn iris() -> Parts {
    parts(records::decode(&unpack(IRIS), Shape::new(4, 1, 1), 10.0), 3, true)
}

fn parts(mut all: Samples, classes: usize, standardise: bool) -> Parts {
    let indices: Vec<u32> = (0..).step_by(TEST_STRIDE).take(all.len().div_ceil(TEST_STRIDE)).collect();
    let test = all.take_out(&indices);
    Parts { standardise, ..Parts::new(all, test, classes) }
}

fn unpack(packed: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    GzDecoder::new(packed).read_to_end(&mut bytes).expect("the embedded file is a whole gzip stream");
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count_by_class(parts: &Parts) -> Vec<usize> {
        let mut counts = vec![0; parts.classes];
        for &label in parts.train.labels.iter().chain(&parts.test.labels) {
            counts[label as usize] += 1;
        }
        counts
    }

    #[test]
    fn digits_have_the_counts_of_scikit_learn() {
        let digits = digits();
        assert_eq!(count_by_class(&digits), [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]);
        assert_eq!((digits.train.len(), digits.test.len()), (1437, 360));
        assert_eq!(digits.train.shape, Shape::new(1, 8, 8));
    }

    #[test]
    fn every_fifth_digit_is_for_testing() {
        let digits = digits();
        // The file begins with 0, 1, 2, …, 9, 0, 1, …
        assert_eq!(digits.test.labels[..4], [0, 5, 0, 5]);
        assert_eq!(digits.train.labels[..8], [1, 2, 3, 4, 6, 7, 8, 9]);
    }

    #[test]
    fn the_first_digit_is_scaled_by_16() {
        let first =
            digits().test.sample(0).unwrap()[..8].iter().map(|value| value * 16.0).collect::<Vec<_>>();
        assert_eq!(first, [0.0, 0.0, 5.0, 13.0, 9.0, 1.0, 0.0, 0.0]);
        let digits = digits();
        let largest = digits.train.values().unwrap().iter().copied().fold(0.0, f32::max);
        assert!((largest - 1.0).abs() < f32::EPSILON);
    }

    #[test]
    fn iris_holds_centimetres_and_asks_to_be_standardised() {
        let iris = iris();
        assert_eq!(count_by_class(&iris), [50, 50, 50]);
        assert_eq!((iris.train.len(), iris.test.len()), (120, 30));
        assert_eq!(iris.test.sample(0).unwrap()[..], [5.1, 3.5, 1.4, 0.2]);
        assert_eq!(iris.train.sample(0).unwrap()[..], [4.9, 3.0, 1.4, 0.2]);
        assert!(iris.standardise);
    }
}

//! A name for the samples that a run used, so that a report can say which ones they were.

use sha2::{Digest, Sha256};

use super::samples::Store;
use super::{DataError, Dataset, Digests, Samples};
use form::number::hexadecimal;

/// Values that are hashed at a time.
const BLOCK: usize = 16 * 1024;

impl Dataset {
    /// The SHA-256 of all samples as the run sees them, in hexadecimal: of each part (training, validation, test) the
    /// shape and the number of samples as 64-bit integers, the labels as 32-bit integers and the values as float32, all of
    /// them little-endian. Pictures that are decoded when they are needed stand for their values with names, lengths and
    /// contents of their files, and with how they are prepared.
    ///
    /// # Errors
    /// A picture that cannot be read.
    pub fn digest(&self, digests: &Digests) -> Result<String, DataError> {
        let mut hash = Sha256::new();
        for part in [&self.train, &self.validation, &self.test] {
            hash_part(&mut hash, part, digests)?;
        }
        Ok(hexadecimal(&hash.finalize()))
    }
}

fn hash_part(hash: &mut Sha256, part: &Samples, digests: &Digests) -> Result<(), DataError> {
    let shape = part.shape;
    for size in [shape.channels, shape.height, shape.width, part.len()] {
        hash.update((size as u64).to_le_bytes());
    }
    let mut bytes = Vec::with_capacity(4 * BLOCK);
    for block in part.labels.chunks(BLOCK) {
        bytes.clear();
        bytes.extend(block.iter().flat_map(|label| label.to_le_bytes()));
        hash.update(&bytes);
    }
    match part.store() {
        Store::Values(_) | Store::Exact(_) => {
            for block in part.values()?.chunks(BLOCK) {
                bytes.clear();
                bytes.extend(block.iter().flat_map(|value| value.to_le_bytes()));
                hash.update(&bytes);
            }
            Ok(())
        }
        Store::Pictures(pictures) => pictures.hash(hash, digests),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::Shape;

    #[test]
    fn equal_samples_have_one_digest_and_any_difference_another() {
        let part = |values: &[f32], labels: &[u32]| {
            Samples::new(Shape::new(2, 1, 1), values.to_vec(), labels.to_vec())
        };
        let of = |train: Samples| {
            let none = Samples::new(Shape::new(2, 1, 1), Vec::new(), Vec::new());
            Dataset {
                train,
                validation: none.clone(),
                test: none,
                classes: 2,
                left_out: Vec::new(),
                details: Arc::default(),
            }
            .digest(&Digests::open())
            .unwrap()
        };
        let first = of(part(&[1.0, 2.0, 3.0, 4.0], &[0, 1]));
        assert_eq!(first, of(part(&[1.0, 2.0, 3.0, 4.0], &[0, 1])));
        assert_eq!(first.len(), 64);
        for other in [part(&[1.0, 2.0, 3.0, 4.5], &[0, 1]), part(&[1.0, 2.0, 3.0, 4.0], &[1, 0])] {
            assert_ne!(first, of(other));
        }
    }

    #[test]
    fn the_bytes_are_those_that_are_written_down() {
        let none = Samples::new(Shape::new(1, 1, 1), Vec::new(), Vec::new());
        let train = Samples::new(Shape::new(1, 1, 1), vec![1.0], vec![3]);
        let dataset = Dataset {
            train,
            validation: none.clone(),
            test: none,
            classes: 4,
            left_out: Vec::new(),
            details: Arc::default(),
        };
        let mut bytes = Vec::new();
        for sizes in [[1_u64, 1, 1, 1], [1, 1, 1, 0], [1, 1, 1, 0]] {
            bytes.extend(sizes.iter().flat_map(|size| size.to_le_bytes()));
            if sizes[3] == 1 {
                bytes.extend([3, 0, 0, 0, 0, 0, 0x80, 0x3f]);
            }
        }
        assert_eq!(dataset.digest(&Digests::open()).unwrap(), hexadecimal(&Sha256::digest(&bytes)));
        assert_eq!(hexadecimal(&[0, 0xf1]), "00f1");
    }
}

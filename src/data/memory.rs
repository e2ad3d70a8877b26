//! How much memory the user's data may take.

use std::path::Path;

use super::DataError;
use crate::form::number::grouped;

/// Bytes of a GiB.
pub(super) const GIB: f64 = (1_u64 << 30) as f64;

/// An amount of memory, in GiB.
#[derive(Clone, Copy, Debug)]
pub(super) struct Memory(pub f64);

impl Memory {
    /// That samples of `values` numbers in single precision fit.
    ///
    /// # Errors
    /// When they do not.
    pub fn check(self, path: &Path, samples: usize, values: usize) -> Result<(), DataError> {
        let needed = samples as f64 * values as f64 * 4.0 / GIB;
        if needed <= self.0 {
            return Ok(());
        }
        let problem = format!(
            "{} samples of {} values in {} take {needed:.2} GiB of memory, more than the {:.2} GiB that are allowed; \
             write memory: {:.1} if the machine has so much, or make the data smaller",
            grouped(samples as u64),
            grouped(values as u64),
            path.display(),
            self.0,
            (needed * 10.0).ceil() / 10.0,
        );
        Err(DataError::setting("memory", problem))
    }
}

//! How much memory the user's data may take.

use std::path::Path;

use super::DataError;
use form::number::counted;

/// Bytes of a GiB.
pub(super) const GIB: f64 = (1_u64 << 30) as f64;

/// GiB that data of the user may take, unless the settings say otherwise.
pub(super) const DEFAULT: f64 = 2.0;

/// An amount of memory, in GiB.
#[derive(Clone, Copy, Debug)]
pub(super) struct Memory(pub f64);

/// What samples of `values` numbers take with their labels, four bytes each.
fn gib(samples: usize, values: usize) -> f64 {
    samples as f64 * (values as f64 + 1.0) * 4.0 / GIB
}

impl Memory {
    /// That samples of `values` numbers in single precision fit, each with its label.
    ///
    /// # Errors
    /// When they do not.
    pub fn check(self, path: &Path, samples: usize, values: usize) -> Result<(), DataError> {
        let needed = gib(samples, values);
        if needed <= self.0 {
            return Ok(());
        }
        let problem = format!(
            "{} of {} in {} take {needed:.2} GiB of memory, more than the {:.2} GiB that are allowed; write memory: \
             {:.1} if the machine has so much, or make the data smaller",
            counted(samples as u64, "sample"),
            counted(values as u64, "value"),
            path.display(),
            self.0,
            (needed * 10.0).ceil() / 10.0,
        );
        Err(DataError::setting("memory", problem))
    }

    /// As [`Self::check`] before all samples are known: so many were read, and more follow.
    ///
    /// # Errors
    /// When already these do not fit.
    pub fn check_begun(self, path: &Path, samples: usize, values: usize) -> Result<(), DataError> {
        if gib(samples, values) <= self.0 {
            return Ok(());
        }
        let problem = format!(
            "the first {} of {} in {} take more than the {:.2} GiB of memory that are allowed; allow more if the \
             machine has so much, or make the data smaller",
            counted(samples as u64, "sample"),
            counted(values as u64, "value"),
            path.display(),
            self.0,
        );
        Err(DataError::setting("memory", problem))
    }
}

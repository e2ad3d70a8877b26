//! Data sets that several runs share and read once.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::data::{Data, DataError, Dataset};
use crate::doc::Net;
use crate::form::Stored;

/// Datasets that were read already.
#[derive(Clone, Debug, Default)]
pub struct Datasets(Arc<Mutex<BTreeMap<String, Entry>>>);

/// A dataset, and its digest after the first request.
type Entry = (Arc<Dataset>, Arc<OnceLock<String>>);

impl Datasets {
    /// The dataset of these settings for a network; paths are relative to `base`.
    ///
    /// # Errors
    /// What cannot be read, from which path, and where to get it.
    pub fn get(&self, data: &Data, net: &Net, base: &Path) -> Result<Arc<Dataset>, DataError> {
        self.entry(data, net, base).map(|(dataset, _)| dataset)
    }

    /// The digest of that dataset.
    ///
    /// # Errors
    /// As [`Self::get`].
    pub fn digest(&self, data: &Data, net: &Net, base: &Path) -> Result<String, DataError> {
        let (dataset, digest) = self.entry(data, net, base)?;
        if let Some(digest) = digest.get() {
            return Ok(digest.clone());
        }
        let computed = dataset.digest()?;
        Ok(digest.get_or_init(|| computed).clone())
    }

    fn entry(&self, data: &Data, net: &Net, base: &Path) -> Result<Entry, DataError> {
        let side = net.image_side();
        let key = format!("{} {side:?} {}", data.to_ron(), base.display());
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = known.get(&key) {
            return Ok(entry.clone());
        }
        let entry = (Arc::new(data.read(side, base)?), Arc::default());
        known.insert(key, entry.clone());
        Ok(entry)
    }
}

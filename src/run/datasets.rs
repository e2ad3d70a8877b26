//! Data that several runs share: each set is read once.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use crate::data::{Data, DataError, Dataset};
use crate::doc::Net;
use crate::form::Stored;

/// Datasets that were read already.
#[derive(Clone, Debug, Default)]
pub struct Datasets(Arc<Mutex<BTreeMap<String, Arc<Dataset>>>>);

impl Datasets {
    /// The dataset that the settings name, for a network; paths are relative to `base`.
    ///
    /// # Errors
    /// What cannot be read, where it was looked for, and where to get it.
    pub fn get(&self, data: &Data, net: &Net, base: &Path) -> Result<Arc<Dataset>, DataError> {
        let side = net.image_side();
        let key = format!("{} {side:?} {}", data.to_ron(), base.display());
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(dataset) = known.get(&key) {
            return Ok(dataset.clone());
        }
        let dataset = Arc::new(data.read(side, base)?);
        known.insert(key, dataset.clone());
        Ok(dataset)
    }
}

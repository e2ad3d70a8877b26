//! Data sets that several runs share and read once.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use data::{Data, DataError, Dataset, Digests};
use doc::Net;
use form::Stored;

/// Datasets that were read already, and digests of files.
#[derive(Clone, Debug, Default)]
pub struct Datasets(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    read: Mutex<BTreeMap<String, (Content, Entry)>>,
    digests: OnceLock<Digests>,
}

/// The digest of a known set's files; none for other data, whose settings have it.
type Content = Option<String>;

/// A dataset, and its digest after the first request.
type Entry = (Arc<Dataset>, Arc<OnceLock<String>>);

impl Datasets {
    /// The dataset of these settings for a network; paths are relative to `base`. Files that changed since are read again.
    ///
    /// # Errors
    /// What cannot be read, from which path, and where to get it; files that change while they are read.
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
        let computed = dataset.digest(self.digests())?;
        Ok(digest.get_or_init(|| computed).clone())
    }

    /// Digests of files.
    pub fn digests(&self) -> &Digests {
        self.0.digests.get_or_init(Digests::open)
    }

    fn entry(&self, data: &Data, net: &Net, base: &Path) -> Result<Entry, DataError> {
        let side = net.image_side();
        let key = format!("{} {side:?} {}", data.to_ron(), base.display());
        let content = || data.set_content(base, self.digests());
        let now = content()?;
        let mut known = self.0.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, entry)) = known.get(&key).filter(|(content, _)| *content == now) {
            return Ok(entry.clone());
        }
        let entry: Entry = (Arc::new(data.read_with(side, base, self.digests())?), Arc::default());
        if content()? != now {
            let path = data.place(base)?.unwrap_or_default();
            return Err(DataError::changed(&path));
        }
        known.insert(key, (now, entry.clone()));
        Ok(entry)
    }
}

//! What a run works with.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use data::{Data, DataError, Dataset, Digests};
use doc::structure::Misfit;
use doc::{Net, RunSpec, Structure, WeightRecord};
use form::Stored;
use net::{Compute, Initialisation, LossFunction, Network};

/// Everything that a run works with and does not change.
pub struct RunContext {
    pub spec: RunSpec,
    /// Name of the arm, for exported files.
    pub arm: String,
    pub data: Arc<Dataset>,
    /// The samples of branches, shared with other runs.
    pub datasets: Datasets,
    pub structure: Arc<Structure>,
    pub loss: LossFunction,
    pub compute: Box<dyn Compute>,
    /// Folder that paths of the document are relative to.
    pub base: PathBuf,
    pub output: PathBuf,
}

impl RunContext {
    /// Builds the context of a run that shares its data with no other.
    pub fn new(
        spec: RunSpec,
        arm: String,
        data: Arc<Dataset>,
        compute: Box<dyn Compute>,
        base: PathBuf,
        output: PathBuf,
    ) -> Result<Self, Misfit> {
        let structure = Structure::new(&spec.net, data.shape(), data.classes, &spec.train.loss)?;
        let structure = Arc::new(structure);
        let loss = LossFunction::new(spec.train.loss.clone(), structure.output.clone(), structure.outputs);
        let datasets = Datasets::default();
        Ok(Self { spec, arm, data, datasets, structure, loss, compute, base, output })
    }

    /// Returns true if the run records the norms of the gradients of its last mini-batches.
    pub fn records_gradients(&self) -> bool {
        self.spec.train.record.weights != WeightRecord::Off
    }

    /// Draws a network with initial weights of the run's seed.
    pub fn fresh_network(&self, generation: u64) -> Network {
        initial_network(&self.spec, self.structure.clone(), generation)
    }
}

/// Draws a network with initial weights of a spec's seed.
pub fn initial_network(spec: &RunSpec, structure: Arc<Structure>, generation: u64) -> Network {
    let (weights, biases) = spec.net.rule().initial();
    let initialisation = Initialisation { weights, biases };
    Network::new(structure, initialisation, spec.seed, generation)
}

/// Shares datasets that were read already, and digests of files.
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
    /// Reads the dataset of these settings for a network; paths are relative to `base`. Files that changed since are
    /// read again.
    pub fn get(&self, data: &Data, net: &Net, base: &Path) -> Result<Arc<Dataset>, DataError> {
        self.entry(data, net, base).map(|(dataset, _)| dataset)
    }

    /// Returns the digest of that dataset.
    pub fn digest(&self, data: &Data, net: &Net, base: &Path) -> Result<String, DataError> {
        let (dataset, digest) = self.entry(data, net, base)?;
        if let Some(digest) = digest.get() {
            return Ok(digest.clone());
        }
        let computed = dataset.digest(self.digests())?;
        Ok(digest.get_or_init(|| computed).clone())
    }

    /// Returns the digests of files.
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

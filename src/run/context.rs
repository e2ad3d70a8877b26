//! What a run works with.

use std::path::PathBuf;
use std::sync::Arc;

use super::datasets::Datasets;
use data::Dataset;
use doc::structure::Misfit;
use doc::{RunSpec, Structure, WeightRecord};
use net::{Compute, Initialisation, LossFunction, Network};

/// What a run works with; it changes none of it.
pub struct RunContext {
    /// What to do.
    pub spec: RunSpec,
    /// Name of the arm, for exported files.
    pub arm: String,
    /// The samples.
    pub data: Arc<Dataset>,
    /// The samples of branches, shared with other runs.
    pub datasets: Datasets,
    /// Shapes and names.
    pub structure: Arc<Structure>,
    /// What training minimises.
    pub loss: LossFunction,
    /// What computes.
    pub compute: Box<dyn Compute>,
    /// Folder that paths of the document are relative to.
    pub base: PathBuf,
    /// The run's directory.
    pub output: PathBuf,
}

impl RunContext {
    /// The context of a run that shares its data with no other.
    ///
    /// # Errors
    /// When the network does not fit the data.
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

    /// Whether the run records the norms of the gradients of its last mini-batches.
    pub fn records_gradients(&self) -> bool {
        self.spec.train.record.weights != WeightRecord::Off
    }

    /// A network with initial weights of the run's seed.
    pub fn fresh_network(&self, generation: u64) -> Network {
        initial_network(&self.spec, self.structure.clone(), generation)
    }
}

/// A network with initial weights that a run's seed draws.
pub fn initial_network(spec: &RunSpec, structure: Arc<Structure>, generation: u64) -> Network {
    let (weights, biases) = spec.net.rule().initial();
    let initialisation = Initialisation { weights, biases };
    Network::new(structure, initialisation, spec.seed, generation)
}

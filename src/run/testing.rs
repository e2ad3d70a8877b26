//! A listener, run directories and networks for tests.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use data::Shape;
use doc::{Loss, Net, Run, RunSpec, Structure, Vgg};
use intervene::{BiasInit, Init};
use net::{Initialisation, Network, backend};
use results::Event;

use crate::{Checkpoint, Datasets, Listener, RunContext, RunDirectory, RunError, Session, StopFlag, Table};

/// Keeps all events, the last checkpoint, the lines of tables and networks in memory.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    pub events: Vec<Event>,
    pub checkpoint: Option<Checkpoint>,
    /// Lines of tables, without their heads.
    pub tables: BTreeMap<Table, String>,
    pub networks: BTreeMap<String, Network>,
}

impl Listener for Recorder {
    fn event(&mut self, event: Event) -> Result<(), RunError> {
        self.events.push(event);
        Ok(())
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint) -> Result<(), RunError> {
        self.checkpoint = Some(checkpoint.clone());
        Ok(())
    }

    fn lines(&mut self, table: Table, lines: &str) -> Result<(), RunError> {
        self.tables.entry(table).or_default().push_str(lines);
        Ok(())
    }

    fn network(&mut self, files: &[String; 2], network: &Network) -> Result<(), RunError> {
        self.networks.insert(files[0].clone(), network.clone());
        Ok(())
    }
}

/// Writes the directory of a finished run: in its last weight the first entry is pruned, the second frozen, and the third
/// is 2.
///
/// # Panics
/// When the directory cannot be written.
pub fn write_done(folder: &Path, run: &Run) {
    let structure = Arc::new(run.spec.structure().unwrap());
    let initialisation = Initialisation { weights: Init::PyTorch, biases: BiasInit::Usual };
    let last = structure.parameters.len() - 2;
    let mut network = Network::new(structure, initialisation, 1, 0);
    let mut values = network.values(last).to_vec();
    values[2] = 2.0;
    network.write(last, &values);
    network.prune(last, &[0]);
    network.freeze(last, &[1], None);
    let mut directory = RunDirectory::claim(folder, run, Box::new(|_| {})).unwrap();
    directory.finish(&network).unwrap();
}

/// Runs a run in its directory; its data need no files.
///
/// # Panics
/// When it fails.
pub fn run_in(folder: &Path, run: &Run) {
    let mut directory = RunDirectory::claim(folder, run, Box::new(|_| {})).unwrap();
    let spec = RunSpec::clone(&run.spec);
    let data = Datasets::default().get(&spec.data, &spec.net, folder).unwrap();
    directory.note_inventory(&data::Inventory::from_read(&spec.data, &data));
    let (compute, output) =
        (backend(&spec.device, &spec.train.kernels).unwrap(), directory.path().to_owned());
    let context = RunContext::new(spec, run.arm.clone(), data, compute, folder.to_owned(), output).unwrap();
    let mut session = Session::new(Arc::new(context), None, 1, StopFlag::new(), &mut directory);
    session.run().unwrap();
    let network = session.network().clone();
    directory.finish(&network).unwrap();
}

/// Builds a small network with batch norm.
///
/// # Panics
/// Never.
pub fn network(seed: u64) -> Network {
    let net = Net::Vgg(Vgg { depth: 11, width: 1, ..Vgg::default() });
    let structure = Structure::new(&net, Shape::new(1, 32, 32), 2, &Loss::CrossEntropy).unwrap();
    let initialisation = Initialisation { weights: Init::PyTorch, biases: BiasInit::Usual };
    Network::new(Arc::new(structure), initialisation, seed, 0)
}

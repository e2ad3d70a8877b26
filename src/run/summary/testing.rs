//! A run directory for tests.

use std::path::Path;
use std::sync::Arc;

use crate::directory::RunDirectory;
use crate::{Datasets, RunContext, Session, StopFlag};
use doc::{Run, RunSpec};
use intervene::{BiasInit, Init};
use net::{Initialisation, Network, backend};

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

/// Carries out a run in its directory; its data need no files.
///
/// # Panics
/// When it fails.
pub fn carry_out(folder: &Path, run: &Run) {
    let mut directory = RunDirectory::claim(folder, run, Box::new(|_| {})).unwrap();
    let spec = RunSpec::clone(&run.spec);
    let data = Datasets::default().get(&spec.data, &spec.net, folder).unwrap();
    directory.note_inventory(&data::Inventory::of_read(&spec.data, &data));
    let (compute, output) =
        (backend(&spec.device, &spec.train.kernels).unwrap(), directory.path().to_owned());
    let context = RunContext::new(spec, run.arm.clone(), data, compute, folder.to_owned(), output).unwrap();
    let mut session = Session::new(Arc::new(context), None, 1, StopFlag::new(), &mut directory);
    session.run().unwrap();
    let network = session.network().clone();
    directory.finish(&network).unwrap();
}

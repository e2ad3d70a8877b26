//! A run directory for tests.

use std::path::Path;
use std::sync::Arc;

use crate::doc::Run;
use crate::intervene::{BiasInit, Init};
use crate::net::{Initialisation, Network};
use crate::run::directory::RunDirectory;

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

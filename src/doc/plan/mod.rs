//! What stages and interventions report about themselves with. Each does so in one file: a stage in `doc/stage/`, an
//! intervention in `doc/intervention/`. What reads plans asks them, and knows none of them by name.

mod check;
pub mod words;

use std::collections::BTreeSet;

use crate::arch::Net;
use crate::experiment::Training;
use crate::fault::Campaign;
use crate::file_names::{TABLES, filled, is_file};
use crate::intervention::Params;
use crate::{Stage, Structure, Target, targets};
use data::{Dataset, Facts};
use form::Steps;
use form::path::Place;

pub use check::{Check, Left, one_value, possible};

/// A use of a file or of a name, with the place of the setting that names it.
#[derive(Clone, Debug, PartialEq)]
pub enum FileUse<'a> {
    /// Reads a weight file.
    Weights(WeightUse<'a>),
    /// Reads a network of this run, or a weight file where no network has that name.
    Source(WeightUse<'a>),
    /// Reads the list of faults of a campaign.
    Faults(&'a str, &'a Campaign, Place),
    Writes(&'a str),
    /// Adds lines to the tables of the run.
    Tables,
    Keeps(&'a str),
}

/// Returns the uses of files that the stages of a plan read, in their order, with the names of the files after filling in
/// arm and seed. Leaves out files that an earlier stage of the run writes, and networks of the run.
pub fn files_read<'a>(plan: &'a [Stage], arm: &str, seed: u64, place: &Place) -> Vec<(FileUse<'a>, String)> {
    let mut reads = Reads { arm, seed, written: BTreeSet::new(), kept: BTreeSet::new(), found: Vec::new() };
    reads.stages(plan, place);
    reads.found
}

struct Reads<'a, 'n> {
    arm: &'n str,
    seed: u64,
    /// Files that the stages so far write into the directory of the run.
    written: BTreeSet<String>,
    /// Snapshots and branches so far: they come before files of the same name.
    kept: BTreeSet<&'a str>,
    found: Vec<(FileUse<'a>, String)>,
}

impl<'a> Reads<'a, '_> {
    fn stages(&mut self, stages: &'a [Stage], place: &Place) {
        for (index, stage) in stages.iter().enumerate() {
            let place = place.index(index).variant(stage.key());
            if let Some(nested) = stage.nested().filter(|nested| nested.times > 0) {
                self.stages(nested.plan, &place.key(nested.key));
            }
            for used in stage.rule().files(&place) {
                self.take(used);
            }
        }
    }

    fn take(&mut self, used: FileUse<'a>) {
        let name = |file: &str| filled(file, self.arm, self.seed);
        let file = match &used {
            FileUse::Weights(weights) => name(weights.file),
            FileUse::Source(weights) if is_file(weights.file) && !self.kept.contains(weights.file) => {
                name(weights.file)
            }
            FileUse::Source(_) => return,
            FileUse::Faults(file, ..) => name(file),
            FileUse::Writes(file) => return self.written.extend([name(file)]),
            FileUse::Tables => return self.written.extend(TABLES.map(str::to_owned)),
            FileUse::Keeps(name) => return self.kept.extend([*name]),
        };
        if !self.written.contains(&file) {
            self.found.push((used, file));
        }
    }
}

/// A use of weights by a stage.
#[derive(Clone, Debug, PartialEq)]
pub struct WeightUse<'a> {
    /// The file, or the name of a network.
    pub file: &'a str,
    pub place: Place,
    pub target: &'a Target,
    pub reading: Reading,
}

/// The treatment of the tensors of a weight file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    Copies,
    /// As a mask: entries that are zero are pruned.
    Prunes,
    /// As a mask: entries that are not zero are frozen.
    Freezes,
}

impl Reading {
    /// Returns true if the tensors are a mask, for which all numbers count.
    pub const fn is_mask(self) -> bool {
        match self {
            Self::Copies => false,
            Self::Prunes | Self::Freezes => true,
        }
    }

    /// Returns the verb of what happens to entries: "copied".
    pub const fn done(self) -> &'static str {
        match self {
            Self::Copies => "copied",
            Self::Prunes => "pruned",
            Self::Freezes => "frozen",
        }
    }

    /// Returns the positions of the parameters that have to be in the file.
    pub fn parameters(self, structure: &Structure, target: &Target) -> Vec<usize> {
        match self {
            Self::Copies | Self::Freezes => targets::parameters(structure, target, &Params::Everything),
            Self::Prunes => targets::prunable(structure, target),
        }
    }
}

/// The numbers of samples of the parts of the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    pub train: usize,
    pub validation: usize,
    pub test: usize,
}

impl Sizes {
    /// Takes the sizes from the settings of the data.
    pub const fn from_facts(facts: &Facts) -> Self {
        Self { train: facts.train_samples, validation: facts.validation_samples, test: facts.test_samples }
    }

    /// Takes the sizes of data that were read.
    pub fn from_data(data: &Dataset) -> Self {
        Self { train: data.train.len(), validation: data.validation.len(), test: data.test.len() }
    }
}

/// The work of one step.
#[derive(Clone, Debug, PartialEq)]
pub struct StepWork {
    /// Units of its progress: mini-batches, evaluated samples, trials.
    pub units: u64,
    /// Mini-batches that networks train on, in all of it; additional passes count as their share of one.
    pub mini_batches: f64,
    pub training: Training,
    /// Its units are mini-batches of training.
    pub trains: bool,
    /// Fault trials, as far as they are drawn and not read from a list.
    pub trials: u64,
    /// Entries of the network are held meanwhile.
    pub holds: bool,
    /// Samples that are evaluated, in all of it.
    pub evaluated: f64,
}

/// The state of the main branch or of a branch.
#[derive(Clone, Copy, Debug)]
pub struct Level {
    /// Branches may have other data.
    pub sizes: Sizes,
    /// Networks that are evaluated.
    pub members: f64,
    /// The cost of asking the past, in mini-batches for each mini-batch.
    pub past: f64,
    pub holds: bool,
}

impl Level {
    /// Makes the state of one network, of which nothing is held.
    pub const fn new(sizes: Sizes) -> Self {
        Self { sizes, members: 1.0, past: 0.0, holds: false }
    }
}

/// The conditions under which a step runs.
pub struct Situation<'a> {
    pub train: &'a Training,
    pub net: &'a Net,
    pub structure: &'a Structure,
    /// Changed for later steps.
    pub level: &'a mut Level,
}

impl Situation<'_> {
    /// Returns the work of a step that neither trains nor evaluates.
    pub fn little(&self) -> StepWork {
        let (training, holds) = (self.train.clone(), self.level.holds);
        StepWork { units: 1, mini_batches: 0.0, training, trains: false, trials: 0, holds, evaluated: 0.0 }
    }

    /// Returns the work of a training of this length in which each mini-batch is as much work as `each` of one network
    /// alone. It evaluates as often as the settings say, and at its end.
    pub fn training(&self, steps: Steps, training: Training, each: f64) -> StepWork {
        let per_epoch = training.batches_per_epoch(self.level.sizes.train);
        let units = steps.to_iterations(per_epoch);
        let every = training.evaluate.to_iterations(per_epoch).max(1);
        let evaluated = units.div_ceil(every) as f64 * self.evaluation();
        StepWork {
            units,
            mini_batches: units as f64 * each,
            training,
            trains: true,
            evaluated,
            ..self.little()
        }
    }

    /// Counts the samples of one evaluation of all networks, with what else takes as long.
    pub fn evaluation(&self) -> f64 {
        let Sizes { validation, test, .. } = self.level.sizes;
        self.level.members * ((validation + test) as f64 + self.train.record.samples(self.structure))
    }
}

/// Sentences of stages in tests.
#[cfg(test)]
pub mod testing {
    use crate::Stage;
    use form::ron_text;

    /// Returns the sentence of a stage that is written as in a file.
    pub fn sentence(stage: &str) -> String {
        ron_text::from_str::<Stage>(stage).unwrap_or_else(|error| panic!("{stage}: {error}")).sentence()
    }

    /// Returns the sentence of an intervention that is written as in a file.
    pub fn sentence_of_change(intervention: &str) -> String {
        sentence(&format!("Do({intervention})"))
    }
}

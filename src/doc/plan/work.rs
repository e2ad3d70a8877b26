//! The work of one step of a plan: mini-batches that are trained, and samples that are evaluated.

use crate::arch::Net;
use crate::structure::Structure;
use crate::training::Training;
use data::{Dataset, Facts};
use form::Steps;

/// How many samples the parts of the data have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Of the training part.
    pub train: usize,
    /// Of the validation part.
    pub validation: usize,
    /// Of the test part.
    pub test: usize,
}

impl Sizes {
    /// As the settings of the data say.
    pub const fn of_facts(facts: &Facts) -> Self {
        Self { train: facts.train_samples, validation: facts.validation_samples, test: facts.test_samples }
    }

    /// As they were read.
    pub fn of_data(data: &Dataset) -> Self {
        Self { train: data.train.len(), validation: data.validation.len(), test: data.test.len() }
    }

    const fn evaluated(self) -> f64 {
        (self.validation + self.test) as f64
    }
}

/// The work of one step.
#[derive(Clone, Debug, PartialEq)]
pub struct StepWork {
    /// Units of its progress: mini-batches, evaluated samples, trials.
    pub units: u64,
    /// Mini-batches that networks train on, in all of it; additional passes count as their share of one.
    pub mini_batches: f64,
    /// How they train.
    pub training: Training,
    /// Whether its units are mini-batches of training.
    pub trains: bool,
    /// Fault trials, as far as they are drawn and not read from a list.
    pub trials: u64,
    /// Whether entries of the network are held meanwhile.
    pub holds: bool,
    /// Samples that are evaluated, in all of it.
    pub evaluated: f64,
}

/// What is known of the main branch or a branch.
#[derive(Clone, Copy, Debug)]
pub struct Level {
    /// Branches may have other data.
    pub sizes: Sizes,
    /// Networks that are evaluated.
    pub members: f64,
    /// What asking the past takes, in mini-batches for each mini-batch.
    pub past: f64,
    /// Whether entries are held.
    pub holds: bool,
}

impl Level {
    /// One network, of which nothing is held.
    pub const fn new(sizes: Sizes) -> Self {
        Self { sizes, members: 1.0, past: 0.0, holds: false }
    }
}

/// The conditions under which a step runs.
pub struct Situation<'a> {
    /// How the run trains.
    pub train: &'a Training,
    /// What trains.
    pub net: &'a Net,
    /// Its layers.
    pub structure: &'a Structure,
    /// What earlier steps left; it is changed for later ones.
    pub level: &'a mut Level,
}

impl Situation<'_> {
    /// A step that neither trains nor evaluates.
    pub fn little(&self) -> StepWork {
        let (training, holds) = (self.train.clone(), self.level.holds);
        StepWork { units: 1, mini_batches: 0.0, training, trains: false, trials: 0, holds, evaluated: 0.0 }
    }

    /// A training of this length in which each mini-batch is as much work as `each` of one network alone. It evaluates as
    /// often as the settings say, and at its end.
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

    /// Samples of one evaluation of all networks, with what else takes as long.
    pub fn evaluation(&self) -> f64 {
        self.level.members * (self.level.sizes.evaluated() + self.train.record.samples(self.structure))
    }
}

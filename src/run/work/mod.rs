//! The work of a run, step by step: mini-batches that are learned from, and samples that are evaluated.

mod task;

pub use task::Task;

use super::campaign::planned;
use super::program::{Op, Step};
use super::train::{batches_per_epoch, settings};
use crate::data::{Dataset, Facts};
use crate::doc::fault::{Campaign, Protect};
use crate::doc::intervention::{FileContent, Intervention, Layers, Watch};
use crate::doc::stage::Ensemble;
use crate::doc::{RunSpec, Structure, Train, Training};
use crate::form::Steps;
use crate::intervene::Criterion;

/// How many samples the parts of the data have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    train: usize,
    validation: usize,
    test: usize,
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

/// The work of one step of a program.
#[derive(Clone, Debug, PartialEq)]
pub struct StepWork {
    /// Units of its progress: mini-batches, networks of a line, trials.
    pub units: u64,
    /// Mini-batches that networks learn from, in all of it; further passes beside them count as their share of one.
    pub mini_batches: f64,
    /// How they learn.
    pub training: Training,
    /// Whether entries of the network are held meanwhile.
    pub holds: bool,
    /// Samples that are evaluated, in all of it.
    pub evaluated: f64,
}

/// The work of every step of a program.
pub fn steps(program: &[Step], spec: &RunSpec, structure: &Structure, sizes: Sizes) -> Vec<StepWork> {
    let mut walk =
        Walk { spec, structure, stack: vec![Level { sizes, members: 1.0, past: 0.0, holds: false }] };
    program.iter().map(|step| walk.step(&step.op)).collect()
}

/// Trials of a campaign, as far as they are drawn.
pub fn campaign_trials(campaign: &Campaign, structure: &Structure) -> u64 {
    planned(campaign, structure).iter().map(|cell| cell.trials).sum()
}

/// What is known of the main branch or a branch.
#[derive(Clone, Copy)]
struct Level {
    /// Branches may have data of their own.
    sizes: Sizes,
    /// Networks that are evaluated.
    members: f64,
    /// What asking the past takes, in mini-batches for each mini-batch.
    past: f64,
    /// Whether entries are held.
    holds: bool,
}

struct Walk<'a> {
    spec: &'a RunSpec,
    structure: &'a Structure,
    stack: Vec<Level>,
}

impl Walk<'_> {
    fn level(&self) -> Level {
        *self.stack.last().expect("the trunk is never left")
    }

    fn step(&mut self, op: &Op) -> StepWork {
        let level = self.level();
        let (training, holds) = (self.spec.train.clone(), level.holds);
        let nothing = StepWork { units: 1, mini_batches: 0.0, training, holds, evaluated: 0.0 };
        match op {
            Op::Train(train) => self.train(train),
            Op::Ensemble(ensemble) => self.ensemble(ensemble),
            Op::Test => StepWork { evaluated: level.members * level.sizes.evaluated(), ..nothing },
            Op::Connect(line) => {
                let evaluated = (line.points * level.sizes.test) as f64;
                StepWork { units: line.points as u64, evaluated, ..nothing }
            }
            Op::Campaign(campaign) => {
                let (units, evaluated) = trials(campaign, self.structure, level.sizes);
                StepWork { units, evaluated, ..nothing }
            }
            Op::Do(intervention) => {
                let mini_batches = self.intervene(intervention);
                self.level_mut().holds |= match intervention {
                    Intervention::Prune(_) | Intervention::Freeze(_) => true,
                    Intervention::Import(file) => file.content == FileContent::Mask,
                    _ => false,
                };
                StepWork { mini_batches, ..nothing }
            }
            Op::Enter(branch) => {
                let own = branch.data.as_ref().map(|data| data.facts(self.spec.net.image_side()));
                let sizes = own.map_or(level.sizes, |facts| Sizes::of_facts(&facts));
                self.stack.push(Level { sizes, ..level });
                nothing
            }
            Op::Leave(_) => {
                if self.stack.len() > 1 {
                    self.stack.pop();
                }
                nothing
            }
        }
    }

    fn train(&self, train: &Train) -> StepWork {
        let training = settings(train, &self.spec.train);
        let (units, evaluations) = self.length(train.steps, &training);
        let level = self.level();
        let mini_batches = units as f64 * (1.0 + level.past);
        let evaluated = evaluations * level.members * level.sizes.evaluated();
        StepWork { units, mini_batches, training, holds: level.holds, evaluated }
    }

    fn ensemble(&mut self, ensemble: &Ensemble) -> StepWork {
        let training = self.spec.train.clone();
        let (units, evaluations) = self.length(ensemble.steps, &training);
        let members = ensemble.members as f64;
        let mini_batches = units as f64 * members * ensemble.local_steps as f64;
        let evaluated = evaluations * members * self.level().sizes.evaluated();
        self.level_mut().members = members;
        StepWork { units, mini_batches, training, holds: self.level().holds, evaluated }
    }

    fn level_mut(&mut self) -> &mut Level {
        self.stack.last_mut().expect("the trunk is never left")
    }

    /// Mini-batches of a training, and how often it evaluates: as often as the settings say, and at its end.
    fn length(&self, steps: Steps, training: &Training) -> (u64, f64) {
        let per_epoch = batches_per_epoch(self.level().sizes.train, training.batch);
        let batches = steps.to_iterations(per_epoch);
        let every = training.evaluate.to_iterations(per_epoch).max(1);
        (batches, batches.div_ceil(every) as f64)
    }

    /// Mini-batches that an intervention looks at.
    fn intervene(&mut self, intervention: &Intervention) -> f64 {
        match intervention {
            Intervention::Prune(prune) => match &prune.criterion {
                Criterion::Snip(snip) => snip.batches as f64,
                _ => 0.0,
            },
            Intervention::Watch(watch) => {
                self.level_mut().past = past(watch);
                0.0
            }
            _ => 0.0,
        }
    }
}

/// Asking the past is a pass forward, a third of a mini-batch; where it teaches the present rest, it goes backward too.
fn past(watch: &Watch) -> f64 {
    if watch.penalty > 0.0 && watch.layers != Layers::All { 1.0 } else { 1.0 / 3.0 }
}

/// Trials of a campaign, and the samples that it evaluates: in each trial half of a pass over its images, since it begins
/// at its fault; where something protects, once more without it. Before and behind, the network without faults is
/// evaluated, and what is clipped was seen on the training part.
fn trials(campaign: &Campaign, structure: &Structure, sizes: Sizes) -> (u64, f64) {
    let trials = campaign_trials(campaign, structure).max(1);
    let images = campaign.images.unwrap_or(sizes.test).min(sizes.test) as f64;
    let kinds = if campaign.protect == Protect::Nothing { 1.0 } else { 2.0 };
    let seen = if matches!(campaign.protect, Protect::Clip | Protect::Both) { sizes.train } else { 0 };
    (trials, kinds * images * (2.0 + 0.5 * trials as f64) + seen as f64)
}

/// The work of a whole run.
#[derive(Clone, Debug, PartialEq)]
pub struct Work {
    /// Mini-batches of each kind, as they come. The first kind is there without any too: networks are evaluated as it says.
    pub mini_batches: Vec<(Task, f64)>,
    /// Samples that are evaluated.
    pub evaluated: f64,
    /// Multiply-adds of one sample forward.
    forward: u64,
}

impl Work {
    /// The sum of steps.
    pub fn new(spec: &RunSpec, facts: &Facts, structure: &Structure, steps: &[StepWork]) -> Self {
        let mut mini_batches: Vec<(Task, f64)> = Vec::new();
        let training = steps.iter().filter(|step| step.mini_batches > 0.0);
        for step in training {
            let task = Task::new(spec, facts, &step.training, step.holds);
            match mini_batches.iter_mut().find(|(known, _)| *known == task) {
                Some((_, count)) => *count += step.mini_batches,
                None => mini_batches.push((task, step.mini_batches)),
            }
        }
        if mini_batches.is_empty() {
            mini_batches.push((Task::new(spec, facts, &spec.train, false), 0.0));
        }
        let evaluated = steps.iter().map(|step| step.evaluated).sum();
        Self { mini_batches, evaluated, forward: structure.multiply_adds() }
    }

    /// The first kind of mini-batch.
    pub fn main(&self) -> &Task {
        &self.mini_batches[0].0
    }

    /// Multiply-adds of the training, forward and backward.
    pub fn training_multiply_adds(&self) -> u64 {
        let seen = self.mini_batches.iter().map(|(task, count)| count * task.training.batch as f64);
        (seen.sum::<f64>() * 3.0 * self.forward as f64).round() as u64
    }

    /// Multiply-adds of everything.
    pub fn multiply_adds(&self) -> f64 {
        self.training_multiply_adds() as f64 + self.evaluated * self.forward as f64
    }
}

/// The expected work of every step, for progress.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkPlan {
    /// Work before each step, and in all at the end; in passes over a mini-batch.
    before: Vec<f64>,
    /// Passes of each step for one unit of its progress.
    unit: Vec<f64>,
}

/// What a step takes that neither trains nor evaluates, in mini-batches.
const LITTLE: f64 = 0.1;

impl WorkPlan {
    /// Weighs steps: an evaluated sample is a third of one that is learned from.
    pub fn new(steps: &[StepWork]) -> Self {
        let mut before = vec![0.0];
        let mut total = 0.0;
        let unit = steps.iter().map(|step| {
            // In samples, since batches are of different sizes; forward alone is a third of a mini-batch.
            let batch = step.training.batch.max(1) as f64;
            let all = (step.mini_batches * batch + step.evaluated / 3.0).max(LITTLE * batch);
            total += all;
            before.push(total);
            all / step.units.max(1) as f64
        });
        Self { unit: unit.collect(), before }
    }

    /// Share of the work that is done, `done` mini-batches or networks of a line into step `next`.
    pub fn share(&self, next: usize, done: u64) -> f64 {
        let total = self.before.last().copied().unwrap_or_default().max(f64::MIN_POSITIVE);
        let before = self.before.get(next).copied().unwrap_or(total);
        let unit = self.unit.get(next).copied().unwrap_or(1.0);
        let end = self.before.get(next + 1).copied().unwrap_or(total);
        ((before + done as f64 * unit).min(end) / total).clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::doc::{file::parse, runs};
    use crate::run::{cost, program};

    /// The work of a plan on 100 samples with 30 of them for validation, and 50 for tests, in mini-batches of 10.
    fn work(plan: &str) -> Work {
        let text = format!(
            "(data: Digits(limit_train: 100, limit_test: 50, validation: 30), net: Mlp(hidden: [8]),
              train: (batch: 10), arms: [(plan: [{plan}])])"
        );
        let all = runs(&parse(&text, Path::new("x.ron")).unwrap()).unwrap();
        cost(&all[0]).unwrap().work
    }

    fn counts(plan: &str) -> (Vec<(usize, f64)>, f64) {
        let work = work(plan);
        let mini_batches = work.mini_batches.iter().map(|(task, count)| (task.training.batch, *count));
        (mini_batches.collect(), work.evaluated)
    }

    #[test]
    fn shares_grow_with_steps_and_stay_within_them() {
        let plan = WorkPlan { before: vec![0.0, 10.0, 20.0], unit: vec![1.0, 1.0] };
        assert_eq!(
            (plan.share(0, 5), plan.share(1, 0), plan.share(1, 99), plan.share(2, 0)),
            (0.25, 0.5, 1.0, 1.0)
        );
    }

    #[test]
    fn training_evaluates_as_often_as_it_says_and_at_its_end() {
        assert_eq!(counts("Train(\"2ep\"), Test"), (vec![(10, 14.0)], 3.0 * 80.0));
        assert_eq!(counts("Train((steps: \"10it\", evaluate: \"4it\"))"), (vec![(10, 10.0)], 3.0 * 80.0));
        assert_eq!(counts("Train(\"1ep\"), Train((steps: \"1ep\", batch: 35))").0, [(10, 7.0), (35, 2.0)]);
        assert_eq!(counts("Test"), (vec![(10, 0.0)], 80.0), "who trains nothing still evaluates");
    }

    #[test]
    fn members_the_past_and_gradients_for_pruning_are_work_too() {
        let ensemble = "Ensemble(members: 3, local_steps: 2, steps: \"1ep\"), Test";
        assert_eq!(counts(ensemble), (vec![(10, 42.0)], 6.0 * 80.0));
        let snip = "Do(Prune(criterion: Snip(batches: 5), amount: Fraction(0.5))), Train(\"1ep\")";
        assert_eq!(counts(snip).0, [(10, 5.0), (10, 7.0)], "what trains a pruned network is timed by itself");
        let watched = "Do(Watch(lag: 1)), Train(\"3ep\")";
        assert!((counts(watched).0[0].1 - 28.0).abs() < 1e-9);
    }

    #[test]
    fn trials_begin_at_their_fault_and_the_network_without_faults_is_evaluated_twice() {
        let (_, evaluated) = counts("Campaign(trials: Fixed(10), images: 20)");
        assert_eq!(evaluated, 20.0 * (2.0 + 5.0));
        let (_, protected) = counts("Campaign(trials: Fixed(10), images: 20, protect: Both)");
        assert_eq!(protected, 2.0 * evaluated + 70.0);
    }

    #[test]
    fn rates_make_no_difference_to_what_is_timed() {
        let main = |plan: &str| work(plan).main().clone();
        let train = |rest: &str| main(&format!("Train((steps: \"1ep\", {rest}))"));
        assert_eq!(train("rate: 0.5, optimizer: Sgd(rate: 0.2)"), train("optimizer: Sgd(rate: 0.1)"));
        assert_ne!(train("optimizer: Adam()"), train("optimizer: Sgd()"));
    }

    #[test]
    fn evaluations_inside_a_training_are_part_of_its_progress() {
        let experiment = parse(
            "(data: Digits(limit_train: 100, limit_test: 60), net: Mlp(hidden: [8]), train: (batch: 10),
              arms: [(plan: [Train(\"1ep\"), Test])])",
            Path::new("x.ron"),
        );
        let spec = runs(&experiment.unwrap()).unwrap().remove(0).spec;
        let facts = spec.data.facts(None);
        let structure = spec.structure();
        let plan = WorkPlan::new(&steps(&program(&spec.plan), &spec, &structure, Sizes::of_facts(&facts)));
        // 10 mini-batches and 60 samples, which are two more; then these alone.
        assert!((plan.share(1, 0) - 12.0 / 14.0).abs() < 1e-9);
        assert!((plan.share(0, 5) - 6.0 / 14.0).abs() < 1e-9);
    }
}

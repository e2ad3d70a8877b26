//! The work of a run, step by step: mini-batches of training, and evaluated samples.

mod task;

pub use task::Task;

use super::program::{Op, ProgramStep};
use data::Facts;
use doc::plan::{Level, Situation, Sizes, StepWork};
use doc::stage::Planned;
use doc::{RunSpec, Structure};

/// The work of every step of a program.
pub fn steps(program: &[ProgramStep], spec: &RunSpec, structure: &Structure, sizes: Sizes) -> Vec<StepWork> {
    let mut stack = vec![Level::new(sizes)];
    program.iter().map(|step| work(&step.op, spec, structure, &mut stack)).collect()
}

/// The work of a step; `stack` has the levels of the main branch and of the branches within it.
fn work(op: &Op, spec: &RunSpec, structure: &Structure, stack: &mut Vec<Level>) -> StepWork {
    match op {
        Op::Enter(_) => stack.extend(stack.last().copied()),
        Op::Leave(_) => drop(stack.pop()),
        Op::Stage(_) => {}
    }
    let level = stack.last_mut().expect("the main branch is never left");
    let mut situation = Situation { train: &spec.train, net: &spec.net, structure, level };
    match op {
        Op::Stage(stage) => stage.rule().work(&mut situation),
        Op::Enter(branch) => branch.work(&mut situation),
        Op::Leave(_) => situation.little(),
    }
}

/// The work of a whole run.
#[derive(Clone, Debug, PartialEq)]
pub struct Work {
    /// Mini-batches of each kind, in their order. Without training, the first kind has none: it is the task of evaluations.
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

    /// Multiply-adds of the training, forward and backward (three times forward).
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

/// The work of a step that neither trains nor evaluates, in mini-batches.
const LITTLE: f64 = 0.1;

impl WorkPlan {
    /// Weighs steps: an evaluated sample is a third of one in training.
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

    /// Share of the work that is done, `done` mini-batches or samples of a line into step `next`.
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
    use crate::{cost, program};
    use doc::{file::parse, runs};

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
    fn every_trained_sample_is_passed_forward_once_and_backward_at_twice_the_price() {
        let forward = 64 * 8 + 8 * 10;
        assert_eq!(work("Train(\"2ep\")").training_multiply_adds(), 140 * 3 * forward);
        let batches = work("Train(\"1ep\"), Train((steps: \"1ep\", batch: 35))");
        assert_eq!(batches.training_multiply_adds(), (7 * 10 + 2 * 35) * 3 * forward);
        assert_eq!(work("Test").training_multiply_adds(), 0);
    }

    #[test]
    fn members_the_past_and_gradients_for_pruning_are_work_too() {
        let ensemble = "Ensemble(members: 3, local_steps: 2, steps: \"1ep\"), Test";
        assert_eq!(counts(ensemble), (vec![(10, 42.0)], 6.0 * 80.0));
        let snip = "Do(Prune(criterion: Snip(batches: 5), amount: Fraction(0.5))), Train(\"1ep\")";
        assert_eq!(counts(snip).0, [(10, 5.0), (10, 7.0)], "what trains a pruned network is timed by itself");
        let watched = "Do(Watch(lag: 1)), Train(\"3ep\")";
        assert!((counts(watched).0[0].1 - 28.0).abs() < 1e-9);
        let pulled = "Do(Watch(lag: 1, penalty: 0.5, layers: First(1))), Train(\"3ep\")";
        assert_eq!(counts(pulled).0[0].1, 42.0, "backward through the past too");
    }

    #[test]
    fn trials_begin_at_their_fault_and_the_network_without_faults_is_evaluated_twice() {
        let (_, evaluated) = counts("Campaign(trials: Fixed(10), images: 20)");
        assert_eq!(evaluated, 20.0 * (2.0 + 5.0));
        let (_, protected) = counts("Campaign(trials: Fixed(10), images: 20, protect: Both)");
        assert_eq!(protected, 2.0 * evaluated + 70.0);
    }

    #[test]
    fn a_line_evaluates_its_networks_and_measures_statistics_where_there_are_some() {
        let ends = "Do(Snapshot(name: \"a\")), Do(Snapshot(name: \"b\"))";
        let evaluated = |net: &str, statistics: &str| {
            let text = format!(
                "(data: Digits(limit_train: 100, limit_test: 50, validation: 30), net: {net}, arms: [(plan: [{ends},
                  Connect(a: \"a\", b: \"b\", points: 3, statistics: {statistics})])])"
            );
            let all = runs(&parse(&text, Path::new("x.ron")).unwrap()).unwrap();
            cost(&all[0]).unwrap().work.evaluated
        };
        assert_eq!(evaluated("Vgg()", "Reestimated"), 3.0 * (50.0 + 70.0));
        assert_eq!(evaluated("Vgg()", "Interpolated"), 3.0 * 50.0);
        assert_eq!(evaluated("Mlp()", "Reestimated"), 3.0 * 50.0);
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
        let facts = spec.data.facts(None).unwrap();
        let structure = spec.structure().unwrap();
        let plan = WorkPlan::new(&steps(&program(&spec.plan), &spec, &structure, Sizes::of_facts(&facts)));
        // 10 mini-batches and 60 samples, which are two more; then these alone.
        assert!((plan.share(1, 0) - 12.0 / 14.0).abs() < 1e-9);
        assert!((plan.share(0, 5) - 6.0 / 14.0).abs() < 1e-9);
    }
}

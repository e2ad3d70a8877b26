//! A flattened plan: repetitions unrolled, branches as an entry and an exit; the work of its steps, and what it costs.
//!
//! Checkpoints store the number of a step, and random draws of a stage derive from it.

use data::{Data, Facts, Shape};
use doc::plan::{Level, Situation, Sizes, StepWork};
use doc::stage::{Branch, Nested, Planned};
use doc::{Device, Net, Run, RunSpec, Stage, Structure, Training};
use optimize::UpdateRule;

#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// Carries out a stage that holds no plan.
    Stage(Stage),
    Enter(Branch),
    Leave(String),
}

/// One step of a program.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramStep {
    pub op: Op,
    /// Its place in the plan, such as `2.1`.
    pub stage: String,
    pub round: Option<u64>,
    /// The branch that it belongs to, outer and inner with a slash between; empty for the main branch.
    pub branch: String,
    pub label: String,
}

/// Unrolls a plan into steps.
pub fn program(plan: &[Stage]) -> Vec<ProgramStep> {
    let mut steps = Vec::new();
    add_plan(&mut steps, plan, "", None, "");
    steps
}

fn add_plan(steps: &mut Vec<ProgramStep>, plan: &[Stage], prefix: &str, round: Option<u64>, branch: &str) {
    for (index, stage) in plan.iter().enumerate() {
        let place = if prefix.is_empty() { index.to_string() } else { format!("{prefix}.{index}") };
        let step = |op, label, branch: &str| {
            let (stage, branch) = (place.clone(), branch.to_owned());
            ProgramStep { op, stage, round, branch, label }
        };
        match stage.nested() {
            None => steps.push(step(Op::Stage(stage.clone()), stage.sentence(), branch)),
            Some(Nested { plan, branch: Some(inner), .. }) => {
                let name =
                    if branch.is_empty() { inner.name.clone() } else { format!("{branch}/{}", inner.name) };
                steps.push(step(Op::Enter(inner.clone()), stage.sentence(), &name));
                add_plan(steps, plan, &place, round, &name);
                let back = format!("Back from {}", inner.name);
                steps.push(step(Op::Leave(inner.name.clone()), back, branch));
            }
            Some(Nested { plan, times, .. }) => {
                for time in 1..=times {
                    add_plan(steps, plan, &place, Some(time), branch);
                }
            }
        }
    }
}

/// Returns the data settings that the step after `earlier` sees: those of the innermost branch that has data.
pub fn data_settings<'a>(spec: &'a RunSpec, earlier: &'a [ProgramStep]) -> &'a Data {
    let mut around = vec![&spec.data];
    for step in earlier {
        match &step.op {
            Op::Enter(branch) => around.push(branch.data.as_ref().unwrap_or(around[around.len() - 1])),
            Op::Leave(_) => drop(around.pop()),
            Op::Stage(_) => {}
        }
    }
    around[around.len() - 1]
}

/// Counts the work of every step of a program.
pub fn steps(program: &[ProgramStep], spec: &RunSpec, structure: &Structure, sizes: Sizes) -> Vec<StepWork> {
    let mut stack = vec![Level::new(sizes)];
    program.iter().map(|step| work(&step.op, spec, structure, &mut stack)).collect()
}

/// Counts the work of a step; `stack` has the levels of the main branch and of the branches within it.
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
    pub evaluated: f64,
    /// Multiply-adds of one sample forward.
    forward: u64,
}

impl Work {
    /// Sums the work of steps.
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

    /// Returns the first kind of mini-batch.
    pub fn main(&self) -> &Task {
        &self.mini_batches[0].0
    }

    /// Returns the multiply-adds of the training, forward and backward (three times forward).
    pub fn training_multiply_adds(&self) -> u64 {
        let seen = self.mini_batches.iter().map(|(task, count)| count * task.training.batch as f64);
        (seen.sum::<f64>() * 3.0 * self.forward as f64).round() as u64
    }

    /// Returns the multiply-adds of everything.
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

    /// Returns the share of the work that is done, `done` mini-batches or samples of a line into step `next`.
    pub fn share(&self, next: usize, done: u64) -> f64 {
        let total = self.before.last().copied().unwrap_or_default().max(f64::MIN_POSITIVE);
        let before = self.before.get(next).copied().unwrap_or(total);
        let unit = self.unit.get(next).copied().unwrap_or(1.0);
        let end = self.before.get(next + 1).copied().unwrap_or(total);
        ((before + done as f64 * unit).min(end) / total).clamp(0.0, 1.0)
    }
}

/// A mini-batch of training and an evaluated sample, timed once for all runs that share it.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    pub net: Net,
    pub shape: Shape,
    pub classes: usize,
    /// Settings of the training; those without effect on a mini-batch have their defaults.
    pub training: Training,
    /// True where entries are held, which the optimizer's step skips.
    pub holds: bool,
    pub device: Device,
}

impl Task {
    fn new(spec: &RunSpec, facts: &Facts, training: &Training, holds: bool) -> Self {
        let usual = Training::default();
        let mut training = Training {
            schedule: usual.schedule,
            warm_up: usual.warm_up,
            evaluate: usual.evaluate,
            non_finite: usual.non_finite,
            record: usual.record,
            ..training.clone()
        };
        *training.optimizer.rate_mut() = 0.0;
        let (net, device) = (spec.net.clone(), spec.device.clone());
        Self { net, shape: facts.shape, classes: facts.classes, training, holds, device }
    }
}

/// Expected size of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Cost {
    pub parameters: usize,
    /// Multiply-adds of one sample forward.
    pub multiply_adds: u64,
    /// Mini-batches of all training stages.
    pub iterations: u64,
    /// Trials of all campaigns, as far as they are drawn and not read from a list.
    pub trials: u64,
    /// Bytes of the network, its gradients, the optimizer's state and the activations of a mini-batch, at most.
    pub bytes: u64,
    pub work: Work,
}

/// Returns the bytes that training takes at most: values, gradients, the optimizer's state, and what a mini-batch of
/// `count` samples keeps for the way back.
pub(super) fn training_bytes(structure: &Structure, training: &Training, count: usize) -> u64 {
    let parameters = structure.trained_count() as u64 * (2 + training.optimizer.slots().len() as u64);
    structure.activations().saturating_mul(count as u64).saturating_add(parameters).saturating_mul(4)
}

/// Computes the cost of a run, without reading its data.
pub fn cost(run: &Run) -> Result<Cost, String> {
    let spec = &run.spec;
    let facts = spec.data.facts(spec.net.image_side()).ok_or("the size of the data is not known yet")?;
    let structure = spec.structure().map_err(|misfit| misfit.to_string())?;
    let steps = steps(&program(&spec.plan), spec, &structure, Sizes::from_facts(&facts));
    let trains = steps.iter().filter(|step| step.trains);
    Ok(Cost {
        parameters: structure.trained_count(),
        multiply_adds: structure.multiply_adds(),
        iterations: trains.fold(0, |sum, step| step.units.saturating_add(sum)),
        trials: steps.iter().map(|step| step.trials).sum(),
        bytes: training_bytes(&structure, &spec.train, spec.train.batch),
        work: Work::new(spec, &facts, &structure, &steps),
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use doc::file::parse;
    use doc::runs;
    use doc::stage::{Repeat, Train};

    #[test]
    fn repetitions_are_unrolled_and_branches_have_an_entry_and_an_exit() {
        let inner = Branch { name: "copy".to_owned(), plan: vec![Stage::Test], ..Branch::default() };
        let body = vec![Stage::Train(Train::default()), Stage::Branch(inner)];
        let plan = [Stage::Test, Stage::Repeat(Repeat { times: 2, body })];
        let steps = program(&plan);
        let places: Vec<_> =
            steps.iter().map(|step| (step.stage.as_str(), step.round, step.branch.as_str())).collect();
        assert_eq!(
            places,
            [
                ("0", None, ""),
                ("1.0", Some(1), ""),
                ("1.1", Some(1), "copy"),
                ("1.1.0", Some(1), "copy"),
                ("1.1", Some(1), ""),
                ("1.0", Some(2), ""),
                ("1.1", Some(2), "copy"),
                ("1.1.0", Some(2), "copy"),
                ("1.1", Some(2), ""),
            ]
        );
    }

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
        let plan = WorkPlan::new(&steps(&program(&spec.plan), &spec, &structure, Sizes::from_facts(&facts)));
        // 10 mini-batches and 60 samples, which are two more; then these alone.
        assert!((plan.share(1, 0) - 12.0 / 14.0).abs() < 1e-9);
        assert!((plan.share(0, 5) - 6.0 / 14.0).abs() < 1e-9);
    }
}

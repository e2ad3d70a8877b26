//! A quick measurement: some mini-batches of a network, and some evaluated samples, on invented images.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::context::initial_network;
use crate::evaluate::evaluate;
use crate::program::{Task, training_bytes};
use crate::queue::QueueOptions;
use crate::state::Position;
use crate::stop::StopFlag;
use crate::train::Batch;
use data::{Samples, Shape};
use doc::structure::{Parameter, Role};
use doc::{RunSpec, Structure, Training};
use intervene::Entry;
use intervene::stream::{Purpose, stream};
use net::{Compute, LossFunction, Network, NoTap, OptimizerState, backend};

/// Time for training mini-batches, and for evaluating samples, in seconds.
const TRAINING: f64 = 0.2;
const EVALUATION: f64 = 0.08;
/// The fewest that are timed of each, and the most.
const FEWEST: usize = 2;
const MOST: usize = 200;
/// Multiply-adds of the first pass, which shows how many samples fit into the time.
const FIRST: u64 = 50_000_000;
/// Values of the samples, at most.
const VALUES: usize = 4 << 20;
/// Bytes of all networks side by side, and of a single one: a larger one is not measured.
const BYTES: u64 = 1 << 30;
const MOST_BYTES: u64 = 4 * BYTES;

/// The pace of a task.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// Seconds of a mini-batch, the step of the optimizer included.
    pub mini_batch: f64,
    /// Seconds of an evaluated sample.
    pub sample: f64,
    /// Mean time of the mini-batches over their median, at least 1. It exceeds 1 where other programs interrupt them.
    pub interrupted: f64,
    pub measured: u64,
}

/// Measures the pace of a task while others do the same in parallel, as runs of a queue will. Takes about 0.3 s, longer
/// only where two mini-batches of two samples do; returns nothing when it is to stop, for a network that no valid document
/// has, and for one that takes too much memory.
pub fn measure(task: &Task, options: QueueOptions, stop: &StopFlag) -> Option<Pace> {
    let structure = Structure::new(&task.net, task.shape, task.classes, &task.training.loss).ok()?;
    if task.training.batch == 0 || structure.parameters.iter().any(Parameter::is_empty) {
        return None;
    }
    // How many samples are measured is a matter of time.
    let bytes = training_bytes(&structure, &task.training, FEWEST);
    if bytes > MOST_BYTES {
        return None;
    }
    let structure = Arc::new(structure);
    let jobs = options.jobs.min((BYTES / bytes.max(1)) as usize).max(1);
    let paces: Vec<Pace> = std::thread::scope(|scope| {
        let begin = |number: usize| {
            let structure = structure.clone();
            let work = move || alone(task, &structure, options.threads_per_run(), stop);
            let thread = std::thread::Builder::new().name(format!("measurement {number}"));
            thread.spawn_scoped(scope, work).ok()
        };
        let threads: Vec<_> = (0..jobs).filter_map(begin).collect();
        // What fails in one of them would fail in a run, which reports it better.
        threads.into_iter().filter_map(|thread| thread.join().ok().flatten()).collect()
    });
    if paces.is_empty() || stop.requested().is_some() {
        return None;
    }
    let mean = |of: fn(&Pace) -> f64| paces.iter().map(of).sum::<f64>() / paces.len() as f64;
    Some(Pace {
        mini_batch: mean(|pace| pace.mini_batch),
        sample: mean(|pace| pace.sample),
        interrupted: mean(|pace| pace.interrupted),
        measured: paces.iter().map(|pace| pace.measured).sum(),
    })
}

fn alone(task: &Task, structure: &Arc<Structure>, threads: usize, stop: &StopFlag) -> Option<Pace> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok()?;
    pool.install(|| {
        let mut measurement = Measurement::new(task, structure)?;
        let pace = measurement.mini_batch(stop)?;
        Some(Pace { sample: measurement.sample(stop)?, ..pace })
    })
}

/// A network at work.
struct Measurement<'a> {
    task: &'a Task,
    network: Network,
    memory: OptimizerState,
    compute: Box<dyn Compute>,
    loss: LossFunction,
    samples: Samples,
    batch: Batch,
    /// Multiply-adds of a sample forward.
    forward: u64,
    passes: u64,
}

impl<'a> Measurement<'a> {
    /// Prepares the network of a task; none where there is no such device.
    fn new(task: &'a Task, structure: &Arc<Structure>) -> Option<Self> {
        let training = &task.training;
        let most = training.batch.max(training.evaluation_batch);
        let count = most.min(VALUES / task.shape.len().max(1)).max(FEWEST);
        let spec = RunSpec { net: task.net.clone(), ..RunSpec::default() };
        let mut network = initial_network(&spec, structure.clone(), 0);
        if task.holds {
            hold_half(&mut network);
        }
        Some(Self {
            network,
            samples: invented(task.shape, task.classes, count),
            forward: structure.multiply_adds(),
            loss: LossFunction::new(training.loss.clone(), structure.output.clone(), structure.outputs),
            memory: OptimizerState::default(),
            compute: backend(&task.device, &training.kernels).ok()?,
            task,
            batch: Batch::default(),
            passes: 0,
        })
    }

    /// Measures the pace of mini-batches, without that of samples. The pass grows with its samples, the step does not.
    fn mini_batch(&mut self, stop: &StopFlag) -> Option<Pace> {
        let batch = self.task.training.batch;
        let count = self.count(batch, 3, TRAINING, stop, Self::learn)?;
        let (mut passes, mut steps) = (Vec::new(), Vec::new());
        repeat(TRAINING, stop, || {
            let [pass, step] = self.learn(count);
            passes.push(pass);
            steps.push(step);
        })?;
        let measured = passes.len() as u64;
        let mean = passes.iter().sum::<f64>() / measured.max(1) as f64;
        let interrupted = (mean / upper_median(&mut passes).max(1e-9)).max(1.0);
        let mini_batch = upper_median(&mut passes) * share(batch, count) + upper_median(&mut steps);
        Some(Pace { mini_batch, sample: 0.0, interrupted, measured })
    }

    fn sample(&mut self, stop: &StopFlag) -> Option<f64> {
        let batch = self.task.training.evaluation_batch;
        let count = self.count(batch, 1, EVALUATION, stop, |network, count| [network.answer(count), 0.0])?;
        let mut passes = Vec::new();
        repeat(EVALUATION, stop, || passes.push(self.answer(count)))?;
        Some(upper_median(&mut passes) / share(count, 1))
    }

    /// Finds the number of samples, at most `wanted`, that fit into the time with two repetitions, by a trial with a
    /// few. Also warms up.
    fn count(
        &mut self,
        wanted: usize,
        directions: u64,
        secs: f64,
        stop: &StopFlag,
        mut pass: impl FnMut(&mut Self, usize) -> [f64; 2],
    ) -> Option<usize> {
        let most = wanted.min(self.samples.len()).max(1);
        let few = usize::try_from(FIRST / (directions * self.forward).max(1)).unwrap_or(most);
        let few = few.max(FEWEST).min(most);
        pass(self, few);
        if stop.requested().is_some() {
            return None;
        }
        let [took, step] = pass(self, few);
        let fitting =
            ((secs / (FEWEST + 1) as f64 - step).max(0.0) / took.max(1e-9) * share(few, 1)) as usize;
        let count = fitting.clamp(few, most);
        if count > few {
            pass(self, count);
        }
        Some(count)
    }

    /// Learns from `count` samples; measures the seconds of the pass, loading included, and of the step.
    fn learn(&mut self, count: usize) -> [f64; 2] {
        let began = Instant::now();
        let training = Training { batch: count, ..self.task.training.clone() };
        let mut batch = std::mem::take(&mut self.batch);
        let loaded = batch.load(&self.samples, &training, 0, 0, Position::default());
        loaded.expect("invented samples are in memory");
        self.passes += 1;
        let dropout = stream(0, Purpose::Dropout, &[0, self.passes]);
        let mut gradient = |logits: &[f32]| self.loss.evaluate(logits, &batch.labels).gradient;
        let (inputs, count, mut tap) = (&batch.inputs, batch.len(), NoTap { reads_held: false });
        let pass =
            self.compute.train_tapped(&self.network, inputs, count, Some(dropout), &mut tap, &mut gradient);
        let passed = began.elapsed();
        // A rate of 0 keeps the weights, so that nothing diverges.
        self.memory.step(&training.optimizer, 0.0, &mut self.network, &pass.gradients);
        self.network.follow(&pass.statistics);
        self.compute.recycle(pass);
        let all = began.elapsed();
        self.batch = batch;
        [passed, all.saturating_sub(passed)].map(|time| time.as_secs_f64())
    }

    /// Measures the seconds of an evaluation of `count` samples.
    fn answer(&self, count: usize) -> f64 {
        let samples = self.samples.first(count);
        let began = Instant::now();
        let _ =
            evaluate(self.compute.as_ref(), &self.network, &self.loss, &samples, count, &mut |_| Ok(true));
        began.elapsed().as_secs_f64()
    }
}

/// Repeats something for `secs` seconds; `None` when it is to stop.
fn repeat(secs: f64, stop: &StopFlag, mut once: impl FnMut()) -> Option<()> {
    let (began, most) = (Instant::now(), Duration::from_secs_f64(secs));
    for number in 0..MOST {
        if stop.requested().is_some() {
            return None;
        }
        if number >= FEWEST && began.elapsed() >= most {
            break;
        }
        once();
    }
    Some(())
}

fn hold_half(network: &mut Network) {
    let structure = network.structure().clone();
    let weights =
        structure.parameters.iter().enumerate().filter(|(_, parameter)| parameter.role == Role::Weight);
    for (index, parameter) in weights {
        let entries = [Entry::Free, Entry::Pruned].into_iter().cycle().take(parameter.len());
        network.set_entries(index, entries.collect());
    }
}

/// Invents samples: their content does not change the time.
fn invented(shape: Shape, classes: usize, count: usize) -> Samples {
    let values = (0..count * shape.len()).map(|index| (index * 7919 % 1009) as f32 / 1009.0);
    let labels = (0..count).map(|index| (index % classes.max(1)) as u32);
    Samples::new(shape, values.collect(), labels.collect())
}

/// Returns the median, of an even number of values the upper one; 0 of none.
pub fn upper_median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

fn share(a: usize, b: usize) -> f64 {
    a as f64 / b.max(1) as f64
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::{StopKind, cost};
    use doc::{file::parse, runs};

    fn task(text: &str) -> Task {
        let run = runs(&parse(text, Path::new("x.ron")).unwrap()).unwrap().remove(0);
        cost(&run).unwrap().work.main().clone()
    }

    const ALONE: QueueOptions = QueueOptions { jobs: 1, threads: 1 };

    #[test]
    fn a_small_network_is_measured_and_a_large_batch_takes_longer_than_a_small_one() {
        let pace = |batch: usize| {
            let text = format!(
                "(data: Digits(), net: Mlp(hidden: [32]), train: (batch: {batch}), arms: [(plan: [Train(\"1ep\")])])"
            );
            measure(&task(&text), ALONE, &StopFlag::new()).unwrap()
        };
        let (small, large) = (pace(4), pace(1024));
        assert!(small.mini_batch > 0.0 && small.sample > 0.0 && small.measured >= 2, "{small:?}");
        assert!(small.interrupted >= 1.0, "{small:?}");
        assert!(large.mini_batch > 3.0 * small.mini_batch, "{small:?} {large:?}");
    }

    #[test]
    fn what_no_document_may_have_is_not_measured() {
        let known = task("(data: Digits(), net: Mlp(hidden: [8]), arms: [(plan: [Train(\"1ep\")])])");
        let net = doc::Net::Mlp(doc::Mlp { hidden: vec![0], ..doc::Mlp::default() });
        assert_eq!(measure(&Task { net, ..known.clone() }, ALONE, &StopFlag::new()), None);
        let training = Training { batch: 0, ..known.training.clone() };
        assert_eq!(measure(&Task { training, ..known }, ALONE, &StopFlag::new()), None);
    }

    #[test]
    fn a_network_that_does_not_fit_into_the_memory_is_not_measured() {
        let known = task("(data: Digits(), net: Mlp(hidden: [8]), arms: [(plan: [Train(\"1ep\")])])");
        // 1.6e9 parameters: values, gradients and a slot are 19 GB.
        let net = doc::Net::Mlp(doc::Mlp { hidden: vec![40_000, 40_000], ..doc::Mlp::default() });
        assert_eq!(measure(&Task { net, ..known }, ALONE, &StopFlag::new()), None);
    }

    #[test]
    fn images_side_by_side_are_measured_too() {
        let text = "(data: Digits(), net: Vgg(depth: 11, width: 2), train: (batch: 8), arms: [(plan: [Train(\"1ep\")])])";
        let pace = measure(&task(text), QueueOptions { jobs: 2, threads: 1 }, &StopFlag::new()).unwrap();
        assert!(pace.mini_batch > pace.sample && pace.measured >= 4, "two of each: {pace:?}");
    }

    #[test]
    fn who_is_asked_to_stop_tells_nothing_and_takes_no_time() {
        let stop = StopFlag::new();
        stop.request(StopKind::Now);
        let text = "(arms: [(plan: [Train(\"1ep\")])])";
        assert_eq!(measure(&task(text), ALONE, &stop), None);
    }
}

//! Steps of training and inference, and what of their time is transfer.

use std::time::{Duration, Instant};

use data::Samples;
use net::{BurnCompute, Compute, LossFunction, Network, NoTap, OptimizerState, TrainPass};
use optimize::{Optimizer, Sgd};

use crate::call::Call;

/// Seconds of several runs, and of the transfers of as many, where there is something to transfer.
pub struct Times {
    pub seconds: Vec<f64>,
    pub transfers: Option<Vec<f64>>,
}

impl From<Vec<f64>> for Times {
    fn from(seconds: Vec<f64>) -> Self {
        Self { seconds, transfers: None }
    }
}

/// Returns the seconds for one of what `work` says that it did how many of.
pub fn rated(runs: usize, mut work: impl FnMut() -> f64) -> Vec<f64> {
    let mut done = 0.0;
    let seconds = timed(runs, 1, || clocked(|| done = work()));
    seconds.into_iter().map(|seconds| seconds / done).collect()
}

/// Steps of SGD with momentum and decay: forward, backward, and the change of the weights and running statistics. Then the
/// transfers of as many, each after such a change, for which no clock runs.
pub fn training(
    call: &Call,
    mut network: Network,
    criterion: &LossFunction,
    samples: &Samples,
    per: usize,
) -> Times {
    let compute = call.compute();
    let sgd = Optimizer::Sgd(Sgd { rate: 0.01, momentum: 0.9, weight_decay: 1e-4, ..Sgd::default() });
    let mut memory = OptimizerState::default();
    let values = samples.values().expect("noise is in memory");
    let mut gradient = |logits: &[f32]| criterion.evaluate(logits, &samples.labels).gradient;
    let mut work = || {
        let pass = pass_of(&*compute, &network, &values, samples.len(), &mut gradient);
        memory.step(&sgd, 0.01, &mut network, &pass.gradients);
        network.follow(&pass.statistics);
        compute.recycle(pass);
    };
    let seconds = timed(call.runs, per, || clocked(&mut work));
    let transfers = mover(call).map(|mover| {
        let pass = pass_of(&*compute, &network, &values, samples.len(), &mut gradient);
        timed(call.runs, per, || {
            memory.step(&sgd, 0.01, &mut network, &pass.gradients);
            network.follow(&pass.statistics);
            clocked(|| drop(mover.move_step(&network, &values, samples.len())))
        })
    });
    Times { seconds, transfers }
}

/// Returns a pass as a run makes it for a step.
fn pass_of(
    compute: &dyn Compute,
    network: &Network,
    values: &[f32],
    count: usize,
    gradient: &mut dyn FnMut(&[f32]) -> Vec<f32>,
) -> TrainPass {
    compute.train_tapped(network, values, count, None, &mut NoTap { reads_held: false }, gradient)
}

/// Measures logits, and then their transfers; the weights are on the device.
pub fn inference(call: &Call, network: &Network, samples: &Samples) -> Times {
    let compute = call.compute();
    let values = samples.values().expect("noise is in memory");
    let seconds = timed(call.runs, 1, || {
        clocked(|| {
            std::hint::black_box(compute.logits(network, &values, samples.len()));
        })
    });
    let transfers = mover(call).map(|mover| {
        timed(call.runs, 1, || clocked(|| mover.move_evaluation(network, &values, samples.len())))
    });
    Times { seconds, transfers }
}

/// Returns what moves data alone, where the device is not the processor.
fn mover(call: &Call) -> Option<BurnCompute> {
    call.compute().hardware()?;
    Some(BurnCompute::open(&call.device).expect("it was opened before"))
}

fn clocked(work: impl FnOnce()) -> Duration {
    let began = Instant::now();
    work();
    began.elapsed()
}

/// Returns the seconds that each of `runs` times `per` calls says that it took, after two that are not counted.
fn timed(runs: usize, per: usize, mut call: impl FnMut() -> Duration) -> Vec<f64> {
    call();
    call();
    let run = |_| (0..per).map(|_| call()).sum::<Duration>().as_secs_f64() / per as f64;
    (0..runs).map(run).collect()
}

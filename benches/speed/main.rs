//! How fast it computes: `cargo bench --bench speed -- vgg16-train-b128 [--threads 2] [--runs 7] [--kernels exact]
//! [--device Cuda]`.
//!
//! One scenario a call, one line of JSON: the median of several runs in seconds (for one step, epoch or trial), the
//! multiply-adds of that by direct sums over whole networks, and the peak of the process's memory. Kernels are the default
//! ones and the device is Cpu where no option says otherwise. On a GPU, the line has `hardware`, what it calls itself, and for steps
//! and inference `transfer_s`: the median of the seconds that moving their data alone takes, there and back.
//!
//! Scenarios: `NETWORK-train-bN` and `NETWORK-infer-bN` with N samples, `NETWORK-campaign` with 256 images a trial and
//! `NETWORK-campaign-iN` with N, where the network is `lenet`
//! (300-100), `lenet5`, `convD`, `resnetD` (at 224×224 where it is for large images), `vggD` or `vggDwW` (depth and width),
//! or `mlpWxD` (D hidden layers of W units); the first two with `-sP` at their end for a network of which P % of the weights
//! are pruned at random in every layer, or with `-cP` for P % of all channels but those of the ends, with all of their weights
//! (`lenet-train-b60-s90`, `vgg16-train-b32-c50`); `lenet-epoch`; `lenet-epoch-jN`, which is N of them side
//! by side with so many threads each, in seconds for one; and the machine's own limits, in seconds for
//! 10⁹ multiply-adds or bytes: `machine-multiply-adds`, `machine-read`, `machine-copy` (a byte counts once, although it is
//! read and written). `benches/tables.py` makes the tables of docs/performance.md of them.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a benchmark prints its result, or what is wrong"
)]

mod call;
mod machine;
mod pruned;
mod step;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use call::Call;
use data::{Data, Dataset, Mnist, Samples, Shape};
use doc::fault::{Campaign, Trials};
use doc::{ConvNet, LeNet5, Loss, Mlp, Net, ResNet, RunSpec, Stage, Structure, Train, Training, Vgg};
use intervene::draw::uniform;
use intervene::stream::{Purpose, stream};
use intervene::{BiasInit, Init};
use net::{Initialisation, LossFunction, Network, backend};
use optimize::{Adam, Optimizer};
use pruned::Pruned;
use results::Event;
use run::{Checkpoint, Datasets, Listener, RunContext, RunError, Session, StopFlag, Table};
use step::{Times, rated};

/// Trials of a campaign, and images of each of them where the scenario does not say.
const TRIALS: u64 = 128;
const IMAGES: &str = "256";

fn main() {
    let arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let call = Call::read(arguments)
        .unwrap_or_else(|message| refuse(&format!("{message}; see the top of benches/speed/main.rs")));
    let opened = backend(&call.device, &call.kernels).unwrap_or_else(|error| refuse(&error.to_string()));
    let pool =
        rayon::ThreadPoolBuilder::new().num_threads(call.threads).build().expect("threads can be started");
    let times = pool.install(|| measure(&call));
    let mut line = serde_json::json!({
        "side": "weightlab",
        "scenario": call.scenario,
        "device": call.device.key(),
        "threads": call.threads,
        "median_s": median(times.seconds),
        "multiply_adds": multiply_adds(&call.scenario),
        "peak_bytes": peak_bytes(),
    });
    if let Some(hardware) = opened.hardware() {
        line["hardware"] = hardware.into();
    }
    if let Some(transfers) = times.transfers {
        line["transfer_s"] = median(transfers).into();
    }
    println!("{line}");
}

fn refuse(message: &str) -> ! {
    eprintln!("{message}");
    std::process::exit(2)
}

fn median(mut seconds: Vec<f64>) -> f64 {
    seconds.sort_by(f64::total_cmp);
    seconds[seconds.len() / 2]
}

fn measure(call: &Call) -> Times {
    let runs = call.runs;
    match call.scenario.as_str() {
        "lenet-epoch" => epochs(call).into(),
        "machine-multiply-adds" => rated(runs, machine::multiply_adds).into(),
        "machine-read" => {
            let memory = machine::Memory::new();
            let read = || {
                memory.read();
                machine::Memory::size()
            };
            rated(runs, read).into()
        }
        "machine-copy" => {
            let mut memory = machine::Memory::new();
            let copy = || {
                memory.copy();
                machine::Memory::size()
            };
            rated(runs, copy).into()
        }
        scenario => {
            let unknown = || panic!("unknown scenario {scenario:?}; benches/speed/main.rs lists them");
            steps(call).unwrap_or_else(unknown)
        }
    }
}

/// Measures scenarios with numbers in their names.
fn steps(call: &Call) -> Option<Times> {
    if let Some(jobs) = call.scenario.strip_prefix("lenet-epoch-j") {
        return Some(side_by_side(call, jobs.parse().ok()?).into());
    }
    if let Some((net, images)) = campaign(&call.scenario) {
        let trials: Vec<f64> = (0..call.runs.min(3)).map(|_| trial(&net, images, call)).collect();
        return Some(trials.into());
    }
    let (scenario, pruned) = Pruned::of(&call.scenario);
    let (rest, batch) = scenario.rsplit_once("-b")?;
    let (net, what) = rest.rsplit_once('-')?;
    let (net, batch) = (network(net)?, batch.parse().ok()?);
    let (mut network, criterion, samples) = bench(&net, batch);
    pruned.prune(&mut network);
    match what {
        // A step of a small network is so short that a hundred are timed at once.
        "train" => {
            let is_short = matches!(net, Net::Mlp(_) | Net::LeNet5(_));
            Some(step::training(call, network, &criterion, &samples, if is_short { 100 } else { 1 }))
        }
        "infer" => Some(step::inference(call, &network, &samples)),
        _ => None,
    }
}

/// Reads network and images of `NETWORK-campaign` and `NETWORK-campaign-iN`.
fn campaign(scenario: &str) -> Option<(Net, usize)> {
    let (name, images) = scenario.split_once("-campaign")?;
    let images = if images.is_empty() { IMAGES } else { images.strip_prefix("-i")? };
    Some((network(name)?, images.parse().ok()?))
}

/// Returns the multiply-adds of a step or trial by direct sums over the whole network: a step of training counts
/// three passes.
fn multiply_adds(scenario: &str) -> Option<u64> {
    let (scenario, _) = Pruned::of(scenario);
    let of = |net: &Net, samples: usize, passes: u64| {
        let structure = Structure::new(net, input(net), 10, &Loss::CrossEntropy).ok()?;
        Some(structure.multiply_adds() * samples as u64 * passes)
    };
    if let Some((net, images)) = campaign(scenario) {
        return of(&net, images, 1);
    }
    let (rest, batch) = scenario.rsplit_once("-b")?;
    let (net, what) = rest.rsplit_once('-')?;
    of(&network(net)?, batch.parse().ok()?, if what == "train" { 3 } else { 1 })
}

/// Reads `lenet`, `lenet5`, `conv6`, `resnet20`, `vgg16`, `vgg16w32`, `mlp300x2`.
fn network(name: &str) -> Option<Net> {
    if name == "lenet" {
        return Some(lenet());
    }
    if name == "lenet5" {
        return Some(Net::LeNet5(LeNet5::default()));
    }
    if let Some(depth) = name.strip_prefix("conv") {
        return Some(Net::ConvNet(ConvNet { depth: depth.parse().ok()?, ..ConvNet::default() }));
    }
    if let Some(depth) = name.strip_prefix("resnet") {
        let depth = depth.parse().ok()?;
        let classes = IMAGE_NET.contains(&depth).then_some(1000);
        return Some(Net::ResNet(ResNet { depth, classes, ..ResNet::default() }));
    }
    if let Some(sizes) = name.strip_prefix("mlp") {
        let (width, depth) = sizes.split_once('x')?;
        return Some(Net::Mlp(Mlp {
            hidden: vec![width.parse().ok()?; depth.parse().ok()?],
            ..Mlp::default()
        }));
    }
    let sizes = name.strip_prefix("vgg")?;
    let (depth, width) = sizes.split_once('w').unwrap_or((sizes, "64"));
    Some(Net::Vgg(Vgg { depth: depth.parse().ok()?, width: width.parse().ok()?, ..Vgg::default() }))
}

fn lenet() -> Net {
    Net::Mlp(Mlp { hidden: vec![300, 100], ..Mlp::default() })
}

/// Depths of residual networks for large images, which know 1,000 classes.
const IMAGE_NET: [u32; 4] = [18, 34, 50, 101];

fn input(net: &Net) -> Shape {
    match net {
        Net::ResNet(net) if IMAGE_NET.contains(&net.depth) => Shape::new(3, 224, 224),
        Net::Vgg(_) | Net::ConvNet(_) | Net::ResNet(_) | Net::Sequential(_) => Shape::new(3, 32, 32),
        Net::Mlp(_) | Net::LeNet5(_) => Shape::new(1, 28, 28),
    }
}

/// Returns a fresh network, the loss, and uniform noise in [0, 1) with random labels.
fn bench(net: &Net, batch: usize) -> (Network, LossFunction, Samples) {
    let structure = Arc::new(
        Structure::new(net, input(net), 10, &Loss::CrossEntropy).expect("the network fits its input"),
    );
    let criterion = LossFunction::new(Loss::CrossEntropy, structure.output.clone(), structure.outputs);
    let initialisation = Initialisation { weights: Init::KaimingNormal, biases: BiasInit::Usual };
    (Network::new(structure, initialisation, 1, 0), criterion, noise(input(net), batch))
}

fn noise(shape: Shape, count: usize) -> Samples {
    let mut rng = stream(0, Purpose::Init, &[]);
    let values = (0..count * shape.len()).map(|_| uniform(&mut rng)).collect();
    let labels = (0..count).map(|_| (uniform(&mut rng) * 10.0) as u32).collect();
    Samples::new(shape, values, labels)
}

/// Returns the epochs of LeNet-300-100 on MNIST with Adam, each with a test at its end.
fn epochs(call: &Call) -> Vec<f64> {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/mnist");
    let dir = std::env::var("WEIGHTLAB_MNIST").unwrap_or_else(|_| shared.display().to_string());
    let data = Data::Mnist(Mnist { dir: Some(dir), ..Mnist::default() });
    let optimizer = Optimizer::Adam(Adam { rate: 0.0012, ..Adam::default() });
    let train = Training { optimizer, batch: 60, kernels: call.kernels.clone(), ..Training::default() };
    let steps = format!("{}ep", epochs_of(call) + 1).parse().expect("a number of epochs");
    let plan = vec![Stage::Train(Train { steps, ..Train::default() })];
    let device = call.device.clone();
    let spec = RunSpec { data, net: lenet(), train, plan, device, ..RunSpec::default() };
    let data = Datasets::default().get(&spec.data, &spec.net, Path::new("."));
    let data = data.expect("MNIST lies in ../shared/data/mnist, or where WEIGHTLAB_MNIST says");
    let watch = watch(call, spec, data);
    watch.tests.windows(2).map(|pair| pair[1].duration_since(pair[0]).as_secs_f64()).collect()
}

/// Returns the number of epochs that are measured; a first one comes before them.
fn epochs_of(call: &Call) -> usize {
    call.runs.min(5)
}

/// Returns the seconds for each of several runs of LeNet's epochs at a time, on threads of their own.
fn side_by_side(call: &Call, jobs: usize) -> Vec<f64> {
    let began = Instant::now();
    std::thread::scope(|scope| {
        for job in 0..jobs {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(call.threads).build().expect("threads");
            let run = move || pool.install(|| epochs(call));
            let builder = std::thread::Builder::new().name(format!("run {job}"));
            builder.spawn_scoped(scope, run).expect("a thread can be started");
        }
    });
    // Reading the data and the first epoch are within: what counts is how much gets done.
    vec![began.elapsed().as_secs_f64() / (jobs * (epochs_of(call) + 1)) as f64]
}

/// Returns the seconds of one trial: a single bit of any convolution or linear weight is flipped, and all images are
/// classified. What flows without faults is there already, as the golden classes are on the other side.
fn trial(net: &Net, images: usize, call: &Call) -> f64 {
    let campaign = Campaign { trials: Trials::Fixed(TRIALS), images: Some(images), ..Campaign::default() };
    let train = Training { kernels: call.kernels.clone(), ..Training::default() };
    let (plan, device) = (vec![Stage::Campaign(campaign)], call.device.clone());
    let spec = RunSpec { net: net.clone(), train, plan, device, ..RunSpec::default() };
    let shape = input(&spec.net);
    let [train, validation, test] = [2, 0, images].map(|count| noise(shape, count));
    let data =
        Dataset { train, validation, test, classes: 10, left_out: Vec::new(), details: Arc::default() };
    let watch = watch(call, spec, Arc::new(data));
    let [began, ended] =
        [watch.began, watch.ended].map(|instant| instant.expect("a campaign begins and ends"));
    ended.duration_since(began).as_secs_f64() / TRIALS as f64
}

fn watch(call: &Call, spec: RunSpec, data: Arc<Dataset>) -> Watch {
    let place = RunContext::new(spec, String::new(), data, call.compute(), PathBuf::new(), PathBuf::new());
    let place = place.expect("the network fits its data");
    let mut watch = Watch::default();
    Session::new(Arc::new(place), None, call.threads, StopFlag::new(), &mut watch)
        .run()
        .expect("it ends well");
    watch
}

/// Notes when tests and campaigns begin and end.
#[derive(Default)]
struct Watch {
    tests: Vec<Instant>,
    began: Option<Instant>,
    ended: Option<Instant>,
}

impl Listener for Watch {
    fn event(&mut self, event: Event) -> Result<(), RunError> {
        match event {
            Event::Point(point) if point.series == "test_accuracy" => self.tests.push(Instant::now()),
            Event::CampaignBegan(_) => self.began = Some(Instant::now()),
            Event::CampaignEnded(_) => self.ended = Some(Instant::now()),
            _ => {}
        }
        Ok(())
    }

    fn checkpoint(&mut self, _checkpoint: &Checkpoint) -> Result<(), RunError> {
        Ok(())
    }

    fn lines(&mut self, _table: Table, _lines: &str) -> Result<(), RunError> {
        Ok(())
    }

    fn network(&mut self, _files: &[String; 2], _network: &Network) -> Result<(), RunError> {
        Ok(())
    }
}

/// Returns the most memory that the process held, as Linux counts it; 0 elsewhere.
fn peak_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib: Option<u64> = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
    kib.unwrap_or(0) * 1024
}

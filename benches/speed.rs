//! How fast it computes: `cargo bench --bench speed -- vgg16-campaign --threads 2`.
//!
//! One scenario a call, one line of JSON with the median of several runs in seconds: of one trial for a campaign.

#![allow(clippy::print_stdout, reason = "a benchmark prints its result")]

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use weightlab::data::{Dataset, Samples, Shape};
use weightlab::doc::fault::{Campaign, Trials};
use weightlab::doc::{Device, Event, Net, RunSpec, Stage, Vgg};
use weightlab::intervene::draw::uniform;
use weightlab::intervene::stream::{Purpose, stream};
use weightlab::net::{BurnCompute, Network};
use weightlab::run::{Checkpoint, Listener, RunError, Session, StopFlag, Table, Workplace};

/// Trials of a campaign, and images of each of them.
const TRIALS: u64 = 24;
const IMAGES: usize = 256;
const RUNS: usize = 3;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let after = |name: &str| arguments.iter().position(|argument| argument == name).map(|at| at + 1);
    let threads: usize = after("--threads").and_then(|at| arguments.get(at)?.parse().ok()).unwrap_or(2);
    let scenario = arguments.first().map_or("vgg16-campaign", String::as_str);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be started");
    let mut seconds: Vec<f64> = match scenario {
        "vgg16-campaign" => (0..RUNS).map(|_| pool.install(|| trial(threads))).collect(),
        other => panic!("unknown scenario {other}; there is vgg16-campaign"),
    };
    seconds.sort_by(f64::total_cmp);
    println!(
        "{{\"side\":\"weightlab\",\"scenario\":\"{scenario}\",\"threads\":{threads},\"median_s\":{}}}",
        seconds[seconds.len() / 2]
    );
}

/// Seconds of one trial: a single bit of any convolution or linear weight of VGG-16 is flipped, and all images are
/// classified. What flows without faults is there already, as the golden classes are on the other side.
fn trial(threads: usize) -> f64 {
    let campaign = Campaign { trials: Trials::Fixed(TRIALS), images: Some(IMAGES), ..Campaign::default() };
    let net = Net::Vgg(Vgg { depth: 16, ..Vgg::default() });
    let spec = RunSpec { net, plan: vec![Stage::Campaign(campaign)], ..RunSpec::default() };
    let compute = Box::new(BurnCompute::new(&Device::Flex));
    let place =
        Workplace::new(spec, String::new(), Arc::new(images()), compute, PathBuf::new(), PathBuf::new());
    let mut watch = Watch::default();
    Session::new(Arc::new(place), None, threads, StopFlag::new(), &mut watch).run().expect("it ends well");
    let [began, ended] =
        [watch.began, watch.ended].map(|instant| instant.expect("a campaign begins and ends"));
    ended.duration_since(began).as_secs_f64() / TRIALS as f64
}

/// Uniform noise in [0, 1), with labels that nobody looks at.
fn images() -> Dataset {
    let shape = Shape { channels: 3, height: 32, width: 32 };
    let mut rng = stream(0, Purpose::Init, &[]);
    let samples = |count: usize, rng: &mut _| {
        let values = (0..count * shape.len()).map(|_| uniform(rng)).collect();
        Samples::new(shape, values, vec![0; count])
    };
    let [train, validation, test] = [2, 0, IMAGES].map(|count| samples(count, &mut rng));
    Dataset { train, validation, test, classes: 10 }
}

/// Notes when the trials of a campaign begin and end.
#[derive(Default)]
struct Watch {
    began: Option<Instant>,
    ended: Option<Instant>,
}

impl Listener for Watch {
    fn event(&mut self, event: Event) -> Result<(), RunError> {
        match event {
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

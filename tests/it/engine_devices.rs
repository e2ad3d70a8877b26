//! Whole runs on the devices of this build: interventions, faults and campaigns there are those of Cpu, to float32.

use doc::{Device, RunSpec};
use net::backend;
use results::campaign::CampaignRecord;

use crate::support::{Ended, RESIDUAL, campaigns, run, spec, values};

/// The devices of this build besides Cpu. Prints which of them this machine lacks.
fn others() -> Vec<Device> {
    let built = Device::all().into_iter().filter(|device| device.is_built() && *device != Device::Cpu);
    let has = |device: &Device| match backend(device, &RunSpec::default().train.kernels) {
        Ok(compute) => {
            eprintln!("{}: {}", device.key(), compute.hardware().unwrap_or("the processor"));
            true
        }
        Err(error) => {
            eprintln!("skipped: {error}");
            false
        }
    };
    built.filter(has).collect()
}

/// A plan with all that acts on single weights. What is held is decided before anything is computed, and so the same
/// everywhere. Adam would make whole steps of the noise that is the gradient of a bias in front of a batch norm.
fn treated(net: &str, device: &Device) -> RunSpec {
    let text = format!(
        "(data: Digits(limit_train: 96, limit_test: 40), net: {net},
          train: (optimizer: Sgd(rate: 0.05), batch: 32, evaluation_batch: 16), arms: [(plan: [
            Do(Prune(amount: Fraction(0.5))), Do(Freeze(target: (layers: First(1)), select: Smallest(0.5))),
            Train(\"2ep\"), Campaign(fault: (amount: Count(2)), trials: Fixed(12), images: 20),
            Campaign(fault: (target: (params: Activations), bits: Field(Mantissa)), trials: Fixed(4), images: 20),
            Do(Fault(bits: Field(Mantissa), amount: Rate(1e-3))), Test])])"
    );
    RunSpec { device: device.clone(), ..spec(&text) }
}

fn assert_alike(device: &Device, found: &Ended, expected: &Ended) {
    let [a, b] = [found, expected].map(|ended| &ended.state.network);
    for index in 0..a.len() {
        let name = &a.structure().parameters[index].name;
        assert_eq!(a.entries(index), b.entries(index), "{device:?}: what is held of {name}");
        for (at, (a_value, b_value)) in a.values(index).iter().zip(b.values(index)).enumerate() {
            let is_held = a.entries(index).is_some_and(|entries| !entries[at].is_free());
            let is_near = (a_value - b_value).abs() < 2e-3 * (1.0 + b_value.abs());
            let is_right = if is_held { a_value.to_bits() == b_value.to_bits() } else { is_near };
            assert!(is_right, "{device:?}, entry {at} of {name}: {a_value} instead of {b_value}");
        }
    }
    for series in ["test_accuracy", "remaining"] {
        let [a, b] = [found, expected].map(|ended| values(&ended.events, series));
        assert_eq!(a.len(), b.len());
        assert!(
            a.iter().zip(&b).all(|(a, b)| (a - b).abs() <= 2.0 / 40.0),
            "{device:?}: {a:?} instead of {b:?}"
        );
    }
    let [a, b] = [found, expected].map(|ended| campaigns(&ended.events));
    assert_eq!((a.len(), b.len()), (2, 2));
    for (a, b) in a.iter().zip(&b) {
        assert!(a.ended.as_ref().unwrap().intact, "{device:?}: the golden logits come back bit for bit");
        let masked = |campaign: &CampaignRecord| campaign.cells[0].tally.masked;
        assert_eq!((a.trials(), a.cells[0].tally.images), (b.trials(), b.cells[0].tally.images));
        assert!(
            masked(a).abs_diff(masked(b)) <= 20,
            "{device:?}: {} masked instead of {}",
            masked(a),
            masked(b)
        );
    }
}

#[test]
fn a_run_on_any_device_is_that_of_cpu_to_float32() {
    let others = others();
    for net in ["Mlp(hidden: [8, 6])", RESIDUAL] {
        let expected = run(treated(net, &Device::Cpu));
        for device in &others {
            let spec = treated(net, device);
            assert_ne!(spec.id(), treated(net, &Device::Cpu).id(), "a run elsewhere is another one");
            assert_alike(device, &run(spec), &expected);
        }
    }
}

//! What a run records beside its results: weights over training, the time of day, and the rounds of a lottery.

use std::time::SystemTime;

use doc::{Recording, RunSpec, WeightRecord};
use net::Network;
use results::rounds::rounds;
use results::weights::{HISTOGRAM_BINS, Measure, WeightHistogram, parts, series};
use results::{Event, RunRecord};
use run::testing::Recorder;
use run::{Session, StopFlag, Table, cost};

use super::support::{assert_resumes, context, known_run, points, run, same_bits, values, with_plan};

const LOTTERY: &str = "Do(Snapshot(name: \"init\")), Train(\"2ep\"),
    Repeat(times: 2, body: [Do(Prune(amount: Fraction(0.5))), Do(Graft(from: \"init\")), Test, Train(\"3ep\")])";

fn recording(plan: &str, weights: WeightRecord) -> RunSpec {
    let mut spec = with_plan(plan);
    spec.train.record = Recording { weights, rounds: false };
    spec
}

/// Mean, deviation, norm and share of zeros as numpy has them in float64.
fn by_hand(network: &Network, index: usize) -> [f64; 4] {
    let values: Vec<f64> = network.values(index).iter().map(|value| f64::from(*value)).collect();
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| value * value).sum();
    let zeros = values.iter().filter(|value| **value == 0.0).count();
    [mean, variance.sqrt(), squares.sqrt(), zeros as f64 / count]
}

#[test]
fn recording_weights_adds_series_and_changes_nothing_else() {
    let plain = run(with_plan(LOTTERY));
    assert!(points(&plain.events).iter().all(|point| parts(&point.series).is_none()), "off by default");
    for weights in [WeightRecord::Layers, WeightRecord::Parameters, WeightRecord::Histograms] {
        let recorded = run(recording(LOTTERY, weights));
        assert!(same_bits(&plain.state.network, &recorded.state.network));
        let is_new = |event: &Event| matches!(event, Event::Point(point) if parts(&point.series).is_some());
        let without_time = |events: &[Event]| -> Vec<Event> {
            let kept = events.iter().filter(|event| !event.is_transient() && !is_new(event));
            kept.filter(|event| !matches!(event, Event::Clock(_)))
                .map(|event| match event.clone() {
                    Event::Point(mut point) => {
                        point.secs = 0.0;
                        Event::Point(point)
                    }
                    Event::Finished { .. } => Event::Finished { secs: 0.0 },
                    event => event,
                })
                .collect()
        };
        assert_eq!(without_time(&plain.events), without_time(&recorded.events));
        assert!(recorded.events.iter().any(is_new));
    }
}

#[test]
fn each_evaluation_has_the_statistics_of_the_weights() {
    let ended = run(recording(LOTTERY, WeightRecord::Parameters));
    let network = &ended.state.network;
    let structure = network.structure();
    for (index, parameter) in structure.parameters.iter().enumerate() {
        let wanted = by_hand(network, index);
        for (measure, wanted) in Measure::ALL.into_iter().zip(wanted) {
            let found = values(&ended.events, &series(&parameter.name, measure));
            assert_eq!(found.len(), 2 + 2 * (1 + 3), "one for each evaluation");
            let last = found.last().unwrap();
            assert!((last - wanted).abs() <= 1e-12 * wanted.abs().max(1.0), "{} {measure:?}", parameter.name);
        }
        let gradients = values(&ended.events, &series(&parameter.name, Measure::GradientNorm));
        assert_eq!(gradients.len(), 2 + 2 * 3, "a Test has no mini-batch");
    }
    let zeros = values(&ended.events, "fc1.weight zeros");
    assert_eq!((zeros[0], zeros[2], *zeros.last().unwrap()), (0.0, 0.5, 0.75));
    let layers = run(recording("Train(\"1ep\")", WeightRecord::Layers));
    assert!(values(&layers.events, "fc1.bias mean").is_empty());
}

#[test]
fn the_gradient_is_that_of_the_last_mini_batch() {
    let mut spec = recording("Train(\"1it\")", WeightRecord::Layers);
    spec.train.optimizer =
        form::ron_text::from_str("Sgd(rate: 0.5, momentum: 0.0, weight_decay: 0.0)").unwrap();
    let before = context(spec.clone()).fresh_network(0);
    let ended = run(spec);
    for index in [0, 2, 4] {
        let name = &before.structure().parameters[index].name;
        let pairs = before.values(index).iter().zip(ended.state.network.values(index));
        let moved: f64 = pairs.map(|(a, b)| (f64::from(*a) - f64::from(*b)).powi(2)).sum();
        let found = values(&ended.events, &series(name, Measure::GradientNorm))[0];
        assert!((found - moved.sqrt() / 0.5).abs() < 1e-4 * found, "{name}: {found}");
    }
}

#[test]
fn histograms_count_every_weight_that_survives() {
    let spec = recording(LOTTERY, WeightRecord::Histograms);
    let mut recorder = Recorder::default();
    let mut session = Session::new(context(spec), None, 1, StopFlag::new(), &mut recorder);
    session.run().unwrap();
    let network = session.network().clone();
    drop(session);
    let found = WeightHistogram::parse(&recorder.tables[&Table::Histograms]);
    assert_eq!(found.len(), 3 * 10, "three layers, ten evaluations");
    let last = &found[27];
    assert_eq!((last.parameter.as_str(), last.round, last.remaining), ("fc1.weight", Some(2), 0.25));
    let surviving: Vec<f32> = network.values(0).iter().copied().filter(|value| *value != 0.0).collect();
    assert_eq!(last.counts.len(), HISTOGRAM_BINS);
    assert_eq!(last.counts.iter().sum::<u64>(), surviving.len() as u64);
    assert_eq!(last.pruned, (network.values(0).len() - surviving.len()) as u64);
    assert_eq!(last.high, surviving.iter().copied().fold(f32::MIN, f32::max));
}

#[test]
fn a_run_that_records_its_weights_goes_on_exactly() {
    assert_resumes(&recording(LOTTERY, WeightRecord::Parameters), 37);
    let members = "Ensemble(members: 2, share: First(1), mode: Tied, steps: \"2ep\")";
    assert_resumes(&recording(members, WeightRecord::Layers), 23);
}

#[test]
fn the_work_of_recording_is_part_of_the_estimate() {
    let evaluated = |weights: WeightRecord| {
        let run = known_run(&recording(LOTTERY, weights));
        cost(&run).unwrap().work.evaluated
    };
    let [off, layers, all] =
        [WeightRecord::Off, WeightRecord::Layers, WeightRecord::Histograms].map(evaluated);
    assert!(off < layers && layers < all, "{off} {layers} {all}");
}

#[test]
fn the_trainings_of_a_lottery_are_its_rounds() {
    let ended = run(with_plan(LOTTERY));
    let live = RunRecord::from_events(ended.events.iter().cloned());
    let log: Vec<String> = ended
        .events
        .iter()
        .filter(|event| !event.is_transient())
        .map(|event| serde_json::to_string(event).unwrap())
        .collect();
    let read = RunRecord::of_log((log.join("\n") + "\n").as_bytes());
    assert_eq!(rounds(&live), rounds(&read));
    let found = rounds(&read);
    let seen: Vec<_> =
        found.iter().map(|round| (round.number, round.remaining, round.trained_before)).collect();
    assert_eq!(seen, [(1, 1.0, 0.0), (2, 0.5, 2.0), (3, 0.25, 5.0)]);
    assert_eq!(found.iter().map(|round| round.step).collect::<Vec<_>>(), [Some(1), Some(5), Some(9)]);
    for (round, epochs) in found.iter().zip([2, 3, 3]) {
        let (since, accuracies): (Vec<f64>, Vec<f64>) =
            round.points(&read, "test_accuracy").map(|(since, point)| (since, point.value)).unzip();
        assert_eq!(since, (1..=epochs).map(f64::from).collect::<Vec<_>>());
        assert!(accuracies.iter().all(|accuracy| (0.0..=1.0).contains(accuracy)));
    }
    let starts: Vec<bool> = found.iter().map(|round| round.start(&read, "test_accuracy").is_some()).collect();
    assert_eq!(starts, [false, true, true], "a Test comes before the later ones");
}

#[test]
fn a_run_knows_the_time_of_day() {
    let utc = || SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs_f64();
    let before = utc();
    let ended = run(with_plan("Train(\"2ep\"), Test"));
    let record = RunRecord::from_events(ended.events);
    let began = record.began().unwrap();
    assert!((before - 0.01..utc() + 0.01).contains(&began), "{began}");
    let times: Vec<f64> =
        record.points().iter().map(|point| record.clock_secs(point.secs).unwrap()).collect();
    assert!(times.is_sorted() && times[0] >= 0.0, "{times:?}");
}

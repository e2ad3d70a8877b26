use std::path::{Path, PathBuf};

use serde_json::json;

use super::*;
use crate::Datasets;
use crate::Tally;
use doc::{RunSpec, intervention};
use net::{BurnCompute, OptimizerState, Score};

#[test]
fn what_is_between_two_evaluations_survives() {
    let spec = RunSpec::default();
    let data = Datasets::default().get(&spec.data, &spec.net, Path::new(".")).unwrap();
    let compute = Box::new(BurnCompute::new(&spec.device));
    let context =
        RunContext::new(spec, "arm".to_owned(), data, compute, PathBuf::new(), PathBuf::new()).unwrap();
    let network = context.fresh_network(0);
    let mut state = State::new(network.clone(), context.spec.train.optimizer.clone());
    let mut watch = Watch::new(intervention::Watch::default());
    watch.past.push_back(network.clone());
    watch.tally = Tally { samples: 3, distances: 0.1, divergences: f64::NAN, changes: 2 };
    state.watch = Some(watch);
    let slots = vec![vec![None, Some(vec![0.5])]];
    let score = Score { samples: 4, loss_sum: 0.1 + 0.2, correct: 1 };
    let memory = OptimizerState { steps: 7, slots };
    state.others.push(Member { network: context.fresh_network(1), memory, score });
    state.share = Some(intervention::Layers::First(1));
    state.began_with = vec![network.clone()];
    state.handovers = HandOvers { reference: Some(network), checked: 5, unequal: 1 };
    let inside = Some(TrainProgress { done: 9, score });
    let checkpoint = Checkpoint {
        next: 2,
        inside,
        campaign: Some(CampaignProgress::default()),
        secs: 1.5,
        stack: vec![state],
    };

    let lengths = Lengths { events: 8, tables: BTreeMap::from([("faults.csv".to_owned(), 4)]) };
    let bytes = to_bytes(&checkpoint, "run", &lengths).unwrap();
    let (again, read_lengths) = read(&bytes, "run", &context).unwrap();
    assert_eq!(read_lengths, lengths);
    assert_eq!(format!("{again:?}"), format!("{checkpoint:?}"), "NaN equals nothing but its text");
}

#[test]
fn a_description_that_is_no_object_is_refused() {
    for about in [json!([1]), json!("run"), json!(7), json!({ "stack": 7 }), json!({})] {
        assert!(Checkpoint::<Stored>::deserialize(&about).is_err(), "{about}");
    }
}

#[test]
fn sites_survive_their_bytes() {
    for bit in [None, Some(0), Some(31)] {
        let there = Site { parameter: 7, index: 5_000_000_000, bit };
        assert_eq!(site(&site_bytes(&there)), there);
    }
}

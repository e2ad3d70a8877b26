use std::path::{Path, PathBuf};

use super::*;
use crate::doc::RunSpec;
use crate::net::BurnCompute;
use crate::run::Datasets;

#[test]
fn what_is_between_two_evaluations_survives() {
    let spec = RunSpec::default();
    let data = Datasets::default().get(&spec.data, &spec.net, Path::new(".")).unwrap();
    let compute = Box::new(BurnCompute::new(&spec.device));
    let context = RunContext::new(spec, "arm".to_owned(), data, compute, PathBuf::new(), PathBuf::new());
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
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.safetensors");
    std::fs::write(&path, to_bytes(&checkpoint, "run", &lengths).unwrap()).unwrap();
    let (again, read_lengths) = read(&path, "run", &context).unwrap();
    assert_eq!(read_lengths, lengths);
    assert_eq!(format!("{again:?}"), format!("{checkpoint:?}"), "NaN equals nothing but its text");
}

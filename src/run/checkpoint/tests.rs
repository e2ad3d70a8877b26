use std::path::{Path, PathBuf};

use super::*;
use crate::Datasets;
use crate::past::{Tally, Watch};
use crate::state::{HandOvers, Member};
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
fn a_description_of_an_older_version_is_read() {
    let network = r#"{"values":[0],"entries":[null]}"#;
    let position = r#"{"iteration":8,"epoch":1,"sample":2}"#;
    let memory = r#"{"steps":7,"slots":[[null,3]]}"#;
    let score = r#"{"samples":4,"loss_bits":4611686018427387904,"correct":1}"#;
    let watch = format!(
        r#"{{"settings":{{}},"past":[{network}],"samples":3,"changes":2,"asked":5,
            "sums":[4607182418800017408,9221120237041090560,4611686018427387904]}}"#
    );
    let about = format!(
        r#"{{"run":"a","events":8,"next":2,"inside":[9,{score}],"secs":1.5,"stack":[{{"network":{network},
            "position":{position},"trained_bits":4607182418800017408,"order":0,"optimizer":{{"Adam":{{}}}},
            "memory":{memory},"kept":{{"s":[{network},{position}]}},"watch":{watch},
            "others":[[{network},{memory},{score}]],"handovers":{{"reference":null,"checked":1,"unequal":0}}}}]}}"#
    );
    let about = upgraded(serde_json::from_str(&about).unwrap());
    let Checkpoint { inside, stack, .. } = Checkpoint::<Stored>::deserialize(&about).unwrap();
    assert_eq!(inside.unwrap().done, 9);
    assert_eq!(stack[0].trained, 1.0);
    let watch = stack[0].watch.as_ref().unwrap();
    assert_eq!((watch.past.len(), watch.asked, watch.secs), (1, 5, 2.0));
    assert_eq!((watch.tally.samples, watch.tally.changes, watch.tally.distances), (3, 2, 1.0));
    assert!(watch.tally.divergences.is_nan());
    assert_eq!(stack[0].kept["s"].position.unwrap().iteration, 8);
    assert_eq!((stack[0].others[0].score.loss_sum, stack[0].others[0].memory.steps), (2.0, 7));
    assert_eq!(Lengths::deserialize(&about).unwrap(), Lengths { events: 8, tables: BTreeMap::new() });
}

#[test]
fn a_description_that_is_no_object_is_refused() {
    for about in [json!([1]), json!("run"), json!(7), json!({ "stack": 7 }), json!({})] {
        assert!(Checkpoint::<Stored>::deserialize(upgraded(about.clone())).is_err(), "{about}");
    }
}

//! Interventions on weights beside what the other tests of the engine look at: what is remembered, what is counted, and
//! what is refused.

use std::path::Path;
use std::sync::Arc;

use doc::RunSpec;
use form::Stored;
use intervene::{Criterion, Entry};
use net::{Network, backend};
use results::ReportLevel;
use run::testing::Recorder;
use run::{Datasets, RunContext, Session, State, StopFlag};

use crate::support::{
    assert_resumes, complaints, context, failure, reports, run, same_bits, spec, values, with_plan,
};

/// A small network with batch norm on 64 digits, two mini-batches an epoch.
fn vgg(plan: &str) -> RunSpec {
    spec(&format!(
        "(data: Digits(limit_train: 64, limit_test: 20), net: Vgg(depth: 11, width: 2),
          train: (optimizer: Sgd(rate: 0.05, momentum: 0.9, weight_decay: 0.01), batch: 32), arms: [(plan: [{plan}])])"
    ))
}

/// What the optimizer remembers, slot by slot, of a parameter.
fn remembered(state: &State, index: usize) -> Vec<&[f32]> {
    state.memory.slots.iter().map(|slot| slot[index].as_deref().unwrap()).collect()
}

#[test]
fn what_is_remembered_begins_at_zero_even_without_a_step_in_between() {
    let trained = run(with_plan("Train(\"3it\")"));
    let pruned = run(with_plan("Train(\"3it\"), Do(Prune(amount: Fraction(0.5)))"));
    let shuffled = run(with_plan("Train(\"3it\"), Do(Prune(amount: Fraction(0.5))), Do(ShuffleMask())"));
    let [first, second] = [&pruned, &shuffled].map(|ended| ended.state.network.all_entries(2));
    assert!((0..first.len()).any(|at| first[at] == Entry::Pruned && second[at].is_free()));
    for (was, is) in remembered(&trained.state, 2).into_iter().zip(remembered(&shuffled.state, 2)) {
        for at in 0..first.len() {
            let kept = first[at].is_free() && second[at].is_free();
            assert_eq!(is[at], if kept { was[at] } else { 0.0 }, "entry {at}");
        }
    }
    let released =
        run(with_plan("Train(\"3it\"), Do(Freeze(target: (layers: Only([\"fc2\"])))), Do(Release())"));
    assert!(remembered(&released.state, 2).concat().iter().all(|value| *value == 0.0));
    assert!(remembered(&released.state, 0).concat().iter().any(|value| *value != 0.0));
}

#[test]
fn the_verdict_on_held_entries_covers_the_whole_stage_however_it_is_interrupted() {
    let spec = with_plan(
        "Do(Prune(amount: Fraction(0.3))), Train(steps: \"3ep\", evaluate: \"2it\"), Test, Train(\"1ep\")",
    );
    assert_eq!(reports(&run(spec.clone()).events, "held").len(), 2, "one for each stage");
    assert_resumes(&spec, 3);
}

#[test]
fn a_whole_network_is_one_however_it_is_named() {
    for target in [
        "",
        ", target: (params: Everything)",
        ", target: (layers: First(3))",
        ", target: (layers: Except([]))",
    ] {
        let plan = format!("Do(Snapshot(name: \"k\")), Train(\"4it\"), Do(Graft(from: \"k\"{target}))");
        let state = run(with_plan(&plan)).state;
        assert_eq!((state.position.iteration, state.memory.steps), (0, 0), "{target}");
        let plan = format!("Train(\"4it\"), Do(Reinitialize({}))", target.trim_start_matches(", "));
        let state = run(with_plan(&plan)).state;
        assert_eq!((state.position.iteration, state.memory.steps), (0, 0), "{target}");
    }
    let part = run(with_plan("Train(\"4it\"), Do(Reinitialize(target: (layers: First(2))))")).state;
    assert_eq!(part.position.iteration, 4);
}

/// The run's network, with files beside the document and in the run's directory.
fn with_files(spec: RunSpec, base: &Path, output: &Path) -> Network {
    let data = Datasets::default().get(&spec.data, &spec.net, base).unwrap();
    let compute = backend(&spec.device, &spec.train.kernels).unwrap();
    let context =
        RunContext::new(spec, "arm".to_owned(), data, compute, base.to_owned(), output.to_owned()).unwrap();
    let mut recorder = Recorder::default();
    let mut session = Session::new(Arc::new(context), None, 1, StopFlag::new(), &mut recorder);
    session.run().unwrap();
    session.network().clone()
}

#[test]
fn a_file_that_the_run_exported_wins_over_one_beside_the_document() {
    let (base, output) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let export = with_plan("Do(Export(file: \"x.safetensors\"))");
    let other = with_files(RunSpec { seed: 2, ..export.clone() }, base.path(), base.path());
    std::fs::rename(base.path().join("exports/x.safetensors"), base.path().join("x.safetensors")).unwrap();
    let own = context(export).fresh_network(0);
    let there_and_back =
        with_plan("Do(Export(file: \"x.safetensors\")), Train(\"2it\"), Do(Import(file: \"x.safetensors\"))");
    assert!(same_bits(&with_files(there_and_back, base.path(), output.path()), &own));
    let before = with_plan("Do(Import(file: \"x.safetensors\")), Do(Export(file: \"x.safetensors\"))");
    let again = with_files(before, base.path(), output.path());
    assert!(same_bits(&again, &other), "what an earlier attempt left there is not read before its stage");
}

#[test]
fn the_past_is_forgotten_where_values_come_from_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("exports/x.safetensors");
    let file = path.display();
    with_files(with_plan("Do(Export(file: \"x.safetensors\"))"), folder.path(), folder.path());
    let train = "Train(steps: \"4it\", evaluate: \"1it\")";
    for (between, answers) in [
        ("Do(Reinitialize(target: (layers: Only([\"fc1\"]))))".to_owned(), 4),
        (format!("Do(Import(file: \"{file}\", target: (layers: Only([\"fc1\"]))))"), 4),
        (format!("Do(Import(file: \"{file}\", content: Mask))"), 6),
        ("Do(Prune())".to_owned(), 6),
    ] {
        let ended = run(with_plan(&format!("Do(Watch(lag: 2)), {train}, {between}, {train}")));
        assert_eq!(values(&ended.events, "past_distance").len(), answers, "{between}");
    }
}

#[test]
fn only_a_release_of_norms_lets_them_use_the_mini_batch_again() {
    for (params, fixed) in
        [("Weights", 8), ("Biases", 8), ("Norm", 0), ("RunningStatistics", 0), ("Everything", 0)]
    {
        let plan = format!("Do(Freeze(use_statistics: true)), Do(Release(target: (params: {params})))");
        assert_eq!(run(vgg(&plan)).state.network.fixed_norms().len(), fixed, "{params}");
    }
}

#[test]
fn a_mask_moves_only_among_what_was_pruned_and_the_report_says_what_is_left() {
    let plan = "Do(Prune(amount: Fraction(0.5), target: (layers: Except([\"fc1\"])))), Do(ShuffleMask(scope: Global))";
    let ended = run(with_plan(plan));
    assert_eq!(ended.state.network.mask_counts(0).pruned, 0, "fc1 was left out");
    let report = &reports(&ended.events, "shuffle")[0];
    assert_eq!(report.rows.len(), 2);
    let left: usize = report.rows.iter().map(|row| row[3].parse::<usize>().unwrap()).sum();
    assert_eq!(left, 24 + 30);
    let emptied = run(with_plan(
        "Do(Prune(amount: Fraction(1.0), target: (layers: Only([\"fc2\"])))), Do(ShuffleMask())",
    ));
    let report = &reports(&emptied.events, "shuffle")[0];
    assert!(report.summary.ends_with("no entry remains in fc2.weight"), "{}", report.summary);
}

#[test]
fn snip_goes_on_with_further_orders_where_an_epoch_is_used_up() {
    let mask = |batches: u64| {
        let plan = format!("Do(Prune(criterion: Snip(batches: {batches}), amount: Fraction(0.5)))");
        run(with_plan(&plan)).state.network.all_entries(0)
    };
    assert_ne!(mask(3), mask(4), "192 samples are three batches; the fourth is the first of another order");
    let mut lonely = spec(
        "(data: Iris(), net: Sequential(layers: [Linear(8), BatchNorm(), Relu, Linear()]), train: (batch: 16), \
            arms: [(plan: [Do(Prune(criterion: Snip(batches: 8)))])])",
    );
    lonely.train.batch = 17; // as data that turn out to be fewer would have it
    assert!(failure(lonely).contains("batch norm 1 would see one value for each channel"));
}

#[test]
fn scores_that_overflow_are_refused() {
    let large = |name: &str| format!("Do(Set(parameter: \"{name}.weight\", value: 3e38))");
    let plan = format!("{}, {}, Do(Prune(criterion: SynFlow(steps: 1)))", large("fc1"), large("fc2"));
    let message = failure(with_plan(&plan));
    assert!(message.contains("has a score of inf"), "{message}");
}

/// Bits of all parameters with this ending.
fn bits(network: &Network, endings: &[&str]) -> Vec<Vec<u32>> {
    let parameters = network.structure().parameters.iter().enumerate();
    let chosen = parameters.filter(|(_, parameter)| {
        let layer = &network.structure().layers[parameter.layer];
        let is_norm = layer.kind == doc::structure::LayerKind::BatchNorm;
        is_norm && endings.iter().any(|ending| parameter.name.ends_with(ending))
    });
    chosen.map(|(index, _)| network.values(index).iter().map(|value| value.to_bits()).collect()).collect()
}

#[test]
fn the_three_switches_of_batch_norm_are_independent() {
    const LEARNED: [&str; 2] = [".weight", ".bias"];
    const STATISTICS: [&str; 2] = [".running_mean", ".running_var"];
    let after = |freeze: &str| run(vgg(&format!("Train(\"1it\"), {freeze} Train(\"3it\")"))).state.network;
    let before = run(vgg("Train(\"1it\")")).state.network;
    let (free, norm) = (after(""), after("Do(Freeze(target: (params: Norm))),"));
    let statistics = after("Do(Freeze(target: (params: RunningStatistics))),");
    let used = after("Do(Freeze(select: Indices([]), use_statistics: true)),");
    let all_moved = |a: &Network, names: &[&str]| {
        bits(a, names).iter().zip(bits(&before, names)).all(|(now, then)| *now != then)
    };

    assert_eq!(bits(&norm, &LEARNED), bits(&before, &LEARNED));
    assert!(all_moved(&norm, &STATISTICS));

    assert_eq!(bits(&statistics, &STATISTICS), bits(&before, &STATISTICS));
    assert_eq!(
        bits(&statistics, &LEARNED),
        bits(&free, &LEARNED),
        "training looks at the mini-batch all the same"
    );

    assert_eq!(bits(&used, &STATISTICS), bits(&before, &STATISTICS), "what is used is not followed");
    assert!(all_moved(&used, &LEARNED));
    assert_ne!(bits(&used, &LEARNED), bits(&free, &LEARNED), "training looks at the statistics");
}

#[test]
fn learning_rate_rewinding_puts_the_position_back_and_nothing_else() {
    let with = |plan: &str| {
        spec(&format!(
            "(data: Digits(limit_train: 192, limit_test: 40), net: Mlp(hidden: [8, 6]),
              train: (optimizer: Adam(rate: 0.002), batch: 64, schedule: Steps(at: [\"4it\"], factor: 0.1)),
              arms: [(plan: [{plan}])])"
        ))
    };
    let start = "Train(\"2it\"), Do(Snapshot(name: \"k\")), Train(\"3it\")";
    let trained = run(with(start)).state;
    let rewound = run(with(&format!("{start}, Do(Graft(from: \"k\", weights: false))"))).state;
    assert!(same_bits(&trained.network, &rewound.network));
    assert_eq!(trained.memory, rewound.memory);
    assert_eq!((trained.position.iteration, rewound.position.iteration), (5, 2));

    // One step by hand: the mini-batch and the learning rate of iteration 2, the optimizer of iteration 5.
    let context = context(with(start));
    let order = {
        use intervene::stream::{Purpose, stream};
        data::shuffled(192, &mut stream(context.spec.seed, Purpose::Order, &[0, 0]))
    };
    let batch = context.data.train.pick(&order[128..]);
    let gradient = &mut |logits: &[f32]| context.loss.evaluate(logits, &batch.labels).gradient;
    let pass = context.compute.train(&trained.network, &batch.values().unwrap(), 64, None, gradient);
    let (mut network, mut memory) = (trained.network.clone(), trained.memory.clone());
    memory.step(&context.spec.train.optimizer, 0.002, &mut network, &pass.gradients);
    let ended = run(with(&format!("{start}, Do(Graft(from: \"k\", weights: false)), Train(\"1it\")"))).state;
    assert!(same_bits(&network, &ended.network));
    assert_eq!(memory, ended.memory);
}

#[test]
fn reports_count_what_was_touched() {
    let target = "target: (layers: Only([\"fc2\"]), params: Weights, channels: [1])";
    let ended = run(with_plan(&format!(
        "Do(Snapshot(name: \"k\")), Do(Prune(target: (layers: Only([\"fc2\"]), channels: [1]), amount: Count(3))),
         Do(Reinitialize({target})), Do(Graft(from: \"k\", {target})),
         Do(Set(parameter: \"fc3.bias\", indices: [3, 3, 1], value: 2.0))"
    )));
    let drawn = &reports(&ended.events, "reinitialize")[0].summary;
    assert_eq!(drawn, "drew 5 new values; 3 pruned or frozen weights kept theirs");
    assert_eq!(reports(&ended.events, "graft")[0].rows[0][2..], ["5", "3"]);
    assert_eq!(reports(&ended.events, "set")[0].summary, "set 2 entries of fc3.bias to 2");
}

#[test]
fn tensors_that_the_network_has_not_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let larger = spec(
        "(data: Digits(limit_train: 192, limit_test: 40), net: Mlp(hidden: [8, 6, 10]),
          arms: [(plan: [Do(Export(file: \"x.safetensors\"))])])",
    );
    with_files(larger, folder.path(), folder.path());
    let path = folder.path().join("exports/x.safetensors");
    let plan = format!("Do(Graft(from: \"{}\", target: (layers: First(2))))", path.display());
    let report = &reports(&run(with_plan(&plan)).events, "graft")[0];
    assert_eq!(report.level, ReportLevel::Warning, "perhaps they are of another network");
    assert!(report.summary.contains("also has fc4.bias, fc4.weight, which"), "{}", report.summary);
}

#[test]
fn masks_of_whole_numbers_are_masks() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mask.safetensors");
    let entries: Vec<u8> = (0..48).map(|entry| u8::from(entry % 3 > 0)).collect();
    let view = safetensors::tensor::TensorView::new(safetensors::Dtype::BOOL, vec![6, 8], &entries).unwrap();
    std::fs::write(&path, safetensors::serialize([("fc2.weight", view)], None).unwrap()).unwrap();
    let (file, target) = (path.display(), "target: (layers: Only([\"fc2\"]), params: Weights)");
    let pruned = run(with_plan(&format!("Do(Import(file: \"{file}\", content: Mask, {target}))")));
    assert_eq!(pruned.state.network.mask_counts(2).pruned, 16);
    let frozen = run(with_plan(&format!("Do(Freeze({target}, select: Mask(\"{file}\")))")));
    assert_eq!(frozen.state.network.mask_counts(2).frozen, 32);
    let message = failure(with_plan(&format!("Do(Graft(from: \"{file}\", {target}))")));
    assert!(message.contains("no floating-point tensor of that name"), "{message}");
}

#[test]
fn what_would_fail_in_the_middle_is_said_before_anything_runs() {
    for (plan, part) in [
        ("Do(Freeze(at: Snapshot(\"x.safetensors\")))", "there is no snapshot"),
        ("Do(Freeze(select: Indices([5, 10])))", "Entries: fc3.bias has 10 entries"),
        ("Do(Prune(amount: Count(30001)))", ": 30,001 entries are to be pruned, and fc1 has 19,200"),
        ("Do(Prune(amount: Count(50201), scope: Global))", "and the target has 50,200"),
        ("Do(Prune(amount: Count(301), target: (layers: First(1), channels: [0, 1])))", "and fc1 has 128"),
        ("Branch(name: \"b\", plan: [Test]), Do(Graft(from: \"b\", weights: false))", "b has no position"),
        ("Do(Graft(from: \"x.safetensors\", weights: false))", "x.safetensors has no position"),
        (
            "Repeat(times: 0, body: [Do(Snapshot(name: \"k\"))]), Do(Graft(from: \"k\"))",
            "there is no snapshot",
        ),
        ("Do(Set(parameter: \"fc1.bias\", value: 1e300))", "too large for float32"),
        ("Do(Freeze(at: Value(-1e39)))", "too large for float32"),
        ("Do(Prune(target: (params: RunningStatistics)))", "measured, not trained"),
    ] {
        let found = complaints(plan);
        assert!(found.iter().any(|problem| problem.contains(part)), "{plan}: {found:#?}");
    }
    for plan in [
        "Do(Prune(amount: Count(1000), output_factor: 0.0))",
        "Do(Snapshot(name: \"k\")), Do(Graft(from: \"k\", weights: false, target: (params: Everything)))",
        "Do(Set(parameter: \"fc1.bias\", value: 3e38))",
    ] {
        assert_eq!(complaints(plan), Vec::<String>::new(), "{plan}");
    }
}

#[test]
fn every_criterion_finds_what_it_looks_at() {
    for criterion in Criterion::all() {
        let text = criterion.to_ron();
        let ended = run(with_plan(&format!(
            "Do(Snapshot(name: \"init\")), Train(\"2it\"), Do(Prune(criterion: {text}, amount: Fraction(0.5)))"
        )));
        let report = &reports(&ended.events, "prune")[0];
        assert!(report.summary.starts_with("pruned 310 of 620 entries"), "{text}: {}", report.summary);
    }
}

use std::path::Path;

use super::*;
use crate::changed_inputs;
use crate::file::parse;
use data::{Input, Look};

fn ids(text: &str) -> Vec<String> {
    let experiment = parse(text, Path::new("x.ron")).unwrap();
    runs(&experiment).unwrap().into_iter().map(|run| run.id).collect()
}

/// Results on disk are found by these: a change here orphans everybody's runs.
#[test]
fn identities_never_change() {
    let ticket = "(data: Digits(), net: Mlp(hidden: [300, 100], init: XavierNormal), train: (optimizer: Adam(rate: 0.0012), batch: 60),
        seeds: [1, 2], arms: [(name: \"a\", plan: [Do(Snapshot(name: \"init\")), Train(\"12ep\"),
        Repeat(times: 6, body: [Do(Prune(amount: Fraction(0.2), output_factor: 0.5)), Do(Graft(from: \"init\")), Train(\"12ep\"), Test])])])";
    assert_eq!(ids(ticket), ["98347f49b52702bd", "93b7a4db3933b81e"]);
    let vgg = "(data: Cifar10(dir: \"x\", limit_train: 2000), net: Vgg(depth: 16), train: (optimizer: Sgd(rate: 0.05)), device: Ndarray, arms: [(plan: [Train(steps: \"1ep\", rate: 0.1), Test])])";
    assert_eq!(ids(vgg), ["59f5e9cc84fe4859"]);
}

#[test]
fn after_an_edit_every_identity_is_that_of_its_settings() {
    let parsed = |text: &str| parse(text, Path::new("x.ron")).unwrap();
    let seeds = format!("[1, 2, 0, {}, 18]", u64::MAX);
    let arms = |batch: u32, rate: f64| {
        parsed(&format!(
            "(train: (batch: {batch}), seeds: {seeds}, device: Ndarray, arms: [(name: \"18446744073709551615\", plan: [Test]),
            (name: \"b\", set: {{ \"train.optimizer.rate\": {rate} }}, plan: [Do(Snapshot(name: \"18446744073709551615\")), Train(\"1ep\")])])"
        ))
    };
    let mut before = Vec::new();
    for (batch, rate) in [(8, 0.5), (8, 0.25), (16, 0.25)] {
        let after = runs_after(&before, &arms(batch, rate)).unwrap();
        assert_eq!(after.len(), 10);
        assert!(after.iter().all(|run| run.id == run.spec.id()), "{after:?}");
        before = after;
    }
}

#[test]
fn names_and_the_place_of_data_are_no_part_of_an_identity() {
    let with = |name: &str, dir: &str| {
        ids(&format!(
            "(name: \"{name}\", data: Mnist(dir: \"{dir}\"), arms: [(name: \"{name}\", plan: [Test])])"
        ))
    };
    assert_eq!(with("a", "here"), with("b", "there"));
    let branch =
        |dir: &str| ids(&format!("(arms: [(plan: [Branch(data: Mnist(dir: \"{dir}\"), plan: [Test])])])"));
    assert_eq!(branch("here"), branch("there"));
    assert_ne!(with("a", "here"), ids("(data: Mnist(), seeds: [2], arms: [(plan: [Test])])"));
}

#[test]
fn a_default_that_is_written_out_changes_no_identity() {
    assert_eq!(
        ids("(train: (batch: 64), arms: [(plan: [Train(\"1ep\")])])"),
        ids("(arms: [(plan: [Train(steps: \"1ep\", rate: None)])])")
    );
}

#[test]
fn with_batch_norm_the_identity_of_earlier_versions_is_that_of_interpolated_statistics() {
    let with = |net: &str, line: &str| {
        ids(&format!(
            "(net: {net}, data: Digits(limit_train: 16, limit_test: 8), train: (kernels: Exact),
              arms: [(plan: [Do(Snapshot(name: \"a\")), Do(Snapshot(name: \"b\")), Repeat(times: 1, body: [Connect(a: \"a\", b: \"b\"{line})])])])"
        ))
    };
    let all = |net: &str| {
        ["", ", statistics: Reestimated", ", statistics: Interpolated"].map(|line| with(net, line))
    };
    // Pinned with the version before.
    let [default, reestimated, interpolated] = all("Vgg(depth: 11, width: 1)");
    assert_eq!(interpolated, ["7a38f524ddfdc350"]);
    assert!(reestimated != interpolated && default == reestimated);
    let [default, reestimated, interpolated] = all("Mlp()");
    assert_eq!(default, ["cbc215f1e5db06b8"]);
    assert!(reestimated == default && interpolated != default);
}

#[test]
fn sweeps_make_an_arm_of_every_combination() {
    let text = "(sweep: { \"train.optimizer.rate\": [0.003, 0.0003], \"net.hidden\": [[32], [64, 32]] }, seeds: [1, 2],
        arms: [(name: \"plain\", plan: [Test]), (name: \"small\", set: { \"train.batch\": 8 }, plan: [Test])])";
    let experiment = parse(text, Path::new("x.ron")).unwrap();
    let arms = expand_arms(&experiment).unwrap();
    assert_eq!(arms.len(), 8);
    assert_eq!(arms[1].name, "plain, hidden [32], rate 0.0003");
    assert!(arms[4..].iter().all(|arm| arm.spec.train.batch == 8));
    assert_eq!(runs(&experiment).unwrap().len(), 16);
    let distinct: std::collections::BTreeSet<String> = ids(text).into_iter().collect();
    assert_eq!(distinct.len(), 16);
}

#[test]
fn values_of_set_and_sweep_lie_in_the_range_of_their_setting() {
    for (text, place) in [
        ("(set: { \"train.batch\": 0 }, arms: [(plan: [Test])])", "Change settings, Batch size: "),
        ("(sweep: { \"train.evaluation_batch\": [1, 0] }, arms: [(plan: [Test])])", "Swept settings, "),
        (
            "(arms: [(plan: [Do(Prune())], sweep: { \"plan.0.Do.Prune.amount\": [Fraction(1.5)] })])",
            "arm, Swept settings, Amount: ",
        ),
    ] {
        let problems = expand_arms(&parse(text, Path::new("x.ron")).unwrap()).unwrap_err();
        let line = problems[0].to_string();
        assert!(line.starts_with(place) && line.contains("must"), "{line}");
    }
}

#[test]
fn a_seed_that_is_listed_twice_makes_one_run() {
    assert_eq!(ids("(seeds: [3, 1, 3], arms: [(plan: [Test])])").len(), 2);
}

#[test]
fn a_setting_is_swept_once() {
    let text = "(sweep: { \"train.batch\": [8] }, arms: [(sweep: { \"train.batch\": [16] }, plan: [Test])])";
    let problems = expand_arms(&parse(text, Path::new("x.ron")).unwrap()).unwrap_err();
    assert!(problems[0].to_string().contains("sweep it in one of the two"), "{problems:?}");
}

#[test]
fn a_path_that_matches_nothing_is_named_with_its_place() {
    let experiment =
        parse("(arms: [(name: \"a\", set: { \"train.bach\": 8 }, plan: [Test])])", Path::new("x.ron"))
            .unwrap();
    let problems = expand_arms(&experiment).unwrap_err();
    assert!(
        problems[0].to_string().starts_with("a, Change settings, train.bach: no setting matches"),
        "{problems:?}"
    );
}

/// Runs of MNIST with `plan`, whose files have this digest where it is given; the directories of `done` hold finished runs.
fn on_mnist(before: &[Run], plan: &str, digest: Option<&str>, done: &[&str]) -> Vec<Run> {
    let text = format!("(data: Mnist(dir: \"m\"), seeds: [1, 2], arms: [(name: \"a\", plan: [{plan}])])");
    let mut experiment = parse(&text, Path::new("x.ron")).unwrap();
    let look = Look { content: digest.map(str::to_owned), ..Look::default() };
    experiment.looks.add(&Input::Data(experiment.data.clone()), look);
    experiment.looks.note_done(done.iter().map(|id| (*id).to_owned()).collect());
    runs_after(before, &experiment).unwrap()
}

fn ids_of(runs: &[Run]) -> Vec<&str> {
    runs.iter().map(|run| run.id.as_str()).collect()
}

#[test]
fn the_content_of_inputs_is_part_of_an_identity_and_their_place_is_not() {
    let of = |digest| on_mnist(&[], "Test", digest, &[]);
    let [unknown, one, two] = [of(None), of(Some("aa")), of(Some("bb"))];
    assert_eq!(ids_of(&unknown)[0], ids("(data: Mnist(dir: \"n\"), arms: [(plan: [Test])])")[0]);
    assert!(ids_of(&one)[0] != ids_of(&two)[0] && ids_of(&one)[0] != ids_of(&unknown)[0]);
    assert!(one.iter().all(|run| run.id == run.spec.id() && !run.is_earlier));
    let changed = changed_inputs(&one[0].spec, &two[0].spec).unwrap();
    assert_eq!(changed, "MNIST changed (SHA-256 begins aa then, bb now)");
    assert_eq!(changed_inputs(&one[0].spec, &one[0].spec), None);
    let other = on_mnist(&[], "Test, Test", Some("bb"), &[]);
    assert_eq!(changed_inputs(&one[0].spec, &other[0].spec), None, "settings differ, too");
}

#[test]
fn results_of_earlier_versions_are_those_of_whole_arms_until_there_are_later_ones() {
    let unknown = on_mnist(&[], "Test", None, &[]);
    let earlier = ids_of(&unknown);
    let new = on_mnist(&[], "Test", Some("aa"), &[]);
    let found = on_mnist(&[], "Test", Some("aa"), &earlier);
    assert!(ids_of(&found) == earlier && found.iter().all(|run| run.is_earlier));
    // Of one seed alone they would be in one mean with runs of known contents.
    assert_eq!(on_mnist(&[], "Test", Some("aa"), &earlier[..1]), new);
    assert_eq!(on_mnist(&[], "Test", Some("aa"), &[earlier[0], earlier[1], &new[0].id]), new);
    // What was taken is not kept when it is gone.
    assert_eq!(on_mnist(&found, "Test", Some("aa"), &[]), new);
    // Where the files are gone, and no run knows them, the results are still said to have no record.
    assert!(on_mnist(&[], "Test", None, &earlier).iter().all(|run| run.is_earlier));
}

mod identity {
    use super::*;
    use form::ron_text;

    fn id(net: &str, more: &str, train: &str) -> String {
        let spec = format!("(data: Digits(), net: {net}, train: ({train}), plan: [Train(\"1ep\")]{more})");
        ron_text::from_str::<RunSpec>(&spec).unwrap().id()
    }

    #[test]
    fn results_of_fast_and_of_exact_training_stay_apart_and_are_found_again() {
        let vgg = |train: &str| id("Vgg(depth: 11, width: 32)", "", train);
        // Pinned with the version before, in which exact training was the default.
        let (exact, fast) = ("1f72971f29636c69", "752c3cb829255f5e");
        assert_eq!([vgg("kernels: Exact"), vgg("kernels: Direct")], [exact, exact]);
        assert_eq!([vgg(""), vgg("kernels: Fast"), vgg("kernels: Winograd")], [fast, fast, fast]);
    }

    #[test]
    fn kernels_that_change_no_bit_change_no_identity() {
        for (net, more) in [
            ("Mlp()", ""),
            ("LeNet5()", ""),
            ("Vgg(depth: 11, width: 2)", ""),
            ("Vgg(depth: 11)", ", device: Ndarray"),
        ] {
            let of = |train: &str| id(net, more, train);
            assert_eq!(of("kernels: Fast"), of("kernels: Exact"), "{net}");
        }
        let of = |more: &str, kernels: &str| id("Vgg(depth: 11)", more, &format!("kernels: {kernels}"));
        assert_ne!(of("", "Exact"), of("", "Burn"));
        assert_eq!(of("", "Burn"), of(", device: Ndarray", "Fast"));
        assert_eq!(of(", device: Flex", "Fast"), of("", "Fast"));
    }
}

use super::*;

const TEXT: &str = r#"(
    seeds: [1, 2],
    sweep: { "train.batch": [8, 16] },
    arms: [(name: "a", plan: [Train("1ep")]), (name: "b", plan: [Train("1ep"), Test])],
)"#;

fn document(set: &[(&str, &str)]) -> Result<Document, Failure> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.ron");
    std::fs::write(&path, TEXT).unwrap();
    let set = set.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    Document::open(&DocumentArgs { file: path, set }, None)
}

fn select(arm: &[&str], seed: &[u64]) -> Result<Vec<String>, String> {
    let document = document(&[]).unwrap();
    let arm = arm.iter().map(|&arm| arm.to_owned()).collect();
    let selection = SelectionArgs { arm, seed: seed.to_vec() };
    let runs = document.all_runs().and_then(|runs| document.select(runs, &selection));
    runs.map(|runs| runs.iter().map(|run| format!("{} {}", run.arm, run.seed)).collect())
        .map_err(|failure| failure.to_string())
}

#[test]
fn an_arm_answers_to_its_name_with_and_without_swept_values() {
    assert_eq!(select(&[], &[]).unwrap().len(), 8);
    assert_eq!(select(&["a"], &[2]).unwrap(), ["a, batch 8 2", "a, batch 16 2"]);
    assert_eq!(select(&["b, batch 16"], &[]).unwrap(), ["b, batch 16 1", "b, batch 16 2"]);
}

#[test]
fn runs_come_by_arm_in_the_order_of_the_document() {
    let all = document(&[]).unwrap().all_runs().unwrap();
    let mixed: Vec<Run> = [6, 0, 3, 1, 7].map(|at: usize| all[at].clone()).into();
    let found: Vec<(&str, Vec<u64>)> = by_arm(&mixed)
        .into_iter()
        .map(|(arm, runs)| (arm, runs.iter().map(|run| run.seed).collect()))
        .collect();
    assert_eq!(found, [("b, batch 16", vec![1, 2]), ("a, batch 8", vec![1, 2]), ("a, batch 16", vec![2])]);
}

#[test]
fn arms_and_seeds_that_do_not_exist_are_named_with_those_that_do() {
    assert!(select(&["c"], &[]).unwrap_err().contains("a, batch 8"));
    assert_eq!(select(&[], &[3]).unwrap_err(), "error: there is no seed 3; there are 1, 2");
}

#[test]
fn settings_of_the_command_line_reach_every_plan() {
    let document = document(&[("arms.*.plan.**.Train", "7it"), ("seeds", "[5]")]).unwrap();
    let runs = document.all_runs().unwrap();
    assert_eq!(runs.len(), 4);
    assert!(runs.iter().all(|run| run.seed == 5 && run.spec.plan[0].sentence() == "Train 7 iterations"));
    assert_eq!(distinct(&[runs.clone(), runs.clone()].concat()), runs);
}

#[test]
fn what_is_wrong_by_a_setting_is_said_of_the_setting() {
    let errors = |set: &[(&str, &str)]| match document(set).unwrap().runs() {
        Err(Failure::Problems(lines)) => lines,
        other => panic!("{other:?}"),
    };
    let found = errors(&[("seeds", "[5]"), ("train.optimizer", "Sgd(rate: -1.0)")]);
    assert!(
        found[0].starts_with("error: --set train.optimizer=Sgd(rate: -1.0): Training, Optimizer, "),
        "{found:?}"
    );
    let found = errors(&[("data", "Mnist(dir: \"/nowhere\")")]);
    assert!(
        found[0].starts_with("error: --set data=Mnist(dir: \"/nowhere\"): Data: MNIST was not"),
        "{found:?}"
    );
}

#[test]
fn names_in_quotes_may_hold_any_sign() {
    let key = "arms.\"rate=0.1\".plan";
    assert_eq!(key_and_value(&format!("{key}=[Test]")).unwrap(), (key.to_owned(), "[Test]".to_owned()));
}

#[test]
fn a_setting_that_matches_nothing_is_an_error() {
    let failure = document(&[("train.bach", "8")]).unwrap_err();
    assert!(failure.to_string().starts_with("error: --set: no setting matches \"train.bach\""), "{failure}");
    assert!(key_and_value("train.batch").is_err() && key_and_value("=8").is_err());
}

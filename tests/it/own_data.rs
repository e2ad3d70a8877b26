//! Data of the user's, through the command line: read, run, found again without the data, and other runs for other data.

use std::path::Path;

use run::summary::{DataPart, read_samples};
use run::{Replay, replay};

use crate::support::bench::{printed, weightlab};

const TABLE: &str =
    "a;b;colour;kind\n1;2;red;cat\n3;4;blue;dog\n5;6;red;cat\n7;8;red;cow\n9;1;blue;dog\n2;2;red;cat\n";

/// A folder with a table and an experiment about it.
fn bench() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.csv"), TABLE).unwrap();
    let experiment = "(data: Csv(file: \"t.csv\", label: \"kind\"), net: Mlp(hidden: [4]), train: (batch: 2),
        arms: [(name: \"a\", plan: [Train(\"2ep\"), Test])])";
    std::fs::write(folder.path().join("x.ron"), experiment).unwrap();
    folder
}

#[test]
fn a_table_is_run_and_its_results_are_found_without_it() {
    let folder = bench();
    let folder = folder.path();
    let run = weightlab(folder, &["run", "x.ron"]);
    assert!(run.status.success(), "{}", printed(&run));
    let show = |part: &str| {
        let output = weightlab(folder, &["show", "x.ron"]);
        assert!(printed(&output).contains(part), "{} lacks {part}", printed(&output));
    };
    show("done");
    std::fs::rename(folder.join("t.csv"), folder.join("away.csv")).unwrap();
    show("done");
    let check = weightlab(folder, &["check", "x.ron"]);
    assert!(!check.status.success());
    assert!(
        printed(&check).contains("t.csv: cannot be found") && printed(&check).contains("Correct the path"),
        "{}",
        printed(&check)
    );
    // The same table elsewhere is the same data.
    let moved = weightlab(folder, &["run", "x.ron", "--set", "data.file=away.csv"]);
    assert!(moved.status.success(), "{}", printed(&moved));
    assert_eq!(count(folder), 1, "{}", printed(&moved));
    std::fs::write(folder.join("away.csv"), TABLE.replace("1;2;red;cat", "1;3;red;cat")).unwrap();
    let changed = weightlab(folder, &["run", "x.ron", "--set", "data.file=away.csv"]);
    assert!(changed.status.success(), "{}", printed(&changed));
    assert_eq!(count(folder), 2, "{}", printed(&changed));
}

/// How many runs have a directory.
fn count(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder.join("x.runs")).unwrap();
    entries.filter(|entry| entry.as_ref().unwrap().path().join("run.json").is_file()).count()
}

#[test]
fn a_mistake_in_a_table_is_named_with_its_place() {
    let folder = bench();
    std::fs::write(folder.path().join("t.csv"), TABLE.replace("7;8", "7;?")).unwrap();
    let output = weightlab(folder.path(), &["check", "x.ron"]);
    assert!(!output.status.success());
    let expected = "line 5, column \"b\": a value, not a missing one, found \"?\"";
    assert!(printed(&output).contains(expected), "{}", printed(&output));
}

#[test]
fn sweeps_over_tables_and_branches_with_others_are_looked_at() {
    let folder = bench();
    let folder = folder.path();
    std::fs::write(folder.join("u.csv"), TABLE.replace("3;4", "3;5")).unwrap();
    let experiment = "(data: Csv(file: \"t.csv\", label: \"kind\"), net: Mlp(hidden: [4]), sweep: { \"data.file\": [\"t.csv\", \"u.csv\"] },
        arms: [(name: \"a\", plan: [Branch(name: \"b\", data: Csv(file: \"u.csv\", label: \"kind\"), plan: [Train(\"1ep\")])])])";
    std::fs::write(folder.join("x.ron"), experiment).unwrap();
    let run = weightlab(folder, &["run", "x.ron"]);
    assert!(run.status.success(), "{}", printed(&run));
    assert_eq!(count(folder), 2);
}

#[test]
fn what_was_found_in_the_data_is_said_by_check_and_run_and_in_the_log() {
    let folder = bench();
    let folder = folder.path();
    let check = weightlab(folder, &["check", "x.ron"]);
    let said = String::from_utf8(check.stdout).unwrap();
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[1], "Data: Table (CSV), t.csv");
    for line in [
        "  classes           3: cat, cow, dog",
        "  samples           5 for training, 0 for validation, 1 for testing",
        "  one sample        4 features",
    ] {
        assert!(lines.contains(&line), "{line}\n{said}");
    }
    let run = weightlab(folder, &["run", "x.ron"]);
    let errors = String::from_utf8_lossy(&run.stderr);
    assert!(errors.contains("Data: Table (CSV), t.csv\n  classes           3: cat, cow, dog\n"), "{errors}");
    let again = weightlab(folder, &["run", "x.ron"]);
    assert!(!printed(&again).contains("Data: Table"), "nothing is left to run: {}", printed(&again));
    let reports = printed(&weightlab(folder, &["show", "x.ron", "--reports"]));
    let summary = "Start: Table (CSV), t.csv: 5 for training, 0 for validation, 1 for testing; 3 classes\n";
    assert!(reports.contains(summary) && reports.contains("in each class"), "{reports}");
    let report = weightlab(folder, &["report", "x.ron", "--to", "x.html"]);
    assert!(report.status.success(), "{}", printed(&report));
    let html = std::fs::read_to_string(folder.join("x.html")).unwrap();
    assert!(html.contains("<h2 id=\"data\">Data</h2>") && html.contains(">samples' SHA-256<"), "{html}");
}

#[test]
fn check_in_json_tells_programs_what_is_wrong_and_what_is_in_the_data() {
    let folder = bench();
    let folder = folder.path();
    let json = |arguments: &[&str]| -> (Option<i32>, serde_json::Value) {
        let output = weightlab(folder, &[&["check", "x.ron", "--json"], arguments].concat());
        (output.status.code(), serde_json::from_slice(&output.stdout).unwrap())
    };
    let (status, valid) = json(&[]);
    assert_eq!((status, &valid["file"], &valid["valid"]), (Some(0), &"x.ron".into(), &true.into()));
    assert_eq!((&valid["arms"], &valid["runs"]), (&1.into(), &1.into()));
    let data = &valid["data"][0];
    assert_eq!((&data["name"], &data["path"]), (&"Table (CSV)".into(), &"t.csv".into()));
    assert_eq!(data["classes"], serde_json::json!(["cat", "cow", "dog"]));
    assert_eq!((&data["train"]["samples"], &data["test"]["samples"]), (&5.into(), &1.into()));
    assert_eq!(
        (&data["shape"], &data["used_by"]),
        (&serde_json::json!([4, 1, 1]), &serde_json::json!(["a"]))
    );
    assert_eq!(data["digest"]["files"].as_str().unwrap().len(), 16);

    let (status, wrong) = json(&["--set", "train.batch=0"]);
    assert_eq!((status, &wrong["valid"], &wrong["data"]), (Some(2), &false.into(), &serde_json::json!([])));
    let problem = &wrong["problems"][0];
    assert_eq!((&problem["severity"], &problem["place"]), (&"error".into(), &"train.batch".into()));
    assert_eq!((&problem["setting"], &problem["line"]), (&"train.batch=0".into(), &serde_json::Value::Null));
    std::fs::write(folder.join("x.ron"), "(\n  sedes: [1])").unwrap();
    let (status, typo) = json(&[]);
    assert_eq!((status, &typo["valid"], &typo["problems"][0]["line"]), (Some(2), &false.into(), &2.into()));
    std::fs::remove_file(folder.join("x.ron")).unwrap();
    let (status, gone) = json(&[]);
    assert_eq!((status, &gone["valid"], &gone["runs"]), (Some(2), &false.into(), &0.into()));
}

/// A folder of grey pictures in two classes, of which one more is damaged.
fn pictures(folder: &Path) {
    for (class, shade) in [("cat", 0_u8), ("dog", 200)] {
        std::fs::create_dir_all(folder.join(class)).unwrap();
        for number in 0..5_u8 {
            let picture = [b"P6 4 4 255\n".as_slice(), &[shade + 10 * number; 48]].concat();
            std::fs::write(folder.join(class).join(format!("{number}.ppm")), picture).unwrap();
        }
    }
    std::fs::write(folder.join("cat/x.ppm"), b"P6 4 4 255\nshort").unwrap();
}

#[test]
fn damaged_pictures_of_a_run_and_of_a_branch_are_counted_everywhere() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    pictures(&folder.join("clean"));
    std::fs::remove_file(folder.join("clean/cat/x.ppm")).unwrap();
    pictures(&folder.join("noisy"));
    let images = |dir: &str| format!("Images(dir: \"{dir}\", resize: 4, crop: 4, damaged: Skip)");
    let experiment = |dir: &str| {
        let branch = format!("Branch(name: \"b\", data: {}, plan: [Train(\"1it\")])", images("noisy"));
        let text = format!(
            "(data: {}, net: Mlp(hidden: [4]), train: (batch: 2), arms: [(name: \"a\", plan: [Train(\"1it\"), {branch}])])",
            images(dir)
        );
        std::fs::write(folder.join("x.ron"), text).unwrap();
    };
    let methods = || {
        let run = weightlab(folder, &["run", "x.ron"]);
        assert!(run.status.success(), "{}", printed(&run));
        let export = weightlab(folder, &["export", "x.ron", "--methods", "--to", "methods.txt"]);
        assert!(export.status.success(), "{}", printed(&export));
        std::fs::read_to_string(folder.join("methods.txt")).unwrap()
    };
    experiment("clean");
    let paragraph = methods();
    assert!(
        paragraph.contains("Of the data of branches, 1 sample could not be read and was left out."),
        "{paragraph}"
    );
    assert!(!paragraph.contains("Of these"), "{paragraph}");
    let reports = printed(&weightlab(folder, &["show", "x.ron", "--reports"]));
    assert!(
        reports.contains("Left out 1 sample that could not be read") && reports.contains("x.ppm"),
        "{reports}"
    );
    experiment("noisy");
    let paragraph = methods();
    assert!(paragraph.contains("Of these, 1 sample could not be read and was left out."), "{paragraph}");
}

#[test]
fn a_replay_in_a_branch_has_the_data_and_the_classes_of_the_branch() {
    let folder = bench();
    let folder = folder.path();
    std::fs::write(folder.join("u.csv"), TABLE.replace("cat", "hen")).unwrap();
    let experiment = "(data: Csv(file: \"t.csv\", label: \"kind\"), net: Mlp(hidden: [4]), train: (batch: 2), arms: [(name: \"a\", plan: [
        Branch(name: \"b\", data: Csv(file: \"u.csv\", label: \"kind\"), plan: [Train(\"1it\"), Campaign(trials: Fixed(3))])])])";
    std::fs::write(folder.join("x.ron"), experiment).unwrap();
    let run = weightlab(folder, &["run", "x.ron"]);
    assert!(run.status.success(), "{}", printed(&run));
    let runs = std::fs::read_dir(folder.join("x.runs")).unwrap();
    let mut directories =
        runs.map(|entry| entry.unwrap().path()).filter(|path| path.join("run.json").is_file());
    let directory = directories.next().unwrap();
    let ask = Replay { has_images: true, ..Default::default() };
    let replayed = replay(&directory, &ask).unwrap();
    assert_eq!(replayed.len(), 3);
    for trial in &replayed {
        assert!(trial.is_equal());
        assert_eq!(trial.classes.iter().collect::<Vec<_>>(), ["cow", "dog", "hen"]);
        let seen = read_samples(&trial.spec, folder, DataPart::Test).unwrap();
        let labels: Vec<u32> = trial.images.iter().map(|image| image.label).collect();
        assert_eq!((seen.samples.labels, seen.classes), (labels, trial.classes.clone()));
    }
}

//! Data of the user's, through the command line: read, run, found again without the data, and other runs for other data.

use std::path::Path;
use std::process::{Command, Output};

use weightlab::run::summary::{DataPart, read_samples};
use weightlab::run::{Replay, replay};

const TABLE: &str =
    "a;b;colour;kind\n1;2;red;cat\n3;4;blue;dog\n5;6;red;cat\n7;8;red;cow\n9;1;blue;dog\n2;2;red;cat\n";

fn weightlab(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_weightlab")).args(arguments).current_dir(folder).output().unwrap()
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

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
    assert!(run.status.success(), "{}", text(&run));
    let show = |part: &str| {
        let output = weightlab(folder, &["show", "x.ron"]);
        assert!(text(&output).contains(part), "{} lacks {part}", text(&output));
    };
    show("done");
    std::fs::rename(folder.join("t.csv"), folder.join("away.csv")).unwrap();
    show("done");
    let check = weightlab(folder, &["check", "x.ron"]);
    assert!(!check.status.success());
    assert!(
        text(&check).contains("t.csv: cannot be found") && text(&check).contains("Correct the path"),
        "{}",
        text(&check)
    );
    // The same table elsewhere is the same data.
    let moved = weightlab(folder, &["run", "x.ron", "--set", "data.file=away.csv"]);
    assert!(moved.status.success(), "{}", text(&moved));
    assert_eq!(count(folder), 1, "{}", text(&moved));
    std::fs::write(folder.join("away.csv"), TABLE.replace("1;2;red;cat", "1;3;red;cat")).unwrap();
    let changed = weightlab(folder, &["run", "x.ron", "--set", "data.file=away.csv"]);
    assert!(changed.status.success(), "{}", text(&changed));
    assert_eq!(count(folder), 2, "{}", text(&changed));
}

/// How many runs have a directory.
fn count(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder.join("x.runs")).unwrap();
    entries.filter(|entry| entry.as_ref().unwrap().path().join("run.ron").is_file()).count()
}

#[test]
fn a_mistake_in_a_table_is_named_with_its_place() {
    let folder = bench();
    std::fs::write(folder.path().join("t.csv"), TABLE.replace("7;8", "7;?")).unwrap();
    let output = weightlab(folder.path(), &["check", "x.ron"]);
    assert!(!output.status.success());
    let expected = "line 5, column \"b\": a value, not a missing one, found \"?\"";
    assert!(text(&output).contains(expected), "{}", text(&output));
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
    assert!(run.status.success(), "{}", text(&run));
    assert_eq!(count(folder), 2);
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
        assert!(run.status.success(), "{}", text(&run));
        let export = weightlab(folder, &["export", "x.ron", "--methods", "--to", "methods.txt"]);
        assert!(export.status.success(), "{}", text(&export));
        std::fs::read_to_string(folder.join("methods.txt")).unwrap()
    };
    experiment("clean");
    let paragraph = methods();
    assert!(
        paragraph.contains("Of the data of branches, 1 sample could not be read and was left out."),
        "{paragraph}"
    );
    assert!(!paragraph.contains("Of these"), "{paragraph}");
    let reports = text(&weightlab(folder, &["show", "x.ron", "--reports"]));
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
    assert!(run.status.success(), "{}", text(&run));
    let runs = std::fs::read_dir(folder.join("x.runs")).unwrap();
    let mut directories =
        runs.map(|entry| entry.unwrap().path()).filter(|path| path.join("run.ron").is_file());
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

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::event::tests::{scalars, tags};
use super::*;
use doc::file::parse;
use doc::{RunSpec, runs};
use results::event::Clock;
use results::{Event, Point};

const TEXT: &str = "// Two arms.\n(data: Iris(), seeds: [1, 2], arms: [(name: \"a b\", plan: [Train(\"2ep\")]), (name: \"c\", plan: [Test])])";

/// An experiment with the records of some of its runs.
struct Bench {
    folder: tempfile::TempDir,
    experiment: doc::Experiment,
    runs: Vec<Run>,
    records: BTreeMap<String, RunRecord>,
}

impl Bench {
    fn new() -> Self {
        let experiment = parse(TEXT, Path::new("x.ron")).unwrap();
        let runs = runs(&experiment).unwrap();
        Self { folder: tempfile::tempdir().unwrap(), experiment, runs, records: BTreeMap::new() }
    }

    fn place(&self) -> PathBuf {
        self.folder.path().join("board")
    }

    fn write(&self) -> Result<Written, PublishError> {
        let selected = Selected {
            experiment: &self.experiment,
            file: Path::new("x.ron"),
            text: TEXT,
            all: &self.runs,
            runs: &self.runs,
            records: &self.records,
            folder: self.folder.path(),
        };
        write(&selected, &self.place())
    }

    fn read(&self, file: &str) -> Vec<u8> {
        std::fs::read(self.place().join(file).join(FILE)).unwrap()
    }
}

fn point(series: &str, value: f64, iteration: u64) -> Event {
    let epoch = iteration as f64 / 10.0;
    let (series, stage) = (series.to_owned(), "0".to_owned());
    let at = Point { series, value, stage, epoch, iteration, ..Point::default() };
    Event::Point(Point { trained: epoch, remaining: 1.0, secs: epoch, ..at })
}

#[test]
fn every_run_has_a_file_with_its_values_as_float32() {
    let mut bench = Bench::new();
    assert!(matches!(bench.write(), Err(PublishError::NoResults { .. })));
    assert!(!bench.place().exists(), "nothing is made for nothing");
    let events = [
        Event::Started { resumed: false, threads: 1 },
        Event::Clock(Clock { utc: 1000.0, secs: 0.0 }),
        point("test_accuracy", 0.1, 10),
        point("test_loss", f64::NAN, 10),
        point("test_accuracy", 0.7, 20),
        Event::Finished { secs: 2.5 },
    ];
    bench.records.insert(bench.runs[1].id.clone(), RunRecord::from_events(events));
    let written = bench.write().unwrap();
    assert_eq!((written.runs, written.points, written.histograms), (1, 3, 0));
    let [note] = &written.notes[..] else { panic!("{:?}", written.notes) };
    assert!(note.starts_with("a b, seed 2: ") && note.contains("left out"), "it has no weights: {note}");
    let file = bench.read("a_b/seed-2");
    let found: Vec<(f64, u64, String, f32)> = scalars(&file);
    let of = |tag: &str| -> Vec<(f64, u64, f32)> {
        let own = found.iter().filter(|(.., name, _)| name == tag);
        own.map(|(time, step, _, value)| (*time, *step, *value)).collect()
    };
    assert_eq!(of("accuracy/test"), [(1001.0, 10, 0.1), (1002.0, 20, 0.7)]);
    assert!(of("loss/test")[0].2.is_nan());
    assert_eq!(of("position/epoch"), [(1001.0, 10, 1.0), (1002.0, 20, 2.0)]);
    let plugins: Vec<(String, Option<String>)> =
        tags(&file).into_iter().filter(|(_, plugin)| plugin.is_some()).collect();
    let names: Vec<&str> = plugins.iter().map(|(tag, _)| tag.as_str()).collect();
    assert_eq!(names, ["_hparams_/session_start_info", "run", "_hparams_/session_end_info"]);
    let texts: Vec<String> = tags(&bench.read("")).into_iter().map(|(tag, _)| tag).collect();
    assert_eq!(texts, ["_hparams_/experiment", "methods", "experiment"]);
    let before = bench.read("");
    bench.write().unwrap();
    assert_eq!((bench.read("a_b/seed-2"), bench.read("")), (file, before), "the same bytes once more");
}

#[test]
fn a_folder_of_something_else_stays_as_it_is() {
    let mut bench = Bench::new();
    bench.records.insert(bench.runs[0].id.clone(), RunRecord::from_events([point("test_loss", 1.0, 1)]));
    std::fs::create_dir(bench.place()).unwrap();
    std::fs::write(bench.place().join("notes.txt"), "mine").unwrap();
    assert!(matches!(bench.write(), Err(PublishError::Foreign { .. })));
    assert_eq!(std::fs::read_dir(bench.place()).unwrap().count(), 1);
}

#[test]
fn a_fence_is_longer_than_any_in_the_file() {
    assert_eq!((fence("a~~~~b~").len(), fence("").len()), (5, 3));
}

fn run(id: &str, arm: &str, seed: u64) -> Run {
    Run {
        id: id.to_owned(),
        arm: arm.to_owned(),
        arm_index: 0,
        is_earlier: false,
        seed,
        spec: RunSpec::default().into(),
    }
}

#[test]
fn names_are_safe_and_no_two_runs_share_a_folder() {
    let long = "x".repeat(300);
    let runs = [
        run("a1", "plain, rate 0.1", 1),
        run("a2", "../../etc", 1),
        run("a3", "PLAIN__rate 0.1", 1),
        run("a4", &long, 2),
        run("a5", "...", 1),
    ];
    let mut folders = Folders::read(Path::new("does-not-exist")).unwrap();
    let found: Vec<String> = folders.take(&runs).iter().map(|path| path.display().to_string()).collect();
    assert_eq!(found[..3], ["plain__rate_0.1/seed-1", "_._.._etc/seed-1", "PLAIN__rate_0.1/seed-1-a3"]);
    assert_eq!((found[3].len(), found[4].as_str()), (60 + "/seed-2".len(), "_/seed-1"));
}

#[test]
fn a_run_of_other_settings_gets_another_folder_and_every_run_keeps_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let mut folders = Folders::read(folder.path()).unwrap();
    assert_eq!(folders.take(&[run("old", "a", 1)]), [Path::new("a/seed-1")]);
    folders.write(folder.path()).unwrap();
    let mut again = Folders::read(folder.path()).unwrap();
    assert_eq!(again, folders);
    let changed = [run("new", "a", 1), run("old", "a", 1)];
    let wanted = ["a/seed-1-new", "a/seed-1"].map(Path::new);
    assert_eq!(again.take(&changed), wanted);
    assert_eq!(again.take(&changed), wanted, "once more");
}

#[test]
fn arms_that_share_a_run_keep_a_folder_each_and_a_renamed_arm_keeps_its_own() {
    let mut folders = Folders::read(Path::new("does-not-exist")).unwrap();
    let shared = [run("same", "a", 1), run("same", "b", 1)];
    let wanted = ["a/seed-1", "b/seed-1"].map(Path::new);
    assert_eq!(folders.take(&shared), wanted);
    assert_eq!(folders.take(&shared), wanted, "once more");
    assert_eq!(folders.take(&[run("same", "b", 1)]), wanted[1..]);
    let renamed = [run("same", "a", 1), run("same", "c", 1)];
    assert_eq!(folders.take(&renamed), wanted);
}

#[test]
fn what_somebody_else_wrote_is_no_place_for_an_export() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("events.out.tfevents.1"), "").unwrap();
    let refusal = Folders::read(folder.path()).unwrap_err().to_string();
    assert!(refusal.contains("holds files that no earlier export has written"), "{refusal}");
    std::fs::write(folder.path().join(MANIFEST), "{\"format\": \"another\", \"runs\": {}}").unwrap();
    assert!(Folders::read(folder.path()).is_err());
    assert!(Folders::read(&folder.path().join(MANIFEST)).is_err(), "a file is no folder");
}

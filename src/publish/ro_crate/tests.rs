use std::collections::BTreeMap;

use serde_json::Value;

use super::*;
use doc::file::{open, parse};
use doc::runs;
use results::event::Clock;
use results::{Event, Point};
use run::read_records;

const TEXT: &str = "(name: \"Two <arms>\", data: Iris(), seeds: [1, 2], arms: [(name: \"a\", plan: [Train(\"2ep\")]), (name: \"b\", plan: [Test])])";
/// 2026-01-02 03:04:05 UTC.
const PUBLISHED: u64 = 1_767_323_045;

/// An experiment `my first.ron` with the directories of some of its runs.
struct Bench {
    folder: tempfile::TempDir,
    experiment: doc::Experiment,
    runs: Vec<Run>,
}

impl Bench {
    fn new() -> Self {
        let experiment = parse(TEXT, Path::new("x.ron")).unwrap();
        let runs = runs(&experiment).unwrap();
        let bench = Self { folder: tempfile::tempdir().unwrap(), experiment, runs };
        bench.store(0, &[Event::Finished { secs: 2.5 }]);
        bench.write_of(0, "DONE", "");
        bench.write_of(0, "weights.safetensors", "weights");
        bench.write_of(0, "claim", "a host");
        bench.store(2, &[Event::Failed { message: "the disk is full".to_owned() }]);
        bench.write_of(2, "FAILED", "the disk is full");
        bench
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write_of(&self, run: usize, name: &str, text: &str) {
        let directory = self.path("my first.runs").join(&self.runs[run].id);
        std::fs::create_dir_all(&directory).unwrap();
        std::fs::write(directory.join(name), text).unwrap();
    }

    /// The log and the settings of a run.
    fn store(&self, run: usize, end: &[Event]) {
        let point = Point { series: "test_accuracy".to_owned(), value: 0.5, secs: 1.0, ..Point::default() };
        let begin = [
            Event::Started { resumed: false, threads: 1 },
            Event::Clock(Clock { utc: 1_767_225_600.0, secs: 0.0 }),
            Event::Point(Point { stage: "0".to_owned(), remaining: 1.0, ..point }),
        ];
        let lines = begin.iter().chain(end).map(|event| serde_json::to_string(event).unwrap() + "\n");
        self.write_of(run, "events.jsonl", &lines.collect::<String>());
        let about = "(arm: \"a\", seed: 1, program: \"weightlab 0.1.0\", machine: (commit: \"0123456789ab\", system: \"linux x86_64\", vectors: \"AVX2\"), spec: (), data: \"00ff\")";
        self.write_of(run, "run.ron", about);
    }

    fn write(&self, place: &str, published: u64) -> Result<Written, PublishError> {
        let folder = self.path("my first.runs");
        let records: BTreeMap<String, RunRecord> = read_records(&folder, &self.runs);
        let selected = Selected {
            experiment: &self.experiment,
            file: &self.path("my first.ron"),
            text: TEXT,
            all: &self.runs,
            runs: &self.runs,
            records: &records,
            folder: &folder,
        };
        let author = Author::parse("Ada Lovelace <0000-0002-1825-0097>").unwrap();
        let options =
            CrateOptions { licence: Some(Licence::parse("CC-BY-4.0").unwrap()), authors: vec![author] };
        write_at(&selected, &options, &self.path(place), published)
    }

    fn graph(&self, place: &str) -> Vec<Value> {
        let text = std::fs::read(self.path(place).join(METADATA)).unwrap();
        let document: Value = serde_json::from_slice(&text).unwrap();
        document["@graph"].as_array().unwrap().clone()
    }
}

fn entity<'a>(graph: &'a [Value], id: &str) -> &'a Value {
    let found: Vec<&Value> = graph.iter().filter(|entity| entity["@id"] == id).collect();
    let [entity] = found[..] else { panic!("{} entities {id}", found.len()) };
    entity
}

/// All values of `@id`, those of entities and of references.
fn ids<'a>(value: &'a Value, is_entity: bool, found: &mut Vec<&'a str>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| ids(item, is_entity, found)),
        Value::Object(fields) if fields.len() == 1 && fields.contains_key("@id") && !is_entity => {
            found.push(fields["@id"].as_str().unwrap());
        }
        Value::Object(fields) => fields.values().for_each(|value| ids(value, false, found)),
        _ => {}
    }
}

#[test]
fn a_crate_tells_what_it_holds_and_where_it_comes_from() {
    let bench = Bench::new();
    let written = bench.write("crate", PUBLISHED).unwrap();
    // Experiment, README, report and points, four and three files of two runs, and metadata.
    assert_eq!((written.runs, written.files), (2, 4 + 4 + 3 + 1), "{:?}", written.notes);
    let graph = bench.graph("crate");
    let root = entity(&graph, "./");
    assert_eq!(root["name"], "Two <arms>: a Weightlab experiment with its results");
    let about = root["description"].as_str().unwrap();
    assert!(about.starts_with("4 runs: 1 done, 1 failed, 2 not run. A multi-layer"), "{about}");
    assert_eq!(
        (&root["creativeWorkStatus"], &root["datePublished"]),
        (&"Incomplete".into(), &"2026-01-02T03:04:05+00:00".into())
    );
    assert_eq!(root["license"]["@id"], "https://spdx.org/licenses/CC-BY-4.0");
    let [done, failed] = [&bench.runs[0].id, &bench.runs[2].id];
    let file = entity(&graph, &format!("my%20first.runs/{done}/weights.safetensors"));
    assert_eq!((&file["contentSize"], &file["@type"]), (&"7".into(), &"File".into()));
    assert_eq!(file["sha256"], copied(&mut "weights".as_bytes(), &mut std::io::sink()).unwrap().1);
    let action = entity(&graph, &format!("#run-{done}"));
    assert_eq!(action["result"]["@id"], format!("my%20first.runs/{done}/"));
    assert_eq!(
        (&action["startTime"], &action["endTime"]),
        (&"2026-01-01T00:00:00+00:00".into(), &"2026-01-01T00:00:02+00:00".into())
    );
    let program = entity(&graph, action["instrument"]["@id"].as_str().unwrap());
    assert_eq!(program["version"], "0.1.0 (0123456789ab)");
    assert_eq!(entity(&graph, action["environment"]["@id"].as_str().unwrap())["value"], "linux x86_64, AVX2");
    assert_eq!(entity(&graph, "#samples-00ff")["value"], "00ff");
    let action = entity(&graph, &format!("#run-{failed}"));
    assert_eq!(action["error"], "the disk is full");
    assert!(action["actionStatus"].as_str().unwrap().ends_with("FailedActionStatus"));
    let text = std::fs::read_to_string(bench.path("crate").join(METADATA)).unwrap();
    assert!(!text.contains("claim") && !text.contains(bench.folder.path().to_str().unwrap()));
}

#[test]
fn every_entity_is_there_once_and_every_reference_leads_to_one() {
    let bench = Bench::new();
    bench.write("crate", PUBLISHED).unwrap();
    let graph = bench.graph("crate");
    let own: Vec<&str> = graph.iter().map(|entity| entity["@id"].as_str().unwrap()).collect();
    assert_eq!(own.len(), own.iter().collect::<BTreeSet<_>>().len());
    let mut references = Vec::new();
    for entity in &graph {
        ids(entity, true, &mut references);
    }
    let missing: Vec<&&str> =
        references.iter().filter(|id| !own.contains(id) && !id.starts_with("http")).collect();
    assert!(missing.is_empty() && references.len() > 20, "{missing:?}");
    let files = graph.iter().filter(|entity| entity["@type"] == "File");
    for file in files {
        assert!(references.contains(&file["@id"].as_str().unwrap()), "{file} is no part of anything");
    }
}

#[test]
fn a_crate_opens_with_its_results() {
    let bench = Bench::new();
    bench.write("crate", PUBLISHED).unwrap();
    let file = bench.path("crate").join("my first.ron");
    let experiment = open(&file).unwrap().experiment;
    assert_eq!(experiment, bench.experiment);
    let records = read_records(&run::folder_of(&file), &runs(&experiment).unwrap());
    assert_eq!(records, read_records(&bench.path("my first.runs"), &bench.runs));
    assert_eq!(records.len(), 2);
}

#[test]
fn what_is_there_is_never_replaced() {
    let bench = Bench::new();
    let refused = |place: &str| bench.write(place, PUBLISHED).unwrap_err();
    std::fs::create_dir(bench.path("mine")).unwrap();
    std::fs::write(bench.path("mine/thesis.tex"), "").unwrap();
    for place in ["mine", "mine/thesis.tex"] {
        assert!(matches!(refused(place), PublishError::NotEmpty { .. }), "{place}");
    }
    std::fs::create_dir(bench.path("crate")).unwrap();
    bench.write("crate", PUBLISHED).unwrap();
    assert!(
        refused("crate").to_string().contains("crate is not empty; choose a new"),
        "an earlier crate too"
    );
    let rest = std::fs::read_dir(bench.folder.path()).unwrap().count();
    assert_eq!(rest, 3, "nothing else stays");
}

#[test]
fn what_only_a_writer_needs_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "").unwrap();
    };
    for name in [
        "run.ron",
        "rounds/step-2.safetensors",
        "DONE",
        "claim",
        "claim.dead-1",
        "clock-x",
        "checkpoint/state.safetensors",
        ".weightlab-1",
        "mine/claim",
    ] {
        write(name);
    }
    #[cfg(unix)]
    std::os::unix::fs::symlink("/etc/passwd", folder.path().join("link")).unwrap();
    let found = files_of(folder.path()).unwrap();
    let names: Vec<&str> = found.iter().map(String::as_str).collect();
    assert_eq!(names, ["DONE", "mine/claim", "rounds/step-2.safetensors", "run.ron"]);
    assert!(description_of(names[2]).contains("trainings") && media_type(names[2]).ends_with("stream"));
    assert_eq!((media_type("points.csv"), media_type("DONE")), ("text/csv", "text/plain"));
}

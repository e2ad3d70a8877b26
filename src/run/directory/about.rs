//! `run.json`: the settings of a run, what computed it, the digest of its data, and how it ended. Replaced as a whole.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::claim::Hold;
use super::is_done;
use crate::folder::names;
use doc::file::{read_kept, write_kept};
use doc::{Kernels, Run, RunSpec};
use net::vectors;
use results::RunRecord;

const NAME: &str = "run";

/// Name and version of the program.
pub const PROGRAM: &str = concat!("weightlab ", env!("CARGO_PKG_VERSION"));

/// The content of `run.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct About {
    pub arm: String,
    pub seed: u64,
    pub program: String,
    /// The machine that it ran on last; unknown in files of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<Machine>,
    pub spec: RunSpec,
    /// The digest of the data, once they were read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<String>,
    /// How it ended last; nothing while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<RecordedEnd>,
}

/// The machine that computed a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default)]
pub struct Machine {
    /// The commit that the program was built from; empty where the build did not know it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub commit: String,
    /// The operating system and the kind of processor: `linux x86_64`.
    pub system: String,
    /// What the processor calls itself; empty where the system does not tell.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub processor: String,
    /// Its best vectors, which decide about the bits of results: "AVX2".
    pub vectors: String,
    /// The GPU that computed, with its driver; empty where the processor did.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub gpu: String,
    /// What the device does not promise; empty where equal settings give equal bits.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub bits: String,
}

/// The note of runs on a GPU about their bits.
pub const NO_BITS: &str = "not promised: another GPU, driver or run may give other last bits";

impl Machine {
    /// Describes this program on this machine.
    pub fn here() -> Self {
        let commit: &str = env!("WEIGHTLAB_COMMIT"); // empty in dev builds
        Self {
            commit: commit.to_owned(),
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            processor: processor(),
            vectors: vectors().to_owned(),
            ..Self::default()
        }
    }
}

impl fmt::Display for Machine {
    /// Writes `linux x86_64, AVX-512, Intel(R) Xeon(R) Platinum 8481C`, and the GPU where one computed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { system, processor, vectors, gpu, .. } = self;
        write!(f, "{system}, {vectors}")?;
        for name in [processor, gpu].into_iter().filter(|name| !name.is_empty()) {
            write!(f, ", {name}")?;
        }
        Ok(())
    }
}

/// Returns the name of the processor, from Linux's list of processors (`proc_cpuinfo(5)`).
fn processor() -> String {
    let list = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default(); // other systems have no such file
    let line = list.lines().find_map(|line| line.strip_prefix("model name"));
    line.map(|rest| rest.trim_start_matches([' ', '\t', ':']).trim().to_owned()).unwrap_or_default()
}

/// The end of a run, and the last values of what most tables are about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordedEnd {
    /// `done`, `stopped` or `failed`.
    state: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    message: String,
    /// Wall time at the last point, seconds.
    secs: f64,
    trained: f64,
    /// Share of the prunable weights that remain, in [0, 1].
    remaining: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    test_accuracy: Option<f64>,
}

impl About {
    /// Describes a run that starts or resumes in a directory: keeps the digest of the data there until they are read again.
    pub fn again(run: &Run, directory: &Path) -> Self {
        let known = Self::read(directory).ok();
        let data = known.and_then(|known| {
            let data = known.data.clone();
            data.filter(|_| known.into_spec(&run.id) == *run.spec)
        });
        Self {
            arm: run.arm.clone(),
            seed: run.seed,
            program: PROGRAM.to_owned(),
            machine: Some(Machine::here()),
            spec: RunSpec::clone(&run.spec),
            data,
            outcome: None,
        }
    }

    /// Reads it from the directory of a run.
    pub fn read(directory: &Path) -> Result<Self, String> {
        let missing = || format!("there is no {NAME}.json in {}", directory.display());
        read_kept(directory, NAME).and_then(|about| about.ok_or_else(missing))
    }

    /// Returns the settings of the run with this identity. Versions whose default was exact training left that out; the
    /// identity distinguishes them.
    pub fn into_spec(self, id: &str) -> RunSpec {
        if self.spec.has_fast_convolutions() {
            let mut exact = self.spec.clone();
            exact.train.kernels = Kernels::Exact;
            if exact.id() == id {
                return exact;
            }
        }
        self.spec
    }

    pub fn write(&self, directory: &Path) -> std::io::Result<()> {
        write_kept(directory, NAME, self)
    }
}

impl RecordedEnd {
    /// Reads how a run ended from the log in its directory.
    pub fn read(directory: &Path, state: &str, message: &str) -> std::io::Result<Self> {
        let record = RunRecord::of_log(&std::fs::read(directory.join("events.jsonl"))?);
        let last = record.points().last();
        Ok(Self {
            state: state.to_owned(),
            message: message.to_owned(),
            secs: last.as_ref().map_or(0.0, |point| point.secs),
            trained: last.as_ref().map_or(0.0, |point| point.trained),
            remaining: last.as_ref().map_or(1.0, |point| point.remaining),
            test_accuracy: record.points().latest("test_accuracy"),
        })
    }
}

/// The origin of a run, from its `run.json`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Provenance {
    pub program: String,
    /// The machine that it ran on last; unknown for runs of earlier versions.
    pub machine: Option<Machine>,
    /// The SHA-256 of its data as it saw them, in hexadecimal; unknown until they were read.
    pub data: Option<String>,
}

impl Provenance {
    /// Returns that of a run that this process makes.
    pub fn here() -> Self {
        Self { program: PROGRAM.to_owned(), machine: Some(Machine::here()), data: None }
    }

    /// Reads that of the run of this identity in a folder.
    pub fn read(folder: &Path, id: &str) -> Result<Self, String> {
        let About { program, machine, data, .. } = About::read(&folder.join(id))?;
        Ok(Self { program, machine, data })
    }

    /// Returns the program with its commit, where the build knew it: "weightlab 0.1.0 (0123456789ab)".
    pub fn program_and_commit(&self) -> String {
        let program = &self.program;
        let commit = self.machine.as_ref().map_or("", |machine| &machine.commit);
        if commit.is_empty() { program.clone() } else { format!("{program} ({commit})") }
    }
}

/// Reads how these runs were made, by their identity. A run whose `run.json` cannot be read is left out.
pub fn provenance(folder: &Path, runs: &[Run]) -> BTreeMap<String, Provenance> {
    let one = |run: &Run| Some((run.id.clone(), Provenance::read(folder, &run.id).ok()?));
    runs.par_iter().filter_map(one).collect()
}

/// A run by its directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredRun {
    pub id: String,
    /// The arm that it was made for, with swept values.
    pub arm: String,
    pub seed: u64,
    /// How its inputs differ from those of today's run of this arm and seed, if their settings are the same.
    pub difference: Option<String>,
}

impl StoredRun {
    /// Reads the run of this identity in a folder, with its settings; `None` where its `run.json` cannot be read.
    pub(crate) fn read(folder: &Path, id: String) -> Option<(Self, RunSpec)> {
        let about = About::read(&folder.join(&id)).ok()?;
        let run = Self { arm: about.arm.clone(), seed: about.seed, difference: None, id };
        let spec = about.into_spec(&run.id);
        Some((run, spec))
    }
}

/// Writes the `run.ron` of versions up to 0.1 as `run.json`, in all runs of a folder that are done. Others are converted by the
/// process that claims them: holding their claims here would let tasks that start together pass them over.
pub fn convert_old_runs(folder: &Path) {
    let done = names(folder).into_iter().filter(|id| is_done(folder, id)).map(|id| folder.join(id));
    for run in done.filter(|run| run.join("run.ron").is_file()) {
        if let (Ok(_hold), Ok(about)) = (Hold::take(&run), About::read(&run)) {
            let _ = about.write(&run); // the old file stays then, and is read
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use form::ron_text;

    #[test]
    fn the_commit_is_told_where_the_build_knew_it() {
        let commit = "0123456789ab".to_owned();
        let machine = Machine { commit, ..Machine::here() };
        assert!(machine.to_string().starts_with(std::env::consts::OS));
        let mut made = Provenance { machine: Some(machine), ..Provenance::here() };
        assert_eq!(made.program_and_commit(), format!("{PROGRAM} (0123456789ab)"));
        made.machine = None;
        assert_eq!(made.program_and_commit(), PROGRAM);
    }

    #[test]
    fn what_older_programs_wrote_can_be_read_and_what_is_new_comes_back() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(
            folder.path().join("run.ron"),
            "(arm: \"a\", seed: 3, program: \"weightlab\", spec: ())",
        )
        .unwrap();
        let mut about = About::read(folder.path()).unwrap();
        assert_eq!((about.seed, &about.data, &about.outcome), (3, &None, &None));
        assert_eq!(about.machine, None, "nobody knows");
        let point = r#"{"event":"point","series":"test_accuracy","value":0.75,"stage":"0","epoch":2.0,"iteration":9,"trained":4.0,"remaining":0.5,"secs":1.5}"#;
        std::fs::write(folder.path().join("events.jsonl"), format!("{point}\n")).unwrap();
        about.data = Some("00ff".to_owned());
        about.outcome = Some(RecordedEnd::read(folder.path(), "done", "").unwrap());
        about.write(folder.path()).unwrap();
        let text = std::fs::read(folder.path().join("run.json")).unwrap();
        let json: serde_json::Value = serde_json::from_slice(&text).unwrap();
        let outcome = serde_json::json!({
            "state": "done", "secs": 1.5, "trained": 4.0, "remaining": 0.5, "test_accuracy": 0.75
        });
        assert_eq!((&json["data"], &json["outcome"]), (&"00ff".into(), &outcome));
        assert_eq!(About::read(folder.path()).unwrap(), about);
    }

    #[test]
    fn settings_come_back_to_the_last_bit_from_either_format() {
        let text = "(data: Csv(file: \"x.csv\", label: \"y\", normalize: Given(mean: [0.1], deviation: [1e-7])), \
            net: Sequential(layers: [Flatten, Linear(units: 3)]), \
            train: (optimizer: Adam(rate: 0.30000000000000004), batch: 7, schedule: Steps(at: [\"5ep\", \"9it\"])), \
            plan: [Train(\"5ep\"), Test, Repeat(times: 2, body: [Do(Prune(amount: Fraction(0.2))), Train(steps: \"1ep\")]), \
            Campaign(trials: Fixed(4), vary: Rate([1e-4, 1e-2]))], seed: 18446744073709551615)";
        let spec: RunSpec = ron_text::from_str(text).unwrap();
        let json = serde_json::to_string(&spec).unwrap();
        assert_eq!(serde_json::from_str::<RunSpec>(&json).unwrap(), spec, "{json}");
        assert_eq!(serde_json::from_str::<RunSpec>(&json).unwrap().id(), spec.id());
        assert_eq!(ron_text::from_str::<RunSpec>(&ron_text::to_line(&spec)).unwrap(), spec);
    }

    #[test]
    fn all_shipped_experiments_come_back_from_json() {
        for template in doc::templates::all() {
            let experiment = doc::file::parse(template.text, Path::new(template.name)).unwrap();
            for run in doc::runs(&experiment).unwrap() {
                let json = serde_json::to_string(&run.spec).unwrap();
                let read: RunSpec = serde_json::from_str(&json).unwrap();
                assert_eq!((read.id(), &read), (run.spec.id(), &*run.spec), "{}", template.name);
            }
        }
    }

    #[test]
    fn old_files_of_done_runs_are_converted_where_nobody_writes() {
        let folder = tempfile::tempdir().unwrap();
        let old = "(arm: \"a\", seed: 3, program: \"weightlab\", spec: ())";
        for id in ["idle", "claimed", "damaged", "begun"] {
            std::fs::create_dir(folder.path().join(id)).unwrap();
            if id != "begun" {
                std::fs::write(folder.path().join(id).join("DONE"), "").unwrap();
            }
            std::fs::write(folder.path().join(id).join("run.ron"), if id == "damaged" { "(" } else { old })
                .unwrap();
        }
        let _hold = Hold::take(&folder.path().join("claimed")).unwrap();
        let before = About::read(&folder.path().join("idle"));
        convert_old_runs(folder.path());
        for (id, ending) in [("idle", "json"), ("claimed", "ron"), ("damaged", "ron"), ("begun", "ron")] {
            let names =
                ["json", "ron"].map(|ending| folder.path().join(id).join(format!("run.{ending}")).exists());
            assert_eq!(names, ["json", "ron"].map(|other| other == ending), "{id}");
        }
        assert_eq!(About::read(&folder.path().join("idle")), before);
    }

    #[test]
    fn a_run_from_before_the_fast_default_has_exact_training() {
        let with = |train: &str| -> RunSpec {
            let spec = format!("(data: Digits(), net: Vgg(depth: 11, width: 32), train: ({train}))");
            ron_text::from_str(&spec).unwrap()
        };
        let (exact, fast) = (with("kernels: Exact"), with(""));
        // Both leave the kernels out.
        let about: About = ron_text::from_str(&format!(
            "(arm: \"a\", seed: 1, program: \"weightlab\", spec: {})",
            ron_text::to_line(&fast)
        ))
        .unwrap();
        assert_eq!(about.clone().into_spec(&exact.id()), exact);
        assert_eq!(about.into_spec(&fast.id()), fast);
    }
}

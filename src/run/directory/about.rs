//! `run.ron`: the settings of a run, the digest of its data, and how it ended. Replaced as a whole.

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use doc::file::write_atomically;
use doc::{Kernels, Run, RunSpec};
use form::ron_text;
use net::vectors;
use results::RunRecord;

/// The file in the directory of a run.
const FILE: &str = "run.ron";

/// Name and version of the program.
pub const PROGRAM: &str = concat!("weightlab ", env!("CARGO_PKG_VERSION"));

/// The content of `run.ron`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct About {
    pub arm: String,
    pub seed: u64,
    /// Name and version of the program.
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

/// What computed a run.
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

/// What runs on a GPU note about their bits.
pub const NO_BITS: &str = "not promised: another GPU, driver or run may give other last bits";

impl Machine {
    /// This program on this machine.
    pub fn here() -> Self {
        let commit: &str = env!("WEIGHTLAB_COMMIT");
        Self {
            commit: commit.to_owned(),
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            processor: processor(),
            vectors: vectors().to_owned(),
            gpu: String::new(),
            bits: String::new(),
        }
    }
}

impl fmt::Display for Machine {
    /// `linux x86_64, AVX-512, Intel(R) Xeon(R) Platinum 8481C`, and the GPU where one computed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { system, processor, vectors, gpu, .. } = self;
        write!(f, "{system}, {vectors}")?;
        for name in [processor, gpu].into_iter().filter(|name| !name.is_empty()) {
            write!(f, ", {name}")?;
        }
        Ok(())
    }
}

/// The name of the processor, from Linux's list of processors (`proc_cpuinfo(5)`).
fn processor() -> String {
    let list = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default(); // other systems have no such file
    let line = list.lines().find_map(|line| line.strip_prefix("model name"));
    line.map(|rest| rest.trim_start_matches([' ', '\t', ':']).trim().to_owned()).unwrap_or_default()
}

/// How a run ended, and the last values of what most tables are about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordedEnd {
    /// `done`, `stopped` or `failed`.
    state: String,
    /// Why it failed; empty otherwise.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    message: String,
    /// Wall time at the last point, seconds.
    secs: f64,
    /// Epochs trained in all.
    trained: f64,
    /// Share of the prunable weights that remain, in [0, 1].
    remaining: f64,
    /// The last test accuracy, in [0, 1].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    test_accuracy: Option<f64>,
}

impl About {
    /// A run before its data are read.
    fn new(run: &Run) -> Self {
        Self {
            arm: run.arm.clone(),
            seed: run.seed,
            program: PROGRAM.to_owned(),
            machine: Some(Machine::here()),
            spec: RunSpec::clone(&run.spec),
            data: None,
            outcome: None,
        }
    }

    /// A run that starts or resumes in a directory: keeps the digest of the data there until they are read again.
    pub fn again(run: &Run, directory: &Path) -> Self {
        let known = Self::read(directory).ok();
        let data = known.and_then(|known| {
            let data = known.data.clone();
            data.filter(|_| known.into_spec(&run.id) == *run.spec)
        });
        Self { data, ..Self::new(run) }
    }

    /// Reads it from the directory of a run.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub fn read(directory: &Path) -> Result<Self, String> {
        let path = directory.join(FILE);
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        ron_text::from_str(&text).map_err(|error| format!("{} is damaged: {error}", path.display()))
    }

    /// The settings of the run with this identity. Versions whose default was exact training left that out; the
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

    /// Writes it into the directory of the run.
    ///
    /// # Errors
    /// The system's error.
    pub fn write(&self, directory: &Path) -> std::io::Result<()> {
        let text = ron_text::to_pretty(self).map_err(std::io::Error::other)?;
        write_atomically(&directory.join(FILE), text.as_bytes())
    }
}

impl RecordedEnd {
    /// How a run ended whose log is in this directory.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub fn of(directory: &Path, state: &str, message: &str) -> std::io::Result<Self> {
        let record = RunRecord::of_log(&std::fs::read(directory.join("events.jsonl"))?);
        let last = record.points().last();
        Ok(Self {
            state: state.to_owned(),
            message: message.to_owned(),
            secs: last.as_ref().map_or(0.0, |point| point.secs),
            trained: last.as_ref().map_or(0.0, |point| point.trained),
            remaining: last.as_ref().map_or(1.0, |point| point.remaining),
            test_accuracy: record.latest("test_accuracy"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_older_programs_wrote_can_be_read_and_what_is_new_comes_back() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(FILE), "(arm: \"a\", seed: 3, program: \"weightlab\", spec: ())")
            .unwrap();
        let mut about = About::read(folder.path()).unwrap();
        assert_eq!((about.seed, &about.data, &about.outcome), (3, &None, &None));
        assert_eq!(about.machine, None, "nobody knows");
        let point = r#"{"event":"point","series":"test_accuracy","value":0.75,"stage":"0","epoch":2.0,"iteration":9,"trained":4.0,"remaining":0.5,"secs":1.5}"#;
        std::fs::write(folder.path().join("events.jsonl"), format!("{point}\n")).unwrap();
        about.data = Some("00ff".to_owned());
        about.outcome = Some(RecordedEnd::of(folder.path(), "done", "").unwrap());
        about.write(folder.path()).unwrap();
        let text = std::fs::read_to_string(folder.path().join(FILE)).unwrap();
        for part in [
            "data: \"00ff\"",
            "state: \"done\"",
            "secs: 1.5",
            "trained: 4",
            "remaining: 0.5",
            "test_accuracy: 0.75",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
        assert_eq!(About::read(folder.path()).unwrap(), about);
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

//! The real binary in a folder with an experiment.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// One run of sixty stages, long enough to be interrupted in the middle.
pub const LONG: &str = r#"(
    data: Digits(limit_train: 400, limit_test: 100),
    net: Mlp(hidden: [32]),
    train: (optimizer: Adam(rate: 0.001), batch: 4),
    seeds: [1],
    arms: [(name: "long", plan: [Repeat(times: 30, body: [Train("1ep"), Do(Prune(amount: Fraction(0.02)))])])],
)"#;

/// A folder with an experiment `x.ron` in it.
pub struct Bench {
    pub folder: tempfile::TempDir,
}

impl Bench {
    pub fn new(text: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("x.ron"), text).unwrap();
        Self { folder }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        command(self.folder.path(), arguments)
    }

    pub fn weightlab(&self, arguments: &[&str]) -> Output {
        weightlab(self.folder.path(), arguments)
    }

    /// Standard output of a command that must succeed.
    pub fn said(&self, arguments: &[&str]) -> String {
        let output = self.weightlab(arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", errors(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    pub fn shown(&self, arguments: &[&str]) -> Value {
        let arguments = [&["show", "x.ron", "--json"], arguments].concat();
        serde_json::from_str(&self.said(&arguments)).unwrap()
    }

    /// The directory of the first run.
    pub fn run_directory(&self) -> PathBuf {
        self.path("x.runs").join(self.shown(&[])[0]["run"].as_str().unwrap())
    }

    /// Starts the long experiment and waits until some stages are done.
    pub fn interrupted(&self) -> (Child, PathBuf) {
        let child =
            self.command(&["run", "x.ron"]).stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
        let log = self.run_directory().join("events.jsonl");
        wait_until(|| stages(&log).len() >= 5);
        (child, log)
    }
}

/// A command in a folder, without a screen.
pub fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_weightlab"));
    command.args(arguments).current_dir(folder).env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
    command
}

pub fn weightlab(folder: &Path, arguments: &[&str]) -> Output {
    command(folder, arguments).output().unwrap()
}

/// Waits until a run of another process has come so far, for a minute at most.
pub fn wait_until(is_so_far: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so_far() {
        assert!(began.elapsed() < Duration::from_mins(1), "the run does not get ahead");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Standard output and standard error.
pub fn printed(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

pub fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The events of a log; a half-written last line is passed over.
pub fn events(log: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// The numbers of the stages that began, in their order.
pub fn stages(log: &Path) -> Vec<u64> {
    let stage = |event: &Value| (event["event"] == "stage").then(|| event["number"].as_u64().unwrap());
    events(log).iter().filter_map(stage).collect()
}

/// All points of a log without their times.
pub fn points(log: &Path) -> Vec<Value> {
    let mut points = events(log);
    points.retain(|event| event["event"] == "point");
    for point in &mut points {
        point["secs"] = Value::Null;
    }
    points
}

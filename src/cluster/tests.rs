//! Submissions to a Slurm of small shell scripts, and a task's script as a shell carries it out.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::testing::program;
use super::*;
use doc::file::write_kept;
use doc::{Run, RunSpec, Stage, Train};
use run::{Pace, QueueOptions, Task};

/// A folder with an experiment's runs, and one with programs that answer as Slurm does.
struct Bench {
    root: tempfile::TempDir,
    runs: Vec<Run>,
}

impl Bench {
    fn new(runs: u64) -> Self {
        let root = tempfile::Builder::new().prefix("it's a $lab ").tempdir().unwrap();
        let run = |seed| Run {
            id: format!("run{seed}"),
            arm: "a".to_owned(),
            arm_index: 0,
            is_earlier: false,
            seed,
            spec: RunSpec { seed, plan: vec![Stage::Train(Train::default())], ..RunSpec::default() }.into(),
        };
        let bench = Self { root, runs: (1..=runs).map(run).collect() };
        std::fs::create_dir(bench.path("bin")).unwrap();
        bench.slurm_says("scontrol", "echo 'MaxArraySize            = 1001'");
        bench.slurm_says("squeue", "true");
        bench.slurm_says("sbatch", "echo 12");
        bench
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    fn folder(&self) -> PathBuf {
        self.path("x.runs")
    }

    fn slurm_says(&self, name: &str, text: &str) {
        program(&self.path("bin").join(name), text);
    }

    fn slurm(&self) -> Slurm {
        Slurm::in_folder(&self.path("bin"))
    }

    /// The tasks of a submission that the queue has, each with its state.
    fn queue_has(&self, script: &str, tasks: &[(usize, &str)]) {
        let line = |(index, state): &(usize, &str)| {
            format!("echo '12|{index}|{state}|Resources|/lab/x.runs/cluster/{script}'")
        };
        self.slurm_says("squeue", &tasks.iter().map(line).collect::<Vec<_>>().join("\n"));
    }

    fn done(&self, run: u64) {
        let folder = self.folder().join(format!("run{run}"));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("DONE"), "").unwrap();
    }

    fn plan(&self, settings: &ClusterSettings) -> Result<Plan, String> {
        self.plan_at(None, settings)
    }

    /// The plan where every kind of mini-batch has this pace.
    fn plan_at(&self, pace: Option<Pace>, settings: &ClusterSettings) -> Result<Plan, String> {
        let (folder, file) = (self.folder(), self.path("x.ron"));
        let set = [("name".to_owned(), "\"a\nb\"".to_owned())];
        let request = Request {
            runs: Runs { all: &self.runs, folder: &folder },
            file: &file,
            set: &set,
            program: Path::new("/opt/weightlab"),
            settings,
        };
        prepare(&request, &self.slurm(), &|_: &Task, _: QueueOptions| pace).map_err(|error| error.to_string())
    }

    fn of_shards(&self, shards: usize) -> Plan {
        self.plan(&of_shards(shards)).unwrap()
    }

    fn status(&self) -> Status {
        Status::read(Runs { all: &self.runs, folder: &self.folder() }, &self.slurm())
    }
}

fn of_shards(shards: usize) -> ClusterSettings {
    ClusterSettings { shards: Some(shards), ..ClusterSettings::default() }
}

#[test]
fn what_is_done_or_in_the_queue_is_not_handed_out_again() {
    let bench = Bench::new(7);
    let plan = bench.of_shards(3);
    assert_eq!((plan.script.tasks.clone(), plan.left), (vec![1, 2, 3], 7));
    let submitted = submit(plan, &bench.slurm()).unwrap();
    assert_eq!(submitted.job, "12");
    assert!(submitted.script.ends_with("cluster/submit-1.sh") && submitted.logs.is_dir());
    for run in [1, 4, 2] {
        bench.done(run); // of task 1 another one is left: run 7
    }
    bench.queue_has("submit-1.sh", &[(1, "RUNNING")]);
    let plan = bench.of_shards(3);
    assert_eq!((plan.script.tasks.clone(), plan.done, plan.held, plan.left), (vec![2, 3], 3, 1, 3));
    assert_eq!(plan.summary(), ["2 tasks of 3 for 3 runs (of 7 runs, 3 done, 1 in the queue)"]);
    // Dealt out otherwise, the run of the task is still not among them.
    assert_eq!(bench.of_shards(7).script.tasks, [3, 5, 6]);
    // A task of this number, but of another cluster's job.
    bench.queue_has("other.sh", &[(1, "RUNNING")]);
    assert_eq!(bench.of_shards(3).script.tasks, [1, 2, 3]);
    (1..=7).for_each(|run| bench.done(run));
    let plan = bench.of_shards(3);
    assert!(plan.is_empty());
    assert_eq!(plan.summary(), ["Nothing is missing: 7 runs, all done"]);
}

#[test]
fn a_damaged_record_is_passed_over_and_named() {
    let bench = Bench::new(2);
    submit(bench.of_shards(2), &bench.slurm()).unwrap();
    for (name, text) in [("submit-1.json", "{"), ("submit-2.ron", "(job: \"12; rm -rf\")")] {
        std::fs::write(bench.folder().join("cluster").join(name), text).unwrap();
    }
    let plan = bench.of_shards(2);
    assert_eq!((plan.script.tasks.len(), plan.damaged.len()), (2, 2));
    let submitted = submit(plan, &bench.slurm()).unwrap();
    assert!(submitted.script.ends_with("submit-3.sh"), "{}", submitted.script.display());
}

#[test]
fn the_number_of_tasks_ends_at_what_the_cluster_allows() {
    let bench = Bench::new(9);
    bench.slurm_says("scontrol", "echo 'MaxArraySize            = 5'");
    let plan = bench.of_shards(9);
    assert_eq!(plan.script.tasks, [1, 2, 3, 4]);
    assert!(plan.summary()[1].contains("MaxArraySize of this cluster allows no index above 4"));
    assert!(bench.of_shards(20).summary()[1].contains("4 tasks instead of 9"));
}

#[test]
fn what_slurm_refuses_is_said_and_leaves_nothing() {
    let bench = Bench::new(2);
    bench.slurm_says("sbatch", "echo 'sbatch: error: invalid partition specified: gpu' >&2; exit 1");
    let error = submit(bench.of_shards(2), &bench.slurm()).unwrap_err().to_string();
    assert_eq!(error, "Slurm's sbatch refused: invalid partition specified: gpu");
    let left: Vec<_> = std::fs::read_dir(bench.folder().join("cluster")).unwrap().flatten().collect();
    assert_eq!(left.len(), 1, "the folder of logs alone");
    let nowhere = Slurm::in_folder(&bench.path("none"));
    let error = nowhere.largest_index().unwrap_err().to_string();
    assert!(error.contains("Slurm is not installed here; use weightlab submit on a login node"), "{error}");
    bench.slurm_says(
        "scontrol",
        "echo 'slurm_load_ctl_conf error: Unable to contact slurm controller' >&2; exit 1",
    );
    let error = bench.slurm().largest_index().unwrap_err().to_string();
    assert!(error.contains("does not reach the controller of Slurm"), "{error}");
    bench.slurm_says("squeue", "echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1");
    assert_eq!(bench.slurm().queue(&["12".to_owned()]).unwrap(), []);
}

#[cfg(unix)]
#[test]
fn a_path_that_no_script_can_name_is_refused() {
    use std::os::unix::ffi::OsStrExt;

    let bench = Bench::new(2);
    let file = bench.root.path().join(std::ffi::OsStr::from_bytes(b"x\xff.ron"));
    let request = Request {
        runs: Runs { all: &bench.runs, folder: &bench.folder() },
        file: &file,
        set: &[],
        program: Path::new("/opt/weightlab"),
        settings: &of_shards(2),
    };
    let error = prepare(&request, &bench.slurm(), &|_: &Task, _: QueueOptions| None).unwrap_err();
    assert!(error.to_string().contains("is no UTF-8"), "{error}");
}

#[test]
fn time_per_task_needs_an_expected_time() {
    let bench = Bench::new(2);
    let error = bench.plan(&ClusterSettings::default()).unwrap_err();
    assert!(error.contains("--shards"), "{error}");
    // An earlier submission of the same runs says how they were dealt out.
    let record = Submission {
        job: "3".to_owned(),
        shards: 2,
        minutes: Some(60),
        cpus: 1,
        runs: bench.runs.iter().map(|run| run.id.clone()).collect(),
        ..Submission::default()
    };
    std::fs::create_dir_all(bench.folder().join("cluster")).unwrap();
    write_kept(&bench.folder().join(FOLDER), "submit-1", &record).unwrap();
    assert_eq!(bench.plan(&ClusterSettings::default()).unwrap().script.tasks, [1, 2]);
}

#[test]
fn short_runs_are_packed_into_tasks_by_their_expected_time() {
    let bench = Bench::new(8);
    let pace = |secs| Some(Pace { mini_batch: secs, sample: 0.0, interrupted: 1.0, measured: 4 });
    let plan = |secs, minutes, cpus| {
        let settings = ClusterSettings { minutes, cpus, ..ClusterSettings::default() };
        bench.plan_at(pace(secs), &settings).unwrap()
    };
    let secs = plan(1.0, 1, 1).packing.expected.unwrap().secs;
    // Eight equal runs: a minute holds so many of them.
    let pace_of_minutes = |minutes: f64| minutes * 60.0 / secs;
    assert_eq!(plan(pace_of_minutes(3.5), 1, 1).script.tasks.len(), 4);
    assert_eq!(plan(pace_of_minutes(3.5), 2, 1).script.tasks.len(), 2);
    assert_eq!(plan(pace_of_minutes(3.5), 1, 2).script.tasks.len(), 2, "two side by side");
    assert_eq!(plan(pace_of_minutes(0.5), 60, 1).script.tasks.len(), 1);
    assert_eq!(plan(pace_of_minutes(500.0), 1, 1).script.tasks.len(), 8, "a run is not cut");
    let summary = plan(pace_of_minutes(3.5), 1, 1).summary();
    assert_eq!(summary[0], "4 tasks for 8 runs");
    assert!(summary[1].starts_with("A task takes ") && summary[1].contains("measurement"), "{summary:?}");
}

#[test]
fn the_status_is_that_of_the_directories_and_of_the_queue() {
    let bench = Bench::new(6);
    assert_eq!(bench.status().counts(), BTreeMap::from([(RunPlace::NotSubmitted, 6)]));
    submit(bench.of_shards(6), &bench.slurm()).unwrap();
    bench.done(1);
    for (run, file) in [(2, "FAILED"), (3, "events.jsonl")] {
        let folder = bench.folder().join(format!("run{run}"));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(file), "x").unwrap();
    }
    bench.queue_has("submit-1.sh", &[(4, "RUNNING"), (5, "PENDING"), (9, "PENDING"), (6, "FAILED")]);
    let status = bench.status();
    assert_eq!(status.in_words(), "1 done, 2 pending, 1 interrupted, 1 failed, 1 not submitted");
    assert_eq!(status.queue_in_words(), ["Slurm: job 12: 1 task running, 2 tasks pending (Resources)"]);
    assert!(!status.is_over());
    bench.slurm_says("scancel", "echo \"$@\" >\"$(dirname \"$0\")/cancelled\"");
    assert_eq!(cancel(&bench.folder(), &bench.slurm()).unwrap(), ["12"]);
    assert_eq!(std::fs::read_to_string(bench.path("bin/cancelled")).unwrap(), "12\n");
    bench.queue_has("other.sh", &[(4, "RUNNING")]);
    assert!(bench.status().is_over());
    assert!(cancel(&bench.folder(), &bench.slurm()).unwrap().is_empty(), "that is another job");
    for why in ["Socket timed out", "Unable to contact slurm controller (connect failure)"] {
        bench.slurm_says("squeue", &format!("echo 'slurm_load_jobs error: {why}' >&2; exit 1"));
        let status = bench.status();
        assert!(status.queue_in_words()[0].contains(why));
        assert!(!status.is_over(), "it may have tasks");
    }
    let away = Status::read(
        Runs { all: &bench.runs, folder: &bench.folder() },
        &Slurm::in_folder(&bench.path("no")),
    );
    assert!(away.queue_in_words()[0].contains("not known: there is no squeue") && away.is_over());
}

/// A task of the script with a program of our own in the place of weightlab, which waits where it should.
fn task(bench: &Bench, work: &str) -> Child {
    program(&bench.path("weightlab"), work);
    let mut script = bench.of_shards(3).script;
    bench.slurm_says("scontrol", "echo \"$@\" >>\"$(dirname \"$0\")/requeued\"");
    script.program = bench.path("weightlab");
    std::fs::write(bench.path("task.sh"), script.text()).unwrap();
    let path = format!("{}:{}", bench.path("bin").display(), std::env::var("PATH").unwrap_or_default());
    let variables = [
        ("PATH", path.as_str()),
        ("SLURM_ARRAY_JOB_ID", "12"),
        ("SLURM_ARRAY_TASK_ID", "2"),
        ("SLURM_CPUS_PER_TASK", "5"),
    ];
    let mut command = Command::new("sh");
    command.arg(bench.path("task.sh")).envs(variables).current_dir(bench.root.path());
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

fn wait_for(path: &Path) {
    let began = Instant::now();
    while !path.exists() {
        assert!(began.elapsed() < Duration::from_mins(1), "{} never came", path.display());
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn signal(process: &Child, name: &str) {
    let status = Command::new("sh").args(["-c", &format!("kill -{name} {}", process.id())]).status();
    assert!(status.unwrap().success());
}

/// Saves and ends with 130 on TERM, as weightlab does.
const PATIENT: &str = "trap 'echo saved >saved; exit 130' TERM; touch began; while :; do sleep 0.05; done";

#[test]
fn a_task_runs_its_shard_with_all_words_as_they_are() {
    let bench = Bench::new(7);
    let mut task = task(&bench, "printf '%s\\0' \"$@\" >words");
    assert_eq!(task.wait().unwrap().code(), Some(0));
    let words = std::fs::read_to_string(bench.path("words")).unwrap();
    let words: Vec<&str> = words.split_terminator('\0').collect();
    let (file, folder) = (bench.path("x.ron"), bench.folder());
    assert_eq!(
        words,
        // The runs of the task that are left share its processors.
        [
            "run",
            file.to_str().unwrap(),
            "--shard",
            "2/3",
            "--into",
            folder.to_str().unwrap(),
            "--cpus",
            "5",
            "--set",
            "name=\"a\nb\""
        ]
    );
}

#[test]
fn a_warned_task_saves_and_is_requeued_and_a_cancelled_one_is_not() {
    for (name, is_requeued) in [("USR1", true), ("TERM", false)] {
        let bench = Bench::new(7);
        let mut task = task(&bench, PATIENT);
        wait_for(&bench.path("began"));
        signal(&task, name);
        let code = task.wait().unwrap().code();
        assert_eq!(std::fs::read_to_string(bench.path("saved")).unwrap(), "saved\n");
        let requeued = std::fs::read_to_string(bench.path("bin/requeued")).unwrap_or_default();
        let expected = if is_requeued { ("requeue 12_2\n", Some(0)) } else { ("", Some(130)) };
        assert_eq!((requeued.as_str(), code), expected, "{name}");
    }
}

#[test]
fn a_warned_task_is_requeued_also_where_one_of_its_runs_has_failed() {
    let bench = Bench::new(7);
    let mut task = task(&bench, "trap 'exit 1' TERM; touch began; while :; do sleep 0.05; done");
    wait_for(&bench.path("began"));
    signal(&task, "USR1");
    assert_eq!(task.wait().unwrap().code(), Some(0));
    assert!(bench.path("bin/requeued").exists());
}

#[test]
fn a_task_ends_as_its_program_does() {
    for (work, code) in [("exit 1", 1), ("exit 2", 2), ("kill -9 $$", 137)] {
        let bench = Bench::new(7);
        let mut task = task(&bench, work);
        assert_eq!(task.wait().unwrap().code(), Some(code), "{work}");
    }
    // A warning that comes when all is done changes nothing.
    let bench = Bench::new(7);
    let mut task = task(&bench, "trap 'exit 0' TERM; touch began; while :; do sleep 0.05; done");
    wait_for(&bench.path("began"));
    signal(&task, "USR1");
    assert_eq!(task.wait().unwrap().code(), Some(0));
    assert!(!bench.path("bin/requeued").exists());
}

#[test]
fn a_task_whose_runs_others_have_tries_again_once_and_then_leaves_them() {
    for (work, tries) in
        [("echo >>tries; exit 3", 2), ("echo >>tries; [ \"$(wc -l <tries)\" = 2 ] || exit 3", 2)]
    {
        let bench = Bench::new(7);
        bench.slurm_says("sleep", "echo \"$@\" >>\"$(dirname \"$0\")/slept\"");
        let mut task = task(&bench, work);
        assert_eq!(task.wait().unwrap().code(), Some(0));
        assert_eq!(std::fs::read_to_string(bench.path("tries")).unwrap().lines().count(), tries);
        assert_eq!(std::fs::read_to_string(bench.path("bin/slept")).unwrap(), "130\n");
    }
}

//! The dialog with a Slurm of small shell scripts.

use std::path::PathBuf;

use eframe::egui::vec2;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;

use super::*;
use cluster::testing::program;
use doc::{file::parse, runs};

/// What the dialog is about, and what it has wanted.
struct Shown {
    dialog: ClusterDialog,
    file: Option<PathBuf>,
    folder: PathBuf,
    runs: Vec<Run>,
    slurm: Slurm,
    wanted: Vec<ClusterResponse>,
}

struct Bench {
    root: tempfile::TempDir,
    harness: Harness<'static, Shown>,
}

const TEXT: &str = "(data: Iris(), net: Mlp(hidden: [2]), seeds: [1, 2, 3, 4], arms: [(name: \"a\", plan: [Train(\"1ep\")])])";

impl Bench {
    /// A dialog; Slurm says these things.
    fn new(programs: &[(&str, &str)]) -> Self {
        let root = tempfile::tempdir().unwrap();
        let bin = root.path().join("bin");
        std::fs::create_dir(&bin).unwrap();
        for (name, text) in programs {
            program(&bin.join(name), text);
        }
        let file = root.path().join("x.ron");
        std::fs::write(&file, TEXT).unwrap();
        let settings = ClusterSettings { shards: Some(2), ..ClusterSettings::default() };
        let shown = Shown {
            dialog: ClusterDialog::new(settings),
            folder: root.path().join("x.runs"),
            runs: runs(&parse(TEXT, &file).unwrap()).unwrap(),
            file: Some(file),
            slurm: Slurm::in_folder(&bin),
            wanted: Vec::new(),
        };
        let draw = |ui: &mut Ui, shown: &mut Shown| {
            crate::app::prepare(ui.ctx(), &crate::settings::Settings::default());
            let Shown { dialog, file, folder, runs, slurm, wanted } = shown;
            wanted.extend(dialog.ui(ui.ctx(), ClusterInput { file: file.as_deref(), folder, runs, slurm }));
        };
        let harness = Harness::builder().with_size(vec2(1200.0, 800.0)).build_ui_state(draw, shown);
        Self { root, harness }
    }

    fn slurm_says(&self, name: &str, text: &str) {
        program(&self.root.path().join("bin").join(name), text);
    }

    /// Draws frames until nothing goes on in a thread.
    fn wait(&mut self) {
        let began = Instant::now();
        loop {
            self.harness.step();
            let Shown { dialog, file, .. } = self.harness.state();
            let is_over = dialog.looking.is_none() && dialog.action.is_none();
            if is_over && (dialog.looked_for.is_some() || file.is_none()) {
                break;
            }
            assert!(began.elapsed() < Duration::from_mins(1), "it never ended");
            std::thread::sleep(Duration::from_millis(2));
        }
        self.harness.run_ok();
    }

    /// Looks for a text in the dialog, with what it says where it is not there.
    fn expect(&self, text: &str) {
        let is_seen = self.harness.query_all_by_label_contains(text).next().is_some();
        assert!(is_seen, "{text} is not there: {:?}", self.harness.state().dialog.lines());
    }

    fn click(&mut self, text: &str) {
        self.harness.get_by_label(text).click();
        self.harness.run_steps(3);
        self.wait();
    }
}

const SLURM: [(&str, &str); 3] =
    [("scontrol", "echo 'MaxArraySize = 1001'"), ("squeue", "true"), ("sbatch", "echo 12")];

#[test]
fn runs_are_submitted_once_and_what_the_queue_has_is_shown_and_cancelled() {
    let mut bench = Bench::new(&SLURM);
    bench.wait();
    bench.expect("2 tasks for 4 runs");
    bench.expect("#SBATCH --array=1-2");
    let script = "/lab/x.runs/cluster/submit-1.sh";
    bench.slurm_says("squeue", &format!("for i in 1 2; do echo \"12|$i|PENDING|Priority|{script}\"; done"));
    bench.click("Submit");
    bench.expect("Submitted job 12");
    bench.expect("Nothing is missing: of 4 runs, 0 are done and 4 in the queue");
    bench.expect("job 12: 2 tasks pending (Priority)");
    assert!(
        matches!(&bench.harness.state().wanted[..], [ClusterResponse::Note(text)] if text.contains("job 12"))
    );
    bench.slurm_says("scancel", "rm \"$(dirname \"$0\")/squeue\"");
    bench.click("Cancel jobs");
    bench.expect("Cancelled job 12");
}

#[test]
fn without_slurm_the_command_and_the_script_can_be_taken_along() {
    let mut bench = Bench::new(&[]);
    bench.wait();
    bench.expect("There is no scontrol on this computer");
    bench.click("Save script");
    bench.expect("Saved; submit it with sbatch");
    assert!(bench.root.path().join("x.runs/cluster/script-1.sh").exists());
    bench.click("Copy command");
    bench.expect("Copied: weightlab submit x.ron --shards 2");
    bench.click("Close");
    assert_eq!(bench.harness.state().wanted, [ClusterResponse::Close]);
}

#[test]
fn what_slurm_refuses_and_what_does_not_fit_is_said_in_the_dialog() {
    let mut bench = Bench::new(&SLURM);
    bench.wait();
    bench.slurm_says("sbatch", "echo 'sbatch: error: Invalid account' >&2; exit 1");
    bench.click("Submit");
    bench.expect("sbatch refused: Invalid account");
    bench.harness.state_mut().dialog.settings.time = Some("soon".to_owned());
    bench.wait();
    bench.expect("is no time limit");
}

#[test]
fn an_experiment_without_a_file_is_to_be_saved_first() {
    let mut bench = Bench::new(&SLURM);
    bench.harness.state_mut().file = None;
    bench.wait();
    bench.expect("save it first");
    bench.click("Save");
    assert_eq!(bench.harness.state().wanted, [ClusterResponse::Save]);
}

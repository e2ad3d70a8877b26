//! Running on a cluster, from the menu.

use super::*;
use ::cluster::Slurm;

/// Draws frames until something is seen.
fn wait_for(window: &mut Window, text: &str) {
    let began = std::time::Instant::now();
    while !window.sees(text) {
        assert!(began.elapsed() < Duration::from_mins(1), "{text} never appeared");
        std::thread::sleep(Duration::from_millis(5));
        window.harness.run_ok();
    }
}

#[test]
fn the_dialog_wants_a_saved_file_and_keeps_its_settings() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.ron");
    std::fs::write(&path, "(seeds: [1, 2], arms: [(name: \"a\", plan: [Test])])").unwrap();
    let mut window = Window::open(Some(path.clone()));
    window.harness.state_mut().shell.slurm = Slurm::in_folder(folder.path());
    window.harness.state_mut().shell.settings.cluster.shards = Some(3);
    window.edit();
    window.execute(Command::Cluster);
    assert!(window.sees("save it first"));
    window.harness.get_all_by_label("Save").last().unwrap().click();
    window.harness.run_ok();
    wait_for(&mut window, "#SBATCH --array=1-3");
    assert!(window.sees("There is no scontrol on this computer"));
    std::fs::write(&path, "(seeds: [1, 2, 3], arms: [(name: \"b\", plan: [Test])])").unwrap();
    wait_for(&mut window, "save it first"); // what the tasks would run is not what is shown
    window.harness.key_press(Key::Escape);
    window.harness.run_ok();
    assert!(!window.sees("#SBATCH"));
    assert_eq!(window.harness.state().shell.settings.cluster.shards, Some(3));
    assert!(!path.with_extension("runs").exists(), "nothing was submitted");
}

//! Results that are handed on from the menu.

use super::*;
use crate::files::Purpose;

const TEXT: &str =
    "(data: Iris(), net: Mlp(hidden: [2]), seeds: [1, 2], arms: [(name: \"a\", plan: [Test])])";

/// Chooses a command, gives the path, and draws frames until the log says something.
fn share(window: &mut Window, command: Command, to: &Path, until: &str) {
    window.stage.borrow_mut().answer = Some(PathAnswer::Path(to.to_owned()));
    window.execute(command);
    for _ in 0..2000 {
        if window.log().contains(until) {
            return;
        }
        std::thread::sleep(Duration::from_millis(2));
        window.harness.step();
    }
    panic!("it never came: {}", window.log());
}

#[test]
fn results_are_handed_on_as_event_files_and_as_a_crate() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.ron");
    std::fs::write(&file, TEXT).unwrap();
    let mut window = Window::open(Some(file));
    window.execute(Command::ExportCrate);
    assert!(window.log().contains("There are no results yet"), "{}", window.log());
    window.execute(Command::RunAll);
    let run = window.stage.borrow().jobs[0].run.id.clone();
    std::fs::create_dir_all(folder.path().join("x.runs").join(&run)).unwrap();
    window.say(0, started());
    window.say(0, accuracy(0.5, 1.0));
    let board = folder.path().join("board");
    share(&mut window, Command::ExportTensorBoard, &board, "Wrote event files of 1 run to");
    assert!(board.join("a/seed-1").is_dir());
    let packed = folder.path().join("x-crate");
    share(&mut window, Command::ExportCrate, &packed, "Wrote a crate of 1 run to");
    assert!(packed.join("ro-crate-metadata.json").is_file() && window.log().contains("no licence is named"));
    let asked: Vec<(Purpose, String)> =
        window.stage.borrow().requests.iter().map(|asked| (asked.purpose, asked.name.clone())).collect();
    assert_eq!(asked, [(Purpose::Folder, String::new()), (Purpose::NewFolder, "x-crate".to_owned())]);
    share(&mut window, Command::ExportTensorBoard, folder.path(), "holds files that no earlier export");
    assert!(window.sees("The event files were not written"));
}

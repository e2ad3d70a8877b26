//! The system's file dialogs, run in a thread, and the fallback when there are none.

use std::ffi::OsString;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};
use std::time::{Duration, Instant};

use eframe::egui;

use run::{Hold, writer_of};

/// What a path is wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To open an experiment.
    Open,
    /// To save the experiment.
    Save,
    /// To write a report.
    Report,
    /// A folder for a setting.
    Folder,
    /// A file for a setting.
    File,
    /// A folder that is made.
    NewFolder,
}

/// A question for a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathRequest {
    /// What for.
    pub purpose: Purpose,
    /// Where to begin.
    pub folder: PathBuf,
    /// What the file is called unless the user says otherwise; empty when one is opened.
    pub name: String,
}

impl PathRequest {
    /// What a dialog for it is called.
    pub const fn title(&self) -> &'static str {
        match self.purpose {
            Purpose::Open => "Open an experiment",
            Purpose::Save => "Save the experiment",
            Purpose::Report => "Write a report",
            Purpose::Folder => "Choose a folder",
            Purpose::File => "Choose a file",
            Purpose::NewFolder => "Save the crate",
        }
    }
}

/// The answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathAnswer {
    /// This file.
    Path(PathBuf),
    /// None, after all.
    Cancelled,
    /// No dialog could be shown.
    Unavailable,
}

/// Who asks for paths: the system's dialog, or a script in tests. The channel closes without an answer where no dialog
/// could be shown.
pub type Picker = Box<dyn Fn(&PathRequest, &egui::Context) -> Receiver<PathAnswer>>;

/// A missing service fails faster than anyone can dismiss a dialog.
const TOO_FAST: Duration = Duration::from_millis(350);

/// The system's dialogs.
pub fn system_dialogs() -> Picker {
    Box::new(|request, ctx| {
        let (sender, receiver) = sync_channel(1);
        let (request, ctx) = (request.clone(), ctx.clone());
        let work = move || {
            let _ = sender.send(ask(&request)); // the window has gone
            ctx.request_repaint();
        };
        // Without a thread the sender is dropped, and the next frame takes the dialog for unavailable.
        let _ = std::thread::Builder::new().name("file dialog".to_owned()).spawn(work);
        receiver
    })
}

fn ask(request: &PathRequest) -> PathAnswer {
    let began = Instant::now();
    let mut dialog = rfd::FileDialog::new().set_directory(&request.folder);
    dialog = match request.purpose {
        Purpose::Open | Purpose::Save => dialog.add_filter("Weightlab experiment", &["ron"]),
        Purpose::Report => dialog.add_filter("HTML", &["html"]),
        Purpose::Folder | Purpose::NewFolder | Purpose::File => dialog,
    };
    let picked = match request.purpose {
        Purpose::Open | Purpose::File => dialog.set_title(request.title()).pick_file(),
        Purpose::Folder => dialog.set_title(request.title()).pick_folder(),
        Purpose::Save | Purpose::Report | Purpose::NewFolder => {
            dialog.set_title(request.title()).set_file_name(&request.name).save_file()
        }
    };
    match picked {
        Some(path) => PathAnswer::Path(path),
        None if began.elapsed() < TOO_FAST => PathAnswer::Unavailable,
        None => PathAnswer::Cancelled,
    }
}

/// A question without an answer yet.
pub struct PendingPath {
    /// The question.
    pub request: PathRequest,
    /// Where the answer arrives.
    pub answer: Receiver<PathAnswer>,
}

impl PendingPath {
    /// The answer, once it is there. A dialog that broke down counts as missing.
    pub fn poll(&self) -> Option<PathAnswer> {
        match self.answer.try_recv() {
            Ok(answer) => Some(answer),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(PathAnswer::Unavailable),
        }
    }
}

/// The path from the root of the file system, as far as the system can tell.
pub fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// The path with the extension of what is written, an experiment, a report or an archive, added to the name: `a.v2` becomes
/// `a.v2.ron`.
pub fn with_extension(path: PathBuf, purpose: Purpose) -> PathBuf {
    let wanted = match purpose {
        Purpose::Save => "ron",
        Purpose::Report => "html",
        Purpose::Open | Purpose::Folder | Purpose::NewFolder | Purpose::File => return path,
    };
    let is_complete = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case(wanted));
    let Some(name) = path.file_name().filter(|_| !is_complete) else { return path };
    let mut name = name.to_owned();
    name.push(format!(".{wanted}"));
    path.with_file_name(name)
}

/// The user's home folder, if there is one.
pub fn home_folder() -> Option<PathBuf> {
    directories::BaseDirs::new().map(|folders| folders.home_dir().to_owned())
}

/// The user's folder of documents, or the home folder where there is none.
pub fn documents_folder() -> Option<PathBuf> {
    let folders = directories::UserDirs::new()?;
    Some(folders.document_dir().unwrap_or_else(|| folders.home_dir()).to_owned())
}

/// A path as a person types it: `~` at its start means the home folder.
pub fn typed(text: &str, home: Option<&Path>) -> PathBuf {
    let text = text.trim();
    match (text.strip_prefix('~'), home) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with(['/', '\\']) => {
            home.join(rest.trim_start_matches(['/', '\\']))
        }
        _ => PathBuf::from(text),
    }
}

/// The result of moving run directories.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Moved {
    /// How many were moved.
    pub runs: usize,
    /// What can only be copied, such as to another disk, by name.
    pub left: Vec<OsString>,
}

/// Moves run directories from one folder to another by giving them another name, which takes no time; those that are
/// there already stay where they are.
///
/// # Errors
/// When another process writes one of them, or what the system says when one of the folders cannot be read or made; nothing
/// has moved then.
pub fn move_results(from: &Path, to: &Path) -> std::io::Result<Moved> {
    let mut moved = Moved::default();
    if !from.is_dir() {
        return Ok(moved);
    }
    let in_use = |run: PathBuf| Some(format!("{} is in use by {}", run.display(), writer_of(&run)?));
    let runs =
        std::fs::read_dir(from)?.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| is_run(path));
    if let Some(message) = runs.into_iter().find_map(in_use) {
        return Err(std::io::Error::other(message));
    }
    if !to.exists() && std::fs::rename(from, to).is_ok() {
        moved.runs =
            std::fs::read_dir(to)?.filter_map(Result::ok).filter(|entry| is_run(&entry.path())).count();
        return Ok(moved);
    }
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if target.exists() {
            continue;
        }
        match std::fs::rename(entry.path(), &target) {
            Ok(()) => moved.runs += usize::from(is_run(&target)),
            Err(_) => moved.left.push(entry.file_name()),
        }
    }
    Ok(moved)
}

/// Moves what can only be copied, one after the other, and claims runs meanwhile. Each gets its name at the new place only when
/// it is complete, so that no process resumes half a run.
///
/// Returns how many run directories were moved.
///
/// # Errors
/// What the system says of the first one that could not be moved; it is unchanged at its old place.
pub fn copy_results(from: &Path, to: &Path, names: &[OsString]) -> std::io::Result<usize> {
    let mut moved = 0;
    for name in names {
        let (source, target) = (from.join(name), to.join(name));
        let mut hidden = OsString::from(".moving-");
        hidden.push(name);
        let hidden = to.join(hidden);
        let clear = || if hidden.exists() { remove(&hidden) } else { Ok(()) };
        clear()?; // what an earlier attempt has left
        let hold = is_run(&source).then(|| Hold::take(&source)).transpose().map_err(std::io::Error::other)?;
        let whole = copy(&source, &hidden);
        if let Some(hold) = &hold {
            hold.release_in(&hidden);
        }
        if whole.is_err() || target.exists() {
            clear()?;
            whole?;
            continue; // what has come meanwhile stays
        }
        std::fs::rename(&hidden, &target)?;
        remove(&source)?;
        moved += usize::from(is_run(&target));
    }
    Ok(moved)
}

/// The file in a folder of results that says where they will move once their runs have ended.
const MOVES_TO: &str = "moves-to";

/// Notes where results will move. The file stays locked as long as this process can still move them.
///
/// # Errors
/// If the file cannot be written.
pub fn note_move(from: &Path, to: &Path) -> std::io::Result<File> {
    let mut file = File::create(from.join(MOVES_TO))?;
    file.try_lock().map_err(std::io::Error::from)?;
    file.write_all(to.as_os_str().as_encoded_bytes())?;
    Ok(file)
}

/// Forgets where results should move, after they have.
pub fn forget_move(folder: &Path) {
    // A note that stays names a folder that exists, so it changes nothing.
    std::fs::remove_file(folder.join(MOVES_TO)).ok();
}

/// The folder below `untitled` with results that should have moved to `to`, but whose window is gone.
pub fn interrupted_move(untitled: &Path, to: &Path) -> Option<PathBuf> {
    let folders = std::fs::read_dir(untitled).ok()?.filter_map(Result::ok).map(|entry| entry.path());
    folders.into_iter().find(|folder| {
        let note = folder.join(MOVES_TO);
        let is_meant = std::fs::read(&note).is_ok_and(|text| text == to.as_os_str().as_encoded_bytes());
        is_meant && folder != to && File::open(&note).is_ok_and(|note| note.try_lock().is_ok())
    })
}

/// Whether this is the directory of a run, and not the view settings, the trash or what was submitted beside it.
fn is_run(path: &Path) -> bool {
    let is_other = |name: &str| name.starts_with('.') || name == cluster::FOLDER;
    path.is_dir() && !path.file_name().is_some_and(|name| is_other(&name.to_string_lossy()))
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    if !from.is_dir() {
        return std::fs::copy(from, to).map(|_| ());
    }
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        copy(&entry.path(), &to.join(entry.file_name()))?;
    }
    Ok(())
}

fn remove(path: &Path) -> std::io::Result<()> {
    if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_move_and_nothing_that_is_there_is_overwritten() {
        let root = tempfile::tempdir().unwrap();
        let (from, to) = (root.path().join("a.runs"), root.path().join("b.runs"));
        for run in ["1", "2"] {
            std::fs::create_dir_all(from.join(run)).unwrap();
            std::fs::write(from.join(run).join("events"), "new").unwrap();
        }
        std::fs::create_dir_all(to.join("2")).unwrap();
        assert_eq!(move_results(&from, &to).unwrap(), Moved { runs: 1, left: Vec::new() });
        assert!(
            to.join("1/events").exists() && !to.join("2/events").exists() && from.join("2/events").exists()
        );
        assert_eq!(move_results(&root.path().join("none"), &to).unwrap(), Moved::default());
    }

    #[test]
    fn a_move_that_a_crash_prevented_is_found_once_its_process_is_gone() {
        let root = tempfile::tempdir().unwrap();
        let (from, to) = (root.path().join("untitled-1.runs"), root.path().join("mine.runs"));
        std::fs::create_dir_all(&from).unwrap();
        assert_eq!(interrupted_move(root.path(), &to), None);
        let note = note_move(&from, &to).unwrap();
        assert_eq!(interrupted_move(root.path(), &to), None, "the window will still move them");
        drop(note);
        assert_eq!(interrupted_move(root.path(), &to), Some(from.clone()));
        assert_eq!(interrupted_move(root.path(), &root.path().join("other.runs")), None);
        forget_move(&from);
        assert_eq!(interrupted_move(root.path(), &to), None);
    }

    #[cfg(unix)]
    #[test]
    fn what_is_copied_is_there_as_a_whole_or_not_at_all() {
        let root = tempfile::tempdir().unwrap();
        let (from, to) = (root.path().join("a.runs"), root.path().join("b.runs"));
        for run in ["1", "2", "3"] {
            std::fs::create_dir_all(from.join(run).join("checkpoint")).unwrap();
            std::fs::write(from.join(run).join("checkpoint/state"), "new").unwrap();
        }
        std::fs::create_dir_all(to.join("2")).unwrap();
        std::fs::create_dir_all(to.join(".moving-1/checkpoint")).unwrap();
        std::fs::write(to.join(".moving-1/old"), "of an attempt that was killed").unwrap();
        std::os::unix::fs::symlink("/none", from.join("3/cannot be copied")).unwrap();
        std::fs::write(from.join("3/claim"), "elsewhere\n7\n1\n").unwrap();
        let moved = move_results(&from, &root.path().join("c.runs")).unwrap_err();
        for error in [moved, copy_results(&from, &to, &["3".into()]).unwrap_err()] {
            assert!(error.to_string().contains("3 is in use by process 7 on elsewhere"), "{error}");
        }
        std::fs::remove_file(from.join("3/claim")).unwrap();
        let names = |names: &[&str]| names.iter().map(OsString::from).collect::<Vec<_>>();
        assert_eq!(copy_results(&from, &to, &names(&["1", "2"])).unwrap(), 1);
        assert!(
            to.join("1/checkpoint/state").exists() && !to.join("1/old").exists() && !from.join("1").exists()
        );
        assert!(!to.join("1/claim").exists(), "the copy is nobody's");
        assert!(!to.join("2/checkpoint").exists() && from.join("2/checkpoint/state").exists());
        assert!(copy_results(&from, &to, &names(&["3"])).is_err());
        assert!(from.join("3/checkpoint/state").exists());
        let mut there: Vec<_> =
            std::fs::read_dir(&to).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        there.sort();
        assert_eq!(there, names(&["1", "2"]), "nothing is left half");
    }

    #[test]
    fn copying_takes_folders_along() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(root.path().join("a/b")).unwrap();
        std::fs::write(root.path().join("a/b/c"), "x").unwrap();
        copy(&root.path().join("a"), &root.path().join("z")).unwrap();
        assert_eq!(std::fs::read_to_string(root.path().join("z/b/c")).unwrap(), "x");
    }

    #[test]
    fn a_name_without_extension_gets_the_usual_one() {
        assert_eq!(with_extension("a".into(), Purpose::Save), PathBuf::from("a.ron"));
        assert_eq!(with_extension("a.RON".into(), Purpose::Save), PathBuf::from("a.RON"));
        assert_eq!(with_extension("a.v2".into(), Purpose::Save), PathBuf::from("a.v2.ron"));
        assert_eq!(with_extension("a.v2".into(), Purpose::File), PathBuf::from("a.v2"));
    }

    #[test]
    fn a_tilde_stands_for_the_home_folder() {
        let home = Some(Path::new("/home/me"));
        assert_eq!(typed(" ~/a.ron ", home), PathBuf::from("/home/me/a.ron"));
        assert_eq!(typed("~", home), PathBuf::from("/home/me/"));
        assert_eq!(typed("~other/a", home), PathBuf::from("~other/a"));
        assert_eq!(typed("~/a", None), PathBuf::from("~/a"));
    }
}

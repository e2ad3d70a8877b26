//! The system's file dialogs, run in a thread, and the fallback when there are none.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use eframe::egui::Context;

use super::background::BackgroundTask;
use run::{folder_of, writer_of};

/// The use of a path.
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

impl Purpose {
    /// Returns true if what is at the path is written.
    pub const fn writes(self) -> bool {
        matches!(self, Self::Save | Self::Report | Self::NewFolder)
    }

    /// Returns the kind of files, and the extension of their names.
    const fn kind(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Open | Self::Save => Some(("Weightlab experiment", "ron")),
            Self::Report => Some(("HTML", "html")),
            Self::Folder | Self::NewFolder | Self::File => None,
        }
    }
}

/// A question for a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathRequest {
    pub purpose: Purpose,
    /// The folder to begin in.
    pub folder: PathBuf,
    /// The suggested name of the file; empty when one is opened.
    pub name: String,
}

impl PathRequest {
    /// Returns the title of a dialog for it.
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

/// A way to ask for paths: the system's dialog, or a script in tests. It returns nothing where no dialog could be shown.
pub type Picker = Box<dyn Fn(&PathRequest, &Context) -> Option<BackgroundTask<PathAnswer>>>;

/// A missing service fails faster than anyone can dismiss a dialog.
const TOO_FAST: Duration = Duration::from_millis(350);

/// Returns the system's dialogs.
pub fn system_dialogs() -> Picker {
    Box::new(|request, ctx| {
        let request = request.clone();
        BackgroundTask::begin("file dialog", ctx, move || ask(&request))
    })
}

fn ask(request: &PathRequest) -> PathAnswer {
    let began = Instant::now();
    let mut dialog = rfd::FileDialog::new().set_directory(&request.folder).set_title(request.title());
    if let Some((name, extension)) = request.purpose.kind() {
        dialog = dialog.add_filter(name, &[extension]);
    }
    let picked = if request.purpose.writes() {
        dialog.set_file_name(&request.name).save_file()
    } else if request.purpose == Purpose::Folder {
        dialog.pick_folder()
    } else {
        dialog.pick_file()
    };
    match picked {
        Some(path) => PathAnswer::Path(path),
        None if began.elapsed() < TOO_FAST => PathAnswer::Unavailable,
        None => PathAnswer::Cancelled,
    }
}

/// Returns the path from the root of the file system, as far as the system can tell.
pub fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// Returns the path with the extension of what is written, an experiment, a report or an archive, added to the name:
/// `a.v2` becomes `a.v2.ron`.
pub fn with_extension(path: PathBuf, purpose: Purpose) -> PathBuf {
    let Some((_, wanted)) = purpose.kind().filter(|_| purpose.writes()) else { return path };
    let is_complete = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case(wanted));
    let Some(name) = path.file_name().filter(|_| !is_complete) else { return path };
    let mut name = name.to_owned();
    name.push(format!(".{wanted}"));
    path.with_file_name(name)
}

/// Returns the user's home folder, if there is one.
pub fn home_folder() -> Option<PathBuf> {
    directories::BaseDirs::new().map(|folders| folders.home_dir().to_owned())
}

/// Returns the user's folder of documents, or the home folder where there is none.
pub fn documents_folder() -> Option<PathBuf> {
    let folders = directories::UserDirs::new()?;
    Some(folders.document_dir().unwrap_or_else(|| folders.home_dir()).to_owned())
}

/// Returns a path as a person types it: `~` at its start means the home folder.
pub fn typed(text: &str, home: Option<&Path>) -> PathBuf {
    let text = text.trim();
    match (text.strip_prefix('~'), home) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with(['/', '\\']) => {
            home.join(rest.trim_start_matches(['/', '\\']))
        }
        _ => PathBuf::from(text),
    }
}

/// Completes a typed path as far as the names in its folder agree, those of folders alone where these are wanted.
pub fn completed(text: &str, folder: &Path, folders_only: bool) -> Option<String> {
    let (above, begun) = text.split_at(text.rfind(['/', '\\']).map_or(0, |at| at + 1));
    let entries = folder.join(typed(above, home_folder().as_deref())).read_dir().ok()?.flatten();
    let name = |entry: std::fs::DirEntry| {
        let slash = if entry.path().is_dir() { "/" } else { "" };
        Some(entry.file_name().into_string().ok()? + slash)
    };
    let fits = |name: &String| name.starts_with(begun) && (name.ends_with('/') || !folders_only);
    let names = entries.filter_map(name).filter(fits);
    let common =
        |a: String, b: String| a.chars().zip(b.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a).collect();
    let name = names.reduce(common).filter(|name| name.len() > begun.len())?;
    Some(format!("{above}{name}"))
}

/// Beginning of the names of untitled experiments.
const UNTITLED: &str = "untitled-";

/// The folder of results of a document that has no file yet; nothing is ever written there.
pub const NO_RESULTS: &str = "untitled-0.runs";

/// Returns true if a file has a name as [`new_untitled`] gives it.
pub fn is_untitled(path: &Path) -> bool {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    stem.strip_prefix(UNTITLED).is_some_and(|number| number.parse::<u64>().is_ok())
}

/// Makes an empty file for an untitled experiment, with the first number that neither an experiment nor results
/// have.
///
/// # Errors
/// What the system says.
pub fn new_untitled(folder: &Path) -> io::Result<PathBuf> {
    std::fs::create_dir_all(folder)?;
    let paths = (1_u64..).map(|number| folder.join(format!("{UNTITLED}{number}.ron")));
    for path in paths.filter(|path| !folder_of(path).exists()) {
        match File::create_new(&path) {
            Ok(_) => return Ok(path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("there is no number left"))
}

/// Gives a folder of results another name.
///
/// # Errors
/// Why it stays where it is: a process writes a run in it, or another folder has the name, or is on another disk.
pub fn rename_results(from: &Path, to: &Path) -> Result<(), String> {
    let entries = match std::fs::read_dir(from) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        read => read.map_err(|error| format!("{} cannot be read: {error}", from.display()))?,
    };
    if from.join(cluster::FOLDER).is_dir() {
        return Err("runs of it were submitted to a cluster, whose tasks name this file".to_owned());
    }
    let in_use = |run: PathBuf| Some(format!("{} is in use by {}", run.display(), writer_of(&run)?));
    if let Some(why) = entries.filter_map(Result::ok).find_map(|entry| in_use(entry.path())) {
        return Err(why);
    }
    if to.exists() {
        return Err(format!("{} is there already", to.display()));
    }
    std::fs::rename(from, to).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn untitled_experiments_get_numbers_that_nothing_has() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("Weightlab");
        let first = new_untitled(&folder).unwrap();
        std::fs::create_dir(folder.join("untitled-2.runs")).unwrap();
        let names = [first, new_untitled(&folder).unwrap()];
        assert_eq!(names, ["untitled-1.ron", "untitled-3.ron"].map(|name| folder.join(name)));
        assert!(names.iter().all(|path| is_untitled(path)));
        assert!(
            !["untitled.ron", "untitled-a.ron", "x-1.ron"].iter().any(|name| is_untitled(Path::new(name)))
        );
    }

    #[test]
    fn results_get_another_name_unless_somebody_writes_them_or_it_is_taken() {
        let root = tempfile::tempdir().unwrap();
        let [from, to, taken] = ["a.runs", "b.runs", "c.runs"].map(|name| root.path().join(name));
        assert_eq!(rename_results(&from, &to), Ok(()), "there are none");
        std::fs::create_dir_all(from.join("1")).unwrap();
        std::fs::create_dir(&taken).unwrap();
        std::fs::write(from.join("1/claim"), "elsewhere\n7\n1\n").unwrap();
        let why = rename_results(&from, &to).unwrap_err();
        assert!(why.contains("1 is in use by process 7 on elsewhere"), "{why}");
        std::fs::remove_file(from.join("1/claim")).unwrap();
        assert!(rename_results(&from, &taken).unwrap_err().ends_with("c.runs is there already"));
        std::fs::create_dir(from.join("cluster")).unwrap();
        assert!(rename_results(&from, &to).unwrap_err().contains("submitted to a cluster"));
        std::fs::remove_dir(from.join("cluster")).unwrap();
        assert_eq!(rename_results(&from, &to), Ok(()));
        assert!(to.join("1").is_dir() && !from.exists());
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

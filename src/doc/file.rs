//! Opening and saving experiment files.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::experiment::{Experiment, VERSION};
use super::problem::Problem;
use super::scan::{has_comments, locate, written};
use form::{ron_text, write};

/// Why a file could not be opened or saved.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It could not be read.
    #[error("cannot read {path}: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// It is no experiment.
    #[error("{path}:{line}:{column}: {message}")]
    Syntax {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// What was expected.
        message: String,
    },
    /// It was written by a newer program.
    #[error(
        "{path} has version {found} of the format; this program reads versions up to {VERSION}: use a newer Weightlab"
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
    /// It could not be written.
    #[error("cannot save {path}: {source}; the file is unchanged")]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
}

/// The folder that paths in an experiment are relative to: that of its file.
pub fn base_of(file: &Path) -> PathBuf {
    file.parent().map(Path::to_owned).unwrap_or_default()
}

/// An experiment with the text that it was read from.
#[derive(Clone, Debug, PartialEq)]
pub struct Opened {
    /// The document.
    pub experiment: Experiment,
    /// The text of the file, without byte-order mark.
    pub text: String,
}

/// Reads an experiment.
///
/// # Errors
/// What cannot be read, or where the text is wrong.
pub fn open(path: &Path) -> Result<Opened, FileError> {
    let bytes = std::fs::read(path).map_err(|source| FileError::Read { path: path.to_owned(), source })?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let source = std::io::Error::new(std::io::ErrorKind::InvalidData, error);
        FileError::Read { path: path.to_owned(), source }
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned();
    let experiment = parse(&text, path)?;
    Ok(Opened { experiment, text })
}

/// Reads an experiment from text; `path` is what messages call it.
///
/// # Errors
/// Where the text is wrong.
pub fn parse(text: &str, path: &Path) -> Result<Experiment, FileError> {
    let mut experiment: Experiment = ron_text::from_str(text).map_err(|error| FileError::Syntax {
        path: path.to_owned(),
        line: error.span.start.line,
        column: error.span.start.col,
        message: ron_text::explain(&error.code),
    })?;
    if experiment.version > VERSION {
        return Err(FileError::Version { path: path.to_owned(), found: experiment.version });
    }
    experiment.version = VERSION;
    Ok(experiment)
}

/// The text of an experiment. `before` is the text of its file so far: the comment at its head stays, and so do settings
/// that it has although they are defaults. Other defaults are left out, unless they are always written.
///
/// # Errors
/// When the document holds an override that RON cannot read again.
pub fn to_text(experiment: &Experiment, before: &str) -> ron::Result<String> {
    // The version is a default, and comes first.
    let mut experiment = Experiment { version: VERSION, ..experiment.clone() };
    let mut written = written(before);
    written.entries.retain(|(key, _)| key.as_deref() != Some("version"));
    let settings = write::settings(&mut experiment, &written, &format!("version: {VERSION}"))?;
    Ok(format!("{}Experiment(\n{settings})\n", header(before)))
}

/// Writes an experiment so that a crash leaves the old file or the new one, never half of either. `before` is the text of
/// its file so far, as for [`to_text`]. Returns the text.
///
/// # Errors
/// What could not be written, and why.
pub fn save(experiment: &Experiment, before: &str, path: &Path) -> Result<String, FileError> {
    let fail = |source| FileError::Write { path: path.to_owned(), source };
    let text = to_text(experiment, before).map_err(|error| fail(std::io::Error::other(error)))?;
    write_atomically(path, text.as_bytes()).map_err(fail)?;
    Ok(text)
}

/// How the names of files begin that are not whole.
const UNFINISHED: &str = ".weightlab-";

/// Replaces a file as a whole: written beside it, then renamed. A link stays a link; the file that it leads to is
/// replaced.
///
/// # Errors
/// What the system says; the old file is unchanged then.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    write_atomically_by(path, |file| file.write_all(bytes))
}

/// The same of what `write` writes, piece by piece.
///
/// # Errors
/// What the system or `write` says; the old file is unchanged then.
pub fn write_atomically_by<T>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> std::io::Result<T>,
) -> std::io::Result<T> {
    let path = &link_target(path);
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = new_file(folder)?;
    let written = write(&mut file)?;
    if let Ok(old) = std::fs::metadata(path) {
        file.as_file().set_permissions(old.permissions())?;
    }
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(written)
}

/// Makes a file that will get its name when it is whole. It has the rights that the umask leaves to every new file.
///
/// # Errors
/// What the system says.
pub fn new_file(folder: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.prefix(UNFINISHED).tempfile_in(folder)
}

/// Removes what killed processes have left in a folder and below it of files that were not whole. No process may write there
/// meanwhile.
pub fn remove_unfinished(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            remove_unfinished(&entry.path());
        } else if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
            let _ = std::fs::remove_file(entry.path()); // one that stays does no harm
        }
    }
}

/// Removes a file that may be missing.
///
/// # Errors
/// What the system says.
pub fn remove_if_there(path: &Path) -> std::io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// The file that a path leads to over links, which may be missing at the end.
fn link_target(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    // As many links in a row as Linux follows.
    for _ in 0..40 {
        let Ok(target) = std::fs::read_link(&path) else { break };
        path = path.parent().unwrap_or(Path::new("")).join(target);
    }
    path
}

/// The comment at the head of a file, which saving keeps.
pub fn header(text: &str) -> &str {
    let end: usize = text
        .split_inclusive('\n')
        .take_while(|line| line.trim_start().starts_with("//") || line.trim().is_empty())
        .map(str::len)
        .sum();
    &text[..end]
}

/// Whether there are comments after the head, which saving would lose.
pub fn has_other_comments(text: &str) -> bool {
    has_comments(&text[header(text).len()..])
}

/// A problem with the line and column that it has in the text of its file, as compilers write it.
pub fn describe(problem: &Problem, path: &Path, text: &str) -> String {
    let (line, column) = locate(text, &problem.place);
    format!("{}:{line}:{column}: {}", path.display(), problem.with_path())
}

/// Line and column, both from 1, of a problem's setting in the text of its file.
pub fn position(problem: &Problem, text: &str) -> (usize, usize) {
    locate(text, &problem.place)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        "// Two seeds.\n// Of digits.\nExperiment(\n    name: \"x // y\",\n    seeds: [1, 2],\n)\n";

    #[test]
    fn the_head_comment_survives_saving() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.ron");
        std::fs::write(&path, format!("\u{feff}{TEXT}")).unwrap();
        let opened = open(&path).unwrap();
        save(&opened.experiment, &opened.text, &path).unwrap();
        let again = open(&path).unwrap();
        assert_eq!(again.experiment, opened.experiment);
        assert!(again.text.starts_with("// Two seeds.\n// Of digits.\nExperiment("), "{}", again.text);
    }

    #[cfg(unix)]
    #[test]
    fn saving_through_a_link_keeps_the_link() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("real")).unwrap();
        let (link, again) = (folder.path().join("link.ron"), folder.path().join("again.ron"));
        std::os::unix::fs::symlink("real/x.ron", &link).unwrap();
        std::os::unix::fs::symlink(&link, &again).unwrap();
        for name in ["first", "second"] {
            save(&Experiment { name: name.to_owned(), ..Experiment::default() }, "", &again).unwrap();
            assert!(link.is_symlink() && again.is_symlink());
            assert_eq!(open(&folder.path().join("real/x.ron")).unwrap().experiment.name, name);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_new_file_has_the_rights_of_new_files_and_an_old_one_keeps_its_own() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let [new, plain] = ["new", "plain"].map(|name| folder.path().join(name));
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        std::fs::write(&plain, "").unwrap();
        write_atomically(&new, b"1").unwrap();
        assert_eq!(mode(&new), mode(&plain));
        std::fs::set_permissions(&new, PermissionsExt::from_mode(0o600)).unwrap();
        write_atomically(&new, b"2").unwrap();
        assert_eq!(mode(&new), 0o600);
        std::fs::create_dir(folder.path().join("below")).unwrap();
        for left in [folder.path(), &folder.path().join("below")] {
            new_file(left).unwrap().keep().unwrap(); // as a kill does
        }
        remove_unfinished(folder.path());
        assert_eq!(std::fs::read_dir(folder.path().join("below")).unwrap().count(), 0);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3, "files that are whole stay");
    }

    #[test]
    fn comments_in_the_middle_are_noticed_and_text_is_none() {
        assert!(!has_other_comments(TEXT));
        assert!(has_other_comments(&TEXT.replace("seeds", "// why\n    seeds")));
        assert!(has_other_comments(&TEXT.replace("seeds", "/* why */ seeds")));
        let raw = TEXT.replace("\"x // y\"", "r\"C:\\\"");
        assert!(!has_other_comments(&raw) && has_other_comments(&raw.replace("seeds", "// why\n    seeds")));
    }

    #[test]
    fn a_saved_file_names_its_version_first() {
        let empty = to_text(&Experiment::default(), "").unwrap();
        assert_eq!(empty, "Experiment(\n    version: 1,\n)\n");
        let named = to_text(&Experiment { name: "x".to_owned(), ..Experiment::default() }, "").unwrap();
        assert_eq!(named, "Experiment(\n    version: 1,\n    name: \"x\",\n)\n");
        assert_eq!(parse(&named, Path::new("x.ron")).unwrap().name, "x");
    }

    #[test]
    fn what_was_written_stays_and_amounts_criteria_and_trials_are_always_written() {
        let text = "Experiment(
    version: 1,
    seeds: [1, 2, 3],
    arms: [(name: \"a\", plan: [Do(Snapshot(name: \"init\")), Train(\"5ep\"), Do(Prune(scope: PerLayer))])],
)
";
        let mut experiment = parse(text, Path::new("x.ron")).unwrap();
        let prune = "Do(Prune(criterion: Magnitude, amount: Fraction(0.2), scope: PerLayer))";
        let expected = format!(
            "Experiment(
    version: 1,
    seeds: [1, 2, 3],
    arms: [
        (
            name: \"a\",
            plan: [
                Do(Snapshot(name: \"init\")),
                Train(\"5ep\"),
                {prune},
                Campaign(fault: (amount: Count(1)), trials: Fixed(100)),
            ],
        ),
    ],
)
"
        );
        experiment.arms[0].plan.push(ron_text::from_str("Campaign()").unwrap());
        assert_eq!(to_text(&experiment, text).unwrap(), expected);
        assert_eq!(to_text(&experiment, &expected).unwrap(), expected);
        assert_eq!(parse(&expected, Path::new("x.ron")).unwrap(), experiment);
    }

    #[test]
    fn many_seeds_fill_their_lines_and_an_override_that_is_no_value_is_refused() {
        let mut experiment = Experiment { seeds: (1..=40).collect(), ..Experiment::default() };
        let text = to_text(&experiment, "").unwrap();
        assert_eq!(text.lines().count(), 7, "{text}");
        assert_eq!(parse(&text, Path::new("x.ron")).unwrap(), experiment);
        experiment.set.0.insert("train.batch".to_owned(), "[1,".to_owned());
        assert!(to_text(&experiment, "").is_err());
    }

    #[test]
    fn a_typo_is_named_with_its_line_and_what_there_is() {
        let error = parse(&TEXT.replace("seeds", "sedes"), Path::new("x.ron")).unwrap_err().to_string();
        assert!(error.starts_with("x.ron:5:5"), "{error}");
        assert!(error.contains("sedes") && error.contains("seeds"), "{error}");
    }

    #[test]
    fn a_newer_version_is_refused() {
        let error = parse("Experiment(version: 99)", Path::new("x.ron")).unwrap_err();
        assert!(matches!(error, FileError::Version { found: 99, .. }), "{error}");
    }
}

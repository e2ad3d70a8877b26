//! Opening and saving experiment files.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::experiment::{Experiment, VERSION};
use super::problem::Problem;
use super::scan::locate;
use crate::form::ron_text;

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
        message: error.code.to_string(),
    })?;
    if experiment.version > VERSION {
        return Err(FileError::Version { path: path.to_owned(), found: experiment.version });
    }
    experiment.version = VERSION;
    Ok(experiment)
}

/// The text of an experiment: `header` (a comment), then the settings that differ from their defaults.
///
/// # Errors
/// When the document holds a number that RON cannot write.
pub fn to_text(experiment: &Experiment, header: &str) -> ron::Result<String> {
    let experiment = Experiment { version: VERSION, ..experiment.clone() };
    let settings = ron_text::to_pretty(&experiment)?;
    let settings = settings.trim_start_matches('(').trim_end_matches(')');
    Ok(format!("{header}Experiment(\n    version: {VERSION},{}\n)\n", settings.trim_end()))
}

/// Writes an experiment so that a crash leaves the old file or the new one, never half of either.
///
/// # Errors
/// What could not be written, and why.
pub fn save(experiment: &Experiment, header: &str, path: &Path) -> Result<(), FileError> {
    let fail = |source| FileError::Write { path: path.to_owned(), source };
    let text = to_text(experiment, header).map_err(|error| fail(std::io::Error::other(error)))?;
    write_atomically(path, text.as_bytes()).map_err(fail)
}

/// Replaces a file as a whole: written beside it, then renamed. A link stays a link; the file that it leads to is
/// replaced.
///
/// # Errors
/// What the system says; the old file is unchanged then.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let path = &link_target(path);
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new().prefix(".weightlab-").tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(path).map_or(0o644, |old| old.permissions().mode());
        file.as_file().set_permissions(std::fs::Permissions::from_mode(mode))?;
    }
    file.persist(path)?;
    Ok(())
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
    let body = &text[header(text).len()..];
    let mut in_text = false;
    let mut escaped = false;
    let mut previous = ' ';
    for character in body.chars() {
        match character {
            '"' if !escaped => in_text = !in_text,
            '/' | '*' if !in_text && previous == '/' => return true,
            _ => {}
        }
        escaped = character == '\\' && !escaped;
        previous = character;
    }
    false
}

/// A problem with the line and column that it has in the text of its file, as compilers write it.
pub fn describe(problem: &Problem, path: &Path, text: &str) -> String {
    let (line, column) = locate(text, &problem.place);
    format!("{}:{line}:{column}: {problem}", path.display())
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
        save(&opened.experiment, header(&opened.text), &path).unwrap();
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

    #[test]
    fn comments_in_the_middle_are_noticed_and_text_is_none() {
        assert!(!has_other_comments(TEXT));
        assert!(has_other_comments(&TEXT.replace("seeds", "// why\n    seeds")));
        assert!(has_other_comments(&TEXT.replace("seeds", "/* why */ seeds")));
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

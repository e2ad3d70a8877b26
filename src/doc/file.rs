//! Opening and saving experiment files, and the line and column of a setting in their text.

use std::io::Write;
use std::path::{Path, PathBuf};

use ron::error::Position;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::experiment::{Experiment, VERSION};
use crate::problem::Problem;
use form::path::{Place, Segment};
use form::ron_text::{self, Entry, Written};

/// An error of opening or saving a file.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error("cannot read {path}: {source}")]
    Read { path: PathBuf, source: std::io::Error },
    #[error("{path}:{line}:{column}: {message}{excerpt}")]
    Syntax {
        path: PathBuf,
        line: usize,
        column: usize,
        message: String,
        /// Two line breaks, the line, and a mark below the column.
        excerpt: String,
    },
    #[error(
        "{path} has version {found} of the format; this program reads versions up to {VERSION}: use a newer Weightlab"
    )]
    Version { path: PathBuf, found: u32 },
    #[error("cannot save {path}: {source}; the file is unchanged")]
    Write { path: PathBuf, source: std::io::Error },
}

/// Returns the folder that paths in an experiment are relative to: that of its file.
pub fn base_of(file: &Path) -> PathBuf {
    file.parent().map(Path::to_owned).unwrap_or_default()
}

/// An experiment with the text that it was read from.
#[derive(Clone, Debug, PartialEq)]
pub struct Opened {
    pub experiment: Experiment,
    /// Without byte-order mark.
    pub text: String,
}

/// Reads an experiment.
///
/// # Errors
/// A file that cannot be read, and the place where its text is wrong.
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
        excerpt: excerpt(text, error.span.start),
    })?;
    if experiment.version > VERSION {
        return Err(FileError::Version { path: path.to_owned(), found: experiment.version });
    }
    experiment.version = VERSION;
    Ok(experiment)
}

/// Returns what is around a place in a text, up to a width, with a mark below it.
fn excerpt(text: &str, at: Position) -> String {
    const WIDTH: usize = 60;
    let line = text.lines().nth(at.line.saturating_sub(1)).unwrap_or_default().replace('\t', " ");
    let column = at.col.saturating_sub(1);
    let first = column.saturating_sub(WIDTH / 2);
    let shown: String = line.chars().skip(first).take(WIDTH).collect();
    format!("\n\n{shown}\n{:>1$}", '^', column - first + 1)
}

/// Writes an experiment as text. `before` is the text of its file so far: the comment at its head stays, and so do settings
/// that it has although they are defaults. Other defaults are left out, unless they are always written.
///
/// # Errors
/// When the document holds an override that RON cannot read again.
pub fn to_text(experiment: &Experiment, before: &str) -> ron::Result<String> {
    // The version is a default, and comes first.
    let mut experiment = Experiment { version: VERSION, ..experiment.clone() };
    let mut written = written(before);
    written.entries.retain(|entry| entry.key != Some("version"));
    let settings = ron_text::settings(&mut experiment, &written, &format!("version: {VERSION}"))?;
    Ok(format!("{}Experiment(\n{settings})\n", header(before)))
}

/// Writes an experiment so that a crash leaves the old file or the new one, never half of either. `before` is the text of
/// its file so far, as for [`to_text`]. Returns the text.
///
/// # Errors
/// A file that could not be written.
pub fn save(experiment: &Experiment, before: &str, path: &Path) -> Result<String, FileError> {
    let fail = |source| FileError::Write { path: path.to_owned(), source };
    let text = to_text(experiment, before).map_err(|error| fail(std::io::Error::other(error)))?;
    write_atomically(path, text.as_bytes()).map_err(fail)?;
    Ok(text)
}

/// The beginning of names of files that are not whole.
pub const UNFINISHED: &str = ".weightlab-";

/// Replaces a file as a whole: written beside it, then renamed. A link stays a link; the file that it leads to is
/// replaced.
///
/// # Errors
/// Those of the system; the old file is unchanged then.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    write_atomically_by(path, |file| file.write_all(bytes))
}

/// Replaces a file as a whole by what `write` writes, piece by piece.
///
/// # Errors
/// Those of the system and of `write`; the old file is unchanged then.
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
/// Those of the system.
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
/// Those of the system.
pub fn remove_if_there(path: &Path) -> std::io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Returns the files in which the program keeps something for itself in a folder, whether they are there or not: `NAME.json`, and
/// `NAME.ron` of versions up to 0.1. The one that counts comes first: a `NAME.ron` that is newer was written by such a version since.
pub fn kept_files(folder: &Path, name: &str) -> [PathBuf; 2] {
    let mut files = ["json", "ron"].map(|ending| folder.join(format!("{name}.{ending}")));
    let written = |file: &Path| file.metadata().and_then(|about| about.modified());
    if written(&files[1]).is_ok_and(|ron| written(&files[0]).is_ok_and(|json| ron > json)) {
        files.swap(0, 1);
    }
    files
}

/// Reads what the program keeps for itself in a folder; `None` where neither of its [files](kept_files) is there.
///
/// # Errors
/// Why the file cannot be read, with its path.
pub fn read_kept<T: DeserializeOwned>(folder: &Path, name: &str) -> Result<Option<T>, String> {
    let files = kept_files(folder, name);
    // The first one again: a writer removes the old one.
    for path in files.iter().chain(&files[..1]) {
        let text = match std::fs::read_to_string(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            read => read.map_err(|error| format!("{} cannot be read: {error}", path.display()))?,
        };
        let read = if path.extension().is_some_and(|ending| ending == "ron") {
            ron_text::from_str(&text).map_err(|error| error.to_string())
        } else {
            serde_json::from_str(&text).map_err(|error| error.to_string())
        };
        return read.map(Some).map_err(|why| format!("{} is damaged: {why}", path.display()));
    }
    Ok(None)
}

/// Writes what the program keeps for itself in a folder into `NAME.json`, as a whole, and removes the `NAME.ron` of an earlier
/// version.
///
/// # Errors
/// The system's error.
pub fn write_kept<T: Serialize>(folder: &Path, name: &str, value: &T) -> std::io::Result<()> {
    let text = serde_json::to_string_pretty(value)? + "\n";
    write_atomically(&folder.join(format!("{name}.json")), text.as_bytes())?;
    let _ = remove_if_there(&folder.join(format!("{name}.ron"))); // one that stays is not read
    Ok(())
}

/// Follows links to the file at their end, which may be missing.
fn link_target(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    // As many links in a row as Linux follows.
    for _ in 0..40 {
        let Ok(target) = std::fs::read_link(&path) else { break };
        path = path.parent().unwrap_or(Path::new("")).join(target);
    }
    path
}

/// Returns the comment at the head of a file, which saving keeps.
pub fn header(text: &str) -> &str {
    let end: usize = text
        .split_inclusive('\n')
        .take_while(|line| line.trim_start().starts_with("//") || line.trim().is_empty())
        .map(str::len)
        .sum();
    &text[..end]
}

/// Returns true if there are comments after the head, which saving would lose.
pub fn has_other_comments(text: &str) -> bool {
    scan(&text[header(text).len()..]).iter().any(|(_, token)| *token == Token::Comment)
}

/// Describes a problem with the line and column that it has in the text of its file, as compilers write it.
pub fn describe(problem: &Problem, path: &Path, text: &str) -> String {
    let (line, column) = locate(text, &problem.place);
    format!("{}:{line}:{column}: {}", path.display(), problem.with_path())
}

/// Returns line and column, both from 1, of the setting at `place`, or of the nearest enclosing one that is written down.
pub fn locate(text: &str, place: &Place) -> (usize, usize) {
    let root = written(text);
    // In the brackets of an alternative, which may hold another one.
    let (mut offset, mut value, mut is_inside) = (root.offset, &root, false);
    for segment in &place.0 {
        let entry = match segment {
            Segment::Key(key) => value.setting(key),
            Segment::Index(index) => list(value).entries.get(*index),
            Segment::Variant(name) => {
                let first = || Some(&value.entries.first().filter(|entry| entry.key.is_none())?.value);
                let named = if is_inside || value.name.is_none() { first() } else { Some(value) };
                let Some(named) = named.filter(|named| named.name == Some(name)) else { break };
                (offset, value, is_inside) = (named.offset, named, true);
                continue;
            }
        };
        let Some(entry) = entry else { break };
        (offset, value, is_inside) = (entry.offset, &entry.value, false);
    }
    let Position { line, col } = ron_text::position(text, offset);
    (line, col)
}

/// Reads which settings a text has written down.
pub fn written(text: &str) -> Written<'_> {
    let mut tokens = scan(text);
    tokens.retain(|(_, token)| *token != Token::Comment);
    read(&tokens, &mut 0, 0)
}

/// Deeper brackets are no settings.
const DEEPEST: usize = 200;

/// Reads the value that begins at the token `at`, which moves behind it.
fn read<'a>(tokens: &[(usize, Token<'a>)], at: &mut usize, depth: usize) -> Written<'a> {
    let token = |at: usize| tokens.get(at).map(|(_, token)| *token);
    let mut found =
        Written { offset: tokens.get(*at).map_or(0, |(offset, _)| *offset), ..Written::default() };
    while let Some(Token::Word(text) | Token::Text(text)) = token(*at) {
        found.name = Some(text);
        *at += 1;
    }
    let Some(Token::Open(bracket)) = token(*at).filter(|_| depth <= DEEPEST) else { return found };
    found.bracket = bracket;
    *at += 1;
    while let Some((offset, next)) = tokens.get(*at).copied() {
        let before = *at;
        let key = match (next, token(before + 1)) {
            (Token::Close, _) => {
                *at += 1;
                break;
            }
            (Token::Comma | Token::Colon | Token::Comment, _) => {
                *at += 1;
                continue;
            }
            (Token::Word(key) | Token::Text(key), Some(Token::Colon)) => {
                *at += 2;
                Some(key)
            }
            (Token::Word(_) | Token::Text(_) | Token::Open(_), _) => None,
        };
        let value = read(tokens, at, depth + 1);
        *at = (*at).max(before + 1);
        found.entries.push(Entry { offset, key, value });
    }
    found
}

/// Returns the list that an alternative carries, as in `Only(["fc1"])`, or the value itself.
fn list<'a, 'w>(value: &'w Written<'a>) -> &'w Written<'a> {
    match &value.entries[..] {
        [Entry { key: None, value: inner, .. }, ..]
            if value.bracket == b'(' && inner.bracket == b'[' && inner.name.is_none() =>
        {
            inner
        }
        _ => value,
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Token<'a> {
    Open(u8),
    Close,
    Comma,
    Colon,
    Word(&'a str),
    Text(&'a str),
    Comment,
}

/// Returns the tokens of a text with their byte offsets.
fn scan(text: &str) -> Vec<(usize, Token<'_>)> {
    let mut tokens = Vec::new();
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &text[at..];
        let (token, length) = match bytes[at] {
            byte @ (b'(' | b'[' | b'{') => (Some(Token::Open(byte)), 1),
            b')' | b']' | b'}' => (Some(Token::Close), 1),
            b',' => (Some(Token::Comma), 1),
            b':' => (Some(Token::Colon), 1),
            b'"' => {
                let length = quoted_length(rest);
                (Some(Token::Text(rest[1..length].trim_end_matches('"'))), length)
            }
            b'r' | b'b' if let Some((inner, length)) = raw_text(rest) => (Some(Token::Text(inner)), length),
            b'/' if rest.starts_with("//") => (Some(Token::Comment), rest.find('\n').unwrap_or(rest.len())),
            b'/' if rest.starts_with("/*") => (Some(Token::Comment), comment_length(rest)),
            _ => {
                let ends_word = |c: char| "()[]{},:\"".contains(c) || c.is_whitespace();
                let end = rest.find(ends_word).unwrap_or(rest.len());
                let word = &rest[..end];
                match ["//", "/*"].iter().filter_map(|mark| word.find(mark)).min().unwrap_or(end) {
                    0 => (None, rest.chars().next().map_or(1, char::len_utf8)), // white space of any kind
                    length => (Some(Token::Word(&rest[..length])), length),
                }
            }
        };
        tokens.extend(token.map(|token| (at, token)));
        at += length;
    }
    tokens
}

/// Returns the inside of the quotes of a raw text, `r#"…"#` or `br"…"`, and its length with them.
fn raw_text(rest: &str) -> Option<(&str, usize)> {
    let marked = rest.strip_prefix('b').unwrap_or(rest).strip_prefix('r')?;
    let open = marked.trim_start_matches('#');
    let end = format!("\"{}", &marked[..marked.len() - open.len()]);
    let inner = open.strip_prefix('"')?;
    let length = inner.find(&end).unwrap_or(inner.len());
    Some((&inner[..length], (rest.len() - inner.len() + length + end.len()).min(rest.len())))
}

/// Measures a comment that may hold others: `/* a /* b */ c */`.
fn comment_length(rest: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    let bytes = rest.as_bytes();
    while let Some(two) = bytes.get(at..at + 2) {
        match two {
            b"/*" => depth += 1,
            b"*/" => depth -= 1,
            _ => {
                at += 1;
                continue;
            }
        }
        at += 2;
        if depth == 0 {
            return at;
        }
    }
    rest.len()
}

/// Measures a quoted text with its quotes.
fn quoted_length(rest: &str) -> usize {
    let mut escaped = false;
    for (offset, character) in rest.char_indices().skip(1) {
        match character {
            '\\' if !escaped => escaped = true,
            '"' if !escaped => return offset + 1,
            _ => escaped = false,
        }
    }
    rest.len()
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
    fn what_an_earlier_version_kept_is_read_until_it_is_written_again() {
        let folder = tempfile::tempdir().unwrap();
        let read = || read_kept::<Vec<f64>>(folder.path(), "x");
        assert_eq!(read(), Ok(None));
        std::fs::write(folder.path().join("x.ron"), "[1, 0.1]").unwrap();
        assert_eq!(read(), Ok(Some(vec![1.0, 0.1])));
        write_kept(folder.path(), "x", &[0.1 + 0.2]).unwrap();
        assert_eq!(read(), Ok(Some(vec![0.1 + 0.2])), "to the last bit");
        assert!(!folder.path().join("x.ron").exists());
        let since = std::fs::File::create(folder.path().join("x.ron")).unwrap();
        std::io::Write::write_all(&mut &since, b"[2]").unwrap();
        since.set_modified(std::time::SystemTime::now() + std::time::Duration::from_mins(1)).unwrap();
        assert_eq!(read(), Ok(Some(vec![2.0])), "an earlier version wrote since");
        std::fs::remove_file(folder.path().join("x.ron")).unwrap();
        std::fs::write(folder.path().join("x.json"), "[1").unwrap();
        assert!(read().unwrap_err().contains("x.json is damaged: EOF"));
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

#[cfg(test)]
mod scan_tests {
    use super::*;

    const FILE: &str = "// a comment (with brackets\nExperiment(\n    name: \"a, (b\",\n    arms: [\n        (name: \"x\", plan: [Train(\"5ep\"), Do(Prune(amount: Fraction(2.0)))]),\n    ],\n    set: { \"train.batch\": 8 },\n)\n";

    fn place(segments: &[Segment]) -> Place {
        Place(segments.to_vec())
    }

    fn key(name: &str) -> Segment {
        Segment::Key(name.to_owned())
    }

    fn variant(name: &str) -> Segment {
        Segment::Variant(name.to_owned())
    }

    #[test]
    fn a_setting_is_found_through_lists_and_variants() {
        let prune = [
            key("arms"),
            Segment::Index(0),
            key("plan"),
            Segment::Index(1),
            variant("Do"),
            variant("Prune"),
            key("amount"),
        ];
        assert_eq!(locate(FILE, &place(&prune)), (5, 51));
        assert_eq!(locate(FILE, &place(&[key("set"), key("train.batch")])), (7, 12));
    }

    proptest::proptest! {
        #[test]
        fn any_text_comes_to_an_end(text in ".{0,200}") {
            let (line, column) = locate(&text, &place(&[key("arms"), Segment::Index(0), variant("Do"), key("x")]));
            proptest::prop_assert!(line >= 1 && column >= 1);
            written(&text);
        }
    }

    #[test]
    fn what_is_written_is_known_by_its_brackets() {
        let all = written(FILE);
        let arm = &all.entries[1].value.entries[0].value;
        let keys: Vec<_> = arm.entries.iter().filter_map(|entry| entry.key).collect();
        assert_eq!(keys, ["name", "plan"]);
        let prune = &arm.entries[1].value.entries[1].value.entries[0].value;
        assert_eq!((prune.name, prune.entries[0].key), (Some("Prune"), Some("amount")));
    }

    #[test]
    fn raw_texts_end_at_their_own_quotes_and_comments_hold_comments() {
        let text = r###"(name: r"C:\", /* a /* b */ (c */ data: br##"x"#(y"##, seeds: [1])"###;
        assert_eq!(locate(text, &place(&[key("data")])), (1, 35));
        assert_eq!(locate(text, &place(&[key("seeds"), Segment::Index(0)])), (1, 64));
        assert!(
            has_other_comments(text) && !has_other_comments(r##"(name: r#"a "// b" /* c"#, key: "\"//")"##)
        );
        assert!(has_other_comments(
            r#"(name: r"C:\", // why
            seeds: [1])"#
        ));
        assert!(has_other_comments("(seeds: [1// one\n])") && !has_other_comments("(a: r\"/*"));
    }

    #[test]
    fn unusual_white_space_is_passed_over() {
        assert_eq!(locate("(\u{b}\u{2028}name: 1)", &place(&[key("name")])), (1, 4));
    }

    #[test]
    fn what_is_not_written_is_found_at_what_encloses_it() {
        assert_eq!(locate(FILE, &place(&[key("train"), key("batch")])), (2, 1));
        assert_eq!(locate(FILE, &place(&[key("arms"), Segment::Index(0), key("sweep")])), (5, 9));
    }
}

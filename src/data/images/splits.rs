//! Which folders below that of a set are its parts: training, validation and test.

use std::collections::BTreeSet;
use std::fs::DirEntry;
use std::path::{Path, PathBuf};

use crate::DataError;

/// What folders of parts may be called, in any case.
const NAMES: [&[&str]; 3] =
    [&["train", "training"], &["val", "valid", "validation", "dev", "eval"], &["test", "testing"]];
/// Folders of one name within each other that are seen through.
const DEEPEST: usize = 4;

/// The folders of the parts.
#[derive(Debug, Default)]
pub(crate) struct Splits {
    /// Of the training, the validation and the test part.
    pub parts: [Option<PathBuf>; 3],
    /// Where the parts come from, in words; empty where the training part is to be split.
    pub words: String,
    /// Folders beside them, in words with the remedy.
    pub notes: Vec<String>,
}

/// Whether a file or folder is one that people do not see: those that systems leave in folders and archives are nothing.
pub(super) fn is_hidden(name: &str) -> bool {
    const OF_SYSTEMS: [&str; 4] = ["__macosx", "thumbs.db", "desktop.ini", "@eadir"];
    name.starts_with('.') || OF_SYSTEMS.contains(&name.to_lowercase().as_str())
}

/// Returns the names of the folders in a folder that people see, sorted.
///
/// # Errors
/// A folder that cannot be read, and names that are not in UTF-8.
pub(super) fn folders(folder: &Path) -> Result<Vec<String>, DataError> {
    let unreadable = |source| DataError::Unreadable { path: folder.to_owned(), source };
    let mut names = Vec::new();
    for entry in folder.read_dir().map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        if is_hidden(&entry.file_name().to_string_lossy()) || !is_folder(&entry)? {
            continue;
        }
        names.push(entry.file_name().into_string().map_err(|name| {
            let found = name.to_string_lossy().into_owned();
            DataError::wrong(folder, "names of classes in UTF-8", found, "Rename the folder")
        })?);
    }
    names.sort();
    Ok(names)
}

/// Whether an entry of a folder is a folder, after links.
///
/// # Errors
/// A link to what is not there.
pub(super) fn is_folder(entry: &DirEntry) -> Result<bool, DataError> {
    let path = entry.path();
    let unreadable = |source| DataError::Unreadable { path: path.clone(), source };
    let kind = entry.file_type().map_err(unreadable)?;
    if !kind.is_symlink() {
        return Ok(kind.is_dir());
    }
    path.metadata().map(|about| about.is_dir()).map_err(|error| {
        let target = path.read_link().unwrap_or_default();
        let found = format!("a link to {} ({error})", target.display());
        DataError::wrong(&path, "a file or folder", found, "Get what it leads to, or remove the link")
    })
}

/// Returns which part a folder of this name holds: 0 is training, 1 validation, 2 test.
fn part_of(name: &str) -> Option<usize> {
    let name = name.to_lowercase().replace(['-', ' '], "_");
    let name = name.strip_prefix("seg_").unwrap_or(&name);
    let name = name.strip_suffix("set").unwrap_or(name).trim_end_matches('_');
    NAMES.iter().position(|names| names.contains(&name))
}

/// Returns which part a name may mean that has a word of one in it: `my-test_images`.
fn like_part(name: &str) -> Option<usize> {
    name.split(|sign: char| !sign.is_alphabetic()).find_map(part_of)
}

/// Returns a folder, or the one of the same name that is all it holds: archives of Kaggle have `seg_train/seg_train`; with the
/// names of the folders in it.
pub(super) fn seen_through(folder: &Path, name: &str) -> Result<(PathBuf, Vec<String>), DataError> {
    let mut folder = folder.join(name);
    let mut inside = folders(&folder)?;
    for _ in 0..DEEPEST {
        match &inside[..] {
            [only] if only == name || (part_of(only).is_some() && part_of(only) == part_of(name)) => {
                folder.push(only);
            }
            _ => break,
        }
        inside = folders(&folder)?;
    }
    Ok((folder, inside))
}

impl Splits {
    /// Finds the folders of the parts. One that has the name of a part and no folders in it is a class beside others: trains.
    ///
    /// # Errors
    /// Two folders for one part, one that may be a part that is missing, and folders that cannot be read.
    pub fn of(folder: &Path) -> Result<Self, DataError> {
        let names = folders(folder)?;
        let mut found: [Option<&String>; 3] = [None; 3];
        let mut splits = Self::default();
        let (mut beside, mut empty, mut twice) = (Vec::new(), Vec::new(), None);
        for name in &names {
            let Some(part) = part_of(name) else {
                beside.push(name.as_str());
                continue;
            };
            let (path, inside) = seen_through(folder, name)?;
            if inside.is_empty() {
                empty.push(name.as_str());
                continue;
            }
            if let Some(first) = found[part].replace(name) {
                twice = Some(format!("{first} and {name}"));
            }
            splits.parts[part] = Some(path);
        }
        let [Some(train), validation, test] = found else { return Ok(Self::default()) };
        if let Some(found) = twice {
            let remedy = "Rename one of them if it is another part, or remove it";
            return Err(DataError::wrong(folder, "one folder for each part", found, remedy));
        }
        for name in &beside {
            let is_like = like_part(name).is_some_and(|part| found[part].is_none());
            if is_like && !folders(&folder.join(name))?.is_empty() {
                let remedy = "Rename it so if it is that part; otherwise give it a name without such a word, or remove it";
                return Err(DataError::wrong(folder, known(), format!("{name} beside {train}"), remedy));
            }
        }
        splits.words = match (validation, test) {
            (Some(validation), Some(test)) => {
                format!("the folders {train}, {validation} (for validation) and {test} (for testing)")
            }
            (Some(only), None) => {
                format!("the folders {train} and {only} (for testing, as there is no folder test)")
            }
            (None, Some(test)) => format!("the folders {train} and {test}"),
            (None, None) => String::new(),
        };
        if test.is_none() {
            splits.parts.swap(1, 2);
        }
        let mut note = |names: &[&str], why: &str| {
            if !names.is_empty() {
                splits.notes.push(format!("Left out beside the folder {train}: {}. {why}", names.join(", ")));
            }
        };
        note(&beside, "Rename a folder to valid or test if it is that part");
        note(&empty, "Its pictures need a folder for each class");
        Ok(splits)
    }
}

/// Returns the folders in a folder that look like parts without one for training. Only those that hold folders may: the ones
/// whose name has a word of a part; or else all of them, two or more, where all hold two or more folders of the same names, as
/// parts do and classes do not.
pub(super) fn unnamed_parts(folder: &Path) -> Result<Vec<String>, DataError> {
    let mut holding: Vec<(String, BTreeSet<String>)> = Vec::new();
    for name in folders(folder)? {
        let inside: BTreeSet<String> = folders(&folder.join(&name))?.into_iter().collect();
        if !inside.is_empty() {
            holding.push((name, inside));
        }
    }
    let insides = holding.iter().map(|(_, inside)| inside.clone());
    let common = insides.reduce(|common, inside| &common & &inside).unwrap_or_default();
    let is_alike = holding.len() > 1 && common.len() > 1;
    let (like, others): (Vec<String>, Vec<String>) =
        holding.into_iter().map(|(name, _)| name).partition(|name| like_part(name).is_some());
    Ok(if like.is_empty() && is_alike { others } else { like })
}

/// What was expected where a folder may be a part.
fn known() -> String {
    let known = NAMES.map(|names| names.join(", ")).join("; ");
    format!("folders of classes, or parts named {known}, also as train_set or seg_train")
}

/// Refuses what [`unnamed_parts`] finds.
///
/// # Errors
/// Folders that look like parts and have no name of one.
pub(super) fn check_names(folder: &Path) -> Result<(), DataError> {
    let found = unnamed_parts(folder)?;
    if found.is_empty() {
        return Ok(());
    }
    let is_like = found.iter().any(|name| like_part(name).is_some());
    let what = if is_like {
        "folders of parts, and none for training"
    } else {
        "folders that all hold the same folders"
    };
    let found = format!("{what}: {}", found.join(", "));
    let remedy = "Rename them to train and test. Where they are classes, name them in a label_map";
    Err(DataError::wrong(folder, known(), found, remedy))
}

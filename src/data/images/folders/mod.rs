//! The pictures of a folder: which there are, of which classes, in which part.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::DirEntry;
use std::io;
use std::path::{Path, PathBuf};

use crate::found::distinct;
use crate::{DataError, LeftOut, stand_in};
use form::number::{counted, first_of};

/// Endings of names of pictures.
const ENDINGS: [&str; 13] =
    ["png", "jpg", "jpeg", "jfif", "bmp", "webp", "gif", "tif", "tiff", "ppm", "pgm", "pbm", "pnm"];
/// Endings of names of other pictures.
const OTHERS: [&str; 20] = [
    "avif", "arw", "cr2", "dcm", "dng", "eps", "exr", "hdr", "heic", "heif", "ico", "j2k", "jp2", "jxl",
    "nef", "pcx", "psd", "raw", "svg", "tga",
];
/// Folders in folders of a class.
const DEEPEST: usize = 8;
/// The most pictures of a set, and the most folders.
const MOST_PICTURES: usize = 20_000_000;
const MOST_FOLDERS: usize = 1_000_000;
const REMEDY: &str =
    "Make a folder for each class with its pictures in it, in train/ and test/, or in one folder";

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Picture {
    pub path: PathBuf,
    pub label: u32,
}

/// The pictures of a set, by class and name.
#[derive(Debug)]
pub(crate) struct Pictures {
    pub train: Vec<Picture>,
    pub validation: Option<Vec<Picture>>,
    /// None where the training part is to be split.
    pub test: Option<Vec<Picture>>,
    pub classes: Vec<String>,
    pub split: String,
    pub left_out: Vec<LeftOut>,
    pub notes: Vec<String>,
}

/// Returns the ending of a name in lower case, without its dot.
pub(crate) fn ending(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_lowercase()
}

fn is_picture(path: &Path) -> bool {
    let is_hidden = path.file_name().is_none_or(|name| is_hidden(&name.to_string_lossy()));
    !is_hidden && ENDINGS.contains(&ending(path).as_str())
}

/// Returns a picture of each of the first folders of a folder, of the training part where there is one; none where that holds
/// no pictures in folders.
pub(crate) fn first_pictures(folder: &Path) -> Vec<PathBuf> {
    let found = || {
        let [train, ..] = Splits::find(folder).unwrap_or_default().parts;
        let folder = match train {
            Some(train) => train,
            None => match unnamed_parts(folder)?.first() {
                Some(name) => seen_through(folder, name)?.0,
                None => folder.to_owned(),
            },
        };
        let first = |class: &String| {
            let entries = std::fs::read_dir(folder.join(class)).into_iter().flatten().flatten();
            entries.take(100).map(|entry| entry.path()).find(|path| is_picture(path))
        };
        Ok::<_, DataError>(folders(&folder)?.iter().take(50).filter_map(first).collect())
    };
    found().unwrap_or_default()
}

/// Finds the pictures below a folder. `map` gives folders their classes; without it, the names of the folders are sorted.
pub(crate) fn find(folder: &Path, map: Option<&LabelMap>) -> Result<Pictures, DataError> {
    let Splits { parts: [train, validation, test], words, notes } = Splits::find(folder)?;
    if train.is_none() && map.is_none() {
        check_names(folder)?;
    }
    let is_apart = train.is_some();
    let train = train.unwrap_or_else(|| folder.to_owned());
    let names = folders(&train)?;
    let classes = map.map_or_else(|| names.clone(), |map| map.names.clone());
    let label_of = |name: &str| match map {
        Some(map) => map.labels.get(name).copied(),
        None => names.binary_search_by(|known| known.as_str().cmp(name)).ok().map(|label| label as u32),
    };
    if classes.len() < 2 {
        let found = match map {
            Some(_) => format!("a label map with {}", counted(classes.len() as u64, "name")),
            None => format!("{} ({})", counted(names.len() as u64, "folder"), names.join(", ")),
        };
        return Err(DataError::wrong(&train, "a folder for each class, two at least", found, REMEDY));
    }
    let (has_map, left_out) = (map.is_some(), BTreeMap::new());
    let mut walk = Walk { label_of: &label_of, has_map, left_out, folders: 0, pictures: 0 };
    if is_apart {
        walk.loose(folder)?;
    }
    let train = walk.part(&train)?;
    let validation = validation.map(|part| walk.part(&part)).transpose()?;
    let test = test.map(|part| walk.part(&part)).transpose()?;
    let left_out = walk.left_out.into_values().collect();
    Ok(Pictures { train, validation, test, classes, split: words, left_out, notes })
}

struct Walk<'a> {
    label_of: &'a dyn Fn(&str) -> Option<u32>,
    has_map: bool,
    /// By reason and ending.
    left_out: BTreeMap<(&'static str, String), LeftOut>,
    folders: usize,
    pictures: usize,
}

/// A folder of a class: its path below that of the class, and its pictures by name.
type Level = (String, Vec<PathBuf>);

/// The entries of a folder that people see, by name.
struct Visible {
    folders: Vec<DirEntry>,
    files: Vec<DirEntry>,
}

fn visible(folder: &Path) -> Result<Visible, DataError> {
    let unreadable = DataError::unreadable(folder);
    let mut entries: Vec<DirEntry> =
        folder.read_dir().map_err(unreadable)?.collect::<io::Result<_>>().map_err(unreadable)?;
    entries.retain(|entry| !is_hidden(&entry.file_name().to_string_lossy()));
    entries.sort_by_key(DirEntry::file_name);
    let mut visible = Visible { folders: Vec::new(), files: Vec::new() };
    for entry in entries {
        let to = if is_folder(&entry)? { &mut visible.folders } else { &mut visible.files };
        to.push(entry);
    }
    Ok(visible)
}

impl Walk<'_> {
    /// Returns the pictures of a part, by class and path.
    fn part(&mut self, part: &Path) -> Result<Vec<Picture>, DataError> {
        let names = folders(part)?;
        let unknown: Vec<_> = names.iter().filter(|name| (self.label_of)(name).is_none()).collect();
        if !unknown.is_empty() {
            let known = ["the classes of the training part", "folders that the label map names"]
                [usize::from(self.has_map)];
            let first = first_of(unknown.iter().map(|name| format!("\"{name}\"")), 5, ", ");
            let found = format!("{}: {first}", counted(unknown.len() as u64, "other folder"));
            return Err(DataError::wrong(part, known, found, "Rename or remove what is no such class"));
        }
        self.loose(part)?;
        let labelled = names.iter().filter_map(|name| Some(((self.label_of)(name)?, part.join(name))));
        let mut labelled: Vec<(u32, PathBuf)> = labelled.collect();
        labelled.sort();
        let mut pictures = Vec::new();
        for (label, class) in labelled {
            let before = pictures.len();
            let mut levels = Vec::new();
            let real = class.canonicalize().map_err(DataError::unreadable(&class))?;
            self.class(&class, &real, String::new(), 0, &mut levels)?;
            // As torchvision sorts them, by their paths: `b-x` comes before what is in `b`, whose path has a slash there.
            levels.sort_by(|(a, _), (b, _)| a.cmp(b));
            let paths = levels.into_iter().flat_map(|(_, paths)| paths);
            pictures.extend(paths.map(|path| Picture { path, label }));
            if pictures.len() == before {
                return Err(nothing_in(&class));
            }
        }
        Ok(pictures)
    }

    /// Leaves pictures out that are in no class.
    fn loose(&mut self, folder: &Path) -> Result<(), DataError> {
        for file in visible(folder)?.files {
            if is_picture(&file.path()) {
                self.leave_out("in no folder of a class", file.path());
            }
        }
        Ok(())
    }

    fn leave_out(&mut self, reason: &'static str, path: PathBuf) {
        let ending = ending(&path);
        let ending = if ending.is_empty() { ending } else { format!(".{ending}") };
        let new = || LeftOut { reason: reason.to_owned(), ending: ending.clone(), count: 0, first: path };
        self.left_out.entry((reason, ending.clone())).or_insert_with(new).count += 1;
    }

    /// Adds the folder of a class, or one in it, and those below. `real` is its path without links.
    fn class(
        &mut self,
        folder: &Path,
        real: &Path,
        below: String,
        depth: usize,
        levels: &mut Vec<Level>,
    ) -> Result<(), DataError> {
        self.folders += 1;
        if self.folders > MOST_FOLDERS {
            let remedy = "Look for links that lead in circles, and remove them";
            return Err(DataError::wrong(folder, "at most a million folders", "more", remedy));
        }
        let Visible { folders, files } = visible(folder)?;
        if !folders.is_empty() && depth == DEEPEST {
            let expected = format!("folders of a class at most {DEEPEST} deep");
            let remedy = "Move the pictures up, or remove links that lead in circles";
            return Err(DataError::wrong(folder, expected, "another folder in this one", remedy));
        }
        for entry in folders {
            let (path, name) = (entry.path(), entry.file_name());
            let mut inside = real.join(&name);
            if entry.file_type().is_ok_and(|kind| kind.is_symlink()) {
                inside = path.canonicalize().map_err(DataError::unreadable(&path))?;
                if real.starts_with(&inside) {
                    let found = format!("a link back to {}", inside.display());
                    return Err(DataError::wrong(&path, "no links in circles", found, "Remove the link"));
                }
            }
            self.class(&path, &inside, format!("{below}/{}", name.to_string_lossy()), depth + 1, levels)?;
        }
        let mut pictures = Vec::new();
        for entry in files {
            let path = entry.path();
            if is_picture(&path) && entry.file_type().is_ok_and(|kind| kind.is_file() || kind.is_symlink()) {
                pictures.push(path);
                continue;
            }
            let is_other = OTHERS.contains(&ending(&path).as_str());
            self.leave_out(if is_other { "no format that this program reads" } else { "no picture" }, path);
        }
        self.pictures += pictures.len();
        if self.pictures > MOST_PICTURES {
            let remedy = "Use a part of them";
            return Err(DataError::wrong(folder, "at most 20 million pictures", "more", remedy));
        }
        levels.push((below, pictures));
        Ok(())
    }
}

/// Returns the error of a class without pictures, with what is there instead.
fn nothing_in(class: &Path) -> DataError {
    let files = visible(class).map_or_else(|_| Vec::new(), |all| all.files);
    let endings: BTreeSet<String> = files.iter().map(|file| ending(&file.path())).collect();
    let endings = endings.into_iter().collect::<Vec<_>>().join(", ");
    let found = match files.len() {
        0 => "none".to_owned(),
        count => format!("{} ({endings})", counted(count, "other file")),
    };
    let expected = format!("pictures ({})", ENDINGS.join(", "));
    DataError::wrong(class, expected, found, "Add pictures, or remove the folder")
}

/// Names of folders of parts, in any case.
const NAMES: [&[&str]; 3] =
    [&["train", "training"], &["val", "valid", "validation", "dev", "eval"], &["test", "testing"]];
/// Folders of one name within each other that are seen through.
const SEEN_THROUGH: usize = 4;

/// The folders of the parts.
#[derive(Debug, Default)]
pub(crate) struct Splits {
    /// Training, validation and test.
    pub parts: [Option<PathBuf>; 3],
    /// The folders of the parts, in words; empty where the training part is to be split.
    pub words: String,
    /// Folders beside them, in words with the remedy.
    pub notes: Vec<String>,
}

/// Returns true if a file or folder is one that people do not see: those that systems leave in folders and archives are nothing.
pub(crate) fn is_hidden(name: &str) -> bool {
    const OF_SYSTEMS: [&str; 4] = ["__macosx", "thumbs.db", "desktop.ini", "@eadir"];
    name.starts_with('.') || OF_SYSTEMS.contains(&name.to_lowercase().as_str())
}

/// Returns the names of the folders in a folder that people see, sorted; all in UTF-8.
pub(crate) fn folders(folder: &Path) -> Result<Vec<String>, DataError> {
    let name = |entry: DirEntry| {
        let wrong = |name: OsString| {
            let found = name.to_string_lossy();
            DataError::wrong(folder, "names of classes in UTF-8", found, "Rename the folder")
        };
        entry.file_name().into_string().map_err(wrong)
    };
    visible(folder)?.folders.into_iter().map(name).collect()
}

/// Returns true if an entry of a folder is a folder, after links.
pub(crate) fn is_folder(entry: &DirEntry) -> Result<bool, DataError> {
    let path = entry.path();
    let unreadable = DataError::unreadable(&path);
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
pub(crate) fn seen_through(folder: &Path, name: &str) -> Result<(PathBuf, Vec<String>), DataError> {
    let mut folder = folder.join(name);
    let mut inside = folders(&folder)?;
    for _ in 0..SEEN_THROUGH {
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
    pub fn find(folder: &Path) -> Result<Self, DataError> {
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
pub(crate) fn unnamed_parts(folder: &Path) -> Result<Vec<String>, DataError> {
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

fn known() -> String {
    let known = NAMES.map(|names| names.join(", ")).join("; ");
    format!("folders of classes, or parts named {known}, also as train_set or seg_train")
}

/// Refuses what [`unnamed_parts`] finds.
pub(crate) fn check_names(folder: &Path) -> Result<(), DataError> {
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

const LONGEST: u64 = 64 << 20;
const MOST: u32 = 1_000_000;

/// The classes of folders.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LabelMap {
    pub labels: BTreeMap<String, u32>,
    pub names: Vec<String>,
}

impl LabelMap {
    /// Reads a file with lines such as `n01440764`, `n01440764 tench, Tinca tinca` or `n01440764 0 tench`: a folder, its
    /// class (without one, the number of the line from 0), and a name. Where a line has a tab, the folder ends there and may
    /// have spaces.
    pub fn read(path: &Path) -> Result<Self, DataError> {
        let unreadable = DataError::unreadable(path);
        let size = path.metadata().map_err(unreadable)?.len();
        let remedy = "Write a folder to a line, its class and a name: n01440764 0 tench; a tab after the folder, where its \
                      name has spaces";
        let wrong = |expected: &str, found: String| DataError::wrong(path, expected, found, remedy);
        let expected = "a text of folders and classes";
        if size > LONGEST {
            return Err(wrong(expected, format!("{size} bytes")));
        }
        let bytes = std::fs::read(path).map_err(unreadable)?;
        if let Some(found) = stand_in(&bytes) {
            return Err(wrong(expected, found.to_owned()));
        }
        let text = String::from_utf8(bytes).map_err(|_| wrong("text in UTF-8", "other bytes".to_owned()))?;
        Self::parse(&text).map_err(|(expected, found)| wrong(&expected, found))
    }

    fn parse(text: &str) -> Result<Self, (String, String)> {
        let mut map = Self::default();
        let mut names: BTreeMap<u32, String> = BTreeMap::new();
        let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim).enumerate();
        for (count, (number, line)) in (0..).zip(lines.filter(|(_, line)| !line.is_empty())) {
            let at_space = || line.split_once(char::is_whitespace).unwrap_or((line, ""));
            let (folder, rest) = line.split_once('\t').unwrap_or_else(at_space);
            let folder = folder.trim();
            let rest = rest.trim();
            let (first, after) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            let (label, name) = match first.parse::<u32>() {
                Ok(label) => (label, after.trim()),
                Err(_) => (count, rest),
            };
            let wrong =
                |expected: &str, found: String| Err((format!("line {}: {expected}", number + 1), found));
            if label >= MOST {
                return wrong("a class below 1,000,000", label.to_string());
            }
            if map.labels.insert(folder.to_owned(), label).is_some() {
                return wrong("each folder once", format!("\"{folder}\" again"));
            }
            let name = if name.is_empty() { folder } else { name };
            names.entry(label).or_insert_with(|| name.to_owned());
        }
        let last = names.keys().next_back().copied();
        let Some(last) = last else {
            return Err(("folders and classes".to_owned(), "an empty file".to_owned()));
        };
        let name = |label: u32| names.get(&label).cloned().unwrap_or_else(|| label.to_string());
        map.names = distinct((0..=last).map(name).collect());
        Ok(map)
    }
}

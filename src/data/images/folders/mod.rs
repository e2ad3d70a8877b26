//! The pictures of a folder: which there are, of which classes, in which part.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::DirEntry;
use std::io;
use std::path::{Path, PathBuf};

use super::label_map::LabelMap;
use super::splits::{Splits, check_names, folders, is_folder, is_hidden, seen_through, unnamed_parts};
use crate::{DataError, LeftOut};
use form::number::{counted, first_of};

/// What the names of pictures end in.
const ENDINGS: [&str; 13] =
    ["png", "jpg", "jpeg", "jfif", "bmp", "webp", "gif", "tif", "tiff", "ppm", "pgm", "pbm", "pnm"];
/// What the names of other pictures end in.
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

/// A picture with its class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Picture {
    pub path: PathBuf,
    pub label: u32,
}

/// The pictures of a set, by class and name.
#[derive(Debug)]
pub(crate) struct Pictures {
    pub train: Vec<Picture>,
    /// Those of a validation part that is apart.
    pub validation: Option<Vec<Picture>>,
    /// None where the training part is to be split.
    pub test: Option<Vec<Picture>>,
    pub classes: Vec<String>,
    /// The folders that the parts come from, in words; empty where the training part is to be split.
    pub split: String,
    pub left_out: Vec<LeftOut>,
    pub notes: Vec<String>,
}

/// Returns what a name ends in, in lower case.
pub(crate) fn ending(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_lowercase()
}

/// Whether a file has the name of a picture.
fn is_picture(path: &Path) -> bool {
    let is_hidden = path.file_name().is_none_or(|name| is_hidden(&name.to_string_lossy()));
    !is_hidden && ENDINGS.contains(&ending(path).as_str())
}

/// Whether a folder has folders of pictures, as far as a glance shows: pictures in one of the first folders, of the training
/// part where there is one.
pub(crate) fn is_like_pictures(folder: &Path) -> bool {
    let is_like = || {
        let [train, ..] = Splits::of(folder).unwrap_or_default().parts;
        let folder = match train {
            Some(train) => train,
            None => match unnamed_parts(folder)?.first() {
                Some(name) => seen_through(folder, name)?.0,
                None => folder.to_owned(),
            },
        };
        let has_pictures = |class: &String| {
            let entries = std::fs::read_dir(folder.join(class)).into_iter().flatten().flatten();
            entries.take(100).any(|entry| is_picture(&entry.path()))
        };
        Ok::<_, DataError>(folders(&folder)?.iter().take(50).any(has_pictures))
    };
    is_like().unwrap_or(false)
}

/// Finds the pictures below a folder. `map` gives folders their classes; without it, the names of the folders are sorted.
///
/// # Errors
/// Folders that cannot be read, without pictures or of unknown classes, folders that look like parts and are not named so,
/// and links that lead nowhere or back.
pub(crate) fn find(folder: &Path, map: Option<&LabelMap>) -> Result<Pictures, DataError> {
    let Splits { parts: [train, validation, test], words, notes } = Splits::of(folder)?;
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
    let mut walk = Walk {
        label_of: &label_of,
        has_map: map.is_some(),
        left_out: BTreeMap::new(),
        folders: 0,
        pictures: 0,
    };
    if is_apart {
        walk.loose(folder)?;
    }
    let train = walk.part(&train)?;
    let validation = validation.map(|part| walk.part(&part)).transpose()?;
    let test = test.map(|part| walk.part(&part)).transpose()?;
    let left_out = walk.left_out.into_iter();
    let left_out = left_out.map(|((reason, ending), (count, first))| LeftOut {
        reason: reason.to_owned(),
        ending,
        count,
        first,
    });
    Ok(Pictures { train, validation, test, classes, split: words, left_out: left_out.collect(), notes })
}

/// A walk through the folders of the parts.
struct Walk<'a> {
    label_of: &'a dyn Fn(&str) -> Option<u32>,
    has_map: bool,
    /// How many files are left out, and the first one, by reason and ending.
    left_out: BTreeMap<(&'static str, String), (usize, PathBuf)>,
    folders: usize,
    pictures: usize,
}

/// A folder of a class: its path below that of the class, and its pictures by name.
type Level = (String, Vec<PathBuf>);

/// The visible entries of a folder by name: folders and files.
type Entries = (Vec<DirEntry>, Vec<DirEntry>);

/// Returns what people see in a folder.
fn visible(folder: &Path) -> Result<Entries, DataError> {
    let unreadable = |source| DataError::Unreadable { path: folder.to_owned(), source };
    let mut entries: Vec<DirEntry> =
        folder.read_dir().map_err(unreadable)?.collect::<io::Result<_>>().map_err(unreadable)?;
    entries.retain(|entry| !is_hidden(&entry.file_name().to_string_lossy()));
    entries.sort_by_key(DirEntry::file_name);
    let (mut folders, mut files) = (Vec::new(), Vec::new());
    for entry in entries {
        let to = if is_folder(&entry)? { &mut folders } else { &mut files };
        to.push(entry);
    }
    Ok((folders, files))
}

impl Walk<'_> {
    /// Returns the pictures of a part, by class and path.
    fn part(&mut self, part: &Path) -> Result<Vec<Picture>, DataError> {
        let names = folders(part)?;
        let unknown: Vec<_> = names.iter().filter(|name| (self.label_of)(name).is_none()).collect();
        if !unknown.is_empty() {
            let known = if self.has_map {
                "folders that the label map names"
            } else {
                "the classes of the training part"
            };
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
            let real = class.canonicalize();
            let real = real.map_err(|source| DataError::Unreadable { path: class.clone(), source })?;
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

    /// Counts pictures that are in no class.
    fn loose(&mut self, folder: &Path) -> Result<(), DataError> {
        for file in visible(folder)?.1 {
            if is_picture(&file.path()) {
                self.leave_out("in no folder of a class", file.path());
            }
        }
        Ok(())
    }

    /// Counts a file that is no sample.
    fn leave_out(&mut self, reason: &'static str, path: PathBuf) {
        let ending = ending(&path);
        let ending = if ending.is_empty() { ending } else { format!(".{ending}") };
        self.left_out.entry((reason, ending)).or_insert((0, path)).0 += 1;
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
        let (folders, files) = visible(folder)?;
        if !folders.is_empty() && depth == DEEPEST {
            let expected = format!("folders of a class at most {DEEPEST} deep");
            let remedy = "Move the pictures up, or remove links that lead in circles";
            return Err(DataError::wrong(folder, expected, "another folder in this one", remedy));
        }
        for entry in folders {
            let (path, name) = (entry.path(), entry.file_name());
            let mut inside = real.join(&name);
            if entry.file_type().is_ok_and(|kind| kind.is_symlink()) {
                inside = path
                    .canonicalize()
                    .map_err(|source| DataError::Unreadable { path: path.clone(), source })?;
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
            return Err(DataError::wrong(
                folder,
                "at most 20 million pictures",
                "more",
                "Use a part of them",
            ));
        }
        levels.push((below, pictures));
        Ok(())
    }
}

/// Returns the error of a class without pictures, with what is there instead.
fn nothing_in(class: &Path) -> DataError {
    let files = visible(class).map_or_else(|_| Vec::new(), |(_, files)| files);
    let endings: BTreeSet<String> = files.iter().map(|file| ending(&file.path())).collect();
    let endings = endings.into_iter().collect::<Vec<_>>().join(", ");
    let found = match files.len() {
        0 => "none".to_owned(),
        count => format!("{} ({endings})", counted(count, "other file")),
    };
    let expected = format!("pictures ({})", ENDINGS.join(", "));
    DataError::wrong(class, expected, found, "Add pictures, or remove the folder")
}

#[cfg(test)]
mod tests;

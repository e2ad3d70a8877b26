//! The pictures of a folder: which there are, of which classes, in which part.

use std::fs::DirEntry;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::label_map::LabelMap;
use crate::data::DataError;
use crate::form::number::hexadecimal;

/// What the names of pictures end in.
const ENDINGS: [&str; 6] = ["png", "jpg", "jpeg", "bmp", "webp", "ppm"];
/// Folders in folders of a class.
const DEEPEST: usize = 8;
/// The most pictures of a set.
const MOST_PICTURES: usize = 20_000_000;
const REMEDY: &str =
    "Make a folder for each class with its pictures in it, in train/ and val/, or in one folder";

/// A picture with its class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::data) struct Picture {
    pub path: PathBuf,
    pub label: u32,
}

/// The pictures of a set, by class and name.
#[derive(Debug)]
pub(in crate::data) struct Pictures {
    pub train: Vec<Picture>,
    /// None where the training part is to be split.
    pub test: Option<Vec<Picture>>,
    pub classes: Vec<String>,
    /// Begins the SHA-256 of the names and lengths of all files.
    pub content: String,
}

/// Whether a file has the name of a picture.
pub(in crate::data) fn is_picture(path: &Path) -> bool {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    ending.is_some_and(|ending| ENDINGS.contains(&ending.as_str()))
}

/// The folder with the training part below a folder, and that with the test part, if they are apart.
fn parts(folder: &Path) -> [Option<PathBuf>; 2] {
    let below = |name: &str| Some(folder.join(name)).filter(|path| path.is_dir());
    match below("train") {
        None => [None, None],
        train => [train, below("val").or_else(|| below("test"))],
    }
}

/// Whether a folder has folders of pictures, as far as a glance shows: with `train` in it, or pictures in one of the first
/// folders.
pub(in crate::data) fn is_like_pictures(folder: &Path) -> bool {
    let [train, _] = parts(folder);
    let folder = train.as_deref().unwrap_or(folder);
    let entries = |path: &Path| std::fs::read_dir(path).into_iter().flatten().filter_map(Result::ok);
    let classes = entries(folder).filter(|entry| entry.path().is_dir()).take(50);
    classes.into_iter().any(|class| entries(&class.path()).take(100).any(|entry| is_picture(&entry.path())))
}

/// Finds the pictures below a folder. `map` gives folders their classes; without it, the names of the folders are sorted.
///
/// # Errors
/// Folders that cannot be read, without pictures or of unknown classes, and links that leave the folder.
pub(in crate::data) fn find(folder: &Path, map: Option<&LabelMap>) -> Result<Pictures, DataError> {
    let unreadable = |source| DataError::Unreadable { path: folder.to_owned(), source };
    let root = folder.canonicalize().map_err(unreadable)?;
    let [train, test] = parts(folder);
    let train = train.unwrap_or_else(|| folder.to_owned());
    let names = classes(&train)?;
    let classes = map.map_or_else(|| names.clone(), |map| map.names.clone());
    let label_of = |name: &str| match map {
        Some(map) => map.labels.get(name).copied(),
        None => names.binary_search_by(|known| known.as_str().cmp(name)).ok().map(|label| label as u32),
    };
    if classes.len() < 2 {
        let found = format!("{} folders with pictures: {}", names.len(), names.join(", "));
        return Err(DataError::wrong(&train, "a folder for each class, two at least", found, REMEDY));
    }
    let mut hash = Sha256::new();
    if let Some(map) = map {
        hash.update(format!("{:?}\n", map.labels));
    }
    let mut walk = Walk { root: &root, folder, hash: &mut hash, count: 0 };
    let train = walk.part(&train, &label_of, map.is_some())?;
    let test = test.map(|test| walk.part(&test, &label_of, map.is_some())).transpose()?;
    Ok(Pictures { train, test, classes, content: hexadecimal(&hash.finalize()[..8]) })
}

/// The names of the folders in a folder, sorted; hidden ones are left out.
fn classes(folder: &Path) -> Result<Vec<String>, DataError> {
    let unreadable = |source| DataError::Unreadable { path: folder.to_owned(), source };
    let mut names = Vec::new();
    for entry in folder.read_dir().map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        if !entry.path().is_dir() {
            continue;
        }
        match entry.file_name().into_string() {
            Ok(name) if name.starts_with('.') => {}
            Ok(name) => names.push(name),
            Err(name) => {
                let found = name.to_string_lossy().into_owned();
                return Err(DataError::wrong(
                    folder,
                    "names of classes in UTF-8",
                    found,
                    "Rename the folder",
                ));
            }
        }
    }
    names.sort();
    Ok(names)
}

/// A walk through folders.
struct Walk<'a> {
    /// Without links.
    root: &'a Path,
    folder: &'a Path,
    hash: &'a mut Sha256,
    count: usize,
}

impl Walk<'_> {
    /// The pictures of a part, by class and path.
    fn part(
        &mut self,
        part: &Path,
        label_of: &dyn Fn(&str) -> Option<u32>,
        has_map: bool,
    ) -> Result<Vec<Picture>, DataError> {
        let mut pictures = Vec::new();
        let mut labelled = Vec::new();
        for name in classes(part)? {
            let label = label_of(&name).ok_or_else(|| {
                let known = if has_map {
                    "a folder that the label map names"
                } else {
                    "the classes of the training part"
                };
                DataError::wrong(part, known, format!("the folder \"{name}\""), "Rename or remove the folder")
            })?;
            labelled.push((label, part.join(name)));
        }
        labelled.sort();
        for (label, class) in labelled {
            let before = pictures.len();
            self.class(&class, 0, &mut |path| pictures.push(Picture { path, label }))?;
            if pictures.len() == before {
                let expected = format!("pictures ({})", ENDINGS.join(", "));
                return Err(DataError::wrong(&class, expected, "none", "Add pictures, or remove the folder"));
            }
        }
        Ok(pictures)
    }

    /// The pictures of a class: those of a folder by name, then those of the folders in it.
    fn class(&mut self, folder: &Path, depth: usize, add: &mut dyn FnMut(PathBuf)) -> Result<(), DataError> {
        let unreadable = |source| DataError::Unreadable { path: folder.to_owned(), source };
        self.check_link(folder)?;
        let mut entries: Vec<DirEntry> =
            folder.read_dir().map_err(unreadable)?.collect::<io::Result<_>>().map_err(unreadable)?;
        entries.sort_by_key(DirEntry::file_name);
        let mut folders = Vec::new();
        for entry in entries {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if is_picture(&path) {
                self.picture(&entry)?;
                add(path);
            }
        }
        if !folders.is_empty() && depth == DEEPEST {
            let found = format!("a folder in the {DEEPEST}th one");
            return Err(DataError::wrong(folder, "fewer folders in each other", found, REMEDY));
        }
        folders.iter().try_for_each(|folder| self.class(folder, depth + 1, add))
    }

    /// Takes a file into what names the content.
    fn picture(&mut self, entry: &DirEntry) -> Result<(), DataError> {
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_symlink()) {
            self.check_link(&path)?;
        }
        let unreadable = |source| DataError::Unreadable { path: path.clone(), source };
        let about = path.metadata().map_err(unreadable)?;
        let name = path.strip_prefix(self.folder).unwrap_or(&path).to_string_lossy().replace('\\', "/");
        self.hash.update(format!("{name}\n{}\n", about.len()));
        self.count += 1;
        if self.count > MOST_PICTURES {
            return Err(DataError::wrong(
                self.folder,
                "at most 20 million pictures",
                "more",
                "Use a part of them",
            ));
        }
        Ok(())
    }

    /// That a path, after its links, is inside of the folder.
    fn check_link(&self, path: &Path) -> Result<(), DataError> {
        let real =
            path.canonicalize().map_err(|source| DataError::Unreadable { path: path.to_owned(), source })?;
        if real.starts_with(self.root) {
            return Ok(());
        }
        let found = format!("a link to {}", real.display());
        let remedy = "Put the pictures themselves there, or name the folder that the links lead to";
        Err(DataError::wrong(path, "no link that leaves the folder of the data", found, remedy))
    }
}

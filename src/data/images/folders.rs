//! The pictures of a folder: which there are, of which classes, in which part.

use std::fs::DirEntry;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::label_map::LabelMap;
use crate::data::DataError;
use crate::form::number::{counted, hexadecimal};

/// What the names of pictures end in.
const ENDINGS: [&str; 6] = ["png", "jpg", "jpeg", "bmp", "webp", "ppm"];
/// Folders in folders of a class.
const DEEPEST: usize = 8;
/// The most pictures of a set, and the most folders: links within a folder may lead in circles.
const MOST_PICTURES: usize = 20_000_000;
const MOST_FOLDERS: usize = 1_000_000;
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

/// The folder with the training part below a folder, and that with the test part, if they are apart. A folder `train`
/// without folders in it is a class: trains.
pub(in crate::data) fn parts(folder: &Path) -> [Option<PathBuf>; 2] {
    let has_folders = |path: &PathBuf| {
        std::fs::read_dir(path).into_iter().flatten().flatten().any(|entry| entry.path().is_dir())
    };
    let below = |name: &str| Some(folder.join(name)).filter(has_folders);
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
        let found = match map {
            Some(_) => format!("a label map with {}", counted(classes.len() as u64, "name")),
            None => format!("{} ({})", counted(names.len() as u64, "folder"), names.join(", ")),
        };
        return Err(DataError::wrong(&train, "a folder for each class, two at least", found, REMEDY));
    }
    let mut hash = Sha256::new();
    if let Some(map) = map {
        hash.update(format!("{:?}\n", map.labels));
    }
    let mut walk = Walk { root: &root, folder, hash: &mut hash, pictures: 0, folders: 0 };
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
    pictures: usize,
    folders: usize,
}

/// A folder of a class: its path below that of the class, and its pictures by name.
type Level = (String, Vec<DirEntry>);

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
            let mut levels = Vec::new();
            self.class(&class, String::new(), 0, &mut levels)?;
            // As torchvision sorts them, by their paths: `b-x` comes before what is in `b`, whose path has a slash there.
            levels.sort_by(|(a, _), (b, _)| a.cmp(b));
            for entry in levels.into_iter().flat_map(|(_, entries)| entries) {
                self.picture(&entry)?;
                pictures.push(Picture { path: entry.path(), label });
            }
            if pictures.len() == before {
                let expected = format!("pictures ({})", ENDINGS.join(", "));
                return Err(DataError::wrong(&class, expected, "none", "Add pictures, or remove the folder"));
            }
        }
        Ok(pictures)
    }

    /// Adds the folder of a class, or one in it, and those below.
    fn class(
        &mut self,
        folder: &Path,
        below: String,
        depth: usize,
        levels: &mut Vec<Level>,
    ) -> Result<(), DataError> {
        let unreadable = |source| DataError::Unreadable { path: folder.to_owned(), source };
        self.check_link(folder)?;
        self.folders += 1;
        if self.folders > MOST_FOLDERS {
            let remedy = "Look for links that lead in circles, and remove them";
            return Err(DataError::wrong(folder, "at most a million folders", "more", remedy));
        }
        let mut entries: Vec<DirEntry> =
            folder.read_dir().map_err(unreadable)?.collect::<io::Result<_>>().map_err(unreadable)?;
        entries.sort_by_key(DirEntry::file_name);
        let (folders, mut files): (Vec<_>, Vec<_>) =
            entries.into_iter().partition(|entry| entry.path().is_dir());
        if !folders.is_empty() && depth == DEEPEST {
            let expected = format!("folders of a class at most {DEEPEST} deep");
            let remedy = "Move the pictures up, or remove links that lead in circles";
            return Err(DataError::wrong(folder, expected, "another folder in this one", remedy));
        }
        for folder in folders {
            let name = folder.file_name();
            let below = format!("{below}/{}", name.to_string_lossy());
            self.class(&folder.path(), below, depth + 1, levels)?;
        }
        files.retain(|entry| is_picture(&entry.path()));
        levels.push((below, files));
        Ok(())
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
        self.pictures += 1;
        if self.pictures > MOST_PICTURES {
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::TestRunner;

    use super::*;
    use crate::data::testing::Folder;

    /// The paths of a part, below the folder.
    fn names(folder: &Folder, part: &[Picture]) -> Vec<String> {
        let name =
            |picture: &Picture| picture.path.strip_prefix(folder.path()).unwrap().display().to_string();
        part.iter().map(name).collect()
    }

    #[test]
    fn folders_in_a_class_are_in_the_order_of_their_paths() {
        let folder = Folder::new("folders-order");
        for name in ["a/z.png", "a/b/y.png", "a/b-x/x.png", "a/b/c/w.png", "a/.hidden/v.png", "b/1.png"] {
            folder.write(name, b"");
        }
        let found = find(folder.path(), None).unwrap();
        // sorted(os.walk("a")) of Python yields a, a/.hidden, a/b, a/b-x, a/b/c.
        let expected = ["a/z.png", "a/.hidden/v.png", "a/b/y.png", "a/b-x/x.png", "a/b/c/w.png", "b/1.png"];
        assert_eq!(names(&folder, &found.train), expected);
    }

    #[test]
    fn a_class_may_be_called_train() {
        let folder = Folder::new("folders-train");
        for name in ["train/1.png", "bus/1.png", "val/1.png"] {
            folder.write(name, b"");
        }
        let found = find(folder.path(), None).unwrap();
        assert_eq!((found.classes, found.test), (["bus", "train", "val"].map(str::to_owned).to_vec(), None));
        assert!(is_like_pictures(folder.path()));
    }

    #[test]
    fn what_is_no_set_is_counted_in_words() {
        let folder = Folder::new("folders-words");
        folder.write("only/1.png", b"");
        let message = find(folder.path(), None).unwrap_err().to_string();
        assert!(message.contains("two at least, found 1 folder (only)"), "{message}");
        folder.write("b/1/2/3/4/5/6/7/8/9/x.png", b"");
        let message = find(folder.path(), None).unwrap_err().to_string();
        assert!(
            message.contains("expected folders of a class at most 8 deep, found another folder"),
            "{message}"
        );
    }

    #[cfg(unix)]
    #[test]
    fn trees_of_any_form_with_links_anywhere_never_panic() {
        use std::os::unix::fs::symlink;
        let outside = Folder::new("folders-outside");
        outside.write("secret.png", b"");
        let part =
            || prop_oneof!["train", "val", "test", "a", "b", "b-x", "[.]h", "x[.]png", "y[.]JPG", "note"];
        let path = || prop::collection::vec(part(), 1..5);
        let leap = || prop_oneof![Just(None), path().prop_map(Some)];
        let links = prop::collection::vec((path(), leap()), 0..3);
        let config = ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() };
        TestRunner::new(config)
            .run(&(prop::collection::vec(path(), 0..8), links), |(files, links)| {
                let folder = Folder::new("folders-trees");
                let under = |parts: &[String]| folder.join(&parts.join("/"));
                for parts in files {
                    let path = under(&parts);
                    // What is a file already cannot be a folder.
                    if std::fs::create_dir_all(path.parent().unwrap()).is_ok() {
                        drop(std::fs::write(path, b""));
                    }
                }
                for (from, to) in links {
                    let to = to.map_or_else(|| outside.path().to_owned(), |to| under(&to));
                    drop(symlink(to, under(&from)));
                }
                if let Ok(found) = find(folder.path(), None) {
                    let root = folder.path().canonicalize().unwrap();
                    for picture in found.train.iter().chain(found.test.iter().flatten()) {
                        prop_assert!((picture.label as usize) < found.classes.len());
                        prop_assert!(picture.path.canonicalize().unwrap().starts_with(&root));
                    }
                }
                Ok(())
            })
            .unwrap();
    }
}

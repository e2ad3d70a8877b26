//! What the files of the user's data hold, as far as settings need to know it: found once, before anything runs.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::{ClassNames, Data, DataError, Details, Shape};

/// What was found in the files of a dataset of the user. The program writes it into the directories of runs; experiment
/// files do not have it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Found {
    /// Channels, height and width of one sample; features are channels.
    pub shape: [usize; 3],
    /// Names of the classes, in the order of their labels.
    pub classes: ClassNames,
    /// Size of the training part.
    pub train: usize,
    /// Size of the validation part that the files themselves have; 0 where they have none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub validation: usize,
    /// Size of the test part.
    pub test: usize,
    /// Begins the SHA-256 of what names the content of the files: data that change make other runs.
    pub content: String,
}

/// Returns true for 0, which files leave out.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
const fn is_zero(size: &usize) -> bool {
    *size == 0
}

/// What a look at the files of a user's data gives.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Looked {
    /// What settings need to know.
    pub found: Found,
    /// What people want to know.
    pub details: Details,
}

impl Found {
    /// Shape of one sample.
    pub const fn shape(&self) -> Shape {
        let [channels, height, width] = self.shape;
        Shape::new(channels, height, width)
    }
}

/// What looking at the files of one dataset gave.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Look {
    /// What was found, now or when the data were used before.
    pub found: Option<Found>,
    /// What the source tells of the files beside; empty where they cannot be used now.
    pub details: Arc<Details>,
    /// Why the files cannot be used now.
    pub error: Option<String>,
}

impl Look {
    /// Looks at the files of these data; paths are relative to `base`. Reads from disk, which may be slow.
    pub fn at(data: &Data, base: &Path) -> Self {
        match data.look(base) {
            Ok(looked) => {
                let Looked { found, details } = looked.unwrap_or_default();
                Self { found: data.needs_look().then_some(found), details: Arc::new(details), error: None }
            }
            Err(error) => Self { error: Some(error.to_string()), ..Self::default() },
        }
    }
}

/// The state of files: lengths and times of the last change.
pub type Stamp = Vec<(u64, Option<SystemTime>)>;

impl Data {
    /// The state of the files of a user's data, as far as a glance shows it: of the file or folder, of what is in it, and of
    /// what the dataset names beside it. Reads from disk, which may be slow.
    pub fn stamp(&self, base: &Path) -> Stamp {
        let Ok(Some(place)) = self.place(base) else { return Stamp::new() };
        let of = |path: &Path| {
            let about = path.metadata().ok()?;
            Some((if about.is_file() { about.len() } else { 0 }, about.modified().ok()))
        };
        let inside = |path: &Path| {
            let entries = std::fs::read_dir(path).into_iter().flatten().filter_map(Result::ok);
            let mut inside: Vec<PathBuf> = entries.map(|entry| entry.path()).take(MOST_STAMPS).collect();
            inside.sort();
            inside
        };
        let watched = self.rule().watched(&place, base);
        let all = watched.into_iter().flat_map(|path| {
            let inside = inside(&path);
            std::iter::once(path).chain(inside)
        });
        all.filter_map(|path| of(&path)).collect()
    }
}

/// So many files and folders in a folder are looked at for changes: more than ImageNet has classes.
const MOST_STAMPS: usize = 2000;

/// What is known of the datasets that an experiment names, by their settings. It is knowledge and no setting: experiments
/// that differ in it alone are equal, and files do not have it.
#[derive(Clone, Debug, Default)]
pub struct Looks(Arc<Vec<(Data, Look)>>);

impl PartialEq for Looks {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// Nothing is written.
impl Serialize for Looks {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_unit()
    }
}

impl Looks {
    /// Whether both are one and the same.
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// What looking at these data gave; nothing before that.
    pub fn of(&self, data: &Data) -> Option<&Look> {
        if !data.needs_look() || self.0.is_empty() {
            return None;
        }
        let data = data.with_found(None);
        self.0.iter().find(|(known, _)| *known == data).map(|(_, look)| look)
    }

    /// Adds what was found, in place of what was known of these data.
    pub fn add(&mut self, data: &Data, look: Look) {
        let data = data.with_found(None);
        let all = Arc::make_mut(&mut self.0);
        all.retain(|(known, _)| *known != data);
        all.push((data, look));
    }

    /// Forgets datasets that are not among these.
    pub fn keep(&mut self, data: &[Data]) {
        if self.0.iter().any(|(known, _)| !data.contains(known)) {
            Arc::make_mut(&mut self.0).retain(|(known, _)| data.contains(known));
        }
    }

    /// Writes what is known of these data into them.
    pub fn fill(&self, data: &mut Data) {
        if let Some(found) = self.of(data).and_then(|look| look.found.clone()) {
            *data = data.with_found(Some(found));
        }
    }
}

/// That the files still hold what was found in them before.
pub(super) fn check_unchanged(known: &Found, now: Option<&Found>, path: &Path) -> Result<(), DataError> {
    if now == Some(known) {
        return Ok(());
    }
    Err(DataError::WrongFile {
        path: path.to_owned(),
        expected: "the data that the run was made for".to_owned(),
        found: "other contents".to_owned(),
        remedy: "Restore the files, or start the experiment again: with other data its runs are other runs"
            .to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::data::Images;
    use crate::data::testing::Folder;

    #[test]
    fn new_pictures_of_a_part_and_another_label_map_change_the_stamp() {
        let folder = Folder::new("stamp");
        for name in ["train/cat/a.png", "train/dog/a.png", "val/cat/a.png", "val/dog/a.png", "flat/cat/a.png"]
        {
            folder.write(name, b"");
        }
        folder.write("map.txt", b"cat 0");
        let label_map = Some("map.txt".to_owned());
        let data = |dir: &str| {
            Data::Images(Images { dir: dir.to_owned(), label_map: label_map.clone(), ..Images::default() })
        };
        let changes = |dir: &str, change: &dyn Fn()| {
            let before = data(dir).stamp(folder.path());
            assert_eq!(before, data(dir).stamp(folder.path()));
            std::thread::sleep(Duration::from_millis(20)); // the clock of a disk may be slow
            change();
            before != data(dir).stamp(folder.path())
        };
        assert!(changes(".", &|| folder.write("train/dog/b.png", b"")));
        assert!(changes(".", &|| std::fs::remove_file(folder.join("val/cat/a.png")).unwrap()));
        assert!(changes("flat", &|| folder.write("flat/cat/b.png", b"")));
        assert!(changes("flat", &|| folder.write("map.txt", b"cat 12")));
        assert!(!changes("flat", &|| folder.write("train/cat/b.png", b"")));
    }
}

//! What the files of the user's data hold, as far as settings need to know it: found once, before anything runs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::digests::Stat;
use super::{ClassNames, Data, DataError, Details, Digests, Shape};

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
    /// Begins the SHA-256 of the content of the files: data that change make other runs.
    pub content: String,
    /// The version of the reader: it grows when the same files give other samples.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub reader: usize,
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

/// Something that runs read, by the settings that name it.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "an experiment has few datasets")]
pub enum Input {
    /// A dataset in files.
    Data(Data),
    /// A file that a plan names, with its placeholders filled.
    File(String),
}

/// What looking at one input gave.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Look {
    /// What was found in data of the user, now or when they were used before.
    pub found: Option<Found>,
    /// The SHA-256 of the content of a known set or of a file, now or when it was used before; none where it is not there.
    pub content: Option<String>,
    /// What the source tells of the files beside; empty where they cannot be used now.
    pub details: Arc<Details>,
    /// Why the files cannot be used now.
    pub error: Option<String>,
}

impl Input {
    /// Looks at it; paths are relative to `base`. Reads from disk, which may be slow.
    pub fn look(&self, base: &Path, digests: &Digests) -> Look {
        match self {
            Self::Data(data) if data.needs_look() => match data.look_with(base, digests) {
                Ok(looked) => {
                    let Looked { found, details } = looked.unwrap_or_default();
                    Look { found: Some(found), details: Arc::new(details), ..Look::default() }
                }
                Err(error) => Look { error: Some(error.to_string()), ..Look::default() },
            },
            Self::Data(_) | Self::File(_) => Look { content: self.content(base, digests), ..Look::default() },
        }
    }

    /// Returns the SHA-256 of the files of a known set, unpacked, or of a file; none where they cannot be read, which the
    /// check of an experiment says.
    pub fn content(&self, base: &Path, digests: &Digests) -> Option<String> {
        match self {
            Self::Data(data) => data.set_content(base, digests).ok()?,
            Self::File(file) => digests.file(&base.join(file)).ok(),
        }
    }

    /// Returns true if its files are not there.
    pub fn is_gone(&self, base: &Path) -> bool {
        match self {
            Self::Data(data) => data.check_files(base).is_err(),
            Self::File(file) => !base.join(file).exists(),
        }
    }

    /// The state of its files, as far as a glance shows it. Reads from disk, which may be slow.
    pub fn stamp(&self, base: &Path) -> Stamp {
        match self {
            Self::Data(data) => data.stamp(base),
            Self::File(file) => Stat::read(&base.join(file)).into_iter().collect(),
        }
    }
}

/// The state of files.
pub type Stamp = Vec<Stat>;

impl Data {
    /// The state of the files of a dataset, as far as a glance shows it: of the file or folder, of what is in it, and of
    /// what the dataset names beside it. Reads from disk, which may be slow.
    pub fn stamp(&self, base: &Path) -> Stamp {
        let Ok(Some(place)) = self.place(base) else { return Stamp::new() };
        if let Some(files) = self.set_files(&place) {
            return files.iter().filter_map(|(_, path)| Stat::read(path)).collect();
        }
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
        all.filter_map(|path| Stat::read(&path)).collect()
    }
}

/// So many files and folders in a folder are looked at for changes: more than ImageNet has classes.
const MOST_STAMPS: usize = 2000;

/// What is known of the inputs that an experiment names, by their settings. It is knowledge and no setting: experiments
/// that differ in it alone are equal, and files do not have it.
#[derive(Clone, Debug, Default)]
pub struct Looks(Arc<Known>);

#[derive(Clone, Debug, Default)]
struct Known {
    data: Vec<(Data, Look)>,
    files: BTreeMap<String, Look>,
    /// Names of directories of runs that are done, for results of earlier versions.
    done: BTreeSet<String>,
}

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
        if self.0.data.is_empty() {
            return None;
        }
        let data = data.with_found(None);
        self.0.data.iter().find(|(known, _)| *known == data).map(|(_, look)| look)
    }

    /// What looking at this input gave; nothing before that.
    pub fn of_input(&self, input: &Input) -> Option<&Look> {
        match input {
            Input::Data(data) => self.of(data),
            Input::File(file) => self.0.files.get(file),
        }
    }

    /// Returns true if nothing was looked at.
    pub fn is_empty(&self) -> bool {
        self.0.data.is_empty() && self.0.files.is_empty()
    }

    /// Adds what was found, in place of what was known of this input.
    pub fn add(&mut self, input: &Input, look: Look) {
        let known = Arc::make_mut(&mut self.0);
        match input {
            Input::Data(data) => {
                let data = data.with_found(None);
                known.data.retain(|(known, _)| *known != data);
                known.data.push((data, look));
            }
            Input::File(file) => drop(known.files.insert(file.clone(), look)),
        }
    }

    /// Forgets inputs that are not among these.
    pub fn keep(&mut self, inputs: &[Input]) {
        let (mut data, mut files) = (Vec::new(), BTreeSet::new());
        for input in inputs {
            match input {
                Input::Data(known) => data.push(known),
                Input::File(file) => drop(files.insert(file)),
            }
        }
        let is_kept = |known: &Known| {
            known.data.iter().all(|(known, _)| data.contains(&known))
                && known.files.keys().all(|file| files.contains(file))
        };
        if !is_kept(&self.0) {
            let known = Arc::make_mut(&mut self.0);
            known.data.retain(|(known, _)| data.contains(&known));
            known.files.retain(|file, _| files.contains(file));
        }
    }

    /// Writes what is known of these data into them.
    pub fn fill(&self, data: &mut Data) {
        if data.needs_look()
            && let Some(found) = self.of(data).and_then(|look| look.found.clone())
        {
            *data = data.with_found(Some(found));
        }
    }

    /// Notes the directories of runs that are done; returns true if they are others than before.
    pub fn note_done(&mut self, done: BTreeSet<String>) -> bool {
        let is_new = self.0.done != done;
        if is_new {
            Arc::make_mut(&mut self.0).done = done;
        }
        is_new
    }

    /// Returns true if there are results at all.
    pub fn has_done(&self) -> bool {
        !self.0.done.is_empty()
    }

    /// Returns true if a directory of this name holds a run that is done.
    pub fn is_done(&self, run: &str) -> bool {
        self.0.done.contains(run)
    }
}

/// That the files still hold what was found in them before.
pub(super) fn check_unchanged(known: &Found, now: Option<&Found>, path: &Path) -> Result<(), DataError> {
    if now == Some(known) {
        return Ok(());
    }
    Err(DataError::changed(path))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::Images;
    use crate::testing::Folder;

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

//! The content of the user's data, found once, before anything runs.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::digests::Stat;
use crate::{Data, Digests, Shape};

/// The content of a dataset of the user, as far as settings depend on it. The program writes it into the directories of
/// runs; experiment files do not have it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Found {
    /// Channels, height and width of one sample; features are channels.
    pub shape: [usize; 3],
    pub classes: ClassNames,
    pub train: usize,
    /// That of the files themselves; 0 where they have none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub validation: usize,
    pub test: usize,
    /// Begins the SHA-256 of the content of the files: data that change make other runs.
    pub content: String,
    /// The version of the reader: it grows when the same files give other samples.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub reader: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
const fn is_zero(size: &usize) -> bool {
    *size == 0
}

/// The result of a look at the files of a user's data.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Looked {
    pub found: Found,
    pub details: Details,
}

impl Found {
    /// Makes the content of a known set; classes are in the order of their labels.
    pub(crate) fn known(shape: Shape, classes: &'static [&'static str], train: usize, test: usize) -> Self {
        let shape = [shape.channels, shape.height, shape.width];
        Self { shape, classes: ClassNames::known(classes), train, test, ..Self::default() }
    }

    pub const fn shape(&self) -> Shape {
        let [channels, height, width] = self.shape;
        Shape::new(channels, height, width)
    }
}

/// Something that runs read, by the settings that name it.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "an experiment has few datasets")]
pub enum Input {
    Data(Data),
    /// A file that a plan names, with its placeholders filled.
    File(String),
}

/// The result of a look at one input.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Look {
    /// The content of data of the user, now or when they were used before.
    pub found: Option<Found>,
    /// The SHA-256 of the content of a known set or of a file, now or when it was used before; none where it is not there.
    pub content: Option<String>,
    /// Facts for people; empty where the files cannot be used now.
    pub details: Arc<Details>,
    /// Why the files cannot be used now.
    pub error: Option<String>,
}

impl Input {
    /// Returns the input by its settings alone.
    fn without_found(&self) -> Self {
        match self {
            Self::Data(data) => Self::Data(data.with_found(None)),
            Self::File(_) => self.clone(),
        }
    }

    /// Looks at its files; paths are relative to `base`. Reads from disk, which may be slow.
    pub fn look(&self, base: &Path, digests: &Digests) -> Look {
        match self {
            Self::Data(data) if data.needs_look() => match data.look(base, digests) {
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

    /// Returns the state of its files, as far as a glance shows it. Reads from disk, which may be slow.
    pub fn stamp(&self, base: &Path) -> Stamp {
        match self {
            Self::Data(data) => data.stamp(base),
            Self::File(file) => Stat::read(&base.join(file)).into_iter().collect(),
        }
    }
}

pub type Stamp = Vec<Stat>;

impl Data {
    /// Returns the state of its files, as far as a glance shows it: of the file or folder, of what is in it, and of what
    /// the settings name beside it. Reads from disk, which may be slow.
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

/// The most files and folders of a folder that are looked at for changes: more than ImageNet has classes.
const MOST_STAMPS: usize = 2000;

/// The results of looks at the inputs of an experiment, by their settings. They are knowledge and no setting: experiments
/// that differ in them alone are equal, and files do not have them.
#[derive(Clone, Debug, Default)]
pub struct Looks(Arc<Known>);

#[derive(Clone, Debug, Default)]
struct Known {
    looks: Vec<(Input, Look)>,
    /// Names of directories of runs that are done, for results of earlier versions.
    done: BTreeSet<String>,
}

impl PartialEq for Looks {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Serialize for Looks {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_unit()
    }
}

impl Looks {
    /// Returns true if both are one and the same.
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Returns the result of a look at these data; none before that.
    pub fn of(&self, data: &Data) -> Option<&Look> {
        self.find(&Input::Data(data.with_found(None)))
    }

    /// Returns the result of a look at this input; none before that.
    pub fn of_input(&self, input: &Input) -> Option<&Look> {
        self.find(&input.without_found())
    }

    fn find(&self, input: &Input) -> Option<&Look> {
        self.0.looks.iter().find(|(known, _)| known == input).map(|(_, look)| look)
    }

    /// Returns true if nothing was looked at.
    pub fn is_empty(&self) -> bool {
        self.0.looks.is_empty()
    }

    /// Adds a result, in place of the last one of this input.
    pub fn add(&mut self, input: &Input, look: Look) {
        let (looks, input) = (&mut Arc::make_mut(&mut self.0).looks, input.without_found());
        looks.retain(|(known, _)| *known != input);
        looks.push((input, look));
    }

    /// Forgets inputs that are not among these.
    pub fn keep(&mut self, inputs: &[Input]) {
        if !self.0.looks.iter().all(|(known, _)| inputs.contains(known)) {
            Arc::make_mut(&mut self.0).looks.retain(|(known, _)| inputs.contains(known));
        }
    }

    /// Writes what was found into these data.
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

/// The name of a class where none was predicted.
pub const NOTHING: &str = "none";

/// Names of classes; copies share them.
#[derive(Clone, Debug)]
pub struct ClassNames(Names);

#[derive(Clone, Debug)]
enum Names {
    Known(&'static [&'static str]),
    Read(Arc<[String]>),
}

impl ClassNames {
    /// Makes names that the program knows.
    pub const fn known(names: &'static [&'static str]) -> Self {
        Self(Names::Known(names))
    }

    pub fn len(&self) -> usize {
        match &self.0 {
            Names::Known(names) => names.len(),
            Names::Read(names) => names.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn get(&self, class: usize) -> Option<&str> {
        match &self.0 {
            Names::Known(names) => names.get(class).copied(),
            Names::Read(names) => names.get(class).map(String::as_str),
        }
    }

    /// Names a predicted class: by its name, by its number where the data have no such class, "none" where nothing was
    /// predicted because logits are not finite.
    pub fn name_of(&self, class: Option<u32>) -> String {
        let Some(class) = class else { return NOTHING.to_owned() };
        self.get(class as usize).map_or_else(|| class.to_string(), str::to_owned)
    }

    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).filter_map(|class| self.get(class))
    }
}

/// Makes names differ, as they must in legends: one that an earlier class has already gets its label. ImageNet has two
/// cranes.
pub(crate) fn distinct(mut names: Vec<String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    for (label, name) in names.iter_mut().enumerate() {
        while !seen.insert(name.clone()) {
            *name = format!("{name} ({label})");
        }
    }
    names
}

impl Default for ClassNames {
    fn default() -> Self {
        Self::known(&[])
    }
}

impl PartialEq for ClassNames {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl From<Vec<String>> for ClassNames {
    fn from(names: Vec<String>) -> Self {
        Self(Names::Read(names.into()))
    }
}

impl Serialize for ClassNames {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for ClassNames {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::<String>::deserialize(deserializer).map(Self::from)
    }
}

/// Facts about the user's files beside what settings need. No identity depends on them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Details {
    /// The files that hold the samples and what the program reads beside them, with the names that count: their digests name
    /// the content.
    pub files: Vec<(String, PathBuf)>,
    /// The classes of the samples of the training, validation and test part in the order of the files, before limits.
    pub labels: [Vec<u32>; 3],
    /// Where the parts come from: "the folders train and val", "20 % of the samples for testing, the same for all seeds".
    pub split: String,
    pub columns: Option<Columns>,
    pub left_out: Vec<LeftOut>,
    /// Assumptions about the files, and oddities in them: whole sentences, with the remedy.
    pub notes: Vec<String>,
}

/// The columns of a table by what they become, in the order of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Columns {
    /// One feature each.
    pub numbers: Vec<String>,
    /// Names, and how many different words each has: one feature a word.
    pub words: Vec<(String, usize)>,
    pub left_out: Vec<String>,
}

/// Files of one ending that are left out for one reason.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// Why: "no format that this program reads".
    pub reason: String,
    /// The ending, in lower case, with its dot; empty where they have none.
    pub ending: String,
    pub count: usize,
    #[serde(serialize_with = "path_text")]
    pub first: PathBuf,
}

fn path_text<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&path.display())
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

#[cfg(test)]
mod class_names_tests {
    use crate::found::*;

    #[test]
    fn a_class_without_a_name_is_its_number_and_no_class_is_none() {
        let names = ClassNames::known(&["cat", "dog"]);
        assert_eq!([Some(1), Some(217), None].map(|class| names.name_of(class)), ["dog", "217", "none"]);
    }

    #[test]
    fn equal_names_get_their_label() {
        assert_eq!(distinct(["a", "a (2)", "a"].map(str::to_owned).to_vec()), ["a", "a (2)", "a (2) (2)"]);
    }
}

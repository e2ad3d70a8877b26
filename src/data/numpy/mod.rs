//! Arrays of NumPy: an archive `.npz`, or a folder of `.npy` files.

mod array;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use crate::error::Memory;
use crate::files::refuse_stand_in;
use crate::numpy::array::{Array, Header, Kind, Wrong, wrong};
use crate::{DataError, Samples, Shape};
use form::number::grouped;

/// The most classes: larger labels are no labels.
const MOST_CLASSES: u32 = 100_000;
pub(crate) const REMEDY: &str = "Write the arrays again, for example with numpy.savez(\"set.npz\", x_train=…, y_train=…, x_test=…, y_test=…)";

/// Arrays by name.
#[derive(Debug)]
pub(crate) struct Arrays {
    path: PathBuf,
    remedy: &'static str,
    /// Without `.npy`, sorted.
    names: Vec<String>,
    /// None for a folder.
    archive: Option<zip::ZipArchive<BufReader<File>>>,
    /// Of images.
    pub is_channels_last: bool,
}

/// Names of the arrays of a part: samples and labels.
type Names = [String; 2];

const TRAIN: &[&str] = &["train"];
const VALIDATION: &[&str] = &["val", "valid", "validation", "dev"];
const TEST: &[&str] = &["test"];
/// A set of one part has names without a word for it.
const WHOLE: &[&str] = &[""];

/// Returns what people call the arrays of a part, for each word for it.
fn names(words: &[&str]) -> Vec<Names> {
    const PAIRS: [[&str; 2]; 4] = [["x_…", "y_…"], ["X_…", "y_…"], ["X_…", "Y_…"], ["…_images", "…_labels"]];
    let name = |word: &str, name: &str| name.replace('…', word).trim_matches('_').to_owned();
    words.iter().flat_map(|word| PAIRS.map(|pair| pair.map(|of| name(word, of)))).collect()
}

/// Words in names of arrays of a part that is there under other names than the known ones, perhaps.
const LIKE_VALIDATION: [&str; 6] = ["val", "valid", "validation", "dev", "eval", "evaluation"];
const LIKE_TEST: [&str; 2] = ["test", "testing"];

#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub names: Names,
    pub(crate) headers: [Header; 2],
    pub shape: Shape,
    pub len: usize,
}

impl Part {
    pub const fn is_wide(&self) -> bool {
        self.headers[0].is_wide()
    }
}

#[derive(Clone, Debug)]
pub(crate) struct SetParts {
    /// The whole set, where there is no test part.
    pub train: Part,
    pub validation: Option<Part>,
    pub test: Option<Part>,
    pub unused: Vec<String>,
}

impl SetParts {
    /// Returns those that are there: training, validation, test.
    pub fn all(&self) -> Vec<&Part> {
        [Some(&self.train), self.validation.as_ref(), self.test.as_ref()].into_iter().flatten().collect()
    }
}

impl Arrays {
    /// Finds the arrays of an archive or a folder; errors end with the remedy.
    pub fn open(path: &Path, remedy: &'static str) -> Result<Self, DataError> {
        let unreadable = DataError::unreadable(path);
        let (mut names, mut archive): (Vec<String>, _) = (Vec::new(), None);
        if path.is_dir() {
            for entry in path.read_dir().map_err(unreadable)? {
                names.extend(entry.map_err(unreadable)?.file_name().into_string().ok());
            }
        } else {
            refuse_stand_in(path)?;
            let file = BufReader::new(File::open(path).map_err(unreadable)?);
            let opened = zip::ZipArchive::new(file).map_err(|error| {
                DataError::wrong(path, "an archive of NumPy (.npz)", error.to_string(), remedy)
            })?;
            names.extend(opened.file_names().filter_map(|name| Some(name.ok()?.into_owned())));
            archive = Some(opened);
        }
        let array = |name: String| name.strip_suffix(".npy").map(str::to_owned);
        let mut names: Vec<String> = names.into_iter().filter_map(array).collect();
        names.sort();
        Ok(Self { path: path.to_owned(), remedy, names, archive, is_channels_last: false })
    }

    fn wrong(&self, name: &str, Wrong { expected, found }: Wrong) -> DataError {
        DataError::wrong(&self.path, format!("{name}: {expected}"), found, self.remedy)
    }

    /// Reads the header of an array, and checks that as many bytes follow as it promises.
    fn header(&mut self, name: &str) -> Result<Header, DataError> {
        if self.archive.is_none() {
            refuse_stand_in(&self.path.join(format!("{name}.npy")))?;
        }
        let result = self.with(name, |file, size| {
            let header = Header::read(file)?;
            let bytes = header.count().map(|count| (count * header.size) as u64);
            let promised = bytes.and_then(|bytes| bytes.checked_add(header.len));
            if promised == Some(size) {
                return Ok(header);
            }
            let promised = promised.map_or_else(
                || "a smaller array".to_owned(),
                |bytes| format!("{bytes} bytes, as the header says"),
            );
            Err(wrong(promised, format!("{size} bytes")))
        });
        result.map_err(|error| self.wrong(name, error))
    }

    /// Gives the file of an array and its size in bytes to `act`.
    fn with<R>(
        &mut self,
        name: &str,
        act: impl FnOnce(&mut (dyn Read + '_), u64) -> Result<R, Wrong>,
    ) -> Result<R, Wrong> {
        let name = format!("{name}.npy");
        let failed = |error: &dyn std::fmt::Display| wrong("an array that can be read", error.to_string());
        if let Some(archive) = &mut self.archive {
            let mut file = archive.by_name(&name).map_err(|error| failed(&error))?;
            let size = file.size();
            return act(&mut file, size);
        }
        let file = File::open(self.path.join(&name)).map_err(|error| failed(&error))?;
        let size = file.metadata().map_err(|error| failed(&error))?.len();
        act(&mut BufReader::new(file), size)
    }

    /// Reads what follows the header of an array.
    fn array<T>(
        &mut self,
        name: &str,
        of: impl FnOnce(&Header, &mut dyn Read) -> Result<T, Wrong>,
    ) -> Result<T, DataError> {
        let read = self.with(name, |file, _| of(&Header::read(file)?, file));
        read.map_err(|error| self.wrong(name, error))
    }

    pub fn labels(&mut self, part: &Part) -> Result<Vec<u32>, DataError> {
        self.array(&part.names[1], array::labels)
    }

    /// Reads a part with these labels in single precision.
    pub fn read(&mut self, part: &Part, labels: Vec<u32>) -> Result<Samples, DataError> {
        let array = self.samples(part, array::values)?;
        self.check_len(part, array.values.len(), labels.len())?;
        Ok(Samples::new(part.shape, array.values, labels))
    }

    /// Reads the first samples of a part, with these labels, in double precision, where single precision may round them. The
    /// origins of channels are those given, or its own.
    pub fn read_exact(
        &mut self,
        part: &Part,
        labels: Vec<u32>,
        origins: Option<&[f64]>,
    ) -> Result<Samples, DataError> {
        let most = labels.len();
        let bits = self.samples(part, |header, file| array::bits(header, file, most))?;
        let exact = bits.exact(&part.headers[0], part.shape, origins);
        let exact = exact.map_err(|error| self.wrong(&part.names[0], error))?;
        self.check_len(part, exact.values.len(), labels.len())?;
        Ok(Samples::exact(part.shape, exact, labels))
    }

    fn samples<T: Copy + Default>(
        &mut self,
        part: &Part,
        of: impl FnOnce(&Header, &mut dyn Read) -> Result<Array<T>, Wrong>,
    ) -> Result<Array<T>, DataError> {
        let array = self.array(&part.names[0], of)?;
        let is_permuted = self.is_channels_last && array.shape.len() == 4;
        Ok(if is_permuted { array.permuted(&[0, 3, 1, 2]) } else { array })
    }

    fn check_len(&self, part: &Part, values: usize, labels: usize) -> Result<(), DataError> {
        if values == part.shape.len() * labels {
            return Ok(());
        }
        Err(self.wrong(&part.names[0], wrong("the array that was there before", "another one")))
    }

    /// Reads samples in bytes with permuted axes, and their labels, of arrays with these names: the labels, the values.
    /// Their axes before that have the length that `shape` gives for a number of labels, of which there are `most` at most:
    /// what their headers promise is compared with it before anything is read.
    pub fn pair(
        &mut self,
        names: [&str; 2],
        axes: &[usize],
        most: usize,
        shape: impl Fn(usize) -> Vec<usize>,
    ) -> Result<(Vec<u32>, Vec<f32>), DataError> {
        let headers = [self.header(names[0])?, self.header(names[1])?];
        let len = headers[1].shape.iter().copied().max().unwrap_or(0);
        if !(1..=most).contains(&len) {
            let expected = format!("1 to {} labels", grouped(most as u64));
            return Err(self.wrong(names[1], wrong(expected, len.to_string())));
        }
        if headers[0].shape != shape(len) {
            let found = format!("the shape {:?}", headers[0].shape);
            let expected = format!("the shape {:?}, an image for each label", shape(len));
            return Err(self.wrong(names[0], wrong(expected, found)));
        }
        if (headers[0].kind, headers[0].size) != (Kind::Unsigned, 1) {
            return Err(self.wrong(names[0], wrong("bytes (u1)", "other numbers")));
        }
        let labels = self.array(names[1], array::labels)?;
        let array = self.array(names[0], array::values)?;
        if array.shape != shape(labels.len()) {
            return Err(self.wrong(names[0], wrong("the array that was there before", "another one")));
        }
        Ok((labels, array.permuted(axes).values))
    }

    pub fn check_memory(&self, parts: &[&Part], memory: Memory) -> Result<(), DataError> {
        let samples = parts.iter().map(|part| part.len).sum();
        memory.check(&self.path, samples, parts[0].shape.len(), false)
    }

    /// Returns the files that these parts are read from, with the names of their arrays.
    pub fn files(&self, parts: &[&Part]) -> Vec<(String, PathBuf)> {
        if self.archive.is_some() {
            return vec![(String::new(), self.path.clone())];
        }
        let names = parts.iter().flat_map(|part| &part.names);
        names.map(|name| (name.clone(), self.path.join(format!("{name}.npy")))).collect()
    }

    /// Finds the training part, or one that is to be split, and perhaps a validation and a test part.
    pub fn parts(&mut self) -> Result<SetParts, DataError> {
        let [train, whole, validation, test] = [TRAIN, WHOLE, VALIDATION, TEST].map(|words| self.find(words));
        // A name that was forgotten or misspelled would silently give another split.
        let half = |is_missing: bool, words: &[&str]| if is_missing { self.half(words) } else { None };
        let half = half(train.is_none() && whole.is_some(), TRAIN)
            .or_else(|| half(test.is_none(), TEST))
            .or_else(|| half(validation.is_none(), VALIDATION));
        let Some(train) = train.or(whole) else {
            let found = if self.names.is_empty() { "no array".to_owned() } else { self.names.join(", ") };
            let found =
                if found.chars().count() > 200 { format!("{} arrays", self.names.len()) } else { found };
            return Err(self.unknown("the arrays x_train and y_train", found));
        };
        if let Some([there, absent]) = half {
            let expected = format!("the array {absent} beside {there}");
            return Err(DataError::wrong(&self.path, expected, format!("{there} alone"), self.remedy));
        }
        let used: Vec<&String> =
            [Some(&train), validation.as_ref(), test.as_ref()].into_iter().flatten().flatten().collect();
        let unused: Vec<String> = self.names.iter().filter(|name| !used.contains(name)).cloned().collect();
        let is_part = |name: &&String| {
            validation.is_none() && is_like(name, &LIKE_VALIDATION)
                || test.is_none() && is_like(name, &LIKE_TEST)
        };
        if let Some(name) = unused.iter().find(is_part) {
            return Err(self.unknown("names of arrays that are known", name.clone()));
        }
        let train = self.part(train)?;
        let mut other = |names: Option<Names>| -> Result<Option<Part>, DataError> {
            let Some(names) = names else { return Ok(None) };
            let part = self.part(names)?;
            self.check_alike(&train, &part)?;
            Ok(Some(part))
        };
        let (validation, test) = (other(validation)?, other(test)?);
        Ok(SetParts { train, validation, test, unused })
    }

    fn unknown(&self, expected: &str, found: String) -> DataError {
        let remedy = format!(
            "Known are x_train and y_train, x_val and y_val (also valid, validation, dev), x_test and y_test, with X and Y too; \
             train_images and train_labels, and so on; x and y, or images and labels, for one part. {}",
            self.remedy
        );
        DataError::wrong(&self.path, expected, found, remedy)
    }

    fn has(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
    }

    fn find(&self, words: &[&str]) -> Option<Names> {
        names(words).into_iter().find(|names| names.iter().all(|name| self.has(name)))
    }

    /// Returns the first array that is there without its other half, and the name of that one.
    fn half(&self, words: &[&str]) -> Option<Names> {
        let half = |[samples, labels]: Names| match [&samples, &labels].map(|name| self.has(name)) {
            [true, false] => Some([samples, labels]),
            [false, true] => Some([labels, samples]),
            [true, true] | [false, false] => None,
        };
        names(words).into_iter().find_map(half)
    }

    fn part(&mut self, names: Names) -> Result<Part, DataError> {
        let headers = [self.header(&names[0])?, self.header(&names[1])?];
        let [samples, labels] = [0, 1].map(|index| headers[index].shape.as_slice());
        let shape = match samples {
            [_, features] => Some(Shape::new(*features, 1, 1)),
            [_, height, width] => Some(Shape::new(1, *height, *width)),
            [_, height, width, channels] if self.is_channels_last => {
                Some(Shape::new(*channels, *height, *width))
            }
            [_, channels, height, width] => Some(Shape::new(*channels, *height, *width)),
            _ => None,
        };
        let fail = |expected: &str, found: String| Err(self.wrong(&names[0], wrong(expected, found)));
        let len = labels.first().copied().unwrap_or(0);
        let Some(shape) = shape.filter(|shape| shape.len() > 0) else {
            let expected = "[n, features], [n, height, width] or [n, channels, height, width]";
            return fail(expected, format!("the shape {samples:?}"));
        };
        if samples[0] != len || len == 0 {
            let found = format!("{} samples and {len} labels", samples[0]);
            return fail("one sample for each label", found);
        }
        self.check_channels(&names[0], samples)?;
        Ok(Part { names, headers, shape, len })
    }

    /// Refuses axes that say that the channels are at the other end: 1, 3 or 4 of them and an area at the rest.
    fn check_channels(&self, name: &str, shape: &[usize]) -> Result<(), DataError> {
        let [_, a, b, c] = shape else { return Ok(()) };
        let is_image = |channels: &usize, height: &usize, width: &usize| {
            matches!(channels, 1 | 3 | 4) && *height > 1 && *width > 1
        };
        let (there, channels, setting) = match [is_image(a, b, c), is_image(c, a, b)] {
            [true, false] if self.is_channels_last => ("second", c, "First"),
            [false, true] if !self.is_channels_last => ("last", a, "Last"),
            _ => return Ok(()),
        };
        let problem = format!(
            "{name} of {} has the shape {shape:?}: pictures with the channels in the {there} axis; write channels: {setting}, \
             or exchange height and width if there really are {channels} channels",
            self.path.display()
        );
        Err(DataError::setting("channels", problem))
    }

    fn check_alike(&self, train: &Part, part: &Part) -> Result<(), DataError> {
        let name = &part.names[0];
        if part.shape != train.shape {
            let expected = format!("samples of {}, as in {}", train.shape, train.names[0]);
            return Err(self.wrong(name, wrong(expected, part.shape.to_string())));
        }
        if part.headers[0].is_bytes() != train.headers[0].is_bytes() {
            let expected = "bytes (u1) in all parts or in none, since they are divided by 255";
            return Err(self.wrong(name, wrong(expected, "them in one only")));
        }
        Ok(())
    }
}

/// Returns true if the name of an array has one of these words, perhaps behind an x or y.
fn is_like(name: &str, words: &[&str]) -> bool {
    let name = name.to_lowercase();
    let mut parts = name.split(|sign: char| !sign.is_alphanumeric());
    parts.any(|part| words.contains(&part) || words.contains(&part.trim_start_matches(['x', 'y'])))
}

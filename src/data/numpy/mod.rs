//! Arrays of NumPy: an archive `.npz`, or a folder of `.npy` files.

mod array;
mod header;
mod parts;

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use super::memory::Memory;
use super::stand_in::refuse_stand_in;
use super::{DataError, Samples, Shape};
use array::Array;
use form::number::grouped;
use header::{Header, Kind, Wrong, wrong};
pub(super) use parts::{Part, SetParts};

/// The most classes: larger labels are no labels.
const MOST_CLASSES: u32 = 100_000;
pub(super) const REMEDY: &str = "Write the arrays again, for example with numpy.savez(\"set.npz\", x_train=…, y_train=…, x_test=…, y_test=…)";

/// Arrays by name.
#[derive(Debug)]
pub(super) struct Arrays {
    path: PathBuf,
    /// What to do where something is wrong.
    remedy: &'static str,
    /// Without `.npy`, sorted.
    names: Vec<String>,
    /// None for a folder.
    archive: Option<zip::ZipArchive<BufReader<File>>>,
}

impl Arrays {
    /// Finds the arrays of an archive or a folder; errors end with the remedy.
    ///
    /// # Errors
    /// What cannot be read, or is no archive.
    pub fn open(path: &Path, remedy: &'static str) -> Result<Self, DataError> {
        let unreadable = |source| DataError::Unreadable { path: path.to_owned(), source };
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
        Ok(Self { path: path.to_owned(), remedy, names, archive })
    }

    fn wrong(&self, name: &str, Wrong { expected, found }: Wrong) -> DataError {
        DataError::wrong(&self.path, format!("{name}: {expected}"), found, self.remedy)
    }

    /// The header of an array, and that as many bytes follow as it promises.
    fn header(&mut self, name: &str) -> Result<Header, DataError> {
        if self.archive.is_none() {
            refuse_stand_in(&self.path.join(format!("{name}.npy")))?;
        }
        let result = self.with(name, |mut file, size| {
            let header = Header::read(&mut file)?;
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

    /// Does something with the file of an array; also gets its size in bytes.
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
        let read = self.with(name, |mut file, _| {
            let header = Header::read(&mut file)?;
            of(&header, file)
        });
        read.map_err(|error| self.wrong(name, error))
    }

    /// Reads the labels of a part.
    ///
    /// # Errors
    /// What is no label.
    pub fn labels(&mut self, part: &Part) -> Result<Vec<u32>, DataError> {
        self.array(&part.names[1], |header, mut file| array::labels(header, &mut file))
    }

    /// Reads a part in single precision.
    ///
    /// # Errors
    /// What cannot be read, or is not finite.
    pub fn read(&mut self, part: &Part, is_channels_last: bool) -> Result<Samples, DataError> {
        let labels = self.labels(part)?;
        let array =
            self.samples(part, is_channels_last, |header, mut file| array::values(header, &mut file))?;
        self.check_len(part, array.values.len(), labels.len())?;
        Ok(Samples::new(part.shape, array.values, labels))
    }

    /// Reads the first `most` samples of a part in double precision, where single precision may round them. The origins of
    /// channels are those given, or its own.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn read_exact(
        &mut self,
        part: &Part,
        is_channels_last: bool,
        most: usize,
        origins: Option<&[f64]>,
    ) -> Result<Samples, DataError> {
        let mut labels = self.labels(part)?;
        labels.truncate(most);
        let bits =
            self.samples(part, is_channels_last, |header, mut file| array::bits(header, &mut file, most))?;
        let exact = bits.exact(&part.headers[0], part.shape, origins);
        let exact = exact.map_err(|error| self.wrong(&part.names[0], error))?;
        self.check_len(part, exact.values.len(), labels.len())?;
        Ok(Samples::exact(part.shape, exact, labels))
    }

    /// The numbers of the samples of a part, with the channels first.
    fn samples<T: Copy + Default>(
        &mut self,
        part: &Part,
        is_channels_last: bool,
        of: impl FnOnce(&Header, &mut dyn Read) -> Result<Array<T>, Wrong>,
    ) -> Result<Array<T>, DataError> {
        let array = self.array(&part.names[0], of)?;
        let is_turned = is_channels_last && array.shape.len() == 4;
        Ok(if is_turned { array.permuted(&[0, 3, 1, 2]) } else { array })
    }

    fn check_len(&self, part: &Part, values: usize, labels: usize) -> Result<(), DataError> {
        if values == part.shape.len() * labels {
            return Ok(());
        }
        Err(self.wrong(&part.names[0], wrong("the array that was there before", "another one")))
    }

    /// Samples in bytes with permuted axes, and their labels, of arrays with these names: the labels, the values. Their
    /// axes before that have the length that `shape` gives for a number of labels, of which there are `most` at most: what
    /// their headers promise is compared with it before anything is read.
    ///
    /// # Errors
    /// What cannot be read, or has another shape or type.
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
        let labels = self.array(names[1], |header, mut file| array::labels(header, &mut file))?;
        let array = self.array(names[0], |header, mut file| array::values(header, &mut file))?;
        if array.shape != shape(labels.len()) {
            return Err(self.wrong(names[0], wrong("the array that was there before", "another one")));
        }
        Ok((labels, array.permuted(axes).values))
    }

    /// That the samples of these parts fit the memory that they may take.
    ///
    /// # Errors
    /// When they do not.
    pub fn check_memory(&self, parts: &[&Part], memory: Memory) -> Result<(), DataError> {
        let samples = parts.iter().map(|part| part.len).sum();
        memory.check(&self.path, samples, parts[0].shape.len())
    }

    /// The files that these parts are read from, with the names of their arrays.
    pub fn files(&self, parts: &[&Part]) -> Vec<(String, PathBuf)> {
        if self.archive.is_some() {
            return vec![(String::new(), self.path.clone())];
        }
        let names = parts.iter().flat_map(|part| &part.names);
        names.map(|name| (name.clone(), self.path.join(format!("{name}.npy")))).collect()
    }
}

#[cfg(test)]
pub(super) mod testing;
#[cfg(test)]
mod tests;

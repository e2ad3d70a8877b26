use std::path::Path;

use crate::error::Memory;
use crate::found::distinct;
use crate::numpy::{Arrays, Part, REMEDY, SetParts};
use crate::prepare::{check_one_validation, split_labels, test_count};
use crate::source::Source;
use crate::{ClassNames, DataError, Details, Found, Looked, Normalize, Parts, Shape, take_test};
use form::number::{first_of, share_in_percent};

form::choice! {
    /// The axis of arrays of images that has the channels.
    pub enum ChannelAxis: "Channel axis" {
        First, "First", "[n, channels, height, width], as PyTorch has them";
        Last, "Last", "[n, height, width, channels], as Keras and NumPy's pictures have them";
    }
}

dataset! {
    Numpy: "NumPy arrays", in file "File", "Path of an archive .npz, or of a folder of .npy files, relative to the \
        experiment file", File, normalize None {
        test: f64 = 0.2, "Test", "Share of the samples that are kept for testing where there are no arrays x_test and \
            y_test, the same for all seeds", unit "%", range [0.001, 0.999];
        channels: ChannelAxis = ChannelAxis::First, "Channel axis", "Which axis of images has the channels";
        classes: Vec<String> = Vec::new(), "Classes", "Names of the classes, in the order of their labels; default: \
            their numbers";
    }
}

/// Samples, and values of them, that are looked at for numbers that single precision rounds.
const LOOKED_AT: [usize; 2] = [10_000, 1 << 22];

impl Numpy {
    /// Opens the arrays, and finds the parts, which must fit the memory.
    fn open(&self, path: &Path) -> Result<(Arrays, SetParts), DataError> {
        let mut arrays = Arrays::open(path, REMEDY)?;
        arrays.is_channels_last = self.channels == ChannelAxis::Last;
        let parts = arrays.parts()?;
        arrays.check_memory(&parts.all(), Memory(self.memory))?;
        Ok((arrays, parts))
    }

    /// Reads the classes of the samples of each part that is there, and the number of classes.
    fn labels(arrays: &mut Arrays, parts: &SetParts) -> Result<(Vec<Vec<u32>>, usize), DataError> {
        let labels =
            parts.all().into_iter().map(|part| arrays.labels(part)).collect::<Result<Vec<_>, _>>()?;
        let highest = labels.iter().flatten().max();
        let count = highest.map_or(0, |label| *label as usize + 1).max(2);
        Ok((labels, count))
    }

    /// Says what looks odd in arrays with these labels, which have so many classes.
    fn notes(
        &self,
        arrays: &mut Arrays,
        parts: &SetParts,
        labels: &[Vec<u32>],
        count: usize,
    ) -> Result<Vec<String>, DataError> {
        let mut notes = Vec::new();
        let [samples, names] = &parts.train.names;
        let lowest = labels.iter().flatten().min().copied().unwrap_or(0);
        if lowest > 0 {
            notes.push(format!(
                "The labels in {names} begin with {lowest}. Classes count from 0, so {count} are assumed, of which the first \
                 {lowest} have no samples. numpy.unique(y, return_inverse=True)[1] gives labels without gaps."
            ));
        }
        if !parts.unused.is_empty() {
            let unused = first_of(&parts.unused, 10, ", ");
            notes.push(format!("Arrays that are of no part and not used: {unused}."));
        }
        if self.normalize == Normalize::None && parts.train.is_wide() {
            let most = (LOOKED_AT[1] / parts.train.shape.len()).clamp(1, LOOKED_AT[0]);
            let known = labels[0][..most.min(labels[0].len())].to_vec();
            let first = arrays.read_exact(&parts.train, known, None)?;
            let kind = if first.shape.is_image() { "channel" } else { "feature" };
            let name = |channel| (channel, format!("{kind} {channel} of {samples}"));
            notes.extend(first.coarse((0..first.shape.channels).map(name)));
        }
        Ok(notes)
    }

    fn split(&self, parts: &SetParts) -> String {
        let names: Vec<String> = parts.all().iter().map(|part| part.names.join(" and ")).collect();
        let names = format!("the arrays {}", names.join(", "));
        if parts.test.is_some() {
            return names;
        }
        format!("{names}; {} of the samples for testing, the same for all seeds", share_in_percent(self.test))
    }
}

impl Source for Numpy {
    fn look(&self, path: &Path, _: &Path) -> Result<Looked, DataError> {
        let (mut arrays, parts) = self.open(path)?;
        check_one_validation(self.validation, parts.validation.is_some())?;
        let (labels, count) = Self::labels(&mut arrays, &parts)?;
        let name = |class: usize| self.classes.get(class).cloned().unwrap_or_else(|| class.to_string());
        let classes = distinct((0..count.max(self.classes.len())).map(name).collect());
        if !self.classes.is_empty() && self.classes.len() < count {
            let problem = format!("{} names for {count} classes; name them all, or none", self.classes.len());
            return Err(DataError::setting("classes", problem));
        }
        let notes = self.notes(&mut arrays, &parts, &labels, count)?;
        let (mut labels, split) = (labels.into_iter(), self.split(&parts));
        let mut train = labels.next().unwrap_or_default();
        let validation = parts.validation.as_ref().and_then(|_| labels.next()).unwrap_or_default();
        let test = if let Some(test) = labels.next() {
            test
        } else {
            let [kept, test] = split_labels(&train, test_count(train.len(), self.test)?);
            train = kept;
            test
        };
        let Shape { channels, height, width } = parts.train.shape;
        let found = Found {
            shape: [channels, height, width],
            classes: ClassNames::from(classes),
            train: train.len(),
            validation: validation.len(),
            test: test.len(),
            ..Found::default()
        };
        let labels = [train, validation, test];
        Ok(Looked {
            found,
            details: Details {
                files: arrays.files(&parts.all()),
                labels,
                split,
                notes,
                ..Details::default()
            },
        })
    }

    fn read(&self, path: &Path, _: &Path) -> Result<Parts, DataError> {
        let (mut arrays, parts) = self.open(path)?;
        let (labels, count) = Self::labels(&mut arrays, &parts)?;
        let (mut labels, classes) = (labels.into_iter(), count.max(self.classes.len()));
        let is_exact = self.normalize != Normalize::None && parts.all().iter().any(|part| part.is_wide());
        let mut origins: Option<Vec<f64>> = None;
        let mut read = |part: &Part| {
            let labels = labels.next().unwrap_or_default();
            if !is_exact {
                return arrays.read(part, labels);
            }
            let samples = arrays.read_exact(part, labels, origins.as_deref())?;
            origins = origins.take().or_else(|| samples.origins().map(<[f64]>::to_vec));
            Ok(samples)
        };
        let mut train = read(&parts.train)?;
        let validation = parts.validation.as_ref().map(&mut read).transpose()?;
        let test = match &parts.test {
            Some(test) => read(test)?,
            None => take_test(&mut train, self.test)?,
        };
        Ok(Parts { validation, ..Parts::new(train, test, classes) })
    }
}

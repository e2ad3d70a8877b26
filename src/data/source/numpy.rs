use std::path::Path;

use super::Source;
use crate::data::class_names::distinct;
use crate::data::memory::Memory;
use crate::data::numpy::{Arrays, REMEDY};
use crate::data::split::test_count;
use crate::data::{ClassNames, DataError, Details, Found, Looked, Parts, take_test};

crate::choice! {
    /// Which axis of arrays of images has the channels.
    pub enum ChannelAxis: "Channel axis" {
        First, "First", "[n, channels, height, width], as PyTorch has them";
        Last, "Last", "[n, height, width, channels], as Keras and NumPy's pictures have them";
    }
}

dataset! {
    /// Settings of arrays of the user's.
    Numpy: "NumPy arrays", in file "File", "Path of an archive .npz, or of a folder of .npy files, relative to the \
        experiment file", File, normalize None {
        test: f64 = 0.2, "Test", "Share of the samples that are kept for testing where there are no arrays x_test and \
            y_test, the same for all seeds", unit "%", range [0.001, 0.999];
        channels: ChannelAxis = ChannelAxis::First, "Channel axis", "Which axis of images has the channels";
        classes: Vec<String> = Vec::new(), "Classes", "Names of the classes, in the order of their labels; default: \
            their numbers";
    }
}

impl Numpy {
    fn is_channels_last(&self) -> bool {
        self.channels == ChannelAxis::Last
    }
}

impl Source for Numpy {
    fn look(&self, path: &Path, _: &Path) -> Result<Looked, DataError> {
        let mut arrays = Arrays::open(path, REMEDY)?;
        let (train, test) = arrays.parts(self.is_channels_last())?;
        let all: Vec<_> = [Some(&train), test.as_ref()].into_iter().flatten().collect();
        arrays.check_memory(&all, Memory(self.memory))?;
        let mut count = 2;
        for part in &all {
            let highest = arrays.labels(part)?.into_iter().max();
            count = count.max(highest.map_or(0, |label| label as usize + 1));
        }
        let content = arrays.content(&all)?;
        let name = |class: usize| self.classes.get(class).cloned().unwrap_or_else(|| class.to_string());
        let classes = distinct((0..count.max(self.classes.len())).map(name).collect());
        if !self.classes.is_empty() && self.classes.len() < count {
            let problem = format!("{} names for {count} classes; name them all, or none", self.classes.len());
            return Err(DataError::setting("classes", problem));
        }
        let tested = match &test {
            Some(test) => test.len,
            None => test_count(train.len, self.test)?,
        };
        let trained = if test.is_some() { train.len } else { train.len - tested };
        let shape = [train.shape.channels, train.shape.height, train.shape.width];
        let classes = ClassNames::from(classes);
        let found = Found { shape, classes, train: trained, test: tested, content, ..Found::default() };
        Ok(Looked { found, details: Details { files: arrays.files(&all), ..Details::default() } })
    }

    fn read(&self, path: &Path, base: &Path) -> Result<Parts, DataError> {
        let classes = self.look(path, base)?.found.classes.len();
        let mut arrays = Arrays::open(path, REMEDY)?;
        let (train, test) = arrays.parts(self.is_channels_last())?;
        let mut samples = arrays.read(&train, self.is_channels_last())?;
        let test = match test {
            Some(test) => arrays.read(&test, self.is_channels_last())?,
            None => take_test(&mut samples, self.test)?,
        };
        Ok(Parts::new(samples, test, classes))
    }
}

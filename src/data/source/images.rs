use std::path::{Path, PathBuf};

use super::Source;
use crate::data::images::{LabelMap, Picture, Pictures, Preparation, find, parts, read};
use crate::data::memory::GIB;
use crate::data::split::{test_count, test_indices};
use crate::data::{ClassNames, DataError, Details, Found, Looked, Parts, Shape};

crate::choice! {
    /// The channels of pictures.
    pub enum Colours: "Channels" {
        Rgb, "RGB", "Red, green and blue; grey pictures have three equal channels";
        Grey, "Grey", "One channel: 0.299 R + 0.587 G + 0.114 B";
    }
}

crate::choice! {
    /// What happens with pictures that cannot be decoded.
    pub enum Damaged: "Damaged pictures" {
        Refuse, "Refuse", "The run fails, and names the first one";
        Skip, "Leave out", "They are left out, and the run reports how many there are";
    }
}

dataset! {
    /// Settings of folders of pictures of the user's.
    Images: "Folders of images", in dir "Folder", "Folder with a folder of pictures for each class, or with train/ and \
        val/ or test/ that have those; relative to the experiment file", Folder, normalize None {
        resize: usize = 256, "Resize", "Length of the shorter side after resizing, bilinear with antialias", unit "pixels",
            range [1, 4096];
        crop: usize = 224, "Crop", "Side of the square that is cut out of the middle", unit "pixels", range [1, 4096];
        channels: Colours = Colours::Rgb, "Channels", "Whether samples have colours";
        test: f64 = 0.2, "Test", "Share of the pictures that are kept for testing where there are no folders val or test, \
            the same for all seeds", unit "%", range [0.001, 0.999];
        label_map: Option<String> = None, "Label map", "Text file with a folder, its class and a name to a line, such as \
            the synsets of ImageNet; default: folders by name", names File, unset "folders by name";
        damaged: Damaged = Damaged::Refuse, "Damaged pictures", "What happens with pictures that cannot be decoded";
    }
}

impl Images {
    const fn preparation(&self) -> Preparation {
        let is_grey = matches!(self.channels, Colours::Grey);
        Preparation { resize: self.resize, crop: self.crop, is_grey }
    }

    /// The pictures of the training and the test part, the names of classes, and what names the content.
    fn parts(
        &self,
        folder: &Path,
        base: &Path,
    ) -> Result<([Vec<Picture>; 2], Vec<String>, String), DataError> {
        let map = self.label_map.as_ref().map(|file| LabelMap::read(&base.join(file))).transpose()?;
        let Pictures { train, test, classes, content } = find(folder, map.as_ref())?;
        let parts = match test {
            Some(test) => [train, test],
            None => self.split(train)?,
        };
        Ok((parts, classes, content))
    }

    /// The files of the pictures, by their paths below the folder and their classes, and the label map.
    fn files(&self, parts: &[Vec<Picture>; 2], folder: &Path, base: &Path) -> Vec<(String, PathBuf)> {
        let file = |picture: &Picture| {
            let name = picture.path.strip_prefix(folder).unwrap_or(&picture.path).to_string_lossy();
            (format!("{} {}", picture.label, name.replace('\\', "/")), picture.path.clone())
        };
        let map = self.label_map.iter().map(|map| ("label map".to_owned(), base.join(map)));
        parts.iter().flatten().map(file).chain(map).collect()
    }

    /// What is left for training, and what is for testing.
    fn split(&self, all: Vec<Picture>) -> Result<[Vec<Picture>; 2], DataError> {
        let indices = test_indices(all.len(), test_count(all.len(), self.test)?);
        let mut indices = indices.into_iter().peekable();
        let (mut train, mut test) = (Vec::new(), Vec::new());
        for (index, picture) in (0..).zip(all) {
            if indices.next_if_eq(&index).is_some() { test.push(picture) } else { train.push(picture) }
        }
        Ok([train, test])
    }

    /// The pictures that are to be read: those that limits cut off need not be.
    fn limited<'a>(&self, parts: &'a [Vec<Picture>; 2]) -> [&'a [Picture]; 2] {
        let first =
            |part: &'a [Picture], limit: Option<usize>| &part[..limit.unwrap_or(part.len()).min(part.len())];
        [first(&parts[0], self.limit_train), first(&parts[1], self.limit_test)]
    }
}

impl Source for Images {
    fn look(&self, folder: &Path, base: &Path) -> Result<Looked, DataError> {
        let (parts, classes, content) = self.parts(folder, base)?;
        let files = self.files(&parts, folder, base);
        let [train, test] = parts.map(|part| part.len());
        let Shape { channels, height, width } = self.preparation().shape();
        let (shape, classes) = ([channels, height, width], ClassNames::from(classes));
        let found = Found { shape, classes, train, test, content, ..Found::default() };
        Ok(Looked { found, details: Details { files, ..Details::default() } })
    }

    fn read(&self, folder: &Path, base: &Path) -> Result<Parts, DataError> {
        let (parts, classes, _) = self.parts(folder, base)?;
        let (skips, mut left_out) = (self.damaged == Damaged::Skip, Vec::new());
        let memory = (self.memory * GIB) as u64;
        let parts = self.limited(&parts);
        let [train, test] = read(parts, folder, self.preparation(), memory, skips, &mut left_out)?;
        Ok(Parts { left_out, ..Parts::new(train, test, classes.len()) })
    }

    fn watched(&self, folder: &Path, base: &Path) -> Vec<PathBuf> {
        let map = self.label_map.as_ref().map(|file| base.join(file));
        let parts = parts(folder).into_iter().flatten();
        std::iter::once(folder.to_owned()).chain(parts).chain(map).collect()
    }

    fn forget_files(&mut self) {
        self.label_map = None; // what it says is part of what was found
    }

    fn problem(&self) -> Option<(&'static str, String)> {
        (self.crop > self.resize).then(|| {
            let message = format!(
                "a square of {} pixels cannot be cut out of pictures whose shorter side has {}; resize to more, or crop to less",
                self.crop, self.resize
            );
            ("crop", message)
        })
    }
}

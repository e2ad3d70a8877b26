use std::path::Path;

use super::Source;
use crate::data::images::{LabelMap, Picture, Pictures, Preparation, find, read};
use crate::data::memory::Memory;
use crate::data::split::{test_count, test_indices};
use crate::data::{ClassNames, DataError, Found, Parts};

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

    fn pictures(&self, folder: &Path, base: &Path) -> Result<Pictures, DataError> {
        let map = self.label_map.as_ref().map(|file| LabelMap::read(&base.join(file))).transpose()?;
        let pictures = find(folder, map.as_ref())?;
        let count = pictures.train.len() + pictures.test.as_ref().map_or(0, Vec::len);
        let Preparation { crop, .. } = self.preparation();
        Memory(self.memory).check(folder, count, self.preparation().channels() * crop * crop)?;
        Ok(pictures)
    }

    /// The training and the test part.
    fn split(&self, pictures: Pictures) -> Result<[Vec<Picture>; 2], DataError> {
        let Pictures { train, test, .. } = pictures;
        if let Some(test) = test {
            return Ok([train, test]);
        }
        let indices = test_indices(train.len(), test_count(train.len(), self.test)?);
        let mut indices = indices.into_iter().peekable();
        let (mut trained, mut tested) = (Vec::new(), Vec::new());
        for (index, picture) in (0..).zip(train) {
            if indices.next_if_eq(&index).is_some() { tested.push(picture) } else { trained.push(picture) }
        }
        Ok([trained, tested])
    }
}

impl Source for Images {
    fn look(&self, folder: &Path, base: &Path) -> Result<Found, DataError> {
        let pictures = self.pictures(folder, base)?;
        let (classes, content) = (ClassNames::from(pictures.classes.clone()), pictures.content.clone());
        let [train, test] = self.split(pictures)?.map(|part| part.len());
        let shape = [self.preparation().channels(), self.crop, self.crop];
        Ok(Found { shape, classes, train, test, content })
    }

    fn read(&self, folder: &Path, base: &Path) -> Result<Parts, DataError> {
        let pictures = self.pictures(folder, base)?;
        let classes = pictures.classes.len();
        let [train, test] = self.split(pictures)?;
        let (skips, mut left_out) = (self.damaged == Damaged::Skip, Vec::new());
        let [train, test] = [train, test].map(|part| read(&part, self.preparation(), skips, &mut left_out));
        Ok(Parts { left_out, ..Parts::new(train?, test?, classes) })
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

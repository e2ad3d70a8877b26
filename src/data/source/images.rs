use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::error::GIB;
use crate::images::{
    LabelMap, Picture, Pictures, Preparation, Splits, check_stand_ins, decode, find, labels, read,
};
use crate::prepare::{parted, stratified_test};
use crate::source::Source;
use crate::{ClassNames, DataError, Details, Found, Looked, Parts, Shape};
use form::number::share_in_percent;

form::choice! {
    /// The channels of pictures.
    pub enum Colours: "Channels" {
        Rgb, "RGB", "Red, green and blue; grey pictures have three equal channels";
        Grey, "Grey", "One channel: 0.299 R + 0.587 G + 0.114 B";
    }
}

form::choice! {
    /// The treatment of pictures that cannot be decoded.
    pub enum Damaged: "Damaged pictures" {
        Refuse, "Refuse", "The run fails, and names the first one";
        Skip, "Leave out", "They are left out, and the run reports how many there are";
    }
}

dataset! {
    Images: "Folders of images", in dir "Folder", "Folder with a folder of pictures for each class, or with train/, \
        test/ and perhaps valid/ that have those; relative to the experiment file", Folder, normalize None {
        resize: usize = 256, "Resize", "Length of the shorter side after resizing, bilinear with antialias", unit "pixels",
            range [1, 4096];
        crop: usize = 224, "Crop", "Side of the square that is cut out of the middle", unit "pixels", range [1, 4096];
        channels: Colours = Colours::Rgb, "Channels", "Whether samples have colours";
        test: f64 = 0.2, "Test", "Share of the pictures of each class that are kept for testing where there is no folder for it, \
            the same for all seeds", unit "%", range [0.001, 0.999];
        label_map: Option<String> = None, "Label map", "Text file with a folder, its class and a name to a line, such as \
            the synsets of ImageNet; default: folders by name", names File, unset "folders by name";
        damaged: Damaged = Damaged::Refuse, "Damaged pictures", "What happens with pictures that cannot be decoded";
    }
}

/// The pictures that settings are suggested by.
const FIRST: usize = 8;

impl Images {
    /// Returns the settings that suit pictures like these: small ones keep the size that they have. None without pictures.
    pub(crate) fn of(pictures: &[PathBuf]) -> Option<Self> {
        let sides = pictures.iter().take(FIRST).filter_map(|path| decode(path).ok());
        let side = sides.map(|picture| picture.width().min(picture.height()) as usize).min();
        let usual = Self::default();
        let small = side.filter(|side| *side < usual.crop);
        let settings =
            small.map_or_else(|| usual.clone(), |side| Self { resize: side, crop: side, ..usual.clone() });
        (!pictures.is_empty()).then_some(settings)
    }

    const fn preparation(&self) -> Preparation {
        let is_grey = matches!(self.channels, Colours::Grey);
        Preparation { resize: self.resize, crop: self.crop, is_grey }
    }

    /// Returns the pictures of all parts: where the files have no test part, one is taken out.
    fn pictures(&self, folder: &Path, base: &Path) -> Result<Pictures, DataError> {
        let map = self.label_map.as_ref().map(|file| LabelMap::read(&base.join(file))).transpose()?;
        let mut all = find(folder, map.as_ref())?;
        if all.test.is_none() {
            let indices = stratified_test(&labels(&all.train), self.test)?;
            let [train, test] = parted(all.train, &indices);
            (all.train, all.test) = (train, Some(test));
            all.split = format!(
                "{} of the pictures of each class, the same for all seeds",
                share_in_percent(self.test)
            );
        }
        Ok(all)
    }

    /// Returns the files of the pictures, by their paths below the folder and their classes, and the label map.
    fn files(&self, parts: &[Vec<Picture>; 3], folder: &Path, base: &Path) -> Vec<(String, PathBuf)> {
        let file = |picture: &Picture| {
            let name = picture.path.strip_prefix(folder).unwrap_or(&picture.path).to_string_lossy();
            (format!("{} {}", picture.label, name.replace('\\', "/")), picture.path.clone())
        };
        let map = self.label_map.iter().map(|map| ("label map".to_owned(), base.join(map)));
        parts.iter().flatten().map(file).chain(map).collect()
    }
}

/// Returns the pictures that are to be read: those that a limit cuts off need not be.
fn limited(part: &[Picture], limit: Option<usize>) -> &[Picture] {
    &part[..limit.unwrap_or(part.len()).min(part.len())]
}

/// Refuses a class of which no training picture could be read.
fn check_classes(train: &[Picture], read: &[u32], left_out: &[String]) -> Result<(), DataError> {
    let read: BTreeSet<_> = read.iter().collect();
    let Some(lost) = train.iter().find(|picture| !read.contains(&picture.label)) else { return Ok(()) };
    let folder = lost.path.parent().unwrap_or(&lost.path);
    let is_lost = |line: &&String| line.starts_with(&*lost.path.to_string_lossy());
    let first = left_out.iter().find(is_lost).map_or("", String::as_str);
    let found = format!("damaged ones only: {first}");
    let remedy = "Get the files again, or remove the folder of the class";
    Err(DataError::wrong(folder, "a picture of its class that can be read", found, remedy))
}

impl Source for Images {
    fn look(&self, folder: &Path, base: &Path) -> Result<Looked, DataError> {
        let Pictures { train, validation, test, classes, split, left_out, notes } =
            self.pictures(folder, base)?;
        let parts = [train, validation.unwrap_or_default(), test.unwrap_or_default()];
        if self.damaged == Damaged::Refuse {
            parts.iter().try_for_each(|part| check_stand_ins(part))?;
        }
        let [train, validation, test] = parts.each_ref().map(Vec::len);
        let Shape { channels, height, width } = self.preparation().shape();
        let (shape, classes) = ([channels, height, width], ClassNames::from(classes));
        let found = Found { shape, classes, train, validation, test, ..Found::default() };
        let files = self.files(&parts, folder, base);
        let labels = parts.each_ref().map(|part| labels(part));
        let details = Details { files, labels, split, left_out, notes, ..Details::default() };
        Ok(Looked { found, details })
    }

    fn read(&self, folder: &Path, base: &Path) -> Result<Parts, DataError> {
        let Pictures { train, validation, test, classes, .. } = self.pictures(folder, base)?;
        let (skips, mut left_out) = (self.damaged == Damaged::Skip, Vec::new());
        let memory = (self.memory * GIB) as u64;
        let (train, test) = (limited(&train, self.limit_train), test.unwrap_or_default());
        let parts = [train, validation.as_deref().unwrap_or_default(), limited(&test, self.limit_test)];
        let [read_train, read_validation, test] =
            read(parts, folder, self.preparation(), memory, skips, &mut left_out)?;
        check_classes(train, &read_train.labels, &left_out)?;
        let validation = validation.map(|_| read_validation);
        Ok(Parts { validation, left_out, ..Parts::new(read_train, test, classes.len()) })
    }

    fn watched(&self, folder: &Path, base: &Path) -> Vec<PathBuf> {
        let map = self.label_map.as_ref().map(|file| base.join(file));
        let parts = Splits::find(folder).unwrap_or_default().parts.into_iter().flatten();
        std::iter::once(folder.to_owned()).chain(parts).chain(map).collect()
    }

    fn is_stratified(&self) -> bool {
        true
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

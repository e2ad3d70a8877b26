//! Which arrays are the parts of a set, by their names and shapes.

use super::header::{Header, Wrong, wrong};
use super::{Arrays, DataError, Shape};

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

/// A part of a set before it is read.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// Of its samples and labels.
    pub names: Names,
    pub(super) headers: [Header; 2],
    /// Shape of one sample.
    pub shape: Shape,
    pub len: usize,
}

impl Part {
    /// Whether single precision may round its samples.
    pub const fn is_wide(&self) -> bool {
        self.headers[0].is_wide()
    }
}

/// The parts of a set.
#[derive(Clone, Debug)]
pub(crate) struct SetParts {
    /// The whole set, where there is no test part.
    pub train: Part,
    pub validation: Option<Part>,
    pub test: Option<Part>,
    /// Arrays that are of no part.
    pub unused: Vec<String>,
}

impl SetParts {
    /// Those that are there: training, validation, test.
    pub fn all(&self) -> Vec<&Part> {
        [Some(&self.train), self.validation.as_ref(), self.test.as_ref()].into_iter().flatten().collect()
    }
}

impl Arrays {
    /// Finds the training part, or one that is to be split, and perhaps a validation and a test part.
    ///
    /// # Errors
    /// Arrays that are missing or do not go together.
    pub fn parts(&mut self, is_channels_last: bool) -> Result<SetParts, DataError> {
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
        for (is_missing, words) in
            [(validation.is_none(), &LIKE_VALIDATION[..]), (test.is_none(), &LIKE_TEST)]
        {
            if let Some(name) = unused.iter().find(|name| is_missing && is_like(name, words)) {
                return Err(self.unknown("names of arrays that are known", name.clone()));
            }
        }
        let train = self.part(train, is_channels_last)?;
        let mut other = |names: Option<Names>| -> Result<Option<Part>, DataError> {
            let Some(names) = names else { return Ok(None) };
            let part = self.part(names, is_channels_last)?;
            self.check_alike(&train, &part)?;
            Ok(Some(part))
        };
        let (validation, test) = (other(validation)?, other(test)?);
        Ok(SetParts { train, validation, test, unused })
    }

    /// Arrays by other names than those that are known.
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

    /// The first pair of arrays that is there.
    fn find(&self, words: &[&str]) -> Option<Names> {
        names(words).into_iter().find(|names| names.iter().all(|name| self.has(name)))
    }

    /// The first array that is there without its other half, and the name of that one.
    fn half(&self, words: &[&str]) -> Option<Names> {
        let half = |[samples, labels]: Names| match [&samples, &labels].map(|name| self.has(name)) {
            [true, false] => Some([samples, labels]),
            [false, true] => Some([labels, samples]),
            [true, true] | [false, false] => None,
        };
        names(words).into_iter().find_map(half)
    }

    fn part(&mut self, names: Names, is_channels_last: bool) -> Result<Part, DataError> {
        let headers = [self.header(&names[0])?, self.header(&names[1])?];
        let [samples, labels] = [0, 1].map(|index| headers[index].shape.as_slice());
        let shape = match samples {
            [_, features] => Some(Shape::new(*features, 1, 1)),
            [_, height, width] => Some(Shape::new(1, *height, *width)),
            [_, height, width, channels] if is_channels_last => Some(Shape::new(*channels, *height, *width)),
            [_, channels, height, width] => Some(Shape::new(*channels, *height, *width)),
            _ => None,
        };
        let in_array = |name: &str, error: Wrong| self.wrong(name, error);
        let len = labels.first().copied().unwrap_or(0);
        let Some(shape) = shape.filter(|shape| shape.len() > 0) else {
            let found = format!("the shape {samples:?}");
            return Err(in_array(
                &names[0],
                wrong("[n, features], [n, height, width] or [n, channels, height, width]", found),
            ));
        };
        if samples[0] != len || len == 0 {
            let found = format!("{} samples and {len} labels", samples[0]);
            return Err(in_array(&names[0], wrong("one sample for each label", found)));
        }
        self.check_channels(&names[0], samples, is_channels_last)?;
        Ok(Part { names, headers, shape, len })
    }

    /// That the axes do not say that the channels are at the other end: 1, 3 or 4 of them and an area at the rest.
    fn check_channels(&self, name: &str, shape: &[usize], is_channels_last: bool) -> Result<(), DataError> {
        let [_, a, b, c] = shape else { return Ok(()) };
        let is_image = |channels: &usize, height: &usize, width: &usize| {
            matches!(channels, 1 | 3 | 4) && *height > 1 && *width > 1
        };
        let (there, channels, setting) = match [is_image(a, b, c), is_image(c, a, b)] {
            [true, false] if is_channels_last => ("second", c, "First"),
            [false, true] if !is_channels_last => ("last", a, "Last"),
            _ => return Ok(()),
        };
        let problem = format!(
            "{name} of {} has the shape {shape:?}: pictures with the channels in the {there} axis; write channels: {setting}, \
             or exchange height and width if there really are {channels} channels",
            self.path.display()
        );
        Err(DataError::setting("channels", problem))
    }

    /// That a part goes with the training part.
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

/// Whether the name of an array has one of these words, perhaps behind an x or y.
fn is_like(name: &str, words: &[&str]) -> bool {
    let name = name.to_lowercase();
    let mut parts = name.split(|sign: char| !sign.is_alphanumeric());
    parts.any(|part| words.contains(&part) || words.contains(&part.trim_start_matches(['x', 'y'])))
}

//! The description of a dataset, for people and for programs. Sources supply facts; all output about data comes from here.

#[cfg(test)]
mod tests;

use serde::Serialize;

use crate::{
    ClassNames, Columns, Data, Dataset, Details, LeftOut, Looks, Normalize, Options, Parts, Samples, Shape,
    prepare,
};
use form::number::{counted, first_of, grouped};

/// Names in a line; the others are counted.
const FIRST: usize = 10;
/// Digits of a digest in a line.
const DIGITS: usize = 16;

/// The content of a dataset as its settings make it: after limits and with the validation part taken out.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Inventory {
    /// As people call the data: "Digits (built in)".
    pub name: String,
    /// The file or folder that the settings name; empty without one.
    pub path: String,
    pub classes: ClassNames,
    pub train: Part,
    pub validation: Part,
    pub test: Part,
    pub split: String,
    /// Channels, height and width of a sample as networks see it; features are channels.
    pub shape: [usize; 3],
    pub original_shape: [usize; 3],
    pub columns: Option<Columns>,
    pub left_out: Vec<LeftOut>,
    /// Samples that could not be read, by path and reason: known only once they were read.
    pub unreadable: Vec<String>,
    /// Training samples that there are, and that the set has, where files are missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shortage: Option<(usize, usize)>,
    /// Assumptions, oddities, classes without samples: whole sentences, with the remedy.
    pub notes: Vec<String>,
    pub digest: ContentDigest,
}

/// The names of the content of a dataset, in hexadecimal; each empty while it is not known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ContentDigest {
    /// Begins the SHA-256 of the files of a user's data.
    pub files: String,
    /// The SHA-256 of the samples as a run sees them: [`Dataset::digest`].
    pub samples: String,
}

/// A part of a dataset.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Part {
    pub samples: usize,
    /// Samples of each class, `[classes]`; empty while the samples were not looked at.
    pub by_class: Vec<usize>,
}

impl Part {
    fn count(labels: &[u32], classes: usize) -> Self {
        let mut by_class = vec![0; classes];
        for label in labels {
            if let Some(count) = by_class.get_mut(*label as usize) {
                *count += 1;
            }
        }
        Self { samples: labels.len(), by_class }
    }

    fn has_none(&self, class: usize) -> bool {
        self.by_class.get(class) == Some(&0)
    }
}

impl Inventory {
    /// Describes what is known of data before they are read, `details` from a look at their files; `side` as for
    /// [`Data::facts`]. None before the data of a user were looked at.
    pub fn new(data: &Data, side: Option<usize>, details: &Details) -> Option<Self> {
        let facts = data.facts(side)?;
        let sizes = [facts.train_samples, facts.validation_samples, facts.test_samples];
        let parts = match used_labels(&details.labels, data) {
            Some(labels) => labels.map(|labels| Part::count(&labels, facts.classes)),
            None => sizes.map(|samples| Part { samples, by_class: Vec::new() }),
        };
        Some(Self::with_parts(data, facts.shape, parts, details))
    }

    /// Describes data that were read.
    pub fn from_read(data: &Data, read: &Dataset) -> Self {
        let part = |part: &Samples| Part::count(&part.labels, read.classes);
        let parts = [&read.train, &read.validation, &read.test].map(part);
        Self {
            unreadable: read.left_out.clone(),
            shortage: data.shortage(read),
            ..Self::with_parts(data, read.shape(), parts, &read.details)
        }
    }

    fn with_parts(
        data: &Data,
        shape: Shape,
        [train, validation, test]: [Part; 3],
        details: &Details,
    ) -> Self {
        let options = data.rule().options();
        let found = data.contents().unwrap_or_default();
        let path = data.user_path().or_else(|| data.files()?.1.as_deref());
        let path = path.unwrap_or_default();
        let classes = data.class_names();
        let mut notes = details.notes.clone();
        notes.extend(notes_on_classes(&classes, [&train, &validation, &test], &options));
        let split = if details.split.is_empty() { data.rule().split() } else { &details.split };
        let below = |file: &LeftOut| {
            let folder = file.first.ancestors().filter(|folder| folder.ends_with(path)).last();
            let first = folder.and_then(|folder| file.first.strip_prefix(folder).ok());
            LeftOut { first: first.unwrap_or(&file.first).to_owned(), ..file.clone() }
        };
        Self {
            name: data.label().to_owned(),
            path: path.to_owned(),
            classes,
            split: split_in_words(split, [found.train, found.test], &options),
            shape: [shape.channels, shape.height, shape.width],
            original_shape: found.shape,
            columns: details.columns.clone(),
            left_out: details.left_out.iter().map(below).collect(),
            unreadable: Vec::new(),
            shortage: None,
            notes,
            digest: ContentDigest { files: found.content, samples: String::new() },
            train,
            validation,
            test,
        }
    }

    /// Names the data: "Table (CSV), wine.csv".
    pub fn title(&self) -> String {
        if self.path.is_empty() { self.name.clone() } else { format!("{}, {}", self.name, self.path) }
    }

    /// Describes the data in a line: "Digits (built in): 1,437 for training, 0 for validation, 360 for testing; 10 classes".
    pub fn summary(&self) -> String {
        let classes = match self.classes.len() {
            1 => "1 class".to_owned(),
            count => format!("{} classes", grouped(count as u64)),
        };
        let left_out: usize = self.left_out.iter().map(|files| files.count).sum();
        let files = counted(left_out, "file");
        let left_out = if left_out > 0 { format!("; {files} left out") } else { String::new() };
        format!("{}: {}; {classes}{left_out}", self.title(), self.sizes())
    }

    /// Gives the sizes: "1,437 for training, 0 for validation, 360 for testing".
    pub fn sizes(&self) -> String {
        let [train, validation, test] =
            [&self.train, &self.validation, &self.test].map(|part| grouped(part.samples as u64));
        format!("{train} for training, {validation} for validation, {test} for testing")
    }

    /// Gives everything in lines for people, each with its label. Of long lists, `all` gives every name instead of the first
    /// ones and the number of the others.
    pub fn lines(&self, all: bool) -> Vec<(&'static str, String)> {
        let most = if all { usize::MAX } else { FIRST };
        let first = |names: &mut dyn Iterator<Item = String>| first_of(names, most, ", ");
        let mut lines = Vec::new();
        let mut names = self.classes.iter().map(str::to_owned);
        lines.push(("classes", format!("{}: {}", grouped(self.classes.len() as u64), first(&mut names))));
        lines.push(("samples", self.sizes()));
        lines.extend(self.in_each_class().map(|each| ("in each class", each)));
        lines.extend((!self.split.is_empty()).then(|| ("split", self.split.clone())));
        lines.push(("one sample", self.sample()));
        if let Some(columns) = &self.columns {
            let mut add = |label, names: &mut dyn ExactSizeIterator<Item = String>| {
                let count = counted(names.len(), "column");
                lines.extend((names.len() > 0).then(|| (label, format!("{count}: {}", first(names)))));
            };
            add("numbers", &mut columns.numbers.iter().cloned());
            add("words", &mut columns.words.iter().map(words));
            add("no features", &mut columns.left_out.iter().cloned());
        }
        lines.extend(self.left_out.iter().map(|files| ("left out", files.in_words())));
        if let Some(first) = self.unreadable.first() {
            let count = counted(self.unreadable.len(), "sample");
            lines.push(("unreadable", format!("{count}; the first: {first}")));
        }
        lines.extend(self.shortage.map(|(there, whole)| {
            let [there, whole] = [there, whole].map(|count| grouped(count as u64));
            (NOTE, format!("{there} of {whole} training images are there: files of the set are missing"))
        }));
        lines.extend(self.notes.iter().map(|note| (NOTE, note.clone())));
        let ContentDigest { files, samples } = &self.digest;
        for (label, digest) in [("files' SHA-256", files), (SAMPLES_DIGEST, samples)] {
            lines.extend(
                (!digest.is_empty()).then(|| (label, digest.chars().take(DIGITS).chain(['…']).collect())),
            );
        }
        lines
    }

    /// Gives in whole sentences what a paper says beside the sizes; each begins with a space.
    pub fn sentences(&self) -> String {
        let mut text = String::new();
        let mut say = |sentence: String| text = format!("{text} {sentence}.");
        let classes = first_of(self.classes.iter(), FIRST, ", ");
        say(format!("A sample has {}; the classes are {classes}", self.sample()));
        let without = self.without_samples();
        if !without.is_empty() {
            say(format!("Classes without samples: {without}"));
        }
        if let Some(Columns { numbers, words, left_out }) = &self.columns {
            let values: usize = words.iter().map(|(_, count)| count).sum();
            let mut from = Vec::new();
            from.extend((!numbers.is_empty()).then(|| counted(numbers.len(), "column") + " of numbers"));
            from.extend((!words.is_empty()).then(|| {
                let (columns, values) = (counted(words.len(), "column"), counted(values, "different word"));
                format!("{columns} of words with {values}, a feature for each")
            }));
            say(format!("Its features come from {}", from.join(" and ")));
            let verb = if left_out.len() == 1 { "was" } else { "were" };
            if !left_out.is_empty() {
                let columns = counted(left_out.len(), "column");
                say(format!("{columns} {verb} left out ({})", left_out.join(", ")));
            }
        }
        let files: usize = self.left_out.iter().map(|files| files.count).sum();
        if files > 0 {
            let verb = if files == 1 { "was" } else { "were" };
            let of_each: Vec<String> = self.left_out.iter().map(LeftOut::count_and_reason).collect();
            say(format!("{} {verb} left out ({})", counted(files, "file"), of_each.join("; ")));
        }
        if !self.digest.files.is_empty() {
            say(format!("The digest of the files is {}", self.digest.files));
        }
        text
    }

    /// Describes a sample: "8×8 pixels, 1 channel", or "4 features".
    fn sample(&self) -> String {
        let [channels, height, width] = self.shape;
        if !Shape::new(channels, height, width).is_image() {
            return counted(channels, "feature");
        }
        let [_, before, beside] = self.original_shape;
        let is_resized = [before, beside] != [height, width] && before * beside > 0;
        let resized = if is_resized { format!(", resized from {before}×{beside}") } else { String::new() };
        let order = if height == width { "" } else { " (height × width)" };
        format!("{height}×{width} pixels{order}, {}{resized}", counted(channels, "channel"))
    }

    /// Names the classes without samples of each part: "cow, dog in the test part".
    fn without_samples(&self) -> String {
        let of = |(part, name): (&Part, &str)| {
            let without = self.classes.iter().enumerate().filter(|(class, _)| part.has_none(*class));
            let without = first_of(without.map(|(_, name)| name), FIRST, ", ");
            (part.samples > 0 && !without.is_empty()).then(|| format!("{without} in the {name} part"))
        };
        let parts = [(&self.train, "training"), (&self.validation, "validation"), (&self.test, "test")];
        parts.into_iter().filter_map(of).collect::<Vec<_>>().join("; ")
    }

    /// Gives the sizes of classes: "134 to 151 for training, 27 to 47 for testing".
    fn in_each_class(&self) -> Option<String> {
        let range = |part: &Part, of: &str| {
            let (least, most) = (part.by_class.iter().min()?, part.by_class.iter().max()?);
            let [from, to] = [least, most].map(|count| grouped(*count as u64));
            let range = if least == most { from } else { format!("{from} to {to}") };
            (part.samples > 0).then(|| format!("{range} for {of}"))
        };
        let parts = [(&self.train, "training"), (&self.validation, "validation"), (&self.test, "testing")];
        let ranges: Vec<String> = parts.into_iter().filter_map(|(part, of)| range(part, of)).collect();
        (!ranges.is_empty()).then(|| ranges.join(", "))
    }
}

/// The label of lines with what is worth knowing.
pub const NOTE: &str = "note";
/// The label of the line with the first digits of [`ContentDigest::samples`].
pub const SAMPLES_DIGEST: &str = "samples' SHA-256";

impl Looks {
    /// Describes what is known of the content of these data before they are read; `side` as for [`Data::facts`].
    pub fn inventory(&self, data: &Data, side: Option<usize>) -> Option<Inventory> {
        let details = self.of(data).map(|look| look.details.clone()).unwrap_or_default();
        Inventory::new(data, side, &details)
    }
}

impl LeftOut {
    /// Describes it: "3 .txt files: no format that this program reads; the first: cat/notes.txt".
    fn in_words(&self) -> String {
        format!("{}; the first: {}", self.count_and_reason(), self.first.display())
    }

    fn count_and_reason(&self) -> String {
        let Self { reason, ending, count, .. } = self;
        let space = if ending.is_empty() { "" } else { " " };
        format!("{}: {reason}", counted(*count, &format!("{ending}{space}file")))
    }
}

/// Describes a column of words: "colour (3 different)".
fn words((name, count): &(String, usize)) -> String {
    format!("{name} ({} different)", grouped(*count as u64))
}

/// Returns the labels of the parts as settings make them, by what prepares samples; none where the sources give no labels,
/// or where nothing would be left to train on.
fn used_labels(labels: &[Vec<u32>; 3], data: &Data) -> Option<[Vec<u32>; 3]> {
    if labels.iter().all(Vec::is_empty) {
        return None;
    }
    // Samples without values: only their labels are asked for.
    let [train, validation, test] =
        labels.each_ref().map(|labels| Samples::new(Shape::new(0, 1, 1), Vec::new(), labels.clone()));
    let validation = Some(validation).filter(|part| !part.is_empty());
    let parts = Parts { validation, ..Parts::new(train, test, 0) };
    let options = Options { image_size: None, normalize: Normalize::None, ..data.rule().options() };
    let used = prepare(parts, &options).ok()?;
    Some([used.train, used.validation, used.test].map(|part| part.labels))
}

/// Says where parts come from: what a source says, and what the settings make of it.
fn split_in_words(of_files: &str, [train, test]: [usize; 2], options: &Options) -> String {
    let limited = |limit: Option<usize>, of: usize, part: &str| {
        let limit = limit.filter(|limit| *limit < of)?;
        let [limit, of] = [limit, of].map(|count| grouped(count as u64));
        Some(format!("the first {limit} of {of} {part} samples"))
    };
    let held_out = (options.validation > 0).then(|| {
        let count = grouped(options.validation as u64);
        format!("{count} of the training samples held out for validation, the same for all seeds")
    });
    let of_files = Some(of_files.to_owned()).filter(|text| !text.is_empty());
    let limits = [
        limited(options.limit_train, train, "training"),
        held_out,
        limited(options.limit_test, test, "test"),
    ];
    let parts: Vec<String> = of_files.into_iter().chain(limits.into_iter().flatten()).collect();
    parts.join("; ")
}

/// Notes classes without samples in one of the parts, or in all of them, with what to do about them.
fn notes_on_classes(names: &ClassNames, parts: [&Part; 3], options: &Options) -> Vec<String> {
    let [train, validation, test] = parts;
    let is_absent = |class: &usize| parts.iter().all(|part| part.has_none(*class));
    let name = |class: usize| names.name_of(u32::try_from(class).ok());
    let tell = |classes: &mut dyn Iterator<Item = usize>, text: &dyn Fn(bool, &str) -> String| {
        let all: Vec<String> = classes.map(name).collect();
        let noun = if all.len() == 1 { "class" } else { "classes" };
        let verb = if all.len() == 1 { "has no sample" } else { "have no samples" };
        let who = match all.as_slice() {
            [first @ .., last] if !first.is_empty() && all.len() <= FIRST => {
                format!("{} and {last}", first.join(", "))
            }
            all => first_of(all, FIRST, ", "),
        };
        (!all.is_empty()).then(|| text(all.len() == 1, &format!("{noun} {who} {verb}")))
    };
    let count = 0..names.len();
    let limited = options.limit_train.or(options.limit_test).is_some();
    let absent = tell(&mut count.clone().filter(is_absent), &|is_one, who| {
        let them = if is_one { "it" } else { "each of them" };
        let remedy = if limited {
            "raise the limits of samples"
        } else {
            "number labels from 0 without gaps, or name only classes that there are"
        };
        format!("{who} in any part, and the network has an output for {them}; {remedy}")
    });
    let missing = |part: &Part, limit: Option<usize>, [place, effect, key]: [&str; 3]| {
        let mut classes = count.clone().filter(|class| part.has_none(*class) && !is_absent(class));
        tell(&mut classes, &|is_one, who| {
            let them = if is_one { "it" } else { "them" };
            let remedy = match limit {
                Some(_) => format!("raise {key}"),
                None => format!("add samples of {them}, or split the data in another way"),
            };
            format!("{who} in the {place} part, so that no {effect} {them}; {remedy}")
        })
    };
    let in_train = missing(train, options.limit_train, ["training", "network learns", "limit_train"]);
    let (held_out, words) =
        (options.validation, ["validation", "validation accuracy tells of", "validation"]);
    let held_out = Some(held_out).filter(|count| *count > 0);
    let in_validation = if validation.samples > 0 { missing(validation, held_out, words) } else { None };
    let in_test = missing(test, options.limit_test, ["test", "accuracy tells of", "limit_test"]);
    [absent, in_train, in_validation, in_test].into_iter().flatten().collect()
}

//! What the form calls settings and their values.

use std::collections::BTreeMap;

/// The labels of settings, by their paths, and those of chosen alternatives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels {
    settings: BTreeMap<String, Label>,
    /// By path, then by the value as it is in the file.
    values: BTreeMap<String, BTreeMap<String, String>>,
    /// All of what is called by a few words, by the value as it is in the file.
    details: BTreeMap<String, String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Label {
    text: &'static str,
    /// Its unit; empty for none.
    unit: &'static str,
    /// The group that it belongs to, or its stage, counted from 1.
    of: String,
}

impl Labels {
    /// Notes what the setting at a path is called, and which part of the form it belongs to.
    pub(super) fn name(&mut self, path: &str, [text, unit]: [&'static str; 2], of: &str) {
        if !self.settings.contains_key(path) {
            self.settings.insert(path.to_owned(), Label { text, unit, of: of.to_owned() });
        }
    }

    /// Notes what a value is called.
    pub(super) fn name_value(&mut self, path: &str, value: &str, text: String) {
        match self.values.get_mut(path) {
            Some(known) if known.contains_key(value) => {}
            Some(known) => drop(known.insert(value.to_owned(), text)),
            None => drop(self.values.insert(path.to_owned(), [(value.to_owned(), text)].into())),
        }
    }

    /// Notes a few words for a long value, and all of it.
    pub(super) fn shorten(&mut self, path: &str, value: &str, [text, details]: [String; 2]) {
        self.values.entry(path.to_owned()).or_default().insert(value.to_owned(), text);
        self.details.insert(value.to_owned(), details);
    }

    /// All of a value that is called by a few words; nothing for others.
    pub fn details(&self, value: &str) -> Option<&str> {
        self.details.get(value).map(String::as_str)
    }

    /// What the form calls a setting, with the part of the form before it where another setting has the same label:
    /// "Learning rate", "Stage 2, Learning rate". The last step of the path where it is not known.
    pub fn title(&self, path: &str) -> String {
        let Some(label) = self.settings.get(path) else {
            let last = path.rsplit('.').next().unwrap_or(path).replace('_', " ");
            return doc::capitalised(&last);
        };
        let in_plan = path.starts_with("plan.");
        let is_other = |(other, known): (&String, &Label)| {
            other != path && known.text == label.text && !other.starts_with("plan.")
        };
        if label.of.is_empty() || !in_plan && !self.settings.iter().any(is_other) {
            return label.text.to_owned();
        }
        format!("{}, {}", label.of, label.text)
    }

    /// The unit of a setting; empty for none.
    pub fn unit(&self, path: &str) -> &'static str {
        self.settings.get(path).map_or("", |label| label.unit)
    }

    /// What the form calls the value of a setting.
    pub fn value<'a>(&'a self, path: &str, value: &'a str) -> &'a str {
        self.values.get(path).and_then(|known| known.get(value)).map_or(value, String::as_str)
    }
}

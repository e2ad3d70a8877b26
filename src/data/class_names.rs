//! Names of classes, in the order of their labels.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What stands for a class where none was predicted.
pub const NOTHING: &str = "none";

/// Names of classes; copies share them.
#[derive(Clone, Debug)]
pub struct ClassNames(Names);

#[derive(Clone, Debug)]
enum Names {
    /// Of a known dataset.
    Known(&'static [&'static str]),
    /// Read from files.
    Read(Arc<[String]>),
}

impl ClassNames {
    /// Names that the program knows.
    pub const fn known(names: &'static [&'static str]) -> Self {
        Self(Names::Known(names))
    }

    /// How many classes there are.
    pub fn len(&self) -> usize {
        match &self.0 {
            Names::Known(names) => names.len(),
            Names::Read(names) => names.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The name of a class.
    pub fn get(&self, class: usize) -> Option<&str> {
        match &self.0 {
            Names::Known(names) => names.get(class).copied(),
            Names::Read(names) => names.get(class).map(String::as_str),
        }
    }

    /// What a predicted class is called: by its name, by its number where the data have no such class, "none" where nothing
    /// was predicted because logits are not finite.
    pub fn name_of(&self, class: Option<u32>) -> String {
        let Some(class) = class else { return NOTHING.to_owned() };
        self.get(class as usize).map_or_else(|| class.to_string(), str::to_owned)
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).filter_map(|class| self.get(class))
    }
}

/// Names that differ, as they must in legends: one that an earlier class has already gets its label. ImageNet has two cranes.
pub(super) fn distinct(mut names: Vec<String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    for (label, name) in names.iter_mut().enumerate() {
        while !seen.insert(name.clone()) {
            *name = format!("{name} ({label})");
        }
    }
    names
}

impl Default for ClassNames {
    fn default() -> Self {
        Self::known(&[])
    }
}

impl PartialEq for ClassNames {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl From<Vec<String>> for ClassNames {
    fn from(names: Vec<String>) -> Self {
        Self(Names::Read(names.into()))
    }
}

impl Serialize for ClassNames {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for ClassNames {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::<String>::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_without_a_name_is_its_number_and_no_class_is_none() {
        let names = ClassNames::known(&["cat", "dog"]);
        assert_eq!([Some(1), Some(217), None].map(|class| names.name_of(class)), ["dog", "217", "none"]);
    }

    #[test]
    fn equal_names_get_their_label() {
        assert_eq!(distinct(["a", "a (2)", "a"].map(str::to_owned).to_vec()), ["a", "a (2)", "a (2) (2)"]);
    }
}

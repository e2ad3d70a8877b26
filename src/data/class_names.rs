//! Names of classes, in the order of their labels.

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

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

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).filter_map(|class| self.get(class))
    }
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

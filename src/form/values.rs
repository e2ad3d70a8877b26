//! The leaf types of forms: numbers, text, lists, lengths of training, overrides.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::path::{Place, walk};
use super::{Integer, List, Node, Optional, Value, ron_text, text};

impl Value for bool {
    fn node(&mut self) -> Node<'_> {
        Node::Switch(self)
    }
}

impl Value for f64 {
    fn node(&mut self) -> Node<'_> {
        Node::Number(self)
    }
}

impl Value for String {
    fn node(&mut self) -> Node<'_> {
        Node::Text(self)
    }
}

macro_rules! integer {
    ($($type:ty),*) => { $(
        impl Integer for $type {
            #[allow(clippy::cast_lossless, reason = "one text serves all widths")]
            fn get(&self) -> u64 { *self as u64 }
            fn set(&mut self, value: u64) { *self = <$type>::try_from(value).unwrap_or(<$type>::MAX); }
        }
        impl Value for $type {
            fn node(&mut self) -> Node<'_> { Node::Integer(self) }
        }
    )* };
}
integer!(u32, u64, usize);

impl<T: Value + Default + Clone + Serialize + de::DeserializeOwned + 'static> Value for Vec<T> {
    fn node(&mut self) -> Node<'_> {
        Node::List(self)
    }
}

impl<T: Value + Default + Clone + 'static> List for Vec<T> {
    fn count(&self) -> usize {
        self.len()
    }
    fn item(&mut self, index: usize) -> &mut dyn Value {
        &mut self[index]
    }
    fn insert_default(&mut self, index: usize) {
        self.insert(index, T::default());
    }
    fn duplicate(&mut self, index: usize) {
        let copy = self[index].clone();
        self.insert(index + 1, copy);
    }
    fn remove(&mut self, index: usize) {
        Vec::remove(self, index);
    }
    fn swap(&mut self, a: usize, b: usize) {
        self.as_mut_slice().swap(a, b);
    }
    fn sample(&self) -> Box<dyn Value> {
        Box::new(T::default())
    }
}

impl<T: Value + Default + Serialize + de::DeserializeOwned + 'static> Value for Option<T> {
    fn node(&mut self) -> Node<'_> {
        Node::Optional(self)
    }
}

impl<T: Value + Default + 'static> Optional for Option<T> {
    fn is_set(&self) -> bool {
        self.is_some()
    }
    fn set(&mut self, present: bool) {
        *self = present.then(T::default);
    }
    fn value(&mut self) -> Option<&mut dyn Value> {
        self.as_mut().map(|value| value as &mut dyn Value)
    }
    fn sample(&self) -> Box<dyn Value> {
        Box::new(T::default())
    }
}

/// The longest training, in epochs or iterations; longer ones are typing errors.
const MOST_STEPS: u64 = 1_000_000_000;

/// Unit of a length of training.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepsUnit {
    Epochs,
    Iterations,
}

/// A length of training: `"5ep"` or `"200it"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps {
    pub count: u64,
    pub unit: StepsUnit,
}

impl Steps {
    /// Creates a length of `count` epochs.
    pub const fn epochs(count: u64) -> Self {
        Self { count, unit: StepsUnit::Epochs }
    }

    /// Creates a length of `count` iterations.
    pub const fn iterations(count: u64) -> Self {
        Self { count, unit: StepsUnit::Iterations }
    }

    /// Returns the length in iterations, when an epoch has `per_epoch` of them.
    pub const fn to_iterations(self, per_epoch: u64) -> u64 {
        match self.unit {
            StepsUnit::Epochs => self.count.saturating_mul(per_epoch),
            StepsUnit::Iterations => self.count,
        }
    }

    /// Writes the length as people do; [`set_text`](Self::set_text) reads that too.
    pub fn words(self) -> String {
        let unit = match self.unit {
            StepsUnit::Epochs => "epoch",
            StepsUnit::Iterations => "iteration",
        };
        format!("{} {unit}{}", self.count, if self.count == 1 { "" } else { "s" })
    }

    /// Reads a length; a bare number has the unit that the length had before.
    ///
    /// # Errors
    /// What was expected; the length is unchanged then.
    pub fn set_text(&mut self, text: &str) -> Result<(), String> {
        let bare = super::text::whole(text).filter(|count| *count <= MOST_STEPS);
        *self = match bare {
            Some(count) => Self { count, ..*self },
            None => text.parse()?,
        };
        Ok(())
    }
}

impl Default for Steps {
    fn default() -> Self {
        Self::epochs(1)
    }
}

impl fmt::Display for Steps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = match self.unit {
            StepsUnit::Epochs => "ep",
            StepsUnit::Iterations => "it",
        };
        write!(f, "{}{unit}", self.count)
    }
}

impl FromStr for Steps {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let refused = || format!("\"{text}\" is not a length of training; write 5 epochs or 200 iterations");
        let digits = text.find(|c: char| c.is_alphabetic()).ok_or_else(refused)?;
        let (count, unit) = text.split_at(digits);
        let unit = match unit.trim_end() {
            "ep" | "epoch" | "epochs" => StepsUnit::Epochs,
            "it" | "iter" | "iters" | "iteration" | "iterations" | "step" | "steps" => StepsUnit::Iterations,
            _ => return Err(refused()),
        };
        let count = super::text::whole(count).ok_or_else(|| {
            format!("\"{text}\" needs a whole number before its unit, as in 5 epochs or 200 iterations")
        })?;
        let steps = Self { count, unit };
        if steps.count > MOST_STEPS {
            return Err(format!("\"{text}\" is longer than any training; write at most {MOST_STEPS}"));
        }
        Ok(steps)
    }
}

impl Serialize for Steps {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Steps {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

impl Value for Steps {
    fn node(&mut self) -> Node<'_> {
        Node::Length(self)
    }
}

/// Paths of settings with the RON text of the value that each one gets.
///
/// The text is kept as it was written until the type of the setting is known.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overrides(pub BTreeMap<String, String>);

impl Serialize for Overrides {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: Result<BTreeMap<&str, Box<ron::value::RawValue>>, _> = self
            .0
            .iter()
            .map(|(path, text)| {
                Ok((path.as_str(), ron::value::RawValue::from_boxed_ron(text.as_str().into())?))
            })
            .collect();
        raw.map_err(|error: ron::error::SpannedError| serde::ser::Error::custom(error))?.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Overrides {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = BTreeMap::<String, Box<ron::value::RawValue>>::deserialize(deserializer)?;
        Ok(Self(raw.into_iter().map(|(path, value)| (path, value.get_ron().trim().to_owned())).collect()))
    }
}

impl Value for Overrides {
    fn node(&mut self) -> Node<'_> {
        Node::Overrides(self)
    }
}

impl Overrides {
    /// Returns the texts of the items, where the value of `path` is a RON list.
    ///
    /// # Errors
    /// When it is no list, or an empty one.
    pub fn items(text: &str) -> Result<Vec<String>, String> {
        let items: Vec<Box<ron::value::RawValue>> = ron_text::from_str(text)
            .map_err(|_| format!("{text} is not a list; write the values in brackets, as in [0.1, 0.01]"))?;
        if items.is_empty() {
            return Err("the list of values is empty".to_owned());
        }
        Ok(items.iter().map(|item| item.get_ron().trim().to_owned()).collect())
    }
}

/// A number outside of its declared range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RangeProblem {
    pub place: Place,
    /// What is wrong with it, and what is allowed.
    pub message: String,
}

/// Returns every number of the tree that is outside of the range that its setting declares, or is no number.
pub fn check_ranges(root: &mut dyn Value) -> Vec<RangeProblem> {
    let mut problems = Vec::new();
    walk(root, &mut |value, found| {
        let message = value.node().number().and_then(|number| text::range_message(number, &found.field()));
        problems.extend(message.map(|message| RangeProblem { place: found.place.clone(), message }));
    });
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_of_training_reads_as_it_is_written() {
        assert_eq!("5ep".parse(), Ok(Steps::epochs(5)));
        assert_eq!("200it".parse(), Ok(Steps::iterations(200)));
        assert_eq!(Steps::epochs(5).to_string(), "5ep");
        for text in ["5 epochs", "5ep", "5 ep", " 5 epochs "] {
            assert_eq!(text.parse(), Ok(Steps::epochs(5)), "{text}");
        }
        for text in ["300 steps", "300 iterations", "300it"] {
            assert_eq!(text.parse(), Ok(Steps::iterations(300)), "{text}");
        }
        assert_eq!("1,000 iterations".parse(), Ok(Steps::iterations(1000)));
        assert!("5 apples".parse::<Steps>().unwrap_err().contains("5 epochs"));
        assert!("7".parse::<Steps>().unwrap_err().contains("5 epochs"));
        assert!("-5ep".parse::<Steps>().is_err());
        assert!("18446744073709551615ep".parse::<Steps>().unwrap_err().contains("longer"));
    }

    #[test]
    fn a_bare_number_in_a_field_keeps_the_unit() {
        let mut length = Steps::iterations(300);
        length.set_text("50").unwrap();
        assert_eq!(length, Steps::iterations(50));
        length.set_text("5ep").unwrap();
        length.set_text(" 7 ").unwrap();
        assert_eq!(length, Steps::epochs(7));
        assert!(length.set_text("9999999999").unwrap_err().contains("5 epochs or 200 iterations"));
    }

    #[test]
    fn overrides_keep_the_text_of_their_values() {
        let text = r#"{ "net.hidden": [[32], [64, 32]], "train.batch": 8 }"#;
        let overrides: Overrides = ron_text::from_str(text).unwrap();
        assert_eq!(overrides.0["net.hidden"], "[[32], [64, 32]]");
        let again: Overrides = ron_text::from_str(&ron_text::to_line(&overrides)).unwrap();
        assert_eq!(again, overrides);
        assert_eq!(Overrides::items("[[32], [64, 32]]").unwrap(), ["[32]", "[64, 32]"]);
        assert!(Overrides::items("8").is_err());
    }

    crate::form! {
        struct Dose: "Dose" {
            share: f64 = 0.5, "Share", "How much", range [0.0, 1.0];
            days: Vec<u64> = vec![1], "Days", "When", range [1, 31];
        }
    }

    #[test]
    fn numbers_outside_of_their_range_are_named_with_their_place() {
        assert_eq!(check_ranges(&mut Dose::default()), []);
        let mut dose = Dose { share: f64::NAN, days: vec![1, 40] };
        let problems = check_ranges(&mut dose);
        assert_eq!(problems[0].place.to_string(), "share");
        assert_eq!(problems[1].place.to_string(), "days[1]");
        assert_eq!(problems[1].message, "Days is 40; it must be between 1 and 31");
    }
}

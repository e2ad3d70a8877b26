//! Addresses of settings: `train.batch`, `arms.dense.plan.0.Train`, `arms.*.plan.**.Train`.
//!
//! One grammar serves `--set`, `set` and `sweep`: steps between dots; a step is the name of a setting, the index
//! or name of an item of a list, `*` for any one of them, or `**` for any number of steps. A chosen alternative is no
//! step of its own (`train.optimizer.rate`), but may be named where that helps to pick it (`plan.**.Train`). A name with
//! dots in it is written in quotes: `arms."lr 0.1".plan`.

mod search;

use std::fmt;

use super::{Node, Value};
pub use search::{Found, each, reach, walk};

/// One step of the place of a setting, as problems name it: `arms[1].plan[2].Prune.amount`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Segment {
    /// A setting of a group.
    Key(String),
    /// An item of a list, counted from 0.
    Index(usize),
    /// The chosen alternative.
    Variant(String),
}

/// The place of a setting.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place(pub Vec<Segment>);

impl Place {
    /// This place, and one step on.
    pub fn then(&self, segment: Segment) -> Self {
        let mut segments = self.0.clone();
        segments.push(segment);
        Self(segments)
    }

    /// This place, and a setting in it.
    pub fn key(&self, key: &str) -> Self {
        self.then(Segment::Key(key.to_owned()))
    }

    /// This place, and an item of it.
    pub fn index(&self, index: usize) -> Self {
        self.then(Segment::Index(index))
    }

    /// This place, and the alternative chosen there.
    pub fn variant(&self, variant: &str) -> Self {
        self.then(Segment::Variant(variant.to_owned()))
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, segment) in self.0.iter().enumerate() {
            match segment {
                Segment::Index(index) => write!(f, "[{index}]")?,
                Segment::Key(name) | Segment::Variant(name) if position == 0 => f.write_str(name)?,
                Segment::Key(name) | Segment::Variant(name) => write!(f, ".{name}")?,
            }
        }
        Ok(())
    }
}

/// Why a setting could not be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// Nothing has that address.
    #[error("no setting matches \"{path}\": {detail}")]
    NoMatch {
        /// The address.
        path: String,
        /// Where the search ended, and what there is instead.
        detail: String,
    },
    /// The setting is there, but the text is no value of it.
    #[error("\"{value}\" is not a value for \"{path}\": {detail}")]
    BadValue {
        /// The address.
        path: String,
        /// The text.
        value: String,
        /// What the parser says.
        detail: String,
    },
}

/// Writes the RON `text` (or plain text, where a setting is text) into every setting that `path` addresses.
///
/// Returns how many there were, at least 1. On an error some of them may be written: work on a copy.
///
/// # Errors
/// [`PathError::NoMatch`] when there is none, [`PathError::BadValue`] when the text does not fit.
pub fn assign(root: &mut dyn Value, path: &str, text: &str) -> Result<usize, PathError> {
    each(root, path, &mut |value, _| {
        let written = write_value(value, text.trim());
        written.map_err(|detail| PathError::BadValue {
            path: path.to_owned(),
            value: text.to_owned(),
            detail,
        })
    })
}

/// Why a search found nothing, and what there is instead.
fn absence(missed: Option<Missed>, root: &mut dyn Value, steps: &[&str]) -> String {
    match missed {
        None => "it ends inside a setting that has no parts".to_owned(),
        Some(Missed { depth, absence: Absence::LeftOut }) => left_out(root, steps, depth),
        Some(Missed { absence: Absence::Unknown { step, known }, .. }) if known.is_empty() => {
            format!("there is nothing called \"{step}\"")
        }
        Some(Missed { absence: Absence::Unknown { step, known }, .. }) => {
            format!("there is nothing called \"{step}\"; there are {}", known.join(", "))
        }
    }
}

/// The steps of an address: the text between dots that are not in quotes.
fn steps(path: &str) -> Vec<&str> {
    let mut in_quotes = false;
    let is_end = |character: char| {
        in_quotes ^= character == '"';
        character == '.' && !in_quotes
    };
    path.split(is_end).map(str::trim).collect()
}

/// A step without the quotes around it.
fn unquoted(step: &str) -> &str {
    step.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(step)
}

/// How a name is written as a step of an address.
fn quoted(name: String) -> String {
    if name.contains('.') { format!("\"{name}\"") } else { name }
}

/// What to write where the first `depth` steps lead to a setting that is left out. What an arm leaves out it takes from
/// the setting of the same name at the root, so that one may be meant.
fn left_out(root: &mut dyn Value, steps: &[&str], depth: usize) -> String {
    let here = steps[..depth].join(".");
    let meant = steps[depth - 1..].join(".");
    let at_root = match root.node() {
        Node::Group(group) => depth > 1 && group.fields().iter().any(|field| field.key == steps[depth - 1]),
        _ => false,
    };
    let or = if at_root { format!(" or {meant}=…") } else { String::new() };
    format!("{here} is not set; write {here}=(…){or}")
}

/// The deepest place where the search ended.
struct Missed {
    /// Steps before it.
    depth: usize,
    absence: Absence,
}

enum Absence {
    /// No part has the name of the step.
    Unknown { step: String, known: Vec<String> },
    /// The value is left out.
    LeftOut,
}

/// Writes RON into any value; text and lengths of training may stand without quotes, and a value that may be left
/// out takes `None`.
fn write_value(value: &mut dyn Value, text: &str) -> Result<(), String> {
    if let Node::Group(group) = value.node()
        && let Some(index) = group.shorthand()
        && !text.starts_with('(')
    {
        return write_value(group.value(index), text);
    }
    let bare = text.trim_matches('"');
    match value.node() {
        Node::Parsed(parsed) => parsed.set_text(bare),
        Node::Text(content) if !["\"", "r\"", "r#"].iter().any(|quote| text.starts_with(quote)) => {
            text.clone_into(content);
            Ok(())
        }
        Node::Optional(optional) if text != "None" && !text.starts_with("Some") => {
            let was_set = optional.is_set();
            if !was_set {
                optional.set(true);
            }
            let written = optional.value().map_or(Ok(()), |inner| write_value(inner, text));
            if written.is_err() && !was_set {
                optional.set(false);
            }
            written
        }
        _ => value.set_ron(text),
    }
}

#[cfg(test)]
mod tests;

//! Addresses of settings: `train.batch`, `arms.dense.plan.0.Train`, `arms.*.plan.**.Train`.
//!
//! One grammar serves `--set`, `set` and `sweep`: steps between dots; a step is the name of a setting, the index
//! or name of an item of a list, `*` for any one of them, or `**` for any number of steps. A chosen alternative is no
//! step of its own (`train.optimizer.rate`), but may be named where that helps to pick it (`plan.**.Train`). A name with
//! dots in it is written in quotes: `arms."lr 0.1".plan`.

use std::convert::Infallible;
use std::fmt;

use crate::text::write_optional;
use crate::{Choice, Field, Node, Value, name_of};

/// One step of the place of a setting, as problems name it: `arms[1].plan[2].Prune.amount`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Segment {
    Key(String),
    Index(usize),
    Variant(String),
}

/// The place of a setting.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place(pub Vec<Segment>);

impl Place {
    /// Returns this place, and one step on.
    pub fn then(&self, segment: Segment) -> Self {
        let mut segments = self.0.clone();
        segments.push(segment);
        Self(segments)
    }

    /// Returns this place, and a setting in it.
    pub fn key(&self, key: &str) -> Self {
        self.then(Segment::Key(key.to_owned()))
    }

    /// Returns this place, and an item of it.
    pub fn index(&self, index: usize) -> Self {
        self.then(Segment::Index(index))
    }

    /// Returns this place, and the alternative chosen there.
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

/// A reason why a setting could not be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// Nothing has that address.
    #[error("no setting matches \"{path}\": {detail}")]
    NoMatch {
        path: String,
        /// Where the search ended, and what there is instead.
        detail: String,
    },
    /// The setting is there, but the text is no value of it.
    #[error("\"{value}\" is not a value for \"{path}\": {detail}")]
    BadValue {
        path: String,
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

/// Returns why a search found nothing, and what there is instead.
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

/// Returns the steps of an address: the text between dots that are not in quotes.
fn steps(path: &str) -> Vec<&str> {
    let mut in_quotes = false;
    let is_end = |character: char| {
        in_quotes ^= character == '"';
        character == '.' && !in_quotes
    };
    path.split(is_end).map(str::trim).collect()
}

fn unquoted(step: &str) -> &str {
    step.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(step)
}

/// Returns how a name is written as a step of an address.
fn quoted(name: String) -> String {
    if name.contains('.') { format!("\"{name}\"") } else { name }
}

/// Returns what to write where the first `depth` steps lead to a setting that is left out. What an arm leaves out it
/// takes from the setting of the same name at the root, so that one may be meant.
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
    depth: usize,
    absence: Absence,
}

enum Absence {
    /// No part has the name of the step.
    Unknown {
        step: String,
        known: Vec<String>,
    },
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
        Node::Length(length) => length.set_text(bare),
        Node::Text(content) if !["\"", "r\"", "r#"].iter().any(|quote| text.starts_with(quote)) => {
            text.clone_into(content);
            Ok(())
        }
        Node::Optional(optional) if text != "None" && !text.starts_with("Some") => {
            write_optional(optional, |inner| write_value(inner, text))
        }
        _ => value.set_ron(text),
    }
}

/// A setting that was found: its place, and what is declared on the way to it, outermost first.
#[derive(Clone, Debug, Default)]
pub struct Found {
    pub place: Place,
    /// The declarations of the settings and alternatives around it, and its own.
    pub fields: Vec<Field>,
}

impl Found {
    /// Returns its own declaration; for a value that an alternative carries, that of the alternative.
    pub fn field(&self) -> Field {
        self.fields.last().copied().unwrap_or(Field::new("", "", ""))
    }

    /// Does something one step further on.
    fn inside<R>(&mut self, segment: Segment, field: Option<Field>, act: impl FnOnce(&mut Self) -> R) -> R {
        let known = self.fields.len();
        self.place.0.push(segment);
        self.fields.extend(field);
        let result = act(self);
        self.fields.truncate(known);
        self.place.0.pop();
        result
    }

    /// Does something with the settings of the present alternative, if it has any.
    fn in_payload<R>(
        &mut self,
        choice: &mut dyn Choice,
        act: impl FnOnce(&mut dyn Value, &mut Self) -> R,
    ) -> Option<R> {
        let variant = choice.variant();
        let payload = choice.payload()?;
        let segment = Segment::Variant(variant.key.to_owned());
        Some(self.inside(segment, Some(variant), |here| act(payload, here)))
    }
}

/// Does something with every setting of a group and every item of a list, here or in the chosen alternative.
fn each_part<E>(
    value: &mut dyn Value,
    here: &mut Found,
    act: &mut dyn FnMut(&mut dyn Value, &mut Found) -> Result<(), E>,
) -> Result<(), E> {
    match value.node() {
        Node::Group(group) => {
            for (index, field) in group.fields().iter().enumerate() {
                let segment = Segment::Key(field.key.to_owned());
                here.inside(segment, Some(*field), |here| act(group.value(index), here))?;
            }
        }
        Node::List(list) => {
            for index in 0..list.count() {
                here.inside(Segment::Index(index), None, |here| act(list.item(index), here))?;
            }
        }
        Node::Choice(choice) => {
            here.in_payload(choice, |payload, here| each_part(payload, here, act)).transpose()?;
        }
        Node::Optional(optional) => {
            if let Some(inner) = optional.value() {
                each_part(inner, here, act)?;
            }
        }
        Node::Switch(_)
        | Node::Integer(_)
        | Node::Number(_)
        | Node::Text(_)
        | Node::Length(_)
        | Node::Overrides(_) => {}
    }
    Ok(())
}

/// The most `**` of an address: each multiplies the number of ways to a setting by its depth.
const MOST_OPEN: usize = 3;

/// An action on a setting that was found.
type Act<'a> = dyn FnMut(&mut dyn Value, &Found) -> Result<(), PathError> + 'a;

/// Does something with every setting that `path` addresses. Returns how many there were, at least 1.
///
/// # Errors
/// [`PathError::NoMatch`] when there is none, and what `act` reports.
pub fn each(root: &mut dyn Value, path: &str, act: &mut Act<'_>) -> Result<usize, PathError> {
    let all = steps(path);
    let mut names: Vec<&str> = all.iter().map(|step| unquoted(step)).collect();
    names.dedup_by(|a, b| (&**a, &**b) == ("**", "**"));
    if names.iter().filter(|step| **step == "**").count() > MOST_OPEN {
        let detail = format!("it has more than {MOST_OPEN} steps **; name settings instead");
        return Err(PathError::NoMatch { path: path.to_owned(), detail });
    }
    let mut search = Search { act, path, count: 0, missed: None };
    search.visit(root, &mut Found::default(), &names, 0)?;
    if search.count > 0 {
        return Ok(search.count);
    }
    let detail = absence(search.missed, root, &all);
    Err(PathError::NoMatch { path: path.to_owned(), detail })
}

/// Does something with the setting at a place; returns true if there is one. An address in a map of overrides is a place too,
/// with no value to act on.
pub fn reach(root: &mut dyn Value, place: &[Segment], act: &mut dyn FnMut(&mut dyn Value)) -> bool {
    let Some((segment, rest)) = place.split_first() else {
        act(root);
        return true;
    };
    match (root.node(), segment) {
        (Node::Optional(optional), _) => optional.value().is_some_and(|inner| reach(inner, place, act)),
        (Node::Group(group), Segment::Key(key)) => {
            let index = group.fields().iter().position(|field| field.key == key);
            index.is_some_and(|index| reach(group.value(index), rest, act))
        }
        (Node::List(list), Segment::Index(index)) => {
            *index < list.count() && reach(list.item(*index), rest, act)
        }
        (Node::Choice(choice), Segment::Variant(key)) => {
            choice.variant().key == key && choice.payload().is_some_and(|inner| reach(inner, rest, act))
        }
        (Node::Overrides(overrides), Segment::Key(path)) => overrides.0.contains_key(path),
        _ => false,
    }
}

/// Shows every setting of a tree to `act`, outer ones first.
pub fn walk(root: &mut dyn Value, act: &mut dyn FnMut(&mut dyn Value, &Found)) {
    walk_from(root, &mut Found::default(), act);
}

fn walk_from(value: &mut dyn Value, here: &mut Found, act: &mut dyn FnMut(&mut dyn Value, &Found)) {
    act(value, here);
    if let Node::Choice(choice) = value.node() {
        here.in_payload(choice, |payload, here| walk_from(payload, here, act));
    } else if let Node::Optional(optional) = value.node()
        && let Some(inner) = optional.value()
    {
        walk_from(inner, here, act);
    } else {
        let Ok(()) = each_part(value, here, &mut |part, here| -> Result<(), Infallible> {
            walk_from(part, here, act);
            Ok(())
        });
    }
}

struct Search<'a, 'b> {
    act: &'a mut Act<'b>,
    path: &'a str,
    count: usize,
    missed: Option<Missed>,
}

impl Search<'_, '_> {
    fn visit(
        &mut self,
        value: &mut dyn Value,
        here: &mut Found,
        steps: &[&str],
        depth: usize,
    ) -> Result<(), PathError> {
        let Some((&step, rest)) = steps.split_first() else {
            (self.act)(value, here)?;
            self.count += 1;
            return Ok(());
        };
        if step == "**" {
            self.visit(value, here, rest, depth + 1)?;
            return each_part(value, here, &mut |part, here| self.visit(part, here, steps, depth));
        }
        if let Node::Choice(choice) = value.node() {
            let is_named = choice.variant().key == step;
            let (steps, depth) = if is_named { (rest, depth + 1) } else { (steps, depth) };
            let visited = here.in_payload(choice, |payload, here| self.visit(payload, here, steps, depth));
            return visited.unwrap_or(Ok(()));
        }
        if let Node::Optional(optional) = value.node() {
            if let Some(inner) = optional.value() {
                return self.visit(inner, here, steps, depth);
            }
            self.miss(depth, Absence::LeftOut);
            return Ok(());
        }
        let mut is_known = false;
        let mut known = Vec::new();
        each_part(value, here, &mut |part, here| {
            let (own, name) = match here.place.0.last() {
                Some(Segment::Index(index)) => (index.to_string(), name_of(part)),
                Some(Segment::Key(key) | Segment::Variant(key)) => (key.clone(), None),
                None => return Ok(()),
            };
            let is_it = step == "*" || step == own || name.as_deref() == Some(step);
            known.push(quoted(name.unwrap_or(own)));
            if is_it {
                is_known = true;
                self.visit(part, here, rest, depth + 1)?;
            }
            Ok(())
        })?;
        if !is_known {
            self.miss(depth, Absence::Unknown { step: step.to_owned(), known });
        }
        Ok(())
    }

    /// Remembers where the search ended, if nowhere deeper yet. A star reaches whatever there is, so what is left out
    /// there was not asked for.
    fn miss(&mut self, depth: usize, absence: Absence) {
        let by_star = depth.checked_sub(1).is_none_or(|last| steps(self.path)[last].starts_with('*'));
        let is_deepest = self.missed.as_ref().is_none_or(|missed| missed.depth <= depth);
        if is_deepest && !(by_star && matches!(absence, Absence::LeftOut)) {
            self.missed = Some(Missed { depth, absence });
        }
    }
}

#[cfg(test)]
mod tests;

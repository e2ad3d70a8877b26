//! Addresses of settings: `train.batch`, `arms.dense.plan.0.Train`, `arms.*.plan.**.Train`.
//!
//! One grammar serves `--set`, `set` and `sweep`: steps between dots; a step is the name of a setting, the index
//! or name of an item of a list, `*` for any one of them, or `**` for any number of steps. A chosen alternative is no
//! step of its own (`train.optimizer.rate`), but may be named where that helps to pick it (`plan.**.Train`). A name with
//! dots in it is written in quotes: `arms."lr 0.1".plan`.

use std::fmt;

use super::{Node, Value, name_of};

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
    let all = steps(path);
    let names: Vec<&str> = all.iter().map(|step| unquoted(step)).collect();
    let mut search = Search { text, path, written: 0, missed: None };
    search.visit(root, &names, 0)?;
    if search.written > 0 {
        return Ok(search.written);
    }
    let detail = match search.missed {
        None => "it ends inside a setting that has no parts".to_owned(),
        Some(Missed { depth, absence: Absence::LeftOut }) => left_out(root, &all, depth),
        Some(Missed { absence: Absence::Unknown { step, known }, .. }) if known.is_empty() => {
            format!("there is nothing called \"{step}\"")
        }
        Some(Missed { absence: Absence::Unknown { step, known }, .. }) => {
            format!("there is nothing called \"{step}\"; there are {}", known.join(", "))
        }
    };
    Err(PathError::NoMatch { path: path.to_owned(), detail })
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

struct Search<'a> {
    text: &'a str,
    path: &'a str,
    written: usize,
    missed: Option<Missed>,
}

impl Search<'_> {
    fn visit(&mut self, value: &mut dyn Value, steps: &[&str], depth: usize) -> Result<(), PathError> {
        let Some((&step, rest)) = steps.split_first() else { return self.write(value) };
        if step == "**" {
            self.visit(value, rest, depth + 1)?;
            return self.each_child(value, &mut |search, child, _| search.visit(child, steps, depth));
        }
        if let Node::Choice(choice) = value.node() {
            let named = choice.variant().key == step;
            return match choice.payload() {
                Some(payload) if named => self.visit(payload, rest, depth + 1),
                Some(payload) => self.visit(payload, steps, depth),
                None => Ok(()),
            };
        }
        if let Node::Optional(optional) = value.node() {
            if let Some(inner) = optional.value() {
                return self.visit(inner, steps, depth);
            }
            self.miss(depth, Absence::LeftOut);
            return Ok(());
        }
        let mut found = false;
        let mut known = Vec::new();
        self.each_child(value, &mut |search, child, names| {
            known.push(names.last().cloned().map(quoted).unwrap_or_default());
            if step == "*" || names.iter().any(|name| name == step) {
                found = true;
                search.visit(child, rest, depth + 1)?;
            }
            Ok(())
        })?;
        if !found {
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

    fn each_child(
        &mut self,
        value: &mut dyn Value,
        act: &mut dyn FnMut(&mut Self, &mut dyn Value, &[String]) -> Result<(), PathError>,
    ) -> Result<(), PathError> {
        match value.node() {
            Node::Group(group) => {
                for (index, field) in group.fields().iter().enumerate() {
                    act(self, group.value(index), &[field.key.to_owned()])?;
                }
            }
            Node::List(list) => {
                for index in 0..list.count() {
                    let item = list.item(index);
                    let mut names = vec![index.to_string()];
                    names.extend(name_of(item));
                    act(self, item, &names)?;
                }
            }
            Node::Choice(choice) => {
                if let Some(payload) = choice.payload() {
                    return self.each_child(payload, act);
                }
            }
            Node::Optional(optional) => {
                if let Some(inner) = optional.value() {
                    return self.each_child(inner, act);
                }
            }
            Node::Switch(_)
            | Node::Integer(_)
            | Node::Number(_)
            | Node::Text(_)
            | Node::Parsed(_)
            | Node::Overrides(_) => {}
        }
        Ok(())
    }

    fn write(&mut self, value: &mut dyn Value) -> Result<(), PathError> {
        let written = write_value(value, self.text.trim());
        written.map_err(|detail| PathError::BadValue {
            path: self.path.to_owned(),
            value: self.text.to_owned(),
            detail,
        })?;
        self.written += 1;
        Ok(())
    }
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
mod tests {
    use super::*;

    crate::form! {
        struct Step: "Step" {
            name: String = "step".to_owned(), "Name", "What it is called";
            rate: Option<f64> = None, "Rate", "How much", range [0.0, 1.0];
            length: super::super::Steps = super::super::Steps::epochs(1), "Length", "How long";
        }
    }
    crate::choice! {
        enum Stage: "Stage" {
            Walk(Step) = Step::default(), "Walk", "Slowly";
            Rest, "Rest", "Not at all";
            Loop(Vec<Stage>) = Vec::new(), "Loop", "Again and again";
        }
    }
    crate::form! {
        struct Plan: "Plan" {
            stages: Vec<Stage> = Vec::new(), "Stages", "In order";
        }
    }

    fn plan() -> Plan {
        let walk = || Stage::Walk(Step::default());
        Plan { stages: vec![walk(), Stage::Rest, Stage::Loop(vec![walk(), walk()])] }
    }

    #[test]
    fn stars_reach_one_step_or_any_number() {
        let mut plan = plan();
        assert_eq!(assign(&mut plan, "stages.*.length", "3ep"), Ok(1));
        assert_eq!(assign(&mut plan, "stages.**.Walk.length", "\"7it\""), Ok(3));
        let Stage::Loop(body) = &plan.stages[2] else { panic!("the loop") };
        let Stage::Walk(step) = &body[1] else { panic!("the walk") };
        assert_eq!(step.length, super::super::Steps::iterations(7));
    }

    #[test]
    fn items_answer_to_their_index_and_options_to_their_value() {
        let mut plan = plan();
        assert_eq!(assign(&mut plan, "stages.0.rate", "0.5"), Ok(1));
        assert_eq!(assign(&mut plan, "stages.2.0.name", "round walk"), Ok(1));
        assert_eq!(assign(&mut plan, "stages.2.1.name", "r#\"second \"walk\"\"#"), Ok(1));
        assert_eq!(assign(&mut plan, "stages.0.rate", "None"), Ok(1));
        assert!(matches!(&plan.stages[0], Stage::Walk(step) if step.rate.is_none()));
    }

    #[test]
    fn a_name_with_dots_stands_in_quotes() {
        let mut items = vec![Step { name: "rate 0.1".to_owned(), ..Step::default() }];
        assert_eq!(assign(&mut items, "\"rate 0.1\".rate", "0.5"), Ok(1));
        assert_eq!(items[0].rate, Some(0.5));
        let error = assign(&mut items, "rate 0.1.rate", "0.5").unwrap_err().to_string();
        assert!(error.ends_with("nothing called \"rate 0\"; there are \"rate 0.1\""), "{error}");
    }

    #[test]
    fn what_is_left_out_is_told_from_what_does_not_exist() {
        crate::form! {
            struct Walks: "Walks" {
                step: Step = Step::default(), "Step", "For all";
                own: Vec<Own> = vec![Own::default()], "Own", "For each";
            }
        }
        crate::form! {
            struct Own: "Own" {
                step: Option<Step> = None, "Step", "Of this one";
            }
        }
        let detail = |path: &str| match assign(&mut Walks::default(), path, "x").unwrap_err() {
            PathError::NoMatch { detail, .. } => detail,
            other @ PathError::BadValue { .. } => other.to_string(),
        };
        assert_eq!(detail("own.0.step.name"), "own.0.step is not set; write own.0.step=(…) or step.name=…");
        assert_eq!(detail("step.rate.name"), "step.rate is not set; write step.rate=(…)");
        assert_eq!(detail("own.**.Walk"), "there is nothing called \"Walk\"; there are step");
    }

    #[test]
    fn no_match_says_where_and_what_there_is() {
        let error = assign(&mut plan(), "stages.0.pace", "1").unwrap_err();
        assert_eq!(
            error.to_string(),
            "no setting matches \"stages.0.pace\": there is nothing called \"pace\"; there are name, rate, length"
        );
        let error = assign(&mut plan(), "stages.0.rate", "fast").unwrap_err();
        assert!(matches!(error, PathError::BadValue { .. }), "{error}");
    }
}

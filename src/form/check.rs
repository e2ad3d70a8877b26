//! Bounds of numbers, checked over the whole tree of settings.

use super::path::Place;
use super::{Node, Value};

/// A number outside of its declared range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RangeProblem {
    /// Which setting.
    pub place: Place,
    /// What is wrong with it, and what is allowed.
    pub message: String,
}

/// How a value was reached. Most are right, so a place is made only of the way to one that is wrong.
enum Way<'a> {
    Root,
    Key(&'a Self, &'a str),
    Index(&'a Self, usize),
    Variant(&'a Self, &'a str),
}

impl Way<'_> {
    fn place(&self) -> Place {
        match self {
            Self::Root => Place::default(),
            Self::Key(before, key) => before.place().key(key),
            Self::Index(before, index) => before.place().index(*index),
            Self::Variant(before, variant) => before.place().variant(variant),
        }
    }
}

/// Every number of the tree that is outside of the range that its setting declares, or is no number.
pub fn check_ranges(root: &mut dyn Value) -> Vec<RangeProblem> {
    let mut problems = Vec::new();
    visit(root, &Way::Root, "", None, &mut problems);
    problems
}

fn visit(
    value: &mut dyn Value,
    way: &Way<'_>,
    label: &str,
    range: Option<[f64; 2]>,
    problems: &mut Vec<RangeProblem>,
) {
    match value.node() {
        Node::Number(number) => check(*number, way, label, range, problems),
        Node::Integer(integer) => check(integer.get() as f64, way, label, range, problems),
        Node::Choice(choice) => {
            let variant = choice.variants()[choice.selected()];
            if let Some(payload) = choice.payload() {
                visit(payload, &Way::Variant(way, variant.key), variant.label, variant.range, problems);
            }
        }
        Node::Group(group) => {
            for (index, field) in group.fields().iter().enumerate() {
                visit(group.value(index), &Way::Key(way, field.key), field.label, field.range, problems);
            }
        }
        Node::List(list) => {
            for index in 0..list.count() {
                visit(list.item(index), &Way::Index(way, index), label, range, problems);
            }
        }
        Node::Optional(optional) => {
            if let Some(inner) = optional.value() {
                visit(inner, way, label, range, problems);
            }
        }
        Node::Switch(_) | Node::Text(_) | Node::Parsed(_) | Node::Overrides(_) => {}
    }
}

fn check(number: f64, way: &Way<'_>, label: &str, range: Option<[f64; 2]>, problems: &mut Vec<RangeProblem>) {
    if let Some(message) = range_message(number, label, range) {
        problems.push(RangeProblem { place: way.place(), message });
    }
}

/// What is wrong with a number, if anything.
pub(crate) fn range_message(number: f64, label: &str, range: Option<[f64; 2]>) -> Option<String> {
    if !number.is_finite() {
        return Some(format!("{label} is {number}; write a finite number"));
    }
    let [low, high] = range?;
    if (low..=high).contains(&number) {
        return None;
    }
    Some(if high >= 1e15 {
        format!("{label} is {number}; it must be at least {low}")
    } else {
        format!("{label} is {number}; it must be between {low} and {high}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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

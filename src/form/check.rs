//! Bounds of numbers, checked over the whole tree of settings.

use super::path::{Place, Segment};
use super::{Field, Node, Value, text};

/// A number outside of its declared range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RangeProblem {
    /// Which setting.
    pub place: Place,
    /// What is wrong with it, and what is allowed.
    pub message: String,
}

/// Every number of the tree that is outside of the range that its setting declares, or is no number.
pub fn check_ranges(root: &mut dyn Value) -> Vec<RangeProblem> {
    visit(root, &Field::new("", "", ""))
}

/// The problems of a value; their places begin at it.
fn visit(value: &mut dyn Value, about: &Field) -> Vec<RangeProblem> {
    match value.node() {
        Node::Number(number) => check(*number, about),
        Node::Integer(integer) => check(integer.get() as f64, about),
        Node::Choice(choice) => {
            let variant = choice.variant();
            let found = choice.payload().map(|payload| visit(payload, &variant));
            inside(|| Segment::Variant(variant.key.to_owned()), found.unwrap_or_default())
        }
        Node::Group(group) => {
            let fields = group.fields().iter().enumerate();
            let check = |(index, field): (usize, &Field)| {
                let found = visit(group.value(index), field);
                inside(|| Segment::Key(field.key.to_owned()), found)
            };
            fields.flat_map(check).collect()
        }
        Node::List(list) => (0..list.count())
            .flat_map(|index| inside(|| Segment::Index(index), visit(list.item(index), about)))
            .collect(),
        Node::Optional(optional) => optional.value().map(|inner| visit(inner, about)).unwrap_or_default(),
        Node::Switch(_) | Node::Text(_) | Node::Parsed(_) | Node::Overrides(_) => Vec::new(),
    }
}

/// Problems of a part, with their places in the whole.
fn inside(part: impl Fn() -> Segment, mut problems: Vec<RangeProblem>) -> Vec<RangeProblem> {
    for problem in &mut problems {
        problem.place.0.insert(0, part());
    }
    problems
}

fn check(number: f64, field: &Field) -> Vec<RangeProblem> {
    let message = text::range_message(number, field);
    message.into_iter().map(|message| RangeProblem { place: Place::default(), message }).collect()
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

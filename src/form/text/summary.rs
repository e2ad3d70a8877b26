//! What a value is, in few words: `SGD, momentum 0.9`, `only fc1`.

use super::{is_plain, to_text};
use crate::number::counted;
use crate::{Field, Group, Node, Value};

/// A value in words: what it is, and what differs from the defaults. Empty where nothing does.
pub fn summary(value: &mut dyn Value, field: &Field) -> String {
    match value.node() {
        Node::Choice(choice) => {
            if let Some(words) = choice.words() {
                return words;
            }
            let variant = choice.variant();
            let Some(payload) = choice.payload() else { return variant.label.to_owned() };
            let separator = if matches!(payload.node(), Node::Group(_)) { ", " } else { " " };
            joined(&[variant.label.to_owned(), summary(payload, &variant)], separator)
        }
        Node::Group(group) => of_group(group),
        Node::Optional(optional) => optional.value().map_or_else(String::new, |inner| summary(inner, field)),
        Node::List(list) if !is_plain(list) => match list.count() {
            0 => String::new(),
            1 => summary(list.item(0), field),
            count => counted(count as u64, "entry").replace("entrys", "entries"),
        },
        Node::Overrides(overrides) => match overrides.0.len() {
            0 => String::new(),
            count => counted(count as u64, "setting"),
        },
        Node::Switch(_)
        | Node::Integer(_)
        | Node::Number(_)
        | Node::Text(_)
        | Node::Parsed(_)
        | Node::List(_) => to_text(value, field),
    }
}

fn of_group(group: &mut dyn Group) -> String {
    let mut parts = Vec::new();
    for (index, field) in group.fields().iter().enumerate() {
        if group.is_default(index) {
            continue;
        }
        let name = uncapitalized(field.label);
        let value = group.value(index);
        let text = summary(value, field);
        parts.push(match value.node() {
            Node::Switch(true) => name,
            Node::Switch(false) => format!("no {name}"),
            Node::Choice(_) | Node::Group(_) => text,
            _ if text.is_empty() => format!("no {name}"),
            _ => format!("{name} {text}"),
        });
    }
    joined(&parts, ", ")
}

/// The label within a sentence; abbreviations keep their capitals, such as SGD and ReLU.
pub fn uncapitalized(label: &str) -> String {
    let mut letters = label.chars();
    let Some(first) = letters.next() else { return String::new() };
    let word = letters.as_str().split(' ').next().unwrap_or_default();
    let is_word = word.starts_with(char::is_lowercase) && !word.contains(char::is_uppercase);
    if is_word { first.to_lowercase().chain(letters).collect() } else { label.to_owned() }
}

fn joined(parts: &[String], separator: &str) -> String {
    parts.iter().filter(|part| !part.is_empty()).map(String::as_str).collect::<Vec<_>>().join(separator)
}

//! The written reference of the file format, generated from the declarations.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::{Choice, Field, Group, Node, Value};

/// Writes Markdown that names every setting under `root`: key, label, default, range, unit, help.
pub fn markdown(root: &mut dyn Value) -> String {
    let mut writer = Writer::default();
    writer.visit(root);
    writer.sections.join("\n")
}

#[derive(Default)]
struct Writer {
    seen: BTreeSet<&'static str>,
    sections: Vec<String>,
}

impl Writer {
    fn visit(&mut self, value: &mut dyn Value) {
        match value.node() {
            Node::Group(group) => self.group(group),
            Node::Choice(choice) => self.choice(choice),
            Node::List(list) => self.visit(list.sample().as_mut()),
            Node::Optional(optional) => self.visit(optional.sample().as_mut()),
            Node::Switch(_)
            | Node::Integer(_)
            | Node::Number(_)
            | Node::Text(_)
            | Node::Parsed(_)
            | Node::Overrides(_) => {}
        }
    }

    fn group(&mut self, group: &mut dyn Group) {
        if !self.seen.insert(group.title()) || group.fields().is_empty() {
            return;
        }
        let mut text = format!(
            "### {}\n\n| setting | default | range | what it does |\n|---|---|---|---|\n",
            group.title()
        );
        for (index, field) in group.fields().iter().enumerate() {
            let Field { key, label, help, .. } = field;
            let (kind, range) = (kind_of(group.value(index)), range(field));
            let default = code(&group.value(index).to_ron());
            writeln!(text, "| `{key}` {kind} | {default} | {range} | **{label}.** {help}. |")
                .expect("writing to a string");
        }
        self.sections.push(text);
        for index in 0..group.fields().len() {
            self.visit(group.value(index));
        }
    }

    fn choice(&mut self, choice: &mut dyn Choice) {
        if !self.seen.insert(choice.title()) {
            return;
        }
        let mut text =
            format!("### {}\n\nOne of:\n\n| written | what it means |\n|---|---|\n", choice.title());
        let slot = self.sections.len();
        self.sections.push(String::new());
        for index in 0..choice.variants().len() {
            let variant = choice.variants()[index];
            choice.select(index);
            let bounds = variant.range.map(|[low, high]| format!(" ({low} to {high})")).unwrap_or_default();
            let form = written(choice, variant.key);
            writeln!(text, "| `{form}` | **{}.** {}{bounds}. |", variant.label, variant.help)
                .expect("writing to a string");
            if let Some(payload) = choice.payload() {
                self.visit(payload);
            }
        }
        self.sections[slot] = text;
    }
}

fn written(choice: &mut dyn Choice, key: &str) -> String {
    match choice.payload() {
        None => key.to_owned(),
        Some(payload) => match payload.node() {
            Node::Group(_) => format!("{key}(…)"),
            _ => format!("{key}({})", payload.to_ron()),
        },
    }
}

fn kind_of(value: &mut dyn Value) -> String {
    match value.node() {
        Node::Group(group) => format!("→ {}", group.title()),
        Node::Choice(choice) => format!("→ {}", choice.title()),
        Node::List(list) => kind_of(list.sample().as_mut()).replacen('→', "→ list of", 1),
        Node::Optional(optional) => kind_of(optional.sample().as_mut()),
        Node::Switch(_)
        | Node::Integer(_)
        | Node::Number(_)
        | Node::Text(_)
        | Node::Parsed(_)
        | Node::Overrides(_) => String::new(),
    }
}

fn code(default: &str) -> String {
    if default.is_empty() { String::new() } else { format!("`{}`", default.replace('|', "\\|")) }
}

fn range(field: &Field) -> String {
    let unit =
        if field.unit.is_empty() || field.is_share() { String::new() } else { format!(" {}", field.unit) };
    if !field.allowed.is_empty() {
        let allowed: Vec<String> = field.allowed.iter().map(u64::to_string).collect();
        return format!("{}{unit}", allowed.join(", "));
    }
    match field.range {
        None => unit.trim().to_owned(),
        Some([low, high]) if high >= 1e15 => format!("≥ {low}{unit}"),
        Some([low, high]) => format!("{low} … {high}{unit}"),
    }
}

#[cfg(test)]
mod tests {
    crate::form! {
        struct Tea: "Tea" {
            minutes: u64 = 3, "Minutes", "How long it draws", unit "min", range [1, 10];
        }
    }

    #[test]
    fn every_setting_is_written_down_once() {
        let text = super::markdown(&mut Tea::default());
        assert!(
            text.contains("| `minutes`  | `3` | 1 … 10 min | **Minutes.** How long it draws. |"),
            "{text}"
        );
    }
}

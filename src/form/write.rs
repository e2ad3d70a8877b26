//! Settings as the text of a file: what differs from its default, what was written there before, and what is always
//! written. Short values stay on one line.

use super::{Choice, Group, List, Node, Value, ron_text};

/// The longest line, where brackets allow a break, in characters.
const WIDTH: usize = 100;
/// Spaces of one level.
const STEP: usize = 4;

/// What a text of the file format has written down, by its brackets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// The name before the brackets: an alternative, or the title of a group.
    pub name: Option<String>,
    /// What is in the brackets, with the names of settings.
    pub entries: Vec<(Option<String>, Self)>,
}

impl Written {
    fn setting(&self, key: &str) -> Option<&Self> {
        self.entries.iter().find(|(known, _)| known.as_deref() == Some(key)).map(|(_, value)| value)
    }

    fn item(&self, index: usize) -> Option<&Self> {
        self.entries.get(index).map(|(_, value)| value)
    }
}

/// The settings of a group, one to a line, without its brackets; `first` comes before them. `before` is what the text so
/// far has written down: those settings stay, also with their defaults.
///
/// # Errors
/// What RON cannot read again: half a value in overrides.
pub fn settings(root: &mut dyn Group, before: &Written, first: &str) -> ron::Result<String> {
    let mut text = format!("{}{first},\n", " ".repeat(STEP));
    for (key, part) in fields(root, Some(before))? {
        let line = format!("{}{key}", " ".repeat(STEP));
        text.push_str(&part.after(line, STEP));
        text.push_str(",\n");
    }
    Ok(text)
}

/// A value, ready to be laid out.
enum Part {
    /// What has no brackets, or none to break at.
    Atom(String),
    /// Entries in brackets.
    Brackets { open: String, entries: Vec<(String, Self)>, close: String },
}

impl Part {
    fn flat(&self) -> String {
        match self {
            Self::Atom(text) => text.clone(),
            Self::Brackets { open, entries, close } => {
                let entries: Vec<String> =
                    entries.iter().map(|(key, part)| format!("{key}{}", part.flat())).collect();
                format!("{open}{}{close}", entries.join(", "))
            }
        }
    }

    /// `line` with the value after it; `indent` is that of the line.
    fn after(&self, line: String, indent: usize) -> String {
        let flat = self.flat();
        // The comma after it counts.
        let fits = line.chars().count() + flat.chars().count() < WIDTH;
        let Self::Brackets { open, entries, close } = self else { return line + &flat };
        if fits || entries.is_empty() {
            return line + &flat;
        }
        let inner = indent + STEP;
        let is_plain = |(key, part): &(String, Self)| key.is_empty() && matches!(part, Self::Atom(_));
        let body = if entries.iter().all(is_plain) { filled(entries, inner) } else { listed(entries, inner) };
        format!("{line}{open}\n{body}{}{close}", " ".repeat(indent))
    }
}

/// One entry to a line.
fn listed(entries: &[(String, Part)], indent: usize) -> String {
    let line =
        |(key, part): &(String, Part)| part.after(format!("{}{key}", " ".repeat(indent)), indent) + ",\n";
    entries.iter().map(line).collect()
}

/// As many entries to a line as fit.
fn filled(entries: &[(String, Part)], indent: usize) -> String {
    let (mut text, mut line) = (String::new(), " ".repeat(indent));
    for (_, part) in entries {
        let entry = part.flat() + ",";
        let is_first = line.len() == indent;
        if !is_first && line.chars().count() + entry.chars().count() >= WIDTH {
            text.push_str(&line);
            text.push('\n');
            line = " ".repeat(indent);
        } else if !is_first {
            line.push(' ');
        }
        line.push_str(&entry);
    }
    format!("{text}{line}\n")
}

fn part(value: &mut dyn Value, before: Option<&Written>) -> ron::Result<Part> {
    match value.node() {
        Node::Group(group) => of_group(group, before),
        Node::Choice(choice) => of_choice(choice, before),
        Node::List(list) => of_list(list, before),
        Node::Optional(optional) => match optional.value() {
            Some(inner) => part(inner, before),
            None => Ok(Part::Atom("None".to_owned())),
        },
        Node::Overrides(overrides) => {
            let entry = |(path, text): (&String, &String)| {
                let read = ron_text::from_str::<Box<ron::value::RawValue>>(text);
                read.map_err(|error| error.code)?;
                Ok((format!("{}: ", ron_text::to_line(path)), Part::Atom(text.clone())))
            };
            let entries = overrides.0.iter().map(entry).collect::<ron::Result<_>>()?;
            Ok(Part::Brackets { open: "{".to_owned(), entries, close: "}".to_owned() })
        }
        Node::Switch(_) | Node::Integer(_) | Node::Number(_) | Node::Text(_) | Node::Parsed(_) => {
            Ok(Part::Atom(value.to_ron()))
        }
    }
}

/// The settings of a group that are to be written, by `key: `.
fn fields(group: &mut dyn Group, before: Option<&Written>) -> ron::Result<Vec<(String, Part)>> {
    let mut found = Vec::new();
    for (index, field) in group.fields().iter().enumerate() {
        let before = before.and_then(|before| before.setting(field.key));
        if before.is_some() || field.is_always_written || !group.is_default(index) {
            found.push((format!("{}: ", field.key), part(group.value(index), before)?));
        }
    }
    Ok(found)
}

fn of_group(group: &mut dyn Group, before: Option<&Written>) -> ron::Result<Part> {
    let entries = fields(group, before)?;
    if let Some(index) = group.shorthand() {
        let key = group.fields()[index].key;
        let is_other = |(written, _): &(String, Part)| written.trim_end_matches(": ") != key;
        if !entries.iter().any(is_other) {
            return part(group.value(index), None);
        }
    }
    Ok(Part::Brackets { open: "(".to_owned(), entries, close: ")".to_owned() })
}

/// An alternative has the brackets of its group: `Prune(amount: Fraction(0.2))`.
fn of_choice(choice: &mut dyn Choice, before: Option<&Written>) -> ron::Result<Part> {
    let key = choice.variant().key;
    let before = before.filter(|before| before.name.as_deref() == Some(key));
    let Some(payload) = choice.payload() else { return Ok(Part::Atom(key.to_owned())) };
    let is_group = matches!(payload.node(), Node::Group(_));
    let inner = if is_group { before } else { before.and_then(|before| before.item(0)) };
    Ok(match part(payload, inner)? {
        Part::Atom(text) => Part::Atom(format!("{key}({text})")),
        Part::Brackets { open, entries, close } if is_group => {
            Part::Brackets { open: format!("{key}{open}"), entries, close }
        }
        Part::Brackets { open, entries, close } => {
            Part::Brackets { open: format!("{key}({open}"), entries, close: format!("{close})") }
        }
    })
}

fn of_list(list: &mut dyn List, before: Option<&Written>) -> ron::Result<Part> {
    let count = list.count();
    let item = |index| {
        let before = before.and_then(|before| before.item(index));
        Ok((String::new(), part(list.item(index), before)?))
    };
    let entries = (0..count).map(item).collect::<ron::Result<_>>()?;
    Ok(Part::Brackets { open: "[".to_owned(), entries, close: "]".to_owned() })
}

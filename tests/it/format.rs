//! The written reference of the file format is generated; `WEIGHTLAB_BLESS=1 cargo test --test it format` writes it.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

use doc::Experiment;
use form::{Choice, Field, Group, Node, Value};

const HEAD: &str = "\
# The file format

An experiment is one [RON](https://github.com/ron-rs/ron) file: a struct `Experiment` with the settings below. Settings
that you leave out have their defaults. `//` starts a comment; saving from the window keeps the comment at the head of a
file and asks before it drops others. Paths in a file are relative to the file.

```ron
Experiment(
    version: 1,
    name: \"Two arms on digits\",
    data: Digits(),
    net: Mlp(hidden: [64]),
    train: (optimizer: Adam(rate: 0.001), batch: 32),
    seeds: [1, 2],
    arms: [
        (name: \"dense\", plan: [Train(\"5ep\"), Test]),
        (name: \"pruned\", plan: [Train(\"5ep\"), Do(Prune(amount: Fraction(0.5))), Train(\"5ep\"), Test]),
    ],
)
```

Lengths of training are `\"5ep\"` (epochs) or `\"200it\"` (iterations); `Train(\"5ep\")` is short for `Train(steps: \"5ep\")`.
`set` changes single settings, and `sweep` makes one arm per combination of values. Both, and `--set` on the command line,
address a setting by its [path](semantics.md#paths-of-settings): `train.batch`, `net.hidden`, `arms.dense.plan.0.Train`,
with `*` for any one step and `**` for any number of steps, as in `arms.*.plan.**.Train`. Quote a name with dots in it:
`arms.\"lr 0.1\".plan`.

The settings of a run, in its `run.json`, have one more: `found`, what the program found in the files of
[data of your own](semantics.md#data-of-your-own). Experiment files do not have it.

This page is generated from the declarations in the source; a test keeps it up to date.
";

#[test]
fn the_written_reference_says_what_the_source_declares() {
    let text = format!("{HEAD}\n{}\n", markdown(&mut Experiment::default()).trim_end());
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/format.md");
    if std::env::var_os("WEIGHTLAB_BLESS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == text,
        "docs/format.md is out of date; WEIGHTLAB_BLESS=1 cargo test --test it format writes it"
    );
}

#[test]
fn the_example_at_its_head_opens_and_is_valid() {
    let example = HEAD.split("```").nth(1).and_then(|block| block.strip_prefix("ron\n")).expect("an example");
    let experiment = doc::file::parse(example, Path::new("docs/format.md")).unwrap();
    assert_eq!(doc::validate(&experiment), []);
    assert_eq!(doc::runs(&experiment).unwrap().len(), 4);
}

/// Writes Markdown that names every setting under `root`: key, label, default, range, unit, help.
fn markdown(root: &mut dyn Value) -> String {
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
            | Node::Length(_)
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
        | Node::Length(_)
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

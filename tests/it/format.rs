//! The written reference of the file format is generated; `WEIGHTLAB_BLESS=1 cargo test --test it format` writes it.

use std::path::Path;

use doc::Experiment;
use form::reference;

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
    let text = format!("{HEAD}\n{}\n", reference::markdown(&mut Experiment::default()).trim_end());
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

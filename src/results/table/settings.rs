//! The settings of runs as text by path, and which of them differ.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use super::Labels;
use doc::RunSpec;
use form::number::number;
use form::{Node, Value};

/// Settings by path, as they are written in a file.
pub type Settings = BTreeMap<String, String>;

/// The value of a setting that a run does not have.
pub const NONE: &str = "–";

/// The order of values: numbers by their size, then words.
pub fn compare(a: &str, b: &str) -> Ordering {
    compare_parsed((a, number_of(a)), (b, number_of(b)))
}

/// The number that a value is, if it is one.
pub fn number_of(value: &str) -> Option<f64> {
    value.parse().ok()
}

/// The order of values with the numbers that they are.
pub fn compare_parsed(a: (&str, Option<f64>), b: (&str, Option<f64>)) -> Ordering {
    match (a.1, b.1) {
        (Some(a), Some(b)) => a.total_cmp(&b),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => a.0.cmp(b.0),
    }
}

/// All single settings of a run but its seed.
pub fn settings(spec: &RunSpec) -> Settings {
    labelled(spec, &mut Labels::default())
}

/// The same; notes what the form calls them.
pub fn labelled(spec: &RunSpec, labels: &mut Labels) -> Settings {
    let mut walk = Walk { found: Settings::new(), labels };
    walk.collect(&mut spec.clone(), &Here { path: String::new(), label: "", unit: "", of: String::new() });
    walk.found.remove("seed");
    walk.found
}

struct Walk<'a> {
    found: Settings,
    labels: &'a mut Labels,
}

/// Where a value is in the form.
struct Here {
    path: String,
    label: &'static str,
    unit: &'static str,
    /// The group around it, or its stage.
    of: String,
}

impl Here {
    fn under(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    /// The part of the form that the fields of this value belong to.
    fn part(&self) -> String {
        if self.path.starts_with("plan.") || self.label.is_empty() {
            self.of.clone()
        } else {
            self.label.to_owned()
        }
    }

    /// The stage at this index of a plan, as the window counts: "Stage 2", "Stage 2.1".
    fn item(&self, index: usize) -> String {
        let number = index + 1;
        match self.of.strip_prefix("Stage ") {
            _ if self.path == "plan" => format!("Stage {number}"),
            Some(outer) if self.path.starts_with("plan.") => format!("Stage {outer}.{number}"),
            _ => format!("{} {number}", self.label),
        }
    }
}

impl Walk<'_> {
    fn insert(&mut self, here: &Here, value: String) {
        self.labels.name(&here.path, [here.label, here.unit], &here.of);
        self.found.insert(here.path.clone(), value);
    }

    fn insert_called(&mut self, here: &Here, value: String, called: String) {
        if value != called {
            self.labels.name_value(&here.path, &value, called);
        }
        self.insert(here, value);
    }

    fn collect(&mut self, value: &mut dyn Value, here: &Here) {
        match value.node() {
            Node::Group(group) => {
                for (index, field) in group.fields().iter().enumerate() {
                    let inside = Here {
                        path: here.under(field.key),
                        label: field.label,
                        unit: field.unit,
                        of: here.part(),
                    };
                    self.collect(group.value(index), &inside);
                }
            }
            Node::List(list) => {
                let count = list.count();
                // A list of numbers reads better as one value.
                if count == 0 || is_plain(list.item(0)) {
                    self.insert(here, value.to_ron());
                    return;
                }
                for index in 0..count {
                    let inside = Here {
                        path: here.under(&index.to_string()),
                        label: here.label,
                        unit: here.unit,
                        of: here.item(index),
                    };
                    self.collect(list.item(index), &inside);
                }
            }
            Node::Choice(choice) => {
                let variant = choice.variant();
                let payload = choice.payload();
                let own =
                    payload.map(|payload| if is_plain(payload) { Ok(plain(payload)) } else { Err(payload) });
                if let Some(Ok(own)) = &own {
                    let (value, called) =
                        (format!("{}({own})", variant.key), format!("{} {own}", variant.label));
                    self.insert_called(here, value, called);
                    return;
                }
                self.insert_called(here, variant.key.to_owned(), variant.label.to_owned());
                if let Some(Err(payload)) = own {
                    self.collect(payload, here);
                }
            }
            Node::Optional(optional) => match optional.value() {
                Some(inner) => self.collect(inner, here),
                None => self.insert(here, NONE.to_owned()),
            },
            Node::Switch(is_on) => {
                let called = if *is_on { "on" } else { "off" }.to_owned();
                self.insert_called(here, value.to_ron(), called);
            }
            _ => self.insert(here, plain(value)),
        }
    }
}

fn is_plain(value: &mut dyn Value) -> bool {
    !matches!(value.node(), Node::Group(_) | Node::List(_) | Node::Choice(_) | Node::Optional(_))
}

fn plain(value: &mut dyn Value) -> String {
    match value.node() {
        Node::Text(text) => text.clone(),
        Node::Parsed(parsed) => parsed.text(),
        Node::Number(value) => number(*value),
        _ => value.to_ron(),
    }
}

/// Lists that differ as a whole where they have other items.
const WHOLE: [&str; 2] = ["plan", LAYERS];

/// The path of a list of layers.
pub const LAYERS: &str = "net.layers";

/// The settings in which these differ. Plans of different shape differ as a whole, as `plan`, and so do lists of layers.
pub fn differing(all: &[impl Borrow<Settings>]) -> Vec<String> {
    let all: Vec<&Settings> = all.iter().map(Borrow::borrow).collect();
    let paths: BTreeSet<&String> = all.iter().flat_map(|settings| settings.keys()).collect();
    let mut found = Vec::new();
    let mut whole = BTreeSet::new();
    for path in paths {
        let mut values = all.iter().map(|settings| settings.get(path));
        let first = values.next().flatten();
        let is_missing = all.iter().any(|settings| !settings.contains_key(path));
        if values.all(|value| value == first) {
            continue;
        }
        match WHOLE.into_iter().find(|list| is_missing && is_below(path, list)) {
            Some(list) => drop(whole.insert(list)),
            None => found.push(path.clone()),
        }
    }
    found.retain(|path| !whole.iter().any(|list| is_below(path, list)));
    found.extend(whole.into_iter().map(str::to_owned));
    found
}

fn is_below(path: &str, list: &str) -> bool {
    path.strip_prefix(list).is_some_and(|rest| rest.starts_with('.'))
}

/// Whether a setting differs only because some runs do not have it, such as the momentum of one of two optimizers: its
/// choice differs likewise. `texts` are its values, `all` the paths that differ.
pub fn follows_from_another(path: &str, texts: &[&str], all: &[String]) -> bool {
    let mut own = texts.iter().filter(|text| **text != NONE);
    let first = own.next();
    let is_of_a_choice = all.iter().any(|other| path.starts_with(&format!("{other}.")));
    is_of_a_choice && own.all(|text| Some(text) == first)
}

/// The value of a setting, or of all settings below it in one line.
pub fn value_of(settings: &Settings, path: &str) -> String {
    if let Some(value) = settings.get(path) {
        return value.clone();
    }
    let below = format!("{path}.");
    let parts: Vec<String> = settings
        .range(below.clone()..)
        .take_while(|(key, _)| key.starts_with(&below))
        .map(|(key, value)| format!("{} {value}", &key[below.len()..]))
        .collect();
    if parts.is_empty() { NONE.to_owned() } else { parts.join(", ") }
}

/// What heads the column of a setting: its last step, with those before it where another ends alike.
pub fn short<'a>(path: &'a str, others: &[String]) -> &'a str {
    let starts = path.rmatch_indices('.').map(|(at, _)| at + 1).chain([0]);
    let is_own = |start: &usize| {
        let end = &path[*start..];
        let ends_alike = |other: &&String| other.as_str() == end || other.ends_with(&format!(".{end}"));
        others.iter().filter(ends_alike).count() <= 1
    };
    &path[starts.into_iter().find(is_own).unwrap_or_default()..]
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use doc::expand_arms;
    use doc::file::parse;

    fn all(text: &str) -> Vec<Settings> {
        let arms = expand_arms(&parse(text, Path::new("x.ron")).unwrap()).unwrap();
        arms.iter().map(|arm| settings(&arm.spec)).collect()
    }

    #[test]
    fn only_what_differs_is_named() {
        let all = all("(sweep: { \"train.batch\": [8, 16] }, arms: [(name: \"a\", plan: [Train(\"1ep\")]), (name: \"b\",
            train: (optimizer: Sgd()), plan: [Train(\"2ep\")])])");
        let differing = differing(&all);
        assert!(
            differing.contains(&"train.batch".to_owned())
                && differing.contains(&"train.optimizer".to_owned())
        );
        assert!(differing.contains(&"plan.0.steps".to_owned()), "{differing:?}");
        assert!(!differing.iter().any(|path| path.starts_with("net") || path == "seed"));
        assert_eq!(value_of(&all[3], "train.batch"), "16");
        assert_eq!(value_of(&all[3], "train.optimizer"), "Sgd");
        assert_eq!(value_of(&all[3], "plan.0.steps"), "2ep");
    }

    #[test]
    fn lists_of_other_layers_differ_as_a_whole() {
        let differing_of = |layers: [&str; 2]| {
            let arm = |(name, layers): (&str, &str)| {
                format!("(name: \"{name}\", net: Sequential(layers: [{layers}]), plan: [Test])")
            };
            let arms: Vec<String> = ["a", "b"].into_iter().zip(layers).map(arm).collect();
            differing(&all(&format!("(arms: [{}])", arms.join(", "))))
        };
        let wider = ["Conv(channels: 4), Flatten, Linear()", "Conv(channels: 8), Flatten, Linear()"];
        assert_eq!(differing_of(wider), ["net.layers.0.channels"]);
        assert_eq!(differing_of(["Flatten, Linear()", "Flatten, Relu, Linear()"]), ["net.layers"]);
    }

    #[test]
    fn small_numbers_have_a_power_of_ten() {
        let all = all("(arms: [(name: \"a\", plan: [Test], train: (optimizer: Adam(rate: 0.001)))])");
        let of = |key: &str| value_of(&all[0], &format!("train.optimizer.{key}"));
        assert_eq!(["epsilon", "rate"].map(of), ["1e-8", "0.001"]);
    }

    #[test]
    fn plans_of_another_shape_differ_as_a_whole() {
        let all = all("(arms: [(name: \"a\", plan: [Test]), (name: \"b\", plan: [Train(\"1ep\"), Test])])");
        assert_eq!(differing(&all), ["plan"]);
        assert!(value_of(&all[1], "plan").contains("1ep"));
        assert_eq!(value_of(&all[1], "nothing"), NONE);
    }

    #[test]
    fn settings_of_one_choice_differ_only_among_those_who_made_it() {
        let all = ["train.optimizer", "train.optimizer.beta1", "data.validation"].map(str::to_owned);
        assert!(follows_from_another(&all[1], &["0.9", "0.9", NONE], &all));
        assert!(!follows_from_another(&all[1], &["0.9", "0.8", NONE], &all));
        assert!(!follows_from_another(&all[2], &["100", NONE], &all), "it is set or not by itself");
    }

    #[test]
    fn columns_have_the_shortest_name_that_is_their_own() {
        let paths = ["train.optimizer.rate", "plan.0.rate", "train.batch"].map(str::to_owned);
        assert_eq!(short(&paths[2], &paths), "batch");
        assert_eq!(short(&paths[0], &paths), "optimizer.rate");
        assert_eq!(short(&paths[1], &paths), "0.rate");
    }
}

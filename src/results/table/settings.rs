//! The settings of runs as text by path, and which of them differ.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::columns::{At, Column};
use super::{Labels, Row, plan_words};
use crate::outline::Outline;
use doc::{Run, RunSpec};
use form::number::number;
use form::{Node, Value};

/// Settings by path, as they are written in a file.
pub type Settings = BTreeMap<String, String>;

/// The value of a setting that a run does not have.
pub const NONE: &str = "–";

/// Returns the order of values: numbers by their size, then words.
pub fn compare(a: &str, b: &str) -> Ordering {
    compare_parsed((a, number_of(a)), (b, number_of(b)))
}

/// Returns the number that a value is, if it is one.
pub fn number_of(value: &str) -> Option<f64> {
    value.parse().ok()
}

/// Returns the order of values with the numbers that they are.
pub fn compare_parsed(a: (&str, Option<f64>), b: (&str, Option<f64>)) -> Ordering {
    match (a.1, b.1) {
        (Some(a), Some(b)) => a.total_cmp(&b),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => a.0.cmp(b.0),
    }
}

/// Returns all single settings of a run but its seed.
pub fn settings(spec: &RunSpec) -> Settings {
    labelled(spec, &mut Labels::default())
}

/// Returns all single settings of a run but its seed, and notes what the form calls them.
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

/// The place of a value in the form.
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

    /// Returns the part of the form that the fields of this value belong to.
    fn part(&self) -> String {
        if self.path.starts_with("plan.") || self.label.is_empty() {
            self.of.clone()
        } else {
            self.label.to_owned()
        }
    }

    /// Returns the stage at this index of a plan, as the window counts: "Stage 2", "Stage 2.1".
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
        Node::Length(length) => length.to_string(),
        Node::Number(value) => number(*value),
        _ => value.to_ron(),
    }
}

/// Lists that differ as a whole where they have other items.
const WHOLE: [&str; 2] = ["plan", LAYERS];

/// The path of a list of layers.
pub const LAYERS: &str = "net.layers";

/// Returns the settings in which these differ. Plans of different shape differ as a whole, as `plan`, and so do lists
/// of layers.
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

/// Returns true if a setting differs only because some runs do not have it, such as the momentum of one of two
/// optimizers: its choice differs likewise. `texts` are its values, `all` the paths that differ.
pub fn follows_from_another(path: &str, texts: &[&str], all: &[String]) -> bool {
    let mut own = texts.iter().filter(|text| **text != NONE);
    let first = own.next();
    let is_of_a_choice = all.iter().any(|other| path.starts_with(&format!("{other}.")));
    is_of_a_choice && own.all(|text| Some(text) == first)
}

/// Returns the value of a setting, or of all settings below it in one line.
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

/// Returns what heads the column of a setting: its last step, with those before it where another ends alike.
pub fn short<'a>(path: &'a str, others: &[String]) -> &'a str {
    let starts = path.rmatch_indices('.').map(|(at, _)| at + 1).chain([0]);
    let is_own = |start: &usize| {
        let end = &path[*start..];
        let ends_alike = |other: &&String| other.as_str() == end || other.ends_with(&format!(".{end}"));
        others.iter().filter(ends_alike).count() <= 1
    };
    &path[starts.into_iter().find(is_own).unwrap_or_default()..]
}

/// Returns the name of a swept arm without the value of one setting: "b, rate 0.1, batch 8" without the rate.
pub fn without_value(name: &str, path: &str, value: &str) -> String {
    let setting = format!(", {} ", path.rsplit('.').next().unwrap_or(path));
    let Some((before, rest)) = name.split_once(&setting) else { return name.to_owned() };
    let ends_here = |rest: &&str| rest.is_empty() || rest.starts_with(", ");
    let written = rest.find(", ").map_or(rest, |end| &rest[..end]);
    let is_same = number_of(written).is_some() && number_of(written) == number_of(value);
    let after = rest.strip_prefix(value).filter(ends_here);
    let after = after.or_else(|| is_same.then(|| &rest[written.len()..]));
    after.map_or_else(|| name.to_owned(), |after| format!("{before}{after}"))
}

/// The settings in which runs differ, kept between edits of a document: an edit leaves most arms as they are.
#[derive(Debug, Default)]
pub struct Differing {
    /// The first run of each arm, and all of its settings.
    specs: Vec<RunSpec>,
    all: Vec<Arc<Settings>>,
    /// The settings in which they differ, and what each arm has there.
    paths: Vec<String>,
    own: Vec<Arc<Settings>>,
    /// The plan of each arm in words, and in a few words.
    outlines: Vec<(Outline, Arc<str>)>,
    /// Every setting of some arm, by its path.
    known: Vec<String>,
    labels: Arc<Labels>,
}

impl Differing {
    /// Gives every row its settings, by the runs of the document; returns the paths of these.
    pub fn give(&mut self, rows: &mut [Row], runs: &[&Run]) -> &[String] {
        let mut arms: BTreeMap<&str, usize> = BTreeMap::new();
        let mut specs: Vec<&RunSpec> = Vec::new();
        for run in runs {
            arms.entry(&run.arm).or_insert_with(|| {
                specs.push(&run.spec);
                specs.len() - 1
            });
        }
        self.update(&specs);
        for row in rows {
            let Some(arm) = arms.get(row.arm.as_str()) else { continue };
            row.settings.clone_from(&self.own[*arm]);
            row.all.clone_from(&self.all[*arm]);
            row.labels.clone_from(&self.labels);
            let (outline, plan) = &self.outlines[*arm];
            (row.outline, row.plan) = (outline.clone(), plan.clone());
        }
        &self.paths
    }

    fn update(&mut self, specs: &[&RunSpec]) {
        let is_known = |index: usize| self.specs.get(index) == Some(specs[index]);
        let known: Vec<bool> = (0..specs.len()).map(is_known).collect();
        if specs.len() == self.specs.len() && known.iter().all(|known| *known) {
            return;
        }
        self.all.resize_with(specs.len(), Arc::default);
        self.outlines.resize_with(specs.len(), Default::default);
        let labels = Arc::make_mut(&mut self.labels);
        for (index, _) in known.iter().enumerate().filter(|(_, known)| !**known) {
            self.all[index] = Arc::new(labelled(specs[index], labels));
            let plan = &specs[index].plan;
            self.outlines[index] = (Outline::from_plan(plan), plan_words(plan).into());
        }
        let known: BTreeSet<&String> = self.all.iter().flat_map(|all| all.keys()).collect();
        self.known = known.into_iter().cloned().collect();
        self.specs = specs.iter().map(|spec| (*spec).clone()).collect();
        self.paths = differing(&self.all);
        let value = |all: &Arc<Settings>, path: &String| (path.clone(), value_of(all, path));
        let own = |all: &Arc<Settings>| Arc::new(self.paths.iter().map(|path| value(all, path)).collect());
        self.own = self.all.iter().map(own).collect();
        self.shorten_layers();
    }

    /// Calls lists of layers by a few words: "18 layers, 4,962 parameters", with a number where others are called so too.
    fn shorten_layers(&mut self) {
        if !self.paths.iter().any(|path| path == LAYERS) {
            return;
        }
        let labels = Arc::make_mut(&mut self.labels);
        let mut known: Vec<(&String, String)> = Vec::new();
        for (spec, own) in self.specs.iter().zip(&self.own) {
            let Some(value) = own.get(LAYERS).filter(|value| *value != NONE) else { continue };
            if known.iter().any(|(other, _)| *other == value) {
                continue;
            }
            let text = spec.network_name();
            let alike = known.iter().filter(|(_, known)| *known == text).count();
            let shown = if alike == 0 { text.clone() } else { format!("{text} ({})", alike + 1) };
            labels.shorten(LAYERS, value, [shown, spec.net.rule().description()]);
            known.push((value, text));
        }
    }

    /// Returns the paths of the settings in which the runs differ.
    pub fn paths(&self) -> &[String] {
        &self.paths
    }

    /// Returns the paths of all settings, those included in which runs agree.
    pub fn known(&self) -> &[String] {
        &self.known
    }
}

impl Column {
    /// Returns the column of a name on the command line: `last`, a setting by the end of its path, or a series as
    /// `test_loss:best`, `test_loss:last`, `test_loss@1000` (an iteration) and `test_accuracy@21%` (a level of weights).
    ///
    /// # Errors
    /// The part that is not understood, and the alternatives.
    pub fn parse(text: &str, settings: &[String]) -> Result<Self, String> {
        if let Some((_, column)) = Self::names().find(|(name, _)| *name == text) {
            return Ok(column.clone());
        }
        if let Some((series, at)) = text.split_once([':', '@']) {
            let at = At::parse(at).ok_or_else(|| {
                format!("\"{text}\": write {series}:best, {series}:last, {series}@1000 or {series}@21%")
            })?;
            return Ok(Self::Series { series: series.to_owned(), at });
        }
        ending(text, settings).unwrap_or_else(|| {
            let names: Vec<&str> = Self::names().map(|(name, _)| name).collect();
            Err(format!(
                "there is no column \"{text}\"; there are {}, settings by their paths, and series such as \
                 test_loss:best",
                names.join(", ")
            ))
        })
    }
}

/// Returns the column of the only setting whose path ends so, or the error that several do; nothing if none does.
pub fn ending(end: &str, settings: &[String]) -> Option<Result<Column, String>> {
    let ends = |path: &&String| *path == end || path.ends_with(&format!(".{end}"));
    let found: Vec<&str> = settings.iter().filter(ends).map(String::as_str).collect();
    match found.as_slice() {
        [] => None,
        [only] => Some(Ok(Column::Setting((*only).to_owned()))),
        several => Some(Err(format!("\"{end}\" can be {}", several.join(" or ")))),
    }
}

impl At {
    /// Reads "best", "last", an iteration, or a level of weights such as "21 %".
    pub fn parse(text: &str) -> Option<Self> {
        match text.trim() {
            "best" => Some(Self::Best),
            "last" => Some(Self::Last),
            text => match text.strip_suffix('%') {
                Some(percent) => {
                    let share = percent.trim().parse::<f64>().ok()? / 100.0;
                    (share > 0.0 && share <= 1.0).then_some(Self::Remaining(share))
                }
                None => text.replace(',', "").parse().ok().map(Self::Iteration),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::columns::Column;
    use super::*;
    use doc::file::parse;
    use doc::{expand_arms, runs};

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
    fn the_value_of_a_sweep_is_found_in_a_name() {
        for (name, path, value, expected) in [
            ("b, rate 0.1, batch 8", "train.optimizer.rate", "0.1", "b, batch 8"),
            ("b, rate 1e-1", "train.optimizer.rate", "0.1", "b"),
            ("b, hidden [64, 32], rate 0.1", "net.hidden", "[64, 32]", "b, rate 0.1"),
            ("b, rate 0.1", "train.optimizer.rate", "0.2", "b, rate 0.1"),
            ("b, rate 0.15", "train.optimizer.rate", "0.1", "b, rate 0.15"),
            ("batch 8", "train.batch", "8", "batch 8"),
        ] {
            assert_eq!(without_value(name, path, value), expected);
        }
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

    #[test]
    fn lists_of_layers_have_a_few_words() {
        let arm = |name: &str, layers: &str| {
            format!("(name: \"{name}\", net: Sequential(layers: [{layers}]), plan: [Test])")
        };
        let arms = [
            arm("a", "Conv(channels: 4), Flatten, Linear()"),
            arm("b", "Conv(channels: 4), Relu, Flatten, Linear()"),
            arm("c", "Conv(channels: 4), Tanh, Flatten, Linear()"),
        ];
        let text = format!("(arms: [{}])", arms.join(", "));
        let listed = runs(&parse(&text, Path::new("x.ron")).unwrap()).unwrap();
        let listed: Vec<&Run> = listed.iter().collect();
        let mut rows: Vec<Row> = listed.iter().map(|run| Row::new(run, None, "", 0)).collect();
        Differing::default().give(&mut rows, &listed);
        let column = Column::Setting(LAYERS.to_owned());
        let mut texts: Vec<String> = rows.iter().map(|row| column.text(row)).collect();
        texts.dedup();
        // 4·9 + 4, and 4·8·8·10 + 10.
        let words =
            ["3 layers, 2,610 parameters", "4 layers, 2,610 parameters", "4 layers, 2,610 parameters (2)"];
        assert_eq!(texts, words);
        let details = rows[0].labels.details(&rows[0].settings[LAYERS]).unwrap();
        assert_eq!(details, "A network of the layers [conv 4, 3×3; flatten; linear to classes]");
    }

    #[test]
    fn after_every_edit_rows_have_what_they_would_have_without_one_before() {
        let mut edited = Differing::default();
        for (batches, extra) in [
            ([8, 16], ""),
            ([8, 32], ""),
            ([8, 8], ""),
            ([8, 32], ", (name: \"c\", plan: [Test])"),
            ([8, 16], ""),
        ] {
            let [a, b] = batches.map(|batch| {
                format!("(train: (batch: {batch}), name: \"arm {batch}\", plan: [Train(\"1ep\")])")
            });
            let text =
                format!("(seeds: [1, 2], arms: [{a}, {}{extra}])", b.replace("name: \"arm", "name: \"b"));
            let listed = runs(&parse(&text, Path::new("x.ron")).unwrap()).unwrap();
            let listed: Vec<&Run> = listed.iter().collect();
            let rows = || -> Vec<Row> { listed.iter().map(|run| Row::new(run, None, "", 0)).collect() };
            let (mut again, mut fresh) = (rows(), rows());
            let paths = edited.give(&mut again, &listed).to_vec();
            assert_eq!(paths, Differing::default().give(&mut fresh, &listed));
            assert_eq!(again, fresh);
            assert_eq!(paths.contains(&"train.batch".to_owned()), batches != [8, 8] || !extra.is_empty());
        }
    }

    #[test]
    fn columns_are_named_on_the_command_line() {
        let settings = ["train.batch", "plan.0.batch", "train.rate"].map(str::to_owned);
        let parse = |text: &str| Column::parse(text, &settings);
        assert_eq!(parse("last"), Ok(Column::Last));
        assert_eq!(parse("rate"), Ok(Column::Setting("train.rate".to_owned())));
        assert_eq!(parse("batch"), Err("\"batch\" can be train.batch or plan.0.batch".to_owned()));
        assert!(parse("nothing").unwrap_err().contains("there is no column"));
        let series = |at: At| Ok(Column::Series { series: "test_loss".to_owned(), at });
        assert_eq!(parse("test_loss:best"), series(At::Best));
        assert_eq!(parse("test_loss@1000"), series(At::Iteration(1000)));
        assert_eq!(parse("test_loss@21 %"), series(At::Remaining(0.21)));
        assert!(parse("test_loss@0 %").unwrap_err().contains("test_loss@21%"));
    }
}

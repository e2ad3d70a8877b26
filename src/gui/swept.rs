//! The settings that a sweep replaces, so that forms can say so beside them.

use std::collections::BTreeMap;

use eframe::egui::{Id, Ui};

use super::document::Document;
use super::selection::Selection;
use crate::doc::Run;
use crate::form::path::{Place, Segment};
use crate::results::table::settings::{Settings, differing, settings, value_of};

/// The remark about a setting, by its path in a run: `train.optimizer.rate`.
pub type Swept = BTreeMap<String, String>;

/// From what it was computed: the revision of the document, the selected arm.
type Key = (u64, Option<usize>);

/// The settings that sweeps replace in what is selected, computed once for each edit of the document.
pub fn swept(ui: &Ui, document: &Document, selected: &Selection) -> Swept {
    let experiment = &document.experiment;
    if experiment.sweep.0.is_empty() && experiment.arms.iter().all(|arm| arm.sweep.0.is_empty()) {
        return Swept::new();
    }
    let id = Id::unique("swept settings");
    let key: Key = (document.revision(), selected.arm());
    let known: Option<(Key, Swept)> = ui.data(|data| data.get_temp(id));
    if let Some((_, found)) = known.filter(|(known, _)| *known == key) {
        return found;
    }
    let arms = document.experiment.arms.iter().map(|arm| arm.name.as_str()).enumerate();
    let arms = arms.filter(|(index, _)| selected.arm().is_none_or(|arm| arm == *index));
    let found = remarks(arms.map(|(index, name)| (name, of_arm(document.runs(), index))));
    ui.data_mut(|data| data.insert_temp(id, (key, found.clone())));
    found
}

/// The path of a setting in a run: what a form shows of an arm or of the experiment begins there with the same names.
pub fn path_of(place: &Place) -> String {
    let own = match place.0.as_slice() {
        [Segment::Key(arms), Segment::Index(_), rest @ ..] if arms == "arms" => rest,
        all => all,
    };
    let step = |segment: &Segment| match segment {
        Segment::Key(key) => Some(key.clone()),
        Segment::Index(index) => Some(index.to_string()),
        Segment::Variant(_) => None,
    };
    own.iter().filter_map(step).collect::<Vec<_>>().join(".")
}

/// The values that a sweep gives to settings of an arm, in its order.
fn of_arm(runs: &[Run], arm: usize) -> BTreeMap<String, Vec<String>> {
    let mut seen: Vec<&str> = Vec::new();
    let mut all: Vec<Settings> = Vec::new();
    for run in runs.iter().filter(|run| run.arm_index == arm) {
        if !seen.contains(&run.arm.as_str()) {
            seen.push(&run.arm);
            all.push(settings(&run.spec));
        }
    }
    let values = |path: String| {
        let mut values: Vec<String> = Vec::new();
        for value in all.iter().map(|settings| value_of(settings, &path)) {
            if !values.contains(&value) {
                values.push(value);
            }
        }
        (path, values)
    };
    differing(&all).into_iter().map(values).collect()
}

/// The remark about each setting; it names the arms where they differ.
fn remarks<'a>(arms: impl Iterator<Item = (&'a str, BTreeMap<String, Vec<String>>)>) -> Swept {
    let arms: Vec<_> = arms.collect();
    let mut found = Swept::new();
    for path in arms.iter().flat_map(|(_, values)| values.keys()) {
        let of = |(name, values): &(&'a str, BTreeMap<String, Vec<String>>)| {
            Some((*name, values.get(path)?.join(", ")))
        };
        let own: Vec<(&str, String)> = arms.iter().filter_map(of).collect();
        let is_same = own.len() == arms.len() && own.iter().all(|(_, values)| *values == own[0].1);
        let parts: Vec<String> = if is_same {
            vec![format!("Swept: {}", own[0].1)]
        } else {
            own.iter().map(|(name, values)| format!("Swept in {name}: {values}")).collect()
        };
        found.insert(path.clone(), format!("{} (replaces this value)", parts.join("; ")));
    }
    found
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::doc::{file::parse, runs};

    #[test]
    fn swept_settings_are_told_with_their_values_and_their_arm() {
        let text = r#"(arms: [
            (name: "a", sweep: { "train.batch": [8, 16], "train.optimizer.rate": [0.2, 0.1] }, plan: [Train("1ep")]),
            (name: "b", sweep: { "train.batch": [8, 16], "plan.0.steps": ["1ep", "2ep"] }, plan: [Train("1ep")]),
        ], seeds: [1, 2])"#;
        let runs = runs(&parse(text, Path::new("x.ron")).unwrap()).unwrap();
        let all = remarks([("a", of_arm(&runs, 0)), ("b", of_arm(&runs, 1))].into_iter());
        assert_eq!(all["train.batch"], "Swept: 8, 16 (replaces this value)");
        assert_eq!(all["train.optimizer.rate"], "Swept in a: 0.2, 0.1 (replaces this value)");
        let one = remarks([("b", of_arm(&runs, 1))].into_iter());
        assert_eq!(one["plan.0.steps"], "Swept: 1ep, 2ep (replaces this value)");
        assert_eq!(one.len(), 2);
    }

    #[test]
    fn a_place_of_an_arm_is_a_path_of_its_runs() {
        let root = Place::default();
        let stage = root.key("arms").index(1).key("plan").index(0).variant("Train").key("steps");
        assert_eq!(path_of(&stage), "plan.0.steps");
        assert_eq!(
            path_of(&root.key("train").key("optimizer").variant("Sgd").key("rate")),
            "train.optimizer.rate"
        );
    }
}

//! Settings that a sweep replaces: which ones, with which values, and by whose sweep.

use doc::{Arm, Experiment, RunSpec, settings_of};
use form::path::{Place, Segment, each};
use form::{Field, Overrides};

/// A setting that a sweep replaces.
#[derive(Clone, Debug, PartialEq)]
pub struct Swept {
    /// Position of the arm that sweeps it; `None` where the experiment does, for all arms.
    pub arm: Option<usize>,
    pub path: String,
    pub values: String,
    /// The settings of a run that it replaces.
    pub places: Vec<Place>,
}

impl Swept {
    /// Counts the values; 0 where they are no list.
    pub fn count(&self) -> usize {
        Overrides::items(&self.values).map_or(0, |items| items.len())
    }

    /// Returns the place of the sweep in the document.
    pub fn place(&self) -> Place {
        let root = Place::default();
        self.arm.map_or(root.clone(), |arm| root.key("arms").index(arm)).key("sweep").key(&self.path)
    }
}

/// Returns all settings that sweeps replace.
pub fn swept(experiment: &Experiment) -> Vec<Swept> {
    let mut found = Vec::new();
    let mut add = |arm: Option<usize>, sweep: &Overrides, settings: Option<&Arm>| {
        if sweep.0.is_empty() {
            return;
        }
        let mut spec = settings_of(experiment, settings);
        found.extend(sweep.0.iter().map(|(path, values)| {
            let places = places(&mut spec, path);
            Swept { arm, path: path.clone(), values: values.clone(), places }
        }));
    };
    add(None, &experiment.sweep, experiment.arms.first());
    for (index, arm) in experiment.arms.iter().enumerate() {
        add(Some(index), &arm.sweep, Some(arm));
    }
    found
}

/// Returns the settings that an address means.
fn places(spec: &mut RunSpec, path: &str) -> Vec<Place> {
    let mut places = Vec::new();
    let note = &mut |_: &mut dyn form::Value, found: &form::path::Found| {
        places.push(found.place.clone());
        Ok(())
    };
    let _ = each(spec, path, note); // an address of nothing is a problem of the document
    places
}

/// Returns the arm whose settings a place belongs to, and the same setting in a run; nothing where a run has no such
/// setting.
pub fn in_run(place: &Place) -> Option<(Option<usize>, Place)> {
    let (arm, own) = match place.0.as_slice() {
        [Segment::Key(arms), Segment::Index(arm), rest @ ..] if arms == "arms" => (Some(*arm), rest),
        all => (None, all),
    };
    let is_of_run = matches!(own.first(), Some(Segment::Key(key))
        if ["data", "net", "train", "device", "plan"].contains(&key.as_str()));
    is_of_run.then(|| (arm, Place(own.to_vec())))
}

/// Returns the address of a setting of a run. Alternatives are left out, so that it also holds where another one is
/// chosen; a value that an alternative carries is named by it.
pub fn path_of(place: &Place) -> String {
    let last = place.0.len().saturating_sub(1);
    let step = |(position, segment): (usize, &Segment)| match segment {
        Segment::Key(key) => Some(key.clone()),
        Segment::Index(index) => Some(index.to_string()),
        Segment::Variant(name) => (position == last).then(|| name.clone()),
    };
    place.0.iter().enumerate().filter_map(step).collect::<Vec<_>>().join(".")
}

/// Returns what a setting of a run is called: its label, and what it belongs to, such as `4.1 Prune` or `Training,
/// Optimizer`.
pub fn label_of(place: &Place, fields: &[Field]) -> (String, String) {
    let mut numbers: Vec<String> = Vec::new();
    let mut around: Vec<String> = Vec::new();
    let mut fields = fields.iter();
    let mut stage = None;
    let mut label = String::new();
    for (position, segment) in place.0.iter().enumerate() {
        match segment {
            Segment::Index(index) => {
                numbers.push((index + 1).to_string());
                around.clear();
                label.clear();
                stage = None;
            }
            Segment::Key(_) => {
                around.extend((!label.is_empty()).then(|| std::mem::take(&mut label)));
                label = fields.next().map(|field| field.label.to_owned()).unwrap_or_default();
            }
            Segment::Variant(_) => {
                let variant = fields.next().map(|field| field.label.to_owned()).unwrap_or_default();
                let is_stage =
                    matches!(place.0[position - 1], Segment::Index(_)) || stage.is_some() && label.is_empty();
                if is_stage {
                    stage = Some(variant);
                }
            }
        }
    }
    let stage = (!numbers.is_empty()).then(|| {
        let number = numbers.join(".");
        stage.map_or_else(|| number.clone(), |stage| format!("{number} {stage}"))
    });
    let around: Vec<String> = stage.into_iter().chain(around).collect();
    (label, around.join(", "))
}

/// Counts the runs: `6 × 4 settings × 5 seeds = 120 runs`; nothing where nothing is swept. `arm` is one of the
/// experiment, or all.
pub fn runs_text(experiment: &Experiment, swept: &[Swept], arm: Option<usize>) -> Option<String> {
    use form::number::counted;
    let own = |swept: &&Swept| swept.arm.is_none() || swept.arm == arm;
    let counts: Vec<usize> = swept.iter().filter(own).map(Swept::count).collect();
    let (last, first) = counts.split_last()?;
    let first = first.iter().fold(String::new(), |text, count| text + &count.to_string() + " × ");
    let seeds = experiment.seeds.len();
    let arms = if arm.is_some() { 1 } else { experiment.arms.len() };
    let runs = counts.iter().product::<usize>() * seeds * arms;
    let arms = if arm.is_some() { String::new() } else { format!("{} × ", counted(arms, "arm")) };
    let last = counted(*last, "setting");
    Some(format!("{arms}{first}{last} × {} = {}", counted(seeds, "seed"), counted(runs, "run")))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use doc::file::parse;

    const TEXT: &str = r#"(arms: [
        (name: "a", sweep: { "train.batch": [8, 16], "train.optimizer.rate": [0.2, 0.1, 0.05] }, plan: [Train("1ep")]),
        (name: "b", sweep: { "plan.**.Prune.amount.Fraction": [0.1] }, plan: [Repeat(times: 2, body: [Do(Prune())])]),
    ], seeds: [1, 2])"#;

    #[test]
    fn swept_settings_are_known_by_their_places() {
        let experiment = parse(TEXT, Path::new("x.ron")).unwrap();
        let found = swept(&experiment);
        let places: Vec<String> = found.iter().map(|swept| swept.places[0].to_string()).collect();
        assert_eq!(
            places,
            ["train.batch", "train.optimizer.Adam.rate", "plan[0].Repeat.body[0].Do.Prune.amount.Fraction"]
        );
        assert_eq!(found[1].count(), 3);
        assert_eq!(found[1].place().to_string(), "arms[0].sweep.train.optimizer.rate");
        assert_eq!(path_of(&found[2].places[0]), "plan.0.body.0.amount.Fraction");
        let text = runs_text(&experiment, &found, Some(0)).unwrap();
        assert_eq!(text, "2 × 3 settings × 2 seeds = 12 runs");
        assert_eq!(runs_text(&experiment, &found[2..], Some(0)), None);
    }

    #[test]
    fn a_place_of_an_arm_is_a_setting_of_its_runs() {
        let root = Place::default();
        let stage = root.key("arms").index(1).key("plan").index(0).variant("Train").key("steps");
        let (arm, place) = in_run(&stage).unwrap();
        assert_eq!((arm, path_of(&place).as_str()), (Some(1), "plan.0.steps"));
        assert_eq!(in_run(&root.key("seeds")), None);
    }

    #[test]
    fn settings_are_called_by_their_labels() {
        let experiment = parse(TEXT, Path::new("x.ron")).unwrap();
        let label = |arm: usize, path: &str| {
            let mut found = None;
            let mut spec = settings_of(&experiment, Some(&experiment.arms[arm]));
            each(&mut spec, path, &mut |_, at| {
                found = Some(label_of(&at.place, &at.fields));
                Ok(())
            })
            .unwrap();
            let (label, around) = found.unwrap();
            format!("{label} | {around}")
        };
        assert_eq!(label(0, "train.optimizer.rate"), "Learning rate | Training, Optimizer");
        assert_eq!(label(0, "train.batch"), "Batch size | Training");
        assert_eq!(label(1, "plan.**.Prune.amount.Fraction"), "Amount | 1.1 Prune");
        assert_eq!(label(0, "plan.0.steps"), "Length | 1 Train");
    }
}

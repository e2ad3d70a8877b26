//! Sentences of interventions.

use super::words::{self, counted, joined, listed, number, percent, share};
use crate::doc::intervention::{
    FileContent, Freeze, Graft, Held, HeldAt, Intervention, Params, Prune, Release, Select, Set, Target,
    Watch, WeightFile,
};
use crate::form::number::grouped;
use crate::intervene::{Amount, Criterion, Scope};

impl Intervention {
    /// The intervention in one short sentence.
    pub fn sentence(&self) -> String {
        match self {
            Self::Prune(prune) => prune_sentence(prune),
            Self::Freeze(freeze) => freeze_sentence(freeze),
            Self::Release(release) => release_sentence(release),
            Self::Fault(fault) => fault.sentence(),
            Self::Snapshot(snapshot) => format!("Snapshot {}", snapshot.name),
            Self::Graft(graft) => graft_sentence(graft),
            Self::Set(set) => set_sentence(set),
            Self::Reinitialize(settings) => match part(&settings.target) {
                None => "Reinitialize".to_owned(),
                Some(part) => format!("Reinitialize {part}"),
            },
            Self::ShuffleMask(shuffle) => match shuffle.scope {
                Scope::PerLayer => "Shuffle the mask within each layer".to_owned(),
                Scope::Global => "Shuffle the mask across layers".to_owned(),
            },
            Self::Watch(watch) => watch_sentence(watch),
            Self::Import(file) => file_sentence("Import", "from", file),
            Self::Export(file) => file_sentence("Export", "to", file),
        }
    }
}

/// The part of a network that a target means; nothing when it is all of it.
fn part(target: &Target) -> Option<String> {
    words::target(target, &Params::Everything)
}

fn prune_sentence(prune: &Prune) -> String {
    let Prune { criterion, amount, scope, output_factor, target } = prune;
    let named = (*target != Target::default()).then(|| words::target(target, &Params::Weights)).flatten();
    let of = named.as_ref().map(|part| format!(" of {part}")).unwrap_or_default();
    let by = by(criterion);
    let what = match amount {
        Amount::Fraction(fraction) => format!("Prune {}{of} {by}", percent(*fraction)),
        Amount::Remaining(rest) => {
            let part = named.map(|part| format!(" {part}")).unwrap_or_default();
            format!("Prune{part} {by} until {} remain", percent(*rest))
        }
        Amount::Count(count) => format!("Prune {}{of} {by}", entries(*count)),
        Amount::Threshold(bound) => {
            return format!(
                "Prune {} below {}",
                named.unwrap_or_else(|| "weights".to_owned()),
                number(*bound)
            );
        }
    };
    let scope = match scope {
        Scope::PerLayer => "per layer",
        Scope::Global => "over all layers",
    };
    joined([Some(what), Some(scope.to_owned()), output(*output_factor)])
}

/// What happens to the output layer, where it is treated differently.
fn output(factor: f64) -> Option<String> {
    if factor >= 1.0 {
        None
    } else if factor <= 0.0 {
        Some("output left out".to_owned())
    } else if (factor - 0.5).abs() < f64::EPSILON {
        Some("output at half rate".to_owned())
    } else {
        Some(format!("output at {} of the rate", percent(factor)))
    }
}

fn by(criterion: &Criterion) -> String {
    match criterion {
        Criterion::Random => "at random".to_owned(),
        Criterion::Magnitude => "by magnitude".to_owned(),
        other => format!("by {}", other.label()),
    }
}

pub(super) fn entries(count: u64) -> String {
    if count == 1 { "1 entry".to_owned() } else { format!("{} entries", grouped(count)) }
}

fn file_sentence(verb: &str, towards: &str, settings: &WeightFile) -> String {
    let WeightFile { file, content, target } = settings;
    let part = part(target);
    match (content, part) {
        (FileContent::Values, None) => format!("{verb} weights {towards} {file}"),
        (FileContent::Values, Some(part)) => format!("{verb} {part} {towards} {file}"),
        (FileContent::Mask, None) => format!("{verb} the mask {towards} {file}"),
        (FileContent::Mask, Some(part)) => format!("{verb} the mask of {part} {towards} {file}"),
    }
}

fn freeze_sentence(freeze: &Freeze) -> String {
    let Freeze { target, select, at, use_statistics } = freeze;
    let part = part(target).unwrap_or_else(|| "everything".to_owned());
    let what = match select {
        Select::All => format!("Freeze {part}"),
        Select::Largest(fraction) => format!("Freeze {} of {part}, the largest", share(*fraction)),
        Select::Smallest(fraction) => format!("Freeze {} of {part}, the smallest", share(*fraction)),
        Select::Random(fraction) => format!("Freeze {} of {part}, drawn at random", share(*fraction)),
        Select::Indices(indices) => format!("Freeze {} of {part}, as listed", entries(indices.len() as u64)),
        Select::Mask(file) => format!("Freeze {part} where {file} is not zero"),
    };
    let at = match at {
        HeldAt::Own => None,
        HeldAt::Zero => Some("at zero".to_owned()),
        HeldAt::Value(value) => Some(format!("at {}", number(*value))),
        HeldAt::Snapshot(name) => Some(format!("at the values of {name}")),
    };
    let norms = use_statistics.then(|| "batch norms by their running statistics".to_owned());
    joined([Some(what), at, norms])
}

fn release_sentence(release: &Release) -> String {
    let Release { target, what } = release;
    let what: Vec<&str> = what
        .iter()
        .map(|held| match held {
            Held::Frozen => "frozen entries",
            Held::Faults => "faults",
            Held::Pruned => "pruned entries",
        })
        .collect();
    let of = part(target).map(|part| format!(" of {part}")).unwrap_or_default();
    format!("Release {}{of}", listed(&what))
}

fn graft_sentence(graft: &Graft) -> String {
    let Graft { from, target, weights } = graft;
    if !weights {
        return format!("Rewind to the position of {from}, weights as they are");
    }
    match part(target) {
        None => format!("Graft from {from}"),
        Some(part) => format!("Graft {part} from {from}"),
    }
}

fn set_sentence(set: &Set) -> String {
    let Set { parameter, indices, value } = set;
    let value = number(*value);
    match indices.as_slice() {
        [] => format!("Set {parameter} to {value}"),
        [index] => format!("Set {parameter}[{index}] to {value}"),
        several => format!("Set {} of {parameter} to {value}", entries(several.len() as u64)),
    }
}

fn watch_sentence(watch: &Watch) -> String {
    let Watch { lag, penalty, layers } = watch;
    let ago = counted(*lag as u64, "step");
    let part = words::layers(layers).unwrap_or_else(|| "the network".to_owned());
    let pull = (*penalty > 0.0).then(|| format!("pulled towards it with penalty {}", number(*penalty)));
    joined([Some(format!("Watch {part} of {ago} ago")), pull])
}

#[cfg(test)]
mod tests {
    use crate::doc::Intervention;
    use crate::form::ron_text;

    fn said(intervention: &str) -> String {
        let intervention: Intervention =
            ron_text::from_str(intervention).unwrap_or_else(|error| panic!("{intervention}: {error}"));
        intervention.sentence()
    }

    #[test]
    fn pruning_says_how_much_by_what_and_where() {
        assert_eq!(
            said("Prune(criterion: Magnitude, amount: Fraction(0.2), scope: PerLayer, output_factor: 0.5)"),
            "Prune 20 % by magnitude, per layer, output at half rate"
        );
        assert_eq!(
            said("Prune(criterion: Random, amount: Remaining(0.1), scope: Global, output_factor: 0.0)"),
            "Prune at random until 10 % remain, over all layers, output left out"
        );
        assert_eq!(
            said("Prune(amount: Threshold(0.01), target: (params: WeightsAndBiases))"),
            "Prune weights and biases below 0.01"
        );
        assert_eq!(
            said(r#"Prune(amount: Count(1), target: (layers: Only(["fc1"])))"#),
            "Prune 1 entry of fc1's weights by magnitude, per layer"
        );
    }

    #[test]
    fn freezing_says_which_entries_and_at_what() {
        assert_eq!(
            said(r#"Freeze(target: (layers: Only(["fc1"]), params: Weights), select: Largest(0.5))"#),
            "Freeze half of fc1's weights, the largest"
        );
        assert_eq!(said("Freeze(target: (layers: First(1)))"), "Freeze the first layer");
        assert_eq!(
            said(
                r#"Freeze(target: (layers: Only(["fc2"]), params: Weights), select: Indices([0, 7, 8191]))"#
            ),
            "Freeze 3 entries of fc2's weights, as listed"
        );
        assert_eq!(said("Freeze(at: Zero)"), "Freeze everything, at zero");
    }

    #[test]
    fn releasing_says_what_is_let_go() {
        assert_eq!(said("Release(what: [Faults])"), "Release faults");
        assert_eq!(
            said(r#"Release(target: (layers: Only(["fc1"])), what: [Frozen])"#),
            "Release frozen entries of fc1"
        );
    }

    #[test]
    fn copies_say_from_where() {
        assert_eq!(said(r#"Snapshot(name: "iteration 10")"#), "Snapshot iteration 10");
        assert_eq!(said(r#"Graft(from: "init")"#), "Graft from init");
        assert_eq!(
            said(r#"Graft(from: "init", weights: false)"#),
            "Rewind to the position of init, weights as they are"
        );
        assert_eq!(said(r#"Export(file: "before.safetensors")"#), "Export weights to before.safetensors");
        assert_eq!(
            said(r#"Import(file: "a.safetensors", target: (layers: Last(1)))"#),
            "Import the last layer from a.safetensors"
        );
        assert_eq!(said(r#"Set(parameter: "fc2.bias", indices: [3], value: 2.0)"#), "Set fc2.bias[3] to 2");
    }

    #[test]
    fn the_rest_is_short() {
        assert_eq!(said("Reinitialize()"), "Reinitialize");
        assert_eq!(said("ShuffleMask()"), "Shuffle the mask within each layer");
        assert_eq!(said("Watch(lag: 1)"), "Watch the network of 1 step ago");
        assert_eq!(
            said("Watch(lag: 8, penalty: 1.0)"),
            "Watch the network of 8 steps ago, pulled towards it with penalty 1"
        );
    }
}

//! Words that several sentences share.

use crate::targets::{Layers, Params, Target};
use form::number::listed;
use form::{Steps, StepsUnit};

pub use form::number::{counted, number, share_in_percent as percent};

/// Returns `5 epochs`, `1 iteration`.
pub fn length(steps: Steps) -> String {
    match steps.unit {
        StepsUnit::Epochs => counted(steps.count, "epoch"),
        StepsUnit::Iterations => counted(steps.count, "iteration"),
    }
}

/// Numbers a stage as plans show it, counted from 1, from its place as results have it, counted from 0: `1.0` is stage
/// `2.1`. A campaign that comes again keeps its number: `1.0#2` is `2.1#2`.
pub fn stage_number(place: &str) -> String {
    let (path, rest) = place.split_at(place.find('#').unwrap_or(place.len()));
    let number = |step: &str| step.parse().map_or_else(|_| step.to_owned(), |n: u64| (n + 1).to_string());
    let numbers: Vec<String> = path.split('.').map(number).collect();
    format!("{}{rest}", numbers.join("."))
}

/// Returns the name of a run: "dense, seed 1".
pub fn named(arm: &str, seed: u64) -> String {
    format!("{arm}, seed {seed}")
}

/// Puts a capital letter at the head of a text, unless that begins with a file.
pub fn capitalised(text: &str) -> String {
    let word = text.split([' ', ':']).next().unwrap_or_default();
    if word.contains('.') {
        return text.to_owned();
    }
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Puts a small letter at the head of a text.
pub fn uncapitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

/// Joins the parts of a sentence that there are, with commas between.
pub fn joined<const N: usize>(parts: [Option<String>; N]) -> String {
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Names the layers of a target; nothing when it is all of them.
pub fn layers(layers: &Layers) -> Option<String> {
    match layers {
        Layers::All => None,
        Layers::Only(names) => Some(listed(names)),
        Layers::Except(names) => Some(format!("all layers but {}", listed(names))),
        Layers::First(1) => Some("the first layer".to_owned()),
        Layers::First(count) => Some(format!("the first {count} layers")),
        Layers::Last(1) => Some("the last layer".to_owned()),
        Layers::Last(count) => Some(format!("the last {count} layers")),
    }
}

const fn params(params: &Params) -> Option<&'static str> {
    match params {
        Params::Weights => Some("weights"),
        Params::Biases => Some("biases"),
        Params::WeightsAndBiases => Some("weights and biases"),
        Params::Norm => Some("norm parameters"),
        Params::RunningStatistics => Some("running statistics"),
        Params::Everything => None,
        Params::Activations => Some("outputs"),
        Params::Preactivations => Some("outputs before the non-linearity"),
    }
}

/// Names the part of a network that a target means where it names no kind of parameters; nothing when it is all of it.
pub fn part(asked: &Target) -> Option<String> {
    target(asked, &Params::Everything)
}

/// Names what a target means: `fc1's weights`, `biases of fc1 and fc2`, `the first layer`; nothing when it is everything.
/// `usual` is the kind of parameters when none is named.
pub fn target(target: &Target, usual: &Params) -> Option<String> {
    let Target { layers: which, params: kind, channels } = target;
    let is_one = matches!(which, Layers::First(1) | Layers::Last(1))
        || matches!(which, Layers::Only(names) if names.len() == 1);
    let words = match (layers(which), params(kind.as_ref().unwrap_or(usual))) {
        (None, None) => None,
        (None, Some(kind)) => Some(kind.to_owned()),
        (Some(layers), None) => Some(layers),
        (Some(layer), Some(kind)) if is_one => Some(format!("{layer}'s {kind}")),
        (Some(layers), Some(kind)) => Some(format!("{kind} of {layers}")),
    };
    if channels.is_empty() {
        return words;
    }
    let noun = if channels.len() == 1 { "output channel" } else { "output channels" };
    let channels: Vec<String> = channels.iter().map(ToString::to_string).collect();
    let words = words.unwrap_or_else(|| "every layer".to_owned());
    Some(format!("{noun} {} of {words}", listed(&channels)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_a_person_would() {
        assert_eq!([0.0, 0.0001, 1e-5, 1200.0].map(number), ["0", "0.0001", "1e-5", "1200"]);
        assert_eq!([0.2, 0.07, 0.125].map(percent), ["20 %", "7 %", "12.5 %"]);
    }

    #[test]
    fn stages_are_counted_from_1() {
        assert_eq!(["0", "1.0", "1.0.9#2", ""].map(stage_number), ["1", "2.1", "2.1.10#2", ""]);
    }

    #[test]
    fn a_target_names_what_is_not_usual() {
        let of = |layers, params, channels| Target { layers, params, channels };
        let one = Layers::Only(vec!["fc1".to_owned()]);
        let two = Layers::Only(vec!["fc1".to_owned(), "fc2".to_owned()]);
        let in_words = |asked: Target| target(&asked, &Params::Everything).unwrap_or_default();
        assert_eq!(in_words(Target::default()), "");
        assert_eq!(in_words(of(one.clone(), None, vec![])), "fc1");
        assert_eq!(in_words(of(one, Some(Params::Weights), vec![])), "fc1's weights");
        assert_eq!(in_words(of(two, Some(Params::Biases), vec![])), "biases of fc1 and fc2");
        assert_eq!(
            in_words(of(Layers::First(2), None, vec![0, 3])),
            "output channels 0 and 3 of the first 2 layers"
        );
    }
}

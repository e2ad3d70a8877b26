//! Outcomes of single faults by bit or layer.

use std::collections::BTreeMap;

use super::campaigns::{MASKED, bits, drawn, has_outcomes, layers, note, parts};
use super::{ArmRuns, Controls, Plot};
use crate::axis::Axis;
use crate::model::{Bars, Figure, Note};
use results::campaign::{Chosen, Tally};
use results::tiles::Group;
use results::view::PlotOptions;

pub const BY_BIT: Plot = Plot {
    name: "outcomes-bit",
    title: "Outcomes by bit",
    group: Group::Faults,
    subject: "outcomes by bit",
    help: "Which bits are critical? Outcomes of the images under a single fault, by the bit with \
           the fault and its field in the number format. SDC-1: another class; SDC-5: the golden \
           class is not among the top five; DUE: NaN or infinity; masked images are hidden until \
           you click them in the legend. Needs a Campaign stage with one fault in each trial. It shows what is selected on the left, with a panel for each setting.",
    controls: Controls::of_arm("Bit"),
    build: by_bit,
    hidden: &[MASKED],
    has_data_of: Some(has_outcomes),
    lacks: "it needs results of a Campaign stage with one fault in each trial",
    ..Plot::BASE
};

fn by_bit(arms: &[ArmRuns], options: &PlotOptions) -> Figure {
    let all: Vec<_> = arms.iter().map(|arm| drawn(arm, options)).collect();
    let (bits, categories) = bits(&all);
    let (bars, note) = stacked(arms, &all, &bits, |drawn| drawn.sums(|_, outcome| outcome.bit));
    Figure {
        x: Axis::named("Bit", categories),
        y: Axis::percent("Share of images"),
        bars,
        note,
        ..Figure::default()
    }
}

pub const BY_LAYER: Plot = Plot {
    name: "outcomes-layer",
    title: "Outcomes by layer",
    group: Group::Faults,
    subject: "outcomes by layer",
    help: "Which layers are critical? Outcomes of the images under a single fault, by the layer \
           with the fault. SDC-1: another class; SDC-5: the golden class is not among the top five; \
           DUE: NaN or infinity; masked images are hidden until you click them in the legend. Needs a \
           Campaign stage with one fault in each trial. It shows what is \
           selected on the left, with a panel for each setting.",
    controls: Controls::of_arm("Share of images"),
    build: by_layer,
    hidden: &[MASKED],
    has_data_of: Some(has_outcomes),
    lacks: "it needs results of a Campaign stage with one fault in each trial",
    ..Plot::BASE
};

fn by_layer(arms: &[ArmRuns], options: &PlotOptions) -> Figure {
    let all: Vec<_> = arms.iter().map(|arm| drawn(arm, options)).collect();
    let layers = layers(&all);
    let (bars, note) = stacked(arms, &all, &layers, |drawn| {
        drawn.sums(|campaign, outcome| campaign.began.layers.get(outcome.layer).cloned())
    });
    let x = Axis::percent("Share of images");
    let y = Axis { reversed: true, ..Axis::of_names("Layer", layers) };
    Figure { x, y, bars, note, ..Figure::default() }
}

/// Returns the bars of all arms with outcomes, and a note. Arms are side by side.
fn stacked<K: Ord>(
    arms: &[ArmRuns],
    all: &[Chosen<'_>],
    categories: &[K],
    sums: impl Fn(&Chosen<'_>) -> BTreeMap<K, (u64, Tally)>,
) -> (Vec<Bars>, Note) {
    let mut of_arms: Vec<Vec<Bars>> = Vec::new();
    let (mut trials, mut captions) = (Vec::new(), Vec::new());
    for (arm, drawn) in arms.iter().zip(all) {
        let sums = sums(drawn);
        if sums.is_empty() {
            continue;
        }
        let tallies: Vec<Option<Tally>> =
            categories.iter().map(|category| sums.get(category).map(|(_, tally)| *tally)).collect();
        captions.push(drawn.caption.clone());
        trials.push((arm.name.clone(), sums.values().map(|(trials, _)| trials).sum()));
        of_arms.push(parts(&arm.name, &tallies));
    }
    let classes = of_arms.first().map_or(0, Vec::len);
    let bars = (0..classes).flat_map(|class| of_arms.iter().map(move |bars| bars[class].clone())).collect();
    (bars, note("share of images, mean over single faults", trials, captions))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{arm, outcome, single_faults};
    use super::*;
    use crate::model::{bar_parts, stacks};

    #[test]
    fn shares_of_each_bit_add_up_to_all_images_and_fields_are_named() {
        let runs = [
            single_faults(vec![outcome(0, 30, 8), outcome(1, 30, 4)]),
            single_faults(vec![outcome(0, 0, 0)]),
        ];
        let figure = by_bit(&[arm("a", 0, &runs)], &PlotOptions::default());
        let names: Vec<_> = figure.x.categories.iter().map(|c| (c.name.as_str(), c.group.as_str())).collect();
        assert_eq!(names, [("b30", "exponent"), ("b0", "mantissa")]);
        let values: Vec<_> = figure.bars.iter().map(|bars| bars.values.clone()).collect();
        // 20 images: 8 masked, 12 with another class, of which 6 lost the golden class from their top five.
        assert_eq!(values, [[0.3, 0.0], [0.3, 0.0], [0.0, 0.0], [0.0, 0.0], [0.4, 1.0]]);
        let heads: Vec<f64> = bar_parts(&figure)
            .iter()
            .filter(|part| part.bars.name == MASKED)
            .map(|part| part.ends[1])
            .collect();
        assert!(heads.iter().all(|head| (head - 1.0).abs() < 1e-12), "{heads:?}");
        assert_eq!(figure.note.trials, [("a".to_owned(), 3)]);
    }

    #[test]
    fn layers_stand_in_the_order_of_the_network_and_arms_side_by_side() {
        let (a, b) = (
            [single_faults(vec![outcome(1, 3, 10)])],
            [single_faults(vec![outcome(0, 3, 0), outcome(1, 3, 5)])],
        );
        let figure = by_layer(&[arm("a", 0, &a), arm("b", 0, &b)], &PlotOptions::default());
        assert!(figure.is_lying() && figure.y.reversed);
        assert_eq!(stacks(&figure), ["a", "b"]);
        let layers: Vec<_> = figure.y.categories.iter().map(|category| category.name.as_str()).collect();
        assert_eq!(layers, ["fc1", "fc2"]);
        assert!(figure.bars[0].values[0].is_nan(), "the first arm has no fault in fc1");
        let caption = "share of images, mean over single faults: a (1 trial); b (2 trials), all images";
        assert!(figure.note.text("").starts_with(caption), "{:?}", figure.note);
    }
}

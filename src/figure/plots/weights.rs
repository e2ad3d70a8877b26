//! Recorded statistics of the weights during training.

use super::curves::{Averaged, Series, averaged, by_path, figure, lines};
use super::{ArmRuns, Controls, Plot, x_axis};
use crate::axis::Axis;
use crate::distinct;
use crate::model::Figure;
use crate::palette::style_of;
use results::RunRecord;
use results::tiles::Group;
use results::view::PlotOptions;
use results::weights::{Measure, parts, series};

pub const PLOT: Plot = Plot {
    name: "weight-statistics",
    title: "Weight statistics",
    group: Group::Weights,
    subject: "statistics of the weights",
    help: "How do the weights of each layer change during training? A line for each layer of the selected arm, or for \
           one layer in all arms: the mean, standard deviation, L2 norm or share of zeros of its weights, or the L2 \
           norm of their gradient on the last mini-batch. A gradient norm near 0 means that a layer no longer learns; \
           pruned weights count as zeros. Needs \u{201c}Weights over training\u{201d} in the settings of the training, \
           which is off by default since it costs time at each evaluation.",
    controls: Controls { weights: true, ..Controls::ALL },
    build,
    has_data_of: Some(is_about),
    lacks: "these runs recorded no weights. Choose what to record under Training details, Weights over training, and run again",
    ..Plot::BASE
};

fn is_about(record: &RunRecord) -> bool {
    record.series().any(|name| parts(name).is_some())
}

fn build(arms: &[ArmRuns], options: &PlotOptions) -> Figure {
    let measure = options.weights.measure;
    let y = match measure {
        Measure::Zeros => Axis::percent(measure.label()),
        Measure::Mean => Axis::new(measure.label(), ""),
        Measure::Deviation | Measure::Norm | Measure::GradientNorm => {
            Axis::new(measure.label(), "").positive()
        }
    };
    // A parameter that was chosen for other runs may be gone.
    let chosen = options.weights.parameter.as_deref();
    if let Some(parameter) = chosen.filter(|chosen| parameters(arms).iter().any(|known| known == chosen)) {
        let name = series(parameter, measure);
        let series = Series { name: &name, suffix: "", dash: None };
        let drawn = arms.iter().flat_map(|arm| lines(arm, &series, options)).collect();
        let mut figure = figure(x_axis(&options.x), y, drawn, options);
        figure.add_note(parameter);
        return figure;
    }
    let recorded = || arms.iter().filter(|arm| arm.runs.iter().any(|(_, record)| is_about(record)));
    let selected = recorded().find(|arm| options.arm.as_ref() == Some(&arm.name));
    let Some(arm) = selected.or_else(|| recorded().next()) else { return Figure::default() };
    let options = options.without_rounds();
    let drawn = of_arm(arm, measure, &options);
    let mut figure = figure(x_axis(&options.x), y, drawn, &options);
    figure.add_note(&arm.name);
    figure
}

/// Returns a line for each parameter of the main branch; of an ensemble, of its first member.
fn of_arm(arm: &ArmRuns, measure: Measure, options: &PlotOptions) -> Vec<Averaged> {
    let line = |(index, parameter): (usize, &String)| {
        let paths = by_path(arm, &series(parameter, measure), options);
        let main = paths
            .into_iter()
            .find(|(path, _)| path.branch.is_empty() && path.member.is_none_or(|member| member == 1));
        main.map(|(_, curves)| averaged(arm, parameter, style_of(index), curves, options))
    };
    parameters(std::slice::from_ref(arm)).iter().enumerate().filter_map(line).collect()
}

/// Returns the recorded parameters of these arms, in the order of the network.
pub fn parameters(arms: &[ArmRuns]) -> Vec<String> {
    let records = arms.iter().flat_map(|arm| &arm.runs).map(|(_, record)| record);
    let of_record = |record: &RunRecord| {
        let of_series = |name: &str| {
            let (parameter, _) = parts(name)?;
            Some((record.points().first_of(name)?, parameter.to_owned()))
        };
        let mut found: Vec<(usize, String)> = record.series().filter_map(of_series).collect();
        found.sort();
        found.into_iter().map(|(_, parameter)| parameter)
    };
    distinct(records.flat_map(of_record))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{arm, at, record};
    use super::*;
    use results::view::XAxis;
    use results::weights::WeightLines;

    fn recorded(norms: [f64; 2]) -> RunRecord {
        record([
            at("test_accuracy", 1.0, 0.5),
            at("features.2.weight norm", 1.0, norms[0]),
            at("features.2.weight gradient norm", 1.0, 0.125),
            at("classifier.weight norm", 1.0, norms[1]),
            at("features.2.weight norm", 2.0, norms[0] + 1.0),
            at("classifier.weight norm", 2.0, norms[1] + 1.0),
        ])
    }

    fn of(weights: WeightLines) -> PlotOptions {
        PlotOptions { weights, ..PlotOptions::default() }
    }

    fn shown(figure: &Figure) -> Vec<(&str, &[[f64; 2]])> {
        figure.lines.iter().map(|line| (line.name.as_str(), &line.points[..])).collect()
    }

    #[test]
    fn all_layers_of_the_selected_arm_or_one_layer_of_all_arms_have_lines() {
        let records = [recorded([1.0, 4.0]), recorded([2.0, 6.0]), recorded([4.0, 6.0])];
        let arm = |name: &str, colour, runs: &[usize]| ArmRuns {
            name: name.to_owned(),
            colour,
            runs: runs.iter().map(|run| (*run as u64, records[*run].clone())).collect(),
            ..ArmRuns::default()
        };
        let arms = [arm("dense", 0, &[0]), arm("ticket", 1, &[1, 2])];
        let first = build(&arms, &PlotOptions::default());
        assert_eq!(
            shown(&first),
            [
                ("features.2.weight", &[[1.0, 1.0], [2.0, 2.0]][..]),
                ("classifier.weight", &[[1.0, 4.0], [2.0, 5.0]])
            ],
            "in the order of the network, not of the alphabet"
        );
        assert_eq!((first.y.label(), first.note.rest.as_str()), ("L2 norm".to_owned(), "dense"));
        assert_ne!(first.lines[0].style, first.lines[1].style);
        let selected = PlotOptions { arm: Some("ticket".to_owned()), ..PlotOptions::default() };
        let ticket = build(&arms, &selected);
        assert_eq!(shown(&ticket)[0], ("features.2.weight", &[[1.0, 3.0], [2.0, 4.0]][..]), "(2 + 4)/2");
        assert_eq!(ticket.note.text("bars"), "mean over 2 seeds, bars: 95 % CI, ticket");
        let one =
            of(WeightLines { parameter: Some("classifier.weight".to_owned()), ..WeightLines::default() });
        let one = build(&arms, &one);
        assert_eq!(
            shown(&one),
            [("dense", &[[1.0, 4.0], [2.0, 5.0]][..]), ("ticket", &[[1.0, 6.0], [2.0, 7.0]])]
        );
        assert_eq!(one.lines[1].style.colour, 1, "the arm's");
    }

    #[test]
    fn a_measure_is_chosen_and_a_layer_that_is_gone_is_no_dead_end() {
        let record = recorded([1.0, 4.0]);
        let arms = [arm("a", 0, [&record])];
        let gradient =
            WeightLines { measure: Measure::GradientNorm, parameter: Some("fc9.weight".to_owned()) };
        let options = PlotOptions { x: XAxis::Training, ..of(gradient) };
        let figure = build(&arms, &options);
        assert_eq!(shown(&figure), [("features.2.weight", &[[0.0, 0.125]][..])], "one evaluation");
        assert_eq!(figure.only_x, Some(1.0));
        assert_eq!(figure.y.label(), "L2 norm of the gradient");
        let zeros = WeightLines { measure: Measure::Zeros, parameter: None };
        assert_eq!(build(&arms, &of(zeros)).y.label(), "Share of zeros (%)");
        assert!(PLOT.concerns([&record].into_iter()));
    }
}

//! Networks that share their first layers.

use super::curves::{Averaged, Series, averaged, by_path, figure, lines, style};
use super::series::{Curve, Path};
use super::{ArmRuns, Controls, Plot, x_axis};
use crate::axis::Axis;
use crate::model::Figure;
use results::tiles::Group;
use results::view::PlotOptions;

const TEST: Series<'static> = Series { name: "test_accuracy", suffix: "", dash: None };
const VOTE: Series<'static> = Series { name: "vote_accuracy", suffix: ", vote", dash: None };
const DISTANCE: Series<'static> = Series { name: "member_distance", suffix: "", dash: None };

pub const MEMBERS: Plot = Plot {
    name: "members",
    title: "Members",
    subject: "the members of an ensemble",
    help: "Is the vote better than its best member? Test accuracy of each member of an ensemble, \
           and of their vote (solid). The vote gains most if members are equally good and err on \
           different images. Needs an Ensemble stage.",
    has_data_of: Some(|record| record.points().first_of(VOTE.name).is_some()),
    controls: Controls { rounds: false, ..Controls::ALL },
    build: members_figure,
    lacks: "it needs results of an Ensemble stage",
    ..Plot::BASE
};

fn members_figure(arms: &[ArmRuns], options: &PlotOptions) -> Figure {
    let options = &options.without_rounds();
    let of_arm = |arm| lines(arm, &VOTE, options).into_iter().chain(members(arm, options));
    let drawn = arms.iter().flat_map(of_arm).collect();
    figure(x_axis(&options.x), Axis::percent("Test accuracy"), drawn, options)
}

/// Returns the lines of the members. The main branch is left out: it is the network before the ensemble.
fn members(arm: &ArmRuns, options: &PlotOptions) -> Vec<Averaged> {
    let paths = by_path(arm, TEST.name, options).into_iter().filter(|(path, _)| path.member.is_some());
    let line = |(index, (path, curves)): (usize, (Path, Vec<Curve>))| {
        averaged(arm, &path.name(&arm.name), style(arm, &TEST, &path, index + 1), curves, options)
    };
    paths.enumerate().map(line).collect()
}

pub const MEMBER_DISTANCE: Plot = Plot {
    name: "member-distance",
    group: Group::Geometry,
    title: "Member distance",
    subject: "the distance between members",
    help: "Do members find different solutions on the same trunk? The distance between the outputs \
           of an ensemble's members: relative L2 distance of their logits, mean over all pairs. At \
           0 their outputs are equal, and a vote gains nothing. Needs an Ensemble stage.",
    has_data_of: Some(|record| record.points().first_of(DISTANCE.name).is_some()),
    controls: Controls { rounds: false, ..Controls::ALL },
    build: distance_figure,
    lacks: "it needs results of an Ensemble stage",
    ..Plot::BASE
};

fn distance_figure(arms: &[ArmRuns], options: &PlotOptions) -> Figure {
    let options = &options.without_rounds();
    let drawn = arms.iter().flat_map(|arm| lines(arm, &DISTANCE, options)).collect();
    figure(x_axis(&options.x), Axis::new("Distance between members", "").positive(), drawn, options)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{arm, at, record};
    use super::*;
    use crate::palette::Dash;
    use results::Point;

    fn member(number: usize, value: f64) -> Point {
        Point { member: Some(number), ..at("test_accuracy", 1.0, value) }
    }

    #[test]
    fn each_member_and_the_vote_have_a_line_and_the_main_branch_has_none() {
        let run = record([
            at("test_accuracy", 1.0, 0.125),
            member(1, 0.5),
            member(2, 0.75),
            at("vote_accuracy", 1.0, 0.875),
            at("member_distance", 1.0, 2.0),
        ]);
        let arms = [arm("a", 2, [&run])];
        let figure = members_figure(&arms, &PlotOptions::default());
        let shown: Vec<_> = figure.lines.iter().map(|line| (line.name.as_str(), line.points[0][1])).collect();
        assert_eq!(shown, [("a, vote", 0.875), ("a / member 1", 0.5), ("a / member 2", 0.75)]);
        assert_eq!(figure.lines[0].style.dash, Dash::Dashed, "that of the arm");
        assert_ne!(figure.lines[1].style, figure.lines[2].style);
        let distance = distance_figure(&arms, &PlotOptions::default());
        assert_eq!((distance.lines[0].points[0][1], distance.only_x), (2.0, Some(1.0)));
    }
}

//! Accuracy under faults over the fault rate.

use std::collections::{BTreeMap, BTreeSet};

use super::campaigns::{SERIES, campaigns};
use super::series::Path;
use super::{ArmRuns, Controls, Plot};
use crate::doc::fault::Protect;
use crate::doc::stage_number;
use crate::figure::axis::Axis;
use crate::figure::model::{Figure, Line, Note, ReferenceLine, Trace};
use crate::figure::palette::{Dash, style_of};
use crate::results::RunRecord;
use crate::results::campaign::{CampaignRecord, Estimate};
use crate::results::number::Format;
use crate::results::statistics::{Band, level};
use crate::results::tiles::Group;
use crate::results::view::PlotOptions;

/// Mean accuracy of the trials of each rate.
pub const PLOT: Plot = Plot {
    name: "fault-rate",
    title: "Fault rate",
    group: Group::Faults,
    subject: "accuracy over fault rate",
    help: "Where does accuracy collapse? Mean accuracy over the trials of each fault rate, with its \
           interval; the dashed line is the fault-free accuracy. A campaign with a protection has a second, \
           dotted line: the same faults without it. Needs a Campaign stage that \
           varies the rate.",
    needs: &[SERIES],
    controls: Controls::of_means("Fault rate"),
    build,
    has_data_of: Some(is_about),
    ..Plot::BASE
};

fn is_about(record: &RunRecord) -> bool {
    record.campaigns().iter().any(varies_rate)
}

fn varies_rate(campaign: &CampaignRecord) -> bool {
    campaign.began.cells.iter().any(|cell| cell.rate.is_some())
}

fn build(arms: &[ArmRuns<'_>], options: &PlotOptions) -> Figure {
    let lines: Vec<Line> = arms.iter().flat_map(|arm| lines(arm, options)).collect();
    let reference_lines =
        if lines.is_empty() { Vec::new() } else { arms.iter().filter_map(golden).collect() };
    let x = Axis { format: Format::Power, ..Axis::new(axis(arms), "").log() };
    let most = arms.iter().map(|arm| arm.runs.len()).max().unwrap_or_default();
    let pooled = arms.iter().map(ArmRuns::pooled).max().unwrap_or_default();
    let of = if pooled > 1 { format!("runs (up to {pooled} arms pooled)") } else { "seeds".to_owned() };
    let (what, interval) = match (lines.is_empty(), most) {
        (true, _) => Default::default(),
        (false, 0 | 1) => ("mean over trials".to_owned(), "bootstrap interval over trials"),
        (false, _) => (format!("mean over {of} of the means over trials"), options.band.label()),
    };
    let has_interval = lines.iter().any(|line| !line.band.is_empty());
    let interval = if has_interval { interval.to_owned() } else { String::new() };
    let note = Note { what, interval, ..Note::default() };
    let mut figure = Figure {
        x,
        y: Axis::percent("Accuracy under faults"),
        lines,
        reference_lines,
        note,
        ..Figure::default()
    };
    let words: BTreeSet<&str> =
        arms.iter().flat_map(over_rates).filter_map(|campaign| word_of(&campaign.began.protect)).collect();
    if figure.lines.iter().any(|line| line.style.dash == Dash::Dotted) && !words.is_empty() {
        let words: Vec<String> = words.iter().map(|word| format!("\u{201c}{word}\u{201d}")).collect();
        let names = words.join(" or ");
        figure.add_note(&format!(
            "{names} with the protection, \u{201c}unprotected\u{201d} the same faults without it"
        ));
    }
    if !figure.reference_lines.is_empty() {
        figure.add_note("dashed: fault-free accuracy");
    }
    figure
}

/// Campaigns of an arm that vary the rate.
fn over_rates<'a>(arm: &'a ArmRuns<'a>) -> impl Iterator<Item = &'a CampaignRecord> {
    campaigns(arm).filter(|campaign| varies_rate(campaign))
}

/// The title of the rate axis: per bit or per value.
fn axis(arms: &[ArmRuns<'_>]) -> &'static str {
    let units: BTreeSet<bool> =
        arms.iter().flat_map(over_rates).map(|campaign| campaign.began.strikes_values).collect();
    match (units.contains(&false), units.contains(&true)) {
        (true, true) => "Fault rate per bit or value",
        (false, true) => "Fault rate per value",
        (_, false) => "Fault rate per bit",
    }
}

/// Identifies a line: stage, branch, and whether it is unprotected.
type Key = (String, String, bool);

/// The estimates of all runs for each rate. Keys are the bits of rates, which are equal in all seeds.
type Rates = BTreeMap<u64, Vec<(usize, Estimate)>>;

fn lines(arm: &ArmRuns<'_>, options: &PlotOptions) -> Vec<Line> {
    let mut found: BTreeMap<Key, Rates> = BTreeMap::new();
    for (run, (_, record)) in arm.runs.iter().enumerate() {
        for campaign in record.campaigns() {
            for (key, rate, accuracy) in cells(campaign) {
                let rates = found.entry(key).or_default().entry(rate.to_bits()).or_default();
                rates.retain(|(known, _)| *known != run); // the last round counts
                rates.push((run, accuracy));
            }
        }
    }
    let stages: BTreeSet<(String, String)> =
        found.keys().map(|(stage, branch, _)| (stage.clone(), branch.clone())).collect();
    let protections: BTreeMap<(String, String), &str> = over_rates(arm)
        .filter_map(|campaign| {
            let began = &campaign.began;
            Some(((began.stage.clone(), began.branch.clone()), word_of(&began.protect)?))
        })
        .collect();
    let line = |((stage, branch, unprotected), rates): (Key, Rates)| {
        let mut name = Path { branch: branch.clone(), member: None }.name(&arm.name);
        if stages.len() > 1 {
            name = format!("{name}, stage {}", stage_number(&stage));
        }
        let protection =
            if unprotected { Some("unprotected") } else { protections.get(&(stage, branch)).copied() };
        if let Some(protection) = protection {
            name = format!("{name}, {protection}");
        }
        drawn(arm, &name, unprotected, rates, options)
    };
    found.into_iter().map(line).collect()
}

fn cells(campaign: &CampaignRecord) -> impl Iterator<Item = (Key, f64, Estimate)> {
    let began = &campaign.began;
    campaign.cells.iter().filter(|state| state.trials > 0).filter_map(move |state| {
        let rate = began.cells.get(state.cell)?.rate?;
        Some(((began.stage.clone(), began.branch.clone(), state.unprotected), rate, state.accuracy))
    })
}

fn drawn(arm: &ArmRuns<'_>, name: &str, unprotected: bool, rates: Rates, options: &PlotOptions) -> Line {
    let mut style = style_of(arm.colour).with_marker();
    if unprotected {
        style.dash = Dash::Dotted;
    }
    let mut line = Line::new(name, style, Vec::new());
    let names = arm.run_names();
    let mut traces: BTreeMap<usize, Trace> = BTreeMap::new();
    for (rate, runs) in rates {
        let x = f64::from_bits(rate);
        if let [(_, only)] = runs.as_slice() {
            line.points.push([x, only.value]);
            line.band.push(Band { x, low: only.low, high: only.high });
            continue;
        }
        let values: Vec<f64> = runs.iter().map(|(_, estimate)| estimate.value).collect();
        let level = level(x, &values, options.band);
        line.points.push([x, level.mean]);
        line.band.extend(level.band);
        for (run, estimate) in runs.iter().filter(|_| options.traces) {
            let new = || Trace { name: names[*run].clone(), points: Vec::new() };
            let trace = traces.entry(*run).or_insert_with(new);
            trace.points.push([x, estimate.value]);
        }
    }
    line.traces = traces.into_values().collect();
    line
}

/// The protection of a campaign in a word for the legend; none where there is no protection.
const fn word_of(protect: &Protect) -> Option<&'static str> {
    match protect {
        Protect::Nothing => None,
        Protect::Clip => Some("clipped"),
        Protect::ZeroNonFinite => Some("NaN set to 0"),
        Protect::Both => Some("clipped, NaN set to 0"),
    }
}

/// The golden accuracy of an arm: its mean over runs without faults.
fn golden(arm: &ArmRuns<'_>) -> Option<ReferenceLine> {
    let golden: Vec<f64> = over_rates(arm).map(|campaign| campaign.began.golden_accuracy).collect();
    let mean = golden.iter().sum::<f64>() / golden.len() as f64;
    let name = format!("{}, fault-free", arm.name);
    (!golden.is_empty()).then(|| ReferenceLine::level(&name, mean, Some(arm.colour)))
}

#[cfg(test)]
mod tests {
    use super::super::campaigns::testing::{outcome, rates, single_faults};
    use super::*;
    use crate::figure::At;
    use crate::results::Event;
    use crate::results::campaign::CampaignBegan;
    use crate::results::table::Row;

    fn arm(runs: &[RunRecord]) -> ArmRuns<'_> {
        ArmRuns { name: "a".to_owned(), colour: 2, runs: (1..).zip(runs).collect(), ..ArmRuns::default() }
    }

    #[test]
    fn one_run_has_the_interval_over_its_trials_and_the_level_without_faults() {
        let run = [rates(&[(1e-6, 0.75), (1e-7, 0.875)], &[(1e-6, 0.5)])];
        let figure = build(&[arm(&run)], &PlotOptions::default());
        let shown: Vec<_> =
            figure.lines.iter().map(|line| (line.name.as_str(), line.points.clone())).collect();
        assert_eq!(
            shown,
            [("a, clipped", vec![[1e-7, 0.875], [1e-6, 0.75]]), ("a, unprotected", vec![[1e-6, 0.5]])]
        );
        assert_eq!(figure.reference_lines[0].name, "a, fault-free");
        assert_eq!(
            figure.note.text("bars"),
            "mean over trials, bars: bootstrap interval over trials, \u{201c}clipped\u{201d} with the protection, \
             \u{201c}unprotected\u{201d} the same faults without it, dashed: fault-free accuracy"
        );
        assert_eq!(figure.lines[0].band[1], Band { x: 1e-6, low: 0.625, high: 0.875 });
        assert_eq!((figure.reference_lines[0].at, figure.reference_lines[0].colour), (At::Y(0.875), Some(2)));
        assert!(is_about(&run[0]) && !is_about(&RunRecord::default()));
    }

    #[test]
    fn the_axis_says_what_the_rate_is_of_and_arms_without_rates_have_no_level() {
        let bits = [rates(&[(1e-6, 0.75)], &[])];
        let began = CampaignBegan { strikes_values: true, ..bits[0].campaigns()[0].began.clone() };
        let cell = Event::CampaignCell(bits[0].campaigns()[0].cells[0].clone());
        let values = [RunRecord::of([Event::CampaignBegan(began), cell])];
        let single = [single_faults(vec![outcome(0, 30, 8)])];
        let figure = |arms: &[ArmRuns<'_>]| build(arms, &PlotOptions::default());
        assert_eq!(figure(&[arm(&bits), arm(&single)]).x.title, "Fault rate per bit");
        assert_eq!(figure(&[arm(&values)]).x.title, "Fault rate per value");
        let all = figure(&[arm(&bits), arm(&values), arm(&single)]);
        assert_eq!((all.x.title.as_str(), all.reference_lines.len()), ("Fault rate per bit or value", 2));
    }

    #[test]
    fn seeds_have_a_mean_and_their_own_spread() {
        let runs = [rates(&[(1e-6, 0.75)], &[]), rates(&[(1e-6, 0.25)], &[])];
        let options = PlotOptions {
            band: crate::results::statistics::Spread::MinMax,
            traces: true,
            ..PlotOptions::default()
        };
        let figure = build(&[arm(&runs)], &options);
        assert_eq!(figure.lines[0].points, [[1e-6, 0.5]]);
        assert_eq!(figure.lines[0].band, [Band { x: 1e-6, low: 0.25, high: 0.75 }]);
        assert_eq!(figure.lines[0].traces[1].points, [[1e-6, 0.25]]);
    }

    #[test]
    fn runs_of_pooled_arms_count_each_also_where_they_share_a_seed() {
        let runs = [rates(&[(1e-6, 0.75)], &[]), rates(&[(1e-6, 0.25)], &[])];
        let rows = ["a", "b"].map(|arm| Row { arm: arm.to_owned(), ..Row::default() });
        let runs = runs.iter().map(|run| (1, run)).collect();
        let pooled = ArmRuns { runs, rows: rows.iter().collect(), ..arm(&[]) };
        let figure = build(&[pooled], &PlotOptions::default());
        assert_eq!(figure.lines[0].points, [[1e-6, 0.5]]);
        assert!(figure.note.what.starts_with("mean over runs (up to 2 arms pooled) of"), "{:?}", figure.note);
    }
}

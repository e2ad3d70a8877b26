//! Accuracy under faults over the fault rate.

use std::collections::{BTreeMap, BTreeSet};

use super::campaigns::campaigns;
use super::curves::{Averaged, RunCounts, note};
use super::series::Path;
use super::{ArmRuns, Controls, Plot};
use crate::axis::Axis;
use crate::distinct;
use crate::model::{Figure, Line, Note, ReferenceLine, Trace};
use crate::palette::{Dash, style_of};
use results::campaign::{CampaignRecord, CellState, Estimate, protection};
use results::number::Format;
use results::statistics::{Band, level};
use results::tiles::Group;
use results::view::PlotOptions;
use results::{RunRecord, by_key};

pub const PLOT: Plot = Plot {
    name: "fault-rate",
    title: "Fault rate",
    group: Group::Faults,
    subject: "accuracy over fault rate",
    help: "Where does accuracy collapse? Mean accuracy over the trials of each fault rate, with its \
           interval; the dashed line is the fault-free accuracy. A campaign with a protection has a second, \
           dotted line: the same faults without it. Needs a Campaign stage that varies the rate.",
    controls: Controls::of_means("Fault rate"),
    build,
    has_data_of: Some(|record| record.campaigns().iter().any(varies_rate)),
    lacks: "it needs results of a Campaign stage that varies the rate",
    ..Plot::BASE
};

const UNPROTECTED: &str = "unprotected";
const FAULT_FREE: &str = "fault-free";
const SINGLE: &str = "bootstrap interval over trials";

fn varies_rate(campaign: &CampaignRecord) -> bool {
    campaign.began.cells.iter().any(|cell| cell.rate.is_some())
}

fn build(arms: &[ArmRuns], options: &PlotOptions) -> Figure {
    let mut with_rates = arms.iter().filter(|arm| over_rates(arm).next().is_some());
    let alone = with_rates.next().filter(|_| with_rates.next().is_none());
    // The legend has no need to name an arm again that is alone.
    let short = |arm: &ArmRuns| {
        [UNPROTECTED, FAULT_FREE].map(|short| (format!("{}, {short}", arm.name), short.to_owned()))
    };
    let drawn: Vec<Averaged> = arms.iter().flat_map(|arm| lines(arm, options)).collect();
    let reference_lines =
        if drawn.is_empty() { Vec::new() } else { arms.iter().filter_map(golden).collect() };
    let note = note_of(&drawn, options);
    let mut figure = Figure {
        x: Axis { format: Format::Power, ..Axis::new(axis(arms), "").log() },
        y: Axis::percent("Accuracy under faults"),
        lines: drawn.into_iter().map(|averaged| averaged.line).collect(),
        reference_lines,
        note,
        in_legend: alone.map(short).into_iter().flatten().collect(),
        ..Figure::default()
    };
    let protections = arms.iter().flat_map(over_rates).filter_map(|own| protection(&own.began.protect));
    let protections = distinct(protections);
    if figure.lines.iter().any(|line| line.style.dash == Dash::Dotted) && !protections.is_empty() {
        let how = protections.join(" or ");
        figure.add_note(&format!("solid: {how}, dotted: the same faults {UNPROTECTED}"));
    }
    if !figure.reference_lines.is_empty() {
        figure.add_note("dashed: fault-free accuracy");
    }
    figure
}

/// Writes the note: the means that points are, and their intervals, of several runs or of one run over its trials.
fn note_of(drawn: &[Averaged], options: &PlotOptions) -> Note {
    if drawn.is_empty() {
        return Note::default();
    }
    let counted: Vec<_> = drawn.iter().map(|averaged| (&averaged.line, averaged.counts)).collect();
    let of_runs = note(&counted, &PlotOptions { smoothing: 0.0, ..options.clone() });
    let what = match of_runs.what.as_str() {
        "" => "mean over trials".to_owned(),
        what => format!("{what} of the means over trials"),
    };
    let has_bands = |are_single: bool| {
        drawn.iter().map(|averaged| &averaged.line).any(|line| {
            let mut points = line.points.iter().zip(&line.counts);
            points.any(|(point, count)| (*count == 1) == are_single && line.band_at(point[0]).is_some())
        })
    };
    let interval = match (has_bands(false), has_bands(true)) {
        (false, false) => String::new(),
        (true, false) => of_runs.interval,
        (false, true) => SINGLE.to_owned(),
        (true, true) => format!("{}, of individual runs {SINGLE}", of_runs.interval),
    };
    Note { what, interval, ..of_runs }
}

fn over_rates(arm: &ArmRuns) -> impl Iterator<Item = &CampaignRecord> {
    campaigns(arm).filter(|campaign| varies_rate(campaign))
}

/// Returns the title of the rate axis: per bit or per value.
fn axis(arms: &[ArmRuns]) -> &'static str {
    let units: BTreeSet<bool> =
        arms.iter().flat_map(over_rates).map(|campaign| campaign.began.strikes_values).collect();
    match (units.contains(&false), units.contains(&true)) {
        (true, true) => "Fault rate per bit or value",
        (false, true) => "Fault rate per value",
        (_, false) => "Fault rate per bit",
    }
}

/// The estimates of a run for each rate. Keys are the bits of rates, which are equal in all seeds.
type Rates = BTreeMap<u64, Estimate>;

/// Returns the lines of an arm: one for each campaign, and one for the same trials without the protection.
fn lines(arm: &ArmRuns, options: &PlotOptions) -> Vec<Averaged> {
    let measured = arm.runs.iter().enumerate().flat_map(|(run, (_, record))| {
        let campaigns = record.campaigns().iter().filter(|campaign| varies_rate(campaign));
        campaigns.flat_map(move |campaign| campaign.cells.iter().map(move |state| (run, campaign, state)))
    });
    let measured = measured.filter(|(_, _, state)| state.trials > 0);
    let found = by_key(measured.map(|(run, campaign, state)| {
        ((campaign.began.branch.as_str(), state.unprotected, campaign.name.as_str()), (run, campaign, state))
    }));
    let line = |((branch, unprotected, campaign), measured): ((&str, bool, &str), Vec<_>)| {
        let mut runs: BTreeMap<usize, Rates> = BTreeMap::new();
        for (run, campaign, state) in measured {
            let (campaign, state): (&CampaignRecord, &CellState) = (campaign, state);
            let Some(rate) = campaign.began.cells.get(state.cell).and_then(|cell| cell.rate) else {
                continue;
            };
            // The last round counts.
            runs.entry(run).or_default().insert(rate.to_bits(), state.accuracy);
        }
        let has_several = found.iter().any(|((other, _, name), _)| *other == branch && *name != campaign);
        let path = Path { branch: branch.to_owned(), member: None }.name(&arm.name);
        let name = match (has_several, unprotected) {
            (true, true) => format!("{path}, {campaign}, {UNPROTECTED}"),
            (true, false) => format!("{path}, {campaign}"),
            (false, true) => format!("{path}, {UNPROTECTED}"),
            (false, false) => path,
        };
        drawn(arm, &name, unprotected, runs, options)
    };
    found.clone().into_iter().map(line).collect()
}

fn drawn(
    arm: &ArmRuns,
    name: &str,
    unprotected: bool,
    runs: BTreeMap<usize, Rates>,
    options: &PlotOptions,
) -> Averaged {
    let mut style = style_of(arm.colour).with_marker();
    if unprotected {
        style.dash = Dash::Dotted;
    }
    let split = arm.split(runs, |(run, _)| *run);
    let mut line = Line { seeds: arm.seeds(&split), ..Line::new(name, style, Vec::new()) };
    let mut counts = RunCounts { runs: 0, seeds: 0, arms: arm.pooled() };
    let rates: BTreeSet<u64> = split.averaged.iter().flat_map(|(_, rates)| rates.keys().copied()).collect();
    // The rates at which a point is a mean of several runs.
    let mut shared: BTreeSet<u64> = BTreeSet::new();
    for rate in rates {
        let x = f64::from_bits(rate);
        let here = || split.averaged.iter().filter_map(|(run, rates)| Some((*run, *rates.get(&rate)?)));
        let values: Vec<f64> = here().map(|(_, estimate)| estimate.value).collect();
        let of_here = RunCounts::new(arm, here().map(|(run, _)| arm.runs[run].0));
        counts.runs = counts.runs.max(of_here.runs);
        counts.seeds = counts.seeds.max(of_here.seeds);
        let level = level(x, &values, split.spread(options.band));
        line.points.push([x, level.mean]);
        line.counts.push(u32::try_from(values.len()).unwrap_or(u32::MAX));
        if values.len() > 1 {
            line.band.extend(level.band);
            shared.insert(rate);
        } else {
            line.band.extend(here().map(|(_, only)| Band { x, low: only.low, high: only.high }));
        }
    }
    let names = arm.run_names();
    let trace = |(run, rates): &(usize, Rates), is_shown: &dyn Fn(&u64) -> bool| {
        let shown = rates.iter().filter(|(rate, _)| is_shown(rate));
        let points = shown.map(|(rate, estimate)| [f64::from_bits(*rate), estimate.value]).collect();
        Trace { name: names[*run].clone(), points }
    };
    line.traces = split.beside.iter().map(|run| trace(run, &|_| true)).collect();
    if options.traces {
        let averaged = split.averaged.iter().map(|run| trace(run, &|rate| shared.contains(rate)));
        line.traces.extend(averaged.filter(|trace| !trace.points.is_empty()));
    }
    Averaged { line, counts, trainings: Vec::new() }
}

/// Returns the golden accuracy of an arm: its mean without faults, over the runs that the means under faults are over.
fn golden(arm: &ArmRuns) -> Option<ReferenceLine> {
    let of_run = |(run, (_, record)): (usize, &(u64, RunRecord))| {
        let about = record.campaigns().iter().filter(|campaign| varies_rate(campaign));
        about.map(|campaign| (run, campaign.began.golden_accuracy)).collect::<Vec<_>>()
    };
    let found = arm.split(arm.runs.iter().enumerate().flat_map(of_run), |(run, _)| *run).averaged;
    let golden: Vec<f64> = found.into_iter().map(|(_, accuracy)| accuracy).collect();
    let mean = golden.iter().sum::<f64>() / golden.len() as f64;
    let name = format!("{}, {FAULT_FREE}", arm.name);
    (!golden.is_empty()).then(|| ReferenceLine::level(&name, mean, Some(arm.colour)))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{arm, outcome, rates, rows, single_faults};
    use super::*;
    use crate::At;
    use crate::legend::samples;
    use results::Event;
    use results::campaign::CampaignBegan;
    use results::statistics::Spread;
    use results::table::Row;

    #[test]
    fn one_run_has_the_interval_over_its_trials_and_the_level_without_faults() {
        let run = [rates(&[(1e-6, 0.75), (1e-7, 0.875)], &[(1e-6, 0.5)])];
        let figure = build(&[arm("a", 2, &run)], &PlotOptions::default());
        let shown: Vec<_> =
            figure.lines.iter().map(|line| (line.name.as_str(), line.points.clone())).collect();
        assert_eq!(shown, [("a", vec![[1e-7, 0.875], [1e-6, 0.75]]), ("a, unprotected", vec![[1e-6, 0.5]])]);
        assert_eq!(figure.reference_lines[0].name, "a, fault-free");
        let names = |figure: &Figure| -> Vec<String> {
            samples(figure).iter().map(|sample| figure.legend_name(sample.name()).into_owned()).collect()
        };
        assert_eq!(names(&figure), ["a", "unprotected", "fault-free"], "the legend says the arm once");
        let two = build(&[arm("a", 2, &run), arm("b", 3, &run)], &PlotOptions::default());
        let all = ["a", "a, unprotected", "b", "b, unprotected", "a, fault-free", "b, fault-free"];
        assert_eq!(names(&two), all);
        assert_eq!(
            figure.note.text("bars"),
            "mean over trials, bars: bootstrap interval over trials, solid: clipped, dotted: the same faults \
             unprotected, dashed: fault-free accuracy"
        );
        assert_eq!(figure.lines[0].band[1], Band { x: 1e-6, low: 0.625, high: 0.875 });
        assert_eq!((figure.reference_lines[0].at, figure.reference_lines[0].colour), (At::Y(0.875), Some(2)));
        assert!(PLOT.concerns(run.iter()) && !PLOT.concerns([&RunRecord::default()].into_iter()));
    }

    #[test]
    fn the_axis_says_what_the_rate_is_of_and_arms_without_rates_have_no_level() {
        let bits = [rates(&[(1e-6, 0.75)], &[])];
        let began = CampaignBegan { strikes_values: true, ..bits[0].campaigns()[0].began.clone() };
        let cell = Event::CampaignCell(bits[0].campaigns()[0].cells[0].clone());
        let values = [RunRecord::from_events([Event::CampaignBegan(began), cell])];
        let single = [single_faults(vec![outcome(0, 30, 8)])];
        let figure = |arms: &[ArmRuns]| build(arms, &PlotOptions::default());
        assert_eq!(figure(&[arm("a", 2, &bits), arm("a", 2, &single)]).x.title, "Fault rate per bit");
        assert_eq!(figure(&[arm("a", 2, &values)]).x.title, "Fault rate per value");
        let all = figure(&[arm("a", 2, &bits), arm("a", 2, &values), arm("a", 2, &single)]);
        assert_eq!((all.x.title.as_str(), all.reference_lines.len()), ("Fault rate per bit or value", 2));
    }

    #[test]
    fn seeds_have_a_mean_and_their_own_spread() {
        let runs = [rates(&[(1e-6, 0.75)], &[]), rates(&[(1e-6, 0.25)], &[])];
        let options = PlotOptions { band: Spread::MinMax, traces: true, ..PlotOptions::default() };
        let figure = build(&[arm("a", 2, &runs)], &options);
        assert_eq!(figure.lines[0].points, [[1e-6, 0.5]]);
        assert_eq!(figure.lines[0].band, [Band { x: 1e-6, low: 0.25, high: 0.75 }]);
        assert_eq!(figure.lines[0].traces[1].points, [[1e-6, 0.25]]);
    }

    #[test]
    fn runs_of_pooled_arms_count_each_also_where_they_share_a_seed() {
        let runs = [rates(&[(1e-6, 0.75)], &[]), rates(&[(1e-6, 0.25)], &[])];
        let pooled = ["a", "b"].map(|arm| Row { arm: arm.to_owned(), ..Row::default() });
        let runs = runs.map(|run| (1, run)).to_vec();
        let pooled = ArmRuns { runs, rows: rows(&pooled), ..arm("a", 2, &[]) };
        let figure = build(&[pooled], &PlotOptions::default());
        assert_eq!(figure.lines[0].points, [[1e-6, 0.5]]);
        assert_eq!(figure.note.what, "mean over 2 runs (2 arms pooled, 1 seed) of the means over trials");
    }

    #[test]
    fn the_caption_names_the_intervals_that_are_drawn() {
        let text = |runs: &[RunRecord], band: Spread| {
            let figure = build(&[arm("a", 2, runs)], &PlotOptions { band, ..PlotOptions::default() });
            figure.note.text("bars").split(", dashed").next().unwrap_or_default().to_owned()
        };
        let two = [rates(&[(1e-6, 0.75), (1e-5, 0.5)], &[]), rates(&[(1e-6, 0.25)], &[])];
        let mean = "mean over 1 to 2 seeds of the means over trials, bars: ";
        assert_eq!(
            text(&two, Spread::MinMax),
            format!("{mean}min to max, of individual runs bootstrap interval over trials")
        );
        assert_eq!(text(&two, Spread::None), format!("{mean}bootstrap interval over trials"));
        let one = [rates(&[(1e-6, 0.75)], &[]), RunRecord::default()];
        assert_eq!(
            text(&one, Spread::Interval95),
            "mean over trials, bars: bootstrap interval over trials",
            "a run without a campaign does not count"
        );
    }

    #[test]
    fn a_campaign_under_way_is_beside_the_mean_of_those_that_are_done() {
        let mut runs = [0.75, 0.25, 0.125].map(|value| rates(&[(1e-6, value), (1e-5, value)], &[]));
        runs[2].apply(Event::Started { resumed: true, threads: 1 });
        let figure = build(&[arm("a", 2, &runs)], &PlotOptions::default());
        let line = &figure.lines[0];
        assert_eq!(line.points, [[1e-6, 0.5], [1e-5, 0.5]]);
        assert_eq!((line.traces.len(), line.traces[0].name.as_str()), (1, "seed 3"));
        assert_eq!(line.seeds.map(|seeds| seeds.running), Some(1));
        assert!(figure.note.rest.starts_with("thin lines: unfinished seeds"), "{:?}", figure.note);
    }
}

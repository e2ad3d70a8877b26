//! Band and axes of a figure on the command line, instead of those that the window has kept in `view.ron`.

use std::collections::{BTreeMap, BTreeSet};

use clap::Args;

use super::axis_columns::Known;
use super::page_args::switch;
use crate::failure::Failure;
use figure::plots::Plot;
use figure::{Figure, Scale};
use results::RunRecord;
use results::campaign::stages;
use results::facets::FacetAxes;
use results::number::Format;
use results::rounds::Levels;
use results::statistics::Spread;
use results::table::columns::Column;
use results::view::{ViewSettings, XAxis};
use results::weights::Measure;

/// Band, horizontal axis and vertical range of a figure.
#[derive(Debug, Default, Args)]
pub struct FigureArgs {
    /// Band around a mean: interval (95 %), standard-deviation, standard-error, min-max or none [default: what the window
    /// has chosen, else interval]
    #[arg(long, value_name = "BAND", value_parser = Spread::parse)]
    band: Option<Spread>,
    /// Draw each seed faintly behind the mean; --individual-seeds=off does not; metric always has its dots [default: what
    /// the window has chosen, else off]
    #[arg(long = "individual-seeds", value_name = "SWITCH", value_parser = switch, num_args = 0..=1, require_equals = true, default_missing_value = "on")]
    seeds_shown: Option<bool>,
    /// Horizontal axis: epochs, training, iterations, remaining, seconds, clock, or the name of a series of the runs; of the
    /// figure metric a setting or a result, such as batch, secs or last [default: what the window has chosen, else
    /// epochs, and of the figure metric the first swept setting]
    #[arg(long, value_name = "AXIS")]
    x: Option<String>,
    #[arg(
        long,
        value_name = "RESULT",
        help = "Result of the figure metric: last, best, remaining, epochs, secs, or the value of a series as \
                test_loss:best, test_loss:last, test_loss@1000 (an iteration) or test_accuracy@21% (a level of \
                weights) [default: what the window has chosen, else last]"
    )]
    y: Option<String>,
    /// Vertical range, such as 85..100: percent where the axis shows shares [default: what the window has chosen, else what
    /// the values need]
    #[arg(long, value_name = "LOW..HIGH", allow_hyphen_values = true, value_parser = range)]
    y_range: Option<[f64; 2]>,
    /// With --x training, the trainings of a plan that have lines: all, every-2nd, spread (at most 4 of each arm, evenly spaced), or
    /// numbers such as 1,3,6 [default: what the window has chosen, else spread]
    #[arg(long, value_name = "ROUNDS", value_parser = rounds)]
    rounds: Option<(Levels, Numbers)>,
    /// What the figure weight-statistics shows: mean, std, norm, zeros or gradient-norm [default: what the window has
    /// chosen, else norm]
    #[arg(long, value_name = "NAME", value_parser = statistic)]
    statistic: Option<Measure>,
    /// Of figures of single faults, the stage with the campaign, as the plan counts it, such as 4 [default: what the window
    /// has chosen, else the first one that has some]
    #[arg(long, value_name = "STAGE")]
    campaign: Option<String>,
    /// Panels for the values of a setting, such as rate, or of arm or seed; with two, such as batch,rate, the first makes
    /// columns and the second rows; none for one plot [default: what the window has chosen, else none]
    #[arg(long, value_name = "KEY[,KEY]")]
    facets: Option<String>,
    /// Ranges of the panels: shared by all, or free [default: what the window has chosen, else shared]
    #[arg(long, value_name = "AXES", value_parser = FacetAxes::parse)]
    axes: Option<FacetAxes>,
}

/// Numbers of trainings.
type Numbers = std::sync::Arc<[usize]>;

fn rounds(text: &str) -> Result<(Levels, Numbers), String> {
    let simple = match text {
        "all" => Levels::All,
        "every-2nd" => Levels::EverySecond,
        "spread" => Levels::Spread,
        numbers => {
            let numbers: Result<Numbers, _> =
                numbers.split(',').map(|number| number.trim().parse()).collect();
            return numbers
                .map(|numbers| (Levels::Chosen, numbers))
                .map_err(|_| "write all, every-2nd, spread, or numbers such as 1,3,6".to_owned());
        }
    };
    Ok((simple, Numbers::default()))
}

fn statistic(text: &str) -> Result<Measure, String> {
    let name = |measure: &Measure| measure.name().replace(' ', "-");
    let names = || Measure::ALL.iter().map(name).collect::<Vec<_>>().join(", ");
    let found = Measure::ALL.into_iter().find(|measure| name(measure) == text);
    found.ok_or_else(|| format!("there are {}", names()))
}

/// Both ends of a range.
fn range(text: &str) -> Result<[f64; 2], String> {
    let ends = text.split_once("..").map(|(low, high)| (low.trim().parse(), high.trim().parse()));
    match ends {
        Some((Ok(low), Ok(high))) if f64::is_finite(low) && f64::is_finite(high) && low < high => {
            Ok([low, high])
        }
        _ => Err("write the lower and the upper end, such as 85..100".to_owned()),
    }
}

impl FigureArgs {
    /// Whether all arguments are absent.
    pub fn is_empty(&self) -> bool {
        let Self { band, seeds_shown, x, y, y_range, rounds, statistic, campaign, facets, axes } = self;
        let has_axes = x.is_some() || y.is_some() || y_range.is_some();
        let has_panels = facets.is_some() || axes.is_some();
        let has_lines = rounds.is_some() || statistic.is_some() || campaign.is_some();
        band.is_none() && seeds_shown.is_none() && !has_axes && !has_panels && !has_lines
    }

    /// Writes band, panels and horizontal axis into the settings of the window; `settings` are the paths of those in
    /// which the runs differ, and of all.
    ///
    /// # Errors
    /// An unknown axis or setting, or a figure with a fixed axis.
    pub fn apply(
        &self,
        plot: &Plot,
        view: &mut ViewSettings,
        records: &BTreeMap<String, RunRecord>,
        settings: [&[String]; 2],
    ) -> Result<(), Failure> {
        if let Some(band) = self.band {
            view.options.band = band;
        }
        if self.seeds_shown.is_some() && !plot.controls.can_hide_seeds() {
            let name = plot.name;
            let message = format!("--individual-seeds does not change the figure \"{name}\"; remove it");
            return Err(Failure::Input(message));
        }
        view.options.traces = self.seeds_shown.unwrap_or(view.options.traces);
        if let Some((levels, numbers)) = &self.rounds {
            (view.options.levels, view.options.rounds) = (*levels, numbers.to_vec());
        }
        match self.statistic {
            Some(_) if !plot.controls.weights => {
                let message = "--statistic applies to the figure weight-statistics; remove it";
                return Err(Failure::Input(message.to_owned()));
            }
            Some(measure) => view.options.weights.measure = measure,
            None => {}
        }
        self.choose_campaign(plot, view, records)?;
        let kept = view.plots.entry(plot.name.to_owned()).or_default();
        if self.y_range.is_some() {
            kept.ignore_outliers = false;
        }
        if let Some(text) = &self.facets {
            kept.facets.by =
                facets(text, settings).map_err(|why| Failure::Input(format!("--facets: {why}")))?;
        }
        kept.facets.axes = self.axes.unwrap_or(kept.facets.axes);
        if plot.controls.columns {
            if self.rounds.is_some() {
                return Err(no_rounds());
            }
            let known = Known { settings, series: records.values().flat_map(RunRecord::series).collect() };
            return known.apply([self.x.as_deref(), self.y.as_deref()], &mut view.options.metric, kept);
        }
        if self.y.is_some() {
            let name = plot.name;
            let message = format!("--y: the figure \"{name}\" has its own vertical axis; remove --y");
            return Err(Failure::Input(message));
        }
        let Some(x) = &self.x else { return self.check_rounds(plot, view) };
        if let Some(own) = plot.controls.own_x {
            let own = own.to_lowercase();
            let name = plot.name;
            return Err(Failure::Input(format!(
                "--x: the figure \"{name}\" has its own horizontal axis ({own}); remove --x"
            )));
        }
        let axis = axis(x, records)?;
        let has_rounds =
            plot.controls.rounds && (!plot.controls.weights || view.options.weights.parameter.is_some());
        if axis == XAxis::Training && !has_rounds {
            let name = plot.name;
            let remedy = if plot.controls.weights { "choose one with --parameter" } else { "remove --x" };
            return Err(Failure::Input(format!(
                "--x: the figure \"{name}\" has no lines over the epochs of each training; {remedy}"
            )));
        }
        if axis != view.options.x {
            // The kept settings belong to another axis.
            kept.x = None;
            kept.x_title.clear();
            kept.log_x = None;
            kept.facets.zooms.clear();
        }
        view.options.x = axis;
        self.check_rounds(plot, view)
    }

    /// Chooses the stage whose campaigns are shown.
    fn choose_campaign(
        &self,
        plot: &Plot,
        view: &mut ViewSettings,
        records: &BTreeMap<String, RunRecord>,
    ) -> Result<(), Failure> {
        let Some(number) = &self.campaign else { return Ok(()) };
        if !plot.controls.one_arm {
            let name = plot.name;
            let message = format!("--campaign does not change the figure \"{name}\"; remove it");
            return Err(Failure::Input(message));
        }
        let place = format!("Stage {number}");
        let known = stages(records.values().flat_map(RunRecord::campaigns));
        if !known.iter().any(|(known, _)| *known == place) {
            let numbers = known.iter().filter_map(|(known, _)| known.strip_prefix("Stage "));
            let numbers: Vec<&str> = numbers.collect();
            return Err(Failure::Input(format!(
                "--campaign: no campaign in stage {number} has single faults; there are {}",
                if numbers.is_empty() { "none".to_owned() } else { numbers.join(", ") }
            )));
        }
        view.options.campaign = Some(place);
        Ok(())
    }

    /// That rounds have lines, where some were chosen.
    fn check_rounds(&self, plot: &Plot, view: &ViewSettings) -> Result<(), Failure> {
        let is_by_round = plot.controls.own_x.is_some() || view.options.x == XAxis::Training;
        if self.rounds.is_some() && !(plot.controls.rounds && is_by_round) {
            Err(no_rounds())
        } else {
            Ok(())
        }
    }

    /// Cuts a figure to the vertical range.
    ///
    /// # Errors
    /// When its vertical axis has no such range.
    pub fn cut(&self, plot: &Plot, figure: &mut Figure) -> Result<(), Failure> {
        let Some(ends) = self.y_range else { return Ok(()) };
        if !figure.parallel.is_empty() || !figure.y.categories.is_empty() {
            let name = plot.name;
            return Err(Failure::Input(format!(
                "--y-range: the vertical axis of the figure \"{name}\" has no range of numbers; remove \
                    --y-range"
            )));
        }
        let unit = if figure.y.format == Format::Percent { 100.0 } else { 1.0 };
        let ends = ends.map(|end| end / unit);
        if figure.y.scale == Scale::Log10 && ends[0] <= 0.0 {
            return Err(Failure::Input(
                "--y-range: this axis is logarithmic; start above 0, such as 0.1..100".to_owned(),
            ));
        }
        figure.y.range = Some(ends);
        Ok(())
    }
}

fn no_rounds() -> Failure {
    let message =
        "--rounds chooses lines over the epochs of each training; use --figure rounds or add --x training";
    Failure::Input(message.to_owned())
}

/// The columns that split runs into panels.
fn facets(text: &str, settings: [&[String]; 2]) -> Result<Vec<Column>, String> {
    if text.trim() == "none" {
        return Ok(Vec::new());
    }
    let mut columns: Vec<Column> = Vec::new();
    for name in text.split(',').map(str::trim) {
        let parse = |paths| Column::parse(name, paths);
        let found = parse(settings[0]).or_else(|_| parse(settings[1]));
        let column = match found {
            Ok(column) if column.is_facet() => column,
            Err(why) if why.contains(" can be ") => return Err(format!("{why}; write the whole path")),
            _ => {
                return Err(format!(
                    "\"{name}\" is no setting of these runs; write one such as train.batch, arm or seed"
                ));
            }
        };
        if columns.contains(&column) {
            return Err(format!("\"{name}\" is there twice; write another setting"));
        }
        columns.push(column);
    }
    if columns.len() > 2 {
        return Err("write one setting, or two for columns and rows".to_owned());
    }
    Ok(columns)
}

/// Names of the axes that all runs have.
const COMMON: [&str; 6] = ["epochs", "training", "iterations", "remaining", "seconds", "clock"];

fn axis(name: &str, records: &BTreeMap<String, RunRecord>) -> Result<XAxis, Failure> {
    Ok(match name {
        "epochs" => XAxis::Epoch,
        "training" => XAxis::Training,
        "iterations" => XAxis::Iteration,
        "remaining" => XAxis::Remaining,
        "seconds" => XAxis::Seconds,
        "clock" => XAxis::Clock,
        series => {
            let known: BTreeSet<&str> = records.values().flat_map(RunRecord::series).collect();
            if !known.contains(series) {
                let known: Vec<&str> = COMMON.into_iter().chain(known).collect();
                return Err(Failure::Input(format!(
                    "--x: these runs have no \"{series}\"; there are {}",
                    known.join(", ")
                )));
            }
            XAxis::Series(series.to_owned())
        }
    })
}

#[cfg(test)]
mod tests;

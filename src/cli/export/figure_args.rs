//! Band, axes, title, legend and look of a figure on the command line, instead of those that the window has kept in `view.json`.

use std::collections::{BTreeMap, BTreeSet};

use clap::Args;

use crate::output::{Failure, refuse};
use doc::plan::words::uncapitalised;
use figure::plots::Plot;
use figure::{Figure, IntervalStyle, LegendPlace, Options, Scale};
use results::RunRecord;
use results::facets::FacetAxes;
use results::metric::MetricAxes;
use results::number::Format;
use results::rounds::Levels;
use results::statistics::Spread;
use results::table::columns::{At, Column};
use results::view::{PlotView, Preset, ViewSettings, XAxis};
use results::weights::Measure;

/// Band, horizontal axis and vertical range of a figure.
#[derive(Debug, Default, PartialEq, Args)]
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
    /// Of figures of single faults, the campaign by what it varies, such as "bits of conv1", or by its stage, as the plan
    /// counts it, such as 4 [default: what the window has chosen, else the first one of each arm]
    #[arg(long, value_name = "CAMPAIGN")]
    campaign: Option<String>,
    /// Panels for the values of a setting, such as rate, or of arm or seed; with two, such as batch,rate, the first makes
    /// columns and the second rows; none for one plot [default: what the window has chosen, else none]
    #[arg(long, value_name = "KEY[,KEY]")]
    facets: Option<String>,
    /// Ranges of the panels: shared by all, or free [default: what the window has chosen, else shared]
    #[arg(long, value_name = "AXES", value_parser = FacetAxes::parse)]
    axes: Option<FacetAxes>,
}

type Numbers = std::sync::Arc<[usize]>;

fn rounds(text: &str) -> Result<(Levels, Numbers), String> {
    let numbers: Result<Numbers, _> = text.split(',').map(|number| number.trim().parse()).collect();
    match (text, numbers) {
        ("all", _) => Ok((Levels::All, Numbers::default())),
        ("every-2nd", _) => Ok((Levels::EverySecond, Numbers::default())),
        ("spread", _) => Ok((Levels::Spread, Numbers::default())),
        (_, Ok(numbers)) => Ok((Levels::Chosen, numbers)),
        (_, Err(_)) => Err("write all, every-2nd, spread, or numbers such as 1,3,6".to_owned()),
    }
}

fn statistic(text: &str) -> Result<Measure, String> {
    let names = Measure::ALL.map(|measure| measure.name().replace(' ', "-"));
    let found = names.iter().position(|name| name == text).map(|place| Measure::ALL[place]);
    found.ok_or_else(|| format!("there are {}", names.join(", ")))
}

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
        let name = plot.name;
        view.options.band = self.band.unwrap_or(view.options.band);
        if self.seeds_shown.is_some() && !plot.controls.can_hide_seeds() {
            return refuse(format!("--individual-seeds does not change the figure \"{name}\"; remove it"));
        }
        view.options.traces = self.seeds_shown.unwrap_or(view.options.traces);
        if let Some((levels, numbers)) = &self.rounds {
            (view.options.levels, view.options.rounds) = (*levels, numbers.to_vec());
        }
        if self.statistic.is_some() && !plot.controls.weights {
            return refuse("--statistic applies to the figure weight-statistics; remove it");
        }
        view.options.weights.measure = self.statistic.unwrap_or(view.options.weights.measure);
        self.choose_campaign(plot, view, records)?;
        let kept = view.plots.entry(plot.name.to_owned()).or_insert_with(|| plot.view());
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
                return refuse(NO_ROUNDS);
            }
            let known = Known { settings, series: records.values().flat_map(RunRecord::series).collect() };
            return known.apply([self.x.as_deref(), self.y.as_deref()], &mut view.options.metric, kept);
        }
        if self.y.is_some() {
            return refuse(format!("--y: the figure \"{name}\" has its own vertical axis; remove --y"));
        }
        let Some(x) = &self.x else { return self.check_rounds(plot, view) };
        if let Some(own) = plot.controls.own_x {
            let own = own.to_lowercase();
            return refuse(format!(
                "--x: the figure \"{name}\" has its own horizontal axis ({own}); remove --x"
            ));
        }
        let axis = axis(x, records)?;
        let has_rounds =
            plot.controls.rounds && (!plot.controls.weights || view.options.weights.parameter.is_some());
        if axis == XAxis::Training && !has_rounds {
            let remedy = if plot.controls.weights { "choose one with --parameter" } else { "remove --x" };
            return refuse(format!(
                "--x: the figure \"{name}\" has no lines over the epochs of each training; {remedy}"
            ));
        }
        if axis != view.options.x {
            forget_x(kept);
        }
        view.options.x = axis;
        self.check_rounds(plot, view)
    }

    /// Chooses the campaigns that are shown.
    fn choose_campaign(
        &self,
        plot: &Plot,
        view: &mut ViewSettings,
        records: &BTreeMap<String, RunRecord>,
    ) -> Result<(), Failure> {
        let Some(asked) = &self.campaign else { return Ok(()) };
        if !plot.controls.one_arm {
            return refuse(format!("--campaign does not change the figure \"{}\"; remove it", plot.name));
        }
        let all = records.values().flat_map(RunRecord::campaigns).filter(|campaign| campaign.has_outcomes());
        let known: BTreeSet<(String, &str)> =
            all.map(|campaign| (campaign.began.place(), campaign.name.as_str())).collect();
        let by_stage = format!("Stage {asked}");
        let is_asked = |(place, name): &&(String, &str)| name == asked || *place == by_stage;
        let Some((place, name)) = known.iter().find(is_asked) else {
            let known: Vec<String> =
                known.iter().map(|(place, name)| format!("\"{name}\" ({})", uncapitalised(place))).collect();
            return refuse(format!(
                "--campaign: no campaign \"{asked}\" has single faults; there are {}",
                if known.is_empty() { "none".to_owned() } else { known.join(", ") }
            ));
        };
        view.options.campaign = Some(if name == asked { asked.clone() } else { place.clone() });
        Ok(())
    }

    /// Checks that rounds have lines, where some were chosen.
    fn check_rounds(&self, plot: &Plot, view: &ViewSettings) -> Result<(), Failure> {
        let is_by_round = plot.controls.own_x.is_some() || view.options.x == XAxis::Training;
        let is_refused = self.rounds.is_some() && !(plot.controls.rounds && is_by_round);
        if is_refused { refuse(NO_ROUNDS) } else { Ok(()) }
    }

    /// Cuts a figure to the vertical range.
    ///
    /// # Errors
    /// When its vertical axis has no such range.
    pub fn cut(&self, plot: &Plot, figure: &mut Figure) -> Result<(), Failure> {
        let Some(ends) = self.y_range else { return Ok(()) };
        if !figure.parallel.is_empty() || !figure.y.categories.is_empty() {
            return refuse(format!(
                "--y-range: the vertical axis of the figure \"{}\" has no range of numbers; remove --y-range",
                plot.name
            ));
        }
        let unit = if figure.y.format == Format::Percent { 100.0 } else { 1.0 };
        let ends = ends.map(|end| end / unit);
        if figure.y.scale == Scale::Log10 && ends[0] <= 0.0 {
            return refuse("--y-range: this axis is logarithmic; start above 0, such as 0.1..100");
        }
        figure.y.range = Some(ends);
        Ok(())
    }
}

const NO_ROUNDS: &str =
    "--rounds chooses lines over the epochs of each training; use --figure rounds or add --x training";

/// Forgets what is kept about the horizontal axis, which shows something else now.
fn forget_x(kept: &mut PlotView) {
    (kept.x, kept.log_x) = (None, None);
    kept.x_title.clear();
    kept.facets.zooms.clear();
}

/// Reads the columns that split runs into panels.
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
                let remedy = "write one such as train.batch, arm or seed";
                return Err(format!("\"{name}\" is no setting of these runs; {remedy}"));
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
                let known = COMMON.into_iter().chain(known).collect::<Vec<_>>().join(", ");
                return refuse(format!("--x: these runs have no \"{series}\"; there are {known}"));
            }
            XAxis::Series(series.to_owned())
        }
    })
}

/// Title, legend, look of lines and text of a figure.
#[derive(Debug, Default, PartialEq, Args)]
pub struct PageArgs {
    /// Title above the plot; "" for none [default: what the window has chosen, else none]
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Arm that is drawn over the others and has a band, as the one that is selected in the window [default: none]
    #[arg(long, value_name = "ARM")]
    select: Option<String>,
    /// Place of the legend: inside (a free corner, else above), top-left, top-right, bottom-left, bottom-right, line-ends,
    /// right, above, below or none [default: what the window has chosen, else inside]
    #[arg(long, value_name = "PLACE", value_parser = LegendPlace::parse)]
    legend: Option<LegendPlace>,
    /// Size of the text in points [default: what the window has chosen, else 8, and 20 on a slide]
    #[arg(long, value_name = "POINTS")]
    font: Option<f64>,
    /// Spread around means: bars, bands, none, or auto, as the window draws them [default: what the window
    /// has chosen, else auto]
    #[arg(long, value_name = "STYLE", value_parser = IntervalStyle::parse)]
    intervals: Option<IntervalStyle>,
    /// One mark per arm: on or off [default: what the window has chosen, else on]
    #[arg(long, value_name = "SWITCH", value_parser = switch)]
    marks: Option<bool>,
    /// One dash pattern per arm: on, or off for solid lines [default: what the window has chosen, else on]
    #[arg(long, value_name = "SWITCH", value_parser = switch)]
    dashes: Option<bool>,
    /// Write the settings in which arms differ at their names; --notes=off does not [default: what the window has chosen,
    /// else off]
    #[arg(long, value_name = "SWITCH", value_parser = switch, num_args = 0..=1, require_equals = true, default_missing_value = "on")]
    notes: Option<bool>,
    /// Write the caption and remarks below the plot; --footnote=off does not [default: what the window has chosen, else off]
    #[arg(long, value_name = "SWITCH", value_parser = switch, num_args = 0..=1, require_equals = true, default_missing_value = "on")]
    footnote: Option<bool>,
}

pub fn switch(text: &str) -> Result<bool, String> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err("write on or off".to_owned()),
    }
}

impl PageArgs {
    /// Changes options by these arguments, and with another size. A new size has its usual text, unless somebody chose another.
    pub fn apply(&self, mut options: Options, size: Option<Preset>) -> Options {
        let font = self.font.or(options.page().font_pt);
        if let Some(preset) = size {
            options.size = figure::Size { legend: options.size.legend, ..preset.size() };
        }
        options.size.legend = self.legend.unwrap_or(options.size.legend);
        options.size.font_pt = font.unwrap_or(options.size.font_pt);
        options.intervals = self.intervals.unwrap_or(options.intervals);
        options.marks = self.marks.unwrap_or(options.marks);
        options.dashes = self.dashes.unwrap_or(options.dashes);
        options.notes = self.notes.unwrap_or(options.notes);
        options.footnote = self.footnote.unwrap_or(options.footnote);
        options
    }

    /// Gives a figure its title and its selected arm.
    ///
    /// # Errors
    /// When no line is of this arm.
    pub fn name(&self, figure: &mut Figure) -> Result<(), Failure> {
        if let Some(title) = &self.title {
            figure.title.clone_from(title);
        }
        if let Some(arm) = &self.select {
            if figure.parts().iter().all(|part| part.line_of(arm).is_none()) {
                return refuse(format!("--select: no line of the figure is of \"{arm}\""));
            }
            figure.look.selected = Some(arm.clone());
        }
        Ok(())
    }
}

/// Settings and series that columns can be about.
pub struct Known<'a> {
    /// The paths of the settings in which runs differ, and of all.
    pub settings: [&'a [String]; 2],
    pub series: BTreeSet<&'a str>,
}

impl Known<'_> {
    /// Writes the columns of x and y into the axes of a plot; what is kept about an axis that shows another one is forgotten.
    ///
    /// # Errors
    /// What is no column, or no result.
    pub fn apply(
        &self,
        [x, y]: [Option<&str>; 2],
        axes: &mut MetricAxes,
        kept: &mut PlotView,
    ) -> Result<(), Failure> {
        if let Some(name) = x {
            let x = Some(self.column("--x", name, true)?);
            if axes.x != x {
                forget_x(kept);
            }
            axes.x = x;
        }
        if let Some(name) = y {
            let y = Some(self.column("--y", name, false)?);
            if axes.y != y {
                (kept.y, kept.log_y) = (None, None);
                kept.y_title.clear();
                kept.facets.zooms.clear();
            }
            axes.y = y;
        }
        Ok(())
    }

    /// Finds the result of a name, or the setting.
    fn column(&self, option: &str, name: &str, may_be_setting: bool) -> Result<Column, Failure> {
        if self.series.contains(name) {
            return Ok(Column::Series { series: name.to_owned(), at: At::Last });
        }
        // The end of a path can name one of the settings that differ and several of all.
        let [differing, all] = self.settings;
        let found = Column::parse(name, differing).or_else(|_| Column::parse(name, all));
        let refused = |why: String| refuse(format!("{option}: {why}"));
        match found {
            Ok(Column::Series { series, .. }) if !self.series.contains(series.as_str()) => {
                let known: Vec<&str> = self.series.iter().copied().collect();
                refused(format!("these runs have no \"{series}\"; there are {}", known.join(", ")))
            }
            Ok(Column::Setting(path)) if may_be_setting => Ok(Column::Setting(path)),
            Ok(column) if column.is_measured() => Ok(column),
            Ok(_) => {
                let setting = if may_be_setting { "a setting or " } else { "" };
                let results = "last, best, remaining, epochs, secs or a series such as test_loss:best";
                refused(format!("\"{name}\" is no result; write {setting}{results}"))
            }
            Err(why) => refused(why),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use figure::plots::find;
    use figure::{Axis, Category};
    use results::Event;

    fn arguments(x: Option<&str>, y_range: Option<[f64; 2]>) -> FigureArgs {
        FigureArgs { band: Some(Spread::MinMax), x: x.map(str::to_owned), y_range, ..FigureArgs::default() }
    }

    fn records() -> BTreeMap<String, RunRecord> {
        let line = r#"{"event":"point","series":"train_loss","value":0.5,"stage":"0","epoch":1,"iteration":1,"trained":1,"remaining":1,"secs":0.5}"#;
        let event: Event = serde_json::from_str(line).unwrap();
        BTreeMap::from([("a".to_owned(), RunRecord::from_events([event]))])
    }

    #[test]
    fn what_is_asked_for_comes_before_what_was_kept() {
        let accuracy = find("accuracy").unwrap();
        let kept = PlotView { x: Some([3.0, 5.0]), ..PlotView::default() };
        let mut view = ViewSettings::default();
        view.plots.insert("accuracy".to_owned(), kept);
        arguments(Some("epochs"), None).apply(accuracy, &mut view, &records(), [&[]; 2]).unwrap();
        assert_eq!((view.options.band, view.plots["accuracy"].x), (Spread::MinMax, Some([3.0, 5.0])));
        arguments(Some("train_loss"), None).apply(accuracy, &mut view, &records(), [&[]; 2]).unwrap();
        assert_eq!(view.options.x, XAxis::Series("train_loss".to_owned()));
        assert_eq!(view.plots["accuracy"].x, None, "a part of another axis");
        let mut figure = Figure { y: Axis::percent("Accuracy"), ..Figure::default() };
        arguments(None, Some([85.0, 100.0])).cut(accuracy, &mut figure).unwrap();
        assert_eq!(figure.y.range, Some([0.85, 1.0]));
        figure.y = Axis::new("Loss", "");
        arguments(None, Some([85.0, 100.0])).cut(accuracy, &mut figure).unwrap();
        assert_eq!(figure.y.range, Some([85.0, 100.0]));
    }

    #[test]
    fn panels_are_named_by_the_ends_of_settings() {
        let known = ["train.batch", "train.rate", "plan.0.rate", "plan.0.batch"].map(str::to_owned);
        let settings = [&known[..1], &known];
        let path = |path: &str| Column::Setting(path.to_owned());
        assert_eq!(facets("batch, train.rate", settings), Ok(vec![path("train.batch"), path("train.rate")]));
        assert_eq!(facets("seed,arm", settings), Ok(vec![Column::Seed, Column::Arm]));
        assert_eq!(facets("none", settings), Ok(Vec::new()));
        for (wrong, part) in [
            ("rate", "train.rate or plan.0.rate"),
            ("last", "is no setting"),
            ("depth", "is no setting"),
            ("arm,arm", "twice"),
            ("arm,seed,batch", "one setting, or two"),
        ] {
            assert!(facets(wrong, settings).unwrap_err().contains(part), "{wrong}");
        }
        let mut view = ViewSettings::default();
        let asked = FigureArgs {
            facets: Some("batch".to_owned()),
            axes: Some(FacetAxes::Free),
            ..FigureArgs::default()
        };
        asked.apply(find("loss").unwrap(), &mut view, &records(), settings).unwrap();
        let kept = &view.plots["loss"].facets;
        assert_eq!((kept.by.as_slice(), kept.axes), (&[path("train.batch")][..], FacetAxes::Free));
    }

    #[test]
    fn what_cannot_be_is_refused_with_what_can() {
        let mut view = ViewSettings::default();
        let mut message = |plot: &str, x: &str| {
            arguments(Some(x), None)
                .apply(find(plot).unwrap(), &mut view, &records(), [&[]; 2])
                .unwrap_err()
                .to_string()
        };
        assert!(message("accuracy", "speed").ends_with("remaining, seconds, clock, train_loss"));
        assert!(message("remaining", "epochs").contains("its own horizontal axis (weights remaining)"));
        let cut = |y: Axis| {
            let mut figure = Figure { y, ..Figure::default() };
            arguments(None, Some([0.0, 1.0]))
                .cut(find("accuracy").unwrap(), &mut figure)
                .unwrap_err()
                .to_string()
        };
        assert!(cut(Axis::new("Rate", "").log()).contains("start above 0"));
        assert!(cut(Axis::named("Layer", vec![Category::default()])).contains("no range of numbers"));
        for wrong in ["85", "100..85", "a..b", "1..1", "0..inf", ""] {
            assert!(range(wrong).is_err(), "{wrong}");
        }
        for wrong in ["some", "1,,2", ""] {
            assert!(rounds(wrong).is_err(), "{wrong}");
        }
        assert_eq!(rounds("1, 3"), Ok((Levels::Chosen, [1, 3].into())));
        assert_eq!(statistic("gradient-norm"), Ok(Measure::GradientNorm));
        assert!(statistic("sum").unwrap_err().contains("std, norm"));
        let arguments = |x: Option<&str>, statistic| FigureArgs {
            x: x.map(str::to_owned),
            rounds: Some((Levels::All, Numbers::default())),
            statistic,
            ..FigureArgs::default()
        };
        let mut view = ViewSettings::default();
        let mut applied = |figure: &str, arguments: FigureArgs| {
            let done = arguments.apply(find(figure).unwrap(), &mut view, &records(), [&[], &[]]);
            done.map_err(|why| why.to_string()).map(|()| (view.options.levels, view.options.weights.measure))
        };
        assert!(applied("accuracy", arguments(None, None)).unwrap_err().contains("add --x training"));
        assert_eq!(applied("accuracy", arguments(Some("training"), None)), Ok((Levels::All, Measure::Norm)));
        assert_eq!(applied("rounds", arguments(None, None)), Ok((Levels::All, Measure::Norm)));
        assert!(applied("remaining", arguments(None, None)).unwrap_err().contains("--figure rounds"));
        let mean = || arguments(Some("training"), Some(Measure::Mean));
        assert!(applied("accuracy", mean()).unwrap_err().contains("weight-statistics"));
        assert!(applied("weight-statistics", mean()).unwrap_err().contains("--parameter"));
        assert!(applied("metric", arguments(None, None)).unwrap_err().contains("--figure rounds"));
        for figure in ["members", "member-distance", "past"] {
            let refused = applied(figure, arguments(Some("training"), None)).unwrap_err();
            assert!(refused.contains("no lines over the epochs of each training"), "{refused}");
        }
        let hidden = || FigureArgs { seeds_shown: Some(false), ..FigureArgs::default() };
        assert!(applied("metric", hidden()).unwrap_err().contains("--individual-seeds"));
        assert!(applied("accuracy", hidden()).is_ok());
        view.options.weights.parameter = Some("fc1.weight".to_owned());
        let weights = find("weight-statistics").unwrap();
        assert!(mean().apply(weights, &mut view, &records(), [&[], &[]]).is_ok());
        assert_eq!(range("-0.5 .. 1e2"), Ok([-0.5, 100.0]));
        assert!(Spread::parse("wide").unwrap_err().contains("standard-error"));
    }

    #[test]
    fn another_size_keeps_the_text_that_somebody_chose() {
        let font = |chosen: Option<f64>, asked: Option<f64>| {
            let mut options = Options::default();
            options.size.font_pt = chosen.unwrap_or(options.size.font_pt);
            let arguments = PageArgs { font: asked, ..PageArgs::default() };
            arguments.apply(options, Some(Preset::Slide)).size.font_pt
        };
        assert_eq!(
            [font(None, None), font(Some(12.0), None), font(Some(12.0), Some(16.0))],
            [20.0, 12.0, 16.0]
        );
    }

    #[test]
    fn columns_are_the_axes() {
        let all = ["train.batch", "train.rate", "plan.0.batch"].map(str::to_owned);
        let known = Known { settings: [&all[..1], &all], series: ["train_loss"].into() };
        let apply = |x: Option<&str>, y: Option<&str>| {
            let mut kept = PlotView { log_x: Some(true), log_y: Some(true), ..PlotView::default() };
            let mut axes = MetricAxes::default();
            let applied = known.apply([x, y], &mut axes, &mut kept);
            applied.map(|()| (axes, kept)).map_err(|failure| failure.to_string())
        };
        let (axes, kept) = apply(Some("batch"), None).unwrap();
        assert_eq!(axes.x, Some(Column::Setting("train.batch".to_owned())), "the one that differs");
        assert_eq!((kept.log_x, kept.log_y), (None, Some(true)));
        let (axes, _) = apply(Some("secs"), Some("train_loss")).unwrap();
        let loss = Column::Series { series: "train_loss".to_owned(), at: At::Last };
        assert_eq!(axes, MetricAxes { x: Some(Column::Duration), y: Some(loss) });
        let refused = |x, y| apply(x, y).unwrap_err();
        assert!(refused(Some("arm"), None).contains("--x: \"arm\" is no result; write a setting or last"));
        assert!(refused(None, Some("batch")).contains("--y: \"batch\" is no result; write last"));
        assert!(refused(None, Some("b:best")).contains("these runs have no \"b\"; there are train_loss"));
        assert!(refused(Some("nothing"), None).contains("--x: there is no column"));
    }
}

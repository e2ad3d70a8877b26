//! Band and axes of a figure on the command line, instead of those that the window has kept in `view.ron`.

use std::collections::{BTreeMap, BTreeSet};

use clap::Args;

use crate::cli::failure::Failure;
use crate::figure::plots::Plot;
use crate::figure::{Figure, Scale};
use crate::results::RunRecord;
use crate::results::number::Format;
use crate::results::rounds::Levels;
use crate::results::statistics::Spread;
use crate::results::view::{ViewSettings, XAxis};
use crate::results::weights::Measure;

/// Band, horizontal axis and vertical range of a figure.
#[derive(Debug, Default, Args)]
pub struct FigureArgs {
    /// Band around a mean: interval (95 %), standard-deviation, standard-error, min-max or none [default: what the window
    /// has chosen, else interval]
    #[arg(long, value_name = "BAND", value_parser = Spread::parse)]
    band: Option<Spread>,
    /// Horizontal axis: epochs, training, iterations, remaining, seconds, clock, or the name of a series of the runs
    /// [default: what the window has chosen, else epochs]
    #[arg(long, value_name = "AXIS")]
    x: Option<String>,
    /// Vertical range, such as 85..100: percent where the axis shows shares [default: what the window has chosen, else what
    /// the values need]
    #[arg(long, value_name = "LOW..HIGH", allow_hyphen_values = true, value_parser = range)]
    y_range: Option<[f64; 2]>,
    /// With --x training, the trainings of a plan that have lines: all, every-2nd, spread (at most 8, evenly spaced), or
    /// numbers such as 1,3,6 [default: what the window has chosen, else spread]
    #[arg(long, value_name = "ROUNDS", value_parser = rounds)]
    rounds: Option<(Levels, Numbers)>,
    /// What the figure weight-statistics shows: mean, std, norm, zeros or gradient-norm [default: what the window has
    /// chosen, else norm]
    #[arg(long, value_name = "NAME", value_parser = statistic)]
    statistic: Option<Measure>,
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
        let Self { band, x, y_range, rounds, statistic } = self;
        band.is_none() && x.is_none() && y_range.is_none() && rounds.is_none() && statistic.is_none()
    }

    /// Writes band and horizontal axis into the settings of the window.
    ///
    /// # Errors
    /// An unknown axis, or a figure with a fixed one.
    pub fn apply(
        &self,
        plot: &Plot,
        view: &mut ViewSettings,
        records: &BTreeMap<String, RunRecord>,
    ) -> Result<(), Failure> {
        if let Some(band) = self.band {
            view.options.band = band;
        }
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
        let kept = view.plots.entry(plot.name.to_owned()).or_default();
        if self.y_range.is_some() {
            kept.ignore_outliers = false;
        }
        let Some(x) = &self.x else { return self.check_rounds(view) };
        if let Some(own) = plot.controls.own_x {
            let own = own.to_lowercase();
            let name = plot.name;
            return Err(Failure::Input(format!(
                "--x: the figure \"{name}\" has its own horizontal axis ({own}); remove --x"
            )));
        }
        let axis = axis(x, records)?;
        if axis != view.options.x {
            // The kept settings belong to another axis.
            kept.x = None;
            kept.x_title.clear();
            kept.log_x = None;
        }
        view.options.x = axis;
        self.check_rounds(view)
    }

    /// That rounds have lines, where some were chosen.
    fn check_rounds(&self, view: &ViewSettings) -> Result<(), Failure> {
        if self.rounds.is_some() && view.options.x != XAxis::Training {
            let message = "--rounds chooses lines over the epochs of each training; add --x training";
            return Err(Failure::Input(message.to_owned()));
        }
        Ok(())
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
mod tests {
    use super::*;
    use crate::figure::plots::find;
    use crate::figure::{Axis, Category};
    use crate::results::Event;
    use crate::results::view::PlotView;

    fn arguments(x: Option<&str>, y_range: Option<[f64; 2]>) -> FigureArgs {
        FigureArgs { band: Some(Spread::MinMax), x: x.map(str::to_owned), y_range, ..FigureArgs::default() }
    }

    fn records() -> BTreeMap<String, RunRecord> {
        let line = r#"{"event":"point","series":"train_loss","value":0.5,"stage":"0","epoch":1,"iteration":1,"trained":1,"remaining":1,"secs":0.5}"#;
        let event: Event = serde_json::from_str(line).unwrap();
        BTreeMap::from([("a".to_owned(), RunRecord::of([event]))])
    }

    #[test]
    fn what_is_asked_for_comes_before_what_was_kept() {
        let accuracy = find("accuracy").unwrap();
        let kept = PlotView { x: Some([3.0, 5.0]), ..PlotView::default() };
        let mut view = ViewSettings::default();
        view.plots.insert("accuracy".to_owned(), kept);
        arguments(Some("epochs"), None).apply(accuracy, &mut view, &records()).unwrap();
        assert_eq!((view.options.band, view.plots["accuracy"].x), (Spread::MinMax, Some([3.0, 5.0])));
        arguments(Some("train_loss"), None).apply(accuracy, &mut view, &records()).unwrap();
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
    fn what_cannot_be_is_refused_with_what_can() {
        let mut view = ViewSettings::default();
        let mut message = |plot: &str, x: &str| {
            arguments(Some(x), None)
                .apply(find(plot).unwrap(), &mut view, &records())
                .unwrap_err()
                .to_string()
        };
        assert!(message("accuracy", "speed").ends_with("remaining, seconds, clock, train_loss"));
        assert!(message("remaining", "epochs").contains("its own horizontal axis (remaining weights)"));
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
            let done = arguments.apply(find(figure).unwrap(), &mut view, &records());
            done.map_err(|why| why.to_string()).map(|()| (view.options.levels, view.options.weights.measure))
        };
        assert!(applied("accuracy", arguments(None, None)).unwrap_err().contains("add --x training"));
        assert_eq!(applied("accuracy", arguments(Some("training"), None)), Ok((Levels::All, Measure::Norm)));
        let mean = || arguments(Some("training"), Some(Measure::Mean));
        assert!(applied("accuracy", mean()).unwrap_err().contains("weight-statistics"));
        assert_eq!(applied("weight-statistics", mean()), Ok((Levels::All, Measure::Mean)));
        assert_eq!(range("-0.5 .. 1e2"), Ok([-0.5, 100.0]));
        assert!(Spread::parse("wide").unwrap_err().contains("standard-error"));
    }
}

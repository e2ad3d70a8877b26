//! Band and axes of a figure on the command line, instead of those that the window has kept in `view.ron`.

use std::collections::{BTreeMap, BTreeSet};

use clap::Args;

use crate::cli::failure::Failure;
use crate::doc::Run;
use crate::figure::plots::Plot;
use crate::figure::{Figure, Scale};
use crate::results::RunRecord;
use crate::results::metric::MetricAxes;
use crate::results::number::Format;
use crate::results::statistics::Spread;
use crate::results::table::Differing;
use crate::results::table::columns::{At, Column};
use crate::results::view::{PlotView, ViewSettings, XAxis};

/// Band, horizontal axis and vertical range of a figure.
#[derive(Debug, Default, Args)]
pub struct FigureArgs {
    /// Band around a mean: interval (95 %), standard-deviation, standard-error, min-max or none [default: what the window
    /// has chosen, else interval]
    #[arg(long, value_name = "BAND", value_parser = Spread::parse)]
    band: Option<Spread>,
    /// Horizontal axis: epochs, training, iterations, remaining, seconds, clock, or the name of a series of the runs; of the
    /// figure metric a setting or a result, such as batch, secs or test_loss:best [default: what the window has chosen, else
    /// epochs, and of the figure metric the first swept setting]
    #[arg(long, value_name = "AXIS")]
    x: Option<String>,
    /// Result of the figure metric: last, best, remaining, epochs, secs, or the value of a series as test_loss:best,
    /// test_loss:last, test_loss@1000 (an iteration) or test_accuracy@21% (a level of weights) [default: what the window has
    /// chosen, else last]
    #[arg(long, value_name = "RESULT")]
    y: Option<String>,
    /// Vertical range, such as 85..100: percent where the axis shows shares [default: what the window has chosen, else what
    /// the values need]
    #[arg(long, value_name = "LOW..HIGH", allow_hyphen_values = true, value_parser = range)]
    y_range: Option<[f64; 2]>,
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
        self.band.is_none() && self.x.is_none() && self.y.is_none() && self.y_range.is_none()
    }

    /// Writes band and horizontal axis into the settings of the window.
    ///
    /// # Errors
    /// An unknown axis, or a figure with a fixed one.
    pub fn apply(
        &self,
        plot: &Plot,
        view: &mut ViewSettings,
        (runs, records): (&[Run], &BTreeMap<String, RunRecord>),
    ) -> Result<(), Failure> {
        if let Some(band) = self.band {
            view.options.band = band;
        }
        let kept = view.plots.entry(plot.name.to_owned()).or_default();
        if self.y_range.is_some() {
            kept.ignore_outliers = false;
        }
        if plot.controls.columns {
            return self.apply_columns(&mut view.options.metric, kept, &Known::of(runs, records));
        }
        if self.y.is_some() {
            let name = plot.name;
            let message = format!("--y: the figure \"{name}\" has its own vertical axis; remove --y");
            return Err(Failure::Input(message));
        }
        let Some(x) = &self.x else { return Ok(()) };
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
        Ok(())
    }

    /// Writes the columns of both axes into the settings of the window.
    fn apply_columns(
        &self,
        axes: &mut MetricAxes,
        kept: &mut PlotView,
        known: &Known,
    ) -> Result<(), Failure> {
        if let Some(name) = &self.x {
            let x = Some(known.column("--x", name, true)?);
            if axes.x != x {
                (kept.x, kept.log_x) = (None, None);
                kept.x_title.clear();
            }
            axes.x = x;
        }
        if let Some(name) = &self.y {
            let y = Some(known.column("--y", name, false)?);
            if axes.y != y {
                (kept.y, kept.log_y) = (None, None);
                kept.y_title.clear();
            }
            axes.y = y;
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

/// What columns can be about.
struct Known {
    differing: Differing,
    series: BTreeSet<String>,
}

impl Known {
    fn of(runs: &[Run], records: &BTreeMap<String, RunRecord>) -> Self {
        let mut differing = Differing::default();
        differing.give(&mut [], &runs.iter().collect::<Vec<_>>());
        let series = records.values().flat_map(RunRecord::series).map(str::to_owned).collect();
        Self { differing, series }
    }

    /// The result of a name, or the setting.
    fn column(&self, option: &str, name: &str, may_be_setting: bool) -> Result<Column, Failure> {
        if self.series.contains(name) {
            return Ok(Column::Series { series: name.to_owned(), at: At::Last });
        }
        // The end of a path can name one of the settings that differ and several of all.
        let found = Column::parse(name, self.differing.paths());
        let found = found.or_else(|_| Column::parse(name, self.differing.known()));
        let refused = |why: String| Err(Failure::Input(format!("{option}: {why}")));
        match found {
            Ok(Column::Series { series, .. }) if !self.series.contains(&series) => {
                let known: Vec<&str> = self.series.iter().map(String::as_str).collect();
                refused(format!("these runs have no \"{series}\"; there are {}", known.join(", ")))
            }
            Ok(Column::Setting(path)) if may_be_setting => Ok(Column::Setting(path)),
            Ok(column) if column.is_measured() => Ok(column),
            Ok(_) => {
                let setting = if may_be_setting { "a setting or " } else { "" };
                refused(format!(
                    "\"{name}\" is no result; write {setting}last, best, remaining, epochs, secs or a \
                                 series such as test_loss:best"
                ))
            }
            Err(why) => refused(why),
        }
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
    use crate::doc::file::parse;
    use crate::doc::runs;
    use crate::figure::plots::find;
    use crate::figure::{Axis, Category};
    use crate::results::Event;
    use crate::results::view::PlotView;

    fn arguments(x: Option<&str>, y_range: Option<[f64; 2]>) -> FigureArgs {
        FigureArgs { band: Some(Spread::MinMax), x: x.map(str::to_owned), y: None, y_range }
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
        arguments(Some("epochs"), None).apply(accuracy, &mut view, (&[], &records())).unwrap();
        assert_eq!((view.options.band, view.plots["accuracy"].x), (Spread::MinMax, Some([3.0, 5.0])));
        arguments(Some("train_loss"), None).apply(accuracy, &mut view, (&[], &records())).unwrap();
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
    fn columns_are_the_axes_of_the_figure_metric() {
        let text = "(sweep: { \"train.batch\": [8, 16] }, arms: [(plan: [Train(\"1ep\"), Test])])";
        let runs = runs(&parse(text, std::path::Path::new("x.ron")).unwrap()).unwrap();
        let kept = PlotView { log_x: Some(true), log_y: Some(true), ..PlotView::default() };
        let apply = |plot: &str, x: Option<&str>, y: Option<&str>| {
            let mut view = ViewSettings::default();
            view.plots.insert(plot.to_owned(), kept.clone());
            let arguments = FigureArgs { y: y.map(str::to_owned), ..arguments(x, None) };
            let applied = arguments.apply(find(plot).unwrap(), &mut view, (&runs, &records()));
            applied.map(|()| view).map_err(|failure| failure.to_string())
        };
        let view = apply("metric", Some("batch"), None).unwrap();
        assert_eq!(view.options.metric.x, Some(Column::Setting("train.batch".to_owned())));
        assert_eq!((view.plots["metric"].log_x, view.plots["metric"].log_y), (None, Some(true)));
        let view = apply("metric", Some("secs"), Some("train_loss")).unwrap();
        let loss = Column::Series { series: "train_loss".to_owned(), at: At::Last };
        assert_eq!(view.options.metric, MetricAxes { x: Some(Column::Duration), y: Some(loss) });
        assert_eq!(view.options.x, XAxis::default(), "that of the other plots");
        let refused = |x, y| apply("metric", x, y).unwrap_err();
        assert!(refused(Some("arm"), None).contains("--x: \"arm\" is no result; write a setting or last"));
        assert!(refused(None, Some("batch")).contains("--y: \"batch\" is no result; write last"));
        assert!(
            refused(None, Some("test_loss:best"))
                .contains("these runs have no \"test_loss\"; there are train_loss")
        );
        assert!(refused(Some("nothing"), None).contains("--x: there is no column"));
        assert!(apply("loss", None, Some("last")).unwrap_err().contains("has its own vertical axis"));
    }

    #[test]
    fn what_cannot_be_is_refused_with_what_can() {
        let mut view = ViewSettings::default();
        let mut message = |plot: &str, x: &str| {
            arguments(Some(x), None)
                .apply(find(plot).unwrap(), &mut view, (&[], &records()))
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
        assert_eq!(range("-0.5 .. 1e2"), Ok([-0.5, 100.0]));
        assert!(Spread::parse("wide").unwrap_err().contains("standard-error"));
    }
}

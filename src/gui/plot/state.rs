//! What the plot panel keeps: the chosen plot, its options, and the figure that was built last.

use std::collections::BTreeMap;

use super::figure_view::FigureView;
use super::panel::PlotInput;
use crate::figure::Options;
use crate::figure::model::Figure;
use crate::figure::plots::{ALL, ArmRuns, Plot, PlotOptions, concerns, find};
use crate::figure::size::Preset;
use crate::figure::view::{PlotView, ViewSettings, whole};

/// While runs go on, figures are built at most this often, in seconds; where building takes long, at most a tenth of
/// the time is spent on it.
const PAUSE: f64 = 0.1;
const SHARE: f64 = 0.1;

/// What the plot panel keeps between frames.
#[derive(Clone, Debug, Default)]
pub struct PlotState {
    /// What a person chose about the plots.
    pub options: PlotOptions,
    /// Titles that a person gave, by the plot's name.
    titles: BTreeMap<String, PlotView>,
    /// Whether zooming along x shows the same range in all plots with this axis.
    pub linked: bool,
    /// The paper of exported figures.
    pub size: Preset,
    chosen: Option<&'static str>,
    views: BTreeMap<&'static str, FigureView>,
    built: Option<Built>,
}

#[derive(Clone, Debug)]
struct Built {
    cause: Cause,
    revision: u64,
    figure: Figure,
    has_data: bool,
    /// The plots that have to do with the data.
    concerned: Vec<&'static str>,
    /// Series that the runs have.
    series: Vec<String>,
    /// When, and for how long, in seconds.
    at: f64,
    took: f64,
}

/// What makes another figure at once; a new revision only after a pause.
#[derive(Clone, Debug, PartialEq)]
struct Cause {
    plot: &'static str,
    options: PlotOptions,
    titles: PlotView,
    arms: Vec<(String, usize, Vec<u64>)>,
}

impl PlotState {
    /// The plot whose tab is open.
    #[must_use]
    pub fn plot(&self) -> &'static dyn Plot {
        self.chosen.and_then(find).unwrap_or(ALL[0])
    }

    /// Opens the tab of the plot with this name; an unknown one opens the first.
    pub fn choose(&mut self, name: &str) {
        self.chosen = find(name).map(Plot::name);
    }

    /// Whether a plot has to do with what was seen of the data last.
    pub(super) fn concerns(&self, plot: &dyn Plot) -> bool {
        let is_concerned = |built: &Built| built.concerned.contains(&plot.name());
        plot.needs().is_empty() || self.built.as_ref().is_some_and(is_concerned)
    }

    /// What is on the screen, for export and for CSV: without hidden lines, cut to the part that is seen. `None` when
    /// there is nothing to see yet.
    #[must_use]
    pub fn shown_figure(&self) -> Option<Figure> {
        let figure = self.built.as_ref().filter(|built| built.has_data).map(|built| &built.figure)?;
        let view = self.views.get(self.plot().name());
        Some(view.map_or_else(|| figure.clone(), |view| view.shown(figure)))
    }

    /// The titles of the open plot, to be edited.
    pub(super) fn titles(&mut self) -> &mut PlotView {
        let name = self.plot().name();
        self.titles.entry(name.to_owned()).or_default()
    }

    /// The open plot's figure as it was built last.
    pub(super) fn figure(&self) -> Option<&Figure> {
        self.built.as_ref().map(|built| &built.figure)
    }

    /// Series that can run along the horizontal axis.
    pub(super) fn series(&self) -> &[String] {
        self.built.as_ref().map_or(&[], |built| &built.series)
    }

    /// Takes what is kept about the plots of a document.
    pub fn take(&mut self, view: &ViewSettings) {
        self.options = view.options.clone();
        (self.linked, self.size) = (view.linked, view.size);
        self.titles.clear();
        self.views.clear();
        for plot in ALL {
            let Some(kept) = view.plots.get(plot.name()) else { continue };
            self.views.insert(plot.name(), FigureView::of(kept));
            self.titles.insert(plot.name().to_owned(), titles_of(kept));
        }
    }

    /// Hands over what is to be kept about the plots of a document.
    pub fn give(&self, view: &mut ViewSettings) {
        view.options = self.options.clone();
        (view.linked, view.size) = (self.linked, self.size);
        view.plots.clear();
        for plot in ALL {
            let titles = self.titles.get(plot.name()).cloned().unwrap_or_default();
            let kept = match self.views.get(plot.name()) {
                Some(seen) => seen.kept(titles),
                None => titles,
            };
            if kept != PlotView::default() {
                view.plots.insert(plot.name().to_owned(), kept);
            }
        }
    }

    /// Shows the range of x of the open plot in all others with the same axis.
    pub(super) fn link(&mut self) {
        let open = self.plot().name();
        let Some(x) = self.views.get(open).map(FigureView::x_range) else { return };
        for plot in ALL.iter().filter(|plot| plot.name() != open && plot.chooses_x()) {
            self.views.entry(plot.name()).or_default().show_x(x);
        }
    }

    /// How exported figures are drawn.
    #[must_use]
    pub fn paper(&self) -> Options {
        Options { size: self.size.size(), ..Options::default() }
    }

    /// Whether there is anything to see.
    #[must_use]
    pub fn has_data(&self) -> bool {
        self.built.as_ref().is_some_and(|built| built.has_data)
    }

    /// Builds the figure of the open tab anew where it is out of date. `now` in seconds; returns the time after which to
    /// look again, where the figure is behind the data.
    pub(super) fn update(&mut self, input: &PlotInput<'_>, now: f64) -> Option<f64> {
        let plot = self.plot();
        let arm =
            |arm: &ArmRuns<'_>| (arm.name.clone(), arm.colour, arm.runs.iter().map(|run| run.0).collect());
        let cause = Cause {
            plot: plot.name(),
            options: self.options.clone(),
            titles: self.titles.get(plot.name()).cloned().unwrap_or_default(),
            arms: input.arms.iter().map(arm).collect(),
        };
        let due = |built: &Built| built.at + f64::max(PAUSE, built.took / SHARE);
        if let Some(built) = self.built.as_ref().filter(|built| built.cause == cause) {
            if built.revision == input.revision {
                return None;
            }
            if now < due(built) {
                return Some(due(built) - now);
            }
        }
        self.views.entry(plot.name()).or_default().forget_figure();
        self.built = Some(build(plot, input, cause, now));
        None
    }

    /// The figure of the open tab with its view; `None` when there is nothing to see.
    pub(super) fn drawable(&mut self) -> Option<(&Figure, &mut FigureView)> {
        let view = self.views.entry(self.plot().name()).or_default();
        let built = self.built.as_ref().filter(|built| built.has_data)?;
        Some((&built.figure, view))
    }

    /// The view of the open tab, once it was drawn.
    pub(super) fn view(&mut self) -> Option<&mut FigureView> {
        let name = self.plot().name();
        self.views.get_mut(name)
    }
}

fn build(plot: &dyn Plot, input: &PlotInput<'_>, cause: Cause, now: f64) -> Built {
    let began = std::time::Instant::now();
    let figure = whole(plot, input.arms, &cause.options, &cause.titles);
    let has_data = figure.has_data();
    let concerned = ALL.iter().filter(|plot| concerns(**plot, input.arms)).map(|plot| plot.name()).collect();
    let mut series: Vec<String> = input
        .arms
        .iter()
        .flat_map(|arm| &arm.runs)
        .flat_map(|run| run.1.series())
        .map(str::to_owned)
        .collect();
    series.sort();
    series.dedup();
    let (revision, took) = (input.revision, began.elapsed().as_secs_f64());
    Built { cause, revision, figure, has_data, concerned, series, at: now, took }
}

/// The titles alone.
fn titles_of(kept: &PlotView) -> PlotView {
    let PlotView { title, x_title, y_title, .. } = kept.clone();
    PlotView { title, x_title, y_title, ..PlotView::default() }
}

//! The state of all plots: options, views, and the figures of visible plots.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use eframe::egui::Context;

use super::builder::{ArmKey, Builder, BuiltFigure, PlotInput};
use super::figure_view::{FigureView, PlotContext};
use crate::background::pause_after;
use figure::model::{Figure, FigureLook};
use figure::plots::{ALL, ArmRuns, Plot, find, recorded_parameters};
use figure::view::facets::choices;
use figure::view::{seen, whole};
use figure::{DPI, Options};
use results::RunRecord;
use results::facets::FacetSettings;
use results::metric::{results, settings};
use results::table::columns::Column;
use results::table::{Labels, Row};
use results::view::{PageStyle, PlotOptions, PlotView, Preset, ViewSettings};

/// The state of all plots between frames.
#[derive(Debug, Default)]
pub struct PlotState {
    pub options: PlotOptions,
    /// The selected arm, whose band is drawn.
    pub selected: Option<String>,
    /// The selected setting, or the first one of the selected arm, as its runs are called: what a plot of the weights of one
    /// arm shows.
    pub treatment: Option<String>,
    /// The columns that were chosen for the table of runs, which readings and parallel axes show.
    pub columns: Option<Vec<Column>>,
    /// The names of arms with their swept values; none while a setting makes the lines.
    pub arms: Arc<[String]>,
    /// Titles and scales that a person chose, by the plot's name.
    titles: BTreeMap<String, PlotView>,
    /// True if zooming along x shows the same range in all plots with this axis.
    pub linked: bool,
    /// The paper of exported figures.
    size: Preset,
    dpi: Option<u32>,
    page: PageStyle,
    chosen: Option<&'static str>,
    views: BTreeMap<&'static str, FigureView>,
    builders: BTreeMap<&'static str, Builder>,
    pub(super) data: PlotData,
    reported: BTreeSet<String>,
}

impl PlotState {
    /// Returns the plot that was used last, which exports write.
    pub fn plot(&self) -> &'static Plot {
        self.chosen.and_then(find).unwrap_or(&ALL[0])
    }

    /// Makes the plot with this name the one that exports write; an unknown name changes nothing.
    pub fn choose(&mut self, name: &str) {
        self.chosen = find(name).map(|plot| plot.name).or(self.chosen);
    }

    /// Returns the plots that apply to the data, in the order of the registry.
    pub fn concerned(&self) -> impl Iterator<Item = &'static str> {
        let has = |plot: &&Plot| match plot.has_data_of {
            None => !self.data.series.is_empty(),
            Some(_) => self.data.concerned.contains(&plot.name),
        };
        ALL.iter().filter(has).map(|plot| plot.name)
    }

    pub(super) fn built(&self, plot: &Plot) -> Option<&BuiltFigure> {
        self.builders.get(plot.name).and_then(Builder::built)
    }

    /// Returns true if the open plot does not show this revision of the records yet.
    pub fn is_behind(&self, revision: u64) -> bool {
        let name = self.plot().name;
        self.builders.get(name).is_none_or(|builder| builder.is_behind(revision))
            || self.views.get(name).is_some_and(FigureView::is_waiting)
    }

    /// Returns true if a thread builds the first figure of a plot.
    pub(super) fn is_building(&self, plot: &Plot) -> bool {
        self.builders.get(plot.name).is_some_and(|builder| builder.is_pending() && !self.has_data(plot))
    }

    /// Forgets the figures of plots that are not visible.
    pub fn keep_only(&mut self, seen: &[&str]) {
        self.builders.retain(|name, _| seen.contains(name));
    }

    /// Returns the work that makes the visible figure of a plot, without hidden lines and cut to the visible part. It fails
    /// without data, or with too many panels.
    pub fn visible_figure(
        &self,
        plot: &'static Plot,
        input: PlotInput,
    ) -> impl FnOnce() -> Result<Figure, String> + Send + use<> {
        let titles = self.titles.get(plot.name).cloned().unwrap_or_default();
        let (builder, options) = (self.builders.get(plot.name), self.options_of(plot));
        let built = builder.and_then(|builder| builder.current(&options, titles.clone(), &input)).cloned();
        let view = self.views.get(plot.name);
        let view = view.map_or_else(|| plot.view(), |view| view.kept(PlotView::default()));
        let look = FigureLook { selected: self.selected.clone(), bands: self.options.bands };
        move || {
            let made = || Arc::new(whole(plot, &input.arms, &options, &titles, &input.note()));
            let figure = built.unwrap_or_else(made);
            if let Some(why) = figure.refusal() {
                return Err(format!("{why}. Choose another setting, or filter the runs."));
            }
            if !figure.has_data() {
                return Err("The plot is empty. Press Run first.".to_owned());
            }
            Ok(Figure { look, ..seen(&figure, &view) })
        }
    }

    #[cfg(test)]
    pub fn shown_figure(&self) -> Option<Figure> {
        let plot = self.plot();
        let figure = self.built(plot).filter(|built| built.figure.has_data()).map(|built| &built.figure)?;
        let view = self.views.get(plot.name);
        Some(view.map_or_else(|| Figure::clone(figure), |view| view.shown(figure)()))
    }

    /// Returns the small print of the last figure of a plot, for a hint beside its title; `None` without a figure.
    pub fn explanation(&self, plot: &Plot) -> Option<String> {
        Some(self.views.get(plot.name)?.explanation(self.figure(plot)?))
    }

    /// Returns why figures could not be built or drawn; each reason once.
    pub fn troubles(&mut self) -> Vec<String> {
        let mut found = Vec::new();
        for plot in ALL {
            let builder = self.builders.get_mut(plot.name).and_then(Builder::trouble);
            let view = self.views.get_mut(plot.name).and_then(FigureView::trouble);
            for why in builder.into_iter().chain(view) {
                let text = format!(
                    "{} could not be redrawn and shows its last state ({why}). Choose other options or runs. This is a bug in \
                     Weightlab; please report it",
                    plot.title
                );
                if self.reported.insert(text.clone()) {
                    found.push(text);
                }
            }
        }
        found
    }

    /// Forgets ranges, titles and readings of the horizontal axis, which shows another quantity.
    pub(super) fn forget_x(&mut self) {
        for plot in ALL.iter().filter(|plot| plot.controls.own_x.is_none()) {
            self.forget_axes(plot, [true, false]);
        }
    }

    /// Forgets ranges, titles and readings of the axes of a plot that show another quantity.
    pub(super) fn forget_axes(&mut self, plot: &Plot, [x, y]: [bool; 2]) {
        if let Some(view) = self.views.get_mut(plot.name) {
            view.forget_axes([x, y]);
        }
        let titles = self.titles(plot);
        if x {
            titles.x_title.clear();
            titles.log_x = None;
        }
        if y {
            titles.y_title.clear();
            titles.log_y = None;
        }
    }

    /// Returns the titles and scales of a plot, to be edited.
    pub fn titles(&mut self, plot: &Plot) -> &mut PlotView {
        self.titles.entry(plot.name.to_owned()).or_default()
    }

    pub(super) fn figure(&self, plot: &Plot) -> Option<&Figure> {
        self.built(plot).map(|built| &*built.figure)
    }

    /// Returns the options of a plot: one that shows a single arm shows the selected one.
    fn options_of(&self, plot: &Plot) -> PlotOptions {
        let arm = self.treatment.clone().filter(|_| plot.controls.weights);
        PlotOptions { arm, columns: self.columns.clone(), ..self.options.clone() }
    }

    /// Renames a line; a hidden one stays hidden.
    pub fn rename(&mut self, old: &str, new: &str) {
        for view in self.views.values_mut() {
            view.rename(old, new);
        }
    }

    /// Takes the saved state of the plots of a document.
    pub fn take(&mut self, view: &ViewSettings) {
        self.take_options(view);
        self.titles.clear();
        self.views.clear();
        self.builders.clear();
        self.data = PlotData::default();
        for plot in ALL {
            let Some(kept) = view.plots.get(plot.name) else { continue };
            self.views.insert(plot.name, FigureView::new(kept));
            self.titles.insert(plot.name.to_owned(), titles_of(kept));
        }
    }

    fn take_options(&mut self, view: &ViewSettings) {
        self.options = view.options.clone();
        (self.linked, self.size, self.page, self.dpi) = (view.linked, view.size, view.page, view.dpi);
    }

    /// Takes former options of the plots back; the visible ranges stay.
    pub fn take_edits(&mut self, view: &ViewSettings) {
        self.take_options(view);
        self.titles = view.plots.iter().map(|(name, kept)| (name.clone(), titles_of(kept))).collect();
        for plot in ALL {
            let hidden =
                view.plots.get(plot.name).map_or_else(|| plot.view().hidden, |kept| kept.hidden.clone());
            if !hidden.is_empty() || self.views.contains_key(plot.name) {
                view_of(&mut self.views, plot).hidden = hidden;
            }
        }
    }

    /// Writes the state of the plots into the settings of a document.
    pub fn give(&self, view: &mut ViewSettings) {
        view.options = self.options.clone();
        (view.linked, view.size, view.page, view.dpi) = (self.linked, self.size, self.page, self.dpi);
        view.plots.clear();
        for plot in ALL {
            let titles = self.titles.get(plot.name).cloned().unwrap_or_default();
            let kept = match self.views.get(plot.name) {
                Some(view) => view.kept(titles),
                None => PlotView { hidden: plot.view().hidden, ..titles },
            };
            if kept != plot.view() {
                view.plots.insert(plot.name.to_owned(), kept);
            }
        }
    }

    /// Shows the range of x of a plot in all others with the same axis.
    pub(super) fn link(&mut self, from: &Plot) {
        let Some(x) = self.views.get(from.name).map(|view| view.chosen[0]) else { return };
        for plot in ALL.iter().filter(|plot| plot.name != from.name && plot.controls.own_x.is_none()) {
            view_of(&mut self.views, plot).show_x(x);
        }
    }

    /// Zooms out to all data of a plot.
    pub fn fit(&mut self, plot: &Plot) {
        if let Some(view) = self.views.get_mut(plot.name) {
            view.fit();
        }
    }

    /// Returns the options of exported figures.
    pub fn paper(&self) -> Options {
        Options::new(self.size, self.dpi.unwrap_or(DPI), &self.page)
    }

    /// Takes what the export dialog has.
    pub fn set_paper(&mut self, paper: &Options) {
        (self.size, self.page) = (Preset::near(&paper.size), paper.page());
        self.dpi = Some(paper.dpi.round() as u32).filter(|dpi| *dpi != DPI);
    }

    pub fn has_data(&self, plot: &Plot) -> bool {
        self.built(plot).is_some_and(|built| built.figure.has_data())
    }

    /// Finds out which plots apply to the data, if that is due. `now` in seconds; returns the seconds until the next update,
    /// as [`Self::update`] does.
    pub fn update_data(&mut self, input: &PlotInput, now: f64) -> Option<f64> {
        let arms = input.lines();
        let data = &self.data;
        if data.revision.is_some() && data.arms == arms {
            if data.revision == Some(input.revision) {
                return None;
            }
            let due = data.at + pause_after(data.took);
            if now < due {
                return Some(due - now);
            }
        }
        self.data = plot_data(input, arms, now);
        None
    }

    /// Rebuilds the figure of a plot if it is outdated. `now` in seconds; returns the seconds until the next update if the
    /// figure is still older than the data.
    pub fn update(&mut self, plot: &'static Plot, input: &PlotInput, ctx: &Context, now: f64) -> Option<f64> {
        let titles = self.titles.get(plot.name).cloned().unwrap_or_default();
        let options = self.options_of(plot);
        let view = view_of(&mut self.views, plot);
        let builder = self.builders.entry(plot.name).or_default();
        builder.update(plot, (&options, titles), input, view, (ctx, now))
    }

    /// Returns the figure of a plot with its view; `None` without data.
    pub(super) fn drawable(&mut self, plot: &Plot) -> Option<(&Arc<Figure>, &mut FigureView)> {
        let built = self.builders.values().filter_map(Builder::built);
        let plots = built.filter(|built| built.figure.has_curves()).count();
        let built = self.builders.get(plot.name)?.built().filter(|built| built.figure.has_data())?;
        let view = self.views.get_mut(plot.name)?;
        let (bands, spread) = (self.options.bands, self.options.band);
        view.around = PlotContext {
            selected: self.selected.clone(),
            bands,
            spread,
            plots,
            arms: self.arms.clone(),
            exports: true,
        };
        Some((&built.figure, view))
    }

    /// Returns the view of a plot, once it was drawn.
    pub(super) fn view(&mut self, plot: &Plot) -> Option<&mut FigureView> {
        self.views.get_mut(plot.name)
    }
}

/// Returns the view of a plot, which begins with its own.
fn view_of<'a>(views: &'a mut BTreeMap<&'static str, FigureView>, plot: &Plot) -> &'a mut FigureView {
    views.entry(plot.name).or_insert_with(|| FigureView::new(&plot.view()))
}

fn titles_of(kept: &PlotView) -> PlotView {
    let PlotView { title, x_title, y_title, log_x, log_y, ignore_outliers, facets, .. } = kept.clone();
    let facets = FacetSettings { zooms: BTreeMap::new(), ..facets };
    PlotView { title, x_title, y_title, log_x, log_y, ignore_outliers, facets, ..PlotView::default() }
}

/// The parts of the input that all plots share.
#[derive(Clone, Debug, Default)]
pub(super) struct PlotData {
    arms: Vec<ArmKey>,
    /// `None` before the first computation.
    revision: Option<u64>,
    concerned: Vec<&'static str>,
    pub series: Vec<String>,
    pub columns: Arc<AxisColumns>,
    /// Parameters with recorded statistics, in the order of the network.
    pub parameters: Vec<String>,
    /// The columns that can split the runs into panels, with their names.
    pub facets: Vec<(Column, String)>,
    /// The time of the computation, and its duration, in seconds.
    at: f64,
    took: f64,
}

fn plot_data(input: &PlotInput, arms: Vec<ArmKey>, now: f64) -> PlotData {
    let began = std::time::Instant::now();
    let shown = &input.arms;
    let records = || shown.iter().flat_map(|arm| &arm.runs).map(|(_, record)| record);
    let concerned = ALL.iter().filter(|plot| plot.concerns(records())).map(|plot| plot.name).collect();
    let series: BTreeSet<&str> = records().flat_map(RunRecord::series).collect();
    let series: Vec<String> = series.into_iter().map(str::to_owned).collect();
    let columns = Arc::new(AxisColumns::new(shown, &series));
    let parameters = recorded_parameters(shown);
    let (revision, took) = (Some(input.revision), began.elapsed().as_secs_f64());
    let facets = choices(shown);
    PlotData { arms, revision, concerned, series, columns, parameters, facets, at: now, took }
}

/// Columns with their titles, in the order of lists.
#[derive(Clone, Debug, Default)]
pub struct AxisColumns {
    /// The settings in which runs differ.
    pub settings: Vec<(Column, String)>,
    pub results: Vec<(Column, String)>,
    labels: Arc<Labels>,
}

impl AxisColumns {
    pub fn new(arms: &[ArmRuns], series: &[String]) -> Self {
        let rows: Vec<&Row> = arms.iter().flat_map(|arm| &arm.rows).map(Arc::as_ref).collect();
        let labels = rows.first().map(|row| row.labels.clone()).unwrap_or_default();
        let titled = |columns: Vec<Column>| -> Vec<(Column, String)> {
            columns.into_iter().map(|column| (column.clone(), column.title(&labels))).collect()
        };
        Self {
            settings: titled(settings(&rows)),
            results: titled(results(&rows, series)),
            labels: labels.clone(),
        }
    }

    /// Returns the column while nothing is chosen; `drawn` is the title of the drawn x, since a part of the runs may differ
    /// in fewer settings.
    pub fn usual(&self, is_x: bool, drawn: Option<&str>) -> Option<Column> {
        let is_drawn = |(_, title): &&(Column, String)| drawn == Some(title);
        let of_x = || self.settings.iter().find(is_drawn).or(self.settings.first());
        if is_x { of_x().map(|(column, _)| column.clone()) } else { Some(Column::Last) }
    }

    pub fn title(&self, column: &Column) -> String {
        column.title(&self.labels)
    }
}

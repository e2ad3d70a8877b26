//! The views of the panels of a figure.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{FigureView, Surroundings};
use crate::plot::navigate::View;
use crate::plot::scene::Scene;
use crate::plot::values::Table;
use figure::facets::Facets;
use figure::layout::Grid;
use figure::legend::samples;
use figure::model::Figure;

/// The chosen ranges of panels by their titles.
type Zooms = BTreeMap<String, [Option<[f64; 2]>; 2]>;

/// The views of panels between frames. The view of the whole figure has the ranges of shared axes, hidden lines and what
/// stands out; a panel has the ranges of free axes, its reading and its triangles.
#[derive(Debug, Default)]
pub(super) struct Panels {
    pub views: Vec<FigureView>,
    /// The titles of the panels.
    pub titles: Vec<String>,
    /// Saved ranges of panels that were not drawn yet.
    saved: Zooms,
    /// Whether the axes are shared.
    pub shares: [bool; 2],
    /// The visible parts in the last frame.
    pub shown: Vec<View>,
    /// The last grid, and what decided how it looks: the address of the figure, the visible parts, and the space.
    pub grid: Option<(GridKey, Arc<Grid>)>,
    /// The panel with the cell that was opened last.
    pub opened: Option<usize>,
}

/// What decides how a grid looks.
pub(super) type GridKey = (usize, Vec<View>, [f64; 4]);

/// What the pointer reads in a panel.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct PanelReading {
    /// "at 5 epochs trained".
    pub place: String,
    /// Values by the names of their lines.
    pub values: BTreeMap<String, String>,
}

impl PanelReading {
    pub fn of(figure: &Figure, table: &Table<'_>) -> Self {
        let value = |sample: figure::legend::Sample<'_>| {
            let value = table.cells(&sample).into_iter().next()?;
            (!value.is_empty()).then(|| (sample.name().to_owned(), value))
        };
        let values = samples(figure).into_iter().filter_map(value).collect();
        Self { place: table.header().to_owned(), values }
    }
}

impl Panels {
    /// Panels with saved ranges.
    pub fn of(saved: Zooms) -> Self {
        Self { saved, ..Self::default() }
    }

    /// The ranges that were chosen in single panels.
    pub fn zooms(&self) -> Zooms {
        let own = |view: &FigureView| {
            let [x, y] = view.chosen;
            [x.filter(|_| !self.shares[0]), y.filter(|_| !self.shares[1])]
        };
        let zooms = self.titles.iter().zip(&self.views).map(|(title, view)| (title.clone(), own(view)));
        let drawn = zooms.filter(|(_, chosen)| *chosen != [None; 2]);
        self.saved.clone().into_iter().chain(drawn).collect()
    }

    /// Has to be called when the figure changes.
    pub fn forget_figure(&mut self) {
        self.views.iter_mut().for_each(FigureView::forget_figure);
        self.grid = None;
    }

    /// Shows all data again.
    pub fn fit(&mut self) {
        self.saved.clear();
        self.views.iter_mut().for_each(FigureView::fit);
    }

    /// Takes the scenes of a new figure.
    pub fn begin(&mut self, figure: &Figure, scenes: Vec<Scene>) {
        let Some(facets) = &figure.facets else { return };
        self.meet(facets);
        for ((view, panel), scene) in self.views.iter_mut().zip(&facets.panels).zip(scenes) {
            view.begin(&panel.figure, scene);
        }
    }

    /// Has a view for each panel; those that stay keep theirs.
    fn meet(&mut self, facets: &Facets) {
        let titles: Vec<String> = facets.panels.iter().map(|panel| facets.title(panel)).collect();
        self.shares = facets.shares();
        if titles == self.titles && self.views.len() == titles.len() {
            return;
        }
        let mut old: BTreeMap<String, FigureView> =
            std::mem::take(&mut self.titles).into_iter().zip(std::mem::take(&mut self.views)).collect();
        let view = |title: &String| {
            let fresh = || FigureView {
                is_panel: true,
                chosen: self.saved.remove(title).unwrap_or_default(),
                ..FigureView::default()
            };
            old.remove(title).unwrap_or_else(fresh)
        };
        self.views = titles.iter().map(view).collect();
        (self.titles, self.grid) = (titles, None);
    }
}

impl FigureView {
    /// Gives the views of panels what the whole figure decides: hidden lines, what stands out, and shared ranges.
    pub(super) fn meet_panels(&mut self, facets: &Facets) {
        self.panels.meet(facets);
        let shares = self.panels.shares;
        let count = facets.panels.len();
        for (view, panel) in self.panels.views.iter_mut().zip(&facets.panels) {
            if view.hidden != self.hidden {
                view.hidden.clone_from(&self.hidden);
            }
            if view.highlighted != self.highlighted {
                view.highlighted.clone_from(&self.highlighted);
            }
            view.around = Surroundings { plots: self.around.plots.max(1) * count, ..self.around.clone() };
            view.opens = self.opens;
            view.parallel.brushes.clone_from(&self.parallel.brushes);
            let chosen = [0, 1].map(|axis| if shares[axis] { self.chosen[axis] } else { view.chosen[axis] });
            if chosen != view.chosen {
                view.chosen = chosen;
                view.zoom = view.chosen_places(&panel.figure);
                view.refits |= view.zoom.is_none();
            }
        }
    }

    /// Shows a part in a panel; along shared axes in all panels.
    pub(super) fn show_in(&mut self, facets: &Facets, index: usize, part: View) {
        let figure = &facets.panels[index].figure;
        let view = &mut self.panels.views[index];
        view.show(figure, part);
        let chosen = view.chosen;
        for (axis, _) in self.panels.shares.iter().enumerate().filter(|(_, shares)| **shares) {
            self.chosen[axis] = chosen[axis];
        }
    }

    /// Keeps the visible parts of all panels.
    pub(super) fn fix_panels(&mut self, facets: &Facets) {
        for (index, part) in self.panels.shown.clone().into_iter().enumerate().take(facets.panels.len()) {
            self.show_in(facets, index, part);
        }
    }

    /// The part of a figure whose cell was opened: a panel if it has some.
    pub(in crate::plot) fn part<'a>(&self, figure: &'a Figure) -> &'a Figure {
        let panels = figure.facets.as_ref().map(|facets| &facets.panels);
        let panel = panels.zip(self.panels.opened).and_then(|(panels, index)| panels.get(index));
        panel.map_or(figure, |panel| &panel.figure)
    }
}

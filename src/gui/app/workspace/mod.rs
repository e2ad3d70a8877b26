//! The middle of the window: plots and views in tiles, the table of runs that filters them, and what is selected.

mod data;
mod exports;
mod views;

use std::collections::BTreeMap;

use crate::compare::Compare;
use crate::inspector::{Inspector, selection_of};
use crate::plot::{PlotInput, PlotState};
use crate::selection::Selection;
use crate::tiles::Tiling;
use crate::treatment::Treatment;
pub(super) use crate::views::Request;
use crate::views::{DryRun, Views};
use data::Narrowed;
pub(super) use exports::Export;
use exports::Exporting;
use form::path::Place;
use results::tiles::Tiles;
use results::view::ViewSettings;

/// How results are looked at.
#[derive(Default)]
pub(super) struct Workspace {
    /// Where plots and views are.
    pub tiles: Tiling,
    pub plot: PlotState,
    pub views: Views,
    pub compare: Compare,
    pub treatments: Vec<Treatment>,
    pub selection: Selection,
    /// The arm whose plan is shown: the one that was selected last.
    pub plan_arm: usize,
    /// The setting to scroll to after a click on its problem.
    pub focus: Option<Place>,
    pub inspector: Inspector,
    pub dry_run: DryRun,
    /// What the plots show, as long as nothing about it has changed.
    shown: Option<PlotInput>,
    /// The parts of it for plots that show one arm, by their names.
    narrowed: BTreeMap<&'static str, Narrowed>,
    /// The views that have something to show, and the revision of the rows that this is of.
    with_data: Option<(u64, Vec<&'static str>)>,
    exports: Vec<Exporting>,
}

impl Workspace {
    /// What can be undone about it.
    pub fn shown(&mut self) -> (&ViewSettings, &Tiles) {
        self.plot.give(&mut self.compare.view);
        (&self.compare.view, self.tiles.tiles())
    }

    /// Takes back what was undone.
    pub fn take_shown(&mut self, view: &ViewSettings, tiles: Tiles) {
        self.compare.take_view(view);
        self.plot.take_edits(view);
        self.tiles.arrange(tiles);
    }

    /// Opens the layer that was undone or redone, if it is there and of what is selected, instead of those that are open.
    pub fn open_layer(&mut self, layer: Option<Place>) {
        self.inspector.closes_lines = true;
        let is_shown = |place: &Place| {
            let selection = selection_of(place);
            selection.is_none_or(|selection| selection.arm() == self.selection.arm())
        };
        self.focus = layer.filter(is_shown);
    }

    /// The selected arm, or the one whose plan is shown.
    pub fn arm(&self) -> usize {
        self.selection.arm().unwrap_or(self.plan_arm)
    }
}

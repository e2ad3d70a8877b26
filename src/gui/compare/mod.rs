//! Comparing runs: their table, the filter that also drives the plots, notes about them, and differences between them.
//!
//! [`Compare`] keeps what is derived from the records (rows, what the filter leaves out) and the [`ViewSettings`] of the
//! document, whose file is beside its runs. [`runs_ui`] draws all of it into the available space.

mod fixed;
mod menu;
mod notes;
mod renamed;
mod rows;
mod side_by_side;
mod table;
#[cfg(test)]
mod tests;
mod toolbar;
mod view_store;

pub use menu::{arm_marks_ui, run_marks_ui};
pub use notes::{Noting, notes_ui};

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use eframe::egui::{Panel, Ui};

use super::plot::PlotState;
use super::runs::Runs;
use super::text::counted;
use super::treatment::Treatment;
use crate::doc::Run;
use crate::figure::palette::COLOURS;
use crate::figure::plots::ArmRuns;
use crate::figure::view::{Drawn, lines_of};
use crate::results::RunRecord;
use crate::results::colours::{Colours, further};
use crate::results::table::columns::text_of;
use crate::results::table::filter::Filter;
use crate::results::table::{Differing, Row};
use crate::results::view::{Lines, ViewSettings, groups};
use crate::run::StoredRun;
use renamed::{are_distinct, move_mark, renamed};
use rows::{listed, rows_of};
use view_store::ViewStore;

/// The least time between two updates of the rows, in seconds, while records grow.
const PAUSE: f64 = 0.25;

/// Lines of earlier settings have the style this many places on: the colour of their arm, another dash.
const OUTDATED: usize = 3 * COLOURS;

/// What is kept about comparing runs.
#[derive(Default)]
pub struct Compare {
    /// How results are looked at; kept beside the runs.
    pub view: ViewSettings,
    view_store: ViewStore,
    /// The colours of arms in the order of the document, which a reader without the file gives them.
    plain: Colours,
    /// Shared with who draws them while they are changed.
    rows: Arc<Vec<Row>>,
    /// The revision of the records that the results in the rows are of.
    results_of: Option<u64>,
    /// Rows of the runs that show results of earlier settings, without those results. By identity.
    outdated: BTreeMap<String, Row>,
    /// Paths of the settings in which runs differ.
    settings: Vec<String>,
    differing: Differing,
    left_out: BTreeSet<String>,
    filter_error: Option<String>,
    lines: Lines,
    made: Option<Made>,
    /// How often rows were made.
    revision: u64,
    /// Runs that are ticked, by identity.
    ticked: BTreeSet<String>,
    /// Runs with results, by identity.
    results: BTreeSet<String>,
    /// Runs that go on or wait for their turn.
    open: BTreeSet<String>,
    /// The arms by their position, as they were when each had its own name.
    arms: Vec<String>,
    /// The arms whose seeds are compared.
    pair: [String; 2],
    /// The tag that is being typed.
    tag: String,
    trash: Vec<StoredRun>,
    /// Whether the filter is to get the keyboard.
    wants_filter: bool,
}

/// From what rows, filter and lines were made.
#[derive(Clone, Debug, PartialEq)]
struct Made {
    revision: u64,
    filter: String,
    group: Option<String>,
    at: f64,
}

/// What a person asked for that the window does.
#[derive(Clone, Debug, PartialEq)]
pub enum CompareResponse {
    /// To show the settings of a run.
    Select {
        /// Its arm, by position.
        arm: usize,
        /// Its identity.
        id: String,
    },
    /// To put this text into the clipboard; how many rows it has.
    Copy(String, usize),
    /// To move runs to the trash, by identity.
    Archive(Vec<String>),
    /// To bring a run back.
    Restore(String),
    /// To put a paragraph about the methods into the clipboard.
    CopyMethods,
}

impl Compare {
    /// Reads the view settings of a document's results.
    ///
    /// # Errors
    /// When the file is there and cannot be read; the settings have their defaults then.
    pub fn load(&mut self, folder: &Path, plot: &mut PlotState) -> Result<(), String> {
        let (view_store, read) = ViewStore::read(folder);
        let options = plot.options.clone();
        *self = Self { view_store, ..Self::default() };
        let is_new = read.as_ref().is_ok_and(|view| *view == ViewSettings::default());
        self.view = read.as_ref().cloned().unwrap_or_default();
        if is_new {
            self.view.options = options; // what was chosen for the last document suits the next one too
        }
        plot.take(&self.view);
        self.view_store.written = self.view.clone();
        self.trash = crate::run::trash::trashed(folder);
        read.map(drop)
    }

    /// The results have another folder now; the settings go with them, also where nothing is written yet.
    pub fn set_folder(&mut self, folder: &Path) {
        if folder != self.view_store.folder() {
            let without_file = ViewSettings { colours: self.plain.clone(), ..ViewSettings::default() };
            self.view_store.set_folder(folder, without_file);
            self.look_into_trash();
        }
    }

    /// Gives treatments their colours, and takes the document's runs again. The marks of a renamed arm move to its new
    /// name; returns the old and the new names of such arms.
    pub fn take_treatments(&mut self, treatments: &mut [Treatment]) -> Vec<(String, String)> {
        let is_unchanged = self.view_store.written == self.view;
        let names: Vec<(usize, &str)> =
            treatments.iter().map(|treatment| (treatment.arm, treatment.name.as_str())).collect();
        self.plain = Colours::default();
        self.plain.assign_swept(&names);
        let colours = self.view.colours.assign_swept(&names);
        for (treatment, colour) in treatments.iter_mut().zip(colours) {
            treatment.colour = colour;
        }
        if is_unchanged && self.view_store.written.colours == Colours::default() {
            // Colours in the order of the document are what a reader without the file gives them too.
            self.view_store.written.colours = self.view.colours.clone();
        }
        self.made = None;
        let names: Vec<String> = treatments.iter().map(|treatment| treatment.name.clone()).collect();
        if !are_distinct(&names) {
            return Vec::new();
        }
        let renamed = renamed(&self.arms, &names);
        for (old, new) in &renamed {
            move_mark(&mut self.view, old, new);
        }
        self.arms = names;
        renamed
    }

    /// Takes view settings of an earlier moment. Their arms are those of that document: none of them was renamed.
    pub fn take_view(&mut self, view: &ViewSettings) {
        self.view = view.clone();
        self.arms.clear();
        self.made = None;
    }

    /// Gives the keyboard to the filter, as soon as that is drawn.
    pub const fn go_to_filter(&mut self) {
        self.wants_filter = true;
    }

    /// Whether what goes by this key has a star.
    pub fn is_starred(&self, key: &str) -> bool {
        self.view.marks.get(key).is_some_and(|mark| mark.starred)
    }

    /// Gives a star to what goes by this key, or takes it away.
    pub fn star(&mut self, key: &str) {
        menu::edit(self, key, |mark| mark.starred ^= true);
    }

    /// The visible rows as text, with this separator between cells.
    pub fn copy(&self, separator: char) -> CompareResponse {
        let rows = toolbar::shown(&self.rows, self);
        CompareResponse::Copy(text_of(&rows, &self.settings, separator), rows.len())
    }

    /// Removes the tick of a run.
    pub fn untick(&mut self, run: &str) {
        self.ticked.remove(run);
    }

    /// Why these runs cannot go to the trash, if so.
    pub fn why_not_archive<'a>(&self, mut runs: impl Iterator<Item = &'a String>) -> Option<&'static str> {
        let mut is_any = false;
        let running = runs.any(|run| {
            is_any |= self.results.contains(run);
            self.open.contains(run)
        });
        match (running, is_any) {
            (true, _) => Some("These runs are active or queued: stop them first"),
            (false, false) => Some("These runs have no results"),
            (false, true) => None,
        }
    }

    /// Brings rows, filter and lines up to date. `now` in seconds; returns the time after which to look again, where rows
    /// are behind the records.
    pub fn update(&mut self, treatments: &[Treatment], runs: &Runs, now: f64) -> Option<f64> {
        let made = Made {
            revision: runs.revision(),
            filter: self.view.filter.clone(),
            group: self.view.group.clone(),
            at: now,
        };
        if let Some(last) = &self.made {
            let is_same = (&last.filter, &last.group) == (&made.filter, &made.group);
            if is_same && last.revision == made.revision {
                return None;
            }
            let left = last.at + PAUSE - now;
            if is_same && left > 0.0 {
                return Some(left);
            }
        }
        let is_new = self.made.is_none();
        // After an edit of the document, most runs are still those of their rows, with the results that they had.
        let has_results = self.results_of == Some(made.revision);
        let old = std::mem::take(&mut self.rows);
        let mut rows = rows_of(treatments, runs, if has_results { &old } else { &[] });
        let is_same = has_results && rows.iter().map(|row| &row.run).eq(old.iter().map(|row| &row.run));
        let stale = listed(treatments).filter(|(_, run)| runs.is_stale(run));
        let bare = |(treatment, run): (&Treatment, &Run)| {
            (run.id.clone(), Row::of(run, None, runs.word(&run.id), treatment.colour))
        };
        self.outdated = stale.map(bare).collect();
        if is_new || self.made.as_ref().is_some_and(|last| last.group != made.group) {
            let listed: Vec<&Run> = treatments.iter().flat_map(|treatment| &treatment.runs).collect();
            self.settings = self.differing.give(&mut rows, &listed).to_vec();
            let colours = rows.iter().map(|row| row.colour);
            let lines = |path: &String| groups(listed.iter().copied().zip(colours.clone()), path);
            self.lines = self.view.group.as_ref().map(lines).unwrap_or_default();
            self.ticked.retain(|id| listed.iter().any(|run| run.id == *id));
        } else {
            // Settings change with the document only.
            for (row, old) in rows.iter_mut().zip(&*old) {
                row.settings.clone_from(&old.settings);
                row.outline.clone_from(&old.outline);
            }
        }
        if !is_same {
            let of = |holds: &dyn Fn(&str) -> bool| -> BTreeSet<String> {
                rows.iter().filter(|row| holds(&row.run)).map(|row| row.run.clone()).collect()
            };
            self.results = of(&|run| runs.record(run).is_some());
            self.open = of(&|run| runs.is_open(run));
        }
        (self.rows, self.results_of) = (Arc::new(rows), Some(made.revision));
        self.filter_error = Filter::parse(&self.view.filter, &self.settings).err();
        self.give_marks();
        self.made = Some(made);
        self.revision += 1;
        None
    }

    /// Counts the updates of the rows, for plots that are made of rows.
    pub const fn revision(&self) -> u64 {
        self.revision
    }

    fn give_marks(&mut self) {
        for row in Arc::make_mut(&mut self.rows) {
            row.mark = self.view.mark(&row.run, &row.arm);
        }
        let left_out = self.view.left_out(&self.rows, &self.settings);
        // Stars and tags decide what a filter leaves.
        self.revision += u64::from(left_out != self.left_out);
        self.left_out = left_out;
    }

    /// What plots show: the runs that the filter leaves, by arm or by the setting that groups them. Runs of earlier settings
    /// that stand for others have separate lines; a setting does not group them, since they had another value of it.
    pub fn arm_runs<'a>(&'a self, treatments: &[Treatment], runs: &'a Runs) -> Vec<ArmRuns<'a>> {
        let shows_outdated = self.view.group.is_none();
        self.lines(treatments, runs, |run| runs.outdated(run).filter(|_| shows_outdated))
    }

    /// The same without earlier settings: what the command line finds.
    pub fn own_runs<'a>(&'a self, treatments: &[Treatment], runs: &'a Runs) -> Vec<ArmRuns<'a>> {
        self.lines(treatments, runs, |_| None)
    }

    fn lines<'a>(
        &'a self,
        treatments: &[Treatment],
        runs: &'a Runs,
        outdated: impl Fn(&Run) -> Option<&'a RunRecord>,
    ) -> Vec<ArmRuns<'a>> {
        // Rows are those of the treatments, run by run.
        let listed = listed(treatments).zip(&*self.rows);
        let wanted = listed.filter(|((_, run), _)| !self.left_out.contains(&run.id));
        let drawn = wanted.filter_map(|((treatment, run), row)| {
            let seed = run.seed;
            if let (Some(record), Some(row)) = (outdated(run), self.outdated.get(&run.id)) {
                // The mark comes before the name: the end of a long name is cut off.
                let line = format!("earlier settings: {}", treatment.name);
                return Some(Drawn { line, colour: further(treatment.colour, OUTDATED), seed, record, row });
            }
            let record = runs.record(&run.id)?;
            let own = || (treatment.name.clone(), treatment.colour);
            let (line, colour) = self.lines.get(&run.id).cloned().unwrap_or_else(own);
            Some(Drawn { line, colour, seed, record, row })
        });
        lines_of(drawn, self.view.group.is_some())
    }

    /// How many of the runs that the filter leaves have results of earlier settings only.
    pub fn outdated_count(&self) -> usize {
        self.outdated.keys().filter(|run| !self.left_out.contains(*run)).count()
    }

    /// The note about runs of earlier settings in plots; empty where there are none.
    pub fn outdated_note(&self) -> String {
        let what = if self.view.group.is_some() { "left out" } else { "shown here only, not in exports" };
        match self.outdated_count() {
            0 => String::new(),
            count => format!("{} of earlier settings {what}", counted(count, "run")),
        }
    }

    /// The note about the filter in figures.
    pub fn filter_note(&self) -> String {
        self.view.filter_note(&self.rows, &self.left_out)
    }

    /// Notes that the trash has changed.
    pub fn look_into_trash(&mut self) {
        self.trash = crate::run::trash::trashed(self.view_store.folder());
        self.made = None;
    }

    /// Writes the view settings once they have changed and rest, or at once. `now` in seconds; returns the time after
    /// which to look again, where something is left to do.
    ///
    /// # Errors
    /// When they could not be written; reported once until they can be.
    pub fn keep(&mut self, plot: &PlotState, now: f64, at_once: bool) -> Result<Option<f64>, String> {
        plot.give(&mut self.view);
        self.view_store.keep(&self.view, now, at_once)
    }
}

/// Draws the table of runs with its filter, and differences below it.
pub fn runs_ui(ui: &mut Ui, compare: &mut Compare, runs: &Runs) -> Option<CompareResponse> {
    let response = toolbar::toolbar_ui(ui, compare);
    // In a low tile, the table keeps the larger part.
    let most = (0.45 * ui.available_height()).max(48.0);
    let below = Panel::bottom(ui.scope_id().with("differences")).resizable(true).default_size(168.0);
    below.size_range(48.0..=most).show(ui, |ui| side_by_side::side_by_side_ui(ui, compare, runs));
    response.or(table::table_ui(ui, compare))
}

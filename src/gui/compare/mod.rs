//! Comparing runs: their table, the filter that also drives the plots, notes about them, and differences between them.
//!
//! [`Compare`] keeps what is derived from the records (rows, groups, what the filter leaves out) and the [`ViewSettings`] of
//! the document, whose file is beside its runs. [`runs_ui`] draws all of it into the available space, [`tools_ui`] its controls into the head of a tile.

mod archive;
mod cells;
mod columns;
mod comparison;
mod differences;
mod filter;
mod lines;
mod menu;
mod notes;
mod renamed;
mod rows;
mod selected;
mod shown;
mod table;
#[cfg(test)]
mod tests;
mod toolbar;
mod view_store;
mod widths;

pub use columns::list_ui as columns_ui;
pub use comparison::comparison_ui;
pub use menu::{arm_marks_ui, run_marks_ui};
pub use notes::{Noting, notes_ui};
pub use shown::runs_ui;
pub use toolbar::{menu_ui, tools_ui};

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;
use std::sync::Arc;

use super::plot::PlotState;
use super::runs::{QueueRequest, Runs};
use super::treatment::Treatment;
use columns::Choosing;
use doc::Run;
use renamed::{are_distinct, move_mark, renamed};
use results::colours::Colours;
use results::metric::MetricAxes;
use results::table::columns::Column;
use results::table::copy::{Numbers, text};
use results::table::filter::Filter;
use results::table::{Differing, Row};
use results::view::{Lines, PlotOptions, ViewSettings, groups};
use rows::{bare, listed, rows_of};
use run::StoredRun;
use shown::Shown;
use view_store::ViewStore;

/// The least time between two updates of the rows, in seconds, while records grow.
const PAUSE: f64 = 0.25;

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
    /// The revision of the records that the results in the rows are of, and the columns over series that they have.
    results_of: Option<(u64, Vec<Column>)>,
    /// Rows of the runs that show outdated results, without those results. By identity.
    outdated: BTreeMap<String, Row>,
    /// Paths of the settings in which runs differ.
    settings: Vec<String>,
    differing: Differing,
    left_out: BTreeSet<String>,
    /// How many rows the filter leaves.
    left: usize,
    filter_error: Option<String>,
    lines: Lines,
    made: Option<Made>,
    /// How often rows were made.
    revision: u64,
    /// How often rows or their marks changed.
    changes: u64,
    /// The table as it is shown.
    shown: Shown,
    /// Runs that are ticked, by identity.
    ticked: BTreeSet<String>,
    /// Runs with results, by identity.
    results: BTreeSet<String>,
    /// Runs that go on or wait for their turn.
    open: BTreeSet<String>,
    /// The arms by their position, as they were when each had its own name.
    arms: Vec<String>,
    /// The tag that is being typed.
    tag: String,
    /// The name of a filter that is being typed.
    filter_name: String,
    /// What is typed about columns.
    choosing: Choosing,
    /// Whether the ticked runs are shown side by side.
    is_comparing: bool,
    archived: Vec<StoredRun>,
    /// Whether the filter is to get the keyboard.
    wants_filter: bool,
    /// The run that is selected, by identity.
    pub selected: Option<String>,
    /// The arm that is selected, or has the selected run, by position.
    pub selected_arm: Option<usize>,
    /// The runs to scroll to; one that is wanted itself is unfolded.
    wanted: Option<(BTreeSet<String>, bool)>,
}

/// From what rows, filter and lines were made.
#[derive(Clone, Debug, PartialEq)]
struct Made {
    revision: u64,
    filter: String,
    group: Option<String>,
    measured: Vec<Column>,
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
    /// To ask whether runs are to be archived.
    Archive {
        /// What they are called: "2 of winning ticket, 1 of reinitialized".
        name: String,
        /// Their identities.
        runs: Vec<String>,
    },
    /// To start, stop or move runs.
    Queue(QueueRequest),
    /// To bring archived runs back, by identity.
    Restore(Vec<String>),
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
            // What was chosen for the last document suits the next one too, but other settings differ there.
            self.view.options = PlotOptions { metric: MetricAxes::default(), ..options };
        }
        plot.take(&self.view);
        self.view_store.written = self.view.clone();
        self.archived = run::trash::trashed(folder);
        read.map(drop)
    }

    /// The results have another folder now; the settings go with them, also where nothing is written yet. Whether they had
    /// a different one before.
    pub fn set_folder(&mut self, folder: &Path) -> bool {
        let is_new = folder != self.view_store.folder();
        if is_new {
            let without_file = ViewSettings { colours: self.plain.clone(), ..ViewSettings::default() };
            self.view_store.set_folder(folder, without_file);
            self.look_into_trash();
        }
        is_new
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

    /// What a run has in the columns of the table: their titles and its cells.
    pub fn details(&mut self, run: &str) -> Vec<(String, String)> {
        let columns = self.table().columns.clone();
        let Some(row) = self.rows.iter().find(|row| row.run == run) else { return Vec::new() };
        let detail = |column: &Column| (column.heading(&row.labels), column.text(row));
        columns.iter().filter(|column| column.is_fact()).map(detail).collect()
    }

    /// Gives the keyboard to the filter, as soon as that is drawn.
    pub const fn go_to_filter(&mut self) {
        self.wants_filter = true;
    }

    /// Makes the table scroll to these runs, and unfolds their group if `are_rows`. A filter that hides all of them goes.
    pub fn show(&mut self, runs: Vec<String>, are_rows: bool) {
        if runs.iter().all(|run| self.left_out.contains(run)) {
            self.view.filter.clear();
        }
        self.wanted = Some((runs.into_iter().collect(), are_rows));
    }

    /// Whether what goes by this key has a star.
    pub fn is_starred(&self, key: &str) -> bool {
        self.view.marks.get(key).is_some_and(|mark| mark.starred)
    }

    /// Gives a star to what goes by this key, or takes it away.
    pub fn star(&mut self, key: &str) {
        menu::edit(self, key, |mark| mark.starred ^= true);
    }

    /// The visible table as text; folded runs are not in it.
    pub fn copy(&mut self, numbers: Numbers) -> CompareResponse {
        let table = self.table();
        let lines = table.lines(&self.view.table.open);
        let labels = self.rows.first().map(|row| row.labels.clone()).unwrap_or_default();
        CompareResponse::Copy(text(&table, &lines, &self.rows, &labels, numbers), lines.len())
    }

    /// Removes the tick of a run.
    pub fn untick(&mut self, run: &str) {
        self.ticked.remove(run);
    }

    /// Brings rows, filter and lines up to date. `now` in seconds; returns the time after which to look again, where rows
    /// are behind the records.
    pub fn update(&mut self, treatments: &[Treatment], runs: &Runs, now: f64) -> Option<f64> {
        let made = Made {
            revision: runs.revision(),
            filter: self.view.filter.clone(),
            group: self.view.group.clone(),
            measured: self.view.table.measured(),
            at: now,
        };
        if let Some(last) = &self.made {
            let asked = |made: &Made| (made.filter.clone(), made.group.clone(), made.measured.clone());
            let is_same = asked(last) == asked(&made);
            if is_same && last.revision == made.revision {
                return None;
            }
            let left = last.at + PAUSE - now;
            if is_same && left > 0.0 {
                return Some(left);
            }
        }
        let is_same_but_filter =
            |last: &Made| *last == Made { filter: last.filter.clone(), at: last.at, ..made.clone() };
        if self.made.as_ref().is_some_and(is_same_but_filter) {
            // A filter changes no row.
            self.apply_filter();
            self.made = Some(made);
            self.revision += 1;
            return None;
        }
        let is_new = self.made.is_none();
        // After an edit of the document, most runs are still those of their rows, with the results that they had.
        let results_of = Some((made.revision, made.measured.clone()));
        let has_results = self.results_of == results_of;
        let old = std::mem::take(&mut self.rows);
        let mut rows = rows_of(treatments, runs, &made.measured, if has_results { &old } else { &[] });
        let is_same = has_results && rows.iter().map(|row| &row.run).eq(old.iter().map(|row| &row.run));
        let stale = listed(treatments).filter(|(_, run)| runs.is_stale(run));
        let bare = |(treatment, run): (&Treatment, &Run)| (run.id.clone(), bare(run, runs, treatment.colour));
        self.outdated = stale.map(bare).collect();
        if is_new || self.made.as_ref().is_some_and(|last| last.group != made.group) {
            let listed: Vec<&Run> = treatments.iter().flat_map(|treatment| &treatment.runs).collect();
            self.settings = self.differing.give(&mut rows, &listed).to_vec();
            let colours = rows.iter().map(|row| row.colour);
            let lines = |path: &String| groups(listed.iter().copied().zip(colours.clone()), path);
            self.lines = self.view.group.as_ref().map(lines).unwrap_or_default();
            let ids: HashSet<&str> = listed.iter().map(|run| run.id.as_str()).collect();
            self.ticked.retain(|id| ids.contains(id.as_str()));
        } else {
            // Settings change with the document only.
            for (row, old) in rows.iter_mut().zip(&*old) {
                row.settings.clone_from(&old.settings);
                row.all.clone_from(&old.all);
                row.labels.clone_from(&old.labels);
                row.outline.clone_from(&old.outline);
                row.plan.clone_from(&old.plan);
            }
        }
        if !is_same {
            let of = |holds: &dyn Fn(&str) -> bool| -> BTreeSet<String> {
                rows.iter().filter(|row| holds(&row.run)).map(|row| row.run.clone()).collect()
            };
            self.results = of(&|run| runs.record(run).is_some());
            self.open = of(&|run| runs.is_open(run));
        }
        (self.rows, self.results_of) = (Arc::new(rows), results_of);
        self.give_marks();
        self.made = Some(made);
        self.revision += 1;
        None
    }

    /// The position and the colour of each arm, by its name.
    pub fn arms_and_colours(&self) -> BTreeMap<String, [usize; 2]> {
        self.rows.iter().map(|row| (row.arm.clone(), [row.arm_index, row.colour])).collect()
    }

    /// Counts the updates of the rows, for plots that are made of rows.
    pub const fn revision(&self) -> u64 {
        self.revision
    }

    fn give_marks(&mut self) {
        for row in Arc::make_mut(&mut self.rows) {
            row.mark = self.view.mark(&row.run, &row.arm);
        }
        self.apply_filter();
    }

    /// Notes what the filter leaves of the rows.
    fn apply_filter(&mut self) {
        self.filter_error = Filter::parse(&self.view.filter, &self.settings).err();
        let left_out = self.view.left_out(&self.rows, &self.settings);
        // Stars and tags decide what a filter leaves.
        self.revision += u64::from(left_out != self.left_out);
        self.left_out = left_out;
        self.left = self.rows.iter().filter(|row| !self.left_out.contains(&row.run)).count();
        self.changes += 1;
    }

    /// The archived runs beside the results.
    pub fn archived(&self) -> &[StoredRun] {
        &self.archived
    }

    /// Notes that runs were archived or restored.
    pub fn look_into_trash(&mut self) {
        self.archived = run::trash::trashed(self.view_store.folder());
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

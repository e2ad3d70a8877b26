//! Comparing runs: their table, the filter that also drives the plots, notes about them, and differences between them.
//!
//! [`Compare`] keeps what is derived from the records (rows, groups, what the filter leaves out) and the [`ViewSettings`] of
//! the document, whose file is beside its runs. [`runs_ui`] draws all of it into the available space, [`tools_ui`] its controls into the head of a tile.

mod comparison;
mod marks;
mod table;
#[cfg(test)]
mod tests;
mod toolbar;
mod view_store;

pub use marks::{Noting, arm_marks_ui, notes_ui, run_marks_ui};
pub use toolbar::{list_ui as columns_ui, menu_ui, tools_ui};

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;
use std::sync::Arc;

use eframe::egui::{Context, CursorIcon, Panel, Rect, Sense, Ui, vec2};

use super::plot::PlotState;
use super::runs::{QueueRequest, Runs};
use super::text::counted;
use super::theme::{STEP, present};
use super::treatment::Treatment;
use super::widgets::{Tone, message_ui};
use comparison::{SideBySide, comparison_ui};
use doc::{Run, named};
use figure::plots::ArmRuns;
use figure::view::{Drawn, lines_of};
use results::colours::{Colours, OUTDATED, base, muted};
use results::metric::MetricAxes;
use results::table::columns::{Column, Numbers, Sort, text, usual};
use results::table::filter::Filter;
use results::table::grouped::Grouped;
use results::table::view::Baseline;
use results::table::{Differing, Row};
use results::view::{Lines, PlotOptions, ViewSettings, arm_key, groups};
use results::{RunRecord, by_key, distinct};
use run::StoredRun;
use table::{selected_ui, table_ui};
use toolbar::Choosing;
use view_store::ViewStore;

/// The least time between two updates of the rows, in seconds, while records grow.
const PAUSE: f64 = 0.25;

/// The state of the comparison of runs.
#[derive(Default)]
pub struct Compare {
    /// The view settings, which are kept beside the runs.
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
    /// The number of rows that the filter leaves.
    left: usize,
    filter_error: Option<String>,
    lines: Lines,
    made: Option<Made>,
    /// The number of updates of the rows, for plots that are made of rows.
    pub revision: u64,
    /// The number of changes of rows or their marks.
    changes: u64,
    /// The table as it is shown.
    shown: Shown,
    side_by_side: Option<Arc<SideBySide>>,
    /// Runs that are ticked, by identity.
    pub ticked: BTreeSet<String>,
    /// The tag that is being typed.
    tag: String,
    /// The name of a filter that is being typed.
    filter_name: String,
    /// Typed text about columns.
    choosing: Choosing,
    /// True if the ticked runs are shown side by side.
    is_comparing: bool,
    /// The archived runs beside the results.
    pub archived: Vec<StoredRun>,
    /// True if the filter is to get the keyboard, as soon as that is drawn.
    pub wants_filter: bool,
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

/// An action for the window.
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
        /// Their name: "2 of winning ticket, 1 of reinitialized".
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
        self.archived = run::trashed(folder);
        read.map(drop)
    }

    /// Takes another folder of results; the settings go there with them, also where nothing is written yet. Returns true
    /// if it is a different one.
    pub fn set_folder(&mut self, folder: &Path) -> bool {
        let is_new = folder != self.view_store.folder;
        if is_new {
            let (colours, arms) = (self.plain.clone(), self.view.arms.clone());
            let without_file = ViewSettings { colours, arms, ..ViewSettings::default() };
            self.view_store.set_folder(folder, without_file);
            self.look_into_trash();
        }
        is_new
    }

    /// Gives treatments their colours, and takes the document's runs again. Marks and style of a renamed arm move to its new
    /// name, also where it was renamed while the file of the view was elsewhere; returns the old and the new names of such
    /// arms.
    pub fn take_treatments(&mut self, treatments: &mut [Treatment]) -> Vec<(String, String)> {
        let is_unchanged = self.view_store.written == self.view;
        let names: Vec<String> = treatments.iter().map(|treatment| treatment.name.clone()).collect();
        let mut moved = Vec::new();
        if are_distinct(&names) {
            moved = renamed(&self.view.arms, &names);
            for (old, new) in &moved {
                move_mark(&mut self.view, old, new);
            }
            let mut before = self.view.arms.iter().map(String::as_str);
            for own in treatments.chunk_by(|a, b| a.arm == b.arm) {
                let old: Vec<&str> = before.by_ref().take(own.len()).collect();
                if moved.iter().any(|(from, _)| from == old[0]) {
                    let new: Vec<&str> = own.iter().map(|treatment| treatment.name.as_str()).collect();
                    self.view.colours.rename(base(&old), base(&new));
                }
            }
            self.view.arms = names;
        }
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
        if is_unchanged && moved.is_empty() {
            self.view_store.written.arms.clone_from(&self.view.arms);
        }
        self.made = None;
        moved
    }

    /// Takes view settings of an earlier moment. Their arms are those of that document: none of them was renamed.
    pub fn take_view(&mut self, view: &ViewSettings) {
        self.view = view.clone();
        self.view.arms.clear();
        self.made = None;
    }

    /// Returns what a run has in the columns of the table: their titles and its cells.
    pub fn details(&mut self, run: &str) -> Vec<(String, String)> {
        let columns = self.table().columns.clone();
        let Some(row) = self.rows.iter().find(|row| row.run == run) else { return Vec::new() };
        let detail = |column: &Column| (column.heading(&row.labels), column.text(row));
        columns.iter().filter(|column| column.is_fact()).map(detail).collect()
    }

    /// Makes the table scroll to these runs, and unfolds their group if `are_rows`. A filter that hides all of them goes.
    pub fn show(&mut self, runs: Vec<String>, are_rows: bool) {
        if runs.iter().all(|run| self.left_out.contains(run)) {
            self.view.filter.clear();
        }
        self.wanted = Some((runs.into_iter().collect(), are_rows));
    }

    /// Returns true if what goes by this key has a star.
    pub fn is_starred(&self, key: &str) -> bool {
        self.view.marks.get(key).is_some_and(|mark| mark.starred)
    }

    /// Gives a star to what goes by this key, or takes it away.
    pub fn star(&mut self, key: &str) {
        marks::edit(self, key, |mark| mark.starred ^= true);
    }

    /// Returns the visible table as text; folded runs are not in it.
    pub fn copy(&mut self, numbers: Numbers) -> CompareResponse {
        let table = self.table();
        let lines = table.lines(|group| self.view.table.is_open(group));
        CompareResponse::Copy(text(&table, &lines, &self.rows, &self.labels(), numbers), lines.len())
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
            let is_asked = *last == Made { revision: last.revision, at: last.at, ..made.clone() };
            let left = last.at + PAUSE - now;
            if is_asked && last.revision == made.revision {
                return None;
            }
            if is_asked && left > 0.0 {
                return Some(left);
            }
            if *last == (Made { filter: last.filter.clone(), at: last.at, ..made.clone() }) {
                // A filter changes no row.
                self.apply_filter();
                self.made = Some(made);
                self.revision += 1;
                return None;
            }
        }
        let is_new = self.made.is_none();
        // After an edit of the document, most runs are still those of their rows, with the results that they had.
        let results_of = Some((made.revision, made.measured.clone()));
        let has_results = self.results_of == results_of;
        let old = std::mem::take(&mut self.rows);
        let mut rows = rows_of(treatments, runs, &made.measured, if has_results { &old } else { &[] });
        let stale = listed(treatments).filter(|(_, run)| runs.is_stale(run));
        let bare = |(treatment, run): (&Treatment, &Run)| {
            let row = Row::new(run, None, runs.word(&run.id), treatment.colour);
            (run.id.clone(), Row { outdated_state: outdated_state(run, runs), ..row })
        };
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
        (self.rows, self.results_of) = (Arc::new(rows), results_of);
        self.give_marks();
        self.made = Some(made);
        self.revision += 1;
        None
    }

    /// Returns the position and the colour of each arm, by its name.
    pub fn arms_and_colours(&self) -> BTreeMap<String, [usize; 2]> {
        self.rows.iter().map(|row| (row.arm.clone(), [row.arm_index, row.colour])).collect()
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

    /// Notes that runs were archived or restored.
    pub fn look_into_trash(&mut self) {
        self.archived = run::trashed(&self.view_store.folder);
        self.made = None;
    }

    /// Writes the view settings: in a thread once they have changed and rest, or without a context at once. `now` in
    /// seconds; returns the time after which to look again, where something is left to do.
    ///
    /// # Errors
    /// When they could not be written; reported once until they can be.
    pub fn keep(&mut self, plot: &PlotState, now: f64, ctx: Option<&Context>) -> Result<Option<f64>, String> {
        plot.give(&mut self.view);
        self.view_store.keep(&self.view, now, ctx)
    }

    /// Returns what plots show: the runs that the filter leaves, by arm or by the setting that groups them. Outdated
    /// runs that stand for others have separate lines; a setting does not group them, since they had another value of
    /// it.
    pub fn arm_runs(&self, treatments: &[Treatment], runs: &Runs) -> Vec<ArmRuns> {
        let shows_outdated = self.view.group.is_none();
        self.lines(treatments, runs, |run| runs.outdated(run).filter(|_| shows_outdated))
    }

    /// Returns the same without outdated runs: what the command line finds.
    pub fn own_runs(&self, treatments: &[Treatment], runs: &Runs) -> Vec<ArmRuns> {
        self.lines(treatments, runs, |_| None)
    }

    fn lines<'a>(
        &'a self,
        treatments: &[Treatment],
        runs: &'a Runs,
        outdated: impl Fn(&Run) -> Option<&'a RunRecord>,
    ) -> Vec<ArmRuns> {
        // Outdated runs of one line have read the same files.
        let mut differences: BTreeMap<&str, Vec<Option<&str>>> = BTreeMap::new();
        // Rows are those of the treatments, run by run.
        let drawn = listed(treatments).zip(&*self.rows).map(|((treatment, run), row)| {
            let (seed, is_left_out) = (run.seed, self.left_out.contains(&run.id));
            if let (Some(record), Some(row)) = (outdated(run), self.outdated.get(&run.id)) {
                // The mark comes before the name: the end of a long name is cut off.
                let (known, difference) =
                    (differences.entry(&treatment.name).or_default(), runs.changed_inputs(run));
                let place = known.iter().position(|known| *known == difference).unwrap_or_else(|| {
                    known.push(difference);
                    known.len() - 1
                });
                let which = if place == 0 { String::new() } else { format!(" (other files, {})", place + 1) };
                let line = format!("{OUTDATED}{}{which}", treatment.name);
                let record = Some(record).filter(|_| !is_left_out);
                return Drawn { line, colour: muted(treatment.colour), seed, record, row };
            }
            let record = runs.record(&run.id).filter(|_| !is_left_out);
            let own = || (treatment.name.clone(), treatment.colour);
            let (line, colour) = self.lines.get(&run.id).cloned().unwrap_or_else(own);
            Drawn { line, colour, seed, record, row }
        });
        lines_of(drawn, self.view.group.is_some())
    }

    /// Returns how many of the runs that the filter leaves have outdated results only.
    pub fn outdated_count(&self) -> usize {
        self.outdated.keys().filter(|run| !self.left_out.contains(*run)).count()
    }

    /// Returns the note about outdated runs in plots; empty where there are none.
    pub fn outdated_note(&self) -> String {
        let what = if self.view.group.is_some() { "left out" } else { "shown here only, not in exports" };
        match self.outdated_count() {
            0 => String::new(),
            count => format!("{} {what}", counted(count, "outdated run")),
        }
    }

    /// Returns what makes the lines of plots, for a chip in them; empty for arms.
    pub fn grouping_note(&self) -> String {
        let column = self.view.group.clone().map(Column::Setting);
        column.map_or_else(String::new, |column| format!("grouped by {}", column.title(&self.labels())))
    }

    /// Returns the note about the filter in figures.
    pub fn filter_note(&self) -> String {
        self.view.filter_note(&self.rows, &self.left_out)
    }
}

/// Returns the runs of treatments in their order.
pub fn listed(treatments: &[Treatment]) -> impl Iterator<Item = (&Treatment, &Run)> {
    treatments.iter().flat_map(|treatment| treatment.runs.iter().map(move |run| (treatment, run)))
}

/// Returns what the table says of the runs of these treatments: never results of other settings than their own. `measured` are
/// the columns over series. `known` are rows with the same results, those of the same runs at the same places: after an edit of
/// the document, most of them still are.
pub fn rows_of(treatments: &[Treatment], runs: &Runs, measured: &[Column], known: &[Row]) -> Vec<Row> {
    let row = |(place, (treatment, run)): (usize, (&Treatment, &Run))| {
        let (state, colour) = (runs.word(&run.id), treatment.colour);
        let row = if let Some(known) = known.get(place).filter(|row| row.run == run.id) {
            known.called(run, state, colour)
        } else {
            let record = runs.record(&run.id);
            Row::new(run, record, state, colour).measured(record, measured)
        };
        Row { outdated_state: outdated_state(run, runs), ..row }
    };
    listed(treatments).enumerate().map(row).collect()
}

/// Returns the state of the outdated run that plots show in the place of a run; empty without one.
fn outdated_state(run: &Run, runs: &Runs) -> &'static str {
    match runs.stray(run) {
        Some(id) => runs.word(id),
        None => runs.outdated(run).map_or("", |record| record.state().word()),
    }
}

/// Returns which arms have another name now, at the same position: the old and the new name of each.
pub fn renamed(old: &[String], new: &[String]) -> Vec<(String, String)> {
    if old.len() != new.len() {
        return Vec::new();
    }
    let [all_old, all_new] = [old, new].map(|names| names.iter().collect::<BTreeSet<_>>());
    let pairs = old.iter().zip(new);
    let pairs = pairs.filter(|(before, now)| !all_new.contains(before) && !all_old.contains(now));
    pairs.map(|(before, now)| (before.clone(), now.clone())).collect()
}

/// Returns true if each name is there once; while one is typed, it may be that of another arm.
pub fn are_distinct(names: &[String]) -> bool {
    distinct(names).len() == names.len()
}

/// Moves star, tags and note of an arm to its new name; what is noted there already stays.
pub fn move_mark(view: &mut ViewSettings, old: &str, new: &str) {
    let new = arm_key(new);
    if !view.marks.contains_key(&new)
        && let Some(mark) = view.marks.remove(&arm_key(old))
    {
        view.marks.insert(new, mark);
    }
}

impl Compare {
    /// Returns true if the filter shows a run.
    pub fn is_visible(&self, run: &str) -> bool {
        !self.left_out.contains(run)
    }

    /// Returns the rows of ticked runs that the filter shows, in the order of the document. Arms may share a run, which
    /// has a row in each.
    pub fn ticked_rows(&self) -> Vec<&Row> {
        let is_ticked = |row: &&Row| self.ticked.contains(&row.run) && self.is_visible(&row.run);
        self.rows.iter().filter(is_ticked).collect()
    }

    /// Returns the ticked runs that the filter shows, by identity.
    pub fn ticked_runs(&self) -> BTreeSet<&String> {
        if self.ticked.is_empty() {
            return BTreeSet::new(); // asked in every frame
        }
        self.ticked_rows().into_iter().map(|row| &row.run).collect()
    }

    /// Returns the question whether the visible ticked runs are to be archived; nothing where none has results.
    pub fn archive_ticked(&self, runs: &Runs) -> Option<CompareResponse> {
        let mut rows = self.ticked_rows();
        rows.retain(|row| runs.record(&row.run).is_some());
        let runs: BTreeSet<&String> = rows.iter().map(|row| &row.run).collect();
        let runs: Vec<String> = runs.into_iter().cloned().collect();
        (!runs.is_empty()).then(|| CompareResponse::Archive { name: of_arms(&rows), runs })
    }

    /// Returns the question whether one run is to be archived.
    pub fn archive_run(&self, run: &str) -> Option<CompareResponse> {
        let row = self.rows.iter().find(|row| row.run == run)?;
        Some(CompareResponse::Archive { name: named(&row.arm, row.seed), runs: vec![row.run.clone()] })
    }
}

/// More arms than this are only counted.
const MOST: usize = 3;

/// Returns "2 of winning ticket, 1 of reinitialized".
pub fn of_arms(rows: &[&Row]) -> String {
    let arms = by_key(rows.iter().map(|row| (row.arm.as_str(), ())));
    let of_arm = |(arm, runs): &(&str, Vec<()>)| format!("{} of {arm}", runs.len());
    let mut parts: Vec<String> = arms.iter().take(MOST).map(of_arm).collect();
    if let Some(more @ 1..) = arms.len().checked_sub(MOST) {
        parts.push(format!("those of {}", counted(more, "more arm")));
    }
    parts.join(", ")
}

/// In a view at least this wide, the comparison is beside the table, in points.
const WIDE: f32 = 860.0;

/// The table with what it was made of.
#[derive(Default)]
pub struct Shown {
    table: Arc<Grouped>,
    /// The changes of the rows, its columns, keys, baseline and order.
    of: Option<(u64, Option<Vec<Column>>, Vec<Column>, Baseline, Sort)>,
    /// The widths of columns by their content, which only grow.
    pub natural: Vec<(Column, f32)>,
    /// True if they are those of this table.
    pub is_measured: bool,
}

impl Compare {
    /// Returns the table as it is shown; made only where something has changed.
    pub fn table(&mut self) -> Arc<Grouped> {
        let view = &self.view;
        let (keys, baseline) = (view.table.keys(view.group.as_ref()), view.table.baseline.clone());
        let of = (self.changes, view.table.columns.clone(), keys, baseline, view.sort.clone());
        if self.shown.of.as_ref() != Some(&of) {
            let (_, columns, keys, baseline, sort) = of.clone();
            let columns = columns.unwrap_or_else(|| usual(&self.rows, &self.settings, &keys));
            let is_visible = |row: &Row| self.is_visible(&row.run);
            let mut table = Grouped::new(&self.rows, is_visible, columns, keys, &baseline, &sort);
            if let Some(Column::Setting(_)) = table.keys.first() {
                // The mark of the line that it has in plots.
                for group in table.groups.iter_mut().filter(|group| group.depth == 0) {
                    let line = group.rows.first().and_then(|row| self.lines.get(&self.rows[*row].run));
                    group.style = line.map(|(_, style)| *style).or(group.style);
                }
            }
            self.shown.table = Arc::new(table);
            self.shown.of = Some(of);
            self.shown.is_measured = false;
        }
        self.shown.table.clone()
    }
}

/// Draws the table of runs, and the comparison of ticked runs beside or below it.
pub fn runs_ui(ui: &mut Ui, compare: &mut Compare, runs: &Runs) -> Option<CompareResponse> {
    if let Some(error) = &compare.filter_error {
        message_ui(ui, Tone::Bad, &format!("The filter is not applied: {error}"));
    }
    let response = selected_ui(ui, compare, runs);
    if compare.is_comparing && compare.ticked_rows().len() > 1 {
        beside_ui(ui, compare, runs);
    }
    response.or(table_ui(ui, compare, runs))
}

fn beside_ui(ui: &mut Ui, compare: &mut Compare, runs: &Runs) {
    let (made, space) = (compare.side_by_side(runs), ui.available_size());
    let id = ui.scope_id().with("comparison");
    let is_beside = space.x >= WIDE;
    let panel = if is_beside {
        Panel::right(id.with("right")).default_size(0.4 * space.x).size_range(240.0..=0.5 * space.x)
    } else {
        // In a low tile, the table keeps the larger part.
        let panel = Panel::bottom(id.with("bottom")).default_size(0.4 * space.y);
        panel.size_range(64.0..=(0.5 * space.y).max(64.0))
    };
    panel.resizable(true).show(ui, |ui| {
        if is_beside {
            ui.add_space(STEP);
        } else {
            grip_ui(ui);
        }
        comparison_ui(ui, compare, &made);
    });
}

/// Draws what shows that the border above can be dragged.
fn grip_ui(ui: &mut Ui) {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), STEP), Sense::hover());
    let bar = Rect::from_center_size(rect.center(), vec2(36.0, 4.0));
    ui.painter().rect_filled(bar, 2.0, present(ui).edge);
    response.on_hover_cursor(CursorIcon::ResizeVertical);
}

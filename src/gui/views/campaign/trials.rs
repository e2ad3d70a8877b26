//! The trials of campaigns, read from the tables of their runs, with their faults as numbers.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use eframe::egui::accesskit::Role;
use eframe::egui::{Label, Rect, Sense, Ui, pos2, vec2};

use super::detail::outcome_colour;
use crate::table::{self, Ground, Order, Table};
use crate::views::ViewInput;
use crate::views::values::place_of;
use crate::{text, theme};
use doc::fault::Format;
use doc::{Run, RunSpec};
use figure::font::{Weight, width};
use results::campaign::{CampaignRecord, ImageOutcome};
use results::colours::base;
use results::number::{Format as Digits, readable};
use results::table::settings::compare;
use results::{RunRecord, RunState};
use run::summary::{FaultFilter, FaultyTrial, LoggedFault, SingleCells, TrialKey, read_faulty_trials};

/// The largest number of listed trials.
const MOST: usize = 100_000;
/// While a campaign is in progress, its tables are read again after this share of new trials: one in `GROWTH`.
const GROWTH: u64 = 8;

/// A query for trials: folder, place, runs with their campaigns, and the number of trials, rounded while it grows.
#[derive(Clone, Debug, PartialEq)]
pub struct TrialQuery {
    folder: PathBuf,
    sought: FaultFilter,
    runs: Vec<(String, Vec<SingleCells>)>,
    trials: u64,
}

/// Facts of a run that its tables lack.
pub struct RunFacts {
    arm: String,
    seed: u64,
    spec: Arc<RunSpec>,
    /// The format of the values of each campaign.
    formats: BTreeMap<(String, Option<u64>), Format>,
}

/// A trial with its fault as numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct TrialRow {
    pub trial: FaultyTrial,
    /// Its arm, with the swept values.
    pub arm: String,
    /// The name of its arm in the list, without the part that all listed trials share; empty if they are of one arm and setting.
    pub setting: String,
    pub seed: u64,
    /// The entry with its first fault: "fc1 [52, 11]" for a weight of that layer; empty without one.
    pub place: String,
    /// The format of that entry.
    pub format: Format,
}

/// The trials that were read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrialRows {
    /// The worst of them, worst first.
    pub rows: Vec<TrialRow>,
    /// Their number.
    pub count: usize,
    /// The widest text of each column, in points.
    pub widths: [f32; Column::ALL.len()],
    /// True if they are of several arms or settings.
    pub has_settings: bool,
}

/// A column of the list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Column {
    Setting,
    Seed,
    Trial,
    Weight,
    Bit,
    Before,
    After,
    #[default]
    Sdc1,
    Accuracy,
}

impl TrialQuery {
    /// Returns the query for the trials of some runs, of all their campaigns or of one, and what else is known of the
    /// runs.
    pub fn of(
        input: &ViewInput<'_>,
        sought: &FaultFilter,
        runs: &[&Run],
        is_listed: impl Fn(&CampaignRecord) -> bool,
    ) -> (Self, BTreeMap<String, RunFacts>) {
        let mut facts = BTreeMap::new();
        let (mut cells, mut trials) = (Vec::new(), 0);
        for run in runs {
            let campaigns = input.runs.record(&run.id).map_or(&[][..], RunRecord::campaigns);
            let listed: Vec<&CampaignRecord> =
                campaigns.iter().filter(|campaign| campaign.trials() > 0 && is_listed(campaign)).collect();
            trials += listed.iter().map(|campaign| campaign.trials()).sum::<u64>();
            cells.push((run.id.clone(), listed.iter().map(|campaign| SingleCells::new(campaign)).collect()));
            let key = |began: &results::campaign::CampaignBegan| (began.campaign.clone(), began.round);
            let formats =
                listed.iter().map(|campaign| (key(&campaign.began), campaign.began.format)).collect();
            let (arm, seed, spec) = (run.arm.clone(), run.seed, run.spec.clone());
            facts.insert(run.id.clone(), RunFacts { arm, seed, spec, formats });
        }
        let grows = runs.iter().any(|run| input.runs.state(&run.id) == RunState::Running);
        let trials = if grows { rounded(trials) } else { trials };
        (Self { folder: input.results.to_owned(), sought: sought.clone(), runs: cells, trials }, facts)
    }

    /// Returns true if the answer to another query can be shown until this one is answered.
    pub fn continues(&self, other: &Self) -> bool {
        let ids = |query: &Self| query.runs.iter().map(|(id, _)| id.clone()).collect::<Vec<_>>();
        (&self.folder, &self.sought, ids(self)) == (&other.folder, &other.sought, ids(other))
    }

    /// Reads the tables.
    ///
    /// # Errors
    /// When one cannot be read.
    pub fn read(&self, facts: &BTreeMap<String, RunFacts>) -> Result<Arc<TrialRows>, String> {
        let found = read_faulty_trials(&self.folder, &self.runs, &self.sought, MOST)?;
        let shapes: BTreeMap<&str, BTreeMap<String, Vec<usize>>> = facts
            .iter()
            .map(|(id, facts)| {
                let parameters =
                    facts.spec.structure().map(|structure| structure.parameters).unwrap_or_default();
                let shapes = parameters.into_iter().map(|parameter| (parameter.name, parameter.shape));
                (id.as_str(), shapes.collect())
            })
            .collect();
        let arms: BTreeSet<&str> = facts.values().map(|facts| facts.arm.as_str()).collect();
        let shared = format!("{}, ", base(&arms.iter().copied().collect::<Vec<_>>()));
        let setting = |arm: &str| match arms.len() {
            0 | 1 => String::new(),
            _ => arm.strip_prefix(&shared).unwrap_or(arm).to_owned(),
        };
        let row = |trial: FaultyTrial| {
            let facts = facts.get(&trial.run)?;
            let format = facts.formats.get(&(trial.key.campaign.clone(), trial.key.round))?;
            let fault = trial.fault.as_ref().map(|fault| &fault.fault);
            let shape = fault.and_then(|fault| shapes[trial.run.as_str()].get(&*fault.parameter));
            let is_weight = fault.is_some_and(|fault| fault.parameter.ends_with(".weight"));
            Some(TrialRow {
                arm: facts.arm.clone(),
                setting: setting(&facts.arm),
                seed: facts.seed,
                place: fault.map(|fault| place(fault, shape)).unwrap_or_default(),
                format: if shape.is_some() { format.of_parameter(is_weight) } else { *format },
                trial,
            })
        };
        let rows: Vec<TrialRow> = found.worst.into_iter().filter_map(row).collect();
        let widths = Column::ALL.map(|column| {
            let heading = width(column.heading(), f64::from(theme::SMALL), Weight::Regular);
            let texts =
                rows.iter().map(|row| width(&column.text(row), f64::from(theme::BODY), Weight::Regular));
            texts.fold(heading, f64::max) as f32
        });
        Ok(Arc::new(TrialRows { rows, count: found.count, widths, has_settings: arms.len() > 1 }))
    }
}

/// Returns a number that grows by an eighth at a time.
const fn rounded(trials: u64) -> u64 {
    let step = match trials.checked_ilog2() {
        Some(log) => (1 << log) / GROWTH,
        None => 0,
    };
    match trials.checked_div(step) {
        Some(steps) => steps * step,
        None => trials,
    }
}

/// Returns the entry of a fault: "fc1 [52, 11]" for a weight, "fc1.bias [3]" for others, and without a known shape the
/// flat index.
pub fn place(fault: &LoggedFault<'_>, shape: Option<&Vec<usize>>) -> String {
    let index = fault.index as usize;
    let index = shape.map_or_else(|| format!("[{}]", fault.index), |shape| place_of(index, shape));
    format!("{} {index}", fault.parameter.strip_suffix(".weight").unwrap_or(&fault.parameter))
}

/// Returns a stored value for reading: four digits, or what it is instead of a number.
pub fn value_text(value: f64) -> String {
    if value.is_nan() {
        "NaN".to_owned()
    } else if value.is_infinite() {
        if value > 0.0 { "∞" } else { "\u{2212}∞" }.to_owned()
    } else {
        readable(value, Digits::Number)
    }
}

impl TrialRow {
    /// Returns what tells it from others: "114, seed 2", and "114, round 1, format Int8, seed 2" where rounds and
    /// settings differ.
    pub fn name(&self) -> String {
        let TrialKey { round, trial, .. } = &self.trial.key;
        let round = round.map_or_else(String::new, |round| format!(", round {round}"));
        let setting = if self.setting.is_empty() { String::new() } else { format!(", {}", self.setting) };
        format!("{trial}{round}{setting}, seed {}", self.seed)
    }

    /// Returns what the entry holds before and after its first fault.
    pub fn values(&self) -> [Option<f64>; 2] {
        let fault = self.trial.fault.as_ref().map(|fault| &fault.fault);
        let bits = fault.map_or([None; 2], |fault| [fault.before, fault.after]);
        bits.map(|bits| bits.map(|bits| self.format.value(bits)))
    }

    fn bit(&self) -> Option<u32> {
        self.trial.fault.as_ref()?.fault.bit
    }
}

impl Column {
    /// All columns, from left to right.
    pub const ALL: [Self; 9] = [
        Self::Setting,
        Self::Seed,
        Self::Trial,
        Self::Weight,
        Self::Bit,
        Self::Before,
        Self::After,
        Self::Sdc1,
        Self::Accuracy,
    ];

    pub const fn heading(self) -> &'static str {
        match self {
            Self::Setting => "Setting",
            Self::Seed => "Seed",
            Self::Trial => "Trial",
            Self::Weight => "Weight",
            Self::Bit => "Bit",
            Self::Before => "Before",
            Self::After => "After",
            Self::Sdc1 => "SDC-1 images",
            Self::Accuracy => "Accuracy",
        }
    }

    pub const fn help(self) -> &'static str {
        match self {
            Self::Setting => "The arm of the run, with its setting",
            Self::Seed => "The seed of the run",
            Self::Trial => "The number of the trial, with its round",
            Self::Weight => "The entry with the first fault: layer and [row, column], counted from 0",
            Self::Bit => "The bit with the fault, counted from the least significant",
            Self::Before => "The value that is stored without the fault",
            Self::After => "The value that is stored with the fault",
            Self::Sdc1 => {
                "Images with SDC-1, silent data corruption: another class is predicted. Images with DUE, a logit that is NaN \
                 or infinite, follow in the bar"
            }
            Self::Accuracy => "Accuracy on the images of the trial",
        }
    }

    /// Returns true if its texts are numbers, which end at the right.
    pub const fn is_number(self) -> bool {
        !matches!(self, Self::Setting | Self::Weight | Self::Bit)
    }

    pub fn text(self, row: &TrialRow) -> String {
        let trial = &row.trial;
        let value = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), value_text);
        match self {
            Self::Setting => row.setting.clone(),
            Self::Seed => row.seed.to_string(),
            Self::Trial => match trial.key.round {
                Some(round) => format!("{}, round {round}", trial.key.trial),
                None => trial.key.trial.to_string(),
            },
            Self::Weight if trial.faults > 1 => {
                format!("{} + {}", row.place, text::grouped(trial.faults - 1))
            }
            Self::Weight => row.place.clone(),
            Self::Bit => row.bit().map_or_else(|| "–".to_owned(), |bit| format!("b{bit}")),
            Self::Before => value(row.values()[0]),
            Self::After => value(row.values()[1]),
            Self::Sdc1 => text::grouped(trial.sdc1),
            Self::Accuracy => text::percent(trial.accuracy),
        }
    }

    /// Returns the order of two rows by this column, ascending.
    pub fn order(self, a: &TrialRow, b: &TrialRow) -> Ordering {
        let value = |row: &TrialRow, at: usize| row.values()[at].unwrap_or(f64::NEG_INFINITY);
        let harm = |row: &TrialRow| (row.trial.sdc1, row.trial.due);
        let own = match self {
            Self::Setting => compare(&a.arm, &b.arm),
            Self::Seed => a.seed.cmp(&b.seed),
            Self::Trial => a.trial.key.trial.cmp(&b.trial.key.trial),
            Self::Weight => {
                let key = |row: &TrialRow| {
                    row.trial.fault.as_ref().map(|fault| (fault.fault.parameter.clone(), fault.fault.index))
                };
                key(a).cmp(&key(b))
            }
            Self::Bit => a.bit().cmp(&b.bit()),
            Self::Before => value(a, 0).total_cmp(&value(b, 0)),
            Self::After => value(a, 1).total_cmp(&value(b, 1)),
            Self::Sdc1 => harm(a).cmp(&harm(b)),
            Self::Accuracy => a.trial.accuracy.total_cmp(&b.trial.accuracy),
        };
        let place = |row: &TrialRow| (row.seed, row.trial.key.round, row.trial.key.trial);
        own.then_with(|| place(a).cmp(&place(b)))
    }
}

/// Height of a row, and length of a full bar with the gap before it, in points.
const ROW: f32 = 26.0;
const BAR: f32 = 56.0;
/// The widest name of a setting.
const WIDEST: f32 = 160.0;

/// A trial of a run.
pub type TrialId = (String, TrialKey);

/// The order of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sort {
    column: Column,
    is_descending: bool,
}

impl Default for Sort {
    fn default() -> Self {
        Self { column: Column::default(), is_descending: true }
    }
}

/// The state of the list between frames.
#[derive(Default)]
pub struct TrialList {
    sort: Sort,
    /// The rows in their order, with what they were sorted from.
    order: Option<(Arc<TrialRows>, Sort, Arc<[usize]>)>,
    /// The position of a row to show next.
    target: Option<usize>,
}

/// Returns the identity of the trial of a row.
pub fn id_of(row: &TrialRow) -> TrialId {
    (row.trial.run.clone(), row.trial.key.clone())
}

impl TrialList {
    /// Returns the places of rows in their order.
    pub fn order(&mut self, rows: &Arc<TrialRows>) -> Arc<[usize]> {
        let is_sorted = |(of, sort, _): &(Arc<TrialRows>, Sort, Arc<[usize]>)| {
            Arc::ptr_eq(of, rows) && *sort == self.sort
        };
        if !self.order.as_ref().is_some_and(is_sorted) {
            let Sort { column, is_descending } = self.sort;
            let mut order: Vec<usize> = (0..rows.rows.len()).collect();
            order.sort_by(|a, b| {
                let (a, b) = (&rows.rows[*a], &rows.rows[*b]);
                if is_descending { column.order(b, a) } else { column.order(a, b) }
            });
            self.order = Some((rows.clone(), self.sort, order.into()));
        }
        self.order.as_ref().map_or_else(|| Arc::from([]), |(.., order)| order.clone())
    }

    /// Shows this position of the list in the next frame.
    pub fn show(&mut self, position: usize) {
        self.target = Some(position);
    }

    /// Draws the list; returns the trial whose row is clicked.
    pub fn ui(&mut self, ui: &mut Ui, rows: &Arc<TrialRows>, open: Option<&TrialId>) -> Option<TrialId> {
        let places = self.order(rows);
        let known = &Column::ALL[usize::from(!rows.has_settings)..];
        let mut columns: Vec<table::Column<'_>> =
            known.iter().map(|column| column.shown(rows, self.sort.column == *column)).collect();
        let stay = columns.iter().filter(|column| column.leaves.is_none()).map(|column| column.width);
        let bar = if stay.sum::<f32>() + BAR <= ui.available_width() { BAR } else { 0.0 };
        if let Some(at) = known.iter().position(|column| *column == Column::Sdc1) {
            columns[at].width += bar;
        }
        let at = known.iter().position(|column| *column == self.sort.column);
        let mut order = Order { column: at, is_descending: self.sort.is_descending };
        let trial = |row: usize| &rows.rows[places[row]];
        let text = |row: usize, column: usize| known[column].text(trial(row));
        let table = Table {
            id: "trials",
            columns: &columns,
            rows: places.len(),
            row_height: ROW,
            order: Some(&mut order),
            target: self.target.take(),
            text: Some(&text),
            ..Table::default()
        };
        let (mut clicked, list) = (None, ui.scope_id());
        table.show(ui, &mut |ui, row, column| {
            let Some(column) = column else {
                let (id, name) = (id_of(trial(row)), format!("Show trial {}", trial(row).name()));
                let ground = Ground {
                    id: list.with(("trial", &name)),
                    name: &name,
                    role: Role::Button,
                    sense: Sense::click(),
                    is_selected: open == Some(&id),
                    is_owner: false,
                };
                if ground.ui(ui, ui.max_rect()).clicked() {
                    clicked = Some(id);
                }
                return;
            };
            if known[column] == Column::Sdc1 && bar > 0.0 {
                bar_ui(ui, trial(row), bar - table::GAP);
            }
            ui.add(Label::new(text(row, column)).selectable(false).truncate());
        });
        let sort = |at: usize| Sort { column: known[at], is_descending: order.is_descending };
        self.sort = order.column.map_or_else(Sort::default, sort);
        clicked
    }
}

impl Column {
    /// Returns the column as the table has it, with room for all texts.
    fn shown(self, rows: &TrialRows, is_sorted: bool) -> table::Column<'static> {
        let text = rows.widths[self as usize];
        let text = if self == Self::Setting { text.min(WIDEST) } else { text };
        let arrow = if is_sorted { table::ARROW } else { 0.0 };
        table::Column {
            title: self.heading().into(),
            mark: None,
            help: self.help().into(),
            is_number: self.is_number(),
            ends_right: self.is_number(),
            width: (text * 1.02).ceil() + 2.0 * table::PADDING + arrow,
            leaves: match self {
                Self::Before => Some(0),
                Self::Accuracy => Some(1),
                Self::Seed => Some(2),
                Self::After => Some(3),
                Self::Bit => Some(4),
                Self::Setting | Self::Trial | Self::Weight | Self::Sdc1 => None,
            },
        }
    }
}

/// Draws the shares of images with SDC-1 and DUE.
fn bar_ui(ui: &mut Ui, row: &TrialRow, width: f32) {
    let (rect, _) = ui.allocate_exact_size(vec2(width, theme::STEP), Sense::hover());
    ui.painter().rect_filled(rect, 2.0, theme::present(ui).raised);
    let mut left = rect.left();
    for (outcome, count) in [(ImageOutcome::Sdc1, row.trial.sdc1), (ImageOutcome::Due, row.trial.due)] {
        let part = width * count as f32 / row.trial.images.max(1) as f32;
        let part = Rect::from_min_size(pos2(left, rect.top()), vec2(part, rect.height()));
        ui.painter().rect_filled(part, 2.0, outcome_colour(ui, outcome));
        left = part.right();
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use run::summary::TrialFault;

    /// Returns a trial with a flip of bit 30 of `fc1.weight[52, 11]`, a parameter of 100×64.
    pub fn row(trial: u64, sdc1: u64) -> TrialRow {
        let fault = LoggedFault {
            parameter: "fc1.weight".into(),
            index: 52 * 64 + 11,
            bit: Some(30),
            before: Some(0x3E30_89A0),
            after: Some(0x7E30_89A0),
        };
        TrialRow {
            place: place(&fault, Some(&vec![100, 64])),
            trial: FaultyTrial {
                run: "a".to_owned(),
                key: TrialKey { campaign: "1".to_owned(), round: None, trial },
                fault: Some(TrialFault { image: None, fault }),
                faults: 1,
                images_hit: 0,
                images: 360,
                masked: 2,
                benign: 358 - sdc1,
                sdc1,
                due: 0,
                accuracy: 0.0806,
            },
            arm: "dense".to_owned(),
            setting: "dense".to_owned(),
            seed: 2,
            format: Format::Float32,
        }
    }

    #[test]
    fn a_row_has_the_entry_by_row_and_column_and_its_values_as_numbers() {
        let texts = Column::ALL.map(|column| column.text(&row(114, 330)));
        assert_eq!(
            texts,
            ["dense", "2", "114", "fc1 [52, 11]", "b30", "0.1724", "5.866×10³⁷", "330", "8.06 %"]
        );
        let many = TrialRow { trial: FaultyTrial { faults: 1001, ..row(1, 2).trial }, ..row(1, 2) };
        assert_eq!(Column::Weight.text(&many), "fc1 [52, 11] + 1,000");
        let bias =
            LoggedFault { parameter: "fc1.bias".into(), index: 3, bit: None, before: None, after: None };
        assert_eq!(place(&bias, Some(&vec![9])), "fc1.bias [3]");
        assert_eq!(place(&bias, None), "fc1.bias [3]");
    }

    #[test]
    fn every_column_has_an_order_and_equal_rows_go_by_their_trials() {
        for column in Column::ALL {
            assert_eq!(column.order(&row(1, 5), &row(1, 5)), Ordering::Equal, "{column:?}");
        }
        assert_eq!(Column::Sdc1.order(&row(1, 5), &row(2, 3)), Ordering::Greater);
        assert_eq!(Column::Bit.order(&row(1, 5), &row(2, 3)), Ordering::Less);
    }

    #[test]
    fn what_is_no_number_is_named() {
        assert_eq!(
            [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.25].map(value_text),
            ["NaN", "∞", "−∞", "−0.2500"]
        );
    }

    #[test]
    fn a_growing_number_changes_by_an_eighth_at_a_time() {
        assert_eq!([0, 1, 7, 15, 16, 17, 1000].map(rounded), [0, 1, 7, 15, 16, 16, 960]);
        let steps: BTreeSet<u64> = (0..100_000).map(rounded).collect();
        assert!(steps.len() < 120, "{}", steps.len());
    }

    #[test]
    fn trials_are_sorted_by_any_column_in_both_directions() {
        let rows = Arc::new(TrialRows {
            rows: vec![row(1, 9), row(2, 300), row(3, 20)],
            count: 3,
            ..TrialRows::default()
        });
        let mut list = TrialList::default();
        assert_eq!(list.order(&rows)[..], [1, 2, 0], "the worst ones first");
        list.sort = Sort { column: Column::Trial, is_descending: false };
        assert_eq!(list.order(&rows)[..], [0, 1, 2]);
        list.sort.is_descending = true;
        assert_eq!(list.order(&rows)[..], [2, 1, 0]);
    }
}

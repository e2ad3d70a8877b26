//! The trials of campaigns, read from the tables of their runs, with their faults as numbers.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::Arc;

use eframe::egui::accesskit::Role;
use eframe::egui::{Label, Rect, Sense, Ui, pos2, vec2};

use super::detail::outcome_colour;
use super::{CampaignKey, Listed, key};
use crate::table::{self, Column, Ground, Order, Table};
use crate::views::ViewInput;
use crate::views::values::{place_of, value_text};
use crate::{text, theme};
use doc::Run;
use doc::fault::{Format, shapes};
use figure::font::{Weight, width};
use results::RunState;
use results::campaign::{CampaignRecord, ImageOutcome};
use results::colours::base;
use results::table::settings::compare;
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

/// A run with the format of the values of each campaign.
type RunFacts = (Run, BTreeMap<CampaignKey, Format>);

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
    /// The shapes of all places with faults in its network, by name.
    pub shapes: Arc<Shapes>,
}

type Shapes = BTreeMap<String, Vec<usize>>;

/// The trials that were read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrialRows {
    /// The worst of them, worst first.
    pub rows: Vec<TrialRow>,
    /// Their number.
    pub count: usize,
    /// The widest text of each column, in points.
    pub widths: [f32; COLUMNS],
    /// True if they are of several arms or settings.
    pub has_settings: bool,
}

/// A column of the list.
struct ListColumn {
    shown: Column<'static>,
    text: fn(&TrialRow) -> String,
    /// The order of two rows by it, ascending.
    order: fn(&TrialRow, &TrialRow) -> Ordering,
}

/// The number of columns, and the places of some.
const COLUMNS: usize = 9;
const SETTING: usize = 0;
const SDC1: usize = 7;

impl TrialQuery {
    /// Returns the query for the trials of some runs, of all their campaigns or of one, and what else is known of the
    /// runs.
    pub fn new(
        input: &ViewInput<'_>,
        sought: &FaultFilter,
        (runs, listed): (&[&Run], &[Listed<'_>]),
    ) -> (Self, BTreeMap<String, RunFacts>) {
        let mut campaigns: HashMap<(&str, &str), Vec<&CampaignRecord>> = HashMap::new();
        for (of, campaign) in listed.iter().filter(|(_, campaign)| campaign.trials() > 0) {
            campaigns.entry((&of.arm, &of.id)).or_default().push(campaign);
        }
        let mut facts = BTreeMap::new();
        let (mut cells, mut trials) = (Vec::new(), 0);
        for run in runs {
            let own = campaigns.get(&(run.arm.as_str(), run.id.as_str())).into_iter().flatten().copied();
            trials += own.clone().map(CampaignRecord::trials).sum::<u64>();
            cells.push((run.id.clone(), own.clone().map(SingleCells::new).collect()));
            let formats = own.map(|campaign| (key(campaign), campaign.began.format)).collect();
            facts.insert(run.id.clone(), ((*run).clone(), formats));
        }
        let grows = runs.iter().any(|run| input.runs.state(&run.id) == RunState::Running);
        let trials = if grows { rounded(trials) } else { trials };
        (Self { folder: input.results.to_owned(), sought: sought.clone(), runs: cells, trials }, facts)
    }

    /// Returns true if the answer to another query can be shown until this one is answered.
    pub fn continues(&self, other: &Self) -> bool {
        let [own, others] = [self, other].map(|query| query.runs.iter().map(|(id, _)| id));
        (&self.folder, &self.sought) == (&other.folder, &other.sought) && own.eq(others)
    }

    /// Reads the tables.
    ///
    /// # Errors
    /// When one cannot be read.
    pub fn read(&self, facts: &BTreeMap<String, RunFacts>) -> Result<Arc<TrialRows>, String> {
        let found = read_faulty_trials(&self.folder, &self.runs, &self.sought, MOST)?;
        let shapes = facts.iter().map(|(id, (run, _))| {
            let shapes = run.spec.structure().map(|structure| shapes(&structure)).unwrap_or_default();
            (id.as_str(), Arc::new(shapes))
        });
        let shapes: BTreeMap<&str, Arc<Shapes>> = shapes.collect();
        let arms: BTreeSet<&str> = facts.values().map(|(run, _)| run.arm.as_str()).collect();
        let shared = format!("{}, ", base(&arms.iter().copied().collect::<Vec<_>>()));
        let setting = |arm: &str| match arms.len() {
            0 | 1 => String::new(),
            _ => arm.strip_prefix(&shared).unwrap_or(arm).to_owned(),
        };
        let row = |trial: FaultyTrial| {
            let (run, formats) = facts.get(&trial.run)?;
            let format = formats.get(&(trial.key.campaign.clone(), trial.key.round))?;
            let fault = trial.fault.as_ref().map(|fault| &fault.fault);
            let shapes = &shapes[trial.run.as_str()];
            let has_format =
                |name: &str| [".weight", ".output", ".preactivation"].iter().any(|end| name.ends_with(end));
            Some(TrialRow {
                arm: run.arm.clone(),
                setting: setting(&run.arm),
                seed: run.seed,
                place: fault.map(|fault| place(fault, shapes)).unwrap_or_default(),
                format: format.of_parameter(fault.is_none_or(|fault| has_format(&fault.parameter))),
                shapes: shapes.clone(),
                trial,
            })
        };
        let rows: Vec<TrialRow> = found.worst.into_iter().filter_map(row).collect();
        let widths = columns().map(|column| {
            let heading = width(&column.shown.title, f64::from(theme::SMALL), Weight::Regular);
            let texts =
                rows.iter().map(|row| width(&(column.text)(row), f64::from(theme::BODY), Weight::Regular));
            texts.fold(heading, f64::max) as f32
        });
        Ok(Arc::new(TrialRows { rows, count: found.count, widths, has_settings: arms.len() > 1 }))
    }
}

/// Returns a number that grows by an eighth at a time.
fn rounded(trials: u64) -> u64 {
    let step = trials.checked_ilog2().map_or(0, |log| (1 << log) / GROWTH);
    trials.checked_div(step).map_or(trials, |steps| steps * step)
}

/// Returns the entry of a fault: "fc1 [52, 11]" for a weight, "fc1.bias [3]" for others; without a known shape, as of a
/// network that is no longer there, the flat index.
pub fn place(fault: &LoggedFault<'_>, shapes: &Shapes) -> String {
    let shape = shapes.get(&*fault.parameter).map_or(&[usize::MAX][..], Vec::as_slice);
    let index = place_of(fault.index as usize, shape);
    format!("{} {index}", fault.parameter.strip_suffix(".weight").unwrap_or(&fault.parameter))
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
        let bits = self.fault().map_or([None; 2], |fault| [fault.before, fault.after]);
        bits.map(|bits| bits.map(|bits| self.format.value(bits)))
    }

    /// Returns its first fault, where it is listed.
    pub fn fault(&self) -> Option<&LoggedFault<'static>> {
        self.trial.fault.as_ref().map(|fault| &fault.fault)
    }

    fn bit(&self) -> Option<u32> {
        self.fault()?.bit
    }
}

/// Returns all columns of the list, from left to right.
fn columns() -> [ListColumn; COLUMNS] {
    let sdc1 = "Images with SDC-1, silent data corruption: another class is predicted. Images with DUE, a logit that is NaN \
                or infinite, follow in the bar";
    [
        ListColumn {
            shown: Column::text("Setting", "The arm of the run, with its setting"),
            text: |row| row.setting.clone(),
            order: |a, b| compare(&a.arm, &b.arm),
        },
        ListColumn {
            shown: Column::number("Seed", "The seed of the run").leaves(2),
            text: |row| row.seed.to_string(),
            order: |a, b| a.seed.cmp(&b.seed),
        },
        ListColumn {
            shown: Column::number("Trial", "The number of the trial, with its round"),
            text: |row| {
                let round = row.trial.key.round.map_or_else(String::new, |round| format!(", round {round}"));
                format!("{}{round}", row.trial.key.trial)
            },
            order: |a, b| a.trial.key.trial.cmp(&b.trial.key.trial),
        },
        ListColumn {
            shown: Column::text(
                "Weight",
                "The entry with the first fault: layer and [row, column], counted from 0",
            ),
            text: |row| match row.trial.faults {
                0 | 1 => row.place.clone(),
                faults => format!("{} + {}", row.place, text::grouped(faults - 1)),
            },
            order: |a, b| {
                let key = |row: &TrialRow| row.fault().map(|it| (it.parameter.clone(), it.index));
                key(a).cmp(&key(b))
            },
        },
        ListColumn {
            shown: Column::text("Bit", "The bit with the fault, counted from the least significant")
                .leaves(4),
            text: |row| row.bit().map_or_else(|| "–".to_owned(), |bit| format!("b{bit}")),
            order: |a, b| a.bit().cmp(&b.bit()),
        },
        ListColumn {
            shown: Column::number("Before", "The value that is stored without the fault").leaves(0),
            text: |row| row.values()[0].map_or_else(|| "–".to_owned(), value_text),
            order: |a, b| by_value(a, b, 0),
        },
        ListColumn {
            shown: Column::number("After", "The value that is stored with the fault").leaves(3),
            text: |row| row.values()[1].map_or_else(|| "–".to_owned(), value_text),
            order: |a, b| by_value(a, b, 1),
        },
        ListColumn {
            shown: Column::number("SDC-1 images", sdc1),
            text: |row| text::grouped(row.trial.sdc1),
            order: |a, b| (a.trial.sdc1, a.trial.due).cmp(&(b.trial.sdc1, b.trial.due)),
        },
        ListColumn {
            shown: Column::number("Accuracy", "Accuracy on the images of the trial").leaves(1),
            text: |row| text::percent(row.trial.accuracy),
            order: |a, b| a.trial.accuracy.total_cmp(&b.trial.accuracy),
        },
    ]
}

/// Compares the values before or after the fault; a row without one comes first.
fn by_value(a: &TrialRow, b: &TrialRow, at: usize) -> Ordering {
    let [a, b] = [a, b].map(|row| row.values()[at].unwrap_or(f64::NEG_INFINITY));
    a.total_cmp(&b)
}

/// Height of a row, and length of a full bar with the gap before it, in points.
const ROW: f32 = 26.0;
const BAR: f32 = 56.0;
/// The widest name of a setting.
const WIDEST: f32 = 160.0;

/// A trial of a run.
pub type TrialId = (String, TrialKey);

/// The list of trials.
pub struct TrialList {
    columns: [ListColumn; COLUMNS],
    sort: Order,
    /// The rows in their order, with what they were sorted from.
    order: Option<(Arc<TrialRows>, Order, Arc<[usize]>)>,
    /// The position of a row to show next.
    target: Option<usize>,
}

/// The order at first: the worst ones first.
const WORST: Order = Order { column: Some(SDC1), is_descending: true };

impl Default for TrialList {
    fn default() -> Self {
        Self { columns: columns(), sort: WORST, order: None, target: None }
    }
}

/// Returns the identity of the trial of a row.
pub fn id_of(row: &TrialRow) -> TrialId {
    (row.trial.run.clone(), row.trial.key.clone())
}

impl TrialList {
    /// Returns the places of rows in their order; equal ones go by their trials.
    pub fn order(&mut self, rows: &Arc<TrialRows>) -> Arc<[usize]> {
        if let Some((of, sort, order)) = &self.order
            && Arc::ptr_eq(of, rows)
            && *sort == self.sort
        {
            return order.clone();
        }
        let by_column = self.columns[self.sort.column.unwrap_or(SDC1)].order;
        let place = |row: &TrialRow| (row.seed, row.trial.key.round, row.trial.key.trial);
        let mut order: Vec<usize> = (0..rows.rows.len()).collect();
        order.sort_by(|a, b| {
            let (a, b) = (&rows.rows[*a], &rows.rows[*b]);
            let ascending = by_column(a, b).then_with(|| place(a).cmp(&place(b)));
            if self.sort.is_descending { ascending.reverse() } else { ascending }
        });
        let order: Arc<[usize]> = order.into();
        self.order = Some((rows.clone(), self.sort, order.clone()));
        order
    }

    /// Shows this position of the list in the next frame.
    pub fn show(&mut self, position: usize) {
        self.target = Some(position);
    }

    /// Draws the list; returns the trial whose row is clicked.
    pub fn ui(&mut self, ui: &mut Ui, rows: &Arc<TrialRows>, open: Option<&TrialId>) -> Option<TrialId> {
        let places = self.order(rows);
        let first = usize::from(!rows.has_settings);
        let known = &self.columns[first..];
        let at = self.sort.column.and_then(|column| column.checked_sub(first));
        let mut columns: Vec<Column<'_>> = known.iter().map(|column| column.shown.clone()).collect();
        for (position, column) in columns.iter_mut().enumerate() {
            let text = rows.widths[first + position];
            let text = if first + position == SETTING { text.min(WIDEST) } else { text };
            let arrow = if at == Some(position) { table::ARROW } else { 0.0 };
            column.width = (text * 1.02).ceil() + 2.0 * table::PADDING + arrow;
        }
        let stay = columns.iter().filter(|column| column.leaves.is_none()).map(|column| column.width);
        let bar = if stay.sum::<f32>() + BAR <= ui.available_width() { BAR } else { 0.0 };
        columns[SDC1 - first].width += bar;
        let mut order = Order { column: at, is_descending: self.sort.is_descending };
        let trial = |row: usize| &rows.rows[places[row]];
        let text = |row: usize, column: usize| (known[column].text)(trial(row));
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
            if first + column == SDC1 && bar > 0.0 {
                bar_ui(ui, trial(row), bar - table::GAP);
            }
            ui.add(Label::new(text(row, column)).selectable(false).truncate());
        });
        self.sort = order.column.map_or(WORST, |at| Order { column: Some(first + at), ..order });
        clicked
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
        let shapes = Arc::new(Shapes::from([("fc1.weight".to_owned(), vec![100, 64])]));
        TrialRow {
            place: place(&fault, &shapes),
            shapes,
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
        let texts = columns().map(|column| (column.text)(&row(114, 330)));
        assert_eq!(
            texts,
            ["dense", "2", "114", "fc1 [52, 11]", "b30", "0.1724", "5.866×10³⁷", "330", "8.06 %"]
        );
        let many = TrialRow { trial: FaultyTrial { faults: 1001, ..row(1, 2).trial }, ..row(1, 2) };
        assert_eq!((columns()[3].text)(&many), "fc1 [52, 11] + 1,000");
        let bias =
            LoggedFault { parameter: "fc1.bias".into(), index: 3, bit: None, before: None, after: None };
        let shapes = [("fc1.bias", vec![9]), ("conv1.output", vec![2, 3, 4])];
        let shapes: Shapes = shapes.map(|(name, shape)| (name.to_owned(), shape)).into();
        assert_eq!(place(&bias, &shapes), "fc1.bias [3]");
        assert_eq!(place(&bias, &Shapes::new()), "fc1.bias [3]");
        let output = LoggedFault { parameter: "conv1.output".into(), index: 17, ..bias };
        assert_eq!(place(&output, &shapes), "conv1.output [1, 1, 1]");
    }

    #[test]
    fn every_column_has_an_order_and_equal_rows_go_by_their_trials() {
        for column in columns() {
            assert_eq!((column.order)(&row(1, 5), &row(1, 5)), Ordering::Equal, "{}", column.shown.title);
        }
        assert_eq!((columns()[SDC1].order)(&row(1, 5), &row(2, 3)), Ordering::Greater);
        let rows = Arc::new(TrialRows { rows: vec![row(2, 3), row(1, 5)], ..TrialRows::default() });
        let mut list =
            TrialList { sort: Order { column: Some(4), is_descending: false }, ..TrialList::default() };
        assert_eq!(list.order(&rows)[..], [1, 0], "the bits are equal");
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
        list.sort = Order { column: Some(2), is_descending: false };
        assert_eq!(list.order(&rows)[..], [0, 1, 2]);
        list.sort.is_descending = true;
        assert_eq!(list.order(&rows)[..], [2, 1, 0]);
    }
}

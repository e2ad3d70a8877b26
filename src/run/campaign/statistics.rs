//! The statistics of the trials of a campaign, as a checkpoint keeps them, the lines of its tables, and its reports.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write;

use serde::{Deserialize, Serialize};

use super::TrialResult;
use super::setup::{Identity, Setup, confidence};
use super::trial::{InjectedFaults, TrialOutcome};
use crate::listener::Table;
use crate::session::{report, table};
use doc::Device;
use doc::fault::{CellPlan, Format, Protect, Trials};
use form::number::grouped;
use intervene::fault::Tally;
use intervene::fault::log::{LONGEST_TRIAL, Logged, LoggedFault, Row};
use intervene::fault::model::Unit;
use intervene::fault::statistics::{Interval, mean_interval, median, percentile, wilson};
use intervene::stream::Stream;
use results::Report;
use results::campaign::{CampaignBegan, CampaignRecord, CellState, Estimate, Outcomes, WORST, WorstTrial};
use results::number::percent;

/// The progress of a campaign: whole blocks only.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CampaignProgress {
    pub(super) cells: Vec<CellProgress>,
}

/// The trials of a cell so far, with the protection and without it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct CellProgress {
    pub(super) result: CellStatistics,
    pub(super) unprotected: Option<CellStatistics>,
    pub(super) done: bool,
}

/// The trials of a cell so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CellStatistics {
    faults: u64,
    tally: Tally,
    /// Right images of every trial, in the order drawn.
    correct: Vec<u64>,
    /// Single faults, by layer and bit: of trials, or of images with separate faults.
    outcomes: Vec<Outcomes>,
    worst: Vec<WorstTrial>,
}

/// A trial with its number in the campaign, and names for where its faults are.
pub struct CountedTrial<'a> {
    pub trial: u64,
    pub outcome: &'a TrialOutcome,
    /// True where every trial of its cell has one fault, so that its trials can be sorted by layer and bit.
    pub is_single: bool,
    /// Place of the layer or residual block of a parameter (or of activations) in the list of those with sites.
    pub layer: &'a dyn Fn(usize) -> usize,
    pub name: &'a dyn Fn(usize) -> &'a str,
}

impl CellStatistics {
    pub fn trials(&self) -> u64 {
        self.correct.len() as u64
    }

    pub fn add(&mut self, counted: &CountedTrial) {
        let TrialOutcome { tally, injected, .. } = counted.outcome;
        self.faults += injected.faults;
        self.tally = self.tally + *tally;
        self.correct.push(tally.correct);
        for (fault, tally) in counted.outcome.singles.iter().filter(|_| counted.is_single) {
            self.add_outcome((counted.layer)(fault.site.parameter), fault.site.bit, *tally);
        }
        if tally.sdc1 + tally.due > 0 {
            self.add_worst(counted);
        }
    }

    fn add_outcome(&mut self, layer: usize, bit: Option<u32>, tally: Tally) {
        let key = (layer, bit);
        let at = self.outcomes.binary_search_by_key(&key, |outcome| (outcome.layer, outcome.bit));
        let at = at.unwrap_or_else(|at| {
            self.outcomes.insert(at, Outcomes { layer, bit, ..Outcomes::default() });
            at
        });
        let outcome = &mut self.outcomes[at];
        outcome.trials += 1;
        outcome.tally = outcome.tally + tally;
    }

    fn add_worst(&mut self, counted: &CountedTrial) {
        let TrialOutcome { tally, injected, .. } = counted.outcome;
        let harm = Reverse(tally.sdc1 + tally.due);
        let is_milder =
            self.worst.last().is_some_and(|last| last.rank() <= (harm, tally.correct, counted.trial));
        if self.worst.len() >= WORST && is_milder {
            return;
        }
        let first = injected.listed.first().map_or_else(String::new, |(image, fault)| {
            LoggedFault::new((counted.name)(fault.site.parameter), fault).described(*image)
        });
        let trial = WorstTrial { trial: counted.trial, faults: injected.faults, first, tally: *tally };
        let at = self.worst.partition_point(|known| known.rank() < trial.rank());
        self.worst.insert(at, trial);
        self.worst.truncate(WORST);
    }

    /// Returns the interval of SDC-1: Wilson with n = number of trials, which is conservative, since a share in [0, 1]
    /// has a variance of at most p(1 − p).
    pub fn sdc1(&self, confidence: f64) -> Interval {
        wilson(self.share(self.tally.sdc1), self.trials(), confidence)
    }

    /// Returns the results of the cell so far. The bootstrap draws from the stream.
    pub fn state(&self, cell: usize, confidence: f64, stream: &mut Stream) -> CellState {
        let trials = self.trials();
        let estimate = |count: u64| {
            let value = self.share(count);
            let Interval { low, high } = wilson(value, trials, confidence);
            Estimate { value, low, high }
        };
        let state = CellState {
            cell,
            trials,
            faults: self.faults,
            tally: self.tally,
            sdc1: estimate(self.tally.sdc1),
            due: estimate(self.tally.due),
            masked: estimate(self.tally.masked),
            outcomes: self.outcomes.clone(),
            worst: self.worst.clone(),
            ..CellState::default()
        };
        if trials == 0 {
            return state;
        }
        let images = self.tally.images as f64 / trials as f64;
        let accuracies: Vec<f64> = self.correct.iter().map(|&correct| correct as f64 / images).collect();
        let Interval { low, high } = mean_interval(&accuracies, confidence, stream);
        let value = self.share(self.tally.correct);
        let [p5, median, p95] =
            [percentile(&accuracies, 0.05), median(&accuracies), percentile(&accuracies, 0.95)];
        CellState { accuracy: Estimate { value, low, high }, median, p5, p95, ..state }
    }

    fn share(&self, count: u64) -> f64 {
        if self.tally.images == 0 { 0.0 } else { self.tally.share(count) }
    }
}

pub(super) type Lines = BTreeMap<Table, String>;

/// Adds a trial of a cell; `within` is its number there.
pub(super) fn add_lines(
    lines: &mut Lines,
    setup: &Setup,
    cell: usize,
    [trial, within]: [u64; 2],
    result: &TrialResult,
) {
    let Identity { name, round, .. } = &setup.identity;
    let mut log = |image, logged| {
        let row = Row { campaign: name.into(), round: *round, trial, image, logged };
        writeln!(lines.entry(Table::Faults).or_default(), "{row}").expect("writing to a string");
    };
    let InjectedFaults { count, listed, .. } = &result.outcome.injected;
    if *count > LONGEST_TRIAL {
        log(None, Logged::Draw { faults: *count, stream: setup.counters(cell, within) });
    } else {
        for (image, fault) in listed {
            let name = setup.name_of(fault.site.parameter);
            log(*image, Logged::Fault(LoggedFault::new(name, fault)));
        }
    }
    let round = round.map_or_else(String::new, |round| round.to_string());
    let start = format!("{name},{round},{trial}");
    *lines.entry(Table::Trials).or_default() += &counts(&start, cell, &result.outcome);
    if let Some(outcome) = &result.unprotected {
        *lines.entry(Table::Unprotected).or_default() += &counts(&start, cell, outcome);
    }
    lines.entry(Table::Logits).or_default().extend([&start, ",", &result.outcome.hash, "\n"]);
}

/// Writes the counts of a trial as a line.
fn counts(start: &str, cell: usize, outcome: &TrialOutcome) -> String {
    let TrialOutcome { tally, injected: InjectedFaults { faults, .. }, .. } = outcome;
    let Tally { images, masked, benign, sdc1, sdc5, due, corrected, lost, .. } = tally;
    let accuracy = tally.accuracy();
    format!(
        "{start},{cell},{faults},{images},{masked},{benign},{sdc1},{sdc5},{due},{corrected},{lost},{accuracy}\n"
    )
}

/// Describes a campaign before its first trial.
pub(super) fn began(setup: &Setup, label: String, [stage, branch]: [String; 2]) -> CampaignBegan {
    CampaignBegan {
        campaign: setup.identity.name.clone(),
        stage,
        branch,
        round: setup.identity.round,
        label,
        cells: setup.cells.iter().map(|cell| cell.plan.clone()).collect(),
        layers: setup.layers.clone(),
        layer_entries: setup.layer_entries(),
        format: setup.stage.fault.format,
        strikes_values: matches!(setup.stage.fault.model.unit(), Unit::Value),
        protect: setup.stage.protect.clone(),
        images: setup.images as u64,
        confidence: confidence(setup.stage),
        golden_accuracy: setup.baseline.accuracy(),
        unprotected_accuracy: setup.bare.as_ref().unwrap_or(&setup.baseline).accuracy(),
        float32_accuracy: setup.float32_accuracy,
    }
}

/// Reports the trials that are planned, and what their faults are compared with.
pub(super) fn plan(setup: &Setup, began: &CampaignBegan) -> Report {
    let trials: u64 = began.cells.iter().map(|cell| cell.trials).sum();
    let at_most = if matches!(setup.stage.trials, Trials::Until(_)) { "at most " } else { "" };
    let mut summary = format!(
        "{at_most}{} trials on {} images; accuracy without faults {}",
        grouped(trials),
        grouped(began.images),
        percent(began.golden_accuracy)
    );
    if setup.stage.protect != Protect::Nothing {
        summary.extend([", ", &percent(began.unprotected_accuracy), " without the protection"]);
    }
    if began.format != Format::Float32 {
        let (float32, change) = (percent(began.float32_accuracy), began.change_by_format());
        summary = format!("{summary} ({float32} in float32: {change} percentage points)");
    }
    for note in &setup.notes {
        summary.extend(["; ", note]);
    }
    let row = |cell: &CellPlan| {
        let mut row = vec![cell.name()];
        row.extend([cell.trials, cell.possible, cell.planned].map(|count| count.to_string()));
        row
    };
    let columns = ["cell", "trials", "possible faults", "planned by Leveugle et al."];
    table("campaign_plan", summary, &columns, began.cells.iter().map(row).collect())
}

/// Reports the results: cells, layers and bits, and whether the network is unchanged and gives the same logits again.
pub(super) fn reports(
    began: &CampaignBegan,
    states: &[CellState],
    [is_unchanged, is_reproduced]: [bool; 2],
    checksum: &str,
    device: &Device,
) -> Vec<Report> {
    let intact = is_unchanged && is_reproduced;
    let mut record = CampaignRecord::new(began.clone());
    states.iter().cloned().for_each(|state| record.take_in(state));
    let mut reports = vec![cells_report(&record)];
    if began.layers.len() > 1 {
        let layer = |outcome: &Outcomes| began.layers[outcome.layer].clone();
        let layers = record.by_layer();
        reports.extend(outcomes_report(["campaign_layers", "layer"], began.confidence, &layers, layer));
    }
    let bit = |outcome: &Outcomes| outcome.bit.map_or_else(|| "–".to_owned(), |bit| format!("b{bit}"));
    let bits = record.by_bit();
    if bits.iter().any(|outcome| outcome.bit.is_some()) {
        reports.extend(outcomes_report(["campaign_bits", "bit"], began.confidence, &bits, bit));
    }
    reports.extend(worst_report(&record));
    let summary = if intact {
        format!(
            "the network has the same checksum and logits after the campaign as before it: {}",
            &checksum[..16]
        )
    } else if is_unchanged && device.feature().is_some() {
        format!(
            "passes over the same network and images gave other logits after the campaign than before it: the device {} \
                does not give the same bits each time, and fewer trials count as masked than should; run the campaign on Cpu",
            device.key()
        )
    } else {
        "the campaign changed the network's checksum or logits; this is a bug, please report it".to_owned()
    };
    reports.push(Report { passed: Some(intact), ..report("campaign_golden", summary) });
    reports
}

fn cells_report(record: &CampaignRecord) -> Report {
    let trials = record.trials();
    let all = |count: fn(&CellState) -> u64| record.states(false).map(count).sum::<u64>();
    let images = all(|state| state.tally.images).max(1) as f64;
    let share = |count: u64| percent(count as f64 / images);
    let mut summary = format!(
        "{} trials with {} faults: {} of images masked, {} with SDC-1, {} with DUE",
        grouped(trials),
        grouped(all(|state| state.faults)),
        share(all(|state| state.tally.masked)),
        share(all(|state| state.tally.sdc1)),
        share(all(|state| state.tally.due))
    );
    let unprotected: Vec<&CellState> = record.states(true).collect();
    if !unprotected.is_empty() {
        let mean = |states: &mut dyn Iterator<Item = &CellState>| {
            let (sum, count) =
                states.fold((0.0, 0.0), |(sum, count), state| (sum + state.accuracy.value, count + 1.0));
            sum / f64::max(count, 1.0)
        };
        let (with, without) = (mean(&mut record.states(false)), mean(&mut record.states(true)));
        let (with, without) = (percent(with), percent(without));
        summary = format!("{summary}; accuracy {with} with the protection, {without} without it");
    }
    let columns = "cell,protection,trials,faults,masked,SDC-1,from,to,SDC-5,DUE,corrected,lost,accuracy,from,to,median,5 %,95 %";
    let columns: Vec<&str> = columns.split(',').collect();
    let row = |state: &CellState| {
        let tally = &state.tally;
        let share = |count: u64| percent(if tally.images == 0 { 0.0 } else { tally.share(count) });
        let ends = |estimate: &Estimate| [estimate.value, estimate.low, estimate.high].map(percent);
        let protection = match (&record.began.protect, state.unprotected) {
            (Protect::Nothing, _) => "–",
            (_, false) => "on",
            (_, true) => "off",
        };
        let mut row = vec![record.began.cells[state.cell].name(), protection.to_owned()];
        row.extend([state.trials, state.faults].map(|count| count.to_string()));
        row.push(share(tally.masked));
        row.extend(ends(&state.sdc1));
        row.extend([tally.sdc5, tally.due, tally.corrected, tally.lost].map(share));
        row.extend(ends(&state.accuracy));
        row.extend([state.median, state.p5, state.p95].map(percent));
        row
    };
    let rows = record.cells.iter().map(row).collect();
    table("campaign", summary, &columns, rows)
}

/// Reports the outcomes of trials with a single fault, by what `name` calls them; nothing without any.
fn outcomes_report(
    [kind, what]: [&str; 2],
    confidence: f64,
    outcomes: &[Outcomes],
    name: impl Fn(&Outcomes) -> String,
) -> Option<Report> {
    let most = outcomes.iter().max_by_key(|outcome| {
        // Shares as whole numbers: of equals the last one.
        (outcome.tally.sdc1 * 1_000_000).checked_div(outcome.tally.images).unwrap_or_default()
    })?;
    let share = percent(most.tally.share(most.tally.sdc1));
    let summary = match most.tally.sdc1 {
        0 => format!("no {what} has an image with SDC-1"),
        _ => format!("the {what} with the most SDC-1 is {}: {share} of images", name(most)),
    };
    let row = |outcome: &Outcomes| {
        let tally = &outcome.tally;
        let sdc1 = tally.share(tally.sdc1);
        let Interval { low, high } = wilson(sdc1, outcome.trials, confidence);
        let [masked, benign, due] = [tally.masked, tally.benign, tally.due].map(|count| tally.share(count));
        let mut row = vec![name(outcome), outcome.trials.to_string()];
        row.extend([masked, benign, sdc1, low, high, due].map(percent));
        row
    };
    let columns = [what, "trials", "masked", "benign", "SDC-1", "from", "to", "DUE"];
    Some(table(kind, summary, &columns, outcomes.iter().map(row).collect()))
}

fn worst_report(record: &CampaignRecord) -> Option<Report> {
    let worst = record.worst();
    let first = worst.first()?;
    let summary = format!("the worst fault is that of trial {}: {}", first.trial, first.first);
    let rows = worst.iter().map(|trial| {
        let tally = &trial.tally;
        let mut row = vec![trial.trial.to_string(), trial.faults.to_string(), trial.first.clone()];
        row.extend([tally.sdc1, tally.due].map(|count| percent(tally.share(count))));
        row.push(percent(tally.accuracy()));
        row
    });
    let columns = ["trial", "faults", "first fault", "SDC-1", "DUE", "accuracy"];
    Some(table("campaign_worst", summary, &columns, rows.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::campaign::trial::InjectedFaults;
    use intervene::fault::outcome::Tally;
    use intervene::fault::{Injected, Site};
    use intervene::stream::{Purpose, stream};

    fn add(cell: &mut CellStatistics, trial: u64, sdc1: u64, bit: u32) {
        let site = Site { parameter: 4, index: 2, bit: Some(bit) };
        let fault = Injected { site, before: 0, after: 1 << bit, value: 2.0 };
        let tally = Tally { images: 10, sdc1, benign: 10 - sdc1, correct: 10 - sdc1, ..Tally::default() };
        let outcome = TrialOutcome {
            tally,
            hash: String::new(),
            injected: InjectedFaults { count: 1, faults: 1, listed: vec![(None, fault)] },
            singles: vec![(fault, tally)],
        };
        let (layer, name) = (|_| 1, |_| "fc2.weight");
        cell.add(&CountedTrial { trial, outcome: &outcome, is_single: true, layer: &layer, name: &name });
    }

    #[test]
    fn shares_are_means_over_trials_and_single_faults_are_told_apart_by_layer_and_bit() {
        let mut cell = CellStatistics::default();
        for (trial, (sdc1, bit)) in [(10, 30), (0, 3), (2, 30), (0, 2)].into_iter().enumerate() {
            add(&mut cell, trial as u64, sdc1, bit);
        }
        let state = cell.state(0, 0.95, &mut stream(1, Purpose::Bootstrap, &[0, 0]));
        assert_eq!((state.trials, state.faults, state.sdc1.value, state.accuracy.value), (4, 4, 0.3, 0.7));
        assert_eq!((state.median, state.p95), (0.9, 1.0));
        assert!(state.accuracy.low < 0.7 && state.accuracy.high > 0.7 && state.sdc1.low > 0.0);
        let bits: Vec<_> = state.outcomes.iter().map(|o| (o.layer, o.bit, o.trials, o.tally.sdc1)).collect();
        assert_eq!(bits, [(1, Some(2), 1, 0), (1, Some(3), 1, 0), (1, Some(30), 2, 12)]);
        let worst: Vec<_> = state.worst.iter().map(|trial| trial.trial).collect();
        assert_eq!(worst, [0, 2]);
        assert_eq!(state.worst[0].first, "fc2.weight[2] b30: 00000000 → 40000000");
    }

    #[test]
    fn only_the_worst_are_kept() {
        let mut cell = CellStatistics::default();
        (0..60).for_each(|trial| add(&mut cell, trial, 1 + trial % 7, 1));
        assert_eq!(cell.worst.len(), WORST);
        assert!(cell.worst.is_sorted_by_key(WorstTrial::rank));
        assert_eq!((cell.worst[0].tally.sdc1, cell.worst[0].trial), (7, 6));
    }

    /// One of 100 images, and 500 of 1,000.
    #[test]
    fn the_report_of_outcomes_names_the_largest_share() {
        let outcomes = [(3, 100, 1), (30, 1000, 500)].map(|(bit, images, sdc1)| Outcomes {
            bit: Some(bit),
            trials: 10,
            tally: Tally { images, sdc1, ..Tally::default() },
            ..Outcomes::default()
        });
        let name = |outcome: &Outcomes| outcome.bit.map(|bit| bit.to_string()).unwrap_or_default();
        let report = outcomes_report(["campaign_bits", "bit"], 0.95, &outcomes, name).unwrap();
        assert!(report.summary.starts_with("the bit with the most SDC-1 is 30: 50"), "{}", report.summary);
    }
}

//! What a campaign reports: before it starts, and at its end.

use super::cells;
use super::setup::Setup;
use doc::Device;
use doc::fault::{Format, Protect, Trials};
use doc::fault_sites::CellPlan;
use form::number::grouped;
use intervene::fault::model::Unit;
use intervene::fault::statistics::{Interval, wilson};
use results::Report;
use results::campaign::{CampaignBegan, CampaignRecord, CellState, Estimate, Outcomes};
use results::number::percent;

/// What is known of a campaign before its first trial.
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
        confidence: cells::confidence(setup.stage),
        golden_accuracy: setup.bench.accuracy(),
        unprotected_accuracy: setup.bare.as_ref().unwrap_or(&setup.bench).accuracy(),
        float32_accuracy: setup.float32_accuracy,
    }
}

/// The trials that are planned, and what their faults are compared with.
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
        let cost = format!(
            " ({} in float32: {} percentage points)",
            percent(began.float32_accuracy),
            began.change_by_format()
        );
        summary += &cost;
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

/// The results: cells, layers and bits, and whether the network is as it was: unchanged, with the same logits again.
pub(super) fn results(
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
        reports.extend(outcomes_report(
            "campaign_layers",
            "layer",
            began.confidence,
            &record.by_layer(),
            layer,
        ));
    }
    let bit = |outcome: &Outcomes| outcome.bit.map_or_else(|| "–".to_owned(), |bit| format!("b{bit}"));
    let bits = record.by_bit();
    if bits.iter().any(|outcome| outcome.bit.is_some()) {
        reports.extend(outcomes_report("campaign_bits", "bit", began.confidence, &bits, bit));
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
    reports.push(Report { passed: Some(intact), ..table("campaign_golden", summary, &[], Vec::new()) });
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
        let means =
            format!("; accuracy {} with the protection, {} without it", percent(with), percent(without));
        summary += &means;
    }
    let columns = [
        "cell",
        "protection",
        "trials",
        "faults",
        "masked",
        "SDC-1",
        "from",
        "to",
        "SDC-5",
        "DUE",
        "corrected",
        "lost",
        "accuracy",
        "from",
        "to",
        "median",
        "5 %",
        "95 %",
    ];
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

/// Outcomes of trials with a single fault, by what `name` calls them; nothing without any.
fn outcomes_report(
    kind: &str,
    what: &str,
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

/// A report with a table.
fn table(kind: &str, summary: String, columns: &[&str], rows: Vec<Vec<String>>) -> Report {
    let columns = columns.iter().map(ToString::to_string).collect();
    Report { kind: kind.to_owned(), summary, columns, rows, ..Report::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use intervene::fault::outcome::Tally;

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
        let report = outcomes_report("campaign_bits", "bit", 0.95, &outcomes, name).unwrap();
        assert!(report.summary.starts_with("the bit with the most SDC-1 is 30: 50"), "{}", report.summary);
    }
}

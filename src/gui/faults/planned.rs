//! How many trials a campaign takes, and how many statistics ask for, before it starts.

use eframe::egui::{RichText, Ui};

use crate::{text, theme};
use doc::Run;
use doc::fault::{Campaign, CellPlan, FaultSource};
use run::planned;

/// Draws the plan of a campaign on the network of a run.
pub fn planned_ui(ui: &mut Ui, campaign: &Campaign, run: &Run) {
    theme::heading_ui(ui, "Planned trials");
    if campaign.faults != FaultSource::Drawn {
        ui.label("The fault list sets the number of trials.");
        return;
    }
    let Ok(structure) = run.spec.structure() else { return };
    for line in lines(&planned(campaign, &structure)) {
        ui.label(line);
    }
    let note = "The number by Leveugle et al. (DATE 2009) estimates the share of critical faults within the \
        margin: ± 1 % at 95 % if the campaign sets none";
    ui.label(RichText::new(note).small().weak());
}

fn lines(cells: &[CellPlan]) -> Vec<String> {
    let most: u64 = cells.iter().map(|cell| cell.trials).sum();
    let possible = cells.iter().map(|cell| cell.possible).max().unwrap_or(0);
    let wanted = cells.iter().map(|cell| cell.planned).max().unwrap_or(0);
    let each = cells.first().map_or(0, |cell| cell.trials);
    let mut lines = Vec::new();
    if cells.len() > 1 && cells.iter().all(|cell| cell.trials == each) {
        let cells = text::counted(cells.len(), "cell");
        lines.push(format!("{cells} × {} = {} trials", text::grouped(each), text::grouped(most)));
    } else {
        lines.push(format!("{} trials at most", text::grouped(most)));
    }
    let cell = if cells.len() > 1 { " in a cell" } else { "" };
    lines.push(format!("{} possible single faults{cell}", text::grouped(possible)));
    lines.push(format!("{} trials{cell} by Leveugle", text::grouped(wanted)));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_says_trials_possible_faults_and_the_statistical_number() {
        let cell = CellPlan { trials: 100, possible: 8_518_400, planned: 9_593, ..CellPlan::default() };
        let found = lines(&[cell.clone(), cell.clone()]);
        assert_eq!(found[0], "2 cells × 100 = 200 trials");
        assert_eq!(found[1], "8,518,400 possible single faults in a cell");
        assert_eq!(lines(&[cell])[0], "100 trials at most");
    }
}

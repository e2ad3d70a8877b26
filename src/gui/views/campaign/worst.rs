//! The worst trials of a campaign.

use std::path::Path;

use eframe::egui::{Grid, RichText, Ui};

use super::open_trial::OpenTrial;
use crate::gui::views::number_ui;
use crate::gui::{text, theme};
use crate::results::campaign::{CampaignRecord, WorstTrial};
use crate::run::summary::TrialKey;

/// Draws the table; a click on a line opens the trial below.
pub fn worst_ui(
    ui: &mut Ui,
    results: &Path,
    run: &str,
    campaign: &CampaignRecord,
    open_trial: &mut OpenTrial,
) {
    theme::heading_ui(ui, "Worst trials").on_hover_text(
        "Those that changed most images; click one to open \
        it",
    );
    let worst = campaign.worst();
    if worst.is_empty() {
        ui.label("No trial has changed any image yet.");
        return;
    }
    table_ui(ui, run, campaign, &worst, open_trial);
    if open_trial.trial.as_ref().is_some_and(|(of, trial)| of == run && *trial == key(campaign, trial.trial))
    {
        open_trial.ui(ui, results);
    }
}

fn table_ui(
    ui: &mut Ui,
    run: &str,
    campaign: &CampaignRecord,
    worst: &[&WorstTrial],
    open_trial: &mut OpenTrial,
) {
    let spacing = [2.0 * theme::STEP, 0.5 * theme::STEP];
    Grid::new("worst trials").striped(true).spacing(spacing).show(ui, |ui| {
        for column in ["Trial", "First fault", "Faults", "SDC-1", "DUE", "Masked"] {
            theme::heading_ui(ui, column);
        }
        ui.end_row();
        for trial in worst {
            open_trial.choice_ui(ui, run, key(campaign, trial.trial), format!("Trial {}", trial.trial));
            ui.label(RichText::new(&trial.first).monospace());
            number_ui(ui, text::grouped(trial.faults));
            for count in [trial.tally.sdc1, trial.tally.due, trial.tally.masked] {
                number_ui(ui, format!("{} of {}", text::grouped(count), text::grouped(trial.tally.images)));
            }
            ui.end_row();
        }
    });
}

fn key(campaign: &CampaignRecord, trial: u64) -> TrialKey {
    TrialKey { campaign: campaign.began.campaign.clone(), round: campaign.began.round, trial }
}

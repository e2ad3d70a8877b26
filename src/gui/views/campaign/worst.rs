//! The worst trials of a campaign.

use std::path::Path;

use eframe::egui::{RichText, Ui};

use super::open_trial::OpenTrial;
use crate::gui::views::{grid_ui, number_ui};
use crate::gui::{text, theme};
use crate::results::campaign::CampaignRecord;
use crate::run::summary::TrialKey;

/// Draws the table; a click on a line opens the trial below.
pub fn worst_ui(
    ui: &mut Ui,
    results: &Path,
    run: &str,
    campaign: &CampaignRecord,
    open_trial: &mut OpenTrial,
) {
    theme::heading_ui(ui, "Worst trials")
        .on_hover_text("Those that changed most images; click one to open it");
    let worst = campaign.worst();
    if worst.is_empty() {
        ui.label("No trial has changed any image yet.");
        return;
    }
    let columns = ["Trial", "First fault", "Faults", "SDC-1", "DUE", "Masked"];
    grid_ui(ui, "worst trials", [2.0, 0.5], &columns, |ui| {
        for trial in &worst {
            open_trial.choice_ui(ui, run, key(campaign, trial.trial), format!("Trial {}", trial.trial));
            ui.label(RichText::new(&trial.first).monospace());
            number_ui(ui, text::grouped(trial.faults));
            for count in [trial.tally.sdc1, trial.tally.due, trial.tally.masked] {
                number_ui(ui, format!("{} of {}", text::grouped(count), text::grouped(trial.tally.images)));
            }
            ui.end_row();
        }
    });
    if open_trial.trial.as_ref().is_some_and(|(of, trial)| of == run && *trial == key(campaign, trial.trial))
    {
        open_trial.ui(ui, results);
    }
}

fn key(campaign: &CampaignRecord, trial: u64) -> TrialKey {
    TrialKey { campaign: campaign.began.campaign.clone(), round: campaign.began.round, trial }
}

//! The worst trials of a campaign, and the faults of the one that is opened.

use std::path::{Path, PathBuf};

use eframe::egui::{Grid, RichText, Ui};

use crate::doc::campaign::{CampaignRecord, WorstTrial};
use crate::gui::views::loading::{Answer, Loading};
use crate::gui::views::{number_ui, waiting_ui};
use crate::gui::{text, theme};
use crate::run::summary::{TrialFaults, TrialKey, read_trial};

/// Faults of a trial that are listed.
const MOST: usize = 200;

/// Folder, run and trial.
type Trial = (PathBuf, String, TrialKey);

/// What the table keeps between frames.
#[derive(Default)]
pub struct Worst {
    /// Run and trial.
    opened: Option<(String, TrialKey)>,
    faults: Loading<Trial, TrialFaults>,
}

impl Worst {
    /// Draws the table; a click on a line opens the trial below.
    pub fn ui(&mut self, ui: &mut Ui, results: &Path, run: &str, campaign: &CampaignRecord) {
        theme::heading_ui(ui, "Worst trials")
            .on_hover_text("Those that changed most images; a click opens one");
        let worst = campaign.worst();
        if worst.is_empty() {
            ui.label("No trial has changed any image yet.");
            return;
        }
        self.table_ui(ui, run, campaign, &worst);
        let Some((of_run, trial)) = self.opened.clone() else { return };
        if of_run != run || trial != key(campaign, trial.trial) {
            return;
        }
        ui.add_space(theme::STEP);
        self.trial_ui(ui, &(results.to_owned(), of_run, trial));
    }

    fn table_ui(&mut self, ui: &mut Ui, run: &str, campaign: &CampaignRecord, worst: &[&WorstTrial]) {
        let spacing = [2.0 * theme::STEP, 0.5 * theme::STEP];
        Grid::new("worst trials").striped(true).spacing(spacing).show(ui, |ui| {
            for column in ["Trial", "First fault", "Faults", "SDC-1", "DUE", "Masked"] {
                theme::heading_ui(ui, column);
            }
            ui.end_row();
            for trial in worst {
                let key = (run.to_owned(), key(campaign, trial.trial));
                let is_open = self.opened.as_ref() == Some(&key);
                let label = ui.selectable_label(is_open, format!("Trial {}", trial.trial));
                if label.on_hover_text("Show all of its faults").clicked() {
                    self.opened = (!is_open).then_some(key);
                }
                ui.label(RichText::new(&trial.first).monospace());
                number_ui(ui, text::grouped(trial.faults));
                for count in [trial.tally.sdc1, trial.tally.due, trial.tally.masked] {
                    number_ui(
                        ui,
                        format!("{} of {}", text::grouped(count), text::grouped(trial.tally.images)),
                    );
                }
                ui.end_row();
            }
        });
    }

    fn trial_ui(&mut self, ui: &mut Ui, key: &Trial) {
        let (results, run, trial) = key.clone();
        theme::heading_ui(ui, &format!("Faults of trial {}", trial.trial));
        let command = command(&results.join(&run), &trial);
        if ui.small_button("Copy replay command").on_hover_text(&command).clicked() {
            ui.ctx().copy_text(command);
        }
        let read = move || read_trial(&results, &run, &trial, MOST);
        match self.faults.get(key, ui.ctx(), read) {
            Answer::Waiting => waiting_ui(ui),
            Answer::Failed(why) => drop(ui.label(format!("They cannot be shown: {why}."))),
            Answer::Here(found) => faults_ui(ui, found),
        }
    }
}

fn key(campaign: &CampaignRecord, trial: u64) -> TrialKey {
    TrialKey { campaign: campaign.began.campaign.clone(), round: campaign.began.round, trial }
}

/// What replays a trial on the command line.
fn command(directory: &Path, key: &TrialKey) -> String {
    let TrialKey { campaign, round, trial } = key;
    let round = round.map_or_else(String::new, |round| format!(" --round {round}"));
    format!("weightlab replay \"{}\" --campaign {campaign}{round} --trial {trial}", directory.display())
}

fn faults_ui(ui: &mut Ui, found: &TrialFaults) {
    let TrialFaults { faults, count, note } = found;
    if let Some(note) = note {
        ui.label(format!("{note}."));
        return;
    }
    let spacing = [2.0 * theme::STEP, 0.25 * theme::STEP];
    Grid::new("faults of a trial").striped(true).spacing(spacing).show(ui, |ui| {
        for column in ["Parameter", "Index", "Bit", "Before", "After", "Image"] {
            theme::heading_ui(ui, column);
        }
        ui.end_row();
        for fault in faults {
            ui.label(&fault.parameter);
            number_ui(ui, &fault.index);
            number_ui(ui, if fault.bit.is_empty() { "–" } else { &fault.bit });
            ui.label(RichText::new(&fault.before).monospace());
            ui.label(RichText::new(&fault.after).monospace());
            number_ui(ui, if fault.image.is_empty() { "all" } else { &fault.image });
            ui.end_row();
        }
    });
    if *count > faults.len() {
        let shown = text::grouped(faults.len() as u64);
        ui.label(format!("The first {shown} of {}; all are in faults.csv.", text::grouped(*count as u64)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_names_the_round_of_the_trial() {
        let key = TrialKey { campaign: "1.0".to_owned(), round: Some(2), trial: 7 };
        let directory = Path::new("x.runs/ab");
        let once = TrialKey { round: None, ..key.clone() };
        assert_eq!(
            command(directory, &key),
            "weightlab replay \"x.runs/ab\" --campaign 1.0 --round 2 --trial 7"
        );
        assert_eq!(command(directory, &once), "weightlab replay \"x.runs/ab\" --campaign 1.0 --trial 7");
    }
}

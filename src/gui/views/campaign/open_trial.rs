//! The opened trial of a campaign: its faults, and the command that replays it.

use std::path::{Path, PathBuf};

use eframe::egui::{RichText, Ui};

use crate::doc::stage_number;
use crate::gui::views::loading::{LoadState, Loading};
use crate::gui::views::{grid_ui, number_ui, waiting_ui};
use crate::gui::{text, theme};
use crate::run::summary::{Stored, TrialFault, TrialFaults, TrialKey, read_trial};

/// The largest number of listed faults.
const MOST: usize = 200;

/// Folder, run and trial.
type TrialPath = (PathBuf, String, TrialKey);

/// The state between frames.
#[derive(Default)]
pub struct OpenTrial {
    /// Run and trial.
    pub trial: Option<(String, TrialKey)>,
    faults: Loading<TrialPath, TrialFaults>,
}

impl OpenTrial {
    /// Draws the name of a trial; a click opens it, or closes it again.
    pub fn choice_ui(&mut self, ui: &mut Ui, run: &str, key: TrialKey, name: String) {
        let trial = (run.to_owned(), key);
        let is_open = self.trial.as_ref() == Some(&trial);
        if ui.selectable_label(is_open, name).on_hover_text("Show all of its faults").clicked() {
            self.trial = (!is_open).then_some(trial);
        }
    }

    /// Draws the faults of the opened trial.
    pub fn ui(&mut self, ui: &mut Ui, results: &Path) {
        let Some((run, trial)) = self.trial.clone() else { return };
        ui.add_space(theme::STEP);
        theme::heading_ui(ui, &format!("Faults of trial {}", trial.trial));
        let command = command(&results.join(&run), &trial);
        if ui.small_button("Copy replay command").on_hover_text(&command).clicked() {
            ui.ctx().copy_text(command);
        }
        let key = (results.to_owned(), run.clone(), trial.clone());
        let folder = results.to_owned();
        let read = move || read_trial(&folder, &run, &trial, MOST);
        match self.faults.get(&key, ui.ctx(), read) {
            LoadState::Pending => waiting_ui(ui),
            LoadState::Failed(why) => drop(ui.label(format!("They could not be read: {why}."))),
            LoadState::Ready(found) => faults_ui(ui, found),
        }
    }
}

/// The command that replays a trial.
fn command(directory: &Path, key: &TrialKey) -> String {
    let TrialKey { campaign, round, trial } = key;
    let round = round.map_or_else(String::new, |round| format!(" --round {round}"));
    let stage = stage_number(campaign);
    format!("weightlab replay \"{}\" --stage {stage}{round} --trial {trial}", directory.display())
}

fn faults_ui(ui: &mut Ui, found: &TrialFaults) {
    let TrialFaults { faults, count, is_unlisted } = found;
    if *is_unlisted {
        ui.label(format!("{} faults are too many to list.", text::grouped(*count)));
        return;
    }
    let columns = ["Parameter", "Index", "Bit", "Before", "After", "Image"];
    grid_ui(ui, "faults of a trial", [2.0, 0.25], &columns, |ui| {
        for TrialFault { image, fault } in faults {
            ui.label(&*fault.parameter);
            number_ui(ui, fault.index.to_string());
            number_ui(ui, fault.bit.map_or_else(|| "–".to_owned(), |bit| bit.to_string()));
            for bits in [fault.before, fault.after] {
                ui.label(RichText::new(Stored(bits).to_string()).monospace());
            }
            number_ui(ui, image.map_or_else(|| "all".to_owned(), |image| image.to_string()));
            ui.end_row();
        }
    });
    if *count > faults.len() as u64 {
        let shown = text::grouped(faults.len() as u64);
        ui.label(format!("The first {shown} of {}; all are in faults.csv.", text::grouped(*count)));
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
            "weightlab replay \"x.runs/ab\" --stage 2.1 --round 2 --trial 7"
        );
        assert_eq!(command(directory, &once), "weightlab replay \"x.runs/ab\" --stage 2.1 --trial 7");
    }
}

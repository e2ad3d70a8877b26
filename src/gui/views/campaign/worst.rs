//! The worst trials of a campaign, and the faults of the one that is opened.

use std::path::{Path, PathBuf};

use eframe::egui::{Grid, RichText, Ui};

use crate::doc::campaign::{CampaignRecord, WorstTrial};
use crate::gui::views::loading::{Answer, Loading};
use crate::gui::views::{number_ui, waiting_ui};
use crate::gui::{text, theme};
use crate::run::summary::{TrialFault, read_trial};

/// Faults of a trial that are listed.
const MOST: usize = 200;

/// Folder, run, campaign and trial.
type Trial = (PathBuf, String, String, u64);

/// What the table keeps between frames.
#[derive(Default)]
pub struct Worst {
    opened: Option<(String, String, u64)>,
    faults: Loading<Trial, (Vec<TrialFault>, usize)>,
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
        let name = &campaign.began.campaign;
        let Some((of_run, of_campaign, trial)) = self.opened.clone() else { return };
        if of_run != run || of_campaign != *name {
            return;
        }
        ui.add_space(theme::STEP);
        self.trial_ui(ui, &(results.to_owned(), of_run, of_campaign, trial));
    }

    fn table_ui(&mut self, ui: &mut Ui, run: &str, campaign: &CampaignRecord, worst: &[&WorstTrial]) {
        let spacing = [2.0 * theme::STEP, 0.5 * theme::STEP];
        Grid::new("worst trials").striped(true).spacing(spacing).show(ui, |ui| {
            for column in ["Trial", "First fault", "Faults", "SDC-1", "DUE", "Masked"] {
                theme::heading_ui(ui, column);
            }
            ui.end_row();
            for trial in worst {
                let key = (run.to_owned(), campaign.began.campaign.clone(), trial.trial);
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
        let (results, run, campaign, trial) = key.clone();
        theme::heading_ui(ui, &format!("Faults of trial {trial}"));
        let directory = results.join(&run);
        let command =
            format!("weightlab replay \"{}\" --campaign {campaign} --trial {trial}", directory.display());
        if ui.small_button("Copy replay command").on_hover_text(&command).clicked() {
            ui.ctx().copy_text(command);
        }
        let read = move || read_trial(&results, &run, &campaign, trial, MOST);
        match self.faults.get(key, ui.ctx(), read) {
            Answer::Waiting => waiting_ui(ui),
            Answer::Failed(why) => drop(ui.label(format!("They cannot be shown: {why}."))),
            Answer::Here((faults, count)) => faults_ui(ui, faults, *count),
        }
    }
}

fn faults_ui(ui: &mut Ui, faults: &[TrialFault], count: usize) {
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
    if count > faults.len() {
        let shown = text::grouped(faults.len() as u64);
        ui.label(format!("The first {shown} of {}; all are in faults.csv.", text::grouped(count as u64)));
    }
}

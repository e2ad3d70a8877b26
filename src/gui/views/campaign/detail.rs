//! The opened trial: its fault as numbers and bits, the outcome of each image, and its replay.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use eframe::egui::{Align, Color32, Context, FontId, Label, Layout, RichText, ScrollArea, Spinner, Ui, vec2};

use super::bit_rows::bit_rows_ui;
use super::conditions::verdict_ui;
use super::list::{TrialId, id_of};
use super::outcomes::{Pictures, counts_ui, grid_ui};
use super::trials::{TrialRow, place, value_text};
use crate::icons::Icon;
use crate::views::columns::width_of;
use crate::views::data::ChangedImages;
use crate::views::loading::{LoadState, Loading};
use crate::views::{grid_ui as table_ui, number_ui};
use crate::{text, theme, widgets};
use doc::stage_number;
use results::campaign::{CampaignRecord, ImageOutcome};
use run::summary::{Stored, TrialFault, TrialFaults, TrialKey, read_trial};
use run::{Replay, Replayed, ReplayedImage, replay};

/// The largest number of listed faults.
const MOST: usize = 200;
/// Below this width, the actions of the head are on further lines.
const HEAD: f32 = 440.0;
/// A trial of so many multiply-adds takes about a second: it is replayed without being asked.
const QUICK: u64 = 3_000_000_000;

/// Folder of all runs, and trial.
type TrialPath = (PathBuf, TrialId);

/// The state between frames.
#[derive(Default)]
pub struct TrialDetail {
    faults: Loading<TrialPath, TrialFaults>,
    replayed: Loading<TrialPath, Arc<Replayed>>,
    /// The trial whose replay was asked for.
    asked: Option<TrialPath>,
    /// The pictures of a trial.
    pictures: (Option<TrialPath>, Pictures),
}

/// What the detail is about.
pub struct Opened<'a> {
    /// The trial.
    pub row: &'a TrialRow,
    /// Its campaign.
    pub campaign: Option<&'a CampaignRecord>,
    /// Multiply-adds of a pass over the images of the campaign.
    pub work: u64,
    /// Whether there is a trial before it and after it in the list.
    pub has_neighbours: [bool; 2],
}

/// What a button asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Asked {
    /// The trial above in the list.
    Previous,
    /// The trial below in the list.
    Next,
    /// The pictures that the trial changed, in the view of data.
    Pictures(ChangedImages),
}

impl TrialDetail {
    /// Draws the trial; returns what is asked for.
    pub fn ui(&mut self, ui: &mut Ui, results: &Path, opened: &Opened<'_>) -> Option<Asked> {
        let path = (results.to_owned(), id_of(opened.row));
        let mut asked = self.head_ui(ui, &path, opened);
        self.answer_ui(ui, &path, opened);
        ScrollArea::vertical().id_salt("trial detail").auto_shrink([false, false]).show(ui, |ui| {
            facts_ui(ui, opened);
            self.faults_ui(ui, &path, opened.row);
            ui.add_space(theme::STEP);
            asked = asked.take().or(self.images_ui(ui, &path, opened));
            if let Some(campaign) = opened.campaign {
                ui.add_space(theme::STEP);
                verdict_ui(ui, campaign);
            }
        });
        asked
    }

    /// The name of the trial with its actions, which are at the right end where there is room.
    fn head_ui(&mut self, ui: &mut Ui, path: &TrialPath, opened: &Opened<'_>) -> Option<Asked> {
        let mut wanted = None;
        let mut steps_ui = |ui: &mut Ui| {
            let name = format!("Trial {}", opened.row.name());
            ui.add(Label::new(RichText::new(name).font(theme::medium(theme::NAME))));
            let steps = [
                (Icon::CaretUp, "Previous trial", Asked::Previous),
                (Icon::CaretDown, "Next trial", Asked::Next),
            ];
            for ((icon, name, step), is_there) in steps.into_iter().zip(opened.has_neighbours) {
                if widgets::icon_button_ui(ui, is_there, icon, name).clicked() {
                    wanted = Some(step);
                }
            }
        };
        if ui.available_width() < HEAD {
            ui.horizontal_wrapped(|ui| {
                steps_ui(ui);
                Self::copy_ui(ui, path);
                self.button_ui(ui, path, opened);
            });
        } else {
            ui.horizontal(|ui| {
                steps_ui(ui);
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                    self.button_ui(ui, path, opened);
                    Self::copy_ui(ui, path);
                });
            });
        }
        wanted
    }

    fn copy_ui(ui: &mut Ui, path: &TrialPath) {
        let (folder, (run, key)) = path;
        let command = command(&folder.join(run), key);
        let copy = ui.add(widgets::ghost(Icon::Terminal, "Copy command"));
        if copy.on_hover_text(format!("Copies the command that replays this trial:\n{command}")).clicked() {
            ui.ctx().copy_text(command);
        }
    }

    fn button_ui(&mut self, ui: &mut Ui, path: &TrialPath, opened: &Opened<'_>) {
        let is_replaying = self.replayed.is_busy() && self.is_replayed(path, opened);
        let again = ui.add_enabled(!is_replaying, widgets::button(Icon::PlayFill, "Replay"));
        let help = "Injects the logged faults into the weights of the run again, and compares the logits bit for bit";
        if again.on_hover_text(help).clicked() {
            self.asked = Some(path.clone());
            self.replayed.forget();
        }
    }

    /// Whether a replay is wanted: it was asked for, or is quick.
    fn is_replayed(&self, path: &TrialPath, opened: &Opened<'_>) -> bool {
        opened.work <= QUICK || self.asked.as_ref() == Some(path)
    }

    /// The answer of the replay, right below its button.
    fn answer_ui(&mut self, ui: &mut Ui, path: &TrialPath, opened: &Opened<'_>) {
        if !self.is_replayed(path, opened) {
            return;
        }
        match found(&mut self.replayed, ui.ctx(), path) {
            LoadState::Pending => drop(ui.horizontal(|ui| {
                ui.add(Spinner::new().size(widgets::ICON));
                ui.label("Replaying…");
            })),
            LoadState::Failed(why) => {
                let why = format!("The trial cannot be replayed: {why}");
                widgets::message_ui(ui, widgets::Tone::Warning, &why);
            }
            LoadState::Ready(replayed) => replayed_ui(ui, replayed),
        }
    }

    /// Further faults, where the trial has more than one.
    fn faults_ui(&mut self, ui: &mut Ui, path: &TrialPath, row: &TrialRow) {
        if row.trial.faults < 2 && row.trial.images_hit < 2 {
            return;
        }
        ui.add_space(theme::STEP);
        let (folder, (run, key)) = path.clone();
        let read = move || read_trial(&folder, &run, &key, MOST);
        match self.faults.get(path, ui.ctx(), read) {
            LoadState::Pending => drop(ui.spinner()),
            LoadState::Failed(why) => drop(ui.label(format!("The faults could not be read: {why}."))),
            LoadState::Ready(found) => listed_faults_ui(ui, found, row),
        }
    }

    /// The outcome of each image: counts from the log, and the images themselves from a replay.
    fn images_ui(&mut self, ui: &mut Ui, path: &TrialPath, opened: &Opened<'_>) -> Option<Asked> {
        let trial = &opened.row.trial;
        let title = format!("Outcome of {}", text::counted(trial.images, "image"));
        let counts = [trial.masked, trial.benign, trial.sdc1, trial.due];
        ui.horizontal_wrapped(|ui| {
            ui.label(RichText::new(title).font(theme::medium(theme::BODY)));
            counts_ui(ui, std::array::from_fn(|at| (ImageOutcome::ALL[at], counts[at])));
        });
        if trial.images_hit > 0 {
            ui.label("Each image has its own faults; the outcome covers all images of the trial.");
        }
        if !self.is_replayed(path, opened) {
            let why = "Press Replay to see the outcome of each image, and the changed ones in Data; it takes a pass over \
                       the test images.";
            ui.label(RichText::new(why).size(theme::SMALL).color(theme::present(ui).text3));
            return None;
        }
        match found(&mut self.replayed, ui.ctx(), path) {
            LoadState::Pending | LoadState::Failed(_) => None,
            LoadState::Ready(replayed) => {
                grid_ui(ui, replayed);
                ui.add_space(theme::STEP);
                if self.pictures.0.as_ref() != Some(path) {
                    self.pictures = (Some(path.clone()), Pictures::default());
                }
                let is_asked = self.pictures.1.ui(ui, replayed);
                is_asked.then(|| Asked::Pictures(changed_images(replayed, opened.row)))
            }
        }
    }
}

/// The pictures that a trial changed.
fn changed_images(replayed: &Replayed, row: &TrialRow) -> ChangedImages {
    let images = replayed.images.iter().enumerate();
    let is_changed = |(_, image): &(usize, &ReplayedImage)| image.is_changed();
    let classes = |(at, image): (usize, &ReplayedImage)| (at, [image.golden, image.faulty]);
    let images: Vec<_> = images.filter(is_changed).map(classes).collect();
    let count = text::counted(images.len(), "test sample");
    let title = format!("{count} changed by trial {}", row.name());
    ChangedImages::new(title, images, replayed.spec.clone())
}

/// The answer of the replay of a trial.
fn found<'a>(
    replayed: &'a mut Loading<TrialPath, Arc<Replayed>>,
    ctx: &Context,
    path: &TrialPath,
) -> LoadState<'a, Arc<Replayed>> {
    let own = path.clone();
    replayed.get(path, ctx, move || replay_of(&own))
}

/// Whether the logits are those of the run.
fn replayed_ui(ui: &mut Ui, replayed: &Replayed) {
    let hash: String = replayed.found.chars().take(16).collect();
    let (tone, words) = if replayed.is_equal() {
        (
            widgets::Tone::Good,
            format!("Replay bit-identical: the logits are those of the run, SHA-256 {hash}"),
        )
    } else {
        (widgets::Tone::Bad, "Replay different: the logits are not those of the run".to_owned())
    };
    let both = format!("In the run: {}\nNow: {}", replayed.expected, replayed.found);
    widgets::message_ui(ui, tone, &words).on_hover_text(both);
}

/// Replays one trial, with its images.
fn replay_of((folder, (run, key)): &TrialPath) -> Result<Arc<Replayed>, String> {
    let TrialKey { campaign, round, trial } = key.clone();
    let ask =
        Replay { trial: Some(trial), campaign: Some(campaign), round, has_images: true, ..Replay::default() };
    let directory = folder.join(run);
    let directory = directory.canonicalize().unwrap_or(directory);
    let found = replay(&directory, &ask)?.into_iter().find(|replayed| replayed.round == round);
    found.map(Arc::new).ok_or_else(|| "the run has no such trial".to_owned())
}

/// Weight, value, bits and accuracy, before and after.
fn facts_ui(ui: &mut Ui, opened: &Opened<'_>) {
    let (row, colours) = (opened.row, theme::present(ui));
    let fault = row.trial.fault.as_ref().map(|fault| &fault.fault);
    let plain = |text: String| (text, colours.text);
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 2.0 * theme::STEP;
        if let Some(fault) = fault {
            let index = row.place.split_once(' ').map_or("", |(_, index)| index);
            fact_ui(ui, "Weight", &[plain(format!("{} {index}", fault.parameter))]);
            if let [Some(before), Some(after)] = row.values() {
                let after = (value_text(after), colours.bad);
                fact_ui(ui, "Value", &[plain(value_text(before)), plain("→".to_owned()), after]);
            }
            if fault.before.is_some() && fault.after.is_some() {
                let bits = format!("{} → {}", Stored(fault.before), Stored(fault.after));
                fact_ui(ui, "Bits", &[plain(bits)]);
            }
        } else {
            let words = format!("{} faults, too many to list", text::grouped(row.trial.faults));
            fact_ui(ui, "Weights", &[plain(words)]);
        }
        let golden = opened.campaign.map_or_else(String::new, |campaign| {
            format!("{} → ", text::percent(campaign.began.golden_accuracy))
        });
        let accuracy = format!("{golden}{}", text::percent(row.trial.accuracy));
        fact_ui(ui, "Accuracy", &[plain(accuracy)]);
    });
    if let Some((before, after)) = fault.and_then(|fault| fault.before.zip(fault.after)) {
        ui.add_space(theme::STEP);
        bit_rows_ui(ui, row.format, [before, after]);
    }
}

/// A name above parts of text, as wide as they are, so that facts wrap.
fn fact_ui(ui: &mut Ui, name: &str, parts: &[(String, Color32)]) {
    const GAP: f32 = theme::STEP / 2.0;
    let (body, small) = (FontId::proportional(theme::BODY), FontId::proportional(theme::SMALL));
    let parts_width: f32 = parts.iter().map(|(text, _)| width_of(ui, text, &body) + GAP).sum();
    let width = parts_width.max(width_of(ui, name, &small)).ceil();
    let size = vec2(width, 2.0 * ui.spacing().interact_size.y);
    ui.allocate_ui_with_layout(size, Layout::top_down(Align::Min), |ui| {
        ui.spacing_mut().item_spacing = vec2(GAP, 0.0);
        ui.set_min_width(width);
        let ink = theme::present(ui).text2;
        ui.add(Label::new(RichText::new(name).size(theme::SMALL).color(ink)).selectable(false));
        ui.horizontal(|ui| {
            for (text, ink) in parts {
                ui.label(RichText::new(text).color(*ink));
            }
        });
    });
}

fn listed_faults_ui(ui: &mut Ui, found: &TrialFaults, row: &TrialRow) {
    let TrialFaults { faults, count, is_unlisted } = found;
    if *is_unlisted {
        ui.label(format!("{} faults are too many to list.", text::grouped(*count)));
        return;
    }
    ui.label(RichText::new(text::counted(*count, "fault")).font(theme::medium(theme::BODY)));
    let columns = ["Weight", "Bit", "Before", "After", "Image"];
    table_ui(ui, "faults of a trial", [2.0, 0.25], &columns, |ui| {
        for TrialFault { image, fault } in faults {
            ui.label(place(fault, None));
            number_ui(ui, fault.bit.map_or_else(|| "–".to_owned(), |bit| format!("b{bit}")));
            for bits in [fault.before, fault.after] {
                let value = bits.map(|bits| value_text(row.format.value(bits)));
                number_ui(ui, value.unwrap_or_else(|| "–".to_owned()))
                    .on_hover_text(format!("Bits {}", Stored(bits)));
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

/// The command that replays a trial.
fn command(directory: &Path, key: &TrialKey) -> String {
    let TrialKey { campaign, round, trial } = key;
    let round = round.map_or_else(String::new, |round| format!(" --round {round}"));
    let stage = stage_number(campaign);
    format!("weightlab replay \"{}\" --stage {stage}{round} --trial {trial}", directory.display())
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

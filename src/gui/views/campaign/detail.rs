//! The opened trial: its fault as numbers and bits, the outcome of each image, and its replay.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use eframe::egui::accesskit::Role;
use eframe::egui::{
    Align, Align2, Color32, FontId, Image, Label, Layout, Mesh, Pos2, Rect, RichText, ScrollArea, Sense,
    Shape, Spinner, Stroke, StrokeKind, TextureHandle, TextureOptions, Ui, Vec2, WidgetInfo, pos2, vec2,
};

use super::conditions::verdict_ui;
use super::trials::{TrialId, TrialRow, id_of, place};
use crate::background::{Latest, LoadState};
use crate::faults::{fields_of, left_of};
use crate::icons::Icon;
use crate::table::{Column, texts_ui, width_of};
use crate::theme::{colour, theme_of};
use crate::views::data::{ChangedImages, texture};
use crate::views::key_ui;
use crate::views::values::value_text;
use crate::{text, theme, widgets};
use doc::fault::{BitField, Format};
use doc::{ClassNames, stage_number};
use figure::palette;
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
    faults: Latest<TrialPath, TrialFaults>,
    replayed: Latest<TrialPath, Arc<Replayed>>,
    /// The trial whose replay was asked for.
    asked: Option<TrialPath>,
    pictures: (Option<TrialPath>, Pictures),
}

/// The trial in the detail.
pub struct Opened<'a> {
    pub row: &'a TrialRow,
    pub campaign: Option<&'a CampaignRecord>,
    /// Multiply-adds of a pass over the images of the campaign.
    pub work: u64,
    /// True if there is a trial before it, and after it, in the list.
    pub has_neighbours: [bool; 2],
}

/// The action of a button.
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
        let replayed = self.replayed(ui, &path, opened);
        ScrollArea::vertical().id_salt("trial detail").auto_shrink([false, false]).show(ui, |ui| {
            facts_ui(ui, opened);
            self.faults_ui(ui, &path, opened.row);
            ui.add_space(theme::STEP);
            asked = asked.take().or(self.images_ui(ui, &path, opened, replayed.as_deref()));
            if let Some(campaign) = opened.campaign {
                ui.add_space(theme::STEP);
                verdict_ui(ui, campaign);
            }
        });
        asked
    }

    /// Draws the name of the trial with its actions, which are at the right end where there is room.
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

    /// Returns true if a replay is wanted: it was asked for, or is quick.
    fn is_replayed(&self, path: &TrialPath, opened: &Opened<'_>) -> bool {
        opened.work <= QUICK || self.asked.as_ref() == Some(path)
    }

    /// Returns the replay of the trial where one is wanted and over, and draws its answer, right below its button.
    fn replayed(&mut self, ui: &mut Ui, path: &TrialPath, opened: &Opened<'_>) -> Option<Arc<Replayed>> {
        if !self.is_replayed(path, opened) {
            return None;
        }
        let own = path.clone();
        match self.replayed.get(path, ui.ctx(), move || replay_of(&own)) {
            LoadState::Pending => drop(ui.horizontal(|ui| {
                ui.add(Spinner::new().size(widgets::ICON));
                ui.label("Replaying…");
            })),
            LoadState::Failed(why) => {
                let why = format!("The trial cannot be replayed: {why}");
                widgets::message_ui(ui, widgets::Tone::Warning, &why);
            }
            LoadState::Ready(replayed) => {
                replayed_ui(ui, replayed);
                return Some(replayed.clone());
            }
        }
        None
    }

    /// Draws further faults, where the trial has more than one.
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

    /// Draws the outcome of each image: counts from the log, and the images themselves from a replay.
    fn images_ui(
        &mut self,
        ui: &mut Ui,
        path: &TrialPath,
        opened: &Opened<'_>,
        replayed: Option<&Replayed>,
    ) -> Option<Asked> {
        let trial = &opened.row.trial;
        let title = format!("Outcome of {}", text::counted(trial.images, "image"));
        let counts = [trial.masked, trial.benign, trial.sdc1, trial.due];
        ui.horizontal_wrapped(|ui| {
            ui.label(RichText::new(title).font(theme::medium(theme::BODY)));
            for (outcome, count) in ImageOutcome::ALL.into_iter().zip(counts) {
                let name = format!("{} {}", outcome.name(), text::grouped(count));
                key_ui(ui, outcome_colour(ui, outcome), &name).on_hover_text(outcome.definition());
            }
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
        let replayed = replayed?;
        grid_ui(ui, replayed);
        ui.add_space(theme::STEP);
        if self.pictures.0.as_ref() != Some(path) {
            self.pictures = (Some(path.clone()), Pictures::default());
        }
        let is_asked = self.pictures.1.ui(ui, replayed);
        is_asked.then(|| Asked::Pictures(changed_images(replayed, opened.row)))
    }
}

/// Returns the pictures that a trial changed.
fn changed_images(replayed: &Replayed, row: &TrialRow) -> ChangedImages {
    let images = replayed.images.iter().enumerate();
    let is_changed = |(_, image): &(usize, &ReplayedImage)| image.is_changed();
    let classes = |(at, image): (usize, &ReplayedImage)| (at, [image.golden, image.faulty]);
    let images: Vec<_> = images.filter(is_changed).map(classes).collect();
    let count = text::counted(images.len(), "test sample");
    let title = format!("{count} changed by trial {}", row.name());
    ChangedImages::new(title, images, replayed.spec.clone())
}

/// Says whether the logits are those of the run.
fn replayed_ui(ui: &mut Ui, replayed: &Replayed) {
    let hash: String = replayed.found.chars().take(16).collect();
    let (tone, words) = if replayed.is_equal() {
        let words = format!("Replay bit-identical: the logits are those of the run, SHA-256 {hash}");
        (widgets::Tone::Good, words)
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

/// Draws weight, value, bits and accuracy, before and after.
fn facts_ui(ui: &mut Ui, opened: &Opened<'_>) {
    let (row, colours) = (opened.row, theme::present(ui));
    let fault = row.fault();
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

/// Draws a name above parts of text, as wide as they are, so that facts wrap.
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
    let mut columns = vec![Column::text("Weight", "")];
    columns.extend(["Bit", "Before", "After", "Image"].map(|title| Column::number(title, "")));
    let cells = |TrialFault { image, fault }: &TrialFault| {
        let none = || "–".to_owned();
        let value = |bits: Option<u32>| bits.map_or_else(none, |bits| value_text(row.format.value(bits)));
        [
            place(fault, &row.shapes),
            fault.bit.map_or_else(none, |bit| format!("b{bit}")),
            value(fault.before),
            value(fault.after),
            image.map_or_else(|| "all".to_owned(), |image| image.to_string()),
        ]
    };
    let rows: Vec<[String; 5]> = faults.iter().map(cells).collect();
    texts_ui(ui, "faults of a trial", columns, &rows, |row, column| match column {
        2 => format!("Bits {}", Stored(faults[row].fault.before)),
        3 => format!("Bits {}", Stored(faults[row].fault.after)),
        _ => String::new(),
    });
    if *count > faults.len() as u64 {
        let shown = text::grouped(faults.len() as u64);
        ui.label(format!("The first {shown} of {}; all are in faults.csv.", text::grouped(*count)));
    }
}

/// Returns the command that replays a trial.
fn command(directory: &Path, key: &TrialKey) -> String {
    let TrialKey { campaign, round, trial } = key;
    let round = round.map_or_else(String::new, |round| format!(" --round {round}"));
    let stage = stage_number(campaign);
    format!("weightlab replay \"{}\" --stage {stage}{round} --trial {trial}", directory.display())
}

/// The side of a square with the gap after it, at most and at least, in points.
const SQUARE: [f32; 2] = [10.0, 2.0];
/// The grid gets this height before its squares shrink.
const HEIGHT: f32 = 168.0;
/// The side of a picture.
const PICTURE: f32 = 44.0;
/// Height of the classes below it.
const CLASSES: f32 = 18.0;

/// Returns the colour of an outcome, which no arm has.
pub fn outcome_colour(ui: &Ui, outcome: ImageOutcome) -> Color32 {
    colour(palette::colour(palette::of_outcome(outcome), theme_of(ui)))
}

/// Draws a square for each image in the colour of its outcome; on hovering, its predictions.
pub fn grid_ui(ui: &mut Ui, Replayed { images, classes, .. }: &Replayed) {
    let width = ui.available_width();
    let side = (width * HEIGHT / images.len().max(1) as f32).sqrt().floor().clamp(SQUARE[1], SQUARE[0]);
    let columns = (width / side).floor().max(1.0) as usize;
    let rows = images.len().div_ceil(columns);
    let (rect, response) = ui.allocate_exact_size(vec2(width, rows as f32 * side), Sense::hover());
    let gap = if side >= 6.0 { 1.5 } else { 0.0 };
    let place = |image: usize| -> Pos2 {
        rect.min + vec2((image % columns) as f32 * side, (image / columns) as f32 * side)
    };
    let mut mesh = Mesh::default();
    for (at, image) in images.iter().enumerate() {
        let square = Rect::from_min_size(place(at), Vec2::splat(side - gap));
        if ui.is_rect_visible(square) {
            mesh.add_colored_rect(square, outcome_colour(ui, image.outcome));
        }
    }
    ui.painter().add(Shape::mesh(mesh));
    let count = |outcome| images.iter().filter(|image| image.outcome == outcome).count();
    let counts = ImageOutcome::ALL.map(|outcome| format!("{} {}", count(outcome), outcome.name())).join(", ");
    response
        .widget_info(|| WidgetInfo::labeled(Role::Image, true, format!("Outcome of each image: {counts}")));
    let Some(pointer) = response.hover_pos() else { return };
    let [column, row] = [pointer.x - rect.left(), pointer.y - rect.top()].map(|way| (way / side) as usize);
    let at = row * columns + column.min(columns - 1);
    if let Some(image) = images.get(at) {
        let square = Rect::from_min_size(place(at), Vec2::splat(side - gap)).expand(1.0);
        ui.painter().rect_stroke(square, 1.0, Stroke::new(1.5, theme::present(ui).text), StrokeKind::Outside);
        response.on_hover_text_at_pointer(words(at, image, classes));
    }
}

/// Returns "Image 13: 7 → 3 (label 7), SDC-1".
fn words(at: usize, image: &ReplayedImage, classes: &ClassNames) -> String {
    let label = classes.name_of(Some(image.label));
    format!("Image {at}: {} (label {label}), {}", change(image, classes), image.outcome.name())
}

/// Returns "7 → 3": the class without faults, and with them.
fn change(image: &ReplayedImage, classes: &ClassNames) -> String {
    let [golden, faulty] = [image.golden, image.faulty].map(|class| classes.name_of(class));
    format!("{golden} → {faulty}")
}

/// The pictures of a trial on the graphics card.
#[derive(Default)]
pub struct Pictures {
    textures: Vec<TextureHandle>,
    shows_all: bool,
}

impl Pictures {
    /// Draws a row of the images with another class or none, or all once they are asked for; or only their classes where the data
    /// are no images. Returns true if they are asked for in the view of data.
    pub fn ui(&mut self, ui: &mut Ui, replayed: &Replayed) -> bool {
        let changed: Vec<(usize, &ReplayedImage)> =
            replayed.images.iter().enumerate().filter(|(_, image)| image.is_changed()).collect();
        if changed.is_empty() {
            return false;
        }
        let colours = theme::present(ui);
        let few = ((ui.available_width() + theme::STEP) / (PICTURE + theme::STEP)).max(1.0) as usize;
        let mut is_asked = false;
        ui.horizontal(|ui| {
            ui.label(RichText::new("Changed predictions").font(theme::medium(theme::BODY)));
            ui.label(RichText::new("fault-free → with fault").size(theme::SMALL).color(colours.text3));
            if changed.len() > few {
                let all = format!("all {}", text::grouped(changed.len() as u64));
                let name = if self.shows_all { "fewer" } else { &all };
                if ui.link(RichText::new(name).size(theme::SMALL)).clicked() {
                    self.shows_all ^= true;
                }
            }
            let help = "Shows these samples in the view Data, with their classes and a filter";
            let link = ui.link(RichText::new("Show in Data").size(theme::SMALL));
            is_asked = link.on_hover_text(help).clicked();
        });
        if self.textures.len() != replayed.pictures.len() {
            let texture = |picture| texture(ui, "image", picture, TextureOptions::NEAREST);
            self.textures = replayed.pictures.iter().map(texture).collect();
        }
        let height = if self.textures.is_empty() { CLASSES } else { PICTURE + CLASSES };
        let most = if self.shows_all { usize::MAX } else { few };
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = theme::STEP;
            for (position, (at, image)) in changed.into_iter().enumerate().take(most) {
                let layout = Layout::top_down(Align::Center);
                let shown = ui.allocate_ui_with_layout(vec2(PICTURE, height), layout, |ui| {
                    ui.spacing_mut().item_spacing.y = 2.0;
                    ui.set_min_size(vec2(PICTURE, height));
                    if let Some(texture) = self.textures.get(position) {
                        ui.add(Image::new(texture).fit_to_exact_size(Vec2::splat(PICTURE)));
                    }
                    let words = RichText::new(change(image, &replayed.classes)).size(theme::SMALL);
                    ui.add(Label::new(words).truncate().selectable(false));
                });
                shown.response.on_hover_text(words(at, image, &replayed.classes));
            }
        });
        is_asked
    }
}

/// Height of a bit, and the space between rows.
const CELL: f32 = 20.0;
const GAP: f32 = 4.0;
/// Width of the words before the rows.
const WORDS: f32 = 48.0;
/// Size of the numbers below the rows, at most and at least.
const NUMBERS: [f32; 2] = [11.0, 7.0];

/// Draws both rows, the names of the fields above them, and the numbers of all bits below.
pub fn bit_rows_ui(ui: &mut Ui, format: Format, [before, after]: [u32; 2]) {
    let count = format.bits();
    let width = ui.available_width();
    let cell = ((width - WORDS - left_of(format, 0, 0.0)) / count as f32).clamp(7.0, 18.0);
    let height = CELL + 2.0 * (CELL + GAP) + CELL;
    let (rect, response) = ui.allocate_exact_size(vec2(width, height), Sense::hover());
    let flipped: Vec<u32> = (0..count).rev().filter(|bit| (before ^ after) >> bit & 1 == 1).collect();
    let names: Vec<String> = flipped.iter().map(|bit| format.bit_name(*bit)).collect();
    let words = format!("Bits before and after the fault; changed: {}", names.join("; "));
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &words));
    response.on_hover_text(words.clone());
    let colours = theme::present(ui);
    let top = rect.top() + CELL;
    let small = FontId::proportional(theme::SMALL);
    for (row, word) in ["before", "after"].into_iter().enumerate() {
        let y = top + (row as f32 + 0.5) * (CELL + GAP);
        ui.painter().text(pos2(rect.left(), y), Align2::LEFT_CENTER, word, small.clone(), colours.text2);
    }
    let left = |bit: u32| rect.left() + WORDS + left_of(format, bit, cell);
    for (field, [high, low]) in fields_of(format) {
        field_ui(ui, field, [left(high), left(low) + cell], rect.top());
    }
    for bit in 0..count {
        let left = left(bit);
        let is_flipped = flipped.contains(&bit);
        for (row, bits) in [before, after].into_iter().enumerate() {
            let y = top + row as f32 * (CELL + GAP);
            let cell = Rect::from_min_size(pos2(left, y), vec2(cell - 1.5, CELL));
            digit_ui(ui, cell, bits >> bit & 1 == 1, is_flipped.then_some(row == 1));
        }
        let y = top + 2.0 * (CELL + GAP);
        let size = (0.62 * cell).clamp(NUMBERS[1], NUMBERS[0]);
        let ink = if is_flipped { colours.bad } else { colours.text3 };
        let at = pos2(left + (cell - 1.5) / 2.0, y);
        ui.painter().text(at, Align2::CENTER_TOP, bit, FontId::proportional(size), ink);
    }
}

/// Draws the name of a field above a line over its bits.
fn field_ui(ui: &Ui, field: BitField, [from, to]: [f32; 2], top: f32) {
    let colours = theme::present(ui);
    let y = top + CELL - 4.0;
    ui.painter().line_segment([pos2(from, y), pos2(to - 1.5, y)], Stroke::new(2.0, colours.axis));
    let name = field.label().to_lowercase();
    let at = pos2(f32::midpoint(from, to), y - 2.0);
    ui.painter().text(at, Align2::CENTER_BOTTOM, name, FontId::proportional(theme::SMALL), colours.text2);
}

/// Draws one bit: outlined, filled if it is 1; a flipped one has the colour of errors, full once it is flipped.
fn digit_ui(ui: &Ui, cell: Rect, is_one: bool, flipped: Option<bool>) {
    let colours = theme::present(ui);
    let (fill, rim, ink) = match flipped {
        Some(true) => (colours.bad, colours.bad, colours.canvas),
        Some(false) => (Color32::TRANSPARENT, colours.bad, colours.text),
        None if is_one => (colours.raised, colours.line, colours.text),
        None => (Color32::TRANSPARENT, colours.line, colours.text3),
    };
    ui.painter().rect(cell, 2.0, fill, Stroke::new(1.0, rim), StrokeKind::Inside);
    let size = (cell.width() * 0.8).clamp(6.0, theme::SMALL);
    let digit = if is_one { "1" } else { "0" };
    ui.painter().text(cell.center(), Align2::CENTER_CENTER, digit, FontId::proportional(size), ink);
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

    #[test]
    fn an_image_says_its_two_classes_and_its_outcome() {
        let image = ReplayedImage { outcome: ImageOutcome::Sdc1, label: 7, golden: Some(7), faulty: Some(3) };
        let none = ClassNames::default();
        assert_eq!(words(13, &image, &none), "Image 13: 7 → 3 (label 7), SDC-1");
        let names = ClassNames::known(&["a", "b", "c", "cat", "e", "f", "g", "hen"]);
        assert_eq!(words(13, &image, &names), "Image 13: hen → cat (label hen), SDC-1");
        let lost = ReplayedImage { outcome: ImageOutcome::Due, faulty: None, ..image };
        assert_eq!(words(0, &lost, &none), "Image 0: 7 → none (label 7), DUE");
    }
}

//! The samples in rows: a picture, its class, and what is predicted.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::Range;
use std::sync::Arc;

use eframe::egui::{
    Align, Color32, ColorImage, Image, Label, Layout, Response, RichText, ScrollArea, TextureHandle,
    TextureOptions, Ui, Vec2, vec2,
};

use super::ChangedImages;
use crate::background::Latest;
use crate::{text, theme};
use data::Samples;
use results::number::{fixed, short};
use run::Picture;
use run::summary::{Prediction, SeenSamples};

/// The side of a picture, the width of a place, and the height of the lines below a picture, in points.
const PICTURE: f32 = 72.0;
const PLACE: f32 = 96.0;
const LINES: f32 = 36.0;
/// The values of a sample without pixels that are shown.
const VALUES: usize = 4;

/// The pictures that were drawn last, on the graphics card.
#[derive(Default)]
pub struct Pictures {
    textures: BTreeMap<usize, Result<TextureHandle, String>>,
    decoding: Latest<(), Decoded>,
}

/// Pictures by their place, or why they cannot be read.
type Decoded = Vec<(usize, Result<Picture, String>)>;

impl Pictures {
    /// Draws the listed samples in rows; only those that are visible are made.
    pub fn ui(
        &mut self,
        ui: &mut Ui,
        seen: &Arc<SeenSamples>,
        predictions: Option<&[Prediction]>,
        changed: Option<&ChangedImages>,
        listed: &[usize],
    ) {
        self.take_decoded(ui, seen);
        let mut missing = Vec::new();
        if listed.len() < seen.samples.len() {
            let all = text::counted(seen.samples.len(), "sample");
            let words = format!("{} of {all}", text::grouped(listed.len() as u64));
            ui.label(RichText::new(words).size(theme::SMALL).color(theme::present(ui).text3));
        }
        let columns = ((ui.available_width() / PLACE) as usize).max(1);
        let height = PICTURE + LINES;
        let rows = listed.len().div_ceil(columns);
        let area = ScrollArea::vertical().id_salt("pictures").auto_shrink(false);
        let mut visible: Option<Range<usize>> = None;
        area.show_rows(ui, height, rows, |ui, shown| {
            let range = shown.start * columns..(shown.end * columns).min(listed.len());
            for row in listed[range.clone()].chunks(columns) {
                ui.horizontal(|ui| {
                    ui.spacing_mut().item_spacing.x = 0.0;
                    for &at in row {
                        let layout = Layout::top_down(Align::Center);
                        let place = ui.allocate_ui_with_layout(vec2(PLACE, height), layout, |ui| {
                            ui.set_min_size(vec2(PLACE, height));
                            ui.spacing_mut().item_spacing.y = 1.0;
                            missing.extend(self.sample_ui(ui, seen, at));
                            words_ui(ui, seen, at, predictions, changed);
                        });
                        place.response.on_hover_text(reading(seen, at, predictions, changed));
                    }
                });
            }
            visible = Some(range);
        });
        let places: Vec<usize> = visible.map(|range| listed[range].to_vec()).unwrap_or_default();
        self.textures.retain(|at, _| places.contains(at));
        if !missing.is_empty() {
            let seen = seen.clone();
            let decode = move || Ok(missing.into_iter().map(|at| (at, picture(&seen.samples, at))).collect());
            self.decoding.ask((), ui.ctx(), decode);
        }
    }

    /// Takes what the thread has decoded.
    fn take_decoded(&mut self, ui: &Ui, seen: &SeenSamples) {
        let Some(((), decoded)) = self.decoding.take() else { return };
        let options = options(&seen.samples);
        for (at, picture) in decoded {
            self.textures.insert(at, picture.map(|picture| texture(ui, "sample", &picture, options)));
        }
    }

    /// Draws a sample. Returns its place where a thread has to decode it first.
    fn sample_ui(&mut self, ui: &mut Ui, seen: &SeenSamples, at: usize) -> Option<usize> {
        let samples = &seen.samples;
        if !samples.shape.is_image() {
            let values = samples.sample(at).map(|values| {
                let values = values.iter().take(VALUES).map(|value| short(f64::from(*value)));
                values.collect::<Vec<_>>().join("\n")
            });
            small_ui(ui, &values.unwrap_or_else(|error| error.to_string()));
            return None;
        }
        let made = match self.textures.entry(at) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(_) if samples.is_streamed() => {
                ui.allocate_space(Vec2::splat(PICTURE));
                return Some(at);
            }
            Entry::Vacant(place) => {
                let made = picture(samples, at);
                place.insert(made.map(|picture| texture(ui, "sample", &picture, options(samples))))
            }
        };
        match &*made {
            Ok(texture) => {
                let [width, height] = texture.size().map(|side| side as f32);
                let scale = PICTURE / width.max(height).max(1.0);
                ui.add(Image::new(texture).fit_to_exact_size(vec2(width, height) * scale));
            }
            Err(error) => drop(small_ui(ui, "unreadable").on_hover_text(error)),
        }
        None
    }
}

/// Draws words in the place of a picture.
fn small_ui(ui: &mut Ui, words: &str) -> Response {
    ui.allocate_ui(Vec2::splat(PICTURE), |ui| ui.label(RichText::new(words).size(theme::SMALL))).inner
}

fn picture(samples: &Samples, at: usize) -> Result<Picture, String> {
    Picture::new(samples, at).map_err(|error| error.to_string())
}

/// Returns the sampling of a picture: few pixels keep their edges, many are averaged.
fn options(samples: &Samples) -> TextureOptions {
    if samples.shape.width as f32 > PICTURE { TextureOptions::LINEAR } else { TextureOptions::NEAREST }
}

/// Returns a picture on the graphics card, with its name there.
pub fn texture(ui: &Ui, name: &str, picture: &Picture, options: TextureOptions) -> TextureHandle {
    let pixels =
        picture.pixels.iter().map(|[red, green, blue]| Color32::from_rgb(*red, *green, *blue)).collect();
    let image = ColorImage::new(picture.size, pixels);
    ui.ctx().load_texture(format!("{name} {}", picture.image), image, options)
}

/// Draws the class, and below it what is predicted: in the colour of errors where that is wrong.
fn words_ui(
    ui: &mut Ui,
    seen: &SeenSamples,
    at: usize,
    predictions: Option<&[Prediction]>,
    changed: Option<&ChangedImages>,
) {
    let colours = theme::present(ui);
    let mut line = |words: &str, colour: Color32| {
        let shown = RichText::new(text::shortened(words, 16)).size(theme::SMALL).color(colour);
        ui.add(Label::new(shown).selectable(false));
    };
    let (label, name) = (seen.samples.labels[at], |class| seen.classes.name_of(class));
    line(&name(Some(label)), colours.text);
    if let Some([golden, faulty]) = changed.and_then(|changed| changed.classes(at)) {
        return line(&format!("{} → {}", name(golden), name(faulty)), colours.bad);
    }
    let Some(prediction) = predictions.map(|predictions| predictions[at]) else { return };
    let words = format!("→ {}, {}", name(prediction.class), percent(prediction.confidence));
    line(&words, if prediction.class == Some(label) { colours.text3 } else { colours.bad });
}

fn percent(share: f64) -> String {
    if share.is_nan() { "no probability".to_owned() } else { format!("{} %", fixed(100.0 * share, 0)) }
}

/// Returns all of a sample in words.
fn reading(
    seen: &SeenSamples,
    at: usize,
    predictions: Option<&[Prediction]>,
    changed: Option<&ChangedImages>,
) -> String {
    let name = |class| seen.classes.name_of(class);
    let mut words = format!("Sample {at}, class {}", name(Some(seen.samples.labels[at])));
    if let Some(Prediction { class, confidence }) = predictions.map(|predictions| predictions[at]) {
        words = format!("{words}\nPredicted: {} {}", name(class), percent(confidence));
    }
    if let Some([golden, faulty]) = changed.and_then(|changed| changed.classes(at)) {
        words = format!("{words}\nWithout the fault: {}\nWith it: {}", name(golden), name(faulty));
    }
    words
}

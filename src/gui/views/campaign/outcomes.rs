//! What became of the images of a trial: counts, a square for each image, and the images with another class.

use eframe::egui::{
    Align, Color32, Image, Label, Layout, Mesh, Pos2, Rect, RichText, Sense, Shape, Stroke, StrokeKind,
    TextureHandle, TextureOptions, Ui, Vec2, WidgetInfo, accesskit::Role, vec2,
};

use crate::plot::{colour, theme_of};
use crate::views::columns::key_ui;
use crate::views::data::texture;
use crate::{text, theme};
use doc::ClassNames;
use figure::palette;
use results::campaign::ImageOutcome;
use run::{Replayed, ReplayedImage};

/// The side of a square with the gap after it, at most and at least, in points.
const SQUARE: [f32; 2] = [10.0, 2.0];
/// The grid gets this height before its squares shrink.
const HEIGHT: f32 = 168.0;
/// The side of a picture.
const PICTURE: f32 = 44.0;
/// Height of the classes below it.
const WORDS: f32 = 18.0;

/// The colour of an outcome, which no arm has.
pub fn outcome_colour(ui: &Ui, outcome: ImageOutcome) -> Color32 {
    colour(palette::colour(palette::of_outcome(outcome), theme_of(ui)))
}

/// Draws the number of images of each outcome, with its colour and, on hovering, its definition.
pub fn counts_ui(ui: &mut Ui, counts: [(ImageOutcome, u64); 4]) {
    for (outcome, count) in counts {
        let name = format!("{} {}", outcome.name(), text::grouped(count));
        key_ui(ui, outcome_colour(ui, outcome), &name).on_hover_text(outcome.definition());
    }
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
    let colours = ImageOutcome::ALL.map(|outcome| (outcome, outcome_colour(ui, outcome)));
    let colour_of = |outcome: ImageOutcome| {
        colours.iter().find(|(own, _)| *own == outcome).map_or(Color32::GRAY, |own| own.1)
    };
    let mut mesh = Mesh::default();
    for (at, image) in images.iter().enumerate() {
        let square = Rect::from_min_size(place(at), Vec2::splat(side - gap));
        if ui.is_rect_visible(square) {
            mesh.add_colored_rect(square, colour_of(image.outcome));
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

/// "Image 13: 7 → 3 (label 7), SDC-1".
fn words(at: usize, image: &ReplayedImage, classes: &ClassNames) -> String {
    let label = classes.name_of(Some(image.label));
    format!("Image {at}: {} (label {label}), {}", change(image, classes), image.outcome.name())
}

/// "7 → 3": the class without faults, and with them.
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
    /// are no images. Whether they are asked for in the view of data.
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
                let name = if self.shows_all {
                    "fewer".to_owned()
                } else {
                    format!("all {}", text::grouped(changed.len() as u64))
                };
                if ui.link(RichText::new(name).size(theme::SMALL)).clicked() {
                    self.shows_all ^= true;
                }
            }
            let help = "Shows these samples in the view Data, with their classes and a filter";
            let link = ui.link(RichText::new("Show in Data").size(theme::SMALL));
            is_asked = link.on_hover_text(help).clicked();
        });
        if self.textures.len() != replayed.pictures.len() {
            self.textures = replayed
                .pictures
                .iter()
                .map(|picture| texture(ui, "image", picture, TextureOptions::NEAREST))
                .collect();
        }
        let height = if self.textures.is_empty() { WORDS } else { PICTURE + WORDS };
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
                    ui.add(
                        Label::new(RichText::new(change(image, &replayed.classes)).size(theme::SMALL))
                            .truncate()
                            .selectable(false),
                    );
                });
                shown.response.on_hover_text(words(at, image, &replayed.classes));
            }
        });
        is_asked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

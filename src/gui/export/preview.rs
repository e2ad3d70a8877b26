//! The preview: the figure as the file will show it, with its scale and remarks.

use std::sync::Arc;

use eframe::egui::{
    Align, ColorImage, Image, Label, Layout, RichText, ScrollArea, TextureHandle, TextureOptions, Ui, Vec2,
    vec2,
};

use crate::background::{Latest, LoadState};
use crate::icons::Icon;
use crate::theme::{self, NAME, SMALL, STEP, present};
use crate::widgets::{self, Tone, message_ui};
use doc::capitalised;
use figure::csv::csv;
use figure::export::{FileKind, missing_characters, picture};
use figure::scene::page::{PageFacts, page_facts};
use figure::{Figure, LegendPlace, Options};
use form::number::counted;
use results::number::{fixed, without_zeros};

/// Points of the screen that stand for a point of paper at 100 %.
const SCREEN: f64 = 96.0 / 72.0;
/// The picture is never larger than this, in pixels.
const MOST_PIXELS: f64 = 4_000.0;
/// Height of the table of values below a picture, in points, and the most rows that it shows.
const VALUES: f32 = 168.0;
const MOST_ROWS: usize = 50;
/// Height of the remarks below the picture, in points.
const REMARKS: f32 = 72.0;
/// The smallest text that most journals accept, in points.
const LEAST_TEXT: f64 = 6.0;

/// The origin of a picture.
#[derive(Clone, Debug, PartialEq)]
struct Key {
    figure: usize,
    options: Options,
    pixels: [u32; 2],
}

struct Drawn {
    picture: TextureHandle,
    /// Facts of its page: the legend may differ from the place that was asked for.
    facts: PageFacts,
    /// Characters without a font.
    missing: Option<String>,
}

/// The picture of the last settings, and how large it is shown.
#[derive(Default)]
pub struct Preview {
    drawn: Latest<Key, Drawn>,
    /// The first rows of the table of values, and how many there are, by the address of the figure.
    values: Latest<usize, (String, usize)>,
    /// The scale; nothing to fit.
    scale: Option<f64>,
}

impl Preview {
    /// Draws the preview into all available space: the picture, the first rows of the table of values, or both.
    pub fn ui(
        &mut self,
        ui: &mut Ui,
        figure: &Arc<Figure>,
        options: &Options,
        [has_picture, has_values]: [bool; 2],
    ) {
        if has_picture {
            let below = if has_values { VALUES + 2.0 * STEP } else { 0.0 };
            self.picture_ui(ui, figure, options, below);
        }
        if has_values {
            self.values_ui(ui, figure);
        }
    }

    /// Draws the first rows of the table as its file has them.
    fn values_ui(&mut self, ui: &mut Ui, figure: &Arc<Figure>) {
        let own = figure.clone();
        let made = self.values.get(&Arc::as_ptr(figure).addr(), ui.ctx(), move || {
            let text = csv(&own);
            let first: Vec<&str> = text.lines().take(1 + MOST_ROWS).collect();
            Ok((first.join("\n"), text.lines().count().saturating_sub(1)))
        });
        let LoadState::Ready((first, count)) = made else { return drop(ui.spinner()) };
        let (first, rows) = (first.clone(), counted(*count, "row"));
        let beginning =
            if *count > MOST_ROWS { format!(", the first {MOST_ROWS} of them") } else { String::new() };
        ui.horizontal(|ui| {
            ui.label(RichText::new("Values").font(theme::medium(NAME)));
            ui.label(RichText::new(format!("{rows}{beginning}, with all digits")).color(present(ui).text2));
        });
        let area = ScrollArea::both().id_salt("values").auto_shrink([false, false]);
        area.show(ui, |ui| ui.add(Label::new(RichText::new(first).monospace().size(SMALL)).extend()));
    }

    /// Draws the picture with its scale, leaving so much height `below`.
    fn picture_ui(&mut self, ui: &mut Ui, figure: &Arc<Figure>, options: &Options, below: f32) {
        let size = options.size;
        let space = ui.available_size() - vec2(0.0, theme::CONTROL + 3.0 * STEP + REMARKS + below);
        let fit = (f64::from(space.x) / size.width_pt).min(f64::from(space.y) / size.height_pt) / SCREEN;
        let scale = self.scale.unwrap_or(fit).max(0.05);
        self.head_ui(ui, options, scale);
        let shown = vec2(size.width_pt as f32, size.height_pt as f32) * (scale * SCREEN) as f32;
        self.make(ui, figure, options, shown);
        let area = ScrollArea::both().id_salt("preview").max_height(space.y).auto_shrink([false, false]);
        area.show(ui, |ui| match self.drawn.newest() {
            None => drop(ui.spinner()),
            Some((_, Err(why))) => drop(message_ui(ui, Tone::Bad, why)),
            Some((_, Ok(Drawn { picture, .. }))) => {
                let free = (ui.available_size() - shown).max(Vec2::ZERO) / 2.0;
                ui.add_space(free.y);
                ui.horizontal(|ui| {
                    ui.add_space(free.x);
                    ui.add(Image::new(picture).fit_to_exact_size(shown).alt_text("Preview of the figure"));
                });
            }
        });
        ui.separator();
        if let Some((_, drawn)) = self.drawn.last() {
            drawn.remarks_ui(ui, figure, options);
        }
    }

    fn head_ui(&mut self, ui: &mut Ui, options: &Options, scale: f64) {
        let [width, height] =
            [options.size.width_pt, options.size.height_pt].map(|side| side * super::controls::MILLIMETRES);
        ui.horizontal(|ui| {
            ui.label(RichText::new("Preview").font(theme::medium(NAME)));
            // Up where the field rounds up, though 69.85 is a little less in binary.
            let [width, height] = [width, height].map(|side| (side * 10.0 + 1e-6).round() / 10.0);
            let text = format!("{width:.1} × {height:.1} mm, shown at {:.0} %", 100.0 * scale);
            ui.label(RichText::new(text).color(present(ui).text2));
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if ui.add(widgets::button(None, "Actual size").selected(self.scale == Some(1.0))).clicked() {
                    self.scale = Some(1.0);
                }
                if ui.add(widgets::button(None, "Fit").selected(self.scale.is_none())).clicked() {
                    self.scale = None;
                }
                if widgets::icon_button_ui(ui, true, Icon::MagnifierPlus, "Larger").clicked() {
                    self.scale = Some((scale * 1.25).min(8.0));
                }
                if widgets::icon_button_ui(ui, true, Icon::MagnifierMinus, "Smaller").clicked() {
                    self.scale = Some((scale / 1.25).max(0.1));
                }
            });
        });
    }

    /// Has the picture made in a thread; the last one stays until then.
    fn make(&mut self, ui: &Ui, figure: &Arc<Figure>, options: &Options, shown: Vec2) {
        let pixels = shown * ui.pixels_per_point();
        let key = Key {
            figure: Arc::as_ptr(figure).addr(),
            options: *options,
            pixels: [pixels.x.round() as u32, pixels.y.round() as u32],
        };
        let most = MOST_PIXELS / options.size.width_pt.max(options.size.height_pt);
        let dots = (f64::from(pixels.x) / options.size.width_pt).min(most) * 72.0;
        let (figure, options, ctx) = (figure.clone(), Options { dpi: dots, ..*options }, ui.ctx().clone());
        self.drawn.get(&key, ui.ctx(), move || {
            let (size, pixels) = picture(&figure, &options).map_err(|error| error.to_string())?;
            let picture = ColorImage::from_rgba_premultiplied(size, &pixels);
            let picture = ctx.load_texture("figure", picture, TextureOptions::LINEAR);
            let missing = missing_characters(&figure, FileKind::Png, &options);
            Ok(Drawn { picture, facts: page_facts(&figure, &options), missing })
        });
    }
}

impl Drawn {
    /// Draws what the page lacks: readable text, values in cells, characters, room for the legend.
    fn remarks_ui(&self, ui: &mut Ui, figure: &Figure, options: &Options) {
        let Self { facts, missing, .. } = self;
        if let Some(text) = facts.least_text {
            let tone = if text < LEAST_TEXT - 0.05 { Tone::Warning } else { Tone::Good };
            message_ui(ui, tone, &format!("Smallest text {} pt", without_zeros(&fixed(text, 1))));
        }
        let mut cells = figure.parts().into_iter().filter_map(|part| part.cells.as_ref());
        if !facts.has_cell_texts && cells.any(|cells| !cells.texts.is_empty()) {
            let text = "No room for the values in the cells: choose a larger size, or smaller text";
            message_ui(ui, Tone::Warning, text);
        }
        if let Some(missing) = missing {
            message_ui(ui, Tone::Warning, &capitalised(missing));
        }
        if let Some(note) = legend_note(options.size.legend, facts.legend) {
            message_ui(ui, Tone::Info, &note);
        }
    }
}

/// Returns why the legend is not where it was asked for.
fn legend_note(wanted: LegendPlace, found: LegendPlace) -> Option<String> {
    let asked = match wanted {
        LegendPlace::Inside | LegendPlace::Corner(_) => "inside",
        LegendPlace::LineEnds => "at the line ends",
        LegendPlace::Right => "at the right",
        LegendPlace::Above | LegendPlace::Below | LegendPlace::Hidden => return None,
    };
    let places =
        [(LegendPlace::Above, "above"), (LegendPlace::Below, "below"), (LegendPlace::Right, "at the right")];
    let (_, place) = places.into_iter().find(|(place, _)| *place == found && found != wanted)?;
    Some(format!("No room {asked}: the legend is {place}"))
}

//! One parameter of a network: its histogram, its image, its values.

use std::sync::Arc;

use eframe::egui::accesskit::Role;
use eframe::egui::{
    Align, Color32, ColorImage, Layout, Rect, Response, RichText, ScrollArea, Sense, Stroke, StrokeKind,
    TextStyle, TextureFilter, TextureHandle, TextureOptions, Ui, Vec2, WidgetInfo, pos2, vec2,
};

use super::network_at_end::{NetworkAtEnd, Source, keeps_rounds};
use super::offer::{Offer, Offers};
use super::values::{Values, Widest, place_of, state_of};
use super::{Request, Shared, View, ViewEntry, ViewInput, key_ui, loaded_ui, parameter_ui};
use crate::background::Latest;
use crate::plot::{FigureView, figure_ui};
use crate::runs::Runs;
use crate::table::width_of;
use crate::text;
use crate::theme::{self, colour, present, theme_of};
use doc::Run;
use figure::Figure;
use figure::cells::{Cells, Mosaic, SIDE};
use figure::network::histogram;
use figure::network::image::{PRUNED_KIND, Shown, cells, colours, counts, full, image};
use figure::palette::Theme;
use results::network::{NetworkSummary, ParameterSummary, ParameterValues, shape_text};
use results::number::fixed;
use results::tiles::Group;
use run::summary::read_values_at;

/// Histogram, image and table are side by side from this width on, and where the tile is so many times as wide as it is
/// high.
const BESIDE: [f32; 2] = [760.0, 1.7];
const TABLE: f32 = 268.0;
/// The share of the width without the table that the image has at most, and its least width.
const PICTURE: f32 = 0.42;
const NARROWEST: f32 = 220.0;
/// The height of what is above and below the image.
const AROUND: f32 = 88.0;
/// The least height of the histogram above image and table; they scroll in a lower tile.
const LEAST: f32 = 520.0;
/// The share of the height that the histogram has above the others.
const HISTOGRAM: f32 = 0.5;

/// The state of the view between frames.
#[derive(Default)]
pub struct Weights {
    parameter: String,
    loaded: Latest<Subject, Arc<Loaded>>,
    histogram: Option<(Subject, Arc<Figure>)>,
    histogram_view: FigureView,
    /// The subject of everything below.
    entries_of: Option<Subject>,
    picture: Picture,
    shown: Shown,
    values: Values,
    /// The visible image, for exports.
    seen: Option<Arc<Loaded>>,
    /// The figure that was used last, which exports write.
    used: Used,
}

/// A run and a parameter.
type Subject = (Source, String);

/// The figures of the view.
#[derive(Clone, Copy, Default)]
enum Used {
    #[default]
    Histogram,
    Image,
}

/// A parameter as it was read.
struct Loaded {
    values: ParameterValues,
    mosaic: Mosaic,
    /// The value with the full colour.
    full: f64,
    /// Entries that are trained, frozen, pruned.
    counts: [u64; 3],
    widest: Widest,
}

impl Loaded {
    fn new(values: ParameterValues) -> Self {
        let mosaic = Mosaic::new(&cells(&values, Shown::Values), SIDE);
        let (full, counts, widest) = (full(&values), counts(&values), Widest::new(&values.values));
        Self { values, mosaic, full, counts, widest }
    }
}

/// The view in the registry.
pub const ENTRY: ViewEntry = ViewEntry {
    name: "weights",
    title: "Weights",
    group: Group::Weights,
    help: "Which weights of a parameter remain, which are frozen, and where? The \
           histogram shows the distribution of the surviving and the frozen weights, beside the initial \
           distribution if it is known. The image shows every entry at its place, outputs from top to \
           bottom, as a value or as a mask: empty rows and columns are units that pruning removed. Export \
           and copy take the one clicked last. Tick entries in the list to add a \
           stage that sets them to a value. This view needs a run that is done; where the networks after each \
           training are kept, the slider at the top goes through the rounds, also while the run goes on.",
    make: || Box::<Weights>::default(),
};

impl View for Weights {
    fn has_data(&self, listed: &[Run], runs: &Runs) -> bool {
        listed.iter().any(|run| runs.is_done(&run.id) || keeps_rounds(run, runs))
    }

    fn ui(&mut self, ui: &mut Ui, input: &ViewInput<'_>, shared: &mut Shared<'_>) -> Option<Request> {
        self.seen = None;
        let Some(read) = shared.store.of::<NetworkAtEnd>().ui(ui, ENTRY.help, input) else {
            self.histogram = None;
            return None;
        };
        self.parameters_ui(ui, read.summary, &read.source, &read.arm)
    }

    fn offers(&self) -> Offers {
        let Some(((_, parameter), histogram)) = &self.histogram else {
            return Offers::Later("Weights shows nothing yet");
        };
        let name = match self.used {
            Used::Histogram => "histogram",
            Used::Image => self.shown.name(),
        };
        let (name, title) = (format!("{parameter}-{name}"), format!("{name} of {parameter}"));
        Offers::Figure(match (self.used, self.seen.clone()) {
            (Used::Histogram, _) => Offer::visible(name, title, &self.histogram_view, histogram),
            (Used::Image, None) => return Offers::Later("There is no image of the weights"),
            (Used::Image, Some(loaded)) => {
                let (parameter, shown) = (parameter.clone(), self.shown);
                Offer::new(name, title, move || image(&parameter, &loaded.values, shown))
            }
        })
    }
}

impl Weights {
    /// Draws the chosen parameter; returns a stage for the plan of `arm`.
    fn parameters_ui(
        &mut self,
        ui: &mut Ui,
        summary: &NetworkSummary,
        source: &Source,
        arm: &str,
    ) -> Option<Request> {
        let parameter = self.choice_ui(ui, summary)?;
        let key = (source.clone(), parameter.name.clone());
        if self.histogram.as_ref().is_none_or(|(known, _)| *known != key) {
            // Of another moment of the same parameter, the zoom stays.
            if self.histogram.as_ref().is_some_and(|(known, _)| is_same(known, &key)) {
                self.histogram_view.forget_figure();
            } else {
                self.histogram_view = FigureView::default();
            }
            self.histogram = Some((key.clone(), Arc::new(histogram(parameter))));
        }
        let space = ui.available_size();
        if space.x > BESIDE[0] && space.x > BESIDE[1] * space.y {
            let image = picture_width(parameter, space);
            let histogram = vec2(space.x - TABLE - image - 2.0 * theme::STEP, space.y);
            ui.with_layout(Layout::left_to_right(Align::Min), |ui| self.both_ui(ui, histogram, &key, arm))
                .inner
        } else {
            let scroll = ScrollArea::vertical().id_salt("weights").auto_shrink(false);
            let has_bar = space.y < LEAST;
            let bar = if has_bar { ui.spacing().scroll.allocated_width() } else { 0.0 };
            let size = vec2(space.x - bar, space.y.max(LEAST));
            let histogram = size * vec2(1.0, HISTOGRAM);
            let mut draw =
                |ui: &mut Ui| ui.allocate_ui(size, |ui| self.both_ui(ui, histogram, &key, arm)).inner;
            if has_bar { scroll.show(ui, draw).inner } else { draw(ui) }
        }
    }

    /// Draws the histogram in its size, and the entries in the room that is left.
    fn both_ui(&mut self, ui: &mut Ui, histogram: Vec2, key: &Subject, arm: &str) -> Option<Request> {
        ui.spacing_mut().item_spacing = Vec2::splat(theme::STEP);
        if let Some((_, figure)) = &self.histogram {
            let draw = |ui: &mut Ui| ui.vertical(|ui| figure_ui(ui, figure, &mut self.histogram_view));
            let rect = ui.allocate_ui(histogram, draw).response.rect;
            if ui.rect_contains_pointer(rect) && ui.input(|input| input.pointer.any_pressed()) {
                self.used = Used::Histogram;
            }
        }
        ui.scope(|ui| self.entries_ui(ui, key, arm)).inner
    }

    /// Draws image and table of the parameter once they are read.
    fn entries_ui(&mut self, ui: &mut Ui, key: &Subject, arm: &str) -> Option<Request> {
        let (from, name) = key.clone();
        let read =
            move || Ok(Arc::new(Loaded::new(read_values_at(&from.folder, &from.id, &name, from.moment)?)));
        let words = (ENTRY.help, "It cannot be shown");
        // Until another round of the same run is read, the last one stays.
        let (known, loaded) = loaded_ui(ui, words, &mut self.loaded, key, read, |known| is_same(known, key))?;
        if self.entries_of.as_ref() != Some(known) {
            (self.picture, self.values) = Default::default();
            self.entries_of = Some(known.clone());
        }
        let loaded = loaded.clone();
        self.seen = Some(loaded.clone());
        let space = ui.available_size();
        let side = (space.x - TABLE - theme::STEP).max(0.5 * space.x - theme::STEP);
        let set = ui.horizontal_top(|ui| {
            let (picture, shown) = (&mut self.picture, &mut self.shown);
            let image = |ui: &mut Ui| picture_ui(ui, picture, shown, &loaded);
            let left = ui.allocate_ui(vec2(side, space.y), |ui| ui.vertical(image).inner);
            let is_pressed = ui.input(|input| input.pointer.any_pressed());
            if is_pressed && ui.rect_contains_pointer(left.response.rect) {
                self.used = Used::Image;
            }
            let values = &mut self.values;
            let table = |ui: &mut Ui| values.ui(ui, &key.1, (&loaded.values, loaded.widest), arm);
            let rest = vec2(ui.available_width(), space.y);
            ui.allocate_ui(rest, |ui| ui.vertical(table).inner).inner
        });
        set.inner.map(Request::AddStage)
    }

    /// Draws the choice of the parameter, and what it is.
    fn choice_ui<'a>(&mut self, ui: &mut Ui, summary: &'a NetworkSummary) -> Option<&'a ParameterSummary> {
        let known = summary.parameters.iter().find(|parameter| parameter.name == self.parameter);
        let parameter = known.or_else(|| summary.parameters.first())?;
        self.parameter.clone_from(&parameter.name);
        ui.horizontal_wrapped(|ui| {
            let names = summary.parameters.iter().map(|parameter| &parameter.name);
            parameter_ui(ui, &mut self.parameter, names);
            let entries = parameter.shape.iter().product::<usize>() as u64;
            let facts = format!(
                "{} · {} weights · from {} to {}",
                shape_text(&parameter.shape),
                text::grouped(entries),
                fixed(f64::from(parameter.minimum), 4),
                fixed(f64::from(parameter.maximum), 4)
            );
            ui.label(RichText::new(facts).small());
        });
        summary.parameters.iter().find(|parameter| parameter.name == self.parameter)
    }
}

/// Returns true if both are one parameter of one run, at whatever moments.
fn is_same((source, name): &Subject, (other, of_other): &Subject) -> bool {
    source.is_same_run(other) && name == of_other
}

/// Draws the image below the choice of its subject.
fn picture_ui(ui: &mut Ui, picture: &mut Picture, shown: &mut Shown, loaded: &Loaded) {
    ui.horizontal_wrapped(|ui| {
        ui.selectable_value(shown, Shown::Values, "Values").on_hover_text("The values as colours");
        ui.selectable_value(shown, Shown::Mask, "Mask")
            .on_hover_text("Which entries remain, are frozen or pruned");
    });
    let colours = colours(loaded.full, loaded.counts, *shown);
    let keys = keys(ui, &colours, loaded);
    let height = (ui.available_height() - keys_height(ui, &keys)).max(48.0);
    picture.ui(ui, (&loaded.values, &loaded.mosaic), (&colours, *shown), height);
    ui.horizontal_wrapped(|ui| {
        for (rgb, text) in keys {
            match rgb {
                Some(rgb) => key_ui(ui, colour(rgb), &text),
                None => ui.small(text),
            };
        }
    });
}

/// Returns the width of the image beside histogram and table: what it fills.
fn picture_width(parameter: &ParameterSummary, space: Vec2) -> f32 {
    let (rows, columns) = match parameter.shape.as_slice() {
        [rows, rest @ ..] if !rest.is_empty() => (*rows, rest.iter().product::<usize>()),
        [columns] => (1, *columns),
        _ => (1, 1),
    };
    let most = PICTURE * (space.x - TABLE);
    let size = size_of([rows, columns], vec2(most, space.y - AROUND), 1.0);
    size.x.clamp(NARROWEST.min(most), most)
}

/// Returns the meaning of the colours, and of the image.
fn keys(ui: &Ui, colours: &Cells, loaded: &Loaded) -> Vec<(Option<[u8; 3]>, String)> {
    let theme = theme_of(ui);
    let mut keys = Vec::new();
    if colours.has_scale() {
        keys.push((Some(colours.shade(1.0, theme)), format!("{} and more", fixed(loaded.full, 3))));
        keys.push((Some(colours.shade(0.0, theme)), format!("{} and less", fixed(-loaded.full, 3))));
    }
    for kind in colours.kinds.iter().filter(|kind| kind.is_in_legend()) {
        keys.extend(kind.ink.rgb(theme).map(|rgb| (Some(rgb), kind.name.clone())));
    }
    let mut notes = Vec::new();
    if loaded.values.shape.len() > 1 {
        notes.push("Rows are outputs.".to_owned());
    }
    if !loaded.mosaic.is_exact() {
        let [rows, columns] = loaded.mosaic.block;
        notes.push(format!("A pixel is the mean of {rows}×{columns} entries."));
    }
    keys.push((None, notes.join(" ")));
    keys
}

/// Returns the height of the keys in the lines that they need.
fn keys_height(ui: &Ui, keys: &[(Option<[u8; 3]>, String)]) -> f32 {
    let font = TextStyle::Small.resolve(ui.style());
    let gap = ui.spacing().item_spacing;
    let width: f32 = keys.iter().map(|(_, text)| width_of(ui, text, &font) + 2.0 * theme::STEP + gap.x).sum();
    let lines = (1.2 * width / ui.available_width().max(1.0)).ceil();
    gap.y + lines * (ui.spacing().interact_size.y + gap.y)
}

/// The smallest and the largest side of a cell that is one entry, in points.
const SIDES: [f32; 2] = [0.05, 64.0];
/// Stretching of a small entry in one direction: to this side, and to so many times the other one.
const STRETCHED: [f32; 2] = [3.0, 4.0];
/// The least height and width of the whole image.
const SMALLEST: f32 = 24.0;

/// Entries have sharp edges; where they are smaller than a pixel, it is a mean of them.
const TEXTURE: TextureOptions =
    TextureOptions { minification: TextureFilter::Linear, ..TextureOptions::NEAREST };

/// The texture of the last image.
#[derive(Default)]
pub struct Picture {
    texture: Option<(Shown, Theme, TextureHandle)>,
}

impl Picture {
    /// Draws the image in these colours into the available width, up to a height; the pointer reads the entry below it.
    pub fn ui(
        &mut self,
        ui: &mut Ui,
        (values, mosaic): (&ParameterValues, &Mosaic),
        (colours, shown): (&Cells, Shown),
        height: f32,
    ) {
        let theme = theme_of(ui);
        if self.texture.as_ref().is_none_or(|(kept, with, _)| *kept != shown || *with != theme) {
            let image = coloured(mosaic, colours, theme);
            let texture = ui.ctx().load_texture("parameter", image, TEXTURE);
            self.texture = Some((shown, theme, texture));
        }
        let size = size_of(mosaic.cells, vec2(ui.available_width(), height), ui.pixels_per_point());
        let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
        if let Some((_, _, texture)) = &self.texture {
            let whole = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
            ui.painter().image(texture.id(), rect, whole, Color32::WHITE);
        }
        let outline = Stroke::new(1.0, present(ui).line);
        ui.painter().rect_stroke(rect, 0.0, outline, StrokeKind::Outside);
        let name = format!("Image of the {}", shown.name());
        response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &name));
        reading_ui(&response, rect, values, mosaic);
    }
}

fn reading_ui(response: &Response, rect: Rect, values: &ParameterValues, mosaic: &Mosaic) {
    let Some(pointer) = response.hover_pos() else { return };
    let [rows, columns] = mosaic.size;
    let share = (pointer - rect.min) / rect.size();
    let (row, column) = (position(share.y, rows), position(share.x, columns));
    let Some(tile) = mosaic.tiles.get(row * columns + column) else { return };
    let entry = mosaic.first_cell(row, column);
    let place = place_of(entry, &values.shape);
    let text = if mosaic.is_exact() {
        let (value, state) = (values.values[entry], state_of(values.entries[entry]));
        format!("Entry {} at {place}: {value}, {state}", text::grouped(entry as u64))
    } else {
        let [rows, columns] = mosaic.block;
        let (mean, pruned) = (fixed(tile.mean, 4), text::percent(f64::from(tile.shares[PRUNED_KIND])));
        format!("{rows}×{columns} entries from {place}: mean {mean}, {pruned} pruned")
    };
    response.clone().on_hover_text_at_pointer(text);
}

fn position(share: f32, count: usize) -> usize {
    ((share.clamp(0.0, 1.0) * count as f32) as usize).min(count.saturating_sub(1))
}

/// Returns the largest size with square entries of whole pixels in some space. Where they would be small because there
/// are many more rows than columns, or the reverse, they are wider or higher.
pub fn size_of(cells: [usize; 2], space: Vec2, pixels: f32) -> Vec2 {
    let [rows, columns] = cells.map(|count| count.max(1) as f32);
    let room = vec2(space.x / columns, space.y / rows);
    let side = room.min_elem().clamp(SIDES[0], SIDES[1]);
    let most = STRETCHED[0].min(STRETCHED[1] * side).max(side);
    let whole = |side: f32| if side * pixels < 1.0 { side } else { (side * pixels).floor() / pixels };
    let [width, height] = [columns * whole(room.x.min(most)), rows * whole(room.y.min(most))];
    vec2(width.clamp(SMALLEST.min(space.x), space.x), height.clamp(SMALLEST, space.y.max(SMALLEST)))
}

/// Returns the same pixels as in an exported file.
fn coloured(mosaic: &Mosaic, colours: &Cells, theme: Theme) -> ColorImage {
    let pixel = |pixel: Option<[u8; 3]>| pixel.map_or(Color32::TRANSPARENT, colour);
    let pixels = mosaic.pixels(colours, colours.range(), theme).into_iter().map(pixel).collect();
    ColorImage::new([mosaic.size[1], mosaic.size[0]], pixels)
}

#[cfg(test)]
mod tests {
    use super::*;
    use figure::cells::SIDE;
    use figure::network::image::{cells, colours};
    use results::network::Entry;

    fn values(shape: &[usize]) -> ParameterValues {
        let count = shape.iter().product();
        ParameterValues {
            shape: shape.to_vec(),
            values: vec![-1.0; count],
            entries: vec![Entry::Free; count],
        }
    }

    fn mosaic(shape: &[usize]) -> Mosaic {
        Mosaic::new(&cells(&values(shape), Shown::Values), SIDE)
    }

    #[test]
    fn the_screen_has_the_colours_of_the_file() {
        let all = cells(&values(&[2, 3]), Shown::Values);
        let colours = colours(2.0, [6, 0, 0], Shown::Values);
        let image = coloured(&mosaic(&[2, 3]), &colours, Theme::Light);
        let [red, green, blue] = all.paint([0, 0], all.range(), Theme::Light).unwrap();
        assert_eq!(image.size, [3, 2]);
        assert!(image.pixels.iter().all(|pixel| *pixel == Color32::from_rgb(red, green, blue)));
    }

    #[test]
    fn entries_are_square_where_there_is_room() {
        let size = |shape: &[usize], pixels: f32| size_of(mosaic(shape).cells, vec2(200.0, 200.0), pixels);
        assert_eq!(size(&[10, 20], 1.0), vec2(200.0, 100.0));
        assert_eq!(size(&[10, 30], 1.0), vec2(180.0, 60.0), "six whole pixels an entry");
        assert_eq!(size(&[10, 30], 1.5), vec2(200.0, 200.0 / 3.0), "ten of them at 150 %");
        assert_eq!(size(&[400, 50], 1.0), vec2(100.0, 200.0), "twice as wide as high");
        assert_eq!(size(&[400], 1.0), vec2(200.0, SMALLEST));
    }
}

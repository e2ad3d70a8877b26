//! The settings of the export dialog: those that change something about the figure and the format.

use eframe::egui::{Checkbox, DragValue, RichText, TextEdit, Ui};

use super::{ExportDialog, ExportResponse};
use crate::form::note_edited;
use crate::theme::{self, NAME, STEP, present};
use crate::widgets::{self, FieldState};
use figure::legend::samples;
use figure::{Figure, IntervalStyle};
use form::number::number;
use results::page::{Corner, LegendPlace, Size};
use results::view::Preset;

/// Width of the labels before settings.
const LABEL: f32 = 104.0;
/// Millimetres of a point.
pub const MILLIMETRES: f64 = 25.4 / 72.0;

impl ExportDialog {
    /// Draws the settings that apply; returns what is asked of the window.
    pub(super) fn settings_ui(&mut self, ui: &mut Ui) -> Option<ExportResponse> {
        ui.spacing_mut().item_spacing.y = 0.625 * STEP;
        // Until the figure is there, all of them apply.
        let figure = self.figure().cloned();
        let applies = |holds: fn(&Figure) -> bool| figure.as_deref().is_none_or(holds);
        let any = |holds: fn(&Figure) -> bool| {
            figure.as_ref().is_none_or(|figure| figure.parts().into_iter().any(holds))
        };
        let is_drawn = self.settings.draws();
        if is_drawn {
            heading_ui(ui, "Size");
            size_ui(ui, &mut self.settings.figure.options.size);
            if applies(|figure| !samples(figure).is_empty()) {
                heading_ui(ui, "Legend");
                legend_ui(ui, &mut self.settings.figure.options.size.legend, any(Figure::has_curves));
            }
        }
        if any(|part| !part.lines.is_empty()) {
            self.lines_ui(ui);
        }
        if is_drawn {
            self.texts_ui(ui, applies(|figure| !figure.details.is_empty()));
        }
        heading_ui(ui, "File");
        self.file_ui(ui)
    }

    /// Draws the settings of lines; single seeds are in tables too.
    fn lines_ui(&mut self, ui: &mut Ui) {
        let is_drawn = self.settings.draws();
        if !is_drawn && self.settings.figure.seeds.is_none() {
            return;
        }
        heading_ui(ui, "Lines");
        let options = &mut self.settings.figure.options;
        if is_drawn {
            intervals_ui(ui, &mut options.intervals);
            choice_ui(ui, "Marks", &mut options.marks, ["One shape per arm", "No marks"]);
            choice_ui(ui, "Dashes", &mut options.dashes, ["One pattern per arm", "All lines solid"]);
            choice_ui(ui, "Shades", &mut options.shades, ["Darker and lighter", "Colours of the arms"]);
        }
        if let Some(seeds) = &mut self.settings.figure.seeds {
            let help = "Draws each seed faintly behind the mean, in the window too";
            tick_ui(ui, "Seeds", seeds, "Individual seeds", help);
        }
    }

    fn texts_ui(&mut self, ui: &mut Ui, has_notes: bool) {
        heading_ui(ui, "Text around the figure");
        if let Some(title) = &mut self.settings.figure.title {
            row_ui(ui, "Title", |ui| {
                let field =
                    TextEdit::singleline(title).hint_text("none").desired_width(ui.available_width() - STEP);
                note_edited(&widgets::field_ui(ui, field, FieldState::Plain).accessible_name("Title"));
            });
        }
        let options = &mut self.settings.figure.options;
        if has_notes {
            let help = "What differs between arms, after their names";
            tick_ui(ui, "Show", &mut options.notes, "Notes at arm names", help);
        }
        let label = if has_notes { "" } else { "Show" };
        let help = "How many seeds a mean is of, what its interval is, and what cannot be drawn";
        tick_ui(ui, label, &mut options.footnote, "Footnote", help);
    }
}

fn heading_ui(ui: &mut Ui, text: &str) {
    ui.add_space(STEP / 2.0);
    ui.label(RichText::new(text).font(theme::medium(NAME)));
}

/// Draws a setting: its label, then its control.
pub fn row_ui<R>(ui: &mut Ui, label: &str, control: impl FnOnce(&mut Ui) -> R) -> R {
    ui.horizontal(|ui| {
        theme::cell_ui(ui, LABEL, |ui| ui.label(RichText::new(label).color(present(ui).text2)));
        control(ui)
    })
    .inner
}

fn tick_ui(ui: &mut Ui, label: &str, is_on: &mut bool, name: &str, help: &str) {
    row_ui(ui, label, |ui| widgets::input_ui(ui, Checkbox::new(is_on, name)).on_hover_text(help));
}

/// Draws a setting with a list of values.
fn list_ui(ui: &mut Ui, label: &str, name: &str, chosen: &str, list: impl FnOnce(&mut Ui)) {
    row_ui(ui, label, |ui| {
        let shown = widgets::drop_down(name, chosen).width(ui.available_width()).show_ui(ui, list);
        shown.response.accessible_name(name);
    });
}

/// Draws the size: a usual one, or one's own, and that of the text.
fn size_ui(ui: &mut Ui, size: &mut Size) {
    let chosen = Preset::near(size);
    list_ui(ui, "Preset", "Preset", chosen.label(), |ui| {
        for preset in Preset::ALL {
            if ui.selectable_label(preset == chosen, preset.label()).clicked() {
                *size = Size { legend: size.legend, ..preset.size() };
            }
        }
    });
    row_ui(ui, "Width × height", |ui| {
        for (name, side) in [("Width", &mut size.width_pt), ("Height", &mut size.height_pt)] {
            let mut millimetres = (*side * MILLIMETRES * 10.0).round() / 10.0;
            let field = DragValue::new(&mut millimetres).range(26.0..=5080.0).suffix(" mm").max_decimals(1);
            let response = widgets::input_ui(ui, field);
            if response.changed() {
                *side = millimetres / MILLIMETRES;
            }
            response.accessible_name(name).on_hover_text(name);
        }
    });
    row_ui(ui, "Text", |ui| {
        let largest = size.width_pt.min(size.height_pt) / 12.0;
        let field = DragValue::new(&mut size.font_pt).range(3.0..=largest).suffix(" pt").max_decimals(1);
        let response = widgets::input_ui(ui, field.speed(0.1)).accessible_name("Text size");
        response.on_hover_text("Size of axis titles and of the legend");
        let text = format!("legend {} pt", number(size.font_pt));
        ui.label(RichText::new(text).size(theme::SMALL).color(present(ui).text3));
    });
}

/// Draws the place of the legend; at the ends of lines where there are some.
fn legend_ui(ui: &mut Ui, legend: &mut LegendPlace, has_ends: bool) {
    let name = |place: LegendPlace| match place {
        LegendPlace::Inside => "Free corner, else above",
        LegendPlace::Corner(Corner::BottomRight) => "Bottom right",
        LegendPlace::Corner(Corner::BottomLeft) => "Bottom left",
        LegendPlace::Corner(Corner::TopRight) => "Top right",
        LegendPlace::Corner(Corner::TopLeft) => "Top left",
        LegendPlace::LineEnds => "Line ends",
        LegendPlace::Right => "Right of the plot",
        LegendPlace::Above => "Above the plot",
        LegendPlace::Below => "Below the plot",
        LegendPlace::Hidden => "None",
    };
    let corners = Corner::ALL.map(LegendPlace::Corner);
    let places = [LegendPlace::Above, LegendPlace::Below, LegendPlace::Right, LegendPlace::LineEnds];
    let all = [LegendPlace::Inside].into_iter().chain(corners).chain(places).chain([LegendPlace::Hidden]);
    list_ui(ui, "Place", "Place of the legend", name(*legend), |ui| {
        for place in all.filter(|place| has_ends || *place != LegendPlace::LineEnds) {
            ui.selectable_value(legend, place, name(place));
        }
    });
}

fn choice_ui(ui: &mut Ui, label: &str, is_on: &mut bool, [on, off]: [&str; 2]) {
    list_ui(ui, label, label, if *is_on { on } else { off }, |ui| {
        ui.selectable_value(is_on, true, on);
        ui.selectable_value(is_on, false, off);
    });
}

/// Draws the choice of the spread around means.
fn intervals_ui(ui: &mut Ui, intervals: &mut IntervalStyle) {
    let name = |style: IntervalStyle| match style {
        IntervalStyle::Auto => "As in the window",
        IntervalStyle::Bars => "Error bars",
        IntervalStyle::Bands => "Bands",
        IntervalStyle::None => "None",
    };
    list_ui(ui, "Intervals", "Intervals", name(*intervals), |ui| {
        for style in IntervalStyle::ALL {
            ui.selectable_value(intervals, style, name(style));
        }
    });
}

//! The controls of the export dialog: rows with a label, and those of size, legend and intervals.

use eframe::egui::{DragValue, Frame, Response, RichText, Ui};

use crate::theme::{self, NAME, STEP, present};
use crate::widgets;
use figure::legend::samples;
use figure::{Figure, IntervalStyle};
use form::number::number;
use results::page::{Corner, LegendPlace, Size};
use results::view::Preset;

/// Width of the labels before settings.
const LABEL: f32 = 104.0;
/// Millimetres of a point.
pub const MILLIMETRES: f64 = 25.4 / 72.0;

/// Which settings change something about a figure; all of them until it is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each setting applies by itself")]
pub struct Applies {
    /// The place of the legend.
    pub legend: bool,
    /// The look of lines.
    pub lines: bool,
    /// Whether names can be at the ends of lines.
    pub line_ends: bool,
    /// Notes at names.
    pub notes: bool,
}

impl Applies {
    /// The settings of this figure.
    pub fn to(figure: Option<&Figure>) -> Self {
        let Some(figure) = figure else {
            return Self { legend: true, lines: true, line_ends: true, notes: true };
        };
        let parts = figure.parts();
        Self {
            legend: !samples(figure).is_empty(),
            lines: parts.iter().any(|part| !part.lines.is_empty()),
            line_ends: parts.iter().any(|part| part.has_curves()),
            notes: !figure.details.is_empty(),
        }
    }
}

/// The heading of a few settings.
pub fn heading_ui(ui: &mut Ui, text: &str) {
    ui.add_space(STEP / 2.0);
    ui.label(RichText::new(text).font(theme::medium(NAME)));
}

/// A setting: its label, then its control.
pub fn row_ui<R>(ui: &mut Ui, label: &str, control: impl FnOnce(&mut Ui) -> R) -> R {
    ui.horizontal(|ui| {
        theme::cell_ui(ui, LABEL, |ui| ui.label(RichText::new(label).color(present(ui).text2)));
        control(ui)
    })
    .inner
}

/// One of a few values, side by side.
pub fn segments_ui<T: Copy + PartialEq>(
    ui: &mut Ui,
    value: &mut T,
    all: &[T],
    name: impl Fn(T) -> String,
) -> Response {
    let frame = Frame::new().stroke((1.0, present(ui).edge)).corner_radius(4.0);
    let shown = frame.show(ui, |ui| {
        ui.spacing_mut().item_spacing.x = 0.0;
        ui.spacing_mut().button_padding.x = 0.75 * STEP;
        for &one in all {
            ui.selectable_value(value, one, name(one));
        }
    });
    shown.response
}

/// A usual size, or one's own, and the size of the text.
pub fn size_ui(ui: &mut Ui, size: &mut Size) {
    let presets = Preset::ALL;
    let same = |a: f64, b: f64| (a - b).abs() < 0.01;
    let is_of = |preset: &Preset, size: &Size| {
        let of = preset.size();
        same(of.width_pt, size.width_pt) && same(of.height_pt, size.height_pt)
    };
    row_ui(ui, "Preset", |ui| {
        let chosen = presets.iter().find(|preset| is_of(preset, size));
        let label = chosen.map_or("Custom", |preset| preset.label());
        let list = widgets::drop_down("preset", label).width(ui.available_width()).show_ui(ui, |ui| {
            for preset in presets {
                if ui.selectable_label(is_of(&preset, size), preset.label()).clicked() {
                    *size = Size { legend: size.legend, ..preset.size() };
                }
            }
        });
        list.response.accessible_name("Preset");
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

/// The place of the legend, and its corner inside the plot; at the ends of lines where there are some.
pub fn legend_ui(ui: &mut Ui, legend: &mut LegendPlace, has_ends: bool) {
    let corner = match legend {
        LegendPlace::Corner(corner) => Some(*corner),
        LegendPlace::Inside
        | LegendPlace::LineEnds
        | LegendPlace::Right
        | LegendPlace::Below
        | LegendPlace::Hidden => None,
    };
    let is_inside = corner.is_some() || *legend == LegendPlace::Inside;
    let mut place = if is_inside { LegendPlace::Inside } else { *legend };
    row_ui(ui, "Place", |ui| {
        let places = [
            (LegendPlace::Inside, "Inside"),
            (LegendPlace::Below, "Below"),
            (LegendPlace::Right, "Right"),
            (LegendPlace::LineEnds, "Line ends"),
            (LegendPlace::Hidden, "None"),
        ];
        let name = |place: LegendPlace| {
            places.iter().find(|(known, _)| *known == place).map_or("", |(_, name)| name).to_owned()
        };
        let known = places.map(|(place, _)| place);
        let known: Vec<LegendPlace> =
            known.into_iter().filter(|place| has_ends || *place != LegendPlace::LineEnds).collect();
        segments_ui(ui, &mut place, &known, name);
    });
    if place != LegendPlace::Inside || !is_inside {
        *legend = place;
    }
    if place != LegendPlace::Inside {
        return;
    }
    row_ui(ui, "Corner", |ui| {
        let chosen = corner.map_or("Emptiest", corner_name);
        let list = widgets::drop_down("corner", chosen).width(ui.available_width()).show_ui(ui, |ui| {
            ui.selectable_value(legend, LegendPlace::Inside, "Emptiest");
            for corner in Corner::ALL {
                ui.selectable_value(legend, LegendPlace::Corner(corner), corner_name(corner));
            }
        });
        list.response.accessible_name("Corner of the legend");
    });
}

const fn corner_name(corner: Corner) -> &'static str {
    match corner {
        Corner::BottomRight => "Bottom right",
        Corner::BottomLeft => "Bottom left",
        Corner::TopRight => "Top right",
        Corner::TopLeft => "Top left",
    }
}

/// Whether arms differ in something, as the names of both choices say.
pub fn choice_ui(ui: &mut Ui, label: &'static str, is_on: &mut bool, [on, off]: [&str; 2]) {
    row_ui(ui, label, |ui| {
        let list = widgets::drop_down(label, if *is_on { on } else { off }).width(ui.available_width());
        let list = list.show_ui(ui, |ui| {
            ui.selectable_value(is_on, true, on);
            ui.selectable_value(is_on, false, off);
        });
        list.response.accessible_name(label);
    });
}

/// How the spread around means is drawn.
pub fn intervals_ui(ui: &mut Ui, intervals: &mut IntervalStyle) {
    let name = |style: IntervalStyle| match style {
        IntervalStyle::Auto => "Bars at a few points, else bands",
        IntervalStyle::Bars => "Error bars",
        IntervalStyle::Bands => "Bands",
        IntervalStyle::None => "None",
    };
    row_ui(ui, "Intervals", |ui| {
        let list = widgets::drop_down("intervals", name(*intervals));
        let list = list.width(ui.available_width()).show_ui(ui, |ui| {
            for style in IntervalStyle::ALL {
                ui.selectable_value(intervals, style, name(style));
            }
        });
        list.response.accessible_name("Intervals");
    });
}

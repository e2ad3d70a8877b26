//! The theme: quiet colours, one accent, two text sizes, spacing in steps of eight points.

use std::sync::Arc;

use eframe::egui::{
    self, Color32, CornerRadius, FontData, FontDefinitions, FontFamily, FontId, Stroke, Style, TextStyle,
    Theme, vec2,
};

use super::text::shortened;
use crate::figure::{font, palette};

/// The step of the grid that spacing follows, in points.
pub const STEP: f32 = 8.0;

/// Size of text, in points.
pub const TEXT: f32 = 14.0;

/// Size of what is secondary, in points.
pub const SMALL: f32 = 12.0;

/// The colours of one theme.
#[derive(Clone, Copy, Debug)]
pub struct Colours {
    /// Behind panels.
    pub panel: Color32,
    /// Behind the plot and inside of text fields.
    pub field: Color32,
    /// Behind buttons.
    pub button: Color32,
    /// Lines between panels.
    pub line: Color32,
    /// Around what can be filled in or ticked.
    pub outline: Color32,
    /// Text.
    pub text: Color32,
    /// Secondary text.
    pub muted: Color32,
    /// What is selected or to be pressed next.
    pub accent: Color32,
    /// Text on the accent.
    pub on_accent: Color32,
    /// Behind what is selected.
    pub selected: Color32,
    /// Errors, beside a sign or a word.
    pub error: Color32,
    /// Warnings, beside a sign or a word.
    pub warning: Color32,
}

/// The colours of a theme.
pub const fn colours(theme: Theme) -> Colours {
    match theme {
        Theme::Light => Colours {
            panel: Color32::from_rgb(0xF7, 0xF7, 0xF8),
            field: Color32::from_rgb(0xFF, 0xFF, 0xFF),
            button: Color32::from_rgb(0xE8, 0xE8, 0xEB),
            line: Color32::from_rgb(0xDD, 0xDD, 0xE1),
            outline: Color32::from_rgb(0x87, 0x88, 0x8F),
            text: Color32::from_rgb(0x1E, 0x1E, 0x22),
            muted: Color32::from_rgb(0x5A, 0x5A, 0x62),
            accent: Color32::from_rgb(0x24, 0x5F, 0xC2),
            on_accent: Color32::from_rgb(0xFF, 0xFF, 0xFF),
            selected: Color32::from_rgb(0xD9, 0xE5, 0xF9),
            error: Color32::from_rgb(0xB0, 0x23, 0x1B),
            warning: Color32::from_rgb(0x8A, 0x55, 0x00),
        },
        Theme::Dark => Colours {
            panel: Color32::from_rgb(0x20, 0x21, 0x24),
            field: Color32::from_rgb(0x1B, 0x1B, 0x1B),
            button: Color32::from_rgb(0x33, 0x35, 0x3A),
            line: Color32::from_rgb(0x3A, 0x3B, 0x40),
            outline: Color32::from_rgb(0x76, 0x77, 0x7E),
            text: Color32::from_rgb(0xE6, 0xE6, 0xE9),
            muted: Color32::from_rgb(0xB0, 0xB1, 0xB8),
            accent: Color32::from_rgb(0x2F, 0x6B, 0xCB),
            on_accent: Color32::from_rgb(0xFF, 0xFF, 0xFF),
            selected: Color32::from_rgb(0x2B, 0x40, 0x63),
            error: Color32::from_rgb(0xFF, 0x8A, 0x80),
            warning: Color32::from_rgb(0xE8, 0xB4, 0x4C),
        },
    }
}

/// The colours of the present theme.
pub fn present(ui: &egui::Ui) -> Colours {
    colours(if ui.visuals().dark_mode { Theme::Dark } else { Theme::Light })
}

/// The colour that an arm has in every view.
pub fn arm_colour(ui: &egui::Ui, arm: usize) -> Color32 {
    let ground = if ui.visuals().dark_mode { palette::Theme::Dark } else { palette::Theme::Light };
    let [red, green, blue] = palette::colour(palette::style_of(arm).colour, ground);
    Color32::from_rgb(red, green, blue)
}

/// A heading of a panel: small capitals would shout, so a quiet small line.
pub fn heading_ui(ui: &mut egui::Ui, text: &str) -> egui::Response {
    ui.label(egui::RichText::new(text).size(SMALL).strong().color(present(ui).muted))
}

/// A line of text to fill in, in the middle of its box.
pub fn line_edit(text: &mut String) -> egui::TextEdit<'_> {
    egui::TextEdit::singleline(text).align(egui::Align2::LEFT_CENTER)
}

/// A part of a line with this width, filled or not, in points.
pub fn cell_ui<R>(ui: &mut egui::Ui, width: f32, draw: impl FnOnce(&mut egui::Ui) -> R) -> R {
    let size = vec2(width, ui.spacing().interact_size.y);
    ui.allocate_ui_with_layout(size, egui::Layout::left_to_right(egui::Align::Center), |ui| {
        ui.set_min_width(width);
        ui.set_max_width(width);
        draw(ui)
    })
    .inner
}

/// Adds a text field to a view, whose ground has the usual colour of fields.
pub fn field_ui(ui: &mut egui::Ui, edit: egui::TextEdit<'_>) -> egui::Response {
    let edit = edit.background_color(present(ui).button);
    input_ui(ui, edit)
}

/// Adds something to fill in or to tick, with an outline: its ground alone is hard to see.
pub fn input_ui(ui: &mut egui::Ui, input: impl egui::Widget) -> egui::Response {
    input_ui_if(ui, true, input)
}

/// The same, for what can be used only at times.
pub fn input_ui_if(ui: &mut egui::Ui, is_enabled: bool, input: impl egui::Widget) -> egui::Response {
    let before = ui.visuals().widgets.inactive.bg_stroke;
    outline_inputs(ui);
    let response = ui.add_enabled(is_enabled, input);
    ui.visuals_mut().widgets.inactive.bg_stroke = before;
    response
}

/// Gives all further inputs of this part of the window their outlines.
pub fn outline_inputs(ui: &mut egui::Ui) {
    ui.visuals_mut().widgets.inactive.bg_stroke = Stroke::new(1.0, present(ui).outline);
}

/// The text, without its middle where all of it is wider than `most` points.
pub fn fitted(painter: &egui::Painter, text: &str, font: &FontId, most: f32) -> String {
    let width = |text: &str| painter.layout_no_wrap(text.to_owned(), font.clone(), Color32::WHITE).size().x;
    let mut longest = text.chars().count();
    let mut cut = text.to_owned();
    while longest > 1 && width(&cut) > most {
        longest -= 1 + longest / 8;
        cut = shortened(text, longest.max(1));
    }
    cut
}

/// Check mark, cross and warning sign, which neither Roboto nor egui's fonts have.
const SYMBOLS: &[u8] = include_bytes!("../../assets/fonts/symbols.ttf");

/// The font of figures for text, so that a figure looks the same in the window and in a file; signs from others.
fn fonts() -> FontDefinitions {
    let mut fonts = FontDefinitions::default();
    for (name, data) in [("Roboto", font::REGULAR), ("Signs", SYMBOLS)] {
        fonts.font_data.insert(name.to_owned(), Arc::new(FontData::from_static(data)));
    }
    let proportional = fonts.families.entry(FontFamily::Proportional).or_default();
    proportional.insert(0, "Roboto".to_owned());
    proportional.insert(1, "Signs".to_owned());
    proportional.push("Hack".to_owned());
    fonts.families.entry(FontFamily::Monospace).or_default().push("Signs".to_owned());
    fonts
}

/// Gives both themes their look.
pub fn install(ctx: &egui::Context) {
    ctx.set_fonts(fonts());
    for theme in [Theme::Light, Theme::Dark] {
        ctx.style_mut_of(theme, |style| apply(style, &colours(theme)));
    }
    ctx.options_mut(|options| {
        options.zoom_with_keyboard = false; // zoom and quit are commands
        options.quit_shortcuts.clear();
    });
}

fn apply(style: &mut Style, colours: &Colours) {
    style.text_styles = [
        (TextStyle::Small, FontId::new(SMALL, FontFamily::Proportional)),
        (TextStyle::Body, FontId::new(TEXT, FontFamily::Proportional)),
        (TextStyle::Button, FontId::new(TEXT, FontFamily::Proportional)),
        (TextStyle::Heading, FontId::new(TEXT, FontFamily::Proportional)),
        (TextStyle::Monospace, FontId::new(SMALL, FontFamily::Monospace)),
    ]
    .into();
    style.spacing.item_spacing = vec2(STEP, STEP / 2.0);
    style.spacing.button_padding = vec2(STEP, STEP / 4.0);
    style.spacing.interact_size.y = 3.0 * STEP;
    style.spacing.indent = 2.0 * STEP;
    style.spacing.scroll.floating_allocated_width = STEP; // a bar over numbers would hide their ends
    let visuals = &mut style.visuals;
    visuals.panel_fill = colours.panel;
    visuals.window_fill = colours.panel;
    visuals.extreme_bg_color = colours.field;
    visuals.faint_bg_color = colours.button.gamma_multiply(0.4);
    visuals.window_stroke = Stroke::new(1.0, colours.line);
    visuals.weak_text_color = Some(colours.muted);
    visuals.error_fg_color = colours.error;
    visuals.warn_fg_color = colours.warning;
    visuals.hyperlink_color = colours.accent;
    visuals.selection.bg_fill = colours.selected;
    visuals.selection.stroke = Stroke::new(1.0, colours.text);
    visuals.indent_has_left_vline = false;
    visuals.text_cursor.blink = false; // a blinking cursor would draw an idle window twice a second
    widgets(&mut visuals.widgets, colours);
}

fn widgets(widgets: &mut egui::style::Widgets, colours: &Colours) {
    widgets.noninteractive.bg_stroke = Stroke::new(1.0, colours.line);
    widgets.noninteractive.fg_stroke = Stroke::new(1.0, colours.text);
    let all = [&mut widgets.inactive, &mut widgets.hovered, &mut widgets.active, &mut widgets.open];
    for state in all {
        state.corner_radius = CornerRadius::same(4);
        state.fg_stroke = Stroke::new(1.0, colours.text);
        state.expansion = 0.0;
    }
    widgets.inactive.bg_fill = colours.button;
    widgets.inactive.weak_bg_fill = colours.button;
    for state in [&mut widgets.hovered, &mut widgets.active, &mut widgets.open] {
        state.bg_fill = colours.selected;
        state.weak_bg_fill = colours.selected;
        state.bg_stroke = Stroke::new(1.0, colours.accent);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contrast(a: Color32, b: Color32) -> f64 {
        palette::tests::contrast([a.r(), a.g(), a.b()], [b.r(), b.g(), b.b()])
    }

    #[test]
    fn what_egui_draws_can_be_read_too() {
        for theme in [Theme::Light, Theme::Dark] {
            let visuals = if theme == Theme::Dark { egui::Visuals::dark() } else { egui::Visuals::light() };
            let mut style = Style { visuals, ..Style::default() };
            apply(&mut style, &colours(theme));
            let visuals = &style.visuals;
            let inks = [
                visuals.text_color(),
                visuals.strong_text_color(),
                visuals.weak_text_color(),
                visuals.warn_fg_color,
                visuals.error_fg_color,
            ];
            for ink in inks {
                for ground in [visuals.panel_fill, visuals.window_fill, visuals.extreme_bg_color] {
                    assert!(contrast(ink, ground) >= 4.5, "{ink:?} on {ground:?} of {theme:?}");
                }
            }
            let widgets = &visuals.widgets;
            for state in [&widgets.inactive, &widgets.hovered, &widgets.active, &widgets.open] {
                for ground in [state.bg_fill, state.weak_bg_fill] {
                    assert!(contrast(state.fg_stroke.color, ground) >= 4.5, "{state:?} of {theme:?}");
                }
            }
            let selection = visuals.selection;
            assert!(contrast(selection.stroke.color, selection.bg_fill) >= 4.5, "{selection:?} of {theme:?}");
            // The key behind a chosen line of the palette.
            assert!(contrast(visuals.weak_text_color(), selection.bg_fill) >= 4.5, "{theme:?}");
        }
    }

    #[test]
    fn text_can_be_read_on_every_ground_of_both_themes() {
        for theme in [Theme::Light, Theme::Dark] {
            let c = colours(theme);
            for ground in [c.panel, c.field, c.button, c.selected] {
                assert!(contrast(c.text, ground) >= 4.5, "text on {ground:?} of {theme:?}");
            }
            for ink in [c.muted, c.error, c.warning] {
                for ground in [c.panel, c.field] {
                    assert!(contrast(ink, ground) >= 4.5, "{ink:?} on {ground:?} of {theme:?}");
                }
            }
            assert!(contrast(c.on_accent, c.accent) >= 4.5, "{}", contrast(c.on_accent, c.accent));
            // WCAG 2.2, 1.4.11: what tells that there is an input.
            for ground in [c.panel, c.field] {
                assert!(contrast(c.outline, ground) >= 3.0, "outline on {ground:?} of {theme:?}");
            }
        }
    }
}

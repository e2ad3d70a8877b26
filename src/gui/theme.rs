//! The theme: the colours of both themes by their role, sizes of text, and a grid of eight points.

use std::sync::Arc;

use eframe::egui::{
    self, Color32, CornerRadius, FontData, FontDefinitions, FontFamily, FontId, Stroke, Style, TextStyle,
    Theme, vec2,
};

use super::text::shortened;
use figure::{font, palette};

/// The step of the grid that spacing follows, in points.
pub const STEP: f32 = 8.0;

/// Height of buttons, fields and rows of arms, in points.
pub const CONTROL: f32 = 28.0;

/// Size of headings of the start page, in points.
pub const HEADING: f32 = 24.0;
/// Size of titles of panels and dialogs, in points.
pub const TITLE: f32 = 16.0;
/// Size of titles of tiles and of names of arms, in points.
pub const NAME: f32 = 14.0;
/// Size of all other text, in points.
pub const BODY: f32 = 13.0;
/// Size of tick labels, legends, heads of tables and hints, in points.
pub const SMALL: f32 = 12.0;

/// Declares the colours by their role, light and dark.
macro_rules! colours {
    ($($name:ident: $light:literal, $dark:literal;)*) => {
        /// The colours of one theme by their role.
        #[derive(Clone, Copy, Debug)]
        pub struct Colours {
            $(pub $name: Color32,)*
        }

        pub const fn colours(theme: Theme) -> Colours {
            match theme {
                Theme::Light => Colours { $($name: rgb($light),)* },
                Theme::Dark => Colours { $($name: rgb($dark),)* },
            }
        }
    };
}

colours! {
    canvas: 0x00FF_FFFF, 0x0015_171B; // behind tiles, plots and tables
    panel: 0x00F4_F5F7, 0x001C_1F24; // behind bars, side panels, legends and pop-overs
    raised: 0x00E4_E7EC, 0x002B_3038; // behind buttons, drop-downs and chips
    hover: 0x00D8_DCE3, 0x0035_3B45; // the same under the pointer
    field: 0x00FF_FFFF, 0x0012_1417; // inside text fields and ticks
    line: 0x00D7_DAE0, 0x0030_353D; // borders of panels, rules of tables
    edge: 0x007F_8794, 0x0071_7986; // borders of fields and ticks
    grid: 0x00EC_EEF1, 0x0027_2B32;
    axis: 0x00A7_ADB8, 0x004A_515C;
    text: 0x001A_1D22, 0x00E8_EAED;
    text2: 0x0047_4E59, 0x00B1_B7C1; // labels, units, intervals
    text3: 0x0060_6773, 0x0092_9AA6; // hints and counts
    accent: 0x001D_5FD1, 0x002B_6BE4; // the one primary button, and ticks
    on_accent: 0x00FF_FFFF, 0x00FF_FFFF;
    link: 0x001A_56BF, 0x0085_B4FF; // links, underlines of tabs, progress
    selection: 0x00DA_E7FE, 0x0020_355B; // behind selected rows
    focus: 0x001D_5FD1, 0x0085_B4FF; // the ring around the focused widget
    good: 0x0017_734A, 0x0058_C48F; // success, beside an icon or a word
    warning: 0x0085_5600, 0x00F0_B840; // warnings, beside an icon or a word
    bad: 0x00BA_2626, 0x00FF_8078; // errors, beside an icon or a word
}

const fn rgb(hex: u32) -> Color32 {
    let [_, rgb @ ..] = hex.to_be_bytes();
    colour(rgb)
}

/// Returns the colours of the present theme.
pub fn present(ui: &egui::Ui) -> Colours {
    colours(if ui.visuals().dark_mode { Theme::Dark } else { Theme::Light })
}

/// Returns a colour of a figure for the screen.
pub const fn colour([red, green, blue]: palette::Rgb) -> Color32 {
    Color32::from_rgb(red, green, blue)
}

/// Returns the present theme of figures.
pub fn theme_of(ui: &egui::Ui) -> palette::Theme {
    if ui.visuals().dark_mode { palette::Theme::DarkScreen } else { palette::Theme::LightScreen }
}

/// Returns the colour that an arm has in every view.
pub fn arm_colour(ui: &egui::Ui, arm: usize) -> Color32 {
    colour(palette::style_of(arm).rgb(theme_of(ui)))
}

/// Returns true if the fonts of the theme are there; installs them for the next frame if not. For tests of parts of
/// the window.
#[cfg(test)]
pub fn is_installed(ui: &egui::Ui) -> bool {
    let id = egui::Id::unique("the theme is installed");
    if ui.data(|data| data.get_temp::<bool>(id)).is_some() {
        return true;
    }
    install(ui.ctx());
    ui.data_mut(|data| data.insert_temp(id, true));
    ui.ctx().request_repaint();
    false
}

/// Returns the heaviest weight of text, for titles and stress.
pub fn medium(size: f32) -> FontId {
    FontId::new(size, FontFamily::Name("medium".into()))
}

pub fn heading_ui(ui: &mut egui::Ui, text: &str) -> egui::Response {
    ui.label(egui::RichText::new(text).size(SMALL).color(present(ui).text2))
}

/// Draws a part of a line with this width, filled or not, in points.
pub fn cell_ui<R>(ui: &mut egui::Ui, width: f32, draw: impl FnOnce(&mut egui::Ui) -> R) -> R {
    let size = vec2(width, ui.spacing().interact_size.y);
    ui.allocate_ui_with_layout(size, egui::Layout::left_to_right(egui::Align::Center), |ui| {
        ui.set_min_width(width);
        ui.set_max_width(width);
        draw(ui)
    })
    .inner
}

/// Returns the width of a text on one line, in points.
pub fn width(painter: &egui::Painter, text: &str, font: &FontId) -> f32 {
    painter.layout_no_wrap(text.to_owned(), font.clone(), Color32::WHITE).size().x
}

/// Fits a text into `most` points: a wider one loses its middle.
pub fn fitted(painter: &egui::Painter, text: &str, font: &FontId, most: f32) -> String {
    fitted_by(shortened, painter, text, font, most)
}

/// Fits a text into `most` points with a function that shortens it to so many letters.
pub fn fitted_by(
    shorten: fn(&str, usize) -> String,
    painter: &egui::Painter,
    text: &str,
    font: &FontId,
    most: f32,
) -> String {
    let mut longest = text.chars().count();
    let mut cut = text.to_owned();
    while longest > 1 && width(painter, &cut, font) > most {
        longest -= 1 + longest / 16;
        cut = shorten(text, longest.max(1));
    }
    cut
}

/// Check mark, cross and warning sign, which neither Roboto nor egui's fonts have.
const SYMBOLS: &[u8] = include_bytes!("../../assets/fonts/symbols.ttf");

/// Phosphor's glyphs of [`Icon`](super::icons::Icon).
pub(super) const ICONS: &[u8] = include_bytes!("../../assets/fonts/icons.ttf");

/// Returns the font of figures for text, so that a figure looks the same in the window and in a file; signs from others.
fn fonts() -> FontDefinitions {
    let mut fonts = FontDefinitions::default();
    let files = [("Roboto", font::REGULAR), ("Medium", font::MEDIUM), ("Signs", SYMBOLS), ("Icons", ICONS)];
    for (name, data) in files {
        fonts.font_data.insert(name.to_owned(), Arc::new(FontData::from_static(data)));
    }
    let others = fonts.families.get(&FontFamily::Proportional).cloned().unwrap_or_default();
    let family = |first: &str| {
        let own = [first, "Signs", "Icons"].map(str::to_owned).into_iter();
        own.chain(others.iter().cloned()).chain(["Hack".to_owned()]).collect()
    };
    fonts.families.insert(FontFamily::Proportional, family("Roboto"));
    fonts.families.insert(FontFamily::Name("medium".into()), family("Medium"));
    let monospace = fonts.families.entry(FontFamily::Monospace).or_default();
    monospace.extend(["Signs", "Icons"].map(str::to_owned));
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
        (TextStyle::Body, FontId::new(BODY, FontFamily::Proportional)),
        (TextStyle::Button, FontId::new(BODY, FontFamily::Proportional)),
        (TextStyle::Heading, medium(TITLE)),
        (TextStyle::Monospace, FontId::new(SMALL, FontFamily::Monospace)),
    ]
    .into();
    style.spacing.item_spacing = vec2(STEP, STEP / 2.0);
    style.spacing.button_padding = vec2(10.0, STEP / 2.0);
    style.spacing.interact_size.y = CONTROL;
    style.spacing.icon_width = 2.0 * STEP;
    style.spacing.indent = 2.0 * STEP;
    style.spacing.scroll.floating_allocated_width = STEP; // a bar over numbers would hide their ends
    let visuals = &mut style.visuals;
    visuals.panel_fill = colours.panel;
    visuals.window_fill = colours.panel;
    visuals.extreme_bg_color = colours.canvas;
    visuals.text_edit_bg_color = Some(colours.field);
    visuals.faint_bg_color = colours.raised.gamma_multiply(0.4);
    visuals.window_stroke = Stroke::new(1.0, colours.line);
    visuals.weak_text_color = Some(colours.text3);
    visuals.error_fg_color = colours.bad;
    visuals.warn_fg_color = colours.warning;
    visuals.hyperlink_color = colours.link;
    visuals.selection.bg_fill = colours.selection;
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
    widgets.inactive.bg_fill = colours.raised;
    widgets.inactive.weak_bg_fill = colours.raised;
    for state in [&mut widgets.hovered, &mut widgets.active, &mut widgets.open] {
        state.bg_fill = colours.hover;
        state.weak_bg_fill = colours.hover;
        state.bg_stroke = Stroke::NONE;
    }
    // egui draws a focused widget as an active one.
    widgets.active.bg_stroke = Stroke::new(2.0, colours.focus);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contrast(a: Color32, b: Color32) -> f64 {
        figure::palette::contrast([a.r(), a.g(), a.b()], [b.r(), b.g(), b.b()])
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
        }
    }

    #[test]
    fn text_can_be_read_on_every_ground_of_both_themes() {
        for theme in [Theme::Light, Theme::Dark] {
            let c = colours(theme);
            for ground in [c.canvas, c.panel, c.raised, c.hover, c.field, c.selection] {
                assert!(contrast(c.text, ground) >= 4.5, "text on {ground:?} of {theme:?}");
                assert!(contrast(c.text2, ground) >= 4.5, "labels on {ground:?} of {theme:?}");
            }
            for ink in [c.text3, c.link, c.good, c.warning, c.bad] {
                for ground in [c.canvas, c.panel] {
                    assert!(contrast(ink, ground) >= 4.5, "{ink:?} on {ground:?} of {theme:?}");
                }
            }
            let ground_of_figures =
                if theme == Theme::Dark { palette::Theme::DarkScreen } else { palette::Theme::LightScreen };
            for index in 0..palette::COLOURS {
                let [red, green, blue] = palette::style_of(index).rgb(ground_of_figures);
                let ink = Color32::from_rgb(red, green, blue);
                for ground in [c.canvas, c.panel] {
                    let found = contrast(ink, ground);
                    assert!(found >= 3.0, "arm colour {index} on {ground:?} of {theme:?}: {found}");
                }
            }
            assert!(contrast(c.on_accent, c.accent) >= 4.5, "{}", contrast(c.on_accent, c.accent));
            // WCAG 2.2, 1.4.11: what tells that there is an input, and where the focus is.
            for ground in [c.canvas, c.panel] {
                assert!(contrast(c.edge, ground) >= 3.0, "edge on {ground:?} of {theme:?}");
                assert!(contrast(c.focus, ground) >= 3.0, "focus on {ground:?} of {theme:?}");
            }
        }
    }
}

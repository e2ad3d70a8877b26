//! The head of a tile: the view as a list of others, its help, its controls, and its menu.

use eframe::egui::accesskit::Role;
use eframe::egui::containers::menu::{MenuButton, MenuConfig};
use eframe::egui::{
    Align, Button, FontId, Layout, PopupCloseBehavior, Rect, RichText, Sense, Ui, UiBuilder, WidgetInfo, vec2,
};

use super::{Contents, LayoutChange, Tiling};
use crate::icons::Icon;
use crate::panes::{Pane, panes};
use crate::text::first_statement;
use crate::theme::{self, NAME, STEP, present};
use crate::widgets;
use results::tiles::Side;

/// Height of a head, in points.
pub const HEIGHT: f32 = 40.0;

/// What a view shows has at most this share of the room beside its title.
const SUBJECT: f32 = 0.4;

/// Width of a help text, in points.
const HELP: f32 = 360.0;

/// Draws the head of a tile; whether it is being dragged.
pub fn head_ui(
    ui: &mut Ui,
    rect: Rect,
    pane: Pane,
    tiling: &Tiling,
    contents: &mut dyn Contents,
    asked: &mut Vec<LayoutChange>,
) -> bool {
    let ground = ui.interact(rect, ui.scope_id().with("head"), Sense::click_and_drag());
    let inner = rect.shrink2(vec2(STEP, 0.0));
    let left = UiBuilder::new().max_rect(inner).layout(Layout::left_to_right(Align::Center));
    let left = ui.scope_builder(left, |ui| {
        ui.spacing_mut().item_spacing.x = STEP / 2.0;
        views_ui(ui, pane, tiling, asked);
        help_ui(ui, pane, contents);
        subject_ui(ui, &contents.subject(pane));
    });
    let rest = inner.with_min_x(left.response.rect.right() + STEP);
    let right = UiBuilder::new().max_rect(rest).layout(Layout::right_to_left(Align::Center));
    ui.scope_builder(right, |ui| {
        ui.spacing_mut().item_spacing.x = STEP / 2.0;
        menu_ui(ui, pane, tiling, contents, asked);
        if tiling.layout.count() > 1 {
            let is_large = tiling.layout.maximized;
            let (icon, name) =
                if is_large { (Icon::ArrowsIn, "Show all tiles") } else { (Icon::ArrowsOut, "Maximize") };
            let button = widgets::icon_button_ui(ui, true, icon, name);
            if button.accessible_name(format!("{name}: {}", pane.title)).clicked() {
                asked.extend([LayoutChange::Show(pane.name), LayoutChange::Maximize]);
            }
        }
        contents.tools_ui(ui, pane);
    });
    ground.drag_started()
}

/// The title, which lists the views of the group, and those of the others below "More".
fn views_ui(ui: &mut Ui, pane: Pane, tiling: &Tiling, asked: &mut Vec<LayoutChange>) {
    let is_active = tiling.layout.active == pane.name || tiling.layout.count() < 2;
    let colours = present(ui);
    let ink = if is_active { colours.text } else { colours.text2 };
    let title = RichText::new(pane.title).font(theme::medium(NAME)).color(ink);
    let button = Button::new((title, Icon::CaretDown.atom(12.0))).frame_when_inactive(false);
    let (button, _) = MenuButton::from_button(button).ui(ui, |ui| {
        ui.set_min_width(200.0);
        let mut entry = |ui: &mut Ui, other: Pane| {
            let text = if tiling.has_data(other) {
                RichText::new(other.title)
            } else {
                RichText::new(other.title).color(colours.text3)
            };
            let mark = if tiling.is_new(other.name) { "•" } else { "" };
            let button = Button::selectable(other.name == pane.name, text).shortcut_text(mark);
            let button = ui.add(button).accessible_name(other.title);
            if button.on_hover_text(first_statement(other.help)).clicked() {
                asked.push(LayoutChange::Replace(pane.name, other.name));
                ui.close();
            }
        };
        let group = tiling.group();
        panes().filter(|other| other.group == group).for_each(|other| entry(ui, other));
        ui.separator();
        ui.menu_button("More", |ui| {
            panes().filter(|other| other.group != group).for_each(|other| entry(ui, other));
        });
    });
    button.accessible_name(pane.title).on_hover_text(first_statement(pane.help));
}

/// Which arm, setting and seeds the view shows; without its middle where it does not fit.
fn subject_ui(ui: &mut Ui, subject: &str) {
    if subject.is_empty() {
        return;
    }
    let font = FontId::proportional(theme::SMALL);
    let shown = theme::fitted(ui.painter(), subject, &font, SUBJECT * ui.available_width());
    let galley = ui.painter().layout_no_wrap(shown, font, present(ui).text2);
    let (rect, response) = ui.allocate_exact_size(galley.size(), Sense::hover());
    ui.painter().galley(rect.min, galley, present(ui).text2);
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("Shows {subject}")));
    response.on_hover_text(subject);
}

/// A popup with the help of a view.
fn help_ui(ui: &mut Ui, pane: Pane, contents: &mut dyn Contents) {
    let icon = Icon::Question.coloured(widgets::ICON, Some(present(ui).text3));
    let button = Button::new(icon).frame_when_inactive(false);
    let (button, _) = MenuButton::from_button(button).ui(ui, |ui| {
        ui.set_width(HELP.min(ui.ctx().content_rect().width() - 4.0 * STEP));
        ui.with_layout(Layout::top_down(Align::Min), |ui| {
            ui.label(RichText::new(pane.title).font(theme::medium(NAME)));
            ui.label(pane.help);
            contents.help_ui(ui, pane);
        });
    });
    button.accessible_name(format!("Help on {}", pane.title)).on_hover_text("What this view shows");
}

fn menu_ui(
    ui: &mut Ui,
    pane: Pane,
    tiling: &Tiling,
    contents: &mut dyn Contents,
    asked: &mut Vec<LayoutChange>,
) {
    let button = Button::new(Icon::DotsThree.atom(widgets::ICON)).frame_when_inactive(false);
    let config = MenuConfig::new().close_behavior(PopupCloseBehavior::CloseOnClickOutside);
    let (button, _) = MenuButton::from_button(button).config(config).ui(ui, |ui| {
        ui.set_min_width(200.0);
        contents.menu_ui(ui, pane);
        let maximize = if tiling.layout.maximized { "Show all tiles" } else { "Maximize" };
        let has_others = tiling.layout.count() > 1;
        for (text, is_possible, change) in [
            ("Split right", true, LayoutChange::Split(Side::Right)),
            ("Split down", true, LayoutChange::Split(Side::Below)),
            (maximize, has_others, LayoutChange::Maximize),
            ("Close view", true, LayoutChange::CloseActive),
        ] {
            let button = ui.add_enabled(is_possible, Button::new(text));
            if button.on_disabled_hover_text("There is no other tile").clicked() {
                asked.extend([LayoutChange::Show(pane.name), change]);
                ui.close();
            }
        }
    });
    button.accessible_name(format!("Menu of {}", pane.title)).on_hover_text("More");
}

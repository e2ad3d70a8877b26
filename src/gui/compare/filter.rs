//! The filter: its field, its named filters, and how many runs it leaves.

use eframe::egui::containers::menu::{MenuButton, MenuConfig};
use eframe::egui::{PopupCloseBehavior, RichText, Ui, vec2};

use super::Compare;
use crate::form::note_edited;
use crate::icons::Icon;
use crate::text;
use crate::theme::{self, SMALL, present};
use crate::widgets::{self, FieldState, ICON, Tone, field_ui, icon_button_ui, message_ui};

const HELP: &str = "Words of an arm, tag or note, and conditions: remaining < 20 %   last >= 0.98   \
    state:done   arm:ticket   tag:paper   is:starred   batch = 64   -word to exclude";

/// Width of the count of runs and of what clears the filter, in points.
const COUNT: f32 = 140.0;

/// Draws the filter's menu and field, and the count of runs.
pub fn filter_ui(ui: &mut Ui, compare: &mut Compare) {
    ui.spacing_mut().item_spacing.x = 4.0;
    let menu =
        eframe::egui::Button::new(Icon::Filter.atom(ICON)).min_size(vec2(theme::CONTROL, theme::CONTROL));
    let config = MenuConfig::new().close_behavior(PopupCloseBehavior::CloseOnClickOutside);
    let (button, _) = MenuButton::from_button(menu).config(config).ui(ui, |ui| named_ui(ui, compare));
    button.accessible_name("Named filters").on_hover_text("Named filters");
    let state = if compare.filter_error.is_some() { FieldState::Wrong } else { FieldState::Plain };
    let field = eframe::egui::TextEdit::singleline(&mut compare.view.filter)
        .hint_text("Filter: state:done remaining < 20 %")
        .desired_width((ui.available_width() - COUNT).clamp(64.0, 250.0));
    let field = field_ui(ui, field, state).accessible_name("Filter").on_hover_text(HELP);
    if std::mem::take(&mut compare.wants_filter) {
        field.request_focus();
    }
    note_edited(&field);
    if !compare.view.filter.is_empty() && icon_button_ui(ui, true, Icon::X, "Clear the filter").clicked() {
        compare.view.filter.clear();
    }
    let (all, left) = (compare.rows.len(), compare.left);
    let count = if left == all {
        text::counted(all, "run")
    } else {
        format!("{} of {}", text::grouped(left as u64), text::counted(all, "run"))
    };
    ui.add_space(4.0);
    let count = RichText::new(count).color(present(ui).text2);
    ui.add(eframe::egui::Label::new(count).truncate());
}

/// Says what the filter does not understand.
pub fn error_ui(ui: &mut Ui, compare: &Compare) {
    if let Some(error) = &compare.filter_error {
        message_ui(ui, Tone::Bad, &format!("The filter is not applied: {error}"));
    }
}

fn named_ui(ui: &mut Ui, compare: &mut Compare) {
    ui.set_min_width(240.0);
    if compare.view.table.filters.is_empty() {
        ui.label(RichText::new("No filter has a name yet").size(SMALL).weak());
    }
    let (mut chosen, mut removed) = (None, None);
    for (name, filter) in &compare.view.table.filters {
        ui.horizontal(|ui| {
            let is_present = *filter == compare.view.filter;
            if ui.selectable_label(is_present, name).on_hover_text(filter).clicked() {
                chosen = Some(filter.clone());
            }
            ui.with_layout(eframe::egui::Layout::right_to_left(eframe::egui::Align::Center), |ui| {
                if icon_button_ui(ui, true, Icon::Trash, &format!("Remove the filter {name}")).clicked() {
                    removed = Some(name.clone());
                }
            });
        });
    }
    if let Some(filter) = chosen {
        compare.view.filter = filter;
        ui.close();
    }
    if let Some(name) = removed {
        compare.view.table.filters.remove(&name);
    }
    ui.separator();
    ui.horizontal(|ui| {
        let field = eframe::egui::TextEdit::singleline(&mut compare.filter_name)
            .hint_text("Name of this filter")
            .desired_width(160.0);
        let field = field_ui(ui, field, FieldState::Plain).accessible_name("Name of this filter");
        let name = compare.filter_name.trim().to_owned();
        let can_save = !name.is_empty() && !compare.view.filter.trim().is_empty();
        let save = ui.add_enabled(can_save, widgets::button(None, "Save"));
        let save = save.on_disabled_hover_text("Write a filter and its name first");
        let is_entered = field.lost_focus() && ui.input(|input| input.key_pressed(eframe::egui::Key::Enter));
        if save.clicked() || can_save && is_entered {
            compare.view.table.filters.insert(name, compare.view.filter.trim().to_owned());
            compare.filter_name.clear();
        }
    });
}

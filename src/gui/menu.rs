//! The menus, made from the commands.

use eframe::egui::{Button, Ui};

use super::commands::{Command, CommandContext, Menu, mark_and_key};
use super::palette::Choice;
use super::panes::panes;
use super::scroll::scrolled_ui;
use super::text::first_statement;

/// The menus; what was chosen.
pub fn menus_ui(
    ui: &mut Ui,
    context: &CommandContext,
    is_on: &dyn Fn(Command) -> Option<bool>,
    has_view: &dyn Fn(&str) -> bool,
) -> Option<Choice> {
    let mut chosen = None;
    for menu in Menu::ALL {
        ui.menu_button(menu.text(), |ui| {
            ui.set_min_width(220.0);
            scrolled_ui(ui, |ui| {
                if menu == Menu::View {
                    chosen = views_ui(ui, has_view).map(Choice::Show).or(chosen.take());
                }
                for (position, group) in menu.groups().iter().enumerate() {
                    if position > 0 {
                        ui.separator();
                    }
                    for &command in *group {
                        if entry_ui(ui, command, context, is_on(command)) {
                            chosen = Some(Choice::Command(command));
                            ui.close();
                        }
                    }
                }
            });
        });
    }
    chosen
}

/// All plots and views; those that have a tab are ticked.
fn views_ui(ui: &mut Ui, has_view: &dyn Fn(&str) -> bool) -> Option<&'static str> {
    let mut chosen = None;
    ui.menu_button("Views", |ui| {
        scrolled_ui(ui, |ui| {
            for pane in panes() {
                let mark = if has_view(pane.name) { "✓" } else { "" };
                let entry = ui.add(Button::new(pane.title).shortcut_text(mark));
                let entry = entry.accessible_name(pane.title).on_hover_text(first_statement(pane.help));
                if entry.clicked() {
                    chosen = Some(pane.name);
                    ui.close();
                }
            }
        });
    });
    ui.separator();
    chosen
}

/// One entry of a menu; `on` is the state of what its command switches.
fn entry_ui(ui: &mut Ui, command: Command, context: &CommandContext, on: Option<bool>) -> bool {
    let mut button = Button::new(command.label(context));
    let detail = mark_and_key(ui.ctx(), command, on);
    if !detail.is_empty() {
        button = button.shortcut_text(detail);
    }
    explained(ui, button, command, context)
}

/// A button that says why it cannot be used when it cannot.
pub fn explained(ui: &mut Ui, button: Button<'_>, command: Command, context: &CommandContext) -> bool {
    let refusal = command.refusal(context);
    let response = ui.add_enabled(refusal.is_none(), button).on_hover_text(command.tooltip());
    // Without this, the key would be part of the name.
    let response = response.accessible_name(command.text());
    let response = match refusal {
        Some(reason) => response.on_disabled_hover_text(format!("{}. {reason}", command.tooltip())),
        None => response,
    };
    response.clicked()
}

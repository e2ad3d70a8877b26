//! The bar at the top: menus made from the commands, the buttons that are used most, and how far the runs are.

use eframe::egui::{self, Button, RichText, Ui};

use super::commands::{Command, Facts, Menu};
use super::dialogs::accent_button;
use super::theme;

/// What the bar says beside its buttons.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// How far the runs are, or what they would take.
    pub text: String,
    /// More about it.
    pub detail: String,
}

/// The menus; what was chosen.
pub fn menus_ui(ui: &mut Ui, facts: &Facts, is_on: &dyn Fn(Command) -> Option<bool>) -> Option<Command> {
    let mut chosen = None;
    for menu in Menu::ALL {
        ui.menu_button(menu.text(), |ui| {
            ui.set_min_width(220.0);
            for (position, group) in menu.groups().iter().enumerate() {
                if position > 0 {
                    ui.separator();
                }
                for &command in *group {
                    if entry_ui(ui, command, facts, is_on(command)) {
                        chosen = Some(command);
                        ui.close();
                    }
                }
            }
        });
    }
    chosen
}

/// One entry of a menu; `on` is the state of what it switches.
fn entry_ui(ui: &mut Ui, command: Command, facts: &Facts, on: Option<bool>) -> bool {
    let mark = on.filter(|on| *on).map(|_| "✓".to_owned());
    let key = command.shortcut().map(|shortcut| ui.ctx().format_shortcut(&shortcut));
    let behind: Vec<String> = mark.into_iter().chain(key).collect();
    let mut button = Button::new(command.text());
    if !behind.is_empty() {
        button = button.shortcut_text(behind.join("   "));
    }
    explained(ui, button, command, facts)
}

/// The buttons beside the menus; what was pressed.
pub fn buttons_ui(ui: &mut Ui, facts: &Facts, status: &Status) -> Option<Command> {
    let mut chosen = None;
    let mut add = |ui: &mut Ui, command: Command, button: Button<'_>| {
        if explained(ui, button, command, facts) {
            chosen = Some(command);
        }
    };
    // From right to left.
    ui.label(RichText::new(&status.text).small()).on_hover_text(&status.detail);
    if facts.running {
        add(ui, Command::StopNow, Button::new(Command::StopNow.text()));
        add(ui, Command::StopAfterStage, Button::new(Command::StopAfterStage.text()));
    } else {
        if facts.resumable > 0 {
            add(ui, Command::Resume, Button::new(Command::Resume.text()));
        }
        let ready = Command::RunAll.refusal(facts).is_none();
        let text = Command::RunAll.text();
        add(ui, Command::RunAll, if ready { accent_button(ui, text) } else { Button::new(text) });
    }
    chosen
}

/// A button that says why it cannot be used when it cannot.
fn explained(ui: &mut Ui, button: Button<'_>, command: Command, facts: &Facts) -> bool {
    let refusal = command.refusal(facts);
    let response = ui.add_enabled(refusal.is_none(), button).on_hover_text(command.tooltip());
    let response = match refusal {
        Some(reason) => response.on_disabled_hover_text(format!("{}. {reason}", command.tooltip())),
        None => response,
    };
    response.clicked()
}

/// Takes the commands whose keys were pressed; those that cannot be used now are taken too, and refused with a reason.
#[must_use]
pub fn pressed(ctx: &egui::Context) -> Vec<Command> {
    let mut found: Vec<(Command, egui::KeyboardShortcut)> =
        super::commands::all().filter_map(|command| Some((command, command.shortcut()?))).collect();
    // Ctrl+Shift+S would also count as Ctrl+S.
    found.sort_by_key(|(_, shortcut)| !shortcut.modifiers.shift);
    ctx.input_mut(|input| {
        found
            .into_iter()
            .filter(|(_, shortcut)| input.consume_shortcut(shortcut))
            .map(|(command, _)| command)
            .collect()
    })
}

/// A line between the bar and what is below would be one box more: space is enough.
pub fn bar_frame(ui: &Ui) -> egui::Frame {
    egui::Frame::new().fill(theme::present(ui).panel).inner_margin(egui::Margin::symmetric(8, 4))
}

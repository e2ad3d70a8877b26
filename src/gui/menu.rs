//! The bar at the top: menus made from the commands, the buttons that are used most, and how far the runs are.

use eframe::egui::{self, Button, RichText, Ui};

use super::commands::{Command, CommandContext, Menu, mark_and_key};
use super::dialogs::accent_button;
use super::palette::Choice;
use super::panes::panes;
use super::scroll::scrolled_ui;
use super::text::{counted, first_statement, whole_percent};
use super::theme;

/// Below this width, the bar has only the most needed.
const NARROW: f32 = 900.0;

/// What the bar says beside its buttons.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Status {
    /// How far the runs are, or what they would take.
    pub text: String,
    /// More about it.
    pub detail: String,
    /// How far they are, from 0 to 1, while they go on.
    pub share: Option<f32>,
}

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

/// Says that errors came while nobody saw the log; whether that was pressed.
pub fn errors_ui(ui: &mut Ui, count: usize, newest: &str) -> bool {
    let text = RichText::new(format!("⚠ {}", counted(count, "new error"))).small();
    let chip = Button::new(text.color(theme::present(ui).bad));
    ui.add(chip).on_hover_text(format!("{newest}\nClick to show the log")).clicked()
}

/// The buttons beside the menus; what was pressed.
pub fn buttons_ui(ui: &mut Ui, context: &CommandContext, status: &Status) -> Option<Command> {
    let mut chosen = None;
    let mut add = |ui: &mut Ui, command: Command, button: Button<'_>| {
        if explained(ui, button, command, context) {
            chosen = Some(command);
        }
    };
    // From right to left.
    ui.label(RichText::new(&status.text).small()).on_hover_text(&status.detail);
    // In a narrow window the menus need the room; what is left out is in the menu Run.
    let is_narrow = ui.ctx().content_rect().width() < NARROW;
    if let Some(share) = status.share.filter(|_| !is_narrow) {
        let bar = egui::ProgressBar::new(share).desired_width(12.0 * theme::STEP).desired_height(theme::STEP);
        ui.add(bar.fill(theme::present(ui).accent)).on_hover_text(whole_percent(share.into()));
    }
    if context.running {
        add(ui, Command::StopNow, Button::new(Command::StopNow.text()));
        if !is_narrow {
            add(ui, Command::StopAfterStage, Button::new(Command::StopAfterStage.text()));
        }
        let hold = if context.paused { Command::Resume } else { Command::Pause };
        add(ui, hold, Button::new(hold.text()));
    } else {
        if context.resumable > 0 {
            add(ui, Command::Resume, Button::new(Command::Resume.text()));
        }
        let ready = Command::RunAll.refusal(context).is_none();
        let text = Command::RunAll.text();
        add(ui, Command::RunAll, if ready { accent_button(ui, text) } else { Button::new(text) });
    }
    chosen
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

/// A line between the bar and what is below would be one box more: space is enough.
pub fn bar_frame(ui: &Ui) -> egui::Frame {
    egui::Frame::new().fill(theme::present(ui).panel).inner_margin(egui::Margin::symmetric(8, 4))
}

//! The bar at the top: menus, the file, groups of views, problems, how far runs are, and the buttons of runs.

use eframe::egui::{
    self, Align, Button, Layout, Popup, PopupCloseBehavior, ProgressBar, Rect, Response, RichText, Sense, Ui,
    UiBuilder, Vec2, pos2, vec2,
};

use super::commands::{Command, CommandState, Menu};
use super::icons::Icon;
use super::palette::Choice;
use super::text::{counted, first_statement, shortened, whole_percent};
use super::theme::{self, BODY, SMALL, STEP, fitted, present};
use super::tiles::panes;
use super::widgets::{self, Tone, scrolled_ui};
use doc::{Problem, capitalised};

pub const HEIGHT: f32 = 40.0;
/// Below this width, in points, the menus share one icon.
const WIDE: f32 = 1360.0;
/// Below this width the groups of views are a list.
const NARROW: f32 = 1100.0;
const LIST: f32 = 104.0;
const PROGRESS: f32 = 12.0 * STEP;
/// The least width in which a shortened status still says something.
const LEAST_STATUS: f32 = 7.0 * STEP;
/// The least width in which a shortened name of a file still says something.
const LEAST_NAME: f32 = 10.0 * STEP;
const LONGEST_NAME: usize = 28;

/// The progress of the runs, or their expected time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Status {
    /// In a few words: "3 of 12 · 4 min left".
    pub text: String,
    pub detail: String,
    /// The share that is done, from 0 to 1, while runs go on.
    pub share: Option<f32>,
}

/// A group of views in the bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupTab {
    pub name: &'static str,
    pub is_open: bool,
    pub is_new: bool,
    pub help: &'static str,
}

/// The contents of the bar.
#[allow(clippy::struct_excessive_bools, reason = "each is a state of its own")]
pub struct BarInput<'a> {
    pub status: &'a Status,
    /// The name of the document's file; none while no document is open.
    pub file: Option<&'a str>,
    pub path: &'a str,
    pub groups: &'a [GroupTab],
    pub problems: &'a [Problem],
    pub panels: [bool; 2],
    pub is_unsaved: bool,
    pub is_running: bool,
    pub is_paused: bool,
    pub command: &'a dyn Fn(Command) -> CommandState,
    /// Returns true for a view that has a tab.
    pub has_view: &'a dyn Fn(&str) -> bool,
    /// True if the keyboard is to come to the bar, and if its first menu is to open.
    pub takes_keyboard: bool,
    pub opens_menu: bool,
}

/// An element of the bar that was pressed.
#[derive(Clone, Debug, PartialEq)]
pub enum BarResponse {
    Choice(Choice),
    Group(usize),
    Problem(usize),
}

/// Draws the bar into the available rectangle.
pub fn bar_ui(ui: &mut Ui, input: &BarInput<'_>) -> Option<BarResponse> {
    let width = ui.ctx().content_rect().width();
    let rect = ui.available_rect_before_wrap().with_max_y(ui.max_rect().top() + HEIGHT);
    ui.advance_cursor_after_rect(rect);
    let inner = rect.shrink2(vec2(STEP, 0.0));
    // The buttons first: the rest gets what they leave.
    let builder = UiBuilder::new().max_rect(inner).layout(Layout::right_to_left(Align::Center));
    let right =
        ui.scope_builder(builder, |ui| if input.file.is_some() { buttons_ui(ui, input) } else { None });
    let end = if input.file.is_some() { right.response.rect.left() - STEP } else { inner.right() };
    let builder = UiBuilder::new()
        .max_rect(inner.with_max_x(end.max(inner.left())))
        .layout(Layout::left_to_right(Align::Center));
    let left = ui.scope_builder(builder, |ui| left_ui(ui, input, width)).inner;
    let line = present(ui).line;
    ui.painter().hline(rect.x_range(), rect.bottom() - 0.5, (1.0, line));
    left.or(right.inner)
}

fn left_ui(ui: &mut Ui, input: &BarInput<'_>, width: f32) -> Option<BarResponse> {
    ui.spacing_mut().item_spacing.x = STEP / 2.0;
    if input.takes_keyboard {
        widgets::focus_next(ui);
    }
    let menus = |ui: &mut Ui| menus_ui(ui, input);
    let chosen = if width >= WIDE || input.file.is_none() {
        // It takes all of the width that it gets.
        let padding = vec2(1.25 * STEP, STEP / 2.0);
        let style = move |style: &mut egui::Style| {
            egui::containers::menu::menu_style(style);
            style.spacing.button_padding = padding;
        };
        let size = vec2(menus_width(ui, padding.x), HEIGHT);
        let row = Layout::left_to_right(Align::Center);
        ui.allocate_ui_with_layout(size, row, |ui| egui::MenuBar::new().style(style).ui(ui, menus).inner)
            .inner
    } else {
        let button = Button::new(Icon::List.atom(widgets::ICON)).frame_when_inactive(false);
        let (button, chosen) = egui::containers::menu::MenuButton::from_button(button).ui(ui, menus);
        if input.opens_menu {
            open_menu(&button);
        }
        button.accessible_name("Menu").on_hover_text("Menu");
        chosen.and_then(|shown| shown.inner)
    };
    let response = chosen.map(BarResponse::Choice);
    let Some(file) = input.file else { return response };
    divider_ui(ui);
    let has_tabs = width >= NARROW;
    let groups = if has_tabs { input.groups.iter().map(|tab| tab_width(ui, tab)).sum() } else { LIST };
    let problems = problems_width(ui, input.problems);
    let free = ui.available_width() - groups - problems - 3.0 * STEP;
    let room = free - 5.0 * STEP; // without the dot and the divider behind it
    let name = shortened(file, LONGEST_NAME);
    if room >= text_width(ui, &name, theme::medium(BODY)).min(LEAST_NAME) {
        let name = fitted(ui.painter(), &name, &theme::medium(BODY), room);
        let name = RichText::new(name).font(theme::medium(BODY));
        ui.add(egui::Label::new(name).selectable(false)).on_hover_text(input.path);
        if input.is_unsaved {
            let (dot, shown) = ui.allocate_exact_size(Vec2::splat(STEP), Sense::hover());
            ui.painter().circle_filled(dot.center(), 4.0, present(ui).warning);
            shown.on_hover_text("Not saved yet");
        }
        divider_ui(ui);
    }
    let group = if has_tabs { tabs_ui(ui, input.groups) } else { list_ui(ui, input.groups) };
    let rest = UiBuilder::new()
        .max_rect(ui.available_rect_before_wrap())
        .layout(Layout::right_to_left(Align::Center));
    let rest = ui.scope_builder(rest, |ui| {
        ui.spacing_mut().item_spacing.x = STEP;
        let queue =
            status_ui(ui, input.status, problems).then_some(BarResponse::Choice(Choice::Show("queue")));
        problems_ui(ui, input).or(queue)
    });
    response.or(group.map(BarResponse::Group)).or(rest.inner)
}

fn menus_width(ui: &Ui, padding: f32) -> f32 {
    let width = |menu: Menu| text_width(ui, menu.text(), egui::FontId::proportional(BODY)) + 2.0 * padding;
    Menu::ALL.into_iter().map(width).sum::<f32>() + 4.0 * ui.spacing().item_spacing.x
}

fn text_width(ui: &Ui, text: &str, font: egui::FontId) -> f32 {
    ui.painter().layout_no_wrap(text.to_owned(), font, egui::Color32::WHITE).size().x
}

fn divider_ui(ui: &mut Ui) {
    let (rect, _) = ui.allocate_exact_size(vec2(2.0 * STEP, 24.0), Sense::hover());
    ui.painter().vline(rect.center().x, rect.y_range(), (1.0, present(ui).line));
}

fn tabs_ui(ui: &mut Ui, groups: &[GroupTab]) -> Option<usize> {
    ui.spacing_mut().item_spacing.x = 0.0;
    let mut chosen = None;
    for (index, group) in groups.iter().enumerate() {
        if tab_ui(ui, group).on_hover_text(group.help).clicked() {
            chosen = Some(index);
        }
    }
    chosen
}

fn tab_font(group: &GroupTab) -> egui::FontId {
    if group.is_open { theme::medium(BODY) } else { egui::FontId::proportional(BODY) }
}

fn tab_width(ui: &Ui, group: &GroupTab) -> f32 {
    text_width(ui, group.name, tab_font(group)) + 2.5 * STEP
}

/// Draws a tab: underlined while it is open, with a dot while it has something new.
fn tab_ui(ui: &mut Ui, group: &GroupTab) -> Response {
    let colours = present(ui);
    let galley = ui.painter().layout_no_wrap(group.name.to_owned(), tab_font(group), colours.text);
    let (rect, response) = ui.allocate_exact_size(vec2(tab_width(ui, group), HEIGHT), Sense::click());
    response.widget_info(|| {
        egui::WidgetInfo::selected(egui::accesskit::Role::Tab, true, group.is_open, group.name)
    });
    let ink = if group.is_open || response.hovered() { colours.text } else { colours.text2 };
    let at = rect.center() - galley.size() / 2.0;
    let end = pos2(at.x + galley.size().x + 5.0, at.y + 3.0);
    ui.painter().galley_with_override_text_color(at, galley, ink);
    if group.is_open {
        let under =
            Rect::from_x_y_ranges(rect.x_range().shrink(STEP), rect.bottom() - 2.5..=rect.bottom() - 0.5);
        ui.painter().rect_filled(under, 1.0, colours.link);
    } else if group.is_new {
        ui.painter().circle_filled(end, 2.5, colours.link);
    }
    if response.has_focus() {
        widgets::focus_ring(ui, rect.shrink2(vec2(2.0, 6.0)));
    }
    response
}

fn list_ui(ui: &mut Ui, groups: &[GroupTab]) -> Option<usize> {
    let mut chosen = None;
    let open = groups.iter().find(|group| group.is_open).map_or("Views", |group| group.name);
    let list = widgets::drop_down("groups", open).width(72.0).show_ui(ui, |ui| {
        for (index, group) in groups.iter().enumerate() {
            let name = if group.is_new { format!("{} •", group.name) } else { group.name.to_owned() };
            if ui.selectable_label(group.is_open, name).clicked() {
                chosen = Some(index);
            }
        }
    });
    list.response.accessible_name("Groups of views");
    chosen
}

/// Draws, from right to left, panel switches and the buttons of runs.
fn buttons_ui(ui: &mut Ui, input: &BarInput<'_>) -> Option<BarResponse> {
    let mut response = None;
    let mut press = |command: Command| response = Some(BarResponse::Choice(Choice::Command(command)));
    let [left, right] = input.panels;
    ui.spacing_mut().item_spacing.x = STEP / 2.0;
    if widgets::toggle_icon_ui(ui, Icon::SidebarRight, Command::ToggleInspector.text(), right).clicked() {
        press(Command::ToggleInspector);
    }
    if widgets::toggle_icon_ui(ui, Icon::Sidebar, Command::ToggleTree.text(), left).clicked() {
        press(Command::ToggleTree);
    }
    divider_ui(ui);
    if let Some(command) = run_buttons_ui(ui, input) {
        press(command);
    }
    response
}

/// Draws Stop, Pause, and Run; while runs are paused, Resume in the place of Run.
fn run_buttons_ui(ui: &mut Ui, input: &BarInput<'_>) -> Option<Command> {
    let mut chosen = None;
    for (command, icon) in [(Command::StopNow, Icon::StopFill), (Command::Pause, Icon::PauseFill)] {
        let colour = present(ui).raised;
        let button = Button::new(icon.atom(widgets::ICON)).fill(colour).min_size(Vec2::splat(theme::CONTROL));
        if explained_ui(ui, button, &(input.command)(command)) {
            chosen = Some(command);
        }
    }
    let command = if input.is_paused { Command::Resume } else { Command::RunAll };
    let state = (input.command)(command);
    // While others go on, it adds to them.
    let adds = state.refusal.is_none() && state.label != command.text();
    let (icon, text) = match command {
        _ if adds => (Icon::Plus, state.label.as_str()),
        Command::RunAll => (Icon::Play, "Run"),
        _ => (Icon::Play, command.text()),
    };
    let name = if adds { text } else { command.text() };
    let run = widgets::primary_ui(ui, state.refusal.is_none(), icon, text).accessible_name(name);
    let explanation = state.explanation();
    if run.on_hover_text(&explanation).on_disabled_hover_text(explanation).clicked() {
        chosen = Some(command);
    }
    chosen
}

/// Draws the status, or what fits of it beside the problems, and its bar where there is room. Returns true if it was
/// pressed.
fn status_ui(ui: &mut Ui, status: &Status, problems: f32) -> bool {
    let room = ui.available_width() - problems - 2.0 * STEP;
    let wanted = text_width(ui, &status.text, egui::FontId::proportional(BODY));
    if room < wanted.min(LEAST_STATUS) {
        return false;
    }
    let label = ui.scope(|ui| {
        ui.set_max_width(room);
        let text = RichText::new(&status.text).color(present(ui).text2);
        let label = egui::Label::new(text).selectable(false).truncate().sense(Sense::click());
        ui.add(label).on_hover_text(format!("{}\nClick to see the queue", status.detail))
    });
    if let Some(share) = status.share.filter(|_| room >= wanted + PROGRESS + STEP) {
        let bar = ProgressBar::new(share).desired_width(PROGRESS).desired_height(STEP);
        ui.add(bar.fill(present(ui).link)).on_hover_text(whole_percent(share.into()));
    }
    label.inner.clicked()
}

/// Draws the menus, made from the commands. Returns what was chosen.
fn menus_ui(ui: &mut Ui, input: &BarInput<'_>) -> Option<Choice> {
    let (mut chosen, mut buttons) = (None, Vec::new());
    for menu in Menu::ALL {
        let shown = ui.menu_button(menu.text(), |ui| {
            ui.set_min_width(220.0);
            scrolled_ui(ui, |ui| {
                if menu == Menu::View {
                    chosen = views_ui(ui, input.has_view).map(Choice::Show).or(chosen.take());
                }
                for (position, group) in menu.groups().iter().enumerate() {
                    if position > 0 {
                        ui.separator();
                    }
                    for &command in *group {
                        if entry_ui(ui, &(input.command)(command)) {
                            chosen = Some(Choice::Command(command));
                            ui.close();
                        }
                    }
                }
            });
        });
        buttons.push(shown.response);
    }
    if !egui::containers::menu::is_in_menu(ui) {
        let is_open = |button: &Response| Popup::is_id_open(ui.ctx(), Popup::default_response_id(button));
        let at = buttons.iter().position(|button| button.has_focus() && is_open(button));
        let pressed = |key| ui.input(|input| input.key_pressed(key));
        let next = match at {
            Some(at) if pressed(egui::Key::ArrowRight) => Some((at + 1) % buttons.len()),
            Some(at) if pressed(egui::Key::ArrowLeft) => Some((at + buttons.len() - 1) % buttons.len()),
            _ => input.opens_menu.then_some(0),
        };
        if let Some(next) = next {
            open_menu(&buttons[next]);
        }
    }
    chosen
}

/// Opens the menu of a button, and gives that the keyboard: the arrow keys go on from there.
fn open_menu(button: &Response) {
    button.request_focus();
    Popup::open_id(&button.ctx, Popup::default_response_id(button));
    button.ctx.request_repaint();
}

/// Draws all plots and views; those that have a tab are ticked.
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

fn entry_ui(ui: &mut Ui, state: &CommandState) -> bool {
    let mut button = Button::new(state.label.as_str());
    let detail = state.mark_and_key(ui.ctx());
    if !detail.is_empty() {
        button = button.shortcut_text(detail);
    }
    explained_ui(ui, button, state)
}

/// Draws a button that says why it cannot be used when it cannot.
fn explained_ui(ui: &mut Ui, button: Button<'_>, state: &CommandState) -> bool {
    let response = ui.add_enabled(state.refusal.is_none(), button).on_hover_text(state.command.tooltip());
    // Without this, the key would be part of the name.
    let response = response.accessible_name(state.command.text());
    response.on_disabled_hover_text(state.explanation()).clicked()
}

/// Returns what the button of problems says, and its tone.
fn problems_text(problems: &[Problem]) -> (Tone, String) {
    let worst = Tone::worst_of(problems).unwrap_or(Tone::Warning);
    let count = problems.iter().filter(|problem| Tone::of(problem) == worst).count();
    match worst {
        Tone::Bad => (worst, counted(count, "problem")),
        Tone::Info => (worst, format!("{count} to choose")),
        Tone::Warning | Tone::Good => (worst, counted(count, "note")),
    }
}

/// Returns the width that problems need at least: that of the sign alone, if there are none.
fn problems_width(ui: &Ui, problems: &[Problem]) -> f32 {
    if problems.is_empty() {
        return widgets::ICON;
    }
    let (_, text) = problems_text(problems);
    let spacing = ui.spacing();
    let around = 2.0 * spacing.button_padding.x + 2.0 * spacing.icon_spacing.max(STEP);
    text_width(ui, &text, egui::FontId::proportional(BODY)) + widgets::ICON + 12.0 + around
}

/// Draws a button with the number of problems, which lists them. Returns what is to be done about one.
fn problems_ui(ui: &mut Ui, input: &BarInput<'_>) -> Option<BarResponse> {
    let problems = input.problems;
    if problems.is_empty() {
        let text = "no problems";
        if text_width(ui, text, egui::FontId::proportional(BODY)) + 3.0 * STEP <= ui.available_width() {
            ui.add(egui::Label::new(RichText::new(text).color(present(ui).text2)).selectable(false));
            ui.spacing_mut().item_spacing.x = STEP / 2.0;
        }
        let (rect, sign) = ui.allocate_exact_size(Vec2::splat(14.0), Sense::hover());
        Icon::CheckCircle.paint(ui.painter(), rect.center(), 15.0, Tone::Good.colour(ui));
        sign.on_hover_text(text);
        return None;
    }
    let (tone, text) = problems_text(problems);
    let colour = tone.colour(ui);
    let icon = tone.icon().coloured(widgets::ICON, Some(colour));
    let caret = Icon::CaretDown.coloured(12.0, Some(colour));
    let button = Button::new((icon, RichText::new(&text).color(colour), caret))
        .fill(colour.gamma_multiply(0.2))
        .min_size(vec2(0.0, theme::CONTROL));
    let button = ui.add(button).accessible_name(&text);
    let list = Popup::menu(&button).close_behavior(PopupCloseBehavior::CloseOnClickOutside).width(360.0);
    list.show(|ui| problem_list_ui(ui, input, tone != Tone::Warning)).and_then(|shown| shown.inner)
}

/// Draws the problems, as high as they are; where the window is lower, they scroll.
fn problem_list_ui(ui: &mut Ui, input: &BarInput<'_>, has_errors: bool) -> Option<BarResponse> {
    let mut chosen = None;
    widgets::scrolled_ui(ui, |ui| {
        for (index, problem) in input.problems.iter().enumerate() {
            if index > 0 {
                ui.separator();
            }
            if let Some(response) = problem_ui(ui, index, problem) {
                chosen = Some(response);
                ui.close();
            }
        }
        if has_errors {
            ui.separator();
            let text = if input.is_running {
                "New runs wait until this is done. Runs in progress keep the settings that they started with."
            } else {
                "Runs can start when this is done."
            };
            widgets::message_ui(ui, Tone::Info, text);
        }
    });
    chosen
}

/// Draws a problem with the ways out of it; its details are folded. Returns the one that was chosen.
fn problem_ui(ui: &mut Ui, index: usize, problem: &Problem) -> Option<BarResponse> {
    let colours = present(ui);
    let tone = Tone::of(problem);
    let place = if problem.location.is_empty() { "Experiment" } else { &problem.location };
    let mut chosen = None;
    ui.horizontal(|ui| {
        let (rect, _) = ui.allocate_exact_size(Vec2::splat(widgets::ICON), Sense::hover());
        tone.icon().paint(ui.painter(), rect.center(), widgets::ICON, tone.colour(ui));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let mut link_ui = |text: &str, response| {
                let link = ui.link(RichText::new(text).color(colours.link));
                if link.accessible_name(format!("{text}: {place}")).clicked() {
                    chosen = Some(response);
                }
            };
            if problem.lacks_folder {
                link_ui("Choose folder…", BarResponse::Problem(index));
                link_ui("Download…", BarResponse::Choice(Choice::Command(Command::DownloadData)));
            } else {
                link_ui("Go to field", BarResponse::Problem(index));
            }
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                let place = RichText::new(place).font(theme::medium(BODY));
                ui.add(egui::Label::new(place).wrap());
            });
        });
    });
    ui.horizontal(|ui| {
        ui.add_space(widgets::ICON + ui.spacing().item_spacing.x);
        ui.vertical(|ui| {
            let line =
                |text: &str, colour| egui::Label::new(RichText::new(text).size(SMALL).color(colour)).wrap();
            ui.add(line(&capitalised(&problem.message), colours.text2));
            widgets::folded_ui(ui, &problem.details);
        });
    });
    chosen
}

#[cfg(test)]
mod tests;

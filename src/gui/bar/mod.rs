//! The bar at the top: menus, the file, groups of views, problems, how far runs are, and the buttons of runs.

mod problems;

use eframe::egui::{
    self, Align, Button, Layout, ProgressBar, Rect, Response, RichText, Sense, Ui, UiBuilder, Vec2, pos2,
    vec2,
};

use super::commands::{Command, CommandContext, Menu};
use super::icons::Icon;
use super::menu::{explained, menus_ui};
use super::palette::Choice;
use super::text::{shortened, whole_percent};
use super::theme::{self, BODY, STEP, fitted, present};
use super::widgets;
use problems::{problems_ui, problems_width};

/// Height of the bar, in points.
pub const HEIGHT: f32 = 40.0;
/// Below this width, in points, the menus share one icon.
const WIDE: f32 = 1360.0;
/// Below this width the groups of views are a list.
const NARROW: f32 = 1100.0;
/// Width of that list with its frame.
const LIST: f32 = 104.0;
/// Width of the bar of progress.
const PROGRESS: f32 = 12.0 * STEP;
/// The least width in which a shortened status still says something.
const LEAST_STATUS: f32 = 7.0 * STEP;
/// The least width in which a shortened name of a file still says something.
const LEAST_NAME: f32 = 10.0 * STEP;
/// The most letters of a file's name.
const LONGEST_NAME: usize = 28;

/// What the list beside Run offers.
const MORE: [Command; 8] = [
    Command::RunAll,
    Command::RunSelected,
    Command::RetryFailed,
    Command::Resume,
    Command::StopSelected,
    Command::StopAfterStage,
    Command::StopNow,
    Command::Sharing,
];

/// How far the runs are, or what they would take.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Status {
    /// In a few words: "3 of 12 · 4 min left".
    pub text: String,
    /// More about it.
    pub detail: String,
    /// The share that is done, from 0 to 1, while runs go on.
    pub share: Option<f32>,
}

/// A group of views in the bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupTab {
    /// Its name: "Pruning".
    pub name: &'static str,
    /// Whether its views are on the screen.
    pub is_open: bool,
    /// Whether it has views that have got their first data since it was open.
    pub is_new: bool,
    /// What its views show, in one sentence.
    pub help: &'static str,
}

/// A problem of the document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BarProblem {
    /// Where: "winning ticket, stage 4.1 Prune, Amount".
    pub place: String,
    /// What is wrong, and what to do.
    pub text: String,
    /// Whether runs cannot start until it is mended.
    pub is_error: bool,
    /// More lines, such as the folders that were searched; may be empty.
    pub details: String,
    /// What can be done about it at once: "Choose folder…"; else a click goes to the field.
    pub action: Option<&'static str>,
}

/// What the bar shows.
pub struct BarInput<'a> {
    /// What commands need.
    pub context: &'a CommandContext,
    /// How far the runs are.
    pub status: &'a Status,
    /// The name of the document's file; none while no document is open.
    pub file: Option<&'a str>,
    /// Its whole path, for the tooltip.
    pub path: &'a str,
    /// The groups of views, in order.
    pub groups: &'a [GroupTab],
    /// The problems of the document, errors first.
    pub problems: &'a [BarProblem],
    /// Whether the panels at the left and at the right are open.
    pub panels: [bool; 2],
    /// The state of what a command switches.
    pub is_on: &'a dyn Fn(Command) -> Option<bool>,
    /// Whether a view is on the screen.
    pub has_view: &'a dyn Fn(&str) -> bool,
}

/// What was pressed.
#[derive(Clone, Debug, PartialEq)]
pub enum BarResponse {
    /// A menu entry or a button.
    Choice(Choice),
    /// A group, by position.
    Group(usize),
    /// A problem, by position.
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
    let menus = |ui: &mut Ui| menus_ui(ui, input.context, input.is_on, input.has_view);
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
        if input.context.unsaved {
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
        problems_ui(ui, input.problems, input.context.running).map(BarResponse::Problem).or(queue)
    });
    response.or(group.map(BarResponse::Group)).or(rest.inner)
}

/// The width of the names of all menus.
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

/// A tab is underlined while it is open, and has a dot while it has something new.
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

/// From right to left: panel switches and the buttons of runs.
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
    if let Some(command) = run_buttons_ui(ui, input.context) {
        press(command);
    }
    response
}

/// Stop, Pause, and Run with the other ways to start; while runs are paused, Resume in the place of Run.
fn run_buttons_ui(ui: &mut Ui, context: &CommandContext) -> Option<Command> {
    let mut chosen = None;
    let mut icon = |ui: &mut Ui, command: Command, icon: Icon| {
        let colour = present(ui).raised;
        let button = Button::new(icon.atom(widgets::ICON)).fill(colour).min_size(Vec2::splat(theme::CONTROL));
        if explained(ui, button, command, context) {
            chosen = Some(command);
        }
    };
    icon(ui, Command::StopNow, Icon::StopFill);
    icon(ui, Command::Pause, Icon::PauseFill);
    let more = Button::new(Icon::CaretDown.atom(12.0)).min_size(vec2(20.0, theme::CONTROL));
    let (button, list) = egui::containers::menu::MenuButton::from_button(more).ui(ui, |ui| {
        let mut chosen = None;
        for command in MORE {
            if explained(ui, Button::new(command.label(context)), command, context) {
                chosen = Some(command);
                ui.close();
            }
        }
        chosen
    });
    button.accessible_name("More ways to run").on_hover_text("More ways to run");
    let command = if context.paused { Command::Resume } else { Command::RunAll };
    let refusal = command.refusal(context);
    // While others go on, it adds to them.
    let adds = context.running && !context.paused && refusal.is_none();
    let (icon, text) = if adds {
        (Icon::Plus, command.label(context))
    } else if context.paused {
        (Icon::Play, command.text().to_owned())
    } else {
        (Icon::Play, "Run".to_owned())
    };
    let name = if adds { text.as_str() } else { command.text() };
    let run = widgets::primary_ui(ui, refusal.is_none(), icon, &text).accessible_name(name);
    let tooltip = command.tooltip();
    let run = match refusal {
        None => run.on_hover_text(tooltip),
        Some(why) => run.on_disabled_hover_text(format!("{tooltip}. {why}")),
    };
    if run.clicked() {
        chosen = Some(command);
    }
    chosen.or(list.and_then(|shown| shown.inner))
}

/// The status, or what fits of it beside the problems, and its bar where there is room; whether it was pressed.
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

#[cfg(test)]
mod tests;

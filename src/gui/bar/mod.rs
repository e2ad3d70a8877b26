//! The bar at the top: menus, the file, groups of views, problems, how far runs are, and the buttons of runs.

use eframe::egui::{
    self, Align, Button, Layout, Popup, PopupCloseBehavior, ProgressBar, Rect, Response, RichText, Sense, Ui,
    UiBuilder, Vec2, pos2, vec2,
};

use super::commands::{Command, CommandContext, Menu};
use super::icons::Icon;
use super::menu::{explained, menus_ui};
use super::palette::Choice;
use super::text::{counted, shortened, whole_percent};
use super::theme::{self, BODY, SMALL, STEP, present};
use super::widgets::{self, Tone};

/// Height of the bar, in points.
pub const HEIGHT: f32 = 40.0;
/// Below this width, in points, the menus share one icon.
const WIDE: f32 = 1360.0;
/// Below this width the groups of views are a list, and progress has no bar.
const NARROW: f32 = 1100.0;
/// Below this width the file has no name: the title of the window has it.
const SMALL_WINDOW: f32 = 840.0;
/// The most letters of a file's name.
const LONGEST_NAME: usize = 28;

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
    // The right part first: the left one gets what is left of the bar.
    let builder = UiBuilder::new().max_rect(inner).layout(Layout::right_to_left(Align::Center));
    let right = ui.scope_builder(builder, |ui| {
        ui.spacing_mut().item_spacing.x = STEP;
        if input.file.is_some() { right_ui(ui, input, width) } else { None }
    });
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
    let mut response = chosen.map(BarResponse::Choice);
    let Some(file) = input.file else { return response };
    divider_ui(ui);
    if width >= SMALL_WINDOW {
        let name = RichText::new(shortened(file, LONGEST_NAME)).font(theme::medium(BODY));
        ui.add(egui::Label::new(name).selectable(false)).on_hover_text(input.path);
        if input.context.unsaved {
            let (dot, shown) = ui.allocate_exact_size(Vec2::splat(STEP), Sense::hover());
            ui.painter().circle_filled(dot.center(), 4.0, present(ui).warning);
            shown.on_hover_text("Not saved yet");
        }
        divider_ui(ui);
    }
    let group = if width >= NARROW { tabs_ui(ui, input.groups) } else { list_ui(ui, input.groups) };
    response = response.or(group.map(BarResponse::Group));
    response
}

/// The width of the names of all menus.
fn menus_width(ui: &Ui, padding: f32) -> f32 {
    let font = egui::FontId::proportional(BODY);
    let width = |menu: Menu| {
        let name = menu.text().to_owned();
        ui.painter().layout_no_wrap(name, font.clone(), egui::Color32::WHITE).size().x + 2.0 * padding
    };
    Menu::ALL.into_iter().map(width).sum::<f32>() + 4.0 * ui.spacing().item_spacing.x
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

/// A tab is underlined while it is open, and has a dot while it has something new.
fn tab_ui(ui: &mut Ui, group: &GroupTab) -> Response {
    let colours = present(ui);
    let font = if group.is_open { theme::medium(BODY) } else { egui::FontId::proportional(BODY) };
    let galley = ui.painter().layout_no_wrap(group.name.to_owned(), font, colours.text);
    let (rect, response) = ui.allocate_exact_size(vec2(galley.size().x + 2.5 * STEP, HEIGHT), Sense::click());
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

/// From right to left: panel switches, buttons, status, problems.
fn right_ui(ui: &mut Ui, input: &BarInput<'_>, width: f32) -> Option<BarResponse> {
    let mut response = None;
    let mut press = |command: Command| response = Some(BarResponse::Choice(Choice::Command(command)));
    let [left, right] = input.panels;
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing.x = STEP / 2.0;
        if widgets::toggle_icon_ui(ui, Icon::SidebarRight, Command::ToggleProperties.text(), right).clicked()
        {
            press(Command::ToggleProperties);
        }
        if widgets::toggle_icon_ui(ui, Icon::Sidebar, Command::ToggleTree.text(), left).clicked() {
            press(Command::ToggleTree);
        }
        divider_ui(ui);
        if let Some(command) = run_buttons_ui(ui, input.context) {
            press(command);
        }
    });
    status_ui(ui, input.status, width);
    let problem = problems_ui(ui, input.problems, input.context.running, width);
    response.or(problem.map(BarResponse::Problem))
}

/// Stop, Pause or Resume, and Run with the other ways to start.
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
    if context.paused {
        icon(ui, Command::Resume, Icon::PlayFill);
    } else {
        icon(ui, Command::Pause, Icon::PauseFill);
    }
    let more = Button::new(Icon::CaretDown.atom(12.0)).min_size(vec2(20.0, theme::CONTROL));
    let (button, list) = egui::containers::menu::MenuButton::from_button(more).ui(ui, |ui| {
        let mut chosen = None;
        for command in
            [Command::RunAll, Command::RunArm, Command::Resume, Command::StopAfterStage, Command::StopNow]
        {
            if explained(ui, Button::new(command.text()), command, context) {
                chosen = Some(command);
                ui.close();
            }
        }
        chosen
    });
    button.accessible_name("More ways to run").on_hover_text("More ways to run");
    let refusal = Command::RunAll.refusal(context);
    let run =
        widgets::primary_ui(ui, refusal.is_none(), Icon::Play, "Run").accessible_name(Command::RunAll.text());
    let tooltip = Command::RunAll.tooltip();
    let run = match refusal {
        None => run.on_hover_text(tooltip),
        Some(why) => run.on_disabled_hover_text(format!("{tooltip}. {why}")),
    };
    if run.clicked() {
        chosen = Some(Command::RunAll);
    }
    chosen.or(list.and_then(|shown| shown.inner))
}

fn status_ui(ui: &mut Ui, status: &Status, width: f32) {
    let text = RichText::new(&status.text).color(present(ui).text2);
    ui.add(egui::Label::new(text).selectable(false).truncate()).on_hover_text(&status.detail);
    if let Some(share) = status.share.filter(|_| width >= NARROW) {
        let bar = ProgressBar::new(share).desired_width(12.0 * STEP).desired_height(STEP);
        ui.add(bar.fill(present(ui).link)).on_hover_text(whole_percent(share.into()));
    }
}

/// How many problems there are; a click lists them.
fn problems_ui(ui: &mut Ui, problems: &[BarProblem], is_running: bool, width: f32) -> Option<usize> {
    let errors = problems.iter().filter(|problem| problem.is_error).count();
    if problems.is_empty() {
        if width >= NARROW {
            let colour = Tone::Good.colour(ui);
            ui.add(egui::Label::new(RichText::new("no problems").color(present(ui).text2)).selectable(false));
            ui.spacing_mut().item_spacing.x = STEP / 2.0;
            let (rect, _) = ui.allocate_exact_size(Vec2::splat(14.0), Sense::hover());
            Icon::CheckCircle.paint(ui.painter(), rect.center(), 15.0, colour);
        }
        return None;
    }
    let (tone, text) = match errors {
        0 => (Tone::Warning, counted(problems.len(), "note")),
        count => (Tone::Bad, counted(count, "problem")),
    };
    let colour = tone.colour(ui);
    let icon = tone.icon().coloured(widgets::ICON, Some(colour));
    let caret = Icon::CaretDown.coloured(12.0, Some(colour));
    let button = Button::new((icon, RichText::new(&text).color(colour), caret))
        .fill(colour.gamma_multiply(0.2))
        .min_size(vec2(0.0, theme::CONTROL));
    let button = ui.add(button).accessible_name(&text);
    let list = Popup::menu(&button).close_behavior(PopupCloseBehavior::CloseOnClickOutside).width(360.0);
    list.show(|ui| problem_list_ui(ui, problems, errors > 0, is_running)).and_then(|shown| shown.inner)
}

fn problem_list_ui(
    ui: &mut Ui,
    problems: &[BarProblem],
    has_errors: bool,
    is_running: bool,
) -> Option<usize> {
    let mut chosen = None;
    egui::ScrollArea::vertical().max_height(320.0).show(ui, |ui| {
        for (index, problem) in problems.iter().enumerate() {
            if index > 0 {
                ui.separator();
            }
            if problem_ui(ui, problem) {
                chosen = Some(index);
                ui.close();
            }
        }
        if has_errors {
            ui.separator();
            let text = if is_running {
                "New runs wait until this is mended. Runs in progress keep the settings that they started with."
            } else {
                "Runs can start when this is mended."
            };
            widgets::message_ui(ui, Tone::Info, text);
        }
    });
    chosen
}

fn problem_ui(ui: &mut Ui, problem: &BarProblem) -> bool {
    let colours = present(ui);
    let tone = if problem.is_error { Tone::Bad } else { Tone::Warning };
    let mut is_chosen = false;
    ui.horizontal(|ui| {
        let (rect, _) = ui.allocate_exact_size(Vec2::splat(widgets::ICON), Sense::hover());
        tone.icon().paint(ui.painter(), rect.center(), widgets::ICON, tone.colour(ui));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let action = problem.action.unwrap_or("Go to field");
            let name = format!("{action}: {}", problem.place);
            is_chosen = ui.link(RichText::new(action).color(colours.link)).accessible_name(name).clicked();
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                let place = RichText::new(&problem.place).font(theme::medium(BODY));
                ui.add(egui::Label::new(place).wrap());
            });
        });
    });
    ui.horizontal(|ui| {
        ui.add_space(widgets::ICON + ui.spacing().item_spacing.x);
        ui.add(egui::Label::new(RichText::new(&problem.text).size(SMALL).color(colours.text2)).wrap());
    });
    is_chosen
}

#[cfg(test)]
mod tests;

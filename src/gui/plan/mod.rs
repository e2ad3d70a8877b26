//! The plan of an arm as a list of sentences that can be read, selected, moved, copied and nested.
//!
//! Rows are drawn first and say what the user wants; the plan changes once afterwards, so that nothing moves under
//! the pointer in the middle of a frame.

mod action;
mod menu;
mod outline;
mod row;

use eframe::egui::containers::menu::MenuButton;
use eframe::egui::{Align, Button, Event, Label, Layout, RichText, ScrollArea, Ui, Vec2, vec2};

use super::form::FormContext;
use super::icons::Icon;
use super::theme::{CONTROL, STEP, present};
use super::widgets;
pub use action::Action;
use action::insert_after;
use doc::Stage;
use form::{Stored, ron_text};
pub use outline::{NESTED, moved_to, stage_at, stage_at_mut, stage_in};

/// What the user wants of the plan.
#[allow(clippy::large_enum_variant, reason = "there is one of them in a frame at most")]
enum PlanRequest {
    Select(Vec<usize>),
    Act(Action, Vec<usize>),
    Add(Vec<Stage>),
    AddInto(Vec<usize>, Stage),
    Move { from: Vec<usize>, to: Vec<usize> },
}

/// Draws the plan of an arm, with its title. `selected` is the path of a stage through nested plans; `context` has the place
/// of the plan, and the problems, which are marked at their stages. Returns whether another stage is selected, or none any
/// more.
pub fn plan_ui(
    ui: &mut Ui,
    arm: &str,
    plan: &mut Vec<Stage>,
    selected: &mut Option<Vec<usize>>,
    context: &FormContext,
) -> bool {
    if selected.as_ref().is_some_and(|path| stage_at_mut(plan, path).is_none()) {
        *selected = None;
    }
    let before = selected.clone();
    let title = title_ui(ui, arm, plan, selected.as_deref());
    let scroll = ScrollArea::vertical().id_salt("plan").auto_shrink([false, false]);
    let rows = scroll.show(ui, |ui| row::rows_ui(ui, plan, selected.as_deref(), context)).inner;
    let keyboard = if rows.has_keyboard { keyboard_request(ui, plan, selected.as_deref()) } else { None };
    if keyboard.is_some() {
        row::follow_with_keyboard(ui);
    }
    if let Some(request) = title.or(rows.request).or(keyboard) {
        carry_out(request, plan, selected);
    }
    *selected != before
}

/// Does what is wanted, and selects the stage that results.
fn carry_out(request: PlanRequest, plan: &mut Vec<Stage>, selected: &mut Option<Vec<usize>>) {
    match request {
        PlanRequest::Select(path) => *selected = Some(path),
        PlanRequest::Act(action, path) => action.apply(plan, &path, selected),
        PlanRequest::Add(stages) => {
            for stage in stages {
                *selected = Some(insert_after(plan, selected.as_deref(), stage));
            }
        }
        PlanRequest::AddInto(path, stage) => {
            let path = [path.as_slice(), &[0]].concat();
            if outline::insert(plan, &path, stage) {
                *selected = Some(path);
            }
        }
        PlanRequest::Move { from, to } => {
            if let Some(moved) = outline::relocate(plan, &from, &to) {
                *selected = Some(moved);
            }
        }
    }
}

/// Draws the title with the arm, the menu of stages that can be added, and that of what can be done with the selected one.
fn title_ui(ui: &mut Ui, arm: &str, plan: &[Stage], selected: Option<&[usize]>) -> Option<PlanRequest> {
    ui.horizontal(|ui| {
        widgets::title_ui(ui, "Plan");
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.spacing_mut().item_spacing.x = 0.0;
            let (add, menu) = icon_menu(Icon::Plus).ui(ui, menu::menu_ui);
            add.accessible_name("Add stage")
                .on_hover_text("Add a stage after the selected one, or at the end");
            let added = menu.and_then(|menu| menu.inner).map(|stage| PlanRequest::Add(vec![stage]));
            let (more, menu) = icon_menu(Icon::DotsThree).ui(ui, |ui| actions_ui(ui, plan, selected));
            more.accessible_name("Stage actions").on_hover_text("Move, copy or remove the selected stage");
            let acted = menu.and_then(|menu| menu.inner);
            ui.add_space(STEP / 2.0);
            let rest = ui.available_width();
            ui.allocate_ui_with_layout(vec2(rest, CONTROL), Layout::left_to_right(Align::Center), |ui| {
                let arm = RichText::new(arm).color(present(ui).text3);
                ui.add(Label::new(arm).selectable(false).truncate());
            });
            added.or(acted)
        })
        .inner
    })
    .inner
}

fn icon_menu(icon: Icon) -> MenuButton<'static> {
    let button = Button::new(icon.atom(widgets::ICON)).min_size(Vec2::splat(CONTROL));
    MenuButton::from_button(button.frame_when_inactive(false))
}

/// What can be done with the stage at a path, as entries of a menu.
fn actions_ui(ui: &mut Ui, plan: &[Stage], path: Option<&[usize]>) -> Option<PlanRequest> {
    let mut request = None;
    for action in Action::ALL {
        let why_not = action.why_not(plan, path);
        let key = action.shortcut().map(|key| ui.ctx().format_shortcut(&key)).unwrap_or_default();
        let entry = widgets::ghost(action.icon(), action.name()).shortcut_text(key);
        let entry = ui.add_enabled(why_not.is_none(), entry).accessible_name(action.name());
        if entry.on_disabled_hover_text(why_not.unwrap_or_default()).clicked()
            && let Some(path) = path
        {
            request = Some(PlanRequest::Act(action, path.to_vec()));
            ui.close();
        }
    }
    request
}

/// What the keys ask for while a row has the keyboard. Copying puts the stage's text of the file into the clipboard.
fn keyboard_request(ui: &Ui, plan: &mut [Stage], selected: Option<&[usize]>) -> Option<PlanRequest> {
    let path = selected?;
    for action in Action::ALL {
        let is_pressed = |shortcut| ui.input_mut(|input| input.consume_shortcut(&shortcut));
        if action.shortcut().is_some_and(is_pressed) {
            return Some(PlanRequest::Act(action, path.to_vec()));
        }
    }
    let events = ui.input(|input| input.events.clone());
    for event in events {
        match event {
            Event::Copy => copy(ui, plan, path),
            Event::Cut => {
                copy(ui, plan, path);
                return Some(PlanRequest::Act(Action::Remove, path.to_vec()));
            }
            Event::Paste(text) => return stages_of(&text).map(PlanRequest::Add),
            _ => {}
        }
    }
    None
}

fn copy(ui: &Ui, plan: &mut [Stage], path: &[usize]) {
    if let Some(stage) = stage_at_mut(plan, path) {
        ui.ctx().copy_text(stage.to_ron());
    }
}

/// The stages in a text of the file format: one, or a list of them.
fn stages_of(text: &str) -> Option<Vec<Stage>> {
    let text = text.trim().trim_end_matches(',');
    let single = ron_text::from_str::<Stage>(text).map(|stage| vec![stage]);
    single.or_else(|_| ron_text::from_str::<Vec<Stage>>(text)).ok()
}

/// The text in an empty plan.
fn empty_ui(ui: &mut Ui) {
    ui.label(RichText::new("Nothing yet. Add a first stage, such as Train.").weak());
}

/// Does something with the stage at a path. Returns the path of the stage that is selected then.
pub fn act(plan: &mut Vec<Stage>, path: &[usize], action: Action) -> Option<Vec<usize>> {
    let mut selected = Some(path.to_vec());
    action.apply(plan, path, &mut selected);
    selected
}

/// All stages that can be added: their label in menus, and what they do.
pub fn addable() -> impl Iterator<Item = (&'static str, &'static str)> {
    menu::entries().into_iter().map(|entry| (entry.label, entry.help))
}

/// Adds the stage with this label after the selected one, or at the end. Returns its path.
pub fn add(plan: &mut Vec<Stage>, selected: Option<&[usize]>, label: &str) -> Option<Vec<usize>> {
    let entry = menu::entries().into_iter().find(|entry| entry.label == label)?;
    Some(insert_after(plan, selected, entry.stage))
}

/// All stages that can be added, for tests that walk them.
#[cfg(test)]
pub(super) fn all_stages() -> Vec<Stage> {
    menu::entries().into_iter().map(|entry| entry.stage).collect()
}

#[cfg(test)]
mod tests;

//! The plan of an arm as a list of sentences that can be read, selected, moved, copied and nested.
//!
//! Rows are drawn first and say what the user wants; the plan changes once afterwards, so that nothing moves under
//! the pointer in the middle of a frame.

mod outline;
mod row;

use eframe::egui::containers::menu::MenuButton;
use eframe::egui::{
    Align, Button, Context, Event, KeyboardShortcut, Label, Layout, RichText, ScrollArea, Ui, Vec2, vec2,
};

use crate::commands::Command;
use crate::form::FormContext;
use crate::icons::Icon;
use crate::theme::{CONTROL, STEP, present};
use crate::widgets;
use doc::Stage;
use form::{Choice, Node, Stored, ron_text};
use outline::{above, below, insert, paths, relocate, take};

pub use outline::{NESTED, moved_to, stage_at, stage_at_mut, stage_in};
pub use row::follow_with_keyboard;

/// A change of the plan that the user asks for.
#[allow(clippy::large_enum_variant, reason = "there is one of them in a frame at most")]
enum PlanRequest {
    Select(Vec<usize>),
    Act(Action, Vec<usize>),
    Add(Vec<Stage>),
    AddInto(Vec<usize>, Stage),
    Move {
        from: Vec<usize>,
        to: Vec<usize>,
    },
    /// To say why what was pasted is no stage.
    Refuse(String),
    /// To do something with the stage that concerns more than the plan.
    Do(Command, Vec<usize>),
}

/// What menus offer beside actions on the plan.
const COMMANDS: [(Icon, &str, Command); 3] = [
    (Icon::Copy, "Copy", Command::CopyStage),
    (Icon::ArrowDown, "Paste below", Command::PasteStage),
    (Icon::Stack, "Apply to all arms", Command::ApplyStage),
];

/// Draws the plan of an arm, with its title. `selected` is the path of a stage through nested plans; `context` has
/// the place of the plan, and the problems, which are marked at their stages. Returns true if another stage is
/// selected, or none any more, a command on the selected one that concerns more than the plan, and why what was pasted is no
/// stage.
pub fn plan_ui(
    ui: &mut Ui,
    arm: &str,
    plan: &mut Vec<Stage>,
    selected: &mut Option<Vec<usize>>,
    context: &FormContext,
) -> (bool, Option<Command>, Option<String>) {
    if selected.as_ref().is_some_and(|path| stage_at_mut(plan, path).is_none()) {
        *selected = None;
    }
    let before = selected.clone();
    let title = title_ui(ui, arm, plan, selected.as_deref());
    let scroll = ScrollArea::vertical().id_salt("plan").auto_shrink([false, false]);
    let rows = scroll.show(ui, |ui| row::rows_ui(ui, plan, selected.as_deref(), context)).inner;
    let keyboard = if rows.has_keyboard { keyboard_request(ui, plan, selected.as_deref()) } else { None };
    if keyboard.is_some() {
        follow_with_keyboard(ui.ctx());
    }
    let request = title.or(rows.request).or(keyboard);
    let command = if let Some(PlanRequest::Do(command, _)) = &request { Some(*command) } else { None };
    let refusal = if let Some(PlanRequest::Refuse(why)) = &request { Some(why.clone()) } else { None };
    if let Some(request) = request {
        apply_request(request, plan, selected);
    }
    (*selected != before, command, refusal)
}

fn apply_request(request: PlanRequest, plan: &mut Vec<Stage>, selected: &mut Option<Vec<usize>>) {
    match request {
        PlanRequest::Refuse(_) => {}
        PlanRequest::Select(path) | PlanRequest::Do(_, path) => *selected = Some(path),
        PlanRequest::Act(action, path) => *selected = action.apply(plan, &path),
        PlanRequest::Add(stages) => {
            for stage in stages {
                *selected = Some(insert_after(plan, selected.as_deref(), stage));
            }
        }
        PlanRequest::AddInto(path, stage) => {
            let path = [path.as_slice(), &[0]].concat();
            if insert(plan, &path, stage) {
                *selected = Some(path);
            }
        }
        PlanRequest::Move { from, to } => {
            if let Some(moved) = relocate(plan, &from, &to) {
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
            let (add, menu) = icon_menu(Icon::Plus).ui(ui, menu_ui);
            add.accessible_name("Add stage")
                .on_hover_text("Add a stage after the selected one, or at the end");
            let added = menu.and_then(|menu| menu.inner).map(|stage| PlanRequest::Add(vec![stage]));
            let (more, menu) = icon_menu(Icon::DotsThree).ui(ui, |ui| actions_ui(ui, plan, selected));
            more.accessible_name("Stage actions")
                .on_hover_text("Move, copy or remove the selected stage, or give it to all arms");
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

fn actions_ui(ui: &mut Ui, plan: &[Stage], path: Option<&[usize]>) -> Option<PlanRequest> {
    let mut request = None;
    for action in Action::ALL {
        let why_not = action.why_not(plan, path);
        let ActionEntry { name, icon, shortcut } = action.entry();
        let key = shortcut.map(|key| ui.ctx().format_shortcut(&key)).unwrap_or_default();
        let entry = widgets::ghost(icon, name).shortcut_text(key);
        let entry = ui.add_enabled(why_not.is_none(), entry).accessible_name(name);
        if entry.on_disabled_hover_text(why_not.unwrap_or_default()).clicked()
            && let Some(path) = path
        {
            request = Some(PlanRequest::Act(action, path.to_vec()));
            ui.close();
        }
    }
    for (icon, name, command) in COMMANDS {
        let is_chosen = ui.add_enabled_ui(path.is_some(), |ui| widgets::entry_ui(ui, icon, name)).inner;
        request = path.filter(|_| is_chosen).map(|path| PlanRequest::Do(command, path.to_vec())).or(request);
    }
    request
}

/// Returns what the keys ask for while a row has the keyboard. Copying puts the stage's text of the file into the
/// clipboard.
fn keyboard_request(ui: &Ui, plan: &mut [Stage], selected: Option<&[usize]>) -> Option<PlanRequest> {
    let events = ui.input(|input| input.events.clone());
    let pasted =
        events.iter().find_map(|event| if let Event::Paste(text) = event { Some(text) } else { None });
    if let Some(text) = pasted {
        return Some(stages_of(text).map_or_else(PlanRequest::Refuse, PlanRequest::Add));
    }
    let path = selected?;
    for action in Action::ALL {
        let is_pressed = |shortcut| ui.input_mut(|input| input.consume_shortcut(&shortcut));
        if action.entry().shortcut.is_some_and(is_pressed) {
            return Some(PlanRequest::Act(action, path.to_vec()));
        }
    }
    let cuts = events.contains(&Event::Cut);
    if cuts || events.contains(&Event::Copy) {
        copy(ui.ctx(), plan, path);
    }
    cuts.then(|| PlanRequest::Act(Action::Remove, path.to_vec()))
}

/// Puts the text of a stage into the clipboard.
pub fn copy(ctx: &Context, plan: &mut [Stage], path: &[usize]) {
    if let Some(stage) = stage_at_mut(plan, path) {
        ctx.copy_text(stage.to_ron());
    }
}

/// Returns the stages in a text of the file format: one, or a list of them.
///
/// # Errors
/// Why it is neither.
fn stages_of(text: &str) -> Result<Vec<Stage>, String> {
    let text = text.trim().trim_end_matches(',');
    let stages = if text.starts_with('[') {
        ron_text::from_str::<Vec<Stage>>(text)
    } else {
        ron_text::from_str::<Stage>(text).map(|stage| vec![stage])
    };
    stages.map_err(|error| error.to_string())
}

/// What became of a plan that was given a stage of another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Applied {
    Added,
    Replaced,
    /// It has an equal one.
    Same,
}

/// Gives the stage at `path` of one plan to another: in the place of its stage of the same kind, the first for the first
/// and so on, else at the same path, or at the end where there is none.
pub fn apply(from: &[Stage], path: &[usize], to: &mut Vec<Stage>) -> Applied {
    let Some(stage) = stage_in(from, path) else { return Applied::Same };
    let kind = stage.about().label;
    let of_kind = |plan: &[Stage]| -> Vec<Vec<usize>> {
        let is_one = |at: &Vec<usize>| stage_in(plan, at).is_some_and(|other| other.about().label == kind);
        paths(plan, &[]).into_iter().filter(is_one).collect()
    };
    let nth = of_kind(from).iter().position(|at| at == path).unwrap_or_default();
    if let Some(known) = of_kind(to).get(nth).and_then(|at| stage_at_mut(to, at)) {
        let is_same = known == stage;
        known.clone_from(stage);
        return if is_same { Applied::Same } else { Applied::Replaced };
    }
    if !insert(to, path, stage.clone()) {
        to.insert(path[0].min(to.len()), stage.clone());
    }
    Applied::Added
}

/// Adds the stage with this label after the selected one, or at the end. Returns its path.
pub fn add(plan: &mut Vec<Stage>, selected: Option<&[usize]>, label: &str) -> Option<Vec<usize>> {
    let entry = entries().into_iter().find(|entry| entry.label == label)?;
    Some(insert_after(plan, selected, entry.stage))
}

/// An action on the selected stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// One row up, into and out of nested plans.
    MoveUp,
    MoveDown,
    Duplicate,
    /// Makes it the only stage of a repetition.
    Repeat,
    Remove,
}

/// The look of an action in menus.
pub struct ActionEntry {
    pub name: &'static str,
    pub icon: Icon,
    pub shortcut: Option<KeyboardShortcut>,
}

impl Action {
    pub const ALL: [Self; 5] = [Self::MoveUp, Self::MoveDown, Self::Duplicate, Self::Repeat, Self::Remove];

    /// Returns its name, icon and key, while a row of the plan has the keyboard.
    pub const fn entry(self) -> ActionEntry {
        let (name, icon, shortcut) = match self {
            Self::MoveUp => ("Move up", Icon::ArrowUp, Some(widgets::MOVE_UP)),
            Self::MoveDown => ("Move down", Icon::ArrowDown, Some(widgets::MOVE_DOWN)),
            Self::Duplicate => ("Duplicate", Icon::Copy, Some(widgets::DUPLICATE)),
            Self::Repeat => ("Repeat this", Icon::Repeat, None),
            Self::Remove => ("Remove", Icon::Trash, Some(widgets::REMOVE)),
        };
        ActionEntry { name, icon, shortcut }
    }

    /// Returns why it cannot be done to the stage at `path` now, if so.
    pub fn why_not(self, plan: &[Stage], path: Option<&[usize]>) -> Option<&'static str> {
        let Some(path) = path.filter(|path| stage_in(plan, path).is_some()) else {
            return Some("Select a stage first");
        };
        match self {
            Self::MoveUp if above(plan, path).is_none() => Some("It is the first stage"),
            Self::MoveDown if below(plan, path).is_none() => Some("It is the last stage"),
            Self::MoveUp | Self::MoveDown | Self::Duplicate | Self::Repeat | Self::Remove => None,
        }
    }

    /// Does it to the stage at `path`. Returns the path of the stage that is selected then. Where it is not possible, nothing
    /// changes.
    pub fn apply(self, plan: &mut Vec<Stage>, path: &[usize]) -> Option<Vec<usize>> {
        let stage = stage_at_mut(plan, path)?;
        let own = Some(path.to_vec());
        match self {
            Self::MoveUp => above(plan, path).and_then(|to| relocate(plan, path, &to)).or(own),
            Self::MoveDown => below(plan, path).and_then(|to| relocate(plan, path, &to)).or(own),
            Self::Duplicate => {
                let copy = stage.clone();
                Some(insert_after(plan, Some(path), copy))
            }
            Self::Repeat => {
                let body = vec![stage.clone()];
                *stage = Stage::Repeat(doc::stage::Repeat { body, ..Default::default() });
                own
            }
            Self::Remove => {
                take(plan, path);
                neighbour(plan, path)
            }
        }
    }
}

/// Returns the stage to select when the one at `path` has been removed: the next one, else the one before, else the
/// outer one.
fn neighbour(plan: &mut [Stage], path: &[usize]) -> Option<Vec<usize>> {
    let (&index, parent) = path.split_last()?;
    let before = [parent, &[index.saturating_sub(1)]].concat();
    let mut candidates = [path.to_vec(), before, parent.to_vec()].into_iter();
    candidates.find(|candidate| stage_at_mut(plan, candidate).is_some())
}

/// Puts a stage after the selected one, or into it where it holds an empty plan, or at the end. Returns its path.
fn insert_after(plan: &mut Vec<Stage>, selected: Option<&[usize]>, stage: Stage) -> Vec<usize> {
    let is_empty = |stage: &mut Stage| stage.nested().is_some_and(|nested| nested.plan.is_empty());
    let path = match selected {
        Some(path) if stage_at_mut(plan, path).is_some_and(is_empty) => [path, &[0]].concat(),
        Some([parent @ .., index]) => [parent, &[index + 1]].concat(),
        _ => vec![plan.len()],
    };
    if insert(plan, &path, stage.clone()) {
        return path;
    }
    plan.push(stage);
    vec![plan.len() - 1]
}

/// A stage that can be added.
pub struct StageEntry {
    pub label: &'static str,
    pub help: &'static str,
    pub stage: Stage,
    is_intervention: bool,
}

/// Returns all stages with their default settings. A stage with several alternatives has one entry for each of them.
pub fn entries() -> Vec<StageEntry> {
    let mut entries = Vec::new();
    for stage in Stage::all() {
        let mut probe = stage.clone();
        let variant = probe.variant();
        let alternatives = match probe.payload().map(|payload| payload.node()) {
            Some(Node::Choice(choice)) => choice.variants(),
            _ => &[],
        };
        for (index, alternative) in alternatives.iter().enumerate() {
            let mut stage = stage.clone();
            if let Some(Node::Choice(choice)) = stage.payload().map(|payload| payload.node()) {
                choice.select(index);
            }
            let (label, help) = (alternative.label, alternative.help);
            entries.push(StageEntry { label, help, stage, is_intervention: true });
        }
        if alternatives.is_empty() {
            let (label, help) = (variant.label, variant.help);
            entries.push(StageEntry { label, help, stage, is_intervention: false });
        }
    }
    entries
}

fn menu_ui(ui: &mut Ui) -> Option<Stage> {
    let mut chosen = None;
    for are_interventions in [false, true] {
        if are_interventions {
            ui.separator();
        }
        for entry in entries().into_iter().filter(|entry| entry.is_intervention == are_interventions) {
            if ui.button(entry.label).on_hover_text(entry.help).clicked() {
                chosen = Some(entry.stage);
                ui.close();
            }
        }
    }
    chosen
}

#[cfg(test)]
mod tests;

//! The queue: runs in progress, those that wait in their order, those that have not finished, and how they share the machine.

use std::collections::BTreeMap;
use std::time::Duration;

use eframe::egui::{
    self, Align, Key, Label, Layout, Modifiers, Popup, Rect, RichText, ScrollArea, Sense, Stroke, Ui,
    UiBuilder, WidgetInfo, accesskit::Role, pos2, vec2,
};

use super::sharing::TypedSharing;
use super::{Shared, View, ViewEntry, ViewInput, ViewResponse, nothing_ui};
use crate::cluster::ClusterQueue;
use crate::compare::{Compare, CompareResponse};
use crate::icons::Icon;
use crate::queue_menu::queue_entries_ui;
use crate::runs::{QueueAction, QueueLine, QueueRequest, Runs, Sharing};
use crate::text;
use crate::theme::{self, CONTROL, STEP, present};
use crate::widgets;
use cluster::Slurm;
use results::RunState;
use results::tiles::Group;

/// Height of a row, in points.
const ROW: f32 = CONTROL;
/// Where the name of a run begins, and its dot, in points.
const NAME_AT: f32 = 56.0;
const DOT_AT: f32 = 42.0;
/// The part of the rest of a row that the name of its run gets.
const NAME_SHARE: f32 = 0.4;
/// Room for the buttons of a row, in points.
const BUTTONS: f32 = 4.0 * CONTROL;
/// Width of the bar of a run in progress, in points.
const BAR: f32 = 8.0 * STEP;
/// The least time between two updates of the list, in seconds, while records grow.
const PAUSE: f64 = 0.25;

/// The view in the registry.
pub const ENTRY: ViewEntry = ViewEntry {
    name: "queue",
    title: "Queue",
    group: Group::Runs,
    help: "Which run is next, how far are the others, and how do they share the machine? \
           Runs in progress come first, then those that wait, in the order in which they start, then those that were \
           stopped or have failed; while nothing runs, all that is left to do. Drag a waiting run or use its arrows to move it (Alt+Up and Alt+Down on a focused \
           row); the order is kept with the results. Runs side by side and threads can be changed at any time: runs \
           in progress pause for a moment and continue from their checkpoints, with the same results to the last bit.",
    make: || Box::<Queue>::default(),
};

/// What is kept between frames.
#[derive(Default)]
struct Queue {
    lines: Vec<QueueLine>,
    /// The revisions of records and rows that the lines are of, and when they were made, in seconds.
    made: Option<([u64; 2], f64)>,
    /// What Slurm has of the experiment.
    cluster: ClusterQueue,
    /// Arms with their positions and colours.
    arms: BTreeMap<String, [usize; 2]>,
}

/// What a row is drawn with.
struct Row<'a> {
    line: &'a QueueLine,
    /// "dense, seed 1".
    name: String,
    /// Position and colour of its arm.
    arm: Option<[usize; 2]>,
    is_selected: bool,
}

impl View for Queue {
    fn ui(&mut self, ui: &mut Ui, input: &ViewInput<'_>, shared: &mut Shared<'_>) -> Option<ViewResponse> {
        if let Some(wait) = self.update(input, shared.compare, ui.input(|input| input.time)) {
            ui.ctx().request_repaint_after(Duration::from_secs_f64(wait));
        }
        let sharing = self.head_ui(ui, input.runs, shared.sharing).map(ViewResponse::Sharing);
        self.cluster_ui(ui, input);
        if self.lines.is_empty() {
            nothing_ui(ui, ENTRY.help, "All runs are done. Change a setting or add a seed to run more.");
            return sharing;
        }
        let response = sharing.or(self.lines_ui(ui, input));
        if response.is_some() {
            self.made = None; // what was asked for is seen at once
        }
        response
    }
}

impl Queue {
    /// Lists the runs again where that is due. `now` in seconds; returns the time after which to look again, where the list
    /// is behind the records.
    fn update(&mut self, input: &ViewInput<'_>, compare: &Compare, now: f64) -> Option<f64> {
        let revisions = [input.runs.revision(), compare.revision()];
        if let Some((made, at)) = self.made {
            let left = at + PAUSE - now;
            if made == revisions || left > 0.0 {
                return (made != revisions).then_some(left);
            }
        }
        self.made = Some((revisions, now));
        self.lines = input.runs.queue_lines(input.listed, input.results);
        self.arms = compare.arms_and_colours();
        None
    }

    /// Counts, and how runs share the machine.
    fn head_ui(&self, ui: &mut Ui, runs: &Runs, typed: &mut TypedSharing) -> Option<Sharing> {
        let used = runs.options().unwrap_or_else(|| runs.sharing.options(self.lines.len()));
        let mut sharing = runs.sharing;
        ui.horizontal_wrapped(|ui| {
            ui.set_min_height(CONTROL);
            typed.fields_ui(ui, used, &mut sharing);
            ui.add(
                Label::new(RichText::new(self.summary(runs.is_paused())).color(present(ui).text2))
                    .selectable(false),
            );
        });
        (sharing != runs.sharing).then_some(sharing)
    }

    /// Draws a line with the jobs of the experiment in Slurm's queue.
    fn cluster_ui(&mut self, ui: &mut Ui, input: &ViewInput<'_>) {
        let lines = self.cluster.lines(input.results, &Slurm::default(), ui.ctx()).join("; ");
        if !lines.is_empty() {
            ui.label(RichText::new(lines).color(present(ui).text2));
        }
    }

    /// "2 running, 4 waiting, 1 failed".
    fn summary(&self, are_paused: bool) -> String {
        let count = |is: fn(&QueueLine) -> bool| self.lines.iter().filter(|line| is(line)).count();
        let parts = [
            (count(|line| line.is_running), if are_paused { "paused" } else { "running" }),
            (count(|line| line.is_queued), "waiting"),
            (count(|line| matches!(line.state, RunState::Failed(_)) && !line.is_open()), "failed"),
            (count(|line| line.state == RunState::Stopped && !line.is_open()), "interrupted"),
            (count(|line| line.state == RunState::Waiting && !line.is_open()), "not started"),
        ];
        let present = parts.iter().filter(|(count, _)| *count > 0);
        let parts: Vec<String> =
            present.map(|(count, word)| format!("{} {word}", text::grouped(*count as u64))).collect();
        parts.join(", ")
    }

    fn lines_ui(&self, ui: &mut Ui, input: &ViewInput<'_>) -> Option<ViewResponse> {
        let mut response = None;
        ui.spacing_mut().item_spacing.y = 0.0;
        let area = ScrollArea::vertical().id_salt("queue").auto_shrink([false, false]);
        area.show_viewport(ui, |ui, viewport| {
            let whole = ui.max_rect();
            ui.set_min_size(vec2(whole.width(), ROW * self.lines.len() as f32));
            let first = ((viewport.top() / ROW) as usize).min(self.lines.len());
            let last = ((viewport.bottom() / ROW).ceil() as usize + 1).clamp(first, self.lines.len());
            let top = |place: usize| whole.top() + ROW * place as f32;
            let mut ids = Vec::new();
            for (place, line) in self.lines.iter().enumerate().take(last).skip(first) {
                let rect = Rect::from_x_y_ranges(whole.x_range(), top(place)..=top(place + 1));
                let arm_seed = input.runs.arm_seed(&line.run);
                let row = Row {
                    line,
                    name: arm_seed.map_or_else(
                        || format!("run {}", line.run),
                        |(arm, seed)| format!("{arm}, seed {seed}"),
                    ),
                    arm: arm_seed.and_then(|(arm, _)| self.arms.get(arm).copied()),
                    is_selected: input.selection.run() == Some(&line.run),
                };
                let (ground, asked) = row.ui(ui, rect, input.runs);
                response = asked.or(response.take());
                ids.push((ground.id, place));
                if let Some(before) = self.dropped_ui(ui, &ground, line, top(0)) {
                    let runs = vec![line.run.clone()];
                    response = Some(ViewResponse::Queue(QueueRequest { action: before, runs }));
                }
            }
            let rows: Vec<egui::Id> = ids.iter().map(|(id, _)| *id).collect();
            if let Some(target) = widgets::arrow_target(ui, &rows) {
                response = self.select(ids[target].1, input.runs);
            }
        });
        response
    }

    /// Shows where a row that is dragged would go; where it was dropped.
    fn dropped_ui(
        &self,
        ui: &Ui,
        ground: &egui::Response,
        line: &QueueLine,
        top: f32,
    ) -> Option<QueueAction> {
        let place = line.place.filter(|_| ground.dragged() || ground.drag_stopped())?;
        let pointer = ground.interact_pointer_pos()?;
        let waiting: Vec<&QueueLine> = self.lines.iter().filter(|line| line.place.is_some()).collect();
        let first = top + ROW * self.lines.iter().position(|line| line.place.is_some())? as f32;
        let slot = (((pointer.y - first) / ROW).round().max(0.0) as usize).min(waiting.len());
        if ground.dragged() {
            let stroke = Stroke::new(2.0, present(ui).focus);
            ui.painter().hline(ground.rect.x_range(), first + ROW * slot as f32, stroke);
        }
        let is_elsewhere = slot + 1 != place && slot != place;
        (ground.drag_stopped() && is_elsewhere)
            .then(|| QueueAction::Before(waiting.get(slot).map(|line| line.run.clone())))
    }

    fn select(&self, place: usize, runs: &Runs) -> Option<ViewResponse> {
        let id = self.lines.get(place)?.run.clone();
        let [arm, _] = *self.arms.get(&runs.arm_seed(&id)?.0)?;
        Some(ViewResponse::Compare(CompareResponse::Select { arm, id }))
    }
}

impl Row<'_> {
    /// Draws it; its ground, and what was asked for.
    fn ui(&self, ui: &mut Ui, rect: Rect, runs: &Runs) -> (egui::Response, Option<ViewResponse>) {
        let Self { line, name, arm, is_selected } = self;
        let colours = present(ui);
        let sense = if line.place.is_some() { Sense::click_and_drag() } else { Sense::click() };
        let ground = ui.interact(rect, ui.scope_id().with(("queued", &line.run)), sense);
        ground.widget_info(|| WidgetInfo::selected(Role::ListItem, true, *is_selected, name));
        if *is_selected || ground.hovered() || ground.dragged() {
            let fill = if *is_selected { colours.selection } else { colours.hover.gamma_multiply(0.5) };
            ui.painter().rect_filled(rect, 4.0, fill);
        }
        if ground.has_focus() {
            widgets::focus_ring(ui, rect);
        }
        let mut response = None;
        if ground.clicked() {
            ground.request_focus();
            if let Some([arm, _]) = arm {
                let id = line.run.clone();
                response = Some(ViewResponse::Compare(CompareResponse::Select { arm: *arm, id }));
            }
        }
        let asked = self.buttons_ui(ui, rect).or_else(|| pressed(ui, &ground));
        let asked = asked.map(|action| QueueRequest { action, runs: vec![line.run.clone()] });
        let asked = self.menu_ui(&ground, runs).or(asked);
        self.text_ui(ui, rect, runs);
        (ground, asked.map(ViewResponse::Queue).or(response))
    }

    fn menu_ui(&self, ground: &egui::Response, runs: &Runs) -> Option<QueueRequest> {
        let shown = Popup::context_menu(ground).show(|ui| {
            let ids = vec![self.line.run.clone()];
            let mut chosen = queue_entries_ui(ui, runs, &ids);
            if self.line.is_open() || self.line.place.is_some() {
                ui.separator();
                for (text, priority) in [("High priority", 1), ("Normal priority", 0), ("Low priority", -1)] {
                    let mark = if self.line.priority == priority { "✓" } else { "" };
                    let entry = ui.add(egui::Button::new(text).shortcut_text(mark)).accessible_name(text);
                    if entry.on_hover_text("Runs of the highest priority start first").clicked() {
                        let action = QueueAction::Priority(priority);
                        chosen = Some(QueueRequest { action, runs: ids.clone() });
                        ui.close();
                    }
                }
            }
            chosen
        });
        shown.and_then(|shown| shown.inner)
    }

    /// The buttons at the right end.
    fn buttons_ui(&self, ui: &mut Ui, rect: Rect) -> Option<QueueAction> {
        let line = self.line;
        let builder = UiBuilder::new()
            .id_salt(("buttons", &line.run))
            .max_rect(rect.with_min_x(rect.right() - BUTTONS))
            .layout(Layout::right_to_left(Align::Center));
        let mut asked = None;
        ui.scope_builder(builder, |ui| {
            ui.spacing_mut().item_spacing.x = 0.0;
            let mut button = |icon: Icon, verb: &str, action: QueueAction| {
                let button = widgets::icon_button_ui(ui, true, icon, verb);
                if button.accessible_name(format!("{verb}: {}", self.name)).clicked() {
                    asked = Some(action);
                }
            };
            if line.is_queued {
                button(Icon::X, "Remove from queue", QueueAction::Stop);
                button(Icon::ArrowDown, "Move down in queue", QueueAction::Down);
                button(Icon::ArrowUp, "Move up in queue", QueueAction::Up);
                button(Icon::CaretUp, "Run next", QueueAction::Next);
            } else if line.is_running && !line.is_stopping {
                button(Icon::StopFill, "Stop", QueueAction::Stop);
            } else {
                let verb = if line.state == RunState::Waiting { "Run" } else { "Retry" };
                button(Icon::Play, verb, QueueAction::Run);
                if line.place.is_some() {
                    button(Icon::ArrowDown, "Move down in queue", QueueAction::Down);
                    button(Icon::ArrowUp, "Move up in queue", QueueAction::Up);
                }
            }
        });
        asked
    }

    /// Place, arm and seed, state, and time left.
    fn text_ui(&self, ui: &mut Ui, rect: Rect, runs: &Runs) {
        let colours = present(ui);
        let line = self.line;
        let mark = pos2(rect.left() + 18.0, rect.center().y);
        if let Some(place) = line.place {
            let font = egui::FontId::proportional(theme::BODY);
            ui.painter().text(mark, egui::Align2::CENTER_CENTER, place.to_string(), font, colours.text2);
        } else {
            let (icon, ink) = match &line.state {
                RunState::Failed(_) if !line.is_running => (Icon::WarningFill, colours.bad),
                _ if runs.is_paused() && line.is_running => (Icon::PauseFill, colours.text3),
                _ if line.is_running => (Icon::PlayFill, colours.link),
                RunState::Stopped => (Icon::StopFill, colours.text3),
                RunState::Waiting | RunState::Running | RunState::Done | RunState::Failed(_) => {
                    (Icon::CircleDashed, colours.text3)
                }
            };
            icon.paint(ui.painter(), mark, 14.0, ink);
        }
        if let Some([_, colour]) = self.arm {
            let at = pos2(rect.left() + DOT_AT, rect.center().y);
            ui.painter().circle_filled(at, 4.0, theme::arm_colour(ui, colour));
        }
        let (left, right) = (rect.left() + NAME_AT, rect.right() - BUTTONS - STEP);
        let middle = left + NAME_SHARE * (right - left).max(0.0);
        let has_failed = matches!(line.state, RunState::Failed(_)) && !line.is_running;
        let ink = if has_failed { colours.bad } else { colours.text2 };
        let (state, hint) = line.words(runs);
        let mut words = middle;
        if line.is_running && right - middle > 3.0 * BAR {
            let all = Rect::from_center_size(pos2(middle + BAR / 2.0, rect.center().y), vec2(BAR, 6.0));
            let share = runs.record(&line.run).map_or(0.0, |record| record.progress().done) as f32;
            ui.painter().rect_filled(all, 3.0, colours.raised);
            ui.painter().rect_filled(all.with_max_x(all.left() + BAR * share), 3.0, colours.link);
            words += BAR + STEP;
        }
        cell_ui(ui, rect, [left, middle - STEP], RichText::new(&self.name));
        cell_ui(ui, rect, [words, right], RichText::new(state).color(ink)).on_hover_text(hint);
    }
}

/// What a key asks for the row that has the keyboard.
fn pressed(ui: &Ui, ground: &egui::Response) -> Option<QueueAction> {
    if !ground.has_focus() {
        return None;
    }
    let is_pressed = |modifiers, key| ui.input_mut(|input| input.consume_key(modifiers, key));
    let keys = [
        (Modifiers::ALT, Key::ArrowUp, QueueAction::Up),
        (Modifiers::ALT, Key::ArrowDown, QueueAction::Down),
        (Modifiers::NONE, Key::Delete, QueueAction::Stop),
    ];
    keys.into_iter().find(|(modifiers, key, _)| is_pressed(*modifiers, *key)).map(|(.., action)| action)
}

/// A text in a part of a row, cut at its end.
fn cell_ui(ui: &mut Ui, rect: Rect, [left, right]: [f32; 2], text: RichText) -> egui::Response {
    let part = Rect::from_x_y_ranges(left..=right.max(left), rect.y_range());
    let mut part = ui.new_child(UiBuilder::new().max_rect(part).layout(Layout::left_to_right(Align::Center)));
    part.add(Label::new(text).selectable(false).truncate())
}

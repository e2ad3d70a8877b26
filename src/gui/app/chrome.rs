//! Where things are: bar at the top, arms and plan at the left, plot in the middle, settings at the right, log below.

use std::path::Path;

use eframe::egui::{self, CentralPanel, Frame, InputState, Panel, Rect, Ui, UiBuilder, Vec2, vec2};

use super::App;
use super::commands::Command;
use super::workspace::{Request, Workspace};
use crate::bar::{self, BarInput, BarResponse, bar_ui};
use crate::dialogs::{Leaving, Next};
use crate::form::FormContext;
use crate::inspector::Inspected;
use crate::log::{STATUS_HEIGHT, StatusResponse, log_ui, status_line_ui};
use crate::palette::{
    PaletteList, PaletteOutcome, command_entries, file_entries, stage_entries, view_entries,
};
use crate::tiles::LayoutChange;
use crate::tree::{TreeInput, TreeRequest, tree_ui};
use crate::widgets::{self, Tone};
use crate::{plan, selection::Selection, theme};
use form::path::Place;
use results::tiles::Group;

/// Opens a file or a folder with the program that the desktop has for it.
pub(super) fn open_on_desktop(ctx: &egui::Context, path: &Path) {
    ctx.open_url(egui::OpenUrl::new_tab(format!("file://{}", path.display())));
}

impl App {
    /// Draws the window.
    pub(super) fn layout_ui(&mut self, ui: &mut Ui) {
        let sizes = PanelSizes::new(ui.ctx().content_rect().size());
        self.shell.settings.is_small = sizes.is_small;
        if ui.input(moves_focus) {
            ui.ctx().request_repaint(); // where the keyboard is now is seen in the next frame
        }
        self.regions.drawn.clear();
        self.bar_ui(ui);
        if !self.shell.is_starting {
            self.changed_ui(ui);
        }
        // The keyboard passes through widgets in the order in which they are drawn: as one reads, the log last. What
        // comes before a panel at an edge leaves the room that the panel took in the last frame.
        let edges = self.edges;
        let all = ui.available_rect_before_wrap();
        let (all, line) = all.split_top_bottom_at_y(all.bottom() - STATUS_HEIGHT);
        within(ui, "above the log", all.with_max_y(all.bottom() - edges.log), |ui| {
            if self.shell.is_starting {
                return self.start_page_ui(ui);
            }
            self.left_ui(ui, sizes);
            let rest = ui.available_rect_before_wrap();
            within(ui, "middle", rest.with_max_x(rest.right() - edges.inspector), |ui| {
                let frame = Frame::new().fill(theme::present(ui).canvas);
                CentralPanel::default().frame(frame).show(ui, |ui| self.center_ui(ui));
            });
            self.edges.inspector = within(ui, "beside", rest, |ui| self.right_ui(ui, sizes)).x;
        });
        self.edges.log = within(ui, "log", all, |ui| self.log_ui(ui, sizes)).y;
        within(ui, "status line", line, |ui| self.status_line_ui(ui));
        if self.edges != edges {
            ui.ctx().request_discard("the panels at the edges have another size");
        }
    }

    fn bar_ui(&mut self, ui: &mut Ui) {
        let (status, groups) = (self.runner.status(), self.workspace.groups());
        let takes_keyboard = self.regions.begin(ui.max_rect().with_max_y(ui.max_rect().top() + bar::HEIGHT));
        let opens_menu = std::mem::take(&mut self.regions.opens_menu);
        let document = &self.editor.document;
        let title = document.title();
        let path = document.path().map(|path| path.display().to_string()).unwrap_or_default();
        let input = BarInput {
            status: &status,
            file: (!self.shell.is_starting).then_some(title.as_str()),
            path: &path,
            groups: &groups,
            problems: document.problems(),
            panels: self.sides(),
            is_unsaved: self.is_unsaved(),
            is_running: self.runner.runs.is_running(),
            is_paused: self.runner.runs.is_paused(),
            command: &|command| self.state_of(command),
            has_view: &|view| self.workspace.has_view(view),
            takes_keyboard,
            opens_menu,
        };
        let frame = Frame::new().fill(theme::present(ui).panel);
        let panel = Panel::top("bar").exact_size(bar::HEIGHT).show_separator_line(false).frame(frame);
        let pressed = panel.show(ui, |ui| bar_ui(ui, &input)).inner;
        match pressed {
            None => {}
            Some(BarResponse::Choice(choice)) => self.choose(choice, &ui.ctx().clone()),
            Some(BarResponse::Group(index)) => {
                self.workspace.tiles.change(LayoutChange::Group(Group::ALL[index]));
            }
            Some(BarResponse::Problem(index)) => {
                let problem = &self.editor.document.problems()[index];
                let (place, lacks_folder) = (problem.place.clone(), problem.lacks_folder);
                self.show_setting(place);
                if lacks_folder {
                    self.ask_for_data(&ui.ctx().clone());
                }
            }
        }
    }

    /// Says that another program has written the file.
    fn changed_ui(&mut self, ui: &mut Ui) {
        if !self.editor.is_changed_elsewhere(ui.input(|input| input.time)) {
            return;
        }
        let frame = Frame::new().fill(theme::present(ui).raised).inner_margin(egui::Margin::symmetric(12, 4));
        Panel::top("changed on disk").frame(frame).show(ui, |ui| {
            ui.horizontal(|ui| {
                let (rect, _) = ui.allocate_exact_size(Vec2::splat(widgets::ICON), egui::Sense::hover());
                let colour = Tone::Warning.colour(ui);
                Tone::Warning.icon().paint(ui.painter(), rect.center(), widgets::ICON, colour);
                let text = format!("{} has changed on disk", self.editor.document.title());
                ui.add(egui::Label::new(text).selectable(false));
                if ui.add(widgets::button(None, "Reload")).clicked() {
                    self.proceed(Leaving::to(Next::Reload), &ui.ctx().clone());
                }
                if ui.add(widgets::button(None, "Keep mine")).clicked() {
                    self.editor.keep_mine();
                }
            });
        });
    }

    fn log_ui(&mut self, ui: &mut Ui, sizes: PanelSizes) {
        let mut open = self.shell.settings.shows_log;
        if open {
            self.log.see();
        }
        sizes.log().show_collapsible(ui, &mut open, |ui| unpushed(ui, |ui| log_ui(ui, &mut self.log)));
        self.shell.settings.shows_log = open;
    }

    fn status_line_ui(&mut self, ui: &mut Ui) {
        ui.painter().rect_filled(ui.max_rect(), 0.0, theme::present(ui).panel);
        let is_starting = self.shell.is_starting;
        let idle = if is_starting { "No experiment open" } else { "" };
        let fact = (!is_starting).then(|| self.runner.fact(&self.editor.document));
        match status_line_ui(ui, &self.log, idle, fact.as_deref(), self.shell.settings.shows_log) {
            None => {}
            Some(StatusResponse::Log) => self.shell.settings.shows_log ^= true,
            Some(StatusResponse::Action(action)) => match action.path() {
                Some(path) => open_on_desktop(ui.ctx(), path),
                None => self.execute(Command::Resume, &ui.ctx().clone()),
            },
        }
    }

    fn left_ui(&mut self, ui: &mut Ui, sizes: PanelSizes) {
        let [mut is_open, right] = self.sides();
        sizes.left().show_collapsible(ui, &mut is_open, |ui| {
            unpushed(ui, |ui| {
                let mut plan_is_open = self.shell.settings.shows_plan;
                let all = ui.available_rect_before_wrap();
                within(ui, "arms", all.with_max_y(all.bottom() - self.edges.plan), |ui| {
                    CentralPanel::no_frame().show(ui, |ui| self.tree_ui(ui));
                });
                let frame = Frame::new().inner_margin(egui::Margin { top: 8, ..egui::Margin::ZERO });
                let taken = within(ui, "plan", all, |ui| {
                    let panel = PanelSizes::plan(all.height()).frame(frame);
                    panel.show_collapsible(ui, &mut plan_is_open, |ui| self.plan_ui(ui));
                });
                self.edges.plan = taken.y;
                self.shell.settings.shows_plan = plan_is_open;
            });
        });
        self.shell.settings.set_sides(self.workspace.tiles.chosen(), [is_open, right]);
    }

    fn tree_ui(&mut self, ui: &mut Ui) {
        let takes_keyboard = self.regions.begin(ui.max_rect());
        let Workspace { treatments, compare, selection, .. } = &mut self.workspace;
        let document = &self.editor.document;
        let input = TreeInput {
            treatments,
            experiment: &document.experiment,
            runs: &self.runner.runs,
            is_behind: document.is_behind(),
            takes_keyboard,
        };
        match tree_ui(ui, &input, compare, selection) {
            None => {}
            Some(TreeRequest::Do(command)) => self.execute(command, &ui.ctx().clone()),
            Some(TreeRequest::Rename { arm, name }) => {
                if let Some(arm) = self.editor.document.experiment.arms.get_mut(arm) {
                    arm.name = name;
                }
            }
            Some(TreeRequest::Queue(request)) => self.queue(&request, &ui.ctx().clone()),
            Some(TreeRequest::Restyle(arm, index)) => {
                self.workspace.restyle(arm, index, &self.editor.document);
            }
            Some(TreeRequest::ShowInTable) => self.workspace.show_in_table(),
            Some(TreeRequest::OpenFolder(run)) => {
                open_on_desktop(ui.ctx(), &self.editor.results().join(run));
            }
        }
    }

    fn plan_ui(&mut self, ui: &mut Ui) {
        ui.set_min_height(ui.available_height()); // a short plan does not make the panel smaller
        if self.regions.begin(ui.max_rect()) {
            plan::follow_with_keyboard(ui.ctx());
        }
        let index = self.workspace.arm();
        self.workspace.plan_arm = index;
        let problems = self.editor.document.problems().to_vec();
        let Some(arm) = self.editor.document.experiment.arms.get_mut(index) else {
            widgets::title_ui(ui, "Plan");
            ui.label("Select an arm to see its plan.");
            return;
        };
        let mut path = self.workspace.selection.stage().map(|(_, path)| path.to_vec());
        let context = FormContext::new(Place::default().key("arms").index(index).key("plan"), &problems);
        let (is_selected, command, refusal) =
            plan::plan_ui(ui, &arm.name, &mut arm.plan, &mut path, &context);
        if is_selected {
            self.workspace.selection = match path {
                Some(path) => Selection::Stage { arm: index, path },
                None => Selection::Arm(index),
            };
        }
        if let Some(why) = refusal {
            self.log.error(format!("Paste stage: the clipboard holds no stage: {why}"));
        }
        if let Some(command) = command {
            self.execute(command, &ui.ctx().clone());
        }
    }

    fn right_ui(&mut self, ui: &mut Ui, sizes: PanelSizes) {
        let results = self.editor.results();
        let [left, mut is_open] = self.sides();
        let (mut network, mut notes) = (None, Vec::new());
        let shown = sizes.right().show_collapsible(ui, &mut is_open, |ui| {
            unpushed(ui, |ui| {
                if self.regions.begin(ui.max_rect()) {
                    widgets::focus_next(ui);
                }
                let Workspace { selection, focus, dry_run, inspector, compare, treatments, .. } =
                    &mut self.workspace;
                let details = selection.run().map(|run| compare.details(run)).unwrap_or_default();
                let colour = |arm| treatments.iter().find(|of| of.arm == arm).map_or(arm, |of| of.colour);
                let colour = selection.arm().map(colour);
                let input = Inspected {
                    document: &mut self.editor.document,
                    runs: &self.runner.runs,
                    selection,
                    focus,
                    dry_run,
                    network: &mut network,
                    results: &results,
                    details: &details,
                    colour,
                    notes: &mut notes,
                };
                inspector.ui(ui, input)
            })
        });
        self.shell.settings.set_sides(self.workspace.tiles.chosen(), [left, is_open]);
        for note in notes {
            self.log.info(note);
        }
        if let Some((arm, guess)) = network {
            self.editor.use_network(&guess, arm, &mut self.log);
            self.ask_if_missing();
        }
        if let Some(request) = shown.and_then(|shown| shown.inner) {
            self.answer_inspector(request, &ui.ctx().clone());
        }
    }

    fn center_ui(&mut self, ui: &mut Ui) {
        let ctx = ui.ctx().clone();
        if self.regions.begin(ui.max_rect()) {
            widgets::focus_next(ui);
        }
        self.update_workspace(&ctx);
        let (document, results) = (&self.editor.document, self.editor.results());
        for request in self.workspace.ui(ui, document, &self.runner.runs, &results, &mut self.log) {
            self.take_request(request, &ctx);
        }
        self.workspace.follow_tiles(&self.editor.document.experiment.name);
    }

    pub(super) fn take_request(&mut self, request: Request, ctx: &egui::Context) {
        match request {
            Request::AddStage(set) => {
                let parameter = set.parameter.clone();
                let Some(selection) = self.editor.add_set(set, &self.workspace.selection) else { return };
                self.workspace.selection = selection;
                self.log.info(format!("Added a stage that sets entries of {parameter}"));
            }
            Request::Compare(response) => self.answer(response, ctx),
            Request::Queue(request) => self.queue(&request, ctx),
            Request::Sharing(sharing) => self.set_sharing(sharing),
            Request::Take(subject, wanted) => self.take_figure(subject, wanted, ctx),
            Request::Edit(place) => self.show_setting(place),
            Request::ShowInTable => self.workspace.show_in_table(),
            Request::Show(view) => {
                self.workspace.tiles.change(LayoutChange::Show(view));
                ctx.request_repaint();
            }
        }
    }

    /// Draws the list that is open, and does what was chosen.
    pub(super) fn list_ui(&mut self, ctx: &egui::Context) {
        let Some(mut palette) = self.shell.palette.take() else { return };
        let entries = match palette.list {
            PaletteList::Commands => {
                let mut entries = command_entries(ctx, &|command| self.state_of(command));
                // A stage needs a selected arm too.
                entries.extend(stage_entries(self.refusal(Command::PasteStage).as_deref()));
                entries.extend(view_entries(&|view| self.workspace.has_view(view)));
                entries
            }
            PaletteList::Files => {
                let files = self.shell.settings.recent.files();
                file_entries(self.shell.recent_files.of(files, ctx))
            }
        };
        match palette.ui(ctx, &entries) {
            None => self.shell.palette = Some(palette),
            Some(PaletteOutcome::Closed) => {}
            Some(PaletteOutcome::Chosen(choice)) => self.choose(choice, ctx),
        }
    }
}

fn moves_focus(input: &InputState) -> bool {
    use egui::Key::{ArrowDown, ArrowLeft, ArrowRight, ArrowUp, Tab};
    [Tab, ArrowUp, ArrowDown, ArrowLeft, ArrowRight].into_iter().any(|key| input.key_pressed(key))
}

/// Sizes of the panels at the right and at the bottom in the last frame, in points.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Edges {
    plan: f32,
    inspector: f32,
    log: f32,
}

/// The parts of the window that F6 leads to: bar, arms, plan, views and settings, as far as they are open.
#[derive(Clone, Debug, Default)]
pub(super) struct Regions {
    /// Where they are, in the order in which they are drawn.
    drawn: Vec<Rect>,
    /// The one that gets the keyboard when it is drawn.
    wanted: Option<usize>,
    pub opens_menu: bool,
}

impl Regions {
    /// Notes where the next part is. Returns true if the keyboard is to come there.
    fn begin(&mut self, rect: Rect) -> bool {
        self.drawn.push(rect);
        self.wanted.take_if(|wanted| *wanted + 1 == self.drawn.len()).is_some()
    }

    /// Leads the keyboard from the part where it is so many parts on; from nowhere as from the bar.
    pub fn step(&mut self, ctx: &egui::Context, parts: isize) {
        let focused = ctx.memory(egui::Memory::focused).and_then(|id| ctx.read_response(id));
        let at = focused.and_then(|at| self.drawn.iter().position(|rect| rect.contains(at.rect.center())));
        let next = at.unwrap_or(0).cast_signed() + parts;
        self.wanted = Some(next.rem_euclid(self.drawn.len().max(1).cast_signed()).cast_unsigned());
        ctx.request_repaint();
    }
}

/// Draws into this part of the window. Returns what panels at its right and at its bottom took of it, in points.
fn within(ui: &mut Ui, name: &str, part: Rect, draw: impl FnOnce(&mut Ui)) -> Vec2 {
    let builder = UiBuilder::new().id_salt(name).max_rect(part);
    let draw = |ui: &mut Ui| {
        let before = ui.available_rect_before_wrap();
        draw(ui);
        (before.max - ui.available_rect_before_wrap().max).max(Vec2::ZERO)
    };
    ui.scope_builder(builder, draw).inner
}

/// Draws into all of a panel. Wide contents are cut off: a panel gets another width only from a person.
fn unpushed<R>(ui: &mut Ui, draw: impl FnOnce(&mut Ui) -> R) -> R {
    let rect = ui.available_rect_before_wrap();
    ui.advance_cursor_after_rect(rect);
    let mut child = ui.new_child(UiBuilder::new().max_rect(rect));
    child.shrink_clip_rect(rect.expand(4.0));
    draw(&mut child)
}

/// From this width on, the side panels have their full width.
const WIDE: f32 = 1360.0;
/// Below this width, or below this height, the settings are folded at first.
const SMALL: Vec2 = vec2(900.0, 420.0);
/// The least width for rows of arms and the buttons of the plan.
const LEAST_LEFT: f32 = 200.0;
/// The least width for a name and a field beside it.
const LEAST_RIGHT: f32 = 208.0;

/// The first sizes of the panels, in points. What a person drags them to is kept apart for small and large windows, so
/// that a window that was small once does not keep its panels small.
#[derive(Clone, Copy, Debug, PartialEq)]
struct PanelSizes {
    /// True if only some panels are open at first, so that the plot gets at least half of the window.
    pub is_small: bool,
    is_wide: bool,
    /// The most that any panel gets, whatever it was dragged to in a larger window or before zooming in.
    most: Vec2,
}

impl PanelSizes {
    /// Returns the sizes in a window of this size.
    fn new(window: Vec2) -> Self {
        let is_small = window.x < SMALL.x || window.y < SMALL.y;
        Self { is_small, is_wide: window.x >= WIDE, most: 0.36 * window }
    }

    const fn left_width(self) -> f32 {
        if self.is_wide { 240.0 } else { 216.0 }
    }

    const fn right_width(self) -> f32 {
        if self.is_wide { 256.0 } else { 240.0 }
    }

    /// Arms and plan.
    fn left(self) -> Panel {
        let panel = Panel::left(("arms and plan", self.is_wide)).resizable(true);
        panel.default_size(self.left_width()).size_range(LEAST_LEFT..=self.most.x.clamp(LEAST_LEFT, 520.0))
    }

    fn right(self) -> Panel {
        let panel = Panel::right(("inspector", self.is_wide)).resizable(true);
        panel.default_size(self.right_width()).size_range(LEAST_RIGHT..=self.most.x.clamp(LEAST_RIGHT, 640.0))
    }

    /// Returns the panel of the plan, below the arms: up to half of their height.
    fn plan(height: f32) -> Panel {
        let most = (0.5 * height).max(96.0);
        Panel::bottom("plan").resizable(true).default_size(most.min(264.0)).size_range(96.0..=most)
    }

    fn log(self) -> Panel {
        let most = self.most.y.max(64.0);
        Panel::bottom("log above the status line")
            .resizable(true)
            .default_size(most.min(168.0))
            .size_range(64.0..=most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;

    #[test]
    fn in_every_window_the_plot_gets_half_of_the_width_at_first() {
        for width in [640.0, 720.0, 899.0, 900.0, 960.0, 1247.0, 1248.0, 1280.0, 1360.0, 3840.0] {
            let sizes = PanelSizes::new(vec2(width, 600.0));
            let settings = Settings { is_small: sizes.is_small, ..Settings::default() };
            let [_, right] = settings.sides(Group::Curves);
            let right = if right { sizes.right_width() } else { 0.0 };
            assert!(width - sizes.left_width() - right >= 0.49 * width, "{width}: {sizes:?}");
        }
        assert!(
            PanelSizes::new(vec2(1280.0, 360.0)).is_small && !PanelSizes::new(vec2(1280.0, 720.0)).is_small
        );
    }
}

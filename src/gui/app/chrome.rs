//! Where things are: bar at the top, arms and plan at the left, plot in the middle, settings at the right, log below.

use eframe::egui::{self, Align, CentralPanel, Frame, InputState, Layout, Panel, Rect, Ui, UiBuilder, Vec2};

use super::App;
use super::panels::PanelSizes;
use super::workspace::{Request, Workspace};
use crate::form::path::Place;
use crate::gui::form::FormContext;
use crate::gui::inspector::Inspected;
use crate::gui::palette::{
    Choice, PaletteList, PaletteOutcome, command_entries, file_entries, stage_entries, view_entries,
};
use crate::gui::selection::Selection;
use crate::gui::status::status_ui;
use crate::gui::tiles::LayoutChange;
use crate::gui::treatment::swept_labels;
use crate::gui::tree::{TreeInput, TreeRequest, tree_ui};
use crate::gui::{menu, plan, theme, widgets};

impl App {
    /// Draws the window.
    pub(super) fn layout_ui(&mut self, ui: &mut Ui) {
        self.shell.settings.is_small = panel_sizes(ui).is_small;
        if ui.input(moves_focus) {
            ui.ctx().request_repaint(); // where the keyboard is now is seen in the next frame
        }
        self.bar_ui(ui);
        if self.shell.is_starting {
            return self.start_page_ui(ui);
        }
        // The keyboard passes through widgets in the order in which they are drawn: as one reads, the log last. What
        // comes before a panel at an edge leaves the room that the panel took in the last frame.
        let edges = self.edges;
        let all = ui.available_rect_before_wrap();
        within(ui, "above the log", all.with_max_y(all.bottom() - edges.log), |ui| {
            self.left_ui(ui);
            let rest = ui.available_rect_before_wrap();
            within(ui, "middle", rest.with_max_x(rest.right() - edges.properties), |ui| {
                let frame = Frame::new().fill(theme::present(ui).canvas);
                CentralPanel::default().frame(frame).show(ui, |ui| self.center_ui(ui));
            });
            self.edges.properties = within(ui, "beside", rest, |ui| self.right_ui(ui)).x;
        });
        self.edges.log = within(ui, "log", all, |ui| self.log_ui(ui)).y;
        if self.edges != edges {
            ui.ctx().request_discard("the panels at the edges have another size");
        }
    }

    fn bar_ui(&mut self, ui: &mut Ui) {
        let (command_context, status) = (self.command_context(), self.runner.status());
        if self.shell.settings.panels().log {
            self.log.see();
        }
        let mut shows_log = false;
        let frame = menu::bar_frame(ui);
        let chosen = Panel::top("bar").frame(frame).show(ui, |ui| {
            egui::MenuBar::new()
                .ui(ui, |ui| {
                    let from_menu =
                        menu::menus_ui(ui, &command_context, &|command| self.is_on(command), &|view| {
                            self.workspace.has_view(view)
                        });
                    let pressed = ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                        ui.style_mut().visuals.button_frame = true;
                        shows_log = self
                            .log
                            .unseen()
                            .is_some_and(|(count, newest)| menu::errors_ui(ui, count, newest));
                        menu::buttons_ui(ui, &command_context, &status)
                    });
                    from_menu.or(pressed.inner.map(Choice::Command))
                })
                .inner
        });
        if shows_log {
            self.shell.settings.panels_mut().log = true;
        }
        if let Some(choice) = chosen.inner {
            let ctx = ui.ctx().clone();
            self.choose(choice, &ctx);
        }
    }

    fn log_ui(&mut self, ui: &mut Ui) {
        let mut open = self.shell.settings.panels().log;
        let chosen = panel_sizes(ui).log().show_collapsible(ui, &mut open, |ui| {
            status_ui(ui, self.editor.document.problems(), &self.log).cloned()
        });
        self.shell.settings.panels_mut().log = open;
        if let Some(problem) = chosen.and_then(|shown| shown.inner) {
            self.show_setting(problem.place);
        }
    }

    fn left_ui(&mut self, ui: &mut Ui) {
        let panels = *self.shell.settings.panels();
        if !panels.tree && !panels.plan {
            return;
        }
        let sizes = panel_sizes(ui);
        sizes.left().show(ui, |ui| {
            let mut plan_is_open = panels.plan;
            if panels.tree {
                let all = ui.available_rect_before_wrap();
                within(ui, "arms", all.with_max_y(all.bottom() - self.edges.plan), |ui| {
                    CentralPanel::no_frame().show(ui, |ui| self.tree_ui(ui));
                });
                let frame = Frame::new().inner_margin(egui::Margin { top: 8, ..egui::Margin::ZERO });
                let taken = within(ui, "plan", all, |ui| {
                    sizes.plan().frame(frame).show_collapsible(ui, &mut plan_is_open, |ui| self.plan_ui(ui));
                });
                self.edges.plan = taken.y;
                self.shell.settings.panels_mut().plan = plan_is_open;
            } else {
                self.plan_ui(ui);
            }
        });
    }

    fn tree_ui(&mut self, ui: &mut Ui) {
        let Workspace { treatments, compare, selection, .. } = &mut self.workspace;
        let document = &self.editor.document;
        let input = TreeInput {
            treatments,
            swept_labels: &|arm| swept_labels(&document.experiment, arm),
            runs: &self.runner.runs,
            is_behind: document.is_behind(),
        };
        match tree_ui(ui, &input, compare, selection) {
            None => {}
            Some(TreeRequest::Do(command)) => {
                let ctx = ui.ctx().clone();
                self.execute(command, &ctx);
            }
            Some(TreeRequest::Rename { arm, name }) => {
                if let Some(arm) = self.editor.document.experiment.arms.get_mut(arm) {
                    arm.name = name;
                }
            }
            Some(TreeRequest::Recolour) => self.take_treatments(),
            Some(TreeRequest::OpenFolder(run)) => {
                let folder = self.editor.results().join(run);
                ui.ctx().open_url(egui::OpenUrl::same_tab(format!("file://{}", folder.display())));
            }
        }
    }

    fn plan_ui(&mut self, ui: &mut Ui) {
        self.workspace.plan_arm = self.workspace.selection.arm().unwrap_or(self.workspace.plan_arm);
        let index = self.workspace.plan_arm;
        let problems = self.editor.document.problems().to_vec();
        let Some(arm) = self.editor.document.experiment.arms.get_mut(index) else {
            widgets::title_ui(ui, "Plan");
            ui.label("Select an arm to see its plan.");
            return;
        };
        let mut path = self.workspace.selection.stage().map(|(_, path)| path.to_vec());
        let context = FormContext::new(Place::default().key("arms").index(index).key("plan"), &problems);
        let name = arm.name.clone();
        let is_selected = plan::plan_ui(ui, &name, &mut arm.plan, &mut path, &context);
        if is_selected {
            self.workspace.selection = match path {
                Some(path) => Selection::Stage { arm: index, path },
                None => Selection::Arm(index),
            };
        }
    }

    fn right_ui(&mut self, ui: &mut Ui) {
        let results = self.editor.results();
        let mut open = self.shell.settings.panels().properties;
        let Workspace { selection, focus, dry_run, inspector, .. } = &mut self.workspace;
        let (document, runs) = (&mut self.editor.document, &self.runner.runs);
        let input = Inspected { document, runs, selection, focus, dry_run, results: &results };
        let shown = panel_sizes(ui).right().show_collapsible(ui, &mut open, |ui| inspector.ui(ui, input));
        self.shell.settings.panels_mut().properties = open;
        if let Some(browse) = shown.and_then(|shown| shown.inner) {
            let ctx = ui.ctx().clone();
            self.browse(browse, &ctx);
        }
    }

    fn center_ui(&mut self, ui: &mut Ui) {
        let ctx = ui.ctx().clone();
        self.update_workspace(&ctx);
        self.editor.note_edits(self.workspace.shown());
        if self.workspace.offer(&self.runner.runs, ui) {
            self.editor.adopt_edits(self.workspace.shown());
        }
        let (document, results) = (&self.editor.document, self.editor.results());
        for request in self.workspace.ui(ui, document, &self.runner.runs, &results, &mut self.log) {
            self.take_request(request, &ctx);
        }
        self.workspace.follow_tiles();
    }

    fn take_request(&mut self, request: Request, ctx: &egui::Context) {
        match request {
            Request::AddStage(set) => {
                let parameter = set.parameter.clone();
                let Some(selection) = self.editor.add_set(set, &self.workspace.selection) else { return };
                self.workspace.selection = selection;
                self.log.info(format!("Added a stage that sets entries of {parameter}"));
            }
            Request::Compare(response) => self.answer(response, ctx),
            Request::Take(subject, wanted) => self.take_figure(subject, wanted, ctx),
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
                let command_context = self.command_context();
                let mut entries = command_entries(ctx, &command_context, &|command| self.is_on(command));
                entries.extend(stage_entries(&command_context));
                entries.extend(view_entries(&|view| self.workspace.has_view(view)));
                entries
            }
            PaletteList::Files => {
                let files = self.shell.settings.recent.files();
                file_entries(files, &self.shell.presence.of(files, ctx))
            }
        };
        match palette.ui(ctx, &entries) {
            None => self.shell.palette = Some(palette),
            Some(PaletteOutcome::Closed) => {}
            Some(PaletteOutcome::Chosen(choice)) => self.choose(choice, ctx),
        }
    }

    /// While something is dragged over the window, says what dropping it would do.
    pub(super) fn drop_ui(&self, ctx: &egui::Context) {
        let arm = self.editor.document.experiment.arms.get(self.workspace.arm());
        self.shell.drop_ui(arm.map_or("the first arm", |arm| &arm.name), ctx);
    }
}

fn moves_focus(input: &InputState) -> bool {
    use egui::Key::{ArrowDown, ArrowLeft, ArrowRight, ArrowUp, Tab};
    [Tab, ArrowUp, ArrowDown, ArrowLeft, ArrowRight].into_iter().any(|key| input.key_pressed(key))
}

/// What the panels at the right and at the bottom took in the last frame, in points.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Edges {
    plan: f32,
    properties: f32,
    log: f32,
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

fn panel_sizes(ui: &Ui) -> PanelSizes {
    PanelSizes::of(ui.ctx().content_rect().size())
}

//! Where things are: bar at the top, arms and plan at the left, plot in the middle, settings at the right, log below.

use eframe::egui::{self, Align, CentralPanel, Frame, InputState, Layout, Panel, Rect, Ui, UiBuilder, Vec2};

use super::App;
use super::panels::PanelSizes;
use crate::doc::intervention::Set;
use crate::doc::{Intervention, Stage};
use crate::form::path::Place;
use crate::gui::form::FormContext;
use crate::gui::palette::Choice;
use crate::gui::properties::{properties_ui, selection_of};
use crate::gui::selection::Selection;
use crate::gui::status::status_ui;
use crate::gui::tiles::{LayoutChange, Pane};
use crate::gui::treatments::swept_labels;
use crate::gui::tree::{TreeInput, TreeRequest, tree_ui};
use crate::gui::views::{ViewInput, ViewResponse};
use crate::gui::{menu, plan, theme, widgets};

impl App {
    /// Draws the window.
    pub(super) fn layout_ui(&mut self, ui: &mut Ui) {
        self.settings.is_small = panel_sizes(ui).is_small;
        if ui.input(moves_focus) {
            ui.ctx().request_repaint(); // where the keyboard is now is seen in the next frame
        }
        self.bar_ui(ui);
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
        let (command_context, status) = (self.command_context(), self.status());
        if self.settings.panels().log {
            self.log.see();
        }
        let mut shows_log = false;
        let frame = menu::bar_frame(ui);
        let chosen = Panel::top("bar").frame(frame).show(ui, |ui| {
            egui::MenuBar::new()
                .ui(ui, |ui| {
                    let from_menu =
                        menu::menus_ui(ui, &command_context, &|command| self.is_on(command), &|view| {
                            self.has_view(view)
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
            self.settings.panels_mut().log = true;
        }
        if let Some(choice) = chosen.inner {
            let ctx = ui.ctx().clone();
            self.choose(choice, &ctx);
        }
    }

    fn log_ui(&mut self, ui: &mut Ui) {
        let mut open = self.settings.panels().log;
        let chosen = panel_sizes(ui).log().show_collapsible(ui, &mut open, |ui| {
            status_ui(ui, self.document.problems(), &self.log).cloned()
        });
        self.settings.panels_mut().log = open;
        if let Some(problem) = chosen.and_then(|shown| shown.inner) {
            self.select(selection_of(&problem.place));
            self.focus = Some(problem.place);
        }
    }

    fn left_ui(&mut self, ui: &mut Ui) {
        let panels = *self.settings.panels();
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
                self.settings.panels_mut().plan = plan_is_open;
            } else {
                self.plan_ui(ui);
            }
        });
    }

    fn tree_ui(&mut self, ui: &mut Ui) {
        let input = TreeInput {
            treatments: &self.treatments,
            swept_labels: &|arm| swept_labels(&self.document.experiment, arm),
            runs: &self.runs,
            is_behind: self.document.is_behind(),
        };
        match tree_ui(ui, &input, &mut self.compare, &mut self.selection) {
            None => {}
            Some(TreeRequest::Do(command)) => {
                let ctx = ui.ctx().clone();
                self.execute(command, &ctx);
            }
            Some(TreeRequest::Rename { arm, name }) => {
                if let Some(arm) = self.document.experiment.arms.get_mut(arm) {
                    arm.name = name;
                }
            }
            Some(TreeRequest::Recolour) => self.take_treatments(),
            Some(TreeRequest::OpenFolder(run)) => {
                let folder = self.results().join(run);
                ui.ctx().open_url(egui::OpenUrl::same_tab(format!("file://{}", folder.display())));
            }
        }
    }

    fn plan_ui(&mut self, ui: &mut Ui) {
        self.plan_arm = self.selection.arm().unwrap_or(self.plan_arm);
        let index = self.plan_arm;
        let problems = self.document.problems().to_vec();
        let Some(arm) = self.document.experiment.arms.get_mut(index) else {
            widgets::title_ui(ui, "Plan");
            ui.label("Select an arm to see its plan.");
            return;
        };
        let mut path = self.selection.stage().map(|(_, path)| path.to_vec());
        let context = FormContext::new(Place::default().key("arms").index(index).key("plan"), &problems);
        let name = arm.name.clone();
        let is_selected = plan::plan_ui(ui, &name, &mut arm.plan, &mut path, &context);
        if is_selected {
            self.selection = match path {
                Some(path) => Selection::Stage { arm: index, path },
                None => Selection::Arm(index),
            };
        }
    }

    fn right_ui(&mut self, ui: &mut Ui) {
        let results = self.results();
        let mut open = self.settings.panels().properties;
        panel_sizes(ui).right().show_collapsible(ui, &mut open, |ui| {
            let (selection, focus) = (&mut self.selection, &mut self.focus);
            properties_ui(ui, &mut self.document, &self.runs, selection, focus, &mut self.dry_run, &results);
        });
        self.settings.panels_mut().properties = open;
    }

    fn center_ui(&mut self, ui: &mut Ui) {
        self.update_comparison(&ui.ctx().clone());
        self.offer_views(ui);
        // Panes are drawn by the app that their tiles belong to.
        let mut tiles = std::mem::take(&mut self.tiles);
        tiles.ui(ui, &mut |ui, pane| self.pane_ui(ui, pane));
        self.tiles = tiles;
        if let Some(view) = self.view_to_show.take() {
            self.tiles.change(LayoutChange::Show(view));
            ui.ctx().request_repaint();
        }
        self.follow_tiles();
    }

    fn pane_ui(&mut self, ui: &mut Ui, pane: Pane) {
        if let Some(plot) = pane.plot {
            return self.plot_ui(ui, plot);
        }
        if pane.name == "log" {
            self.log.see();
        }
        let results = self.results();
        let input = ViewInput {
            selection: &self.selection,
            listed: self.document.runs(),
            runs: &self.runs,
            results: &results,
            log: &self.log,
        };
        match self.views.ui(ui, pane.name, &input, &mut self.compare) {
            None => {}
            Some(ViewResponse::AddStage(set)) => self.add_stage(set),
            Some(ViewResponse::Compare(response)) => self.answer(response, ui.ctx()),
            Some(ViewResponse::Take(wanted)) => self.take_figure(pane.name, wanted, ui.ctx()),
            Some(ViewResponse::Show(view)) => self.view_to_show = Some(view),
        }
    }

    fn add_stage(&mut self, set: Set) {
        let Some(index) = self.selection.arm() else { return };
        let Some(arm) = self.document.experiment.arms.get_mut(index) else { return };
        self.selection = Selection::Stage { arm: index, path: vec![arm.plan.len()] };
        self.log.info(format!("Added a stage to {} that sets entries of {}", arm.name, set.parameter));
        arm.plan.push(Stage::Do(Intervention::Set(set)));
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

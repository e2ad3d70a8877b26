//! Runs that are archived and restored, and other requests from the table of runs.

use std::collections::BTreeSet;

use eframe::egui;

use super::App;
use crate::compare::CompareResponse;
use crate::dialogs::Dialog;
use crate::selection::Selection;
use crate::text;
use doc::Problem;
use results::methods::methods;
use results::table::columns::Numbers;
use run::{archive, restore};

impl App {
    /// Returns the methods paragraph of the document and its results.
    fn methods(&self) -> Result<String, Vec<Problem>> {
        let runs = self.editor.document.runs().iter();
        let records = runs.filter_map(|run| self.runner.runs.record(&run.id));
        methods(&self.editor.document.experiment, records)
    }

    /// Carries out a request from the table of runs.
    pub(super) fn answer(&mut self, response: CompareResponse, ctx: &egui::Context) {
        match response {
            CompareResponse::Select { arm, id } => self.workspace.selection = Selection::Run { arm, id },
            CompareResponse::Copy(text, rows) => {
                self.log.info(format!("Copied {}", text::counted(rows, "row")));
                ctx.copy_text(text);
            }
            CompareResponse::CopyMethods => match self.methods() {
                Ok(text) => {
                    self.log.info("Copied a methods paragraph");
                    ctx.copy_text(text);
                }
                Err(problems) => {
                    self.log.error(problems.first().map(ToString::to_string).unwrap_or_default());
                }
            },
            CompareResponse::Archive { name, runs } => {
                self.shell.dialog = Some(Dialog::archive(&name, runs));
            }
            CompareResponse::Queue(request) => self.queue(&request, ctx),
            CompareResponse::Restore(runs) => {
                let restored = self.move_from_trash(&runs);
                self.editor.history.note_moved(restored, false);
            }
        }
    }

    /// Returns the runs of an arm that have results, by identity, each once.
    pub(super) fn results_of(&self, arm: usize) -> BTreeSet<&String> {
        let runs = self.editor.document.runs().iter().filter(|run| run.arm_index == arm);
        runs.map(|run| &run.id).filter(|id| self.runner.runs.record(id).is_some()).collect()
    }

    /// Asks whether all results of the selected arm are archived.
    pub(super) fn ask_to_archive(&mut self) {
        let Some(index) = self.workspace.selection.arm() else { return };
        let Some(arm) = self.editor.document.experiment.arms.get(index) else { return };
        let runs = self.results_of(index).into_iter().cloned().collect();
        self.shell.dialog = Some(Dialog::archive(&format!("All results of {}", arm.name), runs));
    }

    /// Asks whether the selected run is archived.
    pub(super) fn ask_to_archive_run(&mut self, ctx: &egui::Context) {
        let run = self.workspace.selection.run();
        if let Some(asked) = run.and_then(|run| self.workspace.compare.archive_run(run)) {
            self.answer(asked, ctx);
        }
    }

    /// Puts the visible table of runs into the clipboard.
    pub(super) fn copy_table(&mut self, ctx: &egui::Context) {
        let copied = self.workspace.compare.copy(Numbers::Shown);
        self.answer(copied, ctx);
    }

    /// Archives runs, which can be undone.
    pub(super) fn archive(&mut self, runs: &[String]) {
        let archived = self.move_to_trash(runs);
        self.editor.history.note_moved(archived, true);
    }

    /// Moves runs to the trash. Returns those that are there now.
    pub(super) fn move_to_trash(&mut self, runs: &[String]) -> Vec<String> {
        let results = self.editor.results();
        let mut archived = Vec::new();
        for id in runs {
            match archive(&results, id) {
                Ok(()) => {
                    self.runner.runs.forget(id);
                    self.workspace.compare.ticked.remove(id);
                    archived.push(id.clone());
                }
                Err(why) => self.log.error(why),
            }
        }
        if !archived.is_empty() {
            self.editor.document.forget_stamps(); // results of earlier versions may be gone
            self.log.info(format!(
                "Archived {}; Undo brings them back, as does Restore all archived runs in the menu Edit",
                text::counted(archived.len(), "run")
            ));
        }
        self.look_into_trash();
        self.runner.plan_cost(&self.editor.document);
        archived
    }

    /// Brings runs back from the trash. Returns those that are back.
    pub(super) fn move_from_trash(&mut self, runs: &[String]) -> Vec<String> {
        let results = self.editor.results();
        let mut restored = Vec::new();
        for id in runs {
            match restore(&results, id) {
                Ok(()) => restored.push(id.clone()),
                Err(why) => self.log.error(why),
            }
        }
        match restored.as_slice() {
            [] => {}
            [id] => self.log.info(format!("Restored {}", self.runner.name_of(id, &self.editor.document))),
            several => self.log.info(format!("Restored {}", text::counted(several.len(), "run"))),
        }
        let listed: Vec<_> =
            self.editor.document.runs().iter().filter(|run| restored.contains(&run.id)).cloned().collect();
        self.runner.read_more(&results, &listed);
        self.look_into_trash();
        self.runner.plan_cost(&self.editor.document);
        restored
    }

    /// Brings all archived runs back.
    pub(super) fn restore_archived(&mut self, ctx: &egui::Context) {
        let archived = &self.workspace.compare.archived;
        let runs = archived.iter().map(|run| run.id.clone()).collect();
        self.answer(CompareResponse::Restore(runs), ctx);
    }

    /// Takes in which runs are archived.
    pub(super) fn look_into_trash(&mut self) {
        self.workspace.compare.look_into_trash();
        self.take_archived();
    }

    /// Lets the runs know which of them are archived.
    pub(super) fn take_archived(&mut self) {
        let archived = self.workspace.compare.archived.iter();
        self.runner.runs.set_archived(archived.map(|run| run.id.clone()).collect());
    }
}

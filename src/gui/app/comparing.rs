//! The plots and the table of runs, and what follows from them for the rest of the window.

use eframe::egui::{self, Ui};

use super::App;
use crate::figure::methods::methods;
use crate::gui::commands::Command;
use crate::gui::compare::{CompareResponse, runs_ui};
use crate::gui::plot::{PlotInput, PlotResponse, plot_panel};
use crate::gui::selection::Selection;
use crate::gui::text;
use crate::gui::tree::treatments;
use crate::run::trash::{archive, restore};

impl App {
    /// Whether results of earlier runs are still being read.
    #[must_use]
    pub const fn is_reading(&self) -> bool {
        self.runs.is_reading()
    }

    /// Takes the view settings that lie beside the results of the document.
    pub(super) fn load_view(&mut self) {
        let results = self.document.results(&self.parts.untitled);
        if let Err(why) = self.compare.load(&results, &mut self.plot) {
            self.log.error(why);
        }
    }

    /// Looks at arms and runs of the document anew; arms keep their colours.
    pub(super) fn take_treatments(&mut self) {
        self.treatments = treatments(&self.document.experiment, self.document.runs());
        self.compare.take_treatments(&mut self.treatments);
    }

    /// Brings the rows up to date, and writes view settings that have changed.
    pub(super) fn update_comparison(&mut self, ctx: &egui::Context, at_once: bool) {
        let now = ctx.input(|input| input.time);
        self.compare.set_folder(&self.document.results(&self.parts.untitled));
        self.compare.update(&self.treatments, &self.runs, now);
        self.compare.keep(&self.plot, now, at_once);
    }

    pub(super) fn plot_ui(&mut self, ui: &mut Ui) {
        let ctx = ui.ctx().clone();
        self.update_comparison(&ctx, false);
        let arms = self.compare.arm_runs(&self.treatments, &self.runs);
        let input = PlotInput { arms: &arms, revision: self.runs.revision() };
        match plot_panel(ui, &input, &mut self.plot) {
            Some(PlotResponse::ExportFigure) => self.execute(Command::ExportFigure, &ctx),
            Some(PlotResponse::CopyCsv) => self.copy_values(&ctx),
            None => {}
        }
    }

    pub(super) fn runs_ui(&mut self, ui: &mut Ui) {
        let ctx = ui.ctx().clone();
        self.update_comparison(&ctx, false);
        match runs_ui(ui, &mut self.compare) {
            None => {}
            Some(CompareResponse::Select { arm, id }) => self.selection = Selection::Run { arm, id },
            Some(CompareResponse::Copy(text, rows)) => {
                self.log.info(format!("Copied {}", text::counted(rows, "run")));
                ctx.copy_text(text);
            }
            Some(CompareResponse::CopyMethods) => match methods(&self.document.experiment) {
                Ok(text) => {
                    self.log.info("Copied a paragraph about the methods");
                    ctx.copy_text(text);
                }
                Err(problems) => {
                    self.log.error(problems.first().map(ToString::to_string).unwrap_or_default());
                }
            },
            Some(CompareResponse::Archive(runs)) => self.archive(&runs),
            Some(CompareResponse::Restore(id)) => self.restore_run(&id),
        }
    }

    fn archive(&mut self, runs: &[String]) {
        let results = self.document.results(&self.parts.untitled);
        let mut archived = 0;
        for id in runs {
            match archive(&results, id) {
                Ok(()) => {
                    self.runs.forget(id);
                    archived += 1;
                }
                Err(why) => self.log.error(why),
            }
        }
        if archived > 0 {
            self.log.info(format!(
                "Moved {} to the trash; Runs brings them back",
                text::counted(archived, "run")
            ));
        }
        self.compare.look_into_trash();
        self.plan_cost();
    }

    fn restore_run(&mut self, id: &str) {
        let results = self.document.results(&self.parts.untitled);
        match restore(&results, id) {
            Ok(()) => {
                let listed: Vec<_> =
                    self.document.runs().iter().filter(|run| run.id == id).cloned().collect();
                self.runs.add(self.parts.worker.records(&results, &listed));
                self.log.info(format!("Restored {}", self.name_of(id)));
            }
            Err(why) => self.log.error(why),
        }
        self.compare.look_into_trash();
        self.plan_cost();
    }
}

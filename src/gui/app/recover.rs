//! Backups of unsaved edits, and edits recovered after a crash.

use eframe::egui;

use super::{App, Closing};
use crate::gui::dialogs::Dialog;
use crate::gui::document::Document;
use crate::gui::recovery::Recovery;

impl App {
    /// Starts backing up edits, and looks for those of crashed windows.
    pub(super) fn begin_recovery(&mut self) {
        let Some(home) = &self.parts.home else { return };
        let folder = home.join("recovery");
        match Recovery::new(&folder) {
            Ok(recovery) => {
                self.leftovers = recovery.leftovers();
                self.leftovers.reverse();
                self.recovery = Some(recovery);
            }
            Err(error) => self.log.error(format!(
                "Unsaved edits would be lost in a crash: {} cannot be used ({error}). Save often, or free the folder and restart",
                folder.display()
            )),
        }
    }

    /// Keeps edits that are not saved; asks for another frame when it is too early.
    pub(super) fn keep_edits(&mut self, ctx: &egui::Context) {
        let Some(recovery) = &mut self.recovery else { return };
        if let Some(error) = recovery.error() {
            self.log.error(format!("Unsaved edits could not be backed up: {error}"));
        }
        if !self.document.is_unsaved() || self.closing == Closing::Allowed {
            return recovery.forget();
        }
        let document = &self.document;
        if let Some(wait) = recovery.keep(document.revision(), || document.to_keep()) {
            ctx.request_repaint_after(wait);
        }
    }

    /// Asks about the edits of a window that crashed, once nothing else is asked and restoring them would take no
    /// document from under its runs.
    pub(super) fn ask_about_leftovers(&mut self) {
        let has_runs = self.runs.is_running() || self.start_request.is_some();
        if self.dialog.is_some() || self.document.is_unsaved() || has_runs {
            return;
        }
        let Some(leftover) = self.leftovers.last() else { return };
        let kept = &leftover.kept;
        self.dialog = Some(Dialog::Recover {
            title: kept.title.clone(),
            path: kept.path.clone(),
            secs: leftover.age.as_secs(),
        });
    }

    /// Makes the edits that were asked about the document.
    pub(super) fn restore(&mut self) {
        let Some(leftover) = self.leftovers.pop() else { return };
        match Document::recovered(&leftover.kept) {
            Ok(document) => {
                self.document = document;
                self.log.info(format!(
                    "Restored the unsaved edits to {}; save to keep them",
                    leftover.kept.title
                ));
                self.take_document();
                // First this window keeps them, then the other one's file goes.
                if let Some(recovery) = &mut self.recovery {
                    let document = &self.document;
                    recovery.keep(document.revision(), || document.to_keep());
                    recovery.drop_leftover(leftover);
                }
            }
            Err(error) => self.fail("The unsaved edits cannot be restored", &error.to_string()),
        }
    }

    /// Gives up the edits that were asked about.
    pub(super) fn give_up_leftover(&mut self) {
        if let (Some(leftover), Some(recovery)) = (self.leftovers.pop(), &self.recovery) {
            self.log.info(format!("Discarded the unsaved edits to {}", leftover.kept.title));
            recovery.drop_leftover(leftover);
        }
    }
}

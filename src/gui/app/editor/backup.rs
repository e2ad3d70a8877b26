//! Backups of unsaved edits, and edits recovered after a crash.

use std::path::Path;
use std::time::Duration;

use super::Editor;
use crate::dialogs::Dialog;
use crate::document::Document;
use crate::log::Log;
use crate::recovery::{Recovery, UnsavedEdits};

impl Editor {
    /// Starts backing up edits, and looks for those of crashed windows.
    pub(super) fn begin_backup(&mut self, folder: &Path, log: &mut Log) {
        match Recovery::new(folder) {
            Ok(recovery) => {
                self.leftovers = recovery.leftovers();
                self.leftovers.reverse();
                self.recovery = Some(recovery);
            }
            Err(error) => log.error(format!(
                "Unsaved edits would be lost in a crash: {} cannot be used ({error}). Save often, or free the folder and restart",
                folder.display()
            )),
        }
    }

    /// Keeps edits that are not saved, unless they are given up; returns the time after which to look again, where it is
    /// too early.
    pub fn back_up(&mut self, are_given_up: bool, log: &mut Log) -> Option<Duration> {
        let recovery = self.recovery.as_mut()?;
        if let Some(error) = recovery.error() {
            log.error(format!("Unsaved edits could not be backed up: {error}"));
        }
        let document = &self.document;
        if !document.would_lose() || are_given_up {
            recovery.forget();
            return None;
        }
        recovery.keep(document.revision(), || document.to_keep())
    }

    /// The question about the edits of a window that crashed.
    pub fn leftover_question(&self) -> Option<Dialog> {
        let leftover = self.leftovers.last()?;
        Some(Dialog::recover(&leftover.kept.title, leftover.kept.path.as_deref(), leftover.age.as_secs()))
    }

    /// Makes the edits that were asked about the document; whether there is another document now.
    ///
    /// # Errors
    /// Why they cannot be read.
    pub fn restore(&mut self, log: &mut Log) -> Result<bool, String> {
        let Some(leftover) = self.leftovers.pop() else { return Ok(false) };
        self.document = Document::recovered(&leftover.kept).map_err(|error| error.to_string())?;
        log.info(format!("Restored the unsaved edits to {}; save to keep them", leftover.kept.title));
        // First this window keeps them, then the other one's file goes.
        if let Some(recovery) = &mut self.recovery {
            let document = &self.document;
            recovery.keep(document.revision(), || document.to_keep());
            recovery.drop_leftover(leftover);
        }
        Ok(true)
    }

    /// Gives up the edits that were asked about.
    pub fn give_up_leftover(&mut self, log: &mut Log) {
        if let (Some(leftover), Some(recovery)) = (self.leftovers.pop(), &self.recovery) {
            log.info(format!("Discarded the unsaved edits to {}", leftover.kept.title));
            recovery.drop_leftover(leftover);
        }
    }

    /// Leaves a document, of which there is no other copy, to be offered at the next start as after a crash.
    pub fn leave(&self, kept: &UnsavedEdits, log: &mut Log) {
        let Some(recovery) = &self.recovery else { return };
        if let Err(error) = recovery.leave(kept) {
            log.error(format!("The edits to {} could not be kept: {error}", kept.title));
        }
    }
}

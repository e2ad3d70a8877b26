//! Runs that are stopped by closing the window, and go on at the next start.

use super::App;
use super::act::Wanted;
use crate::doc::RunState;
use crate::gui::dialogs::Dialog;
use crate::gui::document::Document;
use crate::gui::recovery::Kept;
use crate::gui::settings::Unfinished;

impl App {
    /// What is needed to go on with the present runs at the next start; nothing when the document cannot be kept.
    pub(super) fn unfinished(&self) -> Option<Unfinished> {
        let path = self.document.path().map(std::path::Path::to_owned);
        let runs = self.runs.open().cloned().collect();
        if path.is_some() && !self.document.is_unsaved() {
            return Some(Unfinished { path, kept: None, runs });
        }
        Some(Unfinished { path, kept: Some(self.document.to_keep()?), runs })
    }

    /// Opens the document whose runs were stopped when the window was closed; whether it is open.
    pub(super) fn open_unfinished(&mut self) -> bool {
        let is_open = match self.settings.to_go_on.clone() {
            Some(Unfinished { kept: Some(kept), .. }) => self.open_kept(&kept),
            Some(Unfinished { path: Some(path), .. }) => self.open(&path),
            _ => false,
        };
        if !is_open {
            self.settings.to_go_on = None;
        }
        is_open
    }

    fn open_kept(&mut self, kept: &Kept) -> bool {
        match Document::recovered(kept) {
            Ok(document) => {
                self.document = document;
                self.take_document();
                true
            }
            Err(error) => {
                self.fail("The experiment whose runs were stopped cannot be opened", &error.to_string());
                false
            }
        }
    }

    /// Offers to go on with the runs that were stopped when the window was closed, if they are those of the document.
    pub(super) fn offer_to_go_on(&mut self) {
        let is_left = |id: &String| {
            let is_listed = self.document.runs().iter().any(|run| run.id == *id);
            is_listed && self.runs.state(id) != RunState::Done
        };
        let asked =
            self.settings.to_go_on.take_if(|unfinished| unfinished.path.as_deref() == self.document.path());
        let runs: Vec<String> =
            asked.into_iter().flat_map(|unfinished| unfinished.runs).filter(is_left).collect();
        if !runs.is_empty() && self.document.first_error().is_none() {
            self.dialog = Some(Dialog::GoOn { title: self.document.title(), runs });
        }
    }

    /// Goes on with these runs.
    pub(super) fn start_these(&mut self, runs: Vec<String>) {
        self.wanted = Some(Wanted::These(runs));
        self.start_what_waits();
    }
}

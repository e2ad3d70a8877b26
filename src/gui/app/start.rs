//! The start page, in place of a document that nobody has opened.

use eframe::egui::{CentralPanel, Frame, Ui};

use super::App;
use crate::commands::Command;
use crate::dialogs::{Leaving, Next};
use crate::start::{RecentTarget, StartResponse, start_ui};
use crate::theme;

impl App {
    /// Draws the page below the bar, and does what was chosen.
    pub(super) fn start_page_ui(&mut self, ui: &mut Ui) {
        let ctx = ui.ctx().clone();
        let recent =
            self.shell.recent_files.of(self.shell.settings.recent.files(), self.editor.untitled(), &ctx);
        let back = self.opened_title();
        let frame = Frame::new().fill(theme::present(ui).canvas);
        let chosen =
            CentralPanel::default().frame(frame).show(ui, |ui| start_ui(ui, &recent, back.as_deref()));
        match chosen.inner {
            None => {}
            Some(StartResponse::New(template)) => self.proceed(Leaving::to(Next::New(template)), &ctx),
            Some(StartResponse::Recent(RecentTarget::File(path))) => {
                self.proceed(Leaving::to(Next::Open(path)), &ctx);
            }
            Some(StartResponse::Recent(RecentTarget::Untitled(kept))) => {
                self.proceed(Leaving::to(Next::Untitled(kept)), &ctx);
            }
            Some(StartResponse::Open) => self.execute(Command::Open, &ctx),
            Some(StartResponse::Guide) => self.execute(Command::Guide, &ctx),
            Some(StartResponse::Keys) => self.execute(Command::Shortcuts, &ctx),
            Some(StartResponse::Back) => self.shell.is_starting = false,
        }
    }

    /// The title of the document, if somebody has opened or edited it, or has run it.
    fn opened_title(&self) -> Option<String> {
        let (document, runs) = (&self.editor.document, &self.runner.runs);
        let has_results = || document.runs().iter().any(|run| runs.record(&run.id).is_some());
        let is_used =
            document.path().is_some() || document.is_unsaved() || runs.is_running() || has_results();
        is_used.then(|| document.title())
    }
}

//! The dialog that downloads a dataset: which ones there are, under which licence, from where, to where, and how far a
//! download is.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use eframe::egui::{self, Frame, Id, Modal, ProgressBar, RichText, TextEdit, Ui};

use super::background::Latest;
use super::files::{home_folder, typed};
use super::theme::{SMALL, STEP, present};
use super::widgets::{self, FieldState, Tone, title_ui};
use data::{Data, KnownSet, Origin, Places, Remote};
use download::{DownloadError, Patience, download};
use form::number::megabytes;

/// Width of the dialog, in points.
const WIDTH: f32 = 560.0;
/// A running download is drawn this often.
const REDRAW_EVERY: Duration = Duration::from_millis(100);

/// A request of the dialog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DownloadResponse {
    /// The files of the dataset of this name are in this folder.
    Arrived(&'static str, PathBuf),
    /// Close the dialog.
    Close,
}

/// The progress of a download, in bytes, and a request to end it.
#[derive(Default)]
struct Progress {
    done: AtomicU64,
    total: u64,
    is_cancelled: AtomicBool,
}

/// The dialog.
pub struct DownloadDialog {
    listed: Vec<(&'static KnownSet, Origin)>,
    chosen: usize,
    folder: String,
    progress: Arc<Progress>,
    /// Becomes true if all files have arrived, and false if that was cancelled.
    download: Latest<(), bool>,
}

impl DownloadDialog {
    /// Returns the dialog with the datasets that there are; `wanted` is the name of the one to begin with.
    pub fn new(places: &Places, wanted: Option<&str>) -> Self {
        let listed = Data::downloadable();
        let chosen = listed.iter().position(|(set, _)| Some(set.name) == wanted).unwrap_or_default();
        let mut dialog = Self::with(listed, chosen, String::new());
        dialog.propose_folder(places);
        dialog
    }

    fn with(listed: Vec<(&'static KnownSet, Origin)>, chosen: usize, folder: String) -> Self {
        Self { listed, chosen, folder, progress: Arc::default(), download: Latest::default() }
    }

    fn propose_folder(&mut self, places: &Places) {
        if let Some((set, _)) = self.listed.get(self.chosen) {
            self.folder = set.download_folder(places).display().to_string();
        }
    }

    /// Draws the dialog; a download that goes on ends with it.
    pub fn ui(&mut self, ctx: &egui::Context, places: &Places) -> Option<DownloadResponse> {
        let arrived = self.take_end();
        let frame = Frame::popup(&ctx.global_style()).inner_margin(2.0 * STEP);
        let modal = Modal::new(Id::unique("download")).frame(frame).show(ctx, |ui| {
            ui.set_width(WIDTH.min(ctx.content_rect().width() - 4.0 * STEP));
            ui.spacing_mut().item_spacing.y = STEP;
            self.content_ui(ui, places)
        });
        let is_closed = modal.inner || modal.should_close();
        if is_closed {
            self.progress.is_cancelled.store(true, Ordering::SeqCst);
        }
        arrived.or_else(|| is_closed.then_some(DownloadResponse::Close))
    }

    /// Takes the end of a download.
    fn take_end(&mut self) -> Option<DownloadResponse> {
        let end = self.download.take();
        let (set, _) = self.listed.get(self.chosen)?;
        let ((), is_complete) = end?;
        is_complete.then(|| DownloadResponse::Arrived(set.name, self.target()))
    }

    fn target(&self) -> PathBuf {
        typed(&self.folder, home_folder().as_deref())
    }

    /// Draws what is inside. Returns true if it is to be closed.
    fn content_ui(&mut self, ui: &mut Ui, places: &Places) -> bool {
        title_ui(ui, "Download data");
        let is_running = self.download.is_busy();
        let before = self.chosen;
        ui.add_enabled_ui(!is_running, |ui| self.list_ui(ui));
        if self.chosen != before {
            self.download.forget();
            self.propose_folder(places);
        }
        let Some((_, origin)) = self.listed.get(self.chosen) else { return true };
        let weak = present(ui).text3;
        let url = origin.files.first().map_or("", |file| file.url);
        let source = url.rsplit_once('/').map_or(url, |(folder, _)| folder);
        ui.label(RichText::new(format!("Source: {source}")).size(SMALL).color(weak));
        ui.label(RichText::new(format!("About: {}", origin.page)).size(SMALL).color(weak));
        ui.horizontal(|ui| {
            let label = ui.label("Folder");
            let state = if self.folder.trim().is_empty() { FieldState::Wrong } else { FieldState::Plain };
            let field = TextEdit::singleline(&mut self.folder).desired_width(f32::INFINITY);
            let field = ui.add_enabled_ui(!is_running, |ui| widgets::field_ui(ui, field, state)).inner;
            field.labelled_by(label.id);
        });
        if is_running {
            let (done, total) = (self.progress.done.load(Ordering::SeqCst), self.progress.total);
            let text = format!("{} of {}", megabytes(done), megabytes(total));
            ui.add(ProgressBar::new(done as f32 / total.max(1) as f32).text(text));
            ui.ctx().request_repaint_after(REDRAW_EVERY);
        } else if let Some(((), Err(why))) = self.download.newest() {
            widgets::message_ui(ui, Tone::Bad, why);
        }
        self.buttons_ui(ui)
    }

    fn list_ui(&mut self, ui: &mut Ui) {
        for (position, (set, origin)) in self.listed.iter().enumerate() {
            let name = format!("{}, {}", set.name, megabytes(origin.bytes()));
            ui.radio_value(&mut self.chosen, position, name);
            let about = format!("Licence: {}", origin.licence);
            ui.indent(position, |ui| {
                ui.label(RichText::new(about).size(SMALL).color(present(ui).text3));
            });
        }
    }

    /// Draws the buttons. Returns true if the dialog is to be closed.
    fn buttons_ui(&mut self, ui: &mut Ui) -> bool {
        ui.horizontal(|ui| {
            if self.download.is_busy() {
                if ui.add(widgets::button(None, "Cancel download")).clicked() {
                    self.progress.is_cancelled.store(true, Ordering::SeqCst);
                }
                return false;
            }
            // What is there of it already is not fetched again.
            if widgets::primary_ui(ui, !self.folder.trim().is_empty(), None, "Download").clicked() {
                self.begin(self.listed[self.chosen].1.files, ui.ctx());
            }
            ui.add(widgets::button(None, "Close")).clicked()
        })
        .inner
    }

    fn begin(&mut self, files: &'static [Remote<'static>], ctx: &egui::Context) {
        let total = files.iter().map(|file| file.bytes).sum();
        self.progress = Arc::new(Progress { total, ..Progress::default() });
        let (progress, folder) = (self.progress.clone(), self.target());
        let work = move || {
            let end = download(files, &folder, Patience::default(), &mut |so_far| {
                progress.done.store(so_far.done, Ordering::SeqCst);
                let is_cancelled = progress.is_cancelled.load(Ordering::SeqCst);
                if is_cancelled { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            match end {
                Ok(()) => Ok(true),
                Err(DownloadError::Cancelled) => Ok(false),
                Err(error) => Err(error.to_string()),
            }
        };
        self.download.ask((), ctx, work);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use eframe::egui::vec2;
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable;

    use super::*;
    use download::server::{Manner, Server};

    /// Returns a dialog with one dataset of one file, which a server on this machine has.
    fn dialog_of(server: &Server, content: &[u8], folder: &std::path::Path) -> DownloadDialog {
        use sha2::Digest;
        let url: &'static str = server.url("set.bin").leak();
        let sha256: &'static str = form::number::hexadecimal(&sha2::Sha256::digest(content)).leak();
        let file = Remote { url, bytes: content.len() as u64, sha256, members: &[] };
        let files: &'static [Remote<'static>] = vec![file].leak();
        let origin = Origin { page: "example.org", licence: "MIT", files };
        let (set, _) = Data::downloadable()[0];
        DownloadDialog::with(vec![(set, origin)], 0, folder.display().to_string())
    }

    type Shown = (DownloadDialog, Option<DownloadResponse>);

    fn harness(dialog: DownloadDialog) -> Harness<'static, Shown> {
        let draw = |ui: &mut Ui, (dialog, response): &mut Shown| {
            crate::app::prepare(ui.ctx(), &crate::settings::Settings::default());
            let answer = dialog.ui(ui.ctx(), &Places::default());
            if answer.is_some() {
                *response = answer;
            }
        };
        Harness::builder().with_size(vec2(800.0, 600.0)).build_ui_state(draw, (dialog, None))
    }

    /// Draws frames until the download has ended and the disk was looked at.
    fn wait(harness: &mut Harness<'static, Shown>) {
        let begun = Instant::now();
        let is_busy = |dialog: &DownloadDialog| dialog.download.is_busy();
        while is_busy(&harness.state().0) && begun.elapsed() < Duration::from_secs(10) {
            harness.step();
            std::thread::sleep(Duration::from_millis(2));
        }
        harness.run();
    }

    #[test]
    fn licence_size_source_and_folder_are_shown_and_the_files_arrive() {
        let folder = tempfile::tempdir().unwrap();
        let content = vec![7; 300_000];
        let server = Server::start(&content, &[Manner::Right]);
        let mut harness = harness(dialog_of(&server, &content, folder.path()));
        harness.run();
        for text in ["MNIST, 0.3 MB", "Licence: MIT", "About: example.org"] {
            assert!(harness.query_by_label(text).is_some(), "{text}");
        }
        assert!(harness.query_by_label_contains("Source: http://127.0.0.1").is_some());
        harness.get_by_label("Download").click();
        harness.step();
        wait(&mut harness);
        let arrived = DownloadResponse::Arrived("MNIST", folder.path().to_owned());
        assert_eq!(harness.state().1, Some(arrived));
        assert_eq!(std::fs::read(folder.path().join("set.bin")).unwrap(), content);
    }

    #[test]
    fn a_failed_download_says_why_and_can_be_continued() {
        let folder = tempfile::tempdir().unwrap();
        let content = vec![7; 300_000];
        std::fs::write(folder.path().join("set.bin.part"), &content[..1000]).unwrap();
        let server = Server::start(&content, &[Manner::Status(404), Manner::Right]);
        let mut harness = harness(dialog_of(&server, &content, folder.path()));
        harness.run();
        wait(&mut harness);
        for _ in 0..2 {
            harness.get_by_label("Download").click();
            harness.step();
            wait(&mut harness);
            if server.requests() == 1 {
                assert!(harness.query_by_label_contains("status 404").is_some());
            }
        }
        assert_eq!(server.ranges(), [Some(1000), Some(1000)]);
        assert_eq!(std::fs::read(folder.path().join("set.bin")).unwrap(), content);
        harness.get_by_label("Close").click();
        harness.run();
        assert_eq!(harness.state().1, Some(DownloadResponse::Close));
    }
}

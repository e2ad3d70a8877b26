//! What surrounds the work: preferences, dialogs, lists, and the desktop.

use std::time::{Duration, Instant};

use eframe::egui::{self, ViewportCommand};

use super::dropped::Dropped;
use super::export::OpenExport;
use crate::background::{BackgroundTask, Latest};
use crate::desktop::Desktop;
use crate::dialogs::{Dialog, PathUse};
use crate::download::DownloadDialog;
use crate::files::{PathAnswer, PathRequest, Picker};
use crate::guide::Guide;
use crate::log::Log;
use crate::palette::{Palette, PaletteList};
use crate::recent::RecentFiles;
use crate::settings::Settings;

/// After runs of this length the user may have left.
const LONG: Duration = Duration::from_mins(1);

/// The window among the other things on the desktop.
pub(super) struct Shell {
    pub settings: Settings,
    pub dialog: Option<Dialog>,
    pub is_starting: bool,
    pub recent_files: RecentFiles,
    pub guide: Guide,
    pub exporting: Option<OpenExport>,
    pub download: Option<DownloadDialog>,
    pub palette: Option<Palette>,
    pub may_close: bool,
    pub title: String,
    pub dropping: Latest<(), Vec<Dropped>>,
    desktop: Box<dyn Desktop>,
    picker: Picker,
    /// What was asked for, its use, and the dialog, where one could be shown.
    asked: Option<(PathRequest, PathUse, Option<BackgroundTask<PathAnswer>>)>,
}

impl Shell {
    pub fn new(picker: Picker, desktop: Box<dyn Desktop>, settings: Settings) -> Self {
        Self {
            settings,
            dialog: None,
            is_starting: false,
            recent_files: RecentFiles::default(),
            guide: Guide::default(),
            exporting: None,
            download: None,
            palette: None,
            may_close: false,
            title: String::new(),
            dropping: Latest::default(),
            desktop,
            picker,
            asked: None,
        }
    }

    pub fn open_list(&mut self, list: PaletteList) {
        self.recent_files.reopen();
        self.palette = Some(Palette::new(list));
    }

    pub fn ask(&mut self, request: PathRequest, usage: PathUse, ctx: &egui::Context) {
        let dialog = (self.picker)(&request, ctx);
        self.asked = Some((request, usage, dialog));
    }

    /// Returns what was asked for and the answer of the system's dialog, once there is one. A dialog that broke down
    /// counts as missing.
    pub fn answer(&mut self) -> Option<(PathRequest, PathUse, PathAnswer)> {
        let (.., dialog) = self.asked.as_ref()?;
        let answer = dialog.as_ref().map_or(Some(Ok(PathAnswer::Unavailable)), BackgroundTask::take)?;
        let answer = answer.unwrap_or(PathAnswer::Unavailable);
        let (request, usage, _) = self.asked.take()?;
        Some((request, usage, answer))
    }

    pub fn show_title(&mut self, title: String, ctx: &egui::Context) {
        if title != self.title {
            ctx.send_viewport_cmd(ViewportCommand::Title(title.clone()));
            self.title = title;
        }
    }

    /// Logs what the desktop refused; the message that runs are over stays.
    pub fn log_failures(&mut self, log: &mut Log) {
        while let Some(trouble) = self.desktop.trouble() {
            log.note(trouble);
        }
    }

    /// Keeps the computer awake while runs are in progress, if the user wants that.
    pub fn keep_awake(&mut self, is_running: bool) {
        self.desktop.keep_awake(self.settings.keep_awake && is_running);
    }

    /// Tells of the end of runs that began then, if that took long.
    pub fn notify_end(&mut self, began: Option<Instant>, title: &str, text: &str) {
        let took = began.map_or(Duration::ZERO, |began| began.elapsed());
        if took >= LONG && self.settings.notify {
            self.desktop.notify(title, text);
        }
    }
}

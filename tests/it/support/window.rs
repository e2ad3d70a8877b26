//! The real window, drawn into nothing, with a quiet desktop around it.

use std::path::{Path, PathBuf};
use std::sync::mpsc::sync_channel;
use std::time::{Duration, Instant};

use eframe::egui::{self, Theme, ThemePreference};
use egui_kittest::{Harness, TestRenderer};
use weightlab::gui::app::{App, Parts, prepare};
use weightlab::gui::commands::Command;
use weightlab::gui::desktop::Desktop;
use weightlab::gui::files::{PathAnswer, PathRequest};
use weightlab::gui::settings::Settings;
use weightlab::gui::worker::Worker;

/// A desktop without notifications, that may go to sleep.
struct Quiet;

impl Desktop for Quiet {
    fn notify(&mut self, _: &str, _: &str) {}

    fn keep_awake(&mut self, _: bool) {}

    fn trouble(&mut self) -> Option<String> {
        None
    }
}

/// A window to be opened.
pub struct Opening {
    pub size: [f32; 2],
    pub look: ThemePreference,
    /// Results of documents without a file go here.
    pub untitled: PathBuf,
    /// What every file dialog is answered with; without one it is cancelled.
    pub chosen: Option<PathBuf>,
    pub file: Option<PathBuf>,
}

impl Opening {
    /// A usual window whose documents have their results in this folder.
    pub fn new(untitled: &Path) -> Self {
        let untitled = untitled.to_owned();
        Self { size: [1280.0, 800.0], look: ThemePreference::Dark, untitled, chosen: None, file: None }
    }

    pub fn open(
        self,
        worker: impl Worker + 'static,
        renderer: impl TestRenderer + 'static,
    ) -> Harness<'static, App> {
        let Self { size, look, untitled, chosen, file } = self;
        let settings = Settings { theme: look, ..Settings::default() };
        let picker = Box::new(move |_: &PathRequest, _: &egui::Context| {
            let (sender, answers) = sync_channel(1);
            sender
                .send(chosen.clone().map_or(PathAnswer::Cancelled, PathAnswer::Path))
                .expect("there is room");
            answers
        });
        let parts =
            Parts { worker: Box::new(worker), picker, desktop: Box::new(Quiet), untitled, home: None };
        let theme = if look == ThemePreference::Light { Theme::Light } else { Theme::Dark };
        // What is read in the background asks for a few frames more.
        let builder =
            Harness::builder().with_size(size).with_theme(theme).with_max_steps(32).renderer(renderer);
        let mut harness = builder.build_eframe(move |cc| {
            prepare(&cc.egui_ctx, &settings);
            App::new(parts, settings, file.as_deref())
        });
        harness.run();
        harness
    }
}

/// Does what a command says.
pub fn execute(harness: &mut Harness<'static, App>, command: Command) {
    let ctx = harness.ctx.clone();
    harness.state_mut().execute(command, &ctx);
    harness.run_ok();
}

/// Draws frames until something is so, for a minute at most.
pub fn wait_until(
    harness: &mut Harness<'static, App>,
    what: &str,
    is: impl Fn(&Harness<'static, App>) -> bool,
) {
    let began = Instant::now();
    while !is(harness) {
        assert!(began.elapsed() < Duration::from_mins(1), "{what} never came");
        std::thread::sleep(Duration::from_millis(10));
        harness.step();
    }
}

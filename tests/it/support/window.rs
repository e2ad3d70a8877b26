//! The real window, drawn into nothing, with a quiet desktop around it.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use chrono::{DateTime, Local, TimeZone};
use eframe::egui::accesskit::Toggled;
use eframe::egui::{Key, Modifiers, Theme, ThemePreference};
use egui_kittest::kittest::{NodeT, Queryable};
use egui_kittest::{Harness, TestRenderer};
use gui::app::{App, Parts, prepare};
use gui::commands::Command;
use gui::desktop::Desktop;
use gui::files::Picker;
use gui::settings::Settings;
use gui::worker::Worker;

/// A desktop without notifications, that may go to sleep.
struct Quiet;

impl Desktop for Quiet {
    fn notify(&mut self, _: &str, _: &str) {}

    fn keep_awake(&mut self, _: bool) {}

    fn trouble(&mut self) -> Option<String> {
        None
    }
}

/// Always the same time, since pictures show it.
fn noon() -> DateTime<Local> {
    Local.with_ymd_and_hms(2026, 1, 2, 12, 0, 0).single().expect("noon is once a day")
}

/// A window to be opened.
pub struct Opening {
    pub size: [f32; 2],
    pub look: ThemePreference,
    /// Results of documents without a file go here.
    pub untitled: PathBuf,
    pub file: Option<PathBuf>,
}

impl Opening {
    /// A usual window whose documents have their results in this folder.
    pub fn new(untitled: &Path) -> Self {
        let untitled = untitled.to_owned();
        Self { size: [1280.0, 800.0], look: ThemePreference::Dark, untitled, file: None }
    }

    pub fn open(
        self,
        worker: impl Worker + 'static,
        renderer: impl TestRenderer + 'static,
    ) -> Harness<'static, App> {
        let Self { size, look, untitled, file } = self;
        let settings = Settings { theme: look, ..Settings::default() };
        let picker: Picker = Box::new(|_, _| None);
        let (worker, desktop) = (Box::new(worker), Box::new(Quiet));
        let parts = Parts { worker, picker, desktop, untitled, home: None, clock: noon };
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

/// Shows a plot or a view by its title, and makes it the one that commands are about.
pub fn show(harness: &mut Harness<'static, App>, title: &str) {
    execute(harness, Command::Palette);
    harness.get_by_label("Search commands").type_text(&format!("Show view: {title}"));
    harness.run_ok();
    harness.key_press(Key::Enter);
    harness.run_ok();
}

/// Writes the figure that was used last to a file in the folder of the document, by the dialog.
pub fn export(harness: &mut Harness<'static, App>, to: &Path, has_footnote: bool) {
    execute(harness, Command::ExportFigure);
    let [name, ending] = [to.file_stem(), to.extension()].map(|part| part.unwrap().to_str().unwrap());
    for format in ["PDF", "SVG", "PNG", "CSV"] {
        let tick = harness.get_by_label(format);
        let is_on = tick.accesskit_node().toggled() == Some(Toggled::True);
        if is_on != (format == ending.to_uppercase()) {
            tick.click_accesskit();
            harness.run_ok();
        }
    }
    harness.get_by_label("File name").focus();
    harness.run_ok();
    harness.key_press_modifiers(Modifiers::COMMAND, Key::A);
    harness.get_by_label("File name").type_text(name);
    if has_footnote {
        harness.get_by_label("Footnote").click_accesskit();
    }
    wait_until(harness, "the figure", |harness| {
        !harness.get_by_label("Export").accesskit_node().is_disabled()
    });
    harness.get_by_label("Export").click_accesskit();
    wait_until(harness, "the exported file", |_| to.exists());
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

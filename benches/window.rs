//! How long a frame takes while two cores train: `cargo bench --bench window`.
//!
//! The real app with a real worker runs the default document (12 runs on digits, two side by side). A frame is drawn
//! every 16 ms; what is timed is `logic` and `ui` together. One line of JSON is printed.

#![allow(clippy::print_stdout, reason = "a benchmark prints its result")]

use std::path::PathBuf;
use std::time::{Duration, Instant};

use eframe::egui;
use egui_kittest::Harness;
use weightlab::gui::app::{App, Parts, prepare};
use weightlab::gui::commands::Command;
use weightlab::gui::files::system_dialogs;
use weightlab::gui::settings::Settings;
use weightlab::gui::worker::Threads;

/// The app with a stop watch around its two parts.
struct Timed {
    app: App,
    begun: Instant,
    frames: Vec<Duration>,
    logic: Duration,
}

impl eframe::App for Timed {
    fn logic(&mut self, ctx: &egui::Context, frame: &mut eframe::Frame) {
        let begun = Instant::now();
        self.app.logic(ctx, frame);
        self.logic = begun.elapsed();
    }

    fn ui(&mut self, ui: &mut egui::Ui, frame: &mut eframe::Frame) {
        let begun = Instant::now();
        self.app.ui(ui, frame);
        self.frames.push(self.logic + begun.elapsed());
    }
}

fn main() {
    let results = tempfile::tempdir().expect("a folder for results");
    let untitled: PathBuf = results.path().to_owned();
    let mut harness =
        Harness::builder().with_size([1280.0, 800.0]).with_max_steps(1).build_eframe(move |cc| {
            prepare(&cc.egui_ctx, &Settings::default());
            let parts = Parts { worker: Box::new(Threads), picker: system_dialogs(), untitled };
            let app = App::new(parts, Settings::default(), None);
            Timed { app, begun: Instant::now(), frames: Vec::new(), logic: Duration::ZERO }
        });
    harness.step();
    let ctx = harness.ctx.clone();
    harness.state_mut().app.execute(Command::RunAll, &ctx);
    harness.state_mut().frames.clear();
    harness.state_mut().begun = Instant::now();
    while harness.state().begun.elapsed() < Duration::from_secs(15) {
        let next = Instant::now() + Duration::from_millis(16);
        harness.step();
        std::thread::sleep(next.saturating_duration_since(Instant::now()));
    }
    harness.state_mut().app.execute(Command::StopNow, &ctx);
    let mut frames = std::mem::take(&mut harness.state_mut().frames);
    frames.sort_unstable();
    let at = |share: f64| frames[((frames.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e3;
    println!(
        "{{\"scenario\":\"window-live\",\"frames\":{},\"median_ms\":{:.3},\"p99_ms\":{:.3},\"max_ms\":{:.3}}}",
        frames.len(),
        at(0.5),
        at(0.99),
        at(1.0)
    );
}

//! How long a frame takes, while two cores train and with many results: `cargo bench --bench window`.
//!
//! `window-live`: the real app with a real worker runs the default document (12 runs on digits, two side by side). A frame
//! is drawn every 16 ms. `window-large`: it opens an experiment with 200 runs, each with 5,000 points of 4 series, from
//! its directory; `open_ms` is the time to the first frame, `read_ms` until all points are there, and frames are drawn
//! over all curves while the pointer moves. What is timed is `logic` and `ui` together, on the processor. Each scenario
//! prints one line of JSON; a name behind `--` chooses one.

#![allow(clippy::print_stdout, reason = "a benchmark prints its result")]

use std::fmt::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use eframe::egui;
use egui_kittest::Harness;
use weightlab::doc::Run;
use weightlab::gui::app::{App, Parts, prepare};
use weightlab::gui::commands::Command;
use weightlab::gui::desktop::System;
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
    let chosen: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let scenarios: [(&str, fn()); 2] = [("window-live", live), ("window-large", large)];
    for (name, scenario) in scenarios {
        if chosen.is_empty() || chosen.iter().any(|chosen| chosen == name) {
            scenario();
        }
    }
}

fn window(untitled: PathBuf, file: Option<PathBuf>) -> Harness<'static, Timed> {
    Harness::builder().with_size([1280.0, 800.0]).with_max_steps(1).build_eframe(move |cc| {
        prepare(&cc.egui_ctx, &Settings::default());
        let parts = Parts {
            worker: Box::new(Threads),
            picker: system_dialogs(),
            desktop: Box::new(System::default()),
            untitled,
            home: None,
        };
        let app = App::new(parts, Settings::default(), file.as_deref());
        Timed { app, begun: Instant::now(), frames: Vec::new(), logic: Duration::ZERO }
    })
}

fn live() {
    let results = tempfile::tempdir().expect("a folder for results");
    let mut harness = window(results.path().to_owned(), None);
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
    println!("{{\"scenario\":\"window-live\",{}}}", told(&mut harness));
}

/// Number and times of the frames that were drawn, in milliseconds.
fn told(harness: &mut Harness<'_, Timed>) -> String {
    let mut frames = std::mem::take(&mut harness.state_mut().frames);
    frames.sort_unstable();
    let at = |share: f64| frames[((frames.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e3;
    let (median, late, most) = (at(0.5), at(0.99), at(1.0));
    format!("\"frames\":{},\"median_ms\":{median:.3},\"p99_ms\":{late:.3},\"max_ms\":{most:.3}", frames.len())
}

const POINTS: u32 = 5_000;

/// Twenty arms with ten seeds.
fn experiment() -> String {
    let arm = |batch: u32| {
        format!("(name: \"arm {batch}\", set: {{ \"train.batch\": {batch} }}, plan: [Train(\"50ep\")])")
    };
    let arms: Vec<String> = (1..=20).map(arm).collect();
    format!("(seeds: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], arms: [{}])", arms.join(", "))
}

/// What a run wrote that was evaluated a hundred times in each of fifty epochs.
fn log(run: &Run) -> String {
    let mut log = String::from("{\"event\":\"started\",\"resumed\":false,\"threads\":1}\n");
    for point in 1..=POINTS {
        let epoch = f64::from(point) / 100.0;
        let noise = f64::from((point * 7919 + run.seed as u32 * 104_729) % 1000) / 1e4;
        let loss = 2.0 / (1.0 + epoch) + noise;
        let values = [
            ("train_loss", loss),
            ("test_loss", loss + 0.1),
            ("test_accuracy", 0.9 - loss / 3.0),
            ("validation_accuracy", 0.88 - loss / 3.0),
        ];
        for (series, value) in values {
            writeln!(log, "{{\"event\":\"point\",\"series\":\"{series}\",\"value\":{value},\"stage\":\"0\",\"epoch\":{epoch},\"iteration\":{point},\"trained\":{epoch},\"remaining\":1.0,\"secs\":{epoch}}}")
                .expect("writing to a string");
        }
    }
    log + "{\"event\":\"finished\",\"secs\":50.0}\n"
}

fn large() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("large.ron");
    std::fs::write(&file, experiment()).expect("the folder can be written");
    let document = weightlab::doc::file::open(&file).expect("the document is right").experiment;
    for run in weightlab::doc::runs(&document).expect("the document is right") {
        let place = folder.path().join("large.runs").join(&run.id);
        std::fs::create_dir_all(&place).expect("the folder can be written");
        std::fs::write(place.join("events.jsonl"), log(&run)).expect("the folder can be written");
    }
    let begun = Instant::now();
    let mut harness = window(folder.path().join("untitled"), Some(file));
    harness.step();
    let open = begun.elapsed().as_secs_f64() * 1e3;
    while harness.state().app.is_reading() {
        harness.step();
    }
    let read = begun.elapsed().as_secs_f64() * 1e3;
    for _ in 0..20 {
        harness.step(); // curves are built over some frames
    }
    harness.state_mut().frames.clear();
    for step in 0..300_u16 {
        harness.hover_at(egui::pos2(400.0 + f32::from(step), 300.0));
        harness.step();
    }
    println!(
        "{{\"scenario\":\"window-large\",\"open_ms\":{open:.0},\"read_ms\":{read:.0},{}}}",
        told(&mut harness)
    );
}

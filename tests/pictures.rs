//! Pictures of the window, drawn on the processor and compared with those under `tests/pictures`.
//!
//! `WEIGHTLAB_BLESS=1 cargo test --test pictures` writes them anew: look at each before it is kept.

#![allow(clippy::unwrap_used, clippy::cast_possible_truncation, reason = "tests may stop with a panic")]

#[path = "support/screen.rs"]
mod screen;
#[path = "support/window.rs"]
mod window;

use std::path::Path;
use std::sync::mpsc::{Receiver, sync_channel};

use eframe::egui::{Color32, ColorImage, pos2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use resvg::tiny_skia::{IntSize, Pixmap};
use screen::{Textures, picture};
use weightlab::doc::{Event, Point, Run, RunRecord};
use weightlab::gui::app::App;
use weightlab::gui::commands::Command;
use weightlab::gui::settings::Look;
use weightlab::gui::worker::{Work, Worker};
use weightlab::run::{Cost, Job, cost};
use window::{Opening, execute};

/// A pixel differs when one of its colours does by more than this; of all pixels, so few may, since processors round
/// the places of edges differently.
const TOLERANCE: u8 = 12;
const MOST_DIFFERENT: f64 = 0.001;

/// Runs that were done long ago.
struct Past;

impl Worker for Past {
    fn start(&mut self, _: Vec<Job>) -> Work {
        unreachable!("no picture starts a run")
    }

    fn read(&self, _: &Path, runs: &[Run]) -> Receiver<(String, RunRecord)> {
        let (sender, read) = sync_channel(runs.len());
        runs.iter().for_each(|run| sender.send((run.id.clone(), record(run))).unwrap());
        read
    }

    fn cost(&self, run: &Run) -> Result<Cost, String> {
        cost(run)
    }
}

/// Curves that rise, each arm to its own height.
fn record(run: &Run) -> RunRecord {
    let (arm, seed) = (run.arm_index as f64, run.seed as f64);
    let point = |number: u32, series: &str, value: f64| {
        let trained = f64::from(number) / 4.0;
        Event::Point(Point {
            series: series.to_owned(),
            value,
            stage: "1".to_owned(),
            epoch: trained,
            iteration: u64::from(number) * 10,
            trained,
            remaining: 1.0,
            secs: trained,
            ..Point::default()
        })
    };
    let curve = (1..=48).flat_map(|number| {
        let wave = 0.01 * (f64::from(number) * (1.0 + seed)).sin();
        let accuracy = 0.95 - 0.08 * arm - 0.6 / (1.0 + f64::from(number)) + wave;
        [point(number, "test_accuracy", accuracy), point(number, "test_loss", 1.0 - accuracy)]
    });
    let started = Event::Started { resumed: false, threads: 1 };
    RunRecord::of(std::iter::once(started).chain(curve).chain([Event::Finished { secs: 12.0 + seed }]))
}

struct Window {
    harness: Harness<'static, App>,
    textures: Textures,
    size: [f32; 2],
}

impl Window {
    fn new(size: [f32; 2], look: Look) -> Self {
        let textures = Textures::default();
        let opening = Opening { size, look, ..Opening::new(Path::new("/proc/nowhere")) };
        Self { harness: opening.open(Past, textures.clone()), textures, size }
    }

    fn click(&mut self, label: &str) {
        self.harness.get_by_label(label).click();
        self.harness.run();
    }

    /// Compares what is on the screen with the picture of this name.
    fn looks_like(&mut self, name: &str) {
        let shapes = self.harness.output().shapes.clone();
        let size = self.size.map(|side| side as usize);
        let seen = picture(&self.harness.ctx, shapes, &self.textures, size);
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pictures");
        let kept = folder.join(format!("{name}.png"));
        if std::env::var_os("WEIGHTLAB_BLESS").is_some() {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&kept, png(&seen)).unwrap();
            return;
        }
        let known = std::fs::read(&kept).map(|file| Pixmap::decode_png(&file).unwrap());
        let known = known.unwrap_or_else(|error| panic!("{}: {error}", kept.display()));
        let share = different(&seen, &known);
        if share > MOST_DIFFERENT {
            let now = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.png"));
            std::fs::write(&now, png(&seen)).unwrap();
            panic!(
                "{:.2} % of {name} look different: compare {} with {}; if it is right, WEIGHTLAB_BLESS=1 keeps it",
                100.0 * share,
                now.display(),
                kept.display()
            );
        }
    }
}

fn png(image: &ColorImage) -> Vec<u8> {
    let bytes = image.pixels.iter().flat_map(Color32::to_array).collect();
    let size = IntSize::from_wh(image.size[0] as u32, image.size[1] as u32).unwrap();
    Pixmap::from_vec(bytes, size).unwrap().encode_png().unwrap()
}

/// The share of pixels that differ; all of them where the size does.
fn different(seen: &ColorImage, known: &Pixmap) -> f64 {
    if [known.width() as usize, known.height() as usize] != seen.size {
        return 1.0;
    }
    let differs =
        |(seen, known): &(&[u8; 4], &[u8])| seen.iter().zip(*known).any(|(a, b)| a.abs_diff(*b) > TOLERANCE);
    let bytes: Vec<[u8; 4]> = seen.pixels.iter().map(Color32::to_array).collect();
    let count = bytes.iter().zip(known.data().chunks_exact(4)).filter(differs).count();
    count as f64 / bytes.len() as f64
}

#[test]
fn finished_runs() {
    let mut window = Window::new([1280.0, 800.0], Look::Dark);
    window.looks_like("finished");
    window.harness.hover_at(pos2(560.0, 300.0));
    window.harness.run();
    window.looks_like("reading");
}

#[test]
fn a_small_light_window() {
    Window::new([720.0, 480.0], Look::Light).looks_like("small");
}

#[test]
fn the_table_of_runs() {
    let mut window = Window::new([1280.0, 800.0], Look::Light);
    window.click("Runs");
    window.looks_like("runs");
}

#[test]
fn templates_to_start_from() {
    let mut window = Window::new([1280.0, 800.0], Look::Light);
    execute(&mut window.harness, Command::New);
    window.looks_like("templates");
}

#[test]
fn the_palette() {
    let mut window = Window::new([1280.0, 800.0], Look::Dark);
    execute(&mut window.harness, Command::Palette);
    window.looks_like("palette");
}

#[test]
fn a_picture_that_differs_is_noticed() {
    let image = ColorImage::filled([10, 10], Color32::BLACK);
    let mut other = Pixmap::decode_png(&png(&image)).unwrap();
    assert_eq!(different(&image, &other), 0.0);
    other.data_mut()[4..12].fill(200);
    assert_eq!(different(&image, &other), 0.02);
}

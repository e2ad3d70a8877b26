//! Pictures of the window, drawn on the processor and compared with those under `tests/pictures`.
//!
//! `WEIGHTLAB_BLESS=1 cargo test --test it pictures` writes them anew: look at each before it is kept.

use std::path::Path;
use std::sync::mpsc::{Receiver, sync_channel};

use doc::Run;
use eframe::egui::{Color32, ColorImage, ThemePreference, pos2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use gui::app::App;
use gui::commands::Command;
use gui::worker::{RunningJobs, Worker};
use results::{Event, Point, RunRecord};
use resvg::tiny_skia::{IntSize, Pixmap};
use run::{Cost, Job, QueueOptions, cost};

use crate::support::screen::{Textures, picture};
use crate::support::window::{Opening, execute};

/// A pixel differs when one of its colours does by more than this. So few of them may, wherever they are, since
/// processors round the places of edges differently: a letter that is another one has more.
const TOLERANCE: u8 = 16;
const MOST_DIFFERENT: usize = 8;

/// Runs that were done long ago.
struct Past;

impl Worker for Past {
    fn start(&mut self, _: Vec<Job>, _: QueueOptions) -> RunningJobs {
        unreachable!("no picture starts a run")
    }

    fn read(&self, _: &Path, runs: &[Run]) -> Receiver<(String, RunRecord)> {
        let (sender, read) = sync_channel(runs.len());
        for run in runs {
            sender.send((run.id.clone(), record(run))).unwrap();
        }
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
    RunRecord::from_events(
        std::iter::once(started).chain(curve).chain([Event::Finished { secs: 12.0 + seed }]),
    )
}

struct Window {
    harness: Harness<'static, App>,
    textures: Textures,
    size: [f32; 2],
}

impl Window {
    fn new(size: [f32; 2], look: ThemePreference) -> Self {
        let textures = Textures::default();
        let opening = Opening { size, look, ..Opening::new(Path::new("/proc/nowhere")) };
        Self { harness: opening.open(Past, textures.clone()), textures, size }
    }

    fn click(&mut self, label: &str) {
        self.harness.get_by_label(label).click();
        self.harness.run();
    }

    /// What is on the screen.
    fn seen(&mut self) -> ColorImage {
        let shapes = self.harness.output().shapes.clone();
        let size = self.size.map(|side| side as usize);
        picture(&self.harness.ctx, shapes, &self.textures, size)
    }

    /// Compares what is on the screen with the picture of this name.
    fn looks_like(&mut self, name: &str) {
        let seen = self.seen();
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pictures");
        let kept = folder.join(format!("{name}.png"));
        if std::env::var_os("WEIGHTLAB_BLESS").is_some() {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&kept, png(&seen)).unwrap();
            return;
        }
        let known = std::fs::read(&kept).map(|file| Pixmap::decode_png(&file).unwrap());
        let known = known.unwrap_or_else(|error| panic!("{}: {error}", kept.display()));
        let count = different(&seen, &known);
        if count > MOST_DIFFERENT {
            let now = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.png"));
            std::fs::write(&now, png(&seen)).unwrap();
            panic!(
                "{count} pixels of {name} look different: compare {} with {}; if it is right, WEIGHTLAB_BLESS=1 keeps it",
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

/// How many pixels differ; all of them where the size does.
fn different(seen: &ColorImage, known: &Pixmap) -> usize {
    if [known.width() as usize, known.height() as usize] != seen.size {
        return usize::MAX;
    }
    let differs =
        |(seen, known): &(&[u8; 4], &[u8])| seen.iter().zip(*known).any(|(a, b)| a.abs_diff(*b) > TOLERANCE);
    let bytes: Vec<[u8; 4]> = seen.pixels.iter().map(Color32::to_array).collect();
    bytes.iter().zip(known.data().chunks_exact(4)).filter(differs).count()
}

#[test]
fn finished_runs() {
    let mut window = Window::new([1280.0, 800.0], ThemePreference::Dark);
    window.looks_like("finished");
    window.harness.hover_at(pos2(560.0, 300.0));
    window.harness.run();
    window.looks_like("reading");
}

#[test]
fn a_small_light_window() {
    Window::new([720.0, 480.0], ThemePreference::Light).looks_like("small");
}

#[test]
fn the_table_of_runs() {
    let mut window = Window::new([1280.0, 800.0], ThemePreference::Light);
    window.click("Runs");
    window.looks_like("runs");
}

#[test]
fn templates_to_start_from() {
    let mut window = Window::new([1280.0, 800.0], ThemePreference::Light);
    execute(&mut window.harness, Command::New);
    window.looks_like("templates");
}

#[test]
fn the_palette() {
    let mut window = Window::new([1280.0, 800.0], ThemePreference::Dark);
    execute(&mut window.harness, Command::Palette);
    window.looks_like("palette");
}

#[test]
fn one_letter_that_is_another_one_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.ron");
    let seen = |name: &str| {
        let text = format!("(data: Iris(), net: Mlp(hidden: [2]), arms: [(name: \"{name}\", plan: [Test])])");
        std::fs::write(&file, text).unwrap();
        let textures = Textures::default();
        let file = Some(file.clone());
        let opening = Opening { file, size: [720.0, 480.0], ..Opening::new(Path::new("/proc/nowhere")) };
        let mut window =
            Window { harness: opening.open(Past, textures.clone()), textures, size: [720.0, 480.0] };
        window.seen()
    };
    let known = Pixmap::decode_png(&png(&seen("dense"))).unwrap();
    assert_eq!(different(&seen("dense"), &known), 0, "the same window looks the same");
    for name in ["dence", "densc"] {
        let count = different(&seen(name), &known);
        assert!(count > MOST_DIFFERENT, "{name}: only {count} pixels differ");
    }
    assert_eq!(different(&ColorImage::filled([10, 10], Color32::BLACK), &known), usize::MAX);
}

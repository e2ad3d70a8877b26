//! How long a frame takes, while two cores train and with many results: `cargo bench --bench window`.
//!
//! `window-live`: the real app with a real worker runs the default document (12 runs on digits, two side by side). A frame
//! is drawn every 16 ms. `window-typing`: the same while a key is pressed in a form before every frame. `window-large`: it
//! opens an experiment with 200 runs, each with 5,000 points of 4 series, from its directory; `open_ms` is the time to the
//! first frame, `read_ms` until all points are there, `drawn_ms` until the curves of all points are, and frames are drawn
//! over all curves while the pointer moves, while the view is zoomed, and while a key is pressed in a form: in the name
//! of an arm (typing), and in a setting of all runs (setting). `window-busy`: the same with six tiles at 1920 × 1080:
//! accuracy, loss, accuracy by class, the table of runs, parallel coordinates and tickets. `window-100`, `window-1000` and
//! `window-10000`: the same with that number of runs in arms of ten, 100 points of each series, and two tiles at
//! 1920 × 1080: accuracy and the table of runs; also while a filter is typed, the table is sorted anew every 20 frames, and
//! table and tree are scrolled. `window-grid-100`, `window-grid-1000` and `window-grid-10000`: that number of runs as a grid
//! of ten arms, a swept setting and ten seeds, with four tiles: a table of individual runs, parallel coordinates,
//! accuracy in a panel for each seed, and accuracy over the setting.
//!
//! What is timed of a frame is `logic` and `ui` together with the tessellation of what they paint: `median_ms`, `p99_ms` and
//! `max_ms` by the clock, which also counts what else the machine does, and on Linux `cpu_ms`, the mean time on a processor,
//! with its `cpu_median_ms` and `cpu_p99_ms`.
//! Each scenario prints one line of JSON; a name behind `--` chooses one.

#![allow(clippy::print_stdout, reason = "a benchmark prints its result")]

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

use doc::Run;
use eframe::egui;
use eframe::egui::accesskit::Role;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use gui::app::{App, Parts, prepare};
use gui::commands::Command;
use gui::desktop::System;
use gui::files::system_dialogs;
use gui::settings::Settings;
use gui::worker::Threads;
use results::facets::FacetSettings;
use results::table::columns::Column;
use results::tiles::{Group, Layout, Part, Tile, Tiles};
use results::view::{PlotView, ViewSettings};

/// The app with a stop watch around its two parts.
struct Timed {
    app: App,
    begun: Instant,
    frames: Vec<Took>,
    logic: Took,
}

/// How long something took.
#[derive(Clone, Copy, Default)]
struct Took {
    by_clock: Duration,
    on_processor: Duration,
}

impl std::ops::AddAssign for Took {
    fn add_assign(&mut self, other: Self) {
        self.by_clock += other.by_clock;
        self.on_processor += other.on_processor;
    }
}

impl Timed {
    /// Does something; how long it took.
    fn time(&mut self, work: impl FnOnce(&mut App)) -> Took {
        let (begun, cpu) = (Instant::now(), on_processor());
        work(&mut self.app);
        let by_clock = begun.elapsed();
        Took { by_clock, on_processor: on_processor().saturating_sub(cpu) }
    }
}

/// How long this thread has been on a processor; 0 where that cannot be told.
fn on_processor() -> Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = told.split(' ').next().and_then(|number| number.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or_default())
}

impl eframe::App for Timed {
    fn logic(&mut self, ctx: &egui::Context, frame: &mut eframe::Frame) {
        self.logic = self.time(|app| app.logic(ctx, frame));
    }

    fn ui(&mut self, ui: &mut egui::Ui, frame: &mut eframe::Frame) {
        let mut took = self.time(|app| app.ui(ui, frame));
        took += self.logic;
        self.frames.push(took);
    }
}

fn main() {
    let chosen: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let scenarios: [(&str, fn()); 10] = [
        ("window-live", live),
        ("window-typing", typing),
        ("window-large", large),
        ("window-busy", busy),
        ("window-100", || many("window-100", 10)),
        ("window-1000", || many("window-1000", 100)),
        ("window-10000", || many("window-10000", 1000)),
        ("window-grid-100", || grid("window-grid-100", 1)),
        ("window-grid-1000", || grid("window-grid-1000", 10)),
        ("window-grid-10000", || grid("window-grid-10000", 100)),
    ];
    for (name, scenario) in scenarios {
        if chosen.is_empty() || chosen.iter().any(|chosen| chosen == name) {
            scenario();
        }
    }
}

const SMALL: [f32; 2] = [1280.0, 800.0];
const FULL: [f32; 2] = [1920.0, 1080.0];

fn window(size: [f32; 2], untitled: PathBuf, file: Option<PathBuf>) -> Harness<'static, Timed> {
    // Time passes in the window as between frames of a real one.
    let builder = Harness::builder().with_size(size).with_max_steps(1).with_step_dt(0.016);
    builder.build_eframe(move |cc| {
        prepare(&cc.egui_ctx, &Settings::default());
        let parts = Parts {
            worker: Box::new(Threads),
            picker: system_dialogs(),
            desktop: Box::new(System::default()),
            untitled,
            home: None,
            clock: chrono::Local::now,
        };
        let app = App::new(parts, Settings::default(), file.as_deref());
        Timed { app, begun: Instant::now(), frames: Vec::new(), logic: Took::default() }
    })
}

/// Draws a frame and adds the tessellation of its shapes to its time.
fn frame(harness: &mut Harness<'_, Timed>) {
    harness.step();
    let (ctx, shapes) = (harness.ctx.clone(), harness.output().shapes.clone());
    let tessellate = |_: &mut App| drop(std::hint::black_box(ctx.tessellate(shapes, ctx.pixels_per_point())));
    let took = harness.state_mut().time(tessellate);
    if let Some(last) = harness.state_mut().frames.last_mut() {
        *last += took;
    }
}

/// Draws a frame and waits for the next one.
fn paced_frame(harness: &mut Harness<'_, Timed>) {
    let next = Instant::now() + Duration::from_millis(16);
    frame(harness);
    std::thread::sleep(next.saturating_duration_since(Instant::now()));
}

fn live() {
    let times = while_running(|_| {});
    println!("{{\"scenario\":\"window-live\",{times}}}");
}

fn typing() {
    let times = while_running(press_key);
    println!("{{\"scenario\":\"window-typing\",{times}}}");
}

/// Presses a key in the name of the arm that is selected.
fn press_key(harness: &mut Harness<'_, Timed>) {
    let name = harness.get_by_role_and_label(Role::TextInput, "Name");
    if !name.is_focused() {
        name.focus();
    }
    name.type_text("x");
}

/// The times of frames while runs go on.
fn while_running(before_frame: impl Fn(&mut Harness<'_, Timed>)) -> String {
    let results = tempfile::tempdir().expect("a folder for results");
    let mut harness = window(SMALL, results.path().to_owned(), None);
    harness.step();
    let ctx = harness.ctx.clone();
    harness.state_mut().app.execute(Command::RunAll, &ctx);
    told(&mut harness);
    harness.state_mut().begun = Instant::now();
    while harness.state().begun.elapsed() < Duration::from_secs(15) {
        before_frame(&mut harness);
        paced_frame(&mut harness);
    }
    harness.state_mut().app.execute(Command::StopNow, &ctx);
    told(&mut harness)
}

/// Number and times of the frames that were drawn, in milliseconds.
fn told(harness: &mut Harness<'_, Timed>) -> String {
    let frames = std::mem::take(&mut harness.state_mut().frames);
    let sorted = |of: fn(&Took) -> Duration| -> Vec<f64> {
        let mut times: Vec<f64> = frames.iter().map(|took| of(took).as_secs_f64() * 1e3).collect();
        times.sort_unstable_by(f64::total_cmp);
        times
    };
    let (clock, cpu) = (sorted(|took| took.by_clock), sorted(|took| took.on_processor));
    let at = |times: &[f64], share: f64| times[((times.len() - 1) as f64 * share) as usize];
    format!(
        "\"frames\":{},\"median_ms\":{:.3},\"p99_ms\":{:.3},\"max_ms\":{:.3},\"cpu_ms\":{:.3},\"cpu_median_ms\":{:.3},\"cpu_p99_ms\":{:.3}",
        frames.len(),
        at(&clock, 0.5),
        at(&clock, 0.99),
        at(&clock, 1.0),
        cpu.iter().sum::<f64>() / cpu.len() as f64,
        at(&cpu, 0.5),
        at(&cpu, 0.99),
    )
}

/// How many results an experiment has.
#[derive(Clone, Copy)]
struct Amount {
    /// Arms, each with ten seeds.
    arms: u32,
    /// Values of a setting that each arm sweeps.
    values: u32,
    /// Points of each of the four series of a run, which trains for fifty epochs.
    points: u32,
}

const LARGE: Amount = Amount { arms: 20, values: 1, points: 5_000 };

fn experiment(Amount { arms, values, .. }: Amount) -> String {
    let arm = |batch: u32| {
        format!("(name: \"arm {batch}\", set: {{ \"train.batch\": {batch} }}, plan: [Train(\"50ep\")])")
    };
    let arms: Vec<String> = (1..=arms).map(arm).collect();
    let values: Vec<String> = (1..=values).map(|value| format!("{:.4}", f64::from(value) / 1e4)).collect();
    let sweep = if values.len() > 1 {
        format!("sweep: {{ \"train.optimizer.rate\": [{}] }}, ", values.join(", "))
    } else {
        String::new()
    };
    format!("({sweep}seeds: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], arms: [{}])", arms.join(", "))
}

/// What a run wrote that was evaluated `points` times in fifty epochs.
fn log(run: &Run, points: u32) -> String {
    let each_epoch = points / 50;
    let mut log = String::from("{\"event\":\"started\",\"resumed\":false,\"threads\":1}\n");
    for point in 1..=points {
        let epoch = f64::from(point) / f64::from(each_epoch);
        let noise = f64::from((point * 7919 + run.seed as u32 * 104_729) % 1000) / 1e4;
        let loss = 2.0 / (1.0 + epoch) + noise;
        // Accuracies of classes are reported at the end of an epoch.
        let classes = if point % each_epoch == 0 {
            ",\"classes\":[0.9,0.8,0.7,0.6,0.5,0.4,0.3,0.2,0.1,0.0]"
        } else {
            ""
        };
        let values = [
            ("train_loss", loss),
            ("test_loss", loss + 0.1),
            ("test_accuracy", 0.9 - loss / 3.0),
            ("validation_accuracy", 0.88 - loss / 3.0),
        ];
        for (series, value) in values {
            let classes = if series == "test_accuracy" { classes } else { "" };
            writeln!(log, "{{\"event\":\"point\",\"series\":\"{series}\",\"value\":{value},\"stage\":\"0\",\"epoch\":{epoch},\"iteration\":{point},\"trained\":{epoch},\"remaining\":1.0{classes},\"secs\":{epoch}}}")
                .expect("writing to a string");
        }
    }
    log + "{\"event\":\"finished\",\"secs\":50.0}\n"
}

/// One plot, which is the layout at first.
fn large() {
    measure("window-large", LARGE, SMALL, &ViewSettings::default(), &BUSY);
}

/// Six tiles: three columns of two.
fn busy() {
    let columns = [["accuracy", "runs"], ["loss", "parallel"], ["classes", "tickets"]].map(column);
    measure("window-busy", LARGE, FULL, &curves(Tile::Row(columns.into())), &BUSY);
}

/// The plot beside the table of runs.
fn many(scenario: &str, arms: u32) {
    let view = curves(Tile::Row(["accuracy", "runs"].map(tile).into()));
    measure(scenario, Amount { arms, values: 1, points: 100 }, FULL, &view, &[&BUSY[..], &TABLE].concat());
}

/// Four tiles: two columns of two.
fn grid(scenario: &str, values: u32) {
    let columns = [["runs", "parallel"], ["accuracy", "metric"]].map(column);
    let mut view = curves(Tile::Row(columns.into()));
    view.table.group = Some(Vec::new());
    let facets = FacetSettings { by: vec![Column::Seed], ..FacetSettings::default() };
    view.plots.insert("accuracy".to_owned(), PlotView { facets, ..PlotView::default() });
    measure(scenario, Amount { arms: 10, values, points: 100 }, FULL, &view, &TABLE);
}

fn tile(view: &str) -> Part {
    Part { share: 1.0, tile: Tile::View(view.to_owned()) }
}

fn column(views: [&str; 2]) -> Part {
    Part { share: 1.0, tile: Tile::Column(views.map(tile).into()) }
}

/// The group of curves with these tiles.
fn curves(root: Tile) -> ViewSettings {
    let layout = Layout { root: Some(root), active: "accuracy".to_owned(), ..Layout::default() };
    let tiles = Tiles { layouts: [(Group::Curves.name().to_owned(), layout)].into(), ..Tiles::default() };
    ViewSettings { tiles: Some(tiles), ..ViewSettings::default() }
}

/// Opens an experiment with many results, and draws frames while a person does something.
fn measure(scenario: &str, amount: Amount, size: [f32; 2], view: &ViewSettings, actions: &[Action]) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("large.ron");
    let results = folder.path().join("large.runs");
    std::fs::write(&file, experiment(amount)).expect("the folder can be written");
    let document = doc::file::open(&file).expect("the document is right").experiment;
    for run in doc::runs(&document).expect("the document is right") {
        let place = results.join(&run.id);
        std::fs::create_dir_all(&place).expect("the folder can be written");
        let mut events =
            std::fs::File::create(place.join("events.jsonl")).expect("the folder can be written");
        events.write_all(log(&run, amount.points).as_bytes()).expect("the folder can be written");
        std::fs::write(place.join("DONE"), "").expect("the folder can be written");
        // What was written a moment ago would count as news of another process.
        events.set_modified(SystemTime::now() - Duration::from_mins(1)).expect("the date can be set");
    }
    view.write(&results).expect("the folder can be written");
    let begun = Instant::now();
    let mut harness = window(size, folder.path().join("untitled"), Some(file));
    harness.step();
    let open = begun.elapsed().as_secs_f64() * 1e3;
    while harness.state().app.is_reading() {
        paced_frame(&mut harness);
    }
    let read = begun.elapsed().as_secs_f64() * 1e3;
    while harness.state().app.is_drawing() {
        paced_frame(&mut harness);
    }
    let drawn = begun.elapsed().as_secs_f64() * 1e3;
    println!(
        "{{\"scenario\":\"{scenario}\",\"open_ms\":{open:.0},\"read_ms\":{read:.0},\"drawn_ms\":{drawn:.0},{}}}",
        told(&mut harness)
    );
    for (name, before_frame) in actions {
        for step in 0..200_u16 {
            before_frame(&mut harness, step);
            paced_frame(&mut harness);
        }
        println!("{{\"scenario\":\"{scenario}, {name}\",{}}}", told(&mut harness));
    }
}

/// What a person does, and what happens before a frame of it.
type Action = (&'static str, fn(&mut Harness<'_, Timed>, u16));

/// What a person does with the table of runs and the tree of arms.
const TABLE: [Action; 5] = [
    ("quiet", |_, _| {}),
    ("filter", |harness, step| {
        let field = harness.get_by_role_and_label(Role::TextInput, "Filter");
        if !field.is_focused() {
            return field.focus();
        }
        // A letter every 64 ms, and gone again as fast.
        let letters = ["a", "r", "m", " ", "1", "0"];
        match usize::from(step) / 4 % 12 {
            _ if step % 4 > 0 => {}
            nth if nth < letters.len() => field.type_text(letters[nth]),
            _ => harness.key_press(egui::Key::Backspace),
        }
    }),
    ("sort", |harness, step| {
        if step % 20 == 0 {
            harness.get_by_role_and_label(Role::Button, HEADING).click();
        }
    }),
    ("scroll the table", |harness, step| {
        let heading = harness.get_by_role_and_label(Role::Button, HEADING).rect();
        scroll(harness, heading.center_bottom() + egui::vec2(0.0, 100.0), step);
    }),
    ("scroll the tree", |harness, step| scroll(harness, egui::pos2(120.0, 500.0), step)),
];

/// The heading of the column that is sorted: it stays in sight.
const HEADING: &str = "Arm";

/// Turns the wheel at a place: down, and half as far up.
fn scroll(harness: &mut Harness<'_, Timed>, at: egui::Pos2, step: u16) {
    harness.hover_at(at);
    turn_wheel(harness, if step % 60 < 40 { -60.0 } else { 60.0 });
}

fn turn_wheel(harness: &mut Harness<'_, Timed>, y: f32) {
    let (unit, source) = (egui::MouseWheelUnit::Point, egui::MouseWheelSource::Wheel);
    let (phase, modifiers) = (egui::TouchPhase::Move, egui::Modifiers::NONE);
    harness.event(egui::Event::MouseWheel { unit, delta: egui::vec2(0.0, y), phase, source, modifiers });
}

/// What a person does with many curves.
const BUSY: [Action; 5] = [
    ("still", |_, _| {}),
    ("pointer", |harness, step| {
        let plot = harness.get_by_label("Plot of Accuracy").rect();
        harness.hover_at(plot.left_center() + egui::vec2(80.0 + f32::from(step), 0.0));
    }),
    ("zoom", |harness, step| turn_wheel(harness, if step < 100 { 8.0 } else { -8.0 })),
    ("typing", |harness, _| press_key(harness)),
    ("setting", |harness, step| {
        let rate = harness.query_by_role_and_label(Role::TextInput, "Learning rate");
        match rate.map(|rate| (rate.is_focused(), rate)) {
            None => harness.get_by_role_and_label(Role::Button, "Training").click(),
            Some((false, rate)) => {
                rate.focus();
                // A field keeps the arrow keys to itself one frame after it got the keyboard.
                harness.step();
            }
            Some((true, _)) if step % 40 < 20 => harness.key_press(egui::Key::ArrowUp),
            Some((true, _)) => harness.key_press(egui::Key::ArrowDown),
        }
    }),
];

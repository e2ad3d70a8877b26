//! The window: the document at the left and right, its curves in the middle.
//!
//! [`App::logic`](eframe::App::logic) takes in what runs say, also while the window is hidden;
//! [`App::ui`](eframe::App::ui) draws, edits the document in place, and carries out [`commands`]. Nothing here waits for
//! a run, a file dialog or a disk that is slow to answer a run.

pub mod app;
mod arm_look;
mod background;
mod bar;
mod compare;
pub mod desktop;
mod dialogs;
mod document;
mod download;
mod export;
mod faults;
pub mod files;
mod form;
mod guide;
mod history;
mod icons;
mod importing;
mod inspector;
mod log;
mod palette;
mod plan;
mod plot;
mod recent;
mod recovery;
mod runs;
mod selection;
pub mod settings;
mod start;
mod swept;
mod table;
mod text;
mod theme;
mod tiles;
mod treatment;
mod tree;
mod views;
mod watching;
mod widgets;
pub mod worker;

use std::path::{Path, PathBuf};

use eframe::egui::{IconData, ViewportBuilder};
use eframe::{CreationContext, NativeOptions, Renderer};

pub use app::commands;
use app::{App, Parts, prepare};
use figure::raster::icon_pixels;
use settings::{KEY, Settings};

/// Names the folder of window state and, on Linux, the window for the desktop.
const APP_ID: &str = "weightlab";

/// The renderers, in the order in which they are tried.
const RENDERERS: &[(&str, Renderer)] = &[
    #[cfg(not(target_os = "linux"))]
    ("wgpu", Renderer::Wgpu),
    ("glow", Renderer::Glow),
];

/// Opens the window, with a file if there is one, and returns when it is closed.
///
/// # Errors
/// Why no renderer could be started.
#[allow(clippy::needless_pass_by_value, reason = "each renderer that is tried gets a copy")]
pub fn launch(file: Option<PathBuf>) -> Result<(), String> {
    let mut failures = Vec::new();
    for (name, renderer) in RENDERERS {
        let file = file.clone();
        let create = Box::new(move |cc: &CreationContext<'_>| {
            let app: Box<dyn eframe::App> = Box::new(create(cc, file.as_deref()));
            Ok(app)
        });
        match eframe::run_native(APP_ID, options(*renderer), create) {
            Ok(()) => return Ok(()),
            Err(error) => {
                failures.push(format!("{name}: {error}"));
                // Without a display no renderer can do better, and the event loop exists only once in a process.
                if matches!(error, eframe::Error::WinitEventLoop(_)) {
                    break;
                }
            }
        }
    }
    let failures = failures.join("\n  ");
    Err(format!(
        "no window could be opened. What was tried:\n  {failures}\nCheck that a display is there (DISPLAY or WAYLAND_DISPLAY), or use the commands: weightlab --help"
    ))
}

fn options(renderer: Renderer) -> NativeOptions {
    let viewport = ViewportBuilder::default()
        .with_app_id(APP_ID)
        .with_title("Weightlab")
        .with_inner_size([1280.0, 800.0])
        .with_min_inner_size([720.0, 480.0])
        .with_icon(icon());
    NativeOptions { viewport, renderer, persist_window: true, ..NativeOptions::default() }
}

/// Returns the icon of the window; nothing, which the system replaces by its own, when it cannot be drawn.
fn icon() -> IconData {
    const SIDE: u32 = 64;
    icon_pixels(SIDE)
        .map_or_else(|_| IconData::default(), |rgba| IconData { rgba, width: SIDE, height: SIDE })
}

fn create(cc: &CreationContext<'_>, file: Option<&Path>) -> App {
    let settings: Settings =
        cc.storage.and_then(|storage| eframe::get_value(storage, KEY)).unwrap_or_default();
    prepare(&cc.egui_ctx, &settings);
    // In the user's data.
    let home = directories::ProjectDirs::from("", "", APP_ID).map(|dirs| dirs.data_dir().to_owned());
    if let Some(home) = &home {
        recent::Recent::adopt(&home.join("untitled"));
    }
    let parts = Parts {
        worker: Box::new(worker::Threads),
        picker: files::system_dialogs(),
        desktop: Box::new(desktop::System::default()),
        untitled: files::documents_folder().unwrap_or_else(std::env::temp_dir).join("Weightlab"),
        home,
        clock: chrono::Local::now,
    };
    let mut app = App::new(parts, settings, file);
    if app.is_blank() {
        app.choose_template();
    }
    app
}

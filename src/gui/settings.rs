//! The user's preferences for the window, kept between starts.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use eframe::egui::ThemePreference;
use serde::{Deserialize, Serialize};

use super::recent::Recent;
use super::recovery::UnsavedEdits;
use super::runs::Sharing;
use figure::FileKind;
use results::tiles::Group;

/// The preferences of the window, apart from any document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[allow(clippy::struct_excessive_bools)] // independent switches
pub struct Settings {
    /// True if the panels at the left and at the right are open, by the names of groups of views, where that is not
    /// as usual.
    pub sides: BTreeMap<String, [bool; 2]>,
    /// The same in a small window, which folds what can be done without.
    pub small_sides: BTreeMap<String, [bool; 2]>,
    pub shows_plan: bool,
    pub shows_log: bool,
    #[serde(skip)]
    pub is_small: bool,
    /// Light, dark, or as the system is.
    pub theme: ThemePreference,
    /// A notification at the end of long runs.
    pub notify: bool,
    /// The computer stays awake while runs go on.
    pub keep_awake: bool,
    pub sharing: Sharing,
    pub recent: Recent,
    /// The formats of the last export.
    pub export_kinds: Vec<FileKind>,
    pub export_folder: Option<PathBuf>,
    /// Where the files of known datasets were the last time, by their names.
    pub data_folders: BTreeMap<String, PathBuf>,
    /// What earlier versions stopped when the window was closed; it moves to the backups of edits.
    #[serde(alias = "to_go_on", skip_serializing_if = "Option::is_none")]
    pub unfinished: Option<Unfinished>,
}

/// A document with runs to resume, as earlier versions kept it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unfinished {
    path: Option<PathBuf>,
    /// The document, where its file does not hold all of it.
    kept: Option<UnsavedEdits>,
    runs: Vec<String>,
}

impl Unfinished {
    /// Returns it as windows that are closed leave it now.
    pub fn to_keep(&self) -> UnsavedEdits {
        let Self { path, kept, runs } = self.clone();
        let name = path.as_deref().and_then(Path::file_name).unwrap_or_default();
        let in_file = UnsavedEdits {
            title: name.to_string_lossy().into_owned(),
            path,
            saved: String::new(),
            text: String::new(),
            typed: Vec::new(),
            is_saved: true,
            runs: Vec::new(),
            is_closed: true,
        };
        UnsavedEdits { runs, is_closed: true, ..kept.unwrap_or(in_file) }
    }
}

impl Settings {
    /// Returns true if the panels at the left and at the right are open beside a group of views.
    pub fn sides(&self, group: Group) -> [bool; 2] {
        let usual = group.panels();
        let (known, usual) =
            if self.is_small { (&self.small_sides, [usual[0], false]) } else { (&self.sides, usual) };
        known.get(group.name()).copied().unwrap_or(usual)
    }

    /// Opens or folds the panels beside a group of views.
    pub fn set_sides(&mut self, group: Group, sides: [bool; 2]) {
        if self.sides(group) != sides {
            let known = if self.is_small { &mut self.small_sides } else { &mut self.sides };
            known.insert(group.name().to_owned(), sides);
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            sides: BTreeMap::new(),
            small_sides: BTreeMap::new(),
            shows_plan: true,
            shows_log: false,
            is_small: false,
            theme: ThemePreference::System,
            notify: true,
            keep_awake: false,
            sharing: Sharing::default(),
            recent: Recent::default(),
            export_kinds: vec![FileKind::Pdf],
            export_folder: None,
            data_folders: BTreeMap::new(),
            unfinished: None,
        }
    }
}

pub const KEY: &str = "weightlab settings";

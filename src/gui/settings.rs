//! The user's preferences for the window, kept between starts.

use std::path::PathBuf;

use eframe::egui::ThemePreference;
use serde::{Deserialize, Serialize};

use super::recent::Recent;
use super::recovery::UnsavedEdits;

/// What is kept about the window, apart from any document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// The panels of a window with room for all of them.
    pub large_panels: Panels,
    /// Those of a small window, which folds what can be done without.
    pub small_panels: Panels,
    /// Which of the two the window shows now.
    #[serde(skip)]
    pub is_small: bool,
    /// Light, dark, or as the system is.
    pub theme: ThemePreference,
    /// A notification at the end of long runs.
    pub notify: bool,
    /// The computer stays awake while runs go on.
    pub keep_awake: bool,
    /// Files that were open before.
    pub recent: Recent,
    /// What was stopped since the window was closed.
    #[serde(alias = "to_go_on")]
    pub unfinished: Option<Unfinished>,
}

/// Runs that were stopped since the window was closed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unfinished {
    /// The file of their document, if it has one.
    pub path: Option<PathBuf>,
    /// The document, where its file does not hold all of it.
    pub kept: Option<UnsavedEdits>,
    /// Their identities.
    pub runs: Vec<String>,
}

/// Which panels are open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(clippy::struct_excessive_bools)] // independent switches
pub struct Panels {
    /// The list of arms and runs.
    pub tree: bool,
    /// The plan of the selected arm.
    pub plan: bool,
    /// The settings of what is selected.
    pub properties: bool,
    /// The log and the problems.
    pub log: bool,
}

impl Panels {
    /// All of them.
    const ALL: Self = Self { tree: true, plan: true, properties: true, log: true };
    /// What leaves at least half of a small window to the plot.
    const FEW: Self = Self { properties: false, log: false, ..Self::ALL };
}

impl Settings {
    /// Which panels are open.
    pub const fn panels(&self) -> &Panels {
        if self.is_small { &self.small_panels } else { &self.large_panels }
    }

    /// The same, to be changed.
    pub const fn panels_mut(&mut self) -> &mut Panels {
        if self.is_small { &mut self.small_panels } else { &mut self.large_panels }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            large_panels: Panels::ALL,
            small_panels: Panels::FEW,
            is_small: false,
            theme: ThemePreference::System,
            notify: true,
            keep_awake: false,
            recent: Recent::default(),
            unfinished: None,
        }
    }
}

/// The key that the settings are kept under.
pub const KEY: &str = "weightlab settings";

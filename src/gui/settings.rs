//! How the user likes the window; kept between starts.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::recent::Recent;

/// Which panels are open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[allow(clippy::struct_excessive_bools)] // independent switches
pub struct Settings {
    /// The list of arms and runs.
    pub tree: bool,
    /// The plan of the selected arm.
    pub plan: bool,
    /// The settings of what is selected.
    pub properties: bool,
    /// The log and the problems.
    pub log: bool,
    /// Light, dark, or as the system is.
    pub theme: Look,
    /// A notification at the end of long runs.
    pub notify: bool,
    /// The computer stays awake while runs go on.
    pub keep_awake: bool,
    /// Files that were open before.
    pub recent: Recent,
    /// The file whose runs were stopped since the window was closed.
    pub unfinished: Option<PathBuf>,
}

/// Light or dark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Look {
    /// As the system is.
    #[default]
    System,
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

impl From<Look> for eframe::egui::ThemePreference {
    fn from(look: Look) -> Self {
        match look {
            Look::System => Self::System,
            Look::Light => Self::Light,
            Look::Dark => Self::Dark,
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            tree: true,
            plan: true,
            properties: true,
            log: true,
            theme: Look::System,
            notify: true,
            keep_awake: false,
            recent: Recent::default(),
            unfinished: None,
        }
    }
}

/// The key that the settings are kept under.
pub const KEY: &str = "weightlab settings";

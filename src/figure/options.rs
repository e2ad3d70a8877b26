//! How a figure is drawn: what layouts, scenes and files share.

use serde::{Deserialize, Serialize};

use super::palette::Theme;
use super::size::Size;

/// How a figure is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// The page.
    pub size: Size,
    /// Resolution of a PNG in dots per inch.
    pub dpi: f64,
    /// Light or dark.
    pub theme: Theme,
    /// How the spread around means is drawn.
    #[serde(default)]
    pub intervals: IntervalStyle,
    /// Whether notes are written at the names of arms: the settings in which they differ.
    #[serde(default)]
    pub notes: bool,
    /// Whether the caption and the remarks are written below the plot.
    #[serde(default)]
    pub footnote: bool,
}

/// How files show the spread around means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum IntervalStyle {
    /// Bars at the markers, beside those of other lines.
    #[default]
    Bars,
    /// Pale bands.
    Bands,
    /// Nothing.
    None,
}

impl IntervalStyle {
    /// Its word in captions; empty where intervals are not drawn.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Bars => "bars",
            Self::Bands => "bands",
            Self::None => "",
        }
    }

    /// The style with this name on the command line.
    ///
    /// # Errors
    /// The known names.
    pub fn parse(text: &str) -> Result<Self, String> {
        Ok(match text {
            "bars" => Self::Bars,
            "bands" => Self::Bands,
            "none" => Self::None,
            _ => return Err("write bars, bands or none".to_owned()),
        })
    }
}

/// The resolution that most journals require, in dots per inch.
pub const DPI: u32 = 300;

impl Default for Options {
    /// One column at 300 dpi on white, as most journals require.
    fn default() -> Self {
        Self {
            size: Size::default(),
            dpi: f64::from(DPI),
            theme: Theme::default(),
            intervals: IntervalStyle::default(),
            notes: false,
            footnote: false,
        }
    }
}

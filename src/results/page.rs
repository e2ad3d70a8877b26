//! What a person chooses about the pages of exported figures; kept in the view file.

use serde::{Deserialize, Serialize};

/// Common sizes.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub enum Preset {
    /// One column of a two-column paper: 3.5 in wide.
    #[default]
    OneColumn,
    /// Both columns: 7.2 in wide.
    TwoColumns,
    /// A slide of 16:9 with text that the last row can read.
    Slide,
    /// A size of one's own, with the text of a paper.
    Own {
        /// Width in millimetres.
        width: f64,
        /// Height in millimetres.
        height: f64,
    },
}

/// Text, legend and look of exported figures.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[allow(clippy::struct_excessive_bools)] // independent switches
pub struct PageStyle {
    /// Size of the text in points; that of the preset if there is none.
    pub font_pt: Option<f64>,
    /// The position of the legend.
    pub legend: LegendPlace,
    /// How the spread around means is drawn.
    pub intervals: IntervalStyle,
    /// Whether lines have the marks of their arms.
    pub marks: bool,
    /// Whether lines have the dashes of their arms; otherwise they are solid.
    pub dashes: bool,
    /// Whether arms get darker and lighter shades of their colours, so that they differ in grey print.
    pub shades: bool,
    /// Whether notes are written at the names of arms: the settings in which they differ.
    pub notes: bool,
    /// Whether the caption and the remarks are written below the plot.
    pub footnote: bool,
}

impl PageStyle {
    /// Whether everything has its default.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl Default for PageStyle {
    fn default() -> Self {
        Self {
            font_pt: None,
            legend: LegendPlace::default(),
            intervals: IntervalStyle::default(),
            marks: true,
            dashes: true,
            shades: false,
            notes: false,
            footnote: false,
        }
    }
}

/// How files show the spread around means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum IntervalStyle {
    /// Bars where all lines have a few points, bands where some have more.
    #[default]
    Auto,
    /// Bars at the markers.
    Bars,
    /// Pale bands.
    Bands,
    /// Nothing.
    None,
}

impl IntervalStyle {
    /// All, for menus.
    pub const ALL: [Self; 4] = [Self::Auto, Self::Bars, Self::Bands, Self::None];

    /// The style with this name on the command line.
    ///
    /// # Errors
    /// The known names.
    pub fn parse(text: &str) -> Result<Self, String> {
        Ok(match text {
            "auto" => Self::Auto,
            "bars" => Self::Bars,
            "bands" => Self::Bands,
            "none" => Self::None,
            _ => return Err("write auto, bars, bands or none".to_owned()),
        })
    }
}

/// The position of the legend.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum LegendPlace {
    /// In the emptiest corner of the plot.
    #[default]
    Inside,
    /// In this corner of the plot.
    Corner(Corner),
    /// Names at the right ends of the lines, with their intervals.
    LineEnds,
    /// In a column at the right.
    Right,
    /// Below the plot.
    Below,
    /// Nowhere.
    Hidden,
}

/// A corner of the plot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Corner {
    #[default]
    BottomRight,
    BottomLeft,
    TopRight,
    TopLeft,
}

impl LegendPlace {
    /// The place with this name on the command line.
    ///
    /// # Errors
    /// The known names.
    pub fn parse(text: &str) -> Result<Self, String> {
        Ok(match text {
            "inside" => Self::Inside,
            "top-left" => Self::Corner(Corner::TopLeft),
            "top-right" => Self::Corner(Corner::TopRight),
            "bottom-left" => Self::Corner(Corner::BottomLeft),
            "bottom-right" => Self::Corner(Corner::BottomRight),
            "line-ends" => Self::LineEnds,
            "right" => Self::Right,
            "below" => Self::Below,
            "none" => Self::Hidden,
            _ => {
                let known =
                    "inside, top-left, top-right, bottom-left, bottom-right, line-ends, right, below or none";
                return Err(format!("write {known}"));
            }
        })
    }
}

impl Corner {
    /// All corners, the preferred one first.
    pub const ALL: [Self; 4] = [Self::BottomRight, Self::BottomLeft, Self::TopRight, Self::TopLeft];
}

#[cfg(test)]
mod tests {
    use super::*;
    use form::ron_text;
    use crate::view::ViewSettings;

    #[test]
    fn sizes_of_an_earlier_version_are_read_and_a_look_is_kept() {
        let old: ViewSettings = ron_text::from_str("(size: Own(width: 120, height: 80))").unwrap();
        assert_eq!(old.size, Preset::Own { width: 120.0, height: 80.0 });
        assert!(old.page.is_default() && !old.to_text().contains("page"));
        let page = PageStyle { legend: LegendPlace::Corner(Corner::TopLeft), dashes: false, ..old.page };
        let view = ViewSettings { page, size: Preset::Own { width: 85.5, height: 60.0 }, ..old };
        assert_eq!(ron_text::from_str::<ViewSettings>(&view.to_text()).unwrap(), view);
        let old: ViewSettings = ron_text::from_str("(page: (intervals: Bars, marks: false))").unwrap();
        assert_eq!((old.page.intervals, old.page.marks), (IntervalStyle::Bars, false));
    }
}

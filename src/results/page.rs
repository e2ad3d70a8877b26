//! What a person chooses about the pages of exported figures, kept in the view file; their sizes in points (1/72 inch).

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
    /// The style of the spread around means.
    pub intervals: IntervalStyle,
    /// True if lines have the marks of their arms.
    pub marks: bool,
    /// True if lines have the dashes of their arms; otherwise they are solid.
    pub dashes: bool,
    /// True if arms get darker and lighter shades of their colours, so that they differ in grey print.
    pub shades: bool,
    /// True if notes are written at the names of arms: the settings in which they differ.
    pub notes: bool,
    /// True if the caption and the remarks are written below the plot.
    pub footnote: bool,
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

/// A style of the spread around means in files.
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

    /// Returns the style with this name on the command line.
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
    /// In the emptiest corner of the plot, or above it where no corner is free.
    #[default]
    Inside,
    /// In this corner of the plot.
    Corner(Corner),
    /// Names at the right ends of the lines, with their intervals.
    LineEnds,
    /// In a column at the right.
    Right,
    /// Above the plot.
    Above,
    /// Below the plot.
    Below,
    /// Nowhere.
    Hidden,
}

/// A corner of the plot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Corner {
    #[default]
    BottomRight,
    BottomLeft,
    TopRight,
    TopLeft,
}

impl LegendPlace {
    /// Returns the place with this name on the command line.
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
            "above" => Self::Above,
            "below" => Self::Below,
            "none" => Self::Hidden,
            _ => {
                let known = "inside, top-left, top-right, bottom-left, bottom-right, line-ends, right, above, below or none";
                return Err(format!("write {known}"));
            }
        })
    }
}

impl Corner {
    /// All corners, the preferred one first.
    pub const ALL: [Self; 4] = [Self::BottomRight, Self::BottomLeft, Self::TopRight, Self::TopLeft];
}

/// The size of a figure and its text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Size {
    /// Exact width in points.
    pub width_pt: f64,
    /// Exact height in points.
    pub height_pt: f64,
    /// Size of the text in points.
    pub font_pt: f64,
    /// The position of the legend.
    pub legend: LegendPlace,
}

const POINTS_PER_INCH: f64 = 72.0;
const MILLIMETRES_PER_INCH: f64 = 25.4;
/// PDF pages have at most 200 inches.
const LARGEST_PT: f64 = 14_400.0;
const SMALLEST_PT: f64 = 72.0;

impl Preset {
    /// All presets with a name, for menus.
    pub const ALL: [Self; 3] = [Self::OneColumn, Self::TwoColumns, Self::Slide];

    /// Returns the size with this name: `one-column`, `two-columns`, `slide`, or width and height in millimetres, as
    /// `120x80`.
    ///
    /// # Errors
    /// The known names, or why a figure cannot have this size.
    pub fn parse(text: &str) -> Result<Self, String> {
        let preset = match text {
            "one-column" => Self::OneColumn,
            "two-columns" => Self::TwoColumns,
            "slide" => Self::Slide,
            own => {
                let sides = own.split_once('x').map(|(width, height)| (width.parse(), height.parse()));
                let Some((Ok(width), Ok(height))) = sides else {
                    return Err("write one-column, two-columns, slide, or millimetres as 120x80".to_owned());
                };
                Self::Own { width, height }
            }
        };
        preset.size().check().map(|()| preset)
    }

    /// Returns its name in menus.
    pub fn label(self) -> &'static str {
        match self {
            Self::OneColumn => "One column (3.5 in)",
            Self::TwoColumns => "Two columns (7.2 in)",
            Self::Slide => "Slide (16:9)",
            Self::Own { .. } => "Custom size",
        }
    }

    /// Returns the preset with these sides, else the nearest size in tenths of a millimetre.
    pub fn near(size: &Size) -> Self {
        let is_it = |preset: &Self| {
            let known = preset.size();
            (known.width_pt - size.width_pt).abs() < 0.01 && (known.height_pt - size.height_pt).abs() < 0.01
        };
        let tenths = |points: f64| (points / POINTS_PER_INCH * MILLIMETRES_PER_INCH * 10.0).round() / 10.0;
        let own = Self::Own { width: tenths(size.width_pt), height: tenths(size.height_pt) };
        Self::ALL.into_iter().find(is_it).unwrap_or(own)
    }

    /// Returns its size, with the legend in the emptiest corner.
    pub fn size(self) -> Size {
        const MILLIMETRE: f64 = POINTS_PER_INCH / MILLIMETRES_PER_INCH;
        let ([width, height], points, font_pt) = match self {
            Self::OneColumn => ([3.5, 2.75], POINTS_PER_INCH, 8.0),
            Self::TwoColumns => ([7.2, 3.2], POINTS_PER_INCH, 8.0),
            Self::Slide => ([40.0 / 3.0, 7.5], POINTS_PER_INCH, 20.0),
            Self::Own { width, height } => ([width, height], MILLIMETRE, 8.0),
        };
        Size { width_pt: width * points, height_pt: height * points, font_pt, legend: LegendPlace::Inside }
    }
}

impl Size {
    /// Returns what is wrong with the size, and what to do.
    ///
    /// # Errors
    /// When a side is shorter than 1 inch or longer than 200, or the text is smaller than 3 points or larger than a
    /// twelfth of the shorter side.
    pub fn check(&self) -> Result<(), String> {
        let Self { width_pt, height_pt, font_pt, legend: _ } = *self;
        let sides = SMALLEST_PT..=LARGEST_PT;
        if !sides.contains(&width_pt) || !sides.contains(&height_pt) {
            return Err(format!(
                "a figure of {width_pt} × {height_pt} points cannot be drawn; choose sides of 72 to 14,400 points (1 to 200 inches)"
            ));
        }
        let largest = height_pt.min(width_pt) / 12.0;
        if !(3.0..=largest).contains(&font_pt) {
            return Err(format!(
                "text of {font_pt} points does not suit a figure of {width_pt} × {height_pt} points; choose 3 to {largest:.1}"
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::ViewSettings;
    use form::ron_text;

    #[test]
    fn sizes_of_an_earlier_version_are_read_and_a_look_is_kept() {
        let old: ViewSettings = ron_text::from_str("(size: Own(width: 120, height: 80))").unwrap();
        assert_eq!(old.size, Preset::Own { width: 120.0, height: 80.0 });
        assert!(old.page == PageStyle::default() && !serde_json::to_string(&old).unwrap().contains("page"));
        let page = PageStyle { legend: LegendPlace::Corner(Corner::TopLeft), dashes: false, ..old.page };
        let view = ViewSettings { page, size: Preset::Own { width: 85.5, height: 60.0 }, ..old };
        assert_eq!(
            serde_json::from_value::<ViewSettings>(serde_json::to_value(&view).unwrap()).unwrap(),
            view
        );
        let old: ViewSettings = ron_text::from_str("(page: (intervals: Bars, marks: false))").unwrap();
        assert_eq!((old.page.intervals, old.page.marks), (IntervalStyle::Bars, false));
    }

    #[test]
    fn presets_have_the_widths_of_papers() {
        assert!((Preset::OneColumn.size().width_pt - 252.0).abs() < 1e-9);
        assert!((Preset::TwoColumns.size().width_pt - 518.4).abs() < 1e-9);
        assert!((Preset::Slide.size().width_pt - 960.0).abs() < 1e-9);
        assert!(Preset::ALL.iter().all(|preset| preset.size().check().is_ok()));
    }

    #[test]
    fn sizes_are_known_by_name_and_by_millimetres() {
        assert_eq!(Preset::parse("two-columns"), Ok(Preset::TwoColumns));
        assert_eq!(Preset::parse("120x80"), Ok(Preset::Own { width: 120.0, height: 80.0 }));
        assert!((Preset::parse("254x127").unwrap().size().width_pt - 720.0).abs() < 1e-9);
        for (wrong, part) in [("huge", "120x80"), ("5x5", "1 to 200 inches"), ("120x", "120x80")] {
            assert!(Preset::parse(wrong).unwrap_err().contains(part), "{wrong}");
        }
    }

    #[test]
    fn an_inch_has_25_4_millimetres() {
        assert!((Preset::Own { width: 25.4, height: 50.8 }.size().height_pt - 144.0).abs() < 1e-9);
    }

    #[test]
    fn impossible_sizes_are_refused_with_the_remedy() {
        let size = Size { width_pt: f64::NAN, ..Preset::default().size() };
        assert!(size.check().unwrap_err().contains("choose sides of 72"));
        let size = Size { font_pt: 40.0, ..Preset::default().size() };
        assert!(size.check().unwrap_err().contains("choose 3 to 16.5"));
    }
}

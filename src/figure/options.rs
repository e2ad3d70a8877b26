//! How a figure is drawn: what layouts, scenes and files share.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::model::Figure;
use super::palette::{Dash, Marker, Theme, shares};
pub use results::page::{Corner, IntervalStyle, LegendPlace};
use results::page::{PageStyle, Preset};

/// The options of drawing a figure.
#[derive(Debug, Clone, Copy, PartialEq)]
#[allow(clippy::struct_excessive_bools)] // independent switches
pub struct Options {
    pub size: Size,
    pub dpi: f64,
    pub theme: Theme,
    pub intervals: IntervalStyle,
    pub marks: bool,
    /// True if lines have the dashes of their arms; otherwise they are solid.
    pub dashes: bool,
    /// True if lines get darker and lighter shades of their colours, so that they differ in grey print.
    pub shades: bool,
    /// True if notes are written at the names of arms: the settings in which they differ.
    pub notes: bool,
    /// True if the caption and the remarks are written below the plot.
    pub footnote: bool,
}

/// The resolution that most journals require, in dots per inch.
pub const DPI: u32 = 300;

impl Options {
    /// Returns those of exported figures: on white.
    pub fn of(preset: Preset, dpi: u32, page: &PageStyle) -> Self {
        let PageStyle { font_pt, legend, intervals, marks, dashes, shades, notes, footnote } = *page;
        let size = preset.size();
        let size = Size { font_pt: font_pt.unwrap_or(size.font_pt), legend, ..size };
        let theme = Theme::default();
        Self { size, dpi: f64::from(dpi), theme, intervals, marks, dashes, shades, notes, footnote }
    }

    /// Returns the part of these options that [`Self::of`] takes beside size and resolution.
    pub fn page(&self) -> PageStyle {
        let Self { size, dpi: _, theme: _, intervals, marks, dashes, shades, notes, footnote } = *self;
        let usual = Preset::near(&size).size().font_pt;
        let font_pt = Some(size.font_pt).filter(|font| (font - usual).abs() > 1e-9);
        PageStyle { font_pt, legend: size.legend, intervals, marks, dashes, shades, notes, footnote }
    }

    /// Chooses how intervals are drawn: bars that follow each other closely would hide the lines.
    pub fn intervals_of(&self, figure: &Figure) -> IntervalStyle {
        const MOST_BARS: usize = 12;
        let parts = figure.parts();
        let are_many = || parts.iter().flat_map(|part| &part.lines).any(|line| line.band.len() > MOST_BARS);
        match self.intervals {
            IntervalStyle::Auto if are_many() && !figure.is_over_setting() => IntervalStyle::Bands,
            IntervalStyle::Auto => IntervalStyle::Bars,
            chosen @ (IntervalStyle::Bars | IntervalStyle::Bands | IntervalStyle::None) => chosen,
        }
    }

    /// Returns the small print of a figure whose intervals are drawn in this way.
    pub fn remarks(&self, figure: &Figure) -> Vec<String> {
        figure.remarks(match self.intervals_of(figure) {
            IntervalStyle::Auto | IntervalStyle::Bars => "bars",
            IntervalStyle::Bands => "bands",
            IntervalStyle::None => "",
        })
    }

    /// Returns the figure without the marks and dashes that are not wanted, in shades if they are. Points that no line joins keep their marks.
    pub fn styled<'a>(&self, figure: &'a Figure) -> Cow<'a, Figure> {
        if self.marks && self.dashes && !self.shades {
            return Cow::Borrowed(figure);
        }
        let mut figure = figure.clone();
        let panels = figure.facets.iter().flat_map(|facets| &facets.panels);
        let all = figure.lines.iter().chain(panels.flat_map(|panel| &panel.figure.lines));
        let shares =
            if self.shades { shares(all.map(|line| line.style), self.theme) } else { BTreeMap::new() };
        self.restyle(&mut figure, &shares);
        if let Some(facets) = &mut figure.facets {
            for panel in &mut facets.panels {
                self.restyle(Arc::make_mut(&mut panel.figure), &shares);
            }
        }
        Cow::Owned(figure)
    }

    fn restyle(&self, figure: &mut Figure, shares: &BTreeMap<usize, f64>) {
        let are_joined = !figure.is_of_marks();
        for line in &mut figure.lines {
            if !self.marks && are_joined && line.names.is_empty() {
                line.style.marker = Marker::None;
            }
            if !self.dashes {
                line.style.dash = Dash::Solid;
            }
            if let Some(share) = shares.get(&line.style.colour).filter(|_| line.style.shade.is_none()) {
                line.style = line.style.with_shade(*share);
            }
        }
    }
}

impl Default for Options {
    /// Returns one column at 300 dpi on white, as most journals require.
    fn default() -> Self {
        Self::of(Preset::default(), DPI, &PageStyle::default())
    }
}

/// The size of a figure and its text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Size {
    pub width_pt: f64,
    pub height_pt: f64,
    pub font_pt: f64,
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

    /// Returns the size with this name: `one-column`, `two-columns`, `slide`, or width and height in millimetres, as `120x80`.
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

    /// Returns its size.
    pub fn size(self) -> Size {
        let inches = |width: f64, height: f64, font_pt: f64, legend: LegendPlace| Size {
            width_pt: width * POINTS_PER_INCH,
            height_pt: height * POINTS_PER_INCH,
            font_pt,
            legend,
        };
        match self {
            Self::OneColumn => inches(3.5, 2.75, 8.0, LegendPlace::Inside),
            Self::TwoColumns => inches(7.2, 3.2, 8.0, LegendPlace::Inside),
            Self::Slide => inches(40.0 / 3.0, 7.5, 20.0, LegendPlace::Inside),
            Self::Own { width, height } => Size::millimetres(width, height),
        }
    }
}

impl Size {
    /// Returns a size in millimetres, with 8-point text and the legend in the emptiest corner.
    pub fn millimetres(width: f64, height: f64) -> Self {
        let points = POINTS_PER_INCH / MILLIMETRES_PER_INCH;
        let (width_pt, height_pt) = (width * points, height * points);
        Self { width_pt, height_pt, font_pt: 8.0, legend: LegendPlace::Inside }
    }

    /// Checks the size.
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

impl Default for Size {
    fn default() -> Self {
        Preset::default().size()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::palette::{Style, grey};
    use crate::{Line, style_of};
    use results::statistics::Band;

    fn lines() -> Figure {
        let style = Style { dash: Dash::Dotted, marker: Marker::Square, ..Style::default() };
        let joined = Line::new("a", style, vec![[0.0, 1.0]]);
        let apart = Line { names: vec!["seed 1".to_owned()], ..joined.clone() };
        Figure { lines: vec![joined, apart], ..Figure::default() }
    }

    #[test]
    fn lines_lose_marks_and_dashes_but_single_points_keep_their_marks() {
        let looks = |options: Options| {
            let styled = options.styled(&lines()).into_owned();
            styled.lines.iter().map(|line| (line.style.marker, line.style.dash)).collect::<Vec<_>>()
        };
        let usual = Options::default();
        assert_eq!(looks(usual), [(Marker::Square, Dash::Dotted); 2]);
        assert_eq!(
            looks(Options { marks: false, ..usual }),
            [(Marker::None, Dash::Dotted), (Marker::Square, Dash::Dotted)]
        );
        assert_eq!(looks(Options { dashes: false, ..usual }), [(Marker::Square, Dash::Solid); 2]);
    }

    #[test]
    fn a_few_intervals_are_bars_and_many_are_bands() {
        let of = |count: u32, intervals| {
            let band = (0..count).map(|x| Band { x: f64::from(x), low: 0.0, high: 1.0 }).collect();
            let line = Line { band, ..Line::default() };
            let figure = Figure { lines: vec![line], ..Figure::default() };
            Options { intervals, ..Options::default() }.intervals_of(&figure)
        };
        assert_eq!(of(12, IntervalStyle::Auto), IntervalStyle::Bars);
        assert_eq!(of(13, IntervalStyle::Auto), IntervalStyle::Bands);
        assert_eq!(of(13, IntervalStyle::Bars), IntervalStyle::Bars);
    }

    #[test]
    fn shades_set_colours_apart_in_grey_and_swept_values_keep_theirs() {
        let line = |index: usize| Line::new(&index.to_string(), style_of(index), vec![[0.0, 1.0]]);
        let swept = Line { style: style_of(0).with_shade(0.5), ..line(0) };
        let figure =
            Figure { lines: (0..4).map(line).chain([line(1), swept.clone()]).collect(), ..Figure::default() };
        let styled = Options { shades: true, ..Options::default() }.styled(&figure).into_owned();
        let mut greys: Vec<f64> =
            styled.lines[..4].iter().map(|line| grey(line.style.rgb(Theme::default()))).collect();
        greys.sort_by(f64::total_cmp);
        assert!(greys.windows(2).all(|two| two[1] - two[0] > 0.06 * 255.0), "{greys:?}");
        assert_eq!(styled.lines[4].style, styled.lines[1].style, "a colour has one shade");
        assert_eq!(styled.lines[5].style, swept.style);
    }

    #[test]
    fn what_a_view_keeps_gives_the_same_options_again() {
        let page =
            PageStyle { font_pt: Some(6.5), marks: false, shades: true, notes: true, ..PageStyle::default() };
        let preset = Preset::Own { width: 85.5, height: 60.0 };
        let options = Options::of(preset, 600, &page);
        assert_eq!((Preset::near(&options.size), options.page()), (preset, page));
        assert_eq!(options.size.font_pt, 6.5);
        assert_eq!(Options::of(Preset::Slide, DPI, &PageStyle::default()).page().font_pt, None);
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
        assert!((Size::millimetres(25.4, 50.8).height_pt - 144.0).abs() < 1e-9);
    }

    #[test]
    fn impossible_sizes_are_refused_with_the_remedy() {
        let size = Size { width_pt: f64::NAN, ..Size::default() };
        assert!(size.check().unwrap_err().contains("choose sides of 72"));
        let size = Size { font_pt: 40.0, ..Size::default() };
        assert!(size.check().unwrap_err().contains("choose 3 to 16.5"));
    }
}

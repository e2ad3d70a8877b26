//! How a figure is drawn: what layouts, scenes and files share.

use std::borrow::Cow;
use std::sync::Arc;

use super::model::Figure;
use super::palette::{Dash, Marker, Theme};
use super::size::Size;
pub use crate::results::page::IntervalStyle;
use crate::results::page::{PageStyle, Preset};

/// How a figure is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
#[allow(clippy::struct_excessive_bools)] // independent switches
pub struct Options {
    /// The page.
    pub size: Size,
    /// Resolution of a PNG in dots per inch.
    pub dpi: f64,
    /// Light or dark.
    pub theme: Theme,
    /// How the spread around means is drawn.
    pub intervals: IntervalStyle,
    /// Whether lines have the marks of their arms.
    pub marks: bool,
    /// Whether lines have the dashes of their arms; otherwise they are solid.
    pub dashes: bool,
    /// Whether notes are written at the names of arms: the settings in which they differ.
    pub notes: bool,
    /// Whether the caption and the remarks are written below the plot.
    pub footnote: bool,
}

/// The resolution that most journals require, in dots per inch.
pub const DPI: u32 = 300;

impl Options {
    /// Those of exported figures: on white.
    pub fn of(preset: Preset, dpi: u32, page: &PageStyle) -> Self {
        let PageStyle { font_pt, legend, intervals, marks, dashes, notes, footnote } = *page;
        let size = preset.size();
        let size = Size { font_pt: font_pt.unwrap_or(size.font_pt), legend, ..size };
        let theme = Theme::default();
        Self { size, dpi: f64::from(dpi), theme, intervals, marks, dashes, notes, footnote }
    }

    /// The part of these options that [`Self::of`] takes beside size and resolution.
    pub fn page(&self) -> PageStyle {
        let Self { size, dpi: _, theme: _, intervals, marks, dashes, notes, footnote } = *self;
        let usual = Preset::near(&size).size().font_pt;
        let font_pt = Some(size.font_pt).filter(|font| (font - usual).abs() > 1e-9);
        PageStyle { font_pt, legend: size.legend, intervals, marks, dashes, notes, footnote }
    }

    /// The figure without the marks and dashes that are not wanted. Points that no line joins keep their marks.
    pub fn styled<'a>(&self, figure: &'a Figure) -> Cow<'a, Figure> {
        if self.marks && self.dashes {
            return Cow::Borrowed(figure);
        }
        let mut figure = figure.clone();
        self.restyle(&mut figure);
        if let Some(facets) = &mut figure.facets {
            for panel in &mut facets.panels {
                self.restyle(Arc::make_mut(&mut panel.figure));
            }
        }
        Cow::Owned(figure)
    }

    fn restyle(&self, figure: &mut Figure) {
        let are_joined = !figure.is_of_marks();
        for line in &mut figure.lines {
            if !self.marks && are_joined && line.names.is_empty() {
                line.style.marker = Marker::None;
            }
            if !self.dashes {
                line.style.dash = Dash::Solid;
            }
        }
    }
}

impl Default for Options {
    /// One column at 300 dpi on white, as most journals require.
    fn default() -> Self {
        Self::of(Preset::default(), DPI, &PageStyle::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::{Line, Style};

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
    fn what_a_view_keeps_gives_the_same_options_again() {
        let page = PageStyle { font_pt: Some(6.5), marks: false, notes: true, ..PageStyle::default() };
        let preset = Preset::Own { width: 85.5, height: 60.0 };
        let options = Options::of(preset, 600, &page);
        assert_eq!((Preset::near(&options.size), options.page()), (preset, page));
        assert_eq!(options.size.font_pt, 6.5);
        assert_eq!(Options::of(Preset::Slide, DPI, &PageStyle::default()).page().font_pt, None);
    }
}

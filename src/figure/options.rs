//! How a figure is drawn: what layouts, scenes and files share.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::model::{Figure, FigureLook};
use super::palette::{Dash, Marker, Theme, shares};
use super::scene::{Intervals, words_of};
pub use results::page::IntervalStyle;
use results::page::{PageStyle, Preset, Size};
use results::view::ViewSettings;

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
    pub fn new(preset: Preset, dpi: u32, page: &PageStyle) -> Self {
        let PageStyle { font_pt, legend, intervals, marks, dashes, shades, notes, footnote } = *page;
        let size = preset.size();
        let size = Size { font_pt: font_pt.unwrap_or(size.font_pt), legend, ..size };
        let theme = Theme::default();
        Self { size, dpi: f64::from(dpi), theme, intervals, marks, dashes, shades, notes, footnote }
    }

    /// Returns those that a view keeps for exported figures.
    pub fn from_view(view: &ViewSettings) -> Self {
        Self::new(view.size, view.dpi.unwrap_or(DPI), &view.page)
    }

    /// Returns the part of these options that [`Self::new`] takes beside size and resolution.
    pub fn page(&self) -> PageStyle {
        let Self { size, dpi: _, theme: _, intervals, marks, dashes, shades, notes, footnote } = *self;
        let usual = Preset::near(&size).size().font_pt;
        let font_pt = Some(size.font_pt).filter(|font| (font - usual).abs() > 1e-9);
        PageStyle { font_pt, legend: size.legend, intervals, marks, dashes, shades, notes, footnote }
    }

    /// Chooses how the intervals of a figure or a panel are drawn: as in the window, unless a person wants something else.
    pub fn intervals_of<'a>(&self, look: &'a FigureLook, figure: &Figure) -> Intervals<'a> {
        match self.intervals {
            IntervalStyle::Auto => look.intervals(figure),
            IntervalStyle::Bars => Intervals::Bars,
            IntervalStyle::Bands => Intervals::Bands,
            IntervalStyle::None => Intervals::None,
        }
    }

    /// Returns the small print of a figure whose intervals are drawn in this way, in each panel.
    pub fn remarks(&self, figure: &Figure) -> Vec<String> {
        figure.remarks(&words_of(figure, |part| self.intervals_of(&figure.look, part)))
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
        Self::new(Preset::default(), DPI, &PageStyle::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Note;
    use crate::palette::{Style, grey};
    use crate::{Facets, Line, Panel, style_of};
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
    fn intervals_are_those_of_the_window_unless_a_person_wants_others() {
        let look = FigureLook { selected: Some("a".to_owned()), ..FigureLook::default() };
        let of = |count: u32, intervals| {
            let band = (0..count).map(|x| Band { x: f64::from(x), low: 0.0, high: 1.0 }).collect();
            let line = Line { name: "a".to_owned(), band, ..Line::default() };
            let figure = Figure { lines: vec![line], ..Figure::default() };
            Options { intervals, ..Options::default() }.intervals_of(&look, &figure)
        };
        assert_eq!(of(12, IntervalStyle::Auto), Intervals::Bars);
        assert_eq!(of(13, IntervalStyle::Auto), Intervals::BandOf("a"));
        assert_eq!(of(13, IntervalStyle::Bars), Intervals::Bars);
        assert_eq!(of(1, IntervalStyle::Bands), Intervals::Bands);
    }

    #[test]
    fn the_small_print_names_the_intervals_of_all_panels() {
        let panel = |count: u32| {
            let band = (0..count).map(|x| Band { x: f64::from(x), low: 0.0, high: 1.0 }).collect();
            let line = Line { name: "a".to_owned(), band, ..Line::default() };
            Panel {
                place: [0, 0],
                values: Vec::new(),
                figure: Arc::new(Figure { lines: vec![line], ..Figure::default() }),
            }
        };
        let remarks = |counts: &[u32]| {
            let panels = counts.iter().map(|count| panel(*count)).collect();
            let note = Note { interval: "95 % CI".to_owned(), ..Note::default() };
            let look = FigureLook { selected: Some("a".to_owned()), ..FigureLook::default() };
            let facets = Some(Facets { panels, ..Facets::default() });
            Options::default().remarks(&Figure { note, facets, look, ..Figure::default() })
        };
        assert_eq!(remarks(&[0, 5, 50, 5]), ["bars or the band of the selected arm: 95 % CI"]);
        assert!(remarks(&[]).is_empty(), "no panels");
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
        let options = Options::new(preset, 600, &page);
        assert_eq!((Preset::near(&options.size), options.page()), (preset, page));
        assert_eq!(options.size.font_pt, 6.5);
        assert_eq!(Options::new(Preset::Slide, DPI, &PageStyle::default()).page().font_pt, None);
    }
}

//! The samples of a legend: what stands before its names.

use super::cell_texts::{HATCH, hatching};
use super::item::{Ink, Item, Pen, Point, Shape};
use super::lines::mark;
use super::strokes::{LINE, MARKER};
use crate::cells::Ink as CellInk;
use crate::layout::Rect;
use crate::legend::Sample;
use crate::palette::{Marker, Rgb, Theme, colour};

/// The size of the text, the colours, and the ground of a legend.
#[derive(Clone, Copy, Debug)]
pub struct SampleLook {
    /// Size of the text in points.
    pub em: f64,
    /// The colours of the figure.
    pub theme: Theme,
    /// What the legend is drawn on.
    pub ground: Rgb,
    /// Less for what is hidden.
    pub strength: f64,
    /// Whether x has names: lines are separate marks.
    pub is_of_marks: bool,
}

/// A sample between two ends of its middle line.
pub fn sample(sample: &Sample<'_>, [from, to]: [Point; 2], look: SampleLook) -> Vec<Item> {
    let SampleLook { em, theme, ground, strength, is_of_marks } = look;
    let swatch = |rgb: Rgb| {
        let half = 0.4 * em;
        let rect = Rect { left: from[0], right: to[0], top: from[1] - half, bottom: from[1] + half };
        vec![Shape::Rect(rect, Ink::new(rgb).faint(strength), None).plain()]
    };
    match sample {
        Sample::Bars(bars) => swatch(bars.rgb(theme)),
        Sample::Kind(kind) => {
            let mut items = kind.ink.rgb(theme).map(swatch).unwrap_or_default();
            if let (CellInk::Hatched, Some(Shape::Rect(rect, ..))) =
                (kind.ink, items.first().map(|item| &item.shape))
            {
                let ink = Ink::new(theme.pale()).faint(strength);
                let lines = hatching(*rect, HATCH[0] * em);
                items.push(Shape::Line(lines, Pen::new(ink, HATCH[1] * em)).plain());
            }
            items
        }
        Sample::Reference(line) => {
            let own = line.colour.map_or(theme.muted(), |index| colour(index, theme));
            let pen = Pen::new(Ink::new(own).faint(strength), LINE * em).dashed(line.dash);
            vec![Shape::Line(vec![from, to], pen).plain()]
        }
        Sample::Line(line) => {
            let ink = line.style.ink(theme).faint(strength);
            let middle = [f64::midpoint(from[0], to[0]), from[1]];
            let mark = mark(line.style, middle, ink, em, ground);
            let pen = Pen::new(ink, LINE * em).dashed(line.style.dash);
            let through = if (is_of_marks || !line.names.is_empty()) && line.style.marker != Marker::None {
                None
            } else if mark.is_some() {
                // The pattern starts at the marker on both sides, so that a short sample shows it.
                let inset = MARKER * em * 1.1;
                let (left, right) = ([middle[0] - inset, from[1]], [middle[0] + inset, from[1]]);
                Some(super::segments([[left, from], [right, to]]))
            } else {
                Some(vec![from, to])
            };
            let line = through.map(|points| Shape::Line(points, pen).plain());
            line.into_iter().chain(mark.map(|mark| Shape::Mark(mark).plain())).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cells::CellKind;

    #[test]
    fn the_sample_of_hatched_cells_is_hatched() {
        let look = SampleLook {
            em: 8.0,
            theme: Theme::Light,
            ground: Theme::Light.ground(),
            strength: 1.0,
            is_of_marks: false,
        };
        let items = |ink: CellInk| {
            let kind = CellKind { name: "n < 10".to_owned(), ink, count: 1 };
            sample(&Sample::Kind(&kind), [[0.0, 0.0], [20.0, 0.0]], look)
        };
        assert!(matches!(items(CellInk::Hatched)[..], [_, Item { shape: Shape::Line(..), .. }]));
        assert_eq!(items(CellInk::Pale).len(), 1);
    }
}

//! Areas: bars, the cells of a heat map, and its colour scale.

use super::image::image;
use super::pen::{AXIS, thin_stroke};
use super::writer::{Writer, hex, number, path};
use crate::figure::axis::ends_of;
use crate::figure::bars::parts;
use crate::figure::layout::{Layout, TICK};
use crate::figure::model::Figure;
use crate::figure::mosaic::{SIDE, block};
use crate::figure::palette::{Rgb, Theme};

/// Colours of the colour scale; more are indistinguishable.
const SHADES: u32 = 64;

/// Overlap of neighbouring cells in points, so that no background shows between them.
const SEAM: &str = "0.2";

/// Width of the line between parts, in ems.
const RIM: f64 = 0.06;

/// A rectangle between two corners in any order; nothing where it has no area.
fn rectangle(out: &mut Writer, a: [f64; 2], b: [f64; 2], fill: Rgb, (stroke, rim): (&str, &str)) {
    let size = [(a[0] - b[0]).abs(), (a[1] - b[1]).abs()];
    if size.map(number).contains(&"0".to_owned()) {
        return;
    }
    let at = [a[0].min(b[0]), a[1].min(b[1])];
    out.area("rect", at, size, &[("fill", &hex(fill)), ("stroke", stroke), ("stroke-width", rim)]);
}

/// The parts of all bars, each with a thin rim in the background colour.
pub fn bars(out: &mut Writer, figure: &Figure, layout: &Layout<'_>, theme: Theme) {
    let (stroke, width) = (hex(theme.ground()), number(RIM * layout.font));
    for part in parts(figure) {
        let (x, y) = if figure.is_lying() { (part.ends, part.sides) } else { (part.sides, part.ends) };
        let Some((x, y)) = layout.x.places(x).zip(layout.y.places(y)) else { continue };
        rectangle(out, [x[0], y[0]], [x[1], y[1]], part.bars.rgb(theme), (&stroke, &width));
    }
}

/// More cells than this are drawn as an image.
const MOST: usize = 4096;

/// The coloured cells: rectangles, or one image if there are many.
pub fn cells(out: &mut Writer, figure: &Figure, layout: &Layout<'_>, theme: Theme) {
    let Some(cells) = &figure.cells else { return };
    let size = cells.size();
    if size[0] * size[1] > MOST || block(size, SIDE) != [1, 1] {
        return image(out, cells, layout, theme);
    }
    let range = cells.range();
    for (row, values) in cells.values.iter().enumerate() {
        let Some(y) = layout.y.places(ends_of(row)) else { continue };
        for column in 0..values.len() {
            let fill = cells.paint([row, column], range, theme);
            let Some((x, fill)) = layout.x.places(ends_of(column)).zip(fill) else { continue };
            rectangle(out, [x[0], y[0]], [x[1], y[1]], fill, (&hex(fill), SEAM));
        }
    }
}

/// The colour scale with its rim and ticks.
pub fn scale_bar(out: &mut Writer, figure: &Figure, layout: &Layout<'_>, theme: Theme) {
    let Some(bar) = layout.scale_bar.as_ref().filter(|_| figure.has_data()) else { return };
    let Some(cells) = &figure.cells else { return };
    let (rect, height) = (bar.rect, bar.rect.bottom - bar.rect.top);
    for step in 0..SHADES {
        let share = |step: u32| f64::from(step) / f64::from(SHADES);
        let [low, high] = [share(step), share(step + 1)].map(|share| rect.bottom - share * height);
        let middle = f64::from(step) / f64::from(SHADES - 1);
        let fill = cells.shade(middle, theme);
        rectangle(out, [rect.left, low], [rect.right, high], fill, (&hex(fill), SEAM));
    }
    let length = TICK * layout.font;
    let marks: String =
        bar.ruler.tick_places(true).map(|y| path(&[[rect.right, y], [rect.right + length, y]])).collect();
    let corners =
        [[rect.left, rect.top], [rect.right, rect.top], [rect.right, rect.bottom], [rect.left, rect.bottom]];
    let d = format!("{}Z{marks}", path(&corners));
    thin_stroke(out, &d, theme.ink(), AXIS * layout.font);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::axis::{Axis, Category};
    use crate::figure::svg::svg;
    use crate::figure::{Bars, Cells};
    use crate::results::view::Preset;

    fn axis(title: &str, names: &[&str]) -> Axis {
        let category = |name: &&str| Category {
            name: (*name).to_owned(),
            group: "exponent".to_owned(),
            ..Category::default()
        };
        Axis::named(title, names.iter().map(category).collect())
    }

    #[test]
    fn every_part_that_was_measured_is_a_rectangle_of_its_colour() {
        let bars = |name: &str, colour, values: [f64; 2]| Bars {
            name: name.to_owned(),
            colour,
            values: values.to_vec(),
            ..Bars::default()
        };
        let figure = Figure {
            x: axis("Bit", &["b31", "b30"]),
            y: Axis::percent("Share of faults"),
            bars: vec![bars("masked", None, [0.75, f64::NAN]), bars("SDC", Some(1), [0.25, 0.0])],
            ..Figure::default()
        };
        let text = svg(&figure, &Preset::OneColumn.size(), Theme::Light);
        let rectangles = |colour: Rgb| text.matches(&format!("fill=\"{}\" stroke", hex(colour))).count();
        assert_eq!(rectangles(Theme::Light.pale()), 1);
        assert_eq!(rectangles([0xD5, 0x5E, 0x00]), 1, "nothing is drawn of 0 %");
        assert!(
            text.contains(">exponent</text>")
                && text.contains(">b30</text>")
                && text.contains(">masked</text>")
        );
        assert!(!text.contains("NaN"));
    }

    #[test]
    fn a_heat_map_has_its_cells_and_the_scale_of_their_colours() {
        let values = vec![vec![0.0, 0.5], vec![f64::NAN, 0.25]];
        let cells = Cells { axis: Axis::percent("SDC share"), values, ..Cells::default() };
        let y = Axis { reversed: true, ..axis("Layer", &["fc1", "fc2"]) };
        let figure = Figure { x: axis("Bit", &["b1", "b0"]), y, cells: Some(cells), ..Figure::default() };
        let text = svg(&figure, &Preset::TwoColumns.size(), Theme::Dark);
        assert_eq!(text.matches("<rect").count(), 2 + 3 + usize::try_from(SHADES).unwrap());
        assert!(
            text.contains(">SDC share (%)</text>") && text.contains(">empty cells were not measured</text>")
        );
    }
}

//! Translates the items of a figure for the window: lines, areas and markers into triangles, texts into shapes of text.

use std::f32::consts::FRAC_PI_2;
use std::sync::Arc;

use eframe::egui::epaint::{BandPoint, BandShape, CircleShape, TessellationOptions, Tessellator, TextShape};
use eframe::egui::{Color32, FontId, Mesh, Painter, Pos2, Rect, Shape, Stroke, StrokeKind, pos2, vec2};

use crate::theme::{self, colour};
use figure::font::Weight;
use figure::layout::{self, Anchor, Text};
use figure::palette::{Marker, Rgb, outline};
use figure::scene::{self, Column, Image, Ink, Item, Mark, Pen, Point, pieces};

/// Triangles of items.
#[derive(Clone, Debug, Default)]
pub struct Layer {
    /// In the order of the items; those that are `true` are clipped to the plot.
    pub parts: Vec<(Arc<Mesh>, bool)>,
}

impl Layer {
    /// Returns the triangles of items; texts have none.
    pub fn new(items: &[Item], pixels: f32, options: TessellationOptions, area: Rect) -> Self {
        // Circles are triangles too: the atlas of prepared discs may change between frames.
        let is_clipped = |item: &Item| matches!(item.shape, scene::Shape::Clip(..));
        let part = |items: &[Item]| {
            let is_clipped = items.first().is_some_and(is_clipped);
            let (mut tessellator, mut mesh) =
                (Tessellator::new(pixels, options, [1, 1], Vec::new()), Mesh::default());
            tessellator.set_clip_rect(if is_clipped { area } else { Rect::EVERYTHING });
            shapes(items, &mut |shape| tessellator.tessellate_shape(shape, &mut mesh));
            (Arc::new(mesh), is_clipped)
        };
        Self { parts: items.chunk_by(|a, b| is_clipped(a) == is_clipped(b)).map(part).collect() }
    }

    /// Paints the triangles; `painter` is clipped to the plot, `around` to a little more.
    pub fn paint(&self, painter: &Painter, around: &Painter) {
        for (mesh, is_clipped) in &self.parts {
            let painter = if *is_clipped { painter } else { around };
            if !mesh.is_empty() {
                // Shapes with the same clip become one list of triangles, and a short line after many would move their
                // megabytes once more.
                let clip = painter.clip_rect().expand(1e-3);
                painter.with_clip_rect(clip).add(Shape::Mesh(mesh.clone()));
            }
        }
    }
}

/// Returns a rectangle of the figure on the screen.
pub fn rect(rect: layout::Rect) -> Rect {
    Rect::from_min_max(position([rect.left, rect.top]), position([rect.right, rect.bottom]))
}

/// Returns a rectangle of the screen for the figure.
pub fn area(rect: Rect) -> layout::Rect {
    let [left, top, right, bottom] = [rect.left(), rect.top(), rect.right(), rect.bottom()].map(f64::from);
    layout::Rect { left, top, right, bottom }
}

/// Returns a place of the figure on the screen.
pub fn position([x, y]: Point) -> Pos2 {
    pos2(x as f32, y as f32)
}

fn filling(ink: Ink) -> Color32 {
    let full = colour(ink.colour);
    if ink.opacity < 1.0 { full.gamma_multiply(ink.opacity as f32) } else { full }
}

fn stroke(pen: Pen) -> Stroke {
    Stroke::new(pen.width as f32, filling(pen.ink))
}

/// Adds the shapes of items, without texts and clips.
pub fn shapes(items: &[Item], add: &mut impl FnMut(Shape)) {
    for item in items {
        match &item.shape {
            scene::Shape::Line(points, pen) => {
                for piece in pieces(points).filter(|piece| piece.len() > 1) {
                    let positions: Vec<Pos2> = piece.iter().map(|place| position(*place)).collect();
                    dashed(positions, *pen).into_iter().for_each(&mut *add);
                }
            }
            scene::Shape::Band(columns, ink) => add(band(columns, *ink)),
            scene::Shape::Rect(place, ink, rim) => {
                let seam = rim.filter(|rim| rim.ink == *ink);
                add(Shape::rect_filled(
                    rect(*place).expand(seam.map_or(0.0, |rim| rim.width as f32 / 2.0)),
                    0.0,
                    filling(*ink),
                ));
                if let Some(rim) = rim.filter(|rim| rim.ink != *ink) {
                    add(Shape::rect_stroke(rect(*place), 0.0, stroke(rim), StrokeKind::Middle));
                }
            }
            scene::Shape::Mark(mark) => marker(mark, add),
            scene::Shape::Image(image) => add(cells(image)),
            scene::Shape::Clip(_, items) => shapes(items, add),
            scene::Shape::Text(..) => {}
        }
    }
}

fn dashed(positions: Vec<Pos2>, pen: Pen) -> Vec<Shape> {
    let pattern = pen.pattern();
    if pattern.is_empty() {
        return vec![Shape::line(positions, stroke(pen))];
    }
    let lengths = |offset: usize| -> Vec<f32> {
        pattern.iter().skip(offset).step_by(2).map(|length| *length as f32).collect()
    };
    Shape::dashed_line_with_offset(&positions, stroke(pen), &lengths(0), &lengths(1), 0.0)
}

/// Returns a band, without smooth edges where it is faint: nobody sees them, and they double the triangles.
fn band(columns: &[Column], ink: Ink) -> Shape {
    let points =
        columns.iter().map(|[x, top, bottom]| BandPoint::new(*x as f32, *top as f32..=*bottom as f32));
    let goes_on = columns.is_sorted_by(|a, b| a[0] <= b[0]);
    if ink.opacity >= 1.0 && goes_on {
        return BandShape::filled(points.collect::<Vec<_>>(), filling(ink)).into();
    }
    // Quads between neighbours, each of them from its upper to its lower end: together they need not be convex.
    let (mut mesh, fill) = (Mesh::default(), filling(ink));
    for (index, [x, top, bottom]) in (0_u32..).zip(columns) {
        for end in [*top, *bottom] {
            mesh.colored_vertex(position([*x, end]), fill);
        }
        if index > 0 {
            let corner = 2 * index;
            mesh.add_triangle(corner - 2, corner - 1, corner);
            mesh.add_triangle(corner - 1, corner, corner + 1);
        }
    }
    Shape::Mesh(Arc::new(mesh))
}

fn marker(mark: &Mark, add: &mut impl FnMut(Shape)) {
    let (at, fill) = (position(mark.at), filling(mark.ink));
    let rim = if mark.rim.width > 0.0 { stroke(mark.rim) } else { Stroke::NONE };
    if mark.marker == Marker::Circle {
        let radius = mark.radius as f32;
        return add(CircleShape { center: at, radius, fill, stroke: rim }.into());
    }
    let Some(outline) = outline(mark.marker, mark.radius) else { return };
    let corners: Vec<Pos2> = outline.iter().map(|[x, y]| at + vec2(*x as f32, *y as f32)).collect();
    if mark.marker.has_strokes() {
        corners.chunks_exact(2).for_each(|ends| add(Shape::line_segment([ends[0], ends[1]], rim)));
    } else {
        add(Shape::convex_polygon(corners, fill, rim));
    }
}

fn cells(image: &Image) -> Shape {
    let (place, mut mesh) = (rect(image.rect), Mesh::default());
    let [rows, columns] = image.size.map(|count| count.max(1));
    let size = vec2(place.width() / columns as f32, place.height() / rows as f32);
    for (index, fill) in image.pixels.iter().enumerate() {
        if let Some(fill) = fill {
            let at = place.min + vec2((index % columns) as f32 * size.x, (index / columns) as f32 * size.y);
            mesh.add_colored_rect(Rect::from_min_size(at, size), colour(*fill));
        }
    }
    Shape::Mesh(Arc::new(mesh))
}

/// Paints items, texts too, without keeping their triangles.
pub fn paint(painter: &Painter, items: &[Item]) {
    let mut all = Vec::new();
    shapes(items, &mut |shape| all.push(shape));
    painter.extend(all);
    texts(painter, items);
}

pub fn texts(painter: &Painter, items: &[Item]) {
    for item in items {
        if let scene::Shape::Text(text, ink) = &item.shape {
            write(painter, text, *ink);
        } else if let scene::Shape::Clip(place, items) = &item.shape {
            texts(&painter.with_clip_rect(rect(*place).intersect(painter.clip_rect())), items);
        }
    }
}

fn write(painter: &Painter, text: &Text, ink: Rgb) {
    let size = text.size as f32;
    let font = if text.weight == Weight::Medium { theme::medium(size) } else { FontId::proportional(size) };
    let galley = painter.layout_no_wrap(text.content.clone(), font, colour(ink));
    let first = galley.rows.first();
    let base =
        first.and_then(|row| row.glyphs.first().map(|glyph| row.pos.y + glyph.pos.y)).unwrap_or_default();
    let before = match text.anchor {
        Anchor::Start => 0.0,
        Anchor::Middle => galley.size().x / 2.0,
        Anchor::End => galley.size().x,
    };
    let at = position(text.at);
    let shape = if text.upwards {
        TextShape::new(at + vec2(-base, before), galley, colour(ink)).with_angle(-FRAC_PI_2)
    } else {
        TextShape::new(at - vec2(before, base), galley, colour(ink))
    };
    painter.add(shape);
}

#[cfg(test)]
pub(in crate::plot) mod tests;

//! Lines over an axis of names: a marker at each name with its whisker, and single runs as dots.

use super::Surface;
use super::gaps::gaps;
use super::item::{Id, Item, Pen, Shape};
use super::lines::{dot, marker, ring, unfinished};
use super::strokes::WHISKER;
use crate::model::Line;

/// All markers, each over its whisker and dots.
pub fn marks(surface: &Surface<'_>) -> Vec<Item> {
    let mut items = Vec::new();
    for (index, line) in surface.lines() {
        marks_of(surface, index, line, &mut items);
    }
    let clipped = (!items.is_empty()).then(|| Shape::Clip(surface.area, items).plain());
    clipped.into_iter().collect()
}

fn marks_of(surface: &Surface<'_>, index: usize, line: &Line, items: &mut Vec<Item>) {
    let (ink, id) = (surface.ink(&line.name, line.style), Id::Line(index));
    for band in &line.band {
        let ends = [band.low, band.high].map(|end| surface.place([band.x, end]));
        if ends.iter().flatten().all(|place| place.is_finite()) {
            items.push(Shape::Line(ends.to_vec(), Pen::new(ink, WHISKER * surface.em)).of(id));
        }
    }
    let running = line.seeds.map_or(0, |seeds| seeds.running);
    let points = line.traces.iter().enumerate().skip(running);
    let points = points.flat_map(|(nth, trace)| trace.points.iter().map(move |point| (nth, point)));
    items.extend(points.filter_map(|(nth, point)| dot(surface, line, *point, Id::Run([index, nth]))));
    let places = line.points.iter().map(|point| surface.place(*point)).filter(|at| surface.holds(*at));
    items.extend(places.filter_map(|at| marker(line.style, at, ink, surface)).map(|mark| mark.of(id)));
    items.extend(unfinished(surface, index, line));
    items.extend(ring(surface, index, line));
    gaps(surface, index, line, items);
}

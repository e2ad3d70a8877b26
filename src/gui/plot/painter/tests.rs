//! The window and a file show the same picture: the same items are drawn by both and compared pixel by pixel.

use std::collections::BTreeSet;

use super::*;
use figure::axis::Mapping;
use figure::palette::Theme;
use figure::plots::testing::by_batch;
use figure::ranges::ranges_of_panels;
use figure::raster::pixels;
use figure::scene::{Detail, Intervals, Look, Surface, bands, ground, over};
use figure::svg::drawing;
use figure::{Axis, Bars, Category, Cells, Figure, Line, ReferenceLine, Trace, style_of};
use results::facets::FacetAxes;
use results::statistics::Band;

/// Pictures are the same if fewer of their pixels differ: the ends of dashes and of bars are rounded differently.
const ALIKE: f64 = 8e-3;
/// Pixels for each point.
pub(in crate::plot) const SCALE: usize = 3;
const SIZE: [usize; 2] = [240, 160];

/// Curves with gaps, bands, single runs, dense noise, and every dash and marker.
fn curves() -> Figure {
    let line = |index: usize| {
        let height = 0.12 + 0.1 * index as f64;
        let points: Vec<_> =
            (0..12_u8).map(f64::from).map(|x| [x, height + 0.04 * (x + index as f64).sin()]).collect();
        let band = points.iter().map(|[x, y]| Band { x: *x, low: y - 0.03, high: y + 0.04 }).collect();
        Line { band, ..Line::new(&format!("arm {index}"), style_of(index), points) }
    };
    let mut lines: Vec<Line> = (0..8).map(line).collect();
    lines[1].points[4][1] = f64::NAN;
    lines[2].traces = vec![Trace { name: "seed 1".to_owned(), points: vec![[0.0, 0.1], [11.0, 0.9]] }];
    let noise =
        (0..6000_u32).map(|step| [f64::from(step) / 545.0, 0.93 + f64::from(step * 7919 % 100) / 2000.0]);
    lines.push(Line::new("noise", style_of(1), noise.collect()));
    Figure {
        x: Axis { range: Some([-0.5, 11.5]), ..Axis::default() },
        y: Axis { range: Some([0.0, 1.0]), ..Axis::default() },
        lines,
        reference_lines: vec![ReferenceLine::level("dense", 0.05, Some(0))],
        ..Figure::default()
    }
}

fn names(count: usize) -> Vec<Category> {
    (0..count).map(|index| Category { name: index.to_string(), ..Category::default() }).collect()
}

fn areas() -> Vec<Figure> {
    let y = Axis { range: Some([0.0, 1.0]), ..Axis::default() };
    let bars = |name: &str, colour, share: f64| Bars {
        name: name.to_owned(),
        colour,
        values: (0..6_u8).map(|index| share * f64::from(index) / 6.0).collect(),
        ..Bars::default()
    };
    let values = (0..4_u8).map(|row| (0..6_u8).map(|column| f64::from(row * column)).collect()).collect();
    let cells = Cells { values, ..Cells::default() };
    let many = (0..70_u32).map(|row| (0..70_u32).map(|column| f64::from(row / 10 * (column / 10))).collect());
    let many = Cells { values: many.collect(), ..Cells::default() };
    let mut marks = Line::new("a", style_of(2), vec![[0.0, 0.4], [1.0, 0.6], [3.0, f64::NAN]]);
    marks.band = vec![Band { x: 0.0, low: 0.2, high: 0.5 }];
    marks.traces = vec![Trace { name: "seed 1".to_owned(), points: vec![[0.0, 0.3], [1.0, 0.7]] }];
    let to = |count: f64| Axis { range: Some([-0.5, count - 0.5]), ..Axis::default() };
    vec![
        Figure {
            x: Axis::named("", names(6)),
            y: y.clone(),
            bars: vec![bars("a", None, 0.5), bars("b", Some(1), 0.4)],
            ..Figure::default()
        },
        Figure {
            x: Axis::named("", names(6)),
            y: Axis { reversed: true, ..Axis::named("", names(4)) },
            cells: Some(cells),
            ..Figure::default()
        },
        Figure { x: to(70.0), y: to(70.0), cells: Some(many), ..Figure::default() },
        Figure { x: Axis::named("", names(4)), y, lines: vec![marks], ..Figure::default() },
    ]
}

fn items(figure: &Figure, theme: Theme, intervals: Intervals<'_>) -> (Vec<Item>, layout::Rect) {
    let hidden = BTreeSet::new();
    let detail = Detail::Screen { pixels: SCALE as f64, plots: 1 };
    let look = Look { hidden: &hidden, highlighted: None, selected: None, intervals, detail };
    let area =
        layout::Rect { left: 10.0, top: 10.0, right: SIZE[0] as f64 - 10.0, bottom: SIZE[1] as f64 - 10.0 };
    let [x, y] = figure::ranges::ranges(figure, intervals);
    let surface = Surface {
        figure,
        x: Mapping::new(&figure.x, x, [area.left, area.right]),
        y: Mapping::new(&figure.y, y, [area.bottom, area.top]),
        area,
        em: 12.0,
        theme,
        look,
    };
    ([ground(&surface), bands(&surface), over(&surface)].concat(), area)
}

/// Pixels row by row, `SCALE` of them for each point.
pub(in crate::plot) struct Picture {
    size: [usize; 2],
    colours: Vec<[f32; 3]>,
}

impl Picture {
    /// Returns a picture of so many points with nothing on its ground.
    pub fn empty(size: [usize; 2], theme: Theme) -> Self {
        let size = size.map(|side| side * SCALE);
        Self { size, colours: vec![theme.ground().map(f32::from); size[0] * size[1]] }
    }

    pub fn save(&self, path: &std::path::Path) {
        let mut bytes = format!("P6 {} {} 255\n", self.size[0], self.size[1]).into_bytes();
        bytes.extend(self.colours.iter().flatten().map(|level| level.round() as u8));
        std::fs::write(path, bytes).unwrap();
    }

    fn at(&self, x: usize, y: usize) -> [f32; 3] {
        self.colours[y * self.size[0] + x]
    }

    /// Draws triangles as a graphics card does: colours are interpolated between corners and blended in gamma space.
    pub fn add(&mut self, mesh: &Mesh, clip: Rect) {
        for corners in mesh.indices.chunks(3) {
            triangle(self, [0, 1, 2].map(|corner| mesh.vertices[corners[corner] as usize]), clip);
        }
    }
}

/// Draws items on a page of this size as a file has them.
pub(in crate::plot) fn in_file_of(items: &[Item], [width, height]: [f64; 2], theme: Theme) -> Picture {
    let whole = layout::Rect { left: 0.0, top: 0.0, right: width, bottom: height };
    let ground = scene::Shape::Rect(whole, Ink::new(theme.ground()), None).plain();
    let text = drawing(&[vec![ground], items.to_vec()].concat(), [width, height], "");
    let pixels = pixels(&text, 72.0 * SCALE as f64).unwrap();
    let colour = |pixel: &resvg::tiny_skia::PremultipliedColorU8| {
        [pixel.red(), pixel.green(), pixel.blue()].map(f32::from)
    };
    let size = [pixels.width() as usize, pixels.height() as usize];
    Picture { size, colours: pixels.pixels().iter().map(colour).collect() }
}

fn in_file(items: &[Item], theme: Theme) -> Picture {
    let picture = in_file_of(items, SIZE.map(|side| side as f64), theme);
    assert_eq!(picture.size, SIZE.map(|side| side * SCALE));
    picture
}

fn in_window(items: &[Item], area: layout::Rect, theme: Theme) -> Picture {
    let mut picture = Picture::empty(SIZE, theme);
    draw(&mut picture, items, area);
    picture
}

fn draw(picture: &mut Picture, items: &[Item], area: layout::Rect) {
    let frame = rect(area);
    let layer = Layer::new(items, SCALE as f32, TessellationOptions::default(), frame);
    for (mesh, is_clipped) in &layer.parts {
        picture.add(mesh, if *is_clipped { frame } else { Rect::EVERYTHING });
    }
}

fn triangle(picture: &mut Picture, corners: [eframe::egui::epaint::Vertex; 3], clip: Rect) {
    let [a, b, c] = corners.map(|corner| corner.pos.to_vec2() * SCALE as f32);
    let cross = |u: eframe::egui::Vec2, v: eframe::egui::Vec2| u.x * v.y - u.y * v.x;
    let whole = cross(b - a, c - a);
    if whole == 0.0 {
        return;
    }
    let side = |axis: fn(eframe::egui::Vec2) -> f32, most: usize| {
        let places = [axis(a), axis(b), axis(c)];
        let low = places.iter().copied().fold(f32::INFINITY, f32::min).floor().max(0.0) as usize;
        let high = places.iter().copied().fold(f32::NEG_INFINITY, f32::max).ceil().max(0.0) as usize;
        low..high.min(most)
    };
    for y in side(|at| at.y, picture.size[1]) {
        for x in side(|at| at.x, picture.size[0]) {
            let at = vec2(x as f32 + 0.5, y as f32 + 0.5);
            let shares = [cross(b - at, c - at), cross(c - at, a - at), cross(a - at, b - at)]
                .map(|part| part / whole);
            // A pixel on the common side of two triangles belongs to one of them.
            let is_inside = shares.iter().all(|share| *share > 0.0 || *share == 0.0 && whole > 0.0);
            if !is_inside || !clip.contains((at / SCALE as f32).to_pos2()) {
                continue;
            }
            let mixed = |channel: fn(Color32) -> u8| -> f32 {
                shares
                    .iter()
                    .zip(corners)
                    .map(|(share, corner)| share * f32::from(channel(corner.color)))
                    .sum()
            };
            let rest = 1.0 - mixed(|colour| colour.a()) / 255.0;
            let new = [mixed(|colour| colour.r()), mixed(|colour| colour.g()), mixed(|colour| colour.b())];
            let pixel = &mut picture.colours[y * picture.size[0] + x];
            for (old, new) in pixel.iter_mut().zip(new) {
                *old = *old * rest + new;
            }
        }
    }
}

/// Two colours are the same up to so many of 255 levels: the share of an edge that falls on the other side of a pixel's middle.
const LEVELS: f32 = 48.0;

fn is_same(a: [f32; 3], b: [f32; 3]) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() <= LEVELS)
}

/// The number of pixels in a part of a picture that have no pixel of nearly the same colour in another one, within a pixel, since
/// the two smooth edges differently; and how many are not of the ground.
pub(in crate::plot) fn alone(a: &Picture, b: &Picture, part: Rect, ground: [f32; 3]) -> [usize; 2] {
    let side = |range: eframe::egui::Rangef, most: usize| {
        let [from, to] = [range.min, range.max].map(|at| (at * SCALE as f32).round().max(1.0) as usize);
        from..to.min(most - 1)
    };
    let (mut alone, mut inked) = (0, 0);
    for y in side(part.y_range(), a.size[1]) {
        for x in side(part.x_range(), a.size[0]) {
            let own = a.at(x, y);
            inked += usize::from(!is_same(own, ground));
            let near = [(1, 1), (0, 1), (1, 0), (2, 1), (1, 2), (0, 0), (0, 2), (2, 0), (2, 2)];
            alone += usize::from(
                !near.iter().any(|(right, down)| is_same(own, b.at(x + right - 1, y + down - 1))),
            );
        }
    }
    [alone, inked]
}

/// The share of pixels that are alone.
fn difference(a: &Picture, b: &Picture) -> f64 {
    let [width, height] = a.size;
    let [alone, _] = alone(a, b, Rect::EVERYTHING, [0.0; 3]);
    alone as f64 / (width * height) as f64
}

#[test]
fn the_window_and_a_file_show_the_same_picture() {
    for theme in [Theme::LightScreen, Theme::DarkScreen] {
        let curves = curves();
        let curves = [Intervals::Bands, Intervals::Bars].map(|intervals| items(&curves, theme, intervals));
        let areas =
            areas().into_iter().map(|figure| items(&figure, theme, Intervals::None)).collect::<Vec<_>>();
        for (index, (items, area)) in curves.into_iter().chain(areas).enumerate() {
            let (file, window) = (in_file(&items, theme), in_window(&items, area, theme));
            let inked =
                file.colours.iter().filter(|colour| **colour != theme.ground().map(f32::from)).count();
            assert!(inked > 800, "picture {index} shows something: {inked}");
            for (one, other) in [(&file, &window), (&window, &file)] {
                let share = difference(one, other);
                assert!(share < ALIKE, "picture {index} on {theme:?} differs in {share} of its pixels");
            }
        }
    }
}

/// The file has all panels on a page, and the window paints each of them with a clip of its own.
#[test]
fn the_window_and_a_file_show_the_same_panels() {
    let figure = by_batch(&[16, 64, 256], FacetAxes::Shared);
    let facets = figure.facets.as_ref().unwrap();
    let [width, height] = SIZE.map(|side| side as f64);
    let space = layout::Rect { left: 0.0, top: 0.0, right: width, bottom: height };
    let grid =
        layout::grid(&figure, facets, &ranges_of_panels(&figure, |_| Intervals::None, facets), space, 8.0);
    let (theme, hidden) = (Theme::LightScreen, BTreeSet::new());
    let detail = Detail::Screen { pixels: SCALE as f64, plots: 3 };
    let look =
        Look { hidden: &hidden, highlighted: None, selected: None, intervals: Intervals::None, detail };
    let panels: Vec<(Vec<Item>, layout::Rect)> = facets
        .panels
        .iter()
        .zip(&grid.panels)
        .map(|(panel, layout)| {
            let (figure, area) = (&*panel.figure, layout.plot);
            let surface =
                Surface { figure, x: layout.x.mapping, y: layout.y.mapping, area, em: 8.0, theme, look };
            let grid = scene::page::grid(figure, layout, theme).into_iter();
            let items = grid.chain(over(&surface)).chain([scene::page::axes(layout, theme)]);
            (items.collect(), area)
        })
        .collect();
    let all: Vec<Item> = panels.iter().flat_map(|(items, _)| items.clone()).collect();
    let file = in_file(&all, theme);
    let mut window = in_window(&[], space, theme);
    for (items, area) in &panels {
        draw(&mut window, items, *area);
    }
    for (one, other) in [(&file, &window), (&window, &file)] {
        assert!(difference(one, other) < ALIKE, "{}", difference(one, other));
    }
    let mut without = in_window(&[], space, theme);
    for (items, area) in &panels[1..] {
        draw(&mut without, items, *area);
    }
    assert!(difference(&file, &without) > ALIKE, "a missing panel is noticed");
}

#[test]
fn the_comparison_notices_a_moved_line_and_another_colour() {
    let theme = Theme::LightScreen;
    let figure = curves();
    let (first, area) = items(&figure, theme, Intervals::Bands);
    let mut moved = figure.clone();
    moved.lines[..4].iter_mut().flat_map(|line| &mut line.points).for_each(|point| point[1] += 0.03);
    let mut coloured = figure.clone();
    coloured.lines[..4].iter_mut().for_each(|line| line.style.colour = 6);
    for other in [moved, coloured] {
        let (other, _) = items(&other, theme, Intervals::Bands);
        assert!(difference(&in_file(&first, theme), &in_window(&other, area, theme)) > 1.5 * ALIKE);
    }
}

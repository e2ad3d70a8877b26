//! The export is the picture on the screen: for every plot of the registry, what the window draws of the data is compared pixel by
//! pixel with what a file of the same size and theme has.
//!
//! Only data are compared: lines, bands, bars, marks and cells, which the window paints as triangles and a file as vectors.
//! Axes, texts and the legend have sizes and places of their own.

use eframe::egui::{Pos2, Rect, Shape, Ui, Vec2, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;

use super::painter::tests::{Picture, SCALE, alone, in_file_of};
use super::parallel::axes_of;
use super::{PlotInput, PlotState, plot_ui};
use crate::theme;
use figure::layout::{self, layout};
use figure::palette::Theme;
use figure::plots::testing::everything;
use figure::plots::{ALL, Plot, find};
use figure::scene::page::drawn;
use figure::scene::{self, Item};
use figure::{Figure, IntervalStyle, LegendPlace, Options, Size};
use results::facets::FacetAxes;
use results::table::columns::Column;

/// At most this share of the inked pixels may be alone in its picture. What remains are the ends of dashes, which the two
/// rasterisers round differently, also of equal levels on each other, and corners of marks that lie half a pixel apart.
const ALIKE: f64 = 0.045;
/// Panels are at least 16 ems wide: text and marks of narrower ones are smaller in files.
const SIZE: [usize; 2] = [720, 400];
/// Marks at the rim of the data reach so far beyond it, in points.
const RIM: f32 = 4.0;

struct Shown {
    plot: &'static Plot,
    input: PlotInput,
    state: PlotState,
    space: Vec2,
}

fn shown(plot: &'static Plot, prepare: impl FnOnce(&mut PlotState)) -> Harness<'static, Shown> {
    let mut state = PlotState::default();
    state.selected = Some("ticket, rate 0.01".to_owned());
    prepare(&mut state);
    let shown =
        Shown { plot, input: PlotInput::new(everything(), String::new(), 0), state, space: Vec2::ZERO };
    let mut is_first = true;
    let draw = move |ui: &mut Ui, Shown { plot, input, state, space }: &mut Shown| {
        if std::mem::take(&mut is_first) {
            return theme::install(ui.ctx());
        }
        state.update_data(input, 0.0);
        *space = ui.available_size();
        assert_eq!(plot_ui(ui, plot, input, state), None);
    };
    let size = vec2(SIZE[0] as f32, SIZE[1] as f32);
    let builder = Harness::builder().with_size(size).with_pixels_per_point(SCALE as f32).with_max_steps(32);
    let mut harness = builder.build_ui_state(draw, shown);
    harness.run();
    harness
}

/// The triangles that the window paints, which are those of data.
fn on_screen(harness: &Harness<'_, Shown>, theme: Theme) -> Picture {
    let mut picture = Picture::empty(SIZE, theme);
    for shape in &harness.output().shapes {
        if let Shape::Mesh(mesh) = &shape.shape {
            picture.add(mesh, shape.clip_rect);
        }
    }
    picture
}

/// The rectangles of the data in the window, in the order of the panels.
fn frames(harness: &Harness<'_, Shown>, figure: &Figure) -> Vec<Rect> {
    let parts = figure.parts();
    let mut frames: Vec<Rect> =
        harness.query_all_by_label_contains("Plot of ").map(|plot| plot.rect()).collect();
    // The space of parallel axes has their names too.
    for (frame, part) in frames.iter_mut().zip(&parts).filter(|(_, part)| !part.parallel.is_empty()) {
        *frame = axes_of(part, *frame);
    }
    assert_eq!(frames.len(), parts.len(), "{frames:?}");
    frames
}

/// The items of data, without texts.
fn data(items: &[Item]) -> Vec<Item> {
    let is_drawn = |item: &&Item| !matches!(item.shape, scene::Shape::Text(..));
    let is_of_data = |item: &&Item| item.id.is_some() || matches!(item.shape, scene::Shape::Clip(..));
    let clipped = |item: &Item| match &item.shape {
        scene::Shape::Clip(area, items) => {
            let items = items.iter().filter(is_drawn).cloned().collect();
            Item { shape: scene::Shape::Clip(*area, items), ..item.clone() }
        }
        _ => item.clone(),
    };
    items.iter().filter(is_drawn).filter(is_of_data).map(clipped).collect()
}

fn plots(figure: &Figure, options: &Options) -> Vec<layout::Rect> {
    let layout = layout(figure, options);
    if figure.facets.is_some() {
        layout.panels.iter().map(|panel| panel.plot).collect()
    } else {
        vec![layout.plot]
    }
}

/// Moves an item.
fn moved(item: &Item, by: [f64; 2]) -> Item {
    let [right, down] = by;
    let point = |[x, y]: &[f64; 2]| [x + right, y + down];
    let rect = |rect: &layout::Rect| {
        let layout::Rect { left, top, right: end, bottom } = *rect;
        layout::Rect { left: left + right, top: top + down, right: end + right, bottom: bottom + down }
    };
    let shape = match &item.shape {
        scene::Shape::Line(points, pen) => scene::Shape::Line(points.iter().map(point).collect(), *pen),
        scene::Shape::Band(columns, ink) => {
            let column = |[x, top, bottom]: &[f64; 3]| [x + right, top + down, bottom + down];
            scene::Shape::Band(columns.iter().map(column).collect(), *ink)
        }
        scene::Shape::Rect(place, ink, rim) => scene::Shape::Rect(rect(place), *ink, *rim),
        scene::Shape::Mark(mark) => scene::Shape::Mark(scene::Mark { at: point(&mark.at), ..*mark }),
        scene::Shape::Image(image) => {
            scene::Shape::Image(scene::Image { rect: rect(&image.rect), ..image.clone() })
        }
        scene::Shape::Clip(area, items) => {
            scene::Shape::Clip(rect(area), items.iter().map(|item| moved(item, by)).collect())
        }
        scene::Shape::Text(..) => unreachable!("texts are left out"),
    };
    Item { shape, ..item.clone() }
}

/// Draws the data of a figure as a file has them, on a page on which they are as large as in the window, and moves them to
/// their place there.
fn in_file(figure: &Figure, options: Options, (frame, space): (Rect, Vec2)) -> (Picture, Vec<layout::Rect>) {
    // The margins of a page; the panels of a grid share the rest. Of the grids that fit one, that of the window is taken.
    let has_panels = figure.facets.is_some();
    let tried = [160.0, 300.0, 400.0, 600.0].map(|height| {
        let mut options = options;
        options.size.width_pt = f64::from(space.x) + options.size.font_pt;
        options.size.height_pt = height;
        for _ in 0..60 {
            let plot = plots(figure, &options)[0];
            if !has_panels {
                options.size.width_pt += f64::from(frame.width()) - (plot.right - plot.left);
            }
            options.size.height_pt += f64::from(frame.height()) - (plot.bottom - plot.top);
        }
        let plot = plots(figure, &options)[0];
        (options, (plot.right - plot.left - f64::from(frame.width())).abs())
    });
    let (options, _) = tried.into_iter().min_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
    let (items, _) = drawn(figure, &options);
    let areas = plots(figure, &options);
    let by = [f64::from(frame.left()) - areas[0].left, f64::from(frame.top()) - areas[0].top];
    let items: Vec<Item> = data(&items).iter().map(|item| moved(item, by)).collect();
    let place = |area: layout::Rect| layout::Rect {
        left: area.left + by[0],
        top: area.top + by[1],
        right: area.right + by[0],
        bottom: area.bottom + by[1],
    };
    let picture = in_file_of(&items, SIZE.map(|side| side as f64), options.theme);
    (picture, areas.into_iter().map(place).collect())
}

fn options() -> Options {
    let size = Size { width_pt: 600.0, height_pt: 400.0, font_pt: 12.0, legend: LegendPlace::Hidden };
    Options { size, theme: Theme::DarkScreen, ..Options::default() }
}

/// The largest share of inked pixels that are alone: of the window in the file, and of the file in the window.
fn difference(harness: &mut Harness<'static, Shown>, change: impl Fn(&mut Figure, &mut Options)) -> f64 {
    let Shown { plot, input, state, .. } = harness.state();
    let mut figure = state.visible_figure(plot, input.clone())().unwrap();
    let mut options = options();
    let frames = frames(harness, &figure);
    change(&mut figure, &mut options);
    let screen = on_screen(harness, options.theme);
    let (file, areas) = in_file(&figure, options, (frames[0], harness.state().space));
    let ground = options.theme.ground().map(f32::from);
    if let Some(folder) = std::env::var_os("WEIGHTLAB_PICTURES") {
        // To look at.
        screen.save(&std::path::Path::new(&folder).join(format!(
            "{}-{}-window.ppm",
            plot.name,
            frames.len()
        )));
        file.save(&std::path::Path::new(&folder).join(format!("{}-{}-file.ppm", plot.name, frames.len())));
    }
    let mut most = 0.0_f64;
    for (frame, area) in frames.iter().zip(areas) {
        let there = Rect::from_min_max(
            Pos2::new(area.left as f32, area.top as f32),
            Pos2::new(area.right as f32, area.bottom as f32),
        );
        let gaps = [frame.min - there.min, frame.max - there.max];
        assert!(gaps.iter().all(|gap| gap.abs().max_elem() < 0.1), "{}: {frame} and {there}", plot.name);
        let part = frame.expand(RIM);
        for [alone, inked] in [alone(&screen, &file, part, ground), alone(&file, &screen, part, ground)] {
            assert!(inked > 200, "{} draws something: {inked}", plot.name);
            most = most.max(alone as f64 / inked as f64);
        }
    }
    most
}

#[test]
fn every_plot_is_exported_as_it_is_on_the_screen() {
    let share = |plot: &'static Plot| (plot.name, difference(&mut shown(plot, |_| {}), |_, _| {}));
    let shares: Vec<(&str, f64)> = ALL.iter().map(share).collect();
    assert!(shares.iter().all(|(_, share)| *share < ALIKE), "{shares:?}");
}

#[test]
fn panels_of_every_plot_are_exported_as_they_are_on_the_screen() {
    // Plots of one arm have a panel for each of them.
    let several = ALL.iter().filter(|plot| !plot.controls.one_arm);
    let share = |plot: &'static Plot| {
        let mut harness = shown(plot, |state| {
            let facets = &mut state.titles(plot).facets;
            (facets.by, facets.axes) = (vec![Column::Seed], FacetAxes::Shared);
        });
        (plot.name, difference(&mut harness, |_, _| {}))
    };
    let shares: Vec<(&str, f64)> = several.map(share).collect();
    assert!(shares.iter().all(|(_, share)| *share < ALIKE), "{shares:?}");
}

#[test]
fn a_zoomed_plot_with_a_hidden_line_is_exported_as_it_is_on_the_screen() {
    let plot = find("accuracy").unwrap();
    let mut harness = shown(plot, |_| {});
    harness.state_mut().state.view(plot).unwrap().show_x(Some([2.5, 9.0]));
    harness.state_mut().state.view(plot).unwrap().hidden.insert("ticket, rate 0.1".to_owned());
    harness.run();
    let share = difference(&mut harness, |_, _| {});
    assert!(share < ALIKE, "{share}");
}

#[test]
fn the_comparison_notices_a_band_a_line_and_a_range_that_differ() {
    let plot = find("accuracy").unwrap();
    let mut harness = shown(plot, |_| {});
    let changes: [(&str, fn(&mut Figure, &mut Options)); 5] = [
        ("no intervals", |_, options| options.intervals = IntervalStyle::None),
        ("all bands", |_, options| options.intervals = IntervalStyle::Bands),
        ("a line less", |figure, _| drop(figure.lines.remove(0))),
        ("another order", |figure, _| figure.look.selected = None),
        ("another range", |figure, _| {
            let [low, high] = figure::ranges::ranges(figure, figure.look.intervals(figure))[1];
            figure.y.range = Some([low - 0.05 * (high - low), high]);
        }),
    ];
    let shares = changes.map(|(what, change)| (what, difference(&mut harness, change)));
    assert!(shares.iter().all(|(_, share)| *share > 1.15 * ALIKE), "{shares:?}");
}

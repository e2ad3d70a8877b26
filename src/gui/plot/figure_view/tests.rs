//! The view of a figure, driven as a person drives it: by what can be seen and clicked.

use eframe::egui::{self, Modifiers, pos2, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};

use super::*;
use figure::scene::{Id, Item, Shape};
use figure::{Line, ReferenceLine, style_of};
use results::statistics::Band;

struct Shown {
    figure: Arc<Figure>,
    view: FigureView,
}

fn figure() -> Figure {
    let line = |name: &str, index: usize, y: f64| Line::new(name, style_of(index), vec![[0.0, y], [10.0, y]]);
    Figure {
        x: Axis::new("Epochs trained", ""),
        y: Axis::percent("Test accuracy"),
        lines: vec![line("dense", 0, 0.5), line("winning ticket", 1, 0.9)],
        reference_lines: vec![ReferenceLine::level("chance", 0.1, None)],
        note: "mean over 3 seeds".into(),
        ..Figure::default()
    }
}

/// The figure with a range that leaves room for a legend below the lines.
fn roomy() -> Figure {
    let figure = figure();
    Figure { y: Axis { range: Some([-1.0, 1.0]), ..figure.y }, ..figure }
}

fn harness(width: f32) -> Harness<'static, Shown> {
    harness_of(figure(), width)
}

fn harness_of(figure: Figure, width: f32) -> Harness<'static, Shown> {
    let shown = Shown { figure: Arc::new(figure), view: FigureView::default() };
    let mut is_first = true;
    let draw = move |ui: &mut egui::Ui, shown: &mut Shown| {
        if std::mem::take(&mut is_first) {
            return crate::theme::install(ui.ctx()); // its fonts can be used from the next frame on
        }
        assert_eq!(figure_ui(ui, &shown.figure, &mut shown.view), None, "nothing can be opened");
    };
    let mut harness =
        Harness::builder().with_size(vec2(width, 480.0)).with_step_dt(0.05).build_ui_state(draw, shown);
    harness.run();
    harness
}

/// Returns true if the line with this index is painted.
fn has_line(view: &FigureView, index: usize) -> bool {
    fn has(items: &[Item], id: Id) -> bool {
        let is_here = |item: &Item| match &item.shape {
            Shape::Clip(_, items) => has(items, id),
            _ => item.id == Some(id),
        };
        items.iter().any(is_here)
    }
    has(&view.mesh.as_ref().unwrap().items, Id::Line(index))
}

fn plot_rect(harness: &Harness<'_, Shown>) -> Rect {
    harness.get_by_label("Plot of Test accuracy").rect()
}

fn scroll(harness: &mut Harness<'_, Shown>, points: f32) {
    scroll_at(harness, plot_rect(harness).center(), points);
}

/// Turns the wheel at a place, as far as this many points.
pub(super) fn scroll_at<T>(harness: &mut Harness<'_, T>, at: egui::Pos2, points: f32) {
    harness.hover_at(at);
    harness.event(egui::Event::MouseWheel {
        unit: egui::MouseWheelUnit::Point,
        delta: vec2(0.0, points),
        phase: egui::TouchPhase::Move,
        source: egui::MouseWheelSource::Wheel,
        modifiers: Modifiers::NONE,
    });
    harness.run_steps(20); // wheels are smoothed over some frames
}

#[test]
fn the_legend_is_within_the_plot_which_has_nearly_all_of_the_space() {
    for (width, least) in [(900.0, 0.85), (400.0, 0.85)] {
        let harness = harness_of(roomy(), width);
        let plot = plot_rect(&harness);
        for name in ["dense", "winning ticket", "chance"] {
            assert!(plot.contains_rect(harness.get_by_label(name).rect()), "{name} at {width}");
        }
        // The head of a tile takes 40 points of its height.
        let ends = harness.state().view.beside;
        let axes = Rect::from_min_max(pos2(0.0, plot.top()), pos2(plot.right() + ends, 480.0));
        let share = axes.area() / (width * (480.0 + 40.0));
        assert!(share >= least, "{share} at {width}");
        assert!(plot.width() > 0.6 * width && plot.height() > 380.0, "{plot} at {width}");
        assert!(harness.query_by_label("mean over 3 seeds").is_none(), "the caption is a hint");
        let explanation =
            |harness: &Harness<'_, Shown>| harness.state().view.explanation(&harness.state().figure);
        assert_eq!(explanation(&harness), "mean over 3 seeds");
    }
}

#[test]
fn the_legend_takes_the_emptiest_corner() {
    let mut harness = harness(900.0);
    let mut rising = figure();
    for line in &mut rising.lines {
        line.points[1][1] += 0.05;
        line.points[0][1] = 0.4;
    }
    rising.reference_lines.clear();
    harness.state_mut().figure = Arc::new(rising);
    harness.state_mut().view.forget_figure();
    harness.run();
    let plot = plot_rect(&harness);
    let legend = |harness: &Harness<'_, Shown>| harness.get_by_label("Legend").rect();
    let before = legend(&harness);
    assert!(before.right() > plot.center().x && before.top() > plot.center().y, "below the lines: {before}");
    let at = before.left_top() + vec2(3.0, 3.0);
    harness.hover_at(at);
    harness.run();
    harness.drag_at(at);
    harness.run();
    harness.hover_at(at + vec2(-60.0, -40.0));
    harness.run();
    harness.drop_at(at + vec2(-120.0, -60.0));
    harness.run();
    assert!(!harness.state().view.is_zoomed(), "a drag on the legend does not zoom");
}

#[test]
fn a_click_in_the_legend_hides_a_line_and_fits_the_others() {
    let mut harness = harness(900.0);
    let before = harness.state().view.kept.as_ref().unwrap().fit;
    harness.get_by_label("winning ticket").click();
    harness.run();
    let state = harness.state();
    assert!(state.view.hidden.contains("winning ticket"));
    assert!(state.view.kept.as_ref().unwrap().fit[1][1] < before[1][1]);
    assert!(!has_line(&state.view, 1));
    let names: Vec<_> = state.view.shown(&state.figure)().lines.into_iter().map(|line| line.name).collect();
    assert_eq!(names, ["dense"], "an export writes what is seen");
}

#[test]
fn a_click_with_alt_shows_a_line_alone() {
    let mut harness = harness(900.0);
    harness.get_by_label("dense").click_modifiers(Modifiers::ALT);
    harness.run();
    let view = &harness.state().view;
    assert!(
        !view.hidden.contains("dense")
            && view.hidden.contains("winning ticket")
            && view.hidden.contains("chance")
    );
}

#[test]
fn scrolling_zooms_and_a_double_click_fits() {
    let mut harness = harness(900.0);
    scroll(&mut harness, 100.0);
    let [x, _] = harness.state().view.zoom.expect("zoomed in");
    assert!(x[1] - x[0] < 10.0);
    let range = harness.state().view.shown(&harness.state().figure)().x.range;
    assert_eq!(range, Some(x), "an export is cut to what is seen");
    let plot = harness.get_by_label("Plot of Test accuracy");
    plot.click();
    plot.click();
    harness.run();
    assert!(!harness.state().view.is_zoomed());
}

#[test]
fn a_pointer_over_a_plot_changes_no_range() {
    let mut harness = harness(900.0);
    let plot = harness.get_by_label("Plot of Test accuracy").rect();
    for step in 1..40 {
        let share = step as f32 / 40.0;
        harness.hover_at(plot.lerp_inside(vec2(share, 1.0 - share)));
        harness.run();
        assert!(!harness.state().view.is_zoomed(), "at {share}");
    }
}

#[test]
fn a_figure_from_a_thread_keeps_the_range_that_was_chosen_meanwhile() {
    let mut harness = harness(900.0);
    let request = harness.state().view.request();
    scroll(&mut harness, 100.0);
    let Shown { figure, view } = harness.state_mut();
    let seen = view.zoom.expect("zoomed in");
    view.begin(figure, Scene::new(figure, request.clone(), None));
    assert_eq!(view.zoom, Some(seen));
    let mut on_decades = Figure::clone(figure);
    on_decades.y.scale = figure::axis::Scale::Log10;
    view.begin(&on_decades, Scene::new(&on_decades, request.clone(), None));
    assert_eq!(view.zoom, Some([seen[0], seen[1].map(f64::log10)]));
    view.fit();
    view.begin(figure, Scene::new(figure, request, None));
    assert!(view.zoom.is_none() && !view.refits);
}

#[test]
fn a_drag_along_x_zooms_x_and_leaves_y() {
    let mut harness = harness(900.0);
    let rect = plot_rect(&harness);
    let fit = harness.state().view.kept.as_ref().unwrap().fit;
    let at = |share: f32| pos2(rect.left() + rect.width() * share, rect.center().y);
    harness.hover_at(at(0.25));
    harness.run();
    harness.drag_at(at(0.25));
    harness.run();
    harness.hover_at(at(0.5));
    harness.run();
    harness.hover_at(at(0.75));
    harness.run();
    harness.drop_at(at(0.75));
    harness.run();
    let [x, y] = harness.state().view.zoom.expect("zoomed in");
    let share = (x[1] - x[0]) / (fit[0][1] - fit[0][0]);
    assert!((share - 0.5).abs() < 0.01, "{share}");
    assert!((y[1] - fit[1][1]).abs() < 1e-6);
}

/// Returns the text at the head of the legend.
fn said(harness: &Harness<'_, Shown>) -> String {
    let node = harness.get_by_label_contains("dense 5");
    node.accesskit_node().value().unwrap_or_default()
}

#[test]
fn the_legend_says_the_values_at_the_pointer_with_the_reference_line() {
    let mut harness = harness_of(roomy(), 900.0);
    assert_eq!(
        said(&harness),
        "last values: dense 50.00, Δ +40.00; winning ticket 90.00, Δ +80.00; chance 10.00"
    );
    let plot = plot_rect(&harness);
    harness.hover_at(plot.left_center() + vec2(30.0, 0.0));
    harness.run();
    let text = said(&harness);
    assert!(text.starts_with("at 0 epochs trained: dense 50.00"), "{text}");
    let legend = harness.get_by_label("Legend").rect();
    assert!(plot.contains_rect(legend), "nothing is drawn over the data besides");
}

#[test]
fn the_head_reads_the_line_at_the_pointer_or_the_one_that_keys_chose() {
    let mut harness = harness_of(roomy(), 900.0);
    let plot = plot_rect(&harness);
    let head =
        |harness: &Harness<'_, Shown>| harness.state().view.head.clone().map(|head| (head.name, head.text));
    harness.hover_at(plot.center());
    harness.run();
    assert_eq!(head(&harness), None, "the legend has the values of all lines");
    harness.hover_at(plot.left_top() + vec2(30.0, 0.05 * plot.height()));
    harness.run();
    let text = "90.00, Δ +80.00, at 0 epochs trained";
    assert_eq!(head(&harness), Some(("winning ticket".to_owned(), text.to_owned())));
}

#[test]
fn a_click_pins_the_reading_until_the_next_one() {
    let mut harness = harness_of(roomy(), 900.0);
    let at = plot_rect(&harness).left_center() + vec2(30.0, 0.0);
    let click = |harness: &mut Harness<'_, Shown>| {
        harness.hover_at(at);
        harness.run();
        harness.drag_at(at);
        harness.drop_at(at);
        harness.run();
    };
    click(&mut harness);
    harness.remove_cursor();
    harness.run();
    assert!(said(&harness).starts_with("at 0 "));
    harness.run_steps(60);
    click(&mut harness);
    harness.remove_cursor();
    harness.run();
    assert!(said(&harness).starts_with("last "));
}

/// The figure with intervals at more points than can have bars.
fn banded() -> Figure {
    let mut figure = figure();
    figure.note.interval = "95 % CI".to_owned();
    for line in &mut figure.lines {
        line.points = (0..=20).map(|x| [f64::from(x) / 2.0, line.points[0][1]]).collect();
        let band = |point: &[f64; 2]| Band { x: point[0], low: point[1] - 0.05, high: point[1] + 0.05 };
        line.band = line.points.iter().map(band).collect();
    }
    figure
}

#[test]
fn of_many_points_the_selected_line_alone_has_a_band_and_the_axis_fits_it() {
    let mut harness = harness(900.0);
    crate::theme::install(&harness.ctx);
    harness.run();
    harness.state_mut().figure = Arc::new(banded());
    harness.state_mut().view.forget_figure();
    harness.run();
    let bands = |harness: &Harness<'_, Shown>| {
        let items = harness.state().view.mesh.as_ref().unwrap().items.clone();
        let clips = items.iter().filter_map(|item| match &item.shape {
            Shape::Clip(_, items) => Some(items.clone()),
            _ => None,
        });
        let bands = clips.flatten().filter(|item| matches!(item.shape, Shape::Band(..)));
        bands.filter_map(|item| item.id).collect::<Vec<_>>()
    };
    let lowest = |harness: &Harness<'_, Shown>| harness.state().view.kept.as_ref().unwrap().fit[1][0];
    assert!(bands(&harness).is_empty());
    let before = lowest(&harness);
    harness.state_mut().view.around.selected = Some("dense".to_owned());
    harness.run();
    assert_eq!(bands(&harness), [Id::Line(0)]);
    assert!(lowest(&harness) <= before);
    harness.state_mut().view.around.bands = BandChoice::All;
    harness.run();
    assert_eq!(bands(&harness).len(), banded().lines.len());
    harness.state_mut().view.around.bands = BandChoice::None;
    harness.run();
    assert!(bands(&harness).is_empty());
}

#[test]
fn the_selected_line_and_the_line_at_the_pointer_are_over_all_others() {
    let mut harness = harness(900.0);
    crate::theme::install(&harness.ctx);
    harness.run();
    let last = |harness: &Harness<'_, Shown>| {
        let items = harness.state().view.mesh.as_ref().unwrap().items.clone();
        items.iter().filter_map(|item| item.id).next_back()
    };
    assert_ne!(last(&harness), Some(Id::Line(0)));
    harness.state_mut().view.around.selected = Some("dense".to_owned());
    harness.run();
    assert_eq!(last(&harness), Some(Id::Line(0)), "with its marks");
    assert!(harness.state().view.front.is_none());
    harness.state_mut().view.hovered = Some("winning ticket".to_owned());
    let Shown { figure, view } = harness.state_mut();
    let key = view.mesh.as_ref().unwrap().key().clone();
    assert!(view.front_layer(figure, &key).is_some());
    let front = view.front.as_ref().unwrap().1.items.clone();
    assert!(front.iter().filter_map(|item| item.id).all(|id| id == Id::Line(1)) && !front.is_empty());
}

#[test]
fn frames_without_changes_draw_nothing_anew() {
    let mut harness = harness(900.0);
    let items = |harness: &Harness<'_, Shown>| harness.state().view.mesh.as_ref().unwrap().items.clone();
    let before = items(&harness);
    harness.run_steps(3);
    assert!(Arc::ptr_eq(&before, &items(&harness)));
}

/// So many points that looks come from a thread: noise around a line that rises, and another in the middle.
fn large() -> Figure {
    let noise = |step: u32| f64::from(step.wrapping_mul(7919) % 100) / 1000.0;
    let rises =
        (0..60_000_u32).map(|step| [f64::from(step), f64::from(step) / 60_000.0 + noise(step)]).collect();
    let lines = vec![
        Line::new("rises", style_of(0), rises),
        Line::new("stays", style_of(1), vec![[0.0, 0.5], [60_000.0, 0.5]]),
    ];
    Figure { lines, ..figure() }
}

/// Draws frames until threads have said what they have to say and nothing new is asked for.
fn settle(harness: &mut Harness<'_, Shown>) {
    let mut calm = 0;
    for _ in 0..1000 {
        harness.step();
        calm = if harness.state().view.work.is_busy() { 0 } else { calm + 1 };
        if calm == 5 {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    panic!("the look never came");
}

#[test]
fn the_look_of_a_large_figure_comes_from_a_thread_and_is_what_a_small_one_computes_itself() {
    let mut harness = harness(900.0);
    harness.state_mut().figure = Arc::new(large());
    harness.state_mut().view.forget_figure();
    harness.step();
    assert!(!harness.state().view.work.is_busy(), "there is nothing yet that could be shown until then");
    let whole = harness.state().view.mesh.clone().unwrap().key().view;
    scroll(&mut harness, 100.0);
    settle(&mut harness);
    harness.remove_cursor(); // the reading names the lines too
    harness.run();
    harness.get_by_label("rises").click();
    let is_asked = (0..5).any(|_| {
        harness.step();
        harness.state().view.work.is_busy()
    });
    assert!(is_asked, "another range is looked for");
    settle(&mut harness);
    let Shown { figure, view } = harness.state();
    let mesh = view.mesh.as_ref().unwrap();
    assert_ne!(mesh.key().view, whole);
    assert_eq!(mesh.items, PlotMesh::new(figure, mesh.key().clone()).items);
    assert!(!has_line(view, 0) && has_line(view, 1));
    assert!(view.kept.as_ref().unwrap().hidden.contains("rises"));
}

#[test]
fn the_small_print_says_which_intervals_the_window_draws() {
    let mut harness = harness(900.0);
    crate::theme::install(&harness.ctx);
    harness.run();
    let shown = harness.state_mut();
    shown.figure = Arc::new(banded());
    shown.view.around.selected = Some("dense".to_owned());
    shown.view.forget_figure();
    let mut explained = |bands: BandChoice| {
        harness.state_mut().view.around.bands = bands;
        harness.run();
        harness.state().view.explanation(&harness.state().figure)
    };
    let ends = "bars at line ends: 95 % CI";
    let text = format!("mean over 3 seeds, band of the selected arm and {ends}");
    assert_eq!(explained(BandChoice::Selected), text);
    assert_eq!(explained(BandChoice::All), format!("mean over 3 seeds, bands and {ends}"));
    assert_eq!(explained(BandChoice::None), format!("mean over 3 seeds, {ends}"));
    harness.state_mut().view.around.bands = BandChoice::Selected;
    harness.state_mut().figure = Arc::new(Figure {
        lines: harness
            .state()
            .figure
            .lines
            .iter()
            .map(|line| Line { best: Some(0), ..line.clone() })
            .collect(),
        ..Figure::clone(&harness.state().figure)
    });
    harness.state_mut().view.forget_figure();
    harness.run();
    let shown = harness.state();
    assert_eq!(shown.view.explanation(&shown.figure), "mean over 3 seeds, bars: 95 % CI", "over a setting");
}

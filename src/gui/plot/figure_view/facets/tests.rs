//! Panels, driven as a person drives them.

use eframe::egui::{pos2, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;

use super::*;
use crate::plot::figure_view::figure_ui;
use crate::plot::figure_view::tests::scroll_at;
use crate::theme;
use figure::plots::testing::by_batch;
use results::facets::FacetAxes;
use results::table::LineFacts;
use results::view::PlotView;

struct Shown {
    figure: Arc<Figure>,
    view: FigureView,
}

fn harness(size: Vec2, count: u32, axes: FacetAxes) -> Harness<'static, Shown> {
    let sizes: Vec<u32> = (0..count).map(|power| 16 << power).collect();
    let shown = Shown { figure: Arc::new(by_batch(&sizes, axes)), view: FigureView::default() };
    let mut is_first = true;
    let draw = move |ui: &mut Ui, shown: &mut Shown| {
        if std::mem::take(&mut is_first) {
            return theme::install(ui.ctx());
        }
        assert_eq!(figure_ui(ui, &shown.figure, &mut shown.view), None, "nothing can be opened");
    };
    let mut harness = Harness::builder().with_size(size).with_step_dt(0.05).build_ui_state(draw, shown);
    harness.run();
    harness
}

fn panel(harness: &Harness<'_, Shown>, size: u32) -> Rect {
    harness.get_by_label(&format!("Plot of Test accuracy, batch size {size}")).rect()
}

#[test]
fn every_panel_is_seen_once_with_one_legend_above_and_shares_the_space() {
    let harness = harness(vec2(900.0, 600.0), 4, FacetAxes::Shared);
    let panels: Vec<Rect> = [16, 32, 64, 128].map(|size| panel(&harness, size)).to_vec();
    for (index, one) in panels.iter().enumerate() {
        assert!(panels[..index].iter().all(|other| !other.intersects(*one)), "{panels:?}");
        assert!((one.size() - panels[0].size()).length() < 0.1);
    }
    assert!(panels[0].top() == panels[1].top() && panels[2].left() == panels[0].left(), "two in each row");
    let area: f32 = panels.iter().map(Rect::area).sum();
    assert!(area > 0.7 * 900.0 * 600.0, "{}", area / (900.0 * 600.0));
    for name in ["dense", "winning ticket"] {
        assert!(harness.get_by_label(name).rect().bottom() < panels[0].top());
    }
    let view = &harness.state().view;
    assert!(
        view.panels.views.iter().all(|view| view.mesh.as_ref().is_some_and(|mesh| !mesh.items.is_empty()))
    );
}

#[test]
fn zooming_a_shared_axis_zooms_all_panels_and_a_double_click_shows_all_again() {
    let mut harness = harness(vec2(900.0, 600.0), 4, FacetAxes::Shared);
    let before = harness.state().view.panels.shown.clone();
    assert!(before.iter().all(|view| *view == before[0]));
    let at = panel(&harness, 32).center();
    scroll_at(&mut harness, at, 120.0);
    let zoomed = harness.state().view.panels.shown.clone();
    assert!(zoomed.iter().all(|view| *view == zoomed[0]) && zoomed[0][0][0] > before[0][0][0], "{zoomed:?}");
    let kept = harness.state().view.kept(PlotView::default());
    assert!(kept.x.is_some() && kept.y.is_some() && kept.facets.zooms.is_empty());
    let shown = harness.state().view.shown(&harness.state().figure)();
    assert_eq!(shown.x.range, kept.x);
    harness.state_mut().view.fit();
    harness.run();
    assert_eq!(harness.state().view.panels.shown, before);
}

#[test]
fn zooming_a_free_panel_leaves_the_others_and_is_kept_by_its_name() {
    let mut harness = harness(vec2(900.0, 600.0), 2, FacetAxes::Free);
    let before = harness.state().view.panels.shown.clone();
    assert_ne!(before[0][1], before[1][1], "each has the range of its values");
    let at = panel(&harness, 32).center();
    scroll_at(&mut harness, at, 120.0);
    let zoomed = harness.state().view.panels.shown.clone();
    assert!(zoomed[0] == before[0] && zoomed[1] != before[1]);
    let kept = harness.state().view.kept(PlotView::default());
    assert_eq!(
        (kept.x, kept.facets.zooms.keys().map(String::as_str).collect::<Vec<_>>()),
        (None, vec!["batch size 32"])
    );
    let again = FigureView::new(&kept);
    assert_eq!(again.kept(PlotView::default()), kept, "also before it is drawn");
    harness.state_mut().view = again;
    harness.run();
    let restored = harness.state().view.panels.shown.clone();
    let near = |a: &[f64; 2], b: &[f64; 2]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9);
    assert!(restored[1].iter().zip(&zoomed[1]).all(|(a, b)| near(a, b)), "{restored:?} {zoomed:?}");
    let figure = harness.state().view.shown(&harness.state().figure)();
    assert!(figure.parts()[0].x.range.is_none() && figure.parts()[1].x.range.is_some());
}

#[test]
fn the_pointer_reads_off_its_panel_and_the_others_at_the_same_x() {
    let mut harness = harness(vec2(900.0, 600.0), 4, FacetAxes::Shared);
    let at = panel(&harness, 64).center();
    harness.hover_at(at);
    harness.run_steps(4);
    let text = "at 5 epochs trained, batch size 64: dense 25.00; winning ticket 45.00";
    assert!(harness.query_by_label(text).is_some(), "{:?}", harness.state().view.panels.views[2].reading);
    let view = &harness.state().view;
    assert!(view.panels.views.iter().all(|view| view.follows.is_some_and(|x| (x - 5.0).abs() < 0.3)));
    assert_eq!(view.panels.views.iter().filter(|view| view.reading.is_some()).count(), 1);
}

#[test]
fn a_line_that_is_hidden_in_the_legend_is_hidden_in_all_panels() {
    let mut harness = harness(vec2(900.0, 600.0), 4, FacetAxes::Shared);
    let before = harness.state().view.panels.shown.clone();
    harness.get_by_label("winning ticket").click();
    harness.run();
    let view = &harness.state().view;
    assert!(view.panels.views.iter().all(|view| view.hidden.contains("winning ticket")));
    assert!(view.panels.shown[0][1][1] < before[0][1][1], "the range fits what is left");
    assert!(view.shown(&harness.state().figure)().parts().iter().all(|part| part.lines.len() == 1));
}

#[test]
fn panels_that_would_be_too_small_scroll() {
    let harness = harness(vec2(300.0, 260.0), 9, FacetAxes::Shared);
    let first = panel(&harness, 16);
    assert!(first.width() > 90.0 && first.height() > 90.0, "{first}");
    let view = &harness.state().view;
    let grid = view.panels.grid.as_ref().unwrap().1.clone();
    assert!(grid.data.bottom > 300.0, "the grid is higher than the window: {:?}", grid.data);
    assert!(Rect::from_min_size(pos2(0.0, 0.0), vec2(300.0, 260.0)).contains_rect(first));
}

#[test]
fn a_pinned_reading_has_the_chosen_columns_in_the_head() {
    let mut harness = harness(vec2(900.0, 600.0), 2, FacetAxes::Shared);
    Arc::make_mut(&mut harness.state_mut().figure).facets.as_mut().unwrap().change(|index, panel| {
        panel.facts = LineFacts {
            heads: vec!["Learning rate".to_owned()],
            names: vec!["dense".to_owned()],
            cells: vec![vec![format!("rate {index}")]],
        };
    });
    harness.state_mut().view.forget_figure();
    harness.get_by_label("Plot of Test accuracy, batch size 32").click();
    harness.run();
    harness.remove_cursor();
    harness.run();
    let head = |harness: &Harness<'_, Shown>| harness.state().view.head.clone();
    let read = head(&harness).expect("a click pins it");
    assert!(read.is_pinned && read.name == "batch size 32: At 5 epochs trained", "{read:?}");
    assert_eq!(read.text, "dense 15.00, Learning rate rate 1; winning ticket 35.00");
    harness.key_press(eframe::egui::Key::Escape);
    harness.run();
    assert_eq!(head(&harness), None);
}

//! Whatever somebody does to the tiles, no view is lost.

use proptest::prelude::*;

use super::tiles::{change, is_open, layout};
use super::*;
use crate::tiles::{LayoutChange, pane_named, panes};
use results::tiles::{Group, Side};

fn layout_change() -> impl Strategy<Value = LayoutChange> {
    let names: Vec<&'static str> = panes().map(|pane| pane.name).collect();
    prop_oneof![
        3 => prop::sample::select(names).prop_map(LayoutChange::Show),
        2 => Just(LayoutChange::CloseActive),
        1 => prop::sample::select(&Group::ALL[..]).prop_map(LayoutChange::Group),
        4 => prop::sample::select(&[Side::Right, Side::Below][..]).prop_map(LayoutChange::Split),
        1 => any::<bool>().prop_map(LayoutChange::Cycle),
        1 => Just(LayoutChange::Maximize),
        1 => Just(LayoutChange::Reset),
    ]
}

/// What a person does to the layout: by a command, or by dragging one of the tiles.
#[derive(Clone, Debug)]
enum Deed {
    Change(LayoutChange),
    /// The tile by its number, and the place in the middle of the window where it is dropped, as shares.
    Drag(usize, [f32; 2]),
}

fn deed() -> impl Strategy<Value = Deed> {
    let to = [0.0..1.0_f32, 0.0..1.0_f32];
    prop_oneof![
        3 => layout_change().prop_map(Deed::Change),
        2 => (0..12_usize, to).prop_map(|(tab, to)| Deed::Drag(tab, to)),
    ]
}

/// Drags a tile by its head, if there is one.
fn drag(window: &mut Window, tile: usize, [right, down]: [f32; 2]) {
    let helps: Vec<egui::Rect> =
        window.harness.query_all_by_label_contains("Help on ").map(|help| help.rect()).collect();
    let Some(help) = helps.get(tile % helps.len().max(1)) else { return };
    let from = help.right_center() + egui::vec2(20.0, 0.0);
    let to = egui::pos2(240.0 + 760.0 * right, 44.0 + 700.0 * down);
    window.drag(from, to);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(6) })]
    #[test]
    fn whatever_is_done_to_the_layout_every_view_that_is_seen_has_its_tile(
        deeds in prop::collection::vec(deed(), 1..12),
    ) {
        let mut window = Window::new();
        for deed in deeds {
            let sorted = |window: &Window| {
                let layout = layout(window);
                let mut views: Vec<String> = layout.views().into_iter().map(str::to_owned).collect();
                views.sort();
                views
            };
            let before = sorted(&window);
            match deed.clone() {
                Deed::Change(wish) => change(&mut window, wish),
                Deed::Drag(tab, to) => {
                    drag(&mut window, tab, to);
                    prop_assert_eq!(&sorted(&window), &before, "{:?} loses or doubles a view", deed);
                }
            }
            let layout = layout(&window);
            for name in layout.seen() {
                let pane = pane_named(name).unwrap();
                prop_assert!(is_open(&window, pane.title), "{name} after {deed:?}: {layout:?}");
            }
            prop_assert!(!layout.seen().is_empty() || window.sees("All views are closed"));
        }
    }
}

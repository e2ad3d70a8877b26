use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use form::ron_text;

const VIEWS: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

fn three() -> Layout {
    let mut layout = Layout::new(&["a", "b"], Side::Right);
    layout.split(Side::Below, "c"); // a over c | b
    layout
}

#[test]
fn a_split_halves_the_active_tile_and_opens_a_view_there() {
    let layout = three();
    assert_eq!((layout.views(), layout.active.as_str()), (vec!["a", "c", "b"], "c"));
    let Some(Tile::Row(parts)) = &layout.root else { panic!("{layout:?}") };
    assert!(matches!(parts[0].tile, Tile::Column(_)) && parts[0].share == parts[1].share);
}

#[test]
fn rows_in_rows_become_one_row_with_the_same_widths() {
    let mut layout = Layout::new(&["a", "b"], Side::Right);
    layout.split(Side::Right, "c");
    let Some(Tile::Row(parts)) = &layout.root else { panic!("{layout:?}") };
    assert_eq!(parts.iter().map(|part| part.share).collect::<Vec<_>>(), [0.5, 0.5, 1.0]);
    assert_eq!(layout.views(), ["a", "c", "b"]);
}

#[test]
fn closing_goes_on_to_the_next_view_and_the_last_leaves_nothing() {
    let mut layout = three();
    layout.close("c");
    assert_eq!((layout.active.as_str(), layout.seen()), ("b", vec!["a", "b"]));
    layout.close("b");
    assert_eq!((layout.active.as_str(), &layout.root), ("a", &Some(Tile::View("a".to_owned()))));
    layout.close("a");
    assert_eq!((layout.root.clone(), layout.active.as_str()), (None, ""));
    layout.show("b");
    assert_eq!(layout.seen(), ["b"]);
}

#[test]
fn a_view_that_is_chosen_for_a_tile_changes_places_with_the_one_there() {
    let mut layout = three();
    layout.replace("b", "a");
    assert_eq!((layout.views(), layout.active.as_str()), (vec!["b", "c", "a"], "a"));
    layout.show("d");
    assert_eq!((layout.views(), layout.active.as_str()), (vec!["b", "c", "d"], "d"));
}

#[test]
fn a_maximized_view_is_seen_alone_until_another_place_is_wanted() {
    let mut layout = three();
    layout.maximize();
    assert_eq!(layout.seen(), ["c"]);
    layout.show("new");
    assert_eq!((layout.maximized, layout.seen()), (true, vec!["new"]), "it opens where one is");
    layout.show("a");
    assert_eq!((layout.maximized, layout.seen()), (false, vec!["a", "new", "b"]));
}

#[test]
fn views_of_a_newer_version_are_left_out() {
    let text = "(root: Some(Row([\
        (share: 2.0, tile: View(\"a\")), \
        (share: -1.0, tile: View(\"hologram\")), \
        (share: 1.0, tile: Column([(share: 1.0, tile: View(\"c\"))]))])), \
        active: \"hologram\", maximized: true, colour: \"red\")";
    let mut layout: Layout = ron_text::from_str(text).unwrap();
    layout.limit(|view| VIEWS.contains(&view));
    assert_eq!((layout.views(), layout.seen()), (vec!["a", "c"], vec!["a"]));
    let Some(Tile::Row(parts)) = &layout.root else { panic!("{layout:?}") };
    assert_eq!(parts.iter().map(|part| part.share).collect::<Vec<_>>(), [2.0, 1.0]);
}

#[test]
fn layouts_of_all_groups_are_kept_by_the_names_of_these() {
    let mut tiles = Tiles { group: Group::Faults, ..Tiles::default() };
    tiles.keep(Group::Runs, Some(three()));
    tiles.keep(Group::Notes, Some(three()));
    tiles.keep(Group::Notes, None);
    let text = serde_json::to_string(&tiles).unwrap();
    assert_eq!(serde_json::from_str::<Tiles>(&text).unwrap(), tiles);
    assert_eq!(tiles.layouts.keys().collect::<Vec<_>>(), ["Runs"]);
    let newer = text.replace("\"Faults\"", "\"Holograms\"");
    assert_eq!(serde_json::from_str::<Tiles>(&newer).unwrap().group, Group::Curves);
}

#[derive(Clone, Debug)]
enum Change {
    Show(&'static str),
    Replace(&'static str, &'static str),
    Close(&'static str),
    Split(Side, &'static str),
    Maximize,
}

fn change() -> impl Strategy<Value = Change> {
    let view = || prop::sample::select(&VIEWS[..]);
    prop_oneof![
        3 => view().prop_map(Change::Show),
        1 => (view(), view()).prop_map(|(old, new)| Change::Replace(old, new)),
        1 => view().prop_map(Change::Close),
        4 => (prop::sample::select(&[Side::Right, Side::Below][..]), view())
            .prop_map(|(side, view)| Change::Split(side, view)),
        2 => Just(Change::Maximize),
    ]
}

fn make(layout: &mut Layout, change: &Change) {
    match change {
        Change::Show(view) => layout.show(view),
        Change::Replace(old, new) => layout.replace(old, new),
        Change::Close(view) => layout.close(view),
        Change::Split(side, view) => layout.split(*side, view),
        Change::Maximize => layout.maximize(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(96) })]
    #[test]
    fn after_any_changes_every_view_has_at_most_one_place_and_can_be_reached(
        changes in prop::collection::vec(change(), 0..40),
    ) {
        let mut layout = three();
        for change in &changes {
            make(&mut layout, change);
            let views: Vec<String> = layout.views().into_iter().map(str::to_owned).collect();
            let distinct: BTreeSet<&String> = views.iter().collect();
            prop_assert_eq!(distinct.len(), views.len());
            prop_assert!(views.iter().all(|view| VIEWS.contains(&view.as_str())), "{:?}", views);
            prop_assert_eq!(layout.seen().is_empty(), views.is_empty());
            prop_assert!(views.is_empty() || layout.seen().contains(&layout.active.as_str()));
            let mut put = layout.clone();
            put.put(layout.shown());
            prop_assert_eq!(&put, &layout, "what is shown fits where it is, and nothing is left to tidy up");
            let text = serde_json::to_string(&layout).unwrap();
            prop_assert_eq!(&serde_json::from_str::<Layout>(&text).unwrap(), &layout);
            for view in &VIEWS {
                let mut wanted = layout.clone();
                wanted.show(view);
                prop_assert!(wanted.seen().contains(view));
                prop_assert_eq!(&wanted.active, view);
            }
        }
    }
}

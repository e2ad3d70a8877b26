use proptest::prelude::*;

use super::*;
use crate::form::ron_text;

const VIEWS: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

fn three() -> Tiles {
    let mut tiles = Tiles::of(&["a", "b", "c"]);
    tiles.split(Side::Right); // b c | a
    tiles.show("b");
    tiles.split(Side::Below); // c over b | a
    tiles
}

#[test]
fn a_split_moves_the_active_tab_and_halves_its_tile() {
    let mut tiles = three();
    assert_eq!(tiles.views(), ["c", "b", "a"]);
    assert_eq!(tiles.seen(), ["c", "b", "a"]);
    assert_eq!((tiles.count(), tiles.tabs("b"), tiles.active.as_str()), (3, 1, "b"));
    let Some(Tile::Row(parts)) = &tiles.root else { panic!("{tiles:?}") };
    assert!(matches!(parts[0].tile, Tile::Column(_)) && parts[0].share == parts[1].share);
    let before = tiles.clone();
    tiles.split(Side::Right);
    assert_eq!(tiles, before, "a view that is alone stays where it is");
}

#[test]
fn rows_in_rows_become_one_row_with_the_same_widths() {
    let mut tiles = Tiles::of(&["a", "b", "c"]);
    tiles.split(Side::Right);
    tiles.show("b");
    tiles.split(Side::Right);
    let Some(Tile::Row(parts)) = &tiles.root else { panic!("{tiles:?}") };
    assert_eq!(parts.iter().map(|part| part.share).collect::<Vec<_>>(), [0.5, 0.5, 1.0]);
    assert_eq!(tiles.views(), ["c", "b", "a"]);
}

#[test]
fn closing_goes_on_to_the_tab_behind_it_and_the_last_leaves_nothing() {
    let mut tiles = Tiles::of(&["a", "b", "c"]);
    tiles.show("b");
    tiles.close("b");
    assert_eq!((tiles.active.as_str(), tiles.seen()), ("c", vec!["c"]));
    tiles.close("c");
    assert_eq!(tiles.active, "a");
    tiles.close_tile();
    assert_eq!((tiles.root.clone(), tiles.active.as_str(), tiles.closed.len()), (None, "", 3));
    tiles.show("b");
    assert_eq!((tiles.seen(), tiles.closed.len()), (vec!["b"], 2));
}

#[test]
fn a_maximised_tile_is_seen_alone_until_another_one_is_wanted() {
    let mut tiles = three();
    tiles.maximise();
    assert_eq!(tiles.seen(), ["b"]);
    tiles.show("a");
    assert_eq!((tiles.maximised, tiles.seen()), (false, vec!["c", "b", "a"]));
    tiles.maximise();
    tiles.show("new");
    assert_eq!((tiles.maximised, tiles.seen()), (true, vec!["new"]), "it opens where one is");
}

#[test]
fn what_becomes_of_a_maximised_tile_comes_back_to_its_place() {
    let mut tiles = three();
    tiles.show("x");
    tiles.maximise();
    tiles.put(Some(Tile::Tabs { views: vec!["x".to_owned(), "b".to_owned()], open: "b".to_owned() }));
    assert_eq!((tiles.views(), tiles.active.as_str()), (vec!["c", "x", "b", "a"], "b"));
    let half = |view: &str| Part { share: 1.0, tile: Tile::tabs(vec![view.to_owned()]) };
    tiles.put(Some(Tile::Row(vec![half("x"), half("b")])));
    assert_eq!((tiles.maximised, tiles.seen()), (false, vec!["c", "x", "b", "a"]));
}

#[test]
fn an_offered_view_comes_to_its_place_unless_it_was_closed() {
    let mut tiles = Tiles::of(&["a", "d"]);
    tiles.offer("c", &VIEWS);
    tiles.offer("f", &VIEWS);
    tiles.offer("c", &VIEWS);
    assert_eq!((tiles.views(), tiles.active.as_str()), (vec!["a", "c", "d", "f"], "a"));
    tiles.close("c");
    tiles.offer("c", &VIEWS);
    assert_eq!(tiles.views(), ["a", "d", "f"]);
}

#[test]
fn views_of_a_newer_version_are_left_out_and_the_others_stay() {
    let text = "(root: Some(Row([\
        (share: 2.0, tile: Tabs(views: [\"a\", \"hologram\", \"a\"], open: \"hologram\")), \
        (share: -1.0, tile: Tabs(views: [\"hologram\"], open: \"hologram\")), \
        (share: 1.0, tile: Column([(share: 1.0, tile: Tabs(views: [\"b\", \"c\"], open: \"c\"))]))])), \
        active: \"hologram\", maximised: true, colour: \"red\")";
    let mut tiles: Tiles = ron_text::from_str(text).unwrap();
    tiles.limit(|view| VIEWS.contains(&view));
    assert_eq!((tiles.views(), tiles.seen()), (vec!["a", "b", "c"], vec!["a"]));
    tiles.maximise();
    assert_eq!(tiles.seen(), ["a", "c"]);
    let Some(Tile::Row(parts)) = &tiles.root else { panic!("{tiles:?}") };
    assert_eq!(parts.iter().map(|part| part.share).collect::<Vec<_>>(), [2.0, 1.0]);
    assert_eq!(tiles.active, "a");
}

#[derive(Clone, Debug)]
enum Change {
    Show(&'static str),
    Offer(&'static str),
    Close(&'static str),
    CloseTile,
    Split(Side),
    Cycle(bool),
    Maximise,
}

fn change() -> impl Strategy<Value = Change> {
    let view = || prop::sample::select(&VIEWS[..]);
    prop_oneof![
        3 => view().prop_map(Change::Show),
        1 => view().prop_map(Change::Offer),
        1 => view().prop_map(Change::Close),
        1 => Just(Change::CloseTile),
        4 => prop::sample::select(&[Side::Right, Side::Below][..]).prop_map(Change::Split),
        2 => any::<bool>().prop_map(Change::Cycle),
        2 => Just(Change::Maximise),
    ]
}

fn make(tiles: &mut Tiles, change: &Change) {
    match change {
        Change::Show(view) => tiles.show(view),
        Change::Offer(view) => tiles.offer(view, &VIEWS),
        Change::Close(view) => tiles.close(view),
        Change::CloseTile => tiles.close_tile(),
        Change::Split(side) => tiles.split(*side),
        Change::Cycle(forward) => tiles.cycle(*forward),
        Change::Maximise => tiles.maximise(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(96) })]
    #[test]
    fn after_any_changes_every_view_has_at_most_one_place_and_can_be_reached(
        changes in prop::collection::vec(change(), 0..40),
    ) {
        let mut tiles = Tiles::of(&VIEWS[..3]);
        for change in &changes {
            make(&mut tiles, change);
            let views: Vec<String> = tiles.views().into_iter().map(str::to_owned).collect();
            let distinct: BTreeSet<&String> = views.iter().collect();
            prop_assert_eq!(distinct.len(), views.len());
            prop_assert!(views.iter().all(|view| !tiles.closed.contains(view)));
            prop_assert_eq!(tiles.seen().is_empty(), views.is_empty());
            prop_assert!(views.is_empty() || tiles.seen().contains(&tiles.active.as_str()));
            let mut tidied = tiles.clone();
            tidied.tidy();
            prop_assert_eq!(&tidied, &tiles, "nothing is left to tidy up");
            let mut put = tiles.clone();
            put.put(tiles.shown().cloned());
            prop_assert_eq!(&put, &tiles, "what is shown fits where it is");
            let text = ron_text::to_pretty(&tiles).unwrap();
            prop_assert_eq!(&ron_text::from_str::<Tiles>(&text).unwrap(), &tiles);
            for view in &views {
                let mut wanted = tiles.clone();
                wanted.show(view);
                prop_assert!(wanted.seen().contains(&view.as_str()));
                prop_assert_eq!(&wanted.active, view);
            }
            let mut walked = tiles.clone();
            walked.maximised = false;
            let mut met = BTreeSet::new();
            for _ in &views {
                walked.cycle(true);
                met.insert(walked.active.clone());
            }
            prop_assert_eq!(met.len(), views.len(), "every tab is met by going on");
        }
    }
}

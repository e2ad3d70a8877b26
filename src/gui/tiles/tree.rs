//! Converts the layout to the tree of the library that draws it, and back.

use eframe::egui::Id;
use egui_tiles::{Container, Linear, LinearDir, Tabs, TileId, Tree};

use super::{Pane, find, panes};
use crate::results::tiles::{Part, Tile};

/// Identities of tiles with several views start here; smaller ones are indices of views in the registry.
const CONTAINERS: u64 = 1_000;

/// The tree of a layout, or an empty one. A view has the same identity in every tree, so that it keeps its state when other
/// tiles move. Unknown views are left out.
pub fn tree_of(tile: Option<&Tile>) -> Tree<Pane> {
    let mut tree = Tree::empty(Id::unique("tiles"));
    let mut next = CONTAINERS;
    tree.root = tile.map(|tile| insert(&mut tree, tile, &mut next));
    tree.tiles.recompute_next_tile_id();
    tree
}

fn insert(tree: &mut Tree<Pane>, tile: &Tile, next: &mut u64) -> TileId {
    let id = TileId::from_u64(*next);
    *next += 1;
    let container = match tile {
        Tile::Tabs { views, open } => {
            let mut tabs = Tabs::default();
            for pane in views.iter().filter_map(|view| find(view)) {
                let child = TileId::from_u64(place(pane));
                tree.tiles.insert(child, egui_tiles::Tile::Pane(pane));
                tabs.add_child(child);
                if pane.name == open {
                    tabs.set_active(child);
                }
            }
            Container::Tabs(tabs)
        }
        Tile::Row(parts) => linear(tree, LinearDir::Horizontal, parts, next),
        Tile::Column(parts) => linear(tree, LinearDir::Vertical, parts, next),
    };
    tree.tiles.insert(id, egui_tiles::Tile::Container(container));
    id
}

fn linear(tree: &mut Tree<Pane>, dir: LinearDir, parts: &[Part], next: &mut u64) -> Container {
    let mut linear = Linear::new(dir, Vec::new());
    for part in parts {
        let child = insert(tree, &part.tile, next);
        linear.add_child(child);
        linear.shares.set_share(child, part.share);
    }
    Container::Linear(linear)
}

fn place(pane: Pane) -> u64 {
    panes().position(|known| known.name == pane.name).unwrap_or_default() as u64
}

/// The layout of a tree that was made from `before`; `None` without views.
pub fn layout_of(tree: &Tree<Pane>, before: Option<&Tile>) -> Option<Tile> {
    tile_of(tree, tree.root?, before)
}

/// Whether tabs contain tiles, as after a drop on their contents, which no layout can express.
pub fn is_nested(tree: &Tree<Pane>) -> bool {
    let is_container = |child: &TileId| tree.tiles.get_container(*child).is_some();
    tree.tiles.tiles().any(|tile| match tile {
        egui_tiles::Tile::Container(Container::Tabs(tabs)) => tabs.children.iter().any(is_container),
        _ => false,
    })
}

fn tile_of(tree: &Tree<Pane>, id: TileId, before: Option<&Tile>) -> Option<Tile> {
    match tree.tiles.get(id)? {
        egui_tiles::Tile::Pane(pane) => Some(Tile::tabs(vec![pane.name.to_owned()])),
        egui_tiles::Tile::Container(Container::Tabs(tabs)) => {
            let child = |&id| Some((tabs.is_active(id), tile_of(tree, id, before)?));
            lifted(tabs.children.iter().filter_map(child), before)
        }
        egui_tiles::Tile::Container(Container::Linear(linear)) => {
            let part =
                |&child| Some(Part { share: linear.shares[child], tile: tile_of(tree, child, before)? });
            let parts: Vec<Part> = linear.children.iter().filter_map(part).collect();
            match linear.dir {
                _ if parts.is_empty() => None,
                LinearDir::Horizontal => Some(Tile::Row(parts)),
                LinearDir::Vertical => Some(Tile::Column(parts)),
            }
        }
        egui_tiles::Tile::Container(Container::Grid(grid)) => {
            let part = |&child| Some(Part { share: 1.0, tile: tile_of(tree, child, before)? });
            let parts: Vec<Part> = grid.children().filter_map(part).collect();
            (!parts.is_empty()).then_some(Tile::Row(parts))
        }
    }
}

/// The layout of tabs, each with whether it is the open one. Tabs within a tab become separate tabs. A row or column within a
/// tab replaces the tile, and the other tabs stay with the view that was open in it `before`.
fn lifted(children: impl Iterator<Item = (bool, Tile)>, before: Option<&Tile>) -> Option<Tile> {
    let (mut views, mut open, mut divided) = (Vec::new(), None, None);
    for (is_open, tile) in children {
        match tile {
            Tile::Tabs { views: more, open: seen } => {
                views.extend(more);
                open = open.or(is_open.then_some(seen));
            }
            Tile::Row(_) | Tile::Column(_) if divided.is_none() => divided = Some((views.len(), tile)),
            Tile::Row(_) | Tile::Column(_) => views.extend(tile.views().into_iter().map(str::to_owned)),
        }
    }
    let Some((at, mut tile)) = divided else {
        let open = open.or_else(|| views.first().cloned())?;
        return Some(Tile::Tabs { views, open });
    };
    let seen = match views.first().and_then(|view| before?.with(view)) {
        Some(Tile::Tabs { open, .. }) if tile.with(open).is_some() => open.clone(),
        _ => tile.views().first().map(|&view| view.to_owned())?,
    };
    if let Some(Tile::Tabs { views: own, .. }) = tile.with_mut(&seen) {
        let following = views.split_off(at);
        own.splice(0..0, views);
        own.extend(following);
    }
    Some(tile)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::tiles::{Side, Tiles};

    #[test]
    fn a_layout_is_the_same_when_it_comes_back() {
        let mut tiles = Tiles::of(&["accuracy", "loss", "runs", "network"]);
        for (view, side) in [("loss", Side::Right), ("runs", Side::Below), ("network", Side::Right)] {
            tiles.show(view);
            tiles.split(side);
            assert_eq!(layout_of(&tree_of(tiles.root.as_ref()), None), tiles.root);
        }
        assert_eq!(layout_of(&tree_of(None), None), None);
    }

    /// A tree as after a drop of `dropped` on the open one of three tabs, above or below it.
    fn with_a_drop(dropped: &str, is_above: bool) -> Tree<Pane> {
        let views = ["accuracy", "loss", "runs"].map(str::to_owned).to_vec();
        let mut tree = tree_of(Some(&Tile::Tabs { views, open: "loss".to_owned() }));
        let [seen, dropped] = ["loss", dropped].map(|name| find(name).unwrap());
        let tile = egui_tiles::Tile::Pane(dropped);
        let [seen, dropped] = [seen, dropped].map(|pane| TileId::from_u64(place(pane)));
        tree.remove_recursively(dropped);
        tree.tiles.insert(dropped, tile);
        let children = if is_above { vec![dropped, seen] } else { vec![seen, dropped] };
        let column = tree.tiles.insert_vertical_tile(children);
        let root = tree.root.unwrap();
        if let Some(egui_tiles::Tile::Container(Container::Tabs(tabs))) = tree.tiles.get_mut(root) {
            let at = tabs.children.iter().position(|&child| child == seen).unwrap();
            tabs.children[at] = column;
            tabs.set_active(column);
        }
        tree
    }

    #[test]
    fn what_is_dropped_on_an_open_tab_gets_a_tile_beside_all_tabs() {
        let tabs = |views: &[&str], open: &str| Tile::Tabs {
            views: views.iter().map(|&view| view.to_owned()).collect(),
            open: open.to_owned(),
        };
        let column = |tiles: [Tile; 2]| Tile::Column(tiles.map(|tile| Part { share: 1.0, tile }).into());
        let before = tabs(&["accuracy", "loss", "runs"], "loss");
        let aside = Tile::Row(
            [before.clone(), tabs(&["notes"], "notes")].map(|tile| Part { share: 1.0, tile }).into(),
        );
        for is_above in [false, true] {
            for (dropped, left, before) in [
                ("runs", tabs(&["accuracy", "loss"], "loss"), &before),
                ("accuracy", tabs(&["loss", "runs"], "loss"), &before),
                ("notes", before.clone(), &aside),
            ] {
                let tree = with_a_drop(dropped, is_above);
                assert!(is_nested(&tree));
                let own = tabs(&[dropped], dropped);
                let wanted = column(if is_above { [own, left] } else { [left, own] });
                assert_eq!(layout_of(&tree, Some(before)), Some(wanted.clone()), "{dropped}");
                assert!(!is_nested(&tree_of(Some(&wanted))));
            }
        }
    }

    #[test]
    fn tabs_in_a_tab_become_as_many_and_the_one_that_was_seen_stays_open() {
        let tabs = |views: &[&str], open: &str| Tile::Tabs {
            views: views.iter().map(|&view| view.to_owned()).collect(),
            open: open.to_owned(),
        };
        let children = [(false, tabs(&["notes"], "notes")), (true, tabs(&["loss", "runs"], "runs"))];
        assert_eq!(lifted(children.into_iter(), None), Some(tabs(&["notes", "loss", "runs"], "runs")));
        assert_eq!(lifted(std::iter::empty(), None), None);
    }

    #[test]
    fn every_view_has_a_number_of_its_own_below_those_of_containers() {
        let places: Vec<u64> = panes().map(place).collect();
        assert!(places.windows(2).all(|pair| pair[0] < pair[1]) && places.last() < Some(&CONTAINERS));
    }
}

//! Converts the layout to the tree of the library that draws it, and back.

use eframe::egui::Id;
use egui_tiles::{Container, Linear, LinearDir, TileId, Tree};

use crate::panes::{Pane, find, panes};
use results::tiles::{Part, Tile};

/// Identities of tiles with several views start here; smaller ones are indices of views in the registry.
const CONTAINERS: u64 = 1_000;

/// The tree of a layout, or an empty one. A view has the same identity in every tree, so that it keeps its state when other
/// tiles move. Unknown views are left out.
pub fn tree_of(tile: Option<&Tile>) -> Tree<Pane> {
    let mut tree = Tree::empty(Id::unique("tiles"));
    let mut next = CONTAINERS;
    tree.root = tile.and_then(|tile| insert(&mut tree, tile, &mut next));
    tree.tiles.recompute_next_tile_id();
    tree
}

fn insert(tree: &mut Tree<Pane>, tile: &Tile, next: &mut u64) -> Option<TileId> {
    let (dir, parts) = match tile {
        Tile::View(view) => {
            let pane = find(view)?;
            let id = TileId::from_u64(place(pane));
            tree.tiles.insert(id, egui_tiles::Tile::Pane(pane));
            return Some(id);
        }
        Tile::Row(parts) => (LinearDir::Horizontal, parts),
        Tile::Column(parts) => (LinearDir::Vertical, parts),
    };
    let id = TileId::from_u64(*next);
    *next += 1;
    let mut linear = Linear::new(dir, Vec::new());
    for part in parts {
        let Some(child) = insert(tree, &part.tile, next) else { continue };
        linear.add_child(child);
        linear.shares.set_share(child, part.share);
    }
    tree.tiles.insert(id, egui_tiles::Tile::Container(Container::Linear(linear)));
    Some(id)
}

fn place(pane: Pane) -> u64 {
    panes().position(|known| known.name == pane.name).unwrap_or_default() as u64
}

/// The layout of a tree; `None` without views. What was dropped on a view comes beside it.
pub fn layout_of(tree: &Tree<Pane>) -> Option<Tile> {
    tile_of(tree, tree.root?)
}

/// Whether the tree has tabs, as after a drop on the middle of a view, which no layout has.
pub fn has_tabs(tree: &Tree<Pane>) -> bool {
    tree.tiles.tiles().any(|tile| matches!(tile, egui_tiles::Tile::Container(Container::Tabs(_))))
}

fn tile_of(tree: &Tree<Pane>, id: TileId) -> Option<Tile> {
    let container = match tree.tiles.get(id)? {
        egui_tiles::Tile::Pane(pane) => return Some(Tile::View(pane.name.to_owned())),
        egui_tiles::Tile::Container(container) => container,
    };
    let share = |child: &TileId| match container {
        Container::Linear(linear) => linear.shares[*child],
        Container::Tabs(_) | Container::Grid(_) => 1.0,
    };
    let part = |child: &TileId| Some(Part { share: share(child), tile: tile_of(tree, *child)? });
    let parts: Vec<Part> = container.children().filter_map(part).collect();
    match container {
        _ if parts.is_empty() => None,
        Container::Linear(Linear { dir: LinearDir::Vertical, .. }) => Some(Tile::Column(parts)),
        Container::Linear(_) | Container::Tabs(_) | Container::Grid(_) => Some(Tile::Row(parts)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use results::tiles::{Layout, Side};

    #[test]
    fn a_layout_is_the_same_when_it_comes_back() {
        let mut layout = Layout::of(&["accuracy", "loss"], Side::Below);
        for (view, side) in [("runs", Side::Right), ("network", Side::Below), ("notes", Side::Right)] {
            layout.split(side, view);
            assert_eq!(layout_of(&tree_of(layout.root.as_ref())), layout.root);
        }
        assert_eq!(layout_of(&tree_of(None)), None);
    }

    #[test]
    fn what_is_dropped_on_the_middle_of_a_view_comes_beside_it() {
        let mut tree = tree_of(Layout::of(&["accuracy", "loss"], Side::Below).root.as_ref());
        let children: Vec<TileId> =
            ["accuracy", "loss"].map(|name| TileId::from_u64(place(find(name).unwrap()))).into();
        tree.root = Some(tree.tiles.insert_tab_tile(children));
        assert!(has_tabs(&tree));
        let layout = layout_of(&tree);
        assert_eq!(layout, Layout::of(&["accuracy", "loss"], Side::Right).root);
        assert!(!has_tabs(&tree_of(layout.as_ref())));
    }

    #[test]
    fn every_view_has_a_number_of_its_own_below_those_of_containers() {
        let places: Vec<u64> = panes().map(place).collect();
        assert!(places.windows(2).all(|pair| pair[0] < pair[1]) && places.last() < Some(&CONTAINERS));
    }
}

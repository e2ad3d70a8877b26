//! The layout as the library that draws it has it, and back.

use eframe::egui::Id;
use egui_tiles::{Container, Linear, LinearDir, Tabs, TileId, Tree};

use super::{Pane, find, panes};
use crate::figure::tiles::{Part, Tile};

/// Numbers of tiles with several views start here; below are the places of views in the registry.
const CONTAINERS: u64 = 1_000;

/// The tree of a layout, or an empty one. A view has the same number in every tree, so that it keeps its state when
/// something around it moves. Views that nobody knows are left out.
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

/// The layout of a tree; nothing when there is no view in it.
pub fn layout_of(tree: &Tree<Pane>) -> Option<Tile> {
    tile_of(tree, tree.root?)
}

fn tile_of(tree: &Tree<Pane>, id: TileId) -> Option<Tile> {
    match tree.tiles.get(id)? {
        egui_tiles::Tile::Pane(pane) => Some(Tile::tabs(vec![pane.name.to_owned()])),
        egui_tiles::Tile::Container(Container::Tabs(tabs)) => {
            // What was dropped as a tab with several views in it becomes as many tabs.
            let children: Vec<(TileId, Tile)> =
                tabs.children.iter().filter_map(|&child| Some((child, tile_of(tree, child)?))).collect();
            let views: Vec<String> =
                children.iter().flat_map(|(_, tile)| tile.views()).map(str::to_owned).collect();
            let active = children.iter().find(|(child, _)| tabs.is_active(*child));
            let open = active.or(children.first())?.1.views().first().map(|&view| view.to_owned())?;
            Some(Tile::Tabs { views, open })
        }
        egui_tiles::Tile::Container(Container::Linear(linear)) => {
            let part = |&child| Some(Part { share: linear.shares[child], tile: tile_of(tree, child)? });
            let parts: Vec<Part> = linear.children.iter().filter_map(part).collect();
            match linear.dir {
                _ if parts.is_empty() => None,
                LinearDir::Horizontal => Some(Tile::Row(parts)),
                LinearDir::Vertical => Some(Tile::Column(parts)),
            }
        }
        egui_tiles::Tile::Container(Container::Grid(grid)) => {
            let part = |&child| Some(Part { share: 1.0, tile: tile_of(tree, child)? });
            let parts: Vec<Part> = grid.children().filter_map(part).collect();
            (!parts.is_empty()).then_some(Tile::Row(parts))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::tiles::{Side, Tiles};

    #[test]
    fn a_layout_is_the_same_when_it_comes_back() {
        let mut tiles = Tiles::of(&["accuracy", "loss", "runs", "network"]);
        for (view, side) in [("loss", Side::Right), ("runs", Side::Below), ("network", Side::Right)] {
            tiles.show(view);
            tiles.split(side);
            assert_eq!(layout_of(&tree_of(tiles.root.as_ref())), tiles.root);
        }
        assert_eq!(layout_of(&tree_of(None)), None);
    }

    #[test]
    fn every_view_has_a_number_of_its_own_below_those_of_containers() {
        let places: Vec<u64> = panes().map(place).collect();
        assert!(places.windows(2).all(|pair| pair[0] < pair[1]) && places.last() < Some(&CONTAINERS));
    }
}

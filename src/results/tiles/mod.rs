//! The layout of the middle of the window: tiles in rows and columns, each with some views as tabs.
//!
//! Plain data with the changes that a person can make. Views are names here; the window draws them. After every change, no
//! view has two places, no tile is empty, a row holds no rows, and the active view is an open one.

use std::collections::BTreeSet;
use std::mem::discriminant;

use serde::{Deserialize, Serialize};

/// Which views are where.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Tiles {
    /// The whole area; nothing when all views are closed.
    pub root: Option<Tile>,
    /// The view that commands are about: the open tab of the tile that was used last.
    pub active: String,
    /// Whether the tile of the active view fills the area.
    pub maximised: bool,
    /// Views that a person has closed: they do not come back by themselves.
    pub closed: BTreeSet<String>,
}

/// A part of the area.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Tile {
    /// Views as tabs, of which one is open.
    Tabs {
        /// Their names, from left to right.
        views: Vec<String>,
        /// The open one.
        open: String,
    },
    /// Tiles from left to right.
    Row(Vec<Part>),
    /// Tiles from top to bottom.
    Column(Vec<Part>),
}

/// A tile with its share of the row or column, in the unit of the other shares.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// Positive.
    pub share: f32,
    /// Its content.
    pub tile: Tile,
}

/// Where a new tile appears.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// At the right.
    Right,
    /// Below.
    Below,
}

impl Tile {
    /// A tile with these views, the first of them open.
    pub fn tabs(views: Vec<String>) -> Self {
        let open = views.first().cloned().unwrap_or_default();
        Self::Tabs { views, open }
    }

    /// All views in it, from left to right and from top to bottom.
    pub fn views(&self) -> Vec<&str> {
        match self {
            Self::Tabs { views, .. } => views.iter().map(String::as_str).collect(),
            Self::Row(parts) | Self::Column(parts) => {
                parts.iter().flat_map(|part| part.tile.views()).collect()
            }
        }
    }

    /// The open view of each tile.
    fn open(&self) -> Vec<&str> {
        match self {
            Self::Tabs { open, .. } => vec![open],
            Self::Row(parts) | Self::Column(parts) => {
                parts.iter().flat_map(|part| part.tile.open()).collect()
            }
        }
    }

    /// The tile that has a view among its tabs.
    pub fn with(&self, view: &str) -> Option<&Self> {
        match self {
            Self::Tabs { views, .. } => views.iter().any(|known| known == view).then_some(self),
            Self::Row(parts) | Self::Column(parts) => parts.iter().find_map(|part| part.tile.with(view)),
        }
    }

    /// The tile that has a view among its tabs, to be changed.
    pub fn with_mut(&mut self, view: &str) -> Option<&mut Self> {
        match self {
            Self::Tabs { views, .. } => views.iter().any(|known| known == view).then_some(self),
            Self::Row(parts) | Self::Column(parts) => {
                parts.iter_mut().find_map(|part| part.tile.with_mut(view))
            }
        }
    }

    /// Whether the same views have the same places, whichever of them are open.
    fn is_arranged_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Tabs { views, .. }, Self::Tabs { views: others, .. }) => views == others,
            (Self::Row(parts), Self::Row(others)) | (Self::Column(parts), Self::Column(others)) => {
                let is_same = |(a, b): (&Part, &Part)| {
                    a.share.total_cmp(&b.share).is_eq() && a.tile.is_arranged_like(&b.tile)
                };
                parts.len() == others.len() && parts.iter().zip(others).all(is_same)
            }
            _ => false,
        }
    }

    /// The first tile.
    fn first_mut(&mut self) -> Option<&mut Self> {
        match self {
            Self::Tabs { .. } => Some(self),
            Self::Row(parts) | Self::Column(parts) => parts.iter_mut().find_map(|part| part.tile.first_mut()),
        }
    }

    /// The same without views that have no place, or nothing when those were all. `fits` decides whether a view stays; it
    /// is called once for every place.
    fn tidy(self, fits: &mut dyn FnMut(&str) -> bool) -> Option<Self> {
        match self {
            Self::Tabs { mut views, open } => {
                let position = views.iter().position(|view| *view == open).unwrap_or_default();
                let before = views[..position.min(views.len())].to_vec();
                views.retain(|view| fits(view));
                let kept = before.iter().filter(|view| views.contains(view)).count();
                let open = views.get(kept).or(views.last())?.clone();
                Some(Self::Tabs { views, open })
            }
            Self::Row(parts) => joined(parts, fits, Self::Row),
            Self::Column(parts) => joined(parts, fits, Self::Column),
        }
    }
}

/// A row (or column) of tidy tiles, without rows in it; a single tile needs no row.
fn joined(
    parts: Vec<Part>,
    fits: &mut dyn FnMut(&str) -> bool,
    row: impl Fn(Vec<Part>) -> Tile,
) -> Option<Tile> {
    let kind = discriminant(&row(Vec::new()));
    let mut flat = Vec::new();
    for Part { share, tile } in parts {
        let share = if share.is_finite() && share > 0.0 { share } else { 1.0 };
        let Some(tile) = tile.tidy(fits) else { continue };
        let is_row = discriminant(&tile) == kind;
        match tile {
            Tile::Row(parts) | Tile::Column(parts) if is_row => {
                let all: f32 = parts.iter().map(|part| part.share).sum();
                flat.extend(parts.into_iter().map(|part| Part { share: share * part.share / all, ..part }));
            }
            tile => flat.push(Part { share, tile }),
        }
    }
    match flat.len() {
        0 | 1 => flat.pop().map(|part| part.tile),
        _ => Some(row(flat)),
    }
}

impl Tiles {
    /// One tile with these views, the first of them open.
    pub fn of(views: &[&str]) -> Self {
        let views: Vec<String> = views.iter().map(|&view| view.to_owned()).collect();
        let active = views.first().cloned().unwrap_or_default();
        let root = (!views.is_empty()).then(|| Tile::tabs(views));
        Self { root, active, ..Self::default() }
    }

    /// All views that have a place, in their order.
    pub fn views(&self) -> Vec<&str> {
        self.root.as_ref().map(Tile::views).unwrap_or_default()
    }

    /// The visible views: the open one of each tile, or of the maximised tile alone.
    pub fn seen(&self) -> Vec<&str> {
        self.shown().map(Tile::open).unwrap_or_default()
    }

    /// What fills the area: the tile of the active view when it is maximised, else all.
    pub fn shown(&self) -> Option<&Tile> {
        let root = self.root.as_ref()?;
        if self.maximised { root.with(&self.active).or(Some(root)) } else { Some(root) }
    }

    /// The number of tabs in the tile of a view, its own among them.
    pub fn tabs(&self, view: &str) -> usize {
        self.root.as_ref().and_then(|root| root.with(view)).map_or(0, |tile| tile.views().len())
    }

    /// The number of tiles.
    pub fn count(&self) -> usize {
        self.root.as_ref().map_or(0, |root| root.open().len())
    }

    /// Replaces [`Self::shown`]. A maximised tile from which a view was dragged out is no longer maximised.
    pub fn put(&mut self, tile: Option<Tile>) {
        if !self.maximised {
            self.root = tile;
            return self.tidy();
        }
        let active = self.active.clone();
        match &tile {
            Some(Tile::Tabs { open, .. }) => self.active.clone_from(open),
            Some(Tile::Row(_) | Tile::Column(_)) | None => self.maximised = false,
        }
        match (self.root.as_mut().and_then(|root| root.with_mut(&active)), tile) {
            (Some(place), Some(tile)) => *place = tile,
            _ => self.close_tile(),
        }
        self.tidy();
    }

    /// Removes unknown views, such as those of a newer version.
    pub fn limit(&mut self, is_known: impl Fn(&str) -> bool) {
        let mut seen = BTreeSet::new();
        let fits = &mut |view: &str| is_known(view) && seen.insert(view.to_owned());
        self.root = self.root.take().and_then(|root| root.tidy(fits));
        let placed: BTreeSet<String> = self.views().into_iter().map(str::to_owned).collect();
        self.closed.retain(|view| !placed.contains(view));
        let place = self.root.as_ref().and_then(|root| root.with(&self.active));
        let active = place.or(self.root.as_ref()).and_then(|tile| tile.open().first().copied());
        self.active = active.unwrap_or_default().to_owned();
        self.maximised &= self.count() > 1;
    }

    fn tidy(&mut self) {
        self.limit(|_| true);
    }

    /// Opens a view where it is, or in the tile of the active view, and makes it the active one.
    pub fn show(&mut self, view: &str) {
        self.closed.remove(view);
        let is_shown = self.shown().is_some_and(|shown| shown.with(view).is_some());
        let has_place = self.root.as_ref().is_some_and(|root| root.with(view).is_some());
        self.maximised &= is_shown || !has_place;
        let root = self.root.get_or_insert_with(|| Tile::tabs(vec![view.to_owned()]));
        let with = if has_place { view.to_owned() } else { self.active.clone() };
        let place = if root.with(&with).is_some() { root.with_mut(&with) } else { root.first_mut() };
        if let Some(Tile::Tabs { views, open }) = place {
            if !views.iter().any(|known| known == view) {
                views.push(view.to_owned());
            }
            view.clone_into(open);
        }
        view.clone_into(&mut self.active);
        self.tidy();
    }

    /// Gives a view a tab in the first tile, unless it has one or was closed; `order` is that of the views.
    pub fn offer(&mut self, view: &str, order: &[&str]) {
        if self.closed.contains(view) || self.views().contains(&view) {
            return;
        }
        let place = |name: &str| order.iter().position(|known| *known == name);
        match self.root.as_mut().and_then(Tile::first_mut) {
            Some(Tile::Tabs { views, .. }) => {
                let at = views.iter().position(|known| place(known) > place(view)).unwrap_or(views.len());
                views.insert(at, view.to_owned());
            }
            _ => self.root = Some(Tile::tabs(vec![view.to_owned()])),
        }
        self.tidy();
    }

    /// Makes an open view the active one.
    pub fn activate(&mut self, view: &str) {
        if self.seen().contains(&view) {
            view.clone_into(&mut self.active);
        }
    }

    /// Closes a view.
    pub fn close(&mut self, view: &str) {
        self.closed.insert(view.to_owned());
        let tabs = self.root.as_ref().and_then(|root| root.with(view)).map(Tile::views).unwrap_or_default();
        if view == self.active
            && let Some(at) = tabs.iter().position(|known| *known == view)
            && let Some(next) = tabs.get(at + 1).or(at.checked_sub(1).and_then(|at| tabs.get(at)))
        {
            self.active = (*next).to_owned();
        }
        self.root = self.root.take().and_then(|root| root.tidy(&mut |known| known != view));
        self.tidy();
    }

    /// Closes all views of the active tile.
    pub fn close_tile(&mut self) {
        let tile = self.root.as_ref().and_then(|root| root.with(&self.active)).cloned();
        for view in tile.as_ref().map(Tile::views).unwrap_or_default() {
            self.close(view);
        }
    }

    /// Moves the active view into a new tile at a side of its present one; a single view stays.
    pub fn split(&mut self, side: Side) {
        let active = self.active.clone();
        let Some(place) = self.root.as_mut().and_then(|root| root.with_mut(&active)) else { return };
        let Some(left) = place.clone().tidy(&mut |view| view != active) else { return };
        let half = |tile| Part { share: 1.0, tile };
        let parts = vec![half(left), half(Tile::tabs(vec![active]))];
        *place = match side {
            Side::Right => Tile::Row(parts),
            Side::Below => Tile::Column(parts),
        };
        self.maximised = false;
        self.tidy();
    }

    /// Opens the tab after or before the active one, over all visible tiles, and from the last to the first.
    pub fn cycle(&mut self, forward: bool) {
        let views = self.shown().map(Tile::views).unwrap_or_default();
        let Some(at) = views.iter().position(|view| *view == self.active) else { return };
        let step = if forward { 1 } else { views.len() - 1 };
        let next = views[(at + step) % views.len()].to_owned();
        self.show(&next);
    }

    /// Whether the same views have the same places, whichever of them are open.
    pub fn is_arranged_like(&self, other: &Self) -> bool {
        let is_same_place = match (&self.root, &other.root) {
            (Some(root), Some(other)) => root.is_arranged_like(other),
            (root, other) => root.is_none() && other.is_none(),
        };
        is_same_place && self.closed == other.closed
    }

    /// Maximises the tile of the active view, or restores all tiles.
    pub fn maximise(&mut self) {
        self.maximised = !self.maximised && self.count() > 1;
    }
}

#[cfg(test)]
mod tests;

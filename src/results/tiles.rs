//! The middle of the window: groups of views, each with its own layout of tiles.
//!
//! Plain data with the changes that a person can make. Views are names here; the window draws them. After every change, no
//! view has two places, a row holds no rows, and the active view has a place.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The group on the screen, and the layouts that a person has changed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Tiles {
    /// The group on the screen, by its name.
    pub group: Group,
    /// Layouts by the names of their groups; the others have their default.
    pub layouts: BTreeMap<String, Layout>,
}

impl Tiles {
    /// Returns the layout of a group, if a person has changed it.
    pub fn layout(&self, group: Group) -> Option<&Layout> {
        self.layouts.get(group.name())
    }

    /// Keeps the layout of a group; nothing is its default.
    pub fn keep(&mut self, group: Group, layout: Option<Layout>) {
        match layout {
            Some(layout) => drop(self.layouts.insert(group.name().to_owned(), layout)),
            None => drop(self.layouts.remove(group.name())),
        }
    }

    /// Returns true if the same views have the same places in all groups.
    pub fn is_arranged_like(&self, other: &Self) -> bool {
        self.layouts.keys().eq(other.layouts.keys())
            && self.layouts.iter().all(|(name, layout)| layout.is_arranged_like(&other.layouts[name]))
    }
}

/// A group of plots and views, which share the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// Results over training.
    #[default]
    Curves,
    /// Results over the weights that remain.
    Pruning,
    /// Results of injected faults.
    Faults,
    /// Distances and lines between networks.
    Geometry,
    Runs,
    /// Networks and their weights.
    Weights,
    Notes,
}

impl Group {
    /// All groups, from left to right.
    pub const ALL: [Self; 7] =
        [Self::Curves, Self::Pruning, Self::Faults, Self::Geometry, Self::Runs, Self::Weights, Self::Notes];

    /// Returns its name in the bar and in files: "Pruning".
    pub const fn name(self) -> &'static str {
        match self {
            Self::Curves => "Curves",
            Self::Pruning => "Pruning",
            Self::Faults => "Faults",
            Self::Geometry => "Geometry",
            Self::Runs => "Runs",
            Self::Weights => "Weights",
            Self::Notes => "Notes",
        }
    }

    /// Returns what its views show, in one sentence.
    pub const fn help(self) -> &'static str {
        match self {
            Self::Curves => "Accuracy and loss over training",
            Self::Pruning => "Accuracy over the weights that remain",
            Self::Faults => "Campaigns: what injected faults do, by layer, bit and rate",
            Self::Geometry => "Lines and distances between networks",
            Self::Runs => "The table of runs, the data, and results over settings",
            Self::Weights => "Networks, weights and tickets of individual runs",
            Self::Notes => "Notes on the results",
        }
    }

    /// Returns what fills its tiles at first: for each tile its share, where they are one below the other, and views of
    /// which the first with data is taken. A tile without any is left out.
    pub const fn defaults(self) -> &'static [(f32, &'static [&'static str])] {
        match self {
            Self::Curves => &[(1.0, &["accuracy"])],
            Self::Pruning => &[(1.0, &["remaining"]), (1.0, &["rounds"])],
            Self::Faults => &[(0.42, &["vulnerability", "fault-rate"]), (0.58, &["campaigns"])],
            Self::Geometry => &[(1.0, &["line", "line-loss"]), (1.0, &["past", "member-distance"])],
            Self::Runs => &[(1.0, &["runs"])],
            Self::Weights => &[(0.6, &["weights"]), (0.4, &["network"])],
            Self::Notes => &[(1.0, &["notes"])],
        }
    }

    /// Returns true if its views show what only some stages give: the first result of them brings it to the front.
    pub const fn is_special(self) -> bool {
        match self {
            Self::Pruning | Self::Faults | Self::Geometry => true,
            Self::Curves | Self::Runs | Self::Weights | Self::Notes => false,
        }
    }

    /// Returns true if the panels at the left and at the right are open at first: where its views are wide, one is not.
    pub const fn panels(self) -> [bool; 2] {
        match self {
            Self::Faults => [true, false],
            Self::Runs => [false, true],
            Self::Curves | Self::Pruning | Self::Geometry | Self::Weights | Self::Notes => [true, true],
        }
    }
}

impl Serialize for Group {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Group {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        // A newer version may have other groups.
        Ok(Self::ALL.into_iter().find(|group| group.name() == name).unwrap_or_default())
    }
}

/// Which views are where.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Layout {
    /// The whole area; nothing when all views are closed.
    pub root: Option<Tile>,
    /// The view that commands are about: the one that was used last.
    pub active: String,
    /// True if the active view fills the area.
    pub maximized: bool,
}

/// A part of the area.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Tile {
    /// A view, by its name.
    View(String),
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
    pub tile: Tile,
}

/// The side of a new tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Right,
    Below,
}

impl Side {
    /// Tiles of the same size in this direction.
    pub fn tiles(self, tiles: Vec<Tile>) -> Tile {
        let parts = tiles.into_iter().map(|tile| Part { share: 1.0, tile }).collect();
        match self {
            Self::Right => Tile::Row(parts),
            Self::Below => Tile::Column(parts),
        }
    }
}

impl Tile {
    /// Returns all views in it, from left to right and from top to bottom.
    pub fn views(&self) -> Vec<&str> {
        match self {
            Self::View(view) => vec![view],
            Self::Row(parts) | Self::Column(parts) => {
                parts.iter().flat_map(|part| part.tile.views()).collect()
            }
        }
    }

    /// Returns the tile of a view, to be changed.
    fn of_mut(&mut self, wanted: &str) -> Option<&mut Self> {
        match self {
            Self::View(view) => (view == wanted).then_some(self),
            Self::Row(parts) | Self::Column(parts) => {
                parts.iter_mut().find_map(|part| part.tile.of_mut(wanted))
            }
        }
    }

    /// Returns the same without views that have no place and without rows in rows, or nothing when those were all; a single
    /// tile needs no row. `fits` decides whether a view stays; it is called once for every place.
    fn tidy(self, fits: &mut dyn FnMut(&str) -> bool) -> Option<Self> {
        let (is_row, parts) = match self {
            Self::View(view) => return fits(&view).then_some(Self::View(view)),
            Self::Row(parts) => (true, parts),
            Self::Column(parts) => (false, parts),
        };
        let mut flat = Vec::new();
        for Part { share, tile } in parts {
            let share = if share.is_finite() && share > 0.0 { share } else { 1.0 };
            match (tile.tidy(fits), is_row) {
                (None, _) => {}
                (Some(Self::Row(parts)), true) | (Some(Self::Column(parts)), false) => {
                    let all: f32 = parts.iter().map(|part| part.share).sum();
                    flat.extend(
                        parts.into_iter().map(|part| Part { share: share * part.share / all, ..part }),
                    );
                }
                (Some(tile), _) => flat.push(Part { share, tile }),
            }
        }
        match flat.len() {
            0 | 1 => flat.pop().map(|part| part.tile),
            _ => Some(if is_row { Self::Row(flat) } else { Self::Column(flat) }),
        }
    }
}

impl Layout {
    /// Returns these views side by side or one below the other, the first of them active.
    pub fn new(views: &[&str], side: Side) -> Self {
        let tiles: Vec<Tile> = views.iter().map(|&view| Tile::View(view.to_owned())).collect();
        let active = views.first().copied().unwrap_or_default().to_owned();
        let mut layout = Self { root: Some(side.tiles(tiles)), active, maximized: false };
        layout.tidy();
        layout
    }

    /// Returns the same tiles with these shares, where they are one below the other.
    pub fn with_shares(mut self, shares: &[f32]) -> Self {
        if let Some(Tile::Column(parts)) = &mut self.root {
            parts.iter_mut().zip(shares).for_each(|(part, share)| part.share = *share);
        }
        self
    }

    /// Returns all views that have a place, in their order.
    pub fn views(&self) -> Vec<&str> {
        self.root.as_ref().map(Tile::views).unwrap_or_default()
    }

    /// Returns the visible views: all, or the maximized one alone.
    pub fn seen(&self) -> Vec<&str> {
        if self.maximized { vec![&self.active] } else { self.views() }
    }

    /// Returns what fills the area: the active view when it is maximized, else all.
    pub fn shown(&self) -> Option<Tile> {
        if self.maximized { Some(Tile::View(self.active.clone())) } else { self.root.clone() }
    }

    pub fn count(&self) -> usize {
        self.views().len()
    }

    /// Replaces [`Self::shown`].
    pub fn put(&mut self, tile: Option<Tile>) {
        if !self.maximized {
            self.root = tile;
        }
        self.tidy();
    }

    /// Removes unknown views, such as those of a newer version.
    pub fn limit(&mut self, is_known: impl Fn(&str) -> bool) {
        let mut seen = BTreeSet::new();
        let fits = &mut |view: &str| is_known(view) && seen.insert(view.to_owned());
        self.root = self.root.take().and_then(|root| root.tidy(fits));
        let views = self.views();
        if !views.contains(&self.active.as_str()) {
            self.active = views.first().copied().unwrap_or_default().to_owned();
        }
        self.maximized &= self.count() > 1;
    }

    fn tidy(&mut self) {
        self.limit(|_| true);
    }

    /// Makes a view the active one: where it is, or in the place of the active view.
    pub fn show(&mut self, view: &str) {
        if self.views().contains(&view) {
            self.maximized &= self.active == view;
            view.clone_into(&mut self.active);
        } else {
            let active = self.active.clone();
            self.replace(&active, view);
        }
    }

    /// Shows a view in the place of another one, which takes its place if it has one.
    pub fn replace(&mut self, old: &str, new: &str) {
        let root = self.root.get_or_insert_with(|| Tile::View(old.to_owned()));
        let place = |root: &mut Tile, of: &str, view: &str| {
            if let Some(tile) = root.of_mut(of) {
                *tile = Tile::View(view.to_owned());
            }
        };
        // No view has this name, so that the two are not mistaken for each other.
        place(root, old, "");
        place(root, new, old);
        place(root, "", new);
        new.clone_into(&mut self.active);
        self.tidy();
    }

    /// Makes a visible view the active one.
    pub fn activate(&mut self, view: &str) {
        if self.seen().contains(&view) {
            view.clone_into(&mut self.active);
        }
    }

    /// Closes a view.
    pub fn close(&mut self, view: &str) {
        let views = self.views();
        if view == self.active
            && let Some(at) = views.iter().position(|known| *known == view)
            && let Some(next) = views.get(at + 1).or(at.checked_sub(1).and_then(|at| views.get(at)))
        {
            self.active = (*next).to_owned();
        }
        self.root = self.root.take().and_then(|root| root.tidy(&mut |known| known != view));
        self.tidy();
    }

    /// Opens another view at a side of the active one.
    pub fn split(&mut self, side: Side, view: &str) {
        let active = self.active.clone();
        self.root = self.root.take().and_then(|root| root.tidy(&mut |known| known != view));
        let new = Tile::View(view.to_owned());
        let root = self.root.get_or_insert_with(|| new.clone());
        if let Some(place) = root.of_mut(&active) {
            *place = side.tiles(vec![place.clone(), new]);
        }
        self.maximized = false;
        self.tidy();
        self.activate(view);
    }

    /// Returns true if the same views have the same places.
    pub fn is_arranged_like(&self, other: &Self) -> bool {
        self.root == other.root
    }

    /// Maximizes the active view, or restores all tiles.
    pub fn maximize(&mut self) {
        self.maximized = !self.maximized && self.count() > 1;
    }
}

//! The middle of the window: groups of views, each with its own layout of tiles.
//!
//! Plain data with the changes that a person can make. Views are names here; the window draws them. After every change, no
//! view has two places, a row holds no rows, and the active view has a place.

mod group;
mod layout;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use group::Group;
pub use layout::{Layout, Part, Side, Tile};

/// The group on the screen, and the layouts that a person has changed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Stored")]
pub struct Tiles {
    /// The group on the screen, by its name.
    pub group: Group,
    /// Layouts by the names of their groups; the others have their default.
    pub layouts: BTreeMap<String, Layout>,
    /// The layout of a file from before groups, which belongs to the group of its active view.
    #[serde(skip)]
    pub ungrouped: Option<Layout>,
}

/// The fields of all versions.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Stored {
    group: Option<String>,
    layouts: BTreeMap<String, Layout>,
    // Before groups:
    root: Option<Tile>,
    active: String,
    maximised: bool,
}

impl From<Stored> for Tiles {
    fn from(stored: Stored) -> Self {
        let Stored { group, layouts, root, active, maximised: maximized } = stored;
        let ungrouped = root.map(|root| Layout { root: Some(root), active, maximized });
        let group = group.and_then(|name| Group::find(&name)).unwrap_or_default();
        Self { group, layouts, ungrouped }
    }
}

impl Tiles {
    /// The layout of a group, if a person has changed it.
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

    /// Whether the same views have the same places in all groups.
    pub fn is_arranged_like(&self, other: &Self) -> bool {
        self.layouts.keys().eq(other.layouts.keys())
            && self.layouts.iter().all(|(name, layout)| layout.is_arranged_like(&other.layouts[name]))
    }
}

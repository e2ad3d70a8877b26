//! Groups of views.

use serde::{Serialize, Serializer};

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
    /// All runs.
    Runs,
    /// Networks and their weights.
    Weights,
    /// What was written about the results, and what happened.
    Notes,
}

impl Group {
    /// All groups, from left to right.
    pub const ALL: [Self; 7] =
        [Self::Curves, Self::Pruning, Self::Faults, Self::Geometry, Self::Runs, Self::Weights, Self::Notes];

    /// Its name in the bar and in files: "Pruning".
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

    /// What its views show, in one sentence.
    pub const fn help(self) -> &'static str {
        match self {
            Self::Curves => "Accuracy and loss over training",
            Self::Pruning => "Accuracy over the weights that remain",
            Self::Faults => "Campaigns: what injected faults do, by layer, bit and rate",
            Self::Geometry => "Lines and distances between networks",
            Self::Runs => "The table of runs, the data, and results over settings",
            Self::Weights => "Networks, weights and tickets of individual runs",
            Self::Notes => "Notes on the results, and the log",
        }
    }

    /// What fills its tiles at first: for each tile, views of which the first with data is taken.
    pub const fn defaults(self) -> &'static [&'static [&'static str]] {
        match self {
            Self::Curves => &[&["accuracy"], &["loss"]],
            Self::Pruning => &[&["remaining"], &["rounds", "accuracy"]],
            Self::Faults => &[&["vulnerability", "fault-rate"], &["campaigns"]],
            Self::Geometry => &[&["line", "line-loss"], &["past", "member-distance"]],
            Self::Runs => &[&["runs"]],
            Self::Weights => &[&["weights"], &["network"]],
            Self::Notes => &[&["notes"], &["log"]],
        }
    }

    /// The shares of its default tiles, from top to bottom.
    pub const fn shares(self) -> &'static [f32] {
        match self {
            Self::Faults => &[0.42, 0.58],
            Self::Weights => &[0.6, 0.4],
            Self::Curves | Self::Pruning | Self::Geometry | Self::Runs | Self::Notes => &[],
        }
    }

    /// Whether the panels at the left and at the right are open at first: where its views are wide, one is not.
    pub const fn panels(self) -> [bool; 2] {
        match self {
            Self::Faults => [true, false],
            Self::Runs => [false, true],
            Self::Curves | Self::Pruning | Self::Geometry | Self::Weights | Self::Notes => [true, true],
        }
    }

    /// The group with this name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|group| group.name() == name)
    }
}

impl Serialize for Group {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

//! How a plot is split into panels by the values of settings, as `view.json` keeps it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::table::columns::Column;

/// More values of a setting, or more panels, are too many for a figure.
pub const MOST_VALUES: usize = 24;
/// The most panels of a grid of two settings.
pub const MOST_PANELS: usize = 48;

/// The panels of a plot.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FacetSettings {
    /// The columns that split the runs: none, one column for a wrapped grid, or the columns of a grid and then its rows.
    pub by: Vec<Column>,
    /// The ranges of the panels.
    pub axes: FacetAxes,
    /// The chosen ranges of x and y of single panels, by their titles, where axes are free.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub zooms: BTreeMap<String, [Option<[f64; 2]>; 2]>,
}

/// The ranges of panels: shared or free.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum FacetAxes {
    /// All have the same, with labels at the outer axes only.
    #[default]
    Shared,
    /// Each has the ranges that its values need.
    Free,
}

impl FacetAxes {
    /// Returns the axes with this name on the command line.
    ///
    /// # Errors
    /// The known names.
    pub fn parse(text: &str) -> Result<Self, String> {
        Ok(match text {
            "shared" => Self::Shared,
            "free" => Self::Free,
            _ => return Err("write shared or free".to_owned()),
        })
    }
}

impl Column {
    /// Returns true if its values can split runs into panels.
    pub const fn is_facet(&self) -> bool {
        matches!(self, Self::Arm | Self::Seed | Self::Setting(_))
    }
}

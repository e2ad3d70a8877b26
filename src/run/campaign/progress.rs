//! How far a campaign is, as a checkpoint keeps it.

use serde::{Deserialize, Serialize};

use super::statistics::CellStatistics;

/// How far a campaign is: whole blocks only.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CampaignProgress {
    /// The cells that began.
    pub(super) cells: Vec<CellProgress>,
}

/// The trials of a cell so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct CellProgress {
    pub(super) result: CellStatistics,
    pub(super) unprotected: Option<CellStatistics>,
    pub(super) done: bool,
}

//! The columns and rows of a grid of panels.

use super::{Key, Piece};
use crate::distinct::distinct;
use crate::facets::Head;
use results::colours::base;
use results::table::columns::Column;

/// The columns of a grid of panels, or its rows.
pub(super) struct Side {
    /// What splits the runs, as tables head it.
    pub key: String,
    /// Its values, for tables.
    pub values: Vec<String>,
    pub heads: Vec<Head>,
}

/// Gives lines that would share a panel one each, along the side of the grid that no setting has.
pub(super) fn by_line(pieces: &mut [Piece<'_>], sides: &mut Vec<Side>) {
    let is_shared =
        |(at, piece): (usize, &Piece<'_>)| pieces[..at].iter().any(|other| other.place == piece.place);
    if sides.len() > 1 || !pieces.iter().enumerate().any(is_shared) {
        return;
    }
    let names = distinct(pieces.iter().map(|piece| piece.arm.name.clone()));
    for piece in &mut *pieces {
        let index = names.iter().position(|name| *name == piece.arm.name).unwrap_or_default();
        piece.place[1 - sides.len()] = index;
    }
    // The settings of one arm go without its name.
    let own = format!("{}, ", base(&names.iter().map(String::as_str).collect::<Vec<_>>()));
    let short: Option<Vec<&str>> = names.iter().map(|name| name.strip_prefix(&own)).collect();
    let short = short.unwrap_or_else(|| names.iter().map(String::as_str).collect());
    let heads = short.iter().map(|name| Head { label: String::new(), value: (*name).to_owned() }).collect();
    sides.push(Side { key: Column::Arm.key(), heads, values: names });
}

impl Key<'_> {
    /// Its values as columns or rows.
    pub(super) fn side(&self) -> Side {
        let (values, heads) = self.values.iter().cloned().unzip();
        Side { key: self.column.key(), values, heads }
    }
}

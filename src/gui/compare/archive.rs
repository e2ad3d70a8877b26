//! Which runs can be archived: never one that the filter hides.

use std::collections::BTreeSet;

use super::{Compare, CompareResponse};
use crate::text::counted;
use results::table::Row;

impl Compare {
    /// Why these runs cannot be archived, if so.
    pub fn why_not_archive<'a>(&self, mut runs: impl Iterator<Item = &'a String>) -> Option<&'static str> {
        let mut is_any = false;
        let running = runs.any(|run| {
            is_any |= self.results.contains(run);
            self.open.contains(run)
        });
        match (running, is_any) {
            (true, _) => Some("These runs are active or queued: stop them first"),
            (false, false) => Some("These runs have no results"),
            (false, true) => None,
        }
    }

    /// Whether the filter shows a run.
    pub fn is_visible(&self, run: &str) -> bool {
        !self.left_out.contains(run)
    }

    /// The rows of ticked runs that the filter shows, in the order of the document. Arms may share a run, which has a row in
    /// each.
    pub fn ticked_rows(&self) -> Vec<&Row> {
        let is_ticked = |row: &&Row| self.ticked.contains(&row.run) && self.is_visible(&row.run);
        self.rows.iter().filter(is_ticked).collect()
    }

    /// The ticked runs that the filter shows, by identity.
    pub fn ticked_runs(&self) -> BTreeSet<&String> {
        if self.ticked.is_empty() {
            return BTreeSet::new(); // asked in every frame
        }
        self.ticked_rows().into_iter().map(|row| &row.run).collect()
    }

    /// The question whether the visible ticked runs are to be archived; nothing where none has results.
    pub fn archive_ticked(&self) -> Option<CompareResponse> {
        let rows: Vec<&Row> =
            self.ticked_rows().into_iter().filter(|row| self.results.contains(&row.run)).collect();
        let runs: BTreeSet<&String> = rows.iter().map(|row| &row.run).collect();
        let runs: Vec<String> = runs.into_iter().cloned().collect();
        (!runs.is_empty()).then(|| CompareResponse::Archive { name: of_arms(&rows), runs })
    }

    /// The question whether one run is to be archived.
    pub fn archive_run(&self, run: &str) -> Option<CompareResponse> {
        let row = self.rows.iter().find(|row| row.run == run)?;
        let name = format!("{}, seed {}", row.arm, row.seed);
        Some(CompareResponse::Archive { name, runs: vec![row.run.clone()] })
    }
}

/// More arms than this are only counted.
const MOST: usize = 3;

/// "2 of winning ticket, 1 of reinitialized".
pub fn of_arms(rows: &[&Row]) -> String {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for row in rows {
        match counts.iter_mut().find(|(arm, _)| *arm == row.arm) {
            Some((_, count)) => *count += 1,
            None => counts.push((&row.arm, 1)),
        }
    }
    let mut parts: Vec<String> =
        counts.iter().take(MOST).map(|(arm, count)| format!("{count} of {arm}")).collect();
    if let Some(more @ 1..) = counts.len().checked_sub(MOST) {
        parts.push(format!("those of {}", counted(more, "more arm")));
    }
    parts.join(", ")
}

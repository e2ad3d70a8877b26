//! The lines by round of several arms as a table: a row for each arm, a column for each training. Legends in files and in the
//! window are such tables.

use std::collections::BTreeMap;

use super::model::{Figure, Line};

/// The lines of a figure by arm and training.
#[derive(Debug)]
pub struct Rounds<'a> {
    /// Number and level of each training that has a line.
    pub levels: Vec<(usize, String)>,
    /// The arms, in the order of the figure.
    pub rows: Vec<RoundRow<'a>>,
    /// Whether all arms have the same level in the same training.
    pub is_common: bool,
}

/// The lines of an arm.
#[derive(Debug)]
pub struct RoundRow<'a> {
    /// What its lines are of: "winning ticket", "winning ticket, validation".
    pub of: &'a str,
    /// The indices of its lines by training.
    pub cells: BTreeMap<usize, usize>,
}

impl<'a> Rounds<'a> {
    /// `None` where lines are not by round, or where a list is as short.
    pub fn of(figure: &'a Figure) -> Option<Self> {
        if !figure.reference_lines.is_empty() {
            return None;
        }
        let (mut levels, mut is_common) = (BTreeMap::new(), true);
        let mut rows: Vec<RoundRow<'_>> = Vec::new();
        let mut places: BTreeMap<&str, usize> = BTreeMap::new();
        for (index, line) in figure.lines.iter().enumerate() {
            let round = line.round.as_ref()?;
            let level = levels.entry(round.number).or_insert_with(|| round.level());
            is_common &= *level == round.level();
            let place = *places.entry(&round.of).or_insert(rows.len());
            if place == rows.len() {
                rows.push(RoundRow { of: &round.of, cells: BTreeMap::new() });
            }
            rows[place].cells.insert(round.number, index);
        }
        let is_table = rows.len() > 1 && levels.len() > 1;
        is_table.then(|| Self { levels: levels.into_iter().collect(), rows, is_common })
    }

    /// What an arm is called: with its first and last level where those of the arms differ.
    pub fn name(&self, row: &RoundRow<'_>, figure: &Figure) -> String {
        let level = |index: &usize| figure.lines[*index].round.as_ref().map(super::model::LineRound::level);
        let first = row.cells.values().next().and_then(level);
        let last = row.cells.values().next_back().and_then(level);
        match first.zip(last).filter(|_| !self.is_common) {
            Some((first, last)) if first == last => format!("{}, {first}", row.of),
            Some((first, last)) => format!("{}, {first} to {last}", row.of),
            None => row.of.to_owned(),
        }
    }
}

impl RoundRow<'_> {
    /// How many of its seeds are done while others are to come: "2 of 3". A training that few seeds have reached has the
    /// fewest.
    pub fn seeds(&self, figure: &Figure) -> String {
        let lines = self.cells.values().map(|index| &figure.lines[*index]);
        let fewest = lines.filter(|line| line.seeds.is_some());
        let fewest = fewest.min_by_key(|line| line.seeds.map(|seeds| seeds.done));
        fewest.map(Line::seeds_text).unwrap_or_default()
    }
}

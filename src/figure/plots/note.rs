//! The small print about lines: what they are means of.

use std::collections::BTreeSet;

use super::ArmRuns;
use crate::model::{Line, Note};
use results::view::PlotOptions;

/// The number of runs that a line averages.
#[derive(Clone, Copy, Debug)]
pub struct RunCounts {
    /// All runs.
    pub runs: usize,
    /// Different seeds.
    pub seeds: usize,
    /// Different arms.
    pub arms: usize,
}

impl RunCounts {
    /// Counts runs of these seeds.
    pub fn of(arm: &ArmRuns<'_>, seeds: impl IntoIterator<Item = u64>) -> Self {
        let seeds: Vec<u64> = seeds.into_iter().collect();
        let different: BTreeSet<u64> = seeds.iter().copied().collect();
        Self { runs: seeds.len(), seeds: different.len(), arms: arm.pooled() }
    }
}

/// The note about lines: "mean over 2 to 5 seeds", with their interval. For pooled arms it counts runs, since runs with the
/// same seed are then no replicates: "mean over 6 runs (2 arms pooled, 3 seeds)".
pub fn note(drawn: &[(&Line, RunCounts)], options: &PlotOptions) -> Note {
    let count = |of: fn(&RunCounts) -> usize| Range::of(drawn.iter().map(|(_, counts)| of(counts)));
    let (runs, seeds, arms) =
        (count(|counts| counts.runs), count(|counts| counts.seeds), count(|counts| counts.arms));
    // Some runs may have fewer points so far; the mean is over those with a point.
    let thinnest = drawn.iter().flat_map(|(line, _)| &line.counts).min();
    let thinnest = thinnest.map_or(runs.fewest, |count| runs.fewest.min(*count as usize));
    let runs = Range { fewest: thinnest, ..runs };
    let mut note = Note::default();
    if runs.most > 1 {
        let is_pooled = arms.most > 1;
        note.what = if is_pooled {
            format!("mean over {} ({} pooled, {})", runs.text("run"), arms.text("arm"), seeds.text("seed"))
        } else {
            format!("mean over {}", runs.text("seed"))
        };
        if drawn.iter().any(|(line, _)| !line.band.is_empty()) {
            let of = if is_pooled { " over runs" } else { "" };
            note.interval = format!("{}{of}", options.band.label());
        }
    }
    let noun = if arms.most > 1 { "runs" } else { "seeds" };
    let mut rest = unfinished(drawn, noun).into_iter().collect::<Vec<_>>();
    if options.smoothing > 0.0 {
        rest.push(format!("moving average with weight {}, raw values faint", options.smoothing));
    }
    note.rest = rest.join(", ");
    note
}

/// What the small print says of unfinished runs: what they look like, or that there are no others.
fn unfinished(drawn: &[(&Line, RunCounts)], noun: &str) -> Option<String> {
    let is_of_unfinished = |line: &Line| line.seeds.is_some_and(|seeds| seeds.done == 0);
    if !drawn.is_empty() && drawn.iter().all(|(line, _)| is_of_unfinished(line)) {
        return Some(format!("all {noun} unfinished"));
    }
    let running = |line: &Line| line.seeds.map_or(0, |seeds| seeds.running);
    let is_thin = |line: &Line| {
        is_of_unfinished(line) || line.traces.iter().take(running(line)).any(|trace| trace.points.len() > 1)
    };
    if drawn.iter().any(|(line, _)| is_thin(line)) {
        return Some(format!("thin lines: unfinished {noun}"));
    }
    drawn.iter().any(|(line, _)| running(line) > 0).then(|| format!("hollow: unfinished {noun}"))
}

/// The smallest and the largest of some counts.
struct Range {
    fewest: usize,
    most: usize,
}

impl Range {
    fn of(counts: impl Iterator<Item = usize> + Clone) -> Self {
        Self { fewest: counts.clone().min().unwrap_or_default(), most: counts.max().unwrap_or_default() }
    }

    /// "2 to 5 seeds".
    fn text(&self, noun: &str) -> String {
        let plural = if self.most == 1 { "" } else { "s" };
        if self.fewest == self.most {
            format!("{} {noun}{plural}", self.most)
        } else {
            format!("{} to {} {noun}{plural}", self.fewest, self.most)
        }
    }
}

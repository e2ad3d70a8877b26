//! What `weightlab show --tickets` adds: when each training should have stopped, and how much the masks of an arm's seeds
//! have in common.

use std::collections::BTreeMap;
use std::path::Path;

use crate::cli::number::percent;
use crate::cli::table::table;
use crate::doc::Run;
use crate::results::RunRecord;
use crate::run::mask_overlap;

/// Both tables as text; each says what is missing where it has no line.
pub fn text(runs: &[Run], records: &BTreeMap<String, RunRecord>, folder: &Path) -> String {
    format!("\n{}\n{}", early_stops(runs, records), overlaps(runs, folder))
}

fn early_stops(runs: &[Run], records: &BTreeMap<String, RunRecord>) -> String {
    let mut rows = Vec::new();
    for run in runs {
        for stop in records.get(&run.id).map(RunRecord::early_stops).unwrap_or_default() {
            let place =
                if stop.branch.is_empty() { stop.stage } else { format!("{} {}", stop.stage, stop.branch) };
            rows.push(vec![
                run.arm.clone(),
                run.seed.to_string(),
                place,
                stop.round.map_or_else(|| "–".to_owned(), |round| round.to_string()),
                percent(stop.remaining),
                stop.iteration.to_string(),
                format!("{:.4}", stop.validation_loss),
                stop.test_accuracy.map_or_else(|| "–".to_owned(), percent),
            ]);
        }
    }
    if rows.is_empty() {
        return "early stop: no run was validated; set validation in data\n".to_owned();
    }
    let head = [
        "early stop of",
        "seed",
        "stage",
        "round",
        "remaining",
        "iteration",
        "validation loss",
        "test accuracy",
    ];
    table(&head, &rows, 1)
}

fn overlaps(runs: &[Run], folder: &Path) -> String {
    let mut arms: Vec<(&str, Vec<&str>)> = Vec::new();
    for run in runs {
        match arms.iter_mut().find(|(arm, _)| *arm == run.arm) {
            Some((_, ids)) => ids.push(&run.id),
            None => arms.push((&run.arm, vec![&run.id])),
        }
    }
    let rows = arms.into_iter().filter_map(|(arm, ids)| {
        let overlap = mask_overlap(folder, &ids)?;
        Some(vec![arm.to_owned(), overlap.pairs.to_string(), format!("{:.3}", overlap.mean)])
    });
    let rows: Vec<Vec<String>> = rows.collect();
    if rows.is_empty() {
        return "overlap of masks: no arm has two finished runs that prune\n".to_owned();
    }
    table(&["overlap of masks between seeds of", "pairs", "mean Jaccard index"], &rows, 1)
}

//! What `weightlab show --tickets` adds: when each training should have stopped, and how much the masks of an arm's seeds
//! have in common.

use std::collections::BTreeMap;
use std::path::Path;

use crate::document::by_arm;
use crate::table::table;
use doc::Run;
use form::number::grouped;
use results::RunRecord;
use results::early_stops::trainings;
use results::number::{fixed, percent};
use run::mask_overlap;

/// Both tables as text, or what is missing for them.
pub fn text(runs: &[Run], records: &BTreeMap<String, RunRecord>, folder: &Path) -> String {
    let arms = by_arm(runs);
    format!("\n{}\n{}", early_stops(&arms, records), overlaps(&arms, folder))
}

fn early_stops(arms: &[(&str, Vec<&Run>)], records: &BTreeMap<String, RunRecord>) -> String {
    let mut rows = Vec::new();
    for (arm, runs) in arms {
        let seeds = runs.iter().filter_map(|run| Some((run.seed, records.get(&run.id)?)));
        for training in trainings(seeds) {
            for (seed, stop) in &training.stops {
                rows.push(vec![
                    (*arm).to_owned(),
                    training.place.clone(),
                    seed.to_string(),
                    percent(stop.remaining),
                    grouped(stop.iteration),
                    fixed(stop.validation_loss, 4),
                    stop.test_accuracy.map_or_else(|| "–".to_owned(), percent),
                ]);
            }
        }
    }
    if rows.is_empty() {
        return "early stop: no run has a validation part; set validation in data\n".to_owned();
    }
    let head =
        ["Early stop of", "Training", "Seed", "Remaining", "Iteration", "Validation loss", "Test accuracy"];
    table(&head, &rows, 2)
}

fn overlaps(arms: &[(&str, Vec<&Run>)], folder: &Path) -> String {
    let rows = arms.iter().filter_map(|(arm, runs)| {
        let ids: Vec<&str> = runs.iter().map(|run| run.id.as_str()).collect();
        let overlap = mask_overlap(folder, &ids)?;
        let ci = overlap.half_width().map_or_else(|| "–".to_owned(), |half| fixed(half, 3));
        let [mean, chance] = [overlap.mean(), overlap.chance].map(|index| fixed(index, 3));
        Some(vec![(*arm).to_owned(), overlap.indices.len().to_string(), mean, ci, chance])
    });
    let rows: Vec<Vec<String>> = rows.collect();
    if rows.is_empty() {
        return "overlap of masks: no arm has two finished runs that prune\n".to_owned();
    }
    table(
        &["Overlap of masks between seeds of", "Pairs", "Mean Jaccard index", "± 95 % CI", "By chance"],
        &rows,
        1,
    )
}

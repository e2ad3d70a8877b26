//! What the stages of the runs did: campaigns of faults, early stops, overlaps of masks, checks and warnings.

use std::collections::BTreeMap;

use super::html::Page;
use super::material::Material;
use super::results::{MOST_LINES, cut};
use form::number::grouped;
use results::campaign::{CampaignRecord, CellState, Estimate};
use results::early_stops::trainings;
use results::inventory::is_of_data;
use results::number::{fixed, percent, plus_minus};
use results::statistics::{Spread, level};
use results::{Report, ReportLevel, RunRecord};
use run::mask_overlap;

/// The most rows of each of these tables.
const MOST: usize = 400;
/// Seeds of an arm whose masks are compared: their pairs grow with the square.
const MOST_MASKS: usize = 30;

/// The records of an arm's runs with their seeds, arm by arm.
fn by_arm<'a>(material: &'a Material<'_>) -> Vec<(&'a str, Vec<(u64, &'a RunRecord, &'a str)>)> {
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    let mut arms: Vec<(&str, Vec<_>)> = Vec::new();
    for run in material.input.runs {
        let Some(record) = material.record(run) else { continue };
        let place = *places.entry(&run.arm).or_insert_with(|| {
            arms.push((&run.arm, Vec::new()));
            arms.len() - 1
        });
        arms[place].1.push((run.seed, record, run.id.as_str()));
    }
    arms
}

/// The cells of fault campaigns, run by run.
pub fn campaigns(page: &mut Page, material: &Material<'_>) {
    let mut rows = Vec::new();
    let mut confidence = None;
    for (arm, runs) in by_arm(material) {
        for (seed, record, _) in runs {
            for campaign in record.campaigns() {
                confidence = confidence.or(Some(campaign.began.confidence));
                for state in &campaign.cells {
                    rows.push(cell(arm, seed, campaign, state));
                }
            }
        }
    }
    let all = rows.len();
    rows.truncate(MOST);
    let caption = format!(
        "Shares of images with their {} intervals: SDC-1, another class than without faults; DUE, an output that is no number; masked, the same output",
        percent(confidence.unwrap_or(0.95))
    );
    let head = [
        "Arm",
        "Seed",
        "Campaign",
        "Cell",
        "Trials",
        "Accuracy without faults",
        "Accuracy",
        "SDC-1",
        "DUE",
        "Masked",
    ];
    page.table(&caption, &head, &rows);
    cut(page, rows.len(), all, "cells");
}

fn cell(arm: &str, seed: u64, campaign: &CampaignRecord, state: &CellState) -> Vec<String> {
    let share = |estimate: &Estimate| {
        let [value, low, high] =
            [estimate.value, estimate.low, estimate.high].map(|share| fixed(share * 100.0, 2));
        format!("{value} % ({low}–{high})")
    };
    let plan = campaign.began.cells.get(state.cell);
    let name = plan.map(doc::fault_sites::CellPlan::name).unwrap_or_default();
    let unprotected = if state.unprotected { ", unprotected" } else { "" };
    let open = if state.done { "" } else { " so far" };
    vec![
        arm.to_owned(),
        seed.to_string(),
        campaign.began.place(),
        format!("{name}{unprotected}"),
        format!("{}{open}", grouped(state.trials)),
        percent(campaign.began.golden_accuracy),
        share(&state.accuracy),
        share(&state.sdc1),
        share(&state.due),
        share(&state.masked),
    ]
}

/// Early stops by the validation loss, and how much the masks of an arm's seeds have in common.
pub fn tickets(page: &mut Page, material: &Material<'_>) {
    let (mut stops, mut overlaps) = (Vec::new(), Vec::new());
    let with_half = |values: &[f64], decimals: usize| {
        let level = level(0.0, values, Spread::Interval95);
        let half = level.band.map(|band| (band.high - band.low) / 2.0);
        let half = half.map(|half| format!(" {}", plus_minus(half, &fixed(half, decimals))));
        format!("{}{}", fixed(level.mean, decimals), half.unwrap_or_default())
    };
    for (arm, runs) in by_arm(material) {
        for training in trainings(runs.iter().map(|(seed, record, _)| (*seed, *record))) {
            let accuracies: Vec<f64> = training.accuracies().iter().map(|share| share * 100.0).collect();
            let accuracy = if accuracies.is_empty() { "–".to_owned() } else { with_half(&accuracies, 2) };
            stops.push(vec![
                arm.to_owned(),
                training.place.clone(),
                percent(training.remaining),
                training.stops.len().to_string(),
                with_half(&training.iterations(), 0),
                accuracy,
            ]);
        }
        let ids: Vec<&str> = runs.iter().take(MOST_MASKS).map(|(_, _, id)| *id).collect();
        if overlaps.len() < MOST
            && let Some(overlap) = mask_overlap(material.input.folder, &ids)
        {
            let half = overlap.half_width().map(|half| format!(" ± {}", fixed(half, 3)));
            overlaps.push(vec![
                arm.to_owned(),
                overlap.indices.len().to_string(),
                format!("{}{}", fixed(overlap.mean(), 3), half.unwrap_or_default()),
                fixed(overlap.chance, 3),
            ]);
        }
    }
    let all = stops.len();
    stops.truncate(MOST_LINES);
    let caption =
        "Early stops by the least validation loss: mean ± half of the 95 % confidence interval over seeds";
    let head = ["Arm", "Training", "Remaining", "Seeds", "Iteration", "Test accuracy there (%)"];
    page.table(caption, &head, &stops);
    cut(page, stops.len(), all, "trainings");
    let limit = if by_arm(material).iter().any(|(_, runs)| runs.len() > MOST_MASKS) {
        format!("; of an arm with more than {MOST_MASKS} seeds, of the first {MOST_MASKS}")
    } else {
        String::new()
    };
    let caption = format!(
        "Overlap of the final masks between the seeds of an arm: mean Jaccard index ± half of its 95 % confidence interval{limit}"
    );
    page.table(&caption, &["Arm", "Pairs of seeds", "Overlap", "By chance"], &overlaps);
}

/// Reports that are alike but for their numbers, with how many runs gave one.
struct Alike<'a> {
    arm: &'a str,
    place: String,
    first: &'a Report,
    seeds: Vec<u64>,
    failed: usize,
}

/// Warnings, checks and results in words; of several seeds the first.
pub fn reports(page: &mut Page, material: &Material<'_>) {
    let mut found: Vec<Alike<'_>> = Vec::new();
    for (arm, runs) in by_arm(material) {
        let mut places: BTreeMap<(String, &str, ReportLevel), usize> = BTreeMap::new();
        for (seed, record, _) in runs {
            // What was found in data has tables of its own; what was missing in them is a warning here, too.
            let has_own = |report: &Report| is_of_data(report) && report.level != ReportLevel::Warning;
            for report in record.reports().iter().filter(|report| !has_own(report)) {
                let (place, level) = (report.place(), report.level);
                let nth = *places.entry((place.clone(), &report.kind, level)).or_insert_with(|| {
                    found.push(Alike { arm, place, first: report, seeds: Vec::new(), failed: 0 });
                    found.len() - 1
                });
                if found[nth].seeds.last() != Some(&seed) {
                    found[nth].seeds.push(seed);
                }
                found[nth].failed += usize::from(report.passed == Some(false));
            }
        }
    }
    let (warnings, others): (Vec<&Alike<'_>>, Vec<&Alike<'_>>) =
        found.iter().partition(|alike| alike.first.level == ReportLevel::Warning || alike.failed > 0);
    let head = ["Arm", "Stage", "Seeds", "Verdict", "Report (of the first of these seeds)"];
    let rows: Vec<Vec<String>> = warnings.iter().take(MOST).map(|alike| line(alike)).collect();
    page.table("Warnings, and checks that failed", &head, &rows);
    cut(page, rows.len(), warnings.len(), "warnings");
    let rows: Vec<Vec<String>> = others.iter().take(MOST).map(|alike| line(alike)).collect();
    if !rows.is_empty() {
        page.details("Checks that passed, and what each stage did", |page| {
            page.table("Reports of stages", &head, &rows);
            cut(page, rows.len(), others.len(), "reports");
        });
    }
}

fn line(alike: &Alike<'_>) -> Vec<String> {
    let verdict = match (alike.first.passed, alike.failed) {
        (None, _) => String::new(),
        (Some(_), 0) => "passed".to_owned(),
        (Some(_), failed) => format!("failed in {failed}"),
    };
    let summary = alike.first.summary.clone();
    vec![alike.arm.to_owned(), alike.place.clone(), alike.seeds.len().to_string(), verdict, summary]
}

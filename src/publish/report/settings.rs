//! The settings: what differs between arms, what the experiment chose, and all of them.

use std::collections::BTreeSet;

use super::html::Page;
use super::material::Material;
use super::results::{MOST_LINES, cut};
use doc::RunSpec;
use results::table::Row;
use results::table::settings::{NONE, Settings, settings as of_spec};

/// More differing settings than this are left to the table of all.
const MOST_COLUMNS: usize = 12;

/// The settings of the runs.
pub fn settings(page: &mut Page, material: &Material<'_>) {
    let mut seen = BTreeSet::new();
    let arms: Vec<&Row> = material.rows.iter().filter(|row| seen.insert(row.arm.as_str())).collect();
    let Some(first) = arms.first() else { return };
    let usual = of_spec(&RunSpec::default());
    let is_shared = |path: &str| arms.iter().all(|row| row.all.get(path) == first.all.get(path));
    // Stages say what they change of the training.
    let is_said = |path: &String, value: &String| !(is_plan(path) && value == NONE);
    let shared = first.all.iter().filter(|(path, value)| is_shared(path) && is_said(path, value));
    let is_chosen = |(path, value): &(&String, &String)| usual.get(*path) != Some(*value);
    let (chosen, kept): (Vec<_>, Vec<_>) = shared.partition(is_chosen);
    differences(page, material, &arms);
    let head = ["Setting", "Value", "Unit", "In the file"];
    let line = |(path, value): &(&String, &String)| row(material, path, value);
    let rows: Vec<Vec<String>> = chosen.iter().map(line).collect();
    page.table("Settings that all arms share and that do not have their defaults", &head, &rows);
    let rows: Vec<Vec<String>> = kept.iter().map(line).collect();
    if !rows.is_empty() {
        page.details("Settings that have their defaults", |page| {
            page.table("Defaults that all arms share", &head, &rows);
        });
    }
}

fn row(material: &Material<'_>, path: &str, value: &str) -> Vec<String> {
    let labels = &material.labels;
    vec![
        labels.title(path),
        labels.value(path, value).to_owned(),
        labels.unit(path).to_owned(),
        path.to_owned(),
    ]
}

fn is_plan(path: &str) -> bool {
    path == "plan" || path.starts_with("plan.")
}

/// A row for each arm with what it has where arms differ.
fn differences(page: &mut Page, material: &Material<'_>, arms: &[&Row]) {
    let mut paths: Vec<&String> = material.differing.iter().filter(|path| !is_plan(path)).collect();
    let all = paths.len();
    paths.truncate(MOST_COLUMNS);
    let titles: Vec<String> = paths.iter().map(|path| material.labels.title(path)).collect();
    let head: Vec<&str> = ["Arm", "Plan"].into_iter().chain(titles.iter().map(String::as_str)).collect();
    let value = |all: &Settings, path: &String| all.get(path).cloned().unwrap_or_else(|| NONE.to_owned());
    let line = |row: &&Row| {
        let own = paths.iter().map(|path| {
            let value = value(&row.all, path);
            material.labels.value(path, &value).to_owned()
        });
        [row.arm.clone(), row.plan.to_string()].into_iter().chain(own).collect()
    };
    let rows: Vec<Vec<String>> = arms.iter().take(MOST_LINES).map(line).collect();
    page.table("In what the arms differ", &head, &rows);
    cut(page, rows.len(), arms.len(), "arms");
    cut(page, paths.len(), all, "settings in which arms differ");
}

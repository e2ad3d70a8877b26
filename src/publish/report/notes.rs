//! What people noted about the experiment, its arms and its runs.

use super::html::{Page, escaped};
use super::material::Material;
use super::results::cut;
use results::table::Mark;
use results::view::arm_key;

/// The most notes on single runs.
const MOST: usize = 500;

/// Notes, tags and stars.
pub fn notes(page: &mut Page, material: &Material<'_>) {
    let view = material.input.view;
    if !view.notes.trim().is_empty() {
        page.raw(&format!("<p class=\"note\" dir=\"auto\">{}</p>", escaped(view.notes.trim())));
    }
    let arms = material.arms().into_iter();
    let of_arms = arms.filter_map(|arm| Some((arm.to_owned(), view.marks.get(&arm_key(arm))?)));
    let of_runs = material.rows.iter().filter_map(|row| {
        let mark = view.marks.get(&row.run)?;
        Some((format!("{}, seed {}", row.arm, row.seed), mark))
    });
    let marks: Vec<(String, &Mark)> =
        of_arms.chain(of_runs).filter(|(_, mark)| **mark != Mark::default()).collect();
    let line = |(name, mark): &(String, &Mark)| {
        let star = if mark.starred { "starred" } else { "" };
        vec![name.clone(), star.to_owned(), mark.tags.join(", "), mark.note.clone()]
    };
    let rows: Vec<Vec<String>> = marks.iter().take(MOST).map(line).collect();
    page.table("Stars, tags and notes", &["Arm or run", "Star", "Tags", "Note"], &rows);
    cut(page, rows.len(), marks.len(), "notes");
}

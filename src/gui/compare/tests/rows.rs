//! Rows that are kept between edits, and rows that can be archived.

use super::*;

#[test]
fn after_every_edit_rows_are_as_if_they_were_made_anew() {
    let mut shown = shown();
    let edits = [("", ""), ("dense", "thick"), ("2, 3", "2, 3, 4"), ("1, 2", "2"), ("16", "32"), ("", "")];
    for (step, (from, to)) in edits.into_iter().enumerate() {
        for forgets in [false, true] {
            if forgets {
                let run = shown.treatments[1].runs[step % 2].id.clone();
                shown.runs.forget(&run);
            } else {
                changed(&mut shown, from, to);
            }
            let mut anew = Compare::default();
            for compare in [&mut shown.compare, &mut anew] {
                compare.update(&shown.treatments, &shown.runs, step as f64 + if forgets { 0.5 } else { 0.0 });
            }
            let [kept, made] = [&shown.compare, &anew];
            assert_eq!(kept.rows, made.rows, "{step}");
            assert_eq!((&kept.results, &kept.open), (&made.results, &made.open), "{step}");
        }
    }
}

#[test]
fn runs_without_results_cannot_be_archived() {
    let Desk { mut compare, treatments, mut runs, .. } = shown();
    let id = treatments[0].runs[0].id.clone();
    compare.update(&treatments, &runs, 0.0);
    assert_eq!(compare.why_not_archive(std::iter::once(&id)), None);
    compare.open.insert(id.clone());
    assert!(compare.why_not_archive(std::iter::once(&id)).unwrap().contains("stop them"));
    runs.forget(&id);
    compare.update(&treatments, &runs, 1.0);
    assert!(compare.why_not_archive(std::iter::once(&id)).unwrap().contains("no results"));
}

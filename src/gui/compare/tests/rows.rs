//! Rows that are kept between edits, and rows that can be archived.

use super::*;
use eframe::egui::Theme;

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
        }
    }
}

#[test]
fn a_filter_changes_what_is_left_and_no_row() {
    let mut shown = shown();
    shown.compare.update(&shown.treatments, &shown.runs, 0.0);
    let rows = shown.compare.rows.clone();
    for (step, filter) in ["dense", "seed = 2", "seed = ", "-dense", "", "nothing"].into_iter().enumerate() {
        let mut anew = Compare::default();
        for compare in [&mut shown.compare, &mut anew] {
            filter.clone_into(&mut compare.view.filter);
            compare.update(&shown.treatments, &shown.runs, 1.0 + step as f64);
        }
        let [kept, made] = [&shown.compare, &anew];
        assert!(Arc::ptr_eq(&kept.rows, &rows), "{filter}");
        assert_eq!(kept.rows, made.rows, "{filter}");
        assert_eq!((&kept.left_out, kept.left), (&made.left_out, made.left), "{filter}");
        assert_eq!(kept.filter_error, made.filter_error, "{filter}");
    }
    assert_eq!(shown.compare.left, 0);
}

#[test]
fn runs_without_results_cannot_be_archived() {
    let Desk { treatments, mut runs, .. } = shown();
    let id = &treatments[0].runs[0].id;
    assert_eq!(runs.why_not_archive([id]), None);
    runs.forget(id);
    assert!(runs.why_not_archive([id]).unwrap().contains("no results"));
}

/// Returns the rectangles that are painted with a fill, from top to bottom.
fn filled(harness: &Harness<'_, Desk>, fill: eframe::egui::Color32) -> Vec<eframe::egui::Rect> {
    let mut found: Vec<_> = harness
        .output()
        .shapes
        .iter()
        .filter_map(|shape| match &shape.shape {
            eframe::egui::Shape::Rect(rect) if rect.fill == fill => Some(rect.rect),
            _ => None,
        })
        .collect();
    found.sort_by(|a, b| a.top().total_cmp(&b.top()));
    found
}

#[test]
fn what_is_selected_is_filled_and_its_group_has_a_bar() {
    let mut harness = harness();
    unfold(&mut harness);
    let is_dark = harness.ctx.global_style().visuals.dark_mode;
    let colours = crate::theme::colours(if is_dark { Theme::Dark } else { Theme::Light });
    let fills = |harness: &Harness<'_, Desk>| filled(harness, colours.selection);
    let bars = |harness: &Harness<'_, Desk>| {
        let mut bars = filled(harness, colours.link);
        bars.retain(|rect| rect.width() == 3.0);
        bars
    };
    assert!(fills(&harness).is_empty() && bars(&harness).is_empty());
    let (id, arm) = {
        let row = &harness.state().compare.rows[1];
        (row.run.clone(), row.arm_index)
    };
    harness.state_mut().compare.selected_arm = Some(arm);
    harness.run();
    let of_group = fills(&harness);
    assert_eq!((of_group.len(), bars(&harness).len()), (1, 0), "the arm itself");
    harness.state_mut().compare.selected = Some(id);
    harness.run();
    let (of_run, bar) = (fills(&harness), bars(&harness));
    assert_eq!((of_run.len(), bar.len()), (1, 1));
    assert_eq!(bar[0].top(), of_group[0].top(), "the group of the run");
    assert!(of_run[0].top() > of_group[0].top());
}

#[test]
fn the_table_is_made_where_rows_filter_or_choices_change_and_not_in_every_frame() {
    let mut harness = harness();
    let table = |harness: &mut Harness<'_, Desk>| harness.state_mut().compare.table();
    let first = table(&mut harness);
    harness.run_steps(5);
    assert!(Arc::ptr_eq(&first, &table(&mut harness)));
    filter(&mut harness, "seed < 3");
    let filtered = table(&mut harness);
    assert!(!Arc::ptr_eq(&first, &filtered));
    harness.state_mut().compare.view.table.baseline = results::table::view::Baseline::None;
    harness.run();
    assert!(!Arc::ptr_eq(&filtered, &table(&mut harness)));
}

//! Columns, named filters and what is kept of the table.

use super::*;
use results::table::columns::At;

fn columns(harness: &mut Harness<'_, Desk>) -> Vec<Column> {
    harness.state_mut().compare.table().columns.clone()
}

#[test]
fn columns_are_chosen_found_and_moved_by_their_handles() {
    let mut harness = harness();
    harness.get_by_label("Columns").click();
    harness.run();
    let before = columns(&mut harness);
    assert_eq!(before[..3], [Column::Seed, Column::Last, Column::Delta]);
    harness.get_by_label("Best at epoch").click();
    harness.run();
    assert_eq!(columns(&mut harness).last(), Some(&Column::BestEpoch));
    harness.get_by_label("Test accuracy").click();
    harness.run();
    assert!(!columns(&mut harness).contains(&Column::Last));
    let [from, to] =
        ["Move Best accuracy", "Move Seeds"].map(|name| harness.get_by_label(name).rect().center());
    harness.drag_at(from);
    harness.run();
    harness.hover_at(to);
    harness.run();
    harness.drop_at(to);
    harness.run();
    assert_eq!(columns(&mut harness)[0], Column::Best);
    harness.get_by_label("Find a column").focus();
    harness.run();
    harness.get_by_label("Find a column").type_text("learning");
    harness.run();
    harness.get_by_label("Learning rate").click();
    harness.run();
    assert!(
        columns(&mut harness).contains(&Column::Setting("train.optimizer.rate".to_owned())),
        "a setting that all share"
    );
    harness.get_by_label("Only what differs").click();
    harness.run();
    assert!(!columns(&mut harness).contains(&Column::Setting("train.optimizer.rate".to_owned())));
    harness.get_by_label("Default").click();
    harness.run();
    assert_eq!((columns(&mut harness), &harness.state().compare.view.table.columns), (before, &None));
}

#[test]
fn a_column_over_a_series_has_its_value_at_a_level_of_weights() {
    let mut harness = harness();
    let at = At::Remaining(0.125);
    let column = Column::Series { series: "test_accuracy".to_owned(), at };
    harness.state_mut().compare.add_column(column.clone());
    harness.run();
    harness.run_steps(30);
    assert!(harness.query_by_label("Test accuracy, at 12.5 % weights remaining (%)").is_some());
    let rows = &harness.state().compare.rows;
    assert_eq!(
        (column.value(&rows[0]), column.value(&rows[3])),
        (None, Some(0.51)),
        "dense was never pruned"
    );
    let lines = harness.state().compare.arm_runs(&harness.state().treatments, &harness.state().runs);
    assert_eq!(lines[0].rows[0].measured.len(), 1, "parallel coordinates have the column too");
}

#[test]
fn a_filter_gets_a_name_and_is_chosen_by_it() {
    let mut harness = harness();
    filter(&mut harness, "seed < 3");
    harness.get_by_label("Named filters").click();
    harness.run();
    harness.get_by_label("Name of this filter").focus();
    harness.run();
    harness.get_by_label("Name of this filter").type_text("two seeds");
    harness.run();
    harness.get_by_label("Save").click();
    harness.run();
    filter(&mut harness, "");
    assert!(harness.query_by_label("6 runs").is_some());
    if harness.query_by_label("two seeds").is_none() {
        harness.get_by_label("Named filters").click();
        harness.run();
    }
    harness.get_by_label("two seeds").click();
    harness.run();
    assert_eq!(harness.state().compare.view.filter, "seed < 3");
    assert!(harness.query_by_label("4 of 6 runs").is_some());
    harness.get_by_label("Clear the filter").click();
    harness.run();
    assert_eq!(harness.state().compare.view.filter, "");
}

#[test]
fn a_column_is_sized_by_its_heading_and_all_choices_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = harness();
    let heading = harness.get_by_label("Weights remaining (%)").rect();
    let end = heading.right_center();
    harness.drag_at(end);
    harness.run();
    harness.hover_at(end + vec2(40.0, 0.0));
    harness.run();
    harness.drop_at(end + vec2(40.0, 0.0));
    harness.run();
    let wider = harness.get_by_label("Weights remaining (%)").rect();
    assert!((wider.width() - heading.width() - 40.0).abs() < 8.0, "{heading} became {wider}");
    let compare = &mut harness.state_mut().compare;
    compare.group_by(vec![Column::Arm, Column::State]);
    compare.view.table.baseline = Baseline::Group("dense, done".to_owned());
    compare.view.table.filters.insert("a".to_owned(), "seed < 3".to_owned());
    compare.add_column(Column::Series { series: "test_loss".to_owned(), at: At::Iteration(100) });
    compare.view.write(folder.path()).unwrap();
    assert_eq!(ViewSettings::read(folder.path()), Ok(compare.view.clone()));
    let old = "(filter: \"\", sort: (column: Some(Best), descending: true), group: Some(\"train.batch\"))";
    std::fs::remove_file(folder.path().join("view.json")).unwrap();
    std::fs::write(folder.path().join("view.ron"), old).unwrap();
    let view = ViewSettings::read(folder.path()).unwrap();
    assert_eq!(view.table.keys(view.group.as_ref()), [Column::Setting("train.batch".to_owned())]);
    assert_eq!(view.sort.column, Some(Column::Best), "files of earlier versions open");
}

#[test]
fn narrow_cells_end_with_an_ellipsis_and_the_comparison_goes_below_a_narrow_table() {
    let mut harness = harness();
    harness.set_size(vec2(640.0, 560.0));
    harness.state_mut().compare.view.table.open = ["dense".to_owned()].into();
    harness.run();
    harness.get_by_label("Tick dense, seed 1").click();
    harness.get_by_label("Tick dense, seed 2").click();
    harness.run();
    harness.get_by_label("Compare").click();
    harness.run();
    let panel = harness.get_by_label("Side by side, only what differs").rect();
    assert!(panel.top() > 250.0 && panel.left() < 40.0, "{panel}");
}

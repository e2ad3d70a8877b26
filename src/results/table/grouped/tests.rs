//! Groups of rows with numbers that fit in the head.

use super::*;
use crate::table::columns::{Numbers, text};

fn row(arm: &str, seed: u64, last: f64) -> Row {
    Row {
        run: format!("{arm}{seed}"),
        arm: arm.to_owned(),
        seed,
        state: "done".to_owned(),
        series: "test_accuracy",
        last: Some(last),
        plan: format!("plan of {arm}").into(),
        ..Row::default()
    }
}

fn rows() -> Vec<Row> {
    let of = |arm: &str, values: [f64; 3]| {
        (1..).zip(values).map(|(seed, last)| row(arm, seed, last)).collect::<Vec<_>>()
    };
    [of("dense", [0.5, 0.5, 0.5]), of("ticket", [0.51, 0.52, 0.53]), of("same", [0.5, 0.5, 0.5])].concat()
}

const COLUMNS: [Column; 4] = [Column::Seed, Column::Last, Column::Delta, Column::Plan];

fn grouped(rows: &[Row], is_visible: impl Fn(&Row) -> bool, sort: &Sort) -> Grouped {
    Grouped::new(rows, is_visible, COLUMNS.to_vec(), vec![Column::Arm], &Baseline::First, sort)
}

fn words(table: &Grouped, place: usize) -> Vec<String> {
    table.groups[place]
        .cells
        .iter()
        .map(|cell| format!("{} {}", cell.text, cell.spread).trim().to_owned())
        .collect()
}

#[test]
fn a_group_has_mean_interval_n_and_its_difference_to_the_baseline() {
    let rows = rows();
    let table = grouped(&rows, |_| true, &Sort::default());
    assert_eq!(words(&table, 0), ["3", "50.00 ± 0.00", "baseline", "plan of dense"]);
    // Deviation 0.01 over three: t(2)·0.01/√3 = 0.0248.
    assert_eq!(words(&table, 1), ["3", "52.00 ± 2.48", "+2.00 ± 2.48", "plan of ticket"]);
    assert_eq!(words(&table, 2)[2], "identical in all 3 seeds");
    assert_eq!(table.deltas[4].text(), "+2.00 paired");
    assert!(table.span[0] < 0.0 && (table.span[1] - 0.0448).abs() < 1e-4, "{:?}", table.span);
}

#[test]
fn seeds_that_the_filter_leaves_out_of_a_mean_are_counted() {
    let rows = rows();
    let table = grouped(&rows, |row| row.last < Some(0.53), &Sort::default());
    assert_eq!(words(&table, 1)[..2], ["2 of 3", "51.50 ± 6.35"]);
}

#[test]
fn a_mean_is_over_finished_runs_once_there_is_one() {
    let mut rows = rows();
    rows[3].state = "failed".to_owned();
    rows[5].state = "running".to_owned();
    let table = grouped(&rows, |_| true, &Sort::default());
    assert_eq!(words(&table, 1)[0], "2 of 3");
    assert_eq!(table.groups[1].cells[1].text, "51.50", "the mean of 51 and 52");
    for row in &mut rows[3..6] {
        row.state = "stopped".to_owned();
    }
    let table = grouped(&rows, |_| true, &Sort::default());
    assert_eq!(words(&table, 1)[0], "0 of 3");
    assert_eq!(table.groups[1].cells[1].spread, "", "no run is finished");
    assert_eq!(table.groups[1].cells[1].text, "52.00", "a mean of what there is");
}

#[test]
fn what_the_filter_hides_is_said_and_runs_without_common_seeds_are_compared_by_their_means() {
    let mut rows = rows();
    let table = grouped(&rows, |row| row.arm != "dense" || row.seed == 1, &Sort::default());
    assert_eq!((table.deltas[3].text().as_str(), table.deltas[4]), ("+1.00 paired", Delta::Hidden));
    let table = grouped(&rows, |row| row.arm != "dense", &Sort::default());
    assert_eq!((table.groups.len(), table.groups[0].delta), (2, Delta::Hidden));
    assert_eq!(table.rows().count(), 6);
    for row in rows.iter_mut().filter(|row| row.arm == "ticket") {
        row.seed += 10;
    }
    let table = grouped(&rows, |_| true, &Sort::default());
    assert_eq!(table.groups[1].delta.text(), "+2.00 ± 2.48 unpaired");
    assert_eq!(table.deltas[4], Delta::Unknown, "a single run has no partner");
}

#[test]
fn groups_are_sorted_by_their_means_and_folded_until_they_are_opened() {
    let rows = rows();
    let by = Sort { column: Some(Column::Last), descending: true };
    let table = grouped(&rows, |_| true, &by);
    let names: Vec<&str> = table.groups.iter().map(|group| group.name.as_str()).collect();
    assert_eq!(names, ["ticket", "dense", "same"], "equal ones stay in their order");
    assert_eq!(table.groups[0].rows, [5, 4, 3], "so do the runs below them");
    assert_eq!(table.lines(&BTreeSet::new()), [0, 1, 2].map(Line::Group));
    let open = BTreeSet::from(["dense".to_owned()]);
    let lines = table.lines(&open);
    assert_eq!(lines[1..4], [Line::Group(1), Line::Row(0), Line::Row(1)]);
    let delta = Sort { column: Some(Column::Delta), descending: true };
    assert_eq!(grouped(&rows, |_| true, &delta).groups[0].name, "ticket");
}

#[test]
fn two_keys_make_groups_of_both_and_none_makes_single_rows() {
    let mut rows = rows();
    rows[0].state = "running".to_owned();
    let table = Grouped::new(
        &rows,
        |_| true,
        COLUMNS.to_vec(),
        vec![Column::Arm, Column::State],
        &Baseline::None,
        &Sort::default(),
    );
    let names: Vec<&str> = table.groups.iter().map(|group| group.name.as_str()).collect();
    assert_eq!(names, ["dense, running", "dense, done", "ticket, done", "same, done"]);
    assert_eq!(table.groups[0].delta, Delta::Unknown, "there is no baseline");
    let by = Sort { column: Some(Column::Last), descending: true };
    let flat = Grouped::new(&rows, |_| true, COLUMNS.to_vec(), Vec::new(), &Baseline::First, &by);
    let first = flat.lines(&BTreeSet::new())[0];
    assert_eq!(first, Line::Row(5), "the best run first");
    assert_eq!(flat.deltas[5].text(), "+3.00 paired", "to the run of the first arm with the same seed");
}

#[test]
fn what_is_copied_is_what_is_seen_and_exact_numbers_have_all_digits() {
    let rows = rows();
    let table = grouped(&rows, |row| row.arm != "same", &Sort::default());
    let lines = table.lines(&BTreeSet::from(["ticket".to_owned()]));
    let copied = text(&table, &lines, &rows, &Labels::default(), Numbers::Shown);
    let copied: Vec<&str> = copied.lines().collect();
    assert_eq!(copied[0], "Arm\tSeeds\tTest accuracy (%)\tΔ to dense (points), 95 % CI\tPlan");
    assert_eq!(copied[2], "ticket\t3\t52.00 ± 2.48\t+2.00 ± 2.48\tplan of ticket");
    assert_eq!(copied[3], "seed 1\t1\t51.00\t+1.00 paired\tplan of ticket");
    assert_eq!(copied.len(), 6);
    let exact = text(&table, &lines, &rows, &Labels::default(), Numbers::Exact);
    let exact: Vec<&str> = exact.lines().collect();
    assert!(exact[0].starts_with(
        "Arm,Seeds,Test accuracy (share),\"Test accuracy (share), half 95 % CI\",Δ to baseline (share)"
    ));
    assert!(exact[2].starts_with("ticket,3,0.52,0.0248"), "{}", exact[2]);
    assert!(exact[3].starts_with("seed 1,1,0.51,,0.01"), "{}", exact[3]);
}

#[test]
fn runs_with_an_unknown_value_come_last_and_settings_are_sorted_as_numbers() {
    let settings = |rate: &str| std::sync::Arc::new([("train.rate".to_owned(), rate.to_owned())].into());
    let mut rows = vec![row("a", 1, 0.5), row("b", 1, 0.5), row("c", 1, 0.5)];
    rows[1].last = None;
    for (row, rate) in rows.iter_mut().zip(["10", "9", "0.5"]) {
        row.settings = settings(rate);
    }
    let order = |column: Column, descending: bool| {
        let by = Sort { column: Some(column), descending };
        let table = Grouped::new(&rows, |_| true, vec![Column::Last], Vec::new(), &Baseline::None, &by);
        table.rows().map(|row| rows[row].arm.clone()).collect::<String>()
    };
    assert_eq!(order(Column::Last, true), "acb");
    assert_eq!(order(Column::Setting("train.rate".to_owned()), false), "cba");
}

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
    assert_eq!(words(&table, 0), ["3", "50.00", "baseline", "plan of dense"], "no ± 0.00");
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
fn a_baseline_that_the_filter_hides_is_one_all_the_same_and_runs_without_common_seeds_have_means() {
    let mut rows = rows();
    let table = grouped(&rows, |row| row.arm != "dense" || row.seed == 1, &Sort::default());
    assert_eq!([3, 4].map(|row| table.deltas[row].text()), ["+1.00 paired", "+2.00 paired"]);
    assert!(table.is_baseline_hidden, "two seeds of it are");
    let table = grouped(&rows, |row| row.seed == 1, &Sort::default());
    assert!(!table.is_baseline_hidden, "nothing here is compared with the other seeds");
    let table = grouped(&rows, |row| row.arm != "dense", &Sort::default());
    assert_eq!((table.groups.len(), table.groups[0].delta.text().as_str()), (2, "+2.00 ± 2.48"));
    assert_eq!(table.rows().count(), 6);
    let heading = table.heading(&Column::Delta, &Labels::default());
    assert_eq!(heading, "Δ to dense, which the filter hides (points)");
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
    assert_eq!(table.lines(|_| false), [0, 1, 2].map(Line::Group));
    let lines = table.lines(|group| group.name == "dense");
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
    let expected = ["dense", "dense, running", "dense, done", "ticket", "ticket, done", "same", "same, done"];
    assert_eq!(names, expected);
    assert_eq!(table.groups[1].delta, Delta::Unknown, "there is no baseline");
    let by = Sort { column: Some(Column::Last), descending: true };
    let flat = Grouped::new(&rows, |_| true, COLUMNS.to_vec(), Vec::new(), &Baseline::First, &by);
    let first = flat.lines(|_| false)[0];
    assert_eq!(first, Line::Row(5), "the best run first");
    assert_eq!(flat.deltas[5].text(), "+3.00 paired", "to the run of the first arm with the same seed");
}

#[test]
fn what_is_copied_is_what_is_seen_and_exact_numbers_have_all_digits() {
    let rows = rows();
    let table = grouped(&rows, |row| row.arm != "same", &Sort::default());
    let lines = table.lines(|group| group.name == "ticket");
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

/// Returns three arms at two rates with three seeds: what the numbers of the tests below are computed from.
fn swept() -> Vec<Row> {
    let values = [
        ("dense", "0.1", [0.50, 0.52, 0.51]),
        ("dense", "0.2", [0.60, 0.58, 0.62]),
        ("prune", "0.1", [0.53, 0.54, 0.56]),
        ("prune", "0.2", [0.61, 0.63, 0.62]),
        ("ticket", "0.1", [0.49, 0.50, 0.53]),
        ("ticket", "0.2", [0.66, 0.60, 0.61]),
    ];
    let rows = values.into_iter().enumerate().flat_map(|(place, (arm, rate, values))| {
        let settings = std::sync::Arc::new(Settings::from([("train.rate".to_owned(), rate.to_owned())]));
        (1..).zip(values).map(move |(seed, last)| Row {
            arm_index: place / 2,
            colour: 10 + place / 2,
            settings: settings.clone(),
            all: settings.clone(),
            ..row(&format!("{arm}, rate {rate}"), seed, last)
        })
    });
    rows.collect()
}

fn rate() -> Column {
    Column::Setting("train.rate".to_owned())
}

fn by(rows: &[Row], keys: &[Column], baseline: &Baseline) -> Grouped {
    let columns = vec![Column::Runs, Column::Seed, Column::Last, Column::Delta];
    Grouped::new(rows, |_| true, columns, keys.to_vec(), baseline, &Sort::default())
}

fn deltas(table: &Grouped) -> Vec<String> {
    table.leaves().map(|group| group.delta.text()).collect()
}

// Numbers of numpy 2.4 and scipy 1.17, of each list of differences by seed:
// `x.mean() * 100, stats.t.ppf(0.975, len(x) - 1) * x.std(ddof=1) / sqrt(len(x)) * 100`.

#[test]
fn in_a_sweep_rows_are_compared_with_the_first_arm_at_the_same_settings() {
    let rows = swept();
    let table = by(&rows, &[Column::Arm], &Baseline::First);
    assert_eq!(
        (table.baseline.as_str(), table.arms.join(" ")),
        ("dense, same settings", "dense prune ticket".to_owned())
    );
    // 3.333333333333336, 3.7945830335967634; 2.0000000000000018, 6.572410607728433;
    // -0.3333333333333336, 5.171145012542268; 2.3333333333333357, 8.724004935135135.
    let of_arms = ["baseline", "baseline", "+3.33 ± 3.79", "+2.00 ± 6.57", "−0.33 ± 5.17", "+2.33 ± 8.72"];
    assert_eq!(deltas(&table), of_arms);
    let Delta::Paired(found) = table.groups[3].delta else { panic!("prune at 0.2") };
    assert!(
        (found.mean - 0.02).abs() < 1e-12 && (found.half.unwrap() - 0.065_724_106_077_284_33).abs() < 1e-9
    );
    assert_eq!(table.deltas[9].text(), "+1.00 paired", "the run of dense at its rate");
    let alone = by(&rows, &[Column::Arm], &Baseline::Group("dense, rate 0.1".to_owned()));
    assert_eq!(alone.baseline, "dense, rate 0.1");
    // 10.999999999999998, 0.0: each seed gains as much.
    assert_eq!(deltas(&alone)[3], "+11.00 paired", "one group still is what it is called");
    let chosen = by(&rows, &[Column::Arm], &Baseline::Group("ticket".to_owned()));
    assert_eq!(deltas(&chosen)[1], "−2.33 ± 8.72");
}

#[test]
fn a_pair_that_is_not_done_leaves_the_difference_at_the_same_settings() {
    let mut rows = swept();
    rows[5].state = "running".to_owned();
    let table = by(&rows, &[Column::Arm], &Baseline::First);
    assert_eq!(deltas(&table)[3], "+3.00 ± 25.41", "3.0000000000000027, 25.412409472349406 of two seeds");
    assert_eq!(table.deltas[11], Delta::Unknown, "the other rate of its seed is no partner");
}

#[test]
fn groups_are_nested_in_the_order_of_their_keys_and_say_what_their_headings_do_not() {
    let rows = swept();
    let table = by(&rows, &[rate(), Column::Arm], &Baseline::First);
    let lines = |table: &Grouped| -> Vec<String> {
        table.groups.iter().map(|group| format!("{}{}", "-".repeat(group.depth), group.label)).collect()
    };
    let expected = ["Rate 0.1", "-dense", "-prune", "-ticket", "Rate 0.2", "-dense", "-prune", "-ticket"];
    assert_eq!(lines(&table), expected);
    assert_eq!(table.groups[1].name, "Rate 0.1, dense");
    assert_eq!(words(&table, 0), ["9", "3", "", ""], "a heading counts runs and seeds");
    assert_eq!((words(&table, 2)[2].as_str(), table.groups[2].pooled.as_str()), ("54.33 ± 3.79", ""));
    let expected = ["baseline", "+3.33 ± 3.79", "−0.33 ± 5.17", "baseline", "+2.00 ± 6.57", "+2.33 ± 8.72"];
    assert_eq!(deltas(&table), expected, "as without headings");
    let shown = table.lines(|group| group.name == "Rate 0.2");
    assert_eq!(shown, [0, 4, 5, 6, 7].map(Line::Group), "a folded heading hides what is below it");
    assert_eq!(table.name(&rows[0]), "seed 1");
    let earlier = by(&rows, &[rate(), Column::Arm], &Baseline::Group("Rate 0.2, prune, rate 0.2".to_owned()));
    assert_eq!(earlier.baseline, "Rate 0.2, prune", "as files of earlier versions call it");
    let by_arm = by(&rows, &[Column::Arm, rate()], &Baseline::First);
    assert_eq!(lines(&by_arm)[..4], ["dense", "-Rate 0.1", "-Rate 0.2", "prune"]);
    assert_eq!(by_arm.groups[0].style, Some(10));
    let sorted = Sort { column: Some(Column::Last), descending: true };
    let sorted = Grouped::new(
        &rows,
        |_| true,
        vec![Column::Last],
        vec![rate(), Column::Arm],
        &Baseline::First,
        &sorted,
    );
    let expected = ["Rate 0.1", "-prune", "-dense", "-ticket", "Rate 0.2", "-ticket", "-prune", "-dense"];
    assert_eq!(lines(&sorted), expected, "within their headings");
    let three = by(&rows, &[Column::State, rate(), Column::Arm], &Baseline::First);
    assert_eq!(lines(&three)[..3], ["done", "-Rate 0.1", "--dense"]);
    let copied =
        text(&table, &table.lines(|group| group.is_heading), &rows, &Labels::default(), Numbers::Shown);
    assert!(copied.contains("\nRate 0.1\t9\t3\t\t\n  dense\t3\t3\t51.00 ± 2.48\tbaseline\n"), "{copied}");
    let exact =
        text(&table, &table.lines(|group| group.is_heading), &rows, &Labels::default(), Numbers::Exact);
    assert!(exact.lines().nth(1).unwrap().starts_with("\"Rate 0.1, dense\",3,3,0.51"), "{exact}");
}

#[test]
fn a_group_says_that_it_pools_arms_and_is_compared_arm_by_arm() {
    let mut rows = swept();
    let table = by(&rows, &[rate()], &Baseline::First);
    assert_eq!(table.groups[0].title(), "Rate 0.1 (over 3 arms)");
    assert_eq!((table.groups[0].style, table.arms.len()), (None, 0));
    // 52.0, 1.7187940009040452 of nine runs; 9.444444444444443, 4.780725255277183 of means over arms by seed.
    assert_eq!(words(&table, 0), ["9", "3", "52.00 ± 1.72", "baseline"]);
    assert_eq!(words(&table, 1)[3], "+9.44 ± 4.78");
    assert_eq!(table.name(&rows[0]), "dense, seed 1");
    rows[17].state = "running".to_owned();
    let table = by(&rows, &[rate()], &Baseline::First);
    // Without the arm whose partner goes on: 9.499999999999996, 4.665801710642978.
    assert_eq!(words(&table, 1), ["8 of 9", "3", "61.50 ± 2.00", "+9.50 ± 4.67"]);
    let seeds = by(&rows, &[Column::Seed], &Baseline::None);
    assert_eq!(seeds.groups[0].pooled, "over 3 arms, 6 settings");
}

#[test]
fn an_arm_without_a_sweep_is_the_partner_of_all_values_of_another() {
    let mut rows = swept();
    rows.drain(3..6);
    for row in &mut rows[..3] {
        row.arm = "dense".to_owned();
        row.all = std::sync::Arc::new(Settings::from([("train.rate".to_owned(), "0.3".to_owned())]));
    }
    let table = by(&rows, &[Column::Arm], &Baseline::First);
    assert_eq!((table.baseline.as_str(), deltas(&table)[2].as_str()), ("dense", "+11.00 paired"));
}

#[test]
fn runs_without_common_seeds_are_compared_with_those_of_their_settings() {
    let mut rows = swept();
    for row in &mut rows[6..] {
        row.seed += 10;
    }
    for row in &mut rows[15..] {
        row.all = std::sync::Arc::new(Settings::from([("train.rate".to_owned(), "0.3".to_owned())]));
    }
    let table = by(&rows, &[Column::Arm], &Baseline::First);
    let points = table.groups.iter().map(|group| group.delta.points()).collect::<Vec<_>>();
    assert_eq!(points, ["", "", "+3.33", "+2.00", "−0.33", ""]);
    assert_eq!(table.groups[5].delta, Delta::Unknown, "the baseline has no such rate");
}

#[test]
fn where_groups_mix_the_first_arm_with_others_the_first_group_is_the_baseline() {
    let mut rows = swept();
    for row in &mut rows[12..] {
        row.state = "stopped".to_owned();
    }
    let table = by(&rows, &[Column::State], &Baseline::First);
    assert_eq!((table.baseline.as_str(), table.arms), ("done", vec!["ticket".to_owned()]));
}

#[test]
fn runs_of_the_baseline_that_are_not_done_are_counted_at_the_same_settings() {
    let mut rows = swept();
    for place in [2, 5, 6] {
        rows[place].state = "running".to_owned();
    }
    let found = compared(&rows, rows[..6].iter().collect(), &rows[6..9].iter().collect::<Vec<_>>());
    assert_eq!((found.last.unwrap().n, found.left_out), (1, 2));
}

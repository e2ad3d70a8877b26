//! The table of runs that `weightlab show` prints: single runs, or groups of them.

use std::collections::BTreeSet;
use std::path::Path;

use clap::Args;

use crate::failure::Failure;
use crate::table::table;
use results::table::columns::{Column, Sort, usual};
use results::table::copy::{Numbers, cells};
use results::table::grouped::Grouped;
use results::table::view::{Baseline, Key};
use results::table::{Differing, Row};
use results::view::ViewSettings;

/// The help of `--columns`.
const COLUMNS: &str = "The columns: seed, state, last, best, best_epoch, remaining, epochs, secs, run, tags, note, delta, plan, \
    settings by their paths, and series such as test_loss:best, test_loss@1000 (an iteration) or test_accuracy@21% \
    (remaining weights)";

/// How the table is printed.
#[derive(Clone, Debug, Default, Args)]
pub struct ListingArgs {
    /// Print a line for each group with mean ± 95 % CI: arm, seed, tags, state, a setting, or two of them (arm,batch)
    #[arg(long, value_name = "KEYS", value_delimiter = ',')]
    group: Vec<String>,
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', help = COLUMNS)]
    columns: Vec<String>,
    /// The arm, or another group, that differences are to [default: the first one]
    #[arg(long, value_name = "GROUP")]
    baseline: Option<String>,
    /// Print the runs of each group below it
    #[arg(long, requires = "group")]
    runs: bool,
}

/// What groups the table, and the columns that were chosen for it.
#[derive(Debug)]
pub struct Chosen {
    keys: Vec<Key>,
    /// Without the arm; none where nothing was chosen.
    pub columns: Vec<Column>,
}

impl ListingArgs {
    /// What was chosen, by the settings of the runs.
    ///
    /// # Errors
    /// A key or a column that is not there, with those that are.
    pub fn chosen(&self, differing: &Differing) -> Result<Chosen, Failure> {
        let known = differing.known();
        let keys: Vec<Key> = self.group.iter().map(|name| key(name, known)).collect::<Result<_, _>>()?;
        if keys.len() > 2 {
            return Err(Failure::Input("--group: write one key or two, such as arm,batch".to_owned()));
        }
        let chosen = self.columns.iter().map(|name| Column::parse(name, known));
        let mut columns: Vec<Column> =
            chosen.collect::<Result<_, _>>().map_err(|why| Failure::Input(format!("--columns: {why}")))?;
        columns.retain(|column| *column != Column::Arm);
        Ok(Chosen { keys, columns })
    }
}

/// The table of these rows, which have the values of the chosen columns.
///
/// # Errors
/// A baseline that is not there, with those that are.
pub fn text(
    arguments: &ListingArgs,
    Chosen { keys, mut columns }: Chosen,
    rows: Vec<Row>,
    differing: &Differing,
    folder: &Path,
) -> Result<String, Failure> {
    // Tags and notes are beside the runs.
    let view = ViewSettings::read(folder).unwrap_or_default();
    let marked = |row: Row| Row { mark: view.mark(&row.run, &row.arm), ..row };
    let rows: Vec<Row> = rows.into_iter().map(marked).collect();
    if columns.is_empty() {
        columns = if keys.is_empty() { of_runs() } else { usual(&rows, differing.paths()) };
    }
    if arguments.baseline.is_some() && !columns.contains(&Column::Delta) {
        columns.push(Column::Delta);
    }
    let baseline = arguments.baseline.clone().map_or(Baseline::First, Baseline::Group);
    let found = Grouped::of(&rows, |_| true, columns, keys, &baseline, &Sort::default());
    if let Some(wanted) = arguments.baseline.as_ref().filter(|wanted| **wanted != found.baseline) {
        let known: Vec<&str> = found.groups.iter().map(|group| group.name.as_str()).collect();
        let known = known.join("\n  ");
        return Err(Failure::Input(format!(
            "--baseline: there is no group \"{wanted}\"; there are\n  {known}"
        )));
    }
    let every = found.groups.iter().map(|group| group.name.clone());
    let open: BTreeSet<String> = if arguments.runs { every.collect() } else { BTreeSet::new() };
    let labels = rows.first().map(|row| row.labels.clone()).unwrap_or_default();
    let cells = cells(&found, &found.lines(&open), &rows, &labels, Numbers::Shown);
    let (head, lines) = cells.split_first().expect("a table has a heading");
    Ok(table(&head.iter().map(String::as_str).collect::<Vec<_>>(), lines, 1))
}

/// The columns of individual runs.
fn of_runs() -> Vec<Column> {
    use Column as C;
    vec![C::Seed, C::State, C::Last, C::Best, C::Remaining, C::Epochs, C::Duration, C::Run]
}

fn key(name: &str, settings: &[String]) -> Result<Key, Failure> {
    match name {
        "arm" => Ok(Key::Arm),
        "seed" => Ok(Key::Seed),
        "tags" | "tag" => Ok(Key::Tags),
        "state" => Ok(Key::State),
        other => match Column::parse(other, settings) {
            Ok(Column::Setting(path)) => Ok(Key::Setting(path)),
            Ok(_) => Err(Failure::Input(format!(
                "--group: \"{other}\" cannot group runs; write arm, seed, tags, state or a setting"
            ))),
            Err(why) => Err(Failure::Input(format!("--group: {why}"))),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Vec<Row> {
        let row = |arm: &str, seed: u64, last: f64| Row {
            arm: arm.to_owned(),
            seed,
            state: "done".to_owned(),
            last: Some(last),
            ..Row::default()
        };
        vec![row("a", 1, 0.5), row("a", 2, 0.5), row("b", 1, 0.51), row("b", 2, 0.53)]
    }

    fn listed(arguments: &ListingArgs) -> Result<Vec<String>, String> {
        let differing = Differing::default();
        let chosen = arguments.chosen(&differing).map_err(|failure| failure.to_string())?;
        let found = text(arguments, chosen, rows(), &differing, Path::new("none"));
        let found = found.map_err(|failure| failure.to_string())?;
        Ok(found.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect())
    }

    #[test]
    fn groups_are_printed_with_means_and_differences() {
        let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
        let mut arguments = ListingArgs {
            group: words(&["arm"]),
            columns: words(&["seed", "last", "delta"]),
            ..ListingArgs::default()
        };
        let lines = listed(&arguments).unwrap();
        assert_eq!(lines[1], "a 2 50.00 ± 0.00 baseline");
        // Deviation √2/100 over two: t(1)·0.01 = 0.127.
        assert_eq!(lines[2], "b 2 52.00 ± 12.71 +2.00 ± 12.71");
        arguments.baseline = Some("b".to_owned());
        arguments.runs = true;
        let lines = listed(&arguments).unwrap();
        assert_eq!(lines[2], "seed 1 1 50.00 −1.00 paired");
        arguments.baseline = Some("c".to_owned());
        assert!(listed(&arguments).unwrap_err().contains("there is no group \"c\"; there are\n  a\n  b"));
        arguments.group = words(&["arms"]);
        assert!(listed(&arguments).unwrap_err().contains("there is no column \"arms\""));
    }
}

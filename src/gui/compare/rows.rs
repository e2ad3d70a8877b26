//! The rows of the table: what is known of each run of the document.

use crate::runs::Runs;
use crate::treatment::Treatment;
use doc::Run;
use results::table::Row;
use results::table::columns::Column;

/// The runs of treatments in their order.
pub fn listed(treatments: &[Treatment]) -> impl Iterator<Item = (&Treatment, &Run)> {
    treatments.iter().flat_map(|treatment| treatment.runs.iter().map(move |run| (treatment, run)))
}

/// The rows of these treatments. `known` are rows with the same results, those of the same runs at the same places: after an
/// edit of the document, most of them still are.
pub fn rows_of(treatments: &[Treatment], runs: &Runs, measured: &[Column], known: &[Row]) -> Vec<Row> {
    let row = |(place, (treatment, run)): (usize, (&Treatment, &Run))| {
        let known = known.get(place).filter(|row| row.run == run.id);
        row_of(run, runs, treatment.colour, (measured, known))
    };
    listed(treatments).enumerate().map(row).collect()
}

/// What the table says of a run: never results of other settings than its own. `measured` are the columns over series, `known` is its
/// row with the same results.
fn row_of(run: &Run, runs: &Runs, colour: usize, (measured, known): (&[Column], Option<&Row>)) -> Row {
    let outdated_state = outdated_state(run, runs);
    let state = runs.word(&run.id);
    let row = if let Some(known) = known {
        known.called(run, state, colour)
    } else {
        let record = runs.record(&run.id);
        Row::of(run, record, state, colour).measured(record, measured)
    };
    Row { outdated_state, ..row }
}

/// The state of the outdated run that plots show in the place of a run; empty without one.
fn outdated_state(run: &Run, runs: &Runs) -> &'static str {
    match runs.stray(run) {
        Some(id) => runs.word(id),
        None => runs.outdated(run).map_or("", |record| record.state().word()),
    }
}

/// The row of a run that shows outdated results: without results, and without settings.
pub fn bare(run: &Run, runs: &Runs, colour: usize) -> Row {
    Row { outdated_state: outdated_state(run, runs), ..Row::of(run, None, runs.word(&run.id), colour) }
}

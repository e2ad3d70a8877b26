//! What rows say about runs: their state as icon and word, results, means.

use std::collections::BTreeSet;

use eframe::egui::{Color32, Ui};

use crate::icons::Icon;
use crate::runs::Runs;
use crate::text;
use crate::theme::present;
use crate::treatment::Treatment;
use doc::{Run, capitalised};
use results::number::{fixed, plus_minus};
use results::run_state::{DEFINITION, DIVERGED};
use results::statistics::{Spread, level};
use results::{INPUTS, RunRecord, RunState};

/// The looks of the row of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunLook {
    /// Its state; nothing while it has a bar.
    pub icon: Option<Icon>,
    /// The share that is done, while it runs.
    pub share: Option<f64>,
    /// The words at the right.
    pub words: String,
    /// The kind of its icon and words.
    pub tone: RunTone,
    /// The explanation of its words.
    pub hint: String,
}

/// The tone of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunTone {
    /// Done, with a result.
    Good,
    /// Something that will come, or came to nothing.
    Quiet,
    /// In progress.
    Active,
    /// Ended, but with a result that should not be trusted.
    Warning,
    /// Failed.
    Bad,
}

impl RunTone {
    /// Colours of the icon and of the words.
    pub fn colours(self, ui: &Ui) -> [Color32; 2] {
        let colours = present(ui);
        match self {
            Self::Good => [colours.good, colours.text2],
            Self::Quiet => [colours.text3, colours.text3],
            Self::Active => [colours.link, colours.text],
            Self::Warning => [colours.warning, colours.warning],
            Self::Bad => [colours.bad, colours.bad],
        }
    }
}

const STALE: &str = "Outdated (settings changed): the curve has the settings from before your last change. Run again to update it.";
const STRAY: &str = "Outdated (settings changed): this run started before you changed the settings, and keeps them to its end.";

const ARCHIVED: &str = "Its results are archived. Restore all archived runs in the menu Edit brings them back; Run selected runs it again.";

/// Returns the accuracy in the row of a run.
fn result(record: &RunRecord) -> Option<f64> {
    ["test_accuracy", "validation_accuracy"].iter().find_map(|series| record.points().latest(series))
}

/// Returns what is said of results that belong to other files.
fn stale_files(difference: &str) -> String {
    format!(
        "Outdated (files changed): {difference}. The curve is that of the earlier files. Run again to update it."
    )
}

/// Returns what the row of a run says.
pub fn run_look(run: &Run, runs: &Runs) -> RunLook {
    // The one in progress with outdated settings, or the run itself.
    let shown = runs.stray(run).unwrap_or(&run.id);
    let (record, is_stray) = (runs.record(shown), shown != run.id);
    let look = |icon, words, tone, hint| RunLook { icon, share: None, words, tone, hint };
    let diverged = !is_stray && runs.has_diverged(run);
    match runs.state(shown) {
        RunState::Failed(why) => {
            let line = format!("failed: {}", text::first_line(&why));
            look(Some(Icon::WarningFill), line, RunTone::Bad, why)
        }
        RunState::Running if runs.is_paused() => {
            look(Some(Icon::PauseFill), "paused".to_owned(), RunTone::Quiet, progress_text(record))
        }
        RunState::Running if runs.is_stopping(shown) => {
            look(Some(Icon::StopFill), "stopping…".to_owned(), RunTone::Quiet, progress_text(record))
        }
        RunState::Running => {
            let words = if is_stray {
                "outdated".to_owned()
            } else {
                record.map_or_else(|| "running".to_owned(), RunRecord::short_position)
            };
            let hint = progress_text(record);
            let hint = if is_stray { format!("{STRAY}\n{hint}") } else { hint };
            let share = record.map_or(0.0, |record| record.progress().done);
            let look = if diverged {
                look(None, DIVERGED.to_owned(), RunTone::Warning, format!("{hint}\n{DEFINITION}"))
            } else {
                look(None, words, RunTone::Active, hint)
            };
            RunLook { share: Some(share), ..look }
        }
        _ if is_stray => look(Some(Icon::Hourglass), "outdated".to_owned(), RunTone::Quiet, STRAY.to_owned()),
        RunState::Waiting if runs.is_open(shown) => {
            let hint = match runs.place(shown) {
                Some(place) => format!("Number {place} of those that wait in the queue"),
                None => "Waits for a free place".to_owned(),
            };
            look(Some(Icon::Hourglass), "queued".to_owned(), RunTone::Quiet, hint)
        }
        _ if runs.is_stale(run) => {
            let hint = runs.changed_inputs(run).map_or_else(|| STALE.to_owned(), stale_files);
            look(Some(Icon::CircleDashed), "outdated".to_owned(), RunTone::Quiet, hint)
        }
        RunState::Waiting if runs.is_archived(&run.id) => {
            look(Some(Icon::FolderOpen), "archived".to_owned(), RunTone::Quiet, ARCHIVED.to_owned())
        }
        RunState::Waiting => look(
            Some(Icon::CircleDashed),
            "not run".to_owned(),
            RunTone::Quiet,
            "Press Run to start it".to_owned(),
        ),
        RunState::Stopped => {
            let done = record.map_or(0.0, |record| record.progress().done);
            let hint = format!("Stopped at {}; Resume continues from there", text::whole_percent(done));
            look(Some(Icon::StopFill), "stopped".to_owned(), RunTone::Quiet, hint)
        }
        RunState::Done if diverged => {
            let accuracy = record
                .and_then(result)
                .map(|value| format!("\nLatest test accuracy: {}", text::percent(value)));
            let hint = format!("{DEFINITION}{}", accuracy.unwrap_or_default());
            look(Some(Icon::WarningFill), DIVERGED.to_owned(), RunTone::Warning, hint)
        }
        RunState::Done => {
            let words = record.and_then(result).map_or_else(|| "done".to_owned(), text::percent);
            let mut reports = record.into_iter().flat_map(RunRecord::reports);
            match reports.find(|report| report.kind == INPUTS) {
                Some(far) => {
                    look(Some(Icon::WarningFill), words, RunTone::Warning, capitalised(&far.summary))
                }
                None => look(Some(Icon::Check), words, RunTone::Good, "Latest test accuracy".to_owned()),
            }
        }
    }
}

fn progress_text(record: Option<&RunRecord>) -> String {
    let progress = record.map(RunRecord::progress).unwrap_or_default();
    let stage = record.and_then(RunRecord::stage).map_or("", |stage| stage.label.as_str());
    let left = progress.secs_left.map(|secs| format!(", {} left", text::duration(secs))).unwrap_or_default();
    let done = text::whole_percent(progress.done);
    let position = record.map_or_else(|| "starting".to_owned(), RunRecord::position);
    format!("{stage}\n{}, {done} done{left}", capitalised(&position))
}

fn listed<'a>(treatments: &[&'a Treatment]) -> Vec<&'a Run> {
    treatments.iter().flat_map(|treatment| &treatment.runs).collect()
}

/// Returns the results of finished runs, each run once.
fn results(list: &[&Run], runs: &Runs) -> Vec<f64> {
    let mut seen = BTreeSet::new();
    let done = list.iter().filter(|run| seen.insert(&run.id) && runs.is_done(&run.id));
    done.filter_map(|run| result(runs.record(&run.id)?)).collect()
}

/// Returns the mean of some results, as `98.02 ± 0.10` (half the width of the 95 % CI) or `98.06 %`.
fn mean(values: &[f64]) -> String {
    let level = level(0.0, values, Spread::Interval95);
    match level.band {
        Some(band) => {
            let half = 50.0 * (band.high - band.low);
            format!("{} {}", fixed(100.0 * level.mean, 2), plus_minus(half, &fixed(half, 2)))
        }
        None if values.is_empty() => String::new(),
        None => text::percent(level.mean),
    }
}

/// Returns the state of all runs of a treatment in a few words, and whether something is wrong.
pub fn summary(treatments: &[&Treatment], runs: &Runs) -> (String, RunTone) {
    let mut list = listed(treatments);
    let all = list.len();
    list.retain(|run| !runs.is_archived(&run.id));
    if list.is_empty() && all > 0 {
        return ("archived".to_owned(), RunTone::Quiet);
    }
    let strays = list.iter().filter_map(|run| runs.stray(run)).filter(|id| runs.is_open(id)).count();
    if strays > 0 {
        return (format!("{strays} outdated"), RunTone::Quiet);
    }
    let total = list.len();
    let states: Vec<RunState> = list.iter().map(|run| runs.state(&run.id)).collect();
    let failed = states.iter().filter(|state| matches!(state, RunState::Failed(_))).count();
    let done = states.iter().filter(|state| **state == RunState::Done).count();
    if failed > 0 {
        return (format!("{failed} of {total} failed"), RunTone::Bad);
    }
    let diverged = list.iter().filter(|run| runs.has_diverged(run)).count();
    if diverged > 0 {
        return (format!("{diverged} of {total} {DIVERGED}"), RunTone::Warning);
    }
    if done == total {
        return (mean(&results(&list, runs)), RunTone::Active);
    }
    if done > 0 || states.contains(&RunState::Running) {
        return (format!("{done} of {total}"), RunTone::Quiet);
    }
    let waits = list.iter().any(|run| runs.is_open(&run.id));
    let stopped = states.iter().filter(|state| **state == RunState::Stopped).count();
    let words = match stopped {
        _ if waits => "queued".to_owned(),
        0 => "not run".to_owned(),
        _ if stopped == total => "stopped".to_owned(),
        _ => format!("{stopped} of {total} stopped"),
    };
    (words, RunTone::Quiet)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;

    use super::*;
    use crate::treatment::treatments;
    use doc::file::parse;
    use results::{Event, Point, Report};

    fn done(accuracy: f64) -> RunRecord {
        let point = Point { series: "test_accuracy".to_owned(), value: accuracy, ..Point::default() };
        RunRecord::from_events([Event::Point(point), Event::Finished { secs: 1.0 }])
    }

    #[test]
    fn an_arm_has_mean_and_interval_and_counts_each_seed_once() {
        let text = "(seeds: [1, 2, 3, 3], arms: [(name: \"a\", plan: [Test])])";
        let experiment = parse(text, Path::new("x.ron")).unwrap();
        let listed = doc::runs(&experiment).unwrap();
        let found = treatments(&experiment, &listed);
        let values = [0.98, 0.97, 0.96];
        let records = listed.iter().zip(values).map(|(run, value)| (run.id.clone(), done(value)));
        let runs = Runs::from_records(records.collect::<BTreeMap<_, _>>());
        assert_eq!(summary(&[&found[0]], &runs).0, "97.00 ± 2.48");
        let twice = Treatment { runs: [listed.clone(), listed.clone()].concat(), ..found[0].clone() };
        assert_eq!(summary(&[&twice], &runs).0, "97.00 ± 2.48");
    }

    #[test]
    fn a_run_in_a_campaign_counts_trials_instead_of_epochs() {
        use doc::fault::CellPlan;
        use results::campaign::{CampaignBegan, CampaignEnded, CellState};
        use results::event::Progress;
        let text = "(arms: [(name: \"a\", plan: [Test])])";
        let listed = doc::runs(&parse(text, Path::new("x.ron")).unwrap()).unwrap();
        let look = |events: Vec<Event>| {
            let record = RunRecord::from_events(events);
            run_look(&listed[0], &Runs::from_records([(listed[0].id.clone(), record)].into()))
        };
        let plan = CellPlan { trials: 6_000, ..CellPlan::default() };
        let began = CampaignBegan { cells: vec![plan], ..CampaignBegan::default() };
        let mut events = vec![
            Event::Started { resumed: false, threads: 1 },
            Event::Progress(Progress { epoch: 10.0, ..Progress::default() }),
            Event::CampaignBegan(began),
            Event::CampaignCell(CellState { trials: 1_500, ..CellState::default() }),
        ];
        let found = look(events.clone());
        assert_eq!(found.words, "trial 1,500");
        assert!(found.hint.contains("1,500 of 6,000 trials"), "{}", found.hint);
        events.push(Event::CampaignEnded(CampaignEnded::default()));
        assert_eq!(look(events).words, "epoch 10");
    }

    #[test]
    fn runs_that_diverged_or_were_stopped_are_not_taken_for_results_or_for_new_ones() {
        let text = "(seeds: [1, 2], arms: [(name: \"a\", plan: [Train()])])";
        let experiment = parse(text, Path::new("x.ron")).unwrap();
        let listed = doc::runs(&experiment).unwrap();
        let found = treatments(&experiment, &listed);
        let of = |ends: [RunRecord; 2]| {
            let records = listed.iter().map(|run| run.id.clone()).zip(ends);
            let runs = Runs::from_records(records.collect::<BTreeMap<_, _>>());
            (summary(&[&found[0]], &runs), run_look(&listed[1], &runs))
        };
        let mut diverged = done(0.098);
        let loss = Point { series: "train_loss".to_owned(), value: 1e20, ..Point::default() };
        diverged.apply(Event::Point(loss));
        let (arm, run) = of([done(0.97), diverged]);
        assert_eq!(arm, ("1 of 2 diverged".to_owned(), RunTone::Warning));
        assert_eq!((run.words.as_str(), run.icon), ("diverged", Some(Icon::WarningFill)));
        assert!(run.hint.contains("9.80 %") && run.hint.contains("10 times"), "{}", run.hint);
        let stopped = || RunRecord::from_events([Event::Stopped { secs: 1.0 }]);
        assert_eq!(of([stopped(), RunRecord::default()]).0.0, "1 of 2 stopped");
        assert_eq!(of([stopped(), stopped()]).0.0, "stopped");
        let mut far = done(0.2779);
        let report = Report { kind: INPUTS.to_owned(), summary: "far".to_owned(), ..Report::default() };
        far.apply(Event::Report(report));
        let run = of([done(0.97), far]).1;
        assert_eq!((&*run.words, run.icon, &*run.hint), ("27.79 %", Some(Icon::WarningFill), "Far"));
    }
}

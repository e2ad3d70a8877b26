//! The network of the selected run at the end or after a round, which several views show: read once, in a thread. A run in
//! progress has the networks that it has kept so far.

use std::path::PathBuf;
use std::sync::Arc;

use eframe::egui::{Context, Id, RichText, Slider, Ui};

use super::{SELECT, ViewInput, loaded_ui, nothing_ui};
use crate::background::{Latest, LoadState};
use crate::runs::Runs;
use crate::theme;
use doc::{Run, RunSpec};
use results::RunRecord;
use results::network::{NetworkSummary, at_moment};
use results::rounds::{kept_rounds, rounds};
use run::summary::{Moment, read_summary_at, stored_rounds};

/// A run whose files are read: with another wall time they are other files.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// The folder of all runs.
    pub folder: PathBuf,
    pub id: String,
    /// Wall time of the run, seconds.
    pub secs: f64,
    /// When its network is read.
    pub moment: Moment,
}

impl Source {
    /// Returns true if both are of one run, at whatever moments.
    pub fn is_same_run(&self, other: &Self) -> bool {
        (&self.folder, &self.id, self.secs) == (&other.folder, &other.id, other.secs)
    }
}

/// The state between frames.
#[derive(Default)]
pub struct NetworkAtEnd {
    /// The run that was shown last.
    last: Option<Run>,
    summary: Latest<Source, (NetworkSummary, String)>,
    slider: RoundSlider,
}

/// The network that was read.
pub struct Read<'a> {
    pub summary: &'a NetworkSummary,
    pub source: Source,
    pub arm: String,
    /// Its title, with arm and seed.
    pub title: String,
}

impl NetworkAtEnd {
    /// Returns the settings of the run whose network can be read, if there is one, and whether they are outdated.
    pub fn spec(&mut self, ctx: &Context, input: &ViewInput<'_>) -> Option<(Arc<RunSpec>, bool)> {
        let (run, is_outdated) = self.run(input).ok()?;
        let record = input.runs.record(&run.id);
        let is_there = input.runs.is_done(&run.id)
            || self.slider.read(ctx, &source_of(&run, input), record).is_some_and(|it| !it.stops.is_empty());
        is_there.then_some((run.spec, is_outdated))
    }

    /// Draws the network, below its title; if there is none, draws why, and what the view shows.
    pub fn ui(&mut self, ui: &mut Ui, help: &str, input: &ViewInput<'_>) -> Option<Read<'_>> {
        let found = self.run(input).map_err(|why| nothing_ui(ui, help, &why));
        let (run, is_outdated) = found.ok()?;
        let end = source_of(&run, input);
        let Some(Stop { moment, name }) = self.slider.ui(ui, &end, input.runs.record(&run.id)) else {
            let word = input.runs.word(&run.id);
            let why = format!("The run is {word}. Its network appears after its first training.");
            nothing_ui(ui, help, &why);
            return None;
        };
        let source = Source { moment, ..end };
        let asked = source.clone();
        let read = move || Ok((read_summary_at(&asked.folder, &asked.id, asked.moment)?, name));
        let words = (help, "It cannot be shown");
        // Until another round of the same run is read, the last one stays.
        let is_same = |known: &Source| known.is_same_run(&source);
        let (known, (summary, name)) = loaded_ui(ui, words, &mut self.summary, &source, read, is_same)?;
        let title = at_moment(&run.arm, run.seed, name) + if is_outdated { " · outdated" } else { "" };
        ui.label(RichText::new(&title).strong());
        Some(Read { summary, source: known.clone(), arm: run.arm, title })
    }

    /// Returns the run to show, and whether it has outdated settings: an edit of the plan removes nothing from the
    /// screen.
    fn run(&mut self, input: &ViewInput<'_>) -> Result<(Run, bool), String> {
        match chosen_run(input) {
            Ok(run) => {
                self.last = Some(run.clone());
                Ok((run.clone(), false))
            }
            Err(why) => {
                let is_kept = |last: &Run| {
                    let is_listed = || input.listed.iter().any(|run| run.id == last.id);
                    input.selection.covers_run(last) && input.runs.is_done(&last.id) && !is_listed()
                };
                self.last.clone().filter(is_kept).map(|last| (last, true)).ok_or(why)
            }
        }
    }
}

/// Returns the run with its final weights. Until it is done, its wall time does not count: what it keeps never changes.
fn source_of(run: &Run, input: &ViewInput<'_>) -> Source {
    let record = input.runs.record(&run.id).filter(|_| input.runs.is_done(&run.id));
    let secs = record.map_or(0.0, |record| record.progress().secs);
    Source { folder: input.results.to_owned(), id: run.id.clone(), secs, moment: Moment::End }
}

/// Returns true if a run is not done, but may have kept its network after a training.
pub fn keeps_rounds(run: &Run, runs: &Runs) -> bool {
    let is_on = |record: &RunRecord| !record.is_done() && record.steps().len() > 1;
    run.spec.train.record.rounds && runs.record(&run.id).is_some_and(is_on)
}

/// Returns the run to show: the selected one, or the first of the selected arm that is done, or else that keeps rounds.
fn chosen_run<'a>(input: &ViewInput<'a>) -> Result<&'a Run, String> {
    let is_done = |run: &&Run| input.runs.is_done(&run.id);
    let keeps_rounds = |run: &&Run| keeps_rounds(run, input.runs);
    if let Some(id) = input.selection.run() {
        let Some(run) = input.listed.iter().find(|run| run.id == *id) else {
            let why =
                "This run is outdated: its settings have changed since. Select another one on the left.";
            return Err(why.to_owned());
        };
        if !is_done(&run) && !keeps_rounds(&run) {
            let word = input.runs.word(id);
            return Err(format!("The selected run is {word}. Its network appears when the run is done."));
        }
        return Ok(run);
    }
    input.selected().find(is_done).or_else(|| input.selected().find(keeps_rounds)).ok_or_else(|| {
        let of_arm = "No run of the selected arm is done yet. Press Run, or select another arm.";
        if input.selection.arm().is_some() { of_arm } else { SELECT }.to_owned()
    })
}

/// Width of the slider, in points.
const WIDTH: f32 = 240.0;
/// The reason for the lack of a slider.
const HINT: &str = "Only the final weights are here. To step through the rounds, tick \u{201c}After each training\u{201d} under \
    Training details, Weights over training, and run again";

/// Says why there is no slider, in one view of the window.
pub fn hint_ui(ui: &mut Ui) {
    let (id, pass) = (Id::unique("hint at rounds"), ui.ctx().cumulative_pass_nr());
    let is_there = ui.data(|data| data.get_temp(id)) == Some(pass);
    if !is_there {
        ui.data_mut(|data| data.insert_temp(id, pass));
        ui.label(RichText::new(HINT).small().weak());
    }
}

/// A moment whose network can be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    pub moment: Moment,
    /// Its name in the window: "round 5, 32.8 % remaining".
    pub name: String,
}

/// The moments of a run.
#[derive(Clone, Debug, Default)]
struct Stops {
    stops: Vec<Stop>,
    /// The number of its trainings, kept or not.
    trainings: usize,
}

/// A run, its number of steps so far, and whether it is done: with others it may have other files.
type Progress = (Source, usize, bool);

/// The state between frames.
#[derive(Default)]
pub struct RoundSlider {
    stops: Latest<Progress, Arc<Stops>>,
    /// The position from the left, kept from run to run; nothing for the final weights.
    position: Option<usize>,
}

impl RoundSlider {
    /// Draws the slider, or why there is none; returns the chosen moment, which a run in progress may not have. `source` is
    /// the run at its end.
    pub fn ui(&mut self, ui: &mut Ui, source: &Source, record: Option<&RunRecord>) -> Option<Stop> {
        let is_done = record.is_none_or(RunRecord::is_done);
        let end = is_done.then(|| Stop { moment: Moment::End, name: "final weights".to_owned() });
        let Some(found) = self.read(ui.ctx(), source, record) else { return end };
        if found.stops.is_empty() {
            if found.trainings > 1 && is_done {
                hint_ui(ui);
            }
            return end;
        }
        let all: Vec<&Stop> = found.stops.iter().chain(&end).collect();
        let last = all.len() - 1;
        let mut at = self.position.map_or(last, |position| position.min(last));
        let names: Vec<&str> = all.iter().map(|stop| stop.name.as_str()).collect();
        if position_ui(ui, &names, &mut at) {
            self.position = (at < last).then_some(at);
        }
        Some(all[at].clone())
    }

    /// Returns the moments of a run; while others of the same run are read, those that were known.
    fn read(&mut self, ctx: &Context, source: &Source, record: Option<&RunRecord>) -> Option<Arc<Stops>> {
        let steps = record.map_or(0, |record| record.steps().len());
        let key = (source.clone(), steps, record.is_none_or(RunRecord::is_done));
        let is_known = self.stops.last().is_some_and(|(known, _)| *known == key);
        let record = if is_known { None } else { record.cloned() };
        let asked = source.clone();
        let read = move || {
            let record = record.unwrap_or_default();
            let kept = kept_rounds(&record, &stored_rounds(&asked.folder, &asked.id)).into_iter();
            let stops = kept.map(|kept| Stop { name: kept.caption(), moment: Moment::Round(kept.step) });
            Ok(Arc::new(Stops { stops: stops.collect(), trainings: rounds(&record).len() }))
        };
        if let LoadState::Ready(found) = self.stops.get(&key, ctx, read) {
            return Some(found.clone());
        }
        let (known, found) = self.stops.last()?;
        known.0.is_same_run(source).then(|| found.clone())
    }
}

/// Draws a slider over names with the present one beside it; returns true if it was moved. Arrow keys move it once it was
/// clicked.
pub fn position_ui(ui: &mut Ui, names: &[&str], at: &mut usize) -> bool {
    let before = *at;
    ui.horizontal(|ui| {
        let label = ui.label("Round");
        ui.spacing_mut().slider_width = WIDTH.min(ui.available_width() * 0.5);
        let slider = Slider::new(at, 0..=names.len().saturating_sub(1)).show_value(false);
        let slider = ui.add(slider).labelled_by(label.id);
        if slider.clicked() || slider.drag_started() {
            slider.request_focus();
        }
        slider.on_hover_text("Arrow keys go from round to round");
        let name = names.get(*at).copied().unwrap_or_default();
        ui.label(RichText::new(name).font(theme::medium(theme::BODY)));
    });
    *at != before
}

#[cfg(test)]
mod tests {
    use std::fs::{copy, create_dir};
    use std::path::Path;

    use eframe::egui::Key;
    use eframe::egui::accesskit::Role;
    use egui_kittest::kittest::Queryable;

    use super::super::tests::{open, wait_for, wait_until};
    use super::*;
    use results::rounds::lottery_events;
    use results::{Event, Point};
    use run::summary::read_histograms;

    /// Two rounds of a lottery after a dense training.
    fn lottery() -> RunRecord {
        RunRecord::from_events(lottery_events().into_iter().chain([Event::Finished { secs: 1.0 }]))
    }

    /// Copies the final network of a run to these rounds.
    fn keep_rounds(run: &Path, steps: &[usize]) {
        create_dir(run.join("rounds")).unwrap();
        for step in steps {
            copy(run.join("weights.safetensors"), run.join(format!("rounds/step-{step}.safetensors")))
                .unwrap();
            copy(run.join("pins.safetensors"), run.join(format!("rounds/step-{step}.pins.safetensors")))
                .unwrap();
        }
    }

    #[test]
    fn the_slider_steps_through_the_rounds_with_the_arrow_keys() {
        for view in ["network", "weights"] {
            let mut harness = open(view, lottery());
            let run = harness.state().results.join(&harness.state().listed[0].id);
            keep_rounds(&run, &[0, 2, 4]);
            harness.state_mut().views = super::super::Views::default(); // the first frame may have looked already
            wait_for(&mut harness, "final weights"); // beside the slider
            wait_for(&mut harness, "a, seed 1, final weights");
            harness.get_by_role(Role::Slider).focus();
            harness.run_steps(2); // egui moves the focus itself until a widget had it for a frame
            for name in
                ["round 2, 64.0 % remaining", "round 1, 80.0 % remaining", "training 1, 100 % remaining"]
            {
                harness.key_press(Key::ArrowLeft);
                harness.step();
                wait_for(&mut harness, &format!("a, seed 1, {name}"));
                assert!(harness.query_by_label(name).is_some(), "beside the slider: {name}");
            }
            harness.key_press(Key::ArrowRight);
            harness.step();
            wait_for(&mut harness, "a, seed 1, round 1, 80.0 % remaining");
        }
    }

    #[test]
    fn a_run_in_progress_shows_the_rounds_that_are_over() {
        for view in ["network", "weights"] {
            let end = [Event::Finished { secs: 1.0 }];
            let partial = || RunRecord::from_events(lottery_events());
            let mut harness = open(view, partial());
            let run = harness.state().results.join(&harness.state().listed[0].id);
            keep_rounds(&run, &[0, 2, 4]);
            std::fs::remove_file(run.join("DONE")).unwrap();
            harness.state_mut().views = super::super::Views::default();
            harness.run_steps(4);
            assert!(harness.query_by_role(Role::Slider).is_none(), "the settings keep no rounds");
            let spec = &mut harness.state_mut().listed[0].spec;
            Arc::make_mut(spec).train.record.rounds = true;
            // The file of step 4, which is in progress, is that of an earlier attempt.
            wait_for(&mut harness, "a, seed 1, round 1, 80.0 % remaining");
            harness.get_by_role(Role::Slider).focus();
            harness.run_steps(2); // egui moves the focus itself until a widget had it for a frame
            harness.key_press(Key::ArrowLeft);
            harness.step();
            wait_for(&mut harness, "a, seed 1, training 1, 100 % remaining");
            assert!(harness.query_by_label("final weights").is_none());
            let stopped =
                RunRecord::from_events(lottery_events().into_iter().chain([Event::Stopped { secs: 1.0 }]));
            harness.state_mut().set_record(stopped);
            harness.step();
            wait_for(&mut harness, "a, seed 1, training 1, 100 % remaining");
            std::fs::write(run.join("DONE"), "").unwrap();
            harness.state_mut().set_record(RunRecord::from_events(lottery_events().into_iter().chain(end)));
            // The network is loaded again, since its run has ended.
            harness.step();
            wait_until(&mut harness, "the slider", |harness| harness.query_by_role(Role::Slider).is_some());
            wait_for(&mut harness, "a, seed 1, training 1, 100 % remaining");
            harness.get_by_role(Role::Slider).focus();
            harness.run_steps(2); // egui moves the focus itself until a widget had it for a frame
            for name in ["round 1, 80.0 % remaining", "round 2, 64.0 % remaining", "final weights"] {
                harness.key_press(Key::ArrowRight);
                harness.step();
                wait_for(&mut harness, &format!("a, seed 1, {name}"));
            }
        }
    }

    #[test]
    fn without_kept_networks_there_is_a_hint_in_the_place_of_the_slider() {
        let mut harness = open("network", lottery());
        wait_for(&mut harness, HINT);
        assert!(harness.query_by_role(Role::Slider).is_none());
        let mut plain = open("network", RunRecord::from_events([Event::Finished { secs: 1.0 }]));
        wait_for(&mut plain, "a, seed 1, final weights");
        assert!(plain.query_by_label(HINT).is_none(), "one training has no rounds");
    }

    #[test]
    fn the_hint_is_in_one_of_several_views() {
        let draw = |ui: &mut Ui| (0..3).for_each(|_| hint_ui(ui));
        let harness = egui_kittest::Harness::new_ui(draw);
        assert_eq!(harness.query_all_by_label(HINT).count(), 1);
    }

    #[test]
    fn recorded_histograms_are_a_figure_for_every_kind_of_file() {
        let series = "fc1.weight norm".to_owned();
        let record = RunRecord::from_events([Event::Point(Point { series, ..Point::default() })]);
        let mut harness = open("histograms", record);
        let run = harness.state().results.join(&harness.state().listed[0].id);
        wait_for(
            &mut harness,
            "No run of the selected arm recorded histograms. Choose \u{201c}Histograms\u{201d} under \
            Training details, Weights over training, and run again.",
        );
        let lines: String = [0.0, 1.0]
            .into_iter()
            .map(|trained| {
                let values = [-1.0, trained as f32, 1.0];
                let parameter = "fc1.weight".to_owned();
                let remaining = 1.0;
                let own = results::weights::WeightHistogram::new(&values, None);
                results::weights::WeightHistogram { parameter, trained, remaining, ..own }.line()
            })
            .collect();
        std::fs::write(run.join("histograms.jsonl"), lines).unwrap();
        assert_eq!(read_histograms(&harness.state().results, &harness.state().listed[0].id).len(), 2);
        harness.state_mut().views = super::super::Views::default();
        wait_for(&mut harness, "Parameter");
        harness.step();
        let offer = harness.state().views.offers("histograms").figure().unwrap();
        assert_eq!(offer.name, "fc1.weight-histograms");
        let figure = offer.figure();
        assert_eq!(figure.cells.as_ref().unwrap().size(), [64, 2]);
        for kind in figure::FileKind::ALL {
            let bytes = figure::export::bytes(&figure, kind, &figure::Options::default()).unwrap();
            assert!(bytes.len() > 200, "{kind:?}");
        }
    }
}

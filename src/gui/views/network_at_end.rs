//! The network of the selected run at the end or after a round, which several views show: read once, in a thread. A run in
//! progress has the networks that it has kept so far.

use std::path::PathBuf;
use std::sync::Arc;

use eframe::egui::{Context, RichText, Slider, Ui};

use super::{ViewInput, WEIGHTS, nothing_ui, waiting_ui};
use crate::background::{Latest, LoadState};
use crate::runs::Runs;
use crate::theme;
use doc::{Run, RunSpec};
use results::network::{NetworkSummary, at_moment};
use results::rounds::{KeptRound, kept_rounds, rounds};
use results::{RunRecord, RunState};
use run::summary::{Moment, read_summary_at, stored_rounds};

/// A run whose files are read: with another wall time they are other files.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// The folder of all runs.
    pub folder: PathBuf,
    /// The run.
    pub id: String,
    /// Wall time of the run, seconds.
    pub secs: f64,
    /// When its network is read.
    pub moment: Moment,
}

impl Source {
    /// Returns true if both are of one run, at whatever moments.
    pub fn is_same_run(&self, other: &Self) -> bool {
        let at = |source: &Self| Self { moment: Moment::End, ..source.clone() };
        at(self) == at(other)
    }
}

/// The run whose network is shown.
#[derive(Clone)]
struct Subject {
    id: String,
    arm: String,
    arm_index: usize,
    seed: u64,
    is_done: bool,
    spec: Arc<RunSpec>,
}

/// The state between frames.
#[derive(Default)]
pub struct NetworkAtEnd {
    /// The run that was shown last.
    last: Option<Subject>,
    summary: Latest<Source, (NetworkSummary, String)>,
    slider: RoundSlider,
}

/// The network that was read.
pub struct Read<'a> {
    /// Its layers and parameters.
    pub summary: &'a NetworkSummary,
    /// Its run.
    pub source: Source,
    pub arm: String,
    /// Its title, with arm and seed.
    pub title: String,
}

impl NetworkAtEnd {
    /// Returns the settings of the run whose network can be read, if there is one, and whether they are outdated.
    pub fn spec(&mut self, ctx: &Context, input: &ViewInput<'_>) -> Option<(Arc<RunSpec>, bool)> {
        let (subject, is_outdated) = self.subject(input).ok()?;
        let source = source_of(&subject, input);
        let is_there = subject.is_done || self.slider.has_stops(ctx, &source, input.runs.record(&subject.id));
        is_there.then_some((subject.spec, is_outdated))
    }

    /// Draws the network, below its title; if there is none, draws why, and what the view shows.
    pub fn ui(&mut self, ui: &mut Ui, help: &str, input: &ViewInput<'_>) -> Option<Read<'_>> {
        let (subject, is_outdated) = match self.subject(input) {
            Ok(found) => found,
            Err(why) => {
                nothing_ui(ui, help, &why);
                return None;
            }
        };
        let record = input.runs.record(&subject.id);
        let end = source_of(&subject, input);
        let remark = if is_outdated { " · outdated" } else { "" };
        let title = |name: &str| at_moment(&subject.arm, subject.seed, name) + remark;
        let Some(Stop { moment, name }) = self.slider.ui(ui, &end, record) else {
            let word = input.runs.word(&subject.id);
            let why = format!("The run is {word}. Its network appears after its first training.");
            nothing_ui(ui, help, &why);
            return None;
        };
        let source = Source { moment, ..end };
        let asked = source.clone();
        let read = move || Ok((read_summary_at(&asked.folder, &asked.id, asked.moment)?, name));
        if let LoadState::Failed(why) = self.summary.get(&source, ui.ctx(), read) {
            nothing_ui(ui, help, &format!("It cannot be shown: {why}."));
            return None;
        }
        // Until another round of the same run is read, the last one stays.
        let Some((known, (summary, name))) =
            self.summary.last().filter(|(known, _)| known.is_same_run(&source))
        else {
            waiting_ui(ui, WEIGHTS);
            return None;
        };
        let title = title(name);
        ui.label(RichText::new(&title).strong());
        Some(Read { summary, source: known.clone(), arm: subject.arm, title })
    }

    /// Returns the run to show, and whether it has outdated settings: an edit of the plan removes nothing from the
    /// screen.
    fn subject(&mut self, input: &ViewInput<'_>) -> Result<(Subject, bool), String> {
        match chosen_run(input) {
            Ok(run) => {
                let (id, arm, seed, spec) = (run.id.clone(), run.arm.clone(), run.seed, run.spec.clone());
                let is_done = input.runs.is_done(&run.id);
                let subject = Subject { id, arm, arm_index: run.arm_index, seed, is_done, spec };
                self.last = Some(subject.clone());
                Ok((subject, false))
            }
            Err(why) => {
                let is_listed = |last: &Subject| input.listed.iter().any(|run| run.id == last.id);
                let is_selected =
                    |last: &Subject| input.selection.covers(last.arm_index, &last.arm, &last.id);
                let is_kept = |last: &&Subject| {
                    is_selected(last) && !is_listed(last) && input.runs.state(&last.id) == RunState::Done
                };
                self.last.as_ref().filter(is_kept).map(|last| (last.clone(), true)).ok_or(why)
            }
        }
    }
}

/// Returns the run with its final weights. Until it is done, its wall time does not count: what it keeps never changes.
fn source_of(subject: &Subject, input: &ViewInput<'_>) -> Source {
    let record = input.runs.record(&subject.id).filter(|_| subject.is_done);
    let secs = record.map_or(0.0, |record| record.progress().secs);
    Source { folder: input.results.to_owned(), id: subject.id.clone(), secs, moment: Moment::End }
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
            return Err(
                "This run is outdated: its settings have changed since. Select another one on the left."
                    .to_owned(),
            );
        };
        if !is_done(&run) && !keeps_rounds(&run) {
            let word = input.runs.word(id);
            return Err(format!("The selected run is {word}. Its network appears when the run is done."));
        }
        return Ok(run);
    }
    input.selected().find(is_done).or_else(|| input.selected().find(keeps_rounds)).ok_or_else(|| {
        let why = match input.selection.arm() {
            Some(_) => "No run of the selected arm is done yet. Press Run, or select another arm.",
            None => "Select an arm or a run on the left.",
        };
        why.to_owned()
    })
}

/// Width of the slider, in points.
const WIDTH: f32 = 240.0;
/// The reason for the lack of a slider.
pub const HINT: &str = "Only the final weights are here. To step through the rounds, tick \u{201c}After each training\u{201d} under \
    Training details, Weights over training, and run again";

/// A moment whose network can be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    /// When.
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
        let end = Stop { moment: Moment::End, name: "final weights".to_owned() };
        let end = is_done.then_some(end);
        let Some(found) = self.read(ui.ctx(), source, record) else { return end };
        if found.stops.is_empty() {
            if found.trainings > 1 && is_done {
                ui.label(RichText::new(HINT).small().weak());
            }
            return end;
        }
        let all: Vec<&Stop> = found.stops.iter().chain(&end).collect();
        let last = all.len() - 1;
        let mut at = self.position.map_or(last, |position| position.min(last));
        let names: Vec<&str> = all.iter().map(|stop| stop.name.as_str()).collect();
        let before = at;
        position_ui(ui, &names, &mut at);
        if at != before {
            self.position = (at < last).then_some(at);
        }
        Some(all[at].clone())
    }

    /// Returns true if a run in progress has kept a network.
    pub fn has_stops(&mut self, ctx: &Context, source: &Source, record: Option<&RunRecord>) -> bool {
        self.read(ctx, source, record).is_some_and(|found| !found.stops.is_empty())
    }

    /// Returns the moments of a run; while others of the same run are read, those that were known.
    fn read(&mut self, ctx: &Context, source: &Source, record: Option<&RunRecord>) -> Option<Arc<Stops>> {
        let steps = record.map_or(0, |record| record.steps().len());
        let key = (source.clone(), steps, record.is_none_or(RunRecord::is_done));
        let is_known = self.stops.last().is_some_and(|(known, _)| *known == key);
        let record = if is_known { None } else { record.cloned() };
        let asked = source.clone();
        let read = move || Ok(Arc::new(stops(&asked, &record.unwrap_or_default())));
        if let LoadState::Ready(found) = self.stops.get(&key, ctx, read) {
            return Some(found.clone());
        }
        let (known, found) = self.stops.last()?;
        known.0.is_same_run(source).then(|| found.clone())
    }
}

/// Draws a slider over names with the present one beside it. Arrow keys move it once it was clicked.
pub fn position_ui(ui: &mut Ui, names: &[&str], at: &mut usize) {
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
}

/// Returns the kept trainings of a run.
fn stops(source: &Source, record: &RunRecord) -> Stops {
    let stored = stored_rounds(&source.folder, &source.id);
    let stop = |kept: KeptRound| Stop { name: kept.caption(), moment: Moment::Round(kept.step) };
    let stops = kept_rounds(record, &stored).into_iter().map(stop).collect();
    Stops { stops, trainings: rounds(record).len() }
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
        RunRecord::of(lottery_events().into_iter().chain([Event::Finished { secs: 1.0 }]))
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
            let partial = || RunRecord::of(lottery_events());
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
            let stopped = RunRecord::of(lottery_events().into_iter().chain([Event::Stopped { secs: 1.0 }]));
            harness.state_mut().set_record(stopped);
            harness.step();
            wait_for(&mut harness, "a, seed 1, training 1, 100 % remaining");
            std::fs::write(run.join("DONE"), "").unwrap();
            harness.state_mut().set_record(RunRecord::of(lottery_events().into_iter().chain(end)));
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
        let mut plain = open("network", RunRecord::of([Event::Finished { secs: 1.0 }]));
        wait_for(&mut plain, "a, seed 1, final weights");
        assert!(plain.query_by_label(HINT).is_none(), "one training has no rounds");
    }

    #[test]
    fn recorded_histograms_are_a_figure_for_every_kind_of_file() {
        let series = "fc1.weight norm".to_owned();
        let record = RunRecord::of([Event::Point(Point { series, ..Point::default() })]);
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
        let offer = harness.state().views.offer("histograms").unwrap();
        assert_eq!(offer.name, "fc1.weight-histograms");
        let figure = offer.figure();
        assert_eq!(figure.cells.as_ref().unwrap().size(), [64, 2]);
        for kind in figure::FileKind::ALL {
            let bytes = figure::export::bytes(&figure, kind, &figure::Options::default()).unwrap();
            assert!(bytes.len() > 200, "{kind:?}");
        }
    }
}

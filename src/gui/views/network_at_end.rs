//! The network of the selected run at the end or after a round, which several views show: read once, in a thread. A run in
//! progress has the networks that it has kept so far.

use std::sync::Arc;

use eframe::egui::{Context, RichText, Ui};

use super::loading::{LoadState, Loading, Source};
use super::round_slider::{RoundSlider, Stop};
use super::{ViewInput, WEIGHTS, nothing_ui, waiting_ui};
use crate::runs::Runs;
use doc::{Run, RunSpec};
use results::network::{NetworkSummary, at_moment};
use results::{RunRecord, RunState};
use run::summary::{Moment, read_summary_at};

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
    summary: Loading<Source, (NetworkSummary, String)>,
    slider: RoundSlider,
}

/// The network that was read.
pub struct Read<'a> {
    /// Its layers and parameters.
    pub summary: &'a NetworkSummary,
    /// Its run.
    pub source: Source,
    /// Its arm.
    pub arm: String,
    /// Its title, with arm and seed.
    pub title: String,
}

impl NetworkAtEnd {
    /// The settings of the run whose network can be read, if there is one, and whether they are outdated.
    pub fn spec(&mut self, ctx: &Context, input: &ViewInput<'_>) -> Option<(Arc<RunSpec>, bool)> {
        let (subject, is_outdated) = self.subject(input).ok()?;
        let source = source_of(&subject, input);
        let is_there = subject.is_done || self.slider.has_stops(ctx, &source, input.runs.record(&subject.id));
        is_there.then_some((subject.spec, is_outdated))
    }

    /// The network, below its title; if there is none, draws why, and what the view shows.
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

    /// The run to show, and whether it has outdated settings: an edit of the plan removes nothing from the screen.
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

/// The run with its final weights. Until it is done, its wall time does not count: what it keeps never changes.
fn source_of(subject: &Subject, input: &ViewInput<'_>) -> Source {
    let record = input.runs.record(&subject.id).filter(|_| subject.is_done);
    let secs = record.map_or(0.0, |record| record.progress().secs);
    Source { folder: input.results.to_owned(), id: subject.id.clone(), secs, moment: Moment::End }
}

/// Whether a run is not done, but may have kept its network after a training.
pub fn keeps_rounds(run: &Run, runs: &Runs) -> bool {
    let is_on = |record: &RunRecord| !record.is_done() && record.steps().len() > 1;
    run.spec.train.record.rounds && runs.record(&run.id).is_some_and(is_on)
}

/// The run to show: the selected one, or the first of the selected arm that is done, or else that keeps rounds.
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

//! The network of the selected run at the end or after a round, which several views show: read once, in a thread.

use eframe::egui::{RichText, Ui};

use super::loading::{LoadState, Loading, Source};
use super::round_slider::{RoundSlider, Stop};
use super::{ViewInput, nothing_ui, waiting_ui};
use crate::doc::Run;
use crate::gui::selection::Selection;
use crate::results::RunState;
use crate::results::network::{NetworkSummary, at_moment};
use crate::run::summary::{Moment, read_summary_at};

/// The run whose network is shown.
#[derive(Clone)]
struct Subject {
    id: String,
    arm: String,
    arm_index: usize,
    seed: u64,
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
    /// Whether there is a run whose network can be read.
    pub fn is_there(&mut self, input: &ViewInput<'_>) -> bool {
        self.subject(input).is_ok()
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
        let secs = record.map_or(0.0, |record| record.progress().secs);
        let (folder, id) = (input.results.to_owned(), subject.id.clone());
        let end = Source { folder, id, secs, moment: Moment::End };
        let remark = if is_outdated { " · earlier settings" } else { "" };
        let title = |name: &str| at_moment(&subject.arm, subject.seed, name) + remark;
        let Stop { moment, name } = self.slider.ui(ui, &end, record);
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
            waiting_ui(ui);
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
                let (id, arm, seed) = (run.id.clone(), run.arm.clone(), run.seed);
                let subject = Subject { id, arm, arm_index: run.arm_index, seed };
                self.last = Some(subject.clone());
                Ok((subject, false))
            }
            Err(why) => {
                let is_listed = |last: &Subject| input.listed.iter().any(|run| run.id == last.id);
                let is_selected = |last: &Subject| match input.selection {
                    Selection::Run { id, .. } => *id == last.id,
                    other => other.arm() == Some(last.arm_index),
                };
                let is_kept = |last: &&Subject| {
                    is_selected(last) && !is_listed(last) && input.runs.state(&last.id) == RunState::Done
                };
                self.last.as_ref().filter(is_kept).map(|last| (last.clone(), true)).ok_or(why)
            }
        }
    }
}

/// The run to show: the selected one, or the first of the selected arm that is done.
fn chosen_run<'a>(input: &ViewInput<'a>) -> Result<&'a Run, String> {
    let is_done = |run: &&Run| input.runs.state(&run.id) == RunState::Done;
    if let Some(id) = input.selection.run() {
        let Some(run) = input.listed.iter().find(|run| run.id == *id) else {
            return Err("This run belongs to earlier settings. Select another one on the left.".to_owned());
        };
        if !is_done(&run) {
            let word = input.runs.word(id);
            return Err(format!("The selected run is {word}. Its network appears when the run is done."));
        }
        return Ok(run);
    }
    input.selected().find(is_done).ok_or_else(|| {
        let why = match input.selection.arm() {
            Some(_) => "No run of the selected arm is done yet. Press Run, or select another arm.",
            None => "Select an arm or a run on the left.",
        };
        why.to_owned()
    })
}

//! What the middle of the window can show beside plots: the network at the end of a run, as a table and as pictures.

mod campaign;
mod cells;
mod dry_run;
mod histogram;
mod layers;
pub(in crate::gui) mod loading;
mod picture;
mod tickets;
mod values;
mod weights;

use std::path::Path;

use eframe::egui::{Align, Layout, Response, RichText, Ui};

pub use dry_run::DryRun;

use super::runs::Runs;
use super::selection::Selection;
use super::theme;
use crate::doc::intervention::Set;
use crate::doc::{Run, RunState};
use crate::run::summary::{NetworkSummary, read_summary};
use campaign::Campaigns;
use loading::{Answer, Loading, Source};
use tickets::Tickets;
use weights::Weights;

/// What the middle shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum View {
    /// The chosen plot.
    #[default]
    Plot,
    /// The table of runs and differences between them.
    Runs,
    /// Layers of the network of the selected run, and its reports.
    Layers,
    /// Values of a parameter of the network of the selected run.
    Weights,
    /// Early stops and overlap of masks of the selected arm.
    Tickets,
    /// Fault campaigns of the selected run.
    Campaigns,
}

impl View {
    const BESIDE_PLOTS: [Self; 5] = [Self::Runs, Self::Layers, Self::Weights, Self::Tickets, Self::Campaigns];

    const fn title(self) -> &'static str {
        match self {
            Self::Plot => "Plot",
            Self::Runs => "Runs",
            Self::Layers => "Layers",
            Self::Weights => "Weights",
            Self::Tickets => "Tickets",
            Self::Campaigns => "Campaigns",
        }
    }

    const fn help(self) -> &'static str {
        match self {
            Self::Plot => "The chosen plot",
            Self::Runs => "All runs as a table: filter, sort, compare, note, archive",
            Self::Layers => {
                "What the plan did to the network of the selected run, layer by layer, and its checks"
            }
            Self::Weights => {
                "Values of a parameter of the selected run: which are left, which are held, and where"
            }
            Self::Tickets => {
                "When each training of the selected arm should have stopped, and how much the masks of its seeds have in common"
            }
            Self::Campaigns => {
                "Fault campaigns of the selected run: trials so far, intervals, and the worst faults"
            }
        }
    }
}

/// What a view knows of the window.
pub struct ViewInput<'a> {
    /// What is selected.
    pub selection: &'a Selection,
    /// Runs of the document.
    pub listed: &'a [Run],
    /// What is known of them.
    pub runs: &'a Runs,
    /// The folder of their results.
    pub results: &'a Path,
}

/// The run that a view is about.
#[derive(Clone)]
struct Subject {
    id: String,
    arm: String,
    arm_index: usize,
    seed: u64,
}

/// What the views keep between frames.
#[derive(Default)]
pub struct Views {
    /// What is open.
    pub open: View,
    /// What was shown last.
    last: Option<Subject>,
    summary: Loading<Source, NetworkSummary>,
    weights: Weights,
    tickets: Tickets,
    campaigns: Campaigns,
}

impl Views {
    /// Draws the tabs of the views that are no plots.
    pub fn tabs_ui(&mut self, ui: &mut Ui) {
        for view in View::BESIDE_PLOTS {
            ui.selectable_value(&mut self.open, view, view.title()).on_hover_text(view.help());
        }
    }

    /// Draws the open view into all the room there is; a stage that somebody wants in the plan of the selected arm.
    pub fn view_ui(&mut self, ui: &mut Ui, input: &ViewInput<'_>) -> Option<Set> {
        if self.open == View::Tickets {
            self.tickets.ui(ui, input);
            return None;
        }
        if self.open == View::Campaigns {
            self.campaigns.ui(ui, input);
            return None;
        }
        let (subject, is_earlier) = match self.subject(input) {
            Ok(found) => found,
            Err(why) => {
                nothing_ui(ui, self.open, &why);
                return None;
            }
        };
        let record = input.runs.record(&subject.id);
        let secs = record.map_or(0.0, |record| record.progress().secs);
        let source = Source { folder: input.results.to_owned(), id: subject.id.clone(), secs };
        let asked = source.clone();
        let read = move || read_summary(&asked.folder, &asked.id);
        let summary = match self.summary.get(&source, ui.ctx(), read) {
            Answer::Here(summary) => summary,
            Answer::Waiting => {
                waiting_ui(ui);
                return None;
            }
            Answer::Failed(why) => {
                nothing_ui(ui, self.open, &format!("It cannot be shown: {why}."));
                return None;
            }
        };
        let earlier = if is_earlier { " · earlier settings" } else { "" };
        let title = format!("{}, seed {}, at its end{earlier}", subject.arm, subject.seed);
        ui.label(RichText::new(title).strong());
        if self.open == View::Weights {
            return self.weights.ui(ui, summary, &source, &subject.arm);
        }
        layers::layers_ui(ui, summary, record.map_or(&[], |record| record.reports()));
        None
    }

    /// What to show, and whether it belongs to earlier settings: an edit of the plan takes nothing from the screen.
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

/// The run that a view is about: the one that is selected, or the first of the selected arm that is done.
fn chosen_run<'a>(input: &ViewInput<'a>) -> Result<&'a Run, String> {
    let is_done = |run: &&Run| input.runs.state(&run.id) == RunState::Done;
    if let Some(id) = input.selection.run() {
        let Some(run) = input.listed.iter().find(|run| run.id == *id) else {
            return Err("This run belongs to earlier settings. Select another one at the left.".to_owned());
        };
        if !is_done(&run) {
            let word = input.runs.word(id);
            return Err(format!("The selected run is {word}. Its network is shown when the run is done."));
        }
        return Ok(run);
    }
    let Some(arm) = input.selection.arm() else {
        return Err("Select a run at the left.".to_owned());
    };
    let first = input.listed.iter().filter(|run| run.arm_index == arm).find(is_done);
    first
        .ok_or_else(|| "No run of the selected arm is done yet. Press Run, or select another arm.".to_owned())
}

fn waiting_ui(ui: &mut Ui) {
    ui.horizontal(|ui| {
        ui.spinner();
        ui.label("Reading the weights…");
    });
}

fn nothing_ui(ui: &mut Ui, view: View, why: &str) {
    let room = ui.available_size();
    ui.allocate_ui_with_layout(room, Layout::top_down(Align::Center), |ui| {
        ui.add_space(room.y * 0.36);
        ui.label(why);
        ui.label(RichText::new(format!("{}.", view.help())).weak());
    });
}

/// A quiet line of a number and its meaning, right-aligned.
fn number_ui(ui: &mut Ui, text: impl Into<String>) -> Response {
    let right = Layout::right_to_left(Align::Center);
    let shown = ui.with_layout(right, |ui| {
        ui.add_space(theme::STEP);
        ui.label(text.into())
    });
    shown.inner
}

#[cfg(test)]
mod tests;

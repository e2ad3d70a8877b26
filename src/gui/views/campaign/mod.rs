//! Fault campaigns of a run: their progress, the estimates of each cell with intervals, and the worst trials.

mod open_trial;
mod trials;
mod worst;

use eframe::egui::{ComboBox, Grid, ProgressBar, RichText, ScrollArea, Ui};

use super::{Shared, View, ViewEntry, ViewInput, ViewResponse, nothing_ui, number_ui};
use crate::doc::Run;
use crate::doc::fault::{Format, Protect};
use crate::doc::fault_sites::CellPlan;
use crate::gui::{text, theme};
use crate::results::RunState;
use crate::results::campaign::{CampaignBegan, CampaignRecord, CellState, Estimate};
use crate::results::number::fixed;
use crate::results::tiles::Group;
use open_trial::OpenTrial;
pub use trials::TrialFilter;
use trials::TrialList;
use worst::worst_ui;

/// The state of the view between frames.
#[derive(Default)]
pub struct Campaigns {
    /// The index of the campaign in its run.
    chosen: usize,
    open_trial: OpenTrial,
    /// The trials of a cell of the heat map.
    trials: TrialList,
}

/// The view in the registry.
pub const ENTRY: ViewEntry = ViewEntry {
    name: "campaigns",
    title: "Campaigns",
    group: Group::Faults,
    help: "How often does a fault change a prediction, and how certain is that by now? \
           Fault campaigns of the selected run: trials so far, intervals, and the worst faults. Each row is a \
           cell of the campaign (a rate, bit or layer) with its trials and shares of outcomes; the intervals \
           shrink as trials come in. Below are the worst trials with their faulty entries and bits, and the \
           command that replays each. Choose a layer or a bit, or click a cell of Vulnerability, to see the \
           trials whose only fault was there, worst first. This view needs a Campaign stage in the plan, and \
           shows the first run of the selected arm that has started one.",
    make: || Box::<Campaigns>::default(),
};

impl View for Campaigns {
    fn ui(&mut self, ui: &mut Ui, input: &ViewInput<'_>, shared: &mut Shared<'_>) -> Option<ViewResponse> {
        if shared.trial_filter.is_chosen() {
            return self.trials.ui(ui, input, shared.trial_filter, &mut self.open_trial);
        }
        self.run_ui(ui, input, shared.trial_filter);
        None
    }
}

impl Campaigns {
    /// Draws the campaigns of the selected run, or of the first run of the selected arm that has one.
    fn run_ui(&mut self, ui: &mut Ui, input: &ViewInput<'_>, trial_filter: &mut TrialFilter) {
        let Some((run, campaigns)) = subject(input) else {
            let why = if input.selection.arm().is_none() && input.selection.run().is_none() {
                "Select an arm or a run on the left."
            } else {
                "No campaign has started here. Add a Campaign stage to the plan, and press Run."
            };
            return nothing_ui(ui, ENTRY.help, why);
        };
        self.chosen = self.chosen.min(campaigns.len() - 1);
        let campaign = &campaigns[self.chosen];
        ScrollArea::vertical().id_salt("campaign view").auto_shrink([false, false]).show(ui, |ui| {
            ui.label(RichText::new(format!("{}, seed {}", run.arm, run.seed)).strong());
            self.choice_ui(ui, campaigns);
            let is_running = input.runs.state(&run.id) == RunState::Running;
            head_ui(ui, campaign, is_running);
            ui.add_space(theme::STEP);
            ScrollArea::horizontal().id_salt("cells").auto_shrink([false, true]).show(ui, |ui| {
                cells_ui(ui, campaign);
            });
            ui.add_space(2.0 * theme::STEP);
            TrialList::choice_ui(ui, input, trial_filter);
            ui.add_space(theme::STEP);
            worst_ui(ui, input.results, &run.id, campaign, &mut self.open_trial);
        });
    }

    fn choice_ui(&mut self, ui: &mut Ui, campaigns: &[CampaignRecord]) {
        if campaigns.len() < 2 {
            ui.label(&campaigns[0].began.label);
            return;
        }
        ui.horizontal(|ui| {
            let label = ui.label("Campaign:");
            let combo = ComboBox::from_id_salt("campaign").selected_text(title(&campaigns[self.chosen]));
            let response = combo.show_ui(ui, |ui| {
                for (position, campaign) in campaigns.iter().enumerate() {
                    ui.selectable_value(&mut self.chosen, position, title(campaign));
                }
            });
            response.response.labelled_by(label.id);
        });
    }
}

/// The run whose campaigns are shown.
fn subject<'a>(input: &ViewInput<'a>) -> Option<(&'a Run, &'a [CampaignRecord])> {
    let campaigns = |run: &'a Run| {
        let found = input.runs.record(&run.id)?.campaigns();
        (!found.is_empty()).then_some((run, found))
    };
    input.selected().find_map(campaigns)
}

fn title(campaign: &CampaignRecord) -> String {
    format!("{}: {}", campaign.began.campaign, campaign.began.label)
}

/// Golden accuracies, progress, and whether the network is unchanged.
fn head_ui(ui: &mut Ui, campaign: &CampaignRecord, is_running: bool) {
    let began = &campaign.began;
    ui.label(golden(began));
    let all: u64 = began.cells.iter().map(|cell| cell.trials).sum();
    let done = campaign.trials();
    let counted = format!("{} of {} trials at most", text::grouped(done), text::grouped(all));
    let colours = theme::present(ui);
    match &campaign.ended {
        None if is_running => {
            let share = done as f32 / all.max(1) as f32;
            ui.add(ProgressBar::new(share).desired_height(theme::STEP).fill(colours.accent));
            ui.label(counted);
        }
        None => drop(ui.label(format!("{counted}; continues when the run does"))),
        Some(ended) => {
            let (sign, words, colour) = if ended.intact {
                (RunState::Done, "Golden network: bit-identical", colours.text)
            } else {
                (RunState::Failed(String::new()), "Golden network: changed", colours.bad)
            };
            let verdict = format!("{words} {}", text::sign(&sign));
            ui.label(RichText::new(verdict).color(colour).strong()).on_hover_text(&ended.checksum);
        }
    }
}

/// The accuracy without faults, and the cost of the protection and of the format.
fn golden(began: &CampaignBegan) -> String {
    let right = text::percent(began.golden_accuracy);
    let mut costs = Vec::new();
    if began.protect != Protect::Nothing {
        costs.push(format!("{} without the protection", text::percent(began.unprotected_accuracy)));
    }
    if began.format != Format::Float32 {
        let plain = text::percent(began.float32_accuracy);
        costs.push(format!("{plain} in float32: {} points", began.change_by_format()));
    }
    let costs = if costs.is_empty() { String::new() } else { format!(" ({})", costs.join("; ")) };
    format!("{} images, {right} right without faults{costs}", text::grouped(began.images))
}

const COLUMNS: [(&str, &str); 8] = [
    ("Cell", "The setting that this cell varies"),
    ("Trials", "Complete blocks so far; the tooltip has the planned number"),
    ("SDC-1", "Images whose top class changed, with the Wilson interval over trials"),
    ("DUE", "Images with NaN or infinity in the logits, with the Wilson interval"),
    ("Masked", "Images whose logits are bit-identical, with the Wilson interval"),
    ("Accuracy", "Mean over trials, with the bootstrap interval"),
    ("Median", "Median accuracy of the trials"),
    ("5–95 %", "5th and 95th percentile of the accuracy"),
];

fn cells_ui(ui: &mut Ui, campaign: &CampaignRecord) {
    let spacing = [2.0 * theme::STEP, 0.5 * theme::STEP];
    Grid::new("campaign cells").striped(true).spacing(spacing).show(ui, |ui| {
        for (name, help) in COLUMNS {
            theme::heading_ui(ui, name).on_hover_text(help);
        }
        ui.end_row();
        for (position, plan) in campaign.began.cells.iter().enumerate() {
            let of = |unprotected| campaign.states(unprotected).find(|state| state.cell == position);
            cell_ui(ui, &plan.name(), plan, of(false));
            if campaign.began.protect != Protect::Nothing {
                cell_ui(ui, "  unprotected", plan, of(true));
            }
        }
    });
}

fn cell_ui(ui: &mut Ui, name: &str, plan: &CellPlan, state: Option<&CellState>) {
    ui.label(name);
    let Some(state) = state else {
        number_ui(ui, "queued");
        ui.end_row();
        return;
    };
    let planned = format!(
        "{} possible faults; {} trials by Leveugle",
        text::grouped(plan.possible),
        text::grouped(plan.planned)
    );
    number_ui(ui, text::grouped(state.trials)).on_hover_text(planned);
    for estimate in [state.sdc1, state.due, state.masked, state.accuracy] {
        number_ui(ui, interval(estimate));
    }
    number_ui(ui, text::percent(state.median));
    number_ui(ui, format!("{} – {}", text::percent(state.p5), text::percent(state.p95)));
    ui.end_row();
}

/// A share with its interval: `3.12 % [2.01, 4.70]`.
fn interval(estimate: Estimate) -> String {
    let Estimate { value, low, high } = estimate;
    format!("{} [{}, {}]", text::percent(value), fixed(low * 100.0, 2), fixed(high * 100.0, 2))
}

#[cfg(test)]
mod tests;

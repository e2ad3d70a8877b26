//! The trials of a cell of the heat map of layers and bits: those whose only fault was there, worst first.

use std::collections::BTreeSet;
use std::path::PathBuf;

use eframe::egui::{Button, ComboBox, RichText, ScrollArea, Ui};

use super::open_trial::OpenTrial;
use crate::doc::Run;
use crate::gui::selection::Selection;
use crate::gui::views::loading::{LoadState, Loading};
use crate::gui::views::{ViewInput, ViewResponse, grid_ui, nothing_ui, number_ui, waiting_ui};
use crate::gui::{text, theme};
use crate::results::campaign::{CampaignRecord, Tally};
use crate::results::{RunRecord, RunState};
use crate::run::summary::{FaultFilter, FaultyTrial, FaultyTrials, SingleCells, read_faulty_trials};

/// The largest number of listed trials.
const MOST: usize = 100;
/// The choice of everything.
const ANY: &str = "any";
/// While a campaign is in progress, its tables are read again after this share of new trials: one in `GROWTH`.
const GROWTH: u64 = 8;

/// The place whose trials are shown; nothing is chosen at first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrialFilter {
    sought: FaultFilter,
    /// The runs of the heat map, with the selection for which they count.
    of: Option<(Selection, Vec<String>)>,
}

impl TrialFilter {
    /// A cell of the heat map of these runs.
    pub fn cell(layer: String, bit: u32, runs: Vec<String>, selection: Selection) -> Self {
        Self { sought: FaultFilter { layer: Some(layer), bit: Some(bit) }, of: Some((selection, runs)) }
    }

    /// Whether a layer or a bit is chosen.
    pub fn is_chosen(&self) -> bool {
        self.sought != FaultFilter::default()
    }

    /// The runs whose trials are shown.
    fn runs<'a>(&self, input: &ViewInput<'a>) -> Vec<&'a Run> {
        // An edit gives runs other identities, and another document has others.
        let is_listed = |id: &String| input.listed.iter().any(|run| run.id == *id);
        let is_present = |(selection, runs): &&(Selection, Vec<String>)| {
            selection == input.selection && runs.iter().any(is_listed)
        };
        let of = self.of.as_ref().filter(is_present);
        match of {
            Some((_, runs)) => input.listed.iter().filter(|run| runs.contains(&run.id)).collect(),
            None => input.selected().collect(),
        }
    }

    /// Its name: "layer fc1, bit b30".
    fn name(&self) -> String {
        let layer = self.sought.layer.as_ref().map(|layer| format!("layer {layer}"));
        let bit = self.sought.bit.map(|bit| format!("bit b{bit}"));
        layer.into_iter().chain(bit).collect::<Vec<_>>().join(", ")
    }
}

/// What to read: folder, place, runs with their cells, and the number of trials, rounded while it grows.
#[derive(Clone, Debug, PartialEq)]
struct TrialQuery {
    folder: PathBuf,
    sought: FaultFilter,
    runs: Vec<(String, Vec<SingleCells>)>,
    trials: u64,
}

impl TrialQuery {
    fn of(input: &ViewInput<'_>, sought: &FaultFilter, runs: &[&Run]) -> Self {
        let cells = |run: &&Run| {
            let campaigns = input.runs.record(&run.id).map_or(&[][..], RunRecord::campaigns);
            (run.id.clone(), campaigns.iter().filter_map(SingleCells::of).collect())
        };
        let campaigns = records(input, runs).flat_map(RunRecord::campaigns);
        let trials = campaigns.map(CampaignRecord::trials).sum();
        let grows = runs.iter().any(|run| input.runs.state(&run.id) == RunState::Running);
        Self {
            folder: input.results.to_owned(),
            sought: sought.clone(),
            runs: runs.iter().map(cells).collect(),
            trials: if grows { rounded(trials) } else { trials },
        }
    }

    /// Whether the answer to another query can be shown until this one is answered.
    fn continues(&self, other: &Self) -> bool {
        let ids = |query: &Self| query.runs.iter().map(|(id, _)| id.clone()).collect::<Vec<_>>();
        (&self.folder, &self.sought, ids(self)) == (&other.folder, &other.sought, ids(other))
    }
}

/// A number that grows by an eighth at a time.
const fn rounded(trials: u64) -> u64 {
    let step = match trials.checked_ilog2() {
        Some(log) => (1 << log) / GROWTH,
        None => 0,
    };
    match trials.checked_div(step) {
        Some(steps) => steps * step,
        None => trials,
    }
}

fn records<'a>(input: &'a ViewInput<'a>, runs: &'a [&Run]) -> impl Iterator<Item = &'a RunRecord> {
    runs.iter().filter_map(|run| input.runs.record(&run.id))
}

/// The state of the list between frames.
#[derive(Default)]
pub struct TrialList {
    read: Loading<TrialQuery, FaultyTrials>,
}

impl TrialList {
    /// Draws the choice of a layer and a bit; nothing if no trial has a single fault.
    pub fn choice_ui(ui: &mut Ui, input: &ViewInput<'_>, trial_filter: &mut TrialFilter) {
        let runs = trial_filter.runs(input);
        let (mut layers, mut bits) = (Vec::new(), BTreeSet::new());
        for campaign in records(input, &runs).flat_map(RunRecord::campaigns) {
            let mut faulty = BTreeSet::new();
            for outcome in campaign.states(false).flat_map(|state| &state.outcomes) {
                faulty.insert(outcome.layer);
                bits.extend(outcome.bit);
            }
            let names = campaign.began.layers.iter().enumerate();
            let names = names.filter(|(index, _)| faulty.contains(index)).map(|(_, name)| name.clone());
            layers.extend(names.filter(|name| !layers.contains(name)).collect::<Vec<_>>());
        }
        if layers.is_empty() && !trial_filter.is_chosen() {
            return;
        }
        ui.horizontal_wrapped(|ui| {
            ui.label("Trials with faults in")
                .on_hover_text("Shows the trials whose only fault was there, worst first");
            let sought = &mut trial_filter.sought;
            let names = layers.into_iter().map(|layer| (layer.clone(), layer));
            chosen_ui(ui, "layer", &mut sought.layer, names);
            let names = bits.into_iter().rev().map(|bit| (format!("b{bit}"), bit));
            chosen_ui(ui, "bit", &mut sought.bit, names);
        });
    }

    /// Draws the trials with the chosen fault, instead of the campaign.
    pub fn ui(
        &mut self,
        ui: &mut Ui,
        input: &ViewInput<'_>,
        trial_filter: &mut TrialFilter,
        open_trial: &mut OpenTrial,
    ) -> Option<ViewResponse> {
        let mut wanted = None;
        ui.horizontal_wrapped(|ui| {
            let back =
                ui.button("Back to Vulnerability").on_hover_text("Shows the heat map of layers and bits");
            wanted = back.clicked().then_some(ViewResponse::Show("vulnerability"));
            chip_ui(ui, trial_filter);
        });
        Self::choice_ui(ui, input, trial_filter);
        let runs = trial_filter.runs(input);
        if runs.is_empty() {
            nothing_ui(ui, super::ENTRY.help, "Select an arm or a run on the left.");
            return wanted;
        }
        if !trial_filter.is_chosen() {
            trial_filter.of = None;
            ui.ctx().request_repaint(); // the campaign comes back
            return wanted;
        }
        ScrollArea::both().id_salt("trials behind a cell").auto_shrink([false, false]).show(ui, |ui| {
            ui.label(RichText::new(names_of(&runs)).strong());
            ui.label(shares(&tally(input, &trial_filter.sought, &runs)));
            ui.add_space(theme::STEP);
            self.found_ui(ui, input, trial_filter, &runs, open_trial);
        });
        wanted
    }

    fn found_ui(
        &mut self,
        ui: &mut Ui,
        input: &ViewInput<'_>,
        trial_filter: &TrialFilter,
        runs: &[&Run],
        open_trial: &mut OpenTrial,
    ) {
        let query = TrialQuery::of(input, &trial_filter.sought, runs);
        let own = query.clone();
        let read = move || read_faulty_trials(&own.folder, &own.runs, &own.sought, MOST);
        let found = match self.read.get(&query, ui.ctx(), read) {
            LoadState::Failed(why) => return drop(ui.label(format!("They could not be read: {why}."))),
            LoadState::Ready(found) => Some(found),
            LoadState::Pending => None,
        };
        let found = found.cloned().or_else(|| {
            let (last, found) = self.read.last()?;
            query.continues(last).then(|| found.clone())
        });
        match found {
            None => waiting_ui(ui),
            Some(found) if found.count == 0 => drop(ui.label("No trial has its only fault there yet.")),
            Some(found) => {
                table_ui(ui, runs, &found, open_trial);
                let is_there = |trial: &FaultyTrial| {
                    open_trial.trial.as_ref().is_some_and(|(run, key)| (run, key) == (&trial.run, &trial.key))
                };
                if found.worst.iter().any(is_there) {
                    open_trial.ui(ui, input.results);
                }
            }
        }
    }
}

/// Draws a choice of one of the values, or any.
fn chosen_ui<T: Clone + PartialEq>(
    ui: &mut Ui,
    what: &str,
    chosen: &mut Option<T>,
    values: impl Iterator<Item = (String, T)>,
) {
    let values: Vec<_> = values.collect();
    let label = ui.label(what);
    let known = values.iter().find(|(_, value)| Some(value) == chosen.as_ref());
    let shown = known.map_or(if chosen.is_some() { "another" } else { ANY }, |(name, _)| name);
    let combo = ComboBox::from_id_salt(("faulty", what)).selected_text(shown).show_ui(ui, |ui| {
        ui.selectable_value(chosen, None, ANY);
        for (name, value) in &values {
            ui.selectable_value(chosen, Some(value.clone()), name);
        }
    });
    combo.response.labelled_by(label.id);
}

/// The chosen place; a click clears it.
fn chip_ui(ui: &mut Ui, trial_filter: &mut TrialFilter) {
    let colours = theme::present(ui);
    let name = trial_filter.name();
    let text = RichText::new(format!("{name} ×")).color(colours.on_accent);
    let chip = Button::new(text).fill(colours.accent).corner_radius(ui.spacing().interact_size.y / 2.0);
    let chip = ui.add(chip).accessible_name(format!("Clear {name}"));
    if chip
        .on_hover_text("Shows only trials whose only fault was there. Click to show the whole campaign")
        .clicked()
    {
        *trial_filter = TrialFilter::default();
    }
}

/// `dense, seeds 1, 2, 3`.
fn names_of(runs: &[&Run]) -> String {
    let arms = runs.chunk_by(|a, b| a.arm == b.arm);
    let names = arms.map(|runs| {
        let seeds: Vec<String> = runs.iter().map(|run| run.seed.to_string()).collect();
        let noun = if seeds.len() == 1 { "seed" } else { "seeds" };
        format!("{}, {noun} {}", runs[0].arm, seeds.join(", "))
    });
    names.collect::<Vec<_>>().join(" · ")
}

/// The trials at the place and their images, as in the heat map.
fn tally(input: &ViewInput<'_>, sought: &FaultFilter, runs: &[&Run]) -> (u64, Tally) {
    let mut sum = (0, Tally::default());
    for campaign in records(input, runs).flat_map(RunRecord::campaigns) {
        let is_layer = |layer: usize| {
            sought.layer.is_none() || campaign.began.layers.get(layer) == sought.layer.as_ref()
        };
        for outcome in campaign.states(false).flat_map(|state| &state.outcomes) {
            if is_layer(outcome.layer) && (sought.bit.is_none() || outcome.bit == sought.bit) {
                sum = (sum.0 + outcome.trials, sum.1 + outcome.tally);
            }
        }
    }
    sum
}

fn shares((trials, tally): &(u64, Tally)) -> String {
    if tally.images == 0 {
        return "No single fault there yet.".to_owned();
    }
    let share = |count: u64| text::percent(tally.share(count));
    format!(
        "{}: {} of images with SDC-1, {} with DUE, {} masked",
        text::counted(*trials, "single fault"),
        share(tally.sdc1),
        share(tally.due),
        share(tally.masked)
    )
}

fn table_ui(ui: &mut Ui, runs: &[&Run], found: &FaultyTrials, open_trial: &mut OpenTrial) {
    let several_arms = runs.iter().any(|run| run.arm != runs[0].arm);
    let name_of = |id: &str| match runs.iter().find(|run| run.id == *id) {
        Some(run) if several_arms => format!("{}, seed {}", run.arm, run.seed),
        Some(run) => format!("Seed {}", run.seed),
        None => id.to_owned(),
    };
    let columns = ["Run", "Trial", "SDC-1", "DUE", "Masked", "Accuracy", "Image", "Fault"];
    grid_ui(ui, "trials behind a cell", [2.0, 0.5], &columns, |ui| {
        for trial in &found.worst {
            ui.label(name_of(&trial.run));
            open_trial.choice_ui(ui, &trial.run, trial.key.clone(), name_of_trial(trial));
            trial_ui(ui, trial);
            ui.end_row();
        }
    });
    if found.count > found.worst.len() {
        let [shown, all] = [found.worst.len(), found.count].map(|count| text::grouped(count as u64));
        ui.label(format!("The worst {shown} of {all}; all are in trials.csv and faults.csv of each run."));
    }
    if found.worst.iter().any(|trial| trial.images_hit > 0) {
        ui.label("If each image had its own faults, the outcome covers all images of the trial.");
    }
}

/// `Trial 7, round 2`.
fn name_of_trial(trial: &FaultyTrial) -> String {
    let round = trial.key.round.map_or_else(String::new, |round| format!(", round {round}"));
    format!("Trial {}{round}", trial.key.trial)
}

/// The cells of a trial after its name: the outcomes of its images, then the fault.
fn trial_ui(ui: &mut Ui, trial: &FaultyTrial) {
    for count in [trial.sdc1, trial.due, trial.masked] {
        number_ui(ui, format!("{} of {}", text::grouped(count), text::grouped(trial.images)));
    }
    number_ui(ui, text::percent(trial.accuracy));
    let image = trial.fault.image.unwrap_or_default();
    number_ui(
        ui,
        match trial.images_hit {
            0 => "all".to_owned(),
            1 => image.to_string(),
            count => format!("{image} and {} more", count - 1),
        },
    );
    let words = trial.fault.fault.described(None);
    ui.label(RichText::new(words).monospace());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_growing_number_changes_by_an_eighth_at_a_time() {
        assert_eq!([0, 1, 7, 15, 16, 17, 1000].map(rounded), [0, 1, 7, 15, 16, 16, 960]);
        let steps: BTreeSet<u64> = (0..100_000).map(rounded).collect();
        assert!(steps.len() < 120, "{}", steps.len());
    }

    #[test]
    fn what_is_chosen_has_a_name() {
        let cell = TrialFilter::cell("fc1".to_owned(), 30, Vec::new(), Selection::Arm(0));
        assert_eq!((cell.name().as_str(), cell.is_chosen()), ("layer fc1, bit b30", true));
        assert_eq!((TrialFilter::default().name().as_str(), TrialFilter::default().is_chosen()), ("", false));
    }
}

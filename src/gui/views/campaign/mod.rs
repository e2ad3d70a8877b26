//! Fault campaigns of the selected runs: their trials as a list beside the opened trial, or the estimates of each
//! condition.

mod conditions;
mod detail;
#[cfg(test)]
mod tests;
mod trials;

use std::collections::BTreeSet;
use std::sync::Arc;

use eframe::egui::{
    Align, Button, Frame, Label, Layout, Panel, Rect, Response, RichText, ScrollArea, Ui, UiBuilder, vec2,
};

use super::data::ChangedImages;
use super::{Request, SELECT, Shared, Store, View, ViewEntry, ViewInput, loaded_ui, nothing_ui, parts_ui};
use crate::background::Latest;
use crate::icons::Icon;
use crate::plot::ListedFaults;
use crate::runs::Runs;
use crate::selection::Selection;
use crate::{text, theme, widgets};
use conditions::{conditions_ui, head_ui, progress_ui};
use detail::{Asked, Opened, TrialDetail};
use doc::Run;
use results::campaign::{CampaignRecord, ImageOutcome, Tally, choices};
use results::tiles::Group;
use results::{RunRecord, RunState, subject_of};
use run::summary::{FaultFilter, TrialKey};
use trials::{TrialId, TrialList, TrialQuery, TrialRows, id_of};

/// Below this width, the detail is below the list.
const SIDE_BY_SIDE: f32 = 700.0;

/// The state of the view between frames.
#[derive(Default)]
pub struct Campaigns {
    shown: Part,
    /// The name and the round of the campaigns whose trials are listed; none: all campaigns.
    chosen: Option<CampaignKey>,
    read: Latest<TrialQuery, Arc<TrialRows>>,
    list: TrialList,
    detail: TrialDetail,
    open: Option<TrialId>,
}

/// The name of a campaign, in the window or in the tables of its run, and the round of the innermost repetition.
type CampaignKey = (String, Option<u64>);

/// The part of the view that is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Part {
    #[default]
    Trials,
    Conditions,
}

/// The view in the registry.
pub const ENTRY: ViewEntry = ViewEntry {
    name: "campaigns",
    title: "Campaigns",
    group: Group::Faults,
    help: "What did each fault do? All trials of the fault campaigns of the selected run, setting or arm, worst first, and \
           beside them the trial that is opened: the weight, its value and bits before and after, the outcome of each \
           image, and the changed predictions. Click a heading to sort, choose a layer or a bit, or click a cell of \
           Vulnerability to see the trials whose only fault was there. Replay injects the faults again and compares \
           the logits bit for bit. Conditions has the estimates for each rate, bit or layer; their intervals shrink as \
           trials come in. This view needs a Campaign stage in the plan.",
    make: || Box::<Campaigns>::default(),
};

type Listed<'a> = (&'a Run, &'a CampaignRecord);

impl View for Campaigns {
    fn has_data(&self, listed: &[Run], runs: &Runs) -> bool {
        let has_campaign =
            |run: &Run| runs.record(&run.id).is_some_and(|record| !record.campaigns().is_empty());
        listed.iter().any(has_campaign)
    }

    fn subject(&self, input: &ViewInput<'_>, store: &Store) -> String {
        let runs = store
            .known::<TrialFilter>()
            .map_or_else(|| input.selected().collect(), |filter| filter.runs(input));
        subject_of(runs.iter().map(|run| (run.arm_index, run.arm.as_str(), run.seed)))
    }

    fn ui(&mut self, ui: &mut Ui, input: &ViewInput<'_>, shared: &mut Shared<'_>) -> Option<Request> {
        let filter: &mut TrialFilter = shared.store.of();
        if std::mem::take(&mut filter.is_new) {
            // The cell counts the trials of all rounds.
            (self.shown, self.chosen) = (Part::Trials, None);
        }
        let runs = filter.runs(input);
        let all = runs.iter().flat_map(|&run| {
            let campaigns = input.runs.record(&run.id).map_or(&[][..], RunRecord::campaigns);
            campaigns.iter().map(move |campaign| (run, campaign))
        });
        let all: Vec<Listed<'_>> = all.filter(|(_, campaign)| filter.has(campaign)).collect();
        if all.is_empty() {
            let is_selected = input.selection.arm().is_some() || input.selection.run().is_some();
            let none = "No campaign has started here. Add a Campaign stage to the plan, and press Run.";
            nothing_ui(ui, ENTRY.help, if is_selected { none } else { SELECT });
            return None;
        }
        self.chosen.take_if(|chosen| all.iter().all(|(_, campaign)| named(campaign) != *chosen));
        let (wanted, beside) = self.bar_ui(ui, input, filter, (&runs, &all));
        let mut listed = all;
        listed.retain(|(_, campaign)| self.chosen.as_ref().is_none_or(|chosen| named(campaign) == *chosen));
        let changed = match self.shown {
            Part::Conditions => {
                conditions_of(ui, input, &listed);
                None
            }
            Part::Trials => self.trials_ui(ui, beside, input, &filter.sought, (&runs, &listed)),
        };
        if let Some(changed) = changed {
            *shared.store.of() = Some(changed.under(input.selection));
            return Some(Request::Show("data"));
        }
        wanted
    }
}

/// Returns the name in the tables of its run.
fn key(campaign: &CampaignRecord) -> CampaignKey {
    (campaign.began.campaign.clone(), campaign.began.round)
}

/// Returns the name in the window.
fn named(campaign: &CampaignRecord) -> CampaignKey {
    (campaign.name.clone(), campaign.began.round)
}

impl Campaigns {
    /// Returns what is shown, of which campaign, layer and bit; also returns the room beside.
    fn bar_ui(
        &mut self,
        ui: &mut Ui,
        input: &ViewInput<'_>,
        trial_filter: &mut TrialFilter,
        (runs, all): (&[&Run], &[Listed<'_>]),
    ) -> (Option<Request>, Rect) {
        let mut wanted = None;
        let bar = ui.horizontal_wrapped(|ui| {
            let parts = [
                (Part::Trials, "Trials", "Every trial, with the fault and the outcome of its images"),
                (Part::Conditions, "Conditions", "The estimates for each rate, bit or layer, with intervals"),
            ];
            parts_ui(ui, &mut self.shown, &parts);
            let is_of_heat_map = trial_filter.of.is_some();
            self.campaign_ui(ui, all);
            if self.shown == Part::Trials {
                trial_filter.ui(ui, input, runs);
            }
            if is_of_heat_map {
                let back = ui.add(widgets::ghost(Icon::ArrowLeft, "Back to Vulnerability"));
                if back.on_hover_text("Shows the heat map of layers and bits").clicked() {
                    wanted = Some(Request::Show("vulnerability"));
                }
            }
        });
        let used = bar.response.rect;
        (wanted, used.with_min_x(used.right() + 2.0 * theme::STEP).with_max_x(ui.max_rect().right()))
    }

    /// Draws the choice of a campaign, where there are several.
    fn campaign_ui(&mut self, ui: &mut Ui, all: &[Listed<'_>]) {
        let named = all.iter().map(|(run, campaign)| (run.arm.as_str(), named(campaign), *campaign));
        let known = choices(named, CampaignRecord::title);
        if known.len() < 2 {
            return;
        }
        let shown = known.iter().find(|(key, _)| Some(key) == self.chosen.as_ref());
        let shown = shown.map_or("all", |(_, choice)| &choice.name);
        let label = ui.label("campaign");
        let combo = widgets::drop_down("campaign", shown).truncate().show_ui(ui, |ui| {
            ui.selectable_value(&mut self.chosen, None, "all");
            for (key, choice) in &known {
                let entry = ui.selectable_value(&mut self.chosen, Some(key.clone()), &choice.text);
                entry.on_hover_text(&choice.sentence);
            }
        });
        combo.response.labelled_by(label.id);
    }

    /// Draws the list of trials, with the opened one beside it or, in a narrow view, below it.
    fn trials_ui(
        &mut self,
        ui: &mut Ui,
        beside: Rect,
        input: &ViewInput<'_>,
        sought: &FaultFilter,
        (runs, listed): (&[&Run], &[Listed<'_>]),
    ) -> Option<ChangedImages> {
        let (query, facts) = TrialQuery::new(input, sought, (runs, listed));
        let asked = query.clone();
        let read = move || asked.read(&facts);
        let words = (ENTRY.help, "The trials could not be read");
        let (_, found) = loaded_ui(ui, words, &mut self.read, &query, read, |last| query.continues(last))?;
        let found = found.clone();
        let all: u64 = listed.iter().map(|(_, campaign)| campaign.trials()).sum();
        let count = format!("{} of {}", text::grouped(found.count as u64), text::grouped(all));
        summary_ui(ui, beside, [count, shares(&tally(listed, sought))]);
        if listed.iter().any(|(run, _)| input.runs.state(&run.id) == RunState::Running) {
            progress_ui(ui, listed.iter().map(|(_, campaign)| *campaign));
        }
        if found.rows.is_empty() {
            let of_place = "No trial has its only fault there yet.";
            ui.label(if sought.is_chosen() { of_place } else { "No trial is over yet." });
            return None;
        }
        let position = self.position(&found);
        let is_wide = ui.available_width() >= SIDE_BY_SIDE;
        let id = ui.scope_id().with(("trial detail", is_wide));
        let space = ui.available_size();
        let side = |panel: Panel, size: f32| {
            let panel = panel.resizable(true).frame(Frame::NONE.inner_margin(theme::STEP));
            panel.default_size(0.5 * size).size_range(0.25 * size..=0.75 * size)
        };
        let panel = if is_wide { side(Panel::right(id), space.x) } else { side(Panel::bottom(id), space.y) };
        let changed = panel.show(ui, |ui| self.detail_ui(ui, input, &found, position, listed)).inner;
        let clicked = self.list.ui(ui, &found, self.open.as_ref());
        if clicked.is_some() {
            self.open = clicked;
        }
        if found.count > found.rows.len() {
            let [shown, all] = [found.rows.len(), found.count].map(|count| text::grouped(count as u64));
            ui.label(format!(
                "The worst {shown} of {all}; all are in trials.csv and faults.csv of each run."
            ));
        }
        changed
    }

    /// Returns the position of the opened trial in the list; without one in the list, the first is opened.
    fn position(&mut self, found: &Arc<TrialRows>) -> usize {
        let order = self.list.order(found);
        let is_open = |index: &usize| {
            let trial = &found.rows[*index].trial;
            self.open.as_ref().is_some_and(|(run, key)| *key == trial.key && *run == trial.run)
        };
        if let Some(position) = order.iter().position(is_open) {
            return position;
        }
        self.open = order.first().map(|first| id_of(&found.rows[*first]));
        self.list.show(0);
        0
    }

    fn detail_ui(
        &mut self,
        ui: &mut Ui,
        input: &ViewInput<'_>,
        found: &Arc<TrialRows>,
        position: usize,
        listed: &[Listed<'_>],
    ) -> Option<ChangedImages> {
        let order = self.list.order(found);
        let row = &found.rows[order[position]];
        let TrialKey { campaign: name, round, .. } = &row.trial.key;
        let own = listed.iter().find(|(run, campaign)| {
            run.id == row.trial.run && (&campaign.began.campaign, &campaign.began.round) == (name, round)
        });
        let work = own.map_or(0, |(run, campaign)| {
            let of_image = run.spec.structure().map_or(0, |structure| structure.multiply_adds());
            campaign.began.images.saturating_mul(of_image)
        });
        let opened = Opened {
            row,
            campaign: own.map(|(_, campaign)| *campaign),
            work,
            has_neighbours: [position > 0, position + 1 < order.len()],
        };
        let next = match self.detail.ui(ui, input.results, &opened)? {
            Asked::Pictures(changed) => return Some(changed),
            Asked::Previous => position - 1,
            Asked::Next => position + 1,
        };
        self.open = Some(id_of(&found.rows[order[next]]));
        self.list.show(next);
        None
    }
}

/// Draws the estimates of all conditions, campaign by campaign.
fn conditions_of(ui: &mut Ui, input: &ViewInput<'_>, listed: &[Listed<'_>]) {
    ScrollArea::vertical().id_salt("conditions").auto_shrink([false, false]).show(ui, |ui| {
        for (at, (run, campaign)) in listed.iter().enumerate() {
            ui.push_id(at, |ui| {
                let name = doc::named(&run.arm, run.seed);
                ui.label(RichText::new(name).font(theme::medium(theme::NAME)));
                ui.label(format!("{}: {}", campaign.title(), campaign.began.label));
                head_ui(ui, campaign, input.runs.state(&run.id) == RunState::Running);
                ui.add_space(theme::STEP);
                conditions_ui(ui, campaign);
                ui.add_space(3.0 * theme::STEP);
            });
        }
    });
}

/// Room that the summary needs beside the bar.
const SUMMARY: f32 = 420.0;

/// Draws what the listed trials amount to: how many there are, and the shares of outcomes with their definitions. In
/// the room beside the bar, or else below it.
pub fn summary_ui(ui: &mut Ui, beside: Rect, words: [String; 2]) {
    let ink = theme::present(ui).text2;
    let [count, shares] = words.map(|text| RichText::new(text).size(theme::SMALL).color(ink));
    let is_beside = beside.width() >= SUMMARY && beside.height() < 1.5 * theme::CONTROL;
    let row = Rect::from_min_size(ui.cursor().min, vec2(ui.available_width(), theme::CONTROL));
    let row = if is_beside { beside } else { row };
    let row = UiBuilder::new().max_rect(row).layout(Layout::right_to_left(Align::Center));
    ui.scope_builder(row, |ui| {
        ui.add(Label::new(count).selectable(false)).on_hover_text("Listed trials, of all trials so far");
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            let definitions = ImageOutcome::ALL.map(ImageOutcome::definition);
            ui.add(Label::new(shares).selectable(false).truncate()).on_hover_text(definitions.join("\n\n"));
        });
    });
}

/// Returns the trials at the place and their images, as in the heat map; without a place, all trials.
pub fn tally(listed: &[Listed<'_>], sought: &FaultFilter) -> (u64, Tally) {
    let mut sum = (0, Tally::default());
    for (_, campaign) in listed {
        for state in campaign.states(false) {
            if !sought.is_chosen() {
                sum = (sum.0 + state.trials, sum.1 + state.tally);
                continue;
            }
            for outcome in &state.outcomes {
                let layer = campaign.began.layers.get(outcome.layer);
                let is_layer = sought.layer.is_none() || layer == sought.layer.as_ref();
                if is_layer && (sought.bit.is_none() || outcome.bit == sought.bit) {
                    sum = (sum.0 + outcome.trials, sum.1 + outcome.tally);
                }
            }
        }
    }
    sum
}

/// Returns the shares of outcomes in words.
pub fn shares((trials, tally): &(u64, Tally)) -> String {
    if tally.images == 0 {
        return String::new();
    }
    let share = |count: u64| text::percent(tally.share(count));
    format!(
        "{}: {} of images masked, {} with SDC-1, {} with DUE",
        text::counted(*trials, "trial"),
        share(tally.masked),
        share(tally.sdc1),
        share(tally.due)
    )
}

/// The choice of everything.
const ANY: &str = "any";

/// The place whose trials are shown; nothing is chosen at first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrialFilter {
    sought: FaultFilter,
    /// The campaign and the runs of the heat map, with the selection for which they count; nothing unless one of its cells
    /// was opened and is still chosen.
    of: Option<(Selection, String, Vec<String>)>,
    /// True if the cell was opened in this frame: its trials are listed, of all rounds of its campaign.
    is_new: bool,
}

impl TrialFilter {
    /// Lists the trials of a cell of the heat map of these runs.
    pub fn cell(ListedFaults { layer, bit, campaign, runs }: ListedFaults, selection: Selection) -> Self {
        let sought = FaultFilter { layer: Some(layer), bit: Some(bit) };
        Self { sought, of: Some((selection, campaign, runs)), is_new: true }
    }

    /// Returns the faults, if both layer and bit are chosen; with the runs of the heat map while these are shown.
    pub fn place(&self, selection: &Selection) -> Option<ListedFaults> {
        let (layer, bit) = self.sought.layer.clone().zip(self.sought.bit)?;
        let of = self.of.as_ref().filter(|(of, ..)| of == selection);
        let (campaign, runs) = of.map(|(_, name, runs)| (name.clone(), runs.clone())).unwrap_or_default();
        Some(ListedFaults { layer, bit, campaign, runs })
    }

    /// Returns true if the trials of a campaign are shown: those that the heat map counts, or all.
    fn has(&self, campaign: &CampaignRecord) -> bool {
        let name = self.of.as_ref().map_or("", |(_, name, _)| name);
        name.is_empty() || name == campaign.name
    }

    /// Returns the runs whose trials are shown.
    fn runs<'a>(&self, input: &ViewInput<'a>) -> Vec<&'a Run> {
        // An edit gives runs other identities, and another document has others.
        let is_listed = |id: &String| input.listed.iter().any(|run| run.id == *id);
        match &self.of {
            Some((selection, _, runs)) if selection == input.selection && runs.iter().any(is_listed) => {
                input.listed.iter().filter(|run| runs.contains(&run.id)).collect()
            }
            _ => input.selected().collect(),
        }
    }

    /// Draws the chosen layer and bit as chips that a click removes, and a menu for each that is not chosen; no menu where
    /// no trial has a single fault.
    fn ui(&mut self, ui: &mut Ui, input: &ViewInput<'_>, runs: &[&Run]) {
        let (layers, bits) = places(input, runs);
        let names = layers.into_iter().map(|layer| (layer.clone(), layer)).collect();
        place_ui(ui, "layer", &mut self.sought.layer, names);
        let names = bits.into_iter().rev().map(|bit| (format!("b{bit}"), bit)).collect();
        place_ui(ui, "bit", &mut self.sought.bit, names);
        if !self.sought.is_chosen() {
            self.of = None;
        }
    }
}

/// Returns the layers, in the order of the network, and the bits that a single fault hit.
fn places(input: &ViewInput<'_>, runs: &[&Run]) -> (Vec<String>, BTreeSet<u32>) {
    let (mut layers, mut bits) = (Vec::new(), BTreeSet::new());
    let records = runs.iter().filter_map(|run| input.runs.record(&run.id));
    for campaign in records.flat_map(RunRecord::campaigns) {
        let mut faulty = BTreeSet::new();
        for outcome in campaign.states(false).flat_map(|state| &state.outcomes) {
            faulty.insert(outcome.layer);
            bits.extend(outcome.bit);
        }
        let names = campaign.began.layers.iter().enumerate();
        let names = names.filter(|(index, _)| faulty.contains(index)).map(|(_, name)| name.clone());
        layers.extend(names.filter(|name| !layers.contains(name)).collect::<Vec<_>>());
    }
    (layers, bits)
}

/// Draws a chip if a value is chosen, otherwise a menu of the values.
fn place_ui<T: Clone + PartialEq + ToString>(
    ui: &mut Ui,
    what: &str,
    chosen: &mut Option<T>,
    values: Vec<(String, T)>,
) {
    if let Some(value) = chosen {
        let known = values.iter().find(|(_, other)| other == value);
        let name = known.map_or_else(|| value.to_string(), |(name, _)| name.clone());
        let help = "Lists only trials whose only fault was there. Click to list others too";
        if chip_ui(ui, &format!("{what} {name}")).on_hover_text(help).clicked() {
            *chosen = None;
        }
        return;
    }
    if values.is_empty() {
        return;
    }
    let label = ui.label(what);
    let combo = widgets::drop_down(("faulty", what), ANY).width(64.0).show_ui(ui, |ui| {
        ui.selectable_value(chosen, None, ANY);
        for (name, value) in values {
            ui.selectable_value(chosen, Some(value), name);
        }
    });
    combo.response.labelled_by(label.id).on_hover_text("Lists only trials whose only fault was there");
}

/// Returns what is chosen, with a cross: a click takes it away.
fn chip_ui(ui: &mut Ui, name: &str) -> Response {
    let chip = Button::new((name, Icon::X.atom(theme::SMALL)));
    let chip = chip.corner_radius(theme::CONTROL / 2.0).min_size(vec2(0.0, theme::CONTROL));
    ui.add(chip).accessible_name(format!("Clear {name}"))
}

//! Which trials are listed: those of a layer or a bit, of the runs of a heat map or of the selection.

use std::collections::BTreeSet;

use eframe::egui::{Button, Response, Ui, vec2};

use crate::icons::Icon;
use crate::plot::ListedFaults;
use crate::selection::Selection;
use crate::views::ViewInput;
use crate::{theme, widgets};
use doc::Run;
use results::RunRecord;
use results::campaign::CampaignRecord;
use run::summary::FaultFilter;

/// The choice of everything.
const ANY: &str = "any";

/// The place whose trials are shown; nothing is chosen at first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrialFilter {
    pub(super) sought: FaultFilter,
    /// The stage and the runs of the heat map, with the selection for which they count.
    of: Option<(Selection, String, Vec<String>)>,
    /// Whether the cell was opened in this frame: its trials are listed, of all campaigns of its stage.
    pub(super) is_new: bool,
}

impl TrialFilter {
    /// A cell of the heat map of these runs.
    pub fn cell(ListedFaults { layer, bit, stage, runs }: ListedFaults, selection: Selection) -> Self {
        let sought = FaultFilter { layer: Some(layer), bit: Some(bit) };
        Self { sought, of: Some((selection, stage, runs)), is_new: true }
    }

    /// The faults, if both layer and bit are chosen; with the runs of the heat map while these are shown.
    pub fn place(&self, selection: &Selection) -> Option<ListedFaults> {
        let (layer, bit) = self.sought.layer.clone().zip(self.sought.bit)?;
        let of = self.of.as_ref().filter(|(of, ..)| of == selection);
        let (stage, runs) = of.map(|(_, stage, runs)| (stage.clone(), runs.clone())).unwrap_or_default();
        Some(ListedFaults { layer, bit, stage, runs })
    }

    /// Whether a cell of the heat map was opened, and is still chosen.
    pub(super) const fn is_of_heat_map(&self) -> bool {
        self.of.is_some()
    }

    /// Whether the trials of a campaign are shown: those of the stage of the heat map, or all.
    pub(super) fn has(&self, campaign: &CampaignRecord) -> bool {
        let is_of = |(_, stage, _): &(Selection, String, Vec<String>)| {
            stage.is_empty() || *stage == campaign.began.place()
        };
        self.of.as_ref().is_none_or(is_of)
    }

    /// The runs whose trials are shown.
    pub(super) fn runs<'a>(&self, input: &ViewInput<'a>) -> Vec<&'a Run> {
        // An edit gives runs other identities, and another document has others.
        let is_listed = |id: &String| input.listed.iter().any(|run| run.id == *id);
        let is_present = |(selection, _, runs): &&(Selection, String, Vec<String>)| {
            selection == input.selection && runs.iter().any(is_listed)
        };
        let of = self.of.as_ref().filter(is_present);
        match of {
            Some((_, _, runs)) => input.listed.iter().filter(|run| runs.contains(&run.id)).collect(),
            None => input.selected().collect(),
        }
    }

    /// Draws the chosen layer and bit as chips that a click removes, and a menu for each that is not chosen; no menu where
    /// no trial has a single fault.
    pub(super) fn ui(&mut self, ui: &mut Ui, input: &ViewInput<'_>, runs: &[&Run]) {
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

/// The layers, in the order of the network, and the bits that a single fault hit.
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

/// A chip if a value is chosen, otherwise a menu of the values.
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

/// What is chosen, with a cross: a click takes it away.
fn chip_ui(ui: &mut Ui, name: &str) -> Response {
    let chip = Button::new((name, Icon::X.atom(theme::SMALL)));
    let chip = chip.corner_radius(theme::CONTROL / 2.0).min_size(vec2(0.0, theme::CONTROL));
    ui.add(chip).accessible_name(format!("Clear {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use results::campaign::CampaignBegan;

    #[test]
    fn a_cell_of_the_heat_map_is_a_layer_and_a_bit() {
        let faults = ListedFaults {
            layer: "fc1".to_owned(),
            bit: 30,
            stage: "Stage 3".to_owned(),
            runs: vec!["x".to_owned()],
        };
        let cell = TrialFilter::cell(faults.clone(), Selection::Arm(0));
        assert_eq!(cell.place(&Selection::Arm(0)), Some(faults));
        let of = |stage: &str| {
            let stage = stage.to_owned();
            CampaignRecord::new(CampaignBegan { stage, ..CampaignBegan::default() })
        };
        assert!(cell.has(&of("2")) && !cell.has(&of("3")) && TrialFilter::default().has(&of("3")));
        let elsewhere = cell.place(&Selection::Arm(1)).unwrap();
        assert!(elsewhere.runs.is_empty(), "another selection has other runs");
        assert_eq!(cell.sought, FaultFilter { layer: Some("fc1".to_owned()), bit: Some(30) });
        assert!(cell.is_of_heat_map() && !TrialFilter::default().is_of_heat_map());
    }
}

//! The menu of stages that can be added, made from the registries of stages and of what they carry.

use eframe::egui::Ui;

use doc::Stage;
use form::{Choice, Node};

/// A stage that can be added.
pub(super) struct StageEntry {
    pub label: &'static str,
    pub help: &'static str,
    pub stage: Stage,
    /// Whether it changes weights: those stand together.
    pub is_intervention: bool,
}

/// All stages with their default settings. A stage with several alternatives has one entry for each of them.
pub(super) fn entries() -> Vec<StageEntry> {
    let mut entries = Vec::new();
    for stage in Stage::all() {
        let mut probe = stage.clone();
        let variant = probe.variant();
        let alternatives = match probe.payload().map(|payload| payload.node()) {
            Some(Node::Choice(choice)) => choice.variants(),
            _ => &[],
        };
        for (index, alternative) in alternatives.iter().enumerate() {
            let mut stage = stage.clone();
            if let Some(Node::Choice(choice)) = stage.payload().map(|payload| payload.node()) {
                choice.select(index);
            }
            let (label, help) = (alternative.label, alternative.help);
            entries.push(StageEntry { label, help, stage, is_intervention: true });
        }
        if alternatives.is_empty() {
            let (label, help) = (variant.label, variant.help);
            entries.push(StageEntry { label, help, stage, is_intervention: false });
        }
    }
    entries
}

/// Draws the menu. Returns the stage that was chosen.
pub(super) fn menu_ui(ui: &mut Ui) -> Option<Stage> {
    let mut chosen = None;
    for are_interventions in [false, true] {
        if are_interventions {
            ui.separator();
        }
        for entry in entries().into_iter().filter(|entry| entry.is_intervention == are_interventions) {
            if ui.button(entry.label).on_hover_text(entry.help).clicked() {
                chosen = Some(entry.stage);
                ui.close();
            }
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use doc::Intervention;

    #[test]
    fn every_stage_and_every_intervention_can_be_added() {
        let entries = entries();
        assert_eq!(entries.len(), Stage::all().len() - 1 + Intervention::all().len());
        let mut labels: Vec<&str> = entries.iter().map(|entry| entry.label).collect();
        labels.sort_unstable();
        labels.dedup();
        assert_eq!(labels.len(), entries.len(), "no two entries are called the same");
    }
}

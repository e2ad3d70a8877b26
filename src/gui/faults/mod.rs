//! What the form of a fault or a campaign shows beside its settings: the bits of the number format, and what it will cost.

mod bits;
mod planned;

use eframe::egui::Ui;

use super::theme;
use doc::fault::Vary;
use doc::{Intervention, Run, Stage};

/// Draws what belongs to a stage that injects faults; nothing for others.
pub fn stage_ui(ui: &mut Ui, stage: &mut Stage, run: Option<&Run>) {
    let (fault, varied) = match stage {
        Stage::Do(Intervention::Fault(fault)) => (fault, None),
        Stage::Campaign(campaign) => {
            let varied = match &mut campaign.vary {
                Vary::Bit(bits) => Some(bits),
                Vary::Nothing | Vary::Rate(_) | Vary::Layer => None,
            };
            (&mut campaign.fault, varied)
        }
        Stage::Do(_)
        | Stage::Train(_)
        | Stage::Test
        | Stage::Repeat(_)
        | Stage::Branch(_)
        | Stage::Connect(_)
        | Stage::Ensemble(_) => return,
    };
    ui.add_space(2.0 * theme::STEP);
    bits::bits_ui(ui, fault, varied);
    if let (Stage::Campaign(campaign), Some(run)) = (stage, run) {
        ui.add_space(2.0 * theme::STEP);
        planned::planned_ui(ui, campaign, run);
    }
}

//! Checks of a campaign: that its settings go together, and that there are sites.

use super::Walk;
use crate::doc::fault::{Campaign, FaultAmount, FaultSource, Trials, Vary};
use crate::form::path::Place;
use crate::intervene::fault::model::Unit;

impl Walk<'_> {
    pub(super) fn campaign(&mut self, campaign: &Campaign, place: &Place) {
        let fault = place.key("fault");
        let changes_values = matches!(campaign.fault.model.unit(), Unit::Value);
        self.vary(campaign, changes_values, place);
        self.trials(campaign, place);
        if let FaultSource::File(file) = &campaign.faults {
            self.fault_target(&campaign.fault, &fault);
            if file.trim().is_empty() {
                self.error(place.key("faults").variant("File"), "name the file of the list".to_owned());
            }
            if campaign.vary != Vary::Nothing {
                let message = "a list says itself what is struck; leave vary out, or draw the faults";
                self.error(place.key("vary"), message.to_owned());
            }
            if matches!(campaign.trials, Trials::Exhaustive | Trials::Until(_)) {
                let message = "a list says itself how many trials there are; leave trials out";
                self.error(place.key("trials"), message.to_owned());
            }
        } else {
            self.sites(campaign, &fault, place);
        }
    }

    fn vary(&mut self, campaign: &Campaign, changes_values: bool, place: &Place) {
        let place = place.key("vary");
        let format = campaign.fault.format;
        match &campaign.vary {
            Vary::Rate(rates) if rates.is_empty() => {
                self.error(place, "there is no rate to vary; list one or more".to_owned());
            }
            Vary::Bit(bits) if bits.is_empty() => {
                self.error(place, "there is no bit to vary; list one or more".to_owned());
            }
            Vary::Bit(_) if changes_values => {
                let message = format!(
                    "{} strikes whole values, which have no single bits to vary; vary rates or layers",
                    campaign.fault.model.label()
                );
                self.error(place, message);
            }
            Vary::Bit(bits) => {
                let beyond: Vec<usize> = (0..bits.len()).filter(|&at| bits[at] >= format.bits()).collect();
                let Some(&first) = beyond.first() else { return };
                let named: Vec<String> = beyond.iter().map(|&at| bits[at].to_string()).collect();
                let plural = if beyond.len() == 1 { "" } else { "s" };
                let message = format!(
                    "{} has bits 0 to {}, and no bit{plural} {}",
                    format.label(),
                    format.bits() - 1,
                    named.join(", ")
                );
                self.error(place.variant("Bit").index(first), message);
            }
            Vary::Nothing | Vary::Rate(_) | Vary::Layer => {}
        }
    }

    fn trials(&mut self, campaign: &Campaign, place: &Place) {
        if campaign.trials != Trials::Exhaustive {
            return;
        }
        if matches!(campaign.vary, Vary::Rate(_)) || campaign.fault.amount != FaultAmount::Count(1) {
            let message =
                "an exhaustive campaign strikes one fault at a time; set amount: Count(1), and vary no rates";
            self.error(place.key("trials"), message.to_owned());
        }
        if campaign.fault.is_in_activations() {
            let message = "activations differ from image to image, so their faults are drawn; set trials: Fixed(…) or Until(…)";
            self.error(place.key("trials"), message.to_owned());
        }
    }
}

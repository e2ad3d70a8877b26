//! Checks of a campaign: that its settings go together, and that something can be struck.

use super::Walk;
use crate::doc::fault::{Campaign, FaultAmount, FaultSource, Trials, Vary};
use crate::doc::intervention::Params;
use crate::doc::structure::Role;
use crate::doc::targets;
use crate::form::path::Place;
use crate::intervene::fault::model::Unit;
use crate::intervene::fault::{Bits, Format, Region};

impl Walk<'_> {
    pub(super) fn campaign(&mut self, campaign: &Campaign, place: &Place) {
        let fault = place.key("fault");
        self.target(&campaign.fault.target, &fault.key("target"));
        let strikes_values = matches!(campaign.fault.model.unit(), Unit::Value);
        if campaign.fault.format == Format::Int8 && strikes_flows(campaign) {
            let message = "activations have no int8 scale; choose float16, bfloat16 or float32";
            self.error(fault.key("format"), message.to_owned());
        }
        self.vary(campaign, strikes_values, place);
        self.trials(campaign, place);
        if let FaultSource::File(file) = &campaign.faults {
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
            self.sites(campaign, &fault);
        }
    }

    fn vary(&mut self, campaign: &Campaign, strikes_values: bool, place: &Place) {
        let place = place.key("vary");
        let format = campaign.fault.format;
        match &campaign.vary {
            Vary::Rate(rates) if rates.is_empty() => {
                self.error(place, "there is no rate to vary; list one or more".to_owned());
            }
            Vary::Bit(bits) if bits.is_empty() => {
                self.error(place, "there is no bit to vary; list one or more".to_owned());
            }
            Vary::Bit(_) if strikes_values => {
                let message = format!(
                    "{} strikes whole values, which have no single bits to vary; vary rates or layers",
                    campaign.fault.model.label()
                );
                self.error(place, message);
            }
            Vary::Bit(bits) => {
                for (index, bit) in bits.iter().enumerate().filter(|(_, bit)| **bit >= format.bits()) {
                    let message =
                        format!("{} has bits 0 to {}, and no bit {bit}", format.label(), format.bits() - 1);
                    self.error(place.variant("Bit").index(index), message);
                }
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
        if strikes_flows(campaign) {
            let message = "activations differ from image to image, so their faults are drawn; set trials: Fixed(…) or Until(…)";
            self.error(place.key("trials"), message.to_owned());
        }
    }

    /// Something must be there that can be struck; activations are always.
    pub(super) fn sites(&mut self, campaign: &Campaign, place: &Place) {
        if strikes_flows(campaign) {
            return;
        }
        let fault = &campaign.fault;
        let chosen = targets::parameters(self.structure, &fault.target, &Params::Weights);
        if chosen.is_empty() {
            let message = "the target holds no parameter of this network; choose other layers or parameters";
            return self.error(place.key("target"), message.to_owned());
        }
        let bits = if matches!(campaign.vary, Vary::Bit(_)) { Bits::All } else { fault.bits };
        let sites = |&index: &usize| {
            let parameter = &self.structure.parameters[index];
            let format = fault.format.of_parameter(parameter.role == Role::Weight);
            Region::new(index, parameter.len(), format, fault.model, bits).sites()
        };
        let sites: u64 = chosen.iter().map(sites).sum();
        if sites == 0 {
            let message = format!("{} has none of these bits; choose others", fault.format.label());
            return self.error(place.key("bits"), message);
        }
        if let FaultAmount::Count(count) = fault.amount
            && count > sites
            && !matches!(campaign.vary, Vary::Rate(_))
        {
            let message = format!("{count} faults are wanted at once, and the target has {sites} sites");
            self.error(place.key("amount"), message);
        }
    }
}

fn strikes_flows(campaign: &Campaign) -> bool {
    matches!(campaign.fault.target.params, Some(Params::Activations | Params::Preactivations))
}

//! Checks of a fault that stays in place: that something can be struck, and that what follows can be done with it.

use super::Walk;
use crate::doc::fault::{Campaign, Draw, Fault, Format};
use crate::doc::intervention::{Held, Params, Release};
use crate::form::path::Place;
use crate::intervene::fault::Region;

impl Walk<'_> {
    pub(super) fn fault(&mut self, fault: &Fault, place: &Place) {
        self.in_place.push(fault.draw);
        if !matches!(fault.target.params, Some(Params::Activations | Params::Preactivations)) {
            let before = self.problems.len();
            self.entries(&fault.target, &Params::Weights, &place.key("target"));
            if self.problems.len() == before {
                self.sites(&Campaign { fault: fault.clone(), ..Campaign::default() }, place);
            }
            return;
        }
        self.target(&fault.target, &place.key("target"));
        if fault.format == Format::Int8 {
            let message = "activations have no int8 scale; choose float16, bfloat16 or float32";
            self.error(place.key("format"), message.to_owned());
        } else if Region::new(0, 1, fault.format, fault.model, fault.bits).sites() == 0 {
            let message = format!("{} has none of these bits; choose others", fault.format.label());
            self.error(place.key("bits"), message);
        }
    }

    /// Faults that are let go in a part only are counted as gone; the run itself knows better.
    pub(super) fn release(&mut self, release: &Release, place: &Place) {
        if release.what.contains(&Held::Faults) {
            self.in_place.clear();
        }
        if release.what == [Held::Faults] {
            self.target(&release.target, &place.key("target"));
        } else {
            self.entries(&release.target, &Params::Everything, &place.key("target"));
        }
    }

    /// A campaign measures against the network without faults.
    pub(super) fn no_fault_in_place(&mut self, place: &Place) {
        if !self.in_place.is_empty() {
            let message = "a fault is in place, and a campaign puts its own into a network without any; put Do(Release(what: [Faults])) before it";
            self.error(place.clone(), message.to_owned());
        }
    }

    /// Training sees a batch at a time.
    pub(super) fn no_fault_for_each_image(&mut self, place: &Place) {
        if self.in_place.contains(&Draw::EveryImage) {
            let message = "a fault that is drawn for every image is in place, and training sees a batch at a time (batch norm would see one image); use draw: EveryForward, or put Do(Release(what: [Faults])) before it";
            self.error(place.clone(), message.to_owned());
        }
    }
}

//! Checks of a fault that stays in place: that there are sites, and that what follows can be done with it.

use super::Walk;
use crate::doc::fault::{Campaign, Draw, Fault};
use crate::doc::intervention::{Held, Params, Release};
use crate::form::path::Place;

impl Walk<'_> {
    pub(super) fn fault(&mut self, fault: &Fault, place: &Place) {
        self.in_place.push(fault.draw);
        self.sites(&Campaign { fault: fault.clone(), ..Campaign::default() }, place, place);
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

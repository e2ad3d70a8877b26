//! Faults that are in place: a view between a network and what computes with it.
//!
//! A network is read through `fault(masks(values))`: [`View`] computes with a copy in which struck entries read as
//! something else, and strikes what flows between operations. Stored weights are never written, so that letting a fault
//! go leaves nothing behind.

mod flows;
mod memory;
mod place;
mod saved;
mod strikes;
mod view;

use std::sync::Arc;

use crate::doc::Structure;
use crate::doc::fault::{Draw, Fault, Format};
use crate::doc::intervention::{Params, Target};
use crate::doc::strikes::{Struck, struck};
use crate::doc::targets;
use crate::intervene::fault::{Site, SiteSpace, TooManyFaults};
use crate::intervene::stream::Stream;

pub use place::{put, refuse_training, release, report_training, test};
pub use saved::{WrittenFaults, read, written};
pub use view::View;

/// The faults of a network, in the order in which they were put in place.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Faults {
    /// Each with its counters.
    pub active: Vec<Active>,
    /// Values that read as something else than what is stored, since they were last reported.
    pub struck: u64,
}

/// A fault in place.
#[derive(Clone, Debug, PartialEq)]
pub struct Active {
    /// What the plan says.
    pub settings: Fault,
    /// Number of the step that put it in place; draws are derived from it.
    pub step: u64,
    /// Place of that stage in the plan.
    pub stage: String,
    /// Branch of that stage; empty for the main branch.
    pub branch: String,
    /// Round of the innermost repetition around it, from 1.
    pub round: Option<u64>,
    /// Where it was let go since. Draws go on as before, and what they hit there is not struck.
    pub released: Vec<Target>,
    /// Sites that were drawn once and hold.
    pub drawn: Option<Drawn>,
    /// How often the network was read since: forward passes where each has a draw of its own, and evaluations of a part
    /// of the data and training mini-batches otherwise.
    pub passes: u64,
}

/// Sites that hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawn {
    /// In the order in which they are counted.
    pub sites: Arc<Vec<Site>>,
    /// Where the stream stands behind them, from which values are drawn.
    pub position: u128,
}

impl Faults {
    /// Whether the network is read as it is.
    pub fn is_empty(&self) -> bool {
        self.active.is_empty()
    }

    /// The format in which the network is read. Parameters have one format, and so have activations that are not float32.
    pub fn format(&self) -> Format {
        let other = |fault: &&Active| fault.settings.format != Format::Float32;
        self.active.iter().find(other).map_or(Format::Float32, |fault| fault.settings.format)
    }
}

impl Active {
    /// Whether it strikes what flows rather than parameters.
    fn strikes_flows(&self) -> bool {
        self.settings.strikes_flows()
    }

    /// Whether each image sees a network of its own.
    fn strikes_each_image(&self) -> bool {
        self.settings.draw == Draw::EveryImage && !self.strikes_flows()
    }

    /// The sites of one draw, and the stream behind them; `item` is the image, where each has a draw of its own.
    fn draw(
        &self,
        space: &SiteSpace,
        seed: u64,
        item: u64,
    ) -> Result<(Arc<Vec<Site>>, Stream), TooManyFaults> {
        let mut rng = self.settings.draw.stream(seed, self.step, self.passes, item);
        if let Some(Drawn { sites, position }) = &self.drawn {
            rng.set_word_pos(*position);
            return Ok((sites.clone(), rng));
        }
        Ok((Arc::new(space.draw(self.settings.amount, &mut rng)?), rng))
    }

    /// Whether a target means this place of the fault.
    fn has_place(&self, structure: &Structure, target: &Target, place: &Struck) -> bool {
        if !self.strikes_flows() {
            return targets::parameters(structure, target, &Params::Everything).contains(&place.number);
        }
        (target.params.is_none() || target.params == self.settings.target.params)
            && targets::has_layer(structure, &target.layers, place.layer)
    }

    /// Whether it was let go in this entry of a parameter or of what flows.
    fn is_released(&self, structure: &Structure, place: &Struck, entry: usize) -> bool {
        let has_entry = |target: &Target| {
            target.channels.is_empty() || target.channels.contains(&place.channel_of(entry))
        };
        self.released.iter().any(|target| has_entry(target) && self.has_place(structure, target, place))
    }

    /// Whether it was let go everywhere.
    fn is_gone(&self, structure: &Structure) -> bool {
        let own = &self.settings.target.channels;
        let has_channels = |target: &Target| {
            target.channels.is_empty()
                || (!own.is_empty() && own.iter().all(|channel| target.channels.contains(channel)))
        };
        let places = struck(structure, &self.settings);
        let mut targets = self.released.iter().filter(|target| has_channels(target));
        places.iter().all(|place| targets.clone().any(|target| self.has_place(structure, target, place)))
            && targets.next().is_some()
    }

    /// What the column `campaign` of `faults.csv` says: the stage, and the branch that the fault was taken along into.
    fn name(&self, branch: &str) -> String {
        if branch == self.branch { self.stage.clone() } else { format!("{}@{branch}", self.stage) }
    }
}

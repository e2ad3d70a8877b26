//! Everything that a run needs to continue exactly: one safetensors file, replaced as a whole.
//!
//! Random streams are not stored; they follow from the seed and the position. Arrays that several networks share (a
//! snapshot and the network it was taken of) are written once. The rest is JSON in the file's metadata: the run's state
//! itself, with a number in place of each array.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::campaign::CampaignProgress;
use super::context::RunContext;
use super::faults::{Active, Drawn, Faults};
use super::interventions::Watch;
use super::state::{HandOvers, Member, Snapshot, State, TrainProgress};
use intervene::Entry;
use intervene::fault::Site;
use net::weights_file::{f32_bytes, f32_values};
use net::{Mask, Network};

/// A run between two steps, or inside a training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Checkpoint<S = State> {
    pub next: usize,
    pub(super) inside: Option<TrainProgress>,
    #[serde(default)]
    pub(super) campaign: Option<CampaignProgress>,
    /// Wall time so far, seconds.
    pub secs: f64,
    /// The main branch, and the branches within branches.
    pub stack: Vec<S>,
}

impl<S> Checkpoint<S> {
    fn with_states<T>(&self, state: impl FnMut(&S) -> Result<T, String>) -> Result<Checkpoint<T>, String> {
        let Self { next, inside, campaign, secs, stack } = self;
        let stack = stack.iter().map(state).collect::<Result<_, _>>()?;
        Ok(Checkpoint { next: *next, inside: *inside, campaign: campaign.clone(), secs: *secs, stack })
    }
}

/// Lengths of a run's files at a checkpoint, in bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lengths {
    pub events: u64,
    #[serde(default)]
    pub tables: BTreeMap<String, u64>,
}

#[derive(Serialize)]
struct About<'a> {
    run: &'a str,
    #[serde(flatten)]
    lengths: &'a Lengths,
    #[serde(flatten)]
    checkpoint: &'a Checkpoint<Stored>,
}

/// A state in the form of the file.
type Stored = State<NetworkArrays, usize, StoredFaults>;

const ABOUT: &str = "weightlab";

/// Writes a checkpoint's file, with the lengths of the files that belong to it.
pub fn to_bytes(checkpoint: &Checkpoint, run: &str, lengths: &Lengths) -> Result<Vec<u8>, String> {
    let mut pool = Pool::default();
    let checkpoint = &checkpoint.with_states(|state| pool.state(state))?;
    let about =
        serde_json::to_string(&About { run, lengths, checkpoint }).map_err(|error| error.to_string())?;
    let views = pool.arrays.iter().enumerate().map(|(number, (dtype, bytes))| {
        let size = 8 * bytes.len() / dtype.bitsize();
        TensorView::new(*dtype, vec![size], bytes).map(|view| (number.to_string(), view))
    });
    let views: Result<Vec<_>, _> = views.collect();
    let about = [(ABOUT.to_owned(), about)].into();
    views.and_then(|views| safetensors::serialize(views, Some(about))).map_err(|error| error.to_string())
}

/// Reads a checkpoint of the run `run` from the bytes of its file, with the lengths of the files that belong to it.
pub fn read(bytes: &[u8], run: &str, context: &RunContext) -> Result<(Checkpoint, Lengths), String> {
    let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(|error| error.to_string())?;
    let about =
        metadata.metadata().as_ref().and_then(|about| about.get(ABOUT)).ok_or("it has no description")?;
    let about: Value = serde_json::from_str(about).map_err(|error| error.to_string())?;
    let owner = about["run"].as_str().unwrap_or_default();
    if owner != run {
        return Err(format!("it belongs to run {owner}"));
    }
    let lengths = Lengths::deserialize(&about).map_err(|error| error.to_string())?;
    let checkpoint = Checkpoint::<Stored>::deserialize(&about).map_err(|error| error.to_string())?;
    let tensors = SafeTensors::deserialize(bytes).map_err(|error| error.to_string())?;
    let blank = context.fresh_network(0);
    let mut store = Store { tensors, values: BTreeMap::new(), masks: BTreeMap::new(), blank };
    Ok((checkpoint.with_states(|state| store.state(state))?, lengths))
}

/// A network as the numbers of its arrays.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct NetworkArrays {
    values: Vec<usize>,
    entries: Vec<Option<usize>>,
    #[serde(default)]
    fixed_norms: Vec<usize>,
}

#[derive(Default)]
struct Pool {
    /// Number of each shared array, by its address.
    numbers: BTreeMap<usize, usize>,
    /// Type and bytes.
    arrays: Vec<(Dtype, Vec<u8>)>,
}

impl Pool {
    fn shared(&mut self, address: usize, dtype: Dtype, bytes: impl FnOnce() -> Vec<u8>) -> usize {
        if let Some(number) = self.numbers.get(&address) {
            return *number;
        }
        let number = self.push(dtype, bytes());
        self.numbers.insert(address, number);
        number
    }

    fn push(&mut self, dtype: Dtype, bytes: Vec<u8>) -> usize {
        self.arrays.push((dtype, bytes));
        self.arrays.len() - 1
    }
}

impl Convert<Network, Vec<f32>, Faults> for Pool {
    type Network = NetworkArrays;
    type Values = usize;
    type Faults = StoredFaults;

    fn network(&mut self, network: &Network) -> Result<NetworkArrays, String> {
        let (values, masks) = network.arrays();
        let values = values.iter();
        let values =
            values.map(|values| self.shared(Arc::as_ptr(values) as usize, Dtype::F32, || f32_bytes(values)));
        let values = values.collect();
        let entries = masks.iter().map(|mask| {
            let mask = mask.as_ref()?;
            let bytes = || mask.iter().map(|entry| *entry as u8).collect();
            Some(self.shared(Arc::as_ptr(mask) as usize, Dtype::U8, bytes))
        });
        let (entries, fixed_norms) = (entries.collect(), network.fixed_norms().iter().copied().collect());
        Ok(NetworkArrays { values, entries, fixed_norms })
    }

    fn values(&mut self, values: &Vec<f32>) -> Result<usize, String> {
        Ok(self.push(Dtype::F32, f32_bytes(values)))
    }

    fn faults(&mut self, faults: &Faults) -> Result<StoredFaults, String> {
        let active = faults.active.iter().map(|fault| {
            let drawn = fault.drawn.as_ref().map(|Drawn { sites, position }| {
                let bytes = sites.iter().flat_map(site_bytes).collect();
                (self.push(Dtype::U8, bytes), position.to_string())
            });
            StoredFault { fault: fault.clone(), drawn }
        });
        Ok(StoredFaults { active: active.collect(), changed: faults.changed })
    }
}

/// Arrays of a file; networks that shared an array share it again.
struct Store<'a> {
    tensors: SafeTensors<'a>,
    values: BTreeMap<usize, Arc<Vec<f32>>>,
    masks: BTreeMap<usize, Option<Arc<Mask>>>,
    blank: Network,
}

impl Store<'_> {
    fn bytes(&self, number: usize) -> Result<&[u8], String> {
        self.tensors.tensor(&number.to_string()).map(|view| view.data()).map_err(|error| error.to_string())
    }

    fn shared_values(&mut self, number: usize) -> Result<Arc<Vec<f32>>, String> {
        if let Some(values) = self.values.get(&number) {
            return Ok(values.clone());
        }
        let values = Arc::new(f32_values(self.bytes(number)?));
        self.values.insert(number, values.clone());
        Ok(values)
    }

    fn shared_mask(&mut self, number: usize) -> Result<Option<Arc<Mask>>, String> {
        if let Some(mask) = self.masks.get(&number) {
            return Ok(mask.clone());
        }
        let entries = self.bytes(number)?.iter().map(|byte| Entry::try_from(*byte));
        let mask = Mask::new(entries.collect::<Result<_, _>>()?).map(Arc::new);
        self.masks.insert(number, mask.clone());
        Ok(mask)
    }
}

impl Convert<NetworkArrays, usize, StoredFaults> for Store<'_> {
    type Network = Network;
    type Values = Vec<f32>;
    type Faults = Faults;

    fn network(&mut self, stored: &NetworkArrays) -> Result<Network, String> {
        let values = stored.values.iter().map(|number| self.shared_values(*number));
        let values = values.collect::<Result<_, _>>()?;
        let masks = stored.entries.iter().map(|number| match number {
            Some(number) => self.shared_mask(*number),
            None => Ok(None),
        });
        let masks = masks.collect::<Result<_, _>>()?;
        let mut network = self.blank.with_arrays(values, masks)?;
        network.fix_norms(stored.fixed_norms.iter().copied());
        Ok(network)
    }

    fn values(&mut self, number: &usize) -> Result<Vec<f32>, String> {
        self.bytes(*number).map(f32_values)
    }

    fn faults(&mut self, stored: &StoredFaults) -> Result<Faults, String> {
        let active = stored.active.iter().map(|StoredFault { fault, drawn }| {
            let drawn = drawn.as_ref().map(|(number, position)| {
                let (sites, rest) = self.bytes(*number)?.as_chunks::<SITE>();
                let position =
                    position.parse().map_err(|error| format!("{position} is no position: {error}"))?;
                if !rest.is_empty() {
                    return Err("an array of fault sites is damaged".to_owned());
                }
                Ok(Drawn { sites: Arc::new(sites.iter().map(site).collect()), position })
            });
            Ok(Active { drawn: drawn.transpose()?, ..fault.clone() })
        });
        Ok(Faults { active: active.collect::<Result<_, String>>()?, changed: stored.changed })
    }
}

/// Converts the parts of a state that hold arrays to their form in a file, or back.
trait Convert<N, V, F> {
    type Network;
    type Values;
    type Faults;

    fn network(&mut self, network: &N) -> Result<Self::Network, String>;

    fn values(&mut self, values: &V) -> Result<Self::Values, String>;

    fn faults(&mut self, faults: &F) -> Result<Self::Faults, String>;

    /// Converts a state, its parts always in the same order.
    fn state(
        &mut self,
        state: &State<N, V, F>,
    ) -> Result<State<Self::Network, Self::Values, Self::Faults>, String> {
        let State { network, memory, snapshots, watch, faults, others, handovers, began_with, .. } = state;
        Ok(State {
            network: self.network(network)?,
            position: state.position,
            trained: state.trained,
            order: state.order,
            optimizer: state.optimizer.clone(),
            memory: memory.with_arrays(|values| self.values(values))?,
            snapshots: snapshots
                .iter()
                .map(|(name, Snapshot { network, position })| {
                    Ok((name.clone(), Snapshot { network: self.network(network)?, position: *position }))
                })
                .collect::<Result<_, String>>()?,
            watch: watch.as_ref().map(|watch| self.watch(watch)).transpose()?,
            faults: self.faults(faults)?,
            others: others.iter().map(|member| self.member(member)).collect::<Result<_, String>>()?,
            share: state.share.clone(),
            handovers: HandOvers {
                reference: handovers.reference.as_ref().map(|network| self.network(network)).transpose()?,
                checked: handovers.checked,
                unequal: handovers.unequal,
            },
            began_with: self.networks(began_with)?,
        })
    }

    fn member(&mut self, member: &Member<N, V>) -> Result<Member<Self::Network, Self::Values>, String> {
        let Member { network, memory, score } = member;
        let network = self.network(network)?;
        Ok(Member { network, memory: memory.with_arrays(|values| self.values(values))?, score: *score })
    }

    fn watch(&mut self, watch: &Watch<N>) -> Result<Watch<Self::Network>, String> {
        let Watch { settings, past, tally, asked, secs } = watch;
        let past = self.networks(past)?;
        Ok(Watch { settings: settings.clone(), past, tally: *tally, asked: *asked, secs: *secs })
    }

    fn networks<'a, R>(&mut self, networks: impl IntoIterator<Item = &'a N>) -> Result<R, String>
    where
        N: 'a,
        R: FromIterator<Self::Network>,
    {
        networks.into_iter().map(|network| self.network(network)).collect()
    }
}

/// Faults in place, as a checkpoint describes them; sites are in arrays next to it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct StoredFaults {
    active: Vec<StoredFault>,
    #[serde(rename = "struck")]
    changed: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct StoredFault {
    #[serde(flatten)]
    fault: Active,
    /// Number of the array of sites, and the position of the stream.
    drawn: Option<(usize, String)>,
}

/// Bytes of one site, least significant first: 4 for the parameter, 8 for the entry, 4 for one more than the bit, 0 for
/// none.
const SITE: usize = 16;

fn site_bytes(site: &Site) -> [u8; SITE] {
    let bit = site.bit.map_or(0, |bit| bit + 1);
    let [parameter, index] = [site.parameter, site.index].map(|number| number as u128);
    (parameter | index << 32 | u128::from(bit) << 96).to_le_bytes()
}

fn site(bytes: &[u8; SITE]) -> Site {
    let number = u128::from_le_bytes(*bytes);
    let [parameter, bit] = [number, number >> 96].map(|number| number as u32);
    let index = (number >> 32) as u64 as usize;
    Site { parameter: parameter as usize, index, bit: bit.checked_sub(1) }
}

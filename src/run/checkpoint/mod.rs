//! Enough of a run to go on exactly: one safetensors file, replaced as a whole.
//!
//! Random streams need no place in it: they are derived from the seed and the position. Arrays that several networks
//! share (a snapshot and the network that it was taken of) are written once.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use safetensors::{Dtype, SafeTensors, tensor::TensorView};
use serde::{Deserialize, Serialize};

use super::campaign::CampaignProgress;
use super::faults::{self, WrittenFaults};
use super::past::{Tally, Watch};
use super::session::RunContext;
use super::state::{HandOvers, Member, Position, Snapshot, State};
use super::train::TrainProgress;
use crate::doc::intervention;
use crate::intervene::Entry;
use crate::net::weights_file::f32_bytes;
use crate::net::{Network, OptimizerState, Score};
use crate::optimize::Optimizer;

/// A run between two steps, or inside a training.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// Number of the next step.
    pub next: usize,
    /// How far that step is already.
    pub(super) inside: Option<TrainProgress>,
    /// How far a campaign is, when that step is one.
    pub(super) campaign: Option<CampaignProgress>,
    /// Wall time so far, seconds.
    pub secs: f64,
    /// The main branch, and the branches within branches.
    pub stack: Vec<State>,
}

/// What stands in the file beside the arrays, which are named by number.
#[derive(Serialize, Deserialize)]
struct Written {
    run: String,
    events: u64,
    #[serde(default)]
    tables: BTreeMap<String, u64>,
    next: usize,
    inside: Option<(u64, WrittenScore)>,
    #[serde(default)]
    campaign: Option<CampaignProgress>,
    secs: f64,
    stack: Vec<WrittenState>,
}

#[derive(Serialize, Deserialize)]
struct WrittenScore {
    samples: usize,
    loss_bits: u64,
    correct: usize,
}

#[derive(Serialize, Deserialize)]
struct WrittenMemory {
    steps: u64,
    slots: Vec<Vec<Option<usize>>>,
}

#[derive(Serialize, Deserialize)]
struct WrittenState {
    network: WrittenNetwork,
    position: Position,
    trained_bits: u64,
    order: u64,
    optimizer: Optimizer,
    memory: WrittenMemory,
    kept: BTreeMap<String, (WrittenNetwork, Option<Position>)>,
    watch: Option<WrittenWatch>,
    #[serde(default)]
    faults: WrittenFaults,
    others: Vec<(WrittenNetwork, WrittenMemory, WrittenScore)>,
    #[serde(default)]
    share: Option<intervention::Layers>,
    handovers: WrittenHandOvers,
    #[serde(default)]
    began_with: Vec<WrittenNetwork>,
}

#[derive(Serialize, Deserialize)]
struct WrittenWatch {
    settings: intervention::Watch,
    past: Vec<WrittenNetwork>,
    samples: u64,
    changes: u64,
    asked: u64,
    /// Bits of the distances, the divergences and the seconds.
    sums: [u64; 3],
}

#[derive(Serialize, Deserialize)]
struct WrittenHandOvers {
    reference: Option<WrittenNetwork>,
    checked: u64,
    unequal: u64,
}

#[derive(Serialize, Deserialize)]
struct WrittenNetwork {
    values: Vec<usize>,
    entries: Vec<Option<usize>>,
    #[serde(default)]
    fixed_norms: Vec<usize>,
}

/// How much of the files of a run belongs to a checkpoint, in bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lengths {
    /// The event log.
    pub events: u64,
    /// The tables, by the names of their files.
    pub tables: BTreeMap<String, u64>,
}

const ABOUT: &str = "weightlab";

/// The bytes of a checkpoint's file, with the lengths of the files that belong to it.
pub fn to_bytes(checkpoint: &Checkpoint, run: &str, lengths: &Lengths) -> Result<Vec<u8>, String> {
    let mut pool = Pool::default();
    let written = Written {
        run: run.to_owned(),
        events: lengths.events,
        tables: lengths.tables.clone(),
        next: checkpoint.next,
        inside: checkpoint.inside.map(|TrainProgress { done, score }| (done, written_score(score))),
        campaign: checkpoint.campaign.clone(),
        secs: checkpoint.secs,
        stack: checkpoint.stack.iter().map(|state| pool.state(state)).collect(),
    };
    let about = serde_json::to_string(&written).map_err(|error| error.to_string())?;
    let views: Result<Vec<(String, TensorView)>, _> = pool
        .arrays
        .iter()
        .enumerate()
        .map(|(number, (dtype, bytes))| {
            let size = if *dtype == Dtype::F32 { bytes.len() / 4 } else { bytes.len() };
            TensorView::new(*dtype, vec![size], bytes).map(|view| (number.to_string(), view))
        })
        .collect();
    let about = std::collections::HashMap::from([(ABOUT.to_owned(), about)]);
    safetensors::serialize(views.map_err(|error| error.to_string())?, Some(about))
        .map_err(|error| error.to_string())
}

/// Reads a checkpoint of the run `run`, with the lengths of the files that belong to it.
///
/// # Errors
/// When the file cannot be read, is damaged, or belongs to another run.
pub fn read(path: &Path, run: &str, context: &RunContext) -> Result<(Checkpoint, Lengths), String> {
    let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
    let (_, metadata) = SafeTensors::read_metadata(&bytes).map_err(|error| error.to_string())?;
    let about =
        metadata.metadata().as_ref().and_then(|about| about.get(ABOUT)).ok_or("it has no description")?;
    let written: Written = serde_json::from_str(about).map_err(|error| error.to_string())?;
    if written.run != run {
        return Err(format!("it belongs to run {}", written.run));
    }
    let tensors = SafeTensors::deserialize(&bytes).map_err(|error| error.to_string())?;
    let mut store =
        Store { tensors, values: BTreeMap::new(), entries: BTreeMap::new(), blank: context.fresh_network(0) };
    let stack = written.stack.iter().map(|state| store.state(state)).collect::<Result<_, String>>()?;
    let inside = written.inside.map(|(done, score)| TrainProgress { done, score: read_score(&score) });
    let Written { next, campaign, secs, .. } = written;
    Ok((
        Checkpoint { next, inside, campaign, secs, stack },
        Lengths { events: written.events, tables: written.tables },
    ))
}

fn written_score(score: Score) -> WrittenScore {
    let Score { samples, loss_sum, correct } = score;
    WrittenScore { samples, loss_bits: loss_sum.to_bits(), correct }
}

fn read_score(written: &WrittenScore) -> Score {
    let WrittenScore { samples, loss_bits, correct } = *written;
    Score { samples, loss_sum: f64::from_bits(loss_bits), correct }
}

/// Arrays to write, each once however many networks share it.
#[derive(Default)]
struct Pool {
    numbers: BTreeMap<usize, usize>,
    arrays: Vec<(Dtype, Vec<u8>)>,
}

impl Pool {
    fn state(&mut self, state: &State) -> WrittenState {
        WrittenState {
            network: self.network(&state.network),
            position: state.position,
            trained_bits: state.trained.to_bits(),
            order: state.order,
            optimizer: state.optimizer.clone(),
            memory: self.memory(&state.memory),
            kept: state
                .kept
                .iter()
                .map(|(name, snapshot)| (name.clone(), (self.network(&snapshot.network), snapshot.position)))
                .collect(),
            watch: state.watch.as_ref().map(|watch| self.watch(watch)),
            faults: faults::written(&state.faults, &mut |bytes| self.push(Dtype::U8, bytes)),
            others: state
                .others
                .iter()
                .map(|Member { network, memory, score }| {
                    (self.network(network), self.memory(memory), written_score(*score))
                })
                .collect(),
            share: state.share.clone(),
            handovers: WrittenHandOvers {
                reference: state.handovers.reference.as_ref().map(|network| self.network(network)),
                checked: state.handovers.checked,
                unequal: state.handovers.unequal,
            },
            began_with: state.began_with.iter().map(|network| self.network(network)).collect(),
        }
    }

    fn watch(&mut self, watch: &Watch) -> WrittenWatch {
        let Tally { samples, distances, divergences, changes } = watch.tally;
        WrittenWatch {
            settings: watch.settings.clone(),
            past: watch.past.iter().map(|network| self.network(network)).collect(),
            samples,
            changes,
            asked: watch.asked,
            sums: [distances, divergences, watch.secs].map(f64::to_bits),
        }
    }

    fn memory(&mut self, memory: &OptimizerState) -> WrittenMemory {
        let mut slots = Vec::new();
        for slot in &memory.slots {
            let values = slot.iter().map(|values| values.as_ref());
            slots.push(
                values.map(|values| values.map(|values| self.push(Dtype::F32, f32_bytes(values)))).collect(),
            );
        }
        WrittenMemory { steps: memory.steps, slots }
    }

    fn network(&mut self, network: &Network) -> WrittenNetwork {
        let (values, entries) = network.arrays();
        let values = values
            .iter()
            .map(|values| self.shared(Arc::as_ptr(values) as usize, Dtype::F32, || f32_bytes(values)))
            .collect();
        let entries = entries
            .iter()
            .map(|entries| {
                let entries = entries.as_ref()?;
                let bytes = || entries.iter().map(|entry| *entry as u8).collect();
                Some(self.shared(Arc::as_ptr(entries) as usize, Dtype::U8, bytes))
            })
            .collect();
        WrittenNetwork { values, entries, fixed_norms: network.fixed_norms().iter().copied().collect() }
    }

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

/// Arrays that were read, shared again where they were shared before.
struct Store<'a> {
    tensors: SafeTensors<'a>,
    values: BTreeMap<usize, Arc<Vec<f32>>>,
    entries: BTreeMap<usize, Arc<Vec<Entry>>>,
    blank: Network,
}

impl Store<'_> {
    fn state(&mut self, written: &WrittenState) -> Result<State, String> {
        let kept = written.kept.iter().map(|(name, (network, position))| {
            Ok((name.clone(), Snapshot { network: self.network(network)?, position: *position }))
        });
        let kept = kept.collect::<Result<_, String>>()?;
        let mut others = Vec::new();
        for (network, memory, score) in &written.others {
            let (network, memory) = (self.network(network)?, self.memory(memory)?);
            others.push(Member { network, memory, score: read_score(score) });
        }
        let WrittenHandOvers { reference, checked, unequal } = &written.handovers;
        let reference = reference.as_ref().map(|network| self.network(network)).transpose()?;
        Ok(State {
            network: self.network(&written.network)?,
            position: written.position,
            trained: f64::from_bits(written.trained_bits),
            order: written.order,
            optimizer: written.optimizer.clone(),
            memory: self.memory(&written.memory)?,
            kept,
            watch: written.watch.as_ref().map(|watch| self.watch(watch)).transpose()?,
            faults: faults::read(&written.faults, &|number| self.bytes(number))?,
            others,
            share: written.share.clone(),
            handovers: HandOvers { reference, checked: *checked, unequal: *unequal },
            began_with: self.networks(&written.began_with)?,
        })
    }

    fn watch(&mut self, written: &WrittenWatch) -> Result<Watch, String> {
        let past = self.networks(&written.past)?.into();
        let [distances, divergences, secs] = written.sums.map(f64::from_bits);
        let WrittenWatch { samples, changes, asked, .. } = *written;
        let tally = Tally { samples, distances, divergences, changes };
        Ok(Watch { settings: written.settings.clone(), past, tally, asked, secs })
    }

    fn memory(&self, written: &WrittenMemory) -> Result<OptimizerState, String> {
        let mut slots = Vec::new();
        for slot in &written.slots {
            let slot = slot.iter().map(|number| number.map(|number| self.numbers(number)).transpose());
            slots.push(slot.collect::<Result<_, String>>()?);
        }
        Ok(OptimizerState { steps: written.steps, slots })
    }

    fn networks(&mut self, written: &[WrittenNetwork]) -> Result<Vec<Network>, String> {
        written.iter().map(|network| self.network(network)).collect()
    }

    fn network(&mut self, written: &WrittenNetwork) -> Result<Network, String> {
        let values =
            written.values.iter().map(|number| self.shared_values(*number)).collect::<Result<_, String>>()?;
        let mut entries = Vec::new();
        for number in &written.entries {
            entries.push(number.map(|number| self.shared_entries(number)).transpose()?);
        }
        let mut network = self.blank.with_arrays(values, entries)?;
        network.fix_norms(written.fixed_norms.iter().copied());
        Ok(network)
    }

    fn bytes(&self, number: usize) -> Result<&[u8], String> {
        self.tensors.tensor(&number.to_string()).map(|view| view.data()).map_err(|error| error.to_string())
    }

    fn numbers(&self, number: usize) -> Result<Vec<f32>, String> {
        Ok(self.bytes(number)?.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
    }

    fn shared_values(&mut self, number: usize) -> Result<Arc<Vec<f32>>, String> {
        if let Some(values) = self.values.get(&number) {
            return Ok(values.clone());
        }
        let values = Arc::new(self.numbers(number)?);
        self.values.insert(number, values.clone());
        Ok(values)
    }

    fn shared_entries(&mut self, number: usize) -> Result<Arc<Vec<Entry>>, String> {
        if let Some(entries) = self.entries.get(&number) {
            return Ok(entries.clone());
        }
        let entries = self.bytes(number)?.iter().map(|byte| match byte {
            0 => Ok(Entry::Free),
            1 => Ok(Entry::Pruned),
            2 => Ok(Entry::Frozen),
            other => Err(format!("{other} is no state of an entry")),
        });
        let entries = Arc::new(entries.collect::<Result<Vec<_>, String>>()?);
        self.entries.insert(number, entries.clone());
        Ok(entries)
    }
}

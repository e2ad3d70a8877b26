//! Everything that a run needs to continue exactly: one safetensors file, replaced as a whole.
//!
//! Random streams are not stored; they follow from the seed and the position. Arrays that several networks share (a
//! snapshot and the network it was taken of) are written once. The rest is JSON in the file's metadata: the run's state
//! itself, with a number in place of each array.

mod arrays;
mod convert;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use safetensors::{SafeTensors, tensor::TensorView};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::arrays::{Pool, Store, StoredNetwork};
use self::convert::Convert;
use super::campaign::CampaignProgress;
use super::context::RunContext;
use super::faults::WrittenFaults;
use super::state::{State, TrainProgress};

/// A run between two steps, or inside a training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Checkpoint<S = State> {
    /// Number of the next step.
    pub next: usize,
    /// Progress within that step.
    pub(super) inside: Option<TrainProgress>,
    /// Progress of a campaign, if that step is one.
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
    /// The event log.
    pub events: u64,
    /// The tables, by the names of their files.
    #[serde(default)]
    pub tables: BTreeMap<String, u64>,
}

/// The metadata of a checkpoint's file.
#[derive(Serialize)]
struct About<'a> {
    run: &'a str,
    #[serde(flatten)]
    lengths: &'a Lengths,
    #[serde(flatten)]
    checkpoint: &'a Checkpoint<Stored>,
}

/// A state in the form of the file.
type Stored = State<StoredNetwork, usize, WrittenFaults>;

const ABOUT: &str = "weightlab";

/// The bytes of a checkpoint's file, with the lengths of the files that belong to it.
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
///
/// # Errors
/// When it is damaged, or belongs to another run.
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
    let mut store = Store::new(tensors, context.fresh_network(0));
    Ok((checkpoint.with_states(|state| store.state(state))?, lengths))
}

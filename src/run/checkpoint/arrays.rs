//! The numbered arrays of a checkpoint's file. An array is written once, however many networks share it.

use std::collections::BTreeMap;
use std::sync::Arc;

use safetensors::{Dtype, SafeTensors};
use serde::{Deserialize, Serialize};

use super::convert::Convert;
use crate::faults::{self, Faults, WrittenFaults};
use intervene::Entry;
use net::weights_file::{f32_bytes, f32_values};
use net::{Mask, Network};

/// A network as the numbers of its arrays.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StoredNetwork {
    values: Vec<usize>,
    entries: Vec<Option<usize>>,
    #[serde(default)]
    fixed_norms: Vec<usize>,
}

/// Arrays to write.
#[derive(Default)]
pub struct Pool {
    /// Number of each shared array, by its address.
    numbers: BTreeMap<usize, usize>,
    /// Type and bytes.
    pub arrays: Vec<(Dtype, Vec<u8>)>,
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
    type Network = StoredNetwork;
    type Values = usize;
    type Faults = WrittenFaults;

    fn network(&mut self, network: &Network) -> Result<StoredNetwork, String> {
        let (values, masks) = network.arrays();
        let values = values
            .iter()
            .map(|values| self.shared(Arc::as_ptr(values) as usize, Dtype::F32, || f32_bytes(values)))
            .collect();
        let entries = masks
            .iter()
            .map(|mask| {
                let mask = mask.as_ref()?;
                let bytes = || mask.iter().map(|entry| *entry as u8).collect();
                Some(self.shared(Arc::as_ptr(mask) as usize, Dtype::U8, bytes))
            })
            .collect();
        Ok(StoredNetwork { values, entries, fixed_norms: network.fixed_norms().iter().copied().collect() })
    }

    fn values(&mut self, values: &Vec<f32>) -> Result<usize, String> {
        Ok(self.push(Dtype::F32, f32_bytes(values)))
    }

    fn faults(&mut self, faults: &Faults) -> Result<WrittenFaults, String> {
        Ok(faults::written(faults, &mut |bytes| self.push(Dtype::U8, bytes)))
    }
}

/// Arrays of a file; networks that shared an array share it again.
pub struct Store<'a> {
    tensors: SafeTensors<'a>,
    values: BTreeMap<usize, Arc<Vec<f32>>>,
    masks: BTreeMap<usize, Option<Arc<Mask>>>,
    blank: Network,
}

impl<'a> Store<'a> {
    /// The arrays of a file, for networks like `blank`.
    pub fn new(tensors: SafeTensors<'a>, blank: Network) -> Self {
        Self { tensors, values: BTreeMap::new(), masks: BTreeMap::new(), blank }
    }

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

impl Convert<StoredNetwork, usize, WrittenFaults> for Store<'_> {
    type Network = Network;
    type Values = Vec<f32>;
    type Faults = Faults;

    fn network(&mut self, stored: &StoredNetwork) -> Result<Network, String> {
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

    fn faults(&mut self, written: &WrittenFaults) -> Result<Faults, String> {
        faults::read(written, &|number| self.bytes(number))
    }
}

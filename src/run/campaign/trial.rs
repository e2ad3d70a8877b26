//! One trial: faults in, logits out; only what they can change is computed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::golden::{Golden, GoldenBatch, next_unit, op_of};
use super::injection::{FlowFaults, Injection};
use super::tables::LISTED;
use crate::doc::hexadecimal;
use crate::intervene::fault::{Storage, Strike, Tally};
use crate::net::{Activations, Network};

/// What became of a trial.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Its images.
    pub tally: Tally,
    /// SHA-256 over the bits of the logits of all images.
    pub hash: String,
    /// What struck.
    pub strikes: Strikes,
    /// Strikes that came alone, to all images or to one, with what became of those.
    pub singles: Vec<(Strike, Tally)>,
}

/// What struck in a trial. When that is more than is listed, only the first strike is kept.
#[derive(Clone, Debug, Default)]
pub struct Strikes {
    /// How many there were.
    pub count: u64,
    /// How many of them changed what is stored.
    pub faults: u64,
    /// All of them, or the first, with the image that it struck alone.
    pub listed: Vec<(Option<u64>, Strike)>,
}

impl Strikes {
    fn add(&mut self, image: Option<u64>, strike: Strike) {
        self.count += 1;
        self.faults += u64::from(strike.is_fault());
        if self.count <= LISTED as u64 {
            self.listed.push((image, strike));
        } else if self.listed.len() > 1 {
            self.listed = vec![self.listed[0]];
        }
    }
}

/// What all trials of a campaign have in common.
pub struct Bench<'a> {
    /// The network without faults.
    pub golden: Golden<'a>,
    /// Its logits.
    pub logits: Vec<f32>,
    /// The classes of the images.
    pub labels: Vec<u32>,
    /// How what flows behind an operation is stored, where that is struck.
    pub flows: BTreeMap<usize, Storage>,
}

/// Logits of a batch; nothing where no fault changed any of them.
type Logits = Option<Vec<f32>>;

impl Bench<'_> {
    /// Carries out a trial.
    ///
    /// # Errors
    /// Where a list says that something else is stored than there is.
    pub fn trial(&self, injection: Injection) -> Result<Outcome, String> {
        let mut logits = self.logits.clone();
        let mut strikes = Strikes::default();
        let outputs = self.golden.network.structure().outputs;
        let mut take = |batch: &GoldenBatch, faulty: Logits| {
            if let Some(faulty) = faulty {
                logits[batch.first * outputs..][..faulty.len()].copy_from_slice(&faulty);
            }
        };
        match injection {
            Injection::Shared(shared) => {
                let struck = self.struck(&shared);
                for batch in &self.golden.batches {
                    take(batch, self.struck_logits(batch, struck.as_ref()));
                }
                for strike in shared {
                    strikes.add(None, strike);
                }
            }
            Injection::PerImage(images) => {
                for (batch, own) in self.golden.batches.iter().zip(images) {
                    take(batch, self.struck_logits(batch, self.struck(&own).as_ref()));
                    let image = batch.first as u64;
                    for strike in own {
                        strikes.add(Some(image), strike);
                    }
                }
            }
            Injection::Flows(mut images) => {
                for batch in &self.golden.batches {
                    let own = &mut images[batch.first..batch.first + batch.count()];
                    take(batch, self.struck_flow(batch, own, &mut strikes)?);
                }
            }
        }
        let tally = Tally::of(&self.logits, &logits, outputs, &self.labels);
        let singles = self.singles(&strikes, &logits, tally);
        Ok(Outcome { tally, hash: hash(&logits), strikes, singles })
    }

    /// The strikes that came alone; none where they are too many to be listed.
    fn singles(&self, strikes: &Strikes, logits: &[f32], tally: Tally) -> Vec<(Strike, Tally)> {
        if let [(None, strike)] = strikes.listed[..] {
            return if strikes.count == 1 { vec![(strike, tally)] } else { Vec::new() };
        }
        if strikes.listed.len() as u64 != strikes.count {
            return Vec::new();
        }
        let mut images: BTreeMap<usize, Vec<Strike>> = BTreeMap::new();
        for (image, strike) in &strikes.listed {
            let Some(image) = image else { return Vec::new() };
            images.entry(*image as usize).or_default().push(*strike);
        }
        let outputs = self.golden.network.structure().outputs;
        let of = |image: usize| {
            let row = image * outputs..(image + 1) * outputs;
            Tally::of(&self.logits[row.clone()], &logits[row], outputs, &self.labels[image..=image])
        };
        let alone = images.into_iter().filter(|(_, strikes)| strikes.len() == 1);
        alone.map(|(image, strikes)| (strikes[0], of(image))).collect()
    }

    /// The network as these faults show it, and the first and last operation whose layer they strike; nothing where they
    /// change no value. The network without faults is untouched: struck parameters are copies.
    fn struck(&self, strikes: &[Strike]) -> Option<Struck> {
        let network = &self.golden.network;
        let structure = network.structure();
        let mut values = network.arrays().0.to_vec();
        let mut ops = BTreeSet::new();
        for strike in strikes {
            let parameter = strike.site.parameter;
            Arc::make_mut(&mut values[parameter])[strike.site.index] = strike.value;
            if strike.is_fault() {
                ops.insert(op_of(structure, structure.parameters[parameter].layer));
            }
        }
        let (first, last) = (*ops.first()?, *ops.last()?);
        Some(Struck { network: network.with_structure(structure.clone(), values), first, last })
    }

    /// From the first struck layer to where the last one's outputs are read; and on from there, unless all are
    /// bit-identical to the golden ones.
    fn struck_logits(&self, batch: &GoldenBatch, struck: Option<&Struck>) -> Logits {
        let Struck { network, first, last } = struck?;
        let golden = &self.golden;
        let (start, activations) = batch.before(*first);
        let check = next_unit(network.structure(), *last);
        let Some(expected) = batch.at(check) else {
            return Some(golden.advance(network, start..golden.end(), activations).values);
        };
        let activations = golden.advance(network, start..check, activations);
        let differing = differing(&activations, expected);
        if differing.is_empty() {
            return None;
        }
        if differing.len() < batch.count() && golden.compute.is_independent_of_batch() {
            let rest = golden.advance(network, check..golden.end(), &gathered(&activations, &differing));
            return Some(scattered(&rest, &differing, &batch.logits));
        }
        Some(golden.advance(network, check..golden.end(), &activations).values)
    }

    /// From the first struck flow of any image to the end, striking on the way.
    fn struck_flow(
        &self,
        batch: &GoldenBatch,
        images: &mut [FlowFaults],
        strikes: &mut Strikes,
    ) -> Result<Logits, String> {
        let ops: BTreeSet<usize> = images.iter().flat_map(FlowFaults::ops).collect();
        let Some(&first) = ops.first() else { return Ok(None) };
        let golden = &self.golden;
        let (start, activations) = batch.before(first + 1);
        let mut activations = golden.advance(&golden.network, start..first + 1, activations);
        let mut at = first + 1;
        let mut is_changed = false;
        for &op in &ops {
            if op + 1 > at {
                activations = golden.advance(&golden.network, at..op + 1, &activations);
                at = op + 1;
            }
            for (sample, faults) in images.iter_mut().enumerate() {
                if !faults.ops().any(|own| own == op) {
                    continue;
                }
                let values: Vec<f32> = (0..activations.shape.len())
                    .map(|entry| activations.values[activations.place(sample, entry)])
                    .collect();
                for strike in faults.strike(op, &values, &self.flows[&op])? {
                    let place = activations.place(sample, strike.site.index);
                    activations.values[place] = strike.value;
                    is_changed |= strike.is_fault();
                    strikes.add(Some((batch.first + sample) as u64), strike);
                }
            }
        }
        Ok(is_changed.then(|| golden.advance(&golden.network, at..golden.end(), &activations).values))
    }
}

/// A network with faults, and where they are.
struct Struck {
    network: Network,
    first: usize,
    last: usize,
}

/// The samples of two flows whose bits differ.
fn differing(a: &Activations, b: &Activations) -> Vec<usize> {
    let differs = |sample: &usize| {
        let pairs = a.sample(*sample).iter().zip(b.sample(*sample));
        pairs.into_iter().any(|(a, b)| a.to_bits() != b.to_bits())
    };
    (0..a.count).filter(differs).collect()
}

/// Some samples of a flow.
fn gathered(activations: &Activations, samples: &[usize]) -> Activations {
    let values = samples.iter().flat_map(|&sample| activations.sample(sample)).copied().collect();
    Activations { values, count: samples.len(), shape: activations.shape, layout: activations.layout }
}

/// Golden logits with those of some samples replaced.
fn scattered(rest: &Activations, samples: &[usize], golden: &[f32]) -> Vec<f32> {
    let mut logits = golden.to_vec();
    let outputs = rest.shape.len();
    for (row, sample) in rest.values.chunks_exact(outputs).zip(samples) {
        logits[sample * outputs..][..outputs].copy_from_slice(row);
    }
    logits
}

/// SHA-256 over the bits of logits, as hexadecimal digits.
pub fn hash(logits: &[f32]) -> String {
    let mut hash = Sha256::new();
    for logit in logits {
        hash.update(logit.to_bits().to_le_bytes());
    }
    hexadecimal(&hash.finalize())
}

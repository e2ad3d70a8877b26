//! One trial: faults in, logits out; only what they can change is computed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::golden::{Golden, GoldenBatch, next_unit, op_of};
use crate::doc::fault::Fault;
use crate::doc::structure::{Op, Parameter, Structure};
use crate::form::number::hexadecimal;
use crate::intervene::fault::log::LONGEST_TRIAL;
use crate::intervene::fault::outcome::{ImageOutcome, Tally, top1};
use crate::intervene::fault::{Injected, Injection, Site, Storage};
use crate::net::{Activations, Network, correct};
use crate::run::faults::{activations, parameters};

/// The faults of one trial; what they find is known when they are injected.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "there is one of them for each trial")]
pub enum TrialFaults {
    /// In parameters, the same for all images.
    Shared(Injection),
    /// In parameters, separate ones for each image.
    PerImage(Vec<Injection>),
    /// In activations, separate ones for each image.
    Activations(Vec<Injection>),
}

impl TrialFaults {
    /// Those that `injection` draws or lists: once for all images, or for each of them.
    ///
    /// # Errors
    /// Those of `injection`.
    pub fn of(
        fault: &Fault,
        is_for_each_image: bool,
        images: usize,
        injection: impl Fn(Option<u64>) -> Result<Injection, String>,
    ) -> Result<Self, String> {
        let each = || (0..images as u64).map(|image| injection(Some(image))).collect::<Result<_, _>>();
        if fault.is_in_activations() {
            each().map(Self::Activations)
        } else if is_for_each_image {
            each().map(Self::PerImage)
        } else {
            injection(None).map(Self::Shared)
        }
    }
}

/// What became of a trial.
#[derive(Clone, Debug)]
pub struct TrialOutcome {
    /// Its images.
    pub tally: Tally,
    /// SHA-256 over the bits of the logits of all images.
    pub hash: String,
    /// What was injected.
    pub injected: InjectedFaults,
    /// Faults that came alone, to all images or to one, with what became of those.
    pub singles: Vec<(Injected, Tally)>,
}

/// What a trial injected. When that is more than is listed, only the first fault is kept.
#[derive(Clone, Debug, Default)]
pub struct InjectedFaults {
    /// How many there were.
    pub count: u64,
    /// How many of them changed what is stored.
    pub faults: u64,
    /// All of them, or the first, with the image that alone saw it.
    pub listed: Vec<(Option<u64>, Injected)>,
}

impl InjectedFaults {
    fn add(&mut self, image: Option<u64>, injected: &[Injected]) {
        for fault in injected {
            self.count += 1;
            self.faults += u64::from(fault.is_fault());
            if self.count <= LONGEST_TRIAL {
                self.listed.push((image, *fault));
            } else if self.listed.len() > 1 {
                self.listed = vec![self.listed[0]];
            }
        }
    }
}

/// One image of a trial that was carried out again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplayedImage {
    /// What the faults did to it.
    pub outcome: ImageOutcome,
    /// Its class.
    pub label: u32,
    /// The class that is predicted without faults; none where a logit is NaN or infinite.
    pub golden: Option<u32>,
    /// The class that is predicted with the faults.
    pub faulty: Option<u32>,
}

impl ReplayedImage {
    /// Whether the faults changed what is predicted: another class, or none where there was one.
    pub fn is_changed(&self) -> bool {
        self.outcome != ImageOutcome::Masked && self.golden != self.faulty
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
    /// How the parameters (or activations) with sites are stored, by their numbers.
    pub storages: Arc<BTreeMap<usize, Storage>>,
}

/// Logits of a batch; nothing where no fault changed any of them.
type Logits = Option<Vec<f32>>;

impl Bench<'_> {
    /// Carries out a trial.
    ///
    /// # Errors
    /// When a list has other bits than are stored.
    pub fn trial(&self, faults: TrialFaults) -> Result<TrialOutcome, String> {
        let (logits, injected) = self.inject(faults)?;
        Ok(self.outcome(&logits, injected))
    }

    /// The logits of all images under the faults of a trial, and what was injected.
    ///
    /// # Errors
    /// As [`trial`](Self::trial).
    pub fn inject(&self, faults: TrialFaults) -> Result<(Vec<f32>, InjectedFaults), String> {
        let mut logits = self.logits.clone();
        let mut injected = InjectedFaults::default();
        let outputs = self.golden.network.structure().outputs;
        let mut take = |batch: &GoldenBatch, faulty: Logits| {
            if let Some(faulty) = faulty {
                logits[batch.first * outputs..][..faulty.len()].copy_from_slice(&faulty);
            }
        };
        match faults {
            TrialFaults::Shared(mut injection) => {
                let shared = self.in_parameters(&mut injection)?;
                let faulty = self.faulty_network(&shared);
                for batch in &self.golden.batches {
                    take(batch, self.faulty_logits(batch, faulty.as_ref()));
                }
                injected.add(None, &shared);
            }
            TrialFaults::PerImage(images) => {
                for (batch, mut injection) in self.golden.batches.iter().zip(images) {
                    let own = self.in_parameters(&mut injection)?;
                    take(batch, self.faulty_logits(batch, self.faulty_network(&own).as_ref()));
                    injected.add(Some(batch.first as u64), &own);
                }
            }
            TrialFaults::Activations(mut images) => {
                for batch in &self.golden.batches {
                    let own = &mut images[batch.first..batch.first + batch.count()];
                    take(batch, self.logits_of_activations(batch, own, &mut injected)?);
                }
            }
        }
        Ok((logits, injected))
    }

    /// What became of a trial with these logits.
    pub fn outcome(&self, logits: &[f32], injected: InjectedFaults) -> TrialOutcome {
        let outputs = self.golden.network.structure().outputs;
        let tally = Tally::of(&self.logits, logits, outputs, &self.labels);
        let singles = self.singles(&injected, logits, tally);
        TrialOutcome { tally, hash: hash(logits), injected, singles }
    }

    /// What each image became with these logits.
    pub fn images(&self, logits: &[f32]) -> Vec<ReplayedImage> {
        let outputs = self.golden.network.structure().outputs;
        let rows = self.logits.chunks_exact(outputs).zip(logits.chunks_exact(outputs)).zip(&self.labels);
        let image = |((golden, faulty), &label): ((&[f32], &[f32]), &u32)| ReplayedImage {
            outcome: ImageOutcome::of(golden, faulty),
            label,
            golden: top1(golden),
            faulty: top1(faulty),
        };
        rows.map(image).collect()
    }

    /// The accuracy without faults.
    pub fn accuracy(&self) -> f64 {
        let outputs = self.golden.network.structure().outputs;
        correct(&self.logits, outputs, &self.labels) as f64 / self.labels.len() as f64
    }

    /// What the parameters without faults hold when these are injected.
    ///
    /// # Errors
    /// As [`trial`](Self::trial).
    pub fn in_parameters(&self, injection: &mut Injection) -> Result<Vec<Injected>, String> {
        parameters::injected(&self.golden.network, &self.storages, injection)
    }

    /// The faults that came alone; none where they are too many to list.
    fn singles(&self, injected: &InjectedFaults, logits: &[f32], tally: Tally) -> Vec<(Injected, Tally)> {
        if let [(None, fault)] = injected.listed[..] {
            return if injected.count == 1 { vec![(fault, tally)] } else { Vec::new() };
        }
        if injected.listed.len() as u64 != injected.count {
            return Vec::new();
        }
        let mut images: BTreeMap<usize, Vec<Injected>> = BTreeMap::new();
        for (image, fault) in &injected.listed {
            let Some(image) = image else { return Vec::new() };
            images.entry(*image as usize).or_default().push(*fault);
        }
        let outputs = self.golden.network.structure().outputs;
        let of = |image: usize| {
            let row = image * outputs..(image + 1) * outputs;
            Tally::of(&self.logits[row.clone()], &logits[row], outputs, &self.labels[image..=image])
        };
        let alone = images.into_iter().filter(|(_, faults)| faults.len() == 1);
        alone.map(|(image, faults)| (faults[0], of(image))).collect()
    }

    /// The network with these faults, and the first and last operation whose layer has any; nothing where they change no
    /// value. The network without faults is untouched: parameters with faults are copies.
    fn faulty_network(&self, injected: &[Injected]) -> Option<FaultyNetwork> {
        let mut network = self.golden.network.clone();
        let structure = network.structure().clone();
        let (mut ops, mut channels) = (BTreeSet::new(), BTreeSet::new());
        for fault in injected {
            let Site { parameter, index, .. } = fault.site;
            network.overlay(parameter, index, fault.value);
            if fault.is_fault() {
                let Parameter { layer, ref shape, .. } = structure.parameters[parameter];
                ops.insert(op_of(&structure, layer));
                channels.insert((index / shape[1..].iter().product::<usize>(), shape[0]));
            }
        }
        let (first, last) = (*ops.first()?, *ops.last()?);
        let (least, most) = (channels.first()?, channels.last()?);
        let faulty = FaultyChannels { range: [least.0, most.0 + 1], of: least.1 };
        let is_alone = first == last && channels.iter().all(|(_, of)| *of == faulty.of);
        let channels = (is_alone && stay_apart(&structure, first)).then_some(faulty);
        Some(FaultyNetwork { network, first, last, channels })
    }

    /// From the first layer with faults to where the last one's outputs are read; and on from there, unless all are
    /// bit-identical to the golden ones.
    fn faulty_logits(&self, batch: &GoldenBatch, faulty: Option<&FaultyNetwork>) -> Logits {
        let FaultyNetwork { network, first, last, channels } = faulty?;
        let golden = &self.golden;
        let (start, activations) = batch.before(*first);
        let check = next_unit(network.structure(), *last);
        let Some(expected) = batch.at(check) else {
            return Some(golden.advance(network, start..golden.end(), activations).values);
        };
        let activations = match channels {
            // Until the next layer reads them, other channels are the golden ones.
            Some(FaultyChannels { range, of }) => {
                let found = golden.advance_channels(network, start..check, activations, Some(*range));
                let mut all = expected.clone();
                all.take_channels(&found, *range, *of);
                all
            }
            None => golden.advance(network, start..check, activations),
        };
        let differing = activations.differing(expected);
        if differing.is_empty() {
            return None;
        }
        if differing.len() < batch.count() && golden.compute.is_independent_of_batch() {
            let rest = golden.advance(network, check..golden.end(), &activations.gathered(&differing));
            return Some(scattered(&rest, &differing, &batch.logits));
        }
        Some(golden.advance(network, check..golden.end(), &activations).values)
    }

    /// From the first activations with faults, of any image, to the end; faults are injected on the way.
    fn logits_of_activations(
        &self,
        batch: &GoldenBatch,
        images: &mut [Injection],
        found: &mut InjectedFaults,
    ) -> Result<Logits, String> {
        let ops: BTreeSet<usize> = images.iter().flat_map(Injection::numbers).collect();
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
            for (sample, injection) in images.iter_mut().enumerate() {
                let storage = |_: &[f32]| self.storages[&op].clone();
                let injected = activations::injected(&activations, (sample, op), injection, storage)?;
                activations::write(&mut activations, sample, &injected);
                is_changed |= injected.iter().any(Injected::is_fault);
                found.add(Some((batch.first + sample) as u64), &injected);
            }
        }
        Ok(is_changed.then(|| golden.advance(&golden.network, at..golden.end(), &activations).values))
    }
}

/// A network with faults, and where they are.
struct FaultyNetwork {
    network: Network,
    first: usize,
    last: usize,
    /// The channels with faults, where they are in one layer.
    channels: Option<FaultyChannels>,
}

/// Channels of a layer with faults.
struct FaultyChannels {
    /// From the first to before the last.
    range: [usize; 2],
    /// Number of channels of the layer.
    of: usize,
}

/// Whether the channels of the layer that a trial begins with stay apart until the next layer reads them, and are not among
/// the copies on the stack then.
fn stay_apart(structure: &Structure, begin: usize) -> bool {
    let end = next_unit(structure, begin);
    let layer = (begin..end).find(|op| matches!(structure.ops[*op], Op::Layer(_))).unwrap_or(end);
    let mut is_on_stack = false;
    for op in &structure.ops[layer..end] {
        match op {
            Op::Fork => return false,
            Op::Swap => is_on_stack = true,
            Op::Add(_) => is_on_stack = false,
            Op::Layer(_)
            | Op::Activation(_)
            | Op::MaxPool(_)
            | Op::AveragePool(_)
            | Op::AdaptiveAveragePool(_)
            | Op::Subsample { .. }
            | Op::Flatten
            | Op::Dropout(_) => {}
        }
    }
    !is_on_stack
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

//! One trial: faults in, logits out. It computes only what they can change.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::golden::{FaultyNetwork, Golden, GoldenBatch, next_unit};
use crate::faults::{self, inject_activations};
use doc::fault::Fault;
use form::number::hexadecimal;
use intervene::fault::log::LONGEST_TRIAL;
use intervene::fault::outcome::{ImageOutcome, Tally, top1};
use intervene::fault::{Injected, Injection, Storage};
use net::{Activations, Network, correct};

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
    /// Collects what `injection` draws or lists: once for all images, or for each of them.
    pub fn collect(
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

#[derive(Clone, Debug)]
pub struct TrialOutcome {
    pub tally: Tally,
    /// SHA-256 over the bits of the logits of all images.
    pub hash: String,
    pub injected: InjectedFaults,
    /// Faults that came alone, to all images or to one, with what became of those.
    pub singles: Vec<(Injected, Tally)>,
}

/// The faults that a trial injected. When they are more than is listed, only the first fault is kept.
#[derive(Clone, Debug, Default)]
pub struct InjectedFaults {
    pub count: u64,
    /// Number of those that changed what is stored.
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
    pub outcome: ImageOutcome,
    pub label: u32,
    /// The class that is predicted without faults; none where a logit is NaN or infinite.
    pub golden: Option<u32>,
    pub faulty: Option<u32>,
}

impl ReplayedImage {
    /// Returns true if the faults changed the predicted class, or took one away.
    pub fn is_changed(&self) -> bool {
        self.outcome != ImageOutcome::Masked && self.golden != self.faulty
    }
}

/// The network without faults that all trials of a campaign share.
pub struct Baseline<'a> {
    pub golden: Golden<'a>,
    pub logits: Vec<f32>,
    pub labels: Vec<u32>,
    /// Formats of the parameters (or activations) with sites, by their numbers.
    pub storages: Arc<BTreeMap<usize, Storage>>,
}

/// Logits of a batch; nothing where no fault changed any of them.
type Logits = Option<Vec<f32>>;

impl Baseline<'_> {
    /// Runs a trial. Fails when a list has other bits than are stored.
    pub fn trial(&self, faults: TrialFaults) -> Result<TrialOutcome, String> {
        let (logits, injected) = self.inject(faults)?;
        Ok(self.outcome(&logits, injected))
    }

    /// Injects the faults of a trial, and returns the logits of all images and what was injected.
    pub fn inject(&self, faults: TrialFaults) -> Result<(Vec<f32>, InjectedFaults), String> {
        let mut logits = self.logits.clone();
        let mut injected = InjectedFaults::default();
        let outputs = self.outputs();
        let mut write = |batch: &GoldenBatch, faulty: Logits| {
            if let Some(faulty) = faulty {
                logits[batch.first * outputs..][..faulty.len()].copy_from_slice(&faulty);
            }
        };
        match faults {
            TrialFaults::Shared(mut injection) => {
                let shared = self.in_parameters(&mut injection)?;
                let faulty = FaultyNetwork::new(&self.golden, &shared);
                for batch in &self.golden.batches {
                    write(batch, self.faulty_logits(batch, faulty.as_ref()));
                }
                injected.add(None, &shared);
            }
            TrialFaults::PerImage(images) => {
                for (batch, mut injection) in self.golden.batches.iter().zip(images) {
                    let own = self.in_parameters(&mut injection)?;
                    let faulty = FaultyNetwork::new(&self.golden, &own);
                    write(batch, self.faulty_logits(batch, faulty.as_ref()));
                    injected.add(Some(batch.first as u64), &own);
                }
            }
            TrialFaults::Activations(mut images) => {
                for batch in &self.golden.batches {
                    let own = &mut images[batch.first..batch.first + batch.count()];
                    write(batch, self.logits_of_activations(batch, own, &mut injected)?);
                }
            }
        }
        Ok((logits, injected))
    }

    /// Counts what became of a trial with these logits.
    pub fn outcome(&self, logits: &[f32], injected: InjectedFaults) -> TrialOutcome {
        let outputs = self.outputs();
        let tally = Tally::from_logits(&self.logits, logits, outputs, &self.labels);
        let singles = self.singles(&injected, logits, tally);
        TrialOutcome { tally, hash: hash(logits), injected, singles }
    }

    /// Classifies what became of each image with these logits.
    pub fn images(&self, logits: &[f32]) -> Vec<ReplayedImage> {
        let outputs = self.outputs();
        let rows = self.logits.chunks_exact(outputs).zip(logits.chunks_exact(outputs)).zip(&self.labels);
        let image = |((golden, faulty), &label): ((&[f32], &[f32]), &u32)| ReplayedImage {
            outcome: ImageOutcome::from_logits(golden, faulty),
            label,
            golden: top1(golden),
            faulty: top1(faulty),
        };
        rows.map(image).collect()
    }

    pub fn accuracy(&self) -> f64 {
        correct(&self.logits, self.outputs(), &self.labels) as f64 / self.labels.len() as f64
    }

    fn outputs(&self) -> usize {
        self.golden.network.structure().outputs
    }

    /// Returns what the parameters without faults hold when these are injected.
    pub fn in_parameters(&self, injection: &mut Injection) -> Result<Vec<Injected>, String> {
        faults::in_parameters(&self.golden.network, &self.storages, injection)
    }

    /// Returns the faults that came alone; none where they are too many to list.
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
        let outputs = self.outputs();
        let of = |image: usize| {
            let row = image * outputs..(image + 1) * outputs;
            Tally::from_logits(&self.logits[row.clone()], &logits[row], outputs, &self.labels[image..=image])
        };
        let alone = images.into_iter().filter(|(_, faults)| faults.len() == 1);
        alone.map(|(image, faults)| (faults[0], of(image))).collect()
    }

    /// Computes from the first layer with faults to where the last one's outputs are read, and on from there unless all
    /// are bit-identical to the golden ones. Only images that the faults can reach begin.
    fn faulty_logits(&self, batch: &GoldenBatch, faulty: Option<&FaultyNetwork>) -> Logits {
        let faulty = faulty?;
        let FaultyNetwork { network, first, last, channels, .. } = faulty;
        let golden = &self.golden;
        let samples = self.or_all(batch.count(), faulty.reached(golden, batch));
        if samples.is_empty() {
            return None;
        }
        let (start, activations) = batch.before(*first);
        let input = if samples.len() < batch.count() {
            Cow::Owned(activations.gathered(&samples))
        } else {
            Cow::Borrowed(activations)
        };
        let check = next_unit(network.structure(), *last);
        let Some(expected) = batch.at(check) else {
            let logits = golden.advance(network, start..golden.end(), &input);
            return self.finish(batch, network, golden.end(), logits, samples);
        };
        let Some(channels) = channels else {
            let found = golden.advance(network, start..check, &input);
            return self.finish(batch, network, check, found, samples);
        };
        // Until the next layer reads them, other channels are the golden ones.
        let found = golden.advance_channels(network, start..check, &input, Some(*channels));
        let ([channel, _], of) = (channels.range, channels.of);
        let differs = |at: &usize| expected.differs_in_channels(samples[*at], found.sample(*at), channel, of);
        let places = self.or_all(samples.len(), (0..samples.len()).filter(differs).collect());
        if places.is_empty() {
            return None;
        }
        let samples: Vec<usize> = places.iter().map(|at| samples[*at]).collect();
        let mut activations = expected.gathered(&samples);
        for (sample, at) in places.iter().enumerate() {
            activations.put_channels(sample, found.sample(*at), channel, of);
        }
        let cut = batch.next_cut(check).unwrap_or(golden.end());
        let found = golden.advance(network, check..cut, &activations);
        drop(activations);
        self.finish(batch, network, cut, found, samples)
    }

    /// Returns `samples`, or all of `count` where the result of one depends on the others.
    fn or_all(&self, count: usize, samples: Vec<usize>) -> Vec<usize> {
        if samples.is_empty() || self.golden.compute.is_independent_of_batch() {
            return samples;
        }
        (0..count).collect()
    }

    /// Computes from a position to the end, keeping only the samples that differ from the golden ones there and at each
    /// later position where trials are compared.
    fn finish(
        &self,
        batch: &GoldenBatch,
        network: &Network,
        mut at: usize,
        mut activations: Activations,
        mut samples: Vec<usize>,
    ) -> Logits {
        let golden = &self.golden;
        loop {
            if let Some(expected) = batch.at(at) {
                let places = self.or_all(samples.len(), activations.differing(expected, &samples));
                if places.is_empty() {
                    return None;
                }
                if places.len() < samples.len() {
                    activations = activations.gathered(&places);
                    samples = places.iter().map(|at| samples[*at]).collect();
                }
            }
            if at == golden.end() {
                return Some(scattered(&activations, &samples, &batch.logits));
            }
            let cut = batch.next_cut(at).unwrap_or(golden.end());
            activations = golden.advance(network, at..cut, &activations);
            at = cut;
        }
    }

    /// Computes from the first activations with faults, of any image, to the end; injects faults on the way.
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
                let injected =
                    inject_activations(&mut activations, [sample, op], injection, storage, |_| true)?;
                is_changed |= injected.iter().any(Injected::is_fault);
                found.add(Some((batch.first + sample) as u64), &injected);
            }
        }
        if !is_changed {
            return Ok(None);
        }
        Ok(self.finish(batch, &golden.network, at, activations, (0..batch.count()).collect()))
    }
}

/// Returns the golden logits with those of some samples replaced.
fn scattered(rest: &Activations, samples: &[usize], golden: &[f32]) -> Vec<f32> {
    let mut logits = golden.to_vec();
    let outputs = rest.shape.len();
    for (row, sample) in rest.values.chunks_exact(outputs).zip(samples) {
        logits[sample * outputs..][..outputs].copy_from_slice(row);
    }
    logits
}

/// Hashes the bits of logits with SHA-256, as hexadecimal digits.
pub fn hash(logits: &[f32]) -> String {
    let mut hash = Sha256::new();
    for logit in logits {
        hash.update(logit.to_bits().to_le_bytes());
    }
    hexadecimal(&hash.finalize())
}

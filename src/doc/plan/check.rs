//! The check of a plan before anything runs: its stages in order, with what the stages so far leave for later ones.

use std::collections::{BTreeMap, BTreeSet};

use crate::arch::Net;
use crate::fault::Draw;
use crate::file_names::is_file;
use crate::problem::Problem;
use crate::structure::Structure;
use crate::target::{Layers, Params, Target};
use crate::targets;
use crate::training::Training;
use data::{Data, Looks};
use form::Steps;
use form::number::{counted, grouped};
use form::path::Place;

/// Why a batch norm cannot train in mini-batches of this size on what is left of an epoch of so many samples: the last one has
/// a single sample.
pub fn one_value(batch: usize, [left, samples]: [usize; 2], norm: &str) -> String {
    let larger = (batch + 1..=batch + left).find(|size| left % size != 1).filter(|_| left > 1);
    let (cause, remedy) = match larger {
        Some(size) => (
            format!(
                "{} in mini-batches of {batch} leave one of a single sample",
                counted(left as u64, "training sample")
            ),
            format!("choose another batch size, such as {size}"),
        ),
        None if samples > 1 => (
            "one training sample is left of an epoch".to_owned(),
            "let the training before it end elsewhere".to_owned(),
        ),
        None => ("there is one training sample".to_owned(), "let more samples train".to_owned()),
    };
    format!(
        "batch norm {norm} would see one value for each channel, which it cannot normalize: {cause}; {remedy}"
    )
}

/// What stages leave for later ones.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Left {
    /// Snapshots, branches and members that exist so far.
    pub names: BTreeSet<String>,
    /// Those of them that have a position, the snapshots: samples of an epoch before it.
    pub positions: BTreeMap<String, usize>,
    /// When the faults are drawn that are in place.
    pub in_place: BTreeSet<Draw>,
    /// Samples of the training part.
    pub samples: usize,
    /// Those of the present epoch so far; followed where it matters.
    pub sample: usize,
    /// Batch norms that use their running statistics in training too.
    pub fixed_norms: BTreeSet<usize>,
}

/// A check in progress.
pub struct Check<'a> {
    /// Name of the arm.
    pub arm: &'a str,
    /// Its seed; that of no run yet.
    pub seed: u64,
    /// What trains.
    pub net: &'a Net,
    /// What it trains on.
    pub data: &'a Data,
    /// What is known of the user's data.
    pub looks: &'a Looks,
    /// The layers of the network.
    pub structure: &'a Structure,
    /// How it trains.
    pub train: &'a Training,
    /// Rounds of repetitions that are still looked at after the first one.
    pub rounds: usize,
    /// What the stages so far leave for later ones.
    pub left: Left,
    /// What is wrong so far.
    pub problems: &'a mut Vec<Problem>,
}

impl Check<'_> {
    /// Adds an error in a setting.
    pub fn error(&mut self, place: Place, message: impl Into<String>) {
        self.problems.push(Problem::error(place, message.into()));
    }

    /// Adds something worth knowing about a setting.
    pub fn note(&mut self, place: Place, message: impl Into<String>) {
        self.problems.push(Problem::note(place, message.into()));
    }

    /// How many problems were found so far.
    pub fn count(&self) -> usize {
        self.problems.len()
    }

    /// That a network of this run exists by then, or that a file is named.
    pub fn source(&mut self, from: &str, place: &Place) {
        if !is_file(from) {
            self.snapshot(from, place);
        }
    }

    /// That a network of this run exists by then.
    pub fn snapshot(&mut self, from: &str, place: &Place) {
        let names = &self.left.names;
        if names.contains(from) {
            return;
        }
        let known = if names.is_empty() {
            "none exists at this point; put a Snapshot stage before it".to_owned()
        } else {
            format!("there are {}", names.iter().cloned().collect::<Vec<_>>().join(", "))
        };
        self.error(
            place.clone(),
            format!("there is no snapshot, branch, member or weight file \"{from}\" here: {known}"),
        );
    }

    /// That a target of stored values holds some.
    pub fn entries(&mut self, target: &Target, usual: &Params, place: &Place) {
        let before = self.count();
        self.target(target, place);
        if self.count() > before {
            return;
        }
        if matches!(target.params, Some(Params::Activations | Params::Preactivations)) {
            let message = "outputs of layers are not stored, so only faults can target them; choose a kind of \
                    parameters";
            return self.error(place.key("params"), message);
        }
        let chosen = targets::parameters(self.structure, target, usual);
        if chosen.is_empty() {
            let message = "the target matches no parameter of this network; choose other layers, or another \
                kind";
            return self.error(place.clone(), message);
        }
        let rows = chosen.iter().filter_map(|&index| self.structure.parameters[index].shape.first());
        self.channels(rows.copied().max().unwrap_or(0), target, place);
    }

    /// That a target can be pruned. Running statistics are measured, not trained: nothing prunes them.
    pub fn prunable(&mut self, target: &Target, place: &Place) {
        if target.params == Some(Params::RunningStatistics) {
            let message = "running statistics are measured, not trained, and cannot be pruned; a variance \
                of 0 would only blow up the layer";
            self.error(place.key("params"), message);
        }
    }

    /// That output channels exist in one place at least.
    pub fn channels(&mut self, most: usize, target: &Target, place: &Place) {
        for (index, channel) in target.channels.iter().enumerate().filter(|(_, channel)| **channel >= most) {
            let message = format!(
                "the chosen layers have {most} output channels at most, numbered from 0, so there is no channel {channel}"
            );
            self.error(place.key("channels").index(index), message);
        }
    }

    /// That the layers of a target exist.
    pub fn target(&mut self, target: &Target, place: &Place) {
        self.layers(&target.layers, &place.key("layers"));
    }

    /// That the named layers exist.
    pub fn layers(&mut self, layers: &Layers, place: &Place) {
        let (Layers::Only(names) | Layers::Except(names)) = layers else { return };
        let place = place.variant(layers.key());
        for (index, name) in names.iter().enumerate() {
            let is_block = self.structure.blocks.iter().any(|block| block.name == *name);
            if !is_block && !self.structure.layers.iter().any(|layer| layer.name == *name) {
                let known = self.structure.names().join(", ");
                let message = format!("there is no layer \"{name}\"; there are {known}");
                self.error(place.index(index), message);
            }
        }
    }

    /// That listed entries of a parameter exist.
    pub fn indices(&mut self, name: &str, size: usize, indices: &[usize], place: &Place) {
        for (at, entry) in indices.iter().enumerate().filter(|(_, entry)| **entry >= size) {
            let message = format!(
                "{name} has {} entries, numbered from 0, so there is no entry {entry}",
                grouped(size as u64)
            );
            self.error(place.index(at), message);
        }
    }

    /// That a value fits into a weight. Weights are float32: a larger number would become infinite.
    pub fn representable(&mut self, value: f64, place: &Place) {
        if value.is_finite() && !(value as f32).is_finite() {
            let message = format!("{value:e} is too large for float32; the largest value is {:e}", f32::MAX);
            self.error(place.clone(), message);
        }
    }

    /// That in a training of this length every batch norm, apart from those that are `fixed`, sees two values for each channel
    /// or more, and where in an epoch the training ends.
    pub fn mini_batches(&mut self, steps: Steps, batch: usize, fixed: &BTreeSet<usize>, place: &Place) {
        let Left { samples, sample, .. } = self.left;
        let norms: Vec<usize> = self.structure.norms_of_one_value().collect();
        if norms.is_empty() || samples == 0 {
            return;
        }
        let start = if sample < samples { sample } else { 0 };
        let epoch = samples.div_ceil(batch) as u64;
        let to_its_end = (samples - start).div_ceil(batch) as u64;
        let length = steps.to_iterations(epoch);
        // Where an epoch begins, and how many mini-batches there are up to its last one.
        let ends = [(samples - start, to_its_end), (samples, to_its_end.saturating_add(epoch))];
        let is_one = |&(rest, end): &(usize, u64)| match batch {
            1 => length > 0,
            _ => rest % batch == 1 && length >= end,
        };
        let norm = norms.iter().find(|norm| !fixed.contains(norm));
        if let Some((norm, (rest, _))) = norm.zip(ends.into_iter().find(is_one)) {
            self.error(place.clone(), one_value(batch, [rest, samples], &self.structure.layers[*norm].name));
        }
        let (from, since) =
            if length < to_its_end { (start as u64, length) } else { (0, (length - to_its_end) % epoch) };
        self.left.sample = (from + since * batch as u64) as usize;
    }

    /// That a training can go on with the faults in place: it sees a batch at a time.
    pub fn no_fault_for_each_image(&mut self, place: &Place) {
        if self.left.in_place.contains(&Draw::EveryImage) {
            let message = "a fault drawn for every image is in place, and training works on mini-batches \
                (batch norm would see one image); draw it at every forward pass, or put a Release stage for \
                faults before it";
            self.error(place.clone(), message);
        }
    }
}

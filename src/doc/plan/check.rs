//! The check of a plan before anything runs: its stages in order, with what the stages so far leave for later ones.

use std::collections::{BTreeMap, BTreeSet};

use crate::fault::{
    Campaign, CellPlan, Draw, Fault, FaultAmount, FaultPlace, Vary, cell_places, fault_places, varied,
};
use crate::file_names::is_file;
use crate::problem::Problem;
use crate::spec::RunSpec;
use crate::structure::Structure;
use crate::targets::{self, Layers, Params, Target};
use data::Looks;
use form::Steps;
use form::number::{counted, grouped};
use form::path::Place;
use intervene::fault::model::Unit;
use intervene::fault::{Format, Region};

/// Says why a batch norm cannot train in mini-batches of this size on what is left of an epoch of so many samples: the last
/// one has a single sample.
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

/// The state that stages leave for later ones.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Left {
    /// Snapshots, branches and members that exist so far.
    pub names: BTreeSet<String>,
    /// Those of them that have a position, the snapshots: samples of an epoch before it.
    pub positions: BTreeMap<String, usize>,
    /// The draws of the faults that are in place.
    pub in_place: BTreeSet<Draw>,
    pub samples: usize,
    /// Those of the present epoch so far; followed where it matters.
    pub sample: usize,
    /// Batch norms that use their running statistics in training too.
    pub fixed_norms: BTreeSet<usize>,
}

/// A check in progress.
pub struct Check<'a> {
    pub arm: &'a str,
    /// With the seed of no run yet.
    pub spec: &'a RunSpec,
    pub looks: &'a Looks,
    pub structure: &'a Structure,
    /// Rounds of repetitions that are still looked at after the first one.
    pub rounds: usize,
    pub left: Left,
    pub problems: &'a mut Vec<Problem>,
}

impl Check<'_> {
    pub fn error(&mut self, place: Place, message: impl Into<String>) {
        self.problems.push(Problem::error(place, message.into()));
    }

    /// Says what to choose where nothing was chosen yet.
    pub fn unset(&mut self, place: Place, message: impl Into<String>) {
        self.problems.push(Problem::unset(place, message.into()));
    }

    pub fn note(&mut self, place: Place, message: impl Into<String>) {
        self.problems.push(Problem::note(place, message.into()));
    }

    /// Refuses a source that is neither a network of this run by then nor a file.
    pub fn source(&mut self, from: &str, place: &Place) {
        if !is_file(from) {
            self.snapshot(from, place);
        }
    }

    /// Refuses a name that no network of this run has by then.
    pub fn snapshot(&mut self, from: &str, place: &Place) {
        let names = &self.left.names;
        if names.contains(from) {
            return;
        }
        let missing = format!("there is no snapshot, branch, member or weight file \"{from}\" here");
        if names.is_empty() {
            let message = format!("{missing}: none exists at this point; put a Snapshot stage before it");
            return self.unset(place.clone(), message);
        }
        let known = names.iter().cloned().collect::<Vec<_>>().join(", ");
        self.error(place.clone(), format!("{missing}: there are {known}"));
    }

    /// Refuses a target of stored values that holds none.
    pub fn entries(&mut self, target: &Target, usual: &Params, place: &Place) {
        let before = self.problems.len();
        self.layers(&target.layers, &place.key("layers"));
        if self.problems.len() > before {
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

    /// Refuses running statistics as a target of pruning: they are measured, not trained.
    pub fn prunable(&mut self, target: &Target, place: &Place) {
        if target.params == Some(Params::RunningStatistics) {
            let message = "running statistics are measured, not trained, and cannot be pruned; a variance \
                of 0 would only blow up the layer";
            self.error(place.key("params"), message);
        }
    }

    /// Refuses output channels that exist nowhere.
    pub fn channels(&mut self, most: usize, target: &Target, place: &Place) {
        for (index, channel) in target.channels.iter().enumerate().filter(|(_, channel)| **channel >= most) {
            let message = format!(
                "the chosen layers have {most} output channels at most, numbered from 0, so there is no channel {channel}"
            );
            self.error(place.key("channels").index(index), message);
        }
    }

    /// Refuses names of layers that do not exist.
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

    /// Refuses listed entries that a parameter does not have.
    pub fn indices(&mut self, name: &str, size: usize, indices: &[usize], place: &Place) {
        for (at, entry) in indices.iter().enumerate().filter(|(_, entry)| **entry >= size) {
            let message = format!(
                "{name} has {} entries, numbered from 0, so there is no entry {entry}",
                grouped(size as u64)
            );
            self.error(place.index(at), message);
        }
    }

    /// Refuses a value that does not fit into a weight. Weights are float32: a larger number would become infinite.
    pub fn representable(&mut self, value: f64, place: &Place) {
        if value.is_finite() && !(value as f32).is_finite() {
            let message = format!("{value:e} is too large for float32; the largest value is {:e}", f32::MAX);
            self.error(place.clone(), message);
        }
    }

    /// Refuses a training of this length in which a batch norm, apart from those that are `fixed`, sees one value for each
    /// channel, and notes where in an epoch the training ends.
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

    /// Refuses to train with a fault for each image in place: training sees a batch at a time.
    pub fn no_fault_for_each_image(&mut self, place: &Place) {
        if self.left.in_place.contains(&Draw::EveryImage) {
            let message = "a fault drawn for every image is in place, and training works on mini-batches \
                (batch norm would see one image); draw it at every forward pass, or put a Release stage for \
                faults before it";
            self.error(place.clone(), message);
        }
    }

    /// Refuses layers of the target that are not there, and a format that is none for it.
    pub fn fault_target(&mut self, fault: &Fault, place: &Place) {
        self.layers(&fault.target.layers, &place.key("target").key("layers"));
        if fault.format == Format::Int8 && fault.is_in_activations() {
            let message = "activations have no int8 scale; choose float16, bfloat16 or float32";
            self.error(place.key("format"), message);
        }
    }

    /// Refuses a campaign without sites, or with a cell that has fewer than one trial takes. `stage` is the place of the
    /// campaign, `place` that of its fault. Entries that will be pruned by then are counted as if they were not.
    pub fn sites(&mut self, campaign: &Campaign, place: &Place, stage: &Place) {
        let before = self.problems.len();
        let fault = &campaign.fault;
        self.fault_target(fault, place);
        if self.problems.len() > before {
            return;
        }
        let target = place.key("target");
        let places = fault_places(self.structure, fault);
        let Some(smallest) = places.iter().min_by_key(|place| place.entries) else {
            let message = "the target matches no parameter of this network; choose other layers or \
                parameters";
            return self.error(target, message);
        };
        self.indices(&smallest.name, smallest.entries, &fault.indices, &place.key("indices"));
        let most = places.iter().map(FaultPlace::channels).max().unwrap_or(0);
        self.channels(most, &fault.target, &target);
        if self.problems.len() > before {
            return;
        }
        let cells = varied(campaign, self.structure);
        match &campaign.vary {
            // Rates differ in how many faults they bring, and not in where.
            Vary::Nothing | Vary::Rate(_) => self.cell(&cells[0], None, place),
            Vary::Layer => {
                for cell in &cells {
                    self.cell(cell, Some(stage.key("vary")), place);
                }
            }
            // Bits that the format does not have are refused elsewhere.
            Vary::Bit(bits) => {
                for (index, cell) in cells.iter().enumerate() {
                    // What one bit lacks, others lack too: the first stands for all.
                    if bits[index] < fault.format.bits() && self.problems.len() == before {
                        self.cell(cell, Some(stage.key("vary").variant("Bit").index(index)), place);
                    }
                }
            }
        }
    }

    /// Checks one cell; `varied` is the place of the setting that makes it differ from the fault.
    fn cell(&mut self, (plan, fault): &(CellPlan, Fault), varied: Option<Place>, place: &Place) {
        let which = plan.layer.as_ref().map_or_else(String::new, |layer| format!(" of {layer}"));
        let places = cell_places(self.structure, plan, fault);
        if places.iter().all(|place| chosen(place, fault) == 0) {
            let message = format!("no entry{which} is in the chosen output channels; choose others");
            return self.error(place.key("target").key("channels"), message);
        }
        let sites = possible(self.structure, plan, fault);
        if sites == 0 {
            let format = fault.format.label();
            let message = if matches!(fault.model.unit(), Unit::Bits(2..)) {
                format!(
                    "{format} has none of these bits with another one above it, and a double flip needs \
                        both; choose others"
                )
            } else {
                format!("{format} has none of these bits{which}; choose others")
            };
            return self.error(varied.unwrap_or_else(|| place.key("bits")), message);
        }
        if let FaultAmount::Count(count) = fault.amount
            && count > sites
        {
            let with = plan.bit.map_or(which, |bit| format!(" of bit {bit}"));
            let message = format!(
                "{} faults at once do not fit: the target has {} sites{with}",
                grouped(count),
                grouped(sites)
            );
            self.error(place.key("amount"), message);
        }
    }
}

/// Counts the single faults that are possible in a cell. Entries that will be pruned by then are counted as if they were
/// not.
pub fn possible(structure: &Structure, plan: &CellPlan, fault: &Fault) -> u64 {
    let sites = |place: &FaultPlace| {
        Region::new(0, chosen(place, fault), place.format, fault.model, fault.bits).sites()
    };
    cell_places(structure, plan, fault).iter().map(sites).sum()
}

/// Counts the entries in the channels and in the list of a fault.
fn chosen(place: &FaultPlace, fault: &Fault) -> usize {
    let channels = &fault.target.channels;
    let is_inside = |entry: usize| channels.is_empty() || channels.contains(&place.channel_of(entry));
    if fault.indices.is_empty() {
        return (0..place.channels()).filter(|channel| is_inside(channel * place.row)).count() * place.row;
    }
    let listed: BTreeSet<usize> = fault.indices.iter().copied().collect();
    listed.into_iter().filter(|&entry| entry < place.entries && is_inside(entry)).count()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::file::parse;
    use crate::{Problem, validate};

    /// Returns the problems of a stage, on digits (64 pixels) and the layers fc1 of 300, fc2 of 100 and fc3 of 10 units.
    fn problems(stage: &str) -> Vec<String> {
        let text =
            format!("(data: Digits(), net: Mlp(hidden: [300, 100]), arms: [(name: \"a\", plan: [{stage}])])");
        let experiment = parse(&text, Path::new("x.ron")).unwrap();
        let in_file = |problem: &Problem| format!("{}: {}", problem.place, problem.message);
        validate(&experiment).iter().map(in_file).collect()
    }

    #[test]
    fn a_cell_without_sites_is_refused_before_the_training() {
        for (settings, part) in [
            (
                "fault: (model: DoubleFlip), vary: Bit([3, 31])",
                "vary.Bit[1]: float32 has none of these bits with",
            ),
            ("fault: (amount: Count(60000)), vary: Bit([30])", "the target has 50,200 sites of bit 30"),
            ("fault: (amount: Count(40000)), vary: Layer", "the target has 32,000 sites of fc3"),
            ("fault: (target: (channels: [10])), vary: Layer", "no entry of fc3 is in the chosen"),
            ("fault: (target: (channels: [300]))", "channels[0]: the chosen layers have 300"),
            (
                "fault: (target: (params: Activations, channels: [300]))",
                "channels[0]: the chosen layers have 300",
            ),
            (
                "fault: (target: (params: Activations), amount: Count(41), bits: Bit(0)), vary: Layer",
                "10 sites of fc3",
            ),
            ("fault: (target: (layers: First(0), params: Activations))", "matches no parameter"),
            ("fault: (indices: [0, 1000])", "fault.indices[1]: fc3.weight has 1,000 entries"),
            ("fault: (target: (params: Activations), indices: [10])", "fc3.output has 10 entries"),
            ("fault: (target: (channels: [1]), indices: [0])", "is in the chosen output channels"),
            ("fault: (indices: [5, 5], bits: Bit(1), amount: Count(4))", "the target has 3 sites"),
        ] {
            let found = problems(&format!("Campaign({settings})"));
            assert!(found.iter().any(|problem| problem.contains(part)), "{settings}: {found:#?}");
        }
        let fine = "fault: (model: DoubleFlip, amount: Count(24000)), vary: Bit([3, 30])";
        let both = problems(&format!("Campaign({fine})"));
        assert_eq!(both, Vec::<String>::new());
        let last = "Do(Fault(target: (layers: Last(1), channels: [9]), indices: [900, 901]))";
        assert_eq!(problems(last), Vec::<String>::new());
        assert_eq!(problems(&last.replace("[9]", "[8]")).len(), 1);
    }
}

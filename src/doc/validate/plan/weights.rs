//! Checks of interventions on weights: that what they count, list and name is there.

use super::Walk;
use crate::doc::file_names::{filled, is_file, stays_inside};
use crate::doc::intervention::{
    FileContent, Freeze, Graft, HeldAt, Params, Prune, Select, Set, Target, WeightFile,
};
use crate::doc::targets;
use crate::form::number::grouped;
use crate::form::path::Place;
use crate::intervene::{Amount, Criterion, Scope};

impl Walk<'_> {
    pub(super) fn prune(&mut self, prune: &Prune, place: &Place) {
        self.entries(&prune.target, &Params::Weights, &place.key("target"));
        self.prunable(&prune.target, &place.key("target"));
        if let Criterion::Movement(movement) = &prune.criterion {
            self.snapshot(&movement.since, &place.key("criterion").variant("Movement").key("since"));
        }
        let splits = prune.output_factor > 0.0 && prune.output_factor < 1.0;
        if splits && !matches!(prune.amount, Amount::Fraction(_)) {
            let message = "an output factor between 0 and 1 goes with amount: Fraction(…) only; use 0 or 1";
            self.error(place.key("output_factor"), message.to_owned());
        }
        if let Amount::Count(count) = prune.amount {
            self.count(prune, count, &place.key("amount").variant("Count"));
        }
    }

    /// Running statistics are measured, not trained: nothing prunes them.
    fn prunable(&mut self, target: &Target, place: &Place) {
        if target.params == Some(Params::RunningStatistics) {
            let message = "running statistics are measured, not trained, and are not pruned; a variance of 0 would only blow the layer up";
            self.error(place.key("params"), message.to_owned());
        }
    }

    /// A count must not be larger than what is ranked together.
    fn count(&mut self, prune: &Prune, count: u64, place: &Place) {
        let structure = self.structure;
        let mut groups: Vec<(usize, u64)> = Vec::new();
        for index in targets::prunable(structure, &prune.target) {
            let parameter = &structure.parameters[index];
            if prune.output_factor == 0.0 && structure.layers[parameter.layer].is_output {
                continue;
            }
            let rows = parameter.shape.first().copied().unwrap_or(1).max(1);
            let row = parameter.len() / rows;
            let meant =
                (0..rows).filter(|channel| targets::has_entry(&prune.target, parameter, channel * row));
            let size = (meant.count() * row) as u64;
            match groups.last_mut() {
                Some((layer, sum)) if prune.scope == Scope::Global || *layer == parameter.layer => {
                    *sum += size;
                }
                _ => groups.push((parameter.layer, size)),
            }
        }
        let Some((layer, size)) = groups.into_iter().find(|(_, size)| *size < count) else { return };
        let place_in_words = match prune.scope {
            Scope::Global => "the target".to_owned(),
            Scope::PerLayer => structure.layers[layer].name.clone(),
        };
        self.error(
            place.clone(),
            format!("{} entries are to go, and {place_in_words} has {}", grouped(count), grouped(size)),
        );
    }

    pub(super) fn graft(&mut self, graft: &Graft, place: &Place) {
        self.entries(&graft.target, &Params::Everything, &place.key("target"));
        self.source(&graft.from, &place.key("from"));
        if graft.weights {
            return;
        }
        if !targets::is_whole(self.structure, &graft.target) {
            let message = "without weights only the position goes back, which has no parts; leave target out";
            self.error(place.key("target"), message.to_owned());
        }
        let has_none = is_file(&graft.from) || self.names.contains(&graft.from);
        if has_none && !self.positions.contains(&graft.from) {
            let message = format!("{} has no position to go back to; only a snapshot has one", graft.from);
            self.error(place.key("from"), message);
        }
    }

    pub(super) fn freeze(&mut self, freeze: &Freeze, place: &Place) {
        self.entries(&freeze.target, &Params::Everything, &place.key("target"));
        match &freeze.at {
            HeldAt::Snapshot(name) => self.snapshot(name, &place.key("at").variant("Snapshot")),
            HeldAt::Value(value) => self.representable(*value, &place.key("at").variant("Value")),
            HeldAt::Own | HeldAt::Zero => {}
        }
        let Select::Indices(indices) = &freeze.select else { return };
        let structure = self.structure;
        let chosen = targets::parameters(structure, &freeze.target, &Params::Everything);
        let smallest =
            chosen.iter().map(|&index| &structure.parameters[index]).min_by_key(|parameter| parameter.len());
        if let Some(parameter) = smallest {
            self.indices(&parameter.name, parameter.len(), indices, &place.key("select").variant("Indices"));
        }
    }

    pub(super) fn set(&mut self, set: &Set, place: &Place) {
        self.representable(set.value, &place.key("value"));
        let Some(index) = self.structure.find(&set.parameter) else {
            let known: Vec<&str> =
                self.structure.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
            let message =
                format!("there is no parameter \"{}\"; there are {}", set.parameter, known.join(", "));
            return self.error(place.key("parameter"), message);
        };
        let size = self.structure.parameters[index].len();
        self.indices(&set.parameter, size, &set.indices, &place.key("indices"));
    }

    pub(super) fn indices(&mut self, name: &str, size: usize, indices: &[usize], place: &Place) {
        for (at, entry) in indices.iter().enumerate().filter(|(_, entry)| **entry >= size) {
            let message = format!(
                "{name} has {} entries, numbered from 0, so there is no entry {entry}",
                grouped(size as u64)
            );
            self.error(place.index(at), message);
        }
    }

    /// Weights are float32: a larger number would become infinite.
    fn representable(&mut self, value: f64, place: &Place) {
        if value.is_finite() && !(value as f32).is_finite() {
            let message = format!("{value:e} is more than a float32 can hold; the largest is {:e}", f32::MAX);
            self.error(place.clone(), message);
        }
    }

    pub(super) fn weight_file(&mut self, file: &WeightFile, place: &Place) {
        self.entries(&file.target, &Params::Everything, &place.key("target"));
        if !is_file(&file.file) {
            self.error(place.key("file"), "name a file that ends in .safetensors".to_owned());
        }
    }

    pub(super) fn import(&mut self, file: &WeightFile, place: &Place) {
        self.weight_file(file, place);
        if file.content == FileContent::Mask {
            self.prunable(&file.target, &place.key("target"));
        }
    }

    pub(super) fn export(&mut self, file: &WeightFile, place: &Place) {
        self.weight_file(file, place);
        if !stays_inside(&filled(&file.file, self.arm, self.spec.seed)) {
            let message = "exported files lie inside the run's directory, and not in place of its own files; write a name such as before.safetensors";
            self.error(place.key("file"), message.to_owned());
        }
    }
}

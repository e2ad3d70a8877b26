//! Checks of a plan: that its stages refer to layers, snapshots and branches that exist by then.

mod campaign;
mod fault;
mod sites;
mod weights;

use std::collections::BTreeSet;

use crate::data::{Data, Facts, Shape};
use crate::doc::fault::Draw;
use crate::doc::file_names::is_file;
use crate::doc::intervention::{Intervention, Layers, Params, Target};
use crate::doc::problem::Problem;
use crate::doc::spec::{ExpandedArm, RunSpec};
use crate::doc::stage::{Branch, BranchInit, Ensemble, EnsembleEnd, Repeat, Sharing, Stage, Train};
use crate::doc::structure::{LayerKind, Structure};
use crate::doc::targets;
use crate::form::path::Place;

/// Adds what is wrong with the plan of a run.
pub fn check(arm: &ExpandedArm, structure: &Structure, place: &Place, problems: &mut Vec<Problem>) {
    let (names, positions) = (BTreeSet::new(), BTreeSet::new());
    let (arm, spec) = (arm.name.as_str(), &arm.spec);
    let mut walk = Walk { arm, spec, structure, names, positions, in_place: Vec::new(), problems };
    walk.stages(&spec.plan, place);
}

struct Walk<'a> {
    /// Name of the arm.
    arm: &'a str,
    spec: &'a RunSpec,
    structure: &'a Structure,
    /// Snapshots, branches and members that exist so far.
    names: BTreeSet<String>,
    /// Those of them that have a position: the snapshots.
    positions: BTreeSet<String>,
    /// When the faults are drawn that are in place.
    in_place: Vec<Draw>,
    problems: &'a mut Vec<Problem>,
}

impl Walk<'_> {
    fn stages(&mut self, stages: &[Stage], place: &Place) {
        for (index, stage) in stages.iter().enumerate() {
            self.stage(stage, &place.index(index).variant(stage.key()));
        }
    }

    fn stage(&mut self, stage: &Stage, place: &Place) {
        match stage {
            Stage::Train(train) => self.train(train, place),
            Stage::Test => {}
            Stage::Do(intervention) => self.intervention(intervention, &place.variant(intervention.key())),
            Stage::Repeat(repeat) => self.repeat(repeat, place),
            Stage::Branch(branch) => self.branch(branch, place),
            Stage::Connect(connect) => {
                self.kept(&connect.a, &place.key("a"));
                self.kept(&connect.b, &place.key("b"));
            }
            Stage::Ensemble(ensemble) => self.ensemble(ensemble, place),
            Stage::Campaign(campaign) => {
                self.no_fault_in_place(place);
                self.campaign(campaign, place);
            }
        }
    }

    fn train(&mut self, train: &Train, place: &Place) {
        self.no_fault_for_each_image(place);
        if train.steps.count == 0 {
            self.error(
                place.clone(),
                "training for 0 steps does nothing; give it a length such as 5ep".to_owned(),
            );
        }
        if train.evaluate.is_some_and(|steps| steps.count == 0) {
            self.error(place.key("evaluate"), "evaluating every 0 steps never comes to an end".to_owned());
        }
    }

    /// What is repeated 0 times leaves no names behind, and no faults.
    fn repeat(&mut self, repeat: &Repeat, place: &Place) {
        let outside = (self.names.clone(), self.positions.clone(), self.in_place.clone());
        self.stages(&repeat.body, &place.key("body"));
        if repeat.times == 0 {
            (self.names, self.positions, self.in_place) = outside;
        }
    }

    fn branch(&mut self, branch: &Branch, place: &Place) {
        if let Some(data) = &branch.data {
            self.data(data, &place.key("data"));
        }
        let outside = (self.names.clone(), self.positions.clone(), self.in_place.clone());
        if branch.init == BranchInit::Fresh {
            self.in_place.clear();
        }
        self.stages(&branch.plan, &place.key("plan"));
        (self.names, self.positions, self.in_place) = outside;
        self.names.insert(branch.name.clone());
        self.positions.remove(&branch.name);
    }

    /// Data of a branch must fit the network, and with it the run's.
    fn data(&mut self, data: &Data, place: &Place) {
        let side = self.spec.net.image_side();
        let (here, there) = (self.spec.data.facts(side), data.facts(side));
        if here.shape == there.shape && here.classes != there.classes {
            let message = format!(
                "a branch needs data of as many classes: these have {}, and those of the run have {}",
                there.classes, here.classes
            );
            self.error(place.clone(), message);
        } else if here.shape != there.shape {
            let about = |facts: &Facts| {
                let Shape { channels, height, width } = facts.shape;
                format!("samples of {channels}×{height}×{width} in {} classes", facts.classes)
            };
            let message = format!(
                "a branch needs data of the same shape: these are {}, and those of the run are {}",
                about(&there),
                about(&here)
            );
            self.error(place.clone(), message);
        }
    }

    fn ensemble(&mut self, ensemble: &Ensemble, place: &Place) {
        self.no_fault_for_each_image(place);
        self.layers(&ensemble.share, &place.key("share"));
        if ensemble.steps.count == 0 {
            let message = "training for 0 steps does nothing; give it a length such as 60ep";
            self.error(place.key("steps"), message.to_owned());
        }
        if ensemble.mode == Sharing::Tied && ensemble.local_steps != 1 {
            let message =
                "tied members take one step together; leave local_steps out, or use mode: CopyInTurn";
            self.error(place.key("local_steps"), message.to_owned());
        }
        if let EnsembleEnd::Change(change) = &ensemble.until {
            let place = place.key("until").variant("Change");
            if change.over.count == 0 {
                let message = "a standstill over 0 steps means nothing; write 1ep or 100it";
                self.error(place.key("over"), message.to_owned());
            }
            if !(0..self.structure.layers.len())
                .any(|layer| targets::has_layer(self.structure, &ensemble.share, layer))
            {
                let message = "no layer is shared, so none stands still; leave until out, or share a layer";
                self.error(place, message.to_owned());
            }
        }
        for name in (1..=ensemble.members).map(|member| format!("member {member}")) {
            self.positions.remove(&name);
            self.names.insert(name);
        }
    }

    /// A network of this run that a stage refers to.
    fn kept(&mut self, name: &str, place: &Place) {
        if is_file(name) && !self.names.contains(name) {
            let message =
                "a line lies between two networks of one run; name a snapshot, a branch or a member";
            return self.error(place.clone(), message.to_owned());
        }
        self.source(name, place);
    }

    fn intervention(&mut self, intervention: &Intervention, place: &Place) {
        match intervention {
            Intervention::Prune(prune) => self.prune(prune, place),
            Intervention::Snapshot(snapshot) => {
                self.names.insert(snapshot.name.clone());
                self.positions.insert(snapshot.name.clone());
            }
            Intervention::Graft(graft) => self.graft(graft, place),
            Intervention::Reinitialize(reinitialize) => {
                self.entries(&reinitialize.target, &Params::Everything, &place.key("target"));
            }
            Intervention::Freeze(freeze) => self.freeze(freeze, place),
            Intervention::Release(release) => self.release(release, place),
            Intervention::Set(set) => self.set(set, place),
            Intervention::ShuffleMask(_) => {}
            Intervention::Import(file) => self.import(file, place),
            Intervention::Export(file) => self.export(file, place),
            Intervention::Watch(watch) => self.layers(&watch.layers, &place.key("layers")),
            Intervention::Fault(fault) => self.fault(fault, place),
        }
    }

    fn source(&mut self, from: &str, place: &Place) {
        if !is_file(from) {
            self.snapshot(from, place);
        }
    }

    fn snapshot(&mut self, from: &str, place: &Place) {
        if self.names.contains(from) {
            return;
        }
        let known = if self.names.is_empty() {
            "none was taken by then; put Do(Snapshot(name: …)) before it".to_owned()
        } else {
            format!("there are {}", self.names.iter().cloned().collect::<Vec<_>>().join(", "))
        };
        self.error(
            place.clone(),
            format!("there is no snapshot, branch, member or weight file \"{from}\" here: {known}"),
        );
    }

    /// A target of stored values: it must hold some.
    fn entries(&mut self, target: &Target, usual: &Params, place: &Place) {
        let before = self.problems.len();
        self.target(target, place);
        if self.problems.len() > before {
            return;
        }
        if matches!(target.params, Some(Params::Activations | Params::Preactivations)) {
            let message =
                "outputs of layers are not stored, only faults can strike them; choose a kind of parameters";
            return self.error(place.key("params"), message.to_owned());
        }
        let chosen = targets::parameters(self.structure, target, usual);
        if chosen.is_empty() {
            let message = "no parameter of this network is meant; choose other layers, or another kind";
            return self.error(place.clone(), message.to_owned());
        }
        let rows = chosen.iter().filter_map(|&index| self.structure.parameters[index].shape.first());
        self.channels(rows.copied().max().unwrap_or(0), target, place);
    }

    /// Output channels must be there in one place at least.
    fn channels(&mut self, most: usize, target: &Target, place: &Place) {
        for (index, channel) in target.channels.iter().enumerate().filter(|(_, channel)| **channel >= most) {
            let message = format!(
                "the chosen layers have {most} output channels at most, numbered from 0, so there is no channel {channel}"
            );
            self.error(place.key("channels").index(index), message);
        }
    }

    fn target(&mut self, target: &Target, place: &Place) {
        self.layers(&target.layers, &place.key("layers"));
    }

    fn layers(&mut self, layers: &Layers, place: &Place) {
        let (Layers::Only(names) | Layers::Except(names)) = layers else { return };
        let place = place.variant(layers.key());
        for (index, name) in names.iter().enumerate() {
            if !self.structure.layers.iter().any(|layer| layer.name == *name) {
                let layers = self.structure.layers.iter().filter(|layer| layer.kind != LayerKind::BatchNorm);
                let known: Vec<&str> = layers.map(|layer| layer.name.as_str()).collect();
                let message = format!("there is no layer \"{name}\"; there are {}", known.join(", "));
                self.error(place.index(index), message);
            }
        }
    }

    fn error(&mut self, place: Place, message: String) {
        self.problems.push(Problem::error(place, message));
    }
}

//! Checks of a plan: that its stages refer to layers, snapshots and branches that exist by then.

use std::collections::BTreeSet;

use crate::data::{Data, Facts, Shape};
use crate::doc::intervention::{Freeze, HeldAt, Intervention, Layers, Target, WeightFile};
use crate::doc::problem::Problem;
use crate::doc::spec::RunSpec;
use crate::doc::stage::{Branch, Ensemble, EnsembleEnd, Sharing, Stage, Train};
use crate::doc::structure::{LayerKind, Structure};
use crate::doc::targets;
use crate::form::path::Place;
use crate::intervene::{Amount, Criterion};

/// Adds what is wrong with the plan of a run.
pub fn check(spec: &RunSpec, structure: &Structure, place: &Place, problems: &mut Vec<Problem>) {
    let mut walk = Walk { spec, structure, names: BTreeSet::new(), problems };
    walk.stages(&spec.plan, place);
}

struct Walk<'a> {
    spec: &'a RunSpec,
    structure: &'a Structure,
    /// Snapshots, branches and members that exist so far.
    names: BTreeSet<String>,
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
            Stage::Repeat(repeat) => self.stages(&repeat.body, &place.key("body")),
            Stage::Branch(branch) => self.branch(branch, place),
            Stage::Connect(connect) => {
                self.kept(&connect.a, &place.key("a"));
                self.kept(&connect.b, &place.key("b"));
            }
            Stage::Ensemble(ensemble) => self.ensemble(ensemble, place),
            Stage::Campaign(_) => self.not_there_yet(stage.label(), place),
        }
    }

    fn not_there_yet(&mut self, what: &str, place: &Place) {
        self.error(
            place.clone(),
            format!("{what} is not there yet in this version; the rest of the file is understood"),
        );
    }

    fn train(&mut self, train: &Train, place: &Place) {
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

    fn branch(&mut self, branch: &Branch, place: &Place) {
        if let Some(data) = &branch.data {
            self.data(data, &place.key("data"));
        }
        let outside = self.names.clone();
        self.stages(&branch.plan, &place.key("plan"));
        self.names = outside;
        self.names.insert(branch.name.clone());
    }

    /// Data of a branch must fit the network, and with it the run's.
    fn data(&mut self, data: &Data, place: &Place) {
        let side = self.spec.net.image_side();
        let (here, there) = (self.spec.data.facts(side), data.facts(side));
        if (here.shape, here.classes) != (there.shape, there.classes) {
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
        self.names.extend((1..=ensemble.members).map(|member| format!("member {member}")));
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
            Intervention::Prune(prune) => {
                self.target(&prune.target, &place.key("target"));
                if let Criterion::Movement(movement) = &prune.criterion {
                    self.snapshot(&movement.since, &place.key("criterion").variant("Movement").key("since"));
                }
                let splits = prune.output_factor > 0.0 && prune.output_factor < 1.0;
                if splits && !matches!(prune.amount, Amount::Fraction(_)) {
                    let message =
                        "an output factor between 0 and 1 goes with amount: Fraction(…) only; use 0 or 1";
                    self.error(place.key("output_factor"), message.to_owned());
                }
            }
            Intervention::Snapshot(snapshot) => {
                self.names.insert(snapshot.name.clone());
            }
            Intervention::Graft(graft) => {
                self.target(&graft.target, &place.key("target"));
                self.source(&graft.from, &place.key("from"));
                if !graft.weights && graft.target != Target::default() {
                    let message =
                        "without weights only the position goes back, which has no parts; leave target out";
                    self.error(place.key("target"), message.to_owned());
                }
            }
            Intervention::Reinitialize(reinitialize) => {
                self.target(&reinitialize.target, &place.key("target"));
            }
            Intervention::Freeze(freeze) => self.freeze(freeze, place),
            Intervention::Release(release) => self.target(&release.target, &place.key("target")),
            Intervention::Set(set) => self.parameter(&set.parameter, &set.indices, place),
            Intervention::ShuffleMask(_) => {}
            Intervention::Import(file) => self.weight_file(file, place),
            Intervention::Export(file) => {
                self.weight_file(file, place);
                if !stays_inside(&file.file) {
                    let message = "exported files lie inside the run's directory, and not in place of its own files; write a name such as before.safetensors";
                    self.error(place.key("file"), message.to_owned());
                }
            }
            Intervention::Watch(watch) => self.layers(&watch.layers, &place.key("layers")),
            Intervention::Fault(_) => self.not_there_yet(intervention.label(), place),
        }
    }

    fn freeze(&mut self, freeze: &Freeze, place: &Place) {
        self.target(&freeze.target, &place.key("target"));
        if let HeldAt::Snapshot(name) = &freeze.at {
            self.source(name, &place.key("at").variant("Snapshot"));
        }
    }

    fn parameter(&mut self, name: &str, indices: &[usize], place: &Place) {
        let Some(index) = self.structure.find(name) else {
            let known: Vec<&str> =
                self.structure.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
            let message = format!("there is no parameter \"{name}\"; there are {}", known.join(", "));
            return self.error(place.key("parameter"), message);
        };
        let size = self.structure.parameters[index].len();
        for (at, entry) in indices.iter().enumerate().filter(|(_, entry)| **entry >= size) {
            let message = format!("{name} has {size} entries, numbered from 0, so there is no entry {entry}");
            self.error(place.key("indices").index(at), message);
        }
    }

    fn weight_file(&mut self, file: &WeightFile, place: &Place) {
        self.target(&file.target, &place.key("target"));
        if !is_file(&file.file) {
            self.error(place.key("file"), "name a file that ends in .safetensors".to_owned());
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

/// Whether a source of weights is a file rather than a name.
#[must_use]
pub fn is_file(from: &str) -> bool {
    std::path::Path::new(from).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("safetensors"))
}

/// Whether an exported file lies inside the run's directory, apart from the files that the run itself keeps there.
fn stays_inside(file: &str) -> bool {
    let path = std::path::Path::new(file);
    let mut components = path.components();
    let is_plain = components.clone().all(|part| matches!(part, std::path::Component::Normal(_)));
    let first = components.next().map(|part| part.as_os_str().to_string_lossy().into_owned());
    let own = ["weights.safetensors", "pins.safetensors", "checkpoint"];
    is_plain && first.is_some_and(|first| !own.contains(&first.as_str()))
}

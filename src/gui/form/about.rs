//! What forms know about the document: settings that apply where nothing is set, layers, and sweeps.

use std::collections::BTreeMap;

use crate::swept::{self, Swept};
use data::Shape;
use doc::arch::{self, Module, names, place_of};
use doc::intervention::Params;
use doc::structure::{Layer, Parameter, Role, Structure};
use doc::{Experiment, RunSpec, planned};
use form::path::{Found, Place, Segment, each};
use form::{Field, Names, Node, Stored, Value, text};

/// The document around a value, as its form knows it: inherited settings, layers, sweeps.
#[derive(Clone, Debug, Default)]
pub struct About {
    /// The settings of the runs that it belongs to, before sweeps.
    pub spec: RunSpec,
    /// Names of the network's layers, each with its number of weights.
    pub layers: Vec<(String, usize)>,
    pub parameters: Vec<String>,
    /// What is known about single items of lists, by their places: the shapes behind layers. At the place of a list: the
    /// shape in front of them.
    pub beside: BTreeMap<String, String>,
    /// Names of single items of lists, by their places: those that the parameters of layers have.
    pub names: BTreeMap<String, String>,
    /// Settings of runs with the written networks, by the places of these.
    pub written: Vec<(Place, RunSpec)>,
    pub swept: Vec<Swept>,
    pub arms: Vec<String>,
    /// The kind of parameters that applies where a target names none.
    pub usual_params: Option<Params>,
}

/// The relation of a setting to sweeps.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Sweeping {
    Impossible,
    /// Nothing sweeps it; it would get this address.
    Possible(String),
    /// The arm or the experiment that the form belongs to sweeps it.
    Own(Swept),
    Other(Swept),
}

impl About {
    /// Collects what forms of an arm know, or those of the experiment where none is given.
    pub fn new(experiment: &Experiment, arm: Option<usize>) -> Self {
        let spec = planned(experiment, arm);
        // A network that does not fit its data has no layers to choose from.
        let (layers, parameters) = spec.structure().map(|structure| named(&structure)).unwrap_or_default();
        let swept = swept::swept(experiment);
        let arms = experiment.arms.iter().map(|arm| arm.name.clone()).collect();
        let about = Self { spec, layers, parameters, swept, arms, ..Self::default() };
        about.with_layers(experiment, arm)
    }

    /// Returns where a new item goes in a list of `count` items, wanted at a position, and its text: layers go where they
    /// fit, with settings that fit.
    pub(super) fn placed(
        &self,
        list: &Place,
        count: usize,
        at: Option<usize>,
        new: String,
    ) -> (usize, String) {
        let written = self.written.iter().find(|(place, _)| list.0.starts_with(&place.0));
        let mut layer = Module::default();
        let Some((place, spec)) = written.filter(|_| layer.set_ron(&new).is_ok()) else {
            return (at.unwrap_or(count), new);
        };
        let position = |segment: &Segment| {
            if let Segment::Index(position) = segment { Some(*position) } else { None }
        };
        let around: Vec<usize> = list.0[place.0.len()..].iter().filter_map(position).collect();
        let (at, layer) = arch::placed(spec, &around, at, layer);
        (at, layer.to_ron())
    }

    /// Adds what is known of the layers of the experiment's network and of the arm's, where these are lists of layers: the
    /// shapes behind them, and their names.
    fn with_layers(mut self, experiment: &Experiment, arm: Option<usize>) -> Self {
        let root = Place::default();
        let of_arm = arm.and_then(|arm| Some((arm, experiment.arms.get(arm)?.net.as_ref()?)));
        let of_arm = of_arm.map(|(arm, net)| (Some(arm), net, root.key("arms").index(arm).key("net")));
        for (arm, net, place) in of_arm.into_iter().chain([(None, &experiment.net, root.key("net"))]) {
            let Some(layers) = net.rule().written() else { continue };
            let spec = RunSpec { net: net.clone(), ..planned(experiment, arm) };
            let Ok(traced) = spec.trace() else { continue };
            let place = place.variant(net.key());
            self.written.push((place.clone(), spec));
            self.beside.insert(place.key("layers").to_string(), traced.structure.input.to_string());
            let shape = |(path, shape): (Vec<usize>, Shape)| {
                (place_of(&place, layers, &path).to_string(), shape.to_string())
            };
            self.beside.extend(traced.behind.into_iter().map(shape));
            let name =
                |(path, name): (Vec<usize>, String)| (place_of(&place, layers, &path).to_string(), name);
            self.names.extend(names(layers).into_iter().map(name));
        }
        self
    }

    /// Returns true if a group has layers to tick: these are seen at once.
    pub(super) fn has_ticks(&self, value: &mut dyn Value) -> bool {
        let Node::Group(group) = value.node() else { return false };
        let count = group.fields().len();
        let names_some = |index| {
            let Node::Choice(choice) = group.value(index).node() else { return false };
            choice.variants().iter().any(names_layers)
        };
        !self.layers.is_empty() && (0..count).any(names_some)
    }

    /// Returns how a sweep concerns the setting at a place of the document.
    pub(super) fn sweeping(&self, place: &Place) -> Sweeping {
        let Some((arm, own)) = swept::in_run(place) else { return Sweeping::Impossible };
        let concerns = |swept: &&Swept| swept.places.contains(&own);
        if let Some(found) = self.swept.iter().filter(concerns).find(|swept| swept.arm == arm) {
            return Sweeping::Own(found.clone());
        }
        let other = self.swept.iter().filter(concerns).find(|swept| arm.is_none() || swept.arm.is_none());
        match other {
            Some(found) => Sweeping::Other(found.clone()),
            None => Sweeping::Possible(swept::path_of(&own)),
        }
    }

    /// Returns what holds where a setting is left out: `inherits 0.0012`, `default`.
    pub(super) fn hint(&mut self, field: &Field) -> String {
        if let Some(usual) = self.usual_params.as_ref().filter(|_| field.key == "params") {
            return format!("default ({})", usual.label().to_lowercase());
        }
        let found = self.with(field.inherits, |value, found| text::summary(value, &found.field()));
        match found {
            Some(value) if value.is_empty() => "inherits the experiment's".to_owned(),
            Some(value) if !field.inherits.is_empty() => format!("inherits {value}"),
            _ if field.unset != "default" => field.unset.to_owned(),
            _ => match field.names {
                Names::File => "choose a file".to_owned(),
                Names::Folder => "choose a folder".to_owned(),
                Names::Nothing | Names::Layers | Names::Parameter => field.unset.to_owned(),
            },
        }
    }

    /// Returns what a setting inherits, as text of the file format.
    pub(super) fn inherited(&mut self, field: &Field) -> Option<String> {
        if field.inherits.is_empty() { None } else { self.with(field.inherits, |value, _| value.to_ron()) }
    }

    /// Uses a copy of the first setting at an address.
    pub(super) fn with<R>(
        &mut self,
        path: &str,
        mut act: impl FnMut(&mut dyn Value, &Found) -> R,
    ) -> Option<R> {
        let mut result = None;
        let _ = each(&mut self.spec, path, &mut |value, found| {
            if result.is_none() {
                let before = value.to_ron();
                result = Some(act(value, found));
                let _ = value.set_ron(&before); // it was written a moment ago
            }
            Ok(())
        }); // an address of nothing has no value
        result
    }
}

/// Returns true if what an alternative carries names layers.
pub(super) fn names_layers(variant: &Field) -> bool {
    variant.names == Names::Layers
}
/// Returns the layers with the number of their weights, or of other trained values where they have none, and the
/// parameters.
fn named(structure: &Structure) -> (Vec<(String, usize)>, Vec<String>) {
    let weights = |layer: &Layer| {
        let sizes = layer.parameters.iter().map(|&index| &structure.parameters[index]);
        let trained = sizes.filter(|parameter| parameter.role.is_trained());
        let weight = trained.clone().find(|it| it.role == Role::Weight);
        weight.map_or_else(|| trained.map(Parameter::len).sum(), Parameter::len)
    };
    let layers = structure.layers.iter().map(|layer| (layer.name.clone(), weights(layer))).collect();
    (layers, structure.parameters.iter().map(|parameter| parameter.name.clone()).collect())
}

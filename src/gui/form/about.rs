//! What forms know about the document: settings that apply where nothing is set, layers, and sweeps.

use std::collections::BTreeMap;

use crate::swept::{self, Swept};
use data::Shape;
use doc::arch::{names, place_of};
use doc::intervention::Params;
use doc::structure::{Layer, Parameter, Role, Structure};
use doc::{Experiment, RunSpec, planned};
use form::path::{Found, Place, each};
use form::{Field, Names, Node, Value, text};

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
        let (beside, names) = of_layers(experiment, arm);
        Self { spec, layers, parameters, beside, names, swept, arms, usual_params: None }
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
            _ => field.unset.to_owned(),
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

/// Returns the shapes behind the layers of the experiment's network and of the arm's, where these are lists of
/// layers, and the names of those layers.
fn of_layers(
    experiment: &Experiment,
    arm: Option<usize>,
) -> (BTreeMap<String, String>, BTreeMap<String, String>) {
    let (mut beside, mut of_parameters) = (BTreeMap::new(), BTreeMap::new());
    let root = Place::default();
    let of_arm = arm.and_then(|arm| Some((arm, experiment.arms.get(arm)?.net.as_ref()?)));
    let of_arm = of_arm.map(|(arm, net)| (Some(arm), net, root.key("arms").index(arm).key("net")));
    for (arm, net, place) in of_arm.into_iter().chain([(None, &experiment.net, root.key("net"))]) {
        let Some(layers) = net.rule().written() else { continue };
        let traced = RunSpec { net: net.clone(), ..planned(experiment, arm) }.trace();
        let Ok(traced) = traced else { continue };
        let place = place.variant(net.key());
        beside.insert(place.key("layers").to_string(), traced.structure.input.to_string());
        let shape = |(path, shape): (Vec<usize>, Shape)| {
            (place_of(&place, layers, &path).to_string(), shape.to_string())
        };
        beside.extend(traced.behind.into_iter().map(shape));
        let name = |(path, name): (Vec<usize>, String)| (place_of(&place, layers, &path).to_string(), name);
        of_parameters.extend(names(layers).into_iter().map(name));
    }
    (beside, of_parameters)
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

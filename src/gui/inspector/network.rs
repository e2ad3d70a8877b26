//! What can be done with a network beside changing its settings.

use crate::form::FormButton;
use doc::arch::{Difference, place_of};
use doc::structure::logits;
use doc::{Arm, Experiment, Net, planned};
use form::path::{Place, Segment};

/// Makes a list of layers from a named network.
pub(super) const EDIT: &str = "Edit as layers";
/// Shows the view of networks.
pub(super) const SHOW: &str = "Show network";

/// The buttons of a network.
pub(super) const BUTTONS: &[FormButton] = &[
    FormButton {
        of: Net::TITLE,
        is_for: |key| key != "Sequential",
        text: EDIT,
        help: "Write the network out as a list of layers that can be changed; names and initial weights stay the same",
    },
    FormButton {
        of: Net::TITLE,
        is_for: |_| true,
        text: SHOW,
        help: "Open the view Network, which follows every edit",
    },
];

/// The arm that the network at a place is of; nothing for that of the experiment.
pub(super) fn arm_of(place: &Place) -> Option<usize> {
    match place.0.as_slice() {
        [Segment::Key(arms), Segment::Index(arm), ..] if arms == "arms" => Some(*arm),
        _ => None,
    }
}

/// The layer in which the lists of layers of two experiments differ, if any differ: its place in the new one, if it is
/// there.
pub fn edited_layer(old: &Experiment, new: &Experiment) -> Option<Option<Place>> {
    let root = Place::default();
    let arms = old.arms.iter().zip(&new.arms).enumerate();
    let of_arm = |(arm, (old, new)): (usize, (&'_ Arm, &'_ Arm))| {
        let place = Place::default().key("arms").index(arm).key("net");
        Some((place, old.net.clone()?, new.net.clone()?))
    };
    let mut nets = arms.filter_map(of_arm).chain([(root.key("net"), old.net.clone(), new.net.clone())]);
    nets.find_map(|(place, old, new)| {
        let (old, layers) = old.rule().written().zip(new.rule().written())?;
        let difference = Difference::between(old, layers)?;
        Some(difference.layer().map(|path| place_of(&place.variant(new.key()), layers, path)))
    })
}

/// Replaces the named network at a place, that of the experiment or of an arm, by the list of its layers. Returns what to
/// note about it.
pub(super) fn edit_as_layers(experiment: &mut Experiment, place: &Place) -> Option<String> {
    let arm = arm_of(place);
    let spec = planned(experiment, arm);
    let net = match arm {
        Some(arm) => experiment.arms.get_mut(arm)?.net.as_mut()?,
        None => &mut experiment.net,
    };
    let facts = spec.data.facts(net.image_side())?;
    let outputs = logits(net, facts.classes, &spec.train.loss);
    let name = net.rule().name(facts.shape, outputs);
    let list = net.to_layers(facts.shape, outputs);
    let count = list.layers.len();
    *net = Net::Sequential(list);
    let own = arm.and_then(|arm| experiment.arms.get(arm)).map(|arm| &arm.sweep);
    let mut sweeps = [Some(&experiment.sweep), own].into_iter().flatten().flat_map(|sweep| sweep.0.keys());
    let swept = sweeps
        .find(|path| path.starts_with("net."))
        .map_or_else(String::new, |path| format!(". The sweep over {path} no longer applies; remove it"));
    Some(format!("{name} is now a list of {count} layers; Undo restores it{swept}"))
}

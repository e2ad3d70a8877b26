//! What can be done with a network beside changing its settings.

use crate::doc::structure::logits;
use crate::doc::{Experiment, Net, planned};
use crate::form::path::{Place, Segment};
use crate::gui::form::FormButton;

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

/// Replaces the named network at a place, that of the experiment or of an arm, by the list of its layers. Returns what to
/// note about it.
pub(super) fn edit_as_layers(experiment: &mut Experiment, place: &Place) -> Option<String> {
    let arm = match place.0.as_slice() {
        [Segment::Key(arms), Segment::Index(arm), ..] if arms == "arms" => Some(*arm),
        _ => None,
    };
    let spec = planned(experiment, arm);
    let net = match arm {
        Some(arm) => experiment.arms.get_mut(arm)?.net.as_mut()?,
        None => &mut experiment.net,
    };
    let facts = spec.data.facts(net.image_side());
    let outputs = logits(net, facts.classes, &spec.train.loss);
    let name = net.rule().name(facts.shape, outputs);
    let list = net.to_layers(facts.shape, outputs);
    let count = list.layers.len();
    *net = Net::Sequential(list);
    Some(format!("{name} is now a list of {count} layers; Undo restores it"))
}

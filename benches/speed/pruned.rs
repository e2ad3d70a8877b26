//! Networks of which weights or channels are pruned.

use doc::structure::Role;
use intervene::draw::uniform;
use intervene::stream::{Purpose, stream};
use net::Network;

/// The part of a network that is pruned before it is measured.
pub enum Pruned {
    Nothing,
    /// This share of the weights of every layer.
    Weights(f32),
    /// This share of the channels between layers, on both sides.
    Channels(f32),
}

impl Pruned {
    /// Reads the end of a scenario; returns the rest, too.
    pub fn of(scenario: &str) -> (&str, Self) {
        let percent = |text: &str| text.parse().ok().filter(|percent| (0..=100).contains(percent));
        for (mark, kind) in [("-s", Self::Weights as fn(f32) -> Self), ("-c", Self::Channels)] {
            if let Some((rest, share)) = scenario.rsplit_once(mark)
                && let Some(share) = percent(share)
            {
                let share: i8 = share;
                return (rest, kind(f32::from(share) / 100.0));
            }
        }
        (scenario, Self::Nothing)
    }

    /// Prunes them.
    pub fn prune(&self, network: &mut Network) {
        let weights: Vec<usize> = (0..network.len())
            .filter(|index| network.structure().parameters[*index].role == Role::Weight)
            .collect();
        for (layer, index) in weights.iter().enumerate() {
            let parameter = network.structure().parameters[*index].clone();
            let (outputs, inputs) = (parameter.shape[0], parameter.shape[1]);
            let places = parameter.len() / (outputs * inputs).max(1);
            let is_last = layer + 1 == weights.len();
            let mut rng = stream(1, Purpose::Init, &[layer as u64]);
            // Evenly spread.
            let is_gone = |channel: usize, share: f32| {
                (channel as f32 * share).floor() < ((channel + 1) as f32 * share).floor()
            };
            let entries = (0..parameter.len()).filter(|entry| match *self {
                Self::Nothing => false,
                Self::Weights(share) => uniform(&mut rng) < share,
                Self::Channels(share) => {
                    let (output, input) = (entry / (inputs * places), entry / places % inputs);
                    !is_last && is_gone(output, share) || layer > 0 && is_gone(input, share)
                }
            });
            let entries: Vec<u32> = entries.map(|entry| entry as u32).collect();
            network.prune(*index, &entries);
        }
    }
}

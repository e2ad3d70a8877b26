//! Layers that the members of an ensemble share: handed over, compared, and kept equal when an intervention changes the
//! first member.

use super::error::RunError;
use super::session::Session;
use super::state::State;
use doc::intervention::{Layers, Params, Target};
use doc::{Structure, targets};
use net::Network;
use results::Report;

/// Positions of the parameters of shared layers, batch-norm statistics included.
pub fn parameters(structure: &Structure, share: &Layers) -> Vec<usize> {
    let target = Target { layers: share.clone(), ..Target::default() };
    targets::parameters(structure, &target, &Params::Everything)
}

/// Hands parameters over, with what holds their entries.
pub fn hand(giver: &Network, receiver: &mut Network, shared: &[usize]) {
    for &index in shared {
        receiver.adopt(index, giver);
    }
}

/// Hands shared layers over: their parameters, what holds them, and which norms use their running statistics.
pub fn take_over(giver: &Network, receiver: &mut Network, share: &Layers) {
    let structure = giver.structure().clone();
    hand(giver, receiver, &parameters(&structure, share));
    let is_shared = |layer: &usize| targets::has_layer(&structure, share, *layer);
    receiver.free_norms(|layer| is_shared(&layer));
    receiver.fix_norms(giver.fixed_norms().iter().copied().filter(is_shared));
}

/// Whether all values of shared layers are equal bit for bit, running statistics included.
pub fn is_equal(a: &Network, b: &Network, share: &Layers) -> bool {
    let structure = a.structure();
    let layers = (0..structure.layers.len()).filter(|&layer| targets::has_layer(structure, share, layer));
    let mut indices = layers.flat_map(|layer| &structure.layers[layer].parameters);
    indices.all(|&index| {
        let mut pairs = a.values(index).iter().zip(b.values(index));
        pairs.all(|(a, b)| a.to_bits() == b.to_bits())
    })
}

/// Names of the shared layers.
pub fn names<'a>(structure: &'a Structure, share: &Layers) -> Vec<&'a str> {
    let layers = (0..structure.layers.len()).filter(|&layer| targets::has_layer(structure, share, layer));
    layers.map(|layer| structure.layers[layer].name.as_str()).collect()
}

/// The first member before an intervention, where there are others.
pub fn before(state: &State) -> Option<Network> {
    (!state.others.is_empty()).then(|| state.network.clone())
}

/// An intervention acts on the first member. Where it changed a shared layer, the others take the shared layers over, so
/// that they stay equal bit for bit. Reports both cases.
pub fn after(session: &mut Session, before: Option<Network>) -> Result<(), RunError> {
    let Some(before) = before else { return Ok(()) };
    let structure = session.context.structure.clone();
    let State { network, others, share, .. } = session.state_mut();
    if is_same(&before, network, &Layers::All) {
        return Ok(());
    }
    let members = others.len() + 1;
    let share = share.clone().unwrap_or_default();
    let mut summary = format!("the intervention acted on member 1 of {members}");
    let mut passed = None;
    if is_same(&before, network, &share) {
        summary = format!("{summary}; it changed no shared layer");
    } else {
        for member in others.iter_mut() {
            take_over(network, &mut member.network, &share);
        }
        let equal = others.iter().all(|member| is_equal(network, &member.network, &share));
        passed = Some(equal);
        let verdict =
            if equal { "equal bit for bit in all members" } else { "they differ; please report it" };
        let names = names(&structure, &share).join(", ");
        summary = format!("{summary}; shared layers handed over ({names}): {verdict}");
    }
    session.report(Report { kind: "members".to_owned(), summary, passed, ..Report::default() })
}

/// Whether layers are unchanged: values, what holds them, and which norms use their running statistics.
fn is_same(a: &Network, b: &Network, layers: &Layers) -> bool {
    let structure = a.structure();
    let norms = |network: &Network| -> Vec<usize> {
        let norms = network.fixed_norms().iter().copied();
        norms.filter(|&layer| targets::has_layer(structure, layers, layer)).collect()
    };
    let held = |index: &usize| a.entries(*index) == b.entries(*index);
    is_equal(a, b, layers) && parameters(structure, layers).iter().all(held) && norms(a) == norms(b)
}

#[cfg(test)]
pub mod testing {
    use std::sync::Arc;

    use super::{Network, Structure};
    use data::Shape;
    use doc::{Loss, Net, Vgg};
    use intervene::{BiasInit, Init};
    use net::Initialisation;

    /// A small network with batch norm.
    pub fn network(seed: u64) -> Network {
        let net = Net::Vgg(Vgg { depth: 11, width: 1, ..Vgg::default() });
        let structure = Structure::new(&net, Shape::new(1, 32, 32), 2, &Loss::CrossEntropy).unwrap();
        let initialisation = Initialisation { weights: Init::PyTorch, biases: BiasInit::Usual };
        Network::new(Arc::new(structure), initialisation, seed, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::testing::network;
    use super::*;

    #[test]
    fn the_comparison_finds_what_a_hand_over_left_out() {
        let (mut first, mut second) = (network(1), network(2));
        let share = Layers::First(1);
        let shared = parameters(first.structure(), &share);
        let mean = first.structure().find("features.1.running_mean").unwrap();
        first.write(mean, &[0.5]);
        let left_out: Vec<usize> = shared.iter().copied().filter(|index| *index != mean).collect();
        hand(&first, &mut second, &left_out);
        assert!(!is_equal(&first, &second, &share));
        hand(&first, &mut second, &shared);
        assert!(is_equal(&first, &second, &share));
        assert!(!is_equal(&first, &second, &Layers::All));
    }

    #[test]
    fn norms_that_use_their_statistics_and_pins_are_handed_on_too() {
        let (mut first, mut second) = (network(1), network(2));
        let layers = first.structure().layers.iter().enumerate();
        let norms = layers.filter(|(_, layer)| ["features.1", "features.5"].contains(&layer.name.as_str()));
        let fixed: Vec<usize> = norms.map(|(position, _)| position).collect();
        first.fix_norms(fixed.clone());
        first.prune(0, &[0, 1]);
        take_over(&first, &mut second, &Layers::First(1));
        assert_eq!(second.entries(0), first.entries(0));
        assert_eq!(second.fixed_norms().iter().copied().collect::<Vec<_>>(), fixed[..1]);
        assert!(is_same(&first, &second, &Layers::First(1)));
    }
}

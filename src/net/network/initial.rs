//! Initial values, drawn on the host from the seed's stream.

use super::Initialisation;
use doc::structure::{Role, Structure};
use intervene::init::{self, Fans};
use intervene::stream::{Purpose, stream};

/// Initial values of a parameter. Each parameter has its own stream, so changing one layer leaves the initial values of
/// the others as they were.
pub(super) fn initial_values(
    structure: &Structure,
    initialisation: Initialisation,
    index: usize,
    seed: u64,
    generation: u64,
) -> Vec<f32> {
    let parameter = &structure.parameters[index];
    let mut rng = stream(seed, Purpose::Init, &[generation, index as u64]);
    match parameter.role {
        Role::Weight => init::weight(initialisation.weights, &parameter.shape, &mut rng),
        Role::Bias => {
            let weight = structure.weight(parameter.layer).expect("a layer with a bias has a weight");
            let fan_in = Fans::of(&weight.shape).fan_in;
            init::bias(initialisation.biases, initialisation.weights, parameter.len(), fan_in, &mut rng)
        }
        Role::Scale | Role::RunningVariance => vec![1.0; parameter.len()],
        Role::Shift | Role::RunningMean => vec![0.0; parameter.len()],
    }
}

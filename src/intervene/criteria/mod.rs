//! Pruning criteria: what an entry is worth. The entries with the lowest scores go first.
//!
//! A criterion is one file here and one line in [`Criterion`]; which entries then go is decided by
//! [`prune`](super::prune), the same for all.

mod magnitude;
mod movement;
mod random;
mod snip;
mod synflow;

pub use magnitude::Magnitude;
pub use movement::Movement;
pub use random::Random;
pub use snip::Snip;
pub use synflow::SynFlow;

use super::Scope;
use super::stream::Stream;

form::choice! {
    /// The criteria that a file can name.
    pub enum Criterion: "Criterion", each Scoring {
        Magnitude, "Magnitude", "Smallest absolute values first (Han et al. 2015)";
        Random, "Random", "Random order: the control for every other criterion";
        Snip(Snip) = Snip::default(), "SNIP", "Entries with the least effect on the loss first: |w·g| on \
            training data (Lee et al. 2019)";
        SynFlow(SynFlow) = SynFlow::default(), "SynFlow", "Entries with the least synaptic flow from input \
            to output first, without data (Tanaka et al. 2020)";
        Movement(Movement) = Movement::default(), "Movement", "Entries that moved most towards zero since a \
            snapshot first (Sanh et al. 2020)";
    }
}

/// Scores of the entries of a parameter, pruned and frozen ones included, by the data that a criterion looks at.
pub enum Evidence<'a> {
    /// The weights alone. Parameters are asked in the order of the network with one stream, so that what is drawn for an
    /// entry does not depend on the mask.
    Weights(Box<dyn Fn(&[f32], &mut Stream) -> Vec<f32> + 'a>),
    /// Weights, and the gradient of the training loss, averaged over so many mini-batches; pruned entries have 0.
    LossGradient { batches: u64, score: Pairwise<'a> },
    /// Weights, and the gradient of the sum of all outputs for one image of ones, in a network whose every weight is its
    /// absolute value, whose biases are 0 and which normalises nothing; pruned entries have 0. No data are needed.
    FlowGradient(Pairwise<'a>),
    /// Weights, and those of the snapshot `since`; the criterion's setting is called so too.
    Past { since: &'a str, score: Pairwise<'a> },
}

/// Scores from the weights of a parameter and one more number for each of them.
pub type Pairwise<'a> = Box<dyn Fn(&[f32], &[f32]) -> Vec<f32> + 'a>;

/// Returns a score for each entry from its own two numbers.
fn each<'a>(score: impl Fn(f32, f32) -> f32 + 'a) -> Pairwise<'a> {
    Box::new(move |weights, others| {
        weights.iter().zip(others).map(|(&weight, &other)| score(weight, other)).collect()
    })
}

impl Evidence<'_> {
    /// Returns the scores of one parameter; `others` are what is looked at besides its weights, empty where that is
    /// nothing.
    pub fn scores(&self, weights: &[f32], others: &[f32], rng: &mut Stream) -> Vec<f32> {
        match self {
            Self::Weights(score) => score(weights, rng),
            Self::LossGradient { score, .. } | Self::FlowGradient(score) | Self::Past { score, .. } => {
                assert_eq!(weights.len(), others.len(), "one number for each weight");
                score(weights, others)
            }
        }
    }
}

/// A pruning criterion.
pub trait Scoring {
    /// Returns what it looks at, and how it scores by it.
    fn evidence(&self) -> Evidence<'_>;

    /// Returns the scope that its paper prunes with: scores by gradients compare layers with each other. New steps
    /// begin with it; files without a scope keep the default of the format.
    fn usual_scope(&self) -> Scope {
        match self.evidence() {
            Evidence::LossGradient { .. } | Evidence::FlowGradient(_) => Scope::Global,
            Evidence::Weights(_) | Evidence::Past { .. } => Scope::PerLayer,
        }
    }

    /// Returns in how many steps it prunes unless told otherwise, with new scores before each.
    fn steps(&self) -> u32 {
        1
    }

    /// Returns how a plan that prunes by it reads, where that is not `by` and its label.
    fn words(&self) -> Option<&'static str> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::{Purpose, stream};

    #[test]
    fn every_criterion_scores_every_entry_once() {
        for criterion in Criterion::all() {
            let rng = &mut stream(0, Purpose::Mask, &[]);
            let scores = criterion.rule().evidence().scores(&[1.0, -2.0, 0.0], &[0.5, 0.5, 0.5], rng);
            assert_eq!(scores.len(), 3, "{}", criterion.key());
            assert!(criterion.rule().steps() > 0);
        }
    }
}

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

use super::stream::Stream;
use thiserror::Error;

crate::choice! {
    /// The criteria that a file can name.
    pub enum Criterion: "Criterion" {
        Magnitude, "Magnitude", "The smallest absolute values go first (Han et al. 2015)";
        Random, "Random", "At random: the control against which a criterion has to show its worth";
        Snip(Snip) = Snip::default(), "SNIP", "Those go first to which the loss is least sensitive, |w·g| on training data (Lee et al. 2019)";
        SynFlow(SynFlow) = SynFlow::default(), "SynFlow", "Those go first that carry least of the flow from input to output, without data (Tanaka et al. 2020)";
        Movement(Movement) = Movement::default(), "Movement", "Those go first that moved most towards zero since an earlier moment (Sanh et al. 2020)";
    }
}

impl Criterion {
    /// The rule behind the name.
    pub fn rule(&self) -> &dyn Scoring {
        match self {
            Self::Magnitude => &Magnitude,
            Self::Random => &Random,
            Self::Snip(rule) => rule,
            Self::SynFlow(rule) => rule,
            Self::Movement(rule) => rule,
        }
    }
}

/// What a criterion looks at besides the weights, one number per entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Needs {
    /// Nothing.
    Nothing,
    /// The gradient of the training loss, averaged over the batches looked at, with pruned entries at 0.
    LossGradient,
    /// The gradient of the sum of all outputs for one image of ones, in a network whose every weight is its absolute
    /// value, whose biases are 0 and which normalises nothing; pruned entries at 0. No data are needed.
    FlowGradient,
    /// The weights at an earlier moment: initialisation, or a snapshot.
    Past,
}

/// One parameter as a criterion sees it, in the exported layout.
#[derive(Debug, Clone, Copy)]
pub struct Evidence<'a> {
    /// The parameter's name, for messages.
    pub name: &'a str,
    /// The current values.
    pub weights: &'a [f32],
    /// What [`Scoring::needs`] asks for; empty if that is nothing.
    pub needed: &'a [f32],
}

impl Evidence<'_> {
    /// A score for each entry from its weight and the number that the criterion needs.
    fn map(self, score: impl Fn(f32, f32) -> f32) -> Vec<f32> {
        self.weights.iter().zip(self.needed).map(|(&weight, &needed)| score(weight, needed)).collect()
    }
}

/// What an entry is worth.
pub trait Scoring: Sync {
    /// What it looks at besides the weights.
    fn needs(&self) -> Needs {
        Needs::Nothing
    }

    /// In how many steps it prunes unless told otherwise, scoring anew before each.
    fn steps(&self) -> u32 {
        1
    }

    /// A score for each entry of one parameter, pruned and frozen ones included. Parameters are asked in the order of
    /// the network with one stream, so that what is drawn for an entry does not depend on the mask.
    fn scores(&self, evidence: Evidence, rng: &mut Stream) -> Vec<f32>;
}

/// The scores of all parameters of a target, in the order of the network.
///
/// # Errors
/// When a parameter lacks what the criterion needs.
pub fn scores(
    criterion: &Criterion,
    parameters: &[Evidence],
    rng: &mut Stream,
) -> Result<Vec<Vec<f32>>, MissingEvidence> {
    let score = |evidence: &Evidence| {
        let rule = criterion.rule();
        let complete = rule.needs() == Needs::Nothing || evidence.needed.len() == evidence.weights.len();
        if complete {
            return Ok(rule.scores(*evidence, rng));
        }
        Err(MissingEvidence {
            criterion: criterion.key(),
            needs: rule.needs(),
            parameter: evidence.name.to_owned(),
            weights: evidence.weights.len(),
            given: evidence.needed.len(),
        })
    };
    parameters.iter().map(score).collect()
}

/// A criterion was not given what it looks at.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "{criterion} needs {needs:?} for each of the {weights} entries of {parameter}, but got {given} numbers"
)]
pub struct MissingEvidence {
    /// The criterion's name.
    pub criterion: &'static str,
    /// What it needs.
    pub needs: Needs,
    /// The parameter.
    pub parameter: String,
    /// How many entries that has.
    pub weights: usize,
    /// How many numbers were given.
    pub given: usize,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::intervene::stream::{Purpose, stream};

    #[test]
    fn every_criterion_scores_every_entry_once() {
        let evidence = Evidence { name: "w", weights: &[1.0, -2.0, 0.0], needed: &[0.5, 0.5, 0.5] };
        for criterion in Criterion::all() {
            let scores = scores(&criterion, &[evidence], &mut stream(0, Purpose::Mask, &[])).unwrap();
            assert_eq!(scores[0].len(), 3, "{}", criterion.key());
            assert!(criterion.rule().steps() > 0);
        }
    }

    #[test]
    fn a_criterion_without_what_it_needs_says_so() {
        let evidence = Evidence { name: "fc1.weight", weights: &[1.0], needed: &[] };
        for criterion in Criterion::all() {
            let result = scores(&criterion, &[evidence], &mut stream(0, Purpose::Mask, &[]));
            assert_eq!(result.is_err(), criterion.rule().needs() != Needs::Nothing, "{}", criterion.key());
        }
    }
}

use super::{Evidence, Needs, Scoring};
use crate::intervene::stream::Stream;

crate::form! {
    /// |w·g| with the gradient g of the training loss (SNIP; Lee et al., ICLR 2019). The paper divides by the sum of all
    /// scores, which changes no rank.
    pub struct Snip: "SNIP" {
        batches: u64 = 1, "Batches", "Mini-batches of training data that the gradient is averaged over", unit "batches", range [1, 100_000];
    }
}

impl Scoring for Snip {
    fn needs(&self) -> Needs {
        Needs::LossGradient
    }

    fn scores(&self, evidence: Evidence, _rng: &mut Stream) -> Vec<f32> {
        evidence.map(|weight, gradient| (weight * gradient).abs())
    }
}

#[cfg(test)]
mod tests {
    use super::{Evidence, Scoring, Snip};
    use crate::intervene::stream::{Purpose, stream};

    #[test]
    fn a_weight_that_the_loss_does_not_feel_scores_zero_however_large() {
        let evidence = Evidence { name: "w", weights: &[9.0, -1.0, 2.0], needed: &[0.0, 3.0, -1.0] };
        assert_eq!(Snip::default().scores(evidence, &mut stream(0, Purpose::Mask, &[])), [0.0, 3.0, 2.0]);
    }
}

use super::{Evidence, Scoring, each};

form::form! {
    /// |w·g| with the gradient g of the training loss (SNIP; Lee et al., ICLR 2019). The paper divides by the sum of all
    /// scores, which changes no rank.
    pub struct Snip: "SNIP" {
        batches: u64 = 1, "Batches", "Mini-batches of training data over which to average the gradient", unit "batches", range [1, 100_000];
    }
}

impl Scoring for Snip {
    fn evidence(&self) -> Evidence<'_> {
        let score = each(|weight, gradient| (weight * gradient).abs());
        Evidence::LossGradient { batches: self.batches, score }
    }
}

#[cfg(test)]
mod tests {
    use super::{Scoring, Snip};
    use crate::stream::{Purpose, stream};

    #[test]
    fn a_weight_that_the_loss_does_not_feel_scores_zero_however_large() {
        let (snip, rng) = (Snip::default(), &mut stream(0, Purpose::Mask, &[]));
        assert_eq!(snip.evidence().scores(&[9.0, -1.0, 2.0], &[0.0, 3.0, -1.0], rng), [0.0, 3.0, 2.0]);
    }
}

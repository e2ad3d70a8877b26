use super::{Evidence, Scoring, each};

form::form! {
    /// |w·g| with the gradient g of the sum of all outputs for an image of ones, every weight taken as its absolute value
    /// (SynFlow; Tanaka et al., NeurIPS 2020). Pruned in 100 exponential steps, it never empties a layer while another
    /// has entries to give. The flow of deep networks exceeds float32; it is then scaled on its way, which
    /// multiplies every score by the same number.
    pub struct SynFlow: "SynFlow" {
        steps: u32 = 100, "Steps", "Number of exponential pruning steps, with new scores before each", range [1, 10_000];
    }
}

impl Scoring for SynFlow {
    fn evidence(&self) -> Evidence<'_> {
        Evidence::FlowGradient(each(|weight, gradient| (weight * gradient).abs()))
    }

    fn steps(&self) -> u32 {
        self.steps
    }
}

#[cfg(test)]
mod tests {
    use super::{Scoring, SynFlow};
    use crate::stream::{Purpose, stream};

    #[test]
    fn each_layer_of_a_chain_has_the_same_total_score() {
        // One input, two hidden units, one output, with weights (2, −3) and (5, 1): the flow is 2·5 + 3·1 = 13.
        let (synflow, rng) = (SynFlow::default(), &mut stream(0, Purpose::Mask, &[]));
        assert_eq!(synflow.evidence().scores(&[2.0, -3.0], &[5.0, 1.0], rng), [10.0, 3.0]);
        assert_eq!(synflow.evidence().scores(&[5.0, 1.0], &[2.0, 3.0], rng), [10.0, 3.0]);
    }
}

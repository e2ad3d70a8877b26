use super::{Evidence, Needs, Scoring};
use crate::intervene::stream::Stream;

crate::form! {
    /// |w·g| with the gradient g of the sum of all outputs for an image of ones, every weight taken as its absolute value
    /// (SynFlow; Tanaka et al., NeurIPS 2020). Pruned in 100 exponential steps, it never empties a layer while another
    /// has entries to give. The scores of deep networks are large: if they overflow, scale all weights of a layer, which
    /// multiplies every score by the same number.
    pub struct SynFlow: "SynFlow" {
        steps: u32 = 100, "Steps", "In how many exponential steps it prunes, scoring anew before each", range [1, 10_000];
    }
}

impl Scoring for SynFlow {
    fn needs(&self) -> Needs {
        Needs::FlowGradient
    }

    fn steps(&self) -> u32 {
        self.steps
    }

    fn scores(&self, evidence: Evidence, _rng: &mut Stream) -> Vec<f32> {
        evidence.map(|weight, gradient| (weight * gradient).abs())
    }
}

#[cfg(test)]
mod tests {
    use super::{Evidence, Scoring, SynFlow};
    use crate::intervene::stream::{Purpose, stream};

    #[test]
    fn each_layer_of_a_chain_has_the_same_total_score() {
        // One input, two hidden units, one output, with weights (2, −3) and (5, 1): the flow is 2·5 + 3·1 = 13.
        let rng = &mut stream(0, Purpose::Mask, &[]);
        let first = Evidence { name: "fc1.weight", weights: &[2.0, -3.0], needed: &[5.0, 1.0] };
        let second = Evidence { name: "fc2.weight", weights: &[5.0, 1.0], needed: &[2.0, 3.0] };
        assert_eq!(SynFlow::default().scores(first, rng), [10.0, 3.0]);
        assert_eq!(SynFlow::default().scores(second, rng), [10.0, 3.0]);
    }
}

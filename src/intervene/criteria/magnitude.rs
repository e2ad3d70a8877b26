use super::{Evidence, Scoring};
use crate::intervene::stream::Stream;

/// |w|: small weights go (Han et al., NeurIPS 2015; Frankle and Carbin, ICLR 2019).
#[derive(Debug, Clone, Copy)]
pub struct Magnitude;

impl Scoring for Magnitude {
    fn scores(&self, evidence: Evidence, _rng: &mut Stream) -> Vec<f32> {
        evidence.weights.iter().map(|weight| weight.abs()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Evidence, Magnitude, Scoring};
    use crate::intervene::stream::{Purpose, stream};

    #[test]
    fn the_sign_does_not_matter() {
        let evidence = Evidence { name: "w", weights: &[-3.0, 2.0, -0.0], needed: &[] };
        assert_eq!(Magnitude.scores(evidence, &mut stream(0, Purpose::Mask, &[])), [3.0, 2.0, 0.0]);
    }
}

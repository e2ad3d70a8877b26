use super::{Evidence, Scoring};

/// |w|: small weights go (Han et al., NeurIPS 2015; Frankle and Carbin, ICLR 2019).
#[derive(Debug, Clone, Copy)]
pub struct Magnitude;

impl Scoring for Magnitude {
    fn evidence(&self) -> Evidence<'_> {
        Evidence::Weights(Box::new(|weights, _| weights.iter().map(|weight| weight.abs()).collect()))
    }

    fn words(&self) -> Option<&'static str> {
        Some("by magnitude")
    }
}

#[cfg(test)]
mod tests {
    use super::{Magnitude, Scoring};
    use crate::stream::{Purpose, stream};

    #[test]
    fn the_sign_does_not_matter() {
        let rng = &mut stream(0, Purpose::Mask, &[]);
        assert_eq!(Magnitude.evidence().scores(&[-3.0, 2.0, -0.0], &[], rng), [3.0, 2.0, 0.0]);
    }
}

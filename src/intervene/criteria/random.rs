use super::{Evidence, Scoring};
use crate::draw::uniform;

/// A uniform number for each entry: the control against which a criterion has to show its worth.
#[derive(Debug, Clone, Copy)]
pub struct Random;

impl Scoring for Random {
    fn evidence(&self) -> Evidence<'_> {
        Evidence::Weights(Box::new(|weights, rng| weights.iter().map(|_| uniform(rng)).collect()))
    }

    fn words(&self) -> Option<&'static str> {
        Some("at random")
    }
}

#[cfg(test)]
mod tests {
    use super::{Random, Scoring};
    use crate::stream::{Purpose, stream};

    #[test]
    fn scores_depend_on_the_stream_and_the_place_but_not_on_the_weights() {
        let scores = |parts: &[&[f32]]| -> Vec<f32> {
            let (evidence, rng) = (Random.evidence(), &mut stream(3, Purpose::Mask, &[]));
            parts.iter().flat_map(|weights| evidence.scores(weights, &[], rng)).collect()
        };
        let in_two = scores(&[&[0.0, 0.0], &[0.0, 0.0]]);
        assert_eq!(in_two, scores(&[&[1.0, 2.0], &[3.0, 4.0]]));
        assert_eq!(in_two, scores(&[&[0.0; 4]]));
    }
}

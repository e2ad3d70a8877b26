use super::{Evidence, Scoring};
use crate::intervene::draw::uniform;
use crate::intervene::stream::Stream;

/// A uniform number for each entry: the control against which a criterion has to show its worth.
#[derive(Debug, Clone, Copy)]
pub struct Random;

impl Scoring for Random {
    fn scores(&self, evidence: Evidence, rng: &mut Stream) -> Vec<f32> {
        evidence.weights.iter().map(|_| uniform(rng)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Evidence, Random, Scoring};
    use crate::intervene::criteria::scores;
    use crate::intervene::stream::{Purpose, stream};

    #[test]
    fn scores_depend_on_the_stream_and_the_place_but_not_on_the_weights() {
        let rng = || stream(3, Purpose::Mask, &[]);
        let parts = |weights: [f32; 4]| {
            let [a, b] =
                [&weights[..2], &weights[2..]].map(|weights| Evidence { name: "w", weights, needed: &[] });
            scores(&crate::intervene::Criterion::Random, &[a, b], &mut rng()).unwrap().concat()
        };
        assert_eq!(parts([0.0; 4]), parts([1.0, 2.0, 3.0, 4.0]));
        let whole = Evidence { name: "w", weights: &[0.0; 4], needed: &[] };
        assert_eq!(parts([0.0; 4]), Random.scores(whole, &mut rng()));
    }
}

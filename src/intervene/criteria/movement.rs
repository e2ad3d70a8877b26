use super::{Evidence, Needs, Scoring};
use crate::intervene::stream::Stream;

crate::form! {
    /// (w² − w₀²)/2 with the weight w₀ at an earlier moment: weights that moved towards zero go, however large they are.
    ///
    /// Movement pruning (Sanh et al., NeurIPS 2020) sums −w·∂L/∂w over the steps of training. Under gradient flow that
    /// sum is ∫ w dw, which needs no more than the two ends, and measures the movement that happened, whatever the
    /// optimizer. Signs are those of `magnitude_increase`, |w| − |w₀| (Zhou et al., NeurIPS 2019); not meant is what
    /// Zhou et al. call movement, |w − w₀|.
    pub struct Movement: "Movement" {
        since: String = "init".to_owned(), "Since", "The snapshot from which movement is measured";
    }
}

impl Scoring for Movement {
    fn needs(&self) -> Needs {
        Needs::Past
    }

    fn scores(&self, evidence: Evidence, _rng: &mut Stream) -> Vec<f32> {
        evidence.map(|now, past| {
            let (now, past) = (f64::from(now), f64::from(past));
            (0.5 * (now - past) * (now + past)) as f32
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Evidence, Movement, Scoring};
    use crate::intervene::stream::{Purpose, stream};

    #[test]
    fn weights_that_moved_towards_zero_score_below_those_that_moved_away() {
        let evidence =
            Evidence { name: "w", weights: &[3.0, -3.0, 1.0, -2.0], needed: &[4.0, -4.0, 0.0, 2.0] };
        assert_eq!(
            Movement::default().scores(evidence, &mut stream(0, Purpose::Mask, &[])),
            [-3.5, -3.5, 0.5, 0.0]
        );
    }

    #[test]
    fn the_score_is_the_sum_of_w_times_its_steps_along_a_fine_path() {
        let steps = 1000;
        let path: Vec<f64> = (0..=steps).map(|at| 2.0 - 1.5 * f64::from(at) / f64::from(steps)).collect();
        let sum: f64 = path.windows(2).map(|step| step[0] * (step[1] - step[0])).sum();
        let evidence = Evidence { name: "w", weights: &[0.5], needed: &[2.0] };
        let score = Movement::default().scores(evidence, &mut stream(0, Purpose::Mask, &[]))[0];
        assert!((sum - f64::from(score)).abs() < 2e-3);
    }
}

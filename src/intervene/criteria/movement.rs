use super::{Evidence, Scoring, each};

form::form! {
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
    fn evidence(&self) -> Evidence<'_> {
        // The difference is taken before rounding.
        let score = each(|now, past| {
            let (now, past) = (f64::from(now), f64::from(past));
            (0.5 * (now - past) * (now + past)) as f32
        });
        Evidence::Past { since: &self.since, score }
    }
}

#[cfg(test)]
mod tests {
    use super::{Movement, Scoring};
    use crate::stream::{Purpose, stream};

    fn scores(now: &[f32], past: &[f32]) -> Vec<f32> {
        Movement::default().evidence().scores(now, past, &mut stream(0, Purpose::Mask, &[]))
    }

    #[test]
    fn weights_that_moved_towards_zero_score_below_those_that_moved_away() {
        assert_eq!(scores(&[3.0, -3.0, 1.0, -2.0], &[4.0, -4.0, 0.0, 2.0]), [-3.5, -3.5, 0.5, 0.0]);
    }

    #[test]
    fn the_score_is_the_sum_of_w_times_its_steps_along_a_fine_path() {
        let steps = 1000;
        let path: Vec<f64> = (0..=steps).map(|at| 2.0 - 1.5 * f64::from(at) / f64::from(steps)).collect();
        let sum: f64 = path.windows(2).map(|step| step[0] * (step[1] - step[0])).sum();
        let score = scores(&[0.5], &[2.0])[0];
        assert!((sum - f64::from(score)).abs() < 2e-3);
    }
}

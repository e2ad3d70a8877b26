//! How the learning rate changes over a training.

use form::{Steps, StepsUnit};

form::form! {
    /// Settings of a rate that falls in steps.
    pub struct StepDecay: "Steps" {
        at: Vec<Steps> = vec![Steps::epochs(80), Steps::epochs(120)], "At", "When the learning rate falls, counted from the start of training";
        factor: f64 = 0.1, "Factor", "Multiplies the learning rate each time", range [0.0, 1.0];
    }
}

form::form! {
    /// Settings of a rate that falls along half a cosine.
    pub struct Cosine: "Cosine" {
        over: Steps = Steps::epochs(100), "Over", "Length of the decay, counted from the start of training";
        floor: f64 = 0.0, "Floor", "Share of the learning rate at the end", range [0.0, 1.0];
    }
}

form::choice! {
    /// The schedules that a file can name.
    pub enum Schedule: "Schedule" {
        Constant, "Constant", "The same rate throughout";
        Steps(StepDecay) = StepDecay::default(), "Steps", "The rate falls at given times";
        Cosine(Cosine) = Cosine::default(), "Cosine", "The rate falls along half a cosine (Loshchilov & Hutter 2017)";
    }
}

/// The progress of a training.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// Mini-batches so far.
    pub iteration: u64,
    /// Epochs so far, with the fraction of the present one.
    pub epoch: f64,
    /// Epochs after the present mini-batch.
    pub next_epoch: f64,
}

impl Moment {
    fn share_of(self, steps: Steps) -> f64 {
        let (now, end) = match steps.unit {
            StepsUnit::Epochs => (self.epoch, steps.count as f64),
            StepsUnit::Iterations => (self.iteration as f64, steps.count as f64),
        };
        if end > 0.0 { now / end } else { 1.0 }
    }
}

impl Schedule {
    /// Returns the factor of the learning rate at a moment; a linear warm-up combines with any schedule.
    pub fn factor(&self, moment: Moment, warm_up: Option<Steps>) -> f64 {
        let base = match self {
            Self::Constant => 1.0,
            Self::Steps(StepDecay { at, factor }) => {
                at.iter().filter(|steps| moment.share_of(**steps) >= 1.0).fold(1.0, |rate, _| rate * factor)
            }
            Self::Cosine(Cosine { over, floor }) => {
                let angle = std::f64::consts::PI * moment.share_of(*over).min(1.0);
                floor + (1.0 - floor) * 0.5 * (1.0 + angle.cos())
            }
        };
        // A warm-up rises from one step's share in the first iteration to 1 in its last one.
        let after = Moment { iteration: moment.iteration + 1, epoch: moment.next_epoch, ..moment };
        base * warm_up.map_or(1.0, |steps| after.share_of(steps).min(1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(iteration: u64, epoch: f64) -> Moment {
        Moment { iteration, epoch, next_epoch: epoch + 0.5 }
    }

    #[test]
    fn steps_fall_at_their_epochs() {
        let schedule =
            Schedule::Steps(StepDecay { at: vec![Steps::epochs(2), Steps::iterations(300)], factor: 0.1 });
        assert_eq!(schedule.factor(at(199, 1.99), None), 1.0);
        assert_eq!(schedule.factor(at(200, 2.0), None), 0.1);
        assert!((schedule.factor(at(300, 3.0), None) - 0.01).abs() < 1e-15);
    }

    #[test]
    fn a_cosine_is_half_way_down_in_the_middle_and_stays_at_its_floor() {
        let schedule = Schedule::Cosine(Cosine { over: Steps::epochs(10), floor: 0.2 });
        assert_eq!(schedule.factor(at(0, 0.0), None), 1.0);
        assert!((schedule.factor(at(50, 5.0), None) - 0.6).abs() < 1e-12);
        assert!((schedule.factor(at(500, 50.0), None) - 0.2).abs() < 1e-12);
    }

    #[test]
    fn a_warm_up_composes_with_any_schedule() {
        let warm_up = Some(Steps::iterations(4));
        let factors: Vec<f64> = (0..5).map(|i| Schedule::Constant.factor(at(i, 0.0), warm_up)).collect();
        assert_eq!(factors, [0.25, 0.5, 0.75, 1.0, 1.0]);
        assert_eq!(Schedule::Constant.factor(at(0, 0.0), Some(Steps::epochs(1))), 0.5);
    }
}

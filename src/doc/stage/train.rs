use crate::Training;
use crate::experiment::NO_STEP;
use crate::plan::words::{joined, length, number};
use crate::plan::{Check, Situation, StepWork};
use crate::stage::Planned;
use form::Steps;
use form::path::Place;
use optimize::{Optimizer, Schedule};

form::short_form! {
    /// Settings of one phase of training; written `Train("5ep")` when all but the length are defaults.
    pub struct Train: "Train", "a length of training such as \"5ep\", or (steps: \"5ep\", rate: 0.001)" {
        steps: Steps = Steps::default(), "Length", "Length, such as 5ep or 200it";
        rate: Option<f64> = None, "Learning rate", "Default: the optimizer's", range [0.0, 1000.0], inherits "train.optimizer.rate";
        batch: Option<usize> = None, "Batch size", "Default: the training's", unit "samples", range [1, 65536], inherits "train.batch";
        optimizer: Option<Optimizer> = None, "Optimizer", "Default: the training's, whose state carries \
            over between stages", inherits "train.optimizer";
        schedule: Option<Schedule> = None, "Schedule", "Default: the training's", inherits "train.schedule";
        evaluate: Option<Steps> = None, "Evaluate every", "Default: the training's", inherits "train.evaluate";
    }
}

impl Train {
    /// Makes training of this length, with the experiment's settings.
    pub fn new(steps: Steps) -> Self {
        Self { steps, ..Self::default() }
    }

    /// Returns its own settings where it has them, the run's otherwise.
    pub fn settings(&self, run: &Training) -> Training {
        Training {
            optimizer: self.optimizer.clone().unwrap_or_else(|| run.optimizer.clone()),
            schedule: self.schedule.clone().unwrap_or_else(|| run.schedule.clone()),
            batch: self.batch.unwrap_or(run.batch),
            evaluate: self.evaluate.unwrap_or(run.evaluate),
            ..run.clone()
        }
    }
}

impl Planned for Train {
    fn sentence(&self) -> String {
        let Self { steps, rate, batch, optimizer, schedule, evaluate } = self;
        let optimizer =
            optimizer.as_ref().map(|optimizer| format!(" with {}", optimizer.label())).unwrap_or_default();
        let rate = rate.map(|rate| format!(" at learning rate {}", number(rate))).unwrap_or_default();
        let batch = batch.map(|batch| format!(" in batches of {batch}")).unwrap_or_default();
        let schedule = schedule.as_ref().map(|schedule| match schedule {
            Schedule::Constant => "learning rate constant".to_owned(),
            Schedule::Steps(_) => "learning rate falling in steps".to_owned(),
            Schedule::Cosine(_) => "learning rate falling along a cosine".to_owned(),
        });
        let evaluate = evaluate.map(|every| format!("evaluated every {}", length(every)));
        joined([Some(format!("Train {}{optimizer}{rate}{batch}", length(*steps))), schedule, evaluate])
    }

    fn check(&self, check: &mut Check<'_>, place: &Place) {
        check.no_fault_for_each_image(place);
        if self.steps.count == 0 {
            check.error(place.clone(), "training for 0 steps does nothing; give it a length such as 5ep");
        }
        let (batch, place_of_batch) = match self.batch {
            Some(own) => (own, place.key("batch")),
            None => (check.spec.train.batch, place.clone()),
        };
        check.mini_batches(self.steps, batch, &check.left.fixed_norms.clone(), &place_of_batch);
        if self.rate == Some(0.0) {
            check.note(place.key("rate"), NO_STEP);
        }
        if self.evaluate.is_some_and(|steps| steps.count == 0) {
            check.error(place.key("evaluate"), "evaluating every 0 steps never ends");
        }
    }

    fn work(&self, situation: &mut Situation<'_>) -> StepWork {
        let training = self.settings(situation.train);
        situation.training(self.steps, training, 1.0 + situation.level.past)
    }
}

#[cfg(test)]
mod tests {
    use crate::plan::testing::sentence;

    #[test]
    fn training_is_a_length_and_what_differs_from_the_experiment() {
        assert_eq!(sentence(r#"Train("5ep")"#), "Train 5 epochs");
        assert_eq!(sentence(r#"Train(steps: "1ep", rate: 0.0001)"#), "Train 1 epoch at learning rate 0.0001");
        assert_eq!(
            sentence(
                r#"Train(steps: "20it", optimizer: AdamW(), batch: 8, schedule: Constant, evaluate: "5it")"#
            ),
            "Train 20 iterations with AdamW in batches of 8, learning rate constant, evaluated every 5 iterations"
        );
        assert_eq!(sentence("Test"), "Test");
    }
}

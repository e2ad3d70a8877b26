use crate::plan::{Situation, StepWork};
use crate::stage::Planned;

/// Evaluates the present network; it has no settings.
pub struct Test;

impl Planned for Test {
    fn sentence(&self) -> String {
        "Test".to_owned()
    }

    fn work(&self, situation: &mut Situation<'_>) -> StepWork {
        let evaluated = situation.evaluation();
        StepWork { units: evaluated as u64, evaluated, ..situation.little() }
    }

    fn is_outlined(&self) -> bool {
        false
    }
}

use super::Planned;
use crate::Intervention;
use crate::plan::{Check, FileUse, Situation, StepWork};
use form::path::Place;

impl Planned for Intervention {
    fn sentence(&self) -> String {
        self.rule().sentence()
    }

    fn check(&self, check: &mut Check<'_>, place: &Place) {
        self.rule().check(check, &place.variant(self.key()));
    }

    fn work(&self, situation: &mut Situation<'_>) -> StepWork {
        self.rule().work(situation)
    }

    fn files(&self, place: &Place) -> Vec<FileUse<'_>> {
        self.rule().files(&place.variant(self.key()))
    }

    fn is_outlined(&self) -> bool {
        self.rule().is_outlined()
    }
}

use crate::plan::Check;
use crate::stage::{Nested, Planned, Stage, check_plan};
use form::path::Place;

form::form! {
    /// Settings of a repetition.
    pub struct Repeat: "Repeat" {
        times: u64 = 5, "Times", "Number of rounds", range [0, 100_000], written always;
        body: Vec<Stage> = Vec::new(), "Stages", "What each round does";
    }
}

impl Planned for Repeat {
    fn sentence(&self) -> String {
        match self.times {
            0 => "Repeat never".to_owned(),
            1 => "Repeat once".to_owned(),
            times => format!("Repeat {times} times"),
        }
    }

    /// Checks further rounds too, which can find what the first one left. What is repeated 0 times leaves no names and no
    /// faults.
    fn check(&self, check: &mut Check<'_>, place: &Place) {
        let (mut before, body) = (check.left.clone(), place.key("body"));
        check_plan(&self.body, check, &body);
        if self.times == 0 {
            check.left = before;
            return;
        }
        for _ in 1..self.times {
            if check.left == before || check.rounds == 0 {
                break;
            }
            before = check.left.clone();
            check.rounds -= 1;
            check_plan(&self.body, check, &body);
        }
    }

    fn nested(&self) -> Option<Nested<'_>> {
        Some(Nested { key: "body", plan: &self.body, times: self.times, branch: None })
    }

    fn nested_mut(&mut self) -> Option<&mut Vec<Stage>> {
        Some(&mut self.body)
    }

    fn is_outlined(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use crate::plan::testing::sentence;

    #[test]
    fn repetitions_are_named_without_their_plan() {
        assert_eq!(sentence("Repeat(times: 6, body: [Test])"), "Repeat 6 times");
        assert_eq!(sentence("Repeat(times: 1)"), "Repeat once");
    }
}

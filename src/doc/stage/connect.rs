use super::Planned;
use crate::doc::file_names::is_file;
use crate::doc::plan::words::counted;
use crate::doc::plan::{Check, Situation, StepWork};
use crate::form::path::Place;

crate::form! {
    /// Settings of the error along the line between two networks.
    pub struct Connect: "Connect" {
        a: String = String::new(), "From network", "One end of the line: a branch, a snapshot or a member";
        b: String = String::new(), "To network", "The other end: a branch, a snapshot or a member";
        points: usize = 11, "Points", "Number of interpolated networks, including both ends", range [2, 1001];
    }
}

impl Planned for Connect {
    fn sentence(&self) -> String {
        let Self { a, b, points } = self;
        format!("Measure the line from {a} to {b} at {}", counted(*points as u64, "point"))
    }

    fn check(&self, check: &mut Check<'_>, place: &Place) {
        check_end(&self.a, check, &place.key("a"));
        check_end(&self.b, check, &place.key("b"));
    }

    fn work(&self, situation: &mut Situation<'_>) -> StepWork {
        let evaluated = (self.points * situation.level.sizes.test) as f64;
        StepWork { units: self.points as u64, evaluated, ..situation.little() }
    }
}

/// That an end of the line is a network of this run.
fn check_end(name: &str, check: &mut Check<'_>, place: &Place) {
    if is_file(name) && !check.left.names.contains(name) {
        let message = "a line connects two networks of one run; name a snapshot, a branch or a member";
        return check.error(place.clone(), message);
    }
    check.source(name, place);
}

#[cfg(test)]
mod tests {
    use crate::doc::plan::testing::sentence;

    #[test]
    fn a_line_names_its_ends() {
        assert_eq!(
            sentence(r#"Connect(a: "left", b: "right")"#),
            "Measure the line from left to right at 11 points"
        );
    }
}

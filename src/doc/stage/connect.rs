use crate::file_names::is_file;
use crate::plan::words::{counted, joined};
use crate::plan::{Check, Situation, Sizes, StepWork};
use crate::stage::Planned;
use crate::structure::Structure;
use form::path::Place;

form::choice! {
    /// The source of the batch-norm statistics of the networks on a line.
    pub enum LineStatistics: "Batch-norm statistics" {
        Reestimated, "Re-estimated", "Measured again for each network, over the training part";
        Interpolated, "Interpolated", "Interpolated like weights, which overstates barriers";
    }
}

/// The reason why statistics cannot be measured again.
pub const ONE_SAMPLE: &str = "batch-norm statistics are measured on two training samples at least; give the data more, or \
    choose statistics: Interpolated";

impl LineStatistics {
    /// Returns it as in the middle of a sentence: `re-estimated`.
    pub fn in_words(&self) -> String {
        self.label().to_lowercase()
    }

    /// Returns what stands for it in identities of runs with batch norm. They leave defaults out, and to leave it out has
    /// meant `Interpolated` since before there was a choice: results of that time must not pass for re-estimated ones.
    pub const fn in_identities(&self) -> Self {
        match self {
            Self::Reestimated => Self::Interpolated,
            Self::Interpolated => Self::Reestimated,
        }
    }
}

form::form! {
    /// Settings of the error along the line between two networks.
    pub struct Connect: "Connect" {
        a: String = String::new(), "From network", "One end of the line: a branch, a snapshot or a member";
        b: String = String::new(), "To network", "The other end: a branch, a snapshot or a member";
        points: usize = 11, "Points", "Number of interpolated networks, including both ends", range [2, 1001];
        statistics: LineStatistics = LineStatistics::Reestimated, "Batch-norm statistics", "Where the \
            running statistics of the networks on the line come from, both ends included. No effect without batch norm";
    }
}

impl Connect {
    /// Returns true if it measures statistics again in a network of this structure.
    pub fn reestimates(&self, structure: &Structure) -> bool {
        self.statistics == LineStatistics::Reestimated && structure.has_batch_norm()
    }

    /// Counts the samples that pass through each network of the line: those that it is evaluated on, and those that its
    /// statistics are measured on.
    pub fn samples(&self, structure: &Structure, sizes: Sizes) -> u64 {
        let measured = if self.reestimates(structure) { sizes.train } else { 0 };
        (sizes.test + measured) as u64
    }
}

impl Planned for Connect {
    fn sentence(&self) -> String {
        let Self { a, b, points, statistics } = self;
        let what = format!("Measure the line from {a} to {b} at {}", counted(*points as u64, "point"));
        let statistics = (*statistics == LineStatistics::Interpolated)
            .then(|| "batch-norm statistics interpolated".to_owned());
        joined([Some(what), statistics])
    }

    fn check(&self, check: &mut Check<'_>, place: &Place) {
        check_end(&self.a, check, &place.key("a"));
        check_end(&self.b, check, &place.key("b"));
        if self.reestimates(check.structure) && check.left.samples < 2 {
            check.error(place.key("statistics"), ONE_SAMPLE);
        }
    }

    fn work(&self, situation: &mut Situation<'_>) -> StepWork {
        let units = self.points as u64 * self.samples(situation.structure, situation.level.sizes);
        StepWork { units, evaluated: units as f64, ..situation.little() }
    }
}

/// Refuses an end of the line that is no network of this run.
fn check_end(name: &str, check: &mut Check<'_>, place: &Place) {
    if is_file(name) && !check.left.names.contains(name) {
        let message = "a line connects two networks of one run; name a snapshot, a branch or a member";
        return check.error(place.clone(), message);
    }
    check.source(name, place);
}

#[cfg(test)]
mod tests {
    use crate::plan::testing::sentence;

    #[test]
    fn a_line_names_its_ends_and_statistics_that_are_not_the_usual_ones() {
        let plain = "Measure the line from left to right at 11 points";
        for (settings, end) in [
            ("", ""),
            (", statistics: Reestimated", ""),
            (", statistics: Interpolated", ", batch-norm statistics interpolated"),
        ] {
            let found = sentence(&format!(r#"Connect(a: "left", b: "right"{settings})"#));
            assert_eq!(found, format!("{plain}{end}"));
        }
    }
}

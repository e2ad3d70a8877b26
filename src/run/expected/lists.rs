//! Finished and remaining runs with their costs.

use std::collections::BTreeMap;

use super::{FinishedRun, RemainingRun};
use crate::cost::Cost;
use doc::Run;

/// How much of a run is done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RunProgress {
    /// It is done, and took so many seconds.
    Done(f64),
    /// This share of it is done, in [0, 1].
    Share(f64),
}

/// The costs of runs, by arm: the runs of an arm cost the same.
pub struct Costs<'a>(BTreeMap<(usize, &'a str), Result<Cost, String>>);

impl<'a> Costs<'a> {
    /// Those of these runs; `cost` returns that of one, or why it is unknown.
    pub fn new(
        runs: impl IntoIterator<Item = &'a Run>,
        mut cost: impl FnMut(&Run) -> Result<Cost, String>,
    ) -> Self {
        let mut costs = BTreeMap::new();
        for run in runs {
            costs.entry((run.arm_index, run.arm.as_str())).or_insert_with(|| cost(run));
        }
        Self(costs)
    }

    /// The cost of a run, or why it is unknown.
    ///
    /// # Errors
    /// Why it is unknown.
    ///
    /// # Panics
    /// With a run of another arm than those of [`Self::new`].
    pub fn of<'b>(&'b self, run: &'b Run) -> Result<&'b Cost, &'b String> {
        self.0[&(run.arm_index, run.arm.as_str())].as_ref()
    }

    /// The costs of all arms, as far as they are known.
    pub fn all(&self) -> impl Iterator<Item = &Cost> {
        self.0.values().filter_map(|cost| cost.as_ref().ok())
    }

    /// The finished ones of the runs, as far as their cost is known, and the remaining ones.
    ///
    /// # Errors
    /// Why the cost of a remaining one is unknown.
    ///
    /// # Panics
    /// With a run of another arm than those of [`Self::new`].
    pub fn lists<'b>(
        &'b self,
        runs: impl IntoIterator<Item = &'a Run>,
        progress: impl Fn(&Run) -> RunProgress,
    ) -> Result<(Vec<FinishedRun<'b>>, Vec<RemainingRun<'b>>), String> {
        let (mut done, mut left) = (Vec::new(), Vec::new());
        for run in runs {
            match (progress(run), self.of(run)) {
                (RunProgress::Done(secs), Ok(cost)) => done.push(FinishedRun { run, cost, secs }),
                (RunProgress::Done(_), Err(_)) => {}
                (RunProgress::Share(share), cost) => {
                    left.push(RemainingRun { run, cost: cost.map_err(Clone::clone)?, share: 1.0 - share });
                }
            }
        }
        Ok((done, left))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::cost;
    use doc::{file::parse, runs};

    #[test]
    fn runs_are_done_or_left_and_a_cost_that_is_not_known_counts_for_what_is_left_only() {
        let text = "(data: Digits(limit_train: 64), seeds: [1, 2], arms: [
            (name: \"a\", plan: [Test]), (name: \"b\", plan: [Test])])";
        let runs = runs(&parse(text, Path::new("x.ron")).unwrap()).unwrap();
        let of_one = |run: &Run| if run.arm == "a" { cost(run) } else { Err("no size".to_owned()) };
        let costs = Costs::new(&runs, of_one);
        let far = |run: &Run| match (run.arm.as_str(), run.seed) {
            ("a", 1) => RunProgress::Share(0.25),
            _ => RunProgress::Done(3.0),
        };
        let (done, left) = costs.lists(&runs, far).unwrap();
        assert_eq!((done.len(), done[0].secs), (1, 3.0), "the cost of b is not known");
        assert_eq!((left.len(), left[0].share), (1, 0.75));
        assert_eq!(costs.lists(&runs, |_| RunProgress::Share(0.0)).unwrap_err(), "no size");
    }
}

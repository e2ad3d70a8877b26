use crate::plan::words::joined;
use crate::plan::{Check, FileUse, Situation, Sizes, StepWork};
use crate::problem::Problem;
use crate::stage::{Nested, Planned, Stage, check_plan};
use data::{Data, Facts, Shape};
use form::path::Place;

form::choice! {
    /// The start of a clone.
    pub enum BranchInit: "Starts from" {
        Copy, "A copy", "Values, mask, faults and position of the original";
        Fresh, "New weights", "The same structure with new initial weights";
    }
}

form::choice! {
    /// The order in which a clone sees the data.
    pub enum BranchOrder: "Order of data" {
        Parent, "The original's", "The same order as the original";
        Own, "Its own", "A different order";
    }
}

form::form! {
    /// Settings of a clone.
    pub struct Branch: "Branch" {
        name: String = "branch".to_owned(), "Name", "Its name for later stages";
        init: BranchInit = BranchInit::Copy, "Starts from", "What the clone starts from";
        order: BranchOrder = BranchOrder::Parent, "Order of data", "The order in which it sees the data";
        data: Option<Data> = None, "Data", "Other data of the same shape", inherits "data";
        plan: Vec<Stage> = Vec::new(), "Plan", "What the clone does; the original stays unchanged";
    }
}

impl Planned for Branch {
    fn sentence(&self) -> String {
        let Self { name, init, order, data, plan: _ } = self;
        let init = (*init == BranchInit::Fresh).then(|| "with new weights".to_owned());
        let order = (*order == BranchOrder::Own).then(|| "in its own order of data".to_owned());
        let data = data.as_ref().map(|data| format!("on {}", data.key()));
        joined([Some(format!("Branch {name}")), init, order, data])
    }

    fn check(&self, check: &mut Check<'_>, place: &Place) {
        if let Some(data) = &self.data {
            check_data(data, check, &place.key("data"));
        }
        let outside = check.left.clone();
        if self.init == BranchInit::Fresh {
            check.left.in_place.clear();
            check.left.fixed_norms.clear();
        }
        let facts = self.data.as_ref().and_then(|data| data.facts(check.spec.net.image_side()));
        if let Some(facts) = &facts {
            check.left.samples = facts.train_samples;
        }
        if self.init == BranchInit::Fresh || self.data.is_some() {
            check.left.sample = 0;
        }
        check_plan(&self.plan, check, &place.key("plan"));
        check.left = outside;
        check.left.names.insert(self.name.clone());
        check.left.positions.remove(&self.name);
    }

    /// Enters it: its stages are separate steps, on other data where it names them.
    fn work(&self, situation: &mut Situation<'_>) -> StepWork {
        let facts = self.data.as_ref().and_then(|data| data.facts(situation.net.image_side()));
        if let Some(facts) = facts {
            situation.level.sizes = Sizes::from_facts(&facts);
        }
        situation.little()
    }

    fn files(&self, _: &Place) -> Vec<FileUse<'_>> {
        vec![FileUse::Keeps(&self.name)]
    }

    fn nested(&self) -> Option<Nested<'_>> {
        Some(Nested { key: "plan", plan: &self.plan, times: 1, branch: Some(self) })
    }

    fn nested_mut(&mut self) -> Option<&mut Vec<Stage>> {
        Some(&mut self.plan)
    }
}

/// Refuses data of a branch that do not fit the network, and so the run's data.
fn check_data(data: &Data, check: &mut Check<'_>, place: &Place) {
    if let Some(problem) = Problem::of_data(data, check.looks, place) {
        return check.problems.push(problem);
    }
    check.problems.extend(Problem::notes_on_data(data, check.looks, place));
    let side = check.spec.net.image_side();
    let Some((here, there)) = check.spec.data.facts(side).zip(data.facts(side)) else { return };
    if here.shape == there.shape && here.classes != there.classes {
        let message = format!(
            "a branch needs data with as many classes as the run's: these have {}, the run's {}",
            there.classes, here.classes
        );
        check.error(place.clone(), message);
    } else if here.shape != there.shape {
        let about = |facts: &Facts| {
            let Shape { channels, height, width } = facts.shape;
            format!("samples of {channels}×{height}×{width} in {} classes", facts.classes)
        };
        let message = format!(
            "a branch needs data of the same shape as the run's: these are {}, the run's {}",
            about(&there),
            about(&here)
        );
        check.error(place.clone(), message);
    }
}

#[cfg(test)]
mod tests {
    use crate::plan::testing::sentence;

    #[test]
    fn branches_are_named_without_their_plan() {
        assert_eq!(sentence(r#"Branch(name: "copy", plan: [Test])"#), "Branch copy");
        assert_eq!(
            sentence(r#"Branch(name: "fresh", init: Fresh, order: Own, data: Iris())"#),
            "Branch fresh, with new weights, in its own order of data, on Iris"
        );
    }
}

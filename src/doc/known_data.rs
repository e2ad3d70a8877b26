//! What is known of the user's data, in the settings of runs.

use super::RunSpec;
use super::stage::Stage;
use crate::data::{Data, Looks};

/// Writes what is known of the data into the settings of a run.
pub(super) fn fill(spec: &mut RunSpec, looks: &Looks) {
    looks.fill(&mut spec.data);
    each_branch_data(&mut spec.plan, &mut |data| looks.fill(data));
}

/// Shows the data of all branches of a plan.
pub(super) fn each_branch_data(plan: &mut [Stage], act: &mut dyn FnMut(&mut Data)) {
    for stage in plan {
        if let Stage::Branch(branch) = stage
            && let Some(data) = &mut branch.data
        {
            act(data);
        }
        if let Some(nested) = stage.nested_mut() {
            each_branch_data(nested, act);
        }
    }
}

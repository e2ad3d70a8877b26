//! What is selected: its settings are at the right, above those of the experiment.

use doc::Run;

/// The selected part of the experiment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Selection {
    /// Nothing but the experiment, whose settings are always shown.
    #[default]
    Experiment,
    Arm(usize),
    /// One setting of an arm with a sweep.
    Setting {
        arm: usize,
        /// What its runs are called: the arm with the swept values written out.
        name: String,
    },
    Stage {
        arm: usize,
        /// Positions of the stage and of the stages around it, outermost first.
        path: Vec<usize>,
    },
    Run {
        arm: usize,
        id: String,
    },
}

impl Selection {
    /// Returns the arm that is selected, or that what is selected belongs to.
    pub const fn arm(&self) -> Option<usize> {
        match self {
            Self::Arm(arm) | Self::Setting { arm, .. } | Self::Stage { arm, .. } | Self::Run { arm, .. } => {
                Some(*arm)
            }
            Self::Experiment => None,
        }
    }

    pub fn run(&self) -> Option<&String> {
        if let Self::Run { id, .. } = self { Some(id) } else { None }
    }

    /// Returns the setting that is selected, as its runs are called.
    pub fn setting(&self) -> Option<&String> {
        if let Self::Setting { name, .. } = self { Some(name) } else { None }
    }

    /// Returns true if a run is selected, or belongs to the selected setting or arm: what views of single runs and of
    /// faults show. `name` is what its arm is called with the swept values. Without a selected arm, no run is.
    pub fn covers(&self, arm_index: usize, name: &str, run: &str) -> bool {
        match self {
            Self::Experiment => false,
            Self::Arm(arm) | Self::Stage { arm, .. } => *arm == arm_index,
            Self::Setting { arm, name: setting } => (*arm, setting.as_str()) == (arm_index, name),
            Self::Run { id, .. } => id == run,
        }
    }

    /// As [`Self::covers`], for a run of the document.
    pub fn covers_run(&self, run: &Run) -> bool {
        self.covers(run.arm_index, &run.arm, &run.id)
    }

    /// Returns the stage that is selected: its arm, by position, and its path.
    pub fn stage(&self) -> Option<(usize, &[usize])> {
        if let Self::Stage { arm, path } = self { Some((*arm, path)) } else { None }
    }
}

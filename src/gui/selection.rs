//! What is selected: its settings are at the right, above those of the experiment.

/// One thing with settings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Selection {
    /// Nothing but the experiment, whose settings are always shown.
    #[default]
    Experiment,
    /// An arm, by position.
    Arm(usize),
    /// A stage of an arm.
    Stage {
        /// The arm, by position.
        arm: usize,
        /// Positions of the stage and of the stages around it, outermost first.
        path: Vec<usize>,
    },
    /// A run.
    Run {
        /// Its arm, by position.
        arm: usize,
        /// Its identity.
        id: String,
    },
}

impl Selection {
    /// The arm that is selected, or that what is selected belongs to.
    pub const fn arm(&self) -> Option<usize> {
        match self {
            Self::Arm(arm) | Self::Stage { arm, .. } | Self::Run { arm, .. } => Some(*arm),
            Self::Experiment => None,
        }
    }

    /// The run that is selected.
    pub fn run(&self) -> Option<&String> {
        if let Self::Run { id, .. } = self { Some(id) } else { None }
    }

    /// The stage that is selected: its arm, by position, and its path.
    pub fn stage(&self) -> Option<(usize, &[usize])> {
        if let Self::Stage { arm, path } = self { Some((*arm, path)) } else { None }
    }

    /// The selection after a change of the number of arms: an arm that has gone gives way to the experiment.
    pub fn limit(&mut self, arms: usize) {
        if self.arm().is_some_and(|arm| arm >= arms) {
            *self = Self::Experiment;
        }
    }
}

//! Clones, and the checks that nothing changed that must not.

use super::{Session, State};
use crate::doc::Report;
use crate::doc::stage::{Branch, BranchInit, BranchOrder};
use crate::net::Network;
use crate::run::error::RunError;

impl Session<'_> {
    /// Compares every held entry with what it was before a training, bit for bit.
    pub(super) fn check_held(&mut self, before: &Network) -> Result<(), RunError> {
        let (held, changed) = self.state().network.compare_held(before);
        if held == 0 {
            return Ok(());
        }
        let summary = match changed {
            0 => format!("all {held} held entries are bit-identical after training"),
            _ => format!(
                "{changed} of {held} held entries changed; this is an error of the program, please report it"
            ),
        };
        self.report(Report {
            kind: "held".to_owned(),
            summary,
            passed: Some(changed == 0),
            ..Report::default()
        })
    }

    /// Goes on with a clone; the original waits below it on the stack.
    pub(super) fn enter(&mut self, branch: &Branch) -> Result<(), RunError> {
        let number = self.next as u64;
        self.originals.push(self.state().network.checksum());
        let mut clone = self.state().clone();
        if branch.init == BranchInit::Fresh {
            let kept = std::mem::take(&mut clone.kept);
            clone = State {
                kept,
                trained: clone.trained,
                order: clone.order,
                ..State::new(self.place.fresh_network(number + 1), self.place.spec.train.optimizer.clone())
            };
        }
        if branch.order == BranchOrder::Own {
            clone.order = number + 1;
        }
        self.stack.push(clone);
        Ok(())
    }

    /// Back to the original, which remembers the clone by its name, and is as it was.
    pub(super) fn leave(&mut self, name: &str) -> Result<(), RunError> {
        let clone = self.stack.pop().expect("a branch is left after it was entered");
        let before = self.originals.pop();
        let after = self.state().network.checksum();
        self.state_mut().kept.insert(name.to_owned(), clone.snapshot());
        let Some(before) = before else { return Ok(()) };
        let summary = format!(
            "the original has checksum {} before {name} and {} after it",
            &before[..16],
            &after[..16]
        );
        self.report(Report {
            kind: "branch".to_owned(),
            summary,
            passed: Some(before == after),
            ..Report::default()
        })
    }
}

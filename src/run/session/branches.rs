//! Clones, and checks that originals and held entries stay unchanged.

use std::sync::Arc;

use super::{Op, Session, State};
use crate::error::RunError;
use crate::state::Snapshot;
use data::{Data, Dataset, Inventory};
use doc::stage::{Branch, BranchInit, BranchOrder};
use form::number::{counted, grouped};
use net::Network;
use results::network::shape_text;
use results::{Report, inventory};

impl Session<'_> {
    /// Compares every held entry of the members that trained with its value at the start of the stage, bit for bit.
    pub(crate) fn check_held(&mut self) -> Result<(), RunError> {
        let before = std::mem::take(&mut self.state_mut().began_with);
        let members = || self.state().members().into_iter().zip(&before);
        let counts = members().map(|(now, then)| now.compare_held(then));
        let (held, changed) = counts.fold((0, 0), |sums, counts| (sums.0 + counts.0, sums.1 + counts.1));
        if held == 0 {
            return Ok(());
        }
        let pruned: u64 = members().map(|(now, _)| pruned_in(now)).sum();
        let summary = match changed {
            0 => kept(pruned, held - pruned),
            _ => format!(
                "{} of {} pruned or frozen weights changed; this is a bug, please report it",
                grouped(changed),
                grouped(held)
            ),
        };
        self.report(Report {
            kind: "held".to_owned(),
            summary,
            passed: Some(changed == 0),
            ..Report::default()
        })
    }

    /// Continues with a clone; the original waits below it on the stack.
    pub(crate) fn enter(&mut self, branch: &Branch) -> Result<(), RunError> {
        let number = self.number();
        let data = self.data_of(branch)?;
        self.originals.push(self.state().network.checksum());
        let mut clone = self.state().clone();
        if branch.init == BranchInit::Fresh {
            let kept = std::mem::take(&mut clone.kept);
            clone = State {
                kept,
                trained: clone.trained,
                order: clone.order,
                ..State::new(
                    self.context.fresh_network(number + 1),
                    self.context.spec.train.optimizer.clone(),
                )
            };
        }
        if branch.order == BranchOrder::Own {
            clone.order = number + 1;
        }
        if branch.data.is_some() {
            clone.position = clone.position.next_epoch();
        }
        let is_first = matches!(self.round(), None | Some(1));
        let own = branch.data.as_ref().filter(|_| is_first);
        let found = own.map(|own| inventory::report(&Inventory::of_read(own, &data)));
        self.stack.push(clone);
        self.data.push(data);
        found.map_or(Ok(()), |report| self.report(report))
    }

    /// The data of a branch: its own where it has them, the original's otherwise.
    fn data_of(&self, branch: &Branch) -> Result<Arc<Dataset>, RunError> {
        let Some(own) = &branch.data else { return Ok(self.data()) };
        let context = &self.context;
        let data = context.datasets.get(own, &context.spec.net, &context.base)?;
        self.check_set(own)?;
        let (here, there) = (&context.data, &data);
        if (there.shape(), there.classes) != (here.shape(), here.classes) {
            let same =
                if there.shape() == here.shape() { "with as many classes" } else { "of the same shape" };
            return Err(self.stage_error(format!(
                "the data of branch {} have {}, the run's {}; a clone needs data {same}",
                branch.name,
                about(there),
                about(here)
            )));
        }
        Ok(data)
    }

    /// The settings of the [data](Self::data) that the present network sees.
    pub(crate) fn data_settings(&self) -> &Data {
        let mut around = vec![&self.context.spec.data];
        for step in &self.program[..self.next] {
            match &step.op {
                Op::Enter(branch) => around.push(branch.data.as_ref().unwrap_or(around[around.len() - 1])),
                Op::Leave(_) => drop(around.pop()),
                Op::Stage(_) => {}
            }
        }
        around[around.len() - 1]
    }

    /// Finds the data of the branches around a checkpoint.
    pub(crate) fn find_data(&mut self) -> Result<(), RunError> {
        for number in 0..self.next {
            match self.program[number].op.clone() {
                Op::Enter(branch) => {
                    let data = self.data_of(&branch)?;
                    self.data.push(data);
                }
                Op::Leave(_) => drop(self.data.pop()),
                Op::Stage(_) => {}
            }
        }
        Ok(())
    }

    /// Returns to the original, which is unchanged and keeps the clone under its name.
    pub(crate) fn leave(&mut self, name: &str) -> Result<(), RunError> {
        let clone = self.stack.pop().expect("a branch is left after it was entered");
        self.data.pop();
        let before = self.originals.pop();
        let after = self.state().network.checksum();
        let kept = Snapshot { network: clone.network, position: None };
        self.state_mut().kept.insert(name.to_owned(), kept);
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

fn pruned_in(network: &Network) -> u64 {
    (0..network.len()).map(|index| network.mask_counts(index).pruned).sum()
}

/// What a training left as it was.
fn kept(pruned: u64, frozen: u64) -> String {
    let pruned = (pruned > 0).then(|| counted(pruned, "pruned weight") + " kept at 0");
    let frozen = (frozen > 0).then(|| counted(frozen, "frozen weight") + " kept bit for bit");
    pruned.into_iter().chain(frozen).collect::<Vec<_>>().join(", ")
}

/// Shape and classes of data, in words.
fn about(data: &Dataset) -> String {
    let shape = data.shape();
    let shape = shape_text(&[shape.channels, shape.height, shape.width]);
    format!("samples of {shape} in {} classes", data.classes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_is_counted_by_kind() {
        assert_eq!(kept(9940, 0), "9,940 pruned weights kept at 0");
        assert_eq!(kept(1, 2), "1 pruned weight kept at 0, 2 frozen weights kept bit for bit");
    }
}

//! Members that share layers: trained in turn with hand-overs, or with one set of shared parameters.

use std::ops::Range;

use crate::error::RunError;
use crate::interventions::watch;
use crate::session::{Session, StageEnd};
use crate::sharing::{self, hand, take_over};
use crate::state::{HandOvers, Member, Snapshot, State, TrainProgress};
use crate::train::{self, Known, MiniBatch, Phase, Trainer};
use doc::stage::{Ensemble, EnsembleEnd, Sharing};
use form::number::grouped;
use intervene::stream::{Purpose, Stream, stream};
use net::{Gradients, Network, OptimizerState, Score};
use results::Report;

/// Trains the members of an ensemble; resumes from `progress` when the stage was interrupted.
pub fn train(session: &mut Session, stage: &Ensemble, progress: TrainProgress) -> Result<StageEnd, RunError> {
    let structure = session.context.structure.clone();
    let shared = sharing::parameters(&structure, &stage.share);
    if progress.done == 0 {
        assemble(session, stage);
    }
    session.state_mut().begin_training(stage.members);
    let settings = session.context.spec.train.clone();
    let per_epoch = settings.batches_per_epoch(session.data().train.len());
    let standstill = match &stage.until {
        EnsembleEnd::Never => None,
        EnsembleEnd::Change(change) => Some((change.below, change.over.to_iterations(per_epoch).max(1))),
    };
    let mut members = Members { stage, shared, standstill, stood_still: None };
    let phase = Phase { rate: settings.optimizer.rate(), settings, steps: stage.steps };
    let end = train::run(session, &phase, &mut members, progress)?;
    if end == StageEnd::Done {
        members.finish(session)?;
    }
    Ok(end)
}

/// Assembles the members: keeps those of a previous ensemble, makes further ones fresh, and gives all the shared layers of
/// the first, held entries included.
fn assemble(session: &mut Session, stage: &Ensemble) {
    let context = session.context.clone();
    let number = session.number();
    let state = session.state_mut();
    state.others.truncate(stage.members - 1);
    for member in state.others.len() + 1..stage.members {
        let network = context.fresh_network(((member as u64) << 32) | (number + 1));
        let memory = OptimizerState::default();
        state.others.push(Member { network, memory, score: Score::default() });
    }
    for member in &mut state.others {
        take_over(&state.network, &mut member.network, &stage.share);
    }
    state.share = Some(stage.share.clone());
    let reference = matches!(stage.until, EnsembleEnd::Change(_)).then(|| state.network.clone());
    state.handovers = HandOvers { reference, ..HandOvers::default() };
    watch::clear(state); // the past is that of a network that trained alone
}

/// The members of the present state, in training.
struct Members<'a> {
    stage: &'a Ensemble,
    /// Positions of the shared parameters, batch-norm statistics included.
    shared: Vec<usize>,
    /// Largest move of a shared weight, and the mini-batches in which it is measured.
    standstill: Option<(f64, u64)>,
    /// When no shared weight moved by more.
    stood_still: Option<u64>,
}

impl Trainer for Members<'_> {
    fn step(
        &mut self,
        session: &mut Session,
        mini_batch: &MiniBatch,
        score: &mut Score,
    ) -> Result<(), RunError> {
        match self.stage.mode {
            Sharing::CopyInTurn => self.in_turn(session, mini_batch, score),
            Sharing::Tied => self.tied(session, mini_batch, score),
        }
    }

    fn is_over(&mut self, session: &mut Session, done: u64) -> bool {
        let Some((below, over)) = self.standstill else { return false };
        if !done.is_multiple_of(over) {
            return false;
        }
        let State { network, handovers, .. } = session.state_mut();
        let before = handovers.reference.replace(network.clone());
        let is_still = before.is_some_and(|before| largest_move(&self.shared, &before, network) <= below);
        self.stood_still = is_still.then_some(done);
        is_still
    }
}

impl Members<'_> {
    /// Each member takes its steps and hands its shared layers to the next one; the last one hands them to all.
    fn in_turn(
        &self,
        session: &mut Session,
        mini_batch: &MiniBatch,
        score: &mut Score,
    ) -> Result<(), RunError> {
        for member in 0..self.stage.members {
            for local in 0..self.stage.local_steps {
                local_step(session, mini_batch, member, local as u64, score)?;
            }
            let receivers = match member + 1 {
                next if next < self.stage.members => next..next + 1,
                _ => 0..member,
            };
            self.hand_over(session.state_mut(), member, receivers);
        }
        Ok(())
    }

    /// One step of all members, where the shared parameters have the sum of the members' gradients, and one step.
    fn tied(&self, session: &mut Session, mini_batch: &MiniBatch, score: &mut Score) -> Result<(), RunError> {
        let context = session.context.clone();
        let mut passes = Vec::new();
        for member in 0..self.stage.members {
            let dropout = dropout(session, mini_batch, member, 0);
            let network = network_of(session.state(), member);
            let (pass, known) = mini_batch.pass(&context, network, dropout, true, |_, _| ())?;
            take_in(session, mini_batch, member, known, score)?;
            passes.push(pass);
        }
        let (first, others) = passes.split_at_mut(1);
        for other in others {
            self.move_shared(&mut other.gradients, &mut first[0].gradients);
        }
        let state = session.state_mut();
        for (member, pass) in passes.iter().enumerate() {
            let (network, memory) = parts(state, member);
            mini_batch.learn(network, memory, pass);
        }
        self.hand_over(state, 0, 1..self.stage.members);
        for (member, pass) in passes.into_iter().enumerate() {
            session.take_pass(member, pass);
        }
        Ok(())
    }

    /// Hands the shared layers of a member to others, and checks that they are equal then, bit for bit. What is compared
    /// is chosen by layer, not by the list of what was handed.
    fn hand_over(&self, state: &mut State, giver: usize, receivers: Range<usize>) {
        if receivers.is_empty() || self.shared.is_empty() {
            return;
        }
        let giver = network_of(state, giver).clone();
        let mut equal = true;
        for receiver in receivers {
            let network = parts(state, receiver).0;
            hand(&giver, network, &self.shared);
            equal &= sharing::is_equal(&giver, network, &self.stage.share);
        }
        state.handovers.checked += 1;
        state.handovers.unequal += u64::from(!equal);
    }

    /// Adds the gradients of shared parameters to `sums`, and takes them away from their member.
    fn move_shared(&self, gradients: &mut Gradients, sums: &mut Gradients) {
        for &index in &self.shared {
            let gradient = gradients[index].take().unwrap_or_default();
            for (sum, gradient) in sums[index].iter_mut().flatten().zip(gradient) {
                *sum += gradient;
            }
        }
    }

    /// Reports the members, and remembers each under its name.
    fn finish(&self, session: &mut Session) -> Result<(), RunError> {
        let structure = session.context.structure.clone();
        let state = session.state_mut();
        let networks: Vec<Network> = state.members().into_iter().cloned().collect();
        for (member, network) in networks.into_iter().enumerate() {
            state.kept.insert(member_name(member), Snapshot { network, position: None });
        }
        let HandOvers { checked, unequal, .. } = std::mem::take(&mut state.handovers);
        let names = sharing::names(&structure, &self.stage.share);
        let members = self.stage.members;
        let mut summary = match (names.is_empty(), unequal) {
            (true, _) => format!("{members} members share nothing"),
            (_, 0) => format!(
                "{members} members share {}: equal bit for bit after each of {} hand-overs",
                names.join(", "),
                grouped(checked)
            ),
            _ => format!(
                "shared layers differed after {} of {} hand-overs; this is a bug, please report it",
                grouped(unequal),
                grouped(checked)
            ),
        };
        if let (Some(done), Some((below, _))) = (self.stood_still, self.standstill) {
            summary = format!(
                "{summary}; ended after {} mini-batches, because no shared weight moved by more than \
                    {below}",
                grouped(done)
            );
        }
        let passed = (!names.is_empty()).then_some(unequal == 0);
        session.report(Report { kind: "members".to_owned(), summary, passed, ..Report::default() })
    }
}

/// One step of one member, `local` of its steps on this mini-batch after the first.
fn local_step(
    session: &mut Session,
    mini_batch: &MiniBatch,
    member: usize,
    local: u64,
    score: &mut Score,
) -> Result<(), RunError> {
    let context = session.context.clone();
    let dropout = dropout(session, mini_batch, member, local);
    let (network, reads_held) = (network_of(session.state(), member), context.records_gradients());
    let (pass, known) = mini_batch.pass(&context, network, dropout, reads_held, |_, _| ())?;
    take_in(session, mini_batch, member, known, score)?;
    let (network, memory) = parts(session.state_mut(), member);
    mini_batch.learn(network, memory, &pass);
    session.take_pass(member, pass);
    Ok(())
}

/// The name of a member for grafts and lines; `member` counts from 0, the present network, and names from 1.
fn member_name(member: usize) -> String {
    format!("member {}", member + 1)
}

/// The stream of dropped units; that of the first member's first step is the one of a training alone.
fn dropout(session: &Session, mini_batch: &MiniBatch, member: usize, local: u64) -> Stream {
    if (member, local) == (0, 0) {
        return mini_batch.dropout.clone();
    }
    let counters = [session.state().order, mini_batch.position.iteration, member as u64, local];
    stream(session.context.spec.seed, Purpose::Dropout, &counters)
}

fn network_of(state: &State, member: usize) -> &Network {
    if member == 0 { &state.network } else { &state.others[member - 1].network }
}

fn parts(state: &mut State, member: usize) -> (&mut Network, &mut OptimizerState) {
    if member == 0 {
        return (&mut state.network, &mut state.memory);
    }
    let Member { network, memory, .. } = &mut state.others[member - 1];
    (network, memory)
}

/// Counts how well a member knew the mini-batch; the first member's `score` belongs to the stage.
fn take_in(
    session: &mut Session,
    mini_batch: &MiniBatch,
    member: usize,
    known: Known,
    score: &mut Score,
) -> Result<(), RunError> {
    if member == 0 {
        return mini_batch.take_in(session, known, score);
    }
    let mut own = session.state().others[member - 1].score;
    mini_batch.take_in(session, known, &mut own)?;
    session.state_mut().others[member - 1].score = own;
    Ok(())
}

/// The largest |difference| of a trained shared weight; NaN where one of them is, which is below no limit.
fn largest_move(shared: &[usize], before: &Network, now: &Network) -> f64 {
    let structure = now.structure();
    let trained = shared.iter().filter(|&&index| structure.parameters[index].role.is_trained());
    let moves = trained.flat_map(|&index| now.values(index).iter().zip(before.values(index)));
    let moves = moves.map(|(now, before)| (f64::from(*now) - f64::from(*before)).abs());
    moves.fold(0.0, |largest, step| if step > largest || step.is_nan() { step } else { largest })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sharing::testing::network;

    #[test]
    fn a_network_that_is_no_number_does_not_stand_still() {
        let (before, mut now) = (network(1), network(1));
        assert_eq!(largest_move(&[0, 1], &before, &now), 0.0);
        let mut values = now.values(0).to_vec();
        values[0] += 0.5;
        values[3] = f32::NAN;
        now.write(0, &values);
        assert!(largest_move(&[0, 1], &before, &now).is_nan());
        assert_eq!(largest_move(&[1], &before, &now), 0.0);
    }
}

//! Members that share layers: trained in turn with hand-overs, or with one set of shared parameters.

use std::ops::Range;

use crate::error::RunError;
use crate::interventions::watch;
use crate::session::{Session, StageEnd, report};
use crate::state::{HandOvers, Member, Snapshot, State, TrainProgress};
use crate::train::{self, MiniBatch, Phase, Trainer};
use doc::intervention::{Layers, Params, Target};
use doc::stage::{Ensemble, EnsembleEnd, Sharing};
use doc::{Structure, targets};
use form::number::grouped;
use intervene::stream::{Purpose, Stream, stream};
use net::{Gradients, Network, OptimizerState, Score, TrainPass};
use results::Report;

/// Trains the members of an ensemble; resumes from `progress` when the stage was interrupted.
pub fn train(session: &mut Session, stage: &Ensemble, progress: TrainProgress) -> Result<StageEnd, RunError> {
    let structure = session.context.structure.clone();
    let shared = shared_parameters(&structure, &stage.share);
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
        adopt_layers(&state.network, &mut member.network, &stage.share);
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
    /// Trains the members in turn: each takes its steps and hands its shared layers to the next one; the last one hands
    /// them to all.
    fn in_turn(
        &self,
        session: &mut Session,
        mini_batch: &MiniBatch,
        score: &mut Score,
    ) -> Result<(), RunError> {
        for member in 0..self.stage.members {
            for local in 0..self.stage.local_steps {
                let reads_held = session.context.records_gradients();
                let pass = pass(session, mini_batch, [member, local], reads_held, score)?;
                let (network, memory) = parts(session.state_mut(), member);
                mini_batch.learn(network, memory, &pass);
                session.retire_pass(member, pass);
            }
            let receivers = match member + 1 {
                next if next < self.stage.members => next..next + 1,
                _ => 0..member,
            };
            self.hand_over(session.state_mut(), member, receivers);
        }
        Ok(())
    }

    /// Takes one step of all members, where the shared parameters have the sum of the members' gradients, and one step.
    fn tied(&self, session: &mut Session, mini_batch: &MiniBatch, score: &mut Score) -> Result<(), RunError> {
        let mut passes = Vec::new();
        for member in 0..self.stage.members {
            passes.push(pass(session, mini_batch, [member, 0], true, score)?);
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
            session.retire_pass(member, pass);
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
            adopt_parameters(&giver, network, &self.shared);
            equal &= is_equal(&giver, network, &self.stage.share);
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
            // Names for grafts and lines count from 1.
            state.snapshots.insert(format!("member {}", member + 1), Snapshot { network, position: None });
        }
        let HandOvers { checked, unequal, .. } = std::mem::take(&mut state.handovers);
        let names = shared_names(&structure, &self.stage.share);
        let members = self.stage.members;
        let ([all, different], shared) = ([checked, unequal].map(grouped), names.join(", "));
        let mut summary = match (names.is_empty(), unequal) {
            (true, _) => format!("{members} members share nothing"),
            (_, 0) => {
                format!("{members} members share {shared}: equal bit for bit after each of {all} hand-overs")
            }
            _ => format!(
                "shared layers differed after {different} of {all} hand-overs; this is a bug, please report it"
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
        session.report(Report { passed, ..report("members", summary) })
    }
}

/// Returns the stream of dropped units; that of the first member's first step is the one of a training alone.
fn dropout(session: &Session, mini_batch: &MiniBatch, member: usize, local: usize) -> Stream {
    if (member, local) == (0, 0) {
        return mini_batch.dropout.clone();
    }
    let counters = [session.state().order, mini_batch.position.iteration, member as u64, local as u64];
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

/// Passes a mini-batch through a member; the first member's `score` belongs to the stage.
fn pass(
    session: &mut Session,
    mini_batch: &MiniBatch,
    [member, local]: [usize; 2],
    reads_held: bool,
    score: &mut Score,
) -> Result<TrainPass, RunError> {
    let dropout = dropout(session, mini_batch, member, local);
    let network = network_of(session.state(), member);
    if member == 0 {
        return mini_batch.pass(session, network, dropout, reads_held, score, |_, _| ());
    }
    let mut own = session.state().others[member - 1].score;
    let pass = mini_batch.pass(session, network, dropout, reads_held, &mut own, |_, _| ())?;
    session.state_mut().others[member - 1].score = own;
    Ok(pass)
}

/// Returns the largest |difference| of a trained shared weight; NaN where one of them is, which is below no limit.
fn largest_move(shared: &[usize], before: &Network, now: &Network) -> f64 {
    let structure = now.structure();
    let trained = shared.iter().filter(|&&index| structure.parameters[index].role.is_trained());
    let moves = trained.flat_map(|&index| now.values(index).iter().zip(before.values(index)));
    let moves = moves.map(|(now, before)| (f64::from(*now) - f64::from(*before)).abs());
    moves.fold(0.0, |largest, step| if step > largest || step.is_nan() { step } else { largest })
}

/// Returns the positions of the parameters of shared layers, batch-norm statistics included.
fn shared_parameters(structure: &Structure, share: &Layers) -> Vec<usize> {
    let target = Target { layers: share.clone(), ..Target::default() };
    targets::parameters(structure, &target, &Params::Everything)
}

/// Hands parameters over, with what holds their entries.
fn adopt_parameters(giver: &Network, receiver: &mut Network, shared: &[usize]) {
    for &index in shared {
        receiver.adopt(index, giver);
    }
}

/// Hands shared layers over: their parameters, what holds them, and which norms use their running statistics.
fn adopt_layers(giver: &Network, receiver: &mut Network, share: &Layers) {
    let structure = giver.structure().clone();
    adopt_parameters(giver, receiver, &shared_parameters(&structure, share));
    let is_shared = |layer: &usize| targets::has_layer(&structure, share, *layer);
    receiver.free_norms(|layer| is_shared(&layer));
    receiver.fix_norms(giver.fixed_norms().iter().copied().filter(is_shared));
}

/// Returns true if all values of shared layers are equal bit for bit, running statistics included.
fn is_equal(a: &Network, b: &Network, share: &Layers) -> bool {
    let structure = a.structure();
    let layers = (0..structure.layers.len()).filter(|&layer| targets::has_layer(structure, share, layer));
    let mut indices = layers.flat_map(|layer| &structure.layers[layer].parameters);
    indices.all(|&index| {
        let mut pairs = a.values(index).iter().zip(b.values(index));
        pairs.all(|(a, b)| a.to_bits() == b.to_bits())
    })
}

fn shared_names<'a>(structure: &'a Structure, share: &Layers) -> Vec<&'a str> {
    let layers = (0..structure.layers.len()).filter(|&layer| targets::has_layer(structure, share, layer));
    layers.map(|layer| structure.layers[layer].name.as_str()).collect()
}

/// Hands shared layers over to the other members where an intervention on the first one, which was `before`, changed them, so
/// that they stay equal bit for bit. Reports both cases.
pub fn share_change(session: &mut Session, before: &Network) -> Result<(), RunError> {
    let structure = session.context.structure.clone();
    let State { network, others, share, .. } = session.state_mut();
    if is_same(before, network, &Layers::All) {
        return Ok(());
    }
    let members = others.len() + 1;
    let share = share.clone().unwrap_or_default();
    let mut summary = format!("the intervention acted on member 1 of {members}");
    let mut passed = None;
    if is_same(before, network, &share) {
        summary = format!("{summary}; it changed no shared layer");
    } else {
        for member in others.iter_mut() {
            adopt_layers(network, &mut member.network, &share);
        }
        let equal = others.iter().all(|member| is_equal(network, &member.network, &share));
        passed = Some(equal);
        let verdict =
            if equal { "equal bit for bit in all members" } else { "they differ; please report it" };
        let names = shared_names(&structure, &share).join(", ");
        summary = format!("{summary}; shared layers handed over ({names}): {verdict}");
    }
    session.report(Report { passed, ..report("members", summary) })
}

/// Returns true if layers are unchanged: values, what holds them, and which norms use their running statistics.
fn is_same(a: &Network, b: &Network, layers: &Layers) -> bool {
    let structure = a.structure();
    let norms = |network: &Network| -> Vec<usize> {
        let norms = network.fixed_norms().iter().copied();
        norms.filter(|&layer| targets::has_layer(structure, layers, layer)).collect()
    };
    let held = |index: &usize| a.entries(*index) == b.entries(*index);
    is_equal(a, b, layers) && shared_parameters(structure, layers).iter().all(held) && norms(a) == norms(b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::network;

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

    #[test]
    fn the_comparison_finds_what_a_hand_over_left_out() {
        let (mut first, mut second) = (network(1), network(2));
        let share = Layers::First(1);
        let shared = shared_parameters(first.structure(), &share);
        let mean = first.structure().find("features.1.running_mean").unwrap();
        first.write(mean, &[0.5]);
        let left_out: Vec<usize> = shared.iter().copied().filter(|index| *index != mean).collect();
        adopt_parameters(&first, &mut second, &left_out);
        assert!(!is_equal(&first, &second, &share));
        adopt_parameters(&first, &mut second, &shared);
        assert!(is_equal(&first, &second, &share));
        assert!(!is_equal(&first, &second, &Layers::All));
    }

    #[test]
    fn norms_that_use_their_statistics_and_pins_are_handed_on_too() {
        let (mut first, mut second) = (network(1), network(2));
        let layers = first.structure().layers.iter().enumerate();
        let norms = layers.filter(|(_, layer)| ["features.1", "features.5"].contains(&layer.name.as_str()));
        let fixed: Vec<usize> = norms.map(|(position, _)| position).collect();
        first.fix_norms(fixed.clone());
        first.prune(0, &[0, 1]);
        adopt_layers(&first, &mut second, &Layers::First(1));
        assert_eq!(second.entries(0), first.entries(0));
        assert_eq!(second.fixed_norms().iter().copied().collect::<Vec<_>>(), fixed[..1]);
        assert!(is_same(&first, &second, &Layers::First(1)));
    }
}

//! Pruning: a criterion scores, one shared function makes the mask, the network holds it.

use super::{entries_in, flow, mask_report, percent};
use crate::error::RunError;
use crate::session::Session;
use data::shuffled;
use doc::intervention::Prune;
use doc::targets;
use form::number::grouped;
use intervene::criteria::Evidence;
use intervene::prune::{PruneError, PruningRule, Quota, Target, lowest_of, prune as choose, quotas};
use intervene::stream::{Purpose, stream};
use intervene::{Amount, Entry, MaskCounts, Overlap};
use net::Network;
use results::Report;

/// Prunes the present network; a criterion that scores several times prunes step by step, to the same exact count.
pub fn prune(session: &mut Session, prune: &Prune) -> Result<(), RunError> {
    let chosen = targets::prunable(&session.context.structure, &prune.target);
    let rule = PruningRule { amount: prune.amount, scope: prune.scope, output_factor: prune.output_factor };
    let before = session.state().network.clone();
    if let Amount::Threshold(_) = prune.amount {
        cut(session, prune, &chosen, &[], &|targets| choose(targets, rule))?;
    } else {
        let entries = candidates(session, prune, &chosen);
        let quotas = quotas(&targets_of(session, &chosen, &[], &entries), rule);
        let quotas = quotas.map_err(|error| session.stage_error(error))?;
        let steps = prune.criterion.rule().steps();
        for step in 1..=steps {
            let scores = scores(session, prune, &chosen)?;
            let part: Vec<Quota> = quotas.iter().map(|quota| quota.step(step, steps)).collect();
            cut(session, prune, &chosen, &scores, &|targets| lowest_of(targets, &part))?;
        }
    }
    let report = report(&chosen, [&before, &session.state().network]);
    session.report(report)
}

/// Prunes what `choose` takes of the present network.
fn cut(
    session: &mut Session,
    prune: &Prune,
    chosen: &[usize],
    scores: &[Vec<f32>],
    choose: &dyn Fn(&[Target]) -> Result<Vec<Vec<u32>>, PruneError>,
) -> Result<(), RunError> {
    let entries = candidates(session, prune, chosen);
    let removed = choose(&targets_of(session, chosen, scores, &entries));
    let removed = removed.map_err(|error| session.stage_error(error))?;
    let network = &mut session.state_mut().network;
    for (&index, indices) in chosen.iter().zip(&removed) {
        network.prune(index, indices);
    }
    Ok(())
}

/// Returns what holds the entries; those outside of the target's channels are out of ranking and base like frozen ones.
fn candidates(session: &Session, prune: &Prune, chosen: &[usize]) -> Vec<Vec<Entry>> {
    chosen.iter().map(|&index| entries_in(session, &prune.target, index, Entry::Frozen)).collect()
}

fn targets_of<'a>(
    session: &'a Session,
    chosen: &[usize],
    scores: &'a [Vec<f32>],
    entries: &'a [Vec<Entry>],
) -> Vec<Target<'a>> {
    let structure = &session.context.structure;
    let targets = chosen.iter().enumerate().map(|(at, &index)| {
        let parameter = &structure.parameters[index];
        Target {
            name: &parameter.name,
            layer: parameter.layer,
            is_output: structure.layers[parameter.layer].is_output,
            weights: session.state().network.values(index),
            scores: scores.get(at).map_or(&[], Vec::as_slice),
            entries: &entries[at],
        }
    });
    targets.collect()
}

/// Reports what is left of every parameter that was touched, and in all.
fn report(chosen: &[usize], [before, after]: [&Network; 2]) -> Report {
    let count = |network: &Network| chosen.iter().map(|&index| network.mask_counts(index)).sum();
    let [then, now]: [MaskCounts; 2] = [before, after].map(count);
    let overlaps =
        chosen.iter().map(|&index| Overlap::new(&before.all_entries(index), &after.all_entries(index)));
    let summary = format!(
        "pruned {} of {} entries; {} remain ({} %), {} multiply-adds per sample; overlap with the previous mask {:.3}",
        grouped(now.pruned - then.pruned),
        grouped(now.size()),
        grouped(now.surviving()),
        percent(now),
        grouped(after.surviving_multiply_adds()),
        overlaps.sum::<Overlap>().jaccard()
    );
    mask_report("prune", summary, chosen, [before, after])
}

/// Scores the entries of the chosen parameters.
fn scores(session: &Session, prune: &Prune, chosen: &[usize]) -> Result<Vec<Vec<f32>>, RunError> {
    let evidence = prune.criterion.rule().evidence();
    let others = match &evidence {
        Evidence::Weights(_) => vec![Vec::new(); chosen.len()],
        Evidence::LossGradient { batches, .. } => masked(session, loss_gradients(session, *batches)?, chosen),
        Evidence::FlowGradient(_) => {
            let compute = session.context.compute.as_ref();
            masked(session, flow::gradients(compute, &session.state().network), chosen)
        }
        Evidence::Past { since, .. } => past(session, since, chosen)?,
    };
    let network = &session.state().network;
    let mut rng = stream(session.context.spec.seed, Purpose::Mask, &[session.number()]);
    let pairs = chosen.iter().zip(&others);
    Ok(pairs.map(|(&index, others)| evidence.scores(network.values(index), others, &mut rng)).collect())
}

/// Returns the weights at an earlier moment.
fn past(session: &Session, since: &str, chosen: &[usize]) -> Result<Vec<Vec<f32>>, RunError> {
    let snapshot = session.state().snapshots.get(since).ok_or_else(|| {
        session.stage_error(format!("movement is measured since snapshot \"{since}\", and there is none"))
    })?;
    Ok(chosen.iter().map(|&index| snapshot.network.values(index).to_vec()).collect())
}

/// Picks the gradients of the chosen parameters, with 0 for pruned entries.
fn masked(session: &Session, mut gradients: Vec<Vec<f32>>, chosen: &[usize]) -> Vec<Vec<f32>> {
    let network = &session.state().network;
    let masked = chosen.iter().map(|&index| {
        let mut gradient = std::mem::take(&mut gradients[index]);
        for (value, entry) in gradient.iter_mut().zip(network.entries(index).unwrap_or_default()) {
            if *entry == Entry::Pruned {
                *value = 0.0;
            }
        }
        gradient
    });
    masked.collect()
}

/// Computes gradients of the training loss, averaged over mini-batches of a stream of this stage, in training mode.
/// Where they are more than an epoch has, further random orders follow.
fn loss_gradients(session: &Session, batches: u64) -> Result<Vec<Vec<f32>>, RunError> {
    let context = &session.context;
    let data = session.data();
    let train = &data.train;
    let mut rng = stream(context.spec.seed, Purpose::Saliency, &[session.number()]);
    let mut order = Vec::new();
    let network = &session.state().network;
    let mut sums: Vec<Vec<f32>> =
        (0..network.len()).map(|index| vec![0.0; network.values(index).len()]).collect();
    for _ in 0..batches {
        if order.is_empty() {
            order = shuffled(train.len(), &mut rng);
        }
        let size = context.spec.train.batch.min(order.len());
        if let Some(norm) = network.norm_of_one_value(size) {
            let (batch, samples) = (context.spec.train.batch, train.len());
            return Err(RunError::LonelySample { batch, samples, norm: norm.to_owned() });
        }
        let batch = train.pick(&order.drain(..size).collect::<Vec<_>>());
        let gradient = &mut |logits: &[f32]| context.loss.evaluate(logits, &batch.labels).gradient;
        let pass = context.compute.train(network, &batch.values()?, batch.len(), None, gradient);
        for (sum, gradient) in sums.iter_mut().zip(pass.gradients) {
            for (sum, gradient) in sum.iter_mut().zip(gradient.unwrap_or_default()) {
                *sum += gradient;
            }
        }
    }
    for value in sums.iter_mut().flatten() {
        *value /= batches.max(1) as f32;
    }
    Ok(sums)
}

//! Pruning: a criterion scores, one shared function makes the mask, the network holds it.

mod evidence;

use super::left::{Left, percent};
use crate::doc::intervention::Prune;
use crate::doc::targets;
use crate::form::number::grouped;
use crate::intervene::overlap::Overlap;
use crate::intervene::prune::{PruneError, PruningRule, Quota, Target, lowest_of, prune as choose, quotas};
use crate::intervene::{Amount, Entry, MaskCounts};
use crate::net::Network;
use crate::results::Report;
use crate::run::error::RunError;
use crate::run::session::Session;

/// Prunes the present network; a criterion that scores anew in between does so step by step, to the same exact count.
pub fn prune(session: &mut Session, prune: &Prune) -> Result<(), RunError> {
    let structure = session.context.structure.clone();
    let chosen = targets::prunable(&structure, &prune.target);
    let rule = PruningRule { amount: prune.amount, scope: prune.scope, output_factor: prune.output_factor };
    let masks: Vec<Vec<Entry>> =
        chosen.iter().map(|&index| session.state().network.all_entries(index)).collect();
    let before: Vec<MaskCounts> =
        chosen.iter().map(|&index| session.state().network.mask_counts(index)).collect();
    if let Amount::Threshold(_) = prune.amount {
        cut(session, prune, &chosen, &|targets| choose(targets, rule))?;
    } else {
        let steps = prune.criterion.rule().steps();
        let entries = candidates(session, prune, &chosen);
        let quotas = quotas(&targets_of(session, &chosen, &[], &entries), rule);
        let quotas = quotas.map_err(|error| session.stage_error(error.to_string()))?;
        for step in 1..=steps {
            let part: Vec<Quota> = quotas.iter().map(|quota| quota.step(step, steps)).collect();
            cut(session, prune, &chosen, &|targets| lowest_of(targets, &part))?;
        }
    }
    let overlap = overlap(session, &chosen, &masks);
    let report = report(&session.state().network, &chosen, &before, overlap);
    session.report(report)
}

/// Scores the present network, and prunes what `choose` takes.
fn cut(
    session: &mut Session,
    prune: &Prune,
    chosen: &[usize],
    choose: &dyn Fn(&[Target]) -> Result<Vec<Vec<u32>>, PruneError>,
) -> Result<(), RunError> {
    let scores =
        if prune.amount.needs_scores() { evidence::scores(session, prune, chosen)? } else { Vec::new() };
    let entries = candidates(session, prune, chosen);
    let removed = choose(&targets_of(session, chosen, &scores, &entries));
    let removed = removed.map_err(|error| session.stage_error(error.to_string()))?;
    let network = &mut session.state_mut().network;
    for (&index, indices) in chosen.iter().zip(&removed) {
        network.prune(index, indices);
    }
    Ok(())
}

/// What holds the entries, with those outside of the target's channels taken out of ranking and base like frozen ones.
fn candidates(session: &Session, prune: &Prune, chosen: &[usize]) -> Vec<Vec<Entry>> {
    let parameters = &session.context.structure.parameters;
    let entries = chosen.iter().map(|&index| {
        let mut entries = session.state().network.all_entries(index);
        for (at, entry) in entries.iter_mut().enumerate() {
            if !targets::has_entry(&prune.target, &parameters[index], at) {
                *entry = Entry::Frozen;
            }
        }
        entries
    });
    entries.collect()
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

/// Overlap of the masks before and after, over all parameters that were touched.
fn overlap(session: &Session, chosen: &[usize], before: &[Vec<Entry>]) -> f64 {
    let network = &session.state().network;
    let parts =
        chosen.iter().zip(before).map(|(&index, before)| Overlap::of(before, &network.all_entries(index)));
    parts.sum::<Overlap>().jaccard()
}

/// What is left of every parameter that was touched, and in all.
fn report(network: &Network, chosen: &[usize], before: &[MaskCounts], overlap: f64) -> Report {
    let left = Left::of(network, chosen, before);
    let removed = left.total.pruned - before.iter().copied().sum::<MaskCounts>().pruned;
    let summary = format!(
        "pruned {} of {} entries; {} remain ({} %), {} multiply-adds per sample; masks overlap by {:.3}",
        grouped(removed),
        grouped(left.total.size()),
        grouped(left.total.surviving()),
        percent(&left.total),
        grouped(network.surviving_multiply_adds()),
        overlap
    );
    left.report("prune", summary)
}

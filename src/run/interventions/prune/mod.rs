//! Pruning: a criterion scores, one shared function makes the mask, the network holds it.

mod evidence;
mod flow;

use super::mask_report::{mask_report, percent};
use crate::error::RunError;
use crate::session::Session;
use doc::intervention::Prune;
use doc::targets;
use form::number::grouped;
use intervene::overlap::Overlap;
use intervene::prune::{PruneError, PruningRule, Quota, Target, lowest_of, prune as choose, quotas};
use intervene::{Amount, Entry, MaskCounts};
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
        let quotas = quotas.map_err(|error| session.stage_error(error.to_string()))?;
        let steps = prune.criterion.rule().steps();
        for step in 1..=steps {
            let scores = evidence::scores(session, prune, &chosen)?;
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

/// What is left of every parameter that was touched, and in all.
fn report(chosen: &[usize], [before, after]: [&Network; 2]) -> Report {
    let count = |network: &Network| chosen.iter().map(|&index| network.mask_counts(index)).sum();
    let [then, now]: [MaskCounts; 2] = [before, after].map(count);
    let overlaps =
        chosen.iter().map(|&index| Overlap::of(&before.all_entries(index), &after.all_entries(index)));
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

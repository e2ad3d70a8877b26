//! What criteria look at besides the weights: gradients of the loss, of the flow, or earlier weights.

use super::flow;
use crate::error::RunError;
use crate::session::Session;
use data::shuffled;
use doc::intervention::Prune;
use intervene::Entry;
use intervene::criteria::Evidence;
use intervene::stream::{Purpose, stream};

/// Scores of the entries of the chosen parameters.
pub fn scores(session: &Session, prune: &Prune, chosen: &[usize]) -> Result<Vec<Vec<f32>>, RunError> {
    let evidence = prune.criterion.rule().evidence();
    let others = match &evidence {
        Evidence::Weights(_) => vec![Vec::new(); chosen.len()],
        Evidence::LossGradient { batches, .. } => masked(session, loss_gradients(session, *batches)?, chosen),
        Evidence::FlowGradient(_) => masked(
            session,
            flow::gradients(session.context.compute.as_ref(), &session.state().network),
            chosen,
        ),
        Evidence::Past { since, .. } => past(session, since, chosen)?,
    };
    let network = &session.state().network;
    let mut rng = stream(session.context.spec.seed, Purpose::Mask, &[session.number()]);
    let pairs = chosen.iter().zip(&others);
    Ok(pairs.map(|(&index, others)| evidence.scores(network.values(index), others, &mut rng)).collect())
}

/// Weights at an earlier moment.
fn past(session: &Session, since: &str, chosen: &[usize]) -> Result<Vec<Vec<f32>>, RunError> {
    let kept = session.state().kept.get(since).ok_or_else(|| {
        session.stage_error(format!("movement is measured since snapshot \"{since}\", and there is none"))
    })?;
    Ok(chosen.iter().map(|&index| kept.network.values(index).to_vec()).collect())
}

/// Those of the chosen parameters, with 0 for pruned entries.
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

/// Gradients of the training loss, averaged over mini-batches of a stream of this stage, in training mode. Where they are
/// more than an epoch has, further random orders follow.
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

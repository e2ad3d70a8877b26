//! Trains the present network, compared with its past where that is watched.

use crate::error::RunError;
use crate::interventions::watch::{self, Comparison};
use crate::session::{Session, StageEnd};
use crate::state::TrainProgress;
use crate::train::{self, MiniBatch, Phase, Trainer};
use doc::Train;
use net::{LossValue, Score};

/// Trains the present network; resumes from `progress` when the stage was interrupted.
pub fn train(session: &mut Session, stage: &Train, progress: TrainProgress) -> Result<StageEnd, RunError> {
    session.state_mut().begin_training(1);
    let settings = stage.settings(&session.context.spec.train);
    let rate = stage.rate.unwrap_or_else(|| settings.optimizer.rate());
    let end = train::run(session, &Phase { settings, rate, steps: stage.steps }, &mut Present, progress)?;
    if end == StageEnd::Done {
        watch::report_cost(session)?;
    }
    Ok(end)
}

struct Present;

impl Trainer for Present {
    fn step(
        &mut self,
        session: &mut Session,
        mini_batch: &MiniBatch,
        score: &mut Score,
    ) -> Result<(), RunError> {
        let context = session.context.clone();
        let mut past = Comparison::new(session, &context, mini_batch);
        let (network, dropout) = (&session.state().network, mini_batch.dropout.clone());
        let compare = |logits: &[f32], value: &mut LossValue| {
            if let Some(past) = &mut past {
                past.compare(logits, value);
            }
        };
        let mut pass =
            mini_batch.pass(session, network, dropout, context.records_gradients(), score, compare)?;
        let state = session.state_mut();
        watch::remember(state, past, &mut pass.gradients);
        mini_batch.learn(&mut state.network, &mut state.memory, &pass);
        session.retire_pass(0, pass);
        Ok(())
    }

    fn emit(&mut self, session: &mut Session) -> Result<(), RunError> {
        watch::emit(session)
    }
}

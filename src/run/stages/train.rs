//! Trains the present network, compared with its past where that is watched.

use crate::error::RunError;
use crate::interventions::watch::{self, Question};
use crate::session::{Session, StageEnd};
use crate::state::TrainProgress;
use crate::train::{self, MiniBatch, Phase, Trainer};
use doc::Train;
use net::Score;

/// Trains the present network; resumes from `progress` when the stage was interrupted.
pub fn train(session: &mut Session, stage: &Train, progress: TrainProgress) -> Result<StageEnd, RunError> {
    session.state_mut().begin_training(1);
    let settings = stage.settings(&session.context.spec.train);
    let rate = stage.rate.unwrap_or_else(|| settings.optimizer.rate());
    let end = train::run(session, &Phase { settings, rate, steps: stage.steps }, &mut Present, progress)?;
    if end == StageEnd::Done {
        watch::report(session)?;
    }
    Ok(end)
}

/// The present network.
struct Present;

impl Trainer for Present {
    fn step(
        &mut self,
        session: &mut Session,
        mini_batch: &MiniBatch,
        score: &mut Score,
    ) -> Result<(), RunError> {
        let context = session.context.clone();
        let mut past = Question::new(session, &context, mini_batch);
        let (network, reads_held) = (&session.state().network, context.records_gradients());
        let (mut pass, known) =
            mini_batch.pass(&context, network, mini_batch.dropout.clone(), reads_held, |logits, value| {
                if let Some(past) = &mut past {
                    past.ask(logits, value);
                }
            })?;
        mini_batch.take_in(session, known, score)?;
        let state = session.state_mut();
        watch::remember(state, past, &mut pass.gradients);
        mini_batch.learn(&mut state.network, &mut state.memory, &pass);
        session.take_pass(0, pass);
        Ok(())
    }

    fn emit(&mut self, session: &mut Session) -> Result<(), RunError> {
        watch::emit(session)
    }
}

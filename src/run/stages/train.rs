//! Trains the present network, with its past beside it where that is watched.

use crate::doc::Train;
use crate::net::Score;
use crate::optimize::Rule;
use crate::run::error::RunError;
use crate::run::interventions::watch::{self, Question};
use crate::run::session::{Session, StageEnd};
use crate::run::train::{self, Learner, Lesson, Stretch, TrainProgress};

/// Trains the present network; goes on from `progress` when the stage was interrupted.
pub fn train(session: &mut Session, stage: &Train, progress: TrainProgress) -> Result<StageEnd, RunError> {
    session.state_mut().begin_training(1);
    let settings = stage.settings(&session.place.spec.train);
    let rate = stage.rate.unwrap_or_else(|| settings.optimizer.rate());
    let end = train::run(session, &Stretch { settings, rate, steps: stage.steps }, &mut Present, progress)?;
    if end == StageEnd::Done {
        watch::report(session)?;
    }
    Ok(end)
}

/// The present network.
struct Present;

impl Learner for Present {
    fn step(&mut self, session: &mut Session, lesson: &Lesson, score: &mut Score) -> Result<(), RunError> {
        let place = session.place.clone();
        let mut past = Question::new(session, &place, lesson);
        let network = &session.state().network;
        let (mut pass, known) = lesson.pass(&place, network, lesson.dropout.clone(), |logits, value| {
            if let Some(past) = &mut past {
                past.ask(logits, value);
            }
        });
        lesson.take_in(session, known, score)?;
        let state = session.state_mut();
        watch::remember(state, past, &mut pass.gradients);
        state.memory.step(&lesson.settings.optimizer, lesson.rate, &mut state.network, &pass.gradients);
        state.network.follow(&pass.statistics);
        place.compute.recycle(pass);
        Ok(())
    }

    fn emit(&mut self, session: &mut Session) -> Result<(), RunError> {
        watch::say(session)
    }
}

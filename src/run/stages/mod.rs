//! Carries out stages, in one file each. Their settings, checks and sentences are in `doc/stage/`.

mod connect;
pub(super) mod ensemble;
mod test;
mod train;

use super::error::RunError;
use super::evaluate::files_of_round;
use super::session::{Session, StageEnd};
use super::state::TrainProgress;
use super::{campaign, faults, interventions};
use doc::Stage;

/// Carries a stage out; resumes from `inside` when it was interrupted.
pub fn run(session: &mut Session, stage: &Stage, inside: TrainProgress) -> Result<StageEnd, RunError> {
    match stage {
        Stage::Train(stage) => training(session, |session| train::train(session, stage, inside)),
        Stage::Ensemble(stage) => training(session, |session| ensemble::train(session, stage, inside)),
        Stage::Test => test::test(session),
        Stage::Do(intervention) => interventions::apply(session, intervention).map(|()| StageEnd::Done),
        Stage::Connect(stage) => connect::connect(session, stage),
        Stage::Campaign(stage) => {
            let progress = session.campaign.take();
            campaign::run(session, stage, progress)
        }
        // Their stages are steps of their own.
        Stage::Repeat(_) | Stage::Branch(_) => Ok(StageEnd::Done),
    }
}

/// Trains, and checks at the end that held entries are unchanged.
fn training(
    session: &mut Session,
    train: impl FnOnce(&mut Session) -> Result<StageEnd, RunError>,
) -> Result<StageEnd, RunError> {
    faults::refuse_training(session)?;
    let end = train(session)?;
    if end == StageEnd::Done {
        session.check_held()?;
        if session.context.spec.train.record.rounds {
            session.save_network(&files_of_round(session.next))?;
        }
        faults::report_training(session)?;
    }
    Ok(end)
}

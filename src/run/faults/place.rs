//! Putting faults in place, letting them go, and proving that the stored weights are as they were.

use super::memory::{Ground, Memory, in_format};
use super::strikes::{Hit, Undo, lines, strike_parameters};
use super::{Active, Drawn};
use crate::doc::fault::{Draw, Fault, FaultAmount, Format};
use crate::doc::intervention::Target;
use crate::doc::strikes::struck;
use crate::form::number::grouped;
use crate::intervene::fault::model::Unit;
use crate::intervene::fault::{Strike, TooManyFaults};
use crate::results::Report;
use crate::run::error::RunError;
use crate::run::evaluate::evaluate;
use crate::run::session::Session;
use crate::run::tables::Table;

/// Puts a fault in place, and reports what it can strike.
///
/// # Errors
/// When it cannot strike as many sites as it says, or none, or when faults of another format are in place.
pub fn put(session: &mut Session, fault: &Fault) -> Result<(), RunError> {
    let mut active = Active {
        settings: fault.clone(),
        step: session.number(),
        stage: session.stage(),
        branch: session.branch(),
        round: session.round(),
        released: Vec::new(),
        drawn: None,
        passes: 0,
    };
    check_format(session, &active)?;
    let ground = Ground::of(&active, &session.state().network);
    let sites = ground.space.total();
    if sites == 0 {
        return Err(session.stage_error(
            "the fault has nothing to strike; choose another target, other bits, or pruned: Dense".to_owned(),
        ));
    }
    let error = |session: &Session, error: TooManyFaults| session.stage_error(error.to_string());
    if fault.draw == Draw::Once {
        let (drawn, rng) =
            active.draw(&ground.space, session.context.spec.seed, 0).map_err(|e| error(session, e))?;
        active.drawn = Some(Drawn { sites: drawn, position: rng.get_word_pos() });
    } else if let FaultAmount::Count(wanted) = fault.amount
        && wanted > sites
    {
        return Err(error(session, TooManyFaults::Count { wanted, sites }));
    }
    let flows = active.strikes_flows();
    let drawn = active.drawn.as_ref().map(|drawn| drawn.sites.len());
    session.state_mut().faults.active.push(active);
    let struck = if drawn.is_some() && !flows { Some(log_drawn(session)?) } else { None };
    let summary =
        [Some(summary(fault, sites, drawn, struck.as_deref())), golden(session), large(fault, sites)];
    let rows = ground
        .places
        .values()
        .map(|place| vec![place.name.clone(), place.entries.to_string(), place.format.label().to_owned()]);
    session.report(Report {
        kind: "fault".to_owned(),
        summary: summary.into_iter().flatten().collect::<Vec<_>>().join("; "),
        columns: ["place", "entries", "format"].map(str::to_owned).into(),
        rows: rows.collect(),
        ..Report::default()
    })
}

/// A network has one format, which parameters and activations that are not float32 share.
fn check_format(session: &Session, new: &Active) -> Result<(), RunError> {
    let counts = |fault: &&Active| !fault.strikes_flows() || fault.settings.format != Format::Float32;
    let mut others = session.state().faults.active.iter().filter(counts);
    let format = new.settings.format;
    match others.find(|other| counts(&new) && other.settings.format != format) {
        None => Ok(()),
        Some(other) => Err(session.stage_error(format!(
            "the fault of stage {} reads the network in {}, and this one in {}; a network has one format, so let the other go first",
            other.stage,
            other.settings.format.label(),
            format.label()
        ))),
    }
}

/// Logs what the newest fault strikes, which was drawn once.
fn log_drawn(session: &mut Session) -> Result<Vec<Strike>, RunError> {
    let (seed, branch) = (session.context.spec.seed, session.branch());
    let state = session.state();
    let memory = Memory::of(&state.faults, &state.network);
    let mut view = memory.golden.clone();
    let mut newest = Vec::new();
    for (number, (fault, ground)) in state.faults.active.iter().zip(&memory.grounds).enumerate() {
        if !fault.strikes_flows() {
            let strikes = strike_parameters(fault, ground, &memory, &mut view, (seed, 0), &mut Undo::new());
            let strikes = strikes.map_err(|error| session.stage_error(error.to_string()))?;
            newest = vec![Hit { fault: number, image: None, strikes }];
        }
    }
    let lines = lines(&state.faults, &memory.grounds, &branch, newest.clone());
    session.log(Table::Faults, &lines)?;
    Ok(newest.into_iter().flat_map(|hit| hit.strikes).collect())
}

fn summary(fault: &Fault, sites: u64, drawn: Option<usize>, struck: Option<&[Strike]>) -> String {
    let unit = match fault.model.unit() {
        Unit::Bits(_) => "bits",
        Unit::Value => "values",
    };
    let amount = match fault.amount {
        FaultAmount::Count(count) => grouped(count),
        FaultAmount::Rate(rate) => format!("{:.4} of them on average", rate * sites as f64),
    };
    let when = match (drawn, fault.draw) {
        (Some(drawn), _) => format!("{} are struck until they are released", grouped(drawn as u64)),
        (None, draw) if draw == Draw::EveryImage || fault.strikes_flows() => {
            format!("{amount} are struck anew for every image")
        }
        (None, _) => format!("{amount} are struck anew for every batch"),
    };
    let agree = struck.map_or(0, |strikes| strikes.iter().filter(|strike| !strike.is_fault()).count());
    let agree = if agree > 0 {
        format!(", {} of which agree with what is stored", grouped(agree as u64))
    } else {
        String::new()
    };
    format!("{} {unit} can be struck; {when}{agree}", grouped(sites))
}

/// The loss of accuracy that the format has by itself.
fn golden(session: &Session) -> Option<String> {
    let state = session.state();
    let format = state.faults.format();
    if format == Format::Float32 {
        return None;
    }
    let (place, data) = (&session.context, session.data());
    let accuracy = |network| {
        let batch = place.spec.train.evaluation_batch;
        evaluate(place.compute.as_ref(), network, &place.loss, &data.test, batch).0.accuracy()
    };
    let (plain, stored) = (accuracy(&state.network), accuracy(&in_format(&state.network, format)));
    Some(format!(
        "without faults, the test accuracy is {:.2} % in {} and {:.2} % in float32",
        100.0 * stored,
        format.label(),
        100.0 * plain
    ))
}

fn large(fault: &Fault, sites: u64) -> Option<String> {
    let expected = match fault.amount {
        FaultAmount::Count(count) => count as f64,
        FaultAmount::Rate(rate) => rate * sites as f64,
    };
    let limit = super::strikes::LOGGED;
    (expected > 0.9 * limit as f64).then(|| {
        format!("draws of more than {limit} sites are one line of faults.csv, which says how many they are")
    })
}

/// Lets faults go in a target, and says how many there were. Those that have nothing left are gone.
pub fn release(session: &mut Session, target: &Target) -> usize {
    let structure = session.context.structure.clone();
    let active = &mut session.state_mut().faults.active;
    let mut released = 0;
    for fault in active.iter_mut() {
        let places = struck(&structure, &fault.settings);
        if places.iter().any(|place| fault.has_place(&structure, target, place)) {
            fault.released.push(target.clone());
            released += 1;
        }
    }
    active.retain(|fault| !fault.is_gone(&structure));
    released
}

/// Refuses to train with a fault that is drawn for every image: each image has a network of its own, and batch norm would
/// see one image.
///
/// # Errors
/// When there is such a fault.
pub fn refuse_training(session: &Session) -> Result<(), RunError> {
    let mut active = session.state().faults.active.iter();
    match active.find(|fault| fault.settings.draw == Draw::EveryImage) {
        None => Ok(()),
        Some(fault) => Err(session.stage_error(format!(
            "the fault of stage {} is drawn for every image, and training sees a batch at a time (batch norm would see one image); use draw: EveryForward, or put Do(Release(what: [Faults])) before the training",
            fault.stage
        ))),
    }
}

/// Evaluates the present network; where faults are in place, reports what they struck, and that the stored weights are the
/// same before and after.
///
/// # Errors
/// When something cannot be said.
pub fn test(session: &mut Session) -> Result<(), RunError> {
    if session.state().faults.is_empty() {
        return session.evaluate_parts();
    }
    session.state_mut().faults.struck = 0;
    let before = checksums(session);
    session.evaluate_parts()?;
    let after = checksums(session);
    let summary = format!(
        "{} values read as something else; the stored weights have checksum {} before and {} after it",
        session.state().faults.struck,
        &before[0][..16],
        &after[0][..16]
    );
    let passed = Some(before == after);
    session.report(Report { kind: "fault".to_owned(), summary, passed, ..Report::default() })
}

fn checksums(session: &Session) -> Vec<String> {
    session.state().members().iter().map(|network| network.checksum()).collect()
}

/// Reports what faults struck in a training.
///
/// # Errors
/// When it cannot be said.
pub fn report_training(session: &mut Session) -> Result<(), RunError> {
    let faults = &mut session.state_mut().faults;
    let struck = std::mem::take(&mut faults.struck);
    if faults.is_empty() {
        return Ok(());
    }
    let summary = format!(
        "{struck} values read as something else, in mini-batches and evaluations; gradients are those of the faulty network, and steps are those of the stored weights"
    );
    session.report(Report { kind: "fault".to_owned(), summary, ..Report::default() })
}

//! Putting faults in place, releasing them, and proving that the stored weights are as they were.

use std::sync::Arc;

use super::{Active, Drawn, FaultSites, StoredNetwork, in_format};
use crate::error::RunError;
use crate::evaluate::evaluate;
use crate::listener::Table;
use crate::session::{Session, StageEnd, report, table};
use crate::state::TrainProgress;
use doc::fault::{Draw, Fault, FaultAmount, Format, fault_places};
use doc::intervention::Target;
use doc::stage_number;
use form::number::{counted, grouped};
use intervene::fault::Injected;
use intervene::fault::log::LONGEST_DRAW;
use intervene::fault::model::Unit;
use results::Report;

/// Puts a fault in place, and reports its sites.
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
    let structure = session.context.structure.clone();
    let network = &session.state().network;
    let sites = FaultSites::new(fault_places(&structure, fault), fault, &|index| network.entries(index));
    sites.check(fault, "").map_err(|message| session.stage_error(message))?;
    if fault.draw == Draw::Once {
        let mut rng = active.stream(0).of_seed(session.context.spec.seed);
        let drawn = sites.space.draw(fault.amount, &mut rng);
        let drawn = drawn.map_err(|error| session.stage_error(error))?;
        active.drawn = Some(Drawn { sites: Arc::new(drawn), position: rng.get_word_pos() });
    }
    let in_activations = active.is_in_activations();
    let drawn = active.drawn.as_ref().map(|drawn| drawn.sites.len());
    session.state_mut().faults.active.push(active);
    let injected = if drawn.is_some() && !in_activations { log_drawn(session)? } else { Vec::new() };
    let total = sites.space.total();
    let summary = [Some(summary(fault, total, drawn, &injected)), golden(session)?, large(fault, total)];
    let rows = sites
        .places
        .values()
        .map(|place| vec![place.name.clone(), place.entries.to_string(), place.format.label().to_owned()]);
    let summary = summary.into_iter().flatten().collect::<Vec<_>>().join("; ");
    session.report(table("fault", summary, &["place", "entries", "format"], rows.collect()))
}

/// Refuses a fault of another format: parameters, and activations that are not float32, share one.
fn check_format(session: &Session, new: &Active) -> Result<(), RunError> {
    let counts = |fault: &&Active| !fault.is_in_activations() || fault.settings.format != Format::Float32;
    let mut others = session.state().faults.active.iter().filter(counts);
    let format = new.settings.format;
    match others.find(|other| counts(&new) && other.settings.format != format) {
        None => Ok(()),
        Some(other) => Err(session.stage_error(format!(
            "the fault of stage {} reads the network in {}, and this one in {}; a network has one format, \
                so release the other fault first",
            stage_number(&other.stage),
            other.settings.format.label(),
            format.label()
        ))),
    }
}

/// Logs what the newest fault injects, which was drawn once.
fn log_drawn(session: &mut Session) -> Result<Vec<Injected>, RunError> {
    let (seed, branch) = (session.context.spec.seed, session.branch());
    let state = session.state();
    let stored = StoredNetwork::new(&state.faults, &state.network);
    let (mut view, mut newest) = (stored.golden.clone(), Vec::new());
    let active = state.faults.active.iter().enumerate();
    for (number, _) in active.filter(|(_, fault)| !fault.is_in_activations()) {
        let draw = state.faults.inject(number, &stored, &mut view, seed, None);
        newest = vec![draw.map_err(|error| session.stage_error(error))?];
    }
    let lines = state.faults.lines(&stored, &branch, newest.clone());
    session.listener.lines(Table::Faults, &lines)?;
    Ok(newest.into_iter().flat_map(|draw| draw.injected).collect())
}

fn summary(fault: &Fault, sites: u64, drawn: Option<usize>, injected: &[Injected]) -> String {
    let unit = match fault.model.unit() {
        Unit::Bits(_) => "bits",
        Unit::Value => "values",
    };
    let amount = match fault.amount {
        FaultAmount::Count(1) => "one fault is".to_owned(),
        FaultAmount::Count(count) => format!("{} faults are", grouped(count)),
        FaultAmount::Rate(rate) => format!("{:.4} faults on average are", rate * sites as f64),
    };
    let when = match (drawn, fault.draw) {
        (Some(1), _) => "one fault holds until it is released".to_owned(),
        (Some(drawn), _) => format!("{} faults hold until they are released", grouped(drawn as u64)),
        (None, draw) if draw == Draw::EveryImage || fault.is_in_activations() => {
            format!("{amount} drawn for every image")
        }
        (None, _) => format!("{amount} drawn for every batch"),
    };
    let agree = match injected.iter().filter(|fault| !fault.is_fault()).count() {
        0 => String::new(),
        agree => format!(", {} of which agree with the stored value", grouped(agree as u64)),
    };
    format!("{} {unit} can be faulty; {when}{agree}", grouped(sites))
}

/// Describes the loss of accuracy that the format has by itself.
fn golden(session: &Session) -> Result<Option<String>, RunError> {
    let state = session.state();
    let format = state.faults.format();
    if format == Format::Float32 {
        return Ok(None);
    }
    let (context, data) = (&session.context, session.data());
    let accuracy = |network| {
        let batch = context.spec.train.evaluation_batch;
        let compute = context.compute.as_ref();
        let tally = evaluate(compute, network, &context.loss, &data.test, batch, &mut |_| Ok(true))?;
        Ok::<_, RunError>(tally.map_or(f64::NAN, |tally| tally.score.accuracy()))
    };
    let (plain, stored) = (accuracy(&state.network)?, accuracy(&in_format(&state.network, format))?);
    Ok(Some(format!(
        "without faults, the test accuracy is {:.2} % in {} and {:.2} % in float32",
        100.0 * stored,
        format.label(),
        100.0 * plain
    )))
}

fn large(fault: &Fault, sites: u64) -> Option<String> {
    let expected = match fault.amount {
        FaultAmount::Count(count) => count as f64,
        FaultAmount::Rate(rate) => rate * sites as f64,
    };
    (expected > 0.9 * LONGEST_DRAW as f64).then(|| {
        format!(
            "faults.csv has one line for a draw of more than {LONGEST_DRAW} sites, with their number and stream"
        )
    })
}

/// Releases faults in a target, and returns how many there were. Those that have nothing left are gone.
pub fn release(session: &mut Session, target: &Target) -> usize {
    let structure = session.context.structure.clone();
    let active = &mut session.state_mut().faults.active;
    let mut released = 0;
    for fault in active.iter_mut() {
        let places = fault_places(&structure, &fault.settings);
        if places.iter().any(|place| fault.has_place(&structure, target, place)) {
            fault.released.push(target.clone());
            released += 1;
        }
    }
    active.retain(|fault| !fault.is_gone(&structure));
    released
}

/// Refuses to train with a fault that is drawn for every image: each image has another network, and batch norm would see
/// one image.
pub fn refuse_training(session: &Session) -> Result<(), RunError> {
    let mut active = session.state().faults.active.iter();
    match active.find(|fault| fault.settings.draw == Draw::EveryImage) {
        None => Ok(()),
        Some(fault) => Err(session.stage_error(format!(
            "the fault of stage {} is drawn for every image, and training works on mini-batches (batch norm \
                would see one image); use draw: EveryForward, or put Do(Release(what: [Faults])) before the \
                training",
            stage_number(&fault.stage)
        ))),
    }
}

/// Refuses a campaign while faults are in place: they would be mixed with those of the trials.
pub fn refuse_campaign(session: &Session) -> Result<(), RunError> {
    if session.state().faults.is_empty() {
        return Ok(());
    }
    Err(session.stage_error(
        "a fault is active, and a campaign needs a network without faults; put Do(Release()) before the campaign",
    ))
}

/// Evaluates the present network; where faults are in place, reports what they changed, and that the stored weights are the
/// same before and after.
pub fn test(session: &mut Session) -> Result<StageEnd, RunError> {
    if session.state().faults.is_empty() {
        let is_done = session.evaluate_or_stop()?;
        // Nothing was emitted so far: the stage starts over when the run resumes.
        let interrupted = StageEnd::Interrupted(TrainProgress::default());
        return Ok(if is_done { StageEnd::Done } else { interrupted });
    }
    session.state_mut().faults.changed = 0;
    let before = checksums(session);
    session.evaluate_parts()?;
    let after = checksums(session);
    let summary = format!(
        "{} altered when read; the stored weights have checksum {} before and {} after it",
        values(session.state().faults.changed),
        &before[0][..16],
        &after[0][..16]
    );
    let passed = Some(before == after);
    session.report(Report { passed, ..report("fault", summary) })?;
    Ok(StageEnd::Done)
}

fn values(count: u64) -> String {
    counted(count, "value") + if count == 1 { " was" } else { " were" }
}

fn checksums(session: &Session) -> Vec<String> {
    session.state().members().iter().map(|network| network.checksum()).collect()
}

/// Reports what faults changed in a training.
pub fn report_training(session: &mut Session) -> Result<(), RunError> {
    let faults = &mut session.state_mut().faults;
    let changed = std::mem::take(&mut faults.changed);
    if faults.is_empty() {
        return Ok(());
    }
    let summary = format!(
        "{} altered when read, in mini-batches and evaluations; gradients are those of the faulty network, \
            steps those of the stored weights",
        values(changed)
    );
    session.report(report("fault", summary))
}

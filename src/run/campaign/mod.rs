//! Campaigns: many fault trials on a fixed network, with statistics.
//!
//! The faults of a trial are *drawn*; the trial is *run* (logits of all images, from the first layer with faults on)
//! and *counted*. Within a block of 64 trials the order of work is that of the layers; what counts is the order drawn. A
//! block counts when it is whole, so that a result depends neither on threads nor on when the campaign was stopped.
//!
//! The network without faults is never written: faults are injected into copies of parameters, which end with the trial.

mod golden;
mod replay;
mod setup;
mod statistics;
#[cfg(test)]
mod tests;
mod trial;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::error::RunError;
use super::faults::refuse_campaign;
use super::session::{Session, StageEnd};
use super::state::TrainProgress;
use super::stop::StopKind;
use super::train::{CHECKPOINT_EVERY, PROGRESS_EVERY};
use doc::fault::{Campaign, Trials};
use doc::stage::Planned;
use intervene::stream::{Purpose, stream};
pub use replay::{Picture, Replay, Replayed, replay, write_images};
use results::campaign::{CampaignEnded, CellState};
use results::{Event, Point};
use setup::Setup;
pub use setup::{Identity, list_problem, planned};
pub use statistics::CampaignProgress;
use statistics::{CellProgress, CellStatistics, CountedTrial};
pub use trial::ReplayedImage;
use trial::TrialOutcome;

/// Trials that are sorted by layer together, and count together.
const BLOCK: u64 = 64;
/// `Until` is not asked before as many trials.
const FEWEST: u64 = 100;
/// Shortest time between two states of a cell.
const STATE_EVERY: Duration = Duration::from_millis(250);
/// Times as long as that took, at least: intervals of long cells are resampled from many trials.
const STATE_SHARE: u32 = 20;

/// Runs a campaign; continues from `progress` when it was interrupted.
pub fn run(
    session: &mut Session,
    stage: &Campaign,
    progress: Option<CampaignProgress>,
) -> Result<StageEnd, RunError> {
    refuse_campaign(session)?;
    let (context, data) = (session.context.clone(), session.data());
    let network = session.state().network.clone();
    let checksum = network.checksum();
    let identity = Identity::new(&session.program, session.next);
    let setup = setup::read_listed(session, stage, data.test.len())
        .and_then(|listed| Setup::new(&context, &data, stage, &network, identity, listed));
    let mut setup = setup.map_err(|message| session.stage_error(message))?;
    if let others @ 1.. = session.state().others.len() {
        let note =
            format!("of an ensemble of {} members, faults are injected into member 1 alone", others + 1);
        setup.notes.push(note);
    }
    drop(network);
    let golden = setup.golden_checksums();
    let began = statistics::began(&setup, stage.sentence(), [session.stage(), session.branch()]);
    if progress.is_none() {
        session.save_network(&setup.identity.files())?;
        session.report(statistics::plan(&setup, &began))?;
        session.emit(Event::CampaignBegan(began.clone()))?;
    }
    let progress = progress.unwrap_or_default();
    let (emitted, saved) = (Instant::now(), Instant::now());
    let mut running =
        RunningCampaign { setup: &setup, progress, emitted, cost: Duration::ZERO, saved, logged: 0 };
    for state in running.states() {
        session.emit(Event::CampaignCell(CellState { live: true, ..state }))?;
    }
    for cell in 0..setup.cells.len() {
        if !running.cell(session, cell)? {
            running.emit_cell(session, cell, false)?;
            session.campaign = Some(running.progress);
            return Ok(StageEnd::Interrupted(TrainProgress::default()));
        }
    }
    session.campaign = None;
    let network = session.state().network.clone();
    let checksums = || rayon::join(|| network.checksum(), || setup.golden_checksums());
    let ((after, golden_after), is_reproduced) = rayon::join(checksums, || setup.is_golden_reproduced());
    let unchanged = after == checksum && golden_after == golden;
    let (intact, device) = (unchanged && is_reproduced, &context.spec.device);
    for report in statistics::reports(&began, &running.states(), [unchanged, is_reproduced], &after, device) {
        session.report(report)?;
    }
    session.emit(Event::CampaignEnded(CampaignEnded { intact, checksum: after }))?;
    Ok(StageEnd::Done)
}

struct RunningCampaign<'a> {
    setup: &'a Setup<'a>,
    progress: CampaignProgress,
    emitted: Instant,
    /// Time that the last state of a cell took to compute and emit.
    cost: Duration,
    saved: Instant,
    /// Trials of the present cell when the log last got its state.
    logged: u64,
}

struct TrialResult {
    outcome: TrialOutcome,
    unprotected: Option<TrialOutcome>,
}

impl RunningCampaign<'_> {
    /// Returns the number of the first trial of a cell: the trials of the cells before it.
    fn before(&self, cell: usize) -> u64 {
        self.progress.cells[..cell].iter().map(|counted| counted.result.trials()).sum()
    }

    /// Runs what is left of a cell. Returns false when it was stopped.
    fn cell(&mut self, session: &mut Session, cell: usize) -> Result<bool, RunError> {
        if self.progress.cells.len() <= cell {
            self.progress.cells.push(CellProgress::default());
        }
        self.logged = 0;
        while !self.progress.cells[cell].done {
            let Some(block) = self.block(session, cell)? else { return Ok(false) };
            self.count(session, cell, &block)?;
            drop(block);
            let counted = &mut self.progress.cells[cell];
            counted.done = is_over(self.setup, cell, &counted.result);
            if counted.done {
                self.emit_cell(session, cell, false)?;
                self.emit_points(session, cell)?;
            } else if self.emitted.elapsed() >= STATE_EVERY.max(STATE_SHARE * self.cost) {
                self.emit_cell(session, cell, true)?;
            }
            if self.saved.elapsed() >= CHECKPOINT_EVERY {
                // Cells that are done are in the log. It is not to grow with every minute of a long one.
                let trials = self.progress.cells[cell].result.trials();
                if !self.progress.cells[cell].done && is_news(trials, self.logged) {
                    self.emit_cell(session, cell, false)?;
                    self.logged = trials;
                }
                session.campaign = Some(self.progress.clone());
                session.save_checkpoint(Some(TrainProgress::default()))?;
                self.saved = Instant::now();
            }
        }
        Ok(true)
    }

    /// Runs the next trials of a cell and returns them in the order drawn; none when the run is to stop now.
    fn block(&self, session: &mut Session, cell: usize) -> Result<Option<Vec<TrialResult>>, RunError> {
        let setup = self.setup;
        let first = self.progress.cells[cell].result.trials();
        let count = (setup.cells[cell].plan.trials - first).min(BLOCK) as usize;
        let begins = thread_map(count, |number| setup.first(cell, first + number as u64));
        let begins: Result<Vec<_>, String> = begins.into_iter().collect();
        let begins = begins.map_err(|message| session.stage_error(message))?;
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by_key(|&number| begins[number]);
        let before = self.before(cell) + first;
        let mut done: Vec<Option<TrialResult>> = (0..count).map(|_| None).collect();
        let (mut finished, mut emitted) = (0, Instant::now());
        let (mut rest, mut together) = (order.as_slice(), 2 * rayon::current_num_threads());
        while !rest.is_empty() {
            if session.stop_requested() == Some(StopKind::Now) {
                return Ok(None);
            }
            let began = Instant::now();
            let chunk;
            (chunk, rest) = rest.split_at(together.min(rest.len()));
            let outcomes = thread_map(chunk.len(), |at| setup.run_trial(cell, first + chunk[at] as u64));
            for (&number, outcome) in chunk.iter().zip(outcomes) {
                done[number] = Some(outcome.map_err(|message| session.stage_error(message))?);
            }
            // Threads wait at the end of a chunk: few of them, and yet a stop waits for none that is long.
            if began.elapsed() < PROGRESS_EVERY {
                together *= 2;
            }
            finished += chunk.len() as u64;
            if emitted.elapsed() >= PROGRESS_EVERY {
                emitted = Instant::now();
                session.emit_progress(before + finished)?;
            }
        }
        session.emit_progress(before + count as u64)?;
        Ok(Some(done.into_iter().flatten().collect()))
    }

    /// Logs the trials of a block and adds them up, in the order drawn.
    fn count(&mut self, session: &mut Session, cell: usize, block: &[TrialResult]) -> Result<(), RunError> {
        let setup = self.setup;
        let before = self.before(cell);
        let layer = |number| setup.layer_of(number);
        let name = |number| setup.name_of(number);
        let is_single = setup.is_single(cell);
        let mut lines = statistics::Lines::new();
        let counted = &mut self.progress.cells[cell];
        for result in block {
            let within = counted.result.trials();
            let trial = before + within;
            statistics::add_lines(&mut lines, setup, cell, [trial, within], result);
            let trial = |outcome| CountedTrial { trial, outcome, is_single, layer: &layer, name: &name };
            counted.result.add(&trial(&result.outcome));
            if let Some(outcome) = &result.unprotected {
                counted.unprotected.get_or_insert_default().add(&trial(outcome));
            }
        }
        lines.iter().try_for_each(|(table, lines)| session.listener.lines(*table, lines))
    }

    /// Returns the states of the cells so far, results first.
    fn states(&self) -> Vec<CellState> {
        let cells = 0..self.setup.cells.len();
        let kinds = self.kinds().iter();
        kinds.flat_map(|(bare, _)| cells.clone().map(|cell| self.state(cell, *bare))).collect()
    }

    /// Returns what each cell yields: its result and, where something protects, that without protection.
    fn kinds(&self) -> &'static [(bool, &'static str)] {
        let kinds = &[(false, ""), (true, "_unprotected")];
        &kinds[..=usize::from(self.setup.bare.is_some())]
    }

    fn state(&self, cell: usize, unprotected: bool) -> CellState {
        let counted = self.progress.cells.get(cell).cloned().unwrap_or_default();
        let statistics = if unprotected { counted.unprotected.unwrap_or_default() } else { counted.result };
        let identity = &self.setup.identity;
        let counters = [identity.step, cell as u64, u64::from(unprotected)];
        let mut stream = stream(self.setup.seed, Purpose::Bootstrap, &counters);
        let state = statistics.state(cell, setup::confidence(self.setup.stage), &mut stream);
        CellState { unprotected, done: counted.done, ..state }
    }

    fn emit_cell(&mut self, session: &mut Session, cell: usize, live: bool) -> Result<(), RunError> {
        let began = Instant::now();
        for (unprotected, _) in self.kinds() {
            session.emit(Event::CampaignCell(CellState { live, ..self.state(cell, *unprotected) }))?;
        }
        self.cost = began.elapsed();
        self.emitted = Instant::now();
        Ok(())
    }

    /// Emits the series of a cell, with its place in what is varied.
    fn emit_points(&self, session: &mut Session, cell: usize) -> Result<(), RunError> {
        let plan = &self.setup.cells[cell].plan;
        for (unprotected, suffix) in self.kinds() {
            let state = self.state(cell, *unprotected);
            if state.trials == 0 {
                continue; // shares of nothing
            }
            let values = [
                ("accuracy", state.accuracy.value),
                ("sdc1", state.sdc1.value),
                ("due", state.due.value),
                ("masked", state.masked.value),
            ];
            for (what, value) in values {
                let point = session.new_point(&format!("campaign_{what}{suffix}"), value);
                let (rate, bit, layer) = (plan.rate, plan.bit, plan.layer.clone());
                session.emit(Event::Point(Point { rate, bit, layer, ..point }))?;
            }
        }
        Ok(())
    }
}

/// Returns true if the log gets the state of a cell under way: after twice as many trials as it knows of.
const fn is_news(trials: u64, logged: u64) -> bool {
    trials >= 2 * logged
}

fn is_over(setup: &Setup, cell: usize, statistics: &CellStatistics) -> bool {
    let trials = statistics.trials();
    if trials >= setup.cells[cell].plan.trials {
        return true;
    }
    match &setup.stage.trials {
        Trials::Until(until) if setup.is_drawn() && trials >= FEWEST => {
            statistics.sdc1(until.confidence).half_width() <= until.margin
        }
        Trials::Fixed(_) | Trials::Exhaustive | Trials::Until(_) => false,
    }
}

/// Calls `work` for every number below `count`, on all threads, and returns what it yields in order.
///
/// Threads take numbers one by one and not as tasks of the pool: a thread that waits for a matrix product then helps with
/// products, and never begins a second trial, which would need memory for both at once.
fn thread_map<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(count));
    rayon::broadcast(|_| {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return;
            }
            let yielded = work(number);
            done.lock().unwrap_or_else(PoisonError::into_inner).push((number, yielded));
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, yielded)| yielded).collect()
}

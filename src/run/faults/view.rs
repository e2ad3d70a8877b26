//! What computes while faults are in place.

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

use super::Faults;
use super::flows::Flows;
use super::memory::Memory;
use super::strikes::{Hit, Undo, lines, strike_parameters, take_back};
use crate::doc::fault::Draw;
use crate::intervene::fault::TooManyFaults;
use crate::net::{Activations, Compute, DropoutStream, Network, Tap, TrainPass};
use crate::run::session::RunContext;

/// Computes with what faults make of a network.
///
/// In one view, images and batches count on from 0; a session makes a view for every evaluation of a part of the data and
/// for every training mini-batch.
pub struct View {
    context: Arc<RunContext>,
    branch: String,
    work: Mutex<Work>,
}

struct Work {
    faults: Faults,
    /// Images that were evaluated so far.
    images: u64,
    memory: Option<Arc<Memory>>,
    lines: String,
    struck: u64,
    error: Option<TooManyFaults>,
}

/// What is left of a view that is no longer used.
pub struct Seen {
    /// The faults with their counters.
    pub faults: Faults,
    /// Lines of `faults.csv`.
    pub lines: String,
    /// Values that read as something else than what is stored.
    pub struck: u64,
    /// Why nothing was struck.
    pub error: Option<TooManyFaults>,
}

impl View {
    /// A view through these faults, used in a branch of the plan.
    pub fn new(context: Arc<RunContext>, faults: Faults, branch: String) -> Self {
        let work = Work { faults, images: 0, memory: None, lines: String::new(), struck: 0, error: None };
        Self { context, branch, work: Mutex::new(work) }
    }

    /// Ends the pass.
    pub fn close(self) -> Seen {
        let Work { mut faults, images, lines, struck, error, .. } =
            self.work.into_inner().unwrap_or_else(PoisonError::into_inner);
        for fault in &mut faults.active {
            fault.passes += u64::from(images > 0 && fault.settings.draw != Draw::EveryForward);
        }
        Seen { faults, lines, struck, error }
    }

    fn work(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn shot<'a>(&'a self, work: &'a Work, memory: &'a Memory) -> Shot<'a> {
        let seed = self.context.spec.seed;
        Shot {
            compute: self.context.compute.as_ref(),
            seed,
            faults: &work.faults,
            memory,
            first: work.images,
        }
    }
}

impl Work {
    fn memory(&mut self, network: &Network) -> Arc<Memory> {
        match &self.memory {
            Some(memory) if memory.is_of(network) => memory.clone(),
            _ => self.memory.insert(Arc::new(Memory::of(&self.faults, network))).clone(),
        }
    }

    /// Takes in what a forward pass struck.
    fn take_in(&mut self, memory: &Memory, branch: &str, hits: Vec<Hit>) {
        let strikes = hits.iter().flat_map(|hit| &hit.strikes);
        self.struck += strikes.filter(|strike| strike.is_fault()).count() as u64;
        let hits = hits
            .into_iter()
            .filter(|hit| hit.image.is_some() || self.faults.active[hit.fault].drawn.is_none());
        self.lines += &lines(&self.faults, &memory.grounds, branch, hits.collect());
    }
}

impl Compute for View {
    fn logits(&self, network: &Network, inputs: &[f32], count: usize) -> Vec<f32> {
        if self.work().faults.is_empty() {
            return self.context.compute.logits(network, inputs, count);
        }
        let input = Activations::of_samples(network.structure().input, inputs.to_vec());
        self.forward(network, 0..network.structure().ops.len(), &input).values
    }

    fn forward(&self, network: &Network, ops: Range<usize>, input: &Activations) -> Activations {
        let mut work = self.work();
        if work.faults.is_empty() {
            return self.context.compute.forward(network, ops, input);
        }
        let memory = work.memory(network);
        let result = self.shot(&work, &memory).forward(ops.clone(), input);
        match result {
            Ok((activations, hits)) => {
                work.take_in(&memory, &self.branch, hits);
                for fault in &mut work.faults.active {
                    fault.passes += u64::from(fault.settings.draw == Draw::EveryForward);
                }
                work.images += input.count as u64;
                activations
            }
            Err(error) => {
                work.error = Some(error);
                self.context.compute.forward(&memory.golden, ops, input)
            }
        }
    }

    fn train_tapped(
        &self,
        network: &Network,
        inputs: &[f32],
        count: usize,
        dropout: DropoutStream,
        tap: &mut dyn Tap,
        gradient: &mut dyn FnMut(&[f32]) -> Vec<f32>,
    ) -> TrainPass {
        let compute = self.context.compute.as_ref();
        let mut work = self.work();
        if work.faults.is_empty() {
            return compute.train_tapped(network, inputs, count, dropout, tap, gradient);
        }
        let memory = work.memory(network);
        let shot = self.shot(&work, &memory);
        let drawn = shot.parameters(0, None).and_then(|(view, hits)| Ok((view, hits, shot.flows(0, count)?)));
        let (view, mut hits, flows) = match drawn {
            Ok(drawn) => drawn,
            Err(error) => {
                work.error = Some(error);
                return compute.train_tapped(&memory.golden, inputs, count, dropout, tap, gradient);
            }
        };
        let mut both = Both { first: flows, then: tap };
        let pass = compute.train_tapped(&view, inputs, count, dropout, &mut both, gradient);
        hits.extend(both.first.into_hits());
        work.take_in(&memory, &self.branch, hits);
        for fault in &mut work.faults.active {
            fault.passes += 1;
        }
        pass
    }
}

/// One tap behind the other.
struct Both<'a> {
    first: Flows<'a>,
    then: &'a mut dyn Tap,
}

impl Tap for Both<'_> {
    fn wants(&self, op: usize) -> bool {
        self.first.wants(op) || self.then.wants(op)
    }

    fn write(&mut self, op: usize, activations: &mut Activations) {
        if self.first.wants(op) {
            self.first.write(op, activations);
        }
        if self.then.wants(op) {
            self.then.write(op, activations);
        }
    }
}

/// One forward pass through faults.
struct Shot<'a> {
    compute: &'a dyn Compute,
    seed: u64,
    faults: &'a Faults,
    memory: &'a Memory,
    /// Number of the first image in its part of the data.
    first: u64,
}

impl Shot<'_> {
    fn forward(
        &self,
        ops: Range<usize>,
        input: &Activations,
    ) -> Result<(Activations, Vec<Hit>), TooManyFaults> {
        let is_own = |fault: &super::Active| fault.strikes_each_image();
        let Some(from) = self.faults.active.iter().position(is_own) else {
            let (view, mut hits) = self.parameters(0, None)?;
            let activations = self.through(&view, ops, input, self.first, &mut hits)?;
            return Ok((activations, hits));
        };
        let (shared, mut hits) = self.parameters(0, Some(from))?;
        let part = input.count.div_ceil(rayon::current_num_threads()).max(1);
        let starts: Vec<usize> = (0..input.count).step_by(part).collect();
        let parts: Result<Vec<_>, _> = starts
            .into_par_iter()
            .map(|start| {
                let images = start..(start + part).min(input.count);
                self.image_by_image(shared.clone(), from, ops.clone(), input, images)
            })
            .collect();
        let mut whole: Option<Activations> = None;
        for (activations, new) in parts?.into_iter().flatten() {
            hits.extend(new);
            match &mut whole {
                None => whole = Some(activations),
                Some(whole) => {
                    whole.count += activations.count;
                    whole.values.extend(activations.values);
                }
            }
        }
        Ok((whole.unwrap_or_else(|| self.compute.forward(&shared, ops, input)), hits))
    }

    /// Each of some images with a network of its own: struck, read, and taken back.
    fn image_by_image(
        &self,
        mut view: Network,
        from: usize,
        ops: Range<usize>,
        input: &Activations,
        images: Range<usize>,
    ) -> Result<Vec<(Activations, Vec<Hit>)>, TooManyFaults> {
        let mut undo = Undo::new();
        let mut done = Vec::new();
        for at in images {
            let image = self.first + at as u64;
            let mut hits = self.strike(&mut view, from..self.faults.active.len(), Some(image), &mut undo)?;
            let one = Activations { values: input.sample(at).to_vec(), count: 1, ..*input };
            hits.retain(|hit| at == 0 || hit.image.is_some()); // a draw that all images share is struck once
            let activations = self.through(&view, ops.clone(), &one, image, &mut hits)?;
            take_back(&mut view, &mut undo);
            done.push((activations, hits));
        }
        Ok(done)
    }

    /// The network with its parameters struck by the faults from `from` up to `to`, the same for all images.
    fn parameters(&self, from: usize, to: Option<usize>) -> Result<(Network, Vec<Hit>), TooManyFaults> {
        let mut view = self.memory.golden.clone();
        let to = to.unwrap_or(self.faults.active.len());
        let hits = self.strike(&mut view, from..to, None, &mut Undo::new())?;
        Ok((view, hits))
    }

    fn strike(
        &self,
        view: &mut Network,
        faults: Range<usize>,
        image: Option<u64>,
        undo: &mut Undo,
    ) -> Result<Vec<Hit>, TooManyFaults> {
        let mut hits = Vec::new();
        for number in faults {
            let (fault, ground) = (&self.faults.active[number], &self.memory.grounds[number]);
            if fault.strikes_flows() {
                continue;
            }
            let image = image.filter(|_| fault.strikes_each_image());
            let draw = (self.seed, image.unwrap_or(0));
            let strikes = strike_parameters(fault, ground, self.memory, view, draw, undo)?;
            hits.push(Hit { fault: number, image, strikes });
        }
        Ok(hits)
    }

    fn flows(&self, first: u64, count: usize) -> Result<Flows<'_>, TooManyFaults> {
        Flows::draw(self.faults, self.memory, &self.memory.golden, self.seed, (first, count))
    }

    /// Operations of a network for images from number `first` on, with what flows struck.
    fn through(
        &self,
        network: &Network,
        ops: Range<usize>,
        input: &Activations,
        first: u64,
        hits: &mut Vec<Hit>,
    ) -> Result<Activations, TooManyFaults> {
        let mut flows = self.flows(first, input.count)?;
        let mut at = ops.start;
        let mut activations: Option<Activations> = None;
        for op in flows.ops().into_iter().filter(|op| ops.contains(op)) {
            let mut next = self.compute.forward(network, at..op + 1, activations.as_ref().unwrap_or(input));
            flows.write(op, &mut next);
            (at, activations) = (op + 1, Some(next));
        }
        hits.extend(flows.into_hits());
        Ok(self.compute.forward(network, at..ops.end, activations.as_ref().unwrap_or(input)))
    }
}

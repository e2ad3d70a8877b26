//! What computes while faults are in place.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

use super::parameters::restore;
use super::stored::StoredNetwork;
use super::tap::ActivationFaults;
use super::{Active, Faults, InjectedDraw};
use crate::context::RunContext;
use doc::fault::Draw;
use intervene::fault::TooManyFaults;
use net::{Activations, Compute, DropoutStream, Network, Tap, TrainPass};

/// Computes with what faults make of a network.
///
/// In one view, images and batches count on from 0; a session makes a view for every evaluation of a part of the data and
/// for every training mini-batch.
pub struct View {
    context: Arc<RunContext>,
    branch: String,
    reading: Mutex<Reading>,
}

struct Reading {
    faults: Faults,
    /// Images that were evaluated so far.
    images: u64,
    stored: Option<Arc<StoredNetwork>>,
    lines: String,
    error: Option<TooManyFaults>,
}

impl View {
    /// A view through these faults, used in a branch of the plan.
    pub fn new(context: Arc<RunContext>, faults: Faults, branch: String) -> Self {
        let reading = Reading { faults, images: 0, stored: None, lines: String::new(), error: None };
        Self { context, branch, reading: Mutex::new(reading) }
    }

    /// Ends the pass: the faults with their counters, and lines of `faults.csv`.
    ///
    /// # Errors
    /// Why nothing was injected.
    pub fn close(self) -> Result<(Faults, String), TooManyFaults> {
        let Reading { mut faults, images, lines, error, .. } =
            self.reading.into_inner().unwrap_or_else(PoisonError::into_inner);
        for fault in &mut faults.active {
            fault.passes += u64::from(images > 0 && fault.settings.draw != Draw::EveryForward);
        }
        error.map_or(Ok((faults, lines)), Err)
    }

    fn reading(&self) -> MutexGuard<'_, Reading> {
        self.reading.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn pass<'a>(&'a self, reading: &'a Reading, stored: &'a StoredNetwork) -> Pass<'a> {
        let seed = self.context.spec.seed;
        let compute = self.context.compute.as_ref();
        Pass { compute, seed, faults: &reading.faults, stored, first: reading.images }
    }
}

impl Reading {
    fn stored(&mut self, network: &Network) -> Arc<StoredNetwork> {
        match &self.stored {
            Some(stored) if stored.is_of(network) => stored.clone(),
            _ => self.stored.insert(Arc::new(StoredNetwork::of(&self.faults, network))).clone(),
        }
    }

    /// Counts and logs what a forward pass injected.
    fn take_in(&mut self, stored: &StoredNetwork, branch: &str, draws: Vec<InjectedDraw>) {
        let injected = draws.iter().flat_map(|draw| &draw.injected);
        self.faults.changed += injected.filter(|fault| fault.is_fault()).count() as u64;
        let is_new =
            |draw: &InjectedDraw| draw.image.is_some() || self.faults.active[draw.fault].drawn.is_none();
        let draws = draws.into_iter().filter(is_new).collect();
        self.lines += &self.faults.lines(stored, branch, draws);
    }
}

impl Compute for View {
    fn logits(&self, network: &Network, inputs: &[f32], count: usize) -> Vec<f32> {
        if self.reading().faults.is_empty() {
            return self.context.compute.logits(network, inputs, count);
        }
        let input = Activations::of_samples(network.structure().input, inputs.to_vec());
        self.forward(network, 0..network.structure().ops.len(), &input).values
    }

    fn forward(&self, network: &Network, ops: Range<usize>, input: &Activations) -> Activations {
        let mut reading = self.reading();
        if reading.faults.is_empty() {
            return self.context.compute.forward(network, ops, input);
        }
        let stored = reading.stored(network);
        let result = self.pass(&reading, &stored).forward(ops.clone(), input);
        match result {
            Ok((activations, draws)) => {
                reading.take_in(&stored, &self.branch, draws);
                for fault in &mut reading.faults.active {
                    fault.passes += u64::from(fault.settings.draw == Draw::EveryForward);
                }
                reading.images += input.count as u64;
                activations
            }
            Err(error) => {
                reading.error = Some(error);
                self.context.compute.forward(&stored.golden, ops, input)
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
        let mut reading = self.reading();
        if reading.faults.is_empty() {
            return compute.train_tapped(network, inputs, count, dropout, tap, gradient);
        }
        let stored = reading.stored(network);
        let pass = self.pass(&reading, &stored);
        let drawn = pass
            .parameters(0..reading.faults.active.len())
            .and_then(|(view, draws)| Ok((view, draws, pass.in_activations(0, count)?)));
        let (view, mut draws, in_activations) = match drawn {
            Ok(drawn) => drawn,
            Err(error) => {
                reading.error = Some(error);
                return compute.train_tapped(&stored.golden, inputs, count, dropout, tap, gradient);
            }
        };
        let mut both = Both { first: in_activations, then: tap };
        let pass = compute.train_tapped(&view, inputs, count, dropout, &mut both, gradient);
        draws.extend(both.first.into_draws());
        reading.take_in(&stored, &self.branch, draws);
        for fault in &mut reading.faults.active {
            fault.passes += 1;
        }
        pass
    }
}

/// One tap after the other.
struct Both<'a> {
    first: ActivationFaults<'a>,
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

/// One forward pass through faults in place.
struct Pass<'a> {
    compute: &'a dyn Compute,
    seed: u64,
    faults: &'a Faults,
    stored: &'a StoredNetwork,
    /// Number of the first image in its part of the data.
    first: u64,
}

impl Pass<'_> {
    fn forward(
        &self,
        ops: Range<usize>,
        input: &Activations,
    ) -> Result<(Activations, Vec<InjectedDraw>), TooManyFaults> {
        let all = self.faults.active.len();
        let from = self.faults.active.iter().position(Active::is_for_each_image).unwrap_or(all);
        let (shared, mut draws) = self.parameters(0..from)?;
        if from == all || input.count == 0 {
            let (activations, new) = self.through(&shared, ops, input, self.first)?;
            draws.extend(new);
            return Ok((activations, draws));
        }
        let part = input.count.div_ceil(rayon::current_num_threads());
        let starts: Vec<usize> = (0..input.count).step_by(part).collect();
        let parts: Result<Vec<_>, _> = starts
            .into_par_iter()
            .map(|start| {
                let images = start..(start + part).min(input.count);
                self.image_by_image(&shared, from, &ops, input, images)
            })
            .collect();
        let mut images = parts?.into_iter().flatten();
        let (mut whole, new) = images.next().expect("there is an image");
        draws.extend(new);
        for (activations, new) in images {
            whole.append(activations);
            draws.extend(new);
        }
        Ok((whole, draws))
    }

    /// Each of some images with its own network: faults are injected, the network is read, and it is restored.
    fn image_by_image(
        &self,
        shared: &Network,
        from: usize,
        ops: &Range<usize>,
        input: &Activations,
        images: Range<usize>,
    ) -> Result<Vec<(Activations, Vec<InjectedDraw>)>, TooManyFaults> {
        let mut view = shared.clone();
        let mut done = Vec::new();
        for at in images {
            let image = self.first + at as u64;
            let mut draws = self.inject(&mut view, from..self.faults.active.len(), Some(image))?;
            let one = input.gathered(&[at]);
            let (activations, new) = self.through(&view, ops.clone(), &one, image)?;
            for draw in &draws {
                restore(&mut view, &draw.injected, shared);
            }
            draws.retain(|draw| at == 0 || draw.image.is_some()); // a draw that all images share is logged once
            draws.extend(new);
            done.push((activations, draws));
        }
        Ok(done)
    }

    /// The network with some of the faults in its parameters, the same for all images.
    fn parameters(&self, faults: Range<usize>) -> Result<(Network, Vec<InjectedDraw>), TooManyFaults> {
        let mut view = self.stored.golden.clone();
        let draws = self.inject(&mut view, faults, None)?;
        Ok((view, draws))
    }

    /// Injects some of the faults into parameters; those with separate draws for images are drawn for this one.
    fn inject(
        &self,
        view: &mut Network,
        faults: Range<usize>,
        image: Option<u64>,
    ) -> Result<Vec<InjectedDraw>, TooManyFaults> {
        let in_parameters = faults.filter(|number| !self.faults.active[*number].is_in_activations());
        let inject = |number: usize| {
            let image = image.filter(|_| self.faults.active[number].is_for_each_image());
            self.faults.inject(number, self.stored, view, (self.seed, image))
        };
        in_parameters.map(inject).collect()
    }

    fn in_activations(&self, first: u64, count: usize) -> Result<ActivationFaults<'_>, TooManyFaults> {
        ActivationFaults::draw(self.faults, self.stored, self.seed, (first, count))
    }

    /// Operations of a network for images from number `first` on, with faults in activations.
    fn through(
        &self,
        network: &Network,
        ops: Range<usize>,
        input: &Activations,
        first: u64,
    ) -> Result<(Activations, Vec<InjectedDraw>), TooManyFaults> {
        let mut faults = self.in_activations(first, input.count)?;
        let mut at = ops.start;
        let mut activations = Cow::Borrowed(input);
        for op in faults.ops().into_iter().filter(|op| ops.contains(op)) {
            let mut next = self.compute.forward(network, at..op + 1, &activations);
            faults.write(op, &mut next);
            (at, activations) = (op + 1, Cow::Owned(next));
        }
        Ok((self.compute.forward(network, at..ops.end, &activations), faults.into_draws()))
    }
}

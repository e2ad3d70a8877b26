//! Computes while faults are in place.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

use super::{Active, FaultSites, Faults, InjectedDraw, StoredNetwork, inject_activations, round};
use crate::context::RunContext;
use doc::fault::{Draw, Format};
use intervene::fault::{Injection, Site, Storage, TooManyFaults};
use net::{Activations, Compute, DropoutStream, Network, Tap, TrainPass};

/// Computes with a network through its faults.
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
    images: u64,
    stored: Option<Arc<StoredNetwork>>,
    lines: String,
    error: Option<TooManyFaults>,
}

impl View {
    pub fn new(context: Arc<RunContext>, faults: Faults, branch: String) -> Self {
        let reading = Reading { faults, images: 0, stored: None, lines: String::new(), error: None };
        Self { context, branch, reading: Mutex::new(reading) }
    }

    /// Ends the pass, and returns the faults with their counters, and lines of `faults.csv`.
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
            _ => self.stored.insert(Arc::new(StoredNetwork::new(&self.faults, network))).clone(),
        }
    }

    /// Counts and logs what a forward pass injected.
    fn record(&mut self, stored: &StoredNetwork, branch: &str, draws: Vec<InjectedDraw>) {
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
        let input = Activations::from_samples(network.structure().input, inputs.to_vec());
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
                reading.record(&stored, &self.branch, draws);
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
            .and_then(|(view, draws)| Ok((view, draws, pass.draw_activations(0, count)?)));
        let (view, mut draws, mut faults) = match drawn {
            Ok(drawn) => drawn,
            Err(error) => {
                reading.error = Some(error);
                return compute.train_tapped(&stored.golden, inputs, count, dropout, tap, gradient);
            }
        };
        faults.then = Some(tap);
        let pass = compute.train_tapped(&view, inputs, count, dropout, &mut faults, gradient);
        draws.extend(faults.into_draws());
        reading.record(&stored, &self.branch, draws);
        for fault in &mut reading.faults.active {
            fault.passes += 1;
        }
        pass
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
        let parts = starts.into_par_iter().map(|start| {
            let images = start..(start + part).min(input.count);
            self.image_by_image(&shared, from, &ops, input, images)
        });
        let mut images = parts.collect::<Result<Vec<_>, _>>()?.into_iter().flatten();
        let (mut whole, new) = images.next().expect("there is an image");
        draws.extend(new);
        for (activations, new) in images {
            whole.append(activations);
            draws.extend(new);
        }
        Ok((whole, draws))
    }

    /// Reads some images, each through its own network: faults are injected, the network is read, and it is restored.
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
            for Site { parameter, index, .. } in
                draws.iter().flat_map(|draw| &draw.injected).map(|fault| fault.site)
            {
                view.overlay(parameter, index, shared.values(parameter)[index]);
            }
            draws.retain(|draw| at == 0 || draw.image.is_some()); // a draw that all images share is logged once
            draws.extend(new);
            done.push((activations, draws));
        }
        Ok(done)
    }

    /// Returns the network with some of the faults in its parameters, the same for all images.
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
            self.faults.inject(number, self.stored, view, self.seed, image)
        };
        in_parameters.map(inject).collect()
    }

    /// Draws faults in activations for `count` images, the first of which has number `first` in its part of the data.
    fn draw_activations(&self, first: u64, count: usize) -> Result<ActivationFaults<'_>, TooManyFaults> {
        let Self { faults, stored: network, seed, .. } = *self;
        let mut images = Vec::new();
        let in_activations = faults.active.iter().enumerate().filter(|(_, fault)| fault.is_in_activations());
        for (number, fault) in in_activations {
            for sample in 0..count {
                let image = first + sample as u64;
                let injection = fault.injection(&network.sites[number].space, seed, image)?;
                let draw = InjectedDraw { fault: number, image: Some(image), injected: Vec::new() };
                images.push(ImageFaults { sample, injection, draw });
            }
        }
        Ok(ActivationFaults { faults, network, images, then: None })
    }

    /// Computes the operations of a network for images from number `first` on, with faults in activations.
    fn through(
        &self,
        network: &Network,
        ops: Range<usize>,
        input: &Activations,
        first: u64,
    ) -> Result<(Activations, Vec<InjectedDraw>), TooManyFaults> {
        let mut faults = self.draw_activations(first, input.count)?;
        let mut at = ops.start;
        let mut activations = Cow::Borrowed(input);
        for op in faults.ops().into_iter().filter(|op| ops.contains(op)) {
            let mut next = self.compute.forward(network, at..op + 1, &activations);
            faults.inject(op, &mut next);
            (at, activations) = (op + 1, Cow::Owned(next));
        }
        Ok((self.compute.forward(network, at..ops.end, &activations), faults.into_draws()))
    }
}

/// Injects into the activations of some images, in one pass.
struct ActivationFaults<'a> {
    faults: &'a Faults,
    network: &'a StoredNetwork,
    images: Vec<ImageFaults>,
    /// Another tap, after the faults.
    then: Option<&'a mut dyn Tap>,
}

/// The faults of one draw in one image.
struct ImageFaults {
    sample: usize,
    injection: Injection,
    draw: InjectedDraw,
}

impl<'a> ActivationFaults<'a> {
    /// Returns the operations after which something is rounded or injected.
    fn ops(&self) -> BTreeSet<usize> {
        self.in_activations().flat_map(|(_, sites)| sites.places.keys().copied()).collect()
    }

    fn into_draws(self) -> Vec<InjectedDraw> {
        let draws = self.images.into_iter().map(|image| image.draw);
        draws.filter(|draw| !draw.injected.is_empty()).collect()
    }

    fn in_activations(&self) -> impl Iterator<Item = (&'a Active, &'a FaultSites)> {
        let faults = self.faults.active.iter().zip(&self.network.sites);
        faults.filter(|(fault, _)| fault.is_in_activations())
    }

    /// Returns the format in which the activations after an operation are stored.
    fn format(&self, op: usize) -> Format {
        let here = self.in_activations().filter(|(_, sites)| sites.places.contains_key(&op));
        let mut formats = here.map(|(fault, _)| fault.settings.format);
        formats.find(|format| *format != Format::Float32).unwrap_or(Format::Float32)
    }
}

impl Tap for ActivationFaults<'_> {
    fn wants(&self, op: usize) -> bool {
        self.ops().contains(&op) || self.then.as_ref().is_some_and(|tap| tap.wants(op))
    }

    fn write(&mut self, op: usize, activations: &mut Activations) {
        if self.ops().contains(&op) {
            self.inject(op, activations);
        }
        if let Some(tap) = &mut self.then
            && tap.wants(op)
        {
            tap.write(op, activations);
        }
    }
}

impl ActivationFaults<'_> {
    fn inject(&mut self, op: usize, activations: &mut Activations) {
        round(self.format(op), &mut activations.values);
        for ImageFaults { sample, injection, draw } in &mut self.images {
            let (fault, sites) = (&self.faults.active[draw.fault], &self.network.sites[draw.fault]);
            let storage = |values: &[f32]| Storage::new(sites.places[&op].format, values, 1);
            let keep = |injected: &_| !fault.is_released(self.network.golden.structure(), sites, injected);
            let injected = inject_activations(activations, [*sample, op], injection, storage, keep);
            let mut injected = injected.expect("faults that were drawn fit any value");
            draw.injected.append(&mut injected);
        }
    }
}

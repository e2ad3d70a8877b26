//! Faults in place in the activations of a pass: every image has a separate draw.

use std::collections::BTreeSet;

use super::sites::FaultSites;
use super::stored::{StoredNetwork, round};
use super::{Active, Faults, InjectedDraw, activations};
use intervene::fault::{Format, Injection, Storage, TooManyFaults};
use net::{Activations, Tap};

/// Injects into the activations of some images, in one pass.
pub struct ActivationFaults<'a> {
    faults: &'a Faults,
    network: &'a StoredNetwork,
    images: Vec<ImageFaults>,
}

/// What one fault injects for one image.
struct ImageFaults {
    /// Which image of the batch.
    sample: usize,
    injection: Injection,
    draw: InjectedDraw,
}

impl<'a> ActivationFaults<'a> {
    /// Draws for `count` images, the first of which has number `first` in its part of the data.
    pub fn draw(
        faults: &'a Faults,
        network: &'a StoredNetwork,
        seed: u64,
        (first, count): (u64, usize),
    ) -> Result<Self, TooManyFaults> {
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
        Ok(Self { faults, network, images })
    }

    /// Operations after which something is rounded or injected.
    pub fn ops(&self) -> BTreeSet<usize> {
        self.in_activations().flat_map(|(_, sites)| sites.places.keys().copied()).collect()
    }

    /// What was injected.
    pub fn into_draws(self) -> Vec<InjectedDraw> {
        let draws = self.images.into_iter().map(|image| image.draw);
        draws.filter(|draw| !draw.injected.is_empty()).collect()
    }

    fn in_activations(&self) -> impl Iterator<Item = (&'a Active, &'a FaultSites)> {
        let faults = self.faults.active.iter().zip(&self.network.sites);
        faults.filter(|(fault, _)| fault.is_in_activations())
    }

    /// The format in which the activations after an operation are stored.
    fn format(&self, op: usize) -> Format {
        let mut formats = self
            .in_activations()
            .filter(|(_, sites)| sites.places.contains_key(&op))
            .map(|(fault, _)| fault.settings.format);
        formats.find(|format| *format != Format::Float32).unwrap_or(Format::Float32)
    }
}

impl Tap for ActivationFaults<'_> {
    fn wants(&self, op: usize) -> bool {
        self.ops().contains(&op)
    }

    fn write(&mut self, op: usize, activations: &mut Activations) {
        round(self.format(op), &mut activations.values);
        for ImageFaults { sample, injection, draw } in &mut self.images {
            let (fault, sites) = (&self.faults.active[draw.fault], &self.network.sites[draw.fault]);
            let storage = |values: &[f32]| Storage::of(sites.places[&op].format, values, 1);
            let injected = activations::injected(activations, (*sample, op), injection, storage);
            let mut injected = injected.expect("faults that were drawn fit any value");
            fault.leave_released(self.network.golden.structure(), sites, &mut injected);
            activations::write(activations, *sample, &injected);
            draw.injected.append(&mut injected);
        }
    }
}

//! The faults of one trial, not yet injected.

use crate::doc::fault::Fault;
use crate::intervene::fault::Injection;

/// The faults of one trial; what they find is known when they are injected.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "there is one of them for each trial")]
pub enum TrialFaults {
    /// In parameters, the same for all images.
    Shared(Injection),
    /// In parameters, for each image its own.
    PerImage(Vec<Injection>),
    /// In activations, for each image its own.
    Activations(Vec<Injection>),
}

impl TrialFaults {
    /// Those that `injection` draws or lists: once for all images, or for each of them.
    ///
    /// # Errors
    /// Those of `injection`.
    pub fn of<E>(
        fault: &Fault,
        is_for_each_image: bool,
        images: usize,
        injection: impl Fn(Option<u64>) -> Result<Injection, E>,
    ) -> Result<Self, E> {
        if !fault.is_in_activations() && !is_for_each_image {
            return injection(None).map(Self::Shared);
        }
        let each: Result<Vec<Injection>, E> =
            (0..images as u64).map(|image| injection(Some(image))).collect();
        if fault.is_in_activations() { each.map(Self::Activations) } else { each.map(Self::PerImage) }
    }

    /// The first parameter with a fault, by its number; none where every image has faults of its own, of which one nearly
    /// always begins at the front.
    pub fn first(&self) -> Option<usize> {
        match self {
            Self::Shared(injection) => injection.numbers().min(),
            Self::PerImage(_) | Self::Activations(_) => None,
        }
    }
}

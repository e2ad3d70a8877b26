//! Mini-batches in the order of a run: shuffled in every epoch, augmented, gathered on the host.

use super::state::Position;
use data::{DataError, Samples, augment, shuffled};
use doc::Training;
use intervene::stream::{Purpose, stream};

/// The mini-batch at a position, and the order of the epoch that it belongs to.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// Samples in sequence.
    pub inputs: Vec<f32>,
    /// Their classes.
    pub labels: Vec<u32>,
    order: Vec<u32>,
    /// Epoch and number of the order.
    of: (u64, u64),
}

impl Batch {
    /// Gathers the mini-batch at `position`, augmented; `order` 0 is the seed's own data order.
    ///
    /// # Errors
    /// A picture that cannot be read.
    pub fn load(
        &mut self,
        train: &Samples,
        settings: &Training,
        seed: u64,
        order: u64,
        position: Position,
    ) -> Result<(), DataError> {
        let Position { epoch, sample, .. } = position;
        if self.order.len() != train.len() || self.of != (epoch, order) {
            let mut rng = stream(seed, Purpose::Order, &[order, epoch]);
            self.order = shuffled(train.len(), &mut rng);
            self.of = (epoch, order);
        }
        let end = (sample + settings.batch).min(train.len());
        self.inputs.clear();
        self.labels.clear();
        let indices = &self.order[sample..end];
        train.gather(indices, &mut self.inputs)?;
        self.labels.extend(indices.iter().map(|&index| train.labels[index as usize]));
        if !settings.augment.is_empty() {
            let mut rng = stream(seed, Purpose::Augment, &[order, epoch, sample as u64]);
            for image in self.inputs.chunks_mut(train.shape.len()) {
                augment(image, train.shape, &settings.augment, &mut rng);
            }
        }
        Ok(())
    }

    /// Number of samples.
    pub fn len(&self) -> usize {
        self.labels.len()
    }
}

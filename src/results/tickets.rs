//! The overlap of the masks of an arm's seeds.

use super::statistics::{Spread, level};

/// Overlap of the masks of several runs at one moment, pair by pair.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MaskOverlap {
    /// When: "final", or "round 3".
    pub moment: String,
    /// Share of the weights that remain in the compared parameters, in [0, 1]; mean over pairs.
    pub remaining: f64,
    /// The Jaccard index of each pair, over the parameters that both prune.
    pub indices: Vec<f64>,
    /// The index of random masks that keep as many weights of each parameter; mean over pairs.
    pub chance: f64,
    /// The same of single parameters, in the order of their names.
    pub layers: Vec<LayerOverlap>,
}

/// Overlap of the masks of several runs in one parameter.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LayerOverlap {
    /// Torch's name, such as `fc1.weight`.
    pub parameter: String,
    /// The Jaccard index of each pair in which both prune it.
    pub indices: Vec<f64>,
    /// The index of random masks that keep as many of its weights; mean over pairs.
    pub chance: f64,
}

impl MaskOverlap {
    /// Mean over the pairs.
    pub fn mean(&self) -> f64 {
        level(0.0, &self.indices, Spread::None).mean
    }

    /// Half of the 95 % CI of the mean over pairs (Student's t); none for one pair. Pairs share seeds, so it is only a
    /// guide.
    pub fn half_width(&self) -> Option<f64> {
        let level = level(0.0, &self.indices, Spread::Interval95);
        level.band.map(|band| (band.high - band.low) / 2.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_over_pairs_is_students() {
        let overlap = MaskOverlap { indices: vec![0.25, 0.5, 0.75], ..MaskOverlap::default() };
        assert_eq!(overlap.mean(), 0.5);
        // t(2) = 4.3027, standard error 0.25/√3.
        assert!((overlap.half_width().unwrap() - 4.3027 * 0.25 / 3.0_f64.sqrt()).abs() < 1e-4);
        assert_eq!(MaskOverlap { indices: vec![0.25], ..MaskOverlap::default() }.half_width(), None);
    }
}

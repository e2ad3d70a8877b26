//! Where the values of a parameter lie.

use super::{FROZEN, PRUNED};

/// Number of bins.
pub const BINS: usize = 60;

/// Counts of entries by value, apart for what holds them. Values that are not finite are in no bin.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Histogram {
    /// Ends of the bins, one more than there are bins; equally wide. A bin holds its lower end, the last both.
    pub edges: Vec<f64>,
    /// Trained entries in each bin.
    pub free: Vec<u64>,
    /// Entries held at a value in each bin.
    pub frozen: Vec<u64>,
    /// Entries held at zero in each bin; all are in the bin of 0.
    pub pruned: Vec<u64>,
    /// Entries of the dense network that the run began with, in the same bins.
    pub dense: Vec<u64>,
}

impl Histogram {
    /// The histogram of values with what holds them, and of the `dense` values that the network began with (none: left
    /// out), in [`BINS`] bins from the smallest to the largest, 0 included where an entry is pruned.
    pub fn of(values: &[f32], entries: &[u8], dense: &[f32]) -> Self {
        let [low, high] = range(values, entries, dense);
        let width = (high - low) / BINS as f64;
        let mut edges: Vec<f64> = (0..=BINS).map(|bin| low + bin as f64 * width).collect();
        edges[BINS] = high;
        let bin_of = |value: f32| (((f64::from(value) - low) / width) as usize).min(BINS - 1);
        let none = || vec![0; BINS];
        let mut histogram = Self { edges, free: none(), frozen: none(), pruned: none(), dense: none() };
        for (value, entry) in values.iter().zip(entries).filter(|(value, _)| value.is_finite()) {
            match *entry {
                PRUNED => histogram.pruned[bin_of(*value)] += 1,
                FROZEN => histogram.frozen[bin_of(*value)] += 1,
                _ => histogram.free[bin_of(*value)] += 1,
            }
        }
        for value in dense.iter().filter(|value| value.is_finite()) {
            histogram.dense[bin_of(*value)] += 1;
        }
        histogram
    }
}

/// The ends of all bins: those of the values, or a unit around a single one.
fn range(values: &[f32], entries: &[u8], dense: &[f32]) -> [f64; 2] {
    let [mut low, mut high] = ends(values, entries).map(f64::from);
    if entries.contains(&PRUNED) {
        (low, high) = (low.min(0.0), high.max(0.0));
    }
    for value in dense.iter().filter(|value| value.is_finite()) {
        (low, high) = (low.min(f64::from(*value)), high.max(f64::from(*value)));
    }
    if low < high { [low, high] } else { [low - 0.5, high + 0.5] }
}

/// Smallest and largest finite value of the entries that are not pruned; zeros without any.
pub fn ends(values: &[f32], entries: &[u8]) -> [f32; 2] {
    let survives = |(value, entry): &(&f32, &u8)| value.is_finite() && **entry != PRUNED;
    let mut surviving = values.iter().zip(entries).filter(survives).map(|(value, _)| *value);
    let Some(first) = surviving.next() else { return [0.0; 2] };
    surviving.fold([first; 2], |[low, high], value| [low.min(value), high.max(value)])
}

//! Distribution of the values of a parameter.

use intervene::Entry;

/// Number of bins.
pub const BINS: usize = 60;

/// Counts of entries by value, separate for each state. Values that are not finite are in no bin.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Histogram {
    /// Edges of the bins, equally spaced; one more than there are bins. A bin includes its lower edge, the last both.
    pub edges: Vec<f64>,
    /// Trained entries in each bin.
    pub free: Vec<u64>,
    /// Frozen entries in each bin.
    pub frozen: Vec<u64>,
    /// Pruned entries in each bin; all are in the bin of 0.
    pub pruned: Vec<u64>,
    /// Entries of the dense network that the run started from, in the same bins.
    pub dense: Vec<u64>,
}

impl Histogram {
    /// The histogram of values by the state of their entries, and of the `dense` values that the network started from (may
    /// be empty), in [`BINS`] bins from the smallest to the largest value, 0 included where an entry is pruned. With it, the
    /// smallest and largest finite value of the entries that are not pruned; zeros if there are none.
    pub fn of(values: &[f32], entries: &[Entry], dense: &[f32]) -> (Self, [f32; 2]) {
        let ends = ends(values, entries);
        let [low, high] = range(ends, entries, dense);
        let width = (high - low) / BINS as f64;
        let mut edges: Vec<f64> = (0..=BINS).map(|bin| low + bin as f64 * width).collect();
        edges[BINS] = high;
        let bin_of = |value: f32| (((f64::from(value) - low) / width) as usize).min(BINS - 1);
        let none = || vec![0; BINS];
        let mut histogram = Self { edges, free: none(), frozen: none(), pruned: none(), dense: none() };
        for (value, entry) in values.iter().zip(entries).filter(|(value, _)| value.is_finite()) {
            match *entry {
                Entry::Pruned => histogram.pruned[bin_of(*value)] += 1,
                Entry::Frozen => histogram.frozen[bin_of(*value)] += 1,
                Entry::Free => histogram.free[bin_of(*value)] += 1,
            }
        }
        for value in dense.iter().filter(|value| value.is_finite()) {
            histogram.dense[bin_of(*value)] += 1;
        }
        (histogram, ends)
    }
}

/// Lowest and highest edge: the ends of the values, or half a unit around a single value.
fn range(ends: [f32; 2], entries: &[Entry], dense: &[f32]) -> [f64; 2] {
    let [mut low, mut high] = ends.map(f64::from);
    if entries.contains(&Entry::Pruned) {
        (low, high) = (low.min(0.0), high.max(0.0));
    }
    for value in dense.iter().filter(|value| value.is_finite()) {
        (low, high) = (low.min(f64::from(*value)), high.max(f64::from(*value)));
    }
    if low < high { [low, high] } else { [low - 0.5, high + 0.5] }
}

fn ends(values: &[f32], entries: &[Entry]) -> [f32; 2] {
    let survives = |(value, entry): &(&f32, &Entry)| value.is_finite() && entry.survives();
    let mut surviving = values.iter().zip(entries).filter(survives).map(|(value, _)| *value);
    let Some(first) = surviving.next() else { return [0.0; 2] };
    surviving.fold([first; 2], |[low, high], value| [low.min(value), high.max(value)])
}

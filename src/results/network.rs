//! The network of a run as plain numbers for tables and figures.

use std::collections::BTreeMap;

use crate::campaign::{CampaignChoice, CampaignRecord, Chosen, Tally, with_single_faults};
use crate::{RunRecord, subject_of};
pub use intervene::Entry;
use intervene::fault::statistics::{Interval, wilson};

/// The network at the end of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NetworkSummary {
    /// Its operations, from its input to its logits.
    pub chain: Vec<Link>,
    /// In the order of the network.
    pub layers: Vec<LayerSummary>,
    /// In the order of the network.
    pub parameters: Vec<ParameterSummary>,
}

/// One operation of a forward pass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Link {
    /// Its description: "Conv 3→64, 3×3, ReLU".
    pub what: String,
    /// Shape of its output: "64×32×32".
    pub output: String,
    /// Position of its layer; none for an operation without parameters.
    pub layer: Option<usize>,
    /// The residual block whose sum it is, which faults in the sum have as their layer; empty for other operations.
    pub block: String,
    /// True if it is in the shortcut of a residual block, beside the body that ends before it.
    pub is_shortcut: bool,
    /// The operations before it that it reads, by position: two for an addition.
    pub reads: Vec<usize>,
}

/// A layer at the end of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayerSummary {
    /// Torch's name, such as `fc1`.
    pub name: String,
    /// Its operation, in words.
    pub kind: &'static str,
    /// Shape of its weight: `300×784`.
    pub shape: String,
    /// Entries of its trained parameters.
    pub parameters: u64,
    /// Entries of its weight; 0 for a batch norm, which has none that are pruned by default.
    pub weights: u64,
    /// Entries of its weight that are not pruned.
    pub remaining: u64,
    /// Entries that are held at a value, of all its parameters.
    pub frozen: u64,
    /// Multiply-adds of one sample forward when nothing is pruned.
    pub multiply_adds: u64,
    /// Multiply-adds that its surviving weights take part in.
    pub surviving_multiply_adds: u64,
}

/// A parameter at the end of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterSummary {
    /// Torch's name, such as `fc1.weight`.
    pub name: String,
    /// In PyTorch's layout.
    pub shape: Vec<usize>,
    /// Smallest finite value of an entry that is not pruned; 0 without any.
    pub minimum: f32,
    /// Largest finite value of an entry that is not pruned; 0 without any.
    pub maximum: f32,
    /// Distribution of the values.
    pub histogram: Histogram,
    /// Entries held at zero.
    pub pruned: u64,
    /// Entries held at a value.
    pub frozen: u64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ParameterValues {
    /// In PyTorch's layout.
    pub shape: Vec<usize>,
    /// Row by row.
    pub values: Vec<f32>,
    /// State of each entry.
    pub entries: Vec<Entry>,
}

/// Returns a shape in words: `300×784`.
pub fn shape_text(shape: &[usize]) -> String {
    shape.iter().map(ToString::to_string).collect::<Vec<_>>().join("×")
}

/// Returns the caption of the network at the end of a run.
pub fn at_end(arm: &str, seed: u64) -> String {
    at_moment(arm, seed, "final weights")
}

/// Returns the caption of the network of a run at a moment: "dense, seed 1, round 5, 32.8 % remaining".
pub fn at_moment(arm: &str, seed: u64, moment: &str) -> String {
    format!("{}, {moment}", doc::named(arm, seed))
}

/// Returns the caption of the network before a run.
pub fn as_begun(arm: &str) -> String {
    format!("{arm}, initial weights")
}

/// The confidence of the intervals.
const CONFIDENCE: f64 = 0.95;

/// The vulnerability of a layer to single faults.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vulnerability {
    /// Share of images that got another class (SDC-1), in [0, 1].
    pub share: f64,
    /// Lower end of Wilson's 95 % CI over trials.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// Trials with a single fault in the layer.
    pub trials: u64,
}

/// The vulnerability of the layers to single faults, over the campaigns of one name of some runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Vulnerabilities {
    /// The layers with single faults, and the residual blocks with faults in their sums, by their names.
    pub by_layer: BTreeMap<String, Vulnerability>,
    /// The runs with such a campaign, which are pooled: "a, storage int8, seeds 1, 2, 3", with the campaign where there are
    /// several. Empty without any.
    pub subject: String,
    /// Such campaigns, where there are several.
    pub campaigns: Vec<CampaignChoice>,
}

impl Vulnerabilities {
    /// Returns those of runs of one arm and setting, each with its seed, by the chosen campaign, or the first
    /// one.
    pub fn new<'a>(
        arm: &str,
        runs: impl IntoIterator<Item = (u64, &'a RunRecord)>,
        chosen: Option<&str>,
    ) -> Self {
        let runs: Vec<_> = runs.into_iter().collect();
        let all = || runs.iter().flat_map(|(_, record)| record.campaigns());
        let drawn = Chosen::new(all(), chosen);
        let sums = drawn.sums(|campaign, outcome| campaign.began.layers.get(outcome.layer).cloned());
        let Chosen { campaigns, caption } = drawn;
        let is_drawn =
            |campaign: &CampaignRecord| campaigns.iter().any(|known| std::ptr::eq(*known, campaign));
        let seeds = runs.iter().filter(|(_, record)| record.campaigns().iter().any(is_drawn));
        let subject = subject_of(seeds.map(|(seed, _)| (0, arm, *seed)));
        let subject = if caption.is_empty() { subject } else { format!("{subject}, {caption}") };
        let hit = sums.into_iter().filter(|(_, (_, tally))| tally.images > 0);
        let of_layer = |(name, (trials, tally)): (String, (u64, Tally))| {
            let share = tally.sdc1_share();
            let Interval { low, high } = wilson(share, trials, CONFIDENCE);
            (name, Vulnerability { share, low, high, trials })
        };
        Self {
            by_layer: hit.map(of_layer).collect(),
            subject,
            campaigns: with_single_faults(all().map(|campaign| (arm, campaign))),
        }
    }
}

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
    /// Returns the histogram of values by the state of their entries, and of the `dense` values that the network
    /// started from (may be empty), in [`BINS`] bins from the smallest to the largest value, 0 included where an entry
    /// is pruned. With it, the smallest and largest finite value of the entries that are not pruned; zeros if there are
    /// none.
    pub fn measure(values: &[f32], entries: &[Entry], dense: &[f32]) -> (Self, [f32; 2]) {
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

/// Returns the lowest and the highest edge: the ends of the values, or half a unit around a single value.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::campaign::{CampaignBegan, CellState, Outcomes};
    use crate::event::Event;
    use doc::fault::CellPlan;

    #[test]
    fn trials_of_all_runs_are_added_up_by_layer() {
        let outcome = |layer: usize, bit: u32, sdc1: u64| {
            let tally = Tally { images: 10, masked: 10 - sdc1, sdc1, ..Tally::default() };
            Outcomes { layer, bit: Some(bit), trials: 1, tally }
        };
        let layers = vec!["fc1".to_owned(), "fc2".to_owned(), "fc3".to_owned()];
        let began = CampaignBegan { layers, cells: vec![CellPlan::default()], ..CampaignBegan::default() };
        let outcomes = vec![outcome(0, 30, 8), outcome(0, 2, 0), outcome(1, 30, 1)];
        let state = CellState { trials: 3, outcomes, ..CellState::default() };
        let record = RunRecord::from_events([Event::CampaignBegan(began), Event::CampaignCell(state)]);
        let pooled = Vulnerabilities::new(
            "a, rate 0.1",
            [(1, &record), (2, &record), (3, &RunRecord::default())],
            None,
        );
        assert_eq!(pooled.subject, "a, rate 0.1, seeds 1, 2");
        let found = &pooled.by_layer;
        assert_eq!(found.keys().collect::<Vec<_>>(), ["fc1", "fc2"], "fc3 has no faults");
        let first = found["fc1"];
        assert_eq!((first.share, first.trials), (0.4, 4));
        // Wilson's interval of 0.4 over 4 trials: (p + z²/2n ± z·√(p(1−p)/n + z²/4n²)) / (1 + z²/n).
        assert!((first.low - 0.102_617).abs() < 1e-6 && (first.high - 0.795_361).abs() < 1e-6, "{first:?}");
        assert!(Vulnerabilities::new("a", [(1, &RunRecord::default())], None).by_layer.is_empty());
    }
}

//! Weights over training: statistics and histograms of parameters at each evaluation.

use serde::{Deserialize, Serialize};

use intervene::Entry;

/// Number of bins of a histogram over time.
pub const HISTOGRAM_BINS: usize = 64;

/// The measures of each parameter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Measure {
    Mean,
    /// Standard deviation.
    Deviation,
    /// L2 norm.
    #[default]
    Norm,
    /// Share of entries that are 0.
    Zeros,
    /// L2 norm of the gradient of the last mini-batch.
    GradientNorm,
}

impl Measure {
    /// All of them, in the order of their series.
    pub const ALL: [Self; 5] = [Self::Mean, Self::Deviation, Self::Norm, Self::Zeros, Self::GradientNorm];

    /// Returns the end of the names of its series: `fc1.weight std`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::Deviation => "std",
            Self::Norm => "norm",
            Self::Zeros => "zeros",
            Self::GradientNorm => "gradient norm",
        }
    }

    /// Returns its name in menus and on axes.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Mean => "Mean",
            Self::Deviation => "Standard deviation",
            Self::Norm => "L2 norm",
            Self::Zeros => "Share of zeros",
            Self::GradientNorm => "L2 norm of the gradient",
        }
    }
}

/// The lines of the plot of recorded weights.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct WeightLines {
    /// The vertical axis.
    pub measure: Measure,
    /// One parameter, with a line for each arm; without, all parameters of one arm.
    pub parameter: Option<String>,
}

/// Returns the series of a measure of a parameter.
pub fn series(parameter: &str, measure: Measure) -> String {
    format!("{parameter} {}", measure.name())
}

/// Returns parameter and measure of a series of this module; `None` for others.
pub fn parts(series: &str) -> Option<(&str, Measure)> {
    let (parameter, name) = series.split_once(' ')?;
    let measure = Measure::ALL.into_iter().find(|measure| measure.name() == name)?;
    Some((parameter, measure))
}

/// Statistics of all entries of a parameter, pruned ones included, in float64.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WeightStatistics {
    pub mean: f64,
    /// Standard deviation of the population, around that mean.
    pub deviation: f64,
    /// L2 norm.
    pub norm: f64,
    /// Share of entries that are 0, in [0, 1].
    pub zeros: f64,
}

impl WeightStatistics {
    /// Returns the statistics of these values; NaN, all but the norm, without any.
    pub fn new(values: &[f32]) -> Self {
        let count = values.len() as f64;
        let mean = values.iter().map(|value| f64::from(*value)).sum::<f64>() / count;
        let squares = values.iter().map(|value| (f64::from(*value) - mean).powi(2));
        let zeros = values.iter().filter(|value| **value == 0.0).count();
        Self {
            mean,
            deviation: (squares.sum::<f64>() / count).sqrt(),
            norm: l2_norm(values),
            zeros: zeros as f64 / count,
        }
    }

    /// Returns each value with what it measures.
    pub const fn measured(&self) -> [(Measure, f64); 4] {
        [
            (Measure::Mean, self.mean),
            (Measure::Deviation, self.deviation),
            (Measure::Norm, self.norm),
            (Measure::Zeros, self.zeros),
        ]
    }
}

/// Computes ‖values‖ in float64.
pub fn l2_norm(values: &[f32]) -> f64 {
    values.iter().map(|value| f64::from(*value).powi(2)).sum::<f64>().sqrt()
}

/// The histogram of a parameter at one evaluation: a line of `histograms.jsonl`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WeightHistogram {
    /// Torch's name, such as `fc1.weight`.
    pub parameter: String,
    /// The member of an ensemble, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub member: Option<usize>,
    /// Place of the stage in the plan, such as `2.1`.
    pub stage: String,
    /// The branch; empty for the main branch.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub branch: String,
    /// The round of the innermost repetition, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<u64>,
    /// Position: mini-batches.
    pub iteration: u64,
    /// Epochs trained in all.
    pub trained: f64,
    /// Share of the prunable weights that remain, in [0, 1].
    pub remaining: f64,
    /// Smallest finite value of the entries that are not pruned: the lower edge of the first bin.
    pub low: f32,
    /// Largest finite value of them: the upper edge of the last bin.
    pub high: f32,
    /// Entries that are pruned, which are in no bin.
    #[serde(default)]
    pub pruned: u64,
    /// Entries in each of [`HISTOGRAM_BINS`] bins of equal width. A bin includes its lower edge, the last both. Values that
    /// are not finite are in none.
    pub counts: Vec<u64>,
}

impl WeightHistogram {
    /// Counts these values by the state of their entries; `None` where all are free.
    pub fn new(values: &[f32], entries: Option<&[Entry]>) -> Self {
        let survives = |at: usize| entries.is_none_or(|entries| entries[at].survives());
        let all = values.iter().enumerate();
        let counted =
            || all.clone().filter(|(at, value)| value.is_finite() && survives(*at)).map(|(_, v)| *v);
        let low = counted().reduce(f32::min).unwrap_or_default();
        let high = counted().reduce(f32::max).unwrap_or_default();
        let width = (f64::from(high) - f64::from(low)) / HISTOGRAM_BINS as f64;
        let mut counts = vec![0; HISTOGRAM_BINS];
        for value in counted() {
            // Of equal values, 0/0 is NaN, which is bin 0.
            let bin = ((f64::from(value) - f64::from(low)) / width) as usize;
            counts[bin.min(HISTOGRAM_BINS - 1)] += 1;
        }
        let pruned = (0..values.len()).filter(|at| !survives(*at)).count() as u64;
        Self { low, high, pruned, counts, ..Self::default() }
    }

    /// Returns the edges of its bins, one more than there are bins.
    pub fn edges(&self) -> Vec<f64> {
        let [low, high] = [self.low, self.high].map(f64::from);
        let bins = self.counts.len().max(1);
        (0..=bins).map(|bin| low + (high - low) * bin as f64 / bins as f64).collect()
    }

    /// Returns the histograms of a file; lines that are half-written or from a newer program are skipped.
    pub fn parse(text: &str) -> Vec<Self> {
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    /// Returns its line of the file, with its end.
    pub fn line(&self) -> String {
        serde_json::to_string(self).expect("a histogram is made of plain data") + "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// numpy: `w.mean()`, `w.std()`, `np.linalg.norm(w)`, `(w == 0).mean()`, of float64 values.
    #[test]
    fn statistics_are_those_of_numpy() {
        let found = WeightStatistics::new(&[1.0, -2.0, 0.0, -0.0, 3.5]);
        let wanted = [
            ("mean", 0.5),
            ("std", 1.788_854_381_999_831_7),
            ("norm", 4.153_311_931_459_037),
            ("zeros", 0.4),
        ];
        for ((measure, value), (known, wanted)) in found.measured().into_iter().zip(wanted) {
            let name = measure.name();
            assert!(name == known && (value - wanted).abs() < 1e-15, "{name} {value}");
        }
        let far: Vec<f32> = (0..1000).map(|at| 1e4 + (at % 2) as f32).collect();
        assert_eq!(WeightStatistics::new(&far).deviation, 0.5, "two passes lose no digits");
        assert!(WeightStatistics::new(&[f32::NAN, 1.0]).mean.is_nan());
    }

    #[test]
    fn a_histogram_has_the_surviving_finite_values_between_their_ends() {
        let mut values: Vec<f32> = (0..=64_u8).map(f32::from).collect();
        values.extend([0.0, f32::NAN]);
        let mut entries = vec![Entry::Free; 67];
        entries[65] = Entry::Pruned;
        let found = WeightHistogram::new(&values, Some(&entries));
        assert_eq!((found.low, found.high, found.pruned), (0.0, 64.0, 1));
        assert_eq!((found.counts[0], found.counts[63], found.counts.iter().sum::<u64>()), (1, 2, 65));
        assert_eq!(found.edges()[..2], [0.0, 1.0]);
        let equal = WeightHistogram::new(&[0.25; 3], None);
        assert_eq!((equal.low, equal.high, equal.counts[0]), (0.25, 0.25, 3));
        let text = found.line() + &equal.line() + "{\"parameter\":\"half";
        assert_eq!(WeightHistogram::parse(&text), [found, equal]);
    }

    #[test]
    fn series_are_named_after_parameter_and_measure() {
        let name = series("features.0.weight", Measure::GradientNorm);
        assert_eq!(name, "features.0.weight gradient norm");
        assert_eq!(parts(&name), Some(("features.0.weight", Measure::GradientNorm)));
        assert_eq!((parts("test_accuracy"), parts("a b")), (None, None));
    }
}

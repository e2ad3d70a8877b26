//! The difference of a row of the table to the baseline.

use std::collections::BTreeMap;

use super::settings::NONE;
use crate::number::{fixed, plus_minus};
use crate::paired::{Paired, paired, unpaired};

/// The difference of a group or a run to the baseline, in its last accuracy.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Delta {
    /// There is nothing to compare yet.
    #[default]
    Unknown,
    /// It is the baseline.
    Baseline,
    /// The filter hides what it would be compared with.
    Hidden,
    /// Over the seeds that both have.
    Paired(Paired),
    /// Between means of runs without a common seed.
    Unpaired(Paired),
}

impl Delta {
    /// How much the values of one group are above those of another, each with its seed: over the seeds that both have, else
    /// between the means. Several values of a group with one seed count with their mean.
    pub fn between(first: &[(u64, f64)], second: &[(u64, f64)]) -> Self {
        let means = |values: &[(u64, f64)]| -> Vec<(u64, f64)> {
            let mut of_seed: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
            for (seed, value) in values {
                of_seed.entry(*seed).or_default().push(*value);
            }
            let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len() as f64;
            of_seed.into_iter().map(|(seed, values)| (seed, mean(values))).collect()
        };
        let alone = |values: &[(u64, f64)]| values.iter().map(|(_, value)| *value).collect::<Vec<_>>();
        match paired(&means(first), &means(second)) {
            Some(found) => Self::Paired(found),
            None => unpaired(&alone(first), &alone(second)).map_or(Self::Unknown, Self::Unpaired),
        }
    }

    /// The numbers, where there are some.
    pub const fn difference(&self) -> Option<&Paired> {
        match self {
            Self::Paired(found) | Self::Unpaired(found) => Some(found),
            Self::Unknown | Self::Baseline | Self::Hidden => None,
        }
    }

    /// Whether nothing differs at all.
    pub fn is_identical(&self) -> bool {
        matches!(self, Self::Paired(found) if found.is_identical())
    }

    /// The difference in points, "−0.44"; empty where there is none.
    pub fn points(&self) -> String {
        let Some(found) = self.difference().filter(|_| !self.is_identical()) else { return String::new() };
        let sign = if found.mean > 0.0 { "+" } else { "" };
        format!("{sign}{}", fixed(found.mean * 100.0, 2))
    }

    /// What follows it: "± 0.29", "paired", "identical in all 3 seeds".
    pub fn remark(&self) -> String {
        let half = |found: &Paired| found.half.map(|half| plus_minus(half, &fixed(half * 100.0, 2)));
        match self {
            Self::Unknown => NONE.to_owned(),
            Self::Baseline => "baseline".to_owned(),
            Self::Hidden => "hidden by the filter".to_owned(),
            Self::Paired(found) if found.is_identical() => found.identical(),
            Self::Paired(found) => half(found).unwrap_or_else(|| "paired".to_owned()),
            Self::Unpaired(found) => {
                half(found).map_or_else(|| "unpaired".to_owned(), |half| format!("{half} unpaired"))
            }
        }
    }

    /// Both in one text.
    pub fn text(&self) -> String {
        let (points, remark) = (self.points(), self.remark());
        if points.is_empty() { remark } else { format!("{points} {remark}") }
    }

    /// A sentence about it.
    pub fn help(&self, baseline: &str) -> String {
        match self {
            Self::Unknown => format!("No seed is done here and in {baseline} yet"),
            Self::Baseline => "Differences are to this group".to_owned(),
            Self::Hidden => {
                format!("The filter hides the runs of {baseline} that this would be compared with")
            }
            Self::Paired(found) if found.is_identical() => {
                format!("The last accuracy is that of {baseline}, {}", found.identical())
            }
            Self::Paired(found) => {
                format!("To {baseline}, seed by seed: {}; {}", found.points(), found.verdict())
            }
            Self::Unpaired(found) => {
                format!(
                    "To {baseline}, between means, since no seed is in both: {}; {}",
                    found.points(),
                    found.verdict()
                )
            }
        }
    }
}

//! Statistics of campaigns: sample sizes, intervals, quantiles.

mod bootstrap;
mod normal;
mod order;
mod share;

pub use bootstrap::{RESAMPLES, mean_interval};
pub use normal::normal_quantile;
pub use order::{median, percentile};
pub use share::{planned_trials, two_sided, wilson};

/// A confidence interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

impl Interval {
    /// Half of its width.
    pub fn half_width(self) -> f64 {
        (self.high - self.low) / 2.0
    }
}

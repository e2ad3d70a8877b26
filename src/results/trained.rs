//! The mini-batches that a network was trained with in all.

use super::event::PointRef;
use super::points::Points;

/// Mini-batches that the network of a point was trained with, those before a rewind included.
pub fn iterations_trained(point: &PointRef<'_>, per_epoch: Option<f64>) -> f64 {
    per_epoch.map_or(point.iteration as f64, |per_epoch| (point.trained * per_epoch).round())
}

/// Mini-batches of an epoch. A point's position goes back when a network is rewound; the total amount of training does
/// not, but it is only counted in epochs.
pub fn iterations_per_epoch(points: &Points) -> Option<f64> {
    let last = points.iter().rev().find(|point| point.epoch > 0.0 && point.iteration > 0)?;
    Some(last.iteration as f64 / last.epoch)
}

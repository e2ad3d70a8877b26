//! Maps the values of an axis to positions on the page.

use super::axis::Axis;
use super::scale::Scale;

/// Maps the values of an axis to positions in points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mapping {
    scale: Scale,
    from: [f64; 2],
    to: [f64; 2],
}

impl Mapping {
    /// Maps `range` to `to`, its first end to `to[0]`, unless the axis is reversed.
    pub fn new(axis: &Axis, range: [f64; 2], to: [f64; 2]) -> Self {
        let from = range.map(|end| axis.scale.forward(end).unwrap_or(0.0));
        let to = if axis.reversed { [to[1], to[0]] } else { to };
        Self { scale: axis.scale, from, to }
    }

    /// The position of a value, also outside the range; `None` if the scale cannot show it.
    pub fn place(&self, value: f64) -> Option<f64> {
        let share = (self.scale.forward(value)? - self.from[0]) / (self.from[1] - self.from[0]);
        // Positions far outside would overflow numbers; lines are cut before they get there.
        Some(self.to[0] + share.clamp(-1e6, 1e6) * (self.to[1] - self.to[0]))
    }

    /// Maps places, which are exponents on a logarithmic scale, as a zoomed view has them.
    pub fn of_places(axis: &Axis, from: [f64; 2], to: [f64; 2]) -> Self {
        let to = if axis.reversed { [to[1], to[0]] } else { to };
        Self { scale: axis.scale, from, to }
    }

    /// The value at a position: the inverse of [`Self::place`].
    pub fn value(&self, position: f64) -> f64 {
        let share = (position - self.to[0]) / (self.to[1] - self.to[0]);
        self.scale.inverse(self.from[0] + share * (self.from[1] - self.from[0]))
    }

    /// Both ends in points, in increasing order.
    pub fn ends(&self) -> [f64; 2] {
        [self.to[0].min(self.to[1]), self.to[0].max(self.to[1])]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reversed_axis_starts_with_the_large_values() {
        let axis = Axis { scale: Scale::Log10, reversed: true, ..Axis::default() };
        let mapping = Mapping::new(&axis, [1.0, 100.0], [10.0, 30.0]);
        assert_eq!(mapping.place(100.0), Some(10.0));
        assert_eq!(mapping.place(10.0), Some(20.0));
        assert_eq!(mapping.place(-1.0), None);
        assert!((mapping.ends()[1] - 30.0).abs() < 1e-12);
    }
}

//! The text of an interval around a value.

use super::model::Figure;
use results::number::{Digits, Format, plus_minus};
use results::statistics::Spread;

impl Figure {
    /// "± 0.24" where both sides are equal, also where the end of the axis of shares cuts one of them; otherwise both ends:
    /// "50.00–92.00".
    pub fn interval_text(&self, value: f64, [low, high]: [f64; 2], digits: Digits) -> String {
        let bare = |value| digits.bare(value);
        let (below, above) = (value - low, high - value);
        let is_even = match self.spread {
            Some(Spread::Interval95 | Spread::StandardDeviation | Spread::StandardError) => true,
            // Equal apart from rounding errors of the ends.
            Some(Spread::None) | None => (above - below).abs() <= 1e-9 * above.abs().max(value.abs()),
            Some(Spread::MinMax) => false,
        };
        // Of an interval that is cut at both ends, no side is whole.
        let is_whole = self.y.format != Format::Percent || low > 0.0 || high < 1.0;
        if is_even && is_whole {
            plus_minus(below.max(above), &bare(below.max(above)))
        } else {
            format!("{}–{}", bare(low), bare(high))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Axis;

    #[test]
    fn only_an_interval_with_equal_sides_is_written_as_half_its_width() {
        let text = |spread: Option<Spread>, value: f64, ends: [f64; 2]| {
            let y = Axis::percent("Accuracy");
            let digits = Digits::of([value], y.format);
            Figure { y, spread, ..Figure::default() }.interval_text(value, ends, digits)
        };
        let uneven = [0.5, 0.92];
        assert_eq!(text(Some(Spread::MinMax), 0.7733, uneven), "50.00–92.00");
        assert_eq!(text(None, 0.7733, uneven), "50.00–92.00", "of an unknown kind");
        assert_eq!(text(Some(Spread::MinMax), 0.5, [0.25, 0.75]), "25.00–75.00");
        assert_eq!(text(Some(Spread::StandardDeviation), 0.97, [0.8994, 1.0]), "± 7.06", "cut at 100 %");
        assert_eq!(text(Some(Spread::Interval95), 0.5, [0.0, 1.0]), "0.00–100.00", "cut at both ends");
        assert_eq!(text(None, 0.5, [0.25, 0.75]), "± 25.00");
    }
}

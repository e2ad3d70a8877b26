//! The small print below a figure: its note, and remarks about what its drawing shows or cannot show.

use super::distinct::distinct;
use super::model::{Figure, Line};
use doc::listed;
use results::statistics::Band;

impl Figure {
    /// What the small print says of intervals beside the note: bands of reference lines, and ends that are cut.
    fn remarks_of_intervals(&self, shown: &str, parts: &[&Self]) -> Vec<String> {
        let mut remarks = Vec::new();
        let references = parts.iter().flat_map(|part| &part.reference_lines);
        let names = distinct(references.filter(|line| line.spread.is_some()).map(|line| line.name.as_str()));
        // Beside lines in the window, whiskers show them.
        if let Some(spread) = self.spread.filter(|_| !names.is_empty() && ["bars", "bands"].contains(&shown))
        {
            remarks.push(format!(
                "dashed: the mean of {} with its {} as a band",
                listed(&names),
                spread.label()
            ));
        }
        // A line whose interval is cut may be hidden.
        let reaches = |is_there: fn(&Band) -> bool| {
            parts.iter().flat_map(|part| &part.lines).flat_map(|line| &line.band).any(is_there)
        };
        let is_cut = |end: usize| parts.iter().any(|part| part.cut[end]);
        let cut = [
            (is_cut(0) && reaches(|band| band.low <= 0.0), "0 %"),
            (is_cut(1) && reaches(|band| band.high >= 1.0), "100 %"),
        ];
        let cut: Vec<&str> = cut.into_iter().filter(|(is_cut, _)| *is_cut).map(|(_, end)| end).collect();
        if !cut.is_empty() {
            remarks.push(format!("intervals are cut at {}", listed(&cut)));
        }
        remarks
    }

    /// The small print below the plot: the note, then remarks about values that cannot be drawn. Intervals are drawn as
    /// `shown`, such as "bars"; empty where they are not drawn.
    pub fn remarks(&self, shown: &str) -> Vec<String> {
        let shown = if self.is_of_marks() { "bars" } else { shown };
        let mut remarks = vec![self.note.text(shown)];
        remarks.retain(|note| !note.is_empty());
        let (mut is_interrupted, mut lost) = (false, 0_usize);
        let parts = self.parts();
        if !shown.is_empty() {
            remarks.extend(self.remarks_of_intervals(shown, &parts));
        }
        for [x, y] in parts.iter().flat_map(|part| &part.lines).flat_map(Line::polylines).flatten() {
            if self.x.scale.forward(*x).is_none() {
                lost += 1;
            } else {
                is_interrupted |= self.y.scale.forward(*y).is_none();
            }
        }
        if is_interrupted && !self.parallel.is_empty() {
            remarks.push("a line has a gap where its run has no value".to_owned());
        } else if is_interrupted {
            remarks.push(format!("× interrupted: the value is {}", self.y.scale.refusal()));
        }
        if lost > 0 {
            let noun = if lost == 1 { "point is" } else { "points are" };
            let reason = self.x.scale.refusal();
            remarks.push(format!("{lost} {noun} not shown: the x value is {reason}"));
        }
        let mut cells = parts.iter().filter_map(|part| part.cells.as_ref());
        if let Some(cells) = cells.find(|cells| cells.has_data() && cells.has_holes()) {
            let why = if cells.kinds.is_empty() || !cells.texts.is_empty() {
                "were not measured"
            } else {
                "are not finite"
            };
            remarks.push(format!("empty cells {why}"));
        }
        remarks
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scale::Scale;
    use crate::{Axis, ReferenceLine, style_of};
    use results::statistics::Spread;

    #[test]
    fn what_cannot_be_drawn_is_said() {
        let points = vec![[0.0, 1.0], [1.0, f64::NAN], [f64::NAN, 1.0]];
        let mut figure = Figure { lines: vec![Line::new("a", style_of(0), points)], ..Figure::default() };
        assert_eq!(
            figure.remarks(""),
            ["× interrupted: the value is not finite", "1 point is not shown: the x value is not finite"]
        );
        figure.x.scale = Scale::Log10;
        assert_eq!(
            figure.remarks("")[1],
            "2 points are not shown: the x value is not positive or not finite"
        );
    }

    #[test]
    fn the_small_print_names_the_band_of_a_reference_line_and_intervals_that_are_cut() {
        let mut line = Line::new("ticket", style_of(0), vec![[0.5, 0.97]]);
        line.band = vec![Band { x: 0.5, low: 0.9, high: 1.0 }];
        let dense = ReferenceLine::level("dense", 0.9, None).with_spread(Some([0.89, 0.91]));
        let figure = Figure {
            y: Axis::percent("Accuracy"),
            lines: vec![line],
            reference_lines: vec![dense],
            spread: Some(Spread::Interval95),
            cut: [false, true],
            ..Figure::default()
        };
        let band = "dashed: the mean of dense with its 95 % CI as a band";
        assert_eq!(figure.remarks("bars"), [band, "intervals are cut at 100 %"]);
        assert_eq!(figure.remarks("band of the selected arm"), ["intervals are cut at 100 %"]);
        assert!(figure.remarks("").is_empty());
        let whole = Figure { cut: [false; 2], reference_lines: Vec::new(), ..figure };
        assert!(whole.remarks("bars").is_empty(), "an interval may end at 100 %");
    }
}

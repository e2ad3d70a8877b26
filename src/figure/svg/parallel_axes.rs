//! Parallel coordinates: a line for each run across vertical axes.

use super::pen::{AXIS, Pen, TRACE, line_pen, segments, stroke};
use super::points::pieces;
use super::text::text;
use super::writer::{Writer, hex, path};
use crate::figure::layout::{Layout, TICK};
use crate::figure::model::{Figure, Trace};
use crate::figure::palette::Theme;

/// Width of a run's line in widths of a trace, and its opacity, since many runs overlap.
const RUN: f64 = 1.6;
const OPACITY: f64 = 0.75;

/// Runs in the order of the figure, then the axes over them, then labels on patches of background.
pub fn draw(out: &mut Writer, figure: &Figure, layout: &Layout<'_>, theme: Theme) {
    for line in &figure.lines {
        let pen = line_pen(line, layout.font, theme);
        let pen = Pen { width: RUN * TRACE * layout.font, opacity: OPACITY, ..pen };
        for trace in &line.traces {
            let places = places(trace, layout);
            let lines = pieces(&places).filter(|piece| piece.len() > 1);
            stroke(out, &lines.map(path).collect::<String>(), pen);
        }
    }
    let (top, bottom) = (layout.plot.top, layout.plot.bottom);
    let tick = TICK * layout.font;
    let mut lines = Vec::new();
    for axis in &layout.parallel {
        lines.push([[axis.x, top], [axis.x, bottom]]);
        lines.extend(axis.ruler.tick_places(true).map(|y| [[axis.x - tick, y], [axis.x, y]]));
    }
    segments(out, &lines, theme.ink(), AXIS * layout.font);
    for (rect, label) in layout.parallel.iter().flat_map(|axis| &axis.labels) {
        let size = [rect.right - rect.left, rect.bottom - rect.top];
        let fill = hex(theme.ground());
        out.area("rect", [rect.left, rect.top], size, &[("fill", &fill), ("fill-opacity", "0.8")]);
        text(out, label, theme);
    }
}

fn places(trace: &Trace, layout: &Layout<'_>) -> Vec<[f64; 2]> {
    let axes = layout.parallel.iter().zip(&trace.points);
    axes.map(|(axis, [_, value])| [axis.x, axis.ruler.mapping.place(*value).unwrap_or(f64::NAN)]).collect()
}

#[cfg(test)]
mod tests {
    use crate::figure::axis::{Axis, Category};
    use crate::figure::font::width;
    use crate::figure::layout::{Text, layout};
    use crate::figure::model::{Line, Trace};
    use crate::figure::svg::svg;
    use crate::figure::{Figure, Theme, style_of};
    use crate::results::view::Preset;

    fn figure(axes: usize, runs: usize) -> Figure {
        let names = vec![Category::default(); axes];
        let words = ["Adam", "a value with a name of some length that has no room"];
        let words = words.map(|name| Category { name: name.to_owned(), ..Category::default() });
        let axis = |index: usize| {
            let name = format!("setting {index}");
            let axis = if index.is_multiple_of(2) {
                Axis::new(&name, "s")
            } else {
                Axis::named(&name, words.to_vec())
            };
            Axis { range: Some([-0.5, 1.5]), ..axis }
        };
        let trace = |run: usize| Trace {
            name: format!("seed {run}"),
            points: (0..axes)
                .map(|at| [at as f64, if run == 1 && at == 1 { f64::NAN } else { (at % 2) as f64 }])
                .collect(),
        };
        let traces = (0..runs).map(trace).collect();
        Figure {
            x: Axis::named("", names),
            parallel: (0..axes).map(axis).collect(),
            lines: vec![Line { traces, ..Line::new("an arm", style_of(1), Vec::new()) }],
            ..Figure::default()
        }
    }

    #[test]
    fn every_run_is_a_line_and_a_missing_value_divides_it() {
        let text = svg(&figure(4, 3), &Preset::TwoColumns.size(), Theme::Light);
        let runs: Vec<&str> = text.lines().filter(|line| line.contains("stroke-opacity")).collect();
        assert_eq!(runs.len(), 3);
        assert_eq!(runs.iter().map(|line| line.matches('M').count()).collect::<Vec<_>>(), [1, 1, 1]);
        assert!(runs[1].len() < runs[0].len(), "its first value stands alone");
        assert!(text.contains(">Adam</text>") && text.contains(">setting 3</text>") && !text.contains("NaN"));
    }

    #[test]
    fn labels_keep_off_their_neighbours_at_any_size() {
        for (preset, axes) in Preset::ALL.into_iter().flat_map(|preset| [2, 5, 14].map(|axes| (preset, axes)))
        {
            let figure = figure(axes, 2);
            let layout = layout(&figure, &preset.size());
            let mut end = 0.0;
            for axis in &layout.parallel {
                assert!(axis.labels.iter().all(|(rect, _)| rect.left >= end), "{preset:?}, {axes} axes");
                assert!(axis.labels.windows(2).all(|pair| pair[0].0.top > pair[1].0.bottom), "{preset:?}");
                end = axis.x;
            }
            assert!(end <= layout.plot.right);
            let mut names: Vec<_> = layout.texts.iter().filter(|text| text.at[1] < layout.plot.top).collect();
            assert_eq!(names.len(), axes, "every axis has its name");
            names.sort_by(|a, b| (a.at[1], a.at[0]).partial_cmp(&(b.at[1], b.at[0])).unwrap());
            let half = |text: &Text| width(&text.content, text.size, text.weight) / 2.0;
            let is_apart = |pair: &[&Text]| {
                pair[0].at[1] < pair[1].at[1] || pair[0].at[0] + half(pair[0]) < pair[1].at[0] - half(pair[1])
            };
            assert!(names.windows(2).all(is_apart), "{preset:?}, {axes} axes: {names:?}");
        }
    }
}

//! A figure as a table of exactly what is drawn.
//!
//! The columns are `kind,series,run,x,y,low,high`. Kinds of rows:
//! - `line`: a point of a line, with its band in `low` and `high`, and its run where it is a single one;
//! - `trace`: a point of a single run, named in `run`;
//! - `bar`: a part of a bar, named in `series`, of the arm in `run`;
//! - `bin`: a part of a bar over the range of x from `low` to `high`;
//! - `cell`: a cell of a heat map, with its kind in `series` and its value in an eighth column, `value`; of rows that are
//!   ranges of numbers, y is the middle of the range from `low` to `high`. Of shares of trials, `low` and `high` are the
//!   ends of the interval around the value, and a ninth column, `n`, has the number of trials;
//! - `rule`: a reference line, with only its x or its y.
//!
//! On an axis of names, x or y is the name; in parallel coordinates, x names an axis and y is the value on it. Without
//! names, rows and columns of cells are counted from 0. Values have all digits and the figure's unit: shares are not
//! multiplied by 100. A gap is `NaN`.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::axis::Axis;
use super::cells::Cells;
use super::model::{At, Figure, Line, ReferenceLine};
use results::number::plain;

pub const HEADER: &str = "kind,series,run,x,y,low,high";

/// Returns the table; lines end in `\n`. That of panels has a further column for each setting that splits them.
pub fn csv(figure: &Figure) -> String {
    let cells = figure.parts().into_iter().filter_map(|part| part.cells.as_ref());
    let has_counts = cells.flat_map(|cells| &cells.texts).any(|text| text.ends.is_some());
    let heads = match (&figure.cells, has_counts) {
        (None, _) => HEADER.to_owned(),
        (Some(_), false) => format!("{HEADER},value"),
        (Some(_), true) => format!("{HEADER},value,n"),
    };
    let mut heads: Vec<&str> = heads.split(',').collect();
    let mut table = Table { has_counts, ..Table::default() };
    let Some(facets) = &figure.facets else {
        table.row(&heads);
        table.add(figure);
        return table.text;
    };
    heads.extend(facets.keys.iter().map(String::as_str));
    table.row(&heads);
    for panel in &facets.panels {
        table.after.clone_from(&panel.values);
        table.add(&panel.figure);
    }
    table.text
}

/// A table under construction.
#[derive(Default)]
struct Table {
    text: String,
    /// The last cells of all rows.
    after: Vec<String>,
    /// True if cells have intervals over a number of trials.
    has_counts: bool,
}

impl Table {
    fn row(&mut self, cells: &[&str]) {
        let cells: Vec<&str> = cells.iter().copied().chain(self.after.iter().map(String::as_str)).collect();
        row(&mut self.text, &cells);
    }

    /// Adds the rows of a figure without panels.
    fn add(&mut self, figure: &Figure) {
        if let Some(cells) = &figure.cells {
            return self.cell_rows(figure, cells);
        }
        self.bar_rows(figure);
        for line in &figure.lines {
            self.line_rows(figure, line);
            for trace in &line.traces {
                for point in &trace.points {
                    let [x, y] = place(figure, *point);
                    self.row(&["trace", &line.name, &trace.name, &x, &y, "", ""]);
                }
            }
        }
        for reference in &figure.reference_lines {
            self.reference_row(reference);
        }
    }

    /// Adds a row for each part of each bar, in the order of the categories, or of the ranges of x.
    fn bar_rows(&mut self, figure: &Figure) {
        let is_lying = figure.is_lying();
        let axis = if is_lying { &figure.y } else { &figure.x };
        let names = axis.categories.iter().map(|category| ("bar", category.name.clone(), Default::default()));
        let ranges = figure
            .bins
            .windows(2)
            .map(|ends| ("bin", plain(f64::midpoint(ends[0], ends[1])), [ends[0], ends[1]].map(plain)));
        for (index, (kind, place, [low, high])) in names.enumerate().chain(ranges.enumerate()) {
            for bars in &figure.bars {
                let Some(value) = bars.values.get(index).map(|value| plain(*value)) else { continue };
                let [x, y] = if is_lying { [&value, &place] } else { [&place, &value] };
                self.row(&[kind, &bars.name, &bars.stack, x, y, &low, &high]);
            }
        }
    }

    fn cell_rows(&mut self, figure: &Figure, cells: &Cells) {
        let place = |axis: &Axis, index: usize| {
            axis.categories.get(index).map_or_else(|| index.to_string(), |category| category.name.clone())
        };
        for (y, values) in cells.values.iter().enumerate() {
            let ends = cells.span.map(|_| cells.ends_of_rows(y, y));
            let y_name =
                ends.map_or_else(|| place(&figure.y, y), |[low, high]| plain(f64::midpoint(low, high)));
            let [low, high] = ends.map_or_else(Default::default, |ends| ends.map(plain));
            for (x, value) in values.iter().enumerate() {
                let kind = cells.kind(y, x).map_or(&cells.axis.title, |kind| &kind.name);
                let counted = cells.text(y, x).and_then(|text| text.ends);
                let [low, high] =
                    counted.map_or_else(|| [low.clone(), high.clone()], |(ends, _)| ends.map(plain));
                let (x, value) = (place(&figure.x, x), plain(*value));
                let mut row = vec!["cell", kind, "", &x, &y_name, &low, &high, &value];
                let n = counted.map_or_else(String::new, |(_, n)| n.to_string());
                row.extend(self.has_counts.then_some(n.as_str()));
                self.row(&row);
            }
        }
    }

    /// Adds the rows of a line. A band belongs to the point with the same x; without such a point it gets its own row.
    fn line_rows(&mut self, figure: &Figure, line: &Line) {
        let mut bands: BTreeMap<u64, _> = line.band.iter().map(|band| (band.x.to_bits(), band)).collect();
        for (nth, [x, y]) in line.points.iter().enumerate() {
            let (low, high) = match bands.remove(&x.to_bits()) {
                Some(band) => (plain(band.low), plain(band.high)),
                None => (String::new(), String::new()),
            };
            let [x, y] = place(figure, [*x, *y]);
            let run = line.names.get(nth).map_or("", String::as_str);
            self.row(&["line", &line.name, run, &x, &y, &low, &high]);
        }
        for band in line.band.iter().filter(|band| bands.contains_key(&band.x.to_bits())) {
            let [x, _] = place(figure, [band.x, 0.0]);
            self.row(&["line", &line.name, "", &x, "", &plain(band.low), &plain(band.high)]);
        }
    }

    fn reference_row(&mut self, reference: &ReferenceLine) {
        let (x, y) = match reference.at {
            At::X(x) => (plain(x), String::new()),
            At::Y(y) => (String::new(), plain(y)),
        };
        let [low, high] = reference.spread.map_or_else(Default::default, |ends| ends.map(plain));
        self.row(&["rule", &reference.name, "", &x, &y, &low, &high]);
    }
}

/// Returns the x and y of a point, as names on axes of names. With parallel axes, x selects the axis of y.
fn place(figure: &Figure, [x, y]: [f64; 2]) -> [String; 2] {
    let named = |axis: &Axis, value: f64| {
        axis.category(value).map_or_else(|| plain(value), |index| axis.categories[index].name.clone())
    };
    if let Some(x) = figure.only_x {
        return [plain(x), plain(y)];
    }
    let upright = figure.x.category(x).and_then(|index| figure.parallel.get(index)).unwrap_or(&figure.y);
    [named(&figure.x, x), named(upright, y)]
}

pub fn row(table: &mut String, cells: &[impl AsRef<str>]) {
    let cells: Vec<_> = cells.iter().map(|cell| quoted(cell.as_ref())).collect();
    table.push_str(&cells.join(","));
    table.push('\n');
}

/// Returns a cell, quoted as in RFC 4180 if it has a comma, a quote or a line break.
pub fn quoted(cell: &str) -> Cow<'_, str> {
    if cell.contains([',', '"', '\n', '\r']) {
        Cow::Owned(format!("\"{}\"", cell.replace('"', "\"\"")))
    } else {
        Cow::Borrowed(cell)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::axis::{Axis, Category};
    use crate::cells::CellKind;
    use crate::model::Trace;
    use crate::{Bars, style_of};
    use results::statistics::Band;

    #[test]
    fn the_table_has_what_is_drawn_and_nothing_else() {
        let mut line = Line::new("ticket, \"20 %\"", style_of(0), vec![[0.0, 0.5], [1.0, f64::NAN]]);
        line.band = vec![Band { x: 0.0, low: 0.25, high: 0.75 }];
        line.traces = vec![Trace { name: "seed 1".to_owned(), points: vec![[0.0, 0.25]] }];
        let figure = Figure {
            lines: vec![line],
            reference_lines: vec![ReferenceLine::level("dense", 0.9, None)],
            ..Figure::default()
        };
        let expected = "kind,series,run,x,y,low,high\n\
            line,\"ticket, \"\"20 %\"\"\",,0,0.5,0.25,0.75\n\
            line,\"ticket, \"\"20 %\"\"\",,1,NaN,,\n\
            trace,\"ticket, \"\"20 %\"\"\",seed 1,0,0.25,,\n\
            rule,dense,,,0.9,,\n";
        assert_eq!(csv(&figure), expected);
    }

    fn named(names: [&str; 2]) -> Axis {
        Axis::named("", names.map(|name| Category { name: name.to_owned(), ..Category::default() }).to_vec())
    }

    #[test]
    fn bars_and_cells_are_there_by_their_names() {
        let bars =
            Bars { name: "SDC".to_owned(), stack: "a".to_owned(), colour: None, values: vec![0.5, f64::NAN] };
        let mut figure = Figure { x: named(["b1", "b0"]), bars: vec![bars], ..Figure::default() };
        assert_eq!(csv(&figure), format!("{HEADER}\nbar,SDC,a,b1,0.5,,\nbar,SDC,a,b0,NaN,,\n"));
        figure.y = std::mem::take(&mut figure.x);
        assert!(csv(&figure).contains("bar,SDC,a,0.5,b1,,"));
        figure.x = named(["c", "d"]);
        let values = vec![vec![0.25, 0.5]];
        figure.cells = Some(Cells { axis: Axis::percent("Share"), values, ..Cells::default() });
        assert_eq!(
            csv(&figure),
            format!("{HEADER},value\ncell,Share,,c,b1,,,0.25\ncell,Share,,d,b1,,,0.5\n")
        );
    }

    #[test]
    fn bins_have_their_ends_and_cells_without_names_are_counted() {
        let bars = Bars { name: "trained".to_owned(), values: vec![2.0], ..Bars::default() };
        let figure = Figure { bars: vec![bars], bins: vec![-1.0, 0.5], ..Figure::default() };
        assert_eq!(csv(&figure), format!("{HEADER}\nbin,trained,,-0.25,2,-1,0.5\n"));
        let kind = |name: &str| CellKind { name: name.to_owned(), ..CellKind::default() };
        let cells = Cells {
            values: vec![vec![0.0], vec![0.1]],
            kinds: vec![kind("trained"), kind("pruned")],
            kind_of: vec![1, 0],
            ..Cells::default()
        };
        let figure = Figure { cells: Some(cells), ..Figure::default() };
        assert_eq!(csv(&figure), format!("{HEADER},value\ncell,pruned,,0,0,,,0\ncell,trained,,0,1,,,0.1\n"));
    }

    #[test]
    fn on_names_and_parallel_axes_points_say_where_they_are() {
        let mut line = Line::new("a", style_of(0), vec![[-0.2, 0.5]]);
        line.band = vec![Band { x: -0.2, low: 0.25, high: 0.75 }];
        let mut figure = Figure { x: named(["cat", "dog"]), lines: vec![line], ..Figure::default() };
        assert_eq!(csv(&figure), format!("{HEADER}\nline,a,,cat,0.5,0.25,0.75\n"));
        let points = vec![[0.0, 1.0], [1.0, 0.125]];
        figure.lines = vec![Line::new("a", style_of(0), Vec::new())];
        figure.lines[0].traces = vec![Trace { name: "seed 1".to_owned(), points }];
        figure.parallel = vec![named(["Adam", "Sgd"]), Axis::new("rate", "")];
        assert_eq!(csv(&figure), format!("{HEADER}\ntrace,a,seed 1,cat,Sgd,,\ntrace,a,seed 1,dog,0.125,,\n"));
    }

    #[test]
    fn cells_of_trials_have_their_interval_and_the_number_of_trials() {
        use crate::cells::CellText;
        let texts =
            vec![CellText { ends: Some(([0.125, 0.5], 12)), ..CellText::default() }, CellText::default()];
        let cells = Cells {
            axis: Axis::percent("SDC-1 images"),
            values: vec![vec![0.25, f64::NAN]],
            texts,
            ..Cells::default()
        };
        let figure = Figure { x: named(["b1", "b0"]), cells: Some(cells), ..Figure::default() };
        let expected = format!(
            "{HEADER},value,n\ncell,SDC-1 images,,b1,0,0.125,0.5,0.25,12\ncell,SDC-1 images,,b0,0,,,NaN,\n"
        );
        assert_eq!(csv(&figure), expected);
    }

    #[test]
    fn an_empty_figure_is_a_header() {
        assert_eq!(csv(&Figure::default()), format!("{HEADER}\n"));
    }
}

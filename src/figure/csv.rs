//! A figure as a table of exactly what is drawn.
//!
//! Columns: `kind,series,run,x,y,low,high`. `kind` is `line` (with its band in `low` and `high`), `trace` (a single run
//! behind the line, named in `run`) or `rule` (a reference level; only the x or the y is filled in). Values have all
//! their digits and the figure's own unit: shares are not multiplied by 100. Gaps are there as `NaN`.

use std::collections::BTreeMap;

use super::model::{At, Figure, Line, Rule};
use super::number::plain;

/// The first line of the table.
pub const HEADER: &str = "kind,series,run,x,y,low,high";

/// The table, with lines that end in `\n`.
#[must_use]
pub fn csv(figure: &Figure) -> String {
    let mut table = format!("{HEADER}\n");
    for line in &figure.lines {
        line_rows(&mut table, line);
        for trace in &line.traces {
            for [x, y] in &trace.points {
                row(&mut table, &["trace", &line.name, &trace.name, &plain(*x), &plain(*y), "", ""]);
            }
        }
    }
    for rule in &figure.rules {
        rule_row(&mut table, rule);
    }
    table
}

/// The band belongs to the point with the same x; where there is no point, the band stands alone.
fn line_rows(table: &mut String, line: &Line) {
    let mut bands: BTreeMap<u64, _> = line.band.iter().map(|band| (band.x.to_bits(), band)).collect();
    for [x, y] in &line.points {
        let (low, high) = match bands.remove(&x.to_bits()) {
            Some(band) => (plain(band.low), plain(band.high)),
            None => (String::new(), String::new()),
        };
        row(table, &["line", &line.name, "", &plain(*x), &plain(*y), &low, &high]);
    }
    for band in line.band.iter().filter(|band| bands.contains_key(&band.x.to_bits())) {
        row(table, &["line", &line.name, "", &plain(band.x), "", &plain(band.low), &plain(band.high)]);
    }
}

fn rule_row(table: &mut String, rule: &Rule) {
    let (x, y) = match rule.at {
        At::X(x) => (plain(x), String::new()),
        At::Y(y) => (String::new(), plain(y)),
    };
    row(table, &["rule", &rule.name, "", &x, &y, "", ""]);
}

fn row(table: &mut String, cells: &[&str]) {
    let cells: Vec<_> = cells.iter().map(|cell| quoted(cell)).collect();
    table.push_str(&cells.join(","));
    table.push('\n');
}

/// As RFC 4180 has it: in quotes where a comma, a quote or a line break would be misread.
fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::model::{Band, Trace};
    use crate::figure::style_of;

    #[test]
    fn the_table_has_what_is_drawn_and_nothing_else() {
        let mut line = Line::new("ticket, \"20 %\"", style_of(0), vec![[0.0, 0.5], [1.0, f64::NAN]]);
        line.band = vec![Band { x: 0.0, low: 0.25, high: 0.75 }];
        line.traces = vec![Trace { name: "seed 1".to_owned(), points: vec![[0.0, 0.25]] }];
        let figure =
            Figure { lines: vec![line], rules: vec![Rule::level("dense", 0.9)], ..Figure::default() };
        let expected = "kind,series,run,x,y,low,high\n\
            line,\"ticket, \"\"20 %\"\"\",,0,0.5,0.25,0.75\n\
            line,\"ticket, \"\"20 %\"\"\",,1,NaN,,\n\
            trace,\"ticket, \"\"20 %\"\"\",seed 1,0,0.25,,\n\
            rule,dense,,,0.9,,\n";
        assert_eq!(csv(&figure), expected);
    }

    #[test]
    fn an_empty_figure_is_a_header() {
        assert_eq!(csv(&Figure::default()), format!("{HEADER}\n"));
    }
}

//! The figures of a report, each with what it says in words and as a table.

use std::fmt::Write;

use super::html::{Page, escaped};
use super::material::Material;
use crate::doc::{Run, listed};
use crate::figure::plots::{ALL, Plot};
use crate::figure::svg::inline;
use crate::figure::view::exported;
use crate::figure::{Figure, Line, Options};
use crate::form::number::grouped;
use crate::results::number::{Format, readable};
use crate::results::page::{LegendPlace, PageStyle, Preset};

/// Width and height in millimetres: two stand side by side on a wide screen.
const SIZE: Preset = Preset::Own { width: 130.0, height: 90.0 };
/// A figure with panels needs more room.
const LARGE: Preset = Preset::Own { width: 180.0, height: 140.0 };
/// Bytes of one figure, and of all, so that a report of many thousand runs stays a file that opens.
const MOST_BYTES: usize = 2_000_000;
const MOST_BYTES_IN_ALL: usize = 6_000_000;
/// The most rows of a table of values.
const MOST_VALUES: usize = 400;
/// A text for who cannot see the figure names no more lines.
const MOST_NAMED: usize = 8;
/// A legend with more names would cover the lines.
const MOST_IN_LEGEND: usize = 12;

/// The figures that have data, those that the window shows first.
pub fn figures(page: &mut Page, material: &Material<'_>) {
    let (mut drawn, mut too_large, mut bytes) = (String::new(), Vec::new(), 0);
    for (nth, plot) in chosen(material).into_iter().enumerate() {
        let mut view = material.input.view.clone();
        let is_asked = |run: &Run| material.input.records.contains_key(&run.id);
        let figure = exported(plot, &mut view, material.input.all, material.input.records, is_asked);
        if figure.refusal().is_some() || !figure.has_data() {
            continue;
        }
        let mut own = Page::part(&format!("figure-{nth}-"));
        one(&mut own, material, plot, &figure, nth);
        if own.out.len() > MOST_BYTES || bytes + own.out.len() > MOST_BYTES_IN_ALL {
            too_large.push(plot.title);
            continue;
        }
        bytes += own.out.len();
        drawn += &own.out;
    }
    if !drawn.is_empty() {
        page.raw(&format!("<div class=\"figures\">\n{drawn}</div>"));
    }
    if !too_large.is_empty() {
        let (names, figures) = (listed(&too_large), if too_large.len() == 1 { "figure" } else { "figures" });
        page.paragraph(&format!(
            "Too large for a report: the {figures} {names}; weightlab export writes them."
        ));
    }
}

/// The plots in their order.
fn chosen(material: &Material<'_>) -> Vec<&'static Plot> {
    if let Some(plots) = material.input.plots {
        return plots.to_vec();
    }
    let tiles = material.input.view.tiles.as_ref();
    let is_seen = |plot: &Plot| {
        let layout = tiles.and_then(|tiles| tiles.layout(plot.group));
        layout.is_some_and(|layout| layout.seen().contains(&plot.name))
    };
    let mut plots: Vec<&Plot> = ALL.iter().collect();
    plots.retain(|plot| plot.concerns(material.input.records.values()));
    plots.sort_by_key(|plot| !is_seen(plot));
    plots
}

fn one(page: &mut Page, material: &Material<'_>, plot: &Plot, figure: &Figure, nth: usize) {
    let view = material.input.view;
    let size = if figure.facets.is_some() || !figure.parallel.is_empty() { LARGE } else { SIZE };
    let names: std::collections::BTreeSet<&str> =
        figure.lines.iter().map(|line| line.name.as_str()).collect();
    let legend = if names.len() > MOST_IN_LEGEND { LegendPlace::Hidden } else { view.page.legend };
    let style = PageStyle { font_pt: Some(9.0), legend, footnote: false, ..view.page };
    let options = Options::of(size, 300, &style);
    page.raw("<figure>");
    page.raw(inline(figure, &options, &format!("figure-{nth}-"), &in_words(plot, figure)).trim_end());
    let remarks = options.remarks(figure).join("; ");
    let remarks = if remarks.is_empty() {
        String::new()
    } else {
        format!(" {}.", escaped(&crate::doc::capitalised(&remarks)))
    };
    let title = if figure.title.trim().is_empty() { plot.title } else { &figure.title };
    let help = plot.help.split_inclusive(". ").next().unwrap_or_default().trim();
    page.raw(&format!(
        "<figcaption dir=\"auto\"><strong>{}.</strong> {}{remarks}",
        escaped(title),
        escaped(help)
    ));
    values(page, plot, figure);
    page.raw("</figcaption>\n</figure>");
}

/// What the figure shows, for who cannot see it.
fn in_words(plot: &Plot, figure: &Figure) -> String {
    let mut text = format!("{}: {} over {}.", plot.title, figure.y.label(), figure.x.label());
    let parts = figure.parts();
    let lines: Vec<&Line> = parts.iter().flat_map(|part| &part.lines).collect();
    let ends: Vec<String> = lines.iter().take(MOST_NAMED).filter_map(|line| end(figure, line)).collect();
    if !ends.is_empty() {
        let _ = write!(text, " At the end: {}.", ends.join("; "));
    }
    if lines.len() > MOST_NAMED {
        let _ = write!(text, " There are {} lines in all.", grouped(lines.len() as u64));
    }
    let bars = parts.iter().flat_map(|part| &part.bars);
    let mut names: Vec<&str> = bars.map(|bars| bars.name.as_str()).collect();
    names.dedup();
    names.truncate(MOST_NAMED);
    if !names.is_empty() {
        let _ = write!(text, " Bars show {}.", listed(&names));
    }
    if let Some(cells) = parts.iter().find_map(|part| part.cells.as_ref()) {
        let _ = write!(text, " Colours show {}.", cells.axis.label());
    }
    text
}

/// "dense 95.37 %, 95 % CI 94.95 % to 95.79 %".
fn end(figure: &Figure, line: &Line) -> Option<String> {
    let [x, y] = *line.points.iter().rev().find(|[x, y]| x.is_finite() && y.is_finite())?;
    let value = |value: f64| readable(value, figure.y.format);
    let band = line.band.iter().find(|band| band.x.to_bits() == x.to_bits());
    let spread = figure.spread.map_or("interval", crate::results::statistics::Spread::label);
    let band = band.map(|band| format!(" ({spread} from {} to {})", value(band.low), value(band.high)));
    Some(format!("{} {}{}", line.name, value(y), band.unwrap_or_default()))
}

/// The values that are drawn.
fn values(page: &mut Page, plot: &Plot, figure: &Figure) {
    let mut rows = Vec::new();
    for part in figure.parts() {
        part_rows(part, &mut rows);
    }
    if rows.is_empty() {
        return;
    }
    let all = rows.len();
    rows.truncate(MOST_VALUES);
    page.details("Values of this figure", |page| {
        let [x, y] = [figure.x.label(), figure.y.label()];
        let head =
            ["Name", if x.is_empty() { "x" } else { &x }, if y.is_empty() { "y" } else { &y }, "From", "To"];
        page.table(&format!("{}: what is drawn", plot.title), &head, &rows);
        if all > MOST_VALUES {
            page.paragraph(&format!(
                "These are the first {} of {} rows; weightlab export --figure {} --to values.csv writes all.",
                grouped(MOST_VALUES as u64),
                grouped(all as u64),
                plot.name
            ));
        }
    });
}

/// The rows of lines and bars of a figure without panels.
fn part_rows(figure: &Figure, rows: &mut Vec<Vec<String>>) {
    let x_text = |x: f64| {
        let is_name = x >= 0.0 && x.fract() == 0.0;
        let category = if is_name { figure.x.categories.get(x as usize) } else { None };
        category.map_or_else(|| readable(x, figure.x.format), |category| category.name.clone())
    };
    for line in &figure.lines {
        for [x, y] in line.points.iter().filter(|[_, y]| y.is_finite()) {
            let band = line.band.iter().find(|band| band.x.to_bits() == x.to_bits());
            let ends = band.map(|band| [band.low, band.high].map(|end| readable(end, figure.y.format)));
            let [low, high] = ends.unwrap_or_default();
            rows.push(vec![line.name.clone(), x_text(*x), readable(*y, figure.y.format), low, high]);
            if rows.len() > MOST_VALUES * 50 {
                return;
            }
        }
    }
    let axis = if figure.y.categories.is_empty() { &figure.x } else { &figure.y };
    for bars in &figure.bars {
        for (category, value) in axis.categories.iter().zip(&bars.values) {
            let name = if bars.stack.is_empty() {
                bars.name.clone()
            } else {
                format!("{}, {}", bars.stack, bars.name)
            };
            rows.push(vec![
                name,
                category.name.clone(),
                readable(*value, Format::Number),
                String::new(),
                String::new(),
            ]);
        }
    }
}

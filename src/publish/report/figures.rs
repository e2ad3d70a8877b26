//! The figures of a report, each with what it says in words and as a table.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::Material;
use super::html::{Page, escaped};
use doc::{Run, capitalised, listed};
use figure::plots::{ALL, Plot};
use figure::svg::inline;
use figure::view::exported;
use figure::{Axis, Cells, Figure, Line, Options};
use form::number::grouped;
use results::number::readable;
use results::page::{LegendPlace, PageStyle, Preset};
use results::statistics::Spread;

/// Width and height in millimetres: two stand side by side on a wide screen.
const SIZE: Preset = Preset::Own { width: 130.0, height: 90.0 };
/// A figure with panels needs more room.
const LARGE: Preset = Preset::Own { width: 180.0, height: 140.0 };
/// Bytes of one figure, and of all, so that a report of many thousand runs stays a file that opens.
const MOST_BYTES: usize = 2_000_000;
const MOST_BYTES_IN_ALL: usize = 6_000_000;
/// A legend with more names would cover the lines.
const MOST_IN_LEGEND: usize = 12;

/// Writes the figures that have data, those that the window shows first.
pub fn figures(page: &mut Page, material: &Material<'_>) {
    let (mut drawn, mut too_large, mut bytes) = (String::new(), Vec::new(), 0);
    for (nth, plot) in chosen(material).into_iter().enumerate() {
        let mut view = material.input.view.clone();
        let is_asked = |run: &Run| material.input.selected.records.contains_key(&run.id);
        let figure =
            exported(plot, &mut view, material.input.selected.all, material.input.selected.records, is_asked);
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
        let (names, s) = (listed(&too_large), if too_large.len() == 1 { "" } else { "s" });
        page.paragraph(&format!(
            "Too large for a report: the figure{s} {names}; weightlab export writes them."
        ));
    }
}

/// Returns the plots in their order.
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
    plots.retain(|plot| plot.concerns(material.input.selected.records.values()));
    plots.sort_by_key(|plot| !is_seen(plot));
    plots
}

fn one(page: &mut Page, material: &Material<'_>, plot: &Plot, figure: &Figure, nth: usize) {
    let view = material.input.view;
    let is_large = figure.facets.is_some() || !figure.parallel.is_empty();
    let (size, class) = if is_large { (LARGE, " class=\"wide\"") } else { (SIZE, "") };
    let names: BTreeSet<&str> =
        figure.parts().into_iter().flat_map(|part| &part.lines).map(|line| line.name.as_str()).collect();
    let is_crowded = names.len() > MOST_IN_LEGEND;
    let legend = if is_crowded { LegendPlace::Hidden } else { view.page.legend };
    let style = PageStyle { font_pt: Some(9.0), legend, footnote: false, ..view.page };
    let options = Options::new(size, 300, &style);
    page.raw(&format!("<figure{class}>"));
    page.raw(inline(figure, &options, &format!("figure-{nth}-"), &in_words(plot, figure)).trim_end());
    let mut remarks = options.remarks(figure);
    if is_crowded {
        remarks.push(format!("the values below name the {} lines", grouped(names.len() as u64)));
    }
    let said = || format!(" {}.", escaped(&capitalised(&remarks.join("; "))));
    let remarks = if remarks.is_empty() { String::new() } else { said() };
    let title = if figure.title.trim().is_empty() { plot.title } else { &figure.title };
    let help = plot.help.split_inclusive(". ").next().unwrap_or_default().trim();
    let (title, help) = (escaped(title), escaped(help));
    page.raw(&format!("<figcaption dir=\"auto\"><strong>{title}.</strong> {help}{remarks}"));
    values(page, plot, figure);
    page.raw("</figcaption>\n</figure>");
}

const MOST_ROWS: usize = 400;
/// A text for who cannot see the figure names no more lines.
const MOST_NAMED: usize = 8;
/// Nor more names of an axis.
const MOST_NAMES: usize = 12;

/// Describes what the figure shows, for who cannot see it.
pub fn in_words(plot: &Plot, figure: &Figure) -> String {
    if !figure.parallel.is_empty() {
        let axes: Vec<String> = figure.parallel.iter().map(Axis::label).collect();
        return format!("{}: lines of individual runs across the axes {}.", plot.title, listed(&axes));
    }
    let mut text = format!("{}: {} over {}.", plot.title, figure.y.label(), figure.x.label());
    let parts = figure.parts();
    let lines: Vec<&Line> = parts.iter().flat_map(|part| &part.lines).collect();
    let said: Vec<String> = lines.iter().take(MOST_NAMED).filter_map(|line| of_line(figure, line)).collect();
    if !said.is_empty() {
        let place = if figure.x.categories.is_empty() { "At the right end: " } else { "" };
        let _ = write!(text, " {place}{}.", said.join("; ")); // a string takes everything
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
        let _ = write!(text, " Colours show {}", cells.axis.label());
        let all = parts.iter().filter_map(|part| part.cells.as_ref()).flat_map(|cells| &cells.values);
        let finite = all.flatten().copied().filter(|value| value.is_finite());
        let ends = finite
            .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], value| [low.min(value), high.max(value)]);
        if ends[0] <= ends[1] {
            let [low, high] = ends.map(|end| readable(end, cells.axis.format));
            let _ = write!(text, ", from {low} to {high}");
        }
        text.push('.');
    }
    text
}

/// Says "dense 95.37 % (95 % CI from 94.95 % to 95.79 %)" at the right end, or the values at each name of the axis.
fn of_line(figure: &Figure, line: &Line) -> Option<String> {
    let finite = || line.points.iter().filter(|[x, y]| x.is_finite() && y.is_finite());
    let value = |value: f64| readable(value, figure.y.format);
    if !figure.x.categories.is_empty() {
        let at = |[x, y]: &[f64; 2]| format!("{} {}", place_of(&figure.x, *x), value(*y));
        let said: Vec<String> = finite().take(MOST_NAMES).map(at).collect();
        return (!said.is_empty()).then(|| format!("{}: {}", line.name, said.join(", ")));
    }
    let last = finite().max_by(|a, b| {
        let order = a[0].total_cmp(&b[0]);
        if figure.x.reversed { order.reverse() } else { order }
    });
    let [x, y] = *last?;
    let band = line.band.iter().find(|band| band.x.to_bits() == x.to_bits());
    let spread = figure.spread.map_or("interval", Spread::label);
    let band = band.map(|band| format!(" ({spread} from {} to {})", value(band.low), value(band.high)));
    Some(format!("{} {}{}", line.name, value(y), band.unwrap_or_default()))
}

/// Names a value of an axis: its category a name, beside which marks of several arms may stand, or the number.
fn place_of(axis: &Axis, value: f64) -> String {
    let nearest = value.round();
    let name = if nearest >= 0.0 { axis.categories.get(nearest as usize) } else { None };
    name.map_or_else(|| readable(value, axis.format), |category| category.name.clone())
}

/// Rows up to a limit, and how many there are without it.
#[derive(Default)]
struct Rows {
    rows: Vec<Vec<String>>,
    all: usize,
}

impl Rows {
    fn add(&mut self, row: impl FnOnce() -> Vec<String>) {
        self.all += 1;
        if self.rows.len() < MOST_ROWS {
            self.rows.push(row());
        }
    }
}

/// Writes the values that are drawn.
pub fn values(page: &mut Page, plot: &Plot, figure: &Figure) {
    let (mut drawn, mut coloured) = (Rows::default(), Rows::default());
    let panels = figure.facets.as_ref().map(|facets| &facets.panels);
    for (nth, part) in figure.parts().into_iter().enumerate() {
        let panel = panels.map_or_else(String::new, |panels| panels[nth].values.join(", "));
        let called = |name: &str| match (panel.as_str(), name) {
            ("", own) | (own, "") => own.to_owned(),
            (panel, own) => format!("{panel}: {own}"),
        };
        rows_of_lines(part, &called, &mut drawn);
        rows_of_bars(part, &called, &mut drawn);
        if let Some(cells) = &part.cells {
            rows_of_cells(part, cells, &called, &mut coloured);
        }
    }
    if drawn.all + coloured.all == 0 {
        return;
    }
    let [x, y] = [(&figure.x, "x"), (&figure.y, "y")].map(|(axis, without)| {
        Some(axis.label()).filter(|label| !label.is_empty()).unwrap_or_else(|| without.to_owned())
    });
    page.details("Values of this figure", |page| {
        table(page, plot, &["Name", &x, &y, "From", "To"], &drawn);
        let cells = figure.parts().into_iter().find_map(|part| part.cells.as_ref());
        let colours = cells.map(|cells| cells.axis.label()).unwrap_or_default();
        table(page, plot, &[&y, &x, &colours, "Interval", "Count"], &coloured);
    });
}

fn table(page: &mut Page, plot: &Plot, head: &[&str], rows: &Rows) {
    page.table(&format!("{}: what is drawn", plot.title), head, &rows.rows);
    if rows.all > rows.rows.len() {
        page.paragraph(&format!(
            "These are the first {} of {} rows; weightlab export --figure {} --to values.csv writes all.",
            grouped(rows.rows.len() as u64),
            grouped(rows.all as u64),
            plot.name
        ));
    }
}

fn rows_of_lines(figure: &Figure, called: &dyn Fn(&str) -> String, rows: &mut Rows) {
    let value = |value: f64| readable(value, figure.y.format);
    for line in &figure.lines {
        let mut before = None;
        for [x, y] in line.points.iter().filter(|[_, y]| y.is_finite()) {
            // The test after a training is at the same place as the last evaluation of it.
            let own = [x, y].map(|value| value.to_bits());
            if before.replace(own) == Some(own) && line.names.is_empty() {
                continue;
            }
            rows.add(|| {
                let band = line.band.iter().find(|band| band.x.to_bits() == x.to_bits());
                let [low, high] = band.map(|band| [band.low, band.high].map(value)).unwrap_or_default();
                vec![called(&line.name), place_of(&figure.x, *x), value(*y), low, high]
            });
        }
    }
}

/// Adds the rows of bars, which stand over names or ranges of x, or lie beside names of y.
fn rows_of_bars(figure: &Figure, called: &dyn Fn(&str) -> String, rows: &mut Rows) {
    let lie = !figure.y.categories.is_empty();
    let (along, across) = if lie { (&figure.y, &figure.x) } else { (&figure.x, &figure.y) };
    for bars in &figure.bars {
        let name =
            if bars.stack.is_empty() { bars.name.clone() } else { format!("{}, {}", bars.stack, bars.name) };
        for (nth, value) in bars.values.iter().enumerate().filter(|(_, value)| value.is_finite()) {
            rows.add(|| {
                let place = match figure.bins.get(nth..nth + 2) {
                    Some([low, high]) => {
                        let [low, high] = [low, high].map(|end| readable(*end, along.format));
                        format!("{low} to {high}")
                    }
                    _ => place_of(along, nth as f64),
                };
                let value = readable(*value, across.format);
                let [x, y] = if lie { [value, place] } else { [place, value] };
                vec![called(&name), x, y, String::new(), String::new()]
            });
        }
    }
}

fn rows_of_cells(figure: &Figure, cells: &Cells, called: &dyn Fn(&str) -> String, rows: &mut Rows) {
    let height = cells.values.len() as f64;
    let mut number = 0;
    for (nth, row) in cells.values.iter().enumerate() {
        let y = match cells.span {
            Some([low, high]) => readable(low + (nth as f64 + 0.5) * (high - low) / height, figure.y.format),
            None => place_of(&figure.y, nth as f64),
        };
        for (column, value) in row.iter().enumerate() {
            let text = cells.texts.get(number);
            number += 1;
            if !value.is_finite() {
                continue;
            }
            rows.add(|| {
                let [interval, count] =
                    text.map(|text| [text.interval.clone(), text.count.clone()]).unwrap_or_default();
                let value = readable(*value, cells.axis.format);
                vec![called(&y), place_of(&figure.x, column as f64), value, interval, count]
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use figure::plots::find;
    use figure::{Bars, Category, Style};

    fn table_of(figure: &Figure) -> String {
        let mut page = Page::default();
        values(&mut page, find("accuracy").unwrap(), figure);
        page.out.replace("<td class=\"n\" dir=\"auto\">", "<td>").replace(" dir=\"auto\"", "")
    }

    fn names(names: &[&str]) -> Axis {
        let category = |name: &&str| Category { name: (*name).to_owned(), ..Category::default() };
        Axis { categories: names.iter().map(category).collect(), ..Axis::new("Class", "") }
    }

    #[test]
    fn the_end_of_a_line_is_where_its_axis_ends() {
        let lines = vec![Line::new("a", Style::default(), vec![[0.25, 0.5], [1.0, 0.75]])];
        let mut figure =
            Figure { x: Axis::percent("Left"), y: Axis::percent("Accuracy"), lines, ..Figure::default() };
        let plot = find("accuracy").unwrap();
        assert!(in_words(plot, &figure).ends_with("over Left (%). At the right end: a 75.00 %."));
        figure.x.reversed = true;
        assert!(in_words(plot, &figure).ends_with("over Left (%). At the right end: a 50.00 %."));
        let lines = vec![Line::new("a", Style::default(), vec![[-0.25, 0.5], [0.75, 0.75]])];
        figure = Figure { x: names(&["zero", "one"]), lines, ..figure };
        assert!(in_words(plot, &figure).ends_with("over Class. a: zero 50.00 %, one 75.00 %."));
        let found = table_of(&figure);
        assert!(found.contains("<th scope=\"row\">a</th><td>one</td><td>75.00 %</td>"), "{found}");
    }

    #[test]
    fn a_point_that_repeats_is_one_row_and_what_is_cut_is_counted() {
        let points = (0..500).flat_map(|x| [[f64::from(x), 0.5]; 2]).collect();
        let figure = Figure { lines: vec![Line::new("a", Style::default(), points)], ..Figure::default() };
        let found = table_of(&figure);
        assert!(found.contains("These are the first 400 of 500 rows;"), "{found}");
    }

    #[test]
    fn bars_that_lie_have_their_values_below_x_and_cells_are_rows() {
        let bars =
            vec![Bars { name: "masked".to_owned(), stack: String::new(), colour: None, values: vec![0.5] }];
        let mut figure = Figure { x: Axis::percent("Share"), y: names(&["fc1"]), bars, ..Figure::default() };
        let found = table_of(&figure);
        assert!(
            found.contains("<th scope=\"col\" class=\"n\">Share (%)</th><th scope=\"col\">Class</th>"),
            "{found}"
        );
        assert!(found.contains("<th scope=\"row\">masked</th><td>50.00 %</td><td>fc1</td>"), "{found}");
        let cells =
            Cells { axis: Axis::percent("SDC"), values: vec![vec![0.25, f64::NAN]], ..Cells::default() };
        figure = Figure { x: names(&["b1", "b0"]), bars: Vec::new(), cells: Some(cells), ..figure };
        let found = table_of(&figure);
        assert!(found.contains("<th scope=\"row\">fc1</th><td>b1</td><td>25.00 %</td>"), "{found}");
        assert!(!found.contains("b0"), "nothing was measured there");
        let words = in_words(find("accuracy").unwrap(), &figure);
        assert!(words.ends_with("Colours show SDC (%), from 25.00 % to 25.00 %."), "{words}");
    }
}

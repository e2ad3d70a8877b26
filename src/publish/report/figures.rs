//! The figures of a report, each with what it says in words and as a table.

use std::collections::BTreeSet;

use super::html::{Page, escaped};
use super::material::Material;
use super::values::{in_words, values};
use doc::{Run, capitalised, listed};
use figure::plots::{ALL, Plot};
use figure::svg::inline;
use figure::view::exported;
use figure::{Figure, Options};
use form::number::grouped;
use results::page::{LegendPlace, PageStyle, Preset};

/// Width and height in millimetres: two stand side by side on a wide screen.
const SIZE: Preset = Preset::Own { width: 130.0, height: 90.0 };
/// A figure with panels needs more room.
const LARGE: Preset = Preset::Own { width: 180.0, height: 140.0 };
/// Bytes of one figure, and of all, so that a report of many thousand runs stays a file that opens.
const MOST_BYTES: usize = 2_000_000;
const MOST_BYTES_IN_ALL: usize = 6_000_000;
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
    let is_large = figure.facets.is_some() || !figure.parallel.is_empty();
    let (size, class) = if is_large { (LARGE, " class=\"wide\"") } else { (SIZE, "") };
    let names: BTreeSet<&str> =
        figure.parts().into_iter().flat_map(|part| &part.lines).map(|line| line.name.as_str()).collect();
    let is_crowded = names.len() > MOST_IN_LEGEND;
    let legend = if is_crowded { LegendPlace::Hidden } else { view.page.legend };
    let style = PageStyle { font_pt: Some(9.0), legend, footnote: false, ..view.page };
    let options = Options::of(size, 300, &style);
    page.raw(&format!("<figure{class}>"));
    page.raw(inline(figure, &options, &format!("figure-{nth}-"), &in_words(plot, figure)).trim_end());
    let mut remarks = options.remarks(figure);
    if is_crowded {
        remarks.push(format!("the values below name the {} lines", grouped(names.len() as u64)));
    }
    let remarks = if remarks.is_empty() {
        String::new()
    } else {
        format!(" {}.", escaped(&capitalised(&remarks.join("; "))))
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

//! The operations of a network as a table, each with its block of the graph.

use std::collections::BTreeMap;

use eframe::egui::{
    Align, Align2, FontId, Layout, Painter, ProgressBar, RichText, ScrollArea, TextStyle, Ui, UiBuilder, vec2,
};
use egui_extras::{Column, TableBuilder, TableRow};

use super::super::columns::{fitting, width_of};
use super::super::number_ui;
use super::graph::{BLOCK, Edge, INDENT, Marks, block_ui, gutter, lanes};
use crate::{text, theme};
use results::network::{LayerSummary, Link, NetworkSummary, Vulnerability};
use results::number::fixed;

const ROW: f32 = 28.0;
const BAR: f32 = 36.0;

/// Heading and help.
const COLUMNS: [(&str, &str); 7] = [
    ("Operation", "From the input at the top to the logits, with the name of its layer as in PyTorch"),
    ("Output", "Shape of its output: channels, height, width; or units"),
    ("Parameters", "Entries of all trained parameters, and their share of the network"),
    ("Remaining", "Weights that are not pruned"),
    (
        "Vulnerability",
        "Images that get another class (SDC-1) under a single fault in the layer, with Wilson's 95 % CI over trials",
    ),
    ("Frozen", "Frozen weights; pruned ones do not count here"),
    ("Multiply-adds left", "Multiply-adds of the surviving weights in a forward pass of one sample"),
];

/// Columns of numbers, which are right-aligned.
const NUMBERS: [usize; 4] = [2, 3, 5, 6];
/// Columns with a bar beside the number, where there is room.
const BARS: [usize; 3] = [2, 3, 4];
/// Columns that go where the view is narrow, first ones first.
const EXPENDABLE: [usize; 5] = [5, 6, 1, 2, 4];
/// How much is drawn of a table in some space.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Room {
    widths: [f32; COLUMNS.len()],
    shown: [bool; COLUMNS.len()],
    has_bars: bool,
    has_intervals: bool,
}

impl Room {
    /// Bars go first, then intervals, then whole columns: a number is never cut.
    fn of(
        ui: &Ui,
        summary: &NetworkSummary,
        harm: &BTreeMap<String, Vulnerability>,
        all: &LayerSummary,
        space: f32,
    ) -> Self {
        let gap = ui.spacing().item_spacing.x;
        let tries = [(true, true), (false, true), (false, false)];
        let mut room = None;
        for (has_bars, has_intervals) in tries {
            let widths = widths(ui, summary, harm, all, (has_bars, has_intervals));
            let shown = fitting(widths, gap, space, &EXPENDABLE);
            let is_last = !has_bars && !has_intervals;
            if is_last || shown == [true; COLUMNS.len()] {
                room = room.or(Some(Self { widths, shown, has_bars, has_intervals }));
            }
        }
        room.expect("the last try is taken in any case")
    }
}

/// The widths of all columns with their longest texts.
fn widths(
    ui: &Ui,
    summary: &NetworkSummary,
    harm: &BTreeMap<String, Vulnerability>,
    all: &LayerSummary,
    (has_bars, has_intervals): (bool, bool),
) -> [f32; COLUMNS.len()] {
    let gutter = gutter(&lanes(&summary.chain));
    let (body, small) = (TextStyle::Body.resolve(ui.style()), FontId::proportional(theme::SMALL));
    let gap = ui.spacing().item_spacing.x;
    let mut widths = COLUMNS.map(|(name, _)| width_of(ui, name, &small) + theme::STEP);
    let mut take = |column: usize, width: f32| widths[column] = widths[column].max(width);
    for link in &summary.chain {
        let layer = link.layer.and_then(|layer| summary.layers.get(layer));
        let name = layer.map_or(0.0, |layer| width_of(ui, &layer.name, &small));
        let indent = if link.is_shortcut { INDENT } else { 0.0 };
        take(0, width_of(ui, &link.what, &body) + name + BLOCK + gutter + indent);
        take(1, width_of(ui, &link.output, &body));
    }
    for layer in summary.layers.iter().chain([all]) {
        let texts = texts(layer);
        let vulnerability =
            harm.get(&layer.name).map_or_else(String::new, |found| harm_text(found, has_intervals));
        for (column, text) in (2..).zip([&texts[0], &texts[1], &vulnerability, &texts[2], &texts[3]]) {
            take(column, width_of(ui, text, &body) + theme::STEP);
        }
    }
    for found in harm.values() {
        take(4, width_of(ui, &harm_text(found, has_intervals), &body) + theme::STEP);
    }
    for column in BARS {
        widths[column] += if has_bars { BAR + gap } else { 0.0 };
    }
    widths
}

/// The texts of a layer: parameters, remaining, frozen, multiply-adds.
fn texts(layer: &LayerSummary) -> [String; 4] {
    let or_none = |count: u64, text: String| if count > 0 { text } else { "–".to_owned() };
    [
        text::grouped(layer.parameters),
        or_none(layer.weights, text::percent(share(layer.remaining, layer.weights))),
        or_none(layer.frozen, text::grouped(layer.frozen)),
        or_none(layer.multiply_adds, text::grouped(layer.surviving_multiply_adds)),
    ]
}

/// "40.00 % [10.26, 79.54]", or without the interval.
fn harm_text(found: &Vulnerability, has_interval: bool) -> String {
    let share = text::percent(found.share);
    if has_interval { format!("{share} {}", interval_of(found)) } else { share }
}

fn interval_of(found: &Vulnerability) -> String {
    let [low, high] = [found.low, found.high].map(|end| fixed(100.0 * end, 2));
    format!("[{low}, {high}]")
}

/// What is drawn of a network.
pub(super) struct Drawing<'a> {
    pub summary: &'a NetworkSummary,
    /// Vulnerability by layer, and by residual block for sums.
    pub harm: &'a BTreeMap<String, Vulnerability>,
    /// The layer that does not fit what comes in, after those that do: what it is, and what is wrong.
    pub misfit: Option<(String, String)>,
    /// How the block of each operation looks; shorter where nothing is known.
    pub marks: Vec<Marks>,
}

/// The network as a table whose headings stay while its rows scroll; `below` is drawn below the rows. Returns the position
/// of the operation whose block was clicked; that of the layer that does not fit is after the last one.
pub(super) fn table_ui(
    ui: &mut Ui,
    drawing: &Drawing<'_>,
    below: impl FnOnce(&mut Ui, f32),
) -> Option<usize> {
    let space = ui.available_width() - ui.spacing().scroll.allocated_width();
    let all = total(&drawing.summary.layers, drawing.misfit.is_some());
    let room = Room::of(ui, drawing.summary, drawing.harm, &all, space);
    let mut clicked = None;
    ScrollArea::horizontal().id_salt("network view").auto_shrink([false, false]).show(ui, |ui| {
        header_ui(ui, &room);
        ScrollArea::vertical().id_salt("network rows").auto_shrink([false, false]).show(ui, |ui| {
            clicked = rows_ui(ui, drawing, &all, &room);
            ui.add_space(2.0 * theme::STEP);
            below(ui, space);
        });
    });
    clicked
}

/// A table with the columns that are shown.
fn columns<'a>(ui: &'a mut Ui, room: &Room, part: &str) -> TableBuilder<'a> {
    let table = TableBuilder::new(ui).id_salt((part, room.shown, room.has_bars)).vscroll(false);
    let table = table.cell_layout(Layout::left_to_right(Align::Center));
    let widths = room.widths.iter().zip(room.shown).filter(|(_, is_shown)| *is_shown);
    widths.fold(table, |table, (width, _)| table.column(Column::exact(*width)))
}

fn header_ui(ui: &mut Ui, room: &Room) {
    let table = columns(ui, room, "network head").header(ROW, |mut row| {
        for (position, (name, help)) in COLUMNS.into_iter().enumerate().filter(|(at, _)| room.shown[*at]) {
            row.col(|ui| {
                let heading = |ui: &mut Ui| theme::heading_ui(ui, name).on_hover_text(help);
                if NUMBERS.contains(&position) {
                    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                        ui.add_space(theme::STEP); // as beside the numbers
                        heading(ui)
                    });
                } else {
                    heading(ui);
                }
            });
        }
    });
    table.body(|_| {});
}

fn rows_ui(ui: &mut Ui, drawing: &Drawing<'_>, all: &LayerSummary, room: &Room) -> Option<usize> {
    let painter = ui.painter().clone();
    let Drawing { summary, harm, misfit, marks } = drawing;
    let worst = harm.values().map(|found| found.share).fold(0.0, f64::max);
    let edges = lanes(&summary.chain);
    let (count, mut clicked) = (summary.chain.len(), None);
    let found = |name: &str| harm.get(name).map(|found| (found, worst));
    columns(ui, room, "network").body(|body| {
        body.rows(ROW, count + usize::from(misfit.is_some()) + 1, |mut row| {
            let position = row.index();
            let mark = marks.get(position).copied().unwrap_or_default();
            match (summary.chain.get(position), misfit) {
                (Some(link), _) => {
                    let layer = link.layer.and_then(|layer| summary.layers.get(layer));
                    row.col(|ui| {
                        if block_ui(ui, &painter, (position, &summary.chain), layer, &edges, mark) {
                            clicked = Some(position);
                        }
                    });
                    if room.shown[1] {
                        row.col(|ui| drop(ui.label(&link.output)));
                    }
                    match layer {
                        Some(layer) => numbers_ui(&mut row, layer, all.parameters, found(&layer.name), room),
                        None if link.block.is_empty() => {}
                        None => sum_ui(&mut row, found(&link.block), room),
                    }
                }
                (None, Some(misfit)) if position == count => {
                    if misfit_ui(&mut row, &painter, misfit, &edges, mark) {
                        clicked = Some(position);
                    }
                }
                (None, _) => {
                    row.col(|ui| drop(ui.label(RichText::new(&all.name).strong())));
                    if room.shown[1] {
                        row.col(|_| {});
                    }
                    numbers_ui(&mut row, all, all.parameters, None, room);
                }
            }
        });
    });
    clicked
}

/// The layer that does not fit, with what is wrong beside its block.
fn misfit_ui(
    row: &mut TableRow<'_, '_>,
    painter: &Painter,
    (what, why): &(String, String),
    edges: &[Edge],
    mark: Marks,
) -> bool {
    let link = Link { what: what.clone(), ..Link::default() };
    let mut is_clicked = false;
    row.col(|ui| {
        let mark = Marks { is_wrong: true, ..mark };
        // Edges of what is drawn end before it.
        let (edges, gutter) = (&[][..], gutter(edges));
        ui.add_space(gutter);
        let rect = ui.max_rect().with_min_x(ui.max_rect().left() + gutter);
        ui.scope_builder(UiBuilder::new().max_rect(rect), |ui| {
            is_clicked = block_ui(ui, painter, (0, &[link]), None, edges, mark);
        });
        let colour = theme::present(ui).bad;
        let at = rect.right_center() + vec2(theme::STEP, 0.0);
        painter.text(at, Align2::LEFT_CENTER, why, FontId::proportional(theme::SMALL), colour);
    });
    is_clicked
}

/// The cells of the sum of a residual block, which has no parameters.
fn sum_ui(row: &mut TableRow<'_, '_>, harm: Option<(&Vulnerability, f64)>, room: &Room) {
    for column in 2..=4 {
        if room.shown[column] {
            row.col(|ui| {
                if column == 4 {
                    vulnerability_ui(ui, harm, room);
                }
            });
        }
    }
}

/// The cells of a layer after its block and its output.
fn numbers_ui(
    row: &mut TableRow<'_, '_>,
    layer: &LayerSummary,
    all: u64,
    harm: Option<(&Vulnerability, f64)>,
    room: &Room,
) {
    let [parameters, remaining, frozen, multiply_adds] = texts(layer);
    let [_, _, has_parameters, has_remaining, has_harm, has_frozen, has_work] = room.shown;
    if has_parameters {
        row.col(|ui| {
            let share = share(layer.parameters, all);
            bar_ui(ui, share, room);
            number_ui(ui, parameters).on_hover_text(format!("{} of all parameters", text::percent(share)));
        });
    }
    if has_remaining {
        row.col(|ui| remaining_ui(ui, layer, remaining, room));
    }
    if has_harm {
        row.col(|ui| vulnerability_ui(ui, harm, room));
    }
    if has_frozen {
        row.col(|ui| drop(number_ui(ui, frozen)));
    }
    if has_work {
        row.col(|ui| {
            let of = format!("of {} when nothing is pruned", text::grouped(layer.multiply_adds));
            let number = number_ui(ui, multiply_adds);
            if layer.multiply_adds > 0 {
                number.on_hover_text(of);
            }
        });
    }
}

fn vulnerability_ui(ui: &mut Ui, harm: Option<(&Vulnerability, f64)>, room: &Room) {
    match harm {
        Some((found, worst)) => harm_ui(ui, found, worst, room),
        None => drop(ui.label("–").on_hover_text("This campaign has no single faults in it")),
    }
}

fn harm_ui(ui: &mut Ui, found: &Vulnerability, worst: f64, room: &Room) {
    let trials = format!("{} trials with a single fault", text::grouped(found.trials));
    bar_ui(ui, found.share / worst.max(f64::MIN_POSITIVE), room);
    let all = format!("{}, {trials}", interval_of(found));
    ui.label(harm_text(found, room.has_intervals)).on_hover_text(all);
}

fn bar_ui(ui: &mut Ui, share: f64, room: &Room) {
    if room.has_bars {
        let colours = theme::present(ui);
        let bar = ProgressBar::new(share as f32).desired_width(BAR).desired_height(theme::STEP);
        ui.add(bar.fill(colours.link).corner_radius(2.0));
    }
}

fn remaining_ui(ui: &mut Ui, layer: &LayerSummary, text: String, room: &Room) {
    if layer.weights == 0 {
        number_ui(ui, text).on_hover_text("A batch norm has no weights that are pruned by default");
        return;
    }
    bar_ui(ui, share(layer.remaining, layer.weights), room);
    let of = format!("{} of {} weights", text::grouped(layer.remaining), text::grouped(layer.weights));
    let label = RichText::new(text);
    // A layer without weights cuts the network in two.
    let label = if layer.remaining == 0 { label.color(theme::present(ui).bad) } else { label };
    number_ui(ui, label).on_hover_text(of);
}

fn share(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}

/// The sum of all layers, or of those before one that does not fit.
fn total(layers: &[LayerSummary], is_cut: bool) -> LayerSummary {
    let sum = |value: fn(&LayerSummary) -> u64| layers.iter().map(value).sum();
    LayerSummary {
        name: if is_cut { "So far" } else { "All layers" }.to_owned(),
        kind: "",
        shape: String::new(),
        parameters: sum(|layer| layer.parameters),
        weights: sum(|layer| layer.weights),
        remaining: sum(|layer| layer.remaining),
        frozen: sum(|layer| layer.frozen),
        multiply_adds: sum(|layer| layer.multiply_adds),
        surviving_multiply_adds: sum(|layer| layer.surviving_multiply_adds),
    }
}

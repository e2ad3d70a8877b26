//! The operations of a network as a table, each with its block of the graph.

use std::collections::BTreeMap;

use eframe::egui::{Align, FontId, Layout, ProgressBar, RichText, TextStyle, Ui};
use egui_extras::{Column, TableBuilder, TableRow};

use super::super::columns::{fitting, width_of};
use super::super::number_ui;
use super::graph::{BLOCK, block_ui, gutter, lanes};
use crate::gui::{text, theme};
use crate::results::network::{LayerSummary, NetworkSummary, Vulnerability};
use crate::results::number::fixed;

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
        take(0, width_of(ui, &link.what, &body) + name + BLOCK + gutter);
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

/// The chain as a table.
pub(super) fn table_ui(
    ui: &mut Ui,
    summary: &NetworkSummary,
    harm: &BTreeMap<String, Vulnerability>,
    space: f32,
) {
    let painter = ui.painter().clone();
    let all = total(&summary.layers);
    let room = Room::of(ui, summary, harm, &all, space);
    let mut table = TableBuilder::new(ui).id_salt(("network", room.shown, room.has_bars)).vscroll(false);
    table = table.cell_layout(Layout::left_to_right(Align::Center));
    for (width, _) in room.widths.iter().zip(room.shown).filter(|(_, is_shown)| *is_shown) {
        table = table.column(Column::exact(*width));
    }
    let table = table.header(ROW, |mut row| {
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
    let worst = harm.values().map(|found| found.share).fold(0.0, f64::max);
    let edges = lanes(&summary.chain);
    table.body(|body| {
        body.rows(ROW, summary.chain.len() + 1, |mut row| {
            let position = row.index();
            let Some(link) = summary.chain.get(position) else {
                row.col(|ui| drop(ui.label(RichText::new(&all.name).strong())));
                if room.shown[1] {
                    row.col(|_| {});
                }
                return numbers_ui(&mut row, &all, all.parameters, None, &room);
            };
            let layer = link.layer.and_then(|layer| summary.layers.get(layer));
            row.col(|ui| block_ui(ui, &painter, (position, link), layer, &edges));
            if room.shown[1] {
                row.col(|ui| drop(ui.label(&link.output)));
            }
            if let Some(layer) = layer {
                let found = harm.get(&layer.name).map(|found| (found, worst));
                numbers_ui(&mut row, layer, all.parameters, found, &room);
            }
        });
    });
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
            number_ui(ui, parameters).on_hover_text(text::percent(share));
        });
    }
    if has_remaining {
        row.col(|ui| remaining_ui(ui, layer, remaining, room));
    }
    if has_harm {
        row.col(|ui| match harm {
            Some((found, worst)) => harm_ui(ui, found, worst, room),
            None => drop(ui.label("–").on_hover_text("No campaign has single faults in it")),
        });
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

fn total(layers: &[LayerSummary]) -> LayerSummary {
    let sum = |value: fn(&LayerSummary) -> u64| layers.iter().map(value).sum();
    LayerSummary {
        name: "All layers".to_owned(),
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

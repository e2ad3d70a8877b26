//! The network as a chain of operations: shapes, parameters, remaining weights, and the vulnerability of each layer.

use std::collections::BTreeMap;

use eframe::egui::{
    Align, Color32, FontId, Layout, ProgressBar, Rect, RichText, ScrollArea, Stroke, StrokeKind, TextStyle,
    Ui, pos2, vec2,
};
use egui_extras::{Column, TableBuilder, TableRow};

use super::columns::{fitting, width_of};
use super::offer::{Offer, Offers};
use super::reports::reports_ui;
use super::{Shared, View, ViewEntry, ViewInput, ViewResponse, number_ui};
use crate::figure::network;
use crate::gui::{text, theme};
use crate::results::Report;
use crate::results::network::{LayerSummary, Link, NetworkSummary, Vulnerabilities, Vulnerability, as_begun};
use crate::results::number::fixed;
use crate::results::tiles::Group;
use crate::run::summary::planned_summary;

const ROW: f32 = 28.0;
const BAR: f32 = 36.0;

/// The last contents, for exports.
#[derive(Default)]
pub struct NetworkView {
    drawn: Option<(Vec<LayerSummary>, Vulnerabilities, String)>,
}

/// The view in the registry.
pub const ENTRY: ViewEntry = ViewEntry {
    name: "network",
    title: "Network",
    group: Group::Weights,
    help: "The network of the selected arm or run from its input to its logits, before \
           a run and after it. Each row is an operation with the shape of its output, its parameters, the share \
           of its weights that remain after pruning, and the multiply-adds of the surviving weights. A layer \
           with 0 % remaining cuts the network in two. Vulnerability is the share of images that get another \
            class under a single fault in the layer; it needs a Campaign with one fault per trial. Remaining \
            and frozen weights need a run that is done; where the networks after each training are kept, \
            the slider at the top goes through the rounds, also while the run goes on. The reports of the stages follow below, such as \
            \u{201c}Pruned or frozen weights: bit-identical\u{201d}.",
    make: || Box::<NetworkView>::default(),
};

impl View for NetworkView {
    fn ui(&mut self, ui: &mut Ui, input: &ViewInput<'_>, shared: &mut Shared<'_>) -> Option<ViewResponse> {
        self.drawn = None;
        let planned_run =
            if shared.network.is_there(ui.ctx(), input) { None } else { input.selected().next() };
        let planned;
        let (summary, id, arm, title) = if let Some(run) = planned_run {
            let title = as_begun(&run.arm);
            ui.label(RichText::new(&title).strong())
                .on_hover_text("Remaining and frozen weights appear when the run is done");
            planned = planned_summary(&run.spec);
            (&planned, run.id.clone(), run.arm.clone(), title)
        } else {
            let read = shared.network.ui(ui, ENTRY.help, input)?;
            (read.summary, read.source.id, read.arm, read.title)
        };
        let reports = input.runs.record(&id).map_or(&[][..], |record| record.reports());
        let harm = vulnerabilities(input, &arm);
        if !harm.subject.is_empty() {
            ui.label(RichText::new(format!("Vulnerability: {}", harm.subject)).small().weak());
        }
        network_ui(ui, summary, &harm.by_layer, reports);
        self.drawn = Some((summary.layers.clone(), harm, title));
        None
    }

    fn offers(&self) -> Offers {
        match self.drawn {
            Some(_) => Offers::Figure,
            None => Offers::Later("Network shows nothing yet"),
        }
    }

    fn offer(&self) -> Option<Offer> {
        let (layers, harm, of) = self.drawn.clone()?;
        let make = move || network::layers(&layers, &harm, &of);
        Some(Offer::new("layers".to_owned(), "remaining weights of the layers".to_owned(), make))
    }
}

/// Vulnerability by the campaigns of the selected run, or of the selected runs with the setting of the shown network, which
/// is the `arm` with its swept values.
fn vulnerabilities(input: &ViewInput<'_>, arm: &str) -> Vulnerabilities {
    let own = input.selected().filter(|run| run.arm == arm);
    Vulnerabilities::of(arm, own.filter_map(|run| Some((run.seed, input.runs.record(&run.id)?))))
}

/// Draws the chain, and the reports below it.
fn network_ui(
    ui: &mut Ui,
    summary: &NetworkSummary,
    harm: &BTreeMap<String, Vulnerability>,
    reports: &[Report],
) {
    let space = ui.available_width() - ui.spacing().scroll.allocated_width();
    ScrollArea::both().id_salt("network view").auto_shrink([false, false]).show(ui, |ui| {
        table_ui(ui, summary, harm, space);
        ui.add_space(2.0 * theme::STEP);
        // The table may be wider than the view, the reports are not.
        ui.scope(|ui| {
            ui.set_max_width(space);
            reports_ui(ui, reports);
        });
    });
}

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
/// Height and width of the block of an operation beside its texts.
const BLOCK: f32 = 5.0 * theme::STEP;

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
    let (body, small) = (TextStyle::Body.resolve(ui.style()), FontId::proportional(theme::SMALL));
    let gap = ui.spacing().item_spacing.x;
    let mut widths = COLUMNS.map(|(name, _)| width_of(ui, name, &small) + theme::STEP);
    let mut take = |column: usize, width: f32| widths[column] = widths[column].max(width);
    let lanes = lanes(&summary.chain);
    let gutter = LANE * lanes.iter().map(|edge| edge.lane + 1).max().unwrap_or(0) as f32;
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
fn table_ui(ui: &mut Ui, summary: &NetworkSummary, harm: &BTreeMap<String, Vulnerability>, space: f32) {
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
            row.col(|ui| block_ui(ui, (position, link), layer, &edges));
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

/// Width of a lane for edges that pass blocks, in points.
const LANE: f32 = 12.0;

/// An edge of the graph that passes other operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Edge {
    from: usize,
    to: usize,
    /// How many lanes are between it and the blocks.
    lane: usize,
}

/// The edges between operations that do not follow each other; those that pass the same operations have different lanes.
fn lanes(chain: &[Link]) -> Vec<Edge> {
    let mut edges: Vec<Edge> = Vec::new();
    for (to, link) in chain.iter().enumerate() {
        for &from in link.reads.iter().filter(|from| **from + 1 < to) {
            let is_free = |lane: &usize| !edges.iter().any(|edge| edge.lane == *lane && edge.to > from);
            let lane = (0..).find(is_free).unwrap_or(0);
            edges.push(Edge { from, to, lane });
        }
    }
    edges
}

/// An operation as a block, joined to those that it reads.
fn block_ui(ui: &mut Ui, (position, link): (usize, &Link), layer: Option<&LayerSummary>, edges: &[Edge]) {
    let colours = theme::present(ui);
    let cell = ui.max_rect();
    let gutter = LANE * edges.iter().map(|edge| edge.lane + 1).max().unwrap_or(0) as f32;
    let block = Rect::from_min_max(cell.min + vec2(2.0 + gutter, 3.0), cell.max - vec2(theme::STEP, 3.0));
    let stroke = Stroke::new(2.0, colours.text2);
    let gap = 6.0 + ui.spacing().item_spacing.y;
    let painter = ui.painter().with_clip_rect(ui.clip_rect().expand2(vec2(0.0, gap)));
    if position > 0 && link.reads.contains(&(position - 1)) {
        let x = block.left() + 20.0;
        painter.line_segment([pos2(x, block.top() - gap), pos2(x, block.top())], stroke);
    }
    for edge in edges.iter().filter(|edge| (edge.from..=edge.to).contains(&position)) {
        let x = block.left() - LANE * (edge.lane as f32 + 0.5);
        let (top, bottom) = (block.top() - gap, block.bottom() + gap);
        let middle = block.center().y;
        let ends = match position {
            at if at == edge.from => [middle, bottom],
            at if at == edge.to => [top, middle],
            _ => [top, bottom],
        };
        painter.line_segment(ends.map(|y| pos2(x, y)), stroke);
        if position == edge.from || position == edge.to {
            painter.line_segment([pos2(x, middle), pos2(block.left(), middle)], stroke);
        }
    }
    // Operations with parameters are filled.
    let fill = if layer.is_some() { colours.raised } else { Color32::TRANSPARENT };
    ui.painter().rect_filled(block, 4.0, fill);
    ui.painter().rect_stroke(block, 4.0, Stroke::new(1.0, colours.line), StrokeKind::Inside);
    ui.add_space(theme::STEP + gutter);
    ui.label(&link.what);
    if let Some(layer) = layer {
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.add_space(1.5 * theme::STEP);
            let weight = format!("{}, weight of {}", layer.kind, layer.shape);
            ui.label(RichText::new(&layer.name).small().color(colours.text2)).on_hover_text(weight);
        });
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

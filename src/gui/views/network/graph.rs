//! The operations of a network as a table, each with its block of the graph: lanes at the left are for shortcuts.

use std::collections::BTreeMap;

use eframe::egui::accesskit::Role;
use eframe::egui::{
    Align, Align2, Color32, CursorIcon, FontId, Label, Layout, Painter, Pos2, ProgressBar, Rect, RichText,
    Sense, Shape, Stroke, StrokeKind, TextStyle, Ui, UiBuilder, Vec2, WidgetInfo, pos2, vec2,
};

use crate::table::{Column, GAP, Table, width_of};
use crate::{text, theme};
use results::network::{LayerSummary, Link, NetworkSummary, Vulnerability};
use results::number::fixed;

/// Height and width of the block of an operation beside its texts.
const BLOCK: f32 = 5.0 * theme::STEP;
/// Width of a lane for edges that pass blocks, in points.
const LANE: f32 = 12.0;
/// Indentation of the operations of a shortcut, so that the end of the body passes them.
const INDENT: f32 = 32.0;
/// Distance of edges that enter and leave a block from its left.
const SPINE: f32 = 20.0;
/// Length of an arrowhead.
const HEAD: f32 = 5.0;

/// An edge of the graph that passes other operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Edge {
    from: usize,
    to: usize,
    /// Number of lanes between it and the blocks.
    lane: usize,
}

/// Returns the edges between operations that do not follow each other. Those that pass the same operations, and those
/// of which one begins where the other ends, have different lanes. The end of a body needs none: operations of a
/// shortcut make room.
fn lanes(chain: &[Link]) -> Vec<Edge> {
    let mut edges: Vec<Edge> = Vec::new();
    for (to, link) in chain.iter().enumerate() {
        let passes = |from: usize| !chain[from + 1..to].iter().all(|link| link.is_shortcut);
        for &from in link.reads.iter().filter(|from| **from + 1 < to && passes(**from)) {
            let is_free = |lane: &usize| !edges.iter().any(|edge| edge.lane == *lane && edge.to >= from);
            let lane = (0..=edges.len()).find(is_free).unwrap_or(0);
            edges.push(Edge { from, to, lane });
        }
    }
    edges
}

/// Returns the width of all lanes, in points.
fn gutter(edges: &[Edge]) -> f32 {
    LANE * edges.iter().map(|edge| edge.lane + 1).max().unwrap_or(0) as f32
}

/// The looks of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Marks {
    /// True if its line is open in the editor.
    pub is_open: bool,
    pub is_wrong: bool,
    /// True if a click leads to its line in the editor.
    pub leads: bool,
}

/// Draws an operation as a block, joined by arrows to the operations that it reads; `painter` draws the arrows, which
/// reach into other rows. Returns true if it was clicked.
fn block_ui(
    ui: &mut Ui,
    painter: &Painter,
    (position, chain): (usize, &[Link]),
    layer: Option<&LayerSummary>,
    edges: &[Edge],
    marks: Marks,
) -> bool {
    let cell = ui.max_rect();
    let link = &chain[position];
    let (gutter, colours) = (gutter(edges), theme::present(ui));
    let indent = if link.is_shortcut { INDENT } else { 0.0 };
    let space = Rect::from_min_max(cell.min + vec2(2.0 + gutter, 3.0), cell.max - vec2(theme::STEP, 3.0));
    let block = space.with_min_x(space.left() + indent);
    let gap = 6.0 + ui.spacing().item_spacing.y;
    let arrows = Arrows { painter, stroke: Stroke::new(2.0, colours.text2) };
    arrows.straight(space, gap, chain, position);
    arrows.in_lanes(space, block, gap, edges, position);
    let fill = if layer.is_some() { colours.raised } else { Color32::TRANSPARENT };
    let stroke = match marks {
        Marks { is_wrong: true, .. } => Stroke::new(2.0, colours.bad),
        Marks { is_open: true, .. } => Stroke::new(2.0, colours.link),
        Marks { .. } => Stroke::new(1.0, colours.line),
    };
    ui.painter().rect_filled(block, 4.0, fill);
    ui.painter().rect_stroke(block, 4.0, stroke, StrokeKind::Inside);
    let is_clicked = marks.leads && {
        let response = ui.interact(block, ui.scope_id().with("block"), Sense::click());
        let name = format!("Edit {}", link.what);
        response.widget_info(|| WidgetInfo::labeled(Role::Button, true, name.as_str()));
        response.on_hover_cursor(CursorIcon::PointingHand).clicked()
    };
    ui.add_space(theme::STEP + gutter + indent);
    let text = RichText::new(&link.what);
    let text = if marks.is_wrong { text.color(colours.bad) } else { text };
    ui.add(Label::new(text).selectable(false));
    if let Some(layer) = layer {
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.add_space(1.5 * theme::STEP);
            let weight = format!("{}, weight of {}", layer.kind, layer.shape);
            let name = RichText::new(&layer.name).small().color(colours.text2);
            ui.add(Label::new(name).selectable(false)).on_hover_text(weight);
        });
    }
    is_clicked
}

/// Paints the edges of the graph, row by row.
struct Arrows<'a> {
    painter: &'a Painter,
    stroke: Stroke,
}

impl Arrows<'_> {
    /// Paints the edges that enter the row of an operation from above, and the one that passes it beside a shortcut.
    fn straight(&self, space: Rect, gap: f32, chain: &[Link], position: usize) {
        let link = &chain[position];
        let (top, spine) = (space.top() - gap, space.left() + SPINE);
        let is_after_shortcut = position > 0 && chain[position - 1].is_shortcut;
        if link.is_shortcut {
            self.line([pos2(spine, top), pos2(spine, space.bottom() + gap)]);
        } else if is_after_shortcut {
            self.arrow([pos2(spine, top), pos2(spine, space.top())]);
        }
        if position == 0 || !link.reads.contains(&(position - 1)) {
            return;
        }
        if link.is_shortcut && !is_after_shortcut {
            // A body without operations: the shortcut reads what passes it.
            let middle = space.center().y;
            return self.arrow([pos2(spine, middle), pos2(space.left() + INDENT, middle)]);
        }
        let x = if is_after_shortcut { spine + INDENT } else { spine };
        self.arrow([pos2(x, top), pos2(x, space.top())]);
    }

    /// Paints the edges in lanes: they leave a block in its lower quarter and enter one in its upper quarter, so that an end and
    /// a beginning are told apart.
    fn in_lanes(&self, space: Rect, block: Rect, gap: f32, edges: &[Edge], position: usize) {
        for edge in edges.iter().filter(|edge| (edge.from..=edge.to).contains(&position)) {
            let x = space.left() - LANE * (edge.lane as f32 + 0.5);
            let (above, below) = (space.top() - gap, space.bottom() + gap);
            let [enters, leaves] = [0.25, 0.75].map(|share| space.top() + share * space.height());
            match position {
                at if at == edge.from => {
                    self.line([pos2(block.left(), leaves), pos2(x, leaves)]);
                    self.line([pos2(x, leaves), pos2(x, below)]);
                }
                at if at == edge.to => {
                    self.line([pos2(x, above), pos2(x, enters)]);
                    self.arrow([pos2(x, enters), pos2(block.left(), enters)]);
                }
                _ => self.line([pos2(x, above), pos2(x, below)]),
            }
        }
    }

    fn line(&self, ends: [Pos2; 2]) {
        self.painter.line_segment(ends, self.stroke);
    }

    fn arrow(&self, [from, to]: [Pos2; 2]) {
        let along: Vec2 = (to - from).normalized() * HEAD;
        self.line([from, to - along]);
        let across = along.rot90() * 0.7;
        let corners = vec![to, to - along + across, to - along - across];
        self.painter.add(Shape::convex_polygon(corners, self.stroke.color, Stroke::NONE));
    }
}

/// Height of a row, and width of the bar beside a number, in points.
const ROW: f32 = 28.0;
const BAR: f32 = 36.0;
/// Columns with a bar beside the number, where there is room.
const BARS: [usize; 3] = [2, 3, 4];

/// Returns the columns without their widths.
fn columns() -> [Column<'static>; 7] {
    let harm = "Images that get another class (SDC-1) under a single fault in the layer, with Wilson's 95 % CI over trials";
    let work = "Multiply-adds of the surviving weights in a forward pass of one sample";
    [
        Column::text(
            "Operation",
            "From the input at the top to the logits, with the name of its layer as in PyTorch",
        ),
        Column::text("Output", "Shape of its output: channels, height, width; or units").leaves(2),
        Column::number("Parameters", "Entries of all trained parameters, and their share of the network")
            .leaves(3),
        Column::number("Remaining", "Weights that are not pruned"),
        Column::text("Vulnerability", harm).leaves(4),
        Column::number("Frozen", "Frozen weights; pruned ones do not count here").leaves(0),
        Column::number("Multiply-adds left", work).leaves(1),
    ]
}

/// The drawing of a network.
pub(super) struct Drawing<'a> {
    pub summary: &'a NetworkSummary,
    /// Vulnerability by layer, and by residual block for sums.
    pub harm: &'a BTreeMap<String, Vulnerability>,
    /// The layer that does not fit what comes in, after those that do: what it is, and what is wrong.
    pub misfit: Option<(String, String)>,
    /// The looks of the block of each operation; shorter where nothing is known.
    pub marks: Vec<Marks>,
}

/// A row of the table.
enum Line<'a> {
    Operation(&'a Link, Option<&'a LayerSummary>),
    Misfit(&'a str, &'a str),
    Total,
}

/// The table with how much is drawn of it in some space.
struct Sheet<'a> {
    drawing: &'a Drawing<'a>,
    edges: Vec<Edge>,
    /// The sum of all layers.
    all: LayerSummary,
    /// The largest vulnerability, which has a full bar.
    worst: f64,
    columns: [Column<'static>; 7],
    has_bars: bool,
    has_intervals: bool,
}

/// Draws the network as a table. Returns the position of the operation whose block was clicked; that of the layer that does
/// not fit is after the last one.
pub(super) fn table_ui(ui: &mut Ui, drawing: &Drawing<'_>) -> Option<usize> {
    let sheet = Sheet::new(ui, drawing);
    let text = |row: usize, column: usize| sheet.text(row, column);
    let table = Table {
        id: "network",
        columns: &sheet.columns,
        rows: sheet.rows(),
        row_height: ROW,
        text: Some(&text),
        is_low: true,
        ..Table::default()
    };
    let (mut clicked, mut painter) = (None, ui.painter().clone());
    table.show(ui, &mut |ui, row, column| match column {
        // Arrows reach into other rows.
        None => painter = ui.painter().clone(),
        Some(0) => {
            if sheet.block_ui(ui, &painter, row) {
                clicked = Some(row);
            }
        }
        Some(column) => sheet.cell_ui(ui, row, column),
    });
    clicked
}

impl<'a> Sheet<'a> {
    /// Fits the table into the space: bars go first, then intervals, then whole columns.
    fn new(ui: &Ui, drawing: &'a Drawing<'a>) -> Self {
        let worst = drawing.harm.values().map(|found| found.share).fold(0.0, f64::max);
        let all = total(&drawing.summary.layers, drawing.misfit.is_some());
        let (edges, columns) = (lanes(&drawing.summary.chain), columns());
        let mut sheet = Self { drawing, edges, all, worst, columns, has_bars: true, has_intervals: true };
        for shown in [(true, true), (false, true), (false, false)] {
            (sheet.has_bars, sheet.has_intervals) = shown;
            sheet.columns = std::array::from_fn(|at| sheet.columns[at].clone().fits(ui, sheet.width(ui, at)));
            if sheet.columns.iter().map(|column| column.width).sum::<f32>() <= ui.available_width() {
                break;
            }
        }
        sheet
    }

    fn rows(&self) -> usize {
        self.drawing.summary.chain.len() + usize::from(self.drawing.misfit.is_some()) + 1
    }

    fn line(&self, row: usize) -> Line<'a> {
        let Drawing { summary, misfit, .. } = self.drawing;
        match (summary.chain.get(row), misfit) {
            (Some(link), _) => Line::Operation(link, link.layer.and_then(|layer| summary.layers.get(layer))),
            (None, Some((what, why))) if row == summary.chain.len() => Line::Misfit(what, why),
            (None, _) => Line::Total,
        }
    }

    /// Returns the layer whose numbers a row has.
    fn layer(&self, row: usize) -> Option<&LayerSummary> {
        match self.line(row) {
            Line::Operation(_, layer) => layer,
            Line::Misfit(..) => None,
            Line::Total => Some(&self.all),
        }
    }

    /// Returns the vulnerability of a layer, or of a residual block.
    fn harm(&self, row: usize) -> Option<&'a Vulnerability> {
        let Line::Operation(link, layer) = self.line(row) else { return None };
        self.drawing.harm.get(layer.map_or(link.block.as_str(), |layer| &layer.name))
    }

    /// Returns the text of a cell; empty where a row has none.
    fn text(&self, row: usize, column: usize) -> String {
        let or_none = |count: u64, text: String| if count > 0 { text } else { "–".to_owned() };
        let number = |layer: &LayerSummary| match column {
            2 => text::grouped(layer.parameters),
            3 => or_none(layer.weights, text::percent(share(layer.remaining, layer.weights))),
            5 => or_none(layer.frozen, text::grouped(layer.frozen)),
            _ => or_none(layer.multiply_adds, text::grouped(layer.surviving_multiply_adds)),
        };
        match (self.line(row), column) {
            (Line::Operation(link, _), 0) => link.what.clone(),
            (Line::Operation(link, _), 1) => link.output.clone(),
            (Line::Operation(link, None), 4) if link.block.is_empty() => String::new(),
            (Line::Misfit(what, _), 0) => what.to_owned(),
            (Line::Misfit(..), _) | (Line::Total, 1) => String::new(),
            (Line::Total, 0) => self.all.name.clone(),
            (Line::Operation(..) | Line::Total, 4) => {
                self.harm(row).map_or_else(|| "–".to_owned(), |found| harm_text(found, self.has_intervals))
            }
            (Line::Operation(..) | Line::Total, _) => self.layer(row).map(number).unwrap_or_default(),
        }
    }

    /// Returns the width of the contents of a column.
    fn width(&self, ui: &Ui, column: usize) -> f32 {
        let (body, small) = (TextStyle::Body.resolve(ui.style()), FontId::proportional(theme::SMALL));
        let width = |row: usize| {
            let text = width_of(ui, &self.text(row, column), &body);
            let Line::Operation(link, layer) = self.line(row) else { return text };
            if column > 0 {
                return text;
            }
            let name = layer.map_or(0.0, |layer| width_of(ui, &layer.name, &small));
            text + name + BLOCK + gutter(&self.edges) + if link.is_shortcut { INDENT } else { 0.0 }
        };
        let bar = if self.has_bars && BARS.contains(&column) { BAR + GAP } else { 0.0 };
        (0..self.rows()).map(width).fold(0.0, f32::max) + bar
    }

    /// Draws the operation of a row; returns true if its block was clicked.
    fn block_ui(&self, ui: &mut Ui, painter: &Painter, row: usize) -> bool {
        let mark = self.drawing.marks.get(row).copied().unwrap_or_default();
        match self.line(row) {
            Line::Operation(_, layer) => {
                block_ui(ui, painter, (row, &self.drawing.summary.chain), layer, &self.edges, mark)
            }
            Line::Misfit(what, why) => {
                let link = Link { what: what.to_owned(), ..Link::default() };
                let mark = Marks { is_wrong: true, ..mark };
                // Edges of what is drawn end before it.
                let rect = ui.max_rect().with_min_x(ui.max_rect().left() + gutter(&self.edges));
                let at = rect.right_center() + vec2(theme::STEP, 0.0);
                let (font, ink) = (FontId::proportional(theme::SMALL), theme::present(ui).bad);
                painter.text(at, Align2::LEFT_CENTER, why, font, ink);
                let mut ui = ui.new_child(UiBuilder::new().max_rect(rect));
                block_ui(&mut ui, painter, (0, &[link]), None, &[], mark)
            }
            Line::Total => {
                ui.label(RichText::new(&self.all.name).strong());
                false
            }
        }
    }

    /// Draws a cell after that of the block.
    fn cell_ui(&self, ui: &mut Ui, row: usize, column: usize) {
        let text = self.text(row, column);
        if text.is_empty() {
            return;
        }
        if column == 4 {
            let Some(found) = self.harm(row) else {
                return drop(ui.label(text).on_hover_text("This campaign has no single faults in it"));
            };
            let trials = format!("{} trials with a single fault", text::grouped(found.trials));
            self.bar_ui(ui, found.share / self.worst.max(f64::MIN_POSITIVE));
            return drop(ui.label(text).on_hover_text(format!("{}, {trials}", interval_of(found))));
        }
        let Some(layer) = self.layer(row) else { return drop(ui.label(text)) };
        // A layer without weights cuts the network in two.
        let is_cut = column == 3 && layer.weights > 0 && layer.remaining == 0;
        let text = RichText::new(text);
        let shown = ui.label(if is_cut { text.color(theme::present(ui).bad) } else { text });
        let [parameters, remaining] =
            [share(layer.parameters, self.all.parameters), share(layer.remaining, layer.weights)];
        let hint = match column {
            2 => format!("{} of all parameters", text::percent(parameters)),
            3 if layer.weights == 0 => "A batch norm has no weights that are pruned by default".to_owned(),
            3 => format!("{} of {} weights", text::grouped(layer.remaining), text::grouped(layer.weights)),
            6 if layer.multiply_adds > 0 => {
                format!("of {} when nothing is pruned", text::grouped(layer.multiply_adds))
            }
            _ => return,
        };
        shown.on_hover_text(hint);
        if column == 2 || column == 3 && layer.weights > 0 {
            let bar = if column == 2 { parameters } else { remaining };
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| self.bar_ui(ui, bar));
        }
    }

    fn bar_ui(&self, ui: &mut Ui, share: f64) {
        if self.has_bars {
            let bar = ProgressBar::new(share as f32).desired_width(BAR).desired_height(theme::STEP);
            ui.add(bar.fill(theme::present(ui).link).corner_radius(2.0));
        }
    }
}

/// Returns "40.00 % [10.26, 79.54]", or without the interval.
fn harm_text(found: &Vulnerability, has_interval: bool) -> String {
    let share = text::percent(found.share);
    if has_interval { format!("{share} {}", interval_of(found)) } else { share }
}

fn interval_of(found: &Vulnerability) -> String {
    let [low, high] = [found.low, found.high].map(|end| fixed(100.0 * end, 2));
    format!("[{low}, {high}]")
}

fn share(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}

/// Returns the sum of all layers, or of those before one that does not fit.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(reads: &[&[usize]]) -> Vec<Link> {
        let link = |reads: &&[usize]| Link {
            what: String::new(),
            output: String::new(),
            layer: None,
            block: String::new(),
            is_shortcut: false,
            reads: reads.to_vec(),
        };
        reads.iter().map(link).collect()
    }

    fn drawn(chain: &[Link]) -> Vec<[usize; 3]> {
        lanes(chain).iter().map(|edge| [edge.from, edge.to, edge.lane]).collect()
    }

    #[test]
    fn shortcuts_that_follow_or_pass_each_other_have_lanes_beside_each_other() {
        // Two blocks one after the other, then a block in a block.
        let chain = chain(&[&[], &[0], &[1, 0], &[2], &[3, 2], &[4], &[5], &[6, 5], &[7, 4]]);
        assert_eq!(drawn(&chain), [[0, 2, 0], [2, 4, 1], [5, 7, 0], [4, 8, 2]]);
        assert_eq!(gutter(&[]), 0.0);
    }

    #[test]
    fn the_lane_is_that_of_the_shortcut_where_it_has_operations() {
        // Input, a body of two, a projection with its norm, the sum.
        let mut chain = chain(&[&[], &[0], &[1], &[0], &[3], &[4, 2]]);
        chain[3].is_shortcut = true;
        chain[4].is_shortcut = true;
        assert_eq!(drawn(&chain), [[0, 3, 0]], "the body goes straight to the sum");
    }
}

//! The graph of a network: a block for each operation, and lanes at the left for shortcuts.

use eframe::egui::{Align, Color32, Layout, Painter, Rect, RichText, Stroke, StrokeKind, Ui, pos2, vec2};

use crate::gui::theme;
use crate::results::network::{LayerSummary, Link};

/// Height and width of the block of an operation beside its texts.
pub(super) const BLOCK: f32 = 5.0 * theme::STEP;
/// Width of a lane for edges that pass blocks, in points.
const LANE: f32 = 12.0;

/// An edge of the graph that passes other operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Edge {
    from: usize,
    to: usize,
    /// How many lanes are between it and the blocks.
    lane: usize,
}

/// The edges between operations that do not follow each other; those that pass the same operations have different lanes.
pub(super) fn lanes(chain: &[Link]) -> Vec<Edge> {
    let mut edges: Vec<Edge> = Vec::new();
    for (to, link) in chain.iter().enumerate() {
        for &from in link.reads.iter().filter(|from| **from + 1 < to) {
            let is_free = |lane: &usize| !edges.iter().any(|edge| edge.lane == *lane && edge.to > from);
            let lane = (0..=edges.len()).find(is_free).unwrap_or(0);
            edges.push(Edge { from, to, lane });
        }
    }
    edges
}

/// Width of all lanes, in points.
pub(super) fn gutter(edges: &[Edge]) -> f32 {
    LANE * edges.iter().map(|edge| edge.lane + 1).max().unwrap_or(0) as f32
}

/// An operation as a block, joined to those that it reads by lines between the rows, which `painter` draws.
pub(super) fn block_ui(
    ui: &mut Ui,
    painter: &Painter,
    (position, link): (usize, &Link),
    layer: Option<&LayerSummary>,
    edges: &[Edge],
) {
    let colours = theme::present(ui);
    let cell = ui.max_rect();
    let gutter = gutter(edges);
    let block = Rect::from_min_max(cell.min + vec2(2.0 + gutter, 3.0), cell.max - vec2(theme::STEP, 3.0));
    let stroke = Stroke::new(2.0, colours.text2);
    let gap = 6.0 + ui.spacing().item_spacing.y;
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

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(reads: &[&[usize]]) -> Vec<Link> {
        let link = |reads: &&[usize]| Link {
            what: String::new(),
            output: String::new(),
            layer: None,
            reads: reads.to_vec(),
        };
        reads.iter().map(link).collect()
    }

    #[test]
    fn shortcuts_that_pass_the_same_operations_have_lanes_beside_each_other() {
        // Two blocks one after the other, then a block in a block.
        let chain = chain(&[&[], &[0], &[1, 0], &[2], &[3, 2], &[4], &[5], &[6, 5], &[7, 4]]);
        let lanes: Vec<[usize; 3]> =
            lanes(&chain).iter().map(|edge| [edge.from, edge.to, edge.lane]).collect();
        assert_eq!(lanes, [[0, 2, 0], [2, 4, 0], [5, 7, 0], [4, 8, 1]]);
        assert_eq!(gutter(&[]), 0.0);
    }
}

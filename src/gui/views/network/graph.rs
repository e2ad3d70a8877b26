//! The graph of a network: a block for each operation, and lanes at the left for shortcuts.

use eframe::egui::{
    Align, Color32, CursorIcon, Label, Layout, Painter, Pos2, Rect, RichText, Sense, Shape, Stroke,
    StrokeKind, Ui, Vec2, WidgetInfo, accesskit::Role, pos2, vec2,
};

use crate::theme;
use results::network::{LayerSummary, Link};

/// Height and width of the block of an operation beside its texts.
pub(super) const BLOCK: f32 = 5.0 * theme::STEP;
/// Width of a lane for edges that pass blocks, in points.
const LANE: f32 = 12.0;
/// How far the operations of a shortcut are to the right, so that the end of the body passes them.
pub(super) const INDENT: f32 = 32.0;
/// Where edges enter and leave a block, from its left.
const SPINE: f32 = 20.0;
/// Length of an arrowhead.
const HEAD: f32 = 5.0;

/// An edge of the graph that passes other operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Edge {
    from: usize,
    to: usize,
    /// How many lanes are between it and the blocks.
    lane: usize,
}

/// The edges between operations that do not follow each other. Those that pass the same operations, and those of which one
/// begins where the other ends, have different lanes. The end of a body needs none: operations of a shortcut make room.
pub(super) fn lanes(chain: &[Link]) -> Vec<Edge> {
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

/// Width of all lanes, in points.
pub(super) fn gutter(edges: &[Edge]) -> f32 {
    LANE * edges.iter().map(|edge| edge.lane + 1).max().unwrap_or(0) as f32
}

/// What a block looks like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Marks {
    /// Whether its line is open in the editor.
    pub is_open: bool,
    /// Whether something is wrong with it.
    pub is_wrong: bool,
    /// Whether a click leads to its line in the editor.
    pub leads: bool,
}

/// An operation as a block, joined by arrows to the operations that it reads; `painter` draws the arrows, which reach into
/// other rows. Returns whether it was clicked.
pub(super) fn block_ui(
    ui: &mut Ui,
    painter: &Painter,
    (position, chain): (usize, &[Link]),
    layer: Option<&LayerSummary>,
    edges: &[Edge],
    marks: Marks,
) -> bool {
    let cell = ui.max_rect();
    let link = &chain[position];
    let gutter = gutter(edges);
    let indent = if link.is_shortcut { INDENT } else { 0.0 };
    let space = Rect::from_min_max(cell.min + vec2(2.0 + gutter, 3.0), cell.max - vec2(theme::STEP, 3.0));
    let block = space.with_min_x(space.left() + indent);
    let gap = 6.0 + ui.spacing().item_spacing.y;
    let arrows = Arrows { painter, stroke: Stroke::new(2.0, theme::present(ui).text2) };
    arrows.straight(space, gap, chain, position);
    arrows.in_lanes(space, block, gap, edges, position);
    box_ui(ui, block, layer.is_some(), marks);
    let is_clicked = marks.leads && {
        let response = ui.interact(block, ui.scope_id().with("block"), Sense::click());
        let name = format!("Edit {}", link.what);
        response.widget_info(|| WidgetInfo::labeled(Role::Button, true, name.as_str()));
        response.on_hover_cursor(CursorIcon::PointingHand).clicked()
    };
    ui.add_space(theme::STEP + gutter + indent);
    let text = RichText::new(&link.what);
    let text = if marks.is_wrong { text.color(theme::present(ui).bad) } else { text };
    ui.add(Label::new(text).selectable(false));
    if let Some(layer) = layer {
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.add_space(1.5 * theme::STEP);
            let weight = format!("{}, weight of {}", layer.kind, layer.shape);
            let name = RichText::new(&layer.name).small().color(theme::present(ui).text2);
            ui.add(Label::new(name).selectable(false)).on_hover_text(weight);
        });
    }
    is_clicked
}

/// Paints the box of a block; those with parameters are filled.
fn box_ui(ui: &Ui, block: Rect, has_parameters: bool, marks: Marks) {
    let colours = theme::present(ui);
    let fill = if has_parameters { colours.raised } else { Color32::TRANSPARENT };
    let stroke = match marks {
        Marks { is_wrong: true, .. } => Stroke::new(2.0, colours.bad),
        Marks { is_open: true, .. } => Stroke::new(2.0, colours.link),
        Marks { .. } => Stroke::new(1.0, colours.line),
    };
    ui.painter().rect_filled(block, 4.0, fill);
    ui.painter().rect_stroke(block, 4.0, stroke, StrokeKind::Inside);
}

/// Paints the edges of the graph, row by row.
struct Arrows<'a> {
    painter: &'a Painter,
    stroke: Stroke,
}

impl Arrows<'_> {
    /// The edges that enter the row of an operation from above, and the one that passes it beside a shortcut.
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

    /// The edges in lanes: they leave a block in its lower quarter and enter one in its upper quarter, so that an end and
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

//! The histogram of a parameter: what is left, what is held, what is pruned, and what it was when it was dense.

use eframe::egui::accesskit::Role;
use eframe::egui::{
    Align2, Color32, Painter, Rect, Sense, Stroke, StrokeKind, TextStyle, Ui, WidgetInfo, pos2, vec2,
};

use super::picture::Inks;
use crate::gui::{text, theme};
use crate::run::summary::{Histogram, ParameterSummary};

/// Room below the bars for the values.
const AXIS: f32 = 18.0;

/// How a bar or a swatch is filled, beside its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pattern {
    Full,
    Striped,
    Hollow,
    Line,
}

/// Draws the histogram with its legend.
pub fn histogram_ui(ui: &mut Ui, parameter: &ParameterSummary, height: f32) {
    let histogram = &parameter.histogram;
    legend_ui(ui, parameter);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), height), Sense::hover());
    response
        .widget_info(|| WidgetInfo::labeled(Role::Figure, true, format!("Histogram of {}", parameter.name)));
    let bars = rect.with_max_y(rect.bottom() - AXIS);
    let inks = Inks::present(ui);
    bars_ui(ui.painter(), bars, histogram, &inks);
    dense_ui(ui.painter(), bars, histogram, theme::present(ui).muted);
    axis_ui(ui, rect, histogram);
    let Some(pointer) = response.hover_pos() else { return };
    let bin = bin_at(pointer.x, bars, histogram.free.len());
    let [low, high] = [histogram.edges[bin], histogram.edges[bin + 1]];
    let counts = [histogram.free[bin], histogram.frozen[bin], histogram.pruned[bin], histogram.dense[bin]];
    let [free, held, pruned, dense] = counts.map(text::grouped);
    response.on_hover_text_at_pointer(format!(
        "{low:.4} to {high:.4}\n{free} trained, {held} held, {pruned} pruned\n{dense} when the network was dense"
    ));
}

fn legend_ui(ui: &mut Ui, parameter: &ParameterSummary) {
    let inks = Inks::present(ui);
    let free: u64 = parameter.histogram.free.iter().sum();
    ui.horizontal_wrapped(|ui| {
        swatch_ui(ui, inks.positive, Pattern::Full, &format!("{} trained", text::grouped(free)));
        if parameter.frozen > 0 {
            let held = format!("{} held", text::grouped(parameter.frozen));
            swatch_ui(ui, inks.held, Pattern::Striped, &held);
        }
        if parameter.pruned > 0 {
            let pruned = format!("{} pruned, at 0", text::grouped(parameter.pruned));
            swatch_ui(ui, theme::present(ui).muted, Pattern::Hollow, &pruned);
        }
        swatch_ui(ui, theme::present(ui).muted, Pattern::Line, "dense, as initialised, to the same area");
    });
}

fn swatch_ui(ui: &mut Ui, colour: Color32, pattern: Pattern, text: &str) {
    let (rect, _) = ui.allocate_exact_size(vec2(14.0, 14.0), Sense::hover());
    let ground = theme::present(ui).field;
    fill(ui.painter(), rect.shrink(1.0), colour, pattern, ground);
    ui.small(text);
}

fn fill(painter: &Painter, rect: Rect, colour: Color32, pattern: Pattern, ground: Color32) {
    match pattern {
        Pattern::Full => {
            painter.rect_filled(rect, 0.0, colour);
        }
        Pattern::Striped => {
            painter.rect_filled(rect, 0.0, colour);
            let mut y = rect.bottom() - 2.0;
            while y > rect.top() + 1.0 {
                painter.hline(rect.x_range(), y, Stroke::new(1.0, ground));
                y -= 3.0;
            }
        }
        Pattern::Hollow => {
            painter.rect_stroke(rect, 0.0, Stroke::new(1.0, colour), StrokeKind::Inside);
        }
        Pattern::Line => {
            painter.hline(rect.x_range(), rect.center().y, Stroke::new(1.5, colour));
        }
    }
}

/// Bars of surviving entries are as high as the room; the bar of what is pruned is cut where it is higher.
#[allow(clippy::cast_precision_loss)] // heights of bars
fn bars_ui(painter: &Painter, room: Rect, histogram: &Histogram, inks: &Inks) {
    let bins = histogram.free.len();
    let most = highest(histogram);
    let width = room.width() / bins as f32;
    let ground = inks.zero;
    for bin in 0..bins {
        let left = room.left() + bin as f32 * width;
        let mut bottom = room.bottom();
        let parts = [
            (histogram.free[bin], inks.positive, Pattern::Full),
            (histogram.frozen[bin], inks.held, Pattern::Striped),
            (histogram.pruned[bin], inks.pruned, Pattern::Hollow),
        ];
        for (count, colour, pattern) in parts.into_iter().filter(|(count, ..)| *count > 0) {
            let height = (count as f32 / most as f32 * room.height()).max(1.0);
            let top = (bottom - height).max(room.top());
            let rect = Rect::from_min_max(pos2(left, top), pos2(left + (width - 1.0).max(1.0), bottom));
            fill(painter, rect, colour, pattern, ground);
            bottom = top;
        }
    }
}

/// The outline of the dense network, with the area of the surviving entries: few survivors would be flat beside it.
#[allow(clippy::cast_precision_loss)] // heights of bars
fn dense_ui(painter: &Painter, room: Rect, histogram: &Histogram, colour: Color32) {
    let bins = histogram.dense.len();
    let sum = |counts: &[u64]| counts.iter().sum::<u64>() as f32;
    let surviving = sum(&histogram.free) + sum(&histogram.frozen);
    let most = highest(histogram) as f32 * sum(&histogram.dense) / surviving.max(1.0);
    let mut outline = Vec::with_capacity(2 * bins);
    for (bin, count) in histogram.dense.iter().enumerate() {
        let y = (room.bottom() - *count as f32 / most * room.height()).max(room.top());
        outline.extend(
            [bin, bin + 1].map(|edge| pos2(room.left() + edge as f32 / bins as f32 * room.width(), y)),
        );
    }
    painter.line(outline, Stroke::new(1.5, colour));
}

/// The highest bar of surviving entries; that of the pruned ones where nothing survives.
fn highest(histogram: &Histogram) -> u64 {
    let surviving = histogram.free.iter().zip(&histogram.frozen).map(|(free, frozen)| free + frozen).max();
    let pruned = || histogram.pruned.iter().copied().max();
    surviving.filter(|most| *most > 0).or_else(pruned).unwrap_or(0).max(1)
}

fn axis_ui(ui: &Ui, rect: Rect, histogram: &Histogram) {
    let [Some(low), Some(high)] = [histogram.edges.first(), histogram.edges.last()] else { return };
    let colours = theme::present(ui);
    let font = TextStyle::Small.resolve(ui.style());
    let (painter, y) = (ui.painter(), rect.bottom() - AXIS);
    painter.hline(rect.x_range(), y, Stroke::new(1.0, colours.line));
    let write = |x: f32, align: Align2, value: f64| {
        painter.text(pos2(x, y + 2.0), align, format!("{value:.3}"), font.clone(), colours.muted);
    };
    write(rect.left(), Align2::LEFT_TOP, *low);
    write(rect.right(), Align2::RIGHT_TOP, *high);
    let most = format!("{} entries", text::grouped(highest(histogram)));
    painter.text(rect.left_top(), Align2::LEFT_TOP, most, font.clone(), colours.muted);
    #[allow(clippy::cast_possible_truncation)] // a place on the screen
    let zero = ((0.0 - low) / (high - low)) as f32;
    if (0.1..=0.9).contains(&zero) {
        let x = rect.left() + zero * rect.width();
        painter.vline(x, y..=y + 3.0, Stroke::new(1.0, colours.muted));
        painter.text(pos2(x, y + 2.0), Align2::CENTER_TOP, "0", font.clone(), colours.muted);
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)] // a bin under the pointer
fn bin_at(x: f32, room: Rect, bins: usize) -> usize {
    let share = ((x - room.left()) / room.width()).clamp(0.0, 1.0);
    ((share * bins as f32) as usize).min(bins.saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pruned_entries_do_not_flatten_the_bars_of_those_that_are_left() {
        let histogram = Histogram::of(&[0.0, 0.0, 0.0, 1.0], &[1, 1, 1, 0], &[]);
        assert_eq!(highest(&histogram), 1);
        assert_eq!(highest(&Histogram::of(&[0.0, 0.0], &[1, 1], &[])), 2);
    }

    #[test]
    fn the_pointer_reads_the_bin_below_it() {
        let room = Rect::from_min_size(pos2(10.0, 0.0), vec2(60.0, 10.0));
        assert_eq!([bin_at(10.0, room, 60), bin_at(40.5, room, 60), bin_at(99.0, room, 60)], [0, 30, 59]);
    }
}

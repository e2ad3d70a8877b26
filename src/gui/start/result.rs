//! A small picture of the results of a template.

use std::sync::LazyLock;

use eframe::egui::{Pos2, Rect, Stroke, Ui};

use crate::plot::line_shapes;
use crate::theme;
use doc::expand_arms;
use doc::templates::{Template, all};
use figure::axis::Mapping;
use figure::plots::find;
use figure::ranges::{Fit, ranges};
use figure::{Dash, Figure, Line, style_of};
use results::view::PlotOptions;

const LINE: f32 = 2.0;
/// Distance from the frame of the picture to its lines.
const MARGIN: f32 = 4.0;

static RESULTS: LazyLock<Vec<Option<Figure>>> = LazyLock::new(|| all().iter().map(figure).collect());

/// Draws the lines of the figure into a rectangle, over two bare axes; nothing for a template without results.
pub fn result_ui(ui: &Ui, rect: Rect, template: usize) {
    let colours = theme::present(ui);
    let painter = ui.painter().with_clip_rect(rect);
    painter.vline(rect.left(), rect.y_range(), (1.0, colours.grid));
    painter.hline(rect.x_range(), rect.bottom() - 0.5, (1.0, colours.grid));
    let Some(figure) = RESULTS.get(template).and_then(Option::as_ref) else { return };
    let inner = rect.shrink(MARGIN);
    let [x, y] = ranges(figure, Fit::Lines);
    let across = Mapping::new(&figure.x, x, [f64::from(inner.left()), f64::from(inner.right())]);
    let up = Mapping::new(&figure.y, y, [f64::from(inner.bottom()), f64::from(inner.top())]);
    for line in &figure.lines {
        let place = |[x, y]: &[f64; 2]| Some(Pos2::new(across.place(*x)? as f32, up.place(*y)? as f32));
        let positions: Vec<Pos2> = line.points.iter().filter_map(place).collect();
        let stroke = Stroke::new(LINE, theme::arm_colour(ui, line.style.colour));
        painter.extend(line_shapes(&positions, line.style.dash, stroke));
    }
}

/// Returns the figure of a template, from its stored values.
fn figure(template: &Template) -> Option<Figure> {
    let result = template.result?;
    let mut figure = (find(result.figure)?.build)(&[], &PlotOptions::default());
    let experiment = template.experiment();
    let arms: Vec<String> = expand_arms(&experiment).ok()?.into_iter().map(|arm| arm.name).collect();
    for (name, point) in result.values.lines().skip(1).filter_map(value) {
        if figure.lines.last().is_none_or(|line| line.name != name) {
            let own = |line: &&Line| line.style.colour == colour_of(&name, &arms);
            let dash = if figure.lines.iter().any(|line| own(&line)) { Dash::Dotted } else { Dash::Solid };
            let style = figure::Style { dash, ..style_of(colour_of(&name, &arms)) };
            figure.lines.push(Line::new(&name, style, Vec::new()));
        }
        figure.lines.last_mut()?.points.push(point);
    }
    Some(figure)
}

/// Returns the arm with the longest name that starts the line's name.
fn colour_of(line: &str, arms: &[String]) -> usize {
    let named = arms.iter().enumerate().filter(|(_, arm)| line.starts_with(arm.as_str()));
    named.max_by_key(|(_, arm)| arm.len()).map_or(0, |(index, _)| index)
}

/// Returns the line and the point of a row `line,NAME,,x,y,low,high`; a name with a comma has quotes.
fn value(row: &str) -> Option<(String, [f64; 2])> {
    let mut fields = row.rsplitn(6, ',').skip(2);
    let y = fields.next()?.parse().ok()?;
    let x = fields.next()?.parse().ok()?;
    let name = fields.nth(1)?.strip_prefix("line,")?;
    Some((name.trim_matches('"').to_owned(), [x, y]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_result_is_read_to_its_last_row() {
        for (template, figure) in all().iter().zip(RESULTS.iter()) {
            let Some(result) = template.result else { continue };
            let figure = figure.as_ref().expect(template.name);
            let points: usize = figure.lines.iter().map(|line| line.points.len()).sum();
            assert_eq!(points, result.values.lines().count() - 1, "{}", template.name);
            let arms = template.experiment().arms;
            let known = |line: &Line| arms.iter().any(|arm| line.name.starts_with(&arm.name));
            assert!(figure.lines.iter().all(known), "{}", template.name);
        }
    }

    #[test]
    fn names_with_commas_are_read() {
        let row = "line,\"SGD, rate 0.1\",,2,0.5,0.25,0.75";
        assert_eq!(value(row), Some(("SGD, rate 0.1".to_owned(), [2.0, 0.5])));
    }
}

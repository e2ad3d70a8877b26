//! Rows of a legend: a click hides a line, a click with Alt shows it alone.

use std::collections::BTreeSet;

use eframe::egui::accesskit::Role;
use eframe::egui::{Align2, Color32, FontId, Rect, Response, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};

use super::line_menu::{LegendRows, line_menu_ui};
use super::mesh::EM;
use super::painter::paint;
use crate::theme::{self, SMALL};
use figure::font::{Weight, fit, width};
use figure::legend::{Sample, samples};
use figure::model::Figure;
use figure::palette::Theme;
use figure::scene::legend::{SampleLook, sample};
use results::campaign::definition;

/// Length of a sample and the gap after it, and the height of a row, in points.
pub const SAMPLE: f32 = 28.0;
pub const GAP: f32 = 8.0;
pub const ROW: f32 = 20.0;
/// Strength of what is hidden.
const HIDDEN: f64 = 0.3;

/// The width of a text in a legend.
pub fn wide(text: &str) -> f32 {
    width(text, EM, Weight::Regular) as f32
}

/// The widths of the names of a figure, which are measured once.
#[derive(Debug, Default)]
pub struct LegendNames {
    known: Vec<(String, f32)>,
    is_old: bool,
}

impl LegendNames {
    /// Has to be called when the figure changes.
    pub const fn forget_figure(&mut self) {
        self.is_old = true;
    }

    /// The widths of all names; whether the names have changed.
    pub fn measure(&mut self, figure: &Figure) -> (&[(String, f32)], bool) {
        if !self.is_old && !self.known.is_empty() {
            return (&self.known, false);
        }
        let names: Vec<&str> = samples(figure).iter().map(Sample::name).collect();
        let is_same = names.iter().eq(self.known.iter().map(|(name, _)| name).collect::<Vec<_>>().iter());
        if !is_same {
            self.known = names.into_iter().map(|name| (name.to_owned(), wide(name))).collect();
        }
        self.is_old = false;
        (&self.known, !is_same)
    }
}

/// What the rows of a legend have in common.
#[derive(Clone, Copy)]
pub struct RowLook<'a> {
    /// The figure with the notes at its names.
    pub figure: &'a Figure,
    /// The colours of the figure.
    pub theme: Theme,
    /// What the legend is drawn on.
    pub ground: Color32,
    /// The selected arm, which is written bolder.
    pub selected: Option<&'a str>,
    /// The line that the keyboard has chosen.
    pub chosen: Option<&'a str>,
}

/// Draws a row with a text, mostly the name, that takes at most `space`; hides lines on a click, and has a menu. Returns the
/// name if the row is at the pointer.
pub fn row_ui(
    ui: &Ui,
    rect: Rect,
    item: &Sample<'_>,
    look: RowLook<'_>,
    rows: &mut LegendRows<'_>,
    (text, space): (&str, f64),
) -> Option<String> {
    let name = item.name();
    let is_shown = !rows.hidden.contains(name);
    let response = ui.interact(rect, ui.scope_id().with(("legend", name)), Sense::click());
    response.widget_info(|| WidgetInfo::selected(Role::CheckBox, true, is_shown, name));
    let colours = theme::present(ui);
    let is_pointed = response.hovered() || response.has_focus();
    if is_pointed || look.chosen == Some(name) {
        ui.painter().rect_filled(rect.expand2(vec2(4.0, 0.0)), 4.0, colours.hover);
    }
    if response.has_focus() {
        let stroke = Stroke::new(2.0, colours.focus);
        ui.painter().rect_stroke(rect.expand2(vec2(4.0, 0.0)), 4.0, stroke, eframe::egui::StrokeKind::Inside);
    }
    let [y, left] = [f64::from(rect.center().y), f64::from(rect.left())];
    let look_of_sample = SampleLook {
        em: EM,
        theme: look.theme,
        ground: [look.ground.r(), look.ground.g(), look.ground.b()],
        strength: if is_shown { 1.0 } else { HIDDEN },
        is_of_marks: look.figure.is_of_marks(),
    };
    paint(ui.painter(), &sample(item, [[left, y], [left + f64::from(SAMPLE), y]], look_of_sample));
    let ink = if is_shown { colours.text } else { colours.text3 };
    let fitting = fit(text, EM, Weight::Regular, space, 1).join(" ");
    let is_selected = look.selected == Some(name);
    let font = if is_selected { theme::medium(SMALL) } else { FontId::proportional(SMALL) };
    let at = pos2(rect.left() + SAMPLE + GAP, rect.center().y);
    let drawn = ui.painter().text(at, Align2::LEFT_CENTER, fitting, font, ink);
    if !is_shown {
        ui.painter().hline(drawn.x_range(), drawn.center().y, Stroke::new(1.0, ink));
    }
    if response.gained_focus() {
        response.scroll_to_me(None);
    }
    let meaning = definition(name).unwrap_or_default();
    let response = tip_ui(response, name, [item.detail(look.figure), meaning], is_shown);
    if response.clicked() {
        let names: Vec<String> = samples(look.figure).iter().map(|other| other.name().to_owned()).collect();
        click(name, &names, ui.input(|input| input.modifiers.alt), rows.hidden);
    }
    response.context_menu(|ui| line_menu_ui(ui, look.figure, name, rows));
    (is_pointed && is_shown).then(|| name.to_owned())
}

/// The full texts of a row on hovering, and what a click does.
fn tip_ui(row: Response, name: &str, details: [&str; 2], is_shown: bool) -> Response {
    row.on_hover_ui(|ui| {
        let action = if is_shown { "Click to hide" } else { "Click to show" };
        // An outcome of faults is defined instead of only named.
        let head = definition(name).unwrap_or(name);
        let details = details.into_iter().filter(|detail| !detail.is_empty());
        let details = details.fold(String::new(), |all, detail| all + "\n" + detail);
        ui.label(format!("{head}{details}\n{action}, Alt+click to show it alone"));
    })
}

/// A click hides or shows a line; with Alt it shows the line alone, or all lines if it is alone already.
fn click(name: &str, names: &[String], alone: bool, hidden: &mut BTreeSet<String>) {
    if alone {
        let others: BTreeSet<String> = names.iter().filter(|other| *other != name).cloned().collect();
        *hidden = if *hidden == others { BTreeSet::new() } else { others };
    } else if !hidden.remove(name) {
        hidden.insert(name.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use figure::{Line, style_of};

    #[test]
    fn a_click_hides_and_shows_and_alt_isolates() {
        let mut hidden = BTreeSet::new();
        let names = ["a", "b", "c"].map(str::to_owned);
        click("a", &names, false, &mut hidden);
        assert_eq!(hidden, BTreeSet::from(["a".to_owned()]));
        click("a", &names, false, &mut hidden);
        assert!(hidden.is_empty());
        click("b", &names, true, &mut hidden);
        assert_eq!(hidden, BTreeSet::from(["a".to_owned(), "c".to_owned()]));
        click("b", &names, true, &mut hidden);
        assert!(hidden.is_empty(), "alone already: all are shown again");
    }

    #[test]
    fn another_name_is_measured() {
        let figure = |names: &[&str]| Figure {
            lines: names.iter().map(|name| Line::new(name, style_of(0), Vec::new())).collect(),
            ..Figure::default()
        };
        let mut names = LegendNames::default();
        let width = names.measure(&figure(&["a", "b"])).0[1].1;
        assert!(
            !names.measure(&figure(&["a", "a longer name"])).1,
            "nobody said that the figure has changed"
        );
        names.forget_figure();
        let (known, is_new) = names.measure(&figure(&["a", "a longer name"]));
        assert!(is_new && known[1].1 > width + 20.0);
    }
}

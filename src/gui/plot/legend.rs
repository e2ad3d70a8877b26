//! Rows of a legend: a click hides a line, a click with Alt shows it alone.

use std::collections::BTreeSet;

use eframe::egui::accesskit::Role;
use eframe::egui::{Align2, Color32, FontId, Pos2, Rect, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};

use super::painter::paint;
use super::scene::EM;
use crate::arm_look::palette_ui;
use crate::icons::Icon;
use crate::theme::{self, SMALL};
use crate::widgets::{self, entry_ui};
use figure::font::{Weight, fit, width};
use figure::legend::{Sample, samples};
use figure::model::Figure;
use figure::palette::{Style, style_of};
use figure::scene::page::{SampleLook, sample};
use results::campaign::definition;
use results::colours::OUTDATED;

/// Length of a sample and the gap after it, and the height of a row, in points.
pub const SAMPLE: f32 = 28.0;
pub const GAP: f32 = 8.0;
pub const ROW: f32 = 20.0;
/// Strength of what is hidden.
const HIDDEN: f64 = 0.3;

pub fn wide(text: &str) -> f32 {
    width(text, EM, Weight::Regular) as f32
}

/// Writes a text of a legend at a place.
pub fn text_ui(ui: &Ui, at: Pos2, anchor: Align2, text: impl ToString, ink: Color32) {
    ui.painter().text(at, anchor, text, FontId::proportional(SMALL), ink);
}

/// The widths of the names of a figure, which are measured once.
#[derive(Debug, Default)]
pub struct LegendNames {
    known: Vec<(String, f32)>,
    is_old: bool,
    /// True if a strip shows the rows beyond the first lines.
    pub is_open: bool,
}

impl LegendNames {
    pub const fn forget_figure(&mut self) {
        self.is_old = true;
    }

    /// Returns the widths of all names, and true if the names have changed.
    pub fn measure(&mut self, figure: &Figure) -> (&[(String, f32)], bool) {
        if !self.is_old && !self.known.is_empty() {
            return (&self.known, false);
        }
        let samples = samples(figure);
        let names: Vec<_> = samples.iter().map(|sample| figure.legend_name(sample.name())).collect();
        let is_same = names.iter().eq(self.known.iter().map(|(name, _)| name));
        if !is_same {
            self.known = names.into_iter().map(|name| (name.to_string(), wide(&name))).collect();
        }
        self.is_old = false;
        (&self.known, !is_same)
    }
}

#[derive(Clone, Copy)]
pub struct RowLook<'a> {
    /// The figure with the notes at its names.
    pub figure: &'a Figure,
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
        widgets::focus_ring(ui, rect.expand2(vec2(4.0, 0.0)));
    }
    let [y, left] = [f64::from(rect.center().y), f64::from(rect.left())];
    let look_of_sample = SampleLook {
        em: EM,
        theme: theme::theme_of(ui),
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
    let response = response.on_hover_ui(|ui| {
        let action = if is_shown { "Click to hide" } else { "Click to show" };
        // An outcome of faults is defined instead of only named.
        let parts = [definition(name).unwrap_or(name), item.detail(look.figure)];
        let shown: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        ui.label(format!("{}\n{action}, Alt+click to show it alone", shown.join("\n")));
    });
    if response.clicked() {
        click(name, others(look.figure, name), ui.input(|input| input.modifiers.alt), rows.hidden);
    }
    response.context_menu(|ui| line_menu_ui(ui, look.figure, name, rows));
    (is_pointed && is_shown).then(|| name.to_owned())
}

/// Returns the names of all other rows.
fn others(figure: &Figure, name: &str) -> BTreeSet<String> {
    let names = samples(figure).into_iter().map(|sample| sample.name());
    names.filter(|other| *other != name).map(str::to_owned).collect()
}

/// Hides or shows a line; shows it `alone`, or all lines if it is alone already.
fn click(name: &str, others: BTreeSet<String>, alone: bool, hidden: &mut BTreeSet<String>) {
    if alone {
        *hidden = if *hidden == others { BTreeSet::new() } else { others };
    } else if !hidden.remove(name) {
        hidden.insert(name.to_owned());
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineAction {
    Select,
    ShowInTable,
    Restyle(usize),
}

#[derive(Clone, Debug, PartialEq)]
pub enum FigureAction {
    /// Open a cell, by row and column.
    Open([usize; 2]),
    /// Something about the arm of the line with this name.
    Line(String, LineAction),
    Take(Wanted),
}

/// A way to export a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    File,
    /// A picture in the clipboard.
    Picture,
    /// Its values in the clipboard, as CSV.
    Values,
}

/// Which rows of a legend are hidden, and what is asked of one.
pub struct LegendRows<'a> {
    pub hidden: &'a mut BTreeSet<String>,
    /// The names of arms, of which lines have theirs.
    pub arms: &'a [String],
    pub action: &'a mut Option<FigureAction>,
}

/// Returns the place of the arm that a line belongs to: a line is called after its arm, perhaps with a branch or a round.
pub fn arm_of(arms: &[String], line: &str) -> Option<usize> {
    named(arms, line.strip_prefix(OUTDATED).unwrap_or(line))
}

/// Returns the place of the longest of these names that a line has, or that its name begins with.
pub fn named(names: &[String], line: &str) -> Option<usize> {
    let is_of = |name: &String| {
        let rest = line.strip_prefix(name.as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([',', ' ']))
    };
    let found = names.iter().enumerate().filter(|(_, name)| is_of(name));
    found.max_by_key(|(_, name)| name.len()).map(|(place, _)| place)
}

pub fn line_menu_ui(ui: &mut Ui, figure: &Figure, name: &str, rows: &mut LegendRows<'_>) {
    let is_hidden = rows.hidden.contains(name);
    let others = others(figure, name);
    let (icon, text) = if is_hidden { (Icon::Eye, "Show") } else { (Icon::EyeOff, "Hide") };
    if entry_ui(ui, icon, text) {
        click(name, BTreeSet::new(), false, rows.hidden);
    }
    if !others.is_empty() && *rows.hidden != others && entry_ui(ui, Icon::Eye, "Show only this") {
        *rows.hidden = others;
    }
    show_all_ui(ui, rows.hidden);
    if arm_of(rows.arms, name).is_none() {
        return;
    }
    ui.separator();
    let mut chosen = None;
    let mut own = samples(figure).into_iter().filter(|sample| sample.name() == name);
    let style = own.find_map(|sample| match sample {
        Sample::Line(line) => Some(line.style),
        Sample::Reference(line) => line.colour.map(|colour| Style { dash: line.dash, ..style_of(colour) }),
        Sample::Bars(_) | Sample::Kind(_) => None,
    });
    if let Some(style) = style {
        ui.menu_button("Colour and mark", |ui| {
            if let Some(index) = palette_ui(ui, style) {
                chosen = Some(LineAction::Restyle(index));
                ui.close();
            }
        });
    }
    if entry_ui(ui, None, "Select arm") {
        chosen = Some(LineAction::Select);
    }
    if entry_ui(ui, Icon::Table, "Show in table") {
        chosen = Some(LineAction::ShowInTable);
    }
    if let Some(chosen) = chosen {
        *rows.action = Some(FigureAction::Line(name.to_owned(), chosen));
    }
}

pub fn show_all_ui(ui: &mut Ui, hidden: &mut BTreeSet<String>) {
    if !hidden.is_empty() && entry_ui(ui, Icon::Eye, "Show all") {
        hidden.clear();
    }
}

/// Says why a plot without data cannot be exported.
pub const WHY_NOT: &str = "Nothing to export yet: press Run";

/// Draws the entries of a menu that export or copy a figure, if there is one; returns the chosen one.
pub fn wanted_ui(ui: &mut Ui, is_there: bool) -> Option<Wanted> {
    let entries = [
        (Icon::Export, "Export figure…", "Writes what you see as SVG, PDF, PNG or CSV", Wanted::File),
        (Icon::Copy, "Copy figure", "Copies the figure as an image, at its export size", Wanted::Picture),
        (Icon::Copy, "Copy values", "Copies the values you see, as CSV", Wanted::Values),
    ];
    let mut chosen = None;
    for (icon, text, help, wanted) in entries {
        let entry = ui.add_enabled(is_there, widgets::ghost(icon, text));
        if entry.on_hover_text(help).on_disabled_hover_text(WHY_NOT).clicked() {
            chosen = Some(wanted);
            ui.close();
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use figure::{Line, style_of};

    #[test]
    fn a_click_hides_and_shows_and_alt_isolates() {
        let mut hidden = BTreeSet::new();
        let others = |name: &str| {
            let all = ["a", "b", "c"].into_iter();
            all.filter(|other| *other != name).map(str::to_owned).collect::<BTreeSet<String>>()
        };
        click("a", others("a"), false, &mut hidden);
        assert_eq!(hidden, BTreeSet::from(["a".to_owned()]));
        click("a", others("a"), false, &mut hidden);
        assert!(hidden.is_empty());
        click("b", others("b"), true, &mut hidden);
        assert_eq!(hidden, others("b"));
        click("b", others("b"), true, &mut hidden);
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

    #[test]
    fn a_line_belongs_to_the_arm_with_the_longest_name_that_it_begins_with() {
        let arms = ["ticket", "ticket, rate 0.1", "dense"].map(str::to_owned);
        assert_eq!(arm_of(&arms, "ticket"), Some(0));
        assert_eq!(arm_of(&arms, "ticket, rate 0.1, 51 % left"), Some(1));
        assert_eq!(arm_of(&arms, "outdated: dense"), Some(2));
        assert_eq!(arm_of(&arms, "tickets"), None);
        assert_eq!(named(&arms, "outdated: dense"), None, "it has neither their settings nor their results");
    }
}

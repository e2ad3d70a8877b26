//! The menu of a line, in the legend and at its place in the plot.

use std::collections::BTreeSet;

use eframe::egui::Ui;

use crate::arm_look::palette_ui;
use crate::icons::Icon;
use crate::widgets;
use figure::legend::{Sample, samples};
use figure::model::Figure;
use figure::palette::{Style, style_of};
use results::colours::OUTDATED;

/// What a person asks the window to do with the arm of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineAction {
    /// To select it.
    Select,
    /// To show its runs in the table.
    ShowInTable,
    /// To give it the style with this index.
    Restyle(usize),
}

/// What a person asks of a figure.
#[derive(Clone, Debug, PartialEq)]
pub enum FigureAction {
    /// To open a cell, by row and column.
    Open([usize; 2]),
    /// Something about the arm of the line with this name.
    Line(String, LineAction),
    /// To write the figure to a file.
    Export,
    /// To copy it as an image.
    Copy,
    /// To copy its values.
    CopyValues,
}

/// Which rows of a legend are hidden, and what is asked of one.
pub struct LegendRows<'a> {
    /// The names that are not drawn.
    pub hidden: &'a mut BTreeSet<String>,
    /// The names of arms, of which lines have theirs.
    pub arms: &'a [String],
    /// What was asked for.
    pub action: &'a mut Option<FigureAction>,
}

/// The place of the arm that a line belongs to: a line is called after its arm, perhaps with a branch or a round.
pub fn arm_of(arms: &[String], line: &str) -> Option<usize> {
    named(arms, line.strip_prefix(OUTDATED).unwrap_or(line))
}

/// The place of the longest of these names that a line has, or that its name begins with.
pub fn named(names: &[String], line: &str) -> Option<usize> {
    let is_of = |name: &String| {
        let rest = line.strip_prefix(name.as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([',', ' ']))
    };
    let found = names.iter().enumerate().filter(|(_, name)| is_of(name));
    found.max_by_key(|(_, name)| name.len()).map(|(place, _)| place)
}

/// Draws what can be done with a line.
pub fn line_menu_ui(ui: &mut Ui, figure: &Figure, name: &str, rows: &mut LegendRows<'_>) {
    let is_hidden = rows.hidden.contains(name);
    let names: Vec<String> = samples(figure).iter().map(|sample| sample.name().to_owned()).collect();
    let others: BTreeSet<String> = names.iter().filter(|other| *other != name).cloned().collect();
    if entry_ui(ui, if is_hidden { Icon::Eye } else { Icon::EyeOff }, if is_hidden { "Show" } else { "Hide" })
        && !rows.hidden.remove(name)
    {
        rows.hidden.insert(name.to_owned());
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
    if let Some(style) = style_of_line(figure, name) {
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

/// Draws the entry that shows hidden lines, if there are any.
pub fn show_all_ui(ui: &mut Ui, hidden: &mut BTreeSet<String>) {
    if !hidden.is_empty() && entry_ui(ui, Icon::Eye, "Show all") {
        hidden.clear();
    }
}

/// Draws what can be done with a plot; whether all data are to be shown.
pub fn plot_menu_ui(ui: &mut Ui, exports: bool, action: &mut Option<FigureAction>) -> bool {
    let fits = entry_ui(ui, Icon::ArrowsOut, "Fit");
    if exports {
        let entries = [
            (Icon::Export, "Export figure…", FigureAction::Export),
            (Icon::Copy, "Copy figure", FigureAction::Copy),
            (Icon::Copy, "Copy values", FigureAction::CopyValues),
        ];
        for (icon, text, wanted) in entries {
            if entry_ui(ui, icon, text) {
                *action = Some(wanted);
            }
        }
    }
    fits
}

fn entry_ui(ui: &mut Ui, icon: impl Into<Option<Icon>>, text: &str) -> bool {
    let chosen = ui.add(widgets::ghost(icon, text)).accessible_name(text).clicked();
    if chosen {
        ui.close();
    }
    chosen
}

/// The style of a line, or of a reference line in the colour of its arm.
fn style_of_line(figure: &Figure, name: &str) -> Option<Style> {
    samples(figure).into_iter().filter(|sample| sample.name() == name).find_map(|sample| match sample {
        Sample::Line(line) => Some(line.style),
        Sample::Reference(line) => line.colour.map(|colour| Style { dash: line.dash, ..style_of(colour) }),
        Sample::Bars(_) | Sample::Kind(_) => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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

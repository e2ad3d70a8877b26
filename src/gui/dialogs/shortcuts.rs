//! The keys of all commands, by the menus that have them, and those of plots.

use eframe::egui::{Grid, RichText, Ui, vec2};

use super::title_ui;
use crate::commands::{Command, Menu, key_text};
use crate::plan::Action;
use crate::plot;
use crate::scroll::scroll_area;
use crate::theme;

/// A heading, and what its keys do.
type Group = (&'static str, Vec<(&'static str, String)>);

/// Draws them in two columns.
pub fn shortcuts_ui(ui: &mut Ui) {
    title_ui(ui, "Keyboard shortcuts");
    let groups = groups(ui);
    let palette = Command::Palette.shortcut().map(|key| key_text(ui.ctx(), key)).unwrap_or_default();
    ui.label(RichText::new(format!("Everything else is in the command palette: {palette}")).weak());
    ui.add_space(theme::STEP);
    let first = columns(&groups);
    scroll_area(ui, 560.0).show(ui, |ui| {
        ui.columns(2, |columns| {
            let (left, right) = groups.split_at(first);
            for (ui, groups) in columns.iter_mut().zip([left, right]) {
                for group in groups {
                    group_ui(ui, group);
                }
            }
        });
    });
    ui.add_space(theme::STEP);
}

fn groups(ui: &Ui) -> Vec<Group> {
    let of_menu = |menu: &Menu| {
        let commands = menu.groups().iter().copied().flatten();
        let keys = commands.filter(|command| command.shortcut().is_some()).map(|command| {
            let keys = command.shortcuts().iter().map(|key| key_text(ui.ctx(), *key));
            (command.text(), keys.collect::<Vec<_>>().join(", "))
        });
        (menu.text(), keys.collect())
    };
    let of_plan = Action::ALL
        .into_iter()
        .filter_map(|action| Some((action.name(), key_text(ui.ctx(), action.shortcut()?))));
    let plan = ("On a row of the plan", of_plan.collect());
    let plot =
        ("In a plot (Tab leads there)", plot::KEYS.map(|(text, keys)| (text, keys.to_owned())).to_vec());
    Menu::ALL.iter().map(of_menu).chain([plan, plot]).filter(|(_, keys): &Group| !keys.is_empty()).collect()
}

/// How many groups stand in the first column, so that both are about as long.
fn columns(groups: &[Group]) -> usize {
    let lines = |groups: &[Group]| groups.iter().map(|(_, keys)| keys.len() + 2).sum::<usize>();
    let difference = |first: &usize| lines(&groups[..*first]).abs_diff(lines(&groups[*first..]));
    (0..=groups.len()).min_by_key(difference).unwrap_or_default()
}

fn group_ui(ui: &mut Ui, (title, keys): &Group) {
    ui.label(RichText::new(*title).strong());
    Grid::new(title).num_columns(2).spacing(vec2(3.0 * theme::STEP, 4.0)).show(ui, |ui| {
        for (name, key) in keys {
            ui.label(*name);
            ui.label(RichText::new(key).weak());
            ui.end_row();
        }
    });
    ui.add_space(theme::STEP);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_columns_are_about_as_long() {
        let group = |count: usize| ("", vec![("", String::new()); count]);
        assert_eq!(columns(&[group(3), group(2), group(8), group(1)]), 2);
        assert_eq!(columns(&[]), 0);
    }
}

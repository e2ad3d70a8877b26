//! The bar of ticked runs at the foot of the table. It counts and acts on visible runs only.

use std::collections::BTreeSet;

use eframe::egui::{Align, Frame, Label, Layout, Margin, Panel, RichText, Ui};

use super::archive::of_arms;
use super::{Compare, CompareResponse};
use crate::icons::Icon;
use crate::runs::{QueueAction, QueueRequest, Runs};
use crate::theme::{self, BODY, present};
use crate::widgets::{self, icon_button_ui};

/// Height of the bar, in points.
const HEIGHT: f32 = 44.0;

/// Draws the bar where runs are ticked.
pub fn selected_ui(ui: &mut Ui, compare: &mut Compare, known: &Runs) -> Option<CompareResponse> {
    let rows = compare.ticked_rows();
    if rows.is_empty() {
        return None;
    }
    let runs: BTreeSet<String> = rows.iter().map(|row| row.run.clone()).collect();
    let (count, of) = (runs.len(), of_arms(&rows));
    let counts = known.counts(&runs);
    let queue = |action: QueueAction| {
        let runs = runs.iter().cloned().collect();
        Some(CompareResponse::Queue(QueueRequest { action, runs }))
    };
    let refusal = compare.why_not_archive(runs.iter());
    let only: Vec<String> = rows.iter().map(|row| row.run.clone()).collect();
    let colours = present(ui);
    let frame = Frame::new().fill(colours.selection).inner_margin(Margin::symmetric(12, 8));
    let bar = Panel::bottom(ui.scope_id().with("ticked runs")).exact_size(HEIGHT).frame(frame);
    let mut response = None;
    bar.show_separator_line(false).show(ui, |ui| {
        ui.horizontal_centered(|ui| {
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if icon_button_ui(ui, true, Icon::X, "Untick all").clicked() {
                    compare.ticked.clear();
                    compare.is_comparing = false;
                }
                let archive = widgets::button(Icon::Archive, &format!("Archive {count}…"));
                let archive = ui.add_enabled(refusal.is_none(), archive);
                let archive =
                    archive.on_hover_text("Moves these runs to the archived runs; nothing is deleted");
                if archive.on_disabled_hover_text(refusal.unwrap_or_default()).clicked() {
                    response = compare.archive_ticked();
                }
                let show = ui.add(widgets::button(Icon::Eye, "Show only these"));
                let help = "Turns the ticked runs into the filter, for the table and for plots";
                if show.on_hover_text(help).clicked() {
                    compare.view.filter = format!("run:{}", only.join("|"));
                }
                let is_on = compare.is_comparing;
                let button = widgets::button(Icon::Compare, "Compare").selected(is_on);
                let button = ui.add_enabled(count > 1, button);
                let button = button.on_hover_text("Shows them side by side, only where they differ");
                if button.on_disabled_hover_text("Tick a second run").clicked() {
                    compare.is_comparing = !is_on;
                }
                if counts.open > 0 {
                    let stop = ui.add(widgets::button(Icon::StopFill, "Stop"));
                    let help = "Stops these runs after their mini-batch; those that wait do not start";
                    if stop.accessible_name("Stop ticked runs").on_hover_text(help).clicked() {
                        response = queue(QueueAction::Stop);
                    }
                }
                if counts.startable > 0 {
                    let run = ui.add(widgets::button(Icon::Play, "Run selected"));
                    let help = "Runs those of them that are not done, beside others or after them";
                    if run.accessible_name("Run ticked runs").on_hover_text(help).clicked() {
                        response = queue(QueueAction::Run);
                    }
                }
                ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                    let text = RichText::new(format!("{count} selected")).font(theme::medium(BODY));
                    ui.add(Label::new(text).selectable(false));
                    let of = RichText::new(of).color(colours.text2);
                    ui.add(Label::new(of).selectable(false).truncate());
                });
            });
        });
    });
    response
}

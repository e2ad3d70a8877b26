//! The network of a run as a list of layers, and what its stages reported.

use eframe::egui::{Align, CollapsingHeader, Grid, Layout, ProgressBar, RichText, ScrollArea, Ui};
use egui_extras::{Column, TableBuilder, TableRow};

use super::{Shared, View, ViewInput, ViewResponse, number_ui};
use crate::doc::{Report, RunState};
use crate::gui::{text, theme};
use crate::run::summary::{LayerSummary, NetworkSummary};

const ROW: f32 = 22.0;

/// Nothing is kept: the network is shared.
#[derive(Default)]
pub struct Layers;

impl View for Layers {
    const NAME: &'static str = "layers";
    const TITLE: &'static str = "Layers";
    const HELP: &'static str = "What the plan did to the network of the selected run, layer by layer, and its checks. Each row is \
         a layer with its shape, its parameters, the share of its weights that remain after pruning, the entries that are \
         held at a value, and the multiply-adds that surviving weights still take part in. A layer with 0 % left cuts the \
         network in two. Below stand the reports of the stages, such as \u{201c}Held entries: bit-identical\u{201d}. \
         It needs a run that is done: select one at the left, or an arm for its first one.";

    fn ui(&mut self, ui: &mut Ui, input: &ViewInput<'_>, shared: &mut Shared<'_>) -> Option<ViewResponse> {
        let read = shared.network.ui(ui, Self::HELP, input)?;
        let record = input.runs.record(&read.source.id);
        layers_ui(ui, read.summary, record.map_or(&[], |record| record.reports()));
        None
    }
}

/// Draws the layers, and the reports below them.
fn layers_ui(ui: &mut Ui, summary: &NetworkSummary, reports: &[Report]) {
    ScrollArea::vertical().id_salt("layers view").auto_shrink([false, false]).show(ui, |ui| {
        ScrollArea::horizontal().id_salt("layers table").auto_shrink([false, true]).show(ui, |ui| {
            table_ui(ui, &summary.layers);
        });
        ui.add_space(2.0 * theme::STEP);
        reports_ui(ui, reports);
    });
}

const COLUMNS: [(&str, &str, f32); 6] = [
    ("Layer", "Name as in PyTorch", 104.0),
    ("Shape", "Shape of its weight, outputs first", 96.0),
    ("Parameters", "Entries of all trained parameters", 84.0),
    ("Remaining", "Weights that are not pruned", 136.0),
    ("Held", "Entries that are held at a value", 64.0),
    ("Multiply-adds left", "Of one sample forward, that surviving weights take part in", 116.0),
];

/// Columns of numbers, which are right-aligned.
const NUMBERS: [usize; 3] = [2, 4, 5];

fn table_ui(ui: &mut Ui, layers: &[LayerSummary]) {
    let mut table = TableBuilder::new(ui).id_salt("layers").striped(true).vscroll(false);
    table = table.cell_layout(Layout::left_to_right(Align::Center));
    for (_, _, width) in COLUMNS {
        table = table.column(Column::initial(width).clip(true));
    }
    let table = table.header(ROW, |mut row| {
        for (position, (name, help, _)) in COLUMNS.into_iter().enumerate() {
            row.col(|ui| {
                let heading = |ui: &mut Ui| theme::heading_ui(ui, name).on_hover_text(help);
                if NUMBERS.contains(&position) {
                    ui.with_layout(Layout::right_to_left(Align::Center), heading);
                } else {
                    heading(ui);
                }
            });
        }
    });
    table.body(|body| {
        body.rows(ROW, layers.len() + 1, |mut row| match layers.get(row.index()) {
            Some(layer) => layer_ui(&mut row, layer, false),
            None => layer_ui(&mut row, &total(layers), true),
        });
    });
}

fn layer_ui(row: &mut TableRow<'_, '_>, layer: &LayerSummary, is_total: bool) {
    row.col(|ui| {
        let name = RichText::new(&layer.name);
        ui.label(if is_total { name.strong() } else { name }).on_hover_text(layer.kind);
    });
    row.col(|ui| drop(ui.label(&layer.shape)));
    row.col(|ui| drop(number_ui(ui, text::grouped(layer.parameters))));
    row.col(|ui| remaining_ui(ui, layer));
    let held = if layer.frozen > 0 { text::grouped(layer.frozen) } else { "–".to_owned() };
    row.col(|ui| drop(number_ui(ui, held)));
    row.col(|ui| {
        if layer.multiply_adds == 0 {
            return drop(number_ui(ui, "–"));
        }
        let of = format!("of {} when nothing is pruned", text::grouped(layer.multiply_adds));
        number_ui(ui, text::grouped(layer.surviving_multiply_adds)).on_hover_text(of);
    });
}

fn remaining_ui(ui: &mut Ui, layer: &LayerSummary) {
    if layer.weights == 0 {
        ui.label("–").on_hover_text("A batch norm has no weights that are pruned by default");
        return;
    }
    let share = share(layer.remaining, layer.weights);
    let colours = theme::present(ui);
    #[allow(clippy::cast_possible_truncation)] // a share
    let bar = ProgressBar::new(share as f32).desired_width(64.0).desired_height(theme::STEP);
    ui.add(bar.fill(colours.accent).corner_radius(2.0));
    let of = format!("{} of {} weights", text::grouped(layer.remaining), text::grouped(layer.weights));
    let label = RichText::new(text::percent(share));
    // A layer without weights cuts the network in two.
    let label = if layer.remaining == 0 { label.color(colours.error) } else { label };
    ui.label(label).on_hover_text(of);
}

#[allow(clippy::cast_precision_loss)] // counts are far below 2^53
fn share(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}

fn total(layers: &[LayerSummary]) -> LayerSummary {
    let sum = |value: fn(&LayerSummary) -> u64| layers.iter().map(value).sum();
    LayerSummary {
        name: "All layers".to_owned(),
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

fn reports_ui(ui: &mut Ui, reports: &[Report]) {
    theme::heading_ui(ui, "What the stages reported");
    if reports.is_empty() {
        ui.label(RichText::new("Nothing: the plan only trains and tests.").weak());
    }
    for (position, report) in reports.iter().enumerate() {
        report_ui(ui, report, position);
    }
}

fn report_ui(ui: &mut Ui, report: &Report, position: usize) {
    let colours = theme::present(ui);
    let place = place_of(&report.stage, report.round);
    let place = if report.branch.is_empty() { place } else { format!("{place}, {}", report.branch) };
    ui.horizontal(|ui| {
        ui.allocate_ui_with_layout([120.0, ROW].into(), Layout::left_to_right(Align::Center), |ui| {
            ui.set_min_width(120.0);
            ui.label(RichText::new(place).small().weak());
        });
        if let Some(verdict) = verdict(report) {
            let passed = report.passed == Some(true);
            let colour = if passed { colours.text } else { colours.error };
            ui.label(RichText::new(verdict).color(colour).strong());
        }
        ui.add(eframe::egui::Label::new(&report.summary).wrap());
    });
    if !report.rows.is_empty() {
        rows_ui(ui, report, position);
    }
}

/// The table of a report, folded: a plan of many rounds has many.
fn rows_ui(ui: &mut Ui, report: &Report, position: usize) {
    let title = format!("Table: {}", report.columns.join(", "));
    CollapsingHeader::new(RichText::new(title).small()).id_salt(("report", position)).show(ui, |ui| {
        let spacing = [2.0 * theme::STEP, 0.5 * theme::STEP];
        Grid::new(("report table", position)).striped(true).spacing(spacing).show(ui, |ui| {
            for column in &report.columns {
                theme::heading_ui(ui, column);
            }
            ui.end_row();
            for row in &report.rows {
                for cell in row {
                    ui.label(cell);
                }
                ui.end_row();
            }
        });
    });
}

/// The place of a stage as the plan numbers it, from 1.
pub fn place_of(stage: &str, round: Option<u64>) -> String {
    let number =
        |number: &str| number.parse().map_or_else(|_| number.to_owned(), |n: u64| (n + 1).to_string());
    let numbers: Vec<String> = stage.split('.').map(number).collect();
    let round = round.map(|round| format!(", round {round}")).unwrap_or_default();
    format!("Stage {}{round}", numbers.join("."))
}

/// The verdict of a check in words: "held entries: bit-identical ✓".
fn verdict(report: &Report) -> Option<String> {
    let passed = report.passed?;
    let words = match (report.kind.as_str(), passed) {
        ("held", true) => "Held entries: bit-identical",
        ("held", false) => "Held entries: changed",
        ("branch", true) => "Original: untouched",
        ("branch", false) => "Original: changed",
        (_, true) => "Check passed",
        (_, false) => "Check failed",
    };
    let state = if passed { RunState::Done } else { RunState::Failed(String::new()) };
    Some(format!("{words} {}", text::sign(&state)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_have_the_numbers_of_the_plan() {
        assert_eq!(place_of("2.0", Some(3)), "Stage 3.1, round 3");
    }

    #[test]
    fn a_verdict_says_what_was_checked() {
        let report = |kind: &str, passed| Report { kind: kind.to_owned(), passed, ..Report::default() };
        assert_eq!(verdict(&report("held", Some(true))).as_deref(), Some("Held entries: bit-identical ✓"));
        assert_eq!(verdict(&report("trunk", Some(false))).as_deref(), Some("Check failed ✗"));
        assert_eq!(verdict(&report("prune", None)), None);
    }
}

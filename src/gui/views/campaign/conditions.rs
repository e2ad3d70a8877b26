//! The conditions of a campaign (rates, bits or layers) with their estimates, and how far the campaign is.

use eframe::egui::{ProgressBar, RichText, Ui};

use crate::table::{Column, texts_ui};
use crate::{text, theme, widgets};
use doc::fault::{CellPlan, Format, Protect};
use results::campaign::{CampaignBegan, CampaignRecord, CellState, Estimate, ImageOutcome};
use results::number::fixed;

/// Draws the accuracies without faults, the progress, and whether the network is unchanged.
pub fn head_ui(ui: &mut Ui, campaign: &CampaignRecord, is_running: bool) {
    let began = &campaign.began;
    ui.label(golden(began)).on_hover_text(COUNTED);
    match &campaign.ended {
        None if is_running => progress_ui(ui, std::iter::once(campaign)),
        None => {
            let counted = counted(campaign.trials(), campaign.planned());
            ui.label(format!("{counted}; continues when the run does"));
        }
        Some(_) => verdict_ui(ui, campaign),
    }
}

/// Draws how far campaigns in progress are, as a bar and in numbers.
pub fn progress_ui<'a>(ui: &mut Ui, campaigns: impl Iterator<Item = &'a CampaignRecord>) {
    let [done, all] =
        campaigns.fold([0, 0], |[done, all], campaign| [done + campaign.trials(), all + campaign.planned()]);
    let share = done as f32 / all.max(1) as f32;
    let colours = theme::present(ui);
    ui.add(ProgressBar::new(share).desired_height(theme::STEP / 2.0).fill(colours.link));
    ui.label(RichText::new(counted(done, all)).size(theme::SMALL).color(colours.text2));
}

fn counted(done: u64, all: u64) -> String {
    format!("{} of {} trials at most", text::grouped(done), text::grouped(all))
}

/// Says if the network is unchanged after the campaign; nothing before its end.
pub fn verdict_ui(ui: &mut Ui, campaign: &CampaignRecord) {
    let Some(ended) = &campaign.ended else { return };
    let checksum: String = ended.checksum.chars().take(16).collect();
    let (tone, words) = if ended.intact {
        (widgets::Tone::Good, format!("Golden network bit-identical after the campaign, checksum {checksum}"))
    } else {
        (widgets::Tone::Bad, "Golden network changed: this is a bug, please report it".to_owned())
    };
    widgets::message_ui(ui, tone, &words).on_hover_text(&ended.checksum);
}

/// Returns the accuracy without faults, and the cost of the protection and of the format.
pub fn golden(began: &CampaignBegan) -> String {
    let right = text::percent(began.golden_accuracy);
    let mut costs = Vec::new();
    if began.protect != Protect::Nothing {
        costs.push(format!("{} without the protection", text::percent(began.unprotected_accuracy)));
    }
    if began.format != Format::Float32 {
        let plain = text::percent(began.float32_accuracy);
        costs.push(format!("{plain} in float32: {} points", began.change_by_format()));
    }
    let costs = if costs.is_empty() { String::new() } else { format!(" ({})", costs.join("; ")) };
    format!("{} images, {right} right without faults{costs}", text::grouped(began.images))
}

const COUNTED: &str = "All of these images count, also those that the network gets wrong without faults: an outcome \
    compares the faulty output with the fault-free (golden) one, not with the label";

/// Draws a line for each condition, and one below for the same trials without the protection.
pub fn conditions_ui(ui: &mut Ui, campaign: &CampaignRecord) {
    let mut rows = Vec::new();
    for (position, plan) in campaign.began.cells.iter().enumerate() {
        let of = |unprotected| campaign.states(unprotected).find(|state| state.cell == position);
        rows.push(row(plan.name(), plan, of(false)));
        if campaign.began.protect != Protect::Nothing {
            rows.push(row("  unprotected".to_owned(), plan, of(true)));
        }
    }
    let columns = vec![
        Column::text("Condition", "The rate, bit or layer that this line varies"),
        Column::number("Trials", "Complete blocks so far"),
        Column::number("Masked", ImageOutcome::Masked.definition()).leaves(2),
        Column::number("SDC-1", ImageOutcome::Sdc1.definition()),
        Column::number("DUE", ImageOutcome::Due.definition()).leaves(3),
        Column::number("Accuracy", "Mean over trials, with the bootstrap interval").leaves(4),
        Column::number("Median", "Median accuracy of the trials").leaves(1),
        Column::number("5–95 %", "5th and 95th percentile of the accuracy").leaves(0),
    ];
    let id = format!("conditions of {} {:?}", campaign.began.campaign, campaign.began.round);
    texts_ui(ui, &id, columns, &rows, |_, _| String::new());
    let percent = fixed(100.0 * campaign.began.confidence, 0);
    let note =
        format!("In brackets: {percent} % CI, Wilson over trials; of the accuracy, bootstrap over trials");
    ui.label(RichText::new(note).size(theme::SMALL).color(theme::present(ui).text3));
}

fn row(name: String, plan: &CellPlan, state: Option<&CellState>) -> [String; 8] {
    let Some(state) = state else {
        let mut cells = std::array::from_fn(|_| "–".to_owned());
        (cells[0], cells[1]) = (name, format!("0 of {}", text::grouped(plan.trials)));
        return cells;
    };
    let [masked, sdc1, due, accuracy] = [state.masked, state.sdc1, state.due, state.accuracy].map(interval);
    let ends = format!("{} – {}", text::percent(state.p5), text::percent(state.p95));
    [name, text::grouped(state.trials), masked, sdc1, due, accuracy, text::percent(state.median), ends]
}

/// Returns a share with its interval: `3.12 % [2.01, 4.70]`.
fn interval(estimate: Estimate) -> String {
    let Estimate { value, low, high } = estimate;
    format!("{} [{}, {}]", text::percent(value), fixed(low * 100.0, 2), fixed(high * 100.0, 2))
}

#[cfg(test)]
mod tests {
    use egui_kittest::kittest::Queryable;

    use super::*;

    #[test]
    fn a_condition_is_named_by_what_it_varies() {
        let plan = CellPlan::default();
        assert_eq!(plan.name(), "all");
        assert_eq!(CellPlan { rate: Some(1e-6), ..plan.clone() }.name(), "rate 1e-6");
        assert_eq!(CellPlan { bit: Some(30), ..plan.clone() }.name(), "b30");
        assert_eq!(CellPlan { layer: Some("fc1".to_owned()), ..plan }.name(), "fc1");
    }

    #[test]
    fn the_progress_of_several_campaigns_is_counted_together() {
        let plan = CellPlan { trials: 1_500, ..CellPlan::default() };
        let began = CampaignBegan { cells: vec![plan.clone(), plan], ..CampaignBegan::default() };
        let mut campaign = CampaignRecord::new(began);
        campaign.take_in(CellState { trials: 750, ..CellState::default() });
        let campaigns = [campaign.clone(), campaign];
        let draw = |ui: &mut Ui| progress_ui(ui, campaigns.iter());
        let harness = egui_kittest::Harness::new_ui(draw);
        assert!(harness.query_by_label("1,500 of 6,000 trials at most").is_some());
    }

    #[test]
    fn a_share_comes_with_its_interval() {
        let estimate = Estimate { value: 0.05, low: 0.02154, high: 0.11175 };
        assert_eq!(interval(estimate), "5.00 % [2.15, 11.18]");
        let queued = row("b30".to_owned(), &CellPlan { trials: 100, ..CellPlan::default() }, None);
        assert_eq!(queued[..3], ["b30", "0 of 100", "–"]);
    }

    #[test]
    fn the_format_and_the_protection_say_what_they_cost_even_nothing() {
        let plain = CampaignBegan {
            images: 1797,
            golden_accuracy: 0.5,
            unprotected_accuracy: 0.75,
            float32_accuracy: 0.75,
            ..CampaignBegan::default()
        };
        assert_eq!(golden(&plain), "1,797 images, 50.00 % right without faults");
        let int8 = CampaignBegan { format: Format::Int8, ..plain.clone() };
        assert!(golden(&int8).ends_with("faults (75.00 % in float32: int8 loses 0.00 points)"));
        let better = CampaignBegan { float32_accuracy: 0.745, ..int8.clone() };
        assert!(golden(&better).ends_with("(74.50 % in float32: int8 gains 0.50 points)"));
        let both = CampaignBegan { protect: Protect::Clip, float32_accuracy: 0.76, ..int8 };
        assert!(
            golden(&both)
                .ends_with("(75.00 % without the protection; 76.00 % in float32: int8 loses 1.00 points)")
        );
    }
}

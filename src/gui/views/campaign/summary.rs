//! What the listed trials amount to, in a line.

use eframe::egui::{Align, Label, Layout, Rect, RichText, Ui, UiBuilder, vec2};

use super::Listed;
use crate::{text, theme};
use results::campaign::{ImageOutcome, Tally};
use run::summary::FaultFilter;

/// Room that the summary needs beside the bar.
const SUMMARY: f32 = 420.0;

/// What the listed trials amount to: how many there are, and the shares of outcomes with their definitions. In the room
/// beside the bar, or else below it.
pub fn summary_ui(ui: &mut Ui, beside: Rect, words: [String; 2]) {
    let ink = theme::present(ui).text2;
    let [count, shares] = words.map(|text| RichText::new(text).size(theme::SMALL).color(ink));
    let is_beside = beside.width() >= SUMMARY && beside.height() < 1.5 * theme::CONTROL;
    let row = Rect::from_min_size(ui.cursor().min, vec2(ui.available_width(), theme::CONTROL));
    let row = if is_beside { beside } else { row };
    let row = UiBuilder::new().max_rect(row).layout(Layout::right_to_left(Align::Center));
    ui.scope_builder(row, |ui| {
        ui.add(Label::new(count).selectable(false)).on_hover_text("Listed trials, of all trials so far");
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            let definitions = ImageOutcome::ALL.map(ImageOutcome::definition);
            ui.add(Label::new(shares).selectable(false).truncate()).on_hover_text(definitions.join("\n\n"));
        });
    });
}

/// The trials at the place and their images, as in the heat map; without a place, all trials.
pub fn tally(listed: &[Listed<'_>], sought: &FaultFilter) -> (u64, Tally) {
    let mut sum = (0, Tally::default());
    for (_, campaign) in listed {
        for state in campaign.states(false) {
            if !sought.is_chosen() {
                sum = (sum.0 + state.trials, sum.1 + state.tally);
                continue;
            }
            for outcome in &state.outcomes {
                let layer = campaign.began.layers.get(outcome.layer);
                let is_layer = sought.layer.is_none() || layer == sought.layer.as_ref();
                if is_layer && (sought.bit.is_none() || outcome.bit == sought.bit) {
                    sum = (sum.0 + outcome.trials, sum.1 + outcome.tally);
                }
            }
        }
    }
    sum
}

/// The shares of outcomes in words.
pub fn shares((trials, tally): &(u64, Tally)) -> String {
    if tally.images == 0 {
        return String::new();
    }
    let share = |count: u64| text::percent(tally.share(count));
    format!(
        "{}: {} of images masked, {} with SDC-1, {} with DUE",
        text::counted(*trials, "trial"),
        share(tally.masked),
        share(tally.sdc1),
        share(tally.due)
    )
}

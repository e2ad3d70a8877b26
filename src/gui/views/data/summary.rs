//! Counts of classes, and mean and deviation of each channel.

use eframe::egui::{RichText, Ui};

use crate::gui::views::{grid_ui, number_ui};
use crate::gui::{text, theme};
use crate::results::confusion::Confusion;
use crate::results::number::fixed;
use crate::run::summary::SeenSamples;

/// The most channels that are listed: features are too many to read.
const CHANNELS: usize = 16;

/// Draws how many samples each class has and, with predictions, how many of them are right; and the values of channels.
pub fn summary_ui(ui: &mut Ui, seen: &SeenSamples, counts: Option<&Confusion>) {
    let mut samples = vec![0_u64; seen.classes.len()];
    for label in &seen.samples.labels {
        if let Some(count) = samples.get_mut(*label as usize) {
            *count += 1;
        }
    }
    let columns: &[&str] =
        if counts.is_some() { &["Class", "Samples", "Right"] } else { &["Class", "Samples"] };
    grid_ui(ui, "classes", [2.0, 0.5], columns, |ui| {
        for (class, (name, samples)) in seen.classes.iter().zip(&samples).enumerate() {
            ui.label(text::shortened(name, 24)).on_hover_text(name);
            number_ui(ui, text::grouped(*samples));
            if let Some(counts) = counts {
                number_ui(ui, share(counts.right(class), *samples));
            }
            ui.end_row();
        }
        ui.label("All");
        let all: u64 = samples.iter().sum();
        number_ui(ui, text::grouped(all));
        if let Some(counts) = counts {
            number_ui(ui, share((0..samples.len()).map(|class| counts.right(class)).sum(), all));
        }
        ui.end_row();
    });
    ui.add_space(theme::STEP);
    let title = RichText::new("Values as the network sees them").size(theme::SMALL);
    ui.label(title.color(theme::present(ui).text3));
    grid_ui(ui, "channels", [2.0, 0.5], &["Channel", "Mean", "Deviation"], |ui| {
        let channels = seen.channels.mean.iter().zip(&seen.channels.deviation);
        for (channel, (mean, deviation)) in channels.enumerate().take(CHANNELS) {
            ui.label((channel + 1).to_string());
            number_ui(ui, fixed(f64::from(*mean), 4));
            number_ui(ui, fixed(f64::from(*deviation), 4));
            ui.end_row();
        }
    });
    if seen.measured < seen.samples.len() {
        let all = text::counted(seen.samples.len(), "sample");
        let words = format!("over {} of {all}", text::grouped(seen.measured as u64));
        ui.label(RichText::new(words).size(theme::SMALL).color(theme::present(ui).text3));
    }
    let more = seen.channels.mean.len().saturating_sub(CHANNELS);
    if more > 0 {
        ui.label(RichText::new(format!("and {more} more")).size(theme::SMALL));
    }
}

fn share(right: u64, samples: u64) -> String {
    if samples == 0 {
        "–".to_owned()
    } else {
        format!("{} %", fixed(100.0 * right as f64 / samples as f64, 1))
    }
}

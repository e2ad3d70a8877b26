//! What was found in the data, counts of classes, and mean and deviation of each channel.

use eframe::egui::{Align, CollapsingHeader, Grid, Label, Layout, RichText, ScrollArea, Ui, vec2};

use crate::{text, theme};
use data::Inventory;
use results::confusion::Confusion;
use results::number::fixed;
use run::summary::SeenSamples;

/// The most channels that are listed: features are too many to read.
const CHANNELS: usize = 16;
/// Height of a line, and width of a number, in points.
const ROW: f32 = 20.0;
const NUMBER: f32 = 72.0;

/// The most of the height of a tile that the inventory takes; the rest is scrolled to.
const INVENTORY: f32 = 0.4;

/// Draws what was found in all parts of the data, whole and folded in a line.
pub fn inventory_ui(ui: &mut Ui, inventory: &Inventory) {
    let most = ui.available_height() * INVENTORY;
    let header = CollapsingHeader::new(RichText::new(inventory.summary()).size(theme::SMALL));
    header.id_salt("inventory").default_open(true).show(ui, |ui| {
        ScrollArea::vertical().id_salt("inventory").max_height(most).show(ui, |ui| {
            let colours = theme::present(ui);
            ui.spacing_mut().interact_size.y = 0.0; // rows are as high as their text
            Grid::new("inventory").num_columns(2).spacing([theme::STEP, 2.0]).show(ui, |ui| {
                for (label, text) in inventory.lines(true) {
                    ui.label(RichText::new(label).size(theme::SMALL).color(colours.text3));
                    ui.add(Label::new(RichText::new(text).size(theme::SMALL)).wrap());
                    ui.end_row();
                }
            });
        });
    });
}

/// A line of the summary. All lines are equally high, so that only those are laid out that are seen.
#[derive(Clone, Copy)]
enum Line {
    ClassHead,
    Class(usize),
    AllClasses,
    Space,
    Title,
    ChannelHead,
    Channel(usize),
    Measured,
    MoreChannels(usize),
}

/// Draws how many samples each class has and, with predictions, how many of them are right; and the values of channels.
pub fn summary_ui(ui: &mut Ui, seen: &SeenSamples, counts: Option<&Confusion>) {
    let (channels, classes) = (seen.channels.mean.len(), seen.counts.len());
    let after = [Line::AllClasses, Line::Space, Line::Title, Line::ChannelHead];
    let mut lines: Vec<Line> =
        std::iter::once(Line::ClassHead).chain((0..classes).map(Line::Class)).chain(after).collect();
    lines.extend((0..channels.min(CHANNELS)).map(Line::Channel));
    lines.extend((seen.measured < seen.samples.len()).then_some(Line::Measured));
    lines.extend((channels > CHANNELS).then(|| Line::MoreChannels(channels - CHANNELS)));
    ui.spacing_mut().item_spacing.y = 0.0;
    let area = ScrollArea::vertical().id_salt("summary").auto_shrink(false);
    area.show_rows(ui, ROW, lines.len(), |ui, shown| {
        for line in &lines[shown] {
            line_ui(ui, *line, seen, counts);
        }
    });
}

fn line_ui(ui: &mut Ui, line: Line, seen: &SeenSamples, counts: Option<&Confusion>) {
    let heading = |text: &str| RichText::new(text).size(theme::SMALL).strong();
    let weak = |text: String| RichText::new(text).size(theme::SMALL).color(theme::present(ui).text3);
    let plain = |text: String| RichText::new(text);
    match line {
        Line::ClassHead => {
            let right = counts.map(|_| heading("Right"));
            cells_ui(ui, heading("Class"), [Some(heading("Samples")), right]);
        }
        Line::Class(class) => {
            let (name, samples) = (seen.classes.name_of(Some(class as u32)), seen.counts[class]);
            let right = counts.map(|counts| plain(share(counts.right(class), samples)));
            cells_ui(ui, plain(name), [Some(plain(text::grouped(samples))), right]);
        }
        Line::AllClasses => {
            let all = seen.counts.iter().sum();
            let right = |counts: &Confusion| (0..seen.counts.len()).map(|class| counts.right(class)).sum();
            let right = counts.map(|counts| plain(share(right(counts), all)));
            cells_ui(ui, plain("All".to_owned()), [Some(plain(text::grouped(all))), right]);
        }
        Line::Space => drop(ui.allocate_space(vec2(1.0, ROW))),
        Line::Title => cells_ui(ui, weak("Values as the network sees them".to_owned()), [None, None]),
        Line::ChannelHead => {
            cells_ui(ui, heading("Channel"), [Some(heading("Mean")), Some(heading("Deviation"))]);
        }
        Line::Channel(channel) => {
            let [mean, deviation] = [&seen.channels.mean, &seen.channels.deviation]
                .map(|values| Some(plain(fixed(values[channel], 4))));
            cells_ui(ui, plain((channel + 1).to_string()), [mean, deviation]);
        }
        Line::Measured => {
            let all = text::counted(seen.samples.len(), "sample");
            let words = format!("over {} of {all}", text::grouped(seen.measured as u64));
            cells_ui(ui, weak(words), [None, None]);
        }
        Line::MoreChannels(more) => cells_ui(ui, weak(format!("and {more} more")), [None, None]),
    }
}

/// A name and up to two numbers at the right; a long name is cut off, and whole under the pointer.
fn cells_ui(ui: &mut Ui, name: RichText, numbers: [Option<RichText>; 2]) {
    ui.allocate_ui_with_layout(vec2(ui.available_width(), ROW), Layout::right_to_left(Align::Center), |ui| {
        for number in numbers.into_iter().rev().flatten() {
            let layout = Layout::right_to_left(Align::Center);
            ui.allocate_ui_with_layout(vec2(NUMBER, ROW), layout, |ui| {
                ui.set_min_width(NUMBER);
                ui.label(number);
            });
        }
        let rest = Layout::left_to_right(Align::Center);
        ui.with_layout(rest, |ui| ui.add(Label::new(name).truncate()));
    });
}

fn share(right: u64, samples: u64) -> String {
    if samples == 0 {
        "–".to_owned()
    } else {
        format!("{} %", fixed(100.0 * right as f64 / samples as f64, 1))
    }
}

//! The start page: a blank experiment, the templates with pictures of their results, and recent files.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::LazyLock;

use eframe::egui::{
    self, Align, Align2, Color32, CornerRadius, FontId, Label, Layout, Rect, Response, RichText, ScrollArea,
    Sense, Stroke, StrokeKind, Ui, UiBuilder, Vec2, pos2, vec2,
};

use super::commands::Command;
use super::icons::Icon;
use super::plot::{arm_of, paint};
use super::recent::{RecentFile, RecentState, searched_ui};
use super::text::counted;
use super::theme::{self, BODY, HEADING, NAME, SMALL, STEP, present};
use super::widgets::{self, Tone};
use doc::structure::Parameter;
use doc::templates::{self, Template};
use doc::{expand_arms, runs};
use figure::axis::{Axis, Mapping};
use figure::cells::Cells;
use figure::plots::find;
use figure::ranges::ranges;
use figure::scene::Intervals;
use figure::scene::{Ink, Pen, Shape};
use figure::{Dash, Figure, Line, style_of};
use results::view::PlotOptions;

/// Widths of lines, and of the bars of layers, in points.
const LINE: f64 = 2.0;
const BAR: f64 = 6.0;
/// Distance from the frame of the picture to its lines.
const MARGIN: f32 = 4.0;
/// Width of a card with the space after it, and its height, in points.
const CARD: Vec2 = vec2(208.0, 212.0);
const GAP: f32 = 14.0;
/// Height of a card's picture.
const PICTURE: f32 = 100.0;
/// Width of the list of recent files, and the least that it needs.
const RECENT: f32 = 336.0;
const RECENT_LEAST: f32 = 288.0;
/// Space between the cards and recent files.
const BETWEEN: f32 = 7.0 * STEP;
/// The least space at the sides.
const SIDE: f32 = 3.0 * STEP;
const COLUMNS: usize = 4;
/// The number of cards that are there at first, with the blank one.
const FIRST: usize = 8;

/// The choice on the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StartResponse {
    New(Template),
    Recent(PathBuf),
    Do(Command),
    /// The document that was open before.
    Back,
}

/// Draws the page into all available space; `back` is the name of the document that can be returned to.
pub fn start_ui(ui: &mut Ui, recent: &[RecentFile], back: Option<&str>) -> Option<StartResponse> {
    let space = ui.available_size();
    let is_wide = space.x >= RECENT_LEAST + BETWEEN + CARD.x * 2.0 + GAP + 2.0 * SIDE;
    let for_cards = space.x - 2.0 * SIDE - if is_wide { RECENT_LEAST + BETWEEN } else { 0.0 };
    let columns = ((for_cards + GAP) / (CARD.x + GAP)).floor().clamp(1.0, COLUMNS as f32);
    let cards = columns * (CARD.x + GAP) - GAP;
    let beside = (space.x - 2.0 * SIDE - cards - BETWEEN).min(RECENT);
    let all = if is_wide { cards + BETWEEN + beside } else { cards };
    let margin = ((space.x - all) / 2.0).max(SIDE);
    let top = (space.y * 0.07).min(10.0 * STEP);
    let area = ui.available_rect_before_wrap();
    let left = area.with_min_x(area.left() + margin).with_max_x(area.left() + margin + cards + GAP);
    let mut response = column_ui(ui, "cards", left, top, |ui| {
        ui.set_width(cards);
        let response = new_ui(ui, columns as usize, back);
        if is_wide {
            return response;
        }
        ui.add_space(3.0 * STEP);
        recent_ui(ui, recent).or(response)
    });
    if is_wide {
        let right = area.with_min_x(left.right() - GAP + BETWEEN);
        let right = right.with_max_x(right.left() + beside + GAP);
        response = column_ui(ui, "recent", right, top, |ui| {
            ui.set_width(beside);
            recent_ui(ui, recent)
        })
        .or(response);
    }
    response
}

/// Draws a column of the page, which scrolls by itself.
fn column_ui<R>(ui: &mut Ui, name: &str, rect: Rect, top: f32, draw: impl FnOnce(&mut Ui) -> R) -> R {
    let column = UiBuilder::new().id_salt(name).max_rect(rect);
    let contents = |ui: &mut Ui| {
        ui.add_space(top);
        draw(ui)
    };
    let area = ScrollArea::vertical().auto_shrink([false, false]);
    ui.scope_builder(column, |ui| area.show(ui, contents).inner).inner
}

fn heading_ui(ui: &mut Ui, text: &str) {
    ui.add(Label::new(RichText::new(text).font(theme::medium(HEADING))).selectable(false));
}

fn new_ui(ui: &mut Ui, columns: usize, back: Option<&str>) -> Option<StartResponse> {
    let mut chosen = None;
    heading_ui(ui, "New experiment");
    ui.add_space(1.5 * STEP);
    let cards: Vec<Template> = std::iter::once(templates::BLANK).chain(templates::all()).collect();
    let (first, more) = cards.split_at(FIRST);
    ui.spacing_mut().item_spacing = Vec2::splat(GAP);
    cards_ui(ui, first, columns, &mut chosen);
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = STEP;
        let mut link = |icon: Icon, text: &str, response: StartResponse| {
            let text = RichText::new(text).color(present(ui).link);
            if ui
                .add(egui::Button::new((icon.atom(widgets::ICON), text)).frame_when_inactive(false))
                .clicked()
            {
                chosen = Some(response);
            }
        };
        link(Icon::Book, "User guide", StartResponse::Do(Command::Guide));
        link(Icon::Keyboard, "Keys", StartResponse::Do(Command::Shortcuts));
        if let Some(back) = back {
            link(Icon::ArrowLeft, &format!("Back to {back}"), StartResponse::Back);
            if ui.input(|input| input.key_pressed(egui::Key::Escape)) {
                chosen = Some(StartResponse::Back);
            }
        }
        let hint = "These run on data inside the program. More ask for a folder of data.";
        ui.add(Label::new(RichText::new(hint).size(SMALL).color(present(ui).text3)).wrap());
    });
    ui.collapsing("More templates", |ui| cards_ui(ui, more, columns, &mut chosen));
    chosen
}

fn cards_ui(ui: &mut Ui, cards: &[Template], columns: usize, chosen: &mut Option<StartResponse>) {
    for cards in cards.chunks(columns) {
        ui.horizontal(|ui| {
            for template in cards {
                let response = template_ui(ui, template);
                if response.gained_focus() {
                    response.scroll_to_me(None);
                }
                if response.clicked() {
                    *chosen = Some(StartResponse::New(*template));
                }
            }
        });
    }
}

/// Draws the ground of a card; all of it is the button.
fn card_ui(ui: &mut Ui, name: &str) -> (Rect, Response) {
    let colours = present(ui);
    let (rect, response) = ui.allocate_exact_size(CARD, Sense::click());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::accesskit::Role::Button, true, name));
    let is_pointed = response.hovered() || response.has_focus();
    let (below, border) =
        if is_pointed { (colours.raised, colours.focus) } else { (colours.panel, colours.line) };
    let radius = CornerRadius::same(6);
    ui.painter().rect_filled(rect, radius, colours.canvas);
    let words = rect.with_min_y(rect.top() + PICTURE);
    ui.painter().rect_filled(words, CornerRadius { nw: 0, ne: 0, ..radius }, below);
    ui.painter().hline(rect.x_range(), words.top(), (1.0, colours.line));
    let width = if is_pointed { 2.0 } else { 1.0 };
    ui.painter().rect_stroke(rect, radius, Stroke::new(width, border), StrokeKind::Inside);
    (rect, response.on_hover_cursor(egui::CursorIcon::PointingHand))
}

/// Draws the card of a template; the blank one has no figure.
fn template_ui(ui: &mut Ui, template: &Template) -> Response {
    let (rect, response) = card_ui(ui, template.name);
    let picture = rect.with_max_y(rect.top() + PICTURE);
    match RESULTS.get(template.name) {
        Some(figure) => result_ui(ui, picture.shrink2(vec2(STEP, STEP)), figure),
        None => Icon::Plus.paint(ui.painter(), picture.center(), HEADING, present(ui).text3),
    }
    let experiment = template.experiment();
    // How long it takes depends on the machine: the bar measures that once the template is open.
    let facts = [counted(experiment.arms.len(), "arm"), counted(experiment.seeds.len(), "seed")];
    let facts = facts.into_iter().chain(experiment.data.file_set().map(str::to_owned));
    let facts = facts.collect::<Vec<_>>().join(" · ");
    let inner = rect.with_min_y(rect.top() + PICTURE).shrink(1.5 * STEP);
    // Beside the layout of the cards: it has placed this one already.
    let mut words = ui.new_child(UiBuilder::new().max_rect(inner).layout(Layout::top_down(Align::Min)));
    words.spacing_mut().item_spacing.y = STEP / 2.0;
    words.add(
        Label::new(RichText::new(template.title).font(theme::medium(NAME))).selectable(false).truncate(),
    );
    let text = RichText::new(template.description).size(SMALL).color(present(ui).text2);
    words.add(Label::new(text).selectable(false).wrap());
    let at = pos2(inner.left(), inner.bottom() + STEP / 2.0);
    ui.painter().text(at, Align2::LEFT_BOTTOM, facts, FontId::proportional(SMALL), present(ui).text3);
    response
}

fn recent_ui(ui: &mut Ui, recent: &[RecentFile]) -> Option<StartResponse> {
    let mut chosen = None;
    ui.horizontal(|ui| {
        heading_ui(ui, "Recent");
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if ui.add(widgets::button(Icon::FolderOpen, "Open…")).clicked() {
                chosen = Some(StartResponse::Do(Command::Open));
            }
        });
    });
    ui.add_space(STEP);
    ui.spacing_mut().item_spacing.y = STEP / 2.0;
    for file in searched_ui(ui, recent) {
        if file_ui(ui, file).clicked() {
            chosen = Some(StartResponse::Recent(file.path.clone()));
        }
    }
    let hint = if recent.is_empty() {
        "Files that you open appear here. You can also drop a .ron file anywhere in this window."
    } else {
        "Or drop a .ron file anywhere in this window."
    };
    ui.add_space(STEP);
    ui.add(Label::new(RichText::new(hint).size(SMALL).color(present(ui).text3)).wrap());
    chosen
}

/// Draws a recent file: name and day above, folder and state below.
fn file_ui(ui: &mut Ui, file: &RecentFile) -> Response {
    let colours = present(ui);
    let is_there = file.state != RecentState::Missing;
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 6.0 * STEP), Sense::click());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::accesskit::Role::Button, true, &file.name));
    if response.hovered() || response.has_focus() {
        ui.painter().rect_filled(rect.expand2(vec2(STEP, 0.0)), 4.0, colours.raised);
    }
    let ink = if is_there { colours.text } else { colours.text3 };
    let [upper, lower] = [rect.top() + 1.75 * STEP, rect.top() + 4.25 * STEP];
    let small = FontId::proportional(SMALL);
    let painter = ui.painter().clone();
    let (tone, state) = file.state.words();
    let state_ink = tone.map_or(colours.text2, |tone| tone.colour(ui));
    let state_rect =
        painter.text(pos2(rect.right(), lower), Align2::RIGHT_CENTER, &state, small.clone(), state_ink);
    if let Some(icon) = tone.map(Tone::icon) {
        icon.paint(&painter, pos2(state_rect.left() - 1.25 * STEP, lower), 14.0, state_ink);
    }
    let day = painter.text(
        pos2(rect.right(), upper),
        Align2::RIGHT_CENTER,
        &file.day,
        small.clone(),
        colours.text2,
    );
    let fitting =
        theme::fitted(&painter, &file.name, &theme::medium(BODY), day.left() - rect.left() - 2.0 * STEP);
    painter.text(pos2(rect.left(), upper), Align2::LEFT_CENTER, fitting, theme::medium(BODY), ink);
    let most = state_rect.left() - rect.left() - 5.0 * STEP;
    let folder = theme::fitted(&painter, &file.folder, &small, most);
    painter.text(pos2(rect.left(), lower), Align2::LEFT_CENTER, folder, small, colours.text3);
    response.on_hover_text(file.path.display().to_string()).on_hover_cursor(egui::CursorIcon::PointingHand)
}

/// The figures of the templates, by their names.
static RESULTS: LazyLock<BTreeMap<&str, Figure>> = LazyLock::new(|| {
    templates::all().iter().filter_map(|template| Some((template.name, figure(template)?))).collect()
});

/// Draws the cells of the figure into a rectangle, or its lines over two bare axes.
fn result_ui(ui: &Ui, rect: Rect, figure: &Figure) {
    let colours = theme::present(ui);
    let painter = ui.painter().with_clip_rect(rect);
    if let Some(cells) = &figure.cells {
        let [rows, columns] = cells.size();
        let size = rect.size() / vec2(columns as f32, rows as f32);
        for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
            let ink = cells.paint([row, column], cells.range(), theme::theme_of(ui));
            let at = rect.min + size * vec2(column as f32, row as f32);
            let [r, g, b] = ink.unwrap_or_default();
            painter.rect_filled(
                Rect::from_min_size(at, size - Vec2::splat(1.0)),
                0.0,
                Color32::from_rgb(r, g, b),
            );
        }
        return;
    }
    painter.vline(rect.left(), rect.y_range(), (1.0, colours.grid));
    painter.hline(rect.x_range(), rect.bottom() - 0.5, (1.0, colours.grid));
    let inner = rect.shrink(MARGIN);
    let [x, y] = ranges(figure, Intervals::None);
    let across = Mapping::new(&figure.x, x, [f64::from(inner.left()), f64::from(inner.right())]);
    let up = Mapping::new(&figure.y, y, [f64::from(inner.bottom()), f64::from(inner.top())]);
    for line in &figure.lines {
        let place = |[x, y]: &[f64; 2]| Some([across.place(*x)?, up.place(*y)?]);
        let width = if figure.x.title.is_empty() { BAR } else { LINE };
        let pen = Pen::new(Ink::new(line.style.rgb(theme::theme_of(ui))), width).dashed(line.style.dash);
        paint(&painter, &[Shape::Line(line.points.iter().filter_map(place).collect(), pen).plain()]);
    }
}

/// Returns a bar for each layer of the network of a template, as high as it has weights, on a logarithmic scale.
fn network(template: &Template) -> Option<Figure> {
    let structure = runs(&template.experiment()).ok()?.first()?.spec.structure().ok()?;
    let weights = (0..structure.layers.len()).filter_map(|layer| structure.weight(layer));
    let bar = |(x, weight): (usize, &Parameter)| {
        let points = [0.0, (weight.len() as f64).ln()].map(|y| [x as f64, y]).to_vec();
        Line::new(&weight.name, style_of(0), points)
    };
    Some(Figure { lines: weights.enumerate().map(bar).collect(), ..Figure::default() })
}

/// Returns the figure of a template, from its stored values; where a run takes too long for that, of its network.
fn figure(template: &Template) -> Option<Figure> {
    let Some(values) = template.result else { return network(template) };
    let rows = values.lines().skip(1);
    let mut figure = (find(template.views.first()?)?.build)(&[], &PlotOptions::default());
    let experiment = template.experiment();
    let arms: Vec<String> = expand_arms(&experiment).ok()?.into_iter().map(|arm| arm.name).collect();
    for (name, point) in rows.clone().filter_map(value) {
        if figure.lines.last().is_none_or(|line| line.name != name) {
            let own = || experiment.arms.iter().position(|arm| arm.name == name); // of all its settings
            let colour = arm_of(&arms, &name).or_else(own).unwrap_or_default();
            let is_second = figure.lines.iter().any(|line| line.style.colour == colour);
            let dash = if is_second { Dash::Dotted } else { Dash::Solid };
            let style = figure::Style { dash, ..style_of(colour) };
            figure.lines.push(Line::new(&name, style, Vec::new()));
        }
        figure.lines.last_mut()?.points.push(point);
    }
    let places = figure.lines.iter().flat_map(|line| &line.points).map(|[x, _]| *x);
    let [low, high] = places.fold([f64::MAX, 0.0], |[low, high], x| [x.min(low), x.max(high)]);
    if low > 0.0 && high / low >= DECADES {
        figure.x = figure.x.log();
    }
    let shares: Vec<(&str, f64)> = rows.filter_map(cell).collect();
    if !shares.is_empty() {
        let values: Vec<Vec<f64>> = shares
            .chunk_by(|(row, _), (next, _)| row == next)
            .map(|row| row.iter().map(|(_, share)| *share).collect())
            .collect();
        let axis = Axis { range: Some(SHARES), ..Axis::percent("").log() };
        figure.cells = Some(Cells { axis, values, ..Cells::default() });
    }
    Some(figure)
}

/// The ratio of the ends of an axis from which on it is logarithmic.
const DECADES: f64 = 99.0;
/// The ends of the scale of the shares in cells.
const SHARES: [f64; 2] = [0.001, 0.5];

/// Returns the row and the value of a row `cell,KIND,,x,y,low,high,value,n`.
fn cell(row: &str) -> Option<(&str, f64)> {
    let fields: Vec<&str> = row.split(',').collect();
    let ["cell", .., y, _, _, share, _] = fields[..] else { return None };
    Some((y, share.parse().ok()?))
}

/// Returns the line and the point of a row `line,NAME,,x,y,low,high`; a name with a comma has quotes.
fn value(row: &str) -> Option<(String, [f64; 2])> {
    let mut fields = row.rsplitn(6, ',').skip(2);
    let y = fields.next()?.parse().ok()?;
    let x = fields.next()?.parse().ok()?;
    let name = fields.nth(1)?.strip_prefix("line,")?;
    Some((name.trim_matches('"').to_owned(), [x, y]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_result_is_read_to_its_last_row() {
        for template in templates::all() {
            let Some(result) = template.result else { continue };
            let figure = &RESULTS[template.name];
            let cells = figure.cells.iter().map(|cells| cells.size().into_iter().product::<usize>());
            let points: usize = figure.lines.iter().map(|line| line.points.len()).chain(cells).sum();
            assert_eq!(points, result.lines().count() - 1, "{}", template.name);
            let arms = template.experiment().arms;
            let known = |line: &Line| arms.iter().any(|arm| line.name.starts_with(&arm.name));
            assert!(figure.lines.iter().all(known), "{}", template.name);
        }
    }

    #[test]
    fn a_card_without_a_result_has_a_picture_of_its_network() {
        for template in templates::all().iter().filter(|template| template.result.is_none()) {
            assert!(RESULTS[template.name].lines.len() > 4, "{}", template.name);
        }
    }

    #[test]
    fn names_with_commas_are_read() {
        let row = "line,\"SGD, rate 0.1\",,2,0.5,0.25,0.75";
        assert_eq!(value(row), Some(("SGD, rate 0.1".to_owned(), [2.0, 0.5])));
    }
}

//! The controls of the window: one button, one text field, one drop-down, all of the same height.

use eframe::egui::containers::menu::{MenuConfig, SubMenuButton, is_in_menu};
use eframe::egui::{
    self, AsIdSalt, Atom, Button, Color32, ComboBox, CornerRadius, Key, KeyboardShortcut, Label, Margin,
    Modifiers, Popup, PopupCloseBehavior, Rect, Response, RichText, Stroke, StrokeKind, TextEdit, Ui,
    UiBuilder, Vec2, pos2, vec2,
};

use super::icons::Icon;
use super::theme::{self, BODY, CONTROL, SMALL, STEP, TITLE, present};
use doc::{Problem, Severity};

pub const ICON: f32 = 16.0;
/// Keys of what can be done with the row of a list that has the keyboard.
pub const MOVE_UP: KeyboardShortcut = KeyboardShortcut::new(Modifiers::ALT, Key::ArrowUp);
pub const MOVE_DOWN: KeyboardShortcut = KeyboardShortcut::new(Modifiers::ALT, Key::ArrowDown);
pub const DUPLICATE: KeyboardShortcut = KeyboardShortcut::new(Modifiers::COMMAND, Key::D);
pub const REMOVE: KeyboardShortcut = KeyboardShortcut::new(Modifiers::NONE, Key::Delete);
/// Height of a list of choices; longer ones scroll.
const LIST: f32 = 320.0;

/// Returns a button with an icon, or none, before its text.
pub fn button(icon: impl Into<Option<Icon>>, text: &str) -> Button<'static> {
    labelled(icon.into().map(|icon| icon.atom(ICON)), RichText::new(text))
}

/// Returns a button without ground: for actions in a row of text.
pub fn ghost(icon: impl Into<Option<Icon>>, text: &str) -> Button<'static> {
    button(icon, text).frame_when_inactive(false)
}

/// Draws an entry of a menu; returns true if it was chosen, which closes the menu.
pub fn entry_ui(ui: &mut Ui, icon: impl Into<Option<Icon>>, text: &str) -> bool {
    let chosen = ui.add(ghost(icon, text)).accessible_name(text).clicked();
    if chosen {
        ui.close();
    }
    chosen
}

fn labelled(icon: Option<Atom<'static>>, text: RichText) -> Button<'static> {
    let button = match icon {
        Some(icon) => Button::new((icon, text)),
        None => Button::new(text),
    };
    button.min_size(vec2(0.0, CONTROL))
}

/// Draws the one primary button of a screen, in the accent colour while it can be used.
pub fn primary_ui(ui: &mut Ui, is_enabled: bool, icon: impl Into<Option<Icon>>, text: &str) -> Response {
    let colours = present(ui);
    let icon = icon.into();
    if !is_enabled {
        let outlined = button(icon, text).fill(Color32::TRANSPARENT).stroke(Stroke::new(1.0, colours.edge));
        return ui.add_enabled(false, outlined);
    }
    let icon = icon.map(|icon| icon.coloured(ICON, Some(colours.on_accent)));
    let text = RichText::new(text).font(theme::medium(BODY)).color(colours.on_accent);
    let response = ui.add(labelled(icon, text).fill(colours.accent));
    if response.has_focus() {
        focus_ring(ui, response.rect);
    }
    response
}

/// Draws a square button that shows only an icon; its name is also its tooltip.
pub fn icon_button_ui(ui: &mut Ui, is_enabled: bool, icon: Icon, name: &str) -> Response {
    square_ui(ui, is_enabled, icon, name, false)
}

/// Draws a square button for a switch: with a ground when it is on.
pub fn toggle_icon_ui(ui: &mut Ui, icon: Icon, name: &str, is_on: bool) -> Response {
    let response = square_ui(ui, true, icon, name, is_on);
    response.widget_info(|| egui::WidgetInfo::selected(egui::accesskit::Role::Button, true, is_on, name));
    response
}

fn square_ui(ui: &mut Ui, is_enabled: bool, icon: Icon, name: &str, has_ground: bool) -> Response {
    let button = Button::new(icon.atom(ICON)).min_size(Vec2::splat(CONTROL)).frame_when_inactive(has_ground);
    let padding =
        std::mem::replace(&mut ui.spacing_mut().button_padding, Vec2::splat((CONTROL - ICON) / 2.0));
    let response = ui.add_enabled(is_enabled, button).accessible_name(name);
    ui.spacing_mut().button_padding = padding;
    response.on_hover_text(name)
}

/// The state of the text of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldState {
    /// It can be used, or is empty.
    Plain,
    /// It cannot be used; a sentence below says why.
    Wrong,
}

/// Draws a field for a line of text with its border: the edge, the focus ring, or the colour of errors.
pub fn field_ui(ui: &mut Ui, edit: TextEdit<'_>, state: FieldState) -> Response {
    let edit = edit.align(egui::Align2::LEFT_CENTER).min_size(vec2(0.0, CONTROL));
    bordered_ui(ui, edit, Margin::symmetric(8, 0), state)
}

pub fn area_ui(ui: &mut Ui, edit: TextEdit<'_>) -> Response {
    bordered_ui(ui, edit, Margin::symmetric(8, 6), FieldState::Plain)
}

fn bordered_ui(ui: &mut Ui, edit: TextEdit<'_>, margin: Margin, state: FieldState) -> Response {
    let colours = present(ui);
    let frame = egui::Frame::new().fill(colours.canvas).corner_radius(4.0).inner_margin(margin);
    let response = ui.add(edit.frame(frame));
    let (width, border) = match state {
        FieldState::Wrong => (2.0, colours.bad),
        FieldState::Plain if response.has_focus() => (2.0, colours.focus),
        FieldState::Plain => (1.0, colours.edge),
    };
    ui.painter().rect_stroke(response.rect, 4.0, Stroke::new(width, border), StrokeKind::Inside);
    if state == FieldState::Wrong {
        let at = pos2(response.rect.right() - 14.0, response.rect.center().y);
        Icon::ErrorFill.paint(ui.painter(), at, 14.0, colours.bad);
    }
    response
}

/// Draws something to tick or a number to drag, with the ground of a field and an outline: the ground alone is hard
/// to see.
pub fn input_ui(ui: &mut Ui, input: impl egui::Widget) -> Response {
    let before = ui.visuals().widgets.inactive;
    outline_inputs(ui);
    let field = present(ui).field;
    let inactive = &mut ui.visuals_mut().widgets.inactive;
    (inactive.bg_fill, inactive.weak_bg_fill) = (field, field);
    let response = ui.add(input);
    ui.visuals_mut().widgets.inactive = before;
    response
}

/// Gives all further inputs of this part of the window their outlines.
pub fn outline_inputs(ui: &mut Ui) {
    ui.visuals_mut().widgets.inactive.bg_stroke = Stroke::new(1.0, present(ui).edge);
}

/// Creates a drop-down, closed.
pub fn drop_down(id: impl AsIdSalt, chosen: &str) -> ComboBox<'static> {
    ComboBox::from_id_salt(id).selected_text(chosen).icon(
        |ui: &Ui, rect: Rect, visuals: &egui::style::WidgetVisuals, _| {
            Icon::CaretDown.paint(ui.painter(), rect.center(), 12.0, visuals.fg_stroke.color);
        },
    )
}

/// Returns the tooltip of a drop-down of this width: what is chosen too, where there is no room for all of it.
pub fn drop_down_hint(ui: &Ui, chosen: &str, width: f32, help: &str) -> String {
    let padding = 2.0 * ui.spacing().button_padding.x + ui.spacing().icon_spacing + ui.spacing().icon_width;
    let font = egui::FontId::proportional(BODY);
    let is_cut = theme::fitted(ui.painter(), chosen, &font, width - padding) != chosen;
    if is_cut { format!("{chosen}\n{help}") } else { help.to_owned() }
}

/// Draws a choice from a list with its name before it.
pub fn choice_ui(ui: &mut Ui, name: &str, chosen: &str, list: impl FnOnce(&mut Ui)) -> Response {
    listed_choice_ui(ui, (name, chosen), PopupCloseBehavior::CloseOnClick, list)
}

/// Draws a list with its name before it. Within a menu the list is a submenu, since a separate list would close the menu.
pub fn listed_choice_ui(
    ui: &mut Ui,
    (name, chosen): (&str, &str),
    close: PopupCloseBehavior,
    list: impl FnOnce(&mut Ui),
) -> Response {
    if is_in_menu(ui) {
        let config = MenuConfig::new().close_behavior(close);
        let (button, _) = SubMenuButton::new(format!("{name}: {chosen}")).config(config).ui(ui, list);
        return button.accessible_name(name);
    }
    // Quiet until the pointer comes: the data matter more.
    ui.visuals_mut().widgets.inactive.weak_bg_fill = Color32::TRANSPARENT;
    // The list first: rows of tools go from right to left.
    let combo = drop_down(ui.scope_id().with(name), chosen);
    let combo = combo.width(0.0).height(LIST).close_behavior(close).show_ui(ui, list);
    let label = ui.label(RichText::new(name).color(present(ui).text2));
    combo.response.labelled_by(label.id)
}

/// Draws the title of a panel or of a dialog.
pub fn title_ui(ui: &mut Ui, text: &str) -> Response {
    ui.add(Label::new(RichText::new(text).font(theme::medium(TITLE))).selectable(false).truncate())
}

/// Returns the row of a list that an arrow key leads to from the focused one, which is focused then and should be
/// selected; the Tab key moves the focus alone. `rows` are in their order.
pub fn arrow_target(ui: &Ui, rows: &[egui::Id]) -> Option<usize> {
    let focused = ui.memory(egui::Memory::focused)?;
    let at = rows.iter().position(|row| *row == focused)?;
    let filter = egui::EventFilter { vertical_arrows: true, ..egui::EventFilter::default() };
    ui.memory_mut(|memory| memory.set_focus_lock_filter(focused, filter));
    let is_pressed = |key| ui.input(|input| input.modifiers.is_none() && input.key_pressed(key));
    let target = if is_pressed(egui::Key::ArrowDown) {
        at + 1
    } else if is_pressed(egui::Key::ArrowUp) {
        at.checked_sub(1)?
    } else {
        return None;
    };
    let id = *rows.get(target)?;
    ui.memory_mut(|memory| memory.request_focus(id));
    ui.ctx().request_repaint();
    Some(target)
}

/// Returns what a row of a list senses that the Tab key passes in one stop: only that row takes the keyboard from Tab, beside
/// the one that has it. The arrow keys lead to the others.
pub fn row_sense(ui: &Ui, row: egui::Id, is_stop: bool, all: egui::Sense) -> egui::Sense {
    let takes_keyboard = is_stop || ui.memory(|memory| memory.has_focus(row));
    if takes_keyboard { all } else { all & (egui::Sense::CLICK | egui::Sense::DRAG) }
}

/// Gives the keyboard to the next widget that takes it.
pub fn focus_next(ui: &Ui) {
    ui.memory_mut(|memory| {
        if let Some(focused) = memory.focused() {
            memory.surrender_focus(focused);
        }
        memory.move_focus(egui::FocusDirection::Next);
    });
}

/// Paints the line above or below a row where something dragged would go.
pub fn drop_line(ui: &Ui, row: Rect, is_above: bool) {
    let y = if is_above { row.top() } else { row.bottom() };
    let stroke = Stroke::new(2.0, present(ui).link);
    ui.painter().line_segment([pos2(row.left(), y), pos2(row.right(), y)], stroke);
}

/// Paints a ring around what the keyboard acts on; not after a click, until a key is pressed.
pub fn focus_ring(ui: &Ui, rect: Rect) {
    let is_by_key = |event: &egui::Event| match event {
        egui::Event::Key { pressed: true, .. } | egui::Event::AccessKitActionRequest(_) => Some(true),
        egui::Event::PointerButton { .. } => Some(false),
        _ => None,
    };
    let last = ui.input(|input| input.raw.events.iter().rev().find_map(is_by_key));
    let is_seen = ui.data_mut(|data| {
        let seen = data.get_temp_mut_or(egui::Id::unique("focus by key"), true);
        *seen = last.unwrap_or(*seen);
        *seen
    });
    if !is_seen {
        return;
    }
    let stroke = Stroke::new(2.0, present(ui).focus);
    ui.painter().rect_stroke(rect, CornerRadius::same(4), stroke, StrokeKind::Inside);
}

/// The kind of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    Bad,
    Warning,
    Good,
    Info,
}

impl Tone {
    pub fn of(problem: &Problem) -> Self {
        match problem.severity {
            Severity::Error if problem.is_mistake() => Self::Bad,
            Severity::Error => Self::Info,
            Severity::Note => Self::Warning,
        }
    }

    /// Returns the tone of the worst of some problems.
    pub fn worst_of<'a>(problems: impl IntoIterator<Item = &'a Problem>) -> Option<Self> {
        problems.into_iter().min_by_key(|problem| (problem.severity, problem.is_unset)).map(Self::of)
    }

    pub const fn icon(self) -> Icon {
        match self {
            Self::Bad => Icon::ErrorFill,
            Self::Warning => Icon::Warning,
            Self::Good => Icon::CheckCircle,
            Self::Info => Icon::Info,
        }
    }

    pub fn colour(self, ui: &Ui) -> Color32 {
        let colours = present(ui);
        match self {
            Self::Bad => colours.bad,
            Self::Warning => colours.warning,
            Self::Good => colours.good,
            Self::Info => colours.text3,
        }
    }
}

/// Draws a message with the icon of its kind.
pub fn message_ui(ui: &mut Ui, tone: Tone, text: &str) -> Response {
    ui.horizontal_top(|ui| {
        let colour = tone.colour(ui);
        let (rect, _) = ui.allocate_exact_size(Vec2::splat(ICON), egui::Sense::hover());
        tone.icon().paint(ui.painter(), rect.center(), 14.0, colour);
        ui.spacing_mut().item_spacing.x = STEP / 2.0;
        let text = RichText::new(text).size(SMALL);
        let text = if tone == Tone::Bad { text.color(colour) } else { text };
        ui.add(Label::new(text).wrap())
    })
    .inner
}

/// Draws a part of a panel, as wide as there is room: what is wider is cut off there, and widens nothing beside it.
pub fn bounded_ui<R>(ui: &mut Ui, draw: impl FnOnce(&mut Ui) -> R) -> R {
    let room = ui.available_rect_before_wrap();
    let mut child = ui.new_child(UiBuilder::new().max_rect(room));
    let seen = child.clip_rect();
    child.set_clip_rect(seen.with_max_x(seen.right().min(room.right() + 4.0)));
    let result = draw(&mut child);
    ui.advance_cursor_after_rect(child.min_rect().with_min_x(room.left()).with_max_x(room.right()));
    result
}

/// Draws details that are folded at first; nothing where there are none.
pub fn folded_ui(ui: &mut Ui, details: &str) {
    if !details.is_empty() {
        let text = RichText::new(details).size(SMALL).color(present(ui).text3);
        let header = egui::CollapsingHeader::new(RichText::new("Details").size(SMALL)).id_salt(details);
        header.show(ui, |ui| ui.add(Label::new(text).wrap()));
    }
}

/// Draws entries of a menu, which can be scrolled where the window is lower than all of them.
pub fn scrolled_ui(ui: &mut Ui, entries_ui: impl FnOnce(&mut Ui)) {
    let height = ui.ctx().content_rect().bottom() - ui.cursor().top() - 2.0 * theme::STEP;
    let height = height.max(12.0 * theme::STEP);
    egui::ScrollArea::vertical().max_height(height).min_scrolled_height(height).show(ui, entries_ui);
}

/// Creates a part of a dialog that scrolls: as high as its content, up to `height` and to what the window has. It has
/// this height at once; without a least height it would grow frame by frame, away from under the pointer.
pub fn scroll_area(ui: &Ui, height: f32) -> egui::ScrollArea {
    let height = height.min(ui.ctx().content_rect().height() - 20.0 * theme::STEP);
    egui::ScrollArea::vertical().max_height(height).min_scrolled_height(height)
}

/// Draws a large window, at first of this width. Returns true unless it is closed; Escape closes what is above it first.
pub fn window_ui(ctx: &egui::Context, title: &str, width: f32, draw: impl FnOnce(&mut Ui)) -> bool {
    let is_covered = Popup::is_any_open(ctx) || ctx.memory(|memory| memory.top_modal_layer().is_some());
    let mut is_open = is_covered || !ctx.input(|input| input.key_pressed(Key::Escape));
    let most = ctx.content_rect().size() - Vec2::splat(6.0 * STEP);
    let size = vec2(width, 640.0).min(most);
    let draw = |ui: &mut Ui| {
        ui.horizontal(|ui| {
            title_ui(ui, title);
            let right = egui::Layout::right_to_left(egui::Align::Center);
            is_open &=
                !ui.with_layout(right, |ui| icon_button_ui(ui, true, Icon::X, "Close").clicked()).inner;
        });
        draw(ui);
    };
    egui::Window::new(title)
        .title_bar(false)
        .default_pos(ctx.content_rect().center() - 0.5 * size)
        .default_size(size)
        .max_size(most)
        .collapsible(false)
        .show(ctx, draw);
    is_open
}

//! Draws tiles: their heads and their contents.

use eframe::egui::{Color32, Frame, Id, Rect, Stroke, Style, Ui, UiBuilder, Visuals, WidgetText};
use egui_tiles::{Behavior, ResizeState, TileId, UiResponse};

use super::head::{HEIGHT, head_ui};
use super::{Contents, LayoutChange, Tiling};
use crate::panes::Pane;
use crate::theme;

/// The input for drawing tiles, and the actions of a person in this frame.
pub struct Drawing<'a> {
    tiling: &'a Tiling,
    /// The widget that has received the keyboard focus in this frame.
    focused: Option<Id>,
    contents: &'a mut dyn Contents,
    /// The view that was clicked or has received the keyboard focus.
    used: Option<&'static str>,
    asked: Vec<LayoutChange>,
}

impl<'a> Drawing<'a> {
    /// Before drawing.
    pub fn new(tiling: &'a Tiling, focused: Option<Id>, contents: &'a mut dyn Contents) -> Self {
        Self { tiling, focused, contents, used: None, asked: Vec::new() }
    }

    /// The view that was used, and the actions.
    pub fn finish(self) -> (Option<&'static str>, Vec<LayoutChange>) {
        (self.used, self.asked)
    }

    /// Whether a view is used in this frame: a click on a window above it does not count.
    fn is_used(&self, ui: &Ui, rect: Rect) -> bool {
        let is_pressed = ui.input(|input| input.pointer.any_pressed()) && ui.rect_contains_pointer(rect);
        let has_focus = || {
            let response = self.focused.and_then(|id| ui.ctx().read_response(id));
            response.is_some_and(|it| it.layer_id == ui.layer_id() && rect.contains_rect(it.rect))
        };
        is_pressed || has_focus()
    }
}

impl Behavior<Pane> for Drawing<'_> {
    fn pane_ui(&mut self, ui: &mut Ui, _tile: TileId, pane: &mut Pane) -> UiResponse {
        let rect = ui.max_rect();
        ui.painter().rect_filled(rect, 0.0, theme::present(ui).canvas);
        let (head, body) = rect.split_top_bottom_at_y(rect.top() + HEIGHT);
        let is_dragged = head_ui(ui, head, *pane, self.tiling, self.contents, &mut self.asked);
        ui.scope_builder(UiBuilder::new().max_rect(body), |ui| {
            let margin = eframe::egui::Margin { left: 8, right: 8, top: 0, bottom: 8 };
            Frame::new().inner_margin(margin).show(ui, |ui| self.contents.pane_ui(ui, *pane));
        });
        if self.is_used(ui, rect) {
            self.used = Some(pane.name);
        }
        if is_dragged { UiResponse::DragStarted } else { UiResponse::None }
    }

    fn tab_title_for_pane(&mut self, pane: &Pane) -> WidgetText {
        pane.title.into()
    }

    fn resize_stroke(&self, style: &Style, state: ResizeState) -> Stroke {
        match state {
            ResizeState::Idle => style.visuals.widgets.noninteractive.bg_stroke,
            ResizeState::Hovering | ResizeState::Dragging => style.visuals.widgets.hovered.bg_stroke,
        }
    }

    fn drag_preview_stroke(&self, visuals: &Visuals) -> Stroke {
        visuals.widgets.hovered.bg_stroke
    }

    fn drag_preview_color(&self, visuals: &Visuals) -> Color32 {
        visuals.selection.bg_fill.gamma_multiply(0.5)
    }

    fn min_size(&self) -> f32 {
        8.0 * theme::STEP
    }

    fn cycle_tabs_with_keyboard(&self) -> bool {
        false // a command does it
    }
}

//! Signs on buttons, drawn as shapes: no font has to have them.

use eframe::egui::{Atom, Button, Color32, Painter, Rect, Shape, Stroke, StrokeKind, Ui, pos2, vec2};

/// Width to keep free for a button with a sign.
pub(in crate::gui) const WIDTH: f32 = 20.0;

/// A quiet button with a sign that every font has.
pub(in crate::gui) fn text_button(text: &'static str) -> Button<'static> {
    Button::new(text).frame(false).min_size(vec2(WIDTH, WIDTH))
}

/// A sign that says what a button does, or what a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::gui) enum Sign {
    /// Two sheets.
    Copy,
    /// A cross: takes something out, or marks what is wrong.
    Cross,
    /// Further possibilities.
    More,
}

impl Sign {
    /// The sign as part of a button, in this colour or in that of the button's text.
    pub fn atom(self, colour: Option<Color32>) -> Atom<'static> {
        Atom::paint(vec2(12.0, 12.0), move |ui, args| {
            let colour = colour.unwrap_or(args.fallback_text_color);
            self.paint(ui.painter(), args.rect, colour);
            if has_keyboard(ui, args.rect) {
                let ring = Rect::from_center_size(args.rect.center(), vec2(WIDTH, WIDTH));
                ui.painter().rect_stroke(
                    ring,
                    4.0,
                    ui.visuals().widgets.active.bg_stroke,
                    StrokeKind::Inside,
                );
            }
        })
    }

    /// A button with nothing but the sign; it needs an accessible name.
    pub fn button(self) -> Button<'static> {
        self.coloured_button(None)
    }

    /// The same in this colour.
    pub fn coloured_button(self, colour: Option<Color32>) -> Button<'static> {
        Button::new(self.atom(colour)).frame(false).min_size(vec2(WIDTH, WIDTH))
    }

    fn paint(self, painter: &Painter, rect: Rect, colour: Color32) {
        let rect = Rect::from_center_size(rect.center(), vec2(10.0, 10.0));
        let stroke = Stroke::new(1.5, colour);
        match self {
            Self::Copy => sheets(painter, rect, Stroke::new(1.0, colour)),
            Self::Cross => {
                let rect = rect.shrink(1.5);
                painter.line_segment([rect.left_top(), rect.right_bottom()], stroke);
                painter.line_segment([rect.left_bottom(), rect.right_top()], stroke);
            }
            Self::More => {
                for x in [-3.5, 0.0, 3.5] {
                    painter.circle_filled(rect.center() + vec2(x, 0.0), 1.2, colour);
                }
            }
        }
    }
}

/// Whether the button around a sign has the keyboard: without a frame, it would not show that.
fn has_keyboard(ui: &Ui, sign: Rect) -> bool {
    let focused = ui.memory(eframe::egui::Memory::focused).and_then(|id| ui.ctx().read_response(id));
    focused.is_some_and(|it| it.rect.contains_rect(sign) && it.rect.width() <= 1.5 * WIDTH)
}

fn sheets(painter: &Painter, rect: Rect, stroke: Stroke) {
    let size = rect.size() * 0.7;
    let (back, front) = (Rect::from_min_size(rect.min, size), Rect::from_min_size(rect.max - size, size));
    let corner = back.left_bottom();
    painter.add(Shape::line(
        vec![pos2(front.left() - 1.0, corner.y), corner, back.min, back.right_top()],
        stroke,
    ));
    painter.line_segment([back.right_top(), pos2(back.right(), front.top() - 1.0)], stroke);
    painter.rect_stroke(front, 1.0, stroke, StrokeKind::Middle);
}

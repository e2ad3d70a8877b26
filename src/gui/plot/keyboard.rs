//! The keyboard in a plot: which keys there are, and what they ask for.

use eframe::egui::{EventFilter, Key, Modifiers, Response, Ui};

use crate::widgets;

/// What the keys of a focused plot do, and how they are written.
pub const KEYS: [(&str, &str); 10] = [
    ("Move the reading", "Left, Right"),
    ("Choose a line, or a row of cells", "Up, Down"),
    ("Select the arm of the line, or open the cell", "Enter"),
    ("Pan", "Shift+arrow"),
    ("Zoom in and out", "+, -"),
    ("Zoom along x only", "Alt with +, -"),
    ("Start a zoom box: arrows grow it, Enter zooms", "B"),
    ("On parallel axes: start a range, which Up and Down size", "B"),
    ("Fit", "0, Home"),
    ("Drop the box, release the reading, leave the plot", "Esc"),
];

/// One press of a key zooms by this factor.
const ZOOM: f64 = 1.25;

/// What a key asks for. Directions are those of the screen: right and up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PlotKey {
    /// A step of the reading, of the choice of a line, or of the corner of a box.
    Step([f64; 2]),
    /// To show what is beyond the edge in this direction.
    Pan([f64; 2]),
    /// To zoom by these factors along x and y.
    Zoom([f64; 2]),
    /// To show all data.
    Fit,
    /// To start a box.
    Box,
    /// To take what is chosen.
    Enter,
    /// To give up what was begun last.
    Escape,
}

const SHIFT: Modifiers = Modifiers::SHIFT;
const ALT: Modifiers = Modifiers::ALT;
const NONE: Modifiers = Modifiers::NONE;

/// More modifiers come first: a key without them also stands for those with Shift and Alt.
const BOUND: [(Modifiers, Key, PlotKey); 19] = [
    (SHIFT, Key::ArrowLeft, PlotKey::Pan([-1.0, 0.0])),
    (SHIFT, Key::ArrowRight, PlotKey::Pan([1.0, 0.0])),
    (SHIFT, Key::ArrowUp, PlotKey::Pan([0.0, 1.0])),
    (SHIFT, Key::ArrowDown, PlotKey::Pan([0.0, -1.0])),
    (ALT, Key::Plus, PlotKey::Zoom([ZOOM, 1.0])),
    (ALT, Key::Equals, PlotKey::Zoom([ZOOM, 1.0])),
    (ALT, Key::Minus, PlotKey::Zoom([1.0 / ZOOM, 1.0])),
    (NONE, Key::ArrowLeft, PlotKey::Step([-1.0, 0.0])),
    (NONE, Key::ArrowRight, PlotKey::Step([1.0, 0.0])),
    (NONE, Key::ArrowUp, PlotKey::Step([0.0, 1.0])),
    (NONE, Key::ArrowDown, PlotKey::Step([0.0, -1.0])),
    (NONE, Key::Plus, PlotKey::Zoom([ZOOM; 2])),
    (NONE, Key::Equals, PlotKey::Zoom([ZOOM; 2])),
    (NONE, Key::Minus, PlotKey::Zoom([1.0 / ZOOM; 2])),
    (NONE, Key::Num0, PlotKey::Fit),
    (NONE, Key::Home, PlotKey::Fit),
    (NONE, Key::B, PlotKey::Box),
    (NONE, Key::Enter, PlotKey::Enter),
    (NONE, Key::Escape, PlotKey::Escape),
];

/// Draws the focus ring of a plot, and takes the keys that were pressed while it has the focus. A click focuses it.
pub fn pressed(ui: &Ui, response: &Response) -> Vec<PlotKey> {
    if response.drag_started() || response.clicked_by(eframe::egui::PointerButton::Primary) {
        response.request_focus();
    }
    if !response.has_focus() {
        return Vec::new();
    }
    widgets::focus_ring(ui, response.rect);
    let filter = EventFilter { tab: false, horizontal_arrows: true, vertical_arrows: true, escape: true };
    ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, filter));
    let take = |(modifiers, key, wanted): &(Modifiers, Key, PlotKey)| {
        let count = ui.input_mut(|input| input.count_and_consume_key(*modifiers, *key));
        std::iter::repeat_n(*wanted, count)
    };
    let found: Vec<PlotKey> = BOUND.iter().flat_map(take).collect();
    if !found.is_empty() {
        ui.ctx().request_repaint();
    }
    found
}

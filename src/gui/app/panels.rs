//! The default panel sizes for a window size; in a small window the plot must stay readable.

use eframe::egui::{Panel, Vec2, vec2};

/// From this width on, both side panels have their full width.
const WIDE: f32 = 1248.0;
/// Below this width, or below this height, some panels are folded at first.
const SMALL: Vec2 = vec2(900.0, 420.0);
/// From this height on, plan and log have their full height.
const TALL: f32 = 720.0;
/// What the buttons of the plan need.
const LEAST_LEFT: f32 = 212.0;
/// What a name and a field beside it need.
const LEAST_RIGHT: f32 = 208.0;

/// The first sizes of the panels, in points. What a person drags them to is kept apart for small and large windows, so
/// that a window that was small once does not keep its panels small.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PanelSizes {
    /// Whether only some panels are open at first, so that the plot gets at least half of the window.
    pub is_small: bool,
    is_wide: bool,
    is_tall: bool,
    left: f32,
    right: f32,
    plan: f32,
    log: f32,
    /// The most that any panel gets, whatever it was dragged to in a larger window or before zooming in.
    most: Vec2,
}

impl PanelSizes {
    /// The sizes in a window of this size.
    pub(super) fn of(window: Vec2) -> Self {
        let (is_wide, is_tall) = (window.x >= WIDE, window.y >= TALL);
        let (left, right) = if is_wide { (288.0, 336.0) } else { (0.22 * window.x, 0.26 * window.x) };
        let (plan, log) = if is_tall { (248.0, 112.0) } else { (0.4 * window.y, 64.0) };
        Self {
            is_small: window.x < SMALL.x || window.y < SMALL.y,
            is_wide,
            is_tall,
            left: left.max(LEAST_LEFT),
            right: right.max(LEAST_RIGHT),
            plan,
            log,
            most: 0.36 * window,
        }
    }

    /// Arms and plan.
    pub(super) fn left(self) -> Panel {
        let panel = Panel::left(("left", self.is_wide)).resizable(true);
        panel.default_size(self.left).size_range(LEAST_LEFT..=self.most.x.clamp(LEAST_LEFT, 520.0))
    }

    /// The settings.
    pub(super) fn right(self) -> Panel {
        let panel = Panel::right(("properties", self.is_wide)).resizable(true);
        panel.default_size(self.right).size_range(LEAST_RIGHT..=self.most.x.clamp(LEAST_RIGHT, 640.0))
    }

    /// The plan, below the arms.
    pub(super) fn plan(self) -> Panel {
        Panel::bottom(("plan", self.is_tall))
            .resizable(true)
            .default_size(self.plan)
            .size_range(96.0..=(1.2 * self.most.y).max(96.0))
    }

    /// The log.
    pub(super) fn log(self) -> Panel {
        Panel::bottom(("log", self.is_tall))
            .resizable(true)
            .default_size(self.log)
            .size_range(64.0..=self.most.y.max(64.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gui::settings::Settings;

    #[test]
    fn in_every_window_the_plot_gets_half_of_the_width_at_first() {
        for width in [640.0, 720.0, 899.0, 900.0, 960.0, 1247.0, 1248.0, 1280.0, 3840.0] {
            let sizes = PanelSizes::of(vec2(width, 600.0));
            let settings = Settings { is_small: sizes.is_small, ..Settings::default() };
            let properties = if settings.panels().properties { sizes.right } else { 0.0 };
            assert!(width - sizes.left - properties >= 0.5 * width, "{width}: {sizes:?}");
        }
        assert!(
            PanelSizes::of(vec2(1280.0, 360.0)).is_small && !PanelSizes::of(vec2(1280.0, 720.0)).is_small
        );
    }
}

//! The default sizes of panels for a window size; in a small window the plot must stay readable.

use eframe::egui::{Panel, Vec2, vec2};

/// From this width on, the side panels have their full width.
const WIDE: f32 = 1360.0;
/// Below this width, or below this height, the settings are folded at first.
const SMALL: Vec2 = vec2(900.0, 420.0);
/// What rows of arms and the buttons of the plan need.
const LEAST_LEFT: f32 = 200.0;
/// What a name and a field beside it need.
const LEAST_RIGHT: f32 = 208.0;

/// The first sizes of the panels, in points. What a person drags them to is kept apart for small and large windows, so
/// that a window that was small once does not keep its panels small.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PanelSizes {
    /// Whether only some panels are open at first, so that the plot gets at least half of the window.
    pub is_small: bool,
    is_wide: bool,
    /// The most that any panel gets, whatever it was dragged to in a larger window or before zooming in.
    most: Vec2,
}

impl PanelSizes {
    /// The sizes in a window of this size.
    pub(super) fn of(window: Vec2) -> Self {
        let is_small = window.x < SMALL.x || window.y < SMALL.y;
        Self { is_small, is_wide: window.x >= WIDE, most: 0.36 * window }
    }

    const fn left_width(self) -> f32 {
        if self.is_wide { 240.0 } else { 216.0 }
    }

    const fn right_width(self) -> f32 {
        if self.is_wide { 256.0 } else { 240.0 }
    }

    /// Arms and plan.
    pub(super) fn left(self) -> Panel {
        let panel = Panel::left(("arms and plan", self.is_wide)).resizable(true);
        panel.default_size(self.left_width()).size_range(LEAST_LEFT..=self.most.x.clamp(LEAST_LEFT, 520.0))
    }

    /// The settings.
    pub(super) fn right(self) -> Panel {
        let panel = Panel::right(("inspector", self.is_wide)).resizable(true);
        panel.default_size(self.right_width()).size_range(LEAST_RIGHT..=self.most.x.clamp(LEAST_RIGHT, 640.0))
    }

    /// The plan, below the arms: up to half of their height.
    pub(super) fn plan(height: f32) -> Panel {
        let most = (0.5 * height).max(96.0);
        Panel::bottom("plan").resizable(true).default_size(most.min(264.0)).size_range(96.0..=most)
    }

    /// The log.
    pub(super) fn log(self) -> Panel {
        let most = self.most.y.max(64.0);
        Panel::bottom("log above the status line")
            .resizable(true)
            .default_size(most.min(168.0))
            .size_range(64.0..=most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;
    use results::tiles::Group;

    #[test]
    fn in_every_window_the_plot_gets_half_of_the_width_at_first() {
        for width in [640.0, 720.0, 899.0, 900.0, 960.0, 1247.0, 1248.0, 1280.0, 1360.0, 3840.0] {
            let sizes = PanelSizes::of(vec2(width, 600.0));
            let settings = Settings { is_small: sizes.is_small, ..Settings::default() };
            let [_, right] = settings.sides(Group::Curves);
            let right = if right { sizes.right_width() } else { 0.0 };
            assert!(width - sizes.left_width() - right >= 0.49 * width, "{width}: {sizes:?}");
        }
        assert!(
            PanelSizes::of(vec2(1280.0, 360.0)).is_small && !PanelSizes::of(vec2(1280.0, 720.0)).is_small
        );
    }
}

//! All widths, sizes and opacities of figures. Widths are in ems of the font, so that slides, columns and the window have
//! the same proportions.

use super::Surface;
use super::item::{Ink, Pen};
use crate::model::{Line, ReferenceLine};
use crate::palette::{Style, Theme, colour};

/// Width of a line, of one that stands out, and of a reference line.
pub const LINE: f64 = 0.165;
const STRONG: f64 = 0.21;
const REFERENCE: f64 = 0.13;
/// Width of the line of a single run, and of lines that are no results yet, or no longer.
const TRACE: f64 = 0.08;
const THIN: f64 = 0.1;
/// Width of whiskers and error bars.
pub const WHISKER: f64 = 0.145;
/// Width of grid lines, and of axes with their ticks.
pub const GRID: f64 = 0.07;
pub const AXIS: f64 = 0.09;
/// Width of the line between bars, and around markers, in the colour of the ground.
pub const RIM: f64 = 0.06;
/// Radius of markers and of the sign at a gap, and of the dot of a single run.
pub const MARKER: f64 = 0.3;
pub const DOT: f64 = 0.14;
/// Radius of the ring around the best point of a line.
pub const RING: f64 = 0.62;
/// Opacity of bands, of individual runs as lines and as dots, and of a band at a single x, which is a bar.
pub const BAND: f64 = 0.18;
const FAINT: f64 = 0.32;
pub const FAINT_DOT: f64 = 0.45;
pub const BAR: f64 = 0.6;
/// Strength of lines of unfinished seeds, and of outdated lines.
const UNFINISHED: f64 = 0.75;
const MUTED: f64 = 0.5;
/// Strength of other lines and bars while one stands out.
const DIMMED: f64 = 0.25;

impl Style {
    /// Its colour, fainter for outdated lines.
    pub fn ink(self, theme: Theme) -> Ink {
        Ink::new(self.rgb(theme)).faint(if self.is_muted { MUTED } else { 1.0 })
    }
}

impl Surface<'_> {
    /// The strength of what has this name: less while another name stands out.
    pub fn strength(&self, name: &str) -> f64 {
        if self.look.highlighted.is_some_and(|other| other != name) { DIMMED } else { 1.0 }
    }

    /// The colour of a line.
    pub fn ink(&self, name: &str, style: Style) -> Ink {
        style.ink(self.theme).faint(self.strength(name))
    }

    /// The pen of a line's points.
    pub fn line_pen(&self, line: &Line) -> Pen {
        let Line { name, style, .. } = line;
        let stands_out = self.look.highlighted.is_some_and(|own| own == name)
            || self.look.selected.is_some_and(|own| own == name);
        let is_result = !style.is_muted && line.seeds.is_none_or(|seeds| seeds.done > 0);
        let width = if !is_result {
            THIN
        } else if stands_out {
            STRONG
        } else {
            LINE
        };
        Pen { unit: LINE * self.em, ..Pen::new(self.ink(name, *style), width * self.em).dashed(style.dash) }
    }

    /// The pen of a single run of a line, by its place among these.
    pub fn trace_pen(&self, line: &Line, nth: usize) -> Pen {
        let ink = self.ink(&line.name, line.style);
        if line.seeds.is_some_and(|seeds| nth < seeds.running) {
            return Pen::new(ink.faint(UNFINISHED), THIN * self.em);
        }
        Pen::new(ink.faint(FAINT), TRACE * self.em)
    }

    /// The pen of a reference line.
    pub fn reference_pen(&self, reference: &ReferenceLine) -> Pen {
        let own = reference.colour.map_or(self.theme.muted(), |index| colour(index, self.theme));
        Pen::new(Ink::new(own).faint(self.strength(&reference.name)), REFERENCE * self.em)
            .dashed(reference.dash)
    }
}

//! Shades that set the colours of lines apart in grey print.

use std::collections::BTreeMap;

use super::palette::{Rgb, Style, Theme};

/// The shade of each colour that has none, from light (0) to dark (1), as far apart as they can be; colours that look lighter
/// in grey stay the lighter ones.
pub fn shares(styles: impl Iterator<Item = Style>, theme: Theme) -> BTreeMap<usize, f64> {
    let plain: BTreeMap<usize, Style> =
        styles.filter(|style| style.shade.is_none()).map(|style| (style.colour, style)).collect();
    let mut order: Vec<Style> = plain.into_values().collect();
    order.sort_by(|a, b| grey(b.rgb(theme)).total_cmp(&grey(a.rgb(theme))));
    if theme.is_dark() {
        order.reverse(); // light is what is near to the ground
    }
    let last = order.len().saturating_sub(1).max(1) as f64;
    order.iter().enumerate().map(|(rank, style)| (style.colour, rank as f64 / last)).collect()
}

/// The grey of a colour, from 0 to 255, as printers convert (ITU-R BT.601).
pub fn grey([red, green, blue]: Rgb) -> f64 {
    0.299 * f64::from(red) + 0.587 * f64::from(green) + 0.114 * f64::from(blue)
}

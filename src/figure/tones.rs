//! Mixtures and contrasts of colours, as red, green and blue in 0..=255.

/// A mixture of two colours: the first one at 0, the second one at 1.
pub fn mix(from: [u8; 3], to: [u8; 3], share: f64) -> [u8; 3] {
    let tone = |a: u8, b: u8| (f64::from(a) + (f64::from(b) - f64::from(a)) * share).round() as u8;
    std::array::from_fn(|index| tone(from[index], to[index]))
}

/// The contrast of two colours, 1 to 21, as WCAG 2.2 defines it.
pub fn contrast(a: [u8; 3], b: [u8; 3]) -> f64 {
    let (a, b) = (luminance(a) + 0.05, luminance(b) + 0.05);
    a.max(b) / a.min(b)
}

/// The relative luminance, 0 to 1, as WCAG 2.2 defines it.
pub fn luminance(rgb: [u8; 3]) -> f64 {
    let [red, green, blue] = rgb.map(|byte| {
        let share = f64::from(byte) / 255.0;
        if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
    });
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

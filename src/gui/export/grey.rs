//! Whether a figure can still be read when it is printed in grey.

use crate::figure::Options;
use crate::figure::{Figure, Line, shades};
use crate::gui::text::counted;
use crate::gui::widgets::Tone;

/// The smallest text that most journals accept, in points.
const LEAST_TEXT: f64 = 6.0;
/// Greys that differ by less look the same, as shares of white.
const LEAST_DIFFERENCE: f64 = 0.06;

/// The pixels in grey.
pub fn grey(pixels: &[u8]) -> Vec<u8> {
    let grey_of = |pixel: &[u8]| {
        let luma = shades::grey([pixel[0], pixel[1], pixel[2]]).round() as u8;
        [luma, luma, luma, pixel[3]]
    };
    pixels.chunks_exact(4).flat_map(grey_of).collect()
}

/// What holds for the figure in grey, and what does not.
pub fn checks(figure: &Figure, options: &Options) -> Vec<(Tone, String)> {
    let mut checks = Vec::new();
    let lines: Vec<&Line> = figure.lines.iter().filter(|line| !line.name.is_empty()).collect();
    if lines.len() > 1 {
        let same = pairs(&lines, |a, b| (a.style.dash, a.style.marker) == (b.style.dash, b.style.marker));
        checks.push(match same.first() {
            None if lines.len() == 2 => (Tone::Good, "Both lines differ in mark or dash".to_owned()),
            None => (Tone::Good, format!("All {} differ in mark or dash", counted(lines.len(), "line"))),
            Some([a, b]) => (Tone::Warning, format!("{a} and {b} have the same mark and dash")),
        });
    }
    let text = options.size.font_pt;
    let tone = if text < LEAST_TEXT { Tone::Warning } else { Tone::Good };
    checks.push((tone, format!("Smallest text {text:.0} pt")));
    if let Some([a, b]) = alike(figure, options) {
        checks.push((Tone::Warning, format!("{a} and {b} have nearly the same grey")));
    }
    checks
}

/// Two lines that have nearly the same grey.
pub fn alike<'a>(figure: &'a Figure, options: &Options) -> Option<[&'a str; 2]> {
    let lines: Vec<&Line> = figure.lines.iter().filter(|line| !line.name.is_empty()).collect();
    let grey = |line: &Line| shades::grey(line.style.rgb(options.theme)) / 255.0;
    pairs(&lines, |a, b| (grey(a) - grey(b)).abs() < LEAST_DIFFERENCE).first().copied()
}

/// The names of pairs of lines for which something holds.
fn pairs<'a>(lines: &[&'a Line], holds: impl Fn(&Line, &Line) -> bool) -> Vec<[&'a str; 2]> {
    let mut found = Vec::new();
    for (index, a) in lines.iter().enumerate() {
        let others = lines[index + 1..].iter().filter(|b| holds(a, b));
        found.extend(others.map(|b| [a.name.as_str(), b.name.as_str()]));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::{Dash, Marker, Style, style_of};

    #[test]
    fn grey_keeps_white_black_and_transparency() {
        let pixels = [255, 255, 255, 255, 0, 0, 0, 255, 213, 94, 0, 128];
        assert_eq!(grey(&pixels), [255, 255, 255, 255, 0, 0, 0, 255, 119, 119, 119, 128]);
    }

    #[test]
    fn lines_that_look_the_same_in_grey_are_named() {
        let line = |name: &str, style| Line::new(name, style, Vec::new());
        let like = Style { dash: Dash::Solid, marker: Marker::Circle, ..style_of(0) };
        let figure = Figure { lines: vec![line("a", like), line("b", like)], ..Figure::default() };
        let texts: Vec<String> =
            checks(&figure, &Options::default()).into_iter().map(|(_, text)| text).collect();
        assert_eq!(
            texts,
            [
                "a and b have the same mark and dash",
                "Smallest text 8 pt",
                "a and b have nearly the same grey"
            ]
        );
        let alike = |options: &Options| {
            let figure =
                Figure { lines: vec![line("a", style_of(0)), line("b", style_of(4))], ..Figure::default() };
            super::alike(&options.styled(&figure), options).is_some()
        };
        assert!(!alike(&Options { shades: true, ..Options::default() }), "shades are the remedy");
    }
}

//! Whether a figure can still be read when it is printed in grey.

use crate::text::counted;
use crate::widgets::Tone;
use figure::scene::page::PageFacts;
use figure::{Dash, Figure, Marker, Options, shades};
use results::number::{fixed, without_zeros};

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

/// A line of a figure as it is told from others: its name, mark and dash, and colour.
struct Told<'a> {
    name: &'a str,
    look: (Dash, Marker),
    grey: f64,
}

/// The lines of a figure with a name.
fn lines<'a>(figure: &'a Figure, options: &Options) -> Vec<Told<'a>> {
    let lines = figure.lines.iter().map(|line| Told {
        name: &line.name,
        look: (line.style.dash, line.style.marker),
        grey: shades::grey(line.style.rgb(options.theme)) / 255.0,
    });
    lines.filter(|line| !line.name.is_empty()).collect()
}

/// What holds for the figure in grey, and what does not; `drawn` is what its page has.
pub fn checks(figure: &Figure, options: &Options, drawn: PageFacts) -> Vec<(Tone, String)> {
    let mut checks = Vec::new();
    // Reference lines have the colours of their arms, and differ from them in their dashes.
    let references = figure.reference_lines.iter().map(|line| Told {
        name: &line.name,
        look: (line.dash, Marker::None),
        grey: 0.0,
    });
    let lines: Vec<Told<'_>> = lines(figure, options).into_iter().chain(references).collect();
    if lines.len() > 1 {
        let same = pairs(&lines, |a, b| a.look == b.look);
        checks.push(match same.first() {
            None if lines.len() == 2 => (Tone::Good, "Both lines differ in mark or dash".to_owned()),
            None => (Tone::Good, format!("All {} differ in mark or dash", counted(lines.len(), "line"))),
            Some([a, b]) => (Tone::Warning, format!("{a} and {b} have the same mark and dash")),
        });
    }
    if let Some(text) = drawn.least_text {
        let tone = if text < LEAST_TEXT - 0.05 { Tone::Warning } else { Tone::Good };
        checks.push((tone, format!("Smallest text {} pt", without_zeros(&fixed(text, 1)))));
    }
    let has_values =
        figure.parts().iter().filter_map(|part| part.cells.as_ref()).any(|cells| !cells.texts.is_empty());
    if has_values && !drawn.has_cell_texts {
        let text = "No room for the values in the cells: choose a larger size, or smaller text";
        checks.push((Tone::Warning, text.to_owned()));
    }
    if let Some([a, b]) = alike(figure, options) {
        checks.push((Tone::Warning, format!("{a} and {b} have nearly the same grey")));
    }
    checks
}

/// Two lines that have nearly the same grey.
pub fn alike<'a>(figure: &'a Figure, options: &Options) -> Option<[&'a str; 2]> {
    pairs(&lines(figure, options), |a, b| (a.grey - b.grey).abs() < LEAST_DIFFERENCE).first().copied()
}

/// The names of pairs of lines for which something holds.
fn pairs<'a>(lines: &[Told<'a>], holds: impl Fn(&Told<'a>, &Told<'a>) -> bool) -> Vec<[&'a str; 2]> {
    let mut found = Vec::new();
    for (index, a) in lines.iter().enumerate() {
        found.extend(lines[index + 1..].iter().filter(|b| holds(a, b)).map(|b| [a.name, b.name]));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use figure::model::ReferenceLine;
    use figure::{Line, Style, style_of};

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
        let facts = PageFacts { least_text: Some(5.6), ..PageFacts::default() };
        let texts: Vec<String> =
            checks(&figure, &Options::default(), facts).into_iter().map(|(_, text)| text).collect();
        assert_eq!(
            texts,
            [
                "a and b have the same mark and dash",
                "Smallest text 5.6 pt",
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

    #[test]
    fn reference_lines_count_as_lines_do() {
        let figure = Figure {
            lines: (0..3).map(|index| Line::new(&index.to_string(), style_of(index), Vec::new())).collect(),
            reference_lines: vec![ReferenceLine::level("fault-free", 0.9, None)],
            ..Figure::default()
        };
        let found = checks(&figure, &Options::default(), PageFacts::default());
        assert_eq!(found[0], (Tone::Good, "All 4 lines differ in mark or dash".to_owned()));
    }
}

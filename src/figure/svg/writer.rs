//! Elements, attributes and numbers of SVG.

use std::fmt::Write;

use crate::figure::palette::Rgb;

/// An SVG document under construction, with one element on each line.
#[derive(Debug, Default)]
pub struct Writer {
    /// The document so far.
    pub text: String,
}

impl Writer {
    /// Adds a line of markup.
    pub fn line(&mut self, markup: &str) {
        self.text.push_str(markup);
        self.text.push('\n');
    }

    /// Adds an element without children, optionally with text.
    pub fn element(&mut self, name: &str, attributes: &[(&str, &str)], text: Option<&str>) {
        self.text.push('<');
        self.text.push_str(name);
        for (key, value) in attributes {
            self.text.push(' ');
            self.text.push_str(key);
            self.text.push_str("=\"");
            self.text.push_str(&escaped(value).replace('"', "&quot;"));
            self.text.push('"');
        }
        match text {
            Some(text) => {
                self.text.push('>');
                self.text.push_str(&escaped(text));
                self.text.push_str("</");
                self.text.push_str(name);
                self.text.push_str(">\n");
            }
            None => self.text.push_str("/>\n"),
        }
    }

    /// Adds a rectangle or an image with its upper left corner at `[x, y]`.
    pub fn area(&mut self, name: &str, at: [f64; 2], size: [f64; 2], attributes: &[(&str, &str)]) {
        let ([x, y], [width, height]) = (at.map(number), size.map(number));
        let place = [("x", x.as_str()), ("y", &y), ("width", &width), ("height", &height)];
        self.element(name, &[place.as_slice(), attributes].concat(), None);
    }
}

/// Text as XML 1.0 allows it: markup escaped, other control characters and noncharacters as spaces.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\u{FFFE}' | '\u{FFFF}' => out.push(' '),
            letter if letter.is_control() => out.push(' '),
            letter => out.push(letter),
        }
    }
    out
}

/// A length with at most two decimals, since a hundredth of a point is invisible.
pub fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// A colour as `#rrggbb`.
pub fn hex([red, green, blue]: Rgb) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// An open path through the points.
pub fn path(points: &[[f64; 2]]) -> String {
    let mut d = String::with_capacity(points.len() * 12);
    for (index, [x, y]) in points.iter().enumerate() {
        let command = if index == 0 { 'M' } else { 'L' };
        let (x, y) = (number(*x), number(*y));
        write!(d, "{command}{x} {y}").expect("writing to a string cannot fail");
    }
    d
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(number(1.0), "1");
        assert_eq!(number(100.0), "100");
        assert_eq!(number(-0.001), "0");
        assert_eq!(number(2.345_6), "2.35");
    }

    #[test]
    fn quotes_in_attributes_are_escaped() {
        let mut out = Writer::default();
        out.element("a", &[("b", "\"<")], None);
        assert_eq!(out.text, "<a b=\"&quot;&lt;\"/>\n");
    }

    #[test]
    fn a_path_moves_once_and_then_draws() {
        assert_eq!(path(&[[0.0, 1.0], [2.5, 3.0]]), "M0 1L2.5 3");
        assert_eq!(path(&[]), "");
    }
}

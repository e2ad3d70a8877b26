//! Writes a figure as SVG, the drawing that PNG and PDF are made from.
//!
//! Equal figures and options give equal bytes. Lengths are in points; text stays text in Roboto, or in Helvetica or Arial
//! where a viewer lacks Roboto.

use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use resvg::tiny_skia::{ColorU8, Pixmap};

use super::font::{FAMILY, Weight, covers, width};
use super::layout::{Anchor, Rect, Text};
use super::model::Figure;
use super::options::Options;
use super::palette::{Marker, Rgb, outline};
use super::scene::page::drawn;
use super::scene::{Image, Ink, Item, Mark, Pen, Point, Shape, pieces};

pub fn svg(figure: &Figure, options: &Options) -> String {
    let (items, page) = drawn(figure, options);
    drawing(&items, page, &figure.named())
}

/// Writes the figure as an element of an HTML document, which says `label` to who cannot see it. Its names begin with
/// `prefix`, so that figures do not share one. Its text is as wide as it was laid out: few readers have the font.
pub fn inline(figure: &Figure, options: &Options, prefix: &str, label: &str) -> String {
    let (items, page) = drawn(figure, options);
    let mut out = Writer { prefix: prefix.to_owned(), ..Writer::default() };
    let [width, height] = page.map(number);
    let label = escaped(label).replace('"', "&quot;");
    out.line(&format!(
        "<svg role=\"img\" aria-label=\"{label}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"{FAMILY}, Helvetica, Arial, sans-serif\">"
    ));
    out.items(&items);
    out.line("</svg>");
    out.text
}

/// Writes items as an SVG document of this width and height.
pub fn drawing(items: &[Item], page: [f64; 2], title: &str) -> String {
    let mut out = Writer::default();
    let [width, height] = page.map(number);
    out.line(&format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"{width}pt\" height=\"{height}pt\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"{FAMILY}, Helvetica, Arial, sans-serif\">"
    ));
    out.element("title", &[], Some(title));
    out.items(items);
    out.line("</svg>");
    out.text
}

/// An SVG document under construction, with one element on each line.
#[derive(Debug, Default)]
struct Writer {
    text: String,
    /// Clips so far, which have numbers as names.
    clips: u32,
    /// The start of names in an HTML document; empty in a document of its own.
    prefix: String,
}

type Attributes = Vec<(&'static str, String)>;

impl Writer {
    fn line(&mut self, markup: &str) {
        self.text.push_str(markup);
        self.text.push('\n');
    }

    /// Adds an element without children, optionally with text.
    fn element(&mut self, name: &str, attributes: &[(&str, String)], text: Option<&str>) {
        self.text.push('<');
        self.text.push_str(name);
        for (key, value) in attributes {
            write!(self.text, " {key}=\"{}\"", escaped(value).replace('"', "&quot;"))
                .expect("a string takes all");
        }
        match text {
            Some(text) => {
                let text = escaped(text);
                write!(self.text, ">{text}</{name}>").expect("a string takes all");
                self.text.push('\n');
            }
            None => self.text.push_str("/>\n"),
        }
    }

    fn items(&mut self, items: &[Item]) {
        for item in items {
            match &item.shape {
                Shape::Line(points, pen) => self.stroke(points, *pen),
                Shape::Band(columns, ink) => {
                    let upper = columns.iter().map(|[x, top, _]| [*x, *top]);
                    let lower = columns.iter().rev().map(|[x, _, bottom]| [*x, *bottom]);
                    let d = path(&upper.chain(lower).collect::<Vec<_>>()) + "Z";
                    self.element("path", &[vec![("d", d)], filled(*ink)].concat(), None);
                }
                Shape::Rect(rect, ink, rim) => {
                    let rim = rim.map(stroked).unwrap_or_default();
                    self.element("rect", &[placed(*rect), filled(*ink), rim].concat(), None);
                }
                Shape::Mark(mark) => self.mark(mark),
                Shape::Text(text, colour) => self.write(text, *colour),
                Shape::Image(image) => self.image(image),
                Shape::Clip(rect, items) => {
                    self.clips += 1;
                    let name = format!("{}clip{}", self.prefix, self.clips);
                    self.line(&format!("<clipPath id=\"{name}\">"));
                    self.element("rect", &placed(*rect), None);
                    self.line(&format!("</clipPath>\n<g clip-path=\"url(#{name})\">"));
                    self.items(items);
                    self.line("</g>");
                }
            }
        }
    }

    fn stroke(&mut self, points: &[Point], pen: Pen) {
        let d: String = pieces(points).filter(|piece| piece.len() > 1).map(path).collect();
        if !d.is_empty() {
            let attributes =
                vec![("d", d), ("fill", "none".to_owned()), ("stroke-linejoin", "round".to_owned())];
            self.element("path", &[attributes, stroked(pen)].concat(), None);
        }
    }

    fn mark(&mut self, mark: &Mark) {
        let rim = if mark.rim.width > 0.0 { stroked(mark.rim) } else { Vec::new() };
        if mark.marker == Marker::Circle {
            let [cx, cy] = mark.at.map(number);
            let circle = vec![("cx", cx), ("cy", cy), ("r", number(mark.radius))];
            return self.element("circle", &[circle, filled(mark.ink), rim].concat(), None);
        }
        let Some(outline) = outline(mark.marker, mark.radius) else { return };
        let corners: Vec<Point> = outline.iter().map(|[x, y]| [x + mark.at[0], y + mark.at[1]]).collect();
        if mark.marker.has_strokes() {
            let d: String = corners.chunks(2).map(path).collect();
            return self.element("path", &[vec![("d", d), ("fill", "none".to_owned())], rim].concat(), None);
        }
        self.element("path", &[vec![("d", path(&corners) + "Z")], filled(mark.ink), rim].concat(), None);
    }

    fn write(&mut self, text: &Text, colour: Rgb) {
        let [x, y] = text.at.map(number);
        let turned = format!("rotate(-90 {x} {y})");
        let mut attributes =
            vec![("x", x), ("y", y), ("font-size", number(text.size)), ("fill", hex(colour))];
        match text.anchor {
            Anchor::Start => {}
            Anchor::Middle => attributes.push(("text-anchor", "middle".to_owned())),
            Anchor::End => attributes.push(("text-anchor", "end".to_owned())),
        }
        if text.weight == Weight::Medium {
            attributes.push(("font-weight", "500".to_owned()));
        }
        if text.upwards {
            attributes.push(("transform", turned));
        }
        if !self.prefix.is_empty() && covers(&text.content) && text.content.chars().count() > 3 {
            attributes.push(("textLength", number(width(&text.content, text.size, text.weight))));
            attributes.push(("lengthAdjust", "spacingAndGlyphs".to_owned()));
        }
        self.element("text", &attributes, Some(&text.content));
    }

    fn image(&mut self, image: &Image) {
        let Some(file) = packed(image) else { return };
        let attributes = vec![
            ("preserveAspectRatio", "none".to_owned()),
            ("image-rendering", "optimizeSpeed".to_owned()),
            ("href", format!("data:image/png;base64,{}", STANDARD.encode(&file))),
        ];
        self.element("image", &[placed(image.rect), attributes].concat(), None);
    }
}

fn placed(rect: Rect) -> Attributes {
    let (width, height) = (number(rect.right - rect.left), number(rect.bottom - rect.top));
    vec![("x", number(rect.left)), ("y", number(rect.top)), ("width", width), ("height", height)]
}

fn filled(ink: Ink) -> Attributes {
    let mut attributes = vec![("fill", hex(ink.colour))];
    if ink.opacity < 1.0 {
        attributes.push(("fill-opacity", number(ink.opacity)));
    }
    attributes
}

fn stroked(pen: Pen) -> Attributes {
    let mut attributes = vec![("stroke", hex(pen.ink.colour)), ("stroke-width", number(pen.width))];
    // Hundreds of dashes follow each other, so that rounding would add up.
    let dashes: Vec<String> = pen.pattern().iter().map(|length| format!("{length:.4}")).collect();
    if !dashes.is_empty() {
        attributes.push(("stroke-dasharray", dashes.join(" ")));
    }
    if pen.ink.opacity < 1.0 {
        attributes.push(("stroke-opacity", number(pen.ink.opacity)));
    }
    attributes
}

/// Returns the image as a PNG file without a resolution; cells without a colour are transparent. `None` without pixels.
fn packed(image: &Image) -> Option<Vec<u8>> {
    let [rows, columns] = image.size;
    let mut pixels = Pixmap::new(u32::try_from(columns).ok()?, u32::try_from(rows).ok()?)?;
    for (pixel, colour) in pixels.pixels_mut().iter_mut().zip(image.pixels.iter()) {
        if let Some([red, green, blue]) = *colour {
            *pixel = ColorU8::from_rgba(red, green, blue, u8::MAX).premultiply();
        }
    }
    pixels.encode_png().ok()
}

/// Escapes text for XML 1.0; control characters and noncharacters become spaces.
fn escaped(text: &str) -> String {
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

/// Returns a length with at most two decimals, since a hundredth of a point is invisible.
fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

fn hex([red, green, blue]: Rgb) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

fn path(points: &[Point]) -> String {
    let mut d = String::with_capacity(points.len() * 12);
    for (index, [x, y]) in points.iter().enumerate() {
        let command = if index == 0 { 'M' } else { 'L' };
        let (x, y) = (number(*x), number(*y));
        write!(d, "{command}{x} {y}").expect("a string takes all");
    }
    d
}

#[cfg(test)]
mod tests;

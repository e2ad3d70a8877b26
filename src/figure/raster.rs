//! A drawing as pixels.

use std::sync::{Arc, LazyLock};

use krilla::Document;
use krilla::geom::Size;
use krilla::metadata::Metadata;
use krilla::page::PageSettings;
use krilla_svg::{SurfaceExt, SvgSettings};
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::fontdb::{Database, FaceInfo, ID};
use resvg::usvg::layout::PositionedGlyph;
use resvg::usvg::{FontResolver, Group, Node, Options, Tree};
use ttf_parser::Face;

use super::font::{FAMILY, MEDIUM, REGULAR, covers};

/// SVG counts 96 pixels to an inch.
const SVG_DPI: f64 = 96.0;
const METRES_PER_INCH: f64 = 0.0254;
/// More pixels than this on a side are a mistake: a square would take 4 GiB of memory.
const MOST_PIXELS: f64 = 32_768.0;

static FONTS: LazyLock<Arc<Database>> = LazyLock::new(|| Arc::new(own_fonts()));
static FONTS_OF_MACHINE: LazyLock<Arc<Database>> = LazyLock::new(|| {
    let mut fonts = own_fonts();
    fonts.load_system_fonts();
    fonts.set_sans_serif_family(FAMILY);
    Arc::new(fonts)
});

fn own_fonts() -> Database {
    let mut fonts = Database::new();
    fonts.load_font_data(REGULAR.to_vec());
    fonts.load_font_data(MEDIUM.to_vec());
    fonts.set_sans_serif_family(FAMILY);
    fonts
}

/// Returns the font for a character that those used so far lack: the one most like the first, for a heavier or narrower one
/// would look emphasised.
fn fallback(letter: char, used: &[ID], fonts: &Database) -> Option<ID> {
    let first = fonts.face(*used.first()?)?;
    let mut others: Vec<&FaceInfo> = fonts.faces().filter(|face| !used.contains(&face.id)).collect();
    others.sort_by_cached_key(|face| {
        let name = face.families.first().map_or("", |(name, _)| name.as_str());
        let stretch = face.stretch.to_number().abs_diff(first.stretch.to_number());
        let weight = face.weight.0.abs_diff(first.weight.0);
        (face.style != first.style, stretch, weight, face.monospaced, !name.contains("Sans"), name)
    });
    let has_it = |face: &&&FaceInfo| {
        let has = |data: &[u8], index| Some(Face::parse(data, index).ok()?.glyph_index(letter)?.0 != 0);
        fonts.with_face_data(face.id, has).flatten() == Some(true)
    };
    others.iter().find(has_it).map(|face| face.id)
}

/// Returns the characters of a drawing that no font draws, each once.
///
/// # Errors
/// When the SVG is invalid.
pub fn missing(svg: &str) -> Result<Vec<String>, DrawError> {
    let mut missing = Vec::new();
    if covers(svg) {
        return Ok(missing);
    }
    for glyph in glyphs(tree(svg)?.root()) {
        if glyph.id.0 == 0 && !glyph.text.trim().is_empty() && !missing.contains(&glyph.text) {
            missing.push(glyph.text.clone());
        }
    }
    Ok(missing)
}

fn glyphs(group: &Group) -> Vec<&PositionedGlyph> {
    let mut found = Vec::new();
    for node in group.children() {
        match node {
            Node::Text(text) => {
                found.extend(text.layouted().iter().flat_map(|span| &span.positioned_glyphs));
            }
            Node::Group(group) => found.extend(glyphs(group)),
            Node::Path(_) | Node::Image(_) => {}
        }
    }
    found
}

/// Reads a drawing with the embedded fonts.
///
/// # Errors
/// When the SVG is invalid, which does not happen with a drawing from [`svg`](super::svg::svg).
pub fn tree(svg: &str) -> Result<Tree, DrawError> {
    let select_fallback =
        Box::new(|letter, used: &[ID], fonts: &mut Arc<Database>| fallback(letter, used, fonts));
    let font_resolver = FontResolver { select_fallback, ..FontResolver::default() };
    // Those of the system only for characters that the embedded ones lack, such as Chinese names.
    let fontdb = Arc::clone(if covers(svg) { &FONTS } else { &FONTS_OF_MACHINE });
    let options = Options { font_family: FAMILY.to_owned(), font_resolver, fontdb, ..Options::default() };
    Ok(Tree::from_str(svg, &options)?)
}

/// Returns the drawing as a PNG file with this resolution, which the file records, so that other programs show it in its true
/// size.
///
/// # Errors
/// When the resolution is not positive or gives more than 32,768 pixels on a side.
pub fn png(svg: &str, dpi: f64) -> Result<Vec<u8>, DrawError> {
    let file = pixels(svg, dpi)?.encode_png().map_err(|error| DrawError::Png(error.to_string()))?;
    Ok(with_resolution(&file, dpi))
}

/// Returns the drawing as pixels with this resolution.
///
/// # Errors
/// When the resolution is not positive or gives more than 32,768 pixels on a side.
pub fn pixels(svg: &str, dpi: f64) -> Result<Pixmap, DrawError> {
    let tree = tree(svg)?;
    let size = tree.size();
    let scale = dpi / SVG_DPI;
    let too_large = || DrawError::Resolution {
        dpi,
        most: MOST_PIXELS / f64::from(size.width().max(size.height())) * SVG_DPI,
    };
    let [width, height] = [size.width(), size.height()].map(|side| {
        let pixels = (f64::from(side) * scale).round();
        (1.0..=MOST_PIXELS).contains(&pixels).then_some(pixels as u32)
    });
    let (Some(width), Some(height)) = (width, height) else { return Err(too_large()) };
    let mut pixels = Pixmap::new(width, height).ok_or_else(too_large)?;
    let scale = scale as f32;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixels.as_mut());
    Ok(pixels)
}

/// Length of the signature and the first chunk, `IHDR`, of every PNG file.
const HEAD: usize = 8 + 25;

/// Adds the chunk `pHYs` after the head (PNG specification, section 11.3.4.3).
fn with_resolution(file: &[u8], dpi: f64) -> Vec<u8> {
    let per_metre = (dpi / METRES_PER_INCH).round() as u32;
    let mut body = b"pHYs".to_vec();
    body.extend(per_metre.to_be_bytes());
    body.extend(per_metre.to_be_bytes());
    body.push(1); // the unit is the metre
    let mut check = flate2::Crc::new();
    check.update(&body);
    let (head, rest) = file.split_at(HEAD.min(file.len()));
    [head, &9_u32.to_be_bytes(), &body, &check.sum().to_be_bytes(), rest].concat()
}

/// A reason why a figure could not be drawn.
#[derive(Debug, thiserror::Error)]
pub enum DrawError {
    #[error("{0}")]
    Size(String),
    #[error(
        "a picture at {dpi} dpi cannot be drawn; choose more than 0 and at most {most:.0} dpi for this size"
    )]
    Resolution { dpi: f64, most: f64 },
    #[error("the drawing is not valid SVG ({0}); this is a bug in Weightlab; please report it")]
    Svg(#[from] resvg::usvg::Error),
    #[error("the picture cannot be packed as PNG ({0}); this is a bug in Weightlab; please report it")]
    Png(String),
    #[error("the page of the PDF has no area; choose another size")]
    Page,
    #[error("the page cannot be written as PDF ({0}); this is a bug in Weightlab; please report it")]
    Pdf(String),
}

/// SVG uses pixels of 1/96 inch, PDF points of 1/72 inch.
const POINTS_PER_PIXEL: f32 = 0.75;

/// Returns the drawing as a PDF file. It contains no time and no machine name, so equal drawings give equal bytes.
///
/// # Errors
/// When the SVG cannot be read or the page cannot be written; neither happens with a drawing from
/// [`svg`](super::svg::svg).
pub fn pdf(svg: &str, title: &str) -> Result<Vec<u8>, DrawError> {
    let tree = tree(svg)?;
    let pixels = tree.size();
    let size = Size::from_wh(pixels.width() * POINTS_PER_PIXEL, pixels.height() * POINTS_PER_PIXEL);
    let size = size.ok_or(DrawError::Page)?;
    let mut document = Document::new();
    document.set_metadata(Metadata::new().title(title.to_owned()).creator("Weightlab".to_owned()));
    let mut page = document.start_page_with(PageSettings::new(size));
    let mut surface = page.surface();
    surface.draw_svg(&tree, size, SvgSettings::default()).ok_or(DrawError::Page)?;
    surface.finish();
    page.finish();
    document.finish().map_err(|error| DrawError::Pdf(error.to_string()))
}

pub const ICON: &str = include_str!("../../assets/icons/weightlab.svg");

/// Returns the icon as `side`×`side` pixels, as straight (not premultiplied) RGBA.
///
/// # Errors
/// When `side` is 0 or too large for the memory.
pub fn icon_pixels(side: u32) -> Result<Vec<u8>, DrawError> {
    let straight = |pixel: &resvg::tiny_skia::PremultipliedColorU8| {
        let colour = pixel.demultiply();
        [colour.red(), colour.green(), colour.blue(), colour.alpha()]
    };
    Ok(draw_icon(side)?.pixels().iter().flat_map(straight).collect())
}

/// Returns the icon as a PNG file of `side`×`side` pixels.
///
/// # Errors
/// When `side` is 0 or too large for the memory.
pub fn icon_png(side: u32) -> Result<Vec<u8>, DrawError> {
    draw_icon(side)?.encode_png().map_err(|error| DrawError::Png(error.to_string()))
}

fn draw_icon(side: u32) -> Result<Pixmap, DrawError> {
    let tree = Tree::from_str(ICON, &Options::default())?;
    let mut pixels =
        Pixmap::new(side, side).ok_or_else(|| DrawError::Png(format!("no icon has {side} pixels")))?;
    let size = tree.size();
    let [x, y] = [size.width(), size.height()].map(|length| side as f32 / length);
    resvg::render(&tree, Transform::from_scale(x, y), &mut pixels.as_mut());
    Ok(pixels)
}

#[cfg(test)]
mod tests {
    use resvg::usvg::fontdb::{Stretch, Style, Weight};

    use super::*;
    use crate::model::Line;
    use crate::svg::svg;
    use crate::{Figure, LegendPlace, Options, Size, style_of};

    fn example() -> String {
        let line = Line::new("dense", style_of(0), vec![[0.0, 1.0], [1.0, 2.0]]);
        let size = Size { width_pt: 240.0, height_pt: 150.0, font_pt: 9.0, legend: LegendPlace::Right };
        svg(&Figure { lines: vec![line], ..Figure::default() }, &Options { size, ..Options::default() })
    }

    #[test]
    fn a_png_has_the_pixels_asked_for_and_the_colour_of_its_line() {
        let pixels = Pixmap::decode_png(&png(&example(), 96.0).unwrap()).unwrap();
        assert_eq!((pixels.width(), pixels.height()), (320, 200));
        let count = |colour: [u8; 3]| {
            pixels
                .pixels()
                .iter()
                .filter(|pixel| [pixel.red(), pixel.green(), pixel.blue()] == colour)
                .count()
        };
        assert!(count([0x00, 0x72, 0xB2]) > 50);
        assert!(count([0xFF; 3]) > 30_000);
    }

    #[test]
    fn the_resolution_scales_the_picture_and_is_written_down() {
        let file = png(&example(), 192.0).unwrap();
        assert_eq!(Pixmap::decode_png(&file).unwrap().width(), 640);
        let at = file.windows(4).position(|bytes| bytes == b"pHYs").unwrap();
        assert_eq!(file[at + 4..at + 8], 7559_u32.to_be_bytes());
    }

    #[test]
    fn a_picture_that_is_too_large_is_refused_with_the_remedy() {
        let message = png(&example(), 1e6).unwrap_err().to_string();
        assert!(message.contains("9830"), "{message}");
        assert!(png(&example(), f64::NAN).is_err());
    }

    /// Noncharacters, which no font has.
    const IN_NO_FONT: &str = "\u{1FFFE}";

    fn named(name: &str) -> String {
        let line = Line::new(name, style_of(0), vec![[0.0, 1.0], [1.0, 2.0]]);
        svg(&Figure { lines: vec![line], ..Figure::default() }, &Options::default())
    }

    #[test]
    fn characters_that_no_font_has_are_found_once() {
        assert_eq!(missing(&named("dense, αβ")).unwrap(), Vec::<String>::new());
        let both = format!("a{IN_NO_FONT}b{IN_NO_FONT}");
        assert_eq!(missing(&named(&both)).unwrap(), [IN_NO_FONT]);
    }

    #[test]
    fn a_font_that_steps_in_is_as_heavy_and_wide_as_the_first() {
        let mut fonts = own_fonts();
        let own: Vec<FaceInfo> = fonts.faces().cloned().collect();
        fonts.load_font_data(include_bytes!("../../assets/fonts/symbols.ttf").to_vec());
        let symbols = fonts.faces().last().unwrap().clone();
        let (style, weight, stretch) = (symbols.style, symbols.weight, symbols.stretch);
        let mut add = |style, weight, stretch| {
            fonts.push_face_info(FaceInfo { style, weight, stretch, ..symbols.clone() })
        };
        let italic = add(Style::Italic, weight, stretch);
        let bold = add(style, Weight::BOLD, stretch);
        let narrow = add(style, weight, Stretch::Condensed);
        assert!(own.iter().all(|face| fallback('⚠', &[face.id], &fonts) == Some(symbols.id)));
        // Of those that are left: style, then width, then weight.
        let id = own[0].id;
        assert_eq!(fallback('⚠', &[id, symbols.id], &fonts), Some(bold));
        assert_eq!(fallback('⚠', &[id, symbols.id, bold], &fonts), Some(narrow));
        assert_eq!(fallback('⚠', &[id, symbols.id, bold, narrow], &fonts), Some(italic));
        assert_eq!(fallback('日', &[id], &fonts), None, "none of them has it");
    }

    #[test]
    fn text_is_drawn_with_the_embedded_fonts() {
        let tree = tree(&example()).unwrap();
        let glyphs = glyphs(tree.root());
        assert!(glyphs.len() > 20, "{}", glyphs.len());
        assert!(glyphs.iter().all(|glyph| glyph.id.0 != 0 && tree.fontdb().face(glyph.font).is_some()));
        assert_eq!(FONTS.len(), 2);
    }

    #[test]
    fn the_icon_fills_every_size_and_has_round_corners() {
        for side in [16, 48, 256] {
            let pixels = icon_pixels(side).unwrap();
            assert_eq!(pixels.len(), (4 * side * side) as usize);
            assert!(pixels[3] < 64, "the corner is clear");
            let middle = (4 * (side / 2 * side + side / 2)) as usize;
            assert_eq!(pixels[middle + 3], 255, "the middle is not");
        }
        assert!(icon_png(16).unwrap().starts_with(b"\x89PNG"));
        assert!(icon_pixels(0).is_err());
    }

    #[test]
    fn a_page_has_the_size_of_the_figure_and_embedded_text() {
        let file = pdf(&named("dense"), "A figure").unwrap();
        assert!(file.starts_with(b"%PDF-"));
        let text = String::from_utf8_lossy(&file);
        assert!(text.contains("/MediaBox[0 0 252 198]"));
        assert!(
            text.contains("Roboto-Regular") && text.contains("/ToUnicode"),
            "text is text, with its font"
        );
    }

    #[test]
    fn equal_drawings_have_equal_bytes() {
        assert_eq!(pdf(&named("dense"), "A figure").unwrap(), pdf(&named("dense"), "A figure").unwrap());
    }
}

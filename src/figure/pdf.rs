//! A drawing as a PDF page in its true size, with selectable text.

use krilla::Document;
use krilla::geom::Size;
use krilla::metadata::Metadata;
use krilla::page::PageSettings;
use krilla_svg::{SurfaceExt, SvgSettings};

use super::draw_error::DrawError;
use super::raster::tree;

/// SVG uses pixels of 1/96 inch, PDF points of 1/72 inch.
const POINTS_PER_PIXEL: f32 = 0.75;

/// The drawing as a PDF file. It contains no time and no machine name, so equal drawings give equal bytes.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Line;
    use crate::svg::svg;
    use crate::{Figure, Options, style_of};

    fn example() -> String {
        let line = Line::new("dense", style_of(0), vec![[0.0, 1.0], [1.0, 2.0]]);
        svg(&Figure { lines: vec![line], ..Figure::default() }, &Options::default())
    }

    #[test]
    fn a_page_has_the_size_of_the_figure_and_embedded_text() {
        let file = pdf(&example(), "A figure").unwrap();
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
        assert_eq!(pdf(&example(), "A figure").unwrap(), pdf(&example(), "A figure").unwrap());
    }
}

//! Why a figure could not be drawn.

/// Why a figure could not be drawn.
#[derive(Debug, thiserror::Error)]
pub enum DrawError {
    /// The size is impossible.
    #[error("{0}")]
    Size(String),
    /// The picture would have no pixels, or too many.
    #[error(
        "a picture at {dpi} dpi cannot be drawn; choose more than 0 and at most {most:.0} dpi for this size"
    )]
    Resolution {
        /// The requested resolution.
        dpi: f64,
        /// The highest possible one.
        most: f64,
    },
    /// The drawing cannot be read.
    #[error("the drawing is not valid SVG ({0}); this is a bug in Weightlab; please report it")]
    Svg(#[from] resvg::usvg::Error),
    /// The pixels cannot be packed.
    #[error("the picture cannot be packed as PNG ({0}); this is a bug in Weightlab; please report it")]
    Png(String),
    /// The page has no area.
    #[error("the page of the PDF has no area; choose another size")]
    Page,
    /// The page cannot be written.
    #[error("the page cannot be written as PDF ({0}); this is a bug in Weightlab; please report it")]
    Pdf(String),
}

//! One description of a figure, for the screen and for files.
//!
//! A [`Figure`] is plain data: who makes one decides what is shown, and who draws one (the plot on the screen, or
//! [`export`]) decides nothing but pixels. Ticks, ranges, colours, gaps and thinning are computed here, so that the
//! exported file is what was on the screen.
//!
//! ```text
//! series of runs → statistics → Figure → layout → svg → png, pdf
//!                                   └──→ csv
//! ```

mod apart;
pub mod bars;
pub mod cells;
pub mod csv;
mod draw_error;
pub mod export;
pub mod font;
pub mod icon;
pub mod layout;
pub mod legend;
pub mod marks;
pub mod model;
pub mod mosaic;
pub mod outliers;
pub mod palette;
pub mod parallel;
pub mod pdf;
pub mod plots;
pub mod raster;
pub mod scale;
pub mod size;
pub mod svg;
pub mod thin;
pub mod ticks;
pub mod view;

pub use bars::Bars;
pub use cells::Cells;
pub use export::{DPI, ExportError, FileKind, Options, write, write_file};
pub use model::{At, Axis, Category, Figure, Line, Rule, Trace};
pub use palette::{Dash, Marker, Style, Theme, style_of};
pub use scale::Scale;
pub use size::{LegendPlace, Size};

//! Figures, described once for the screen and for files.
//!
//! A [`Figure`] is plain data. Plots decide what it shows; the window and [`export`] only draw it. Ticks, ranges, colours,
//! gaps and thinning are computed here, so that exported files look like the screen.
//!
//! ```text
//! records of runs → plots → Figure → layout → scene → svg → png, pdf
//!                             │                 └──→ the window
//!                             └──→ csv
//! ```

pub mod axis;
pub mod cells;
pub mod confusion;
pub mod csv;
pub mod early_stops;
pub mod export;
pub mod facets;
pub mod font;
pub mod layout;
pub mod legend;
pub mod model;
pub mod network;
pub mod options;
pub mod palette;
pub mod plots;
pub mod ranges;
pub mod raster;
pub mod scene;
pub mod svg;
pub mod view;

pub use axis::{Axis, Category, Scale};
pub use cells::Cells;
pub use export::{ExportError, FileKind, write, write_file, write_file_by};
pub use facets::{Facets, Head, Panel};
pub use model::{At, Bars, Figure, Line, ReferenceLine, Trace};
pub use options::{DPI, IntervalStyle, Options};
pub use palette::{Dash, Marker, Style, Theme, style_of};
pub use results::distinct;
pub use results::page::{Corner, LegendPlace, Size};

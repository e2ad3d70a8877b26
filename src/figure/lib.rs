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
pub mod bars;
pub mod brushing;
pub mod cells;
pub mod confusion;
pub mod csv;
mod distinct;
mod draw_error;
pub mod early_stops;
pub mod export;
pub mod facets;
pub mod font;
pub mod icon;
mod interval;
pub mod layout;
pub mod legend;
mod legend_details;
pub mod mapping;
pub mod marks;
pub mod model;
pub mod mosaic;
pub mod network;
mod note;
mod options;
pub mod outliers;
pub mod palette;
pub mod pdf;
pub mod plots;
pub mod ranges;
pub mod raster;
mod remarks;
pub mod rounds;
pub mod scale;
pub mod scene;
pub mod shades;
pub mod svg;
pub mod thin;
pub mod ticks;
pub mod tones;
pub mod view;

pub use axis::{Axis, Category};
pub use cells::Cells;
pub use export::{ExportError, FileKind, write, write_file, write_file_by};
pub use facets::{Facets, Head, Panel};
pub use model::{At, Bars, Figure, Line, ReferenceLine, Trace};
pub use options::{DPI, IntervalStyle, Options};
pub use palette::{Dash, Marker, Style, Theme, style_of};
pub use results::page::{Corner, LegendPlace, Size};
pub use scale::Scale;

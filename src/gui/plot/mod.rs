//! The plots in the middle of the window.
//!
//! [`plot_ui`] draws a plot of the registry, [`figure_ui`] any [`Figure`]. Its contents (ticks, ranges,
//! thinning, colours) come from `figure`, so that an exported file looks like the screen. [`FigureView`] keeps what a person
//! does to the view: zoom, hidden lines, a pinned reading.
//!
//! [`Figure`]: crate::figure::Figure

mod areas;
mod axes;
mod builder;
mod figure_request;
mod figure_view;
mod input;
mod legend;
mod marks;
mod mesh;
mod navigate;
mod paint;
mod panel;
mod parallel;
mod reading;
mod scene;
mod sparse;
mod state;
mod thinning;

pub use axes::{colour, theme_of};
pub use figure_request::FigureRequest;
pub use figure_view::{FigureView, figure_ui};
pub use input::PlotInput;
pub use paint::dashed as line_shapes;
pub use panel::{PlotResponse, menu_ui, plot_ui, tools_ui};
pub use state::PlotState;

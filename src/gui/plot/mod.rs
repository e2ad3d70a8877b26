//! The plots in the middle of the window.
//!
//! [`plot_ui`] draws a plot of the registry, [`figure_ui`] any [`Figure`]. Its items come from
//! `figure::scene`, so that an exported file looks like the screen; `painter` only translates them. [`FigureView`] keeps what a person
//! does to the view: zoom, hidden lines, a pinned reading.
//!
//! [`Figure`]: figure::Figure

mod axes;
mod block;
mod builder;
mod figure_view;
mod legend;
mod navigate;
mod painter;
mod panel;
mod parallel;
mod reading;
mod scene;
mod state;

pub use builder::{ListedFaults, PlotInput};
pub use figure_view::{FigureView, figure_ui};
pub use legend::{LineAction, Wanted, arm_of, wanted_ui};
pub use navigate::KEYS;
pub use painter::paint;
pub use panel::{PlotResponse, campaign_choice_ui, menu_ui, plot_ui, tools_ui};
pub use state::PlotState;

#[cfg(test)]
mod export_tests;

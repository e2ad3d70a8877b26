//! The plots in the middle of the window.
//!
//! [`plot_ui`] draws a plot of the registry, [`figure_ui`] any [`Figure`]. Its items come from
//! `figure::scene`, so that an exported file looks like the screen; `painter` only translates them. [`FigureView`] keeps what a person
//! does to the view: zoom, hidden lines, a pinned reading.
//!
//! [`Figure`]: figure::Figure

mod areas;
mod axes;
mod axis_columns;
mod block;
mod builder;
mod data;
mod figure_request;
mod figure_view;
mod input;
mod keyboard;
mod legend;
mod legend_grid;
mod line_menu;
mod mesh;
mod navigate;
mod painter;
mod panel;
mod parallel;
mod reading;
mod scene;
mod state;
mod strip;
mod values;

pub use axes::{colour, theme_of};
pub use figure_request::FigureRequest;
pub use figure_view::{FigureView, figure_ui};
pub use input::{ArmInput, ListedFaults, PlotInput};
pub use keyboard::KEYS;
pub use line_menu::{LineAction, arm_of};
pub use painter::line_shapes;
pub use panel::{PlotResponse, menu_ui, plot_ui, stage_choice_ui, tools_ui};
pub use state::PlotState;

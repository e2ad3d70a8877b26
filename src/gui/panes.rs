//! What tiles can show: all plots and all views.

use super::views;
use figure::plots::{self, Plot};
use results::tiles::Group;

/// A plot or a view.
#[derive(Clone, Copy)]
pub struct Pane {
    /// Its name in files.
    pub name: &'static str,
    /// What the window calls it.
    pub title: &'static str,
    /// The group that it belongs to.
    pub group: Group,
    /// Its help text.
    pub help: &'static str,
    /// The plot, if it is one.
    pub plot: Option<&'static Plot>,
}

/// All plots, then all views, in the order of their registries.
pub fn panes() -> impl Iterator<Item = Pane> {
    let of_plot = |plot: &'static Plot| {
        let Plot { name, title, group, help, .. } = *plot;
        Pane { name, title, group, help, plot: Some(plot) }
    };
    let of_view = |view: &views::ViewEntry| {
        let views::ViewEntry { name, title, group, help, .. } = *view;
        Pane { name, title, group, help, plot: None }
    };
    plots::ALL.iter().map(of_plot).chain(views::ALL.iter().map(of_view))
}

/// The plot or view with this name.
pub fn find(name: &str) -> Option<Pane> {
    panes().find(|pane| pane.name == name)
}

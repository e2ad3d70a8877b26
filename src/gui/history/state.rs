//! What can be undone: the experiment, and the settings of how its results are shown.
//!
//! Not included: the zoomed range, the open tab, and which tile is maximized.

use std::sync::Arc;

use doc::arch::Difference;
use doc::{Arm, Experiment, Net};
use results::tiles::Tiles;
use results::view::{PlotView, ViewSettings};

/// All of it at one moment. Unchanged parts are shared with the previous state.
#[derive(Clone, Debug, Default)]
pub struct EditState {
    /// The document.
    pub experiment: Arc<Experiment>,
    /// How results are shown, except the layout.
    pub view: Arc<ViewSettings>,
    /// Where the views are.
    pub tiles: Tiles,
}

/// All of it now.
#[derive(Clone, Copy, Debug)]
pub struct CurrentState<'a> {
    /// The document.
    pub experiment: &'a Experiment,
    /// How results are shown, except the layout.
    pub view: &'a ViewSettings,
    /// Where the views are.
    pub tiles: &'a Tiles,
}

impl EditState {
    /// A copy of the present state.
    pub fn of(now: CurrentState<'_>) -> Self {
        let (experiment, view) = (Arc::new(now.experiment.clone()), Arc::new(now.view.clone()));
        Self { experiment, view, tiles: now.tiles.clone() }
    }

    /// A copy of the present state that shares the unchanged parts of this one.
    pub(super) fn next(&self, now: CurrentState<'_>) -> Self {
        let experiment = if *self.experiment == *now.experiment {
            self.experiment.clone()
        } else {
            Arc::new(now.experiment.clone())
        };
        let is_same_view = change_of_view(&self.view, now.view).is_none();
        let view = if is_same_view { self.view.clone() } else { Arc::new(now.view.clone()) };
        Self { experiment, view, tiles: now.tiles.clone() }
    }

    /// What was edited since, in a few words; nothing when nothing was. An edit of the document can also change the view,
    /// such as the colour of a new arm.
    pub fn change(&self, now: CurrentState<'_>) -> Option<&'static str> {
        if *self.experiment != *now.experiment {
            return Some(change_of_experiment(&self.experiment, now.experiment));
        }
        if !self.tiles.is_arranged_like(now.tiles) {
            return Some("layout");
        }
        change_of_view(&self.view, now.view)
    }
}

/// What differs between two different experiments.
fn change_of_experiment(old: &Experiment, new: &Experiment) -> &'static str {
    match new.arms.len().cmp(&old.arms.len()) {
        std::cmp::Ordering::Greater => return "new arm",
        std::cmp::Ordering::Less => return "removal of an arm",
        std::cmp::Ordering::Equal => {}
    }
    let pairs: Vec<(&Arm, &Arm)> = old.arms.iter().zip(&new.arms).filter(|(old, new)| old != new).collect();
    match pairs[..] {
        [] if old.name != new.name => "name of the experiment",
        [] if old.notes != new.notes => "notes of the experiment",
        [] if old.seeds != new.seeds => "seeds",
        [] if old.sweep != new.sweep => "sweep",
        [] if old.net != new.net => change_of_net(&old.net, &new.net),
        [] => "settings",
        [(old, new)] if old.name != new.name => "name of an arm",
        [(old, new)] if old.plan != new.plan => "plan",
        [(Arm { net: Some(old), .. }, Arm { net: Some(new), .. })] if old != new => change_of_net(old, new),
        [(old, new)] if old.sweep != new.sweep => "sweep",
        [_] => "settings of an arm",
        _ => "arms",
    }
}

/// What differs between two different networks.
fn change_of_net(old: &Net, new: &Net) -> &'static str {
    let lists = old.rule().written().zip(new.rule().written());
    match lists.and_then(|(old, new)| Difference::between(old, new)) {
        Some(Difference::Added(_)) => "new layer",
        Some(Difference::Removed) => "removal of a layer",
        Some(Difference::Moved) => "order of layers",
        Some(Difference::Changed(_)) => "settings of a layer",
        None => "network",
    }
}

/// What differs between two ways to show results, if anything.
fn change_of_view(old: &ViewSettings, new: &ViewSettings) -> Option<&'static str> {
    // All fields by name, so that the compiler asks of a new one whether it can be undone.
    let ViewSettings {
        options,
        plots: _, // compared below, without ranges
        filter,
        sort,
        table,
        group,
        linked,
        size,
        dpi,
        page,
        colours,
        marks,
        notes,
        tiles: _, // in `EditState::tiles`
    } = new;
    let titles = |plot: &PlotView| [plot.title.clone(), plot.x_title.clone(), plot.y_title.clone()];
    let scales = |plot: &PlotView| (plot.log_x, plot.log_y, plot.ignore_outliers);
    let has_other_axes = old.options != *options || old.linked != *linked || plots_differ(old, new, scales);
    let changes = [
        (old.notes != *notes, "notes"),
        (old.marks != *marks, "star, tag or note"),
        (old.filter != *filter, "filter"),
        (old.group != *group, "grouping"),
        (old.sort != *sort, "order of runs"),
        (old.table.filters != table.filters, "named filters"),
        (old.table.group != table.group, "grouping"),
        (old.table.baseline != table.baseline, "baseline"),
        (columns(old) != columns(new), "columns of runs"),
        (old.colours != *colours, "colours"),
        (plots_differ(old, new, titles), "titles of a figure"),
        (plots_differ(old, new, |plot| plot.hidden.clone()), "hide or show line"),
        (has_other_axes, "axes and bands of plots"),
        (old.size != *size || old.dpi != *dpi, "size of figures"),
        (old.page != *page, "look of exported figures"),
    ];
    changes.into_iter().find_map(|(is_other, name)| is_other.then_some(name))
}

/// The columns of the table of runs; which groups are open is no edit.
fn columns(view: &ViewSettings) -> impl PartialEq + '_ {
    let table = &view.table;
    (&table.columns, &table.widths, &table.added)
}

/// Whether this part of what is kept about some plot differs.
fn plots_differ<T: PartialEq>(a: &ViewSettings, b: &ViewSettings, part: impl Fn(&PlotView) -> T) -> bool {
    if a.plots == b.plots {
        return false;
    }
    let none = PlotView::default();
    let of = |view: &ViewSettings, name: &str| part(view.plots.get(name).unwrap_or(&none));
    a.plots.keys().chain(b.plots.keys()).any(|name| of(a, name) != of(b, name))
}

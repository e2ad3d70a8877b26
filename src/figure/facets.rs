//! Panels of a figure, one for each value of a setting, or for each pair of values of two.
//!
//! A figure with panels has no values itself: its lines, bars and kinds of cells are those of its legend.

use std::sync::Arc;

use super::axis::Axis;
use super::model::Figure;
use results::facets::FacetAxes;

pub type Ranges = [[f64; 2]; 2];

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Facets {
    /// The settings, as tables head them: "train.batch"; first that of the columns.
    pub keys: Vec<String>,
    /// Heads of the columns: of every panel of a wrapped grid in reading order, or of the columns of a grid with rows.
    pub columns: Vec<Head>,
    /// Heads of the rows; empty for a wrapped grid.
    pub rows: Vec<Head>,
    pub panels: Vec<Panel>,
    /// True if they have the same ranges.
    pub axes: FacetAxes,
    /// The reason for having no panels; empty if there are some.
    pub refusal: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Head {
    /// The setting: "batch size". May be empty.
    pub label: String,
    pub value: String,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// The indices of its heads: that of the row, which is 0 in a wrapped grid, and that of the column.
    pub place: [usize; 2],
    pub values: Vec<String>,
    pub figure: Arc<Figure>,
}

impl Head {
    /// Returns "batch size 16".
    pub fn text(&self) -> String {
        format!("{} {}", self.label, self.value).trim().to_owned()
    }
}

impl Facets {
    /// Returns true if panels follow each other in reading order.
    pub const fn is_wrapped(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns the name of a panel: "batch size 16, learning rate 0.1".
    pub fn title(&self, panel: &Panel) -> String {
        let heads = [self.columns.get(panel.place[1]), self.rows.get(panel.place[0])];
        heads.into_iter().flatten().map(Head::text).collect::<Vec<_>>().join(", ")
    }

    /// Returns the places of the panels in a grid of so many columns, by row and column.
    pub fn places(&self, columns: usize) -> Vec<[usize; 2]> {
        let places = self.panels.iter().enumerate();
        places
            .map(
                |(index, panel)| {
                    if self.is_wrapped() { [index / columns, index % columns] } else { panel.place }
                },
            )
            .collect()
    }

    /// Returns true if all panels have the same range of x and of y. Axes of other names or another scale never do.
    pub fn shares(&self) -> [bool; 2] {
        let same = |axis: fn(&Figure) -> &Axis| {
            let mut axes =
                self.panels.iter().filter(|panel| panel.figure.has_data()).map(|panel| axis(&panel.figure));
            let first = axes.next();
            let is_same = |other: &Axis| {
                first.is_none_or(|first| {
                    (first.scale, first.reversed, &first.categories)
                        == (other.scale, other.reversed, &other.categories)
                })
            };
            self.axes == FacetAxes::Shared && axes.all(is_same)
        };
        let is_parallel = self.panels.iter().any(|panel| !panel.figure.parallel.is_empty());
        if is_parallel { [false; 2] } else { [same(|figure| &figure.x), same(|figure| &figure.y)] }
    }

    /// Returns the ranges of all panels from those that each of them needs: along a shared axis, what all of them need.
    pub fn shared(&self, needed: &[Ranges]) -> Vec<Ranges> {
        let mut ranges = needed.to_vec();
        for (axis, _) in self.shares().iter().enumerate().filter(|(_, shares)| **shares) {
            let with_data = self.panels.iter().zip(needed).filter(|(panel, _)| panel.figure.has_data());
            let all =
                with_data.map(|(_, ranges)| ranges[axis]).reduce(|a, b| [a[0].min(b[0]), a[1].max(b[1])]);
            if let Some(all) = all {
                for own in &mut ranges {
                    own[axis] = all;
                }
            }
        }
        ranges
    }

    pub fn change(&mut self, mut change: impl FnMut(usize, &mut Figure)) {
        for (index, panel) in self.panels.iter_mut().enumerate() {
            change(index, Arc::make_mut(&mut panel.figure));
        }
    }
}

impl Figure {
    pub fn parts(&self) -> Vec<&Self> {
        match &self.facets {
            Some(facets) => facets.panels.iter().map(|panel| &*panel.figure).collect(),
            None => vec![self],
        }
    }

    /// Returns the number of seeds of its means: "n = 5 each", "n = 3–5"; empty if it has none.
    pub fn seeds(&self) -> String {
        let means = || self.lines.iter().filter(|line| line.names.is_empty() && !line.points.is_empty());
        let counts =
            || means().flat_map(|line| if line.counts.is_empty() { &[1] } else { line.counts.as_slice() });
        match (counts().min(), counts().max()) {
            (Some(least), Some(most)) if *most > 1 => {
                if least == most {
                    format!("n = {most} each")
                } else {
                    format!("n = {least}\u{2013}{most}")
                }
            }
            _ => String::new(),
        }
    }

    /// Returns the reason why it cannot be drawn, other than a lack of data.
    pub fn refusal(&self) -> Option<&str> {
        self.facets.as_ref().map(|facets| facets.refusal.as_str()).filter(|why| !why.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plots::testing::by_batch;
    use crate::ranges::ranges_of_panels;
    use crate::scene::Intervals;

    #[test]
    fn shared_ranges_show_what_all_panels_need_and_free_ones_what_each_needs() {
        let of = |axes| {
            let figure = by_batch(&[16, 64], axes);
            ranges_of_panels(&figure, |_| Intervals::None, figure.facets.as_ref().unwrap())
        };
        let (shared, free) = (of(FacetAxes::Shared), of(FacetAxes::Free));
        assert_eq!(shared[0], shared[1]);
        assert_eq!(free[0][0], free[1][0], "all have the same epochs");
        assert!((shared[0][1][0], shared[0][1][1]) == (free[0][1][0], free[1][1][1]) && free[0] != free[1]);
        let mut cut = by_batch(&[16, 64], FacetAxes::Free);
        cut.y.range = Some([0.0, 1.0]);
        let ranges = ranges_of_panels(&cut, |_| Intervals::None, cut.facets.as_ref().unwrap());
        assert_eq!([ranges[0][1], ranges[1][1]], [[0.0, 1.0]; 2], "a range of the whole figure");
    }

    #[test]
    fn a_panel_without_data_and_axes_of_other_names_do_not_widen_the_ranges() {
        let mut figure = by_batch(&[16, 64], FacetAxes::Shared);
        figure.facets.as_mut().unwrap().change(|index, panel| {
            if index == 0 {
                panel.lines.clear();
            }
        });
        let ranges = ranges_of_panels(&figure, |_| Intervals::None, figure.facets.as_ref().unwrap());
        assert_eq!(ranges[0], ranges[1]);
        assert!(ranges[0][1][0] > 0.05, "{ranges:?}");
        figure = by_batch(&[16, 64], FacetAxes::Shared);
        figure.facets.as_mut().unwrap().change(|index, panel| {
            panel.x = Axis::of_names("Layer", (0..=index).map(|layer| layer.to_string()));
        });
        assert_eq!(figure.facets.as_ref().unwrap().shares(), [false, true]);
    }

    #[test]
    fn places_are_in_reading_order_or_those_of_rows_and_columns() {
        let mut figure = by_batch(&[16, 64, 256], FacetAxes::Shared);
        let facets = figure.facets.as_mut().unwrap();
        assert_eq!(facets.places(2), [[0, 0], [0, 1], [1, 0]]);
        facets.rows = vec![Head { label: "seed".to_owned(), value: "1".to_owned() }];
        assert_eq!(facets.places(2), [[0, 0], [0, 1], [0, 2]]);
        assert_eq!(facets.title(&facets.panels[1]), "batch size 64, seed 1");
    }
}

//! The columns of the table of runs that can be axes of a plot.

use std::sync::Arc;

use figure::plots::ArmRuns;
use results::metric::{results, settings};
use results::table::columns::Column;
use results::table::{Labels, Row};

/// Columns with their titles, in the order of lists.
#[derive(Clone, Debug, Default)]
pub struct AxisColumns {
    /// The settings in which runs differ.
    pub settings: Vec<(Column, String)>,
    /// Their results.
    pub results: Vec<(Column, String)>,
    labels: Arc<Labels>,
}

impl AxisColumns {
    /// Those of these runs, which have these series.
    pub fn of(arms: &[ArmRuns<'_>], series: &[String]) -> Self {
        let rows: Vec<&Row> = arms.iter().flat_map(|arm| &arm.rows).copied().collect();
        let labels = rows.first().map(|row| row.labels.clone()).unwrap_or_default();
        let titled = |columns: Vec<Column>| -> Vec<(Column, String)> {
            columns.into_iter().map(|column| (column.clone(), column.title(&labels))).collect()
        };
        Self {
            settings: titled(settings(&rows)),
            results: titled(results(&rows, series)),
            labels: labels.clone(),
        }
    }

    /// What an axis shows when nothing was chosen; `drawn` is the title of the drawn x, since a part of the runs may differ in
    /// fewer settings.
    pub fn usual(&self, is_x: bool, drawn: Option<&str>) -> Option<Column> {
        let is_drawn = |(_, title): &&(Column, String)| drawn == Some(title);
        let of_x = || self.settings.iter().find(is_drawn).or(self.settings.first());
        if is_x { of_x().map(|(column, _)| column.clone()) } else { Some(Column::Last) }
    }

    /// What a column is called.
    pub fn title(&self, column: &Column) -> String {
        column.title(&self.labels)
    }
}

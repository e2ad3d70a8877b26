//! The columns of the table of runs that `--x` and `--y` name.

use std::collections::BTreeSet;

use crate::failure::Failure;
use results::metric::MetricAxes;
use results::table::columns::{At, Column};
use results::view::PlotView;

/// What columns can be about.
pub struct Known<'a> {
    /// The paths of the settings in which runs differ, and of all.
    pub settings: [&'a [String]; 2],
    /// The series of the runs.
    pub series: BTreeSet<&'a str>,
}

impl Known<'_> {
    /// Writes the columns of x and y into the axes of a plot; what is kept about an axis that shows another one is forgotten.
    ///
    /// # Errors
    /// What is no column, or no result.
    pub fn apply(
        &self,
        [x, y]: [Option<&str>; 2],
        axes: &mut MetricAxes,
        kept: &mut PlotView,
    ) -> Result<(), Failure> {
        if let Some(name) = x {
            let x = Some(self.column("--x", name, true)?);
            if axes.x != x {
                (kept.x, kept.log_x) = (None, None);
                kept.x_title.clear();
                kept.facets.zooms.clear();
            }
            axes.x = x;
        }
        if let Some(name) = y {
            let y = Some(self.column("--y", name, false)?);
            if axes.y != y {
                (kept.y, kept.log_y) = (None, None);
                kept.y_title.clear();
                kept.facets.zooms.clear();
            }
            axes.y = y;
        }
        Ok(())
    }

    /// The result of a name, or the setting.
    fn column(&self, option: &str, name: &str, may_be_setting: bool) -> Result<Column, Failure> {
        if self.series.contains(name) {
            return Ok(Column::Series { series: name.to_owned(), at: At::Last });
        }
        // The end of a path can name one of the settings that differ and several of all.
        let [differing, all] = self.settings;
        let found = Column::parse(name, differing).or_else(|_| Column::parse(name, all));
        let refused = |why: String| Err(Failure::Input(format!("{option}: {why}")));
        match found {
            Ok(Column::Series { series, .. }) if !self.series.contains(series.as_str()) => {
                let known: Vec<&str> = self.series.iter().copied().collect();
                refused(format!("these runs have no \"{series}\"; there are {}", known.join(", ")))
            }
            Ok(Column::Setting(path)) if may_be_setting => Ok(Column::Setting(path)),
            Ok(column) if column.is_measured() => Ok(column),
            Ok(_) => {
                let setting = if may_be_setting { "a setting or " } else { "" };
                let results = "last, best, remaining, epochs, secs or a series such as test_loss:best";
                refused(format!("\"{name}\" is no result; write {setting}{results}"))
            }
            Err(why) => refused(why),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_the_axes() {
        let all = ["train.batch", "train.rate", "plan.0.batch"].map(str::to_owned);
        let known = Known { settings: [&all[..1], &all], series: ["train_loss"].into() };
        let apply = |x: Option<&str>, y: Option<&str>| {
            let mut kept = PlotView { log_x: Some(true), log_y: Some(true), ..PlotView::default() };
            let mut axes = MetricAxes::default();
            let applied = known.apply([x, y], &mut axes, &mut kept);
            applied.map(|()| (axes, kept)).map_err(|failure| failure.to_string())
        };
        let (axes, kept) = apply(Some("batch"), None).unwrap();
        assert_eq!(axes.x, Some(Column::Setting("train.batch".to_owned())), "the one that differs");
        assert_eq!((kept.log_x, kept.log_y), (None, Some(true)));
        let (axes, _) = apply(Some("secs"), Some("train_loss")).unwrap();
        let loss = Column::Series { series: "train_loss".to_owned(), at: At::Last };
        assert_eq!(axes, MetricAxes { x: Some(Column::Duration), y: Some(loss) });
        let refused = |x, y| apply(x, y).unwrap_err();
        assert!(refused(Some("arm"), None).contains("--x: \"arm\" is no result; write a setting or last"));
        assert!(refused(None, Some("batch")).contains("--y: \"batch\" is no result; write last"));
        assert!(refused(None, Some("b:best")).contains("these runs have no \"b\"; there are train_loss"));
        assert!(refused(Some("nothing"), None).contains("--x: there is no column"));
    }
}

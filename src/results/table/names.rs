//! Columns by their names on the command line.

use super::columns::{At, Column};

/// Names of columns on the command line.
const NAMES: [(&str, Column); 15] = [
    ("star", Column::Star),
    ("arm", Column::Arm),
    ("seed", Column::Seed),
    ("state", Column::State),
    ("best", Column::Best),
    ("best_epoch", Column::BestEpoch),
    ("last", Column::Last),
    ("remaining", Column::Remaining),
    ("epochs", Column::Epochs),
    ("secs", Column::Duration),
    ("run", Column::Run),
    ("tags", Column::Tags),
    ("note", Column::Note),
    ("delta", Column::Delta),
    ("plan", Column::Plan),
];

impl Column {
    /// What heads the column in tables for programs.
    pub fn key(&self) -> String {
        match self {
            Self::Setting(path) => path.clone(),
            Self::Series { series, .. } => series.clone(),
            known => NAMES.iter().find(|(_, column)| column == known).map_or("", |(name, _)| name).to_owned(),
        }
    }

    /// The column of a name on the command line: `last`, a setting by the end of its path, or a series as
    /// `test_loss:best`, `test_loss:last`, `test_loss@1000` (an iteration) and `test_accuracy@21%` (a level of weights).
    ///
    /// # Errors
    /// What is not understood, and what there is.
    pub fn parse(text: &str, settings: &[String]) -> Result<Self, String> {
        if let Some((_, column)) = NAMES.iter().find(|(name, _)| *name == text) {
            return Ok(column.clone());
        }
        if let Some((series, at)) = text.split_once([':', '@']) {
            let at = At::parse(at).ok_or_else(|| {
                format!("\"{text}\": write {series}:best, {series}:last, {series}@1000 or {series}@21%")
            })?;
            return Ok(Self::Series { series: series.to_owned(), at });
        }
        let ends = |path: &&String| *path == text || path.ends_with(&format!(".{text}"));
        match settings.iter().filter(ends).collect::<Vec<_>>().as_slice() {
            [only] => Ok(Self::Setting((*only).clone())),
            [] => {
                let names: Vec<&str> = NAMES.iter().map(|(name, _)| *name).collect();
                Err(format!(
                    "there is no column \"{text}\"; there are {}, settings by their paths, and series such as \
                     test_loss:best",
                    names.join(", ")
                ))
            }
            several => {
                let several: Vec<&str> = several.iter().map(|path| path.as_str()).collect();
                Err(format!("\"{text}\" can be {}", several.join(" or ")))
            }
        }
    }
}

impl At {
    /// Reads "best", "last", an iteration, or a level of weights such as "21 %".
    pub fn parse(text: &str) -> Option<Self> {
        match text.trim() {
            "best" => Some(Self::Best),
            "last" => Some(Self::Last),
            text => match text.strip_suffix('%') {
                Some(percent) => {
                    let share = percent.trim().parse::<f64>().ok()? / 100.0;
                    (share > 0.0 && share <= 1.0).then_some(Self::Remaining(share))
                }
                None => text.replace(',', "").parse().ok().map(Self::Iteration),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_named_on_the_command_line() {
        let settings = ["train.batch", "plan.0.batch", "train.rate"].map(str::to_owned);
        let parse = |text: &str| Column::parse(text, &settings);
        assert_eq!(parse("last"), Ok(Column::Last));
        assert_eq!(parse("rate"), Ok(Column::Setting("train.rate".to_owned())));
        assert_eq!(parse("batch"), Err("\"batch\" can be train.batch or plan.0.batch".to_owned()));
        assert!(parse("nothing").unwrap_err().contains("there is no column"));
        let series = |at: At| Ok(Column::Series { series: "test_loss".to_owned(), at });
        assert_eq!(parse("test_loss:best"), series(At::Best));
        assert_eq!(parse("test_loss@1000"), series(At::Iteration(1000)));
        assert_eq!(parse("test_loss@21 %"), series(At::Remaining(0.21)));
        assert!(parse("test_loss@0 %").unwrap_err().contains("test_loss@21%"));
        for column in Column::KNOWN {
            assert!(NAMES.iter().any(|(_, known)| *known == column), "{column:?} has no name");
        }
    }
}

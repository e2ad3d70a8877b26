//! What a stage did, in one sentence and a table.

use serde::{Deserialize, Serialize};

use doc::stage::LineStatistics;
use doc::stage_number;

/// What a stage did, as a table that a person reads and a program can.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Place of the stage in the plan.
    pub stage: String,
    /// The branch; empty for the main branch.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub branch: String,
    /// The round of the innermost repetition, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<u64>,
    /// What the report is about: `prune`, `graft`, `layers`, `held`, ….
    pub kind: String,
    /// The result in one sentence.
    pub summary: String,
    /// Who has to read it.
    #[serde(default, skip_serializing_if = "ReportLevel::is_detail")]
    pub level: ReportLevel,
    /// The verdict of a check; absent where nothing was checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passed: Option<bool>,
    /// Names of the columns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<String>,
    /// The table.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rows: Vec<Vec<String>>,
}

/// How the summary of the line between two networks begins; their names and a verb follow.
const LINE: &str = "the error barrier between ";

/// What stands between the barriers and where the batch-norm statistics of the networks come from.
const STATISTICS: &str = "; batch-norm statistics ";

/// The summary of the line between two networks: the barriers of the error in percentage points and of the loss, and where
/// the batch-norm statistics come from, if there are some.
pub fn line_summary(
    [a, b]: [&str; 2],
    error: &str,
    loss: f64,
    statistics: Option<&LineStatistics>,
) -> String {
    let statistics = statistics.map(|statistics| format!("{STATISTICS}{}", statistics.in_words()));
    let statistics = statistics.unwrap_or_default();
    format!("{LINE}{a} and {b} is {error} percentage points, that of the loss {loss:.4}{statistics}")
}

impl Report {
    /// The names of the two networks, where it is about the line between them and they are clear.
    pub fn line_ends(&self) -> Option<[&str; 2]> {
        let (names, _) = self.summary.strip_prefix(LINE)?.rsplit_once(" is ")?;
        let (a, b) = names.split_once(" and ")?;
        (!b.contains(" and ")).then_some([a, b])
    }

    /// Where the batch-norm statistics of the networks on a line come from, in a word; nothing where there are none, and in
    /// reports of earlier versions.
    pub fn line_statistics(&self) -> Option<&str> {
        let (_, statistics) = self.summary.rsplit_once(STATISTICS)?;
        self.summary.starts_with(LINE).then_some(statistics)
    }
}

/// Who has to read a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ReportLevel {
    /// Who looks for it: a check that has passed, the counts of a stage.
    #[default]
    Detail,
    /// Who follows the run: a result that no series has.
    Info,
    /// Everybody: something is wrong, or differs from what the plan asks for.
    Warning,
}

impl ReportLevel {
    /// Whether it is the default, which logs leave out.
    #[allow(clippy::trivially_copy_pass_by_ref)] // serde's signature
    const fn is_detail(&self) -> bool {
        matches!(self, Self::Detail)
    }
}

impl Report {
    /// The same report as a warning.
    #[must_use]
    pub fn warning(self) -> Self {
        Self { level: ReportLevel::Warning, ..self }
    }

    /// Where its stage is in the plan: `Stage 3.1, round 3, control`.
    pub fn place(&self) -> String {
        place_of(&self.stage, self.round, &self.branch)
    }
}

/// The place of a stage as the plan numbers it, from 1: `Stage 3.1, round 3, control`; `Start` before the first one.
pub fn place_of(stage: &str, round: Option<u64>, branch: &str) -> String {
    if stage.is_empty() {
        return "Start".to_owned();
    }
    let round = round.map(|round| format!(", round {round}")).unwrap_or_default();
    let comma = if branch.is_empty() { "" } else { ", " };
    format!("Stage {}{round}{comma}{branch}", stage_number(stage))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Event;

    #[test]
    fn a_report_without_a_level_is_one_for_who_looks_for_it_and_is_written_as_ever() {
        let report = Report { kind: "held".to_owned(), ..Report::default() };
        let line = serde_json::to_string(&Event::Report(report.clone())).unwrap();
        assert!(!line.contains("level"), "{line}");
        let warning = serde_json::to_string(&Event::Report(report.clone().warning())).unwrap();
        assert!(warning.contains(r#""level":"Warning""#), "{warning}");
        let Event::Report(again) = serde_json::from_str(&warning).unwrap() else { panic!("{warning}") };
        assert!(again.level > report.level);
    }

    #[test]
    fn stages_have_the_numbers_of_the_plan() {
        assert_eq!(place_of("2.0", Some(3), ""), "Stage 3.1, round 3");
        assert_eq!(place_of("2", None, "control"), "Stage 3, control");
    }
}

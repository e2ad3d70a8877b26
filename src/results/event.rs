//! What a run reports. Everything that is known of a run is the fold of these events.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::campaign::{CampaignBegan, CampaignEnded, CellState};
use doc::stage::LineStatistics;
use doc::stage_number;

/// Something that happened in a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// The run started, or resumed after an interruption.
    Started {
        /// True if it resumed from a checkpoint.
        resumed: bool,
        /// Threads that it computes with.
        threads: usize,
    },
    /// The time of day: after each start, and after each pause. Logs of earlier versions lack it.
    Clock(Clock),
    /// The run resumes from a checkpoint and repeats the events after it. Never in the log, which is cut there itself.
    Rewound {
        /// Points that still hold.
        points: usize,
        /// Reports that still hold.
        reports: usize,
        /// Campaigns that began before it.
        campaigns: usize,
    },
    /// A stage began.
    Stage(StageBegan),
    /// One value of one series.
    Point(Point),
    /// The report of a stage.
    Report(Report),
    CampaignBegan(CampaignBegan),
    /// The state of a cell of the campaign that began last.
    CampaignCell(CellState),
    /// The campaign that began last is over.
    CampaignEnded(CampaignEnded),
    /// Its progress; sent often, kept in memory only.
    Progress(Progress),
    /// All stages are done.
    Finished {
        /// Wall time of all its parts together, seconds.
        secs: f64,
    },
    /// It was stopped and can be resumed.
    Stopped {
        /// Wall time so far, seconds.
        secs: f64,
    },
    Failed {
        /// The failure, its place, and its remedy.
        message: String,
    },
    /// Another process works on the run, and this one skips it. Never in a log; changes nothing in a record.
    Elsewhere {
        /// That process, and its host.
        owner: String,
    },
}

impl Event {
    /// Returns true if no log keeps it: a later event repeats it, or it has no use after the run.
    pub const fn is_transient(&self) -> bool {
        let is_repeated = matches!(self, Self::CampaignCell(state) if state.live);
        is_repeated || matches!(self, Self::Progress(_) | Self::Elsewhere { .. })
    }

    /// Returns the share of the work that was done before this process, in [0, 1], if this event has it. The first such
    /// event of a run counts: a new run has none done, and a resumed run first reports its progress.
    pub fn share_at_start(&self) -> Option<f64> {
        if let Self::Progress(progress) = self {
            return Some(progress.done);
        }
        matches!(self, Self::Started { resumed: false, .. }).then_some(0.0)
    }
}

/// The time of the clock at a moment of a run. From then on, the run's wall time and the clock go on together, up to the
/// next pause or interruption.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Clock {
    /// Seconds since 1970-01-01 00:00 UTC.
    pub utc: f64,
    /// Wall time of the run at that moment, seconds, without pauses.
    pub secs: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StageBegan {
    /// Its number in the order of execution, from 0.
    pub number: usize,
    /// Their number.
    pub of: usize,
    /// Its place in the plan, such as `2.1`.
    pub stage: String,
    /// Its description, as a sentence.
    pub label: String,
    /// The round of the innermost repetition, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<u64>,
    /// The branch that it belongs to; empty for the main branch.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub branch: String,
}

/// One value of one series, with all of its possible x values. `T` is its texts and `C` its classes: a record hands out
/// points that borrow theirs, see [`PointRef`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(bound(serialize = "T: Serialize + AsRef<str>, C: Serialize + AsRef<[Option<f64>]>"))]
pub struct Point<T = String, C = Vec<Option<f64>>> {
    /// Name of the series, such as `test_accuracy`.
    pub series: T,
    /// The value; accuracies lie in [0, 1].
    #[serde(with = "any_number")]
    pub value: f64,
    /// Place of the stage in the plan, such as `2.1`.
    pub stage: T,
    /// The branch; empty for the main branch.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub branch: T,
    /// The member of an ensemble, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub member: Option<usize>,
    /// The round of the innermost repetition, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<u64>,
    /// Position: epochs with their fraction. Goes back when the network is rewound.
    pub epoch: f64,
    /// Position: mini-batches. Goes back when the network is rewound.
    pub iteration: u64,
    /// Epochs trained in all; never goes back.
    pub trained: f64,
    /// Share of the prunable weights that remain, in [0, 1].
    pub remaining: f64,
    /// Fault rate of a campaign's cell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
    /// Bit of a campaign's cell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bit: Option<u32>,
    /// Layer of a campaign's cell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layer: Option<T>,
    /// Share of the way from the first network to the second, in [0, 1]; of series along a line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub along: Option<f64>,
    /// Share of the samples of each class that were right, `[classes]`, in [0, 1]; `None` for a class without samples. Of
    /// accuracies on the validation and the test part only.
    #[serde(default, skip_serializing_if = "has_none")]
    pub classes: C,
    /// Wall time since the run began, seconds.
    pub secs: f64,
}

/// A point that borrows its texts and classes.
pub type PointRef<'a> = Point<&'a str, &'a [Option<f64>]>;

impl Point {
    /// Returns the same point without copies of its texts.
    pub fn borrowed(&self) -> PointRef<'_> {
        self.map(String::as_str, Vec::as_slice)
    }
}

impl<T, C> Point<T, C> {
    /// Returns the same point with its texts and classes in another form.
    pub(super) fn map<'a, U, D>(
        &'a self,
        text: impl Fn(&'a T) -> U,
        classes: impl FnOnce(&'a C) -> D,
    ) -> Point<U, D> {
        Point {
            series: text(&self.series),
            value: self.value,
            stage: text(&self.stage),
            branch: text(&self.branch),
            member: self.member,
            round: self.round,
            epoch: self.epoch,
            iteration: self.iteration,
            trained: self.trained,
            remaining: self.remaining,
            rate: self.rate,
            bit: self.bit,
            layer: self.layer.as_ref().map(text),
            along: self.along,
            classes: classes(&self.classes),
            secs: self.secs,
        }
    }
}

fn is_empty<T: AsRef<str>>(text: &T) -> bool {
    text.as_ref().is_empty()
}

fn has_none<C: AsRef<[Option<f64>]>>(classes: &C) -> bool {
    classes.as_ref().is_empty()
}

/// The progress of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// Share of the expected work that is done, in [0, 1].
    pub done: f64,
    /// Position: epochs with their fraction.
    pub epoch: f64,
    /// Position: mini-batches.
    pub iteration: u64,
    /// Wall time since the run began, seconds, parts before interruptions included.
    pub secs: f64,
    /// Expected time to the end, seconds, once there is an estimate.
    pub secs_left: Option<f64>,
}

/// JSON has no NaN and no infinity: they are written as text.
mod any_number {
    use super::{Deserializer, Serialize, Serializer};

    #[allow(clippy::trivially_copy_pass_by_ref)] // serde's signature
    pub fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        if value.is_finite() { value.serialize(serializer) } else { value.to_string().serialize(serializer) }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        deserializer.deserialize_any(Written)
    }

    /// Reads both ways; an untagged enum would copy every value first.
    struct Written;

    impl serde::de::Visitor<'_> for Written {
        type Value = f64;

        fn expecting(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            out.write_str("a number, or \"NaN\", \"inf\" or \"-inf\"")
        }

        fn visit_f64<E>(self, value: f64) -> Result<f64, E> {
            Ok(value)
        }

        fn visit_u64<E>(self, value: u64) -> Result<f64, E> {
            Ok(value as f64)
        }

        fn visit_i64<E>(self, value: i64) -> Result<f64, E> {
            Ok(value as f64)
        }

        fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<f64, E> {
            text.parse().map_err(E::custom)
        }
    }
}

/// The report of a stage, as a table that a person reads and a program can.
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
    /// The subject of the report: `prune`, `graft`, `layers`, `held`, ….
    pub kind: String,
    /// The result in one sentence.
    pub summary: String,
    /// Who has to read it.
    #[serde(default, skip_serializing_if = "super::is_default")]
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

/// The begin of the summary of the line between two networks; their names and a verb follow.
const LINE: &str = "the error barrier between ";

/// The words between the barriers and the source of the batch-norm statistics of the networks.
const STATISTICS: &str = "; batch-norm statistics ";

/// Writes the summary of the line between two networks: the barriers of the error in percentage points and of the loss, and where
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
    /// Returns the names of the two networks, where it is about the line between them and they are clear.
    pub fn line_ends(&self) -> Option<[&str; 2]> {
        let (names, _) = self.summary.strip_prefix(LINE)?.rsplit_once(" is ")?;
        let (a, b) = names.split_once(" and ")?;
        (!b.contains(" and ")).then_some([a, b])
    }

    /// Returns where the batch-norm statistics of the networks on a line come from, in a word; nothing where there are
    /// none, and in reports of earlier versions.
    pub fn line_statistics(&self) -> Option<&str> {
        let (_, statistics) = self.summary.rsplit_once(STATISTICS)?;
        self.summary.starts_with(LINE).then_some(statistics)
    }

    /// Returns the same report as a warning.
    #[must_use]
    pub fn warning(self) -> Self {
        Self { level: ReportLevel::Warning, ..self }
    }

    /// Returns where its stage is in the plan: `Stage 3.1, round 3, control`.
    pub fn place(&self) -> String {
        place_of(&self.stage, self.round, &self.branch)
    }
}

/// The kind of reports of activations that are far from those that imported weights were trained with.
pub const INPUTS: &str = "inputs";

/// Who has to read a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ReportLevel {
    /// Who looks for it: a check that has passed, the counts of a stage. Logs leave it out.
    #[default]
    Detail,
    /// Who follows the run: a result that no series has.
    Info,
    /// Everybody: something is wrong, or differs from what the plan asks for.
    Warning,
}

/// Returns the place of a stage as the plan numbers it, from 1: `Stage 3.1, round 3, control`; `Start` before the first
/// one.
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

    pub(crate) fn point(series: &str, value: f64) -> Point {
        Point { series: series.to_owned(), value, stage: "0".to_owned(), remaining: 1.0, ..Point::default() }
    }

    #[test]
    fn classes_are_a_list_that_older_logs_lack() {
        let classes = vec![Some(0.5), None];
        let line = serde_json::to_string(&Event::Point(Point { classes, ..point("a", 0.5) })).unwrap();
        assert!(line.contains(r#""classes":[0.5,null]"#), "{line}");
        let Event::Point(again) = serde_json::from_str(&line).unwrap() else { panic!("{line}") };
        assert_eq!(again.classes, [Some(0.5), None]);
        let line = line.replace(r#""classes":[0.5,null],"#, "");
        let Event::Point(older) = serde_json::from_str(&line).unwrap() else { panic!("{line}") };
        assert_eq!(older, point("a", 0.5));
    }

    #[test]
    fn events_survive_their_line_of_json_with_infinities_and_nan() {
        for value in [0.125, f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
            let line = serde_json::to_string(&Event::Point(point("train_loss", value))).unwrap();
            let Event::Point(again) = serde_json::from_str(&line).unwrap() else { panic!("{line}") };
            assert!(again.value == value || (again.value.is_nan() && value.is_nan()), "{line}");
        }
    }

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

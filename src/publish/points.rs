//! Points as CSV (RFC 4180): one line for each value of each series of each run.

use std::collections::BTreeMap;
use std::fmt::Display;

use crate::doc::Run;
use crate::figure::csv::row;
use crate::results::{PointRef, RunRecord};

/// The columns, in their order.
pub const HEADER: &str =
    "run,arm,seed,stage,branch,member,series,round,epoch,iteration,remaining,rate,bit,layer,value";

/// The points of these runs, run by run in their order, points in the order in which they came. Arms that share a run
/// have each a copy of its points; series along a line have their place on it in the column `rate`. Reading the numbers
/// gives the same bits.
pub fn points_csv(runs: &[Run], records: &BTreeMap<String, RunRecord>) -> String {
    let mut text = format!("{HEADER}\n");
    for run in runs {
        for point in records.get(&run.id).into_iter().flat_map(|record| record.points().iter()) {
            row(&mut text, &cells(run, &point));
        }
    }
    text
}

fn cells(run: &Run, point: &PointRef<'_>) -> [String; 15] {
    [
        run.id.clone(),
        run.arm.clone(),
        run.seed.to_string(),
        point.stage.to_owned(),
        point.branch.to_owned(),
        optional(point.member),
        point.series.to_owned(),
        optional(point.round),
        point.epoch.to_string(),
        point.iteration.to_string(),
        point.remaining.to_string(),
        optional(point.rate.or(point.along)),
        optional(point.bit),
        optional(point.layer),
        point.value.to_string(),
    ]
}

fn optional(value: Option<impl Display>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doc::RunSpec;

    #[test]
    fn a_point_is_a_line_with_empty_fields_for_what_it_has_not() {
        let line = r#"{"event":"point","series":"test_accuracy","value":0.1,"stage":"2.1","round":3,"epoch":1.5,"iteration":36,"trained":13.5,"remaining":0.8,"secs":0.5}"#;
        let record = RunRecord::of([serde_json::from_str(line).unwrap()]);
        let arm = "plain, batch 8, \"slow\"".to_owned();
        let run = Run { id: "ab12".to_owned(), arm, arm_index: 0, seed: 7, spec: RunSpec::default().into() };
        let text = points_csv(&[run], &BTreeMap::from([("ab12".to_owned(), record)]));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], HEADER);
        assert_eq!(lines[1], r#"ab12,"plain, batch 8, ""slow""",7,2.1,,,test_accuracy,3,1.5,36,0.8,,,,0.1"#);
        assert_eq!(lines.len(), 2);
    }
}

//! Points as CSV (RFC 4180): one line for each value of each series of each run.

use std::collections::BTreeMap;
use std::fmt::Display;

use crate::doc::Run;
use crate::figure::csv::row;
use crate::results::{Point, PointRef, RunRecord};

/// The columns, in their order.
pub const HEADER: &str =
    "run,arm,seed,stage,branch,member,series,round,epoch,iteration,remaining,rate,bit,layer,value";

/// The points of these runs, run by run in their order, points in the order in which they came. Arms that share a run
/// have each a copy of its points; series along a line have their place on it in the column `rate`. Numbers are written so that reading them gives the same bits.
pub fn points_csv(runs: &[Run], records: &BTreeMap<String, RunRecord>) -> String {
    let mut text = format!("{HEADER}\n");
    for run in runs {
        for point in records.get(&run.id).into_iter().flat_map(|record| record.points().iter()) {
            line(&mut text, run, &point);
        }
    }
    text
}

fn line(text: &mut String, run: &Run, point: &PointRef<'_>) {
    let Point {
        series,
        value,
        stage,
        branch,
        member,
        round,
        epoch,
        iteration,
        remaining,
        rate,
        bit,
        layer,
        along,
        ..
    } = point;
    let cells = [
        run.id.clone(),
        run.arm.clone(),
        run.seed.to_string(),
        (*stage).to_owned(),
        (*branch).to_owned(),
        optional(member.as_ref()),
        (*series).to_owned(),
        optional(round.as_ref()),
        epoch.to_string(),
        iteration.to_string(),
        remaining.to_string(),
        optional(rate.as_ref().or(along.as_ref())),
        optional(bit.as_ref()),
        layer.unwrap_or_default().to_owned(),
        value.to_string(),
    ];
    row(text, &cells);
}

fn optional<T: Display>(value: Option<&T>) -> String {
    value.map(ToString::to_string).unwrap_or_default()
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

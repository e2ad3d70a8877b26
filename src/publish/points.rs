//! Points as CSV (RFC 4180): one line for each value of each series of each run.

use std::fmt::{Display, Write as _};
use std::io::Write;
use std::path::Path;

use doc::Run;
use figure::csv::quoted;
use results::RunRecord;
use run::read_each;

pub const HEADER: &str =
    "run,arm,seed,stage,branch,member,series,round,epoch,iteration,remaining,rate,bit,layer,value";

const CHUNK: usize = 64;

/// Writes the points of these runs, run by run in their order, points in the order in which they came; returns how many
/// there are. Arms that share a run have each a copy of its points; series along a line have their place on it in the
/// column `rate`. Reading the numbers gives the same bits.
///
/// # Errors
/// Those of `to`.
pub fn write_points(folder: &Path, runs: &[Run], to: &mut dyn Write) -> std::io::Result<usize> {
    let mut count = 0;
    writeln!(to, "{HEADER}")?;
    for runs in runs.chunks(CHUNK) {
        let lines = |run: &Run, record: Option<RunRecord>| {
            record.map_or((0, String::new()), |record| (record.points().len(), lines(run, &record)))
        };
        for (points, lines) in read_each(folder, runs, lines) {
            count += points;
            to.write_all(lines.as_bytes())?;
        }
    }
    Ok(count)
}

fn lines(run: &Run, record: &RunRecord) -> String {
    let mut text = String::new();
    let head = format!("{},{},{}", quoted(&run.id), quoted(&run.arm), run.seed);
    for point in record.points().iter() {
        text.push_str(&head);
        add(&mut text, Some(quoted(point.stage)));
        add(&mut text, Some(quoted(point.branch)));
        add(&mut text, point.member);
        add(&mut text, Some(quoted(point.series)));
        add(&mut text, point.round);
        add(&mut text, Some(point.epoch));
        add(&mut text, Some(point.iteration));
        add(&mut text, Some(point.remaining));
        add(&mut text, point.rate.or(point.along));
        add(&mut text, point.bit);
        add(&mut text, point.layer.map(quoted));
        add(&mut text, Some(point.value));
        text.push('\n');
    }
    text
}

/// Adds a cell, which is empty for what a point has not.
fn add(text: &mut String, value: Option<impl Display>) {
    text.push(',');
    if let Some(value) = value {
        let _ = write!(text, "{value}"); // a string takes everything
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use doc::RunSpec;

    #[test]
    fn a_point_is_a_line_with_empty_fields_for_what_it_has_not() {
        let line = r#"{"event":"point","series":"test_accuracy","value":0.1,"stage":"2.1","round":3,"epoch":1.5,"iteration":36,"trained":13.5,"remaining":0.8,"secs":0.5}"#;
        let record = RunRecord::from_events([serde_json::from_str(line).unwrap()]);
        let arm = "plain, batch 8, \"slow\"".to_owned();
        let run = Run {
            id: "ab12".to_owned(),
            arm,
            arm_index: 0,
            is_earlier: false,
            seed: 7,
            spec: RunSpec::default().into(),
        };
        let text = super::lines(&run, &record);
        assert_eq!(HEADER.split(',').count(), 15);
        assert_eq!(text, "ab12,\"plain, batch 8, \"\"slow\"\"\",7,2.1,,,test_accuracy,3,1.5,36,0.8,,,,0.1\n");
    }

    #[test]
    fn runs_that_are_read_in_parts_are_in_their_order() {
        let folder = tempfile::tempdir().unwrap();
        let run = |seed: u64| {
            let (id, arm) = (format!("run{seed}"), "a".to_owned());
            Run { id, arm, arm_index: 0, is_earlier: false, seed, spec: RunSpec::default().into() }
        };
        let runs: Vec<Run> = (0..2 * CHUNK as u64 + 3).map(run).collect();
        for run in runs.iter().filter(|run| run.seed != 5) {
            let point = format!(
                r#"{{"event":"point","series":"a","value":{},"stage":"0","epoch":1.0,"iteration":1,"trained":1.0,"remaining":1.0,"secs":0.5}}"#,
                run.seed
            );
            std::fs::create_dir(folder.path().join(&run.id)).unwrap();
            let started = r#"{"event":"started","resumed":false,"threads":1}"#;
            std::fs::write(folder.path().join(&run.id).join("events.jsonl"), format!("{started}\n{point}\n"))
                .unwrap();
        }
        let mut bytes = Vec::new();
        assert_eq!(write_points(folder.path(), &runs, &mut bytes).unwrap(), runs.len() - 1);
        let text = String::from_utf8(bytes).unwrap();
        let wanted = runs.iter().filter(|run| run.seed != 5).map(|run| run.seed.to_string());
        assert!(text.lines().skip(1).map(|line| line.rsplit_once(',').unwrap().1).eq(wanted), "{text}");
        assert_eq!(text.lines().next(), Some(HEADER));
    }
}

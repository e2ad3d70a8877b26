//! Reads `events.jsonl` as a whole. Nearly all of its lines are points as this program writes them: this module parses
//! those itself, and serde anything else.

use std::str::FromStr;

use super::event::{Point, PointRef};
use super::record::RunRecord;

impl RunRecord {
    /// The fold of a log as it is on disk, one event on each line. Skips lines that are half-written or from a newer
    /// program.
    pub fn of_log(log: &[u8]) -> Self {
        let mut record = Self::default();
        let mut rest = log;
        let mut classes = Vec::new();
        while !rest.is_empty() {
            if let Some((point, after)) = point(rest, &mut classes) {
                record.take_point(&point);
                rest = after;
                continue;
            }
            let end = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
            if let Ok(event) = serde_json::from_slice(&rest[..end]) {
                record.apply(event);
            }
            rest = rest.get(end + 1..).unwrap_or_default();
        }
        record.shrink_to_fit();
        record
    }
}

/// The point that a log begins with, and the log after its line. `None` where the line is no point, or has another form
/// than this program writes: fields in one order, without blanks. Serde reads it then.
fn point<'a, 'l: 'a>(log: &'l [u8], classes: &'a mut Vec<Option<f64>>) -> Option<(PointRef<'a>, &'l [u8])> {
    let mut line = Line(log);
    // The fields are read in this order.
    let point = Point {
        series: line.after(br#"{"event":"point","series":"#)?.text()?,
        value: line.after(br#","value":"#)?.number()?,
        stage: line.after(br#","stage":"#)?.text()?,
        branch: line.optional(br#","branch":"#, Line::text)?.unwrap_or_default(),
        member: line.optional(br#","member":"#, Line::whole)?,
        round: line.optional(br#","round":"#, Line::whole)?,
        epoch: line.after(br#","epoch":"#)?.number()?,
        iteration: line.after(br#","iteration":"#)?.whole()?,
        trained: line.after(br#","trained":"#)?.number()?,
        remaining: line.after(br#","remaining":"#)?.number()?,
        rate: line.optional(br#","rate":"#, Line::number)?,
        bit: line.optional(br#","bit":"#, Line::whole)?,
        layer: line.optional(br#","layer":"#, Line::text)?,
        along: line.optional(br#","along":"#, Line::number)?,
        classes: {
            classes.clear();
            line.optional(br#","classes":["#, |line| line.list(classes))?;
            classes.as_slice()
        },
        secs: line.after(br#","secs":"#)?.number()?,
    };
    line.after(b"}\n")?;
    Some((point, line.0))
}

/// What is left of a log.
struct Line<'a>(&'a [u8]);

impl<'a> Line<'a> {
    fn has(&mut self, text: &[u8]) -> bool {
        let rest = self.0.strip_prefix(text);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    /// What follows a text; `None` where something else does.
    fn after(&mut self, text: &[u8]) -> Option<&mut Self> {
        self.has(text).then_some(self)
    }

    /// The value of a field that may be absent; `None` where it is unreadable.
    #[allow(clippy::option_option)] // absent is not unreadable
    fn optional<T>(&mut self, name: &[u8], read: impl FnOnce(&mut Self) -> Option<T>) -> Option<Option<T>> {
        if self.has(name) { read(self).map(Some) } else { Some(None) }
    }

    /// Numbers or `null` up to the end of a list that has begun and is not empty.
    fn list(&mut self, into: &mut Vec<Option<f64>>) -> Option<()> {
        loop {
            into.push(if self.has(b"null") { None } else { Some(self.number()?) });
            if !self.has(b",") {
                return self.after(b"]").map(|_| ());
            }
        }
    }

    /// A text without anything that JSON has to escape.
    fn text(&mut self) -> Option<&'a str> {
        self.after(b"\"")?;
        let end = self.0.iter().position(|byte| matches!(byte, b'"' | b'\\') || *byte < b' ')?;
        let (text, rest) = self.0.split_at(end);
        self.0 = rest;
        self.after(b"\"")?;
        std::str::from_utf8(text).ok()
    }

    fn digits(&mut self) -> Option<&'a str> {
        let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'.' | b'-' | b'+' | b'e' | b'E');
        let end = self.0.iter().position(|byte| !is_part(byte))?;
        let (digits, rest) = self.0.split_at(end);
        let unsigned = digits.strip_prefix(b"-").unwrap_or(digits);
        let is_number =
            unsigned.first().is_some_and(u8::is_ascii_digit) && digits.last().is_some_and(u8::is_ascii_digit);
        self.0 = rest;
        is_number.then(|| std::str::from_utf8(digits).ok())?
    }

    /// A finite number: the nearest one, as serde reads it too.
    fn number(&mut self) -> Option<f64> {
        self.digits()?.parse().ok().filter(|number: &f64| number.is_finite())
    }

    fn whole<T: FromStr>(&mut self) -> Option<T> {
        self.digits()?.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Event, RunState};

    prop_compose! {
        fn any_point()(
            texts in ("[a-z_]{1,9}", "[0-9.]{1,5}", "[a-zà-ü\" \\\\]{0,6}", prop::option::of("[a-z]{1,5}")),
            numbers in (prop::option::of(1..9_usize), prop::option::of(1..9_u64), prop::option::of(0..32_u32)),
            shares in (prop::option::of(any::<f64>()), prop::option::of(0.0..1.0)),
            values in (any::<f64>(), 0.0..1e3, any::<u64>(), -1e-3..1e3, any::<f64>()),
            classes in prop::collection::vec(prop::option::of(0.0..=1.0), 0..4),
        ) -> Point {
            let finite = |value: f64| if value.is_finite() { value } else { 0.5 };
            Point {
                series: texts.0, stage: texts.1, branch: texts.2, layer: texts.3,
                member: numbers.0, round: numbers.1, bit: numbers.2, rate: shares.0.map(finite), along: shares.1,
                value: values.0, epoch: values.1, iteration: values.2, trained: values.3, remaining: 0.25,
                secs: finite(values.4), classes,
            }
        }
    }

    proptest! {
        #[test]
        fn a_written_point_is_read_as_serde_reads_it(point in any_point()) {
            let line = serde_json::to_string(&Event::Point(point.clone())).unwrap();
            let Event::Point(slow) = serde_json::from_str(&line).unwrap() else { panic!("{line}") };
            let log = format!("{line}\nafter");
            let is_plain = point.value.is_finite() && !line.contains('\\');
            match super::point(log.as_bytes(), &mut Vec::new()) {
                Some((fast, rest)) => {
                    prop_assert_eq!(format!("{:?}", fast), format!("{:?}", slow.borrowed()));
                    prop_assert_eq!(rest, b"after");
                    prop_assert!(is_plain);
                }
                None => prop_assert!(!is_plain, "{}", line),
            }
        }
    }

    #[test]
    fn what_is_written_in_another_way_is_read_too_and_half_a_line_is_passed_over() {
        let plain = r#"{"event":"point","series":"a","value":0.5,"stage":"0","epoch":1.0,"iteration":1,"trained":1.0,"remaining":1.0,"secs":0.5}"#;
        let spaced = plain.replace(':', ": ");
        let failed = plain.replace("0.5,\"stage\"", "\"NaN\",\"stage\"");
        let half = &plain[..plain.len() - 5];
        let ended = r#"{"event":"finished","secs":2.0}"#;
        let newer = r#"{"event":"unheard_of","secs":2.0}"#;
        let log = [plain, &spaced, newer, &failed, half, ended, half].join("\n");
        let record = RunRecord::of_log(log.as_bytes());
        assert_eq!((record.points().len(), record.state()), (3, &RunState::Done));
        assert!(record.points().iter().nth(2).unwrap().value.is_nan());
        let whole = RunRecord::of_log(format!("{plain}\n{plain}").as_bytes());
        assert_eq!(whole.points().len(), 2, "the last line has no end yet");
    }

    #[test]
    fn what_is_no_number_in_json_is_left_to_serde() {
        for text in ["inf", "-inf", "+1", ".5", "1.", "1e", "--1", ""] {
            assert_eq!(Line(format!("{text},").as_bytes()).number(), None, "{text}");
        }
        assert_eq!(Line(b"-1.5e-3,").number(), Some(-1.5e-3));
    }
}

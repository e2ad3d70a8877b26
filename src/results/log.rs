//! Reads `events.jsonl` as a whole. Nearly all of its lines are points as this program writes them: those are read
//! without a detour, anything else by serde.

use super::event::{self, Point, PointRef};
use super::record::RunRecord;

/// Folds the lines of a log. Lines that are half-written or from a newer program are passed over.
pub(super) fn fold(log: &[u8]) -> RunRecord {
    let mut record = RunRecord::default();
    let mut rest = log;
    let mut classes = Vec::new();
    while !rest.is_empty() {
        if let Some((point, behind)) = point(rest, &mut classes) {
            record.take_point(&point);
            rest = behind;
            continue;
        }
        let end = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
        if let Some(event) = event::of_line(&rest[..end]) {
            record.apply(event);
        }
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    record.shrink_to_fit();
    record
}

/// The point that a log begins with, and what is behind its line. `None` where it is none, or not written by this
/// program, which has the fields in one order and no blanks; serde says then what it is.
fn point<'a, 'l: 'a>(log: &'l [u8], classes: &'a mut Vec<Option<f64>>) -> Option<(PointRef<'a>, &'l [u8])> {
    let mut line = Line(log);
    line.skip(br#"{"event":"point","series":"#)?;
    let series = line.text()?;
    line.skip(br#","value":"#)?;
    let value = line.number()?;
    line.skip(br#","stage":"#)?;
    let stage = line.text()?;
    let branch = if line.has(br#","branch":"#) { line.text()? } else { "" };
    let member = line.optional(br#","member":"#, Line::whole)?;
    let round = line.optional(br#","round":"#, Line::whole)?;
    line.skip(br#","epoch":"#)?;
    let epoch = line.number()?;
    line.skip(br#","iteration":"#)?;
    let iteration = line.whole()?;
    line.skip(br#","trained":"#)?;
    let trained = line.number()?;
    line.skip(br#","remaining":"#)?;
    let remaining = line.number()?;
    let rate = line.optional(br#","rate":"#, Line::number)?;
    let bit = line.optional(br#","bit":"#, Line::whole)?;
    let layer = line.optional(br#","layer":"#, Line::text)?;
    let along = line.optional(br#","along":"#, Line::number)?;
    classes.clear();
    if line.has(br#","classes":["#) {
        line.list(classes)?;
    }
    line.skip(br#","secs":"#)?;
    let secs = line.number()?;
    line.skip(b"}\n")?;
    let member = member.map(usize::try_from).transpose().ok()?;
    let bit = bit.map(u32::try_from).transpose().ok()?;
    let point = Point {
        series,
        value,
        stage,
        branch,
        member,
        round,
        epoch,
        iteration,
        trained,
        remaining,
        rate,
        bit,
        layer,
        along,
        classes: classes.as_slice(),
        secs,
    };
    Some((point, line.0))
}

/// What is left of a log.
struct Line<'a>(&'a [u8]);

impl<'a> Line<'a> {
    fn has(&mut self, text: &[u8]) -> bool {
        let behind = self.0.strip_prefix(text);
        self.0 = behind.unwrap_or(self.0);
        behind.is_some()
    }

    fn skip(&mut self, text: &[u8]) -> Option<()> {
        self.has(text).then_some(())
    }

    /// What a field holds that may be absent; `None` where it cannot be read.
    #[allow(clippy::option_option)] // absent is not unreadable
    fn optional<T>(&mut self, name: &[u8], read: impl Fn(&mut Self) -> Option<T>) -> Option<Option<T>> {
        if self.has(name) { read(self).map(Some) } else { Some(None) }
    }

    /// Numbers or `null` up to the end of a list that has begun, and was not empty.
    fn list(&mut self, into: &mut Vec<Option<f64>>) -> Option<()> {
        loop {
            into.push(if self.has(b"null") { None } else { Some(self.number()?) });
            if !self.has(b",") {
                return self.skip(b"]");
            }
        }
    }

    /// A text without anything that JSON has to write in another way.
    fn text(&mut self) -> Option<&'a str> {
        self.skip(b"\"")?;
        let end = self.0.iter().position(|byte| matches!(byte, b'"' | b'\\') || *byte < b' ')?;
        let (text, behind) = self.0.split_at(end);
        self.0 = behind;
        self.skip(b"\"")?;
        std::str::from_utf8(text).ok()
    }

    fn digits(&mut self) -> Option<&'a str> {
        let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'.' | b'-' | b'+' | b'e' | b'E');
        let end = self.0.iter().position(|byte| !is_part(byte))?;
        let (digits, behind) = self.0.split_at(end);
        let begins = digits.strip_prefix(b"-").unwrap_or(digits);
        let is_number =
            begins.first().is_some_and(u8::is_ascii_digit) && digits.last().is_some_and(u8::is_ascii_digit);
        self.0 = behind;
        is_number.then(|| std::str::from_utf8(digits).ok())?
    }

    /// A finite number. The nearest one, as serde reads it too.
    fn number(&mut self) -> Option<f64> {
        self.digits()?.parse().ok().filter(|number: &f64| number.is_finite())
    }

    fn whole(&mut self) -> Option<u64> {
        self.digits()?.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::results::{Event, RunState};

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
            let Some(Event::Point(slow)) = event::of_line(line.as_bytes()) else { panic!("{line}") };
            let log = format!("{line}\nbehind");
            let is_plain = point.value.is_finite() && !line.contains('\\');
            match super::point(log.as_bytes(), &mut Vec::new()) {
                Some((fast, rest)) => {
                    prop_assert_eq!(format!("{:?}", fast), format!("{:?}", slow.borrowed()));
                    prop_assert_eq!(rest, b"behind");
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
        let record = fold(log.as_bytes());
        assert_eq!((record.points().len(), record.state()), (3, &RunState::Done));
        assert!(record.points().get(2).unwrap().value.is_nan());
        let whole = fold(format!("{plain}\n{plain}").as_bytes());
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

//! The points of a record as columns.
//!
//! A large experiment has millions of points. They share most of their content: a few texts, and for all series of one
//! evaluation the position of the training. So a point is a value, a time and two indices of the rest.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ops::Range;
use std::str::FromStr;

use super::event::{Point, PointRef};
use super::record::RunRecord;

/// Points in the order in which they came, found by series too.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Points {
    labels: Vec<Label>,
    /// Positions of labels in their order.
    sorted: Vec<u32>,
    moments: Vec<Moment>,
    series: Vec<Series>,
    names: BTreeMap<String, usize>,
    label: Vec<u32>,
    moment: Vec<u32>,
    values: Vec<f64>,
    secs: Vec<f64>,
    /// Classes of the points that have some, by their positions in ascending order.
    classes: Vec<(u32, Box<[Option<f64>]>)>,
    is_pruned: bool,
}

/// The parts of a point that stay from one evaluation to the next.
#[derive(Clone, Debug, PartialEq)]
struct Label {
    series: usize,
    point: Point,
    /// The label of the point after the last one with this label: a guess for the next such point.
    next: u32,
}

/// A position of the training.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Moment {
    epoch: f64,
    iteration: u64,
    trained: f64,
    remaining: f64,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Series {
    positions: Vec<u32>,
    latest: Option<f64>,
    /// The best finite point of the main branch, the first one of equals.
    best: Option<u32>,
    /// The highest value of the main branch, NaN left out.
    highest: Option<f64>,
}

type Key<'a> = (&'a str, &'a str, Option<&'a str>, Option<&'a str>, [Option<u64>; 5]);

/// Compares numbers by their bits, so that each comes back as it was.
fn key<'a>(point: &PointRef<'a>) -> Key<'a> {
    let numbers = [
        point.member.map(|member| member as u64),
        point.round,
        point.rate.map(f64::to_bits),
        point.bit.map(u64::from),
        point.along.map(f64::to_bits),
    ];
    // Comparing two empty texts is slow on some processors, since an empty `String` has no memory.
    let branch = (!point.branch.is_empty()).then_some(point.branch);
    (point.series, point.stage, branch, point.layer, numbers)
}

impl Moment {
    const fn from_point(point: &PointRef<'_>) -> Self {
        let Point { epoch, iteration, trained, remaining, .. } = *point;
        Self { epoch, iteration, trained, remaining }
    }

    /// Compares bit by bit, so that −0 and NaN come back too.
    fn is(&self, other: &Self) -> bool {
        let bits = |moment: &Self| [moment.epoch, moment.trained, moment.remaining].map(f64::to_bits);
        self.iteration == other.iteration && bits(self) == bits(other)
    }
}

impl Points {
    /// Returns how many there are.
    pub const fn len(&self) -> usize {
        self.values.len()
    }

    /// Returns true if there are none.
    pub const fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Returns the point that came last.
    pub fn last(&self) -> Option<PointRef<'_>> {
        self.len().checked_sub(1).map(|last| self.at(last))
    }

    /// Returns all of them, in the order in which they came.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = PointRef<'_>> + ExactSizeIterator {
        (0..self.len()).map(|position| self.at(position))
    }

    /// Returns the names of all series that have points, sorted.
    pub fn series(&self) -> impl Iterator<Item = &str> {
        self.names.keys().map(String::as_str)
    }

    /// Returns the points of a series, in the order in which they came.
    pub fn of(&self, series: &str) -> impl DoubleEndedIterator<Item = PointRef<'_>> + ExactSizeIterator {
        let positions = self.named(series).map_or(&[][..], |series| &series.positions);
        positions.iter().map(|position| self.at(*position as usize))
    }

    /// Returns the position of the first point of a series among all points.
    pub fn first_of(&self, series: &str) -> Option<usize> {
        self.named(series)?.positions.first().map(|position| *position as usize)
    }

    /// Returns the points at these positions, with their positions.
    pub(super) fn range(
        &self,
        positions: Range<usize>,
    ) -> impl DoubleEndedIterator<Item = (usize, PointRef<'_>)> {
        positions.map(|position| (position, self.at(position)))
    }

    /// Returns the points of a series at these positions, in the order in which they came.
    pub(super) fn of_within(
        &self,
        series: &str,
        positions: Range<usize>,
    ) -> impl DoubleEndedIterator<Item = PointRef<'_>> {
        let own = self.named(series).map_or(&[][..], |series| &series.positions);
        let place = |at: usize| own.partition_point(|position| (*position as usize) < at);
        let own = &own[place(positions.start)..place(positions.end)];
        own.iter().map(|position| self.at(*position as usize))
    }

    /// Returns the latest value of a series of the main branch; of an ensemble, that of its first member.
    pub fn latest(&self, series: &str) -> Option<f64> {
        self.named(series)?.latest
    }

    /// Returns the best finite point of a series of the main branch, the first one of equals: lowest of losses, highest
    /// of the others.
    pub fn best(&self, series: &str) -> Option<PointRef<'_>> {
        self.named(series)?.best.map(|best| self.at(best as usize))
    }

    /// Returns the highest value of a series of the main branch, infinity included, NaN left out.
    pub fn highest(&self, series: &str) -> Option<f64> {
        self.named(series)?.highest
    }

    /// Returns the points that were counted by class, in the order in which they came.
    pub fn by_class(&self) -> impl DoubleEndedIterator<Item = PointRef<'_>> + ExactSizeIterator {
        self.classes.iter().map(|(position, _)| self.at(*position as usize))
    }

    /// Returns true if any point came from a network that lacks some of its weights.
    pub const fn is_pruned(&self) -> bool {
        self.is_pruned
    }

    /// Takes in one more.
    ///
    /// # Panics
    /// With more than 2³² points.
    pub fn push(&mut self, point: &PointRef<'_>) {
        let here = number(self.len());
        let label = self.label_of(point);
        self.note(point, self.labels[label as usize].series, here);
        let moment = Moment::from_point(point);
        if !self.moments.last().is_some_and(|last| last.is(&moment)) {
            self.moments.push(moment);
        }
        self.label.push(label);
        self.moment.push(number(self.moments.len() - 1));
        self.values.push(point.value);
        self.secs.push(point.secs);
        self.is_pruned |= point.remaining < 1.0;
        if !point.classes.is_empty() {
            self.classes.push((here, point.classes.into()));
        }
    }

    /// Keeps the first ones only.
    pub fn truncate(&mut self, points: usize) {
        if points >= self.len() {
            return;
        }
        let old = std::mem::take(self);
        old.iter().take(points).for_each(|point| self.push(&point));
    }

    /// Frees memory that is reserved for further points.
    pub fn shrink_to_fit(&mut self) {
        self.moments.shrink_to_fit();
        self.label.shrink_to_fit();
        self.moment.shrink_to_fit();
        self.values.shrink_to_fit();
        self.secs.shrink_to_fit();
        self.classes.shrink_to_fit();
        self.series.iter_mut().for_each(|series| series.positions.shrink_to_fit());
    }

    fn named(&self, series: &str) -> Option<&Series> {
        self.names.get(series).map(|index| &self.series[*index])
    }

    fn at(&self, position: usize) -> PointRef<'_> {
        let label = &self.labels[self.label[position] as usize];
        let Moment { epoch, iteration, trained, remaining } = self.moments[self.moment[position] as usize];
        let (value, secs) = (self.values[position], self.secs[position]);
        let counted = self.classes.binary_search_by_key(&number(position), |(here, _)| *here);
        let classes = counted.map_or(&[][..], |at| &self.classes[at].1);
        Point { value, epoch, iteration, trained, remaining, classes, secs, ..label.point.borrowed() }
    }

    fn label_of(&mut self, point: &PointRef<'_>) -> u32 {
        let wanted = key(point);
        let order =
            |label: &u32| -> Ordering { key(&self.labels[*label as usize].point.borrowed()).cmp(&wanted) };
        let last = self.label.last().copied();
        let guess = last.map(|last| self.labels[last as usize].next);
        if let Some(guess) = guess.filter(|guess| order(guess).is_eq()) {
            return guess;
        }
        let label = match self.sorted.binary_search_by(order) {
            Ok(at) => self.sorted[at],
            Err(at) => {
                let new = number(self.labels.len());
                let series = self.series_of(point.series);
                let point = point.map(|text| (*text).to_owned(), |_| Vec::new());
                self.labels.push(Label { series, point, next: new });
                self.sorted.insert(at, new);
                new
            }
        };
        if let Some(last) = last {
            self.labels[last as usize].next = label;
        }
        label
    }

    fn series_of(&mut self, name: &str) -> usize {
        if let Some(index) = self.names.get(name) {
            return *index;
        }
        self.names.insert(name.to_owned(), self.series.len());
        self.series.push(Series::default());
        self.series.len() - 1
    }

    /// Notes the position, the latest and the best value of a series.
    fn note(&mut self, point: &PointRef<'_>, series: usize, here: u32) {
        let best = self.series[series].best;
        let known = best.map(|best| self.values[best as usize]);
        let series = &mut self.series[series];
        series.positions.push(here);
        if !point.branch.is_empty() {
            return;
        }
        // An ensemble's first member is the network of the run.
        if point.member.is_none_or(|member| member == 1) {
            series.latest = Some(point.value);
        }
        if series.highest.is_none_or(|highest| point.value > highest) && !point.value.is_nan() {
            series.highest = Some(point.value);
        }
        let is_loss = point.series.ends_with("loss");
        let is_better = |known: f64| if is_loss { point.value < known } else { point.value > known };
        if point.value.is_finite() && known.is_none_or(is_better) {
            series.best = Some(here);
        }
    }
}

fn number(position: usize) -> u32 {
    u32::try_from(position).expect("a run has fewer than 2³² points")
}

impl RunRecord {
    /// Returns the fold of a log as it is on disk, one event on each line. Skips lines that are half-written or from a
    /// newer program.
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

/// Returns the point that a log begins with, and the log after its line. `None` where the line is no point, or has
/// another form than this program writes: fields in one order, without blanks. Serde reads it then.
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

/// The rest of a log.
struct Line<'a>(&'a [u8]);

impl<'a> Line<'a> {
    fn has(&mut self, text: &[u8]) -> bool {
        let rest = self.0.strip_prefix(text);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    /// Returns what follows a text; `None` where something else does.
    fn after(&mut self, text: &[u8]) -> Option<&mut Self> {
        self.has(text).then_some(self)
    }

    /// Returns the value of a field that may be absent; `None` where it is unreadable.
    #[allow(clippy::option_option)] // absent is not unreadable
    fn optional<T>(&mut self, name: &[u8], read: impl FnOnce(&mut Self) -> Option<T>) -> Option<Option<T>> {
        if self.has(name) { read(self).map(Some) } else { Some(None) }
    }

    /// Reads numbers or `null` up to the end of a list that has begun and is not empty.
    fn list(&mut self, into: &mut Vec<Option<f64>>) -> Option<()> {
        loop {
            into.push(if self.has(b"null") { None } else { Some(self.number()?) });
            if !self.has(b",") {
                return self.after(b"]").map(|_| ());
            }
        }
    }

    /// Returns a text without anything that JSON has to escape.
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

    /// Returns a finite number: the nearest one, as serde reads it too.
    fn number(&mut self) -> Option<f64> {
        self.digits()?.parse().ok().filter(|number: &f64| number.is_finite())
    }

    fn whole<T: FromStr>(&mut self) -> Option<T> {
        self.digits()?.parse().ok()
    }
}

/// Returns the mini-batches that the network of a point was trained with, those before a rewind included.
pub fn iterations_trained(point: &PointRef<'_>, per_epoch: Option<f64>) -> f64 {
    per_epoch.map_or(point.iteration as f64, |per_epoch| (point.trained * per_epoch).round())
}

/// Returns the mini-batches of an epoch. A point's position goes back when a network is rewound; the total amount of training does
/// not, but it is only counted in epochs.
pub fn iterations_per_epoch(points: &Points) -> Option<f64> {
    let last = points.iter().rev().find(|point| point.epoch > 0.0 && point.iteration > 0)?;
    Some(last.iteration as f64 / last.epoch)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Event, RunState};

    prop_compose! {
        /// Few different texts and places, so that they come again in every order.
        fn any_point()(
            texts in (0..3_usize, 0..2_usize, 0..2_usize, prop::option::of(0..2_usize)),
            numbers in (prop::option::of(1..3_usize), prop::option::of(1..3_u64), prop::option::of(0..2_u32)),
            shares in (prop::option::of(Just(1e-3)), prop::option::of(Just(-0.0))),
            place in (0..3_u32, any::<f64>()),
        ) -> Point {
            let text = |index: usize| ["a_loss", "b", ""][index].to_owned();
            let (series, stage, branch, layer) = texts;
            let trained = f64::from(place.0);
            Point {
                series: text(series), stage: text(stage), branch: text(branch + 1), layer: layer.map(text),
                member: numbers.0, round: numbers.1, bit: numbers.2, rate: shares.0, along: shares.1,
                epoch: trained, iteration: u64::from(place.0), trained, remaining: 1.0 - trained / 4.0,
                value: place.1, secs: trained / 2.0, classes: vec![Some(0.5), None][..place.0 as usize % 3].to_vec(),
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn what_is_put_in_comes_out(points in prop::collection::vec(any_point(), 0..40), keep in 0..40_usize) {
            let mut columns = Points::default();
            for point in &points {
                columns.push(&point.borrowed());
            }
            // Texts of Debug tell −0 from 0 and hold for NaN too.
            let text = |points: Vec<PointRef<'_>>| format!("{points:?}");
            prop_assert_eq!(text(columns.iter().collect()), text(points.iter().map(Point::borrowed).collect()));
            for series in ["a_loss", "b", ""] {
                let own = points.iter().map(Point::borrowed).filter(|point| point.series == series);
                prop_assert_eq!(text(columns.of(series).collect()), text(own.collect()));
            }
            let counted = points.iter().map(Point::borrowed).filter(|point| !point.classes.is_empty());
            prop_assert_eq!(text(columns.by_class().collect()), text(counted.clone().collect()));
            prop_assert_eq!(text(columns.by_class().rev().collect()), text(counted.rev().collect()));
            prop_assert_eq!(columns.is_pruned(), points.iter().any(|point| point.remaining < 1.0));
            columns.truncate(keep);
            let mut fewer = Points::default();
            points.iter().take(keep).for_each(|point| fewer.push(&point.borrowed()));
            prop_assert_eq!(format!("{columns:?}"), format!("{fewer:?}"));
        }
    }

    #[test]
    fn series_of_one_evaluation_share_their_moment_and_texts() {
        let mut columns = Points::default();
        for step in 0..100_u32 {
            for series in ["test_accuracy", "test_loss"] {
                let epoch = f64::from(step);
                columns.push(&Point {
                    series,
                    stage: "0",
                    branch: "",
                    layer: None,
                    value: epoch,
                    member: None,
                    round: None,
                    epoch,
                    iteration: u64::from(step),
                    trained: epoch,
                    remaining: 1.0,
                    rate: None,
                    bit: None,
                    along: None,
                    classes: &[],
                    secs: epoch,
                });
            }
        }
        assert_eq!((columns.len(), columns.moments.len(), columns.labels.len()), (200, 100, 2));
        assert_eq!(columns.of("test_loss").len(), 100);
        assert_eq!(columns.best("test_loss").map(|point| point.value), Some(0.0));
        assert_eq!(columns.best("test_accuracy").map(|point| point.value), Some(99.0));
    }

    prop_compose! {
        fn logged_point()(
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
        fn a_written_point_is_read_as_serde_reads_it(point in logged_point()) {
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

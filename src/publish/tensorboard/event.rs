//! The messages of an event file.
//!
//! Numbers of fields are those of TensorFlow's `tensorflow/core/util/event.proto`, `framework/summary.proto`,
//! `framework/histogram.proto` and `framework/tensor.proto`, of which TensorBoard has copies in `tensorboard/compat/proto`.

use super::framing;
use super::message::Message;

/// The version of the format, in the first event of a file. Readers of this version keep points whose step goes back.
const VERSION: &str = "brain.Event:2";

/// `DT_FLOAT` of `tensorflow/core/framework/types.proto`.
const FLOAT: u64 = 1;
/// `DT_STRING` of it.
const STRING: u64 = 7;

/// When something happened.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct When {
    /// Seconds since 1970-01-01 00:00 UTC.
    pub wall_time: f64,
    /// The horizontal axis.
    pub step: u64,
}

/// The content of an event file.
#[derive(Debug)]
pub struct EventFile {
    bytes: Vec<u8>,
}

/// A histogram as `HistogramProto` has it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HistogramValue {
    /// Smallest and largest value.
    pub ends: [f64; 2],
    /// Sum of all values, and of their squares.
    pub sums: [f64; 2],
    /// The right edge of each bin.
    pub limits: Vec<f64>,
    /// Values in each bin.
    pub counts: Vec<f64>,
}

impl EventFile {
    /// A file that begins at this time, in seconds since 1970-01-01 00:00 UTC.
    pub fn new(began: f64) -> Self {
        let mut file = Self { bytes: Vec::new() };
        file.event(When { wall_time: began, step: 0 }, 3, |event, field| event.text(field, VERSION));
        file
    }

    /// Its bytes.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    fn event(&mut self, when: When, field: u32, what: impl FnOnce(Message, u32) -> Message) {
        let event = Message::default().double(1, when.wall_time).integer(2, when.step);
        framing::append(&mut self.bytes, what(event, field).bytes());
    }

    /// An event with one value: `Event.summary`, in it `Summary.value`.
    fn value(&mut self, when: When, value: &Message) {
        let summary = Message::default().nested(1, value);
        self.event(when, 5, |event, field| event.nested(field, &summary));
    }

    /// A value of a curve, as `Summary.Value.simple_value`: every reader knows it, and it is a float32.
    pub fn scalar(&mut self, when: When, tag: &str, value: f64) {
        self.value(when, &Message::default().text(1, tag).set_float(2, value as f32));
    }

    /// A histogram, as `Summary.Value.histo`.
    pub fn histogram(&mut self, when: When, tag: &str, histogram: &HistogramValue) {
        let [low, high] = histogram.ends;
        let [sum, squares] = histogram.sums;
        let proto = Message::default()
            .double(1, low)
            .double(2, high)
            .double(3, histogram.counts.iter().sum())
            .double(4, sum)
            .double(5, squares)
            .doubles(6, &histogram.limits)
            .doubles(7, &histogram.counts);
        self.value(when, &Message::default().text(1, tag).nested(5, &proto));
    }

    /// A text in Markdown, for TensorBoard's text plugin: a tensor of one string without dimensions.
    pub fn text(&mut self, when: When, tag: &str, markdown: &str) {
        let tensor = Message::default()
            .integer(1, STRING)
            .nested(2, &Message::default())
            .set_bytes(8, markdown.as_bytes());
        let value = Message::default().text(1, tag).nested(8, &tensor);
        self.value(when, &value.nested(9, &plugin("text", &Message::default())));
    }

    /// Data of a plugin that are in the metadata alone. The tensor has no entries, as the hparams plugin writes it.
    pub fn plugin_data(&mut self, when: When, tag: &str, name: &str, content: &Message) {
        let no_entries = Message::default().nested(2, &Message::default());
        let tensor = Message::default().integer(1, FLOAT).nested(2, &no_entries);
        let value = Message::default().text(1, tag).nested(8, &tensor);
        self.value(when, &value.nested(9, &plugin(name, content)));
    }
}

/// `SummaryMetadata` of a plugin.
fn plugin(name: &str, content: &Message) -> Message {
    Message::default().nested(1, &Message::default().text(1, name).nested(2, content))
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::framing::tests::records;
    use super::super::message::tests::{Read, read};
    use super::*;

    /// The scalars of a file: wall time, step, tag, value.
    pub fn scalars(file: &[u8]) -> Vec<(f64, u64, String, f32)> {
        let mut found = Vec::new();
        for event in records(file).iter().map(|record| read(record)) {
            let Some((_, summary)) = event.iter().find(|(field, _)| *field == 5) else { continue };
            let value = summary.fields()[0].1.fields();
            if let [(1, tag), (2, Read::Float(value))] = &value[..] {
                let Read::Double(time) = event[0].1 else { panic!("{event:?}") };
                let step = event.iter().find_map(|(field, value)| match value {
                    Read::Integer(step) if *field == 2 => Some(*step),
                    _ => None,
                });
                found.push((time, step.unwrap_or_default(), tag.text(), *value));
            }
        }
        found
    }

    /// Tags of all values of a file, with the names of their plugins.
    pub fn tags(file: &[u8]) -> Vec<(String, Option<String>)> {
        let mut found = Vec::new();
        for event in records(file).iter().map(|record| read(record)) {
            let Some((_, summary)) = event.iter().find(|(field, _)| *field == 5) else { continue };
            let value = summary.fields()[0].1.fields();
            let plugin = value.iter().find(|(field, _)| *field == 9);
            let name = plugin.map(|(_, metadata)| metadata.fields()[0].1.fields()[0].1.text());
            found.push((value[0].1.text(), name));
        }
        found
    }

    #[test]
    fn a_file_begins_with_its_version_and_keeps_its_values() {
        let mut file = EventFile::new(1000.0);
        let when = When { wall_time: 1000.5, step: 3 };
        file.scalar(when, "accuracy/test", 0.1);
        file.scalar(when, "accuracy/test", f64::NAN);
        file.text(when, "methods", "It was *trained*.");
        let bytes = file.into_bytes();
        let first = read(&records(&bytes)[0]);
        assert_eq!(first, [(1, Read::Double(1000.0)), (3, Read::Bytes(VERSION.into()))]);
        let found = scalars(&bytes);
        assert_eq!(found[0], (1000.5, 3, "accuracy/test".to_owned(), 0.1_f32));
        assert!(found[1].3.is_nan() && found.len() == 2);
        assert_eq!(tags(&bytes)[2], ("methods".to_owned(), Some("text".to_owned())));
    }

    #[test]
    fn a_histogram_has_a_limit_for_each_count() {
        let mut file = EventFile::new(0.0);
        let histogram = HistogramValue {
            ends: [-1.0, 1.0],
            sums: [0.5, 0.75],
            limits: vec![0.0, 1.0],
            counts: vec![3.0, 5.0],
        };
        file.histogram(When::default(), "weights/fc1.weight", &histogram);
        let event = read(&records(&file.into_bytes())[1]);
        let value = event[0].1.fields()[0].1.fields();
        let proto = value[1].1.fields();
        let numbers: Vec<&Read> = proto[..5].iter().map(|(_, value)| value).collect();
        let wanted = [-1.0, 1.0, 8.0, 0.5, 0.75].map(Read::Double);
        assert_eq!(numbers, wanted.iter().collect::<Vec<_>>());
        let packed = |values: [f64; 2]| Read::Bytes(values.map(f64::to_le_bytes).concat());
        assert_eq!(proto[5..], [(6, packed([0.0, 1.0])), (7, packed([3.0, 5.0]))]);
    }
}

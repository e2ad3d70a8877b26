//! The messages of an event file.
//!
//! Numbers of fields are those of TensorFlow's `tensorflow/core/util/event.proto`, `framework/summary.proto`,
//! `framework/histogram.proto` and `framework/tensor.proto`, of which TensorBoard has copies in `tensorboard/compat/proto`.

/// The version of the format, in the first event of a file. Readers of this version keep points whose step goes back.
const VERSION: &str = "brain.Event:2";

/// `DT_FLOAT` of `tensorflow/core/framework/types.proto`.
const FLOAT: u64 = 1;
/// `DT_STRING` of it.
const STRING: u64 = 7;

/// The time and step of an event.
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
    pub ends: [f64; 2],
    /// Sum of all values, and of their squares.
    pub sums: [f64; 2],
    /// The right edge of each bin.
    pub limits: Vec<f64>,
    pub counts: Vec<f64>,
}

impl EventFile {
    /// Begins a file at this time, in seconds since 1970-01-01 00:00 UTC.
    pub fn new(began: f64) -> Self {
        let mut file = Self { bytes: Vec::new() };
        file.event(When { wall_time: began, step: 0 }, 3, |event, field| event.text(field, VERSION));
        file
    }

    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    fn event(&mut self, when: When, field: u32, what: impl FnOnce(Message, u32) -> Message) {
        let event = Message::default().double(1, when.wall_time).integer(2, when.step);
        append(&mut self.bytes, what(event, field).bytes());
    }

    /// Adds an event with one value: `Event.summary`, in it `Summary.value`.
    fn value(&mut self, when: When, value: &Message) {
        let summary = Message::default().nested(1, value);
        self.event(when, 5, |event, field| event.nested(field, &summary));
    }

    /// Adds a value of a curve, as `Summary.Value.simple_value`: every reader knows it, and it is a float32.
    pub fn scalar(&mut self, when: When, tag: &str, value: f64) {
        self.value(when, &Message::default().text(1, tag).set_float(2, value as f32));
    }

    /// Adds a histogram, as `Summary.Value.histo`.
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

    /// Adds a text in Markdown, for TensorBoard's text plugin: a tensor of one string without dimensions.
    pub fn text(&mut self, when: When, tag: &str, markdown: &str) {
        let tensor = Message::default()
            .integer(1, STRING)
            .nested(2, &Message::default())
            .set_bytes(8, markdown.as_bytes());
        let value = Message::default().text(1, tag).nested(8, &tensor);
        self.value(when, &value.nested(9, &plugin("text", &Message::default())));
    }

    /// Adds data of a plugin that are in the metadata alone. The tensor has no entries, as the hparams plugin writes it.
    pub fn plugin_data(&mut self, when: When, tag: &str, name: &str, content: &Message) {
        let no_entries = Message::default().nested(2, &Message::default());
        let tensor = Message::default().integer(1, FLOAT).nested(2, &no_entries);
        let value = Message::default().text(1, tag).nested(8, &tensor);
        self.value(when, &value.nested(9, &plugin(name, content)));
    }
}

/// Makes the `SummaryMetadata` of a plugin.
fn plugin(name: &str, content: &Message) -> Message {
    Message::default().nested(1, &Message::default().text(1, name).nested(2, content))
}

/// Castagnoli's polynomial with its bits reversed.
const POLYNOMIAL: u32 = 0x82f6_3b78;

/// A number added to a rotated checksum, so that checksums of data with checksums in them are no trivial ones.
const MASK_DELTA: u32 = 0xa282_ead8;

/// The checksums of single bytes.
const TABLE: [u32; 256] = table();

const fn table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut rest = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            rest = if rest & 1 == 1 { (rest >> 1) ^ POLYNOMIAL } else { rest >> 1 };
            bit += 1;
        }
        table[byte] = rest;
        byte += 1;
    }
    table
}

fn crc32c(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |rest: u32, byte| (rest >> 8) ^ TABLE[(rest as u8 ^ byte) as usize])
}

/// Masks a checksum as records have it.
fn masked(bytes: &[u8]) -> u32 {
    crc32c(bytes).rotate_right(15).wrapping_add(MASK_DELTA)
}

pub fn append(file: &mut Vec<u8>, record: &[u8]) {
    let length = (record.len() as u64).to_le_bytes();
    file.extend(length);
    file.extend(masked(&length).to_le_bytes());
    file.extend(record);
    file.extend(masked(record).to_le_bytes());
}

/// A message as far as it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message(Vec<u8>);

/// The encoding of a field.
#[derive(Clone, Copy)]
enum Wire {
    Varint = 0,
    Fixed64 = 1,
    Bytes = 2,
    Fixed32 = 5,
}

impl Message {
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    fn key(&mut self, field: u32, wire: Wire) {
        self.varint((u64::from(field) << 3) | wire as u64);
    }

    /// Writes seven bits in each byte, the lowest first; the high bit says that more follow.
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    /// Adds an integer, an enumeration or a truth value.
    pub fn integer(mut self, field: u32, value: u64) -> Self {
        if value != 0 {
            self.key(field, Wire::Varint);
            self.varint(value);
        }
        self
    }

    /// Adds a truth value that excludes other fields.
    pub fn set_truth(mut self, field: u32, value: bool) -> Self {
        self.key(field, Wire::Varint);
        self.varint(u64::from(value));
        self
    }

    pub fn double(self, field: u32, value: f64) -> Self {
        if value.to_bits() == 0 { self } else { self.set_double(field, value) }
    }

    /// Adds a float64 that excludes other fields.
    pub fn set_double(mut self, field: u32, value: f64) -> Self {
        self.key(field, Wire::Fixed64);
        self.0.extend(value.to_le_bytes());
        self
    }

    /// Adds a float32 that excludes other fields.
    pub fn set_float(mut self, field: u32, value: f32) -> Self {
        self.key(field, Wire::Fixed32);
        self.0.extend(value.to_le_bytes());
        self
    }

    /// Adds several float64, packed.
    pub fn doubles(self, field: u32, values: &[f64]) -> Self {
        if values.is_empty() {
            return self;
        }
        let packed: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.set_bytes(field, &packed)
    }

    /// Adds bytes that exclude other fields, or one of several values.
    pub fn set_bytes(mut self, field: u32, bytes: &[u8]) -> Self {
        self.key(field, Wire::Bytes);
        self.varint(bytes.len() as u64);
        self.0.extend(bytes);
        self
    }

    pub fn text(self, field: u32, text: &str) -> Self {
        if text.is_empty() { self } else { self.set_bytes(field, text.as_bytes()) }
    }

    /// Adds a message inside this one.
    pub fn nested(self, field: u32, message: &Self) -> Self {
        self.set_bytes(field, &message.0)
    }
}

#[cfg(test)]
pub(super) mod tests {
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

    /// The records of a file.
    ///
    /// # Panics
    /// Where a length or a checksum is wrong.
    pub fn records(mut file: &[u8]) -> Vec<Vec<u8>> {
        let mut records = Vec::new();
        while !file.is_empty() {
            let (length, rest) = file.split_at(8);
            let count = u64::from_le_bytes(length.try_into().unwrap()) as usize;
            let (checksum, rest) = rest.split_at(4);
            assert_eq!(checksum, masked(length).to_le_bytes());
            let (record, rest) = rest.split_at(count);
            let (checksum, rest) = rest.split_at(4);
            assert_eq!(checksum, masked(record).to_le_bytes());
            records.push(record.to_vec());
            file = rest;
        }
        records
    }

    /// RFC 3720, section B.4, where the bytes of the checksums are in the order of the wire.
    #[test]
    fn checksums_are_those_of_the_standard() {
        let up: Vec<u8> = (0..32).collect();
        let down: Vec<u8> = (0..32).rev().collect();
        let found = [&[0; 32][..], &[0xff; 32], &up, &down].map(|bytes| crc32c(bytes).to_le_bytes());
        let wanted = [
            [0xaa, 0x36, 0x91, 0x8a],
            [0x43, 0xab, 0xa8, 0x62],
            [0x4e, 0x79, 0xdd, 0x46],
            [0x5c, 0xdb, 0x3f, 0x11],
        ];
        assert_eq!(found, wanted);
        assert_eq!(crc32c(b"123456789"), 0xe306_9283);
    }

    #[test]
    fn a_record_has_its_length_and_two_checksums_around_it() {
        let mut file = Vec::new();
        append(&mut file, b"abc");
        append(&mut file, b"");
        assert_eq!(file.len(), (8 + 4 + 3 + 4) + (8 + 4 + 4));
        assert_eq!(records(&file), [b"abc".to_vec(), Vec::new()]);
    }

    /// The value of a field.
    #[derive(Clone, Debug, PartialEq)]
    pub enum Read {
        Integer(u64),
        Double(f64),
        Bytes(Vec<u8>),
        Float(f32),
    }

    impl Read {
        /// The fields of a message inside.
        pub fn fields(&self) -> Vec<(u32, Self)> {
            let Self::Bytes(bytes) = self else { panic!("{self:?} is no message") };
            read(bytes)
        }

        pub fn text(&self) -> String {
            let Self::Bytes(bytes) = self else { panic!("{self:?} is no text") };
            String::from_utf8(bytes.clone()).unwrap()
        }
    }

    /// The fields of a message.
    pub fn read(mut bytes: &[u8]) -> Vec<(u32, Read)> {
        let mut fields = Vec::new();
        while !bytes.is_empty() {
            let key = varint(&mut bytes);
            let value = match key & 7 {
                0 => Read::Integer(varint(&mut bytes)),
                1 => Read::Double(f64::from_le_bytes(take(&mut bytes, 8).try_into().unwrap())),
                2 => {
                    let length = varint(&mut bytes) as usize;
                    Read::Bytes(take(&mut bytes, length).to_vec())
                }
                5 => Read::Float(f32::from_le_bytes(take(&mut bytes, 4).try_into().unwrap())),
                wire => panic!("wire type {wire}"),
            };
            fields.push(((key >> 3) as u32, value));
        }
        fields
    }

    fn take<'a>(bytes: &mut &'a [u8], count: usize) -> &'a [u8] {
        let (taken, rest) = bytes.split_at(count);
        *bytes = rest;
        taken
    }

    fn varint(bytes: &mut &[u8]) -> u64 {
        let mut value = 0;
        for shift in (0..).step_by(7) {
            let byte = take(bytes, 1)[0];
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                break;
            }
        }
        value
    }

    /// The examples of the documentation of the format.
    #[test]
    fn fields_are_written_as_the_format_describes_them() {
        let inner = Message::default().integer(1, 150);
        assert_eq!(inner.bytes(), [0x08, 0x96, 0x01]);
        assert_eq!(
            Message::default().text(2, "testing").bytes(),
            [0x12, 7, b't', b'e', b's', b't', b'i', b'n', b'g']
        );
        assert_eq!(Message::default().nested(3, &inner).bytes(), [0x1a, 3, 0x08, 0x96, 0x01]);
        let defaults = Message::default().integer(1, 0).double(2, 0.0).text(3, "").doubles(4, &[]);
        assert_eq!(defaults, Message::default());
        assert_eq!(Message::default().double(1, -0.0).bytes().len(), 9, "−0 is not the default");
    }

    #[test]
    fn what_is_written_is_read_again() {
        let message = Message::default()
            .integer(1, u64::MAX)
            .set_truth(2, false)
            .set_float(3, f32::NAN)
            .double(4, 0.1)
            .doubles(600, &[1.0, 2.0]);
        let fields = read(message.bytes());
        assert_eq!(fields[..2], [(1, Read::Integer(u64::MAX)), (2, Read::Integer(0))]);
        assert!(matches!(fields[2], (3, Read::Float(value)) if value.is_nan()));
        assert_eq!(fields[3], (4, Read::Double(0.1)));
        let packed = [1.0_f64, 2.0].map(f64::to_le_bytes).concat();
        assert_eq!(fields[4], (600, Read::Bytes(packed)));
    }
}

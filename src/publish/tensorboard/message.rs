//! Messages in the wire format of protocol buffers: <https://protobuf.dev/programming-guides/encoding/>.
//!
//! The few messages of event files need four kinds of fields, so they are written by hand. As in proto3, a field that has
//! its default is left out, unless it is one of several that exclude each other: those use [`Message::nested`] or a
//! function whose name begins with `set_`.

/// A message as far as it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message(Vec<u8>);

/// How the value of a field is stored.
#[derive(Clone, Copy)]
enum Wire {
    Varint = 0,
    Fixed64 = 1,
    Bytes = 2,
    Fixed32 = 5,
}

impl Message {
    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    fn key(&mut self, field: u32, wire: Wire) {
        self.varint((u64::from(field) << 3) | wire as u64);
    }

    /// Seven bits in each byte, the lowest first; the high bit says that more follow.
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    /// An integer, an enumeration or a truth value.
    pub fn integer(mut self, field: u32, value: u64) -> Self {
        if value != 0 {
            self.key(field, Wire::Varint);
            self.varint(value);
        }
        self
    }

    /// A truth value that excludes other fields.
    pub fn set_truth(mut self, field: u32, value: bool) -> Self {
        self.key(field, Wire::Varint);
        self.varint(u64::from(value));
        self
    }

    /// A float64.
    pub fn double(self, field: u32, value: f64) -> Self {
        if value.to_bits() == 0 { self } else { self.set_double(field, value) }
    }

    /// A float64 that excludes other fields.
    pub fn set_double(mut self, field: u32, value: f64) -> Self {
        self.key(field, Wire::Fixed64);
        self.0.extend(value.to_le_bytes());
        self
    }

    /// A float32 that excludes other fields.
    pub fn set_float(mut self, field: u32, value: f32) -> Self {
        self.key(field, Wire::Fixed32);
        self.0.extend(value.to_le_bytes());
        self
    }

    /// Several float64, packed.
    pub fn doubles(self, field: u32, values: &[f64]) -> Self {
        if values.is_empty() {
            return self;
        }
        let packed: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.set_bytes(field, &packed)
    }

    /// Bytes that exclude other fields, or one of several values.
    pub fn set_bytes(mut self, field: u32, bytes: &[u8]) -> Self {
        self.key(field, Wire::Bytes);
        self.varint(bytes.len() as u64);
        self.0.extend(bytes);
        self
    }

    /// A text.
    pub fn text(self, field: u32, text: &str) -> Self {
        if text.is_empty() { self } else { self.set_bytes(field, text.as_bytes()) }
    }

    /// A message inside this one.
    pub fn nested(self, field: u32, message: &Self) -> Self {
        self.set_bytes(field, &message.0)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

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

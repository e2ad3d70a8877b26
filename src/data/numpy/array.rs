//! An array of a `.npy` file: the header (`numpy.lib.format`, versions 1 to 3), then the numbers.

use std::cell::Cell;
use std::io;
use std::io::Read;

use half::f16;
use serde::Deserialize;

use crate::Shape;
use crate::samples::{Exact, WHOLE};

/// The longest header: a shape has few numbers.
const LONGEST: usize = 1 << 16;
const MAGIC: &[u8; 6] = b"\x93NUMPY";

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub kind: Kind,
    pub size: usize,
    pub is_big_endian: bool,
    /// The first index runs fastest.
    pub is_fortran: bool,
    pub shape: Vec<usize>,
    pub len: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Bool,
    Unsigned,
    Signed,
    Float,
}

impl Header {
    pub fn read(file: &mut dyn Read) -> Result<Self, Wrong> {
        let mut head = [0; 8];
        read_exact(file, &mut head)?;
        let [magic @ .., major, _minor] = head;
        if magic != *MAGIC {
            return Err(wrong("a NumPy array (.npy)", "another file"));
        }
        let digits = match major {
            1 => 2,
            2 | 3 => 4,
            _ => return Err(wrong("version 1, 2 or 3 of the format", format!("version {major}"))),
        };
        let mut len = [0; 4];
        read_exact(file, &mut len[..digits])?;
        let len = u32::from_le_bytes(len) as usize;
        if len > LONGEST {
            return Err(wrong("a header of at most 65,536 bytes", format!("one of {len}")));
        }
        let mut bytes = vec![0; len];
        read_exact(file, &mut bytes)?;
        let text = String::from_utf8(bytes).map_err(|_| wrong("a header in UTF-8", "other bytes"))?;
        if text.contains('[') {
            return Err(wrong("an array of plain numbers", "one of records"));
        }
        let literal = Literal::parse(&text)
            .ok_or_else(|| wrong("a header with descr, fortran_order and shape", text.trim_end()))?;
        let refused = format!("one of \"{}\"", literal.descr);
        let header = literal.header();
        let mut header = header
            .ok_or_else(|| wrong("an array of numbers (u1 to u8, i1 to i8, f2, f4, f8 or b1)", refused))?;
        header.len = (head.len() + digits + len) as u64;
        Ok(header)
    }

    /// Returns true if there are numbers that single precision may round.
    pub const fn is_wide(&self) -> bool {
        match self.kind {
            Kind::Bool => false,
            Kind::Unsigned | Kind::Signed => self.size >= 4,
            Kind::Float => self.size == 8,
        }
    }

    /// Returns true if there are bytes, which are divided by 255.
    pub const fn is_bytes(&self) -> bool {
        matches!(self.kind, Kind::Unsigned) && self.size == 1
    }

    /// Counts the numbers, if that can be done: every product of sizes and its bytes fit a `usize`, also where one of the
    /// sizes is 0.
    pub fn count(&self) -> Option<usize> {
        let sizes = || self.shape.iter().copied();
        let product = sizes().filter(|size| *size > 0).try_fold(self.size, usize::checked_mul)?;
        Some(if sizes().any(|size| size == 0) { 0 } else { product / self.size })
    }
}

#[derive(Debug)]
pub(crate) struct Wrong {
    pub expected: String,
    pub found: String,
}

pub(crate) fn wrong(expected: impl Into<String>, found: impl Into<String>) -> Wrong {
    let found: String = found.into();
    Wrong { expected: expected.into(), found: found.chars().take(120).collect() }
}

pub(crate) fn read_exact(file: &mut dyn Read, bytes: &mut [u8]) -> Result<(), Wrong> {
    file.read_exact(bytes).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => wrong("a whole array", "an end in the middle of it"),
        _ => wrong("an array that can be read", error.to_string()),
    })
}

/// Refuses more bytes. An archive compares its checksum only here, at the end of a file.
pub(crate) fn read_end(file: &mut dyn Read) -> Result<(), Wrong> {
    match file.take(1).read_to_end(&mut Vec::new()) {
        Ok(0) => Ok(()),
        Ok(_) => Err(wrong("an end after the last number", "more bytes")),
        Err(error) => Err(wrong("an array that can be read", format!("damaged bytes ({error})"))),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Literal {
    descr: String,
    fortran_order: bool,
    shape: Vec<usize>,
}

impl Literal {
    /// Reads a literal as NumPy writes it: JSON but for its quotes, brackets, names of truths, and commas at ends.
    fn parse(text: &str) -> Option<Self> {
        let (mut json, mut last) = (String::with_capacity(text.len()), ' ');
        for sign in text.chars().filter(|sign| !sign.is_whitespace()) {
            if last == ',' && matches!(sign, ')' | '}') {
                json.pop();
            }
            match sign {
                '\'' => json.push('"'),
                '(' => json.push('['),
                ')' => json.push(']'),
                'L' if last.is_ascii_digit() => {} // Python 2 wrote long numbers as 40L
                sign => json.push(sign),
            }
            last = sign;
        }
        serde_json::from_str(&json.replace("True", "true").replace("False", "false")).ok()
    }

    /// Makes the header of this type: byte order, kind and bytes, as `<f4`.
    fn header(self) -> Option<Header> {
        let Self { descr, fortran_order: is_fortran, shape } = self;
        let (order, number) = descr.split_at_checked(1)?;
        let kind = match number {
            "b1" => Kind::Bool,
            "u1" | "u2" | "u4" | "u8" => Kind::Unsigned,
            "i1" | "i2" | "i4" | "i8" => Kind::Signed,
            "f2" | "f4" | "f8" => Kind::Float,
            _ => return None,
        };
        let size = usize::from(number.as_bytes()[1] - b'0');
        let is_big_endian = match order {
            "|" if size == 1 => false,
            "<" => false,
            ">" => true,
            "=" => cfg!(target_endian = "big"),
            _ => return None,
        };
        Some(Header { kind, size, is_big_endian, is_fortran, shape, len: 0 })
    }
}

const BLOCK: usize = 1 << 14;

/// Numbers in C order: the last index runs fastest.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Array<T> {
    pub shape: Vec<usize>,
    pub values: Vec<T>,
}

/// Reads values for a network: bytes divided by 255, other numbers as they are; all finite.
pub(crate) fn values(header: &Header, file: &mut dyn Read) -> Result<Array<f32>, Wrong> {
    let (size, is_big) = (header.size, header.is_big_endian);
    let array = match (header.kind, size) {
        (Kind::Unsigned, 1) => read(header, file, |bytes| f32::from(bytes[0]) / 255.0),
        (Kind::Bool, _) => read(header, file, |bytes| if bytes[0] == 0 { 0.0 } else { 1.0 }),
        (Kind::Unsigned, _) => read(header, file, |bytes| whole(bytes, is_big) as f32),
        (Kind::Signed, _) => read(header, file, |bytes| signed(bytes, is_big) as f32),
        (Kind::Float, 2) => read(header, file, |bytes| f16::from_bits(whole(bytes, is_big) as u16).to_f32()),
        (Kind::Float, 4) => read(header, file, |bytes| f32::from_bits(whole(bytes, is_big) as u32)),
        (Kind::Float, _) => read(header, file, |bytes| f64::from_bits(whole(bytes, is_big)) as f32),
    }?;
    match array.values.iter().position(|value| !value.is_finite()) {
        None => Ok(array),
        Some(at) => {
            let each = array.values.len() / array.shape.first().copied().unwrap_or(1).max(1);
            Err(not_finite(array.values[at], at, each))
        }
    }
}

/// Reads bits of the numbers of the first `most` samples, to become numbers in double precision: of a whole number those of
/// an i64 or u64, of a float its own.
pub(crate) fn bits(header: &Header, file: &mut dyn Read, most: usize) -> Result<Array<u64>, Wrong> {
    let is_big = header.is_big_endian;
    let number = |bytes: &[u8]| match header.kind {
        Kind::Signed => signed(bytes, is_big).cast_unsigned(),
        Kind::Bool | Kind::Unsigned | Kind::Float => whole(bytes, is_big),
    };
    match header.shape.split_first() {
        Some((samples, rest)) if *samples > most && !header.is_fortran => {
            let shape: Vec<usize> = std::iter::once(most).chain(rest.iter().copied()).collect();
            let values = numbers(&Header { shape: shape.clone(), ..header.clone() }, file, number)?;
            Ok(Array { shape, values })
        }
        Some((samples, rest)) if *samples > most => {
            let mut array = read(header, file, number)?;
            array.values.truncate(most * rest.iter().product::<usize>());
            array.shape[0] = most;
            Ok(array)
        }
        Some(_) | None => read(header, file, number),
    }
}

impl Array<u64> {
    /// Makes numbers of these bits, finite in single precision, for samples of a shape; bytes are divided by 255. The first
    /// sample gives the origins where none are given.
    pub fn exact(self, header: &Header, shape: Shape, origins: Option<&[f64]>) -> Result<Exact, Wrong> {
        let (kind, size) = (header.kind, header.size);
        let whole = |bits: u64| match kind {
            Kind::Signed => i128::from(bits.cast_signed()),
            Kind::Bool | Kind::Unsigned | Kind::Float => i128::from(bits),
        };
        let is_whole = matches!(kind, Kind::Signed | Kind::Unsigned) && !header.is_bytes();
        let origin = |channel: usize| {
            let first = self.values.get(channel * shape.plane()).filter(|_| is_whole);
            first.map(|bits| whole(*bits) as f64).filter(|value| value.abs() >= WHOLE).unwrap_or(0.0)
        };
        let origins = origins.map_or_else(|| (0..shape.channels).map(origin).collect(), <[f64]>::to_vec);
        let value = |(at, bits): (usize, u64)| {
            let origin = origins[at / shape.plane() % shape.channels];
            match (kind, size) {
                (Kind::Unsigned, 1) => f64::from(f32::from(bits as u8) / 255.0) - origin,
                (Kind::Signed | Kind::Unsigned, _) => (whole(bits) - origin as i128) as f64,
                (Kind::Bool, _) => f64::from(u8::from(bits != 0)) - origin,
                (Kind::Float, 2) => f16::from_bits(bits as u16).to_f64() - origin,
                (Kind::Float, 4) => f64::from(f32::from_bits(bits as u32)) - origin,
                (Kind::Float, _) => f64::from_bits(bits) - origin,
            }
        };
        // In place: bits become numbers of the same size.
        let values: Vec<f64> = self.values.into_iter().enumerate().map(value).collect();
        match values.iter().position(|value| !(*value as f32).is_finite()) {
            None => Ok(Exact { values, origins }),
            Some(at) => Err(not_finite(values[at], at, shape.len())),
        }
    }
}

fn not_finite(value: impl std::fmt::Display, at: usize, each: usize) -> Wrong {
    wrong("finite numbers", format!("{value} in sample {}", at / each.max(1)))
}

/// Reads labels: whole numbers from 0.
pub(crate) fn labels(header: &Header, file: &mut dyn Read) -> Result<Vec<u32>, Wrong> {
    let is_row = matches!(header.shape.as_slice(), [_] | [_, 1]);
    if !is_row {
        let found = format!("the shape {:?}; take argmax(1) of one-hot labels", header.shape);
        return Err(wrong("one label for each sample", found));
    }
    let is_big = header.is_big_endian;
    let first_wrong = Cell::new(None);
    // Of eight bytes in the file, four are kept: labels may need more memory than samples.
    let label = |number: i128| {
        let label = u32::try_from(number).ok().filter(|label| *label < crate::numpy::MOST_CLASSES);
        label.unwrap_or_else(|| {
            first_wrong.set(first_wrong.get().or(Some(number)));
            0
        })
    };
    let array = match header.kind {
        Kind::Float => {
            return Err(wrong(
                "labels that are whole numbers",
                "floats; convert them with astype(\"int64\")",
            ));
        }
        Kind::Signed => read(header, file, |bytes| label(signed(bytes, is_big).into())),
        Kind::Unsigned | Kind::Bool => read(header, file, |bytes| label(whole(bytes, is_big).into())),
    }?;
    match first_wrong.get() {
        None => Ok(array.values),
        Some(number) => Err(wrong(
            format!("labels from 0 to {}", crate::numpy::MOST_CLASSES - 1),
            format!("label {number}"),
        )),
    }
}

/// Returns the whole number in up to 8 bytes.
fn whole(bytes: &[u8], is_big_endian: bool) -> u64 {
    let shifted = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
    if is_big_endian { bytes.iter().fold(0, shifted) } else { bytes.iter().rev().fold(0, shifted) }
}

fn signed(bytes: &[u8], is_big_endian: bool) -> i64 {
    let unused = 64 - 8 * bytes.len() as u32;
    (whole(bytes, is_big_endian) << unused).cast_signed() >> unused
}

/// Reads numbers a block at a time: memory grows with what is there, not with what the header promises.
fn numbers<T>(header: &Header, file: &mut dyn Read, number: impl Fn(&[u8]) -> T) -> Result<Vec<T>, Wrong> {
    let count = header.count().ok_or_else(|| wrong("a smaller array", format!("{:?}", header.shape)))?;
    let mut values = Vec::new();
    let mut bytes = vec![0; header.size * BLOCK.min(count)];
    while values.len() < count {
        let next = BLOCK.min(count - values.len());
        let block = &mut bytes[..next * header.size];
        read_exact(file, block)?;
        values.extend(block.chunks_exact(header.size).map(&number));
    }
    Ok(values)
}

/// Reads all numbers and the end of the file, in C order.
fn read<T: Copy + Default>(
    header: &Header,
    file: &mut dyn Read,
    number: impl Fn(&[u8]) -> T,
) -> Result<Array<T>, Wrong> {
    let values = numbers(header, file, number)?;
    read_end(file)?;
    let shape = header.shape.clone();
    if !header.is_fortran || shape.len() < 2 {
        return Ok(Array { shape, values });
    }
    // The indices of Fortran's order are those of C's order, the last one first.
    let turned = Array { shape: shape.iter().rev().copied().collect(), values };
    Ok(turned.permuted(&(0..shape.len()).rev().collect::<Vec<_>>()))
}

impl<T: Copy + Default> Array<T> {
    /// Makes axis `axes[i]` axis i, as `numpy.transpose` does.
    pub fn permuted(&self, axes: &[usize]) -> Self {
        let mut strides = vec![1; self.shape.len()];
        for axis in (1..self.shape.len()).rev() {
            strides[axis - 1] = strides[axis] * self.shape[axis];
        }
        let shape: Vec<usize> = axes.iter().map(|axis| self.shape[*axis]).collect();
        let steps: Vec<usize> = axes.iter().map(|axis| strides[*axis]).collect();
        let (mut values, mut index, mut at) =
            (Vec::with_capacity(self.values.len()), vec![0; shape.len()], 0);
        for _ in 0..self.values.len() {
            values.push(self.values[at]);
            for axis in (0..shape.len()).rev() {
                index[axis] += 1;
                at += steps[axis];
                if index[axis] < shape[axis] {
                    break;
                }
                at -= steps[axis] * shape[axis];
                index[axis] = 0;
            }
        }
        Self { shape, values }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Header, Wrong> {
        let len = u16::try_from(text.len()).unwrap().to_le_bytes();
        let file = [&MAGIC[..], &[1, 0], &len, text.as_bytes()].concat();
        Header::read(&mut file.as_slice())
    }

    #[test]
    fn what_numpy_writes_is_read() {
        let header =
            parse("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }          \n").unwrap();
        assert_eq!((header.kind, header.size, header.is_big_endian), (Kind::Float, 4, false));
        assert_eq!((header.shape, header.is_fortran), (vec![3, 4], false));
        let header = parse("{'descr': '<f8', 'fortran_order': False, 'shape': (40L, 5L), }").unwrap();
        assert_eq!(header.shape, [40, 5], "as Python 2 wrote it");
        let header = parse("{\"shape\": (3,), \"fortran_order\": True, \"descr\": \">i2\"}").unwrap();
        assert_eq!((header.kind, header.size, header.is_big_endian), (Kind::Signed, 2, true));
        assert_eq!((header.shape, header.is_fortran), (vec![3], true));
        assert_eq!(
            parse("{'descr': '|b1', 'fortran_order': False, 'shape': ()}").unwrap().shape,
            Vec::<usize>::new()
        );
    }

    #[test]
    fn anything_else_is_refused() {
        for (descr, order, shape) in [
            ("'<c8'", "False", "(1,)"),
            ("'|f4'", "False", "(1,)"),
            ("[('a', '<f4')]", "False", "(1,)"),
            ("'<f4'", "1", "(1,)"),
            ("'<f4'", "False", "(-1,)"),
            ("'<f4'", "False", "(1LL,)"),
            ("'<f4'", "False", "(L,)"),
            ("'<f4'", "False", "(99999999999999999999999,)"),
            ("'<f4'", "False", "[1]"),
            ("'<f4'", "False", "(1,), 'more': 1"),
            ("'<O8'", "False", "(1,)"),
        ] {
            let text = format!("{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}}}");
            assert!(parse(&text).is_err(), "{text}");
        }
        assert!(parse("{'descr': '<f4'}").is_err() && parse("").is_err());
        assert!(parse("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} + 1").is_err());
        let huge =
            parse("{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904, 2)}").unwrap();
        assert_eq!(huge.count(), None);
        let empty = "(0, 4294967296, 4294967296, 4294967296)";
        let empty = parse(&format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {empty}}}")).unwrap();
        assert_eq!(empty.count(), None, "what would overflow without its 0 is refused");
    }
}

#[cfg(test)]
mod array_tests {
    use super::*;

    fn header(kind: Kind, size: usize, shape: &[usize]) -> Header {
        Header { kind, size, is_big_endian: false, is_fortran: false, shape: shape.to_vec(), len: 0 }
    }

    #[test]
    fn numbers_of_every_kind_are_read() {
        let of = |kind, size, is_big_endian, bytes: &[u8]| {
            let header = Header { is_big_endian, ..header(kind, size, &[1]) };
            values(&header, &mut &bytes[..]).unwrap().values[0]
        };
        assert_eq!(of(Kind::Unsigned, 1, false, &[51]), 0.2);
        assert_eq!(of(Kind::Bool, 1, false, &[1]), 1.0);
        assert_eq!(of(Kind::Signed, 1, false, &[0xff]), -1.0);
        assert_eq!(of(Kind::Signed, 2, true, &[0xff, 0xfe]), -2.0);
        assert_eq!(of(Kind::Unsigned, 2, false, &[1, 2]), 513.0);
        assert_eq!(of(Kind::Signed, 8, false, &(-3_i64).to_le_bytes()), -3.0);
        assert_eq!(of(Kind::Float, 2, true, &[0x3c, 0x00]), 1.0);
        assert_eq!(of(Kind::Float, 4, false, &1.5_f32.to_le_bytes()), 1.5);
        assert_eq!(of(Kind::Float, 8, true, &0.1_f64.to_be_bytes()), 0.1);
    }

    #[test]
    fn fortrans_order_and_other_axes_are_turned() {
        // [[1, 2, 3], [4, 5, 6]] in Fortran's order.
        let header = Header { is_fortran: true, ..header(Kind::Signed, 1, &[2, 3]) };
        let array = values(&header, &mut &[1, 4, 2, 5, 3, 6][..]).unwrap();
        assert_eq!(
            (array.shape.as_slice(), array.values.as_slice()),
            (&[2, 3][..], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0][..])
        );
        let first = bits(&header, &mut &[1, 4, 2, 5, 3, 6][..], 1).unwrap();
        assert_eq!((first.shape, first.values), (vec![1, 3], vec![1, 2, 3]));
        let last = Array { shape: vec![1, 1, 2, 3], values: vec![1, 2, 3, 4, 5, 6] };
        let first = last.permuted(&[0, 3, 1, 2]);
        assert_eq!((first.shape, first.values), (vec![1, 3, 1, 2], vec![1, 4, 2, 5, 3, 6]));
    }

    #[test]
    fn short_files_and_wrong_labels_are_refused() {
        assert!(values(&header(Kind::Float, 4, &[1 << 40]), &mut &[0; 100][..]).is_err());
        let nan = [1.0, f32::NAN].map(f32::to_le_bytes).concat();
        let found = values(&header(Kind::Float, 4, &[2, 1]), &mut nan.as_slice()).unwrap_err().found;
        assert_eq!(found, "NaN in sample 1");
        assert!(labels(&header(Kind::Signed, 1, &[1]), &mut &[0xff][..]).unwrap_err().found.contains("-1"));
        assert!(labels(&header(Kind::Float, 4, &[1]), &mut &[0; 4][..]).is_err());
        assert!(
            labels(&header(Kind::Signed, 1, &[1, 2]), &mut &[0; 2][..]).unwrap_err().found.contains("argmax")
        );
        assert_eq!(labels(&header(Kind::Unsigned, 1, &[2, 1]), &mut &[3, 1][..]).unwrap(), [3, 1]);
    }
}

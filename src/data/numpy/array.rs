//! The numbers of an array.

use std::cell::Cell;
use std::io::Read;

use half::f16;

use super::header::{Header, Kind, Wrong, read_end, read_exact, wrong};
use crate::Shape;
use crate::exact::{Exact, WHOLE};

/// Numbers that are read at a time.
const BLOCK: usize = 1 << 14;

/// Numbers in C order: the last index runs fastest.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Array<T> {
    pub shape: Vec<usize>,
    pub values: Vec<T>,
}

/// Values for a network: bytes divided by 255, other numbers as they are.
///
/// # Errors
/// An end too early, and values that are not finite.
pub(super) fn values(header: &Header, file: &mut impl Read) -> Result<Array<f32>, Wrong> {
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

/// Bits of the numbers of the first `most` samples, to become numbers in double precision: of a whole number those of an i64
/// or u64, of a float its own.
///
/// # Errors
/// An end too early.
pub(super) fn bits(header: &Header, file: &mut impl Read, most: usize) -> Result<Array<u64>, Wrong> {
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
    /// The numbers that these bits are, for samples of a shape; bytes are divided by 255. The first sample gives the origins
    /// where none are given.
    ///
    /// # Errors
    /// Values that are not finite in single precision.
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

/// What is wrong with a value, `each` to a sample.
fn not_finite(value: impl std::fmt::Display, at: usize, each: usize) -> Wrong {
    wrong("finite numbers", format!("{value} in sample {}", at / each.max(1)))
}

/// Labels: whole numbers from 0.
///
/// # Errors
/// Numbers of another kind, and negative ones.
pub(super) fn labels(header: &Header, file: &mut impl Read) -> Result<Vec<u32>, Wrong> {
    let is_row = matches!(header.shape.as_slice(), [_] | [_, 1]);
    if !is_row {
        let found = format!("the shape {:?}; take argmax(1) of one-hot labels", header.shape);
        return Err(wrong("one label for each sample", found));
    }
    let is_big = header.is_big_endian;
    let first_wrong = Cell::new(None);
    // Of eight bytes in the file, four are kept: labels may need more memory than samples.
    let label = |number: i128| {
        let label = u32::try_from(number).ok().filter(|label| *label < super::MOST_CLASSES);
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
        Some(number) => {
            Err(wrong(format!("labels from 0 to {}", super::MOST_CLASSES - 1), format!("label {number}")))
        }
    }
}

/// The whole number in up to 8 bytes.
fn whole(bytes: &[u8], is_big_endian: bool) -> u64 {
    let shifted = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
    if is_big_endian { bytes.iter().fold(0, shifted) } else { bytes.iter().rev().fold(0, shifted) }
}

fn signed(bytes: &[u8], is_big_endian: bool) -> i64 {
    let unused = 64 - 8 * bytes.len() as u32;
    (whole(bytes, is_big_endian) << unused).cast_signed() >> unused
}

/// Reads numbers a block at a time: memory grows with what is there, not with what the header promises.
fn numbers<T>(header: &Header, file: &mut impl Read, number: impl Fn(&[u8]) -> T) -> Result<Vec<T>, Wrong> {
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
    file: &mut impl Read,
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
    /// The same numbers with axis `axes[i]` as axis i, as `numpy.transpose` has them.
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

    fn header(kind: Kind, size: usize, shape: &[usize]) -> Header {
        let (shape, text) = (shape.to_vec(), String::new());
        Header { kind, size, is_big_endian: false, is_fortran: false, shape, len: 0, text }
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

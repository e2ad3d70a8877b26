//! Records of one byte for the label and one byte per value: CIFAR-10's layout, and that of the embedded sets.

use super::{Samples, Shape};

/// Bytes of one record.
pub const fn record_len(shape: Shape) -> usize {
    1 + shape.len()
}

/// Samples out of whole records; a value is its byte divided by `divisor`, so that 255 (or 16) becomes exactly 1.
/// Bytes after the last whole record are ignored.
pub fn decode(bytes: &[u8], shape: Shape, divisor: f32) -> Samples {
    let records = bytes.chunks_exact(record_len(shape));
    let mut labels = Vec::with_capacity(records.len());
    let mut values = Vec::with_capacity(records.len() * shape.len());
    for record in records {
        labels.push(u32::from(record[0]));
        values.extend(record[1..].iter().map(|&byte| f32::from(byte) / divisor));
    }
    Samples::new(shape, values, labels)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_a_label_and_scaled_values() {
        let samples = decode(&[7, 0, 255, 2, 51, 102], Shape::new(1, 1, 2), 255.0);
        assert_eq!(samples.labels, [7, 2]);
        assert_eq!(samples.values().unwrap()[..], [0.0, 1.0, 0.2, 0.4]);
    }
}

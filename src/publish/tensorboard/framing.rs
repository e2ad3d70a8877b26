//! Records of an event file, as `TFRecord` frames them.
//!
//! Each record is its length as a 64-bit integer, the masked CRC-32C of these eight bytes, the bytes themselves, and their
//! masked CRC-32C, all integers little-endian: `tensorflow/core/lib/io/record_writer.h`. The checksum is Castagnoli's
//! (RFC 3720, section 12.1); the mask is that of `tensorflow/core/lib/hash/crc32c.h`.

/// Castagnoli's polynomial with its bits reversed.
const POLYNOMIAL: u32 = 0x82f6_3b78;

/// What is added to a rotated checksum, so that checksums of data with checksums in them are no trivial ones.
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

/// The CRC-32C of some bytes.
fn crc32c(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |rest: u32, byte| (rest >> 8) ^ TABLE[(rest as u8 ^ byte) as usize])
}

/// A checksum as records have it.
fn masked(bytes: &[u8]) -> u32 {
    crc32c(bytes).rotate_right(15).wrapping_add(MASK_DELTA)
}

/// Appends a record.
pub fn append(file: &mut Vec<u8>, record: &[u8]) {
    let length = (record.len() as u64).to_le_bytes();
    file.extend(length);
    file.extend(masked(&length).to_le_bytes());
    file.extend(record);
    file.extend(masked(record).to_le_bytes());
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

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
}

//! Files of NumPy that tests write.

use std::io::{Cursor, Write};

/// A `.npy` file.
pub fn npy(descr: &str, shape: &str, bytes: &[u8]) -> Vec<u8> {
    let text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
    let len = u16::try_from(text.len()).unwrap().to_le_bytes();
    [b"\x93NUMPY\x01\x00", &len[..], text.as_bytes(), bytes].concat()
}

/// An archive of files.
pub fn npz(arrays: &[(&str, Vec<u8>)], method: zip::CompressionMethod) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in arrays {
        archive
            .start_file(*name, zip::write::SimpleFileOptions::default().compression_method(method))
            .unwrap();
        archive.write_all(bytes).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

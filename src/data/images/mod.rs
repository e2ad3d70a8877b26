//! Folders of pictures, one for each class, as torchvision's `ImageFolder` and `transforms` take them.

mod folders;
mod gif;
mod jpeg;
mod label_map;
mod lazy;
mod picture;
mod pnm;
mod resample;
mod splits;
mod tiff;

use std::path::Path;
use std::sync::Arc;

use super::stand_in::stand_in_at;
use super::{DataError, Samples};
pub(super) use folders::{Picture, Pictures, ending, find, is_like_pictures};
pub(super) use label_map::LabelMap;
pub(super) use lazy::{Budget, LazyPictures};
pub(super) use picture::Preparation;
pub(super) use splits::Splits;

/// The most pixels of a picture: Pillow refuses more as a decompression bomb.
const MOST_PIXELS: u64 = 178_956_970;
/// Bytes that decoding one picture may take.
const MOST_BYTES: u64 = 1 << 30;
/// Pictures that are decoded at a time.
const BLOCK: usize = 256;

/// Reads the samples of the training, validation and test part of a set below a folder; `memory` bytes of pixels are kept at
/// most. Where those of all pictures are no more, they are decoded now, in parallel, else whenever they are needed. With
/// `skips`, all are decoded now in any case, and those that are damaged are left out and named in `left_out`.
///
/// # Errors
/// The first picture that cannot be read, unless they are left out.
pub(super) fn read(
    parts: [&[Picture]; 3],
    folder: &Path,
    preparation: Preparation,
    memory: u64,
    skips: bool,
    left_out: &mut Vec<String>,
) -> Result<[Samples; 3], DataError> {
    let count: usize = parts.iter().map(|part| part.len()).sum();
    let fits = (count * preparation.shape().len()) as u64 <= memory;
    let budget = Arc::new(Budget::new(memory));
    let mut part = |pictures: &[Picture]| {
        let paths = pictures.iter().map(|picture| picture.path.clone());
        let all = LazyPictures::new(paths, folder, preparation, budget.clone());
        let labels = labels(pictures);
        if !fits && !skips {
            return Ok(Samples::of_pictures(all, labels));
        }
        let mut whole = Vec::with_capacity(labels.len());
        for (index, (path, decoded)) in (0..).zip(all.paths().zip(all.decode(BLOCK))) {
            match decoded {
                Ok(()) => whole.push(index),
                Err(error) if skips => left_out.push(format!("{}: {error}", path.display())),
                Err(error) => return Err(damaged(path, error)),
            }
        }
        Ok(Samples::of_pictures(all, labels).pick(&whole))
    };
    Ok([part(parts[0])?, part(parts[1])?, part(parts[2])?])
}

/// Returns the classes of pictures.
pub(super) fn labels(pictures: &[Picture]) -> Vec<u32> {
    pictures.iter().map(|picture| picture.label).collect()
}

/// Refuses a pointer or a page in the place of the first picture of a class: where one is, all are. What cannot be opened is
/// said where it is read.
///
/// # Errors
/// What stands there.
pub(super) fn check_stand_ins(pictures: &[Picture]) -> Result<(), DataError> {
    for class in pictures.chunk_by(|a, b| a.label == b.label) {
        let path = &class[0].path;
        if let Some(found) = stand_in_at(path) {
            return Err(damaged(path, found.to_owned()));
        }
    }
    Ok(())
}

/// Refuses what a header should not promise, before memory is taken for it.
fn check_sides(width: u32, height: u32) -> Result<(), String> {
    if width == 0 || height == 0 || u64::from(width) * u64::from(height) > MOST_PIXELS {
        return Err(format!("it promises {width}×{height} pixels; 1 to {MOST_PIXELS} are read"));
    }
    Ok(())
}

fn damaged(path: &Path, error: String) -> DataError {
    let remedy =
        "Get the file again, convert it to PNG or remove it, or leave such pictures out: damaged: Skip";
    DataError::wrong(path, "a picture", error, remedy)
}

#[cfg(test)]
mod tests;

//! Folders of pictures, one for each class, as torchvision's `ImageFolder` and `transforms` take them.

mod folders;
mod jpeg;
mod label_map;
mod lazy;
mod picture;
mod resample;

use std::path::Path;
use std::sync::Arc;

use super::{DataError, Samples};
pub(super) use folders::{Picture, Pictures, find, is_like_pictures, parts};
pub(super) use label_map::LabelMap;
pub(super) use lazy::{Budget, LazyPictures};
pub(super) use picture::Preparation;

/// Pictures that are decoded at a time.
const BLOCK: usize = 256;

/// The samples of the parts of a set below a folder; `memory` bytes of pixels are kept at most. Where those of all pictures are
/// no more, they are decoded now, in parallel, else whenever they are needed. With `skips`, all are decoded now in any case, and
/// those that are damaged are left out and named in `left_out`.
///
/// # Errors
/// The first picture that cannot be read, unless they are left out.
pub(super) fn read(
    parts: [&[Picture]; 2],
    folder: &Path,
    preparation: Preparation,
    memory: u64,
    skips: bool,
    left_out: &mut Vec<String>,
) -> Result<[Samples; 2], DataError> {
    let count: usize = parts.iter().map(|part| part.len()).sum();
    let fits = (count * preparation.shape().len()) as u64 <= memory;
    let budget = Arc::new(Budget::new(memory));
    let mut part = |pictures: &[Picture]| {
        let paths = pictures.iter().map(|picture| picture.path.clone());
        let all = LazyPictures::new(paths, folder, preparation, budget.clone());
        let labels: Vec<u32> = pictures.iter().map(|picture| picture.label).collect();
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
    Ok([part(parts[0])?, part(parts[1])?])
}

fn damaged(path: &Path, error: String) -> DataError {
    let remedy = "Get the file again or remove it, or leave such pictures out: damaged: Skip";
    DataError::wrong(path, "a picture", error, remedy)
}

#[cfg(test)]
mod tests;

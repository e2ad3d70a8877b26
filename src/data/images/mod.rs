//! Folders of pictures, one for each class, as torchvision's `ImageFolder` and `transforms` take them.

mod folders;
mod jpeg;
mod label_map;
mod picture;

use std::path::Path;

use rayon::prelude::*;

use super::{DataError, Samples, Shape};
pub(super) use folders::{Picture, Pictures, find, is_like_pictures};
pub(super) use label_map::LabelMap;
pub(super) use picture::Preparation;

/// Pictures that are decoded at a time.
const BLOCK: usize = 256;

/// Reads pictures in parallel, in their order; pixels are divided by 255. With `skips`, those that are damaged are left out
/// and named in `left_out`.
///
/// # Errors
/// The first picture that cannot be read, unless they are left out.
pub(super) fn read(
    pictures: &[Picture],
    preparation: Preparation,
    skips: bool,
    left_out: &mut Vec<String>,
) -> Result<Samples, DataError> {
    let shape = Shape::new(preparation.channels(), preparation.crop, preparation.crop);
    let mut values = Vec::with_capacity(pictures.len() * shape.len());
    let mut labels = Vec::with_capacity(pictures.len());
    for block in pictures.chunks(BLOCK) {
        let decoded: Vec<_> = block.par_iter().map(|picture| preparation.read(&picture.path)).collect();
        for (picture, bytes) in block.iter().zip(decoded) {
            match bytes {
                Ok(bytes) => {
                    values.extend(bytes.iter().map(|&byte| f32::from(byte) / 255.0));
                    labels.push(picture.label);
                }
                Err(error) if skips => left_out.push(format!("{}: {error}", picture.path.display())),
                Err(error) => return Err(damaged(&picture.path, error)),
            }
        }
    }
    Ok(Samples::new(shape, values, labels))
}

fn damaged(path: &Path, error: String) -> DataError {
    let remedy = "Get the file again or remove it, or leave such pictures out: damaged: Skip";
    DataError::wrong(path, "a picture", error, remedy)
}

#[cfg(test)]
mod tests;

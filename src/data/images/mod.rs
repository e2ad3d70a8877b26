//! Folders of pictures, one for each class, as torchvision's `ImageFolder` and `transforms` take them.

mod folders;
mod formats;
mod picture;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;
use sha2::{Digest, Sha256};

use crate::digests::{Digests, Stat};
use crate::files::stand_in_at;
use crate::prepare::resize;
use crate::{DataError, Samples, Shape, Standardisation};

pub(crate) use folders::{LabelMap, Picture, Pictures, Splits, ending, find, first_pictures};
pub(crate) use picture::{Preparation, decode};

/// The most pixels of a picture: Pillow refuses more as a decompression bomb.
const MOST_PIXELS: u64 = 178_956_970;
/// Bytes that decoding one picture may take.
const MOST_BYTES: u64 = 1 << 30;
const BLOCK: usize = 256;

/// Reads the samples of the training, validation and test part of a set below a folder; `memory` bytes of pixels are kept at
/// most. Where those of all pictures are no more, they are decoded now, in parallel, else whenever they are needed. With
/// `skips`, all are decoded now in any case, and those that are damaged are left out and named in `left_out`.
pub(crate) fn read(
    parts: [&[Picture]; 3],
    folder: &Path,
    preparation: Preparation,
    memory: u64,
    skips: bool,
    left_out: &mut Vec<String>,
) -> Result<[Samples; 3], DataError> {
    let count: usize = parts.iter().map(|part| part.len()).sum();
    let fits = (count * preparation.shape().len()) as u64 <= memory;
    let budget = Arc::new(AtomicU64::new(memory));
    let mut part = |pictures: &[Picture]| {
        let paths = pictures.iter().map(|picture| picture.path.clone());
        let all = LazyPictures::new(paths, folder, preparation, budget.clone());
        let labels = labels(pictures);
        if !fits && !skips {
            return Ok(Samples::from_pictures(all, labels));
        }
        let mut whole = Vec::with_capacity(labels.len());
        for (index, (path, decoded)) in (0..).zip(all.paths().zip(all.decode(BLOCK))) {
            match decoded {
                Ok(()) => whole.push(index),
                Err(error) if skips => left_out.push(format!("{}: {error}", path.display())),
                Err(error) => return Err(damaged(path, error)),
            }
        }
        Ok(Samples::from_pictures(all, labels).pick(&whole))
    };
    Ok([part(parts[0])?, part(parts[1])?, part(parts[2])?])
}

pub(crate) fn labels(pictures: &[Picture]) -> Vec<u32> {
    pictures.iter().map(|picture| picture.label).collect()
}

/// Refuses a pointer or a page in the place of the first picture of a class: where one is, all are. What cannot be opened is
/// said where it is read.
pub(crate) fn check_stand_ins(pictures: &[Picture]) -> Result<(), DataError> {
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

/// The most bytes of files that are hashed as a whole; of larger sets, the lengths are.
const WHOLE: u64 = 4 << 30;

#[derive(Debug)]
pub(crate) struct CachedPicture {
    path: PathBuf,
    /// The state of the file when the data were read; it must not change while they are used.
    stat: Option<Stat>,
    /// `[channels, crop, crop]`.
    pixels: OnceLock<Box<[u8]>>,
}

/// Pictures of one shape. The parts of a set share a budget.
#[derive(Clone, Debug)]
pub(crate) struct LazyPictures {
    pub pictures: Vec<Arc<CachedPicture>>,
    preparation: Preparation,
    /// After another resize, as `image_size` asks for.
    pub shape: Shape,
    /// After that.
    pub scale: Option<Standardisation>,
    budget: Arc<AtomicU64>,
    /// The folder of the set: the names of files are relative to it.
    folder: Arc<Path>,
}

impl PartialEq for LazyPictures {
    fn eq(&self, other: &Self) -> bool {
        let settings = |all: &Self| (all.preparation, all.shape, all.scale.clone());
        self.paths().eq(other.paths()) && settings(self) == settings(other)
    }
}

impl LazyPictures {
    pub fn new(
        paths: impl Iterator<Item = PathBuf>,
        folder: &Path,
        preparation: Preparation,
        budget: Arc<AtomicU64>,
    ) -> Self {
        let picture = |path: PathBuf| {
            let stat = Stat::read(&path);
            Arc::new(CachedPicture { path, stat, pixels: OnceLock::new() })
        };
        let shape = preparation.shape();
        Self {
            pictures: paths.map(picture).collect(),
            preparation,
            shape,
            scale: None,
            budget,
            folder: folder.into(),
        }
    }

    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.pictures.iter().map(|picture| picture.path.as_path())
    }

    pub fn is_streamed(&self) -> bool {
        self.pictures.iter().any(|picture| picture.pixels.get().is_none())
    }

    /// Decodes all pictures, `block` at a time, and keeps those that there is room for. Yields the result for each.
    pub fn decode(&self, block: usize) -> impl Iterator<Item = Result<(), String>> {
        self.pictures.chunks(block).flat_map(|block| {
            let decoded = block.par_iter().map(|picture| self.with_pixels(picture, |_| ()));
            decoded.collect::<Vec<_>>()
        })
    }

    /// Appends the values of the pictures at `indices`, in that order, decoding in parallel.
    pub fn gather(&self, indices: &[u32], into: &mut Vec<f32>) -> Result<(), DataError> {
        let (size, first) = (self.shape.len(), into.len());
        into.resize(first + indices.len() * size, 0.0);
        let places = into[first..].par_chunks_mut(size).zip(indices);
        let written = places.map(|(to, &index)| {
            let picture = &self.pictures[index as usize];
            let written = self.with_pixels(picture, |pixels| self.write(pixels, to));
            written.map_err(|error| damaged(&picture.path, error))
        });
        written.collect::<Vec<_>>().into_iter().collect()
    }

    /// Hands the pixels of a picture on, and keeps them if there is room.
    fn with_pixels<T>(&self, picture: &CachedPicture, of: impl FnOnce(&[u8]) -> T) -> Result<T, String> {
        if let Some(pixels) = picture.pixels.get() {
            return Ok(of(pixels));
        }
        let pixels = self.preparation.read(&picture.path)?;
        if Stat::read(&picture.path) != picture.stat {
            return Err("other contents than when the data were read".to_owned());
        }
        let result = of(&pixels);
        let bytes = pixels.len() as u64;
        let take = |left: u64| left.checked_sub(bytes);
        let is_kept = self.budget.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok();
        if is_kept && picture.pixels.set(pixels.into()).is_err() {
            self.budget.fetch_add(bytes, Ordering::Relaxed); // another thread was faster: one copy is kept, not two
        }
        Ok(result)
    }

    /// Writes the values that a network sees.
    fn write(&self, pixels: &[u8], to: &mut [f32]) {
        let values = pixels.iter().map(|&byte| f32::from(byte) / 255.0);
        let own = self.preparation.shape();
        if own == self.shape {
            to.iter_mut().zip(values).for_each(|(to, value)| *to = value);
        } else {
            to.copy_from_slice(&resize(&values.collect::<Vec<_>>(), own, self.shape));
        }
        if let Some(scale) = &self.scale {
            scale.apply(self.shape, to);
        }
    }

    pub fn pick(&self, indices: &[u32]) -> Self {
        let pictures = indices.iter().map(|&index| self.pictures[index as usize].clone()).collect();
        let (scale, budget, folder) = (self.scale.clone(), self.budget.clone(), self.folder.clone());
        Self { pictures, scale, budget, folder, ..*self }
    }

    /// Takes into a hash what the pictures are and what is made of them: settings, and of each picture its name and length,
    /// and the SHA-256 of its content unless all files together have more than 4 GiB.
    pub fn hash(&self, hash: &mut Sha256, digests: &Digests) -> Result<(), DataError> {
        let Preparation { resize, crop, is_grey } = self.preparation;
        let single = |numbers: &[f64]| numbers.iter().map(|number| *number as f32).collect::<Vec<_>>();
        let scale = self.scale.as_ref().map(|scale| (single(&scale.mean), single(&scale.deviation)));
        hash.update(format!("resize {resize}, crop {crop}, grey {is_grey}, scale {scale:?}\n"));
        let lengths: Vec<u64> = self
            .paths()
            .map(|path| path.metadata().map(|about| about.len()).map_err(DataError::unreadable(path)))
            .collect::<Result<_, _>>()?;
        let is_whole = lengths.iter().sum::<u64>() <= WHOLE;
        let digest = |picture: &Arc<CachedPicture>| {
            if is_whole { digests.bytes(&picture.path) } else { Ok(Vec::new()) }
        };
        let digests: Vec<Result<Vec<u8>, DataError>> = self.pictures.par_iter().map(digest).collect();
        for ((path, length), digest) in self.paths().zip(lengths).zip(digests) {
            let name = path.strip_prefix(&self.folder).unwrap_or(path).to_string_lossy().replace('\\', "/");
            hash.update(format!("{name}\n{length}\n"));
            hash.update(digest?);
        }
        Ok(())
    }
}

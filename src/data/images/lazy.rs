//! Pictures that are decoded when they are needed, and kept while there is room for them.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;
use sha2::{Digest, Sha256};

use super::picture::Preparation;
use crate::digests::{Digests, Stat};
use crate::{DataError, Shape, Standardisation, resize};

/// Bytes of files that are hashed as a whole; of larger sets, the lengths are.
const WHOLE: u64 = 4 << 30;

/// How many bytes of pixels may still be kept.
#[derive(Debug)]
pub(crate) struct Budget(AtomicU64);

impl Budget {
    /// Of so many bytes.
    pub const fn new(bytes: u64) -> Self {
        Self(AtomicU64::new(bytes))
    }

    /// Takes so many bytes, if they are left.
    fn take(&self, bytes: u64) -> bool {
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(bytes)).is_ok()
    }
}

/// A file, and its pixels if they are kept.
#[derive(Debug)]
struct Picture {
    path: PathBuf,
    /// The state of the file when the data were read; it must not change while they are used.
    stat: Option<Stat>,
    /// `[channels, crop, crop]`.
    pixels: OnceLock<Box<[u8]>>,
}

/// Pictures of one shape. The parts of a set share a budget.
#[derive(Clone, Debug)]
pub(crate) struct LazyPictures {
    pictures: Vec<Arc<Picture>>,
    preparation: Preparation,
    /// After resizing once more, as `image_size` asks for.
    shape: Shape,
    scale: Option<Standardisation>,
    budget: Arc<Budget>,
    /// The folder of the set: the names of files are relative to it.
    folder: Arc<Path>,
}

impl PartialEq for LazyPictures {
    /// What is kept does not count.
    fn eq(&self, other: &Self) -> bool {
        let settings = |all: &Self| (all.preparation, all.shape, all.scale.clone());
        self.paths().eq(other.paths()) && settings(self) == settings(other)
    }
}

impl LazyPictures {
    /// Of these files below a folder. None is read.
    pub fn new(
        paths: impl Iterator<Item = PathBuf>,
        folder: &Path,
        preparation: Preparation,
        budget: Arc<Budget>,
    ) -> Self {
        let picture = |path: PathBuf| {
            let stat = Stat::read(&path);
            Arc::new(Picture { path, stat, pixels: OnceLock::new() })
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

    /// The shape of one sample.
    pub const fn shape(&self) -> Shape {
        self.shape
    }

    /// The files, in their order.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.pictures.iter().map(|picture| picture.path.as_path())
    }

    /// Whether some pictures are not kept.
    pub fn is_streamed(&self) -> bool {
        self.pictures.iter().any(|picture| picture.pixels.get().is_none())
    }

    /// Decodes all pictures, `block` at a time, and keeps those that there is room for. Yields for each the error that it
    /// has.
    pub fn decode(&self, block: usize) -> impl Iterator<Item = Result<(), String>> {
        self.pictures.chunks(block).flat_map(|block| {
            let decoded = block.par_iter().map(|picture| self.with_pixels(picture, |_| ()));
            decoded.collect::<Vec<_>>()
        })
    }

    /// Appends the values of the pictures at `indices`, in that order, decoding in parallel.
    ///
    /// # Errors
    /// The first picture in this order that cannot be read.
    pub fn gather(&self, indices: &[u32], into: &mut Vec<f32>) -> Result<(), DataError> {
        let (size, first) = (self.shape.len(), into.len());
        into.resize(first + indices.len() * size, 0.0);
        let places = into[first..].par_chunks_mut(size).zip(indices);
        let written = places.map(|(to, &index)| {
            let picture = &self.pictures[index as usize];
            let written = self.with_pixels(picture, |pixels| self.write(pixels, to));
            written.map_err(|error| super::damaged(&picture.path, error))
        });
        written.collect::<Vec<_>>().into_iter().collect()
    }

    /// Hands the pixels of a picture on, and keeps them if there is room.
    fn with_pixels<T>(&self, picture: &Picture, of: impl FnOnce(&[u8]) -> T) -> Result<T, String> {
        if let Some(pixels) = picture.pixels.get() {
            return Ok(of(pixels));
        }
        let pixels = self.preparation.read(&picture.path)?;
        if Stat::read(&picture.path) != picture.stat {
            return Err("other contents than when the data were read".to_owned());
        }
        let result = of(&pixels);
        if self.budget.take(pixels.len() as u64) && picture.pixels.set(pixels.into()).is_err() {
            // Another thread was faster: one copy is kept, not two.
            self.budget.0.fetch_add(self.preparation.shape().len() as u64, Ordering::Relaxed);
        }
        Ok(result)
    }

    /// From pixels to what a network sees.
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

    /// Those at `indices`, in that order.
    pub fn pick(&self, indices: &[u32]) -> Self {
        let pictures = indices.iter().map(|&index| self.pictures[index as usize].clone()).collect();
        let (scale, budget, folder) = (self.scale.clone(), self.budget.clone(), self.folder.clone());
        Self { pictures, scale, budget, folder, ..*self }
    }

    /// Keeps the first ones.
    pub fn truncate(&mut self, count: usize) {
        self.pictures.truncate(count);
    }

    /// Exchanges two pictures.
    pub fn swap(&mut self, a: usize, b: usize) {
        self.pictures.swap(a, b);
    }

    /// The same pictures, resized once more; not after they were scaled.
    pub fn resized(self, shape: Shape) -> Self {
        Self { shape, ..self }
    }

    /// Scales what comes after resizing.
    pub fn scale(&mut self, scale: &Standardisation) {
        self.scale = Some(scale.clone());
    }

    /// Takes into a hash what the pictures are and what is made of them: settings, and of each picture its name and length,
    /// and the SHA-256 of its content unless all files together have more than 4 GiB.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn hash(&self, hash: &mut Sha256, digests: &Digests) -> Result<(), DataError> {
        let Preparation { resize, crop, is_grey } = self.preparation;
        let single = |numbers: &[f64]| numbers.iter().map(|number| *number as f32).collect::<Vec<_>>();
        let scale = self.scale.as_ref().map(|scale| (single(&scale.mean), single(&scale.deviation)));
        hash.update(format!("resize {resize}, crop {crop}, grey {is_grey}, scale {scale:?}\n"));
        let unreadable = |path: &Path| {
            let path = path.to_owned();
            move |source| DataError::Unreadable { path, source }
        };
        let lengths: Vec<u64> = self
            .paths()
            .map(|path| path.metadata().map(|about| about.len()).map_err(unreadable(path)))
            .collect::<Result<_, _>>()?;
        let is_whole = lengths.iter().sum::<u64>() <= WHOLE;
        let digest =
            |picture: &Arc<Picture>| if is_whole { digests.bytes(&picture.path) } else { Ok(Vec::new()) };
        let digests: Vec<Result<Vec<u8>, DataError>> = self.pictures.par_iter().map(digest).collect();
        for ((path, length), digest) in self.paths().zip(lengths).zip(digests) {
            let name = path.strip_prefix(&self.folder).unwrap_or(path).to_string_lossy().replace('\\', "/");
            hash.update(format!("{name}\n{length}\n"));
            hash.update(digest?);
        }
        Ok(())
    }
}

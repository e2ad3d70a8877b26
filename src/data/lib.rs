//! Samples on the host: readers (one file each), splitting, batching, augmentation.
//!
//! A reader yields [`Parts`], the training and test part as its files hold them; [`prepare`] applies what an
//! experiment asks for on top (limits, a validation part, image size, labels, normalisation) and yields the
//! [`Dataset`] that a run uses. Everything is plain `f32` on the host, `[n, channels, height, width]` in row-major
//! order; nothing here knows the tensor library or draws from a global stream, and only
//! [`Places::from_env`] reads the environment.
//!
//! | file | holds |
//! |---|---|
//! | `samples` | the containers; values in double precision, until they are scaled |
//! | `source` | the registry: the settings of each dataset, its reader and its facts, one file each |
//! | `idx`, `files` | readers that several sets share; pointers and pages in the place of files |
//! | `images`, `table`, `numpy` | readers of the user's data |
//! | `found`, `error` | what a look at the user's files found, what can be wrong, and how much they may be |
//! | `inventory` | what the program says about data, in one way for all sources |
//! | `locate` | known sets: which folder, from where, and which dataset a file or folder holds |
//! | `digests` | names for what a run has seen: its samples, and files with a cache |
//! | `prepare`, `scale` | from parts to a data set |
//! | `order` | what training draws in every epoch |

mod digests;
mod error;
mod files;
mod found;
mod idx;
mod images;
mod inventory;
mod locate;
mod numpy;
mod order;
mod prepare;
mod samples;
mod scale;
mod source;
mod table;
#[cfg(any(test, feature = "testing"))]
#[allow(clippy::unwrap_used, clippy::print_stderr, reason = "tests may stop with a panic and say why")]
pub mod testing;

pub use digests::{Digests, copied};
pub use error::{DataError, Tried};
pub use files::stand_in;
pub use found::{ClassNames, Columns, Details, Found, Input, LeftOut, Look, Looked, Looks, NOTHING, Stamp};
pub use inventory::{ContentDigest, Inventory, NOTE, Part, SAMPLES_DIGEST};
pub use locate::{DATA_VARIABLE, KnownSet, Origin, Places, Recognised, Remote, recognise};
pub use order::{Augmentation, augment, batches, below, shuffled};
pub use prepare::{Labels, Options, prepare, take_test, take_validation};
pub use samples::{Dataset, Parts, Samples, Shape};
pub use scale::{GivenScale, Normalize, Standardisation};
pub use source::*;

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
//! | `samples`, `shape` | the containers |
//! | `embedded` | UCI digits and iris, inside the binary |
//! | `idx`, `emnist`, `cifar`, `svhn` | known sets from a folder |
//! | `images`, `table`, `numpy` | data of the user's |
//! | `found`, `details`, `class_names`, `memory` | what a look at the user's files found, and how much they may be |
//! | `inventory` | what the program says about data, in one way for all sources |
//! | `locate` | which folder, when the experiment names none |
//! | `origin` | where the files can be downloaded from |
//! | `source` | the registry: the settings of each dataset and its facts, one file each |
//! | `stand_in` | pointers and pages in the place of files |
//! | `recognise` | which dataset a file or folder holds |
//! | `digest`, `digests` | names for what a run has seen: its samples, and files with a cache |
//! | `exact` | values in double precision, until they are scaled |
//! | `prepare`, `split`, `resize`, `normalize`, `standardise` | from parts to a data set |
//! | `order`, `augment` | what training draws in every epoch |

mod augment;
mod cifar;
mod class_names;
mod details;
mod digest;
mod digests;
mod embedded;
mod emnist;
mod error;
mod exact;
mod files;
mod found;
mod idx;
mod images;
mod inventory;
mod locate;
mod memory;
mod normalize;
mod numpy;
mod order;
mod origin;
mod prepare;
mod recognise;
mod records;
mod resize;
mod samples;
mod shape;
mod source;
mod split;
mod stand_in;
mod standardise;
mod svhn;
mod table;
#[cfg(any(test, feature = "testing"))]
#[allow(clippy::unwrap_used, reason = "tests may stop with a panic")]
pub mod testing;

pub use augment::{Augmentation, augment};
pub use cifar::{CIFAR10, CIFAR100, cifar10, cifar100};
pub use class_names::{ClassNames, NOTHING};
pub use details::{Columns, Details, LeftOut};
pub use digests::{Digests, copied};
pub use embedded::{digits, iris};
pub use emnist::{EMNIST, emnist};
pub use error::{DataError, Tried};
pub use found::{Found, Input, Look, Looked, Looks, Stamp};
pub use idx::{FASHION_MNIST, KMNIST, MNIST, fashion_mnist, kmnist, mnist};
pub use inventory::{ContentDigest, Inventory, NOTE, Part, SAMPLES_DIGEST};
pub use locate::{DATA_VARIABLE, KnownSet, Places};
pub use normalize::{GivenScale, Normalize};
pub use order::{batches, below, shuffled};
pub use origin::{Origin, Remote};
pub use prepare::{Labels, Options, prepare};
pub use recognise::{Recognised, is_named_like_data, recognise};
use resize::resize;
pub use samples::{Dataset, Parts, Samples};
pub use shape::Shape;
pub use source::{
    Cifar10, Cifar100, Csv, Damaged, Data, Digits, Emnist, EmnistSplit, Facts, FashionMnist, Images, Iris,
    Kmnist, Mnist, Numpy, Svhn,
};
pub use split::{take_test, take_validation};
pub use stand_in::stand_in;
pub use standardise::Standardisation;
pub use svhn::{SVHN, svhn};

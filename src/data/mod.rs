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
//! | `samples` | the containers |
//! | `embedded` | UCI digits and iris, inside the binary |
//! | `idx`, `cifar` | MNIST and Fashion-MNIST, CIFAR-10, from a folder |
//! | `locate` | which folder, when the experiment names none |
//! | `source` | the registry: the settings of each dataset and its facts, one file each |
//! | `recognise` | which dataset a folder holds |
//! | `digest` | a name for what a run has seen |
//! | `prepare`, `split`, `resize`, `standardise` | from parts to a data set |
//! | `order`, `augment` | what training draws in every epoch |

mod augment;
mod cifar;
mod class_names;
mod digest;
mod embedded;
mod error;
mod files;
mod found;
mod idx;
mod locate;
mod memory;
mod normalize;
mod numpy;
mod order;
mod prepare;
mod recognise;
mod records;
mod resize;
mod samples;
mod source;
mod split;
mod standardise;
mod table;
#[cfg(test)]
mod testing;

pub use augment::{Augmentation, augment};
pub use cifar::{CIFAR10, cifar10};
pub use class_names::ClassNames;
pub use embedded::{digits, iris};
pub use error::{DataError, Tried};
pub use found::{Found, Look, Looks};
pub use idx::{FASHION_MNIST, MNIST, fashion_mnist, mnist};
pub use locate::{DATA_VARIABLE, KnownSet, Places};
pub use normalize::{GivenScale, Normalize};
pub use order::{batches, below, shuffled};
pub use prepare::{Labels, Options, prepare};
pub use recognise::{Recognised, is_named_like_data, recognise};
pub use resize::resize;
pub use samples::{Dataset, Parts, Samples, Shape};
pub use source::{Cifar10, Csv, Data, Digits, Facts, FashionMnist, Iris, Mnist, Numpy};
pub use split::{take_test, take_validation};
pub use standardise::Standardisation;

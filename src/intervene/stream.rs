//! Random streams that depend on a seed, a purpose and counters, and on nothing else.
//!
//! There is no global generator: two arms of one seed share their initial weights and order of data because they ask
//! for the same stream, and a draw can be repeated without repeating what came before it.
//!
//! The key of a stream is the SHA-256 of `weightlab stream 1`, a zero byte, the purpose's name, a zero byte, the seed
//! and each counter, all numbers as 8 bytes, least significant first. The stream is ChaCha with 8 rounds under that
//! key, nonce 0. Changing any of this changes every result that was ever made, so tests hold golden values.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use sha2::{Digest, Sha256};

/// A generator of random numbers; its output is fixed by its key for all time.
pub type Stream = ChaCha8Rng;

/// The purpose of random numbers. Streams of different purposes never overlap, so that a new use of randomness leaves
/// all others as they were.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Purpose {
    Init,
    /// Order of the training data.
    Order,
    /// Flips and crops.
    Augment,
    /// Units that are dropped.
    Dropout,
    /// Random pruning and shuffled masks.
    Mask,
    /// Entries held still at random.
    Freeze,
    /// Samples on which a criterion takes its gradients.
    Saliency,
    /// Samples of the validation part.
    Validation,
    /// Sites and values of faults.
    Fault,
    /// Resamples of a bootstrap interval.
    Bootstrap,
    /// Order of the samples in which batch-norm statistics are measured again.
    Statistics,
}

impl Purpose {
    /// Returns the name that enters the key. Never rename one.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Init => "init",
            Self::Order => "order",
            Self::Augment => "augment",
            Self::Dropout => "dropout",
            Self::Mask => "mask",
            Self::Freeze => "freeze",
            Self::Saliency => "saliency",
            Self::Validation => "validation",
            Self::Fault => "fault",
            Self::Bootstrap => "bootstrap",
            Self::Statistics => "statistics",
        }
    }
}

/// Returns the stream of a seed for a purpose. Counters separate the uses of one purpose: an epoch, a stage, a trial.
/// Another number of counters gives another stream.
pub fn stream(seed: u64, purpose: Purpose, counters: &[u64]) -> Stream {
    let mut hash = Sha256::new();
    hash.update(b"weightlab stream 1\0");
    hash.update(purpose.name().as_bytes());
    hash.update([0]);
    for number in std::iter::once(&seed).chain(counters) {
        hash.update(number.to_le_bytes());
    }
    Stream::from_seed(hash.finalize().into())
}

#[cfg(test)]
mod tests {
    use super::{Purpose, stream};
    use rand::Rng;
    use std::collections::BTreeSet;

    const ALL: [Purpose; 11] = [
        Purpose::Init,
        Purpose::Order,
        Purpose::Augment,
        Purpose::Dropout,
        Purpose::Mask,
        Purpose::Freeze,
        Purpose::Saliency,
        Purpose::Validation,
        Purpose::Fault,
        Purpose::Bootstrap,
        Purpose::Statistics,
    ];

    /// From SHA-256 and `ChaCha8` written out in Python.
    #[test]
    fn the_first_numbers_of_a_stream_never_change() {
        let first = |seed, purpose, counters: &[u64]| stream(seed, purpose, counters).next_u64();
        assert_eq!(first(0, Purpose::Init, &[]), 9_020_330_055_242_417_567);
        assert_eq!(first(1, Purpose::Mask, &[2, 3]), 2_392_441_833_449_805_269);
    }

    #[test]
    fn seed_purpose_and_counters_each_give_another_stream() {
        let mut firsts = BTreeSet::new();
        for purpose in ALL {
            for counters in [&[][..], &[0], &[1], &[0, 0]] {
                for seed in [0, 1] {
                    firsts.insert(stream(seed, purpose, counters).next_u64());
                }
            }
        }
        assert_eq!(firsts.len(), 8 * ALL.len());
    }

    #[test]
    fn the_same_question_gives_the_same_stream() {
        let draw = || -> [u32; 4] {
            let mut rng = stream(7, Purpose::Fault, &[1, 2]);
            [(); 4].map(|()| rng.next_u32())
        };
        assert_eq!(draw(), draw());
    }
}

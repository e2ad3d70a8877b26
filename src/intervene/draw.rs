//! Numbers drawn from a stream, each by a rule written out here, so that no upgrade of a library changes a result.

use rand::Rng;

/// One more than the largest 24-bit number.
const STEPS: f32 = 16_777_216.0;

/// Draws uniformly from [0, 1): the upper 24 bits of one 32-bit number, divided by 2^24.
pub fn uniform(rng: &mut impl Rng) -> f32 {
    (rng.next_u32() >> 8) as f32 / STEPS
}

/// Draws uniformly from [`low`, `high`), up to rounding.
pub fn uniform_in(rng: &mut impl Rng, low: f32, high: f32) -> f32 {
    low + (high - low) * uniform(rng)
}

/// Draws uniformly from [0, 1): the upper 53 bits of one 64-bit number, divided by 2^53.
pub fn uniform_f64(rng: &mut impl Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 / 9_007_199_254_740_992.0
}

/// Draws a whole number below `bound`, which is at least 1: the upper 64 bits of one 64-bit number times `bound`. No
/// value is likelier than another by more than bound/2^64.
pub fn below(rng: &mut impl Rng, bound: u64) -> u64 {
    let product = u128::from(rng.next_u64()) * u128::from(bound);
    (product >> 64) as u64
}

/// Puts items into a random order (Fisher–Yates, from the back, one [`below`] each).
pub fn shuffle<T>(rng: &mut impl Rng, items: &mut [T]) {
    for last in (1..items.len()).rev() {
        let other = below(rng, last as u64 + 1);
        items.swap(last, other as usize);
    }
}

/// Standard normal numbers by Marsaglia's polar method, in `f64`.
///
/// Two points of [`uniform_f64`] give two numbers; the second one waits for the next call. Which points are accepted
/// takes exact arithmetic only, so that a machine's logarithm can change a last digit but never the stream.
#[derive(Debug, Clone, Default)]
pub struct Normal {
    spare: Option<f64>,
}

impl Normal {
    /// Draws the next number.
    pub fn draw(&mut self, rng: &mut impl Rng) -> f64 {
        if let Some(spare) = self.spare.take() {
            return spare;
        }
        loop {
            let x = 2.0 * uniform_f64(rng) - 1.0;
            let y = 2.0 * uniform_f64(rng) - 1.0;
            let square = x * x + y * y;
            if square > 0.0 && square < 1.0 {
                let scale = (-2.0 * square.ln() / square).sqrt();
                self.spare = Some(y * scale);
                return x * scale;
            }
        }
    }
}

/// Chooses k of n items that pass one by one, every choice of k equally likely (Knuth, volume 2, algorithm 3.4.2 S).
/// It draws one [`below`] for each item, also when the answer is certain, and needs no memory.
#[derive(Debug, Clone)]
pub struct Sample {
    left: u64,
    wanted: u64,
}

impl Sample {
    /// Prepares to choose `wanted` of `size` items.
    pub fn new(wanted: u64, size: u64) -> Self {
        Self { left: size, wanted: wanted.min(size) }
    }

    /// Returns true if the next item is chosen. Asked at most as often as there are items.
    pub fn takes(&mut self, rng: &mut impl Rng) -> bool {
        let taken = below(rng, self.left.max(1)) < self.wanted;
        self.left = self.left.saturating_sub(1);
        self.wanted -= u64::from(taken);
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::{Purpose, Stream, stream};
    use proptest::prelude::*;

    fn rng() -> Stream {
        stream(0, Purpose::Init, &[])
    }

    /// From the same rules written out in Python.
    #[test]
    fn the_first_numbers_of_each_kind_never_change() {
        assert_eq!(uniform(&mut rng()), 0.732_437_43);
        assert_eq!(uniform_f64(&mut rng()), 0.488_993_072_121_505_9);
        assert_eq!(below(&mut rng(), 1000), 488);
        let mut order = [0, 1, 2, 3, 4, 5];
        shuffle(&mut rng(), &mut order);
        assert_eq!(order, [4, 5, 0, 3, 1, 2]);
        let (mut normal, mut rng) = (Normal::default(), rng());
        let normals = [(); 3].map(|()| normal.draw(&mut rng) as f32);
        assert_eq!(normals, [-0.063_624_36, -1.564_503_3, 1.075_240_6]);
    }

    #[test]
    fn uniform_numbers_fill_their_range_evenly() {
        let mut rng = rng();
        let mut tenths = [0_u32; 10];
        for _ in 0..10_000 {
            tenths[(uniform(&mut rng) * 10.0) as usize] += 1;
        }
        assert!(tenths.iter().all(|&count| (850..1150).contains(&count)), "{tenths:?}");
        assert!((0..1000).map(|_| uniform_in(&mut rng, -2.0, 3.0)).all(|x| (-2.0..=3.0).contains(&x)));
    }

    #[test]
    fn normal_numbers_have_mean_0_variance_1_and_the_normal_share_within_1_and_2() {
        let (mut normal, mut rng) = (Normal::default(), rng());
        let numbers: Vec<f64> = (0..40_000).map(|_| normal.draw(&mut rng)).collect();
        let mean_of =
            |f: &dyn Fn(f64) -> f64| numbers.iter().map(|&x| f(x)).sum::<f64>() / numbers.len() as f64;
        assert!(mean_of(&|x| x).abs() < 0.02);
        assert!((mean_of(&|x| x * x) - 1.0).abs() < 0.03);
        assert!((mean_of(&|x| f64::from(x.abs() < 1.0)) - 0.6827).abs() < 0.01);
        assert!((mean_of(&|x| f64::from(x.abs() < 2.0)) - 0.9545).abs() < 0.01);
    }

    #[test]
    fn every_pair_of_four_items_is_chosen_equally_often() {
        let mut rng = rng();
        let mut counts = std::collections::BTreeMap::<u32, u32>::new();
        for _ in 0..6000 {
            let mut sample = Sample::new(2, 4);
            let chosen = (0..4).filter(|_| sample.takes(&mut rng)).map(|item| 1 << item).sum();
            *counts.entry(chosen).or_default() += 1;
        }
        assert_eq!(counts.len(), 6);
        assert!(counts.values().all(|&count| (900..1100).contains(&count)), "{counts:?}");
    }

    proptest! {
        #[test]
        fn a_sample_has_exactly_the_wanted_size(seed: u64, size in 0_u64..50, wanted in 0_u64..60) {
            let mut rng = stream(seed, Purpose::Mask, &[]);
            let mut sample = Sample::new(wanted, size);
            let chosen = (0..size).filter(|_| sample.takes(&mut rng)).count() as u64;
            prop_assert_eq!(chosen, wanted.min(size));
        }

        #[test]
        fn numbers_below_a_bound_are_below_it_and_a_shuffle_keeps_all_items(seed: u64, bound in 1_u64..) {
            let mut rng = stream(seed, Purpose::Order, &[]);
            prop_assert!(below(&mut rng, bound) < bound);
            let mut items: Vec<u32> = (0..20).collect();
            shuffle(&mut rng, &mut items);
            items.sort_unstable();
            prop_assert!(items.into_iter().eq(0..20));
        }
    }
}

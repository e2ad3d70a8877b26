//! The shared "n lowest": exact counts, ties by index, in linear time.
//!
//! A sort of VGG-16's 14.7 million scores would need an array of (score, index) pairs. Instead scores are counted by
//! the upper and then by the lower half of their bits, which gives the n-th lowest score in two passes and half a
//! megabyte; a last pass takes everything below it, and as many of its equals as are still missing, in order.

/// How many different values one half of a key has.
const BUCKETS: usize = 1 << 16;

/// A number that orders as the score does. −0.0 and +0.0 are equal; NaN is outside of the infinity of its sign.
fn key(score: f32) -> u32 {
    let bits = (score + 0.0).to_bits();
    if bits >> 31 == 1 { !bits } else { bits | 1 << 31 }
}

/// Where the n lowest scores end: all below a score, and the first few that equal it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    key: u32,
    ties: u64,
}

impl Cut {
    /// The cut after the `count` lowest of `scores`; after all of them if there are fewer.
    pub fn after(scores: impl Iterator<Item = f32> + Clone, count: u64) -> Self {
        if count == 0 {
            return Self { key: 0, ties: 0 };
        }
        Self::at_rank(scores.map(key), count).unwrap_or(Self { key: u32::MAX, ties: u64::MAX })
    }

    /// The cut at the key of this rank, from 1; none if there are fewer keys.
    fn at_rank(keys: impl Iterator<Item = u32> + Clone, rank: u64) -> Option<Self> {
        let (high, rank) = bucket_of(keys.clone().map(|key| key >> 16), rank)?;
        let (low, ties) = bucket_of(keys.filter(|key| key >> 16 == high).map(|key| key & 0xffff), rank)?;
        Some(Self { key: high << 16 | low, ties })
    }

    /// Whether the next score is among the lowest. Asked once for each score, in the order of [`Cut::after`].
    pub fn takes(&mut self, score: f32) -> bool {
        let key = key(score);
        let tied = key == self.key && self.ties > 0;
        self.ties -= u64::from(tied);
        tied || key < self.key
    }
}

/// The bucket in which the `count`-th lowest number falls, and which of that bucket's numbers it is (from 1).
fn bucket_of(numbers: impl Iterator<Item = u32>, count: u64) -> Option<(u32, u64)> {
    let mut histogram = vec![0_u64; BUCKETS];
    for number in numbers {
        histogram[number as usize] += 1;
    }
    let mut missing = count;
    for (bucket, held) in (0_u32..).zip(histogram) {
        if missing <= held {
            return Some((bucket, missing));
        }
        missing -= held;
    }
    None
}

/// The indices of the `count` lowest scores in their order, each given with its index; of equal scores the first ones.
pub fn lowest(scores: impl Iterator<Item = (u32, f32)> + Clone, count: u64) -> Vec<u32> {
    let mut cut = Cut::after(scores.clone().map(|(_, score)| score), count);
    scores.filter(|&(_, score)| cut.takes(score)).map(|(index, _)| index).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    fn lowest(scores: &[f32], count: u64) -> Vec<u32> {
        super::lowest((0..).zip(scores.iter().copied()), count)
    }

    #[test]
    fn of_equal_scores_the_lower_index_goes_first() {
        assert_eq!(lowest(&[1.0, 0.0, 1.0, 1.0], 3), [0, 1, 2]);
        assert_eq!(lowest(&[5.0; 4], 2), [0, 1]);
    }

    #[test]
    fn the_zeros_of_both_signs_are_equal() {
        assert_eq!(lowest(&[0.0, -0.0], 1), [0]);
        assert_eq!(lowest(&[-0.0, 0.0], 1), [0]);
    }

    #[test]
    fn negative_scores_are_below_positive_ones() {
        assert_eq!(lowest(&[1.0, -1.0, -2.0, f32::INFINITY, f32::NEG_INFINITY], 2), [2, 4]);
    }

    #[test]
    fn none_and_more_than_all_can_be_asked_for() {
        assert!(lowest(&[1.0], 0).is_empty());
        assert_eq!(lowest(&[2.0, 1.0], 9), [0, 1]);
        assert!(lowest(&[], 3).is_empty());
    }

    proptest! {
        #[test]
        fn a_stable_sort_takes_the_same_entries(
            scores in prop::collection::vec(prop_oneof![-2_f32..2.0, Just(0.0), Just(-0.0), Just(1.0)], 0..60),
            count in 0_usize..70,
        ) {
            let mut sorted: Vec<u32> = (0..scores.len() as u32).collect();
            sorted.sort_by(|&a, &b| scores[a as usize].partial_cmp(&scores[b as usize]).unwrap());
            sorted.truncate(count);
            sorted.sort_unstable();
            prop_assert_eq!(lowest(&scores, count as u64), sorted);
        }
    }
}

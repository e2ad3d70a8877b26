//! Which entries of a parameter to freeze.

use super::amount::{check_fraction, part_of};
use super::draw::Sample;
use super::prune::{free_values, lowest};
use super::{AmountError, Entry};
use rand::Rng;
use thiserror::Error;

/// A choice of entries, made for each parameter separately: a fraction of the whole network would take every norm
/// parameter (they are about 1) before the first weight.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Selection {
    /// Every entry that survives.
    #[default]
    All,
    /// This fraction of the free entries, those with the largest |w|.
    Largest(f64),
    /// This fraction of the free entries, those with the smallest |w|.
    Smallest(f64),
    /// This fraction of the free entries, at random.
    Random(f64),
    /// These entries, counted in the exported layout.
    Indices(Vec<u64>),
}

impl Selection {
    /// Checks the numbers, without a network.
    ///
    /// # Errors
    /// A fraction outside [0, 1] or NaN.
    pub fn check(&self) -> Result<(), AmountError> {
        let (what, fraction) = match *self {
            Self::Largest(fraction) => ("Largest", fraction),
            Self::Smallest(fraction) => ("Smallest", fraction),
            Self::Random(fraction) => ("Random", fraction),
            Self::All | Self::Indices(_) => return Ok(()),
        };
        check_fraction(what, fraction)
    }
}

/// A parameter whose entries may be frozen. `weights` and `entries` are equally long, in the exported layout.
#[derive(Debug, Clone, Copy)]
pub struct Candidate<'a> {
    pub name: &'a str,
    pub weights: &'a [f32],
    pub entries: &'a [Entry],
}

/// Returns the entries of a parameter that a selection takes, ascending and each once.
///
/// Pruned entries are never among them: they stay at zero. Fractions count free entries and choose among them, rounded
/// half to even; ties go to the lower index, and NaN counts as larger than any number. Selections that name entries
/// outright also take frozen ones, which may get another value. Only `Random` draws: one number for each free entry.
///
/// # Errors
/// A fraction outside [0, 1]; an index that the parameter does not have.
pub fn select(
    candidate: &Candidate,
    selection: &Selection,
    rng: &mut impl Rng,
) -> Result<Vec<u32>, FreezeError> {
    selection.check()?;
    let Candidate { entries, weights, .. } = *candidate;
    let magnitudes = free_values(entries, weights).map(|(index, weight)| (index, weight.abs()));
    let free = magnitudes.clone().count() as u64;
    Ok(match selection {
        Selection::All => surviving(entries, 0..entries.len()).collect(),
        Selection::Smallest(fraction) => lowest(magnitudes, part_of(*fraction, free)),
        Selection::Largest(fraction) => {
            lowest(magnitudes.map(|(index, size)| (index, -size)), part_of(*fraction, free))
        }
        Selection::Random(fraction) => {
            let mut sample = Sample::new(part_of(*fraction, free), free);
            magnitudes.map(|(index, _)| index).filter(|_| sample.takes(rng)).collect()
        }
        Selection::Indices(indices) => {
            let indices = listed(indices, entries.len(), candidate.name)?;
            indices.into_iter().flat_map(|index| surviving(entries, index..index + 1)).collect()
        }
    })
}

fn surviving(entries: &[Entry], range: std::ops::Range<usize>) -> impl Iterator<Item = u32> {
    let indices = range.filter(|&index| entries[index].survives());
    indices.map(|index| u32::try_from(index).expect("a parameter has fewer than 2^32 entries"))
}

/// Returns the listed numbers, ascending and each once, if all of them are below `count`.
fn listed(numbers: &[u64], count: usize, parameter: &str) -> Result<Vec<usize>, FreezeError> {
    let checked = |&number: &u64| {
        let inside = usize::try_from(number).ok().filter(|&number| number < count);
        inside.ok_or_else(|| FreezeError::OutOfRange { number, count, parameter: parameter.to_owned() })
    };
    let mut indices = numbers.iter().map(checked).collect::<Result<Vec<_>, _>>()?;
    indices.sort_unstable();
    indices.dedup();
    Ok(indices)
}

/// Why nothing was frozen.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum FreezeError {
    #[error(transparent)]
    Amount(#[from] AmountError),
    #[error("{parameter} has no entry {number}: it has {count} entries, counted from 0")]
    OutOfRange { number: u64, count: usize, parameter: String },
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::{Purpose, stream};

    const WEIGHTS: [f32; 6] = [1.0, -4.0, 2.0, 4.0, 0.5, 9.0];
    const ENTRIES: [Entry; 6] =
        [Entry::Free, Entry::Free, Entry::Free, Entry::Free, Entry::Pruned, Entry::Frozen];

    #[allow(clippy::needless_pass_by_value, reason = "tests read better without the &")]
    fn chosen(selection: Selection) -> Result<Vec<u32>, FreezeError> {
        let candidate = Candidate { name: "fc2.weight", weights: &WEIGHTS, entries: &ENTRIES };
        select(&candidate, &selection, &mut stream(0, Purpose::Freeze, &[]))
    }

    #[test]
    fn fractions_count_and_rank_free_entries_by_magnitude() {
        assert_eq!(chosen(Selection::Largest(0.5)), Ok(vec![1, 3]));
        assert_eq!(chosen(Selection::Smallest(0.5)), Ok(vec![0, 2]));
        assert_eq!(chosen(Selection::Largest(1.0)), Ok(vec![0, 1, 2, 3]));
        assert_eq!(chosen(Selection::Largest(0.0)), Ok(vec![]));
    }

    #[test]
    fn ties_go_by_index_and_halves_to_even_in_both_directions() {
        assert_eq!(chosen(Selection::Largest(0.25)), Ok(vec![1]));
        assert_eq!(chosen(Selection::Smallest(0.75)), Ok(vec![0, 1, 2]));
        assert_eq!(chosen(Selection::Smallest(0.125)), Ok(vec![]));
        assert_eq!(chosen(Selection::Smallest(0.375)), Ok(vec![0, 2]));
    }

    #[test]
    fn a_random_choice_has_the_exact_count_and_takes_free_entries_only() {
        let taken = chosen(Selection::Random(0.5)).unwrap();
        assert_eq!(taken.len(), 2);
        assert!(taken.iter().all(|&index| index < 4));
        assert_eq!(chosen(Selection::Random(0.5)).unwrap(), taken);
        assert_eq!(chosen(Selection::Random(1.0)), Ok(vec![0, 1, 2, 3]));
    }

    #[test]
    fn named_entries_are_taken_once_and_ascending_frozen_ones_included_and_pruned_ones_not() {
        assert_eq!(chosen(Selection::All), Ok(vec![0, 1, 2, 3, 5]));
        assert_eq!(chosen(Selection::Indices(vec![5, 0, 4, 0])), Ok(vec![0, 5]));
    }

    #[test]
    fn a_number_out_of_range_is_an_error_that_names_parameter_number_and_size() {
        let message = |selection| chosen(selection).unwrap_err().to_string();
        assert_eq!(
            message(Selection::Indices(vec![0, 6])),
            "fc2.weight has no entry 6: it has 6 entries, counted from 0"
        );
        assert!(message(Selection::Random(1.5)).starts_with("Random is 1.5"));
    }

    #[test]
    fn a_parameter_without_entries_has_nothing_to_freeze() {
        let empty = Candidate { name: "none", weights: &[], entries: &[] };
        for selection in [Selection::All, Selection::Largest(0.5), Selection::Indices(vec![])] {
            let taken = select(&empty, &selection, &mut stream(0, Purpose::Freeze, &[]));
            assert_eq!(taken, Ok(vec![]));
        }
    }
}

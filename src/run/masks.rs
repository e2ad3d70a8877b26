//! The overlap of the masks of several finished runs.

use std::collections::BTreeMap;
use std::path::Path;

use crate::intervene::Entry;
use crate::intervene::overlap::Overlap;
use crate::net::mask_file::read_masks;

/// Overlap of the masks of several runs, pair by pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MaskOverlap {
    /// Pairs of runs.
    pub pairs: usize,
    /// Mean over the pairs of the Jaccard index of surviving entries, over the parameters that both prune.
    pub mean: f64,
}

/// Compares the final masks of runs of one structure; nothing where fewer than two of them have one.
pub fn mask_overlap(folder: &Path, runs: &[&str]) -> Option<MaskOverlap> {
    let masks: Vec<BTreeMap<String, Vec<Entry>>> =
        runs.iter().filter_map(|run| mask(&folder.join(run))).collect();
    let mut indices = Vec::new();
    for (position, a) in masks.iter().enumerate() {
        indices.extend(masks[position + 1..].iter().filter_map(|b| jaccard(a, b)));
    }
    let mean = indices.iter().sum::<f64>() / indices.len() as f64;
    (!indices.is_empty()).then_some(MaskOverlap { pairs: indices.len(), mean })
}

fn jaccard(a: &BTreeMap<String, Vec<Entry>>, b: &BTreeMap<String, Vec<Entry>>) -> Option<f64> {
    let common = a.iter().filter_map(|(name, a)| Some((a, b.get(name).filter(|b| b.len() == a.len())?)));
    let overlaps: Vec<Overlap> = common.map(|(a, b)| Overlap::of(a, b)).collect();
    (!overlaps.is_empty()).then(|| overlaps.into_iter().sum::<Overlap>().jaccard())
}

/// The parameters that a finished run has pruned entries in.
fn mask(directory: &Path) -> Option<BTreeMap<String, Vec<Entry>>> {
    let mut masks = read_masks(&directory.join("pins.safetensors")).ok()?;
    masks.retain(|_, entries| entries.contains(&Entry::Pruned));
    (!masks.is_empty()).then_some(masks)
}

#[cfg(test)]
mod tests {
    use safetensors::Dtype;
    use safetensors::tensor::TensorView;

    use super::*;

    #[test]
    fn masks_are_compared_over_the_parameters_that_both_prune() {
        use Entry::{Free, Frozen, Pruned};
        let mask = |name: &str, entries: &[Entry]| BTreeMap::from([(name.to_owned(), entries.to_vec())]);
        let first = mask("w", &[Pruned, Pruned, Free, Free]);
        assert_eq!(jaccard(&first, &mask("w", &[Pruned, Frozen, Pruned, Free])), Some(1.0 / 3.0));
        assert_eq!(jaccard(&first, &mask("v", &[Pruned, Pruned])), None);
        assert_eq!(mask_overlap(Path::new("/nowhere"), &["a", "b"]), None);
    }

    /// Of four entries, `a` and `b` keep the same two, and `c` one of them: Jaccard indices of 1, 1/2 and 1/2.
    #[test]
    fn the_overlap_of_three_runs_is_the_mean_over_their_three_pairs() {
        let folder = tempfile::tempdir().unwrap();
        for (run, entries) in [("a", [1, 1, 0, 0]), ("b", [1, 1, 0, 0]), ("c", [1, 1, 1, 0])] {
            let view = TensorView::new(Dtype::U8, vec![4], &entries).unwrap();
            std::fs::create_dir(folder.path().join(run)).unwrap();
            let file = safetensors::serialize([("w", view)], None).unwrap();
            std::fs::write(folder.path().join(run).join("pins.safetensors"), file).unwrap();
        }
        let overlap = mask_overlap(folder.path(), &["a", "b", "c"]);
        assert_eq!(overlap, Some(MaskOverlap { pairs: 3, mean: 2.0 / 3.0 }));
    }
}

//! The overlap of the masks of several finished runs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::evaluate::files_of_round;
use crate::folder::names;
use intervene::{Entry, Overlap};
use net::weights_file::read_held;
use results::rounds::Round;
use results::tickets::{LayerOverlap, MaskOverlap};

const ENDING: &str = "pins.safetensors";

/// Compares the final masks of runs of one structure; nothing where fewer than two of them have one.
pub fn mask_overlap(folder: &Path, runs: &[&str]) -> Option<MaskOverlap> {
    overlap_of(folder, runs, ENDING, "final".to_owned())
}

/// Compares the masks of runs of one structure at every moment that they have on disk: after each training that was kept,
/// at campaigns within rounds, and at the end. `trainings` are those of one of them.
pub fn mask_overlaps(folder: &Path, runs: &[&str], trainings: &[Round]) -> Vec<MaskOverlap> {
    let of_training = |round: &Round| {
        let [_, file] = files_of_round(round.step?);
        overlap_of(folder, runs, &file, round.title())
    };
    let mut found: Vec<MaskOverlap> = trainings.iter().filter_map(of_training).collect();
    let mut files: Vec<(u64, String)> = Vec::new();
    for name in runs.iter().flat_map(|run| names(&folder.join(run))) {
        let round = name.strip_suffix(&format!(".{ENDING}")).and_then(|name| name.rsplit_once("-round-"));
        if let Some(round) = round.and_then(|(_, round)| round.parse().ok()) {
            files.push((round, name));
        }
    }
    files.sort();
    files.dedup();
    for (round, file) in files {
        let moment = format!("round {round}");
        // A campaign has the mask of the training before it.
        if found.iter().all(|known| known.moment != moment) {
            found.extend(overlap_of(folder, runs, &file, moment));
        }
    }
    found.extend(mask_overlap(folder, runs));
    found
}

fn overlap_of(folder: &Path, runs: &[&str], file: &str, moment: String) -> Option<MaskOverlap> {
    let masks: Vec<Masks> = runs.iter().filter_map(|run| mask(&folder.join(run).join(file))).collect();
    let pairs = Pair::all(&masks);
    let names: BTreeSet<&String> = masks.iter().flat_map(BTreeMap::keys).collect();
    let layer = |name: &String| {
        let alone =
            |mask: &Masks| mask.get(name).map(|own| (name.clone(), own.clone())).into_iter().collect();
        let pairs = Pair::all(&masks.iter().map(alone).collect::<Vec<Masks>>());
        let (indices, chance) = (Pair::indices(&pairs), Pair::mean(&pairs, |pair| pair.chance));
        (!indices.is_empty()).then(|| LayerOverlap { parameter: name.clone(), indices, chance })
    };
    (!pairs.is_empty()).then(|| MaskOverlap {
        moment,
        remaining: Pair::mean(&pairs, |pair| pair.remaining),
        indices: Pair::indices(&pairs),
        chance: Pair::mean(&pairs, |pair| pair.chance),
        layers: names.into_iter().filter_map(layer).collect(),
    })
}

type Masks = BTreeMap<String, Vec<Entry>>;

/// Two masks, compared over the parameters that both prune.
struct Pair {
    index: f64,
    chance: f64,
    /// Mean share of the entries that survive.
    remaining: f64,
}

impl Pair {
    fn all(masks: &[Masks]) -> Vec<Self> {
        let later =
            |(position, a): (usize, _)| masks[position + 1..].iter().filter_map(move |b| Self::new(a, b));
        masks.iter().enumerate().flat_map(later).collect()
    }

    fn indices(pairs: &[Self]) -> Vec<f64> {
        pairs.iter().map(|pair| pair.index).collect()
    }

    fn mean(pairs: &[Self], value: fn(&Self) -> f64) -> f64 {
        pairs.iter().map(value).sum::<f64>() / pairs.len() as f64
    }

    fn new(a: &Masks, b: &Masks) -> Option<Self> {
        let common = a.iter().filter_map(|(name, a)| Some((a, b.get(name).filter(|b| b.len() == a.len())?)));
        let common: Vec<(&Vec<Entry>, &Vec<Entry>)> = common.collect();
        let surviving = |mask: &[Entry]| mask.iter().filter(|entry| entry.survives()).count() as f64;
        let entries: usize = common.iter().map(|(a, _)| a.len()).sum();
        (!common.is_empty()).then(|| Self {
            index: common.iter().map(|(a, b)| Overlap::new(a, b)).sum::<Overlap>().jaccard(),
            chance: common.iter().map(|(a, b)| Overlap::by_chance(a, b)).sum::<Overlap>().jaccard(),
            remaining: common.iter().map(|(a, b)| surviving(a) + surviving(b)).sum::<f64>()
                / (2.0 * entries as f64),
        })
    }
}

/// Reads the parameters that a file of masks has pruned entries in.
fn mask(file: &Path) -> Option<Masks> {
    let mut masks = read_held(file).ok()?;
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
        let index = |b: &BTreeMap<String, Vec<Entry>>| Pair::new(&first, b).map(|pair| pair.index);
        assert_eq!(index(&mask("w", &[Pruned, Frozen, Pruned, Free])), Some(1.0 / 3.0));
        assert_eq!(index(&mask("v", &[Pruned, Pruned])), None);
        assert_eq!(mask_overlap(Path::new("/nowhere"), &["a", "b"]), None);
    }

    #[test]
    fn networks_that_were_kept_after_trainings_are_compared_under_their_names() {
        use results::event::StageBegan;
        use results::rounds::rounds;
        use results::{Event, Point, RunRecord};
        let folder = tempfile::tempdir().unwrap();
        for run in ["a", "b"] {
            std::fs::create_dir_all(folder.path().join(run).join("rounds")).unwrap();
            let view = TensorView::new(Dtype::U8, vec![2], &[1, 0]).unwrap();
            let file = safetensors::serialize([("w", view)], None).unwrap();
            std::fs::write(folder.path().join(run).join(&files_of_round(4)[1]), file).unwrap();
        }
        let stage = StageBegan {
            number: 4,
            of: 5,
            stage: "1".to_owned(),
            label: String::new(),
            round: Some(2),
            branch: String::new(),
        };
        let point = Point { series: "train_loss".to_owned(), round: Some(2), ..Point::default() };
        let record = RunRecord::from_events([Event::Stage(stage), Event::Point(point)]);
        let found = mask_overlaps(folder.path(), &["a", "b"], &rounds(&record));
        let moments: Vec<_> = found
            .iter()
            .map(|overlap| (overlap.moment.as_str(), overlap.remaining, overlap.mean()))
            .collect();
        assert_eq!(moments, [("round 2", 0.5, 1.0)]);
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
        let overlap = mask_overlap(folder.path(), &["a", "b", "c"]).unwrap();
        assert_eq!((overlap.moment.as_str(), overlap.indices.as_slice()), ("final", &[1.0, 0.5, 0.5][..]));
        assert_eq!(mask_overlaps(folder.path(), &["a", "b", "c"], &[]), std::slice::from_ref(&overlap));
        for run in ["a", "b"] {
            let run = folder.path().join(run);
            std::fs::copy(run.join("pins.safetensors"), run.join("campaign-1-round-2.pins.safetensors"))
                .unwrap();
        }
        let moments = mask_overlaps(folder.path(), &["a", "b", "c"], &[]);
        let moments: Vec<_> =
            moments.iter().map(|overlap| (overlap.moment.as_str(), overlap.indices.len())).collect();
        assert_eq!(moments, [("round 2", 1), ("final", 3)]);
        let [layer] = overlap.layers.as_slice() else { panic!("one parameter") };
        // Two random halves of four entries share 2·2/4 = 1 of 3; a half and a quarter 1/2 of 5/2.
        assert_eq!((layer.parameter.as_str(), layer.indices.as_slice()), ("w", &[1.0, 0.5, 0.5][..]));
        assert!((layer.chance - (1.0 / 3.0 + 0.2 + 0.2) / 3.0).abs() < 1e-12, "{}", layer.chance);
    }
}

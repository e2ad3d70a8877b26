use super::*;
use proptest::prelude::*;

/// A parameter that owns its slices and is scored by magnitude.
#[derive(Debug, Clone)]
struct Layer {
    weights: Vec<f32>,
    scores: Vec<f32>,
    entries: Vec<Entry>,
}

impl Layer {
    fn new(weights: &[f32]) -> Self {
        let scores = weights.iter().map(|weight| weight.abs()).collect();
        Self { weights: weights.to_vec(), scores, entries: vec![Entry::Free; weights.len()] }
    }

    /// Weights with many ties, and no order that follows the index.
    fn scattered(size: usize) -> Self {
        Self::new(&(0..size).map(|at| ((at * 7919) % 1009) as f32 - 504.0).collect::<Vec<_>>())
    }

    fn surviving(&self) -> Vec<f32> {
        let value = |(entry, weight): (&Entry, &f32)| if entry.survives() { *weight } else { 0.0 };
        self.entries.iter().zip(&self.weights).map(value).collect()
    }
}

/// Every parameter is a separate layer, the last one the output layer.
fn targets(layers: &[Layer]) -> Vec<Target<'_>> {
    layers
        .iter()
        .enumerate()
        .map(|(layer, Layer { weights, scores, entries })| Target {
            name: "fc.weight",
            layer,
            is_output: layer + 1 == layers.len(),
            weights,
            scores,
            entries,
        })
        .collect()
}

fn rule(amount: Amount, scope: Scope) -> PruningRule {
    PruningRule { amount, scope, output_factor: 1.0 }
}

/// Prunes, and counts the pruned entries of each layer.
fn apply(layers: &mut [Layer], rule: PruningRule) -> Result<Vec<usize>, PruneError> {
    let removed = prune(&targets(layers), rule)?;
    for (layer, removed) in layers.iter_mut().zip(&removed) {
        assert!(removed.is_sorted_by(|a, b| a < b));
        for &index in removed {
            assert_eq!(layer.entries[index as usize], Entry::Free);
            layer.entries[index as usize] = Entry::Pruned;
        }
    }
    Ok(removed.iter().map(Vec::len).collect())
}

fn remaining(layers: &[Layer]) -> u64 {
    layers.iter().map(|layer| MaskCounts::new(&layer.entries).surviving()).sum()
}

const TORCH: [f32; 8] = [1.0, 2.0, 3.0, 4.0, -4.0, -3.0, -2.0, -1.0];

#[test]
fn torchs_matrix_loses_the_smallest_magnitudes_and_not_the_negative_weights() {
    let mut layers = [Layer::new(&TORCH)];
    let two = rule(Amount::Count(2), Scope::Global);
    apply(&mut layers, two).unwrap();
    assert_eq!(layers[0].surviving(), [0.0, 2.0, 3.0, 4.0, -4.0, -3.0, -2.0, 0.0]);
    apply(&mut layers, two).unwrap();
    assert_eq!(layers[0].surviving(), [0.0, 0.0, 3.0, 4.0, -4.0, -3.0, 0.0, 0.0]);
}

#[test]
fn torchs_two_matrices_are_ranked_together() {
    let mut layers = [Layer::new(&TORCH), Layer::new(&[0.0, 0.1, -2.0])];
    assert_eq!(apply(&mut layers, rule(Amount::Count(4), Scope::Global)), Ok(vec![2, 2]));
    assert_eq!(layers[1].surviving(), [0.0, 0.0, -2.0]);
}

#[test]
fn ties_across_parameters_go_in_the_order_of_the_network() {
    let mut layers = [Layer::new(&[2.0, 1.0]), Layer::new(&[-1.0, 1.0])];
    assert_eq!(apply(&mut layers, rule(Amount::Count(2), Scope::Global)), Ok(vec![1, 1]));
    assert_eq!(layers[1].surviving(), [0.0, 1.0]);
}

/// Totals after each round of 20 %, with the output layer at half of that.
fn ladder(sizes: [usize; 3], rounds: usize) -> Vec<u64> {
    let mut layers = sizes.map(Layer::scattered);
    let rule = PruningRule { amount: Amount::Fraction(0.2), scope: Scope::PerLayer, output_factor: 0.5 };
    let round = |_| {
        apply(&mut layers, rule).unwrap();
        remaining(&layers)
    };
    (0..rounds).map(round).collect()
}

#[test]
fn the_ladder_of_lenet_300_100_has_the_exact_totals_of_each_round() {
    let totals = ladder([784 * 300, 300 * 100, 100 * 10], 20);
    assert_eq!(totals[..7], [213_060, 170_538, 136_511, 109_282, 87_490, 70_051, 56_094]);
    let percent = |round: usize| (totals[round - 1] as f64 / 266_200.0 * 1e4).round() / 100.0;
    assert_eq!(
        [1, 2, 3, 5, 7, 9, 12, 15, 18, 20].map(percent),
        [80.04, 64.06, 51.28, 32.87, 21.07, 13.52, 6.95, 3.58, 1.85, 1.19]
    );
}

#[test]
fn the_ladder_of_digits_has_the_exact_totals_of_each_round() {
    assert_eq!(ladder([64 * 300, 300 * 100, 100 * 10], 6), [40_260, 32_298, 25_919, 20_808, 16_711, 13_428]);
}

#[test]
fn frozen_entries_are_neither_candidates_nor_part_of_the_base() {
    let frozen = || {
        let mut layer = Layer::new(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        layer.entries[0] = Entry::Frozen;
        layer.entries[1] = Entry::Frozen;
        [layer]
    };
    for amount in [Amount::Fraction(0.5), Amount::Remaining(0.5), Amount::Count(2), Amount::Threshold(5.0)] {
        let mut layers = frozen();
        assert_eq!(apply(&mut layers, rule(amount, Scope::Global)), Ok(vec![2]), "{amount:?}");
        assert_eq!(layers[0].surviving(), [1.0, 2.0, 0.0, 0.0, 5.0, 6.0]);
    }
}

#[test]
fn pruned_entries_do_not_come_back_and_are_not_counted_again() {
    let mut layers = [Layer::new(&[1.0, 2.0, 3.0, 4.0])];
    layers[0].entries[3] = Entry::Pruned;
    assert_eq!(apply(&mut layers, rule(Amount::Remaining(0.5), Scope::Global)), Ok(vec![1]));
    assert_eq!(layers[0].surviving(), [0.0, 2.0, 3.0, 0.0]);
}

#[test]
fn a_threshold_looks_at_the_magnitude_in_f32_and_at_no_score() {
    let mut layers = [Layer::new(&[-0.01, 0.009, -5.0, f32::NAN, -0.0])];
    layers[0].scores.clear();
    assert_eq!(apply(&mut layers, rule(Amount::Threshold(0.01), Scope::PerLayer)), Ok(vec![2]));
    assert_eq!(layers[0].surviving()[..3], [-0.01, 0.0, -5.0]);
}

#[test]
fn an_output_factor_of_zero_takes_the_layer_out_of_ranking_and_base() {
    let layers = || [Layer::new(&[5.0, 6.0, 7.0, 8.0]), Layer::new(&[1.0, 2.0, 3.0, 4.0])];
    for amount in [Amount::Fraction(0.5), Amount::Remaining(0.5), Amount::Count(2), Amount::Threshold(7.0)] {
        let without = PruningRule { amount, scope: Scope::Global, output_factor: 0.0 };
        assert_eq!(apply(&mut layers(), without), Ok(vec![2, 0]), "{amount:?}");
    }
}

#[test]
fn with_an_output_factor_between_0_and_1_a_global_ranking_ranks_the_output_layer_alone() {
    let mut layers = [Layer::new(&[8.0, 9.0]), Layer::new(&[5.0, 6.0]), Layer::new(&[1.0, 2.0, 3.0, 4.0])];
    let rule = PruningRule { amount: Amount::Fraction(0.5), scope: Scope::Global, output_factor: 0.5 };
    assert_eq!(apply(&mut layers, rule), Ok(vec![0, 2, 1]));
}

#[test]
fn a_layers_weight_and_bias_share_one_ranking() {
    let [weight, bias] = [Layer::new(&[1.0, 4.0]), Layer::new(&[2.0, 3.0])];
    let layers = [weight, bias];
    let same_layer: Vec<_> =
        targets(&layers).into_iter().map(|target| Target { layer: 0, ..target }).collect();
    assert_eq!(prune(&same_layer, rule(Amount::Count(2), Scope::PerLayer)), Ok(vec![vec![0], vec![0]]));
}

#[test]
fn a_count_is_per_layer_when_the_scope_is_and_may_not_exceed_what_is_there() {
    let mut layers = [Layer::new(&[1.0, 2.0]), Layer::new(&[3.0, 4.0, 5.0])];
    assert_eq!(apply(&mut layers, rule(Amount::Count(1), Scope::PerLayer)), Ok(vec![1, 1]));
    let error = apply(&mut layers, rule(Amount::Count(2), Scope::PerLayer)).unwrap_err();
    let place = "the layer of fc.weight".to_owned();
    assert_eq!(error, PruneError::TooMany { wanted: 2, available: 1, place });
    let error = apply(&mut layers, rule(Amount::Count(4), Scope::Global)).unwrap_err();
    assert!(error.to_string().contains("the target has 3 free ones"), "{error}");
}

#[test]
fn only_a_fraction_goes_with_an_output_factor_between_0_and_1() {
    for amount in [Amount::Count(1), Amount::Remaining(0.5), Amount::Threshold(1.0)] {
        let rule = PruningRule { amount, scope: Scope::PerLayer, output_factor: 0.5 };
        assert_eq!(rule.check(), Err(PruneError::OutputFactorNeedsFraction { value: 0.5 }));
    }
    for output_factor in [-0.1, 1.1, f64::NAN] {
        let rule = PruningRule { amount: Amount::Fraction(0.5), scope: Scope::Global, output_factor };
        assert!(matches!(rule.check(), Err(PruneError::OutputFactor { .. })));
    }
}

#[test]
fn infinite_scores_do_not_tie() {
    let mut layers = [Layer::new(&[1.0, f32::INFINITY, f32::INFINITY])];
    let error = apply(&mut layers, rule(Amount::Count(2), Scope::Global)).unwrap_err();
    assert!(error.to_string().starts_with("fc.weight[1] has a score of inf (its weight is inf)"), "{error}");
}

#[test]
fn a_free_entry_with_a_nan_score_is_an_error_that_names_it_and_a_pruned_one_is_not() {
    let mut layers = [Layer::new(&[1.0, f32::NAN])];
    let one = rule(Amount::Count(1), Scope::Global);
    let error = apply(&mut layers, one).unwrap_err();
    assert!(error.to_string().starts_with("fc.weight[1] has a score of NaN (its weight is NaN)"), "{error}");
    layers[0].entries[1] = Entry::Pruned;
    assert_eq!(apply(&mut layers, one), Ok(vec![1]));
}

#[test]
fn slices_of_unequal_length_are_refused() {
    let mut layers = [Layer::new(&[1.0, 2.0])];
    layers[0].scores.pop();
    let error = prune(&targets(&layers), rule(Amount::Count(1), Scope::Global)).unwrap_err();
    assert!(matches!(error, PruneError::Lengths { weights: 2, scores: 1, entries: 2, .. }));
}

#[test]
fn a_quota_in_steps_adds_up_and_ends_at_the_same_count() {
    let mut layers = [Layer::scattered(1000), Layer::scattered(100)];
    let whole = PruningRule { amount: Amount::Fraction(0.9), scope: Scope::Global, output_factor: 0.5 };
    let planned = quotas(&targets(&layers), whole).unwrap();
    assert_eq!(planned.iter().map(|quota| quota.remove).collect::<Vec<_>>(), [900, 45]);
    for step in 1..=100 {
        let part: Vec<Quota> = planned.iter().map(|quota| quota.step(step, 100)).collect();
        let removed = lowest_of(&targets(&layers), &part).unwrap();
        for ((layer, removed), quota) in layers.iter_mut().zip(removed).zip(&part) {
            assert_eq!(MaskCounts::new(&layer.entries).free, quota.free);
            for index in removed {
                layer.entries[index as usize] = Entry::Pruned;
            }
        }
    }
    assert_eq!(layers.map(|layer| MaskCounts::new(&layer.entries).free), [100, 55]);
}

#[test]
fn a_threshold_cannot_be_reached_in_steps() {
    let layers = [Layer::new(&[1.0])];
    let error = quotas(&targets(&layers), rule(Amount::Threshold(1.0), Scope::Global)).unwrap_err();
    assert_eq!(error, PruneError::ThresholdHasNoCount);
}

#[test]
fn a_network_without_targets_loses_nothing() {
    assert_eq!(prune(&[], rule(Amount::Fraction(0.5), Scope::Global)), Ok(vec![]));
}

fn any_layer() -> impl Strategy<Value = Layer> {
    let entry = prop_oneof![4 => Just(Entry::Free), 1 => Just(Entry::Pruned), 1 => Just(Entry::Frozen)];
    let weight = prop_oneof![-1_f32..1.0, Just(0.0), Just(0.5), Just(-0.5)];
    prop::collection::vec((weight, entry), 1..40).prop_map(|pairs| {
        let (weights, entries): (Vec<f32>, Vec<Entry>) = pairs.into_iter().unzip();
        Layer { entries, ..Layer::new(&weights) }
    })
}

fn any_amount() -> impl Strategy<Value = Amount> {
    prop_oneof![
        (0.0..=1.0).prop_map(Amount::Fraction),
        (0.0..=1.0).prop_map(Amount::Remaining),
        (0_u64..3).prop_map(Amount::Count),
        (0.0..1.0).prop_map(Amount::Threshold),
    ]
}

/// Returns what a group of entries must lose, from the words of the semantics alone.
fn expected(amount: Amount, group: &[Layer]) -> u64 {
    let counts: MaskCounts = group.iter().map(|layer| MaskCounts::new(&layer.entries)).sum();
    let small = |layer: &Layer, threshold: f64| {
        let pairs = layer.weights.iter().zip(&layer.entries);
        pairs.filter(|(weight, entry)| entry.is_free() && weight.abs() < threshold as f32).count() as u64
    };
    match amount {
        Amount::Fraction(fraction) => (fraction * counts.free as f64).round_ties_even() as u64,
        Amount::Remaining(fraction) => {
            let leave = (fraction * (counts.size() - counts.frozen) as f64).round_ties_even() as u64;
            counts.free.saturating_sub(leave)
        }
        Amount::Count(count) => count,
        Amount::Threshold(threshold) => group.iter().map(|layer| small(layer, threshold)).sum(),
    }
}

proptest! {
    #[test]
    fn every_amount_is_exact_in_both_scopes(
        layers in prop::collection::vec(any_layer(), 1..4),
        amount in any_amount(),
    ) {
        for scope in [Scope::Global, Scope::PerLayer] {
            let mut layers = layers.clone();
            let groups: Vec<&[Layer]> = match scope {
                Scope::Global => vec![&layers[..]],
                Scope::PerLayer => layers.chunks(1).collect(),
            };
            let wanted: Vec<u64> = groups.iter().map(|group| expected(amount, group)).collect();
            let free = |group: &&[Layer]| group.iter().map(|layer| MaskCounts::new(&layer.entries).free).sum::<u64>();
            let possible = groups.iter().zip(&wanted).all(|(group, &wanted)| wanted <= free(group));
            match apply(&mut layers, rule(amount, scope)) {
                Ok(removed) if scope == Scope::PerLayer => {
                    prop_assert_eq!(removed.iter().map(|&n| n as u64).collect::<Vec<_>>(), wanted);
                }
                Ok(removed) => prop_assert_eq!(vec![removed.iter().sum::<usize>() as u64], wanted),
                Err(error) => prop_assert!(!possible, "{}", error),
            }
        }
    }

    #[test]
    fn what_goes_scores_no_more_than_what_stays_and_a_mask_only_shrinks(
        layers in prop::collection::vec(any_layer(), 1..4),
        fraction in 0.0..=1.0,
    ) {
        let before = layers.clone();
        let mut layers = layers;
        apply(&mut layers, rule(Amount::Fraction(fraction), Scope::Global)).unwrap();
        let (mut gone, mut kept) = (0.0_f32, f32::INFINITY);
        for (before, after) in before.iter().zip(&layers) {
            for index in 0..before.entries.len() {
                match (before.entries[index], after.entries[index]) {
                    (Entry::Free, Entry::Pruned) => gone = gone.max(before.scores[index]),
                    (Entry::Free, Entry::Free) => kept = kept.min(before.scores[index]),
                    (was, is) => prop_assert_eq!(was, is),
                }
            }
        }
        prop_assert!(gone <= kept);
    }
}

mod ranks {
    use proptest::prelude::*;

    fn lowest(scores: &[f32], count: u64) -> Vec<u32> {
        crate::prune::lowest((0..).zip(scores.iter().copied()), count)
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

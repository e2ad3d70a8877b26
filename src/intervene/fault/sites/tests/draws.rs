use proptest::prelude::*;

use crate::fault::sites::*;
use crate::stream::{Purpose, Stream, stream};

fn rng(counter: u64) -> Stream {
    stream(4, Purpose::Fault, &[counter])
}

/// Pearson's statistic.
fn chi_square(counts: &[u64], expected: &[f64]) -> f64 {
    counts.iter().zip(expected).map(|(&count, expected)| (count as f64 - expected).powi(2) / expected).sum()
}

/// The binomial probabilities, one from the other.
fn probabilities(trials: u32, probability: f64) -> Vec<f64> {
    let odds = probability / (1.0 - probability);
    let next =
        |at: &f64, successes: u32| at * odds * f64::from(trials - successes) / f64::from(successes + 1);
    let mut all = vec![(1.0 - probability).powf(f64::from(trials))];
    for successes in 0..trials {
        all.push(next(&all[successes as usize], successes));
    }
    all
}

/// With the 99.9 % quantile of χ² for the classes, from tables.
#[test]
fn counts_are_binomial_by_chi_square() {
    for (counter, (trials, probability, quantile)) in
        [(6, 0.3, 22.46), (6, 0.8, 22.46), (4, 0.5, 18.47)].into_iter().enumerate()
    {
        let (mut rng, draws) = (rng(counter as u64), 20_000);
        let mut counts = vec![0; trials as usize + 1];
        for _ in 0..draws {
            counts[binomial(&mut rng, u64::from(trials), probability) as usize] += 1;
        }
        let expected: Vec<f64> =
            probabilities(trials, probability).into_iter().map(|share| share * f64::from(draws)).collect();
        let statistic = chi_square(&counts, &expected);
        assert!(statistic < quantile, "{trials} × {probability}: {statistic}");
    }
}

/// All bits of VGG-16's weights at a rate that hits 4.7 of them on average, so that the count is as good as Poisson.
#[test]
fn counts_of_half_a_billion_rare_faults_are_poisson_by_chi_square() {
    let (sites, rate, draws) = (471_304_512_u64, 1e-8, 20_000);
    let mean = sites as f64 * rate;
    let mut rng = rng(9);
    let mut counts = vec![0; 13];
    for _ in 0..draws {
        counts[(binomial(&mut rng, sites, rate) as usize).min(12)] += 1;
    }
    let mut expected = vec![(-mean).exp() * f64::from(draws)];
    for successes in 1..12 {
        expected.push(expected[successes - 1] * mean / successes as f64);
    }
    expected.push(f64::from(draws) - expected.iter().sum::<f64>());
    // 12 degrees of freedom.
    let statistic = chi_square(&counts, &expected);
    assert!(statistic < 32.91, "{statistic}");
}

#[test]
fn counts_at_higher_rates_have_the_right_mean_and_variance() {
    let (trials, probability, draws) = (100_000, 0.01, 400);
    let mut rng = rng(3);
    let counts: Vec<f64> = (0..draws).map(|_| binomial(&mut rng, trials, probability) as f64).collect();
    let mean = counts.iter().sum::<f64>() / f64::from(draws);
    let variance = counts.iter().map(|count| (count - mean).powi(2)).sum::<f64>() / f64::from(draws);
    // 1000 ± 4 standard errors of 31.5/20; 990 ± 4 of 990·√(2/400).
    assert!((mean - 1000.0).abs() < 6.3, "{mean}");
    assert!((variance - 990.0).abs() < 280.0, "{variance}");
}

#[test]
fn certain_and_impossible_faults_are_exact() {
    for trials in [0, 1, 1000] {
        assert_eq!(binomial(&mut rng(0), trials, 0.0), 0);
        assert_eq!(binomial(&mut rng(0), trials, 1.0), trials);
    }
    assert_eq!(binomial(&mut rng(0), u64::MAX, 1e-300), 0);
}

#[test]
fn every_pair_of_five_is_chosen_equally_often_by_chi_square() {
    let (mut rng, draws) = (rng(1), 10_000);
    let mut counts = std::collections::BTreeMap::<Vec<u64>, u64>::new();
    for _ in 0..draws {
        *counts.entry(distinct(&mut rng, 2, 5).into_iter().collect()).or_default() += 1;
    }
    assert_eq!(counts.len(), 10);
    let statistic = chi_square(&counts.into_values().collect::<Vec<_>>(), &[f64::from(draws) / 10.0; 10]);
    // 9 degrees of freedom.
    assert!(statistic < 27.88, "{statistic}");
}

/// From the same rules written out in Python.
#[test]
fn the_first_draws_never_change() {
    let mut rng = stream(0, Purpose::Fault, &[]);
    let counts = [(); 4].map(|()| binomial(&mut rng, 1000, 0.002));
    let sites: Vec<u64> = distinct(&mut rng, 5, 1_000_000).into_iter().collect();
    assert_eq!(counts, [2, 3, 1, 2]);
    assert_eq!(sites, [272_208, 435_128, 514_597, 696_400, 898_271]);
}

proptest! {
    #[test]
    fn chosen_numbers_are_distinct_in_range_and_exactly_as_many(seed: u64, count in 0_u64..60, size in 0_u64..50) {
        let chosen = distinct(&mut stream(seed, Purpose::Fault, &[]), count, size);
        prop_assert_eq!(chosen.len() as u64, count.min(size));
        prop_assert!(chosen.iter().all(|&number| number < size));
    }

    #[test]
    fn there_are_no_more_successes_than_trials(seed: u64, trials in 0_u64..500, probability in 0.0..=1.0) {
        prop_assert!(binomial(&mut stream(seed, Purpose::Fault, &[]), trials, probability) <= trials);
    }
}

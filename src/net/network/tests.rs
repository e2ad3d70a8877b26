use super::*;
use data::Shape;
use doc::{Loss, Net, Vgg};

fn network() -> Network {
    let shape = Shape { channels: 4, height: 1, width: 1 };
    let structure = Structure::new(&Net::default(), shape, 3, &Loss::CrossEntropy).unwrap();
    let initialisation = Initialisation { weights: Init::XavierNormal, biases: BiasInit::Usual };
    Network::new(Arc::new(structure), initialisation, 1, 0)
}

#[test]
fn initial_values_depend_on_seed_and_generation_only() {
    let (a, b) = (network(), network());
    assert_eq!(a, b);
    let mut c = network();
    c.write(0, &c.initial_values(0, 1, 1));
    assert_ne!(a.values(0), c.values(0));
    assert_eq!(a.values(2), c.values(2));
    assert!(a.values(1).iter().all(|&bias| bias == 0.0), "biases are zero with Xavier");
}

#[test]
fn a_clone_shares_until_it_is_written_and_the_original_is_untouched() {
    let original = network();
    let before = original.checksum();
    let mut clone = original.clone();
    assert!(Arc::ptr_eq(&original.values[0], &clone.values[0]));
    assert!(original.shares_arrays(&clone));
    clone.prune(0, &[0, 1]);
    assert!(!original.shares_arrays(&clone));
    assert_eq!(original.checksum(), before);
    assert_ne!(clone.checksum(), before);
}

#[test]
fn held_entries_drop_what_is_written() {
    let mut network = network();
    network.prune(1, &[0]);
    network.freeze(1, &[0, 2], None);
    let size = network.values(1).len();
    let written = network.write(1, &vec![7.0; size]);
    assert_eq!(written, Written { taken: size - 2, dropped: 2 });
    assert_eq!(network.values(1)[..4], [0.0, 7.0, 0.0, 7.0]);
    assert_eq!(network.mask_counts(1), MaskCounts { free: size as u64 - 2, pruned: 1, frozen: 1 });
}

#[test]
fn what_lies_outside_is_neither_written_nor_counted() {
    let mut network = network();
    network.prune(1, &[0, 3]);
    let size = network.values(1).len();
    let written = network.write_inside(1, &vec![7.0; size], &|entry| entry < 3);
    assert_eq!(written, Written { taken: 2, dropped: 1 });
    assert_eq!(network.values(1)[..5], [0.0, 7.0, 7.0, 0.0, 0.0]);
}

#[test]
fn a_released_entry_goes_on_from_the_value_that_it_has() {
    let mut network = network();
    let before = network.values(0).to_vec();
    network.freeze(0, &[3], None);
    assert_eq!(network.release(0, Entry::Frozen, &|_| true), 1);
    assert_eq!(network.values(0), before);
    assert!(network.entries(0).is_none());
    network.prune(0, &[3]);
    assert_eq!(network.release(0, Entry::Frozen, &|_| true), 0);
    assert_eq!(network.values(0)[3].to_bits(), 0.0f32.to_bits());
}

#[test]
fn remaining_counts_weights_only() {
    let mut network = network();
    assert_eq!(network.remaining(), 1.0);
    let all: Vec<u32> = (0..u32::try_from(network.values(0).len()).unwrap()).collect();
    network.prune(0, &all);
    network.prune(1, &[0]);
    let total = 4.0 * 300.0 + 300.0 * 100.0 + 100.0 * 3.0;
    assert_eq!(network.remaining(), (total - 1200.0) / total);
}

/// The running mean and variance of the first channel of a batch norm that has seen one mini-batch of so many values a
/// channel, with mean 10 and variance 10; some of the statistics are frozen.
fn running(count: usize, frozen: &[usize]) -> [f32; 2] {
    let net = Net::Vgg(Vgg { depth: 11, width: 1, ..Vgg::default() });
    let structure = Structure::new(&net, Shape::new(1, 32, 32), 3, &Loss::CrossEntropy).unwrap();
    let initialisation = Initialisation { weights: Init::PyTorch, biases: BiasInit::Usual };
    let mut network = Network::new(Arc::new(structure), initialisation, 1, 0);
    let statistics =
        [Role::RunningMean, Role::RunningVariance].map(|role| network.structure().position(1, role).unwrap());
    for &index in frozen {
        network.freeze(statistics[index], &[0], None);
    }
    network.follow(&[BatchStatistics { layer: 1, mean: vec![10.0], variance: vec![10.0], count }]);
    statistics.map(|index| network.values(index)[0])
}

#[test]
fn running_statistics_go_a_tenth_of_the_way_with_the_unbiased_variance() {
    let [mean, variance] = running(5, &[]);
    assert_eq!(mean, 1.0); // 0.9 · 0 + 0.1 · 10
    assert!((variance - 2.15).abs() < 1e-6, "0.9 · 1 + 0.1 · 10 · 5/4, not {variance}");
    let [_, of_two] = running(2, &[]);
    assert!((of_two - 2.9).abs() < 1e-6, "0.9 · 1 + 0.1 · 10 · 2/1, not {of_two}");
    let [_, of_one] = running(1, &[]);
    assert!((of_one - 1.9).abs() < 1e-6, "a single value has no unbiased variance, {of_one}");
}

#[test]
fn frozen_statistics_follow_no_mini_batch() {
    assert_eq!(running(5, &[0])[0], 0.0);
    assert_eq!(running(5, &[1])[1], 1.0);
}

#[test]
fn a_mask_counts_its_entries_through_every_change() {
    let mut network = network();
    let counts = |network: &Network| {
        let MaskCounts { free, pruned, frozen } = network.mask_counts(5);
        [free, pruned, frozen]
    };
    assert_eq!(counts(&network), [3, 0, 0]); // the last parameter: three biases
    network.prune(5, &[0]);
    network.freeze(5, &[0, 1], None);
    assert_eq!(counts(&network), [1, 1, 1]);
    network.prune(5, &[1, 0]);
    assert_eq!(counts(&network), [1, 2, 0]);
    assert_eq!(network.release(5, Entry::Pruned, &|entry| entry == 0), 1);
    assert_eq!(counts(&network), [2, 1, 0]);
    network.set_entries(5, vec![Entry::Frozen, Entry::Pruned, Entry::Frozen]);
    assert_eq!(counts(&network), [0, 1, 2]);
    network.set_entries(5, vec![Entry::Free; 3]);
    assert_eq!((counts(&network), network.entries(5)), ([3, 0, 0], None));
}

#[test]
fn multiply_adds_count_surviving_weights_once_for_every_pixel() {
    let net = Net::Vgg(Vgg { depth: 11, width: 1, ..Vgg::default() });
    let structure = Arc::new(Structure::new(&net, Shape::new(1, 32, 32), 3, &Loss::CrossEntropy).unwrap());
    let initialisation = Initialisation { weights: Init::PyTorch, biases: BiasInit::Usual };
    let mut network = Network::new(structure.clone(), initialisation, 1, 0);
    assert_eq!(network.surviving_multiply_adds(), structure.multiply_adds());
    network.prune(structure.find("features.0.weight").unwrap(), &[0, 1]);
    network.prune(structure.find("features.1.weight").unwrap(), &[0]);
    assert_eq!(network.surviving_multiply_adds(), structure.multiply_adds() - 2 * 32 * 32);
}

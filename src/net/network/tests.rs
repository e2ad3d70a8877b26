use super::*;
use crate::data::Shape;
use crate::doc::{Loss, Net};

fn network() -> Network {
    let shape = Shape { channels: 4, height: 1, width: 1 };
    let structure = Structure::new(&Net::default(), shape, 3, &Loss::CrossEntropy);
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
    clone.prune(0, &[0, 1]);
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

use proptest::prelude::*;

use super::*;

const GOLDEN: [f32; 3] = [1.0, 3.0, 2.0];

/// The class of an image; it has exactly one.
fn class(tally: Tally) -> &'static str {
    let Tally { masked, benign, sdc1, due, .. } = tally;
    match [masked, benign, sdc1, due] {
        [1, 0, 0, 0] => "masked",
        [0, 1, 0, 0] => "benign",
        [0, 0, 1, 0] => "sdc1",
        [0, 0, 0, 1] => "due",
        _ => panic!("{tally:?}"),
    }
}

fn outcome(faulty: [f32; 3]) -> &'static str {
    class(Tally::from_image(&GOLDEN, &faulty, 0))
}

#[test]
fn each_class_in_one_example() {
    assert_eq!(outcome(GOLDEN), "masked");
    assert_eq!(outcome([1.0, 2.5, 2.0]), "benign");
    assert_eq!(outcome([1.0, 1.5, 2.0]), "sdc1");
    assert_eq!(outcome([1.0, f32::NAN, 2.0]), "due");
    assert_eq!(outcome([f32::NEG_INFINITY, 3.0, 2.0]), "due");
}

#[test]
fn masked_means_equal_bits() {
    assert_eq!(class(Tally::from_image(&[0.0, 1.0], &[-0.0, 1.0], 0)), "benign");
}

#[test]
fn of_equal_logits_the_lower_class_is_predicted() {
    // Class 1 before; 0 and 1 equal, so 0 now; then 1 and 2 equal, so 1 still.
    assert_eq!(outcome([3.0, 3.0, 2.0]), "sdc1");
    assert_eq!(outcome([1.0, 3.0, 3.0]), "benign");
}

#[test]
fn corrected_and_lost_compare_with_the_label() {
    let brief = |label| {
        let tally = Tally::from_image(&GOLDEN, &[4.0, 3.0, 2.0], label);
        (tally.corrected, tally.lost, tally.correct)
    };
    assert_eq!(brief(0), (1, 0, 1));
    assert_eq!(brief(1), (0, 1, 0));
    assert_eq!(brief(2), (0, 0, 0));
}

#[test]
fn a_detectable_error_is_wrong_but_not_lost() {
    let tally = Tally::from_image(&GOLDEN, &[f32::NAN; 3], 1);
    assert_eq!((class(tally), tally.lost, tally.correct), ("due", 0, 0));
}

#[test]
fn sdc5_is_that_the_golden_class_is_sixth_or_worse() {
    let golden = [9.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    let sdc5 = |faulty: [f32; 6]| Tally::from_image(&golden, &faulty, 0).sdc5;
    assert_eq!(sdc5([0.0, 1.0, 1.0, 1.0, 1.0, 1.0]), 1);
    assert_eq!(sdc5([0.0, 1.0, 1.0, 1.0, 1.0, 0.0]), 0, "class 0 comes before class 5 among equals");
    let five = Tally::from_image(&golden[..5], &[0.0, 1.0, 1.0, 1.0, 1.0], 0);
    assert_eq!((class(five), five.sdc5), ("sdc1", 0));
}

#[test]
fn with_one_logit_the_sign_is_the_class() {
    let tally = |golden, faulty| Tally::from_image(&[golden], &[faulty], 1);
    assert_eq!(class(tally(1.0, 0.5)), "benign");
    assert_eq!(class(tally(1.0, -0.5)), "sdc1");
    assert_eq!(class(tally(-1.0, 0.0)), "benign");
    assert_eq!((tally(-1.0, 1.0).corrected, tally(1.0, -1.0).lost), (1, 1));
    assert_eq!(tally(1.0, -1.0).sdc5, 0);
}

#[test]
fn a_tally_has_rates() {
    let golden = [GOLDEN, GOLDEN, GOLDEN, GOLDEN].concat();
    let faulty = [GOLDEN, [9.0, 3.0, 2.0], [f32::NAN; 3], [1.0, 4.0, 2.0]].concat();
    let tally = Tally::from_logits(&golden, &faulty, 3, &[1, 1, 1, 1]);
    let expected =
        Tally { images: 4, masked: 1, benign: 1, sdc1: 1, due: 1, lost: 1, correct: 2, ..Tally::default() };
    assert_eq!(tally, expected);
    assert_eq!((tally.sdc1_share(), tally.accuracy()), (0.25, 0.5));
}

/// Logits with many ties, and some that are not finite.
fn logits() -> impl Strategy<Value = f32> + Clone {
    prop_oneof![8 => (-3_i8..3).prop_map(f32::from), 1 => Just(-0.0), 1 => Just(f32::NAN), 1 => Just(f32::INFINITY)]
}

proptest! {
    #[test]
    fn every_image_has_one_class_and_the_others_are_parts_of_sdc1(
        (outputs, golden, faulty) in (1_usize..9).prop_flat_map(|outputs| {
            let rows = prop::collection::vec(logits(), outputs * 20);
            (Just(outputs), rows.clone(), rows)
        }),
        labels in prop::collection::vec(0_u32..9, 20),
    ) {
        let tally = Tally::from_logits(&golden, &faulty, outputs, &labels);
        prop_assert_eq!(tally.images, 20);
        prop_assert_eq!(tally.masked + tally.benign + tally.sdc1 + tally.due, tally.images);
        prop_assert!(tally.sdc5 <= tally.sdc1 && (outputs > 5 || tally.sdc5 == 0));
        prop_assert!(tally.corrected + tally.lost <= tally.sdc1);
    }

    /// What was right changes by what is corrected and lost, and by what is detected.
    #[test]
    fn accuracy_changes_by_what_is_corrected_and_lost(
        golden in prop::collection::vec((-3_i8..3).prop_map(f32::from), 60),
        faulty in prop::collection::vec((-3_i8..3).prop_map(f32::from), 60),
        labels in prop::collection::vec(0_u32..6, 10),
    ) {
        let before = Tally::from_logits(&golden, &golden, 6, &labels);
        let after = Tally::from_logits(&golden, &faulty, 6, &labels);
        prop_assert_eq!(before.masked, 10);
        prop_assert_eq!(before.correct + after.corrected, after.correct + after.lost);
    }
}

#[test]
fn every_outcome_is_defined_under_its_name_and_every_part_of_a_figure_too() {
    for outcome in ImageOutcome::ALL {
        let words = definition(outcome.name()).unwrap();
        assert!(words.to_lowercase().starts_with(&outcome.name().to_lowercase()), "{words}");
    }
    assert!(definition("SDC-5").is_some() && definition("SDC-1 only").is_some());
    assert_eq!(definition("trials"), None);
}

#[test]
fn the_counts_of_a_tally_are_those_of_its_outcomes() {
    let faulty = [GOLDEN, [1.0, 2.5, 2.0], [1.0, 1.5, 2.0], [1.0, f32::NAN, 2.0]];
    let tally: Tally = faulty.iter().map(|faulty| Tally::from_image(&GOLDEN, faulty, 1)).sum();
    for outcome in ImageOutcome::ALL {
        assert_eq!(outcome.count(&tally), 1, "{}", outcome.name());
        assert_eq!(
            faulty.iter().filter(|faulty| ImageOutcome::from_logits(&GOLDEN, &faulty[..]) == outcome).count(),
            1
        );
    }
}

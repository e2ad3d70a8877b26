//! Texts of the window are read back, and wrong ones are explained.

use super::*;
use crate::{Steps, Value};

const PLAIN: Field = Field::new("x", "Times", "");
const SHARE: Field = Field { unit: "%", range: Some([0.0, 1.0]), ..PLAIN };
const SEEDS: Field = Field { unit: "seeds", label: "Seeds", ..PLAIN };

fn read<T: Value + Default>(text: &str, field: &Field) -> Result<T, String> {
    let mut value = T::default();
    set_text(&mut value, text, field).map(|()| value)
}

#[test]
fn a_share_is_read_as_a_percentage_and_as_a_share() {
    for (text, share) in [
        ("50 %", 0.5),
        ("0.5", 0.5),
        ("half", 0.5),
        ("half the amount", 0.5),
        ("7%", 0.07),
        ("1", 1.0),
        ("1 %", 0.01),
        ("50", 0.5),
        ("20", 0.2),
        ("1.5", 0.015),
        ("120 %", 1.2),
    ] {
        assert_eq!(read::<f64>(text, &SHARE), Ok(share), "{text}");
    }
    assert_eq!(to_text(&mut 0.07, &SHARE), "7 %");
    assert_eq!(range_problem(1.2, &SHARE).unwrap(), "120 % is above 100 %; allowed: 0 % to 100 %");
}

#[test]
fn numbers_are_read_with_what_the_window_prints_after_them() {
    let trials = Field { unit: "trials", label: "Fixed", ..PLAIN };
    let entries = Field { unit: "entries", ..trials };
    for (text, field, number) in [
        ("9,547 trials", &trials, 9547),
        ("1 trial", &trials, 1),
        ("1 entry", &entries, 1),
        ("3 entries", &entries, 3),
        ("12 times", &PLAIN, 12),
        ("10 000", &PLAIN, 10_000),
        ("1e4", &PLAIN, 10_000),
    ] {
        assert_eq!(read::<u64>(text, field), Ok(number), "{text}");
    }
    for text in ["5 apples", "-1", "2.5", "", "trials"] {
        assert!(read::<u64>(text, &trials).is_err(), "{text}");
    }
    for (text, number) in [("0.5", 0.5), (" −2 ", -2.0), ("1e-3", 0.001), ("10 %", 0.1)] {
        assert_eq!(read::<f64>(text, &PLAIN), Ok(number), "{text}");
    }
    for text in ["inf", "NaN", "fast"] {
        assert!(read::<f64>(text, &PLAIN).is_err(), "{text}");
    }
}

#[test]
fn seeds_are_one_text() {
    for (text, seeds, written) in [
        ("1-10", (1..=10).collect(), "1-10"),
        ("31-22, 0", (22..=31).rev().chain([0]).collect(), "31-22, 0"),
        ("3..1", vec![3, 2, 1], "3-1"),
        ("1, 2, 1, 0", vec![1, 2, 1, 0], "1, 2-0"),
        ("1-3, 7", vec![1, 2, 3, 7], "1-3, 7"),
        ("[4, 2]", vec![4, 2], "4, 2"),
        ("1..3", vec![1, 2, 3], "1-3"),
        ("1, 2", vec![1, 2], "1, 2"),
    ] {
        let mut read = read::<Vec<u64>>(text, &SEEDS).unwrap();
        assert_eq!(read, seeds, "{text}");
        assert_eq!(to_text(&mut read, &SEEDS), written);
        assert_eq!(count_text(read.len(), &SEEDS).unwrap(), counted(seeds.len() as u64, "seed"));
    }
    for (text, why) in [
        ("1-", "\"1-\" has no end; write 1-10"),
        ("3, 20..", "\"20..\" has no end; write 20-29"),
        ("..3", "\"..3\" has no start; write 1-10"),
    ] {
        assert_eq!(read::<Vec<u64>>(text, &SEEDS).unwrap_err(), why);
    }
    let many = "\"1-99999999\" makes more than 100,000 values; write fewer, such as 1-10";
    assert_eq!(read::<Vec<u64>>("1-99999999", &SEEDS).unwrap_err(), many);
    let large = read::<Vec<u64>>("18446744073709551616", &SEEDS).unwrap_err();
    assert_eq!(large, "18446744073709551616 is too large; write at most 18,446,744,073,709,551,615");
    assert!(read::<Vec<u64>>("1, two", &SEEDS).unwrap_err().contains("\"two\" is not a whole number"));
}

#[test]
fn lists_of_values_are_typed_or_spaced() {
    let rates = |text| read_list(&mut 0.0, text, &PLAIN);
    assert_eq!(rates("0.001, 0.003").unwrap(), ["0.001", "0.003"]);
    assert_eq!(rates("[0.1]").unwrap(), ["0.1"]);
    assert_eq!(rates("1e-4..1e-1 log 4").unwrap(), ["0.0001", "0.001", "0.01", "0.1"]);
    assert_eq!(rates("0..1 step 0.25").unwrap(), ["0.0", "0.25", "0.5", "0.75", "1.0"]);
    assert_eq!(rates("0..1 lin 3").unwrap(), ["0.0", "0.5", "1.0"]);
    assert!(rates("1..2 by ear").unwrap_err().contains("log 4"));
    assert_eq!(read_list(&mut 0.0, "10 %..30 % step 0.1", &SHARE).unwrap(), ["0.1", "0.2", "0.3"]);
    for text in ["10..30 step 10", "10, 20, 30", "0.1, 0.2, 0.3", "10 %, 0.2, 30 %", "10..30 step 10 %"] {
        assert_eq!(read_list(&mut 0.0, text, &SHARE).unwrap(), ["0.1", "0.2", "0.3"], "{text}");
    }
    assert_eq!(read_list(&mut 0.0, "1, 5", &SHARE).unwrap(), ["0.01", "0.05"], "not 100 % and 5 %");
    assert_eq!(read_list(&mut 0.0, "100 %..120 % step 10 %", &SHARE).unwrap(), ["1.0", "1.1", "1.2"]);
    assert_eq!(read_list(&mut 1_u64, "16..256 log 5", &PLAIN).unwrap(), ["16", "32", "64", "128", "256"]);
    let lengths = read_list(&mut Steps::epochs(1), "5 epochs, 300it", &PLAIN).unwrap();
    assert_eq!(lengths, ["\"5ep\"", "\"300it\""]);
    for text in ["[32], [64, 32]", "[[32], [64, 32]]"] {
        assert_eq!(read_list(&mut vec![1_u64], text, &PLAIN).unwrap(), ["[32]", "[64, 32]"], "{text}");
    }
    assert_eq!(item_text(&mut vec![64_u64, 32], &PLAIN), "[64, 32]");
}

//! An experiment that is over in a second.

/// Two arms with two seeds on a part of the digits.
pub const TINY: &str = r#"(
    data: Digits(limit_train: 200, limit_test: 100),
    net: Mlp(hidden: [16]),
    train: (optimizer: Adam(rate: 0.01), batch: 32),
    seeds: [1, 2],
    arms: [
        (name: "dense, plain", plan: [Train("5ep"), Test]),
        (name: "pruned", plan: [Train("5ep"), Do(Prune(amount: Fraction(0.5))), Test]),
    ],
)"#;

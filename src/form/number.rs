//! Counts and shares as people read them.

/// A count with commas between groups of three digits: `266,610`.
pub fn grouped(number: u64) -> String {
    in_groups(&number.to_string())
}

/// A share in [0, 1] as percent with two decimals: `98.12 %`.
pub fn percent(share: f64) -> String {
    if share.is_finite() { format!("{:.2} %", share * 100.0) } else { "not a number".to_owned() }
}

/// A number as a person writes it: `0.0001`, `1e-5`.
pub fn number(value: f64) -> String {
    if value != 0.0 && (value.abs() < 1e-4 || value.abs() >= 1e6) {
        format!("{value:e}")
    } else {
        value.to_string()
    }
}

/// A share of a whole with the decimals that it has: 0.2 is `20 %`.
pub fn share_in_percent(share: f64) -> String {
    // Rounded to a millionth of a percent: 0.07 · 100 is 7.000000000000001.
    format!("{} %", number((share * 1e8).round() / 1e6))
}

/// Digits with commas between groups of three.
pub fn in_groups(whole: &str) -> String {
    let mut text = String::with_capacity(whole.len() * 4 / 3);
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_shares_are_written_as_people_read_them() {
        assert_eq!([0, 999, 1000, 14_728_266].map(grouped), ["0", "999", "1,000", "14,728,266"]);
        assert_eq!([0.981_23, f64::NAN].map(percent), ["98.12 %", "not a number"]);
    }
}

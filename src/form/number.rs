//! Numbers as text.

/// Returns a count with commas between groups of three digits: `266,610`.
pub fn grouped(number: u64) -> String {
    in_groups(&number.to_string())
}

/// Returns a count with its noun: `1 run`, `12,000 runs`, `2 entries`.
pub fn counted(count: impl TryInto<u64>, noun: &str) -> String {
    let count = count.try_into().unwrap_or(u64::MAX);
    if count == 1 {
        return format!("1 {noun}");
    }
    let plural = noun.strip_suffix("ry").map_or_else(|| format!("{noun}s"), |stem| format!("{stem}ries"));
    format!("{} {plural}", grouped(count))
}

/// Lists items: `a`, `a and b`, `a, b and c`; `nothing` without any.
pub fn listed<T: AsRef<str>>(items: &[T]) -> String {
    match items {
        [] => "nothing".to_owned(),
        [one] => one.as_ref().to_owned(),
        [first @ .., last] => {
            let first: Vec<&str> = first.iter().map(AsRef::as_ref).collect();
            format!("{} and {}", first.join(", "), last.as_ref())
        }
    }
}

/// Returns the first `most` names of a list, and how many there are beside: `a, b and 3 more`; what is `between` two names is `, `.
pub fn first_of<T: AsRef<str>>(names: impl IntoIterator<Item = T>, most: usize, between: &str) -> String {
    let (mut text, mut more) = (String::new(), 0);
    for (index, name) in names.into_iter().enumerate() {
        if index >= most {
            more += 1;
            continue;
        }
        text.push_str(if index > 0 { between } else { "" });
        text.push_str(name.as_ref());
    }
    if more > 0 { format!("{text} and {} more", grouped(more)) } else { text }
}

/// Returns a number as a person writes it: `0.0001`, `1e-5`.
pub fn number(value: f64) -> String {
    if value != 0.0 && (value.abs() < 1e-4 || value.abs() >= 1e6) {
        format!("{value:e}")
    } else {
        value.to_string()
    }
}

/// Returns a share of a whole with the decimals that it has: 0.2 is `20 %`.
pub fn share_in_percent(share: f64) -> String {
    // Rounded to a millionth of a percent: 0.07 · 100 is 7.000000000000001.
    format!("{} %", number((share * 1e8).round() / 1e6))
}

/// Returns a size in millions of bytes, as file managers show it: `170.1 MB`.
pub fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

/// Writes bytes as lower-case hexadecimal digits.
pub fn hexadecimal(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.map(|digit| char::from(DIGITS[usize::from(digit)])).collect()
}

/// Puts commas between groups of three digits.
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
    fn counts_are_written_as_people_read_them() {
        assert_eq!([0, 999, 1000, 14_728_266].map(grouped), ["0", "999", "1,000", "14,728,266"]);
        assert_eq!([0, 1, 12_000].map(|count| counted(count, "run")), ["0 runs", "1 run", "12,000 runs"]);
        assert_eq!([1, 3].map(|count| counted(count, "entry")), ["1 entry", "3 entries"]);
    }

    #[test]
    fn of_long_lists_the_first_are_named_and_the_others_counted() {
        assert_eq!(first_of(["a", "b", "c"], 3, ", "), "a, b, c");
        assert_eq!(first_of((0..1005).map(|name| name.to_string()), 2, "; "), "0; 1 and 1,003 more");
        assert_eq!(first_of([""; 0], 2, ", "), "");
    }
}

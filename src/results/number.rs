//! Numbers and times as text for people: a real minus sign, digits in groups, powers of ten. The window, the command
//! line and figures format every value with these functions.

use form::number::{grouped, in_groups};

/// A notation for the numbers of an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// Plain.
    #[default]
    Number,
    /// The value is a share in 0..1 and is written as percent.
    Percent,
    /// On a logarithmic axis always as a power of ten: 10⁻⁶.
    Power,
}

/// Returns a number with this many decimals, a real minus sign, and commas from 10,000 on.
pub fn fixed(value: f64, decimals: usize) -> String {
    let digits = format!("{:.decimals$}", value.abs());
    let zero = digits.bytes().all(|byte| matches!(byte, b'0' | b'.'));
    let sign = if value < 0.0 && !zero { "\u{2212}" } else { "" };
    let (whole, fraction) = digits.split_at(digits.find('.').unwrap_or(digits.len()));
    // Years and batch sizes stay whole.
    let whole = if whole.len() < 5 { whole.to_owned() } else { in_groups(whole) };
    format!("{sign}{whole}{fraction}")
}

/// Returns a number in text without zeros at the end of its decimals: 0.003, where 0.003000 would be as exact.
pub fn without_zeros(number: &str) -> &str {
    let is_decimal = number.contains('.') && number.ends_with('0');
    if is_decimal { number.trim_end_matches('0').trim_end_matches('.') } else { number }
}

/// Means of equal values differ by rounding errors up to this size.
pub const ROUNDING: f64 = 1e-12;

/// Writes half of an interval, with its text: "± 0.10", and "± < 0.01" where the digits of the text cannot show it.
pub fn plus_minus(half: f64, text: &str) -> String {
    let is_lost = half > ROUNDING && !text.bytes().any(|byte| (b'1'..=b'9').contains(&byte));
    match text.rfind('0').filter(|_| is_lost) {
        Some(last) => format!("± < {}1{}", &text[..last], &text[last + 1..]),
        None => format!("± {text}"),
    }
}

/// Returns a factor times a power of ten: 2×10⁻⁶, and 10⁻⁶ where the factor is 1.
pub fn scientific(factor: &str, exponent: i32) -> String {
    let power = format!("10{}", superscript(exponent));
    if factor == "1" { power } else { format!("{factor}×{power}") }
}

fn superscript(number: i32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let raised = |letter: char| letter.to_digit(10).map_or('⁻', |digit| DIGITS[digit as usize]);
    number.to_string().chars().map(raised).collect()
}

/// Returns a share in [0, 1] as percent with two decimals: `98.12 %`.
pub fn percent(share: f64) -> String {
    if share.is_finite() { format!("{} %", fixed(share * 100.0, 2)) } else { "not a number".to_owned() }
}

/// Returns a large number: from a million on with two digits, `3.1×10⁸`, else `12,000`.
pub fn short(number: f64) -> String {
    // Of the rounded number: 9.96 million are 1×10⁷.
    let rounded = format!("{number:.1e}").parse().unwrap_or(number);
    let exponent = if rounded > 0.0 { exponent_of(rounded) } else { 0 };
    if exponent < 6 {
        return fixed(number, 0);
    }
    scientific(without_zeros(&fixed(number / 10f64.powi(exponent), 1)), exponent)
}

/// Writes `4,810` or, where they differ, `2,410 to 4,810`.
pub fn span(numbers: impl Iterator<Item = u64> + Clone) -> String {
    let (low, high) = (numbers.clone().min().unwrap_or_default(), numbers.max().unwrap_or_default());
    if low == high { grouped(low) } else { format!("{} to {}", grouped(low), grouped(high)) }
}

/// Returns a length of time in two units at most: `7.6 s`, `45 s`, `1 min 05 s`, `4 min`, `2 h 05 min`.
pub fn duration(secs: f64) -> String {
    let secs = secs.clamp(0.0, 1e9);
    let whole = secs.round() as u64;
    match (whole / 3600, whole / 60 % 60, whole % 60) {
        (0, 0, 0..10) if secs >= 0.05 => format!("{secs:.1} s"),
        (0, 0, secs) => format!("{secs} s"),
        (0, minutes, 0) => format!("{minutes} min"),
        (0, minutes, secs) => format!("{minutes} min {secs:02} s"),
        (hours, 0, _) => format!("{} h", grouped(hours)),
        (hours, minutes, _) => format!("{} h {minutes:02} min", grouped(hours)),
    }
}

/// Returns a length of time between two bounds, rounded outwards: `< 1 min`, `9–12 min`, `1.5–2 h`, `2–3 days`.
pub fn duration_range([least, most]: [f64; 2]) -> String {
    const MINUTE: f64 = 60.0;
    const HOUR: f64 = 3600.0;
    const DAY: f64 = 24.0 * HOUR;
    let most = most.clamp(0.0, 1e12);
    let least = least.clamp(0.0, most);
    if most < MINUTE {
        return "< 1 min".to_owned();
    }
    let (step, unit, name) = if most < 1.5 * HOUR {
        (MINUTE, MINUTE, "min")
    } else if most < 8.0 * HOUR {
        (0.5 * HOUR, HOUR, "h")
    } else if most < 2.0 * DAY {
        (HOUR, HOUR, "h")
    } else {
        (DAY, DAY, "days")
    };
    let (low, high) = ((least / step).floor() * step / unit, (most / step).ceil() * step / unit);
    let text = |value: f64| without_zeros(&fixed(value, 1)).to_owned();
    if low == 0.0 {
        format!("< {} {name}", text(high))
    } else if low == high {
        format!("{} {name}", text(high))
    } else {
        format!("{}–{} {name}", text(low), text(high))
    }
}

/// Returns a value for reading, as in a tooltip: four significant digits, shares as 98.12 %.
pub fn readable(value: f64, format: Format) -> String {
    if !value.is_finite() {
        return "not finite".to_owned();
    }
    match format {
        Format::Percent => percent(value),
        Format::Number | Format::Power => significant(value),
    }
}

/// Writes four significant digits; whole numbers keep all of theirs.
fn significant(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let exponent = exponent_of(value);
    if (-4..6).contains(&exponent) {
        let is_whole = value.fract() == 0.0;
        return fixed(value, if is_whole { 0 } else { usize::try_from(3 - exponent).unwrap_or(0) });
    }
    let factor = value / 10f64.powi(exponent);
    scientific(without_zeros(&fixed(factor, 3)), exponent)
}

/// The format of the numbers of one column, which aligns their digits.
#[derive(Clone, Copy, Debug)]
pub struct Digits {
    format: Format,
    /// The decimals of all of them; nothing for shares, or where the largest needs a power of ten.
    decimals: Option<usize>,
}

impl Digits {
    /// Writes four significant digits of the largest value, and as many decimals of all others.
    pub fn new(values: impl IntoIterator<Item = f64>, format: Format) -> Self {
        let (mut largest, mut are_whole) = (0.0, true);
        for value in values.into_iter().filter(|value| value.is_finite()) {
            largest = f64::max(largest, value.abs());
            are_whole &= value.fract() == 0.0;
        }
        let exponent = if largest > 0.0 { exponent_of(largest) } else { 0 };
        let is_usual = format != Format::Percent && (-4..6).contains(&exponent);
        let decimals = if are_whole { 0 } else { usize::try_from(3 - exponent).unwrap_or(0) };
        Self { format, decimals: is_usual.then_some(decimals) }
    }

    /// Returns a value of the column. One that would round to 0 keeps its significant digits.
    pub fn text(self, value: f64) -> String {
        let decimals = self.decimals.filter(|_| value.is_finite());
        let text = decimals.map(|decimals| fixed(value, decimals));
        let is_lost = |text: &String| value != 0.0 && !text.bytes().any(|byte| (b'1'..=b'9').contains(&byte));
        text.filter(|text| !is_lost(text)).unwrap_or_else(|| readable(value, self.format))
    }

    /// Returns the same without the sign of per cent.
    pub fn bare(self, value: f64) -> String {
        self.text(value).replace(" %", "")
    }
}

/// Returns the power of ten of the first digit, after rounding to four digits. `value` is finite and not zero.
pub fn exponent_of(value: f64) -> i32 {
    let text = format!("{value:.3e}");
    let exponent = text.rsplit('e').next().and_then(|exponent| exponent.parse().ok());
    exponent.expect("`{:e}` of a finite number ends with its exponent")
}

/// Returns a number as CSV and spreadsheets read it: all digits that matter, `NaN`, `inf` or `-inf`.
pub fn plain(value: f64) -> String {
    let text = format!("{value:?}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_that_is_smaller_than_its_digits_is_not_zero() {
        assert_eq!(plus_minus(0.1, "0.10"), "± 0.10");
        assert_eq!(plus_minus(0.004, "0.00"), "± < 0.01");
        assert_eq!(plus_minus(0.000_04, "0.00 %"), "± < 0.01 %");
        assert_eq!(plus_minus(0.4, "0"), "± < 1");
        assert_eq!([0.0, 1e-17].map(|half| plus_minus(half, "0.00")), ["± 0.00", "± 0.00"]);
    }

    #[test]
    fn zeros_at_the_end_of_decimals_can_be_left_out() {
        assert_eq!(["0.003000", "2.00", "100", "0.5"].map(without_zeros), ["0.003", "2", "100", "0.5"]);
        assert_eq!(without_zeros("1.50×10⁻⁷"), "1.50×10⁻⁷");
    }

    #[test]
    fn a_range_of_time_is_rounded_outwards() {
        let hours = |low: f64, high: f64| duration_range([3600.0 * low, 3600.0 * high]);
        assert_eq!(duration_range([5.0, 59.0]), "< 1 min");
        assert_eq!(duration_range([20.0, 100.0]), "< 2 min");
        assert_eq!(duration_range([550.0, 700.0]), "9–12 min");
        assert_eq!(duration_range([600.0, 600.0]), "10 min");
        assert_eq!(hours(1.6, 1.9), "1.5–2 h");
        assert_eq!(hours(20.2, 30.0), "20–30 h");
        assert_eq!(hours(50.0, 71.0), "2–3 days");
    }

    #[test]
    fn numbers_have_a_real_minus_and_groups_from_ten_thousand_on() {
        assert_eq!(fixed(-1.25, 1), "−1.2");
        assert_eq!(fixed(9999.0, 0), "9999");
        assert_eq!(fixed(50_000.0, 0), "50,000");
        assert_eq!(fixed(-1_234_567.5, 1), "−1,234,567.5");
        assert_eq!(fixed(-0.001, 1), "0.0", "nothing is less than nothing");
    }

    #[test]
    fn powers_of_ten_are_raised() {
        assert_eq!(scientific("1", -6), "10⁻⁶");
        assert_eq!(scientific("2.5", 12), "2.5×10¹²");
        assert_eq!(scientific("1", 0), "10⁰");
    }

    #[test]
    fn readable_values_have_four_digits_and_percent_two_decimals() {
        assert_eq!(readable(0.981_234_56, Format::Percent), "98.12 %");
        assert_eq!(readable(0.123_456, Format::Number), "0.1235");
        assert_eq!(readable(12_345.0, Format::Number), "12,345");
        assert_eq!(readable(1.2e-6, Format::Number), "1.2×10⁻⁶");
        assert_eq!(readable(9.999_99e-6, Format::Number), "10⁻⁵");
        assert_eq!(readable(0.0, Format::Number), "0");
        assert_eq!(readable(f64::NAN, Format::Percent), "not finite");
    }

    #[test]
    fn numbers_of_a_column_have_as_many_decimals() {
        let texts = |values: &[f64]| {
            let digits = Digits::new(values.iter().copied(), Format::Number);
            values.iter().map(|value| digits.text(*value)).collect::<Vec<_>>()
        };
        assert_eq!(texts(&[0.108, 0.059_65, -0.5]), ["0.1080", "0.0597", "\u{2212}0.5000"]);
        assert_eq!(texts(&[12.0, 3.0]), ["12", "3"]);
        assert_eq!(
            texts(&[120.5, 1e-6, 0.0]),
            ["120.5", "10\u{207b}\u{2076}", "0.0"],
            "nothing reads as 0 that is not"
        );
        assert_eq!(texts(&[f64::NAN, 0.25]), ["not finite", "0.2500"]);
        assert_eq!(Digits::new([0.5], Format::Percent).text(0.5), "50.00 %");
    }

    #[test]
    fn shares_sizes_and_ranges_are_written_as_people_read_them() {
        assert_eq!([0.981_23, -0.5, f64::NAN].map(percent), ["98.12 %", "\u{2212}50.00 %", "not a number"]);
        assert_eq!([313e6, 4.1e13, 12_000.0].map(short), ["3.1×10⁸", "4.1×10¹³", "12,000"]);
        assert_eq!(short(0.0), "0");
        assert_eq!(span([2410, 4810].into_iter()), "2,410 to 4,810");
        assert_eq!(span([7, 7].into_iter()), "7");
    }

    #[test]
    fn durations_have_two_units_at_most() {
        assert_eq!([-1.0, 0.25, 7.6, 45.4].map(duration), ["0 s", "0.2 s", "7.6 s", "45 s"]);
        assert_eq!([59.6, 65.0, 80.0, 240.0].map(duration), ["1 min", "1 min 05 s", "1 min 20 s", "4 min"]);
        assert_eq!([3600.0, 7500.0, 7530.0].map(duration), ["1 h", "2 h 05 min", "2 h 05 min"]);
    }

    #[test]
    fn plain_numbers_survive_a_round_trip() {
        for value in [0.1, 1.0, 1e300, -2.5e-12, 12_345_678.9] {
            assert_eq!(plain(value).parse(), Ok(value));
        }
        assert_eq!(plain(12.0), "12");
        assert_eq!(plain(f64::NAN), "NaN");
        assert_eq!(plain(f64::NEG_INFINITY), "-inf");
    }
}

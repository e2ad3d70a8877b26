//! Which cells of a table are dates and times.

use super::cell::is_digits;

/// Whether a text is a date, a time, or both.
pub(super) fn is_date(text: &str) -> bool {
    let (mut dates, mut months, mut numbers) = (0, 0, 0);
    let text = match text.split_once('T') {
        Some((date, time)) if is_numeric_date(date) => format!("{date} {time}"),
        Some(_) | None => text.to_owned(),
    };
    let has_letters = text.contains(|sign: char| sign.is_ascii_alphabetic());
    for part in text.split([' ', ',']).filter(|part| !part.is_empty()) {
        if is_numeric_date(part) || is_time(part) {
            dates += 1;
            continue;
        }
        // 12-Jan-20
        let parts = part.split(['-', '/', '.']).filter(|part| !part.is_empty());
        for part in if has_letters { parts.collect() } else { vec![part] } {
            match part {
                part if is_month(part) => months += 1,
                part if is_digits(part) && matches!(part.len(), 1 | 2 | 4) => numbers += 1,
                "AM" | "PM" | "am" | "pm" | "UTC" | "GMT" | "Mon" | "Tue" | "Wed" | "Thu" | "Fri" | "Sat"
                | "Sun" => {}
                _ => return false,
            }
        }
    }
    matches!((dates, months, numbers), (1.., 0, 0) | (0 | 1, 1, 1..=2))
}

fn is_month(text: &str) -> bool {
    const MONTHS: [&str; 12] = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    let text = text.to_lowercase();
    text == "sept" || MONTHS.iter().any(|month| *month == text || month[..3] == text)
}

/// 2020-01-31, 31.1.2020, 1/31/20, 2020-01: a year with a month or with a month and a day.
fn is_numeric_date(text: &str) -> bool {
    let Some(separator) = text.chars().find(|sign| !sign.is_ascii_digit()) else { return false };
    let parts: Vec<&str> = text.split(separator).collect();
    if !matches!(separator, '-' | '/' | '.') || !parts.iter().all(|part| is_digits(part)) {
        return false;
    }
    let value = |part: &str| part.parse().unwrap_or(u32::MAX);
    let is_up_to = |most: u32, part: &str| part.len() <= 2 && (1..=most).contains(&value(part));
    let is_month = |part: &str| is_up_to(12, part);
    let is_day = |a: &str, b: &str| (is_month(a) && is_up_to(31, b)) || (is_up_to(31, a) && is_month(b));
    let is_year = |part: &str| part.len() == 4 && (1500..3000).contains(&value(part));
    match parts.as_slice() {
        [year, a, b] if is_year(year) => is_day(a, b),
        [a, b, year] if is_year(year) => is_day(a, b),
        [a, b, year] => {
            let is_padded = [a, b].iter().all(|part| part.len() == 2);
            year.len() == 2 && is_day(a, b) && (separator == '/' || is_padded)
        }
        [year, month] if is_year(year) => is_month(month),
        [month, year] => is_year(year) && is_month(month),
        _ => false,
    }
}

/// 9:30, 09:30:15.5, 23:59:59Z, 23:59:59+01:00.
fn is_time(text: &str) -> bool {
    let text = text.strip_suffix(['Z', 'z']).unwrap_or(text);
    let text = text.split(['+', '-']).next().unwrap_or(text);
    let parts: Vec<&str> = text.split(':').collect();
    let is_sixtieth = |part: &str| {
        let whole = part.split('.').next().unwrap_or(part);
        whole.len() == 2 && whole < "60" && part.split('.').all(is_digits)
    };
    matches!(parts.as_slice(), [hours, rest @ ..] if (1..=2).contains(&rest.len()) && is_digits(hours)
        && hours.len() <= 3 && rest.iter().all(|part| is_sixtieth(part)))
}

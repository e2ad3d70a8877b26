//! What a cell of a table is: a number as programs write it, a number or date as people write it, or a word.

form::choice! {
    /// The way in which numbers of a table are written.
    pub enum NumberStyle: "Number style" {
        Plain, "Plain", "1234.5 or 1e-3, as programs write them";
        Grouped, "Grouped", "1,234.5: a decimal point, with commas, blanks, apostrophes or underscores between thousands";
        DecimalComma, "Decimal comma", "1.234,5: a decimal comma, with points, blanks, apostrophes or underscores between thousands";
    }
}

/// Bytes of the longest cell that may be a number as people write it.
const LONGEST: usize = 100;

/// A number, also as a whole one where it is one beyond 2⁵³.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Number {
    pub value: f64,
    pub whole: Option<i128>,
}

/// Returns the number in a cell; none where it is not finite in single precision.
pub(crate) fn number(cell: &str, style: &NumberStyle) -> Option<Number> {
    match style {
        NumberStyle::Plain => parsed(cell),
        NumberStyle::Grouped => Bare::parse(cell)?.number('.'),
        NumberStyle::DecimalComma => Bare::parse(cell)?.number(','),
    }
}

fn parsed(text: &str) -> Option<Number> {
    let value: f64 = text.parse().ok()?;
    let whole = if value.abs() < crate::samples::WHOLE { None } else { text.parse().ok() };
    (value as f32).is_finite().then_some(Number { value, whole })
}

/// Returns what a cell should be, with the remedy, if it is no plain number and looks like a number or a date: it would
/// silently become a word. In the remedy, … is the name of the column.
pub(crate) fn like_number(cell: &str) -> Option<(&'static str, String)> {
    const WORDS: &str = "; or, if the column has words, name it: words: [\"…\"]";
    let refused = |expected, remedy: &str| Some((expected, format!("{remedy}{WORDS}")));
    if cell.parse().is_ok_and(|value: f64| !(value as f32).is_finite()) {
        return refused("a number that is finite in single precision", "Correct it");
    }
    if cell.len() > LONGEST {
        return None;
    }
    let folded = folded(cell);
    if is_of_programs(&folded) {
        return refused("a decimal number", "Write it with decimal digits, as 31 for 0x1F");
    }
    if is_date(&folded) {
        return refused("a number or a word, not a date or time", "Leave the column out: leave_out: [\"…\"]");
    }
    let bare = Bare::parse(cell)?;
    let read = bare.read(&bare.text);
    // 50K, 1.2 Mio.
    let without_unit =
        bare.text.trim_end_matches(|sign: char| sign.is_alphabetic() || matches!(sign, '.' | ' '));
    if bare.has_signs && !(read.is_empty() && bare.read(without_unit).is_empty()) {
        return refused(
            "a number without signs of money or per cent",
            "Remove the signs, after checking that the column has one unit",
        );
    }
    if read.is_empty() {
        // 0 500
        let other = format!("1{}", bare.text.strip_prefix('0')?);
        let padded = refused("a number without 0 before its first group of digits", "Correct it");
        return padded.filter(|_| !bare.read(&other).is_empty());
    }
    if bare.has_other_digits {
        return refused("a number with the digits 0 to 9", "Write it with these");
    }
    let mut remedies: Vec<String> = Vec::new();
    for (value, style) in read {
        if !remedies.iter().any(|remedy| remedy.contains(&format!("as {value} "))) {
            remedies.push(format!("read it as {value} with numbers: {style}"));
        }
    }
    let remedy = format!("Write it plainly, or {}", remedies.join(" or "));
    refused("a number with a decimal point and without separators of thousands", &remedy)
}

/// Returns true if a cell begins with a digit, perhaps behind signs, also of money: it may be a number with something around it.
pub(crate) fn begins_with_digit(cell: &str) -> bool {
    let sign = |sign: char| {
        matches!(sign, '+' | '-' | '<' | '>' | '=' | '~' | '≤' | '≥' | '≈' | '±' | '−' | '(' | '[' | ' ')
            || is_money(sign)
    };
    cell.trim_start_matches(sign).starts_with(|first: char| first.is_numeric())
}

/// Returns true if a plain number may have points between thousands, as 950 and 1.200: it has at most three digits, or three behind a
/// point and up to three, without 0 in front, before it.
pub(crate) fn may_be_thousands(cell: &str) -> bool {
    let unsigned = cell.strip_prefix('-').unwrap_or(cell);
    is_digits(&unsigned.replace('.', ""))
        && ungrouped(unsigned, ',').is_some_and(|whole| unsigned.contains('.') || whole.len() <= 3)
}

pub(crate) fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns the text with plain signs: minus signs become hyphens, all apostrophes and all blanks one of them.
fn folded(cell: &str) -> String {
    let plain = |sign: char| match sign {
        '\u{2010}'..='\u{2014}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}' => '-',
        '\u{2018}' | '\u{2019}' | '\u{2bc}' | '\u{2032}' | '\u{b4}' | '`' | '\u{ff07}' => '\'',
        '\u{66b}' => '.',
        '\u{66c}' | '\u{ff0c}' => ',',
        sign if sign.is_whitespace() => ' ',
        sign => sign,
    };
    cell.chars().map(plain).collect::<String>().trim().to_owned()
}

/// Returns true if a text is a number as programs write it that is no decimal one: 0x1F, 0b101, 0o17.
fn is_of_programs(text: &str) -> bool {
    const FORMS: [(&str, &str); 4] =
        [("0x", "0123456789abcdef.p-+"), ("&h", "0123456789abcdef"), ("0b", "01"), ("0o", "01234567")];
    let text = text.strip_prefix(['-', '+']).unwrap_or(text).to_ascii_lowercase();
    FORMS.iter().any(|(prefix, signs)| {
        let digits = text.strip_prefix(prefix).map(|digits| digits.replace('_', ""));
        digits.is_some_and(|digits| !digits.is_empty() && digits.chars().all(|sign| signs.contains(sign)))
    })
}

/// A cell without signs, brackets, money and per cent.
#[derive(Debug)]
struct Bare {
    text: String,
    is_negative: bool,
    has_signs: bool,
    has_other_digits: bool,
}

/// Codes of money that stand before or behind a number.
const MONEY: [&str; 30] = [
    "USD", "EUR", "GBP", "JPY", "CHF", "CNY", "RMB", "INR", "RUB", "BRL", "KRW", "SEK", "NOK", "DKK", "PLN",
    "CZK", "CAD", "AUD", "NZD", "HKD", "SGD", "MXN", "TRY", "ZAR", "HUF", "kr", "Rs.", "Rs", "zł", "Fr.",
];

impl Bare {
    /// Takes signs off both ends; none where a number has more than one.
    fn parse(cell: &str) -> Option<Self> {
        if cell.len() > LONGEST {
            return None;
        }
        let is_other = |sign: char| !sign.is_ascii() && sign.is_numeric();
        let folded = folded(cell);
        let has_other_digits = folded.contains(is_other);
        let folded = folded.replace(is_other, "1");
        let mut text = folded.as_str();
        let (mut signs, mut is_negative, mut has_signs) = (0, false, false);
        let is_behind =
            |rest: &&str| rest.contains(['.', ',']) && rest.ends_with(|last: char| last.is_ascii_digit());
        while signs <= 1 {
            text = text.trim();
            let in_brackets = || text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
            let negative = text.strip_prefix('-').or_else(in_brackets);
            if let Some(rest) = negative.or_else(|| text.strip_suffix('-').filter(is_behind)) {
                (text, signs, is_negative) = (rest, signs + 1, true);
            } else if let Some(rest) = text.strip_prefix('+') {
                (text, signs) = (rest, signs + 1);
            } else if let Some(rest) = without_unit(text) {
                (text, has_signs) = (rest, true);
            } else {
                break;
            }
        }
        let text = text.to_owned();
        (signs <= 1).then_some(Self { text, is_negative, has_signs, has_other_digits })
    }

    /// Returns the number with this decimal mark; none with money, per cent or other digits.
    fn number(&self, decimal: char) -> Option<Number> {
        if self.has_signs || self.has_other_digits {
            None
        } else {
            parsed(&self.digits(&self.text, decimal)?)
        }
    }

    /// Returns the values that styles with grouped digits read in place of its text, with the names of these styles.
    fn read(&self, text: &str) -> Vec<(f64, &'static str)> {
        let styles = [('.', "Grouped"), (',', "DecimalComma")].into_iter();
        styles
            .filter_map(|(decimal, style)| Some((self.digits(text, decimal)?.parse().ok()?, style)))
            .collect()
    }

    /// Returns the number with this decimal mark, as programs write it.
    fn digits(&self, text: &str, decimal: char) -> Option<String> {
        // Fortran's 1.5D+03 is 1.5e+03.
        let at = text.find(['e', 'E']).or_else(|| text.find("D+").or_else(|| text.find("D-")));
        let (mantissa, exponent) = at.map_or((text, ""), |at| (&text[..at], &text[at + 1..]));
        let (whole, rest) = mantissa.split_once(decimal).unwrap_or((mantissa, ""));
        let whole = ungrouped(whole, decimal)?;
        // 5,- has no cents.
        let rest = if at.is_none() && matches!(rest, "-" | "--") { "" } else { rest };
        let rest = rest.replace([' ', '_'], "");
        let is_number = whole.len() + rest.len() > 0 && (rest.is_empty() || is_digits(&rest));
        let has_exponent = at.is_some();
        let is_exponent = !has_exponent || is_digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent));
        let sign = if self.is_negative { "-" } else { "" };
        let point = if rest.is_empty() && !whole.is_empty() { "" } else { "." };
        let exponent = if has_exponent { format!("e{exponent}") } else { String::new() };
        (is_number && is_exponent).then(|| format!("{sign}{whole}{point}{rest}{exponent}"))
    }
}

/// Returns the digits before the decimal mark without the separators between groups of three, or of two but for the last
/// one, as in India; also no digits. A first group that begins with 0 is none: 0,500 is half, or a mistake.
fn ungrouped(whole: &str, decimal: char) -> Option<String> {
    let Some(separator) = whole.chars().find(|sign| !sign.is_ascii_digit()) else {
        return Some(whole.to_owned());
    };
    if separator == decimal || !matches!(separator, ',' | '.' | '\'' | ' ' | '_') {
        return None;
    }
    let groups: Vec<&str> = whole.split(separator).collect();
    let (last, middle) = (groups[groups.len() - 1], &groups[1..groups.len() - 1]);
    let is_grouped = (1..=3).contains(&groups[0].len())
        && !groups[0].starts_with('0')
        && last.len() == 3
        && middle.iter().all(|group| (2..=3).contains(&group.len()))
        && groups.iter().all(|group| is_digits(group));
    is_grouped.then(|| groups.concat())
}

fn is_money(sign: char) -> bool {
    matches!(
        sign,
        '$' | '¢' | '£' | '¤' | '¥' | '֏' | '؋' | '৳' | '฿' | '\u{20a0}'
            ..='\u{20cf}' | '﷼' | '﹩' | '＄' | '￠' | '￡' | '￥' | '￦'
    )
}

/// Takes one sign of money or per cent off an end.
fn without_unit(text: &str) -> Option<&str> {
    const PER_CENT: [char; 5] = ['%', '‰', '٪', '％', '﹪'];
    if let Some(rest) = text.strip_suffix(PER_CENT).or_else(|| text.strip_prefix(PER_CENT)) {
        return Some(rest);
    }
    // R$, US$, NT$
    let letters = text.bytes().take_while(u8::is_ascii_alphabetic).count();
    if let Some(rest) = text[letters..].strip_prefix(is_money).filter(|_| letters <= 3) {
        return Some(rest);
    }
    let code = |code: &&str| text.strip_prefix(*code).or_else(|| text.strip_suffix(*code));
    text.strip_suffix(is_money).or_else(|| MONEY.iter().find_map(code))
}

/// Returns true if a text is a date, a time, or both.
pub(crate) fn is_date(text: &str) -> bool {
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
    const MONTHS: &str =
        "january february march april may june july august september october november december";
    let text = text.to_lowercase();
    text == "sept" || MONTHS.split(' ').any(|month| month == text || month[..3] == text)
}

/// Returns true for a year with a month or with a month and a day: 2020-01-31, 31.1.2020, 1/31/20, 2020-01.
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

/// Returns true for 9:30, 09:30:15.5, 23:59:59Z, 23:59:59+01:00.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_people_are_no_words() {
        let cells = "0,5|1.234,5|-3,|,5|-1.234,5e3|1,000|1,000,000|1'000'000|1’000|1 000|1\u{a0}000|1\u{202f}000.5| \
            1.000.000|1_000|12,34,567|$1,000|-$5|$-5|($5)|5 €|R$ 5,00|USD 5|5 CHF|5%|5 %|5‰|(5)| \
            ( 1,000.50 )|−5|–5|- 5|1.00-|0x1F|-0xff|0b101|0o17|2020-01-31|31.1.2020|1/31/20|01.02.03| \
            2020-01|12/2020|2020-01-31T12:00:00Z|2020-01-31 12:00|12:30|9:30 PM|12 Jan 2020|Jan 12, 2020| \
            12-Jan-20|May 5|1.5D+03|1e60|inf|１２|٣|½|1.5D-03|0 500|0.500.000|5,-|1.200,-|5.-|5,–|5,— €|$50K| \
            €1.2m|€1,2 Mio.|50K USD|—5|-5,--";
        for cell in cells.split('|') {
            assert!(like_number(cell.trim()).is_some(), "{cell}");
        }
    }

    #[test]
    fn words_with_digits_are_no_numbers() {
        let cells = "a,b|1,2,3|red|5-HT|3D|2nd|2XL|5K|30-39|<30|65+|10 kg|May|Monday|B2|1.2.3|192.168.1.1|#FF00AA|A-| \
            2-|€|%|-|()||0<=X<200|12 Monkeys|T5|e5|1e|24/7|120/80|D-5|Q1 2020|USD|kr|one|0x|x0|5'11|(50K)| \
            $50K-$100K|$5/month|5-10%|5,-6|5-,|-,-|a 0,5|0 5|1.00--";
        for cell in cells.split('|') {
            assert_eq!(like_number(cell.trim()), None, "{cell}");
        }
    }

    #[test]
    fn styles_read_what_people_write() {
        let read = |cell: &str, style: NumberStyle| number(cell, &style).map(|number| number.value);
        for (cell, grouped, comma) in [
            ("1,000", Some(1000.0), Some(1.0)),
            ("1.000", Some(1.0), Some(1000.0)),
            ("1.000.000", None, Some(1e6)),
            ("1'000'000", Some(1e6), Some(1e6)),
            ("−1 234", Some(-1234.0), Some(-1234.0)),
            ("(5)", Some(-5.0), Some(-5.0)),
            ("0,5", None, Some(0.5)),
            ("1.5", Some(1.5), None),
            ("1,234.5e-1", Some(123.45), None),
            ("-1.234,5", None, Some(-1234.5)),
            ("7", Some(7.0), Some(7.0)),
            (".5", Some(0.5), None),
            ("$5", None, None),
            ("5%", None, None),
            ("--5", None, None),
            ("red", None, None),
            ("1e60", None, None),
            ("0,500", None, Some(0.5)),
            ("0.500", Some(0.5), None),
            ("0 500", None, None),
            ("5,-", None, Some(5.0)),
            ("1.200,-", None, Some(1200.0)),
            ("-1'200.--", Some(-1200.0), None),
            ("1.200,50-", None, Some(-1200.5)),
        ] {
            let found = [NumberStyle::Grouped, NumberStyle::DecimalComma].map(|style| read(cell, style));
            assert_eq!(found, [grouped, comma], "{cell}");
        }
        assert_eq!(
            number("9,007,199,254,740,993", &NumberStyle::Grouped).unwrap().whole,
            Some((1 << 53) + 1)
        );
    }
}

//! A column of a table while it is read: numbers, words, or the classes.

use std::collections::BTreeMap;

/// The most different words of a feature, and the most classes: more are names or measurements.
const MOST_WORDS: usize = 32;
const MOST_CLASSES: usize = 1000;
/// Bytes of the longest word.
const LONGEST_WORD: usize = 1000;
/// What tables write where a value is missing: what pandas takes for it, and a question mark.
const MISSING: [&str; 21] = [
    "", "?", "NA", "N/A", "na", "n/a", "NaN", "nan", "-NaN", "-nan", "null", "NULL", "None", "<NA>", "#NA",
    "#N/A", "#N/A N/A", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN",
];

/// A column while it is read.
pub(super) enum Column {
    LeftOut,
    Label(Words),
    /// Numbers or words: the first line decides.
    Unknown,
    Numbers(Vec<f32>),
    Words(Words),
}

/// Words by numbers that are given in the order of their first occurrence.
#[derive(Default)]
pub(super) struct Words {
    pub known: BTreeMap<String, u32>,
    pub codes: Vec<u32>,
}

impl Words {
    /// Adds one; whether there are too many different ones now.
    fn push(&mut self, word: &str, most: usize) -> bool {
        let next = self.known.len() as u32;
        let code = match self.known.get(word) {
            Some(code) => *code,
            None => *self.known.entry(word.to_owned()).or_insert(next),
        };
        self.codes.push(code);
        self.known.len() > most
    }

    /// The words in their order, and for each code the position of its word.
    pub fn sorted(&self) -> (Vec<String>, Vec<u32>) {
        let mut words: Vec<(&String, u32)> = self.known.iter().map(|(word, code)| (word, *code)).collect();
        let numbers: Option<Vec<f64>> = words.iter().map(|(word, _)| number(word)).collect();
        if numbers.is_some() {
            let value = |word: &str| number(word).unwrap_or_default();
            words.sort_by(|(a, _), (b, _)| value(a).total_cmp(&value(b)).then_with(|| a.cmp(b)));
        }
        let mut places = vec![0; words.len()];
        for (place, (_, code)) in words.iter().enumerate() {
            places[*code as usize] = place as u32;
        }
        (words.into_iter().map(|(word, _)| word.clone()).collect(), places)
    }
}

/// A finite number.
fn number(cell: &str) -> Option<f64> {
    cell.parse().ok().filter(|number: &f64| number.is_finite() && (*number as f32).is_finite())
}

/// Whether a cell is a number as Germans and Frenchmen write it: it would silently become a word.
fn has_decimal_comma(cell: &str) -> bool {
    let mut parts = cell.split(',');
    let (Some(whole), Some(rest), None) = (parts.next(), parts.next(), parts.next()) else { return false };
    number(&format!("{}.{rest}", whole.replace(['.', ' ', '\'', '\u{a0}', '\u{202f}'], ""))).is_some()
}

impl Column {
    /// Adds a cell; otherwise what was expected in its place, and the remedy, where … is the name of the column.
    pub fn push(&mut self, cell: &str, is_word: bool) -> Result<(), (&'static str, &'static str)> {
        const MIXED: &str = "Correct it; or, if the column has words, name it: words: [\"…\"]; or leave it out: \
            leave_out: [\"…\"]";
        if matches!(self, Self::LeftOut) {
            return Ok(());
        }
        if MISSING.contains(&cell) {
            return Err((
                "a value, not a missing one",
                "Fill it in, remove the line, or leave the column out: leave_out: [\"…\"]",
            ));
        }
        if !is_word && !matches!(self, Self::Label(_)) && has_decimal_comma(cell) {
            return Err((
                "a number with a decimal point",
                "Write 0.5 for 0,5; or, if the column has words, name it: words: [\"…\"]",
            ));
        }
        if matches!(self, Self::Unknown) {
            let is_number = !is_word && number(cell).is_some();
            *self = if is_number { Self::Numbers(Vec::new()) } else { Self::Words(Words::default()) };
        }
        match self {
            Self::Numbers(numbers) => match number(cell) {
                Some(value) => numbers.push(value as f32),
                None => return Err(("a finite number, as in the lines before", MIXED)),
            },
            Self::Words(_) if !is_word && number(cell).is_some() => {
                return Err(("a word, as in the lines before", MIXED));
            }
            Self::Words(_) | Self::Label(_) if cell.len() > LONGEST_WORD => {
                return Err(("a word of at most 1,000 letters", "Leave the column out: leave_out: [\"…\"]"));
            }
            Self::Words(words) => {
                if words.push(cell, MOST_WORDS) {
                    return Err(("at most 32 different words", "Leave the column out: leave_out: [\"…\"]"));
                }
            }
            Self::Label(words) => {
                if words.push(cell, MOST_CLASSES) {
                    return Err(("at most 1,000 classes", "Name the column with the classes as the label"));
                }
            }
            Self::LeftOut | Self::Unknown => {}
        }
        Ok(())
    }

    /// How many features it makes.
    pub fn width(&self) -> usize {
        match self {
            Self::LeftOut | Self::Label(_) | Self::Unknown => 0,
            Self::Numbers(_) => 1,
            Self::Words(words) => words.known.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::has_decimal_comma;

    #[test]
    fn a_decimal_comma_is_told_from_commas_in_words() {
        for (cell, expected) in [
            ("0,5", true),
            ("1.234,5", true),
            ("-3,", true),
            ("a,b", false),
            ("1,2,3", false),
            ("red", false),
        ] {
            assert_eq!(has_decimal_comma(cell), expected, "{cell}");
        }
    }
}

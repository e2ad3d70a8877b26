//! A column of a table while it is read: numbers, words, or the classes.

use std::collections::BTreeMap;

use super::cell::{Number, NumberStyle, begins_with_digit, like_number, may_be_thousands, number};
use crate::exact::WHOLE;
use form::number::counted;

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
    Numbers(Numbers),
    Words(Words),
}

/// Numbers in double precision.
#[derive(Default)]
pub(super) struct Numbers {
    /// Less the origin.
    pub values: Vec<f64>,
    /// The first number, if it is a whole one from 2⁵³ on; otherwise 0.
    pub origin: f64,
    /// Whether each may be one with points between thousands, and whether one has a point.
    may_be_thousands: bool,
    has_points: bool,
}

impl Numbers {
    fn push(&mut self, Number { value, whole }: Number, cell: &str) {
        let is_first = self.values.is_empty();
        if is_first && value.abs() >= WHOLE {
            self.origin = value;
        }
        self.may_be_thousands = (is_first || self.may_be_thousands) && may_be_thousands(cell);
        self.has_points |= cell.contains('.');
        let less =
            whole.filter(|_| self.origin != 0.0).and_then(|whole| whole.checked_sub(self.origin as i128));
        self.values.push(less.map_or(value - self.origin, |less| less as f64));
    }
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

    /// The word that is the same number as a new one, written otherwise.
    fn same_number(&self, word: &str) -> Option<&String> {
        let value: f64 = word.parse().ok().filter(|_| !self.known.contains_key(word))?;
        self.known.keys().find(|known| known.parse().is_ok_and(|known: f64| known == value))
    }

    /// Says which words stand for missing values elsewhere.
    fn missing(&self, name: &str) -> Vec<String> {
        let words = self.known.iter().filter(|(word, _)| MISSING.contains(&word.as_str()));
        let note = |(word, code): (&String, &u32)| {
            let lines = self.codes.iter().filter(|known| *known == code).count();
            let lines = counted(lines as u64, "line");
            format!("Column \"{name}\": \"{word}\" in {lines} is a word, since words names the column.")
        };
        words.map(note).collect()
    }

    /// The words in their order, and for each code the position of its word.
    pub fn sorted(&self) -> (Vec<String>, Vec<u32>) {
        let mut words: Vec<(&String, u32)> = self.known.iter().map(|(word, code)| (word, *code)).collect();
        let number = |word: &str| number(word, &NumberStyle::Plain).map(|number| number.value);
        if words.iter().all(|(word, _)| number(word).is_some()) {
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

impl Column {
    /// Adds a cell, with numbers in this style; otherwise what was expected in its place, and the remedy, where … is the name
    /// of the column. A column that `is_word` takes every cell for a word but an empty one.
    pub fn push(
        &mut self,
        cell: &str,
        is_word: bool,
        style: &NumberStyle,
    ) -> Result<(), (&'static str, String)> {
        const MIXED: &str = "Correct it; or, if the column has words, name it: words: [\"…\"]; or leave it out: \
            leave_out: [\"…\"]";
        const LEAVE_OUT: &str = "Leave the column out: leave_out: [\"…\"]";
        let refused = |expected, remedy: &str| Err((expected, remedy.to_owned()));
        let is_label = matches!(self, Self::Label(_));
        if matches!(self, Self::LeftOut) {
            return Ok(());
        }
        if cell.is_empty() || (!is_word && MISSING.contains(&cell)) {
            return Err(("a value, not a missing one", missing(cell, is_label)));
        }
        // A word that is known was looked at before.
        let is_word = is_word || matches!(self, Self::Words(words) if words.known.contains_key(cell));
        let may_be_number = !is_word && !is_label;
        let number = if may_be_number { number(cell, style) } else { None };
        if may_be_number
            && number.is_none()
            && let Some(refusal) = like_number(cell)
        {
            return Err(refusal);
        }
        if matches!(self, Self::Unknown) {
            let words = || Self::Words(Words::default());
            *self = number.map_or_else(words, |_| Self::Numbers(Numbers::default()));
        }
        match self {
            Self::Numbers(numbers) => match number {
                Some(number) => numbers.push(number, cell),
                None => return refused("a finite number, as in the lines before", MIXED),
            },
            Self::Words(_) if number.is_some() => {
                return refused("a word, as in the lines before", MIXED);
            }
            Self::Words(_) | Self::Label(_) if cell.len() > LONGEST_WORD => {
                return refused("a word of at most 1,000 letters", LEAVE_OUT);
            }
            Self::Words(words) => {
                if words.push(cell, MOST_WORDS) {
                    return refused("at most 32 different words", LEAVE_OUT);
                }
            }
            Self::Label(words) => {
                if let Some(known) = words.same_number(cell).filter(|_| !is_word) {
                    let remedy = format!(
                        "\"{known}\" is the same number: write both alike; or, if they are two classes, name the column: \
                         words: [\"…\"]"
                    );
                    return Err(("a class written as in the lines before", remedy));
                }
                if words.push(cell, MOST_CLASSES) {
                    return refused("at most 1,000 classes", "Name the column with the classes as the label");
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

    /// What looks odd in it, as whole sentences. A column that `is_word` was named in the settings; points in numbers may be
    /// `between_thousands` in tables as Germans have them.
    pub fn notes(&self, name: &str, is_word: bool, between_thousands: bool) -> Vec<String> {
        match self {
            Self::Numbers(numbers) if numbers.may_be_thousands && numbers.has_points && between_thousands => {
                vec![format!(
                    "Column \"{name}\": every number with a point has three digits behind it, and is read with a decimal point. \
                     If 1.000 is a thousand, write numbers: DecimalComma."
                )]
            }
            Self::Label(words) | Self::Words(words) if is_word => words.missing(name),
            Self::Words(words)
                if words.known.len() > 2 && words.known.keys().all(|word| begins_with_digit(word)) =>
            {
                let (count, known) = (words.known.len(), &words.sorted().0[0]);
                vec![format!(
                    "Column \"{name}\": its {count} words begin with digits, as \"{known}\", and each is a feature of its own. If \
                     they are numbers, write them as such."
                )]
            }
            Self::LeftOut | Self::Unknown | Self::Numbers(_) | Self::Label(_) | Self::Words(_) => Vec::new(),
        }
    }
}

/// What to do about a missing value.
fn missing(cell: &str, is_label: bool) -> String {
    let leave_out = if is_label {
        " or remove the line"
    } else {
        ", remove the line, or leave the column out: leave_out: [\"…\"]"
    };
    let words = if cell.is_empty() { "" } else { "; or, if it is a word, name the column: words: [\"…\"]" };
    format!("Fill it in{leave_out}{words}")
}

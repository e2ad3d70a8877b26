//! Which runs are shown: words and conditions such as `remaining < 20 % state:done -tag:old`.
//!
//! All terms must hold. A word has to be in the name of the arm, a tag, the note or the identity. `key:text` searches the
//! text in one of them, `key:one|other` either; `key < number` compares (`<`, `<=`, `>`, `>=`, `=`, `!=`; a number may end
//! with `%`). `is:starred` holds for runs with a star. A `-` negates a term. What is in quotes is text as it stands: no sign, no
//! number, no alternatives; a doubled quote in it is a quote.

use super::Row;
use super::columns::Column;
use super::settings::{NONE, ending};
use crate::number::Format;

/// A condition that was understood.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter {
    terms: Vec<Term>,
}

#[derive(Clone, Debug, PartialEq)]
struct Term {
    /// True if it must not hold.
    negated: bool,
    test: Test,
}

#[derive(Clone, Debug, PartialEq)]
enum Test {
    Word(String),
    Compare { column: Column, sign: &'static str, value: Token },
}

/// A word, a sign or a quoted text.
#[derive(Clone, Debug, PartialEq)]
struct Token {
    text: String,
    is_quoted: bool,
}

impl Token {
    fn sign(&self) -> Option<&'static str> {
        SIGNS.into_iter().find(|sign| !self.is_quoted && *sign == self.text)
    }
}

/// The longer signs first, so that `<=` is not read as `<`.
const SIGNS: [&str; 7] = ["<=", ">=", "!=", "<", ">", "=", ":"];

impl Filter {
    /// Reads a condition; `settings` are the paths that rows have.
    ///
    /// # Errors
    /// The part that is not understood, and the alternatives.
    pub fn parse(text: &str, settings: &[String]) -> Result<Self, String> {
        let tokens = tokens(text)?;
        let mut terms = Vec::new();
        let mut rest = tokens.as_slice();
        while let Some((first, after)) = rest.split_first() {
            if first.sign().is_some() {
                let sign = &first.text;
                return Err(format!("\"{sign}\" needs a name before it, such as remaining {sign} 20 %"));
            }
            // Of `-"old run"`, the minus is a token of its own.
            let (negated, first, after) = match (first.text.strip_prefix('-'), after) {
                (Some(""), [quoted, after @ ..]) if !first.is_quoted && quoted.is_quoted => {
                    (true, quoted.text.as_str(), after)
                }
                (Some(word), _) if !first.is_quoted && !word.is_empty() => (true, word, after),
                _ => (false, first.text.as_str(), after),
            };
            let Some(sign) = after.first().and_then(Token::sign) else {
                terms.push(Term { negated, test: Test::Word(first.to_lowercase()) });
                rest = after;
                continue;
            };
            let value = after.get(1).filter(|value| value.sign().is_none());
            let value = value.ok_or_else(|| format!("a value is missing after \"{first} {sign}\""))?;
            let column = column_of(first, settings)?;
            check_share(&column, (first, sign), value)?;
            terms.push(Term { negated, test: Test::Compare { column, sign, value: value.clone() } });
            rest = &after[2..];
        }
        Ok(Self { terms })
    }

    /// Returns true if a run is wanted.
    pub fn holds(&self, row: &Row) -> bool {
        self.terms.iter().all(|term| term.test.holds(row) != term.negated)
    }
}

/// Returns words, signs and quoted texts. A percent sign belongs to the number before it, also after a space.
fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let sign = SIGNS.into_iter().find(|sign| rest.starts_with(sign));
        let is_quoted = rest.starts_with('"');
        let (text, length) = if is_quoted {
            quoted(rest)?
        } else if let Some(sign) = sign {
            (sign.to_owned(), sign.len())
        } else {
            let is_end = |letter: char| letter.is_whitespace() || "<>=:!\"".contains(letter);
            let end = rest.find(is_end).unwrap_or(rest.len()).max(1); // a lone `!` is a word
            (rest[..end].to_owned(), end)
        };
        match tokens.last_mut() {
            Some(last) if text == "%" && !is_quoted && !last.is_quoted => last.text.push('%'),
            _ => tokens.push(Token { text, is_quoted }),
        }
        rest = rest[length..].trim_start();
    }
    Ok(tokens)
}

/// Returns the text in the quotes at the start, and their length with it.
fn quoted(rest: &str) -> Result<(String, usize), String> {
    let mut text = String::new();
    let mut letters = rest.char_indices().skip(1).peekable();
    while let Some((at, letter)) = letters.next() {
        if letter == '"' && letters.next_if(|(_, next)| *next == '"').is_none() {
            return Ok((text, at + 1));
        }
        text.push(letter);
    }
    Err("a quote is not closed; write a quote inside of quotes twice".to_owned())
}

/// Returns the column that a key is compared with: one of every table, that of a setting by the end of its path, or for
/// `is` that of the stars.
fn column_of(name: &str, settings: &[String]) -> Result<Column, String> {
    let lower = name.to_lowercase();
    let wanted = match lower.as_str() {
        "accuracy" => "last",
        "duration" | "time" => "secs",
        "tag" => "tags",
        "is" => return Ok(Column::Star),
        other => other,
    };
    let is_compared = |(_, column): &(_, &Column)| {
        !matches!(column, Column::Star | Column::Delta | Column::Plan | Column::Runs)
    };
    let known = || Column::names().filter(is_compared);
    if let Some((_, column)) = known().find(|(key, _)| *key == wanted) {
        return Ok(column.clone());
    }
    ending(name, settings).unwrap_or_else(|| {
        let own = settings.iter().map(String::as_str);
        let known: Vec<&str> = known().map(|(key, _)| key).chain(own).collect();
        Err(format!("there is no \"{name}\"; there are {}", known.join(", ")))
    })
}

/// Checks the number that a share is compared with: shares are kept in [0, 1], so one above 1 was meant in percent.
fn check_share(column: &Column, (name, sign): (&str, &str), value: &Token) -> Result<(), String> {
    let is_share = column.format() == Format::Percent && sign != ":";
    match value.text.parse::<f64>() {
        Ok(number) if is_share && number > 1.0 => {
            Err(format!("write {name} {sign} {number} % or {name} {sign} {}", number / 100.0))
        }
        _ => Ok(()),
    }
}

impl Test {
    fn holds(&self, row: &Row) -> bool {
        match self {
            Self::Word(word) => {
                let found = |text: &str| text.to_lowercase().contains(word.as_str());
                found(&row.arm)
                    || found(&row.mark.note)
                    || row.mark.tags.iter().any(|tag| found(tag))
                    || found(&row.run)
            }
            Self::Compare { column: Column::Star, sign, value } => {
                let holds = value.text.eq_ignore_ascii_case("starred") && row.mark.starred;
                holds != (*sign == "!=")
            }
            Self::Compare { column: Column::Tags, sign, value } => {
                let is_equal = |tag: &String| tag.eq_ignore_ascii_case(&value.text);
                row.mark.tags.iter().any(is_equal) != (*sign == "!=")
            }
            // A run whose training diverged is done all the same.
            Self::Compare { column: Column::State, sign, value } => compare(&row.state, sign, value),
            Self::Compare { column, sign, value } => {
                let own = column.cell(row);
                compare(if own == NONE { "" } else { &own }, sign, value)
            }
        }
    }
}

fn compare(own: &str, sign: &str, Token { text: value, is_quoted }: &Token) -> bool {
    let order = match (number(own), number(value).filter(|_| !is_quoted)) {
        (Some(own), Some(value)) => own.partial_cmp(&value),
        _ if own.is_empty() => None,
        _ => Some(own.to_lowercase().cmp(&value.to_lowercase())),
    };
    match sign {
        "=" => order.is_some_and(std::cmp::Ordering::is_eq),
        "!=" => order.is_none_or(std::cmp::Ordering::is_ne),
        "<" => order.is_some_and(std::cmp::Ordering::is_lt),
        "<=" => order.is_some_and(std::cmp::Ordering::is_le),
        ">" => order.is_some_and(std::cmp::Ordering::is_gt),
        ">=" => order.is_some_and(std::cmp::Ordering::is_ge),
        _ => {
            let own = own.to_lowercase();
            if *is_quoted {
                return own.contains(&value.to_lowercase());
            }
            value.to_lowercase().split('|').any(|value| own.contains(value))
        }
    }
}

fn number(text: &str) -> Option<f64> {
    match text.strip_suffix('%') {
        Some(percent) => Some(percent.trim().parse::<f64>().ok()? / 100.0),
        None => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Mark;

    fn rows() -> Vec<Row> {
        let row = |arm: &str, state: &str, remaining: f64, rate: &str, tag: &str| Row {
            arm: arm.to_owned(),
            state: state.to_owned(),
            remaining: Some(remaining),
            settings: std::sync::Arc::new([("train.rate".to_owned(), rate.to_owned())].into()),
            mark: Mark { tags: vec![tag.to_owned()], starred: tag == "old", ..Mark::default() },
            ..Row::default()
        };
        vec![
            row("dense", "done", 1.0, "0.1", "old"),
            row("winning ticket", "running", 0.15, "0.01", "new"),
            row("random ticket", "done", 0.2, "0.1", "new"),
        ]
    }

    fn found(text: &str) -> String {
        let filter = Filter::parse(text, &["train.rate".to_owned()]).unwrap();
        rows().iter().filter(|row| filter.holds(row)).map(|row| &row.arm[..1]).collect()
    }

    #[test]
    fn words_and_conditions_must_all_hold() {
        assert_eq!(found(""), "dwr");
        assert_eq!(found("ticket"), "wr");
        assert_eq!(found("TICKET state:done"), "r");
        assert_eq!(found("remaining < 0.2"), "w");
        assert_eq!(found("remaining<=20 %"), "wr");
        assert_eq!(found("remaining > 20% state:done"), "d");
        assert_eq!(found("-ticket"), "d");
        assert_eq!(found("arm = \"winning ticket\""), "w");
        assert_eq!(found("tag:new -state:running"), "r");
        assert_eq!(found("arm:dense|random"), "dr");
        assert_eq!(found("is:starred"), "d");
        assert_eq!(found("train.rate >= 0.1"), "dr");
        assert_eq!(found("rate != 0.1"), "w");
        assert_eq!(found("best > 0"), "", "what is not known is not compared");
    }

    #[test]
    fn what_is_in_quotes_is_text_as_it_stands() {
        let row = |arm: &str| Row { arm: arm.to_owned(), ..Row::default() };
        let rows = ["-old", "a|b", "5\" pipe", "<", "007", "7", "100 %", "two words"].map(row);
        let found = |text: &str| -> Vec<&str> {
            let filter = Filter::parse(text, &[]).unwrap();
            rows.iter().filter(|row| filter.holds(row)).map(|row| row.arm.as_str()).collect()
        };
        assert_eq!(found("\"-old\""), ["-old"]);
        assert_eq!(found("arm:\"a|b\""), ["a|b"]);
        assert_eq!(found("arm = \"5\"\" pipe\""), ["5\" pipe"]);
        assert_eq!(found("arm = \"<\""), ["<"]);
        assert_eq!(found("\"<\""), ["<"]);
        assert_eq!(found("arm = \"7\""), ["7"]);
        assert_eq!(found("arm = 7"), ["007", "7"]);
        assert_eq!(found("arm:\"0 %\""), ["100 %"]);
        assert_eq!(found("-\"o w\" -arm:0 -arm:7").len(), 4);
        assert_eq!(found("\"\"").len(), 8);
    }

    #[test]
    fn what_is_not_understood_says_what_there_is() {
        let fail = |text: &str| Filter::parse(text, &["train.rate".to_owned()]).unwrap_err();
        assert!(fail("remainign < 0.2").contains("there is no \"remainign\"; there are arm, seed, state"));
        assert!(fail("remaining <").contains("a value is missing"));
        assert!(fail("< 0.2").contains("needs a name"));
        assert!(fail("\"open").contains("not closed"));
        assert_eq!(fail("accuracy < 97"), "write accuracy < 97 % or accuracy < 0.97");
    }
}

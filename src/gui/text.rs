//! How numbers and states are written in the window.

pub use form::number::{counted, grouped};
use results::RunState;
use results::number::fixed;
pub use results::number::{duration, duration_range, percent, short};

/// Returns a share in [0, 1] as percent without decimals, for progress: `42 %`.
pub fn whole_percent(share: f64) -> String {
    format!("{} %", fixed(100.0 * share, 0))
}

/// Returns the sign of a state, beside its word.
pub const fn sign(state: &RunState) -> &'static str {
    match state {
        RunState::Waiting => "○",
        RunState::Running => "▶",
        RunState::Stopped => "■",
        RunState::Done => "✓",
        RunState::Failed(_) => "✗",
    }
}

pub fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// Returns a text of at most `most` letters: a longer one loses its middle, since names mostly differ at their ends. A number is
/// there as a whole or not at all.
pub fn shortened(text: &str, most: usize) -> String {
    let letters: Vec<char> = text.chars().collect();
    if letters.len() <= most || text.parse::<f64>().is_ok() {
        return text.to_owned();
    }
    let kept = most.saturating_sub(1);
    let is_of_number =
        |at: usize| letters.get(at).is_some_and(|c| c.is_ascii_digit() || matches!(c, '.' | ','));
    let is_inside = |at: usize| at > 0 && is_of_number(at) && is_of_number(at - 1);
    let mut start = letters.len() - kept / 2;
    while is_inside(start) {
        start -= 1;
    }
    if letters.len() - start > kept {
        start = letters.len();
    }
    let mut end = (kept - (letters.len() - start)).min(kept - kept / 2);
    while is_inside(end) {
        end -= 1;
    }
    letters[..end].iter().chain(&['…']).chain(&letters[start..]).collect()
}

/// Returns the end of a path in at most `most` letters, from the name of a folder on if there is one.
pub fn end_of_path(path: &str, most: usize) -> String {
    let letters: Vec<char> = path.chars().collect();
    if letters.len() <= most {
        return path.to_owned();
    }
    let end = &letters[letters.len() + 1 - most.max(1)..];
    let name = end.iter().position(|letter| matches!(letter, '/' | '\\')).unwrap_or(0);
    ['…'].iter().chain(&end[name..]).collect()
}

/// Returns a text up to its first full stop: its first sentence, with a question before it.
pub fn first_statement(text: &str) -> &str {
    let end = text.match_indices('.').map(|(at, _)| at + 1).find(|end| {
        let rest = &text[*end..];
        rest.is_empty() || rest.starts_with(' ')
    });
    end.map_or(text, |end| &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_lose_their_middle() {
        assert_eq!(shortened("dense", 5), "dense");
        assert_eq!(shortened("winning ticket, seed 12", 13), "winnin…eed 12");
        assert_eq!(shortened("ab", 0), "…");
    }

    #[test]
    fn numbers_are_whole_or_not_there() {
        assert_eq!(shortened("0.0003", 5), "0.0003");
        assert_eq!(shortened("learning rate 0.0003", 12), "learn…0.0003");
        assert_eq!(shortened("Adam, 0.0003", 8), "A…0.0003");
        assert_eq!(shortened("Adam, 0.0003", 5), "Ad…");
        assert_eq!(shortened("1,234.5 and 8e-5", 9), "…8e-5");
    }

    #[test]
    fn of_paths_the_end_remains() {
        assert_eq!(end_of_path("/home/ada/data/shapes", 30), "/home/ada/data/shapes");
        assert_eq!(end_of_path("/home/ada/data/shapes", 16), "…/data/shapes");
        assert_eq!(end_of_path("/home/ada/data/shapes", 5), "…apes");
    }

    #[test]
    fn the_first_statement_ends_where_another_begins() {
        assert_eq!(first_statement("At 0.5 % it ends. Or not?"), "At 0.5 % it ends.");
        assert_eq!(first_statement("Where? There. Here."), "Where? There.");
        assert_eq!(first_statement("no end"), "no end");
    }
}

//! How numbers and states are written in the window.

pub use crate::form::number::{grouped, percent};
use crate::results::RunState;

/// A length of time, rounded to what matters: `8 s`, `4 min`, `2 h 05 min`.
pub fn duration(secs: f64) -> String {
    let whole = secs.clamp(0.0, 1e9).round() as u64;
    match whole {
        0..60 => format!("{whole} s"),
        60..3600 => format!("{} min", (whole + 30) / 60),
        _ => format!("{} h {:02} min", whole / 3600, whole % 3600 / 60),
    }
}

/// A large number with a prefix: `313 M`, `4.3 G`.
pub fn short(number: f64) -> String {
    for (size, prefix) in [(1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")] {
        if number >= size {
            let value = number / size;
            return if value < 10.0 {
                format!("{value:.1} {prefix}")
            } else {
                format!("{value:.0} {prefix}")
            };
        }
    }
    format!("{number:.0}")
}

/// A count with its noun: `1 run`, `3 runs`.
pub fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{} {noun}s", grouped(count as u64)) }
}

/// The sign of a state, beside its word.
pub const fn sign(state: &RunState) -> &'static str {
    match state {
        RunState::Waiting => "○",
        RunState::Running => "▶",
        RunState::Stopped => "■",
        RunState::Done => "✓",
        RunState::Failed(_) => "✗",
    }
}

/// The first line of a text.
pub fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// A text of at most so many letters: a longer one loses its middle, since names mostly differ at their ends.
pub fn shortened(text: &str, most: usize) -> String {
    let letters: Vec<char> = text.chars().collect();
    if letters.len() <= most {
        return text.to_owned();
    }
    let kept = most.saturating_sub(1);
    letters[..kept - kept / 2].iter().chain(&['…']).chain(&letters[letters.len() - kept / 2..]).collect()
}

/// A text up to its first full stop: its first sentence, with the question that it answers where one stands before it.
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
    fn numbers_are_written_as_people_read_them() {
        assert_eq!(short(313_000_000.0), "313 M");
        assert_eq!(short(4_300_000_000.0), "4.3 G");
        assert_eq!(counted(1, "run"), "1 run");
        assert_eq!(counted(0, "run"), "0 runs");
    }

    #[test]
    fn long_texts_lose_their_middle() {
        assert_eq!(shortened("dense", 5), "dense");
        assert_eq!(shortened("winning ticket, seed 12", 13), "winnin…eed 12");
        assert_eq!(shortened("ab", 0), "…");
    }

    #[test]
    fn the_first_statement_ends_where_another_begins() {
        assert_eq!(first_statement("At 0.5 % it ends. Or not?"), "At 0.5 % it ends.");
        assert_eq!(first_statement("Where? There. Here."), "Where? There.");
        assert_eq!(first_statement("no end"), "no end");
    }

    #[test]
    fn times_are_rounded_to_what_matters() {
        assert_eq!(duration(7.6), "8 s");
        assert_eq!(duration(240.0), "4 min");
        assert_eq!(duration(7_500.0), "2 h 05 min");
        assert_eq!(duration(-1.0), "0 s");
    }
}

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

/// Returns a text of at most `most` letters: a longer one loses its middle, since names mostly differ at their ends.
pub fn shortened(text: &str, most: usize) -> String {
    let letters: Vec<char> = text.chars().collect();
    if letters.len() <= most {
        return text.to_owned();
    }
    let kept = most.saturating_sub(1);
    letters[..kept - kept / 2].iter().chain(&['…']).chain(&letters[letters.len() - kept / 2..]).collect()
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
    fn the_first_statement_ends_where_another_begins() {
        assert_eq!(first_statement("At 0.5 % it ends. Or not?"), "At 0.5 % it ends.");
        assert_eq!(first_statement("Where? There. Here."), "Where? There.");
        assert_eq!(first_statement("no end"), "no end");
    }
}

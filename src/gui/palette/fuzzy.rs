//! How well a few letters fit a name.

/// A letter that continues the one before.
const RUN: i32 = 6;
/// A letter that begins a word.
const WORD: i32 = 8;
/// The whole name, which no longer name that happens to fit exceeds.
const WHOLE: i32 = 100_000;
/// A letter that is skipped before the first one that fits.
const LATE: i32 = -1;
/// As many skipped letters count.
const LATEST: usize = 8;

/// How well `typed` fits `name`: all its letters occur in this order, best at the beginning of words and side by side.
/// Nothing when they do not; spaces are not looked for.
pub fn score(typed: &str, name: &str) -> Option<i32> {
    let typed: Vec<char> = typed.to_lowercase().chars().filter(|c| !c.is_whitespace()).collect();
    let name: Vec<char> = name.to_lowercase().chars().collect();
    if typed.is_empty() {
        return Some(0);
    }
    if typed.iter().eq(name.iter().filter(|letter| !letter.is_whitespace())) {
        return Some(WHOLE);
    }
    // Row by row of letters typed: the best score when this letter is at each position of the name.
    let mut best: Vec<Option<i32>> = Vec::new();
    for (row, letter) in typed.iter().enumerate() {
        let mut reached: Option<i32> = None;
        let scores = (0..name.len()).map(|at| {
            // The best score of the letters before, if the last of them is left of this position.
            let reached_before = reached;
            if row > 0 {
                reached = reached.max(best[at]);
            }
            if name[at] != *letter {
                return None;
            }
            let before = if row == 0 {
                Some(LATE * i32::try_from(at.min(LATEST)).unwrap_or_default())
            } else {
                reached_before.max(at.checked_sub(1).and_then(|left| best[left]).map(|score| score + RUN))
            };
            let is_word = at == 0 || !name[at - 1].is_alphanumeric();
            before.map(|score| score + 1 + if is_word { WORD } else { 0 })
        });
        best = scores.collect();
    }
    best.into_iter().flatten().max()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn best<'a>(typed: &str, names: &[&'a str]) -> Option<&'a str> {
        let scored = names.iter().filter_map(|name| Some((score(typed, name)?, *name)));
        scored.max_by_key(|(score, _)| *score).map(|(_, name)| name)
    }

    #[test]
    fn letters_have_to_come_in_order() {
        assert!(score("rnl", "Run all").is_some());
        assert!(score("lr", "Run all").is_none());
        assert!(score("rr", "Run").is_none(), "one letter counts once");
        assert_eq!(score("", "Run all"), Some(0));
        assert_eq!(best("weights", &["Weight statistics", "Weights", "Weights over time"]), Some("Weights"));
    }

    #[test]
    fn beginnings_of_words_and_whole_pieces_count_more() {
        assert_eq!(best("sa", &["Stop after this stage", "Save as…", "Run all"]), Some("Save as…"));
        assert_eq!(
            best("san", &["Stop after this stage", "Stop now", "Save as a new file"]),
            Some("Save as a new file")
        );
        assert_eq!(
            best("stage", &["Set trace gamma", "Stop after this stage"]),
            Some("Stop after this stage")
        );
        assert_eq!(best("log", &["Duplicate long arm", "Copy log"]), Some("Copy log"));
        assert_eq!(best("UNDO", &["Undo", "Run and do"]), Some("Undo"));
    }
}

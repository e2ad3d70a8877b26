//! A plan in a few words.

use doc::Stage;
use doc::plan::words::{counted, uncapitalised};

/// What a plan does to a network, without tests and snapshots: "train 12 epochs; 6 rounds: prune 20 %, graft from init,
/// train 12 epochs".
pub fn plan_words(plan: &[Stage]) -> String {
    let words = parts(plan);
    if words.is_empty() { "nothing".to_owned() } else { words }
}

fn parts(plan: &[Stage]) -> String {
    let mut text = String::new();
    let mut was_nested = false;
    for stage in plan {
        let (words, is_nested) = match stage.nested() {
            Some(nested) => {
                let head = match (nested.branch, nested.times) {
                    (Some(_), _) => clause(&stage.sentence()),
                    (None, 1) => uncapitalised(stage.label()),
                    (None, times) => counted(times, "round"),
                };
                (format!("{head}: {}", parts(nested.plan)), true)
            }
            None if stage.outline().is_some() => (clause(&stage.sentence()), false),
            None => continue,
        };
        if !text.is_empty() {
            text.push_str(if was_nested || is_nested { "; " } else { ", " });
        }
        text.push_str(&words);
        was_nested = is_nested;
    }
    text
}

/// The first clause of a sentence, without what goes without saying.
fn clause(sentence: &str) -> String {
    let first = sentence.split(", ").next().unwrap_or_default();
    uncapitalised(first).replace(" by magnitude", "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use form::ron_text;

    fn words(plan: &str) -> String {
        plan_words(&ron_text::from_str::<Vec<Stage>>(&format!("[{plan}]")).unwrap())
    }

    #[test]
    fn a_plan_says_what_it_does_in_the_words_of_its_stages() {
        assert_eq!(words("Train(\"12ep\"), Test"), "train 12 epochs");
        let lottery = "Do(Snapshot(name: \"init\")), Train(\"12ep\"), Test, Repeat(times: 6, body: [
             Do(Prune(amount: Fraction(0.2))), Do(Reinitialize()), Train(\"12ep\"), Test])";
        let found = words(lottery);
        assert!(found.starts_with("train 12 epochs; 6 rounds: prune 20 %, "), "{found}");
        assert!(found.ends_with(", train 12 epochs"), "{found}");
        assert_eq!(words("Test"), "nothing");
    }
}

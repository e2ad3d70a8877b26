//! Where runs go that are moved among those that wait.

use std::collections::BTreeSet;

use super::QueueAction;
use run::Command;

/// The runs that a move is about, in their order, and the one that is to follow them; none for the end. `None` where it would
/// change nothing: a move also gives runs the priority of their new place.
pub(super) fn moved<'a>(
    waiting: &[&'a str],
    chosen: &[String],
    action: &QueueAction,
) -> Option<(Vec<&'a str>, Option<&'a str>)> {
    let chosen: BTreeSet<&str> = chosen.iter().map(String::as_str).collect();
    let is_chosen = |run: &&str| chosen.contains(*run);
    let (first, last) = (waiting.iter().position(is_chosen)?, waiting.iter().rposition(is_chosen)?);
    let (movers, others): (Vec<&str>, Vec<&str>) = waiting.iter().copied().partition(is_chosen);
    let at = match action {
        QueueAction::Next => 0,
        QueueAction::Up => first.saturating_sub(1),
        QueueAction::Down => (last + 2 - movers.len()).min(others.len()),
        QueueAction::Before(other) => match other {
            Some(other) => others.iter().position(|run| run == other)?,
            None => others.len(),
        },
        QueueAction::Run | QueueAction::Stop | QueueAction::Priority(_) => return None,
    };
    let after = others[..at].iter().chain(&movers).chain(&others[at..]);
    let is_same = after.eq(waiting);
    (!is_same).then(|| (movers, others.get(at).copied()))
}

/// The commands that move `chosen` runs among those that wait; their order among themselves stays.
pub(super) fn moves(waiting: &[&str], chosen: &[String], action: &QueueAction) -> Vec<Command> {
    let Some((movers, before)) = moved(waiting, chosen, action) else { return Vec::new() };
    let before = before.map(str::to_owned);
    movers.into_iter().map(|run| Command::Move { run: run.to_owned(), before: before.clone() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The order after the moves.
    fn order_after(chosen: &str, action: &QueueAction) -> String {
        let letters = |text: &str| -> Vec<String> { text.chars().map(String::from).collect() };
        let mut order = letters("abcde");
        let waiting: Vec<&str> = order.iter().map(String::as_str).collect();
        for command in moves(&waiting, &letters(chosen), action) {
            let Command::Move { run, before } = command else { panic!("{command:?}") };
            order.retain(|known| *known != run);
            let at =
                before.map_or(order.len(), |before| order.iter().position(|run| *run == before).unwrap());
            order.insert(at, run);
        }
        order.concat()
    }

    #[test]
    fn runs_move_together_and_keep_their_order() {
        use QueueAction as A;
        for (chosen, action, expected) in [
            ("c", A::Next, "cabde"),
            ("db", A::Next, "bdace"),
            ("abcde", A::Next, "abcde"),
            ("c", A::Up, "acbde"),
            ("a", A::Up, "abcde"),
            ("cd", A::Up, "acdbe"),
            ("ab", A::Up, "abcde"),
            ("c", A::Down, "abdce"),
            ("d", A::Down, "abced"),
            ("e", A::Down, "abcde"),
            ("bc", A::Down, "adbce"),
            ("e", A::Before(Some("b".to_owned())), "aebcd"),
            ("a", A::Before(None), "bcdea"),
            ("x", A::Next, "abcde"),
        ] {
            assert_eq!(order_after(chosen, &action), expected, "{chosen} {action:?}");
        }
    }
}

//! Arms that got another name keep what was noted about them.

use std::collections::BTreeSet;

use results::view::{ViewSettings, arm_key};

/// Which arms have another name now, at the same position: the old and the new name of each.
pub fn renamed(old: &[String], new: &[String]) -> Vec<(String, String)> {
    if old.len() != new.len() {
        return Vec::new();
    }
    let [all_old, all_new] = [old, new].map(|names| names.iter().collect::<BTreeSet<_>>());
    let pairs = old.iter().zip(new);
    let pairs = pairs.filter(|(before, now)| !all_new.contains(before) && !all_old.contains(now));
    pairs.map(|(before, now)| (before.clone(), now.clone())).collect()
}

/// Whether each name is there once; while one is typed, it may be that of another arm.
pub fn are_distinct(names: &[String]) -> bool {
    let mut seen = BTreeSet::new();
    names.iter().all(|name| seen.insert(name))
}

/// Moves star, tags and note of an arm to its new name; what is noted there already stays.
pub fn move_mark(view: &mut ViewSettings, old: &str, new: &str) {
    let new = arm_key(new);
    if !view.marks.contains_key(&new)
        && let Some(mark) = view.marks.remove(&arm_key(old))
    {
        view.marks.insert(new, mark);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn an_arm_is_renamed_where_its_place_has_a_new_name_and_moving_renames_none() {
        let old = names(&["a", "b"]);
        assert_eq!(renamed(&old, &names(&["a", "c"])), [("b".to_owned(), "c".to_owned())]);
        assert_eq!(renamed(&old, &names(&["b", "a"])), []);
        assert_eq!(renamed(&old, &names(&["b", "c"])), [], "a was removed and c added");
        assert_eq!(renamed(&old, &names(&["a", "b", "c"])), []);
        assert!(are_distinct(&old) && !are_distinct(&names(&["a", "b", "a"])));
    }
}

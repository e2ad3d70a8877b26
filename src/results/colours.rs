//! Which style belongs to which arm: the same in every view and file, also when arms are moved, filtered or removed.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The index for [`style_of`](super::style_of) of every arm that was ever seen, by its name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Colours(BTreeMap<String, usize>);

impl Colours {
    /// The indices of these arms, in their order. An arm keeps its index; a new one takes the lowest that no other arm
    /// of the document has, so that one which is only renamed keeps it too. Arms of equal names are counted.
    pub fn assign<'a>(&mut self, arms: impl IntoIterator<Item = &'a str>) -> Vec<usize> {
        let mut keys: Vec<String> = Vec::new();
        for name in arms {
            let mut key = name.to_owned();
            let mut count = 2;
            while keys.contains(&key) {
                key = format!("{name} ({count})");
                count += 1;
            }
            keys.push(key);
        }
        let mut taken: Vec<usize> = keys.iter().filter_map(|key| self.0.get(key).copied()).collect();
        for key in &keys {
            if !self.0.contains_key(key) {
                let free = (0..=taken.len()).find(|index| !taken.contains(index)).unwrap_or_default();
                // Who is gone gives its place to the new one.
                self.0.retain(|_, index| *index != free);
                self.0.insert(key.clone(), free);
                taken.push(free);
            }
        }
        keys.iter().map(|key| self.0[key]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arm_keeps_its_colour_when_others_come_go_and_move() {
        let mut colours = Colours::default();
        assert_eq!(colours.assign(["a", "b", "c"]), [0, 1, 2]);
        assert_eq!(colours.assign(["c", "a", "b"]), [2, 0, 1]);
        assert_eq!(colours.assign(["c", "b"]), [2, 1]);
        assert_eq!(colours.assign(["c", "new", "b"]), [2, 0, 1]);
        assert_eq!(colours.assign(["c", "new", "b", "a"]), [2, 0, 1, 3], "its old place was given away");
    }

    #[test]
    fn renaming_changes_no_colour_and_equal_names_have_different_ones() {
        let mut colours = Colours::default();
        assert_eq!(colours.assign(["x", "y"]), [0, 1]);
        assert_eq!(colours.assign(["x", "ya"]), [0, 1]);
        assert_eq!(colours.assign(["x", "ya", "x"]), [0, 1, 2]);
    }
}

//! Which style belongs to which arm: the same in every view and file, also when arms are moved, filtered or removed.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::table::settings::compare;
use super::{by_key, distinct};
use form::number::counted;

/// A multiple of the number of styles without shades. What an index has beyond it is a shade: index `i` of shade `s`
/// percent is `i + (s + 1) × STYLES`.
const STYLES: usize = 192;

/// Begins the name of the line of an arm's outdated runs.
pub const OUTDATED: &str = "outdated: ";
/// Set in the index of an outdated line, beyond all shades.
const MUTED: usize = 1 << 20;

/// Returns the index of the same style for an outdated line.
pub const fn muted(index: usize) -> usize {
    index | MUTED
}

/// Returns true if an outdated line has this index.
pub const fn is_muted(index: usize) -> bool {
    index & MUTED != 0
}

/// Returns the index of a style, and its shade in percent, light to dark.
pub const fn without_shade(index: usize) -> (usize, Option<u8>) {
    let index = index & !MUTED;
    match index / STYLES {
        0 => (index, None),
        percent => (index % STYLES, Some(if percent > 101 { 100 } else { (percent - 1) as u8 })),
    }
}

/// Returns the style with this index in a shade, from light (0) to dark (1).
fn shaded(index: usize, share: f64) -> usize {
    let percent = (share.clamp(0.0, 1.0) * 100.0).round() as usize;
    index % STYLES + (percent + 1) * STYLES
}

/// Returns the name of an arm, from the names that its sweep gives it: what they share, to the last comma.
pub fn base<'a>(names: &[&'a str]) -> &'a str {
    let [first, others @ ..] = names else { return "" };
    if others.is_empty() {
        return first;
    }
    let same = |name: &&str| first.bytes().zip(name.bytes()).take_while(|(a, b)| a == b).count();
    let shared = others.iter().map(same).min().unwrap_or(0);
    let shared = (0..=shared).rev().find(|end| first.is_char_boundary(*end)).unwrap_or(0);
    first[..shared].rfind(", ").map_or(first, |end| &first[..end])
}

/// The index for [`style_of`](super::style_of) of every arm that was ever seen, by its name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Colours(BTreeMap<String, usize>);

impl Colours {
    /// Returns the indices of arms with their sweeps written out, which come as the position of their arm and their
    /// name: an arm has one style, and swept values are shades of it, light to dark in the order of the values.
    pub fn assign_swept(&mut self, treatments: &[(usize, &str)]) -> Vec<usize> {
        let arms = treatments.chunk_by(|(a, _), (b, _)| a == b);
        let arms: Vec<Vec<&str>> = arms.map(|names| names.iter().map(|(_, name)| *name).collect()).collect();
        let own = self.assign(arms.iter().map(|names| base(names)));
        let styles = arms.iter().zip(own).flat_map(|(names, index)| {
            let ranks = ranks(names);
            let last = names.len().saturating_sub(1).max(1) as f64;
            let style =
                move |rank: usize| if rank == usize::MAX { index } else { shaded(index, rank as f64 / last) };
            ranks.into_iter().map(style)
        });
        styles.collect()
    }

    /// Gives the arm with these names, one for each value of its sweep, another style.
    pub fn choose(&mut self, names: &[&str], index: usize) {
        self.0.insert(base(names).to_owned(), without_shade(index).0);
    }

    /// Lets an arm keep its style under another name.
    pub fn rename(&mut self, old: &str, new: &str) {
        if !self.0.contains_key(new)
            && let Some(index) = self.0.remove(old)
        {
            self.0.insert(new.to_owned(), index);
        }
    }

    /// Returns the indices of these arms, in their order. An arm keeps its index; a new one takes the lowest that no
    /// other arm of the document has, so that one which is only renamed keeps it too. Arms of equal names are counted.
    pub fn assign<'a>(&mut self, arms: impl IntoIterator<Item = &'a str>) -> Vec<usize> {
        let keys = counted_names(arms);
        let taken: BTreeSet<usize> = keys.iter().filter_map(|key| self.0.get(key).copied()).collect();
        let free = (0..).filter(|index| !taken.contains(index));
        let new: Vec<(&String, usize)> =
            keys.iter().filter(|key| !self.0.contains_key(*key)).zip(free).collect();
        if let Some(&(_, last)) = new.last() {
            // Who is gone gives its place to the new one.
            self.0.retain(|_, index| *index > last || taken.contains(index));
        }
        self.0.extend(new.into_iter().map(|(key, index)| (key.clone(), index)));
        keys.iter().map(|key| self.0[key]).collect()
    }
}

/// Returns the names, with a number behind those that have come before.
fn counted_names<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let counted = |name: &'a str| {
        let mut key = name.to_owned();
        while !seen.insert(key.clone()) {
            let count = counts.entry(name).or_insert(1);
            *count += 1;
            key = format!("{name} ({count})");
        }
        key
    };
    names.into_iter().map(counted).collect()
}

/// Returns the indices of lines whose names have lost a swept value: an arm with one name left has its style without a
/// shade, and one with several has shades for these. The same name has the same index.
pub fn shaded_again(lines: &[(String, usize)]) -> Vec<usize> {
    let key = |colour: usize| (colour & MUTED) | without_shade(colour).0;
    let swept = lines.iter().filter(|(_, colour)| without_shade(*colour).1.is_some());
    let arms = by_key(distinct(swept.map(|(name, colour)| (key(*colour), name.as_str()))));
    let mut indices: BTreeMap<(usize, &str), usize> = BTreeMap::new();
    for (own, names) in arms {
        for (name, rank) in names.iter().zip(ranks(&names)) {
            let index = match rank {
                usize::MAX => own,
                rank => (own & MUTED) | shaded(own & !MUTED, rank as f64 / (names.len() - 1) as f64),
            };
            indices.insert((own, *name), index);
        }
    }
    let index = |(name, colour): &(String, usize)| match without_shade(*colour) {
        (_, Some(_)) => indices[&(key(*colour), name.as_str())],
        (_, None) => *colour,
    };
    lines.iter().map(index).collect()
}

/// Returns the place of each name of a swept arm in the order of its values; `usize::MAX` for an arm without a sweep.
fn ranks(names: &[&str]) -> Vec<usize> {
    if names.len() < 2 {
        return vec![usize::MAX; names.len()];
    }
    // Of several settings the order in which they are written out is that of the values.
    let values: Vec<Option<(&str, &str)>> = names.iter().map(|name| name.rsplit_once(' ')).collect();
    let is_one_setting = values.iter().all(|value| value.map(|it| it.0) == values[0].map(|it| it.0));
    let mut order: Vec<usize> = (0..names.len()).collect();
    if is_one_setting {
        let value = |at: &usize| values[*at].map_or("", |value| value.1);
        order.sort_by(|a, b| compare(value(a), value(b)));
    }
    let mut ranks = vec![0; names.len()];
    for (rank, at) in order.into_iter().enumerate() {
        ranks[at] = rank;
    }
    ranks
}

/// More seeds than this are counted, not listed.
const MOST_SEEDS: usize = 5;

/// Returns what runs are called together, each with the position of its arm, the name of its arm with the swept values,
/// and its seed: "a, storage int8, seeds 1, 2, 3", "a, 3 settings, seed 1", "2 arms, 10 seeds". Empty without runs.
pub fn subject_of<'a>(runs: impl IntoIterator<Item = (usize, &'a str, u64)>) -> String {
    let runs: Vec<_> = runs.into_iter().collect();
    let seeds: BTreeSet<u64> = runs.iter().map(|(.., seed)| *seed).collect();
    let what = arms_of(runs);
    if what.is_empty() { what } else { format!("{what}, {}", seeds_in_words(&seeds)) }
}

/// Returns what the arms of runs are called together: [`subject_of`] without the seeds.
pub fn arms_of<'a>(runs: impl IntoIterator<Item = (usize, &'a str, u64)>) -> String {
    let (arms, names): (BTreeSet<_>, BTreeSet<_>) =
        runs.into_iter().map(|(arm, name, _)| (arm, name)).unzip();
    let names: Vec<&str> = names.into_iter().collect();
    match (arms.len(), names.as_slice()) {
        (_, []) => String::new(),
        (_, [only]) => (*only).to_owned(),
        (1, several) => format!("{}, {}", base(several), counted(several.len() as u64, "setting")),
        (count, _) => counted(count as u64, "arm"),
    }
}

/// Returns "seed 2", "seeds 1, 2, 3", "10 seeds".
fn seeds_in_words(seeds: &BTreeSet<u64>) -> String {
    let listed: Vec<String> = seeds.iter().map(u64::to_string).collect();
    match listed.len() {
        1 => format!("seed {}", listed[0]),
        few if few <= MOST_SEEDS => format!("seeds {}", listed.join(", ")),
        many => counted(many as u64, "seed"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn swept_values_are_shades_of_the_style_of_their_arm() {
        let mut colours = Colours::default();
        let arms = [(0, "a"), (1, "b, rate 0.1"), (1, "b, rate 0.01"), (1, "b, rate 0.001"), (2, "c")];
        let indices = colours.assign_swept(&arms);
        assert_eq!((indices[0], indices[4]), (0, 2), "a sweep takes one colour");
        let shades: Vec<_> = indices[1..4].iter().map(|index| without_shade(*index)).collect();
        assert_eq!(shades, [(1, Some(100)), (1, Some(50)), (1, Some(0))], "by value");
        let earlier = muted(indices[1]);
        assert_eq!((is_muted(earlier), without_shade(earlier)), (true, (1, Some(100))), "the arm's style");
        let alone = colours.assign_swept(&[(0, "a"), (1, "b"), (2, "c")]);
        assert_eq!(alone, [0, 1, 2], "the arm keeps its colour without its sweep");
        colours.choose(&["b, rate 0.1", "b, rate 0.01"], indices[3] - 1 + 5);
        assert_eq!(colours.assign_swept(&[(0, "a"), (1, "b"), (2, "c")]), [0, 5, 2]);
    }

    #[test]
    fn without_a_swept_value_an_arm_has_fewer_shades() {
        let mut colours = Colours::default();
        let names = [
            "b, rate 0.1, batch 8",
            "b, rate 0.1, batch 16",
            "b, rate 0.2, batch 8",
            "b, rate 0.2, batch 16",
        ];
        let indices = colours.assign_swept(&names.map(|name| (0, name)));
        let lines = |name: fn(&str) -> String| -> Vec<(String, usize)> {
            names.iter().zip(&indices).map(|(own, index)| (name(own), *index)).collect()
        };
        let one = shaded_again(&lines(|name| name.replace(", rate 0.1", "").replace(", rate 0.2", "")));
        let shades: Vec<_> = one.iter().map(|index| without_shade(*index)).collect();
        assert_eq!(shades, [(0, Some(0)), (0, Some(100)), (0, Some(0)), (0, Some(100))]);
        assert_eq!(shaded_again(&lines(|_| "b".to_owned())), [0; 4]);
        assert_eq!(shaded_again(&[("a".to_owned(), 7)]), [7], "an arm without a sweep");
    }

    #[test]
    fn the_name_of_a_swept_arm_is_what_its_names_share() {
        assert_eq!(base(&["b, hidden [32], rate 0.1", "b, hidden [64, 32], rate 0.1"]), "b");
        assert_eq!(base(&["b, rate 0.1, batch 8", "b, rate 0.1, batch 16"]), "b, rate 0.1");
        assert_eq!(base(&["é, x 1", "é, x 2"]), "é");
        assert_eq!((base(&["one"]), base(&[])), ("one", ""));
    }

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

    /// Does as [`Colours::assign`], by a search among all for each.
    fn assign_plainly(known: &mut BTreeMap<String, usize>, arms: &[&str]) -> Vec<usize> {
        let mut keys: Vec<String> = Vec::new();
        for name in arms {
            let counted = (2..=arms.len()).map(|count| format!("{name} ({count})"));
            let mut all = std::iter::once((*name).to_owned()).chain(counted);
            keys.extend(all.find(|key| !keys.contains(key)));
        }
        let mut taken: Vec<usize> = keys.iter().filter_map(|key| known.get(key).copied()).collect();
        for key in &keys {
            if !known.contains_key(key) {
                let free = (0..=taken.len()).find(|index| !taken.contains(index)).unwrap();
                known.retain(|_, index| *index != free);
                known.insert(key.clone(), free);
                taken.push(free);
            }
        }
        keys.iter().map(|key| known[key]).collect()
    }

    #[test]
    fn many_arms_get_the_indices_that_a_search_for_each_gives_them() {
        let names = ["a", "b", "a (2)", "c", "d", "e", "f", "g"];
        let (mut colours, mut plain) = (Colours::default(), BTreeMap::new());
        let mut number: usize = 1;
        for step in 0..200 {
            let mut arms: Vec<&str> = Vec::new();
            for _ in 0..step % 9 {
                number =
                    number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                arms.push(names[(number >> 33) % names.len()]);
            }
            assert_eq!(colours.assign(arms.iter().copied()), assign_plainly(&mut plain, &arms), "{arms:?}");
            assert_eq!(colours.0, plain, "{arms:?}");
        }
    }

    #[test]
    fn runs_are_called_after_their_arm_their_setting_and_their_seeds() {
        let of = |runs: &[(usize, &str, u64)]| subject_of(runs.iter().copied());
        assert_eq!(of(&[]), "");
        assert_eq!(of(&[(0, "a", 2)]), "a, seed 2");
        let swept = [(0, "a, format Int8", 1), (0, "a, format Int8", 2), (0, "a, format Float32", 1)];
        assert_eq!(of(&swept[..2]), "a, format Int8, seeds 1, 2");
        assert_eq!(of(&swept), "a, 2 settings, seeds 1, 2");
        let seeds: Vec<_> =
            (1..=10).map(|seed| (seed as usize % 2, ["a", "b"][seed as usize % 2], seed)).collect();
        assert_eq!(of(&seeds), "2 arms, 10 seeds");
    }
}

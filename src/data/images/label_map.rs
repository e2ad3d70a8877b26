//! Which folder has which class: a text file, one folder to a line.

use std::collections::BTreeMap;
use std::path::Path;

use crate::class_names::distinct;
use crate::{DataError, stand_in};

/// Bytes of the longest file: a million classes fit.
const LONGEST: u64 = 64 << 20;
/// The most classes.
const MOST: u32 = 1_000_000;

/// The classes of folders.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LabelMap {
    pub labels: BTreeMap<String, u32>,
    /// Names of all classes.
    pub names: Vec<String>,
}

impl LabelMap {
    /// Reads a file with lines such as `n01440764`, `n01440764 tench, Tinca tinca` or `n01440764 0 tench`: a folder, its
    /// class (without one, the number of the line from 0), and a name. Where a line has a tab, the folder ends there and may
    /// have spaces.
    ///
    /// # Errors
    /// A file that cannot be read, and lines that contradict each other.
    pub fn read(path: &Path) -> Result<Self, DataError> {
        let unreadable = |source| DataError::Unreadable { path: path.to_owned(), source };
        let size = path.metadata().map_err(unreadable)?.len();
        let remedy = "Write a folder to a line, its class and a name: n01440764 0 tench; a tab after the folder, where its \
                      name has spaces";
        if size > LONGEST {
            return Err(DataError::wrong(
                path,
                "a text of folders and classes",
                format!("{size} bytes"),
                remedy,
            ));
        }
        let bytes = std::fs::read(path).map_err(unreadable)?;
        if let Some(found) = stand_in(&bytes) {
            return Err(DataError::wrong(path, "a text of folders and classes", found, remedy));
        }
        let text = String::from_utf8(bytes)
            .map_err(|_| DataError::wrong(path, "text in UTF-8", "other bytes", remedy))?;
        Self::parse(&text).map_err(|(expected, found)| DataError::wrong(path, expected, found, remedy))
    }

    fn parse(text: &str) -> Result<Self, (String, String)> {
        let mut map = Self::default();
        let mut names: BTreeMap<u32, String> = BTreeMap::new();
        let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim).enumerate();
        for (count, (number, line)) in (0..).zip(lines.filter(|(_, line)| !line.is_empty())) {
            let at_space = || line.split_once(char::is_whitespace).unwrap_or((line, ""));
            let (folder, rest) = line.split_once('\t').unwrap_or_else(at_space);
            let folder = folder.trim();
            let rest = rest.trim();
            let (first, after) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            let (label, name) = match first.parse::<u32>() {
                Ok(label) => (label, after.trim()),
                Err(_) => (count, rest),
            };
            let wrong =
                |expected: &str, found: String| Err((format!("line {}: {expected}", number + 1), found));
            if label >= MOST {
                return wrong("a class below 1,000,000", label.to_string());
            }
            if map.labels.insert(folder.to_owned(), label).is_some() {
                return wrong("each folder once", format!("\"{folder}\" again"));
            }
            let name = if name.is_empty() { folder } else { name };
            names.entry(label).or_insert_with(|| name.to_owned());
        }
        let last = names.keys().next_back().copied();
        let Some(last) = last else {
            return Err(("folders and classes".to_owned(), "an empty file".to_owned()));
        };
        let name = |label: u32| names.get(&label).cloned().unwrap_or_else(|| label.to_string());
        map.names = distinct((0..=last).map(name).collect());
        Ok(map)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::TestRunner;

    use super::*;

    #[test]
    fn folders_have_classes_by_number_or_by_line() {
        let map = LabelMap::parse("n01 tench, Tinca\nn02\n\nn03 crane\nn04 crane\n").unwrap();
        assert_eq!(map.labels["n03"], 2);
        assert_eq!(map.names, ["tench, Tinca", "n02", "crane", "crane (3)"]);
        let map = LabelMap::parse("b 2 two\na 0\n").unwrap();
        assert_eq!((map.labels["b"], map.names), (2, vec!["a".to_owned(), "1".to_owned(), "two".to_owned()]));
        let map = LabelMap::parse("polar bear\t1 Ursus maritimus\nsea lion\t0\n").unwrap();
        assert_eq!((map.labels["polar bear"], map.labels["sea lion"]), (1, 0));
        assert_eq!(map.names, ["sea lion", "Ursus maritimus"]);
    }

    #[test]
    fn any_text_is_a_map_or_an_error() {
        let text =
            proptest::string::string_regex("([a-c]{1,2}[ \\t]?[0-9]{0,3}[ \\t]?[a-z\\n]{0,3}){0,8}").unwrap();
        let config = ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() };
        TestRunner::new(config)
            .run(&text, |text| {
                if let Ok(map) = LabelMap::parse(&text) {
                    prop_assert!(map.labels.values().all(|label| (*label as usize) < map.names.len()));
                }
                Ok(())
            })
            .unwrap();
    }

    #[test]
    fn contradictions_and_giant_classes_are_refused() {
        assert!(LabelMap::parse("a 0\na 1\n").unwrap_err().0.contains("line 2: each folder once"));
        assert!(LabelMap::parse("a 4000000000\n").is_err());
        assert!(LabelMap::parse("\n").is_err());
    }
}

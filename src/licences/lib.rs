//! The licences of what the program contains: the crates that are linked into it, its fonts and its data.
//!
//! `crates.tsv` and `texts.gz` in `assets/licences/` are generated (see the README there); a test compares them with
//! `Cargo.lock`. What is not a crate is named here.

use std::collections::BTreeMap;
use std::io::Read;

use flate2::read::GzDecoder;

/// A line for each crate: name, version, licence, and the digests of its texts, with tabs between them.
const CRATES: &str = include_str!("../../assets/licences/crates.tsv");
static TEXTS: &[u8] = include_bytes!("../../assets/licences/texts.gz");

/// Separates texts in the packed file, each of which begins with a line that has its digest (ASCII's record separator).
const SEPARATOR: char = '\u{1e}';

/// The components that are no crates, with name, version, licence and text. `assets/fonts/README.md` and `assets/data/README.md` say more about fonts and data.
const ASSETS: [[&str; 4]; 8] = [
    ["Rust's standard library", "", "MIT OR Apache-2.0", include_str!("../../LICENSE-APACHE")],
    ["Roboto (font)", "2017", "Apache-2.0", include_str!("../../assets/fonts/LICENSE-Roboto.txt")],
    [
        "DejaVu Sans (font, a subset)",
        "2.37",
        "Bitstream-Vera AND LicenseRef-Public-Domain",
        include_str!("../../assets/fonts/LICENSE-DejaVu.txt"),
    ],
    ["Phosphor (font, a subset)", "2.1.2", "MIT", include_str!("../../assets/fonts/LICENSE-Phosphor.txt")],
    ["Digits and Iris (data)", "", "CC-BY-4.0", include_str!("../../assets/data/README.md")],
    [
        "scikit-learn (its copies of Digits and Iris)",
        "1.9.1",
        "BSD-3-Clause",
        include_str!("../../assets/data/LICENSE-scikit-learn.txt"),
    ],
    // Zig's linker (packaging/wheel/link) takes them in the place of GCC's library.
    [
        "libunwind (in packages for Linux)",
        "",
        "Apache-2.0 WITH LLVM-exception",
        include_str!("../../assets/licences/LICENSE-libunwind.txt"),
    ],
    [
        "Zig's compiler-rt (in packages for Linux)",
        "0.17.1",
        "MIT",
        include_str!("../../assets/licences/LICENSE-Zig.txt"),
    ],
];

/// A crate, a font, a data set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    pub name: String,
    /// Empty where it has none.
    pub version: String,
    /// An SPDX expression, as its author wrote it.
    pub licence: String,
    /// Positions of its texts in [`Licences::texts`].
    pub texts: Vec<usize>,
}

/// All components with their licences.
#[derive(Clone, Debug)]
pub struct Licences {
    /// What is no crate, then the crates by name.
    pub components: Vec<Component>,
    /// Each text once, though many components may have it.
    pub texts: Vec<String>,
}

impl Licences {
    /// Unpacks the list.
    pub fn load() -> Self {
        let (mut texts, positions) = unpack(TEXTS);
        let mut components = Vec::new();
        for [name, version, licence, text] in ASSETS {
            let [name, version, licence] = [name, version, licence].map(str::to_owned);
            let known =
                texts.iter().position(|known: &String| known.split_whitespace().eq(text.split_whitespace()));
            let position = known.unwrap_or(texts.len());
            if known.is_none() {
                texts.push(text.to_owned());
            }
            components.push(Component { name, version, licence, texts: vec![position] });
        }
        components.extend(CRATES.lines().filter_map(|line| component(line, &positions)));
        Self { components, texts }
    }

    /// Returns all texts, each once, below the names and versions of those that have it.
    pub fn text(&self) -> String {
        let line = "=".repeat(100);
        let part = |(index, text): (usize, &String)| {
            format!("{line}\n{}\n{line}\n\n{}\n\n", self.who_has(index), text.trim_end())
        };
        self.texts.iter().enumerate().map(part).collect()
    }

    /// Lists the names and versions of those that have a text, with commas between them.
    fn who_has(&self, text: usize) -> String {
        let having = self.components.iter().filter(|component| component.texts.contains(&text));
        having.map(Component::title).collect::<Vec<_>>().join(", ")
    }
}

impl Component {
    pub fn title(&self) -> String {
        format!("{} {}", self.name, self.version).trim_end().to_owned()
    }
}

/// Collects the texts, and which digest each of them has.
fn unpack(packed: &[u8]) -> (Vec<String>, BTreeMap<String, usize>) {
    let mut all = String::new();
    GzDecoder::new(packed).read_to_string(&mut all).expect("the embedded file is a whole gzip stream");
    let mut positions = BTreeMap::new();
    let mut texts = Vec::new();
    for (digest, text) in all.split(SEPARATOR).filter_map(|part| part.split_once('\n')) {
        positions.insert(digest.to_owned(), texts.len());
        texts.push(text.to_owned());
    }
    (texts, positions)
}

fn component(line: &str, positions: &BTreeMap<String, usize>) -> Option<Component> {
    let mut fields = line.split('\t');
    let mut next = || Some(fields.next()?.to_owned());
    let (name, version, licence, digests) = (next()?, next()?, next()?, next()?);
    let texts = digests.split(' ').filter_map(|digest| positions.get(digest).copied()).collect();
    Some(Component { name, version, licence, texts })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_component_has_a_licence_and_a_text() {
        let licences = Licences::load();
        for component in &licences.components {
            assert!(!component.licence.is_empty() && !component.texts.is_empty(), "{component:?}");
        }
        let of_crate = |name: &str| licences.components.iter().find(|component| component.name == name);
        let texts = of_crate("eframe").unwrap().texts.iter().map(|&text| licences.texts[text].as_str());
        let texts: Vec<&str> = texts.collect();
        for title in ["Apache License", "MIT License"] {
            assert!(texts.iter().any(|text| text.contains(title)), "{title}");
        }
        assert!(of_crate("Roboto (font)").is_some() && of_crate("rustc").is_none());
        assert_eq!(
            CRATES.lines().count() + ASSETS.len(),
            licences.components.len(),
            "a line is not understood"
        );
    }

    #[test]
    fn every_text_belongs_to_somebody() {
        let licences = Licences::load();
        for text in 0..licences.texts.len() {
            assert!(!licences.who_has(text).is_empty(), "{}", licences.texts[text]);
        }
    }
}

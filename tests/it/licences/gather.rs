//! Finds the crates that are linked into the program and the texts of their licences.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::{Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// The systems whose programs the list is for.
pub const TARGETS: [&str; 3] = ["x86_64-unknown-linux-gnu", "x86_64-pc-windows-msvc", "aarch64-apple-darwin"];

/// Between two texts; `src/licences/` splits there.
const SEPARATOR: char = '\u{1e}';

/// A crate of a version.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Crate {
    pub name: String,
    pub version: String,
}

impl Crate {
    /// Of `name version`, or of `name vversion …` as `cargo tree` writes it.
    pub fn parse(line: &str) -> Option<Self> {
        let mut words = line.split_whitespace();
        let (name, version) = (words.next()?, words.next()?);
        let version = version.strip_prefix('v').unwrap_or(version);
        Some(Self { name: name.to_owned(), version: version.to_owned() })
    }
}

/// The contents of the three files.
pub struct Gathered {
    pub table: String,
    pub others: String,
    pub texts: String,
}

/// Runs cargo and returns what it printed.
fn cargo(arguments: &[&str], is_offline: bool) -> Result<String, String> {
    let mut command = Command::new(env!("CARGO"));
    command.args(arguments).arg("--locked").current_dir(env!("CARGO_MANIFEST_DIR"));
    if is_offline {
        command.arg("--offline");
    }
    let output = command.output().map_err(|error| error.to_string())?;
    let [printed, errors] =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    if output.status.success() { Ok(printed) } else { Err(errors) }
}

/// The crates that a program for this system is built of: dependencies of every depth, without those of tests and build
/// scripts.
pub fn linked(target: &str, is_offline: bool) -> Result<BTreeSet<Crate>, String> {
    let arguments = ["tree", "--edges", "normal", "--target", target, "--prefix", "none", "--format", "{p}"];
    let tree = cargo(&arguments, is_offline)?;
    let crates = tree.lines().filter_map(Crate::parse);
    Ok(crates.filter(|one| !one.name.starts_with(env!("CARGO_PKG_NAME"))).collect())
}

/// Looks at the sources of all crates.
pub fn gather(locked: &BTreeSet<Crate>) -> Gathered {
    let all: BTreeSet<Crate> = TARGETS.iter().flat_map(|target| linked(target, false).unwrap()).collect();
    let metadata = cargo(&["metadata", "--format-version", "1"], false).unwrap();
    let metadata: Value = serde_json::from_str(&metadata).unwrap();
    let packages: BTreeMap<Crate, &Value> = metadata["packages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|package| {
            let [name, version] = ["name", "version"].map(|key| package[key].as_str().unwrap().to_owned());
            (Crate { name, version }, package)
        })
        .collect();
    let mut texts = Texts::default();
    let mut found: BTreeMap<&Crate, Vec<String>> = BTreeMap::new();
    for one in &all {
        let files = files(packages[one]);
        found.insert(one, files.iter().map(|file| texts.add(&read(file))).collect());
    }
    let mut table = String::new();
    for one in &all {
        let package = packages[one];
        let licence = package["license"].as_str().unwrap_or("see its text");
        let mut digests = found[one].clone();
        let has_own = files(package).iter().any(|file| file.parent() == folder(package).as_deref());
        if !has_own {
            digests.extend(texts.usual(one, package, licence));
        }
        digests.sort();
        digests.dedup();
        assert!(!digests.is_empty(), "{one:?} has no text of its licence, {licence}");
        writeln!(table, "{}\t{}\t{licence}\t{}", one.name, one.version, digests.join(" ")).unwrap();
    }
    let mut others = String::new();
    for one in locked.difference(&all) {
        writeln!(others, "{} {}", one.name, one.version).unwrap();
    }
    Gathered { table, others, texts: texts.joined() }
}

fn folder(package: &Value) -> Option<PathBuf> {
    Some(Path::new(package["manifest_path"].as_str()?).parent()?.to_owned())
}

fn read(path: &Path) -> String {
    let text = String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
    let text = text.trim_start_matches('\u{feff}').replace(SEPARATOR, " ");
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n").trim_matches('\n').to_owned() + "\n"
}

/// The files with licences in the sources of a crate, in order; those of its tests and examples are not in the program.
fn files(package: &Value) -> Vec<PathBuf> {
    let mut found = Vec::new();
    collect(&folder(package).unwrap(), &mut found);
    found.sort();
    found
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    let is_left_out = |name: &str| ["tests", "examples", "benches", "scripts", "assets"].contains(&name);
    let is_code = |path: &Path| path.extension().is_some_and(|ending| ending == "rs");
    let starts = ["licen", "unlicen", "copying", "copyright", "notice", "ofl", "ufl"];
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().to_lowercase();
        if path.is_dir() {
            if !is_left_out(&name) {
                collect(&path, found);
            }
        } else if starts.iter().any(|start| name.starts_with(start)) && !is_code(&path) {
            found.push(path);
        }
    }
}

/// Texts by the digests of their words: copies differ in spaces and line breaks.
#[derive(Default)]
struct Texts(BTreeMap<String, String>);

impl Texts {
    /// Adds a text; its digest.
    fn add(&mut self, text: &str) -> String {
        let words: Vec<&str> = text.split_whitespace().collect();
        let digest = Sha256::digest(words.join(" "));
        let digest = u32::from_be_bytes([digest[0], digest[1], digest[2], digest[3]]);
        let digest = format!("{digest:08x}");
        // Of copies, the first in the order of texts: the outcome does not depend on the order of crates.
        let kept = self.0.entry(digest.clone()).or_insert_with(|| text.to_owned());
        if text < kept.as_str() {
            text.clone_into(kept);
        }
        digest
    }

    /// The usual texts of the licences of a crate that brings none.
    fn usual(&mut self, one: &Crate, package: &Value, licence: &str) -> Vec<String> {
        let ours = |name: &str| read(&Path::new(env!("CARGO_MANIFEST_DIR")).join(name));
        let mut digests = Vec::new();
        if licence.contains("MIT") {
            let authors = package["authors"].as_array().unwrap().iter().filter_map(Value::as_str);
            let authors: Vec<&str> = authors.collect();
            let authors =
                if authors.is_empty() { format!("the authors of {}", one.name) } else { authors.join(", ") };
            let text = ours("LICENSE-MIT").replace("The Weightlab authors", &authors);
            assert!(text.contains(&authors), "LICENSE-MIT has another line for its authors");
            digests.push(self.add(&text));
        }
        if licence.contains("Apache-2.0") {
            digests.push(self.add(&ours("LICENSE-APACHE")));
        }
        if licence == "BSL-1.0" {
            let boost = self.0.iter().find(|(_, text)| text.starts_with("Boost Software License"));
            digests.extend(boost.map(|(digest, _)| digest.clone()));
        }
        digests
    }

    fn joined(&self) -> String {
        let parts: Vec<String> = self.0.iter().map(|(digest, text)| format!("{digest}\n{text}")).collect();
        parts.join(&SEPARATOR.to_string())
    }
}

/// Compressed, without the time of day in it.
pub fn packed(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

/// The text in a packed file.
pub fn unpacked(path: &Path) -> Option<String> {
    let mut text = String::new();
    GzDecoder::new(std::fs::File::open(path).ok()?).read_to_string(&mut text).ok()?;
    Some(text)
}

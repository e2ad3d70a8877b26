//! The source as text, for rules about what it must not contain.

use std::path::{Path, PathBuf};

pub struct Source {
    /// Path below the project, with slashes.
    pub path: String,
    /// All of it.
    pub text: String,
    /// Without comments, and without its tests.
    pub code: String,
}

/// The folder below `src` that a file belongs to.
pub fn layer_of(path: &str) -> &str {
    path.strip_prefix("src/").unwrap_or(path).split(['/', '.']).next().unwrap_or_default()
}

/// All Rust files below a folder of the project, in order.
pub fn sources(folder: &str) -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    collect(&root.join(folder), &mut paths);
    paths.sort();
    assert!(!paths.is_empty(), "there is no source under {folder}");
    let source = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        let path = path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
        let code = if is_test_file(&path) { String::new() } else { code_of(&text) };
        Source { path, text, code }
    };
    paths.into_iter().map(source).collect()
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, paths);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            paths.push(path);
        }
    }
}

fn is_test_file(path: &str) -> bool {
    path.ends_with("/tests.rs") || path.ends_with("/testing.rs") || path.contains("/tests/")
}

/// A file up to its tests, without comments. Where the tests have a file of their own, only its name is left out.
pub fn code_of(text: &str) -> String {
    let mut code: Vec<&str> = Vec::new();
    for line in text.lines() {
        if code.last() == Some(&"#[cfg(test)]") && line.starts_with("mod ") {
            code.pop();
            if line.ends_with(';') {
                continue;
            }
            break;
        }
        code.push(line.split("//").next().unwrap_or_default());
    }
    code.join("\n")
}

/// Everything that follows `word` in the code, where it stands as a word of its own.
pub fn after<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = &'a str> {
    code.match_indices(word).filter_map(move |(at, _)| {
        let is_inside = code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        (!is_inside).then(|| &code[at + word.len()..])
    })
}

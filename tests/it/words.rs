//! The words of the window, the messages and the pages: one term and one spelling for each thing.

use std::path::{Path, PathBuf};

/// Wordings that have a better one, which follows.
const OLD: [(&str, &str); 34] = [
    ("95 % interval", "95 % CI"),
    ("Single runs", "Individual seeds"),
    ("single runs", "individual runs or seeds"),
    ("Position on the line", "Interpolation coefficient α"),
    ("masks overlap by", "overlap with the previous mask"),
    ("as initialised", "initial distribution"),
    ("entries is cut", "bar of pruned weights truncated"),
    ("as by default", "default"),
    ("As usual", "PyTorch default"),
    ("How many go", "How much is pruned"),
    ("is meant;", "The target matches no parameter of this network"),
    ("is no kind of", "is not a supported format"),
    ("runs are over", "Stopped: 8 done, 2 interrupted, 14 not started"),
    ("not begun", "not started"),
    ("as something else", "values were altered when read"),
    ("They are lost otherwise", "If you don't, they will be lost"),
    ("Runs are going on", "Runs in progress"),
    ("go on at the next start", "Quit and resume at next start"),
    ("Go on with", "Resume"),
    ("Own size", "Custom size"),
    ("Resolution of pictures", "PNG resolution"),
    ("Title of x", "x-axis label"),
    ("all the room", "Maximize"),
    ("trials after Leveugle", "Sample size for ± 1 % (Leveugle et al. 2009)"),
    ("lines that are shown", "hide or show line"),
    ("long without a smaller width", "days on a CPU at full width"),
    ("Move to the right", "Split right"),
    ("fell on held entries", "pruned weights kept at 0"),
    ("Held entries: ", "Pruned or frozen weights: "),
    ("holds them at zero", "Prunes weights and keeps them at zero"),
    ("Set settings", "Change settings"),
    ("anew for each image", "drawn again for each image"),
    ("leads back", "goes back"),
    ("a protection save", "How many errors does a protection prevent?"),
];

/// Stems with the ending -ise of British spelling; the pages and the window have -ize, with "colour".
const STEMS: [&str; 17] = [
    "initialis",
    "normalis",
    "optimis",
    "maximis",
    "minimis",
    "standardis",
    "organis",
    "recognis",
    "randomis",
    "summaris",
    "visualis",
    "parallelis",
    "regularis",
    "quantis",
    "synchronis",
    "memoris",
    "penalis",
];

#[test]
fn the_window_the_messages_and_the_pages_have_one_wording() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for file in files(&root.join("src"), "rs").into_iter().filter(|file| !is_test(file)) {
        let code = std::fs::read_to_string(&file).unwrap();
        let product = code.split("#[cfg(test)]").next().unwrap_or_default();
        for text in literals(product) {
            found.extend(old_words(&text).map(|word| format!("{}: {word}: {text}", file.display())));
        }
    }
    let pages =
        ["README.md", "CHANGELOG.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map(|page| root.join(page));
    let pages = pages.into_iter().chain(files(&root.join("docs"), "md"));
    for file in pages.chain(files(&root.join("experiments"), "ron")) {
        for line in std::fs::read_to_string(&file).unwrap().lines() {
            found.extend(old_words(line).map(|word| format!("{}: {word}: {line}", file.display())));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn literals_are_found_and_comments_are_not() {
    let code = "let a = \"one\"; // \"two\"\nlet b = '\"'; let c = r#\"three \"x\"\"#; \"fo\\\n    ur\"";
    assert_eq!(literals(code), ["one", "three \"x\"", "four"]);
    let words: Vec<String> = old_words("Normalised, and Single runs").collect();
    assert_eq!(words, ["Individual seeds", "normalis"]);
    assert_eq!(old_words("optimism of the maximum").count(), 0);
}

/// What should be written instead of the old words in a text.
fn old_words(text: &str) -> impl Iterator<Item = String> {
    // A name in files of an earlier version.
    let text = if text == "maximised" { String::new() } else { text.to_owned() };
    let lower = text.to_lowercase();
    let is_british = move |stem: &&str| {
        lower.match_indices(*stem).any(|(at, _)| lower[at + stem.len()..].starts_with(['e', 'i', 'a']))
    };
    let stems = STEMS.into_iter().filter(is_british).map(str::to_owned);
    OLD.into_iter()
        .filter(move |(old, _)| text.contains(old))
        .map(|(_, better)| better.to_owned())
        .chain(stems)
}

fn is_test(file: &Path) -> bool {
    let text = file.to_string_lossy();
    text.contains("tests") || text.contains("testing")
}

/// The files with this ending below a folder, in order.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            found.extend(files(&path, ending));
        } else if path.extension().is_some_and(|own| own == ending) {
            found.push(path);
        }
    }
    found
}

/// The string literals of a source file, without those in comments.
fn literals(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = code;
    while let Some(letter) = rest.chars().next() {
        let before = code[..code.len() - rest.len()].chars().next_back();
        let hashes = rest.strip_prefix('r').map(|raw| raw.len() - raw.trim_start_matches('#').len());
        if rest.starts_with("//") {
            rest = rest.find('\n').map_or("", |end| &rest[end..]);
        } else if let Some(count) = hashes
            && rest[1 + count..].starts_with('"')
            && !before.is_some_and(|letter| letter.is_alphanumeric() || letter == '_')
        {
            let end = format!("\"{}", "#".repeat(count));
            let (text, after) = rest[2 + count..].split_once(&end).unwrap_or_default();
            found.push(text.to_owned());
            rest = after;
        } else if letter == '"' {
            let end = end_of(&rest[1..]);
            found.push(joined(&rest[1..=end]));
            rest = &rest[(end + 2).min(rest.len())..];
        } else if letter == '\'' {
            // A letter, or the name of a lifetime.
            let mut letters = rest[1..].char_indices();
            let is_escaped = rest[1..].starts_with('\\');
            let end = letters.nth(if is_escaped { 2 } else { 1 }).filter(|(_, end)| *end == '\'');
            rest = &rest[end.map_or(1, |(at, _)| at + 2)..];
        } else {
            rest = &rest[letter.len_utf8()..];
        }
    }
    found
}

/// Where a literal ends that begins here.
fn end_of(text: &str) -> usize {
    let mut is_escaped = false;
    let end = text.char_indices().find(|(_, letter)| {
        let ends = *letter == '"' && !is_escaped;
        is_escaped = *letter == '\\' && !is_escaped;
        ends
    });
    end.map_or(text.len(), |(at, _)| at)
}

/// A literal over several lines as one.
fn joined(text: &str) -> String {
    let mut lines = text.split("\\\n");
    let first = lines.next().unwrap_or_default().to_owned();
    lines.fold(first, |all, line| all + line.trim_start())
}

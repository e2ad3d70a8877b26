//! The rules about what is absent: imports between layers, and words that some files must not contain.

use std::path::{Path, PathBuf};

/// Which layers each one may import; itself always. What is not listed here is refused.
const LAYERS: &[(&str, &[&str])] = &[
    ("form", &[]),
    ("intervene", &["form"]),
    ("data", &["form", "intervene"]),
    ("optimize", &["form"]),
    ("doc", &["form", "intervene", "data", "optimize"]),
    ("results", &["doc", "intervene", "form"]),
    ("figure", &["results", "doc", "form"]),
    ("net", &["doc", "optimize", "data", "intervene", "form"]),
    ("run", &["net", "results", "doc", "optimize", "data", "intervene", "form"]),
    ("gui", &["run", "figure", "results", "doc", "data", "form"]),
    ("cli", &["run", "figure", "results", "doc", "data", "form"]),
];

/// The longest a source file may get.
const LONGEST: usize = 400;

struct Source {
    /// Path below the project, with slashes.
    path: String,
    /// All of it.
    text: String,
    /// Without comments, and without its tests.
    code: String,
}

impl Source {
    fn layer(&self) -> &str {
        let inner = self.path.strip_prefix("src/").unwrap_or(&self.path);
        inner.split(['/', '.']).next().unwrap_or_default()
    }
}

fn sources(folder: &str) -> Vec<Source> {
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

/// A file up to its tests, without comments.
fn code_of(text: &str) -> String {
    let end = text.find("#[cfg(test)]\nmod ").unwrap_or(text.len());
    let lines = text[..end].lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

/// Everything that follows `word` in the code, where it stands as a word of its own.
fn after<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = &'a str> {
    code.match_indices(word).filter_map(move |(at, _)| {
        let is_inside = code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        (!is_inside).then(|| &code[at + word.len()..])
    })
}

/// The modules that a `crate::` path names first: one, or several in braces.
fn imported(rest: &str) -> Vec<String> {
    let first =
        |text: &str| text.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    match rest.strip_prefix('{') {
        None => vec![first(rest)],
        Some(group) => {
            let mut depth = 0_usize;
            let mut item = String::new();
            let mut items = Vec::new();
            for character in group.chars() {
                match character {
                    '{' => depth += 1,
                    '}' if depth == 0 => break,
                    '}' => depth -= 1,
                    ',' if depth == 0 => items.push(first(&std::mem::take(&mut item))),
                    _ if depth == 0 => item.push(character),
                    _ => {}
                }
            }
            items.push(first(&item));
            items
        }
    }
}

fn complain(problems: &[String]) {
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn layers_import_downwards_only() {
    let mut problems = Vec::new();
    for source in sources("src") {
        let Some((_, allowed)) = LAYERS.iter().find(|(layer, _)| *layer == source.layer()) else { continue };
        for name in after(&source.code, "crate::").flat_map(imported) {
            let is_layer = LAYERS.iter().any(|(layer, _)| *layer == name);
            if is_layer && name != source.layer() && !allowed.contains(&name.as_str()) {
                problems.push(format!("{} imports {name}, and {} may not", source.path, source.layer()));
            }
        }
    }
    complain(&problems);
}

#[test]
fn every_folder_is_a_layer() {
    let known =
        |layer: &str| matches!(layer, "lib" | "main") || LAYERS.iter().any(|(name, _)| *name == layer);
    let unknown = sources("src").into_iter().filter(|source| !known(source.layer()));
    complain(
        &unknown
            .map(|source| format!("{} belongs to no layer of the table", source.path))
            .collect::<Vec<_>>(),
    );
}

#[test]
fn each_library_has_one_home() {
    let homes = [
        ("burn::", "net"),
        ("egui::", "gui"),
        ("eframe::", "gui"),
        ("egui_plot::", "gui"),
        ("clap::", "cli"),
    ];
    let mut problems = Vec::new();
    for source in sources("src").iter().filter(|source| source.layer() != "main") {
        for (library, home) in homes {
            if source.layer() != home && after(&source.code, library).next().is_some() {
                problems.push(format!("{} uses {library}, which belongs into {home}", source.path));
            }
        }
    }
    complain(&problems);
}

#[test]
fn only_the_command_line_prints() {
    let prints = ["println!", "print!", "eprintln!", "eprint!", "dbg!"];
    let mut problems = Vec::new();
    for source in sources("src").iter().filter(|source| source.layer() != "cli") {
        for print in prints.iter().filter(|print| after(&source.code, print).next().is_some()) {
            problems.push(format!("{} has {print}", source.path));
        }
    }
    complain(&problems);
}

#[test]
fn the_train_loop_knows_nothing_of_interventions() {
    let sources = sources("src/run");
    let train = sources
        .iter()
        .find(|source| source.path == "src/run/train.rs")
        .expect("the train loop is run/train.rs");
    let words = train.text.split(|c: char| !c.is_alphabetic()).map(str::to_lowercase);
    let forbidden = |word: &String| {
        ["prun", "freez", "froz", "fault", "watch", "intervention"]
            .iter()
            .any(|start| word.starts_with(start))
    };
    assert_eq!(words.filter(forbidden).collect::<Vec<_>>(), Vec::<String>::new());
}

#[test]
fn maths_and_data_have_no_threads() {
    let sources = sources("src");
    let pure = sources.iter().filter(|source| ["intervene", "data", "form", "doc"].contains(&source.layer()));
    let threaded = pure.filter(|source| after(&source.code, "thread::").next().is_some());
    complain(&threaded.map(|source| format!("{} uses threads", source.path)).collect::<Vec<_>>());
}

#[test]
fn threads_have_names_and_channels_have_bounds() {
    let mut problems = Vec::new();
    for source in sources("src") {
        if after(&source.code, "thread::spawn").next().is_some() {
            problems.push(format!("{} spawns a thread without a name; use thread::Builder", source.path));
        }
        let is_channel = |rest: &str| rest.starts_with('(') || rest.starts_with("::<");
        if after(&source.code, "channel").any(is_channel) {
            problems.push(format!("{} has a channel without a bound; use sync_channel", source.path));
        }
    }
    complain(&problems);
}

#[test]
fn no_file_is_long() {
    let long = |source: &Source| source.text.lines().count() > LONGEST;
    let mut all = sources("src");
    all.extend(sources("tests"));
    let all = all.iter().filter(|source| long(source));
    complain(&all.map(|source| format!("{} has more than {LONGEST} lines", source.path)).collect::<Vec<_>>());
}

#[test]
fn imports_are_read_from_single_paths_and_from_groups() {
    let code = code_of(
        "use crate::doc::Run;\nuse crate::{net::{A, B}, run};\n// crate::gui\nlet x = crate::form!{};\n",
    );
    let names: Vec<String> = after(&code, "crate::").flat_map(imported).collect();
    assert_eq!(names, ["doc", "net", "run", "form"]);
    assert_eq!(code_of("a\n#[cfg(test)]\nmod tests {}\n"), "a");
}

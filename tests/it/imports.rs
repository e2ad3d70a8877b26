//! Circles of imports within a layer: a file is understood without those that use it.
//!
//! A file imports another where it names something that the other one defines; what a `mod.rs` passes on counts for the
//! file that it comes from. What a file takes from a `mod.rs` above it is not counted: that is what a folder shares.

use std::collections::{BTreeMap, BTreeSet};

use crate::support::source::{Source, code_of, sources};

/// As many files may need each other.
const LARGEST: usize = 3;

/// Names of a path, without `crate`.
type Names = Vec<String>;

#[derive(Default)]
struct Modules {
    /// The file of each module.
    files: BTreeMap<Names, String>,
    /// Where a name comes from that a module passes on.
    origins: BTreeMap<Names, Names>,
}

impl Modules {
    /// A path as it is seen from a module; nothing where it leads out of the crate.
    fn absolute(&self, path: &str, module: &[String]) -> Option<Names> {
        let mut names: Vec<&str> = path.split("::").map(str::trim).collect();
        let mut base = module.to_vec();
        match names[0] {
            "crate" => base.clear(),
            "self" | "super" => {}
            child => {
                base.push(child.to_owned());
                self.files.get(&base)?;
                base.pop();
                names.insert(0, "self");
            }
        }
        for name in names.iter().skip_while(|name| **name == "crate") {
            match *name {
                "self" => {}
                "super" => drop(base.pop()),
                name => base.push(name.to_owned()),
            }
        }
        Some(base)
    }

    /// The file that defines what a path names.
    fn home(&self, path: &[String]) -> Option<&String> {
        for end in (1..=path.len()).rev() {
            let file = self.files.get(&path[..end]);
            // A module may pass on a function with its child's name.
            let is_whole = end == path.len();
            if let Some(origin) = self.origins.get(&path[..end]).filter(|_| is_whole || file.is_none()) {
                return self.home(&[origin, &path[end..]].concat());
            }
            if file.is_some() {
                return file;
            }
        }
        None
    }
}

fn module_of(file: &str) -> Names {
    let path = file.strip_prefix("src/").unwrap_or(file).trim_end_matches(".rs").trim_end_matches("/mod");
    path.split('/').map(str::to_owned).collect()
}

/// The trees of `use` in a file, each with whether it is passed on, and the code without them.
fn uses(code: &str) -> (Vec<(bool, String)>, String) {
    let (mut uses, mut rest) = (Vec::new(), String::new());
    let mut lines = code.lines();
    while let Some(line) = lines.next() {
        let words = line.trim_start();
        let is_passed_on = words.starts_with("pub") && words.contains(" use ");
        if !is_passed_on && !words.starts_with("use ") {
            rest.extend([line, "\n"]);
            continue;
        }
        let mut statement = line.to_owned();
        while !statement.contains(';') {
            let Some(line) = lines.next() else { break };
            statement.push_str(line);
        }
        let tree = statement.split_once("use ").map_or("", |(_, tree)| tree);
        uses.push((is_passed_on, tree.split(';').next().unwrap_or_default().to_owned()));
    }
    (uses, rest)
}

/// The single paths of a tree, without the names that they get.
fn paths(tree: &str) -> Vec<String> {
    let Some((base, group)) = tree.split_once('{') else {
        let path = tree.split(" as ").next().unwrap_or_default().trim();
        return if path.is_empty() { Vec::new() } else { vec![path.to_owned()] };
    };
    let (mut depth, mut item, mut all) = (0_usize, String::new(), Vec::new());
    for character in group.chars() {
        match character {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            _ => {}
        }
        if character == ',' && depth == 0 {
            all.extend(paths(&std::mem::take(&mut item)));
        } else {
            item.push(character);
        }
    }
    all.extend(paths(&item));
    all.iter().map(|path| format!("{}{path}", base.trim())).collect()
}

/// Paths of at least two names that stand in code.
fn spoken(code: &str) -> impl Iterator<Item = &str> {
    let words = code.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
    words.map(|word| word.trim_end_matches(':')).filter(|word| word.contains("::") && !word.starts_with(':'))
}

/// A path that a file names, and whether it passes it on.
struct Link {
    is_passed_on: bool,
    path: Names,
}

/// The paths below the crate that each file names.
fn links(sources: &[Source]) -> (Modules, BTreeMap<String, Vec<Link>>) {
    let mut modules = Modules::default();
    for source in sources {
        modules.files.insert(module_of(&source.path), source.path.clone());
    }
    let mut links = BTreeMap::new();
    for source in sources {
        let module = module_of(&source.path);
        let (trees, rest) = uses(&source.code);
        let trees = trees
            .iter()
            .flat_map(|(is_passed_on, tree)| paths(tree).into_iter().map(|path| (*is_passed_on, path)));
        let named = trees.chain(spoken(&rest).map(|path| (false, path.to_owned())));
        let links_of = named.filter_map(|(is_passed_on, path)| {
            Some(Link { is_passed_on, path: modules.absolute(&path, &module)? })
        });
        links.insert(source.path.clone(), links_of.collect::<Vec<_>>());
    }
    for (file, links) in &links {
        for Link { path, .. } in links.iter().filter(|link| link.is_passed_on) {
            let name = [module_of(file), path[path.len().saturating_sub(1)..].to_vec()].concat();
            if name != *path {
                modules.origins.insert(name, path.clone());
            }
        }
    }
    (modules, links)
}

/// Which layers each file names.
pub fn layers(sources: &[Source]) -> BTreeMap<String, BTreeSet<String>> {
    let named =
        |links: Vec<Link>| links.into_iter().filter_map(|link| link.path.into_iter().next()).collect();
    links(sources).1.into_iter().map(|(file, links)| (file, named(links))).collect()
}

/// Which files each file imports.
pub fn imports(sources: &[Source]) -> BTreeMap<String, BTreeSet<String>> {
    let (modules, links) = links(sources);
    let homes = |(file, links): (String, Vec<Link>)| {
        let is_above =
            |home: &str| home.strip_suffix("mod.rs").is_some_and(|folder| file.starts_with(folder));
        let is_below =
            |home: &str| file.strip_suffix("mod.rs").is_some_and(|folder| home.starts_with(folder));
        let imported = links.iter().filter_map(|Link { is_passed_on, path }| {
            let home = modules.home(path)?;
            (*home != file && !is_above(home) && !(*is_passed_on && is_below(home))).then(|| home.clone())
        });
        let imported = imported.collect();
        (file, imported)
    };
    links.into_iter().map(homes).collect()
}

/// All that a file needs, itself only where it is needed again.
fn reached<'a>(imports: &'a BTreeMap<String, BTreeSet<String>>, file: &str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<&str> = vec![file];
    while let Some(next) = open.pop() {
        let new = imports.get(next).into_iter().flatten().filter(|file| reached.insert(file.as_str()));
        open.extend(new.map(String::as_str).collect::<Vec<_>>());
    }
    reached
}

/// Files that need each other, largest circle first.
fn circles(sources: &[Source]) -> Vec<BTreeSet<String>> {
    let imports = imports(sources);
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        imports.keys().map(|file| (file.as_str(), reached(&imports, file))).collect();
    let circle = |file: &str| -> BTreeSet<String> {
        let both = reached[file].iter().filter(|other| reached[*other].contains(file));
        both.map(|other| (*other).to_owned()).collect()
    };
    let all: BTreeSet<_> =
        reached.keys().map(|file| circle(file)).filter(|circle| !circle.is_empty()).collect();
    let mut all: Vec<_> = all.into_iter().collect();
    all.sort_by_key(|circle| std::cmp::Reverse(circle.len()));
    all
}

#[test]
fn imports_are_read_from_single_paths_and_from_groups() {
    let code = "use crate::doc::Run;\npub use crate::{net::{A, B as C},\n run};\nlet x = crate::form! {};\n";
    let (trees, rest) = uses(code);
    let named: Vec<String> = trees.iter().flat_map(|(_, tree)| paths(tree)).collect();
    assert_eq!(named, ["crate::doc::Run", "crate::net::A", "crate::net::B", "crate::run"]);
    assert_eq!(trees.iter().map(|(is_passed_on, _)| *is_passed_on).collect::<Vec<_>>(), [false, true]);
    assert_eq!(spoken(&rest).collect::<Vec<_>>(), ["crate::form"]);
    assert_eq!(code_of("a // crate::gui\n#[cfg(test)]\nmod tests {}\n"), "a ");
    assert_eq!(
        code_of("a\n#[cfg(test)]\nmod tests;\nb\n#[cfg(test)]\nmod more {\n}\n"),
        "a\nb",
        "tests elsewhere end nothing"
    );
}

#[test]
fn few_files_need_each_other() {
    let sources: Vec<Source> = sources("src").into_iter().filter(|source| !source.code.is_empty()).collect();
    let large: Vec<_> = circles(&sources).into_iter().filter(|circle| circle.len() > LARGEST).collect();
    assert!(large.is_empty(), "files that need each other: {large:#?}");
}

#[test]
fn a_circle_is_found_through_what_a_folder_passes_on() {
    let source = |(path, code): (&str, &str)| Source {
        path: path.to_owned(),
        text: code.to_owned(),
        code: code.to_owned(),
    };
    let sources = [
        ("src/lib.rs", "pub mod a;\npub mod b;\n"),
        ("src/a/mod.rs", "mod one;\nmod two;\npub use one::{Other, One};\npub trait Shared {}\n"),
        ("src/a/one.rs", "use super::{Shared, two::{Two, Three}};\nimpl Shared for One {}\n"),
        ("src/a/two.rs", "use crate::b::B;\nfn f() { super::One::new(); }\n"),
        ("src/b.rs", "use std::path::Path;\npub struct B;\n"),
    ]
    .map(source);
    let [circle] = circles(&sources).try_into().expect("one circle");
    assert_eq!(circle.into_iter().collect::<Vec<_>>(), ["src/a/one.rs", "src/a/two.rs"]);
    assert_eq!(imports(&sources)["src/a/two.rs"].len(), 2, "with b.rs");
}

//! The rules about what is absent: imports between layers, and words that some files must not contain.

use doc::Net;

use crate::imports::{imports, layers};
use crate::support::source::{Source, after, layer_of, sources};

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
    ("cluster", &["run", "results", "doc", "form"]),
    ("download", &["data", "form"]),
    ("licences", &[]),
    ("publish", &["run", "figure", "results", "doc", "data", "form"]),
    (
        "gui",
        &["cluster", "publish", "run", "figure", "results", "doc", "download", "data", "form", "licences"],
    ),
    (
        "cli",
        &["cluster", "publish", "run", "figure", "results", "doc", "download", "data", "form", "licences"],
    ),
];

/// A file by its path.
fn source(path: &str) -> Source {
    sources("src").into_iter().find(|source| source.path == path).unwrap_or_else(|| panic!("{path} is gone"))
}

/// The longest a source file may get.
const LONGEST: usize = 400;

fn complain(problems: &[String]) {
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn layers_import_downwards_only() {
    let mut problems = Vec::new();
    for (file, named) in layers(&sources("src")) {
        let Some((layer, allowed)) = LAYERS.iter().find(|(layer, _)| *layer == layer_of(&file)) else {
            continue;
        };
        for (name, _) in LAYERS.iter().filter(|(name, _)| named.contains(*name)) {
            if name != layer && !allowed.contains(name) {
                problems.push(format!("{file} imports {name}, and {layer} may not"));
            }
        }
    }
    complain(&problems);
}

#[test]
fn every_folder_is_a_layer() {
    let known =
        |layer: &str| matches!(layer, "lib" | "main") || LAYERS.iter().any(|(name, _)| *name == layer);
    let unknown = sources("src").into_iter().filter(|source| !known(layer_of(&source.path)));
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
    for source in sources("src").iter().filter(|source| layer_of(&source.path) != "main") {
        for (library, home) in homes {
            if layer_of(&source.path) != home && after(&source.code, library).next().is_some() {
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
    for source in sources("src").iter().filter(|source| layer_of(&source.path) != "cli") {
        for print in prints.iter().filter(|print| after(&source.code, print).next().is_some()) {
            problems.push(format!("{} has {print}", source.path));
        }
    }
    complain(&problems);
}

#[test]
fn the_train_loop_knows_nothing_of_interventions() {
    let train = source("src/run/train.rs");
    let words = train.text.split(|c: char| !c.is_alphabetic()).map(str::to_lowercase);
    let forbidden = |word: &String| {
        ["prun", "freez", "froz", "fault", "watch", "intervention"]
            .iter()
            .any(|start| word.starts_with(start))
    };
    assert_eq!(words.filter(forbidden).collect::<Vec<_>>(), Vec::<String>::new());
    let imports = imports(&sources("src"));
    let above = ["interventions", "stages", "past", "faults", "campaign"];
    let is_above = |file: &&String| {
        let place = file.trim_start_matches("src/run/").split(['/', '.']).next();
        file.starts_with("src/run/") && place.is_some_and(|place| above.contains(&place))
    };
    let found: Vec<_> = imports[&train.path].iter().filter(is_above).collect();
    assert_eq!(found, Vec::<&String>::new());
}

#[test]
fn a_session_does_not_know_who_listens() {
    let is_listener =
        |file: &String| file.starts_with("src/run/directory") || file.starts_with("src/run/queue");
    let walk =
        ["session", "steps", "stages", "train", "evaluate", "interventions", "campaign", "faults", "past"];
    let mut problems = Vec::new();
    for (file, imported) in imports(&sources("src")) {
        let place = file.strip_prefix("src/run/").and_then(|rest| rest.split(['/', '.']).next());
        // Replay reads results; a session writes them.
        if place.is_some_and(|place| walk.contains(&place)) && !file.ends_with("/replay.rs") {
            let listeners = imported.iter().filter(|file| is_listener(file));
            problems.extend(listeners.map(|listener| format!("{file} imports {listener}")));
        }
    }
    complain(&problems);
}

#[test]
fn a_record_is_folded_in_one_place() {
    let sources = sources("src");
    let records = sources.iter().filter(|source| source.code.contains("impl RunRecord {"));
    let changes = records
        .flat_map(|record| after(&record.code, "pub fn "))
        .filter(|rest| rest.split_once(')').is_some_and(|(head, _)| head.contains("(&mut self")));
    let names: Vec<_> = changes.filter_map(|rest| rest.split('(').next()).collect();
    assert_eq!(names, ["apply"]);
    let ends = ["Event::Finished", "Event::Failed", "Event::Stopped"];
    let folds = |source: &&Source| {
        let arms = source.code.lines().filter_map(|line| line.split_once("=>"));
        arms.filter(|(pattern, _)| ends.iter().any(|end| pattern.contains(end))).count() >= 2
    };
    let found: Vec<_> = sources.iter().filter(folds).map(|source| source.path.as_str()).collect();
    assert_eq!(found, ["src/results/record.rs"]);
}

#[test]
fn the_engine_has_no_globals() {
    let mut problems = Vec::new();
    let engine = ["form", "intervene", "data", "optimize", "doc", "results", "figure", "net", "run"];
    for source in sources("src").iter().filter(|source| engine.contains(&layer_of(&source.path))) {
        let is_kernel = source.path.starts_with("src/net/kernels/");
        let changes = ["Mutex", "RwLock", "Cell<", "OnceLock", "static mut"];
        let statics = source.code.lines().filter(|line| line.contains("static ") && line.contains(": "));
        for line in statics.filter(|line| !is_kernel && changes.iter().any(|word| line.contains(word))) {
            problems.push(format!("{} has a global: {line}", source.path));
        }
        if after(&source.code, "env::var").next().is_some() && source.path != "src/data/locate.rs" {
            problems.push(format!("{} looks at the environment", source.path));
        }
        for word in
            ["rand::rng", "thread_rng", "from_os_rng", "from_entropy", "Device::seed", "HashMap", "HashSet"]
        {
            if after(&source.code, word).next().is_some() {
                problems.push(format!("{} has {word}: results depend on it", source.path));
            }
        }
    }
    complain(&problems);
}

#[test]
fn unsafe_stands_under_net_kernels_only() {
    let mut problems = Vec::new();
    for source in sources("src").iter().filter(|source| !source.path.starts_with("src/net/kernels/")) {
        // Policies of web pages have a word 'unsafe-inline'.
        if after(&source.code, "unsafe").any(|rest| !rest.starts_with("-inline'")) {
            problems.push(format!("{} has unsafe code", source.path));
        }
    }
    complain(&problems);
}

#[test]
fn one_writer_has_the_log_of_a_run() {
    let opens =
        |source: &&Source| source.code.contains("events.jsonl") && source.code.contains("OpenOptions");
    let sources = sources("src");
    let found: Vec<_> = sources.iter().filter(opens).map(|source| source.path.as_str()).collect();
    assert_eq!(found, ["src/run/directory/mod.rs"]);
}

#[test]
fn the_window_waits_for_nobody() {
    let patient = |source: &&Source| after(&source.code, "recv").any(|rest| rest.starts_with("()"));
    let sources = sources("src");
    let window = sources.iter().filter(|source| layer_of(&source.path) == "gui");
    complain(&window.filter(patient).map(|source| format!("{} waits", source.path)).collect::<Vec<_>>());
}

#[test]
fn the_children_of_a_module_are_in_its_folder() {
    let mut all = sources("src");
    all.extend(sources("tests"));
    all.extend(sources("benches"));
    let folders: Vec<String> =
        all.iter().filter_map(|source| Some(source.path.rsplit_once('/')?.0.to_owned() + ".rs")).collect();
    let beside = all.iter().filter(|source| folders.contains(&source.path));
    complain(&beside.map(|source| format!("{} lies beside its folder", source.path)).collect::<Vec<_>>());
}

/// The list that the user writes has an editor, which knows it by name.
#[test]
fn nobody_names_an_architecture_but_its_file_and_the_registry() {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    let names = |line: &str, key: &str| {
        line.match_indices(key).any(|(at, _)| {
            let is_word = !line[..at].ends_with(is_letter) && !line[at + key.len()..].starts_with(is_letter);
            let is_quoted = line[..at].matches('"').count() % 2 == 1;
            is_word && !is_quoted
        })
    };
    let mut problems = Vec::new();
    for source in sources("src") {
        let is_registry = source.path.starts_with("src/doc/arch/") || source.path == "src/doc/mod.rs";
        for key in Net::all().iter().map(Net::key).filter(|key| !is_registry && *key != "Sequential") {
            let code = source.code.split("#[cfg(test)]").next().unwrap_or_default();
            if code.lines().any(|line| names(line, key)) {
                problems.push(format!("{} names {key}; ask the architecture instead", source.path));
            }
        }
    }
    complain(&problems);
}

#[test]
fn maths_and_data_have_no_threads() {
    let sources = sources("src");
    let pure = sources.iter().filter(|source| {
        ["intervene", "data", "form", "doc", "optimize", "results"].contains(&layer_of(&source.path))
    });
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

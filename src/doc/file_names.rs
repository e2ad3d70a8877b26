//! Files that experiments name: placeholders, what may be written where, and the paths of what is read.

use std::path::{Component, Path, PathBuf};

use crate::experiment::{Arm, Experiment};
use crate::spec::settings_of;
use form::path::{Found, Place, Segment, assign, each, walk};
use form::{Names, Node, Value};

/// Fills a run's arm and seed into the name of a file.
///
/// Characters of the arm's name other than letters, digits, `-`, `_` and `.` become `_`, and so does a dot at its start, so
/// that no name leads to another folder.
pub fn filled(file: &str, arm: &str, seed: u64) -> String {
    let plain = |(at, c): (usize, char)| {
        let fits = c.is_alphanumeric() || "-_".contains(c) || at > 0 && c == '.';
        if fits { c } else { '_' }
    };
    let arm: String = arm.chars().enumerate().map(plain).collect();
    file.replace("{arm}", &arm).replace("{seed}", &seed.to_string())
}

/// The names of the tables of a run.
pub const TABLES: [&str; 5] =
    ["faults.csv", "trials.csv", "trials_unprotected.csv", "logits.csv", "histograms.jsonl"];

/// The ending of weight files that are written here.
const SAFETENSORS: &str = "safetensors";
/// The endings of weight files that are read. The content decides how.
const WEIGHTS: [&str; 7] = [SAFETENSORS, "pth", "pt", "th", "ckpt", "pth.tar", "pt.tar"];

/// Lists the endings of weight files that are read: `.safetensors, .pth or .pt`, and the others.
pub fn weight_endings() -> String {
    let [others @ .., last] = WEIGHTS.map(|ending| format!(".{ending}"));
    format!("{} or {last}", others.join(", "))
}

/// Returns true if a source of weights is a file rather than a name.
pub fn is_file(from: &str) -> bool {
    WEIGHTS.iter().any(|ending| ends_with(from, ending))
}

/// Returns true if a file has the ending of those that are written.
pub fn is_safetensors(file: &str) -> bool {
    ends_with(file, SAFETENSORS)
}

fn ends_with(file: &str, ending: &str) -> bool {
    let name = file.to_ascii_lowercase();
    name.strip_suffix(ending).and_then(|name| name.strip_suffix('.')).is_some_and(|stem| !stem.is_empty())
}

/// The folder in a run's directory that its plan writes files into. Nothing else is there, so that no name is that of one of the
/// run's own files, on no disk.
pub const EXPORTS: &str = "exports";

/// Returns true if an exported file is inside the folder that it belongs into.
pub fn stays_inside(file: &str) -> bool {
    let mut components = Path::new(file).components();
    !file.is_empty() && components.all(|part| matches!(part, Component::Normal(_)))
}

/// Returns the path of a file that a run has exported. Those of earlier versions are beside the run's own files.
pub fn exported(directory: &Path, name: &str) -> PathBuf {
    let path = directory.join(EXPORTS).join(name);
    if path.exists() { path } else { directory.join(name) }
}

/// A replacement of a path as a setting has it, empty where none is named; none where it stays.
type NewPath<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// Replaces the paths of what an experiment reads, in its sweeps and replacements too. Files that its runs write are none.
pub fn with_paths(experiment: &Experiment, new: &NewPath<'_>) -> Experiment {
    let mut changed = experiment.clone();
    let written = exports(&mut changed);
    let new = |path: &str| new(path).filter(|_| written.iter().all(|file| file != path));
    replace(&mut changed, &Found::default(), &new);
    // Each address of a replacement is that of a setting of an arm.
    let arms: Vec<Option<&Arm>> = experiment.arms.iter().map(Some).chain([None]).collect();
    for (path, text) in changed.set.0.iter_mut().chain(changed.arms.iter_mut().flat_map(|arm| &mut arm.set.0))
    {
        if let Some(other) = other_value(experiment, &arms, [path, text], &new) {
            *text = other;
        }
    }
    let own = changed.arms.iter_mut().flat_map(|arm| &mut arm.sweep.0);
    for (path, text) in changed.sweep.0.iter_mut().chain(own) {
        let Ok(items) = form::Overrides::items(text) else { continue };
        let others: Vec<Option<String>> =
            items.iter().map(|item| other_value(experiment, &arms, [path, item], &new)).collect();
        if others.iter().any(Option::is_some) {
            let items = others.into_iter().zip(items).map(|(other, item)| other.unwrap_or(item));
            *text = format!("[{}]", items.collect::<Vec<_>>().join(", "));
        }
    }
    changed
}

/// Returns the value of a replacement with other paths; none where it has none of them.
fn other_value(
    experiment: &Experiment,
    arms: &[Option<&Arm>],
    [path, text]: [&str; 2],
    new: &NewPath<'_>,
) -> Option<String> {
    let fitting = arms.iter().find_map(|arm| {
        let mut spec = settings_of(experiment, *arm);
        assign(&mut spec, path, text).is_ok().then_some(spec)
    });
    let (mut spec, mut other) = (fitting?, None);
    let mut act = |value: &mut dyn Value, found: &Found| {
        if replace(value, found, new) {
            other = Some(value.to_ron());
        }
        Ok(())
    };
    each(&mut spec, path, &mut act).ok()?;
    other
}

/// Replaces the paths in a value, which was found there; returns true if there were any.
fn replace(value: &mut dyn Value, outside: &Found, new: &NewPath<'_>) -> bool {
    let mut is_replaced = false;
    walk(value, &mut |value, inside| {
        let Node::Text(text) = value.node() else { return };
        let place = Place([&outside.place.0[..], &inside.place.0[..]].concat());
        let field = inside.fields.last().or(outside.fields.last());
        let names = field.map_or(Names::Nothing, |field| field.names);
        let is_source =
            is_in(&place, "Graft") && field.is_some_and(|field| field.key == "from") && is_file(text);
        let is_read = matches!(names, Names::Folder | Names::File) && !is_in(&place, "Export");
        if (is_read || is_source)
            && let Some(other) = new(text)
        {
            *text = other;
            is_replaced = true;
        }
    });
    is_replaced
}

/// Returns true if a place lies in this setting or alternative.
fn is_in(place: &Place, name: &str) -> bool {
    place.0.iter().any(|segment| match segment {
        Segment::Key(own) | Segment::Variant(own) => own == name,
        Segment::Index(_) => false,
    })
}

fn exports(experiment: &mut Experiment) -> Vec<String> {
    let mut files = Vec::new();
    walk(experiment, &mut |value, found| {
        if is_in(&found.place, "Export")
            && found.field().names == Names::File
            && let Node::Text(file) = value.node()
        {
            files.push(file.clone());
        }
    });
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_of_an_arm_leads_out_of_the_directory() {
        for arm in ["..", ".", "../..", "a/../..", "/etc"] {
            for file in ["{arm}/x.safetensors", "{arm}{arm}/x.safetensors", "{arm}./x.safetensors"] {
                let name = filled(file, arm, 1);
                assert!(stays_inside(&name), "{name}");
            }
        }
        assert_eq!(filled("{arm}-{seed}.safetensors", "a b, rate 0.1", 3), "a_b__rate_0.1-3.safetensors");
    }

    #[test]
    fn weight_files_are_told_from_names_by_their_endings() {
        for file in ["a.safetensors", "b/model_best.PTH.tar", "resnet20-12fca82f.th", "{arm}.pt", "x.ckpt"] {
            assert!(is_file(file), "{file}");
        }
        for name in ["k", "after round 3", "pt", ".pth", "cifar.tar", "data.bin"] {
            assert!(!is_file(name), "{name}");
        }
        assert_eq!(weight_endings(), ".safetensors, .pth, .pt, .th, .ckpt, .pth.tar or .pt.tar");
        assert!(is_safetensors("a.SafeTensors") && !is_safetensors("a.pth"));
    }

    #[test]
    fn exports_stay_in_their_folder() {
        for name in
            ["", "/x.safetensors", "../x.safetensors", "a/../../x.safetensors", "./x.safetensors", "a/.."]
        {
            assert!(!stays_inside(name), "{name}");
        }
        for name in
            ["a/x.safetensors", "DONE", "claim", "weights.safetensors", "..x.safetensors", "a\\b.safetensors"]
        {
            assert!(stays_inside(name), "{name}");
        }
    }

    #[test]
    fn exports_of_earlier_versions_are_found_beside_the_files_of_the_run() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(EXPORTS)).unwrap();
        let paths = [folder.path().join("x.safetensors"), folder.path().join(EXPORTS).join("x.safetensors")];
        for path in paths {
            std::fs::write(&path, "").unwrap();
            assert_eq!(exported(folder.path(), "x.safetensors"), path);
        }
    }
}

#[cfg(test)]
mod paths_tests {
    use std::path::Path;

    use crate::file::{parse, to_text};
    use crate::file_names::*;

    #[test]
    fn every_path_that_is_read_is_replaced_and_no_other_text() {
        let text = "Experiment(
    version: 1,
    name: \"d\",
    data: Images(dir: \"d\", label_map: Some(\"d\")),
    arms: [
        (
            name: \"d\",
            plan: [
                Do(Export(file: \"w.pt\")),
                Do(Import(file: \"w.pt\")),
                Do(Import(file: \"v.pt\")),
                Do(Snapshot(name: \"d\")),
                Do(Graft(from: \"d\")),
                Do(Graft(from: \"u.pt\")),
                Do(Freeze(select: Mask(\"m.pt\"))),
                Branch(name: \"d\", data: Csv(file: \"d\", label: \"d\"), plan: []),
                Campaign(faults: File(\"f.csv\"), fault: (amount: Count(1)), trials: Fixed(100)),
            ],
            set: {\"plan.2.Import.file\": \"v.pt\", \"train.batch\": 8},
        ),
    ],
    sweep: {\"data.dir\": [\"d\", \"e\"], \"plan.2.file\": [\"v.pt\", \"w.pt\"], \"train.batch\": [1, 2]},
)
";
        let experiment = parse(text, Path::new("x.ron")).unwrap();
        let changed = with_paths(&experiment, &|path| (!path.is_empty()).then(|| format!("W/{path}")));
        let expected = text
            .replace("dir: \"d\"", "dir: \"W/d\"")
            .replace("label_map: Some(\"d\")", "label_map: \"W/d\"")
            .replace("(file: \"d\"", "(file: \"W/d\"")
            .replace("from: \"u.pt\"", "from: \"W/u.pt\"")
            .replace("\"v.pt\"", "\"W/v.pt\"")
            .replace("\"m.pt\"", "\"W/m.pt\"")
            .replace("\"f.csv\"", "\"W/f.csv\"")
            .replace("[\"d\", \"e\"]", "[\"W/d\", \"W/e\"]");
        assert_eq!(
            to_text(&changed, text).unwrap(),
            to_text(&parse(&expected, Path::new("x.ron")).unwrap(), text).unwrap()
        );
        assert_eq!(with_paths(&experiment, &|_| None), experiment);
    }
}

//! Paths of files and folders that an experiment reads.

use super::experiment::{Arm, Experiment};
use super::file_names::is_file;
use super::spec::settings_of;
use form::path::{Found, Place, Segment, assign, each, walk};
use form::{Names, Node, Value};

/// A path as a setting has it.
#[derive(Clone, Copy, Debug)]
pub struct ReadPath<'a> {
    /// As it is written; empty where none is named.
    pub text: &'a str,
    /// Whether it is that of data, which identities of runs leave out.
    pub is_of_data: bool,
}

/// What a path is replaced by; nothing where it stays.
type NewPath<'a> = dyn Fn(ReadPath<'_>) -> Option<String> + 'a;

/// The experiment with other paths of what it reads, in its sweeps and replacements too. Files that its runs write are none.
pub fn with_paths(experiment: &Experiment, new: &NewPath<'_>) -> Experiment {
    let mut changed = experiment.clone();
    let written = exports(&mut changed);
    let new = |path: ReadPath<'_>| new(path).filter(|_| written.iter().all(|file| file != path.text));
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

/// The value of a replacement with other paths; nothing where it has none of them.
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

/// Replaces the paths in a value, which was found there; whether there were any.
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
            && let Some(other) = new(ReadPath { text, is_of_data: is_in(&place, "data") })
        {
            *text = other;
            is_replaced = true;
        }
    });
    is_replaced
}

/// Whether a place lies in this setting or alternative.
fn is_in(place: &Place, name: &str) -> bool {
    place.0.iter().any(|segment| match segment {
        Segment::Key(own) | Segment::Variant(own) => own == name,
        Segment::Index(_) => false,
    })
}

/// The files that plans write.
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
    use std::path::Path;

    use super::*;
    use crate::file::{parse, to_text};

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
        let changed = with_paths(&experiment, &|path| {
            let kind = if path.is_of_data { "D" } else { "W" };
            (!path.text.is_empty()).then(|| format!("{kind}/{}", path.text))
        });
        let expected = text
            .replace("dir: \"d\"", "dir: \"D/d\"")
            .replace("label_map: Some(\"d\")", "label_map: \"D/d\"")
            .replace("(file: \"d\"", "(file: \"D/d\"")
            .replace("from: \"u.pt\"", "from: \"W/u.pt\"")
            .replace("\"v.pt\"", "\"W/v.pt\"")
            .replace("\"m.pt\"", "\"W/m.pt\"")
            .replace("\"f.csv\"", "\"W/f.csv\"")
            .replace("[\"d\", \"e\"]", "[\"D/d\", \"D/e\"]");
        assert_eq!(
            to_text(&changed, text).unwrap(),
            to_text(&parse(&expected, Path::new("x.ron")).unwrap(), text).unwrap()
        );
        assert_eq!(with_paths(&experiment, &|_| None), experiment);
    }
}

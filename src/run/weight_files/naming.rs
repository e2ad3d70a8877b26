//! Which tensors of a file are the weights of a network: what stands before their names, and the names of their layers.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::names::{Layers, common_wrapper, is_wrapper, layer_map, layers_in_file, layers_of};
use super::{FileShapes, Shapes};
use doc::Structure;

/// Most parts of a name that may stand before the names of a network.
const MOST_PARTS: usize = 16;
/// So many such beginnings are tried, and more as long as that takes no more looks at names.
const SURE_PREFIXES: usize = 64;
const MOST_LOOKS: usize = 1 << 24;
/// What wrappers of a part of a network put into the middle of names: `features.module.0.weight`.
const INSIDE: [&str; 2] = ["module", "_orig_mod"];

/// How the names of a file become those of a network.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Naming {
    /// Whether [`INSIDE`] is taken out of names.
    is_plain: bool,
    /// What stands before the names of the weights.
    pub prefix: String,
    /// Our name of a layer by theirs, without what stands before it.
    map: BTreeMap<String, String>,
    /// What was chosen and renamed, in sentences.
    pub notes: Vec<String>,
    /// What was taken although the file leaves it open, in sentences with the remedy.
    pub doubts: Vec<String>,
}

/// The names of a file below one beginning, as a network may have them.
struct Candidate {
    prefix: String,
    map: BTreeMap<String, String>,
    doubt: Option<String>,
    /// Names in the file of the tensors that the network has a place for.
    used: BTreeSet<String>,
}

impl Naming {
    /// Finds the names of a network in a file: below the longest beginning under which the file has all of them. Where other
    /// tensors fit too, those without anything before their names are taken, then those in a known wrapper, then the first ones
    /// of the file.
    pub fn of(structure: &Structure, file: &FileShapes) -> Self {
        let has_inside =
            structure.layers.iter().any(|layer| layer.name.split('.').any(|part| INSIDE.contains(&part)));
        let file_plain = (!has_inside).then(|| plain_file(file)).flatten();
        let (is_plain, file) = (file_plain.is_some(), file_plain.as_ref().unwrap_or(file));
        let mut candidates = prefixes(&file.shapes, structure.parameters.len());
        candidates.sort_by_key(|prefix| (!is_wrapper(prefix), Reverse(prefix.len())));
        candidates.truncate((MOST_LOOKS / file.shapes.len().max(1)).max(SURE_PREFIXES));
        // The longest of those that take the same tensors.
        candidates.sort_by_key(|prefix| Reverse(prefix.len()));
        let mut kept: Vec<Candidate> = Vec::new();
        for candidate in candidates.into_iter().map(|prefix| Candidate::of(structure, file, prefix)) {
            let is_whole = candidate.used.len() == structure.parameters.len();
            if is_whole && kept.iter().all(|other| other.used != candidate.used) {
                kept.push(candidate);
            }
        }
        let first = |prefix: &str| file.order.iter().position(|name| name.starts_with(prefix));
        kept.sort_by_cached_key(|Candidate { prefix, .. }| {
            (!prefix.is_empty(), !is_wrapper(prefix), first(prefix), prefix.clone())
        });
        let others: Vec<String> = kept.iter().skip(1).map(|other| shown(&other.prefix)).collect();
        let is_whole = !kept.is_empty();
        let chosen = kept
            .into_iter()
            .next()
            .unwrap_or_else(|| Candidate::of(structure, file, usual_prefix(structure, file)));
        let Candidate { prefix, map, doubt, .. } = chosen;
        let (mut notes, mut doubts): (Vec<String>, Vec<String>) = (Vec::new(), doubt.into_iter().collect());
        if is_whole && !is_wrapper(&prefix) {
            notes.push(format!("the weights are those under {prefix}"));
        }
        if !others.is_empty() {
            doubts.insert(
                0,
                format!(
                    "the weights {} were taken, and those {} fit too: for these, save them alone in Python",
                    shown(&prefix),
                    others.join(" and ")
                ),
            );
        }
        let renamed: Vec<(String, String)> = map
            .iter()
            .filter(|(theirs, ours)| theirs != ours)
            .map(|(theirs, ours)| (theirs.clone(), ours.clone()))
            .collect();
        notes.extend(super::names::note(&renamed));
        Self { is_plain, prefix, map, notes, doubts }
    }

    /// Gives tensors the names of the network; those that it has no place for keep theirs.
    pub fn apply<T>(&self, tensors: BTreeMap<String, T>) -> BTreeMap<String, T> {
        let (mut ours, mut others) = (BTreeMap::new(), Vec::new());
        for (name, tensor) in tensors {
            let short = if self.is_plain { plain(&name) } else { name.clone() };
            match short.strip_prefix(&self.prefix) {
                Some(short) => drop(ours.insert(renamed(&self.map, short), tensor)),
                None => others.push((name, tensor)),
            }
        }
        for (name, tensor) in others {
            let free =
                if ours.contains_key(&name) { format!("{name} (outside of {})", self.prefix) } else { name };
            ours.insert(free, tensor);
        }
        ours
    }
}

impl Candidate {
    fn of(structure: &Structure, file: &FileShapes, prefix: String) -> Self {
        let FileShapes { shapes, order, .. } = file.under(&prefix);
        let (theirs, in_file) = (layers_of(shapes.keys()), layers_in_file(&order));
        let layers = Layers { structure, theirs: &theirs, in_file: &in_file, shapes: &shapes };
        let (map, doubt) = layer_map(&layers);
        let ours: BTreeMap<&str, &[usize]> = structure
            .parameters
            .iter()
            .map(|parameter| (parameter.name.as_str(), &*parameter.shape))
            .collect();
        let fits = |(name, shape): &(&String, &Vec<usize>)| {
            ours.get(renamed(&map, name).as_str()) == Some(&shape.as_slice())
        };
        let used = shapes.iter().filter(fits).map(|(name, _)| format!("{prefix}{name}")).collect();
        Self { prefix, map, doubt, used }
    }
}

/// A name with our name of its layer, where there is one.
fn renamed(map: &BTreeMap<String, String>, name: &str) -> String {
    match name.rsplit_once('.') {
        Some((layer, role)) => map.get(layer).map_or(name.to_owned(), |ours| format!("{ours}.{role}")),
        None => name.to_owned(),
    }
}

/// What stands before names where a file does not have the whole network: what wrappers put there, if none of our names is there.
fn usual_prefix(structure: &Structure, file: &FileShapes) -> String {
    let is_ours = structure.parameters.iter().any(|parameter| file.shapes.contains_key(&parameter.name));
    if is_ours { String::new() } else { common_wrapper(&file.shapes.keys()) }
}

fn shown(prefix: &str) -> String {
    if prefix.is_empty() { "without a prefix".to_owned() } else { format!("under {prefix}") }
}

/// Beginnings of names, each up to a dot, with at least this number of names under them: the shortest first.
pub fn prefixes(shapes: &Shapes, least: usize) -> Vec<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for name in shapes.keys() {
        let dots = name.match_indices('.').take(MOST_PARTS).map(|(at, _)| at + 1);
        for end in std::iter::once(0).chain(dots) {
            *counts.entry(&name[..end]).or_default() += 1;
        }
    }
    let mut found: Vec<String> = counts
        .into_iter()
        .filter(|(_, count)| *count >= least.max(1))
        .map(|(prefix, _)| prefix.to_owned())
        .collect();
    found.sort_by_key(String::len); // stable
    found
}

/// A name without what wrappers put into it.
fn plain(name: &str) -> String {
    name.split('.').filter(|part| !INSIDE.contains(part)).collect::<Vec<_>>().join(".")
}

/// A file with plain names; none where two would be one.
pub fn plain_file(file: &FileShapes) -> Option<FileShapes> {
    let shapes: Shapes = file.shapes.iter().map(|(name, shape)| (plain(name), shape.clone())).collect();
    let order = file.order.iter().map(|name| plain(name)).collect();
    (shapes.len() == file.shapes.len()).then(|| FileShapes { shapes, order, ..FileShapes::default() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weight_files::{guess, read_shapes};
    use data::Shape;
    use doc::Loss;
    use form::ron_text;

    fn perceptron(net: &str, inputs: usize, classes: usize) -> Structure {
        let net = ron_text::from_str(net).unwrap();
        Structure::new(&net, Shape::new(inputs, 1, 1), classes, &Loss::CrossEntropy).unwrap()
    }

    fn stored(name: &str) -> FileShapes {
        let folder = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
            .join("tests/oracle/checkpoints");
        read_shapes(&folder.join(format!("{name}.pth")), false).unwrap()
    }

    const NAMES: [&str; 4] = ["fc1.bias", "fc1.weight", "fc2.bias", "fc2.weight"];

    #[test]
    fn the_weights_are_found_whatever_stands_before_their_names_and_beside_them() {
        let structure = perceptron("Mlp(hidden: [3])", 4, 2);
        for (name, note, others) in [
            ("lightning", Some("the weights are those under net.body."), vec!["0.mean", "criterion.weight"]),
            ("inner", None, Vec::new()),
            ("wrapped", None, Vec::new()),
        ] {
            let file = stored(name);
            let naming = Naming::of(&structure, &file);
            let found: Vec<String> = naming.apply(file.shapes.clone()).into_keys().collect();
            let expected: BTreeSet<&str> = NAMES.into_iter().chain(others).collect();
            assert!(found.iter().map(String::as_str).eq(expected), "{name}: {found:?}");
            assert_eq!(naming.notes.first().map(String::as_str), note, "{name}");
            assert_eq!(naming.doubts, Vec::<String>::new());
            assert_eq!(
                guess(&file).unwrap().net,
                ron_text::from_str("Mlp(hidden: [3], classes: 2)").unwrap(),
                "{name}"
            );
        }
    }

    #[test]
    fn a_long_beginning_is_found_among_many_short_ones() {
        let structure = perceptron("Mlp(hidden: [3])", 4, 2);
        let shapes = |prefix: &str, width: usize| {
            let shapes = [vec![width], vec![width, 4], vec![2], vec![2, width]];
            NAMES
                .into_iter()
                .zip(shapes)
                .map(|(name, shape)| (format!("{prefix}{name}"), shape))
                .collect::<Vec<_>>()
        };
        let others = |width: usize| (0..200).flat_map(move |at| shapes(&format!("b{at}."), width));
        let file = |width: usize| FileShapes {
            shapes: others(width).chain(shapes("of.the.student.", 3)).collect(),
            ..FileShapes::default()
        };
        assert_eq!(Naming::of(&structure, &file(5)).prefix, "of.the.student.");
        assert_eq!(Naming::of(&structure, &file(3)).prefix, "b0.", "the first of all that fit");
    }

    #[test]
    fn the_first_of_two_networks_is_taken_and_the_other_one_named() {
        let structure = perceptron("Mlp(hidden: [3])", 4, 2);
        let mut file = stored("twins");
        let naming = Naming::of(&structure, &file);
        assert_eq!(naming.prefix, "online.");
        let doubt = "the weights under online. were taken, and those under ema. fit too: ";
        assert!(naming.doubts[0].starts_with(doubt), "{:?}", naming.doubts);
        file.order.clear();
        assert_eq!(Naming::of(&structure, &file).prefix, "ema.", "by name, where the file says no order");
        // Those of a wrapper come before, and those without anything before their names before these.
        for (name, taken) in [("model.", "model."), ("", "")] {
            for weight in NAMES {
                let shape = file.shapes[&format!("ema.{weight}")].clone();
                file.shapes.insert(format!("{name}{weight}"), shape);
            }
            assert_eq!(Naming::of(&structure, &file).prefix, taken);
        }
    }

    #[test]
    fn layers_of_one_shape_in_the_order_of_the_file_alone_are_a_doubt() {
        let structure = perceptron("Mlp(hidden: [8, 8, 8])", 4, 3);
        let layers = |names: [&str; 4]| {
            let shapes = [[8, 4], [8, 8], [8, 8], [3, 8]].map(|shape| shape.to_vec());
            let named = |name: &str| [format!("{name}.weight"), format!("{name}.bias")];
            let of = |(name, shape): (&str, &Vec<usize>)| {
                let [weight, bias] = named(name);
                [(weight, shape.clone()), (bias, shape[..1].to_vec())]
            };
            let order = names.into_iter().flat_map(named).collect();
            let shapes = names.into_iter().zip(&shapes).flat_map(of).collect();
            Naming::of(&structure, &FileShapes { shapes, order, ..FileShapes::default() }).doubts
        };
        let doubts = layers(["inp", "b", "a", "out"]);
        let doubt = "nothing in the file says whether b or a computes first, and both have one shape: the layers were taken in the \
            order in which they were defined (inp, b, a, out).";
        assert!(doubts.len() == 1 && doubts[0].starts_with(doubt), "{doubts:?}");
        for names in [["fc1", "fc2", "fc3", "fc4"], ["0", "2", "4", "6"], ["l1", "l2", "l3", "out"]] {
            assert_eq!(layers(names), Vec::<String>::new(), "{names:?}");
        }
    }
}

//! Which tensors of a file are the weights of a network: what stands before their names, and the names of their layers.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::{FileShapes, Shapes};
use doc::Structure;
use doc::structure::LayerKind;
use form::number::first_of;

/// Most parts of a prefix.
const MOST_PARTS: usize = 16;
/// Number of such prefixes that are tried; more, as long as that takes at most this many looks at names.
const SURE_PREFIXES: usize = 64;
const MOST_LOOKS: usize = 1 << 24;
/// Parts that wrappers of a part of a network put into the middle of names: `features.module.0.weight`.
const INSIDE: [&str; 2] = ["module", "_orig_mod"];

/// A translation of the names of a file to those of a network.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Naming {
    /// True where [`INSIDE`] is taken out of names.
    is_plain: bool,
    pub prefix: String,
    /// Our name of a layer by theirs, without the prefix.
    map: BTreeMap<String, String>,
    /// Sentences on what was chosen and renamed.
    pub notes: Vec<String>,
    /// Sentences on choices that the file leaves open, with the remedy.
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
    pub fn new(structure: &Structure, file: &FileShapes) -> Self {
        let has_inside =
            structure.layers.iter().any(|layer| layer.name.split('.').any(|part| INSIDE.contains(&part)));
        let file_plain = (!has_inside).then(|| plain_file(file)).flatten();
        let (is_plain, file) = (file_plain.is_some(), file_plain.as_ref().unwrap_or(file));
        let mut candidates = prefixes(&file.shapes, structure.parameters.len());
        candidates.sort_by_key(|prefix| (!is_wrapper(prefix), Reverse(prefix.len())));
        candidates.truncate((MOST_LOOKS / file.shapes.len().max(1)).max(SURE_PREFIXES));
        // The longest of those that take the same tensors.
        candidates.sort_by_key(|prefix| Reverse(prefix.len()));
        let mut fitting: Vec<Candidate> = Vec::new();
        for candidate in candidates.into_iter().map(|prefix| Candidate::new(structure, file, prefix)) {
            let is_whole = candidate.used.len() == structure.parameters.len();
            if is_whole && fitting.iter().all(|other| other.used != candidate.used) {
                fitting.push(candidate);
            }
        }
        let first = |prefix: &str| file.order.iter().position(|name| name.starts_with(prefix));
        fitting.sort_by_cached_key(|Candidate { prefix, .. }| {
            (!prefix.is_empty(), !is_wrapper(prefix), first(prefix), prefix.clone())
        });
        let shown = |prefix: &str| {
            if prefix.is_empty() { "without a prefix".to_owned() } else { format!("under {prefix}") }
        };
        let others: Vec<String> = fitting.iter().skip(1).map(|other| shown(&other.prefix)).collect();
        let is_whole = !fitting.is_empty();
        // What wrappers put there, if none of our names is there.
        let is_ours = structure.parameters.iter().any(|ours| file.shapes.contains_key(&ours.name));
        let prefix = || if is_ours { String::new() } else { common_wrapper(&file.shapes.keys()) };
        let usual = || Candidate::new(structure, file, prefix());
        let Candidate { prefix, map, doubt, .. } = fitting.into_iter().next().unwrap_or_else(usual);
        let (mut notes, mut doubts) = (Vec::new(), Vec::new());
        if is_whole && !is_wrapper(&prefix) {
            notes.push(format!("the weights are those under {prefix}"));
        }
        if !others.is_empty() {
            let (taken, others) = (shown(&prefix), others.join(" and "));
            doubts.push(format!(
                "the weights {taken} were taken, and those {others} fit too: for these, save them alone in Python"
            ));
        }
        doubts.extend(doubt);
        let renamed = map.iter().filter(|(theirs, ours)| theirs != ours);
        let renamed = first_of(renamed.map(|(theirs, ours)| format!("{theirs} is {ours} here")), SOME, ", ");
        notes.extend(Some(renamed).filter(|text| !text.is_empty()));
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
    fn new(structure: &Structure, file: &FileShapes, prefix: String) -> Self {
        let file = file.under(&prefix);
        let (map, doubt) = layer_map(structure, &file);
        let parameters = structure.parameters.iter();
        let ours: BTreeMap<&str, &[usize]> =
            parameters.map(|parameter| (parameter.name.as_str(), &*parameter.shape)).collect();
        let fits = |(name, shape): &(&String, &Vec<usize>)| {
            ours.get(renamed(&map, name).as_str()) == Some(&shape.as_slice())
        };
        let used = file.shapes.iter().filter(fits).map(|(name, _)| format!("{prefix}{name}")).collect();
        Self { prefix, map, doubt, used }
    }
}

/// Replaces the name of the layer in a name by ours, where there is one.
fn renamed(map: &BTreeMap<String, String>, name: &str) -> String {
    match name.rsplit_once('.') {
        Some((layer, role)) => map.get(layer).map_or(name.to_owned(), |ours| format!("{ours}.{role}")),
        None => name.to_owned(),
    }
}

/// Returns the beginnings of names, each up to a dot, with at least this number of names under them: the shortest first.
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

/// Removes what wrappers put into a name.
fn plain(name: &str) -> String {
    name.split('.').filter(|part| !INSIDE.contains(part)).collect::<Vec<_>>().join(".")
}

impl FileShapes {
    /// Returns the file without what wrappers put into its names and before all of them.
    pub fn unwrapped(&self) -> Self {
        let file = self.plain();
        file.under(&common_wrapper(&file.shapes.keys()))
    }

    /// Returns the file without what wrappers put into its names, where no two names would be one.
    pub fn plain(&self) -> Self {
        plain_file(self).unwrap_or_else(|| self.clone())
    }
}

/// Returns the file with plain names; none where two would be one.
fn plain_file(file: &FileShapes) -> Option<FileShapes> {
    let shapes: Shapes = file.shapes.iter().map(|(name, shape)| (plain(name), shape.clone())).collect();
    let order = file.order.iter().map(|name| plain(name)).collect();
    (shapes.len() == file.shapes.len()).then(|| FileShapes { shapes, order, ..FileShapes::default() })
}

/// Prefixes of all names of a file: by `DataParallel`, `torch.compile`, Lightning and other wrappers.
const PREFIXES: [&str; 6] = ["module.", "_orig_mod.", "state_dict.", "model.", "net.", "network."];

/// Parts of our names, and names that others give them.
const SYNONYMS: [(&str, &[&str]); 5] = [
    ("linear", &["fc", "classifier", "head"]), // ResNets for CIFAR: akamaster, kuangliu have linear, chenyaofo fc
    ("fc", &["linear", "classifier", "head"]), // ResNets for ImageNet
    ("classifier", &["fc", "linear", "classifier.0", "classifier.1"]), // VGGs with one linear layer
    ("downsample", &["shortcut"]),             // torchvision and chenyaofo have downsample, kuangliu shortcut
    ("shortcut", &["downsample"]),             // lists of layers
];

/// Parents whose numbered layers follow each other, whatever lies between them: chengyangfu's VGGs count a dropout before
/// the first linear layer, others none at all.
const NUMBERED: [&str; 2] = ["features", "classifier"];

/// Names that others give the last layer, where the layers before it are numbered.
const LAST: &str = "out output fc_out out_layer output_layer head classifier linear fc last final logits";

/// Layers that are named in a note; more are counted.
const SOME: usize = 4;

/// Returns true if a prefix is one that wrappers give.
fn is_wrapper(prefix: &str) -> bool {
    let mut rest = prefix;
    while let Some(known) = PREFIXES.iter().find(|known| rest.starts_with(**known)) {
        rest = &rest[known.len()..];
    }
    rest.is_empty()
}

/// Returns what wrappers put before all of these names.
fn common_wrapper<'a>(names: &(impl Iterator<Item = &'a String> + Clone)) -> String {
    let mut length = 0;
    let first = names.clone().next().map_or("", String::as_str);
    while let Some(prefix) = PREFIXES.iter().find(|prefix| first[length..].starts_with(**prefix)) {
        let whole = &first[..length + prefix.len()];
        if !names.clone().all(|name| name.starts_with(whole)) {
            break;
        }
        length += prefix.len();
    }
    first[..length].to_owned()
}

/// Returns the layers of these names in their order.
pub fn layers_in_file(order: &[String]) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let layers = order.iter().filter_map(|name| Some(name.rsplit_once('.')?.0));
    layers.filter(|layer| seen.insert(*layer)).map(str::to_owned).collect()
}

/// Returns the layers that follow each other in the order in which they compute, where their names or the file say it;
/// `layers` are in the order of their numbers, `in_file` in that of the file, if it is known.
pub fn chain(layers: &[String], in_file: &[String]) -> Option<Vec<String>> {
    if layers.len() < 2 {
        return Some(layers.to_vec());
    }
    let patterns: Vec<String> = layers.iter().map(|layer| pattern(layer)).collect();
    if patterns.windows(2).all(|pair| pair[0] == pair[1]) && patterns.iter().all(|text| text.contains('#')) {
        return Some(layers.to_vec());
    }
    let known: BTreeSet<&String> = layers.iter().collect();
    let in_file: Vec<String> = in_file.iter().filter(|layer| known.contains(layer)).cloned().collect();
    if in_file.len() == layers.len() {
        let (last, others) = in_file.split_last()?;
        // Numbers and names of last layers have to agree with the order.
        let numbered = |pair: &[String]| {
            pattern(&pair[0]) != pattern(&pair[1]) || natural(&pair[0]) <= natural(&pair[1])
        };
        let has_order =
            in_file.windows(2).all(numbered) && (is_last(last) || !others.iter().any(|layer| is_last(layer)));
        return has_order.then_some(in_file);
    }
    let (last, others): (Vec<String>, Vec<String>) = layers.iter().cloned().partition(|layer| is_last(layer));
    let others = (last.len() == 1).then(|| chain(&others, &[]))??;
    Some([others, last].concat())
}

/// Returns true if a layer has the name of a last layer.
fn is_last(layer: &str) -> bool {
    LAST.split(' ').any(|last| layer.rsplit('.').next() == Some(last))
}

/// Replaces each number in a name by `#`.
fn pattern(name: &str) -> String {
    let mut text = String::new();
    for c in name.chars() {
        match c {
            '0'..='9' if text.ends_with('#') => {}
            '0'..='9' => text.push('#'),
            c => text.push(c),
        }
    }
    text
}

/// Returns the names of layers, in the order of their numbers.
pub fn layers_of<'a>(names: impl Iterator<Item = &'a String>) -> Vec<String> {
    let layers: BTreeSet<&str> = names.filter_map(|name| Some(name.rsplit_once('.')?.0)).collect();
    let mut layers: Vec<String> = layers.into_iter().map(str::to_owned).collect();
    layers.sort_by_cached_key(|name| natural(name));
    layers
}

/// Splits a name so that `fc2` sorts before `fc10`.
pub fn natural(name: &str) -> Vec<(String, u64)> {
    let mut parts = vec![(String::new(), 0_u64)];
    let mut was_digit = false;
    for c in name.chars() {
        if was_digit && !c.is_ascii_digit() {
            parts.push((String::new(), 0));
        }
        let (text, number) = parts.last_mut().expect("there is a part");
        was_digit = c.is_ascii_digit();
        match c.to_digit(10).filter(|_| was_digit) {
            Some(digit) => *number = number.saturating_mul(10).saturating_add(u64::from(digit)),
            None => text.push(c),
        }
    }
    parts
}

/// Maps their names of layers to ours, for each layer that has one in both; and says what is not known, if it is a guess.
fn layer_map(structure: &Structure, file: &FileShapes) -> (BTreeMap<String, String>, Option<String>) {
    let ours: Vec<&str> = structure.layers.iter().map(|layer| layer.name.as_str()).collect();
    let theirs = layers_of(file.shapes.keys());
    let Some(chain) = linear_chain(structure, &theirs, &layers_in_file(&file.order)) else {
        return (named_layers(&ours, &theirs), None);
    };
    let doubt = doubt(&file.shapes, &ours, &chain);
    (chain.into_iter().zip(ours.into_iter().map(str::to_owned)).collect(), doubt)
}

/// Maps the layers that the tables of this file have names for.
fn named_layers(ours: &[&str], theirs: &[String]) -> BTreeMap<String, String> {
    let mut map = BTreeMap::new();
    for parent in NUMBERED {
        let (here, there) =
            (children(parent, ours.iter().copied()), children(parent, theirs.iter().map(String::as_str)));
        if here.len() == there.len() && here != there {
            map.extend(there.into_iter().zip(here));
        }
    }
    let in_file: BTreeSet<&str> = theirs.iter().map(String::as_str).collect();
    let in_network: BTreeSet<&str> = ours.iter().copied().collect();
    let taken: BTreeSet<String> = map.values().cloned().collect();
    for &name in ours.iter().filter(|name| !taken.contains(**name)) {
        if in_file.contains(name) && !map.contains_key(name) {
            map.insert(name.to_owned(), name.to_owned());
        }
    }
    let taken: BTreeSet<String> = map.values().cloned().collect();
    for &name in ours.iter().filter(|name| !taken.contains(**name)) {
        let fits = |candidate: &String| {
            let name = candidate.as_str();
            in_file.contains(name) && !map.contains_key(name) && !in_network.contains(name)
        };
        if let Some(theirs) = synonyms(name).into_iter().find(fits) {
            map.insert(theirs, name.to_owned());
        }
    }
    map
}

/// Matches linear layers in their order, where the network has no others and some names differ. Names that are in both
/// have to have the same place, unless all are numbered: from 0, for example.
fn linear_chain(structure: &Structure, theirs: &[String], in_file: &[String]) -> Option<Vec<String>> {
    let is_chain = structure.layers.iter().all(|layer| layer.kind == LayerKind::Linear);
    let ours: Vec<&str> = structure.layers.iter().map(|layer| layer.name.as_str()).collect();
    let is_same = || ours.iter().all(|name| theirs.iter().any(|other| other == name));
    if !is_chain || ours.len() != theirs.len() || is_same() {
        return None;
    }
    let chain = chain(theirs, in_file)?;
    let is_numbered = chain.iter().all(|layer| pattern(layer) == pattern(&chain[0]));
    let agrees = |(at, layer): (usize, &String)| ours[at] == layer || !ours.contains(&layer.as_str());
    (is_numbered || chain.iter().enumerate().all(agrees)).then_some(chain)
}

/// Says what is not known where two layers of one shape follow each other in the order of the file alone: neither names
/// nor shapes say which of them computes first.
fn doubt(shapes: &Shapes, ours: &[&str], chain: &[String]) -> Option<String> {
    let is_named = |at: usize| at + 1 == chain.len() && is_last(&chain[at]) || ours[at] == chain[at];
    let shape = |layer: &String| shapes.get(&format!("{layer}.weight"));
    let is_open = |first: &String, second: &String| {
        let patterns = [pattern(first), pattern(second)];
        shape(first).is_some()
            && shape(first) == shape(second)
            && !(patterns[0].contains('#') && patterns[0] == patterns[1])
    };
    let unnamed: Vec<&String> = (0..chain.len()).filter(|at| !is_named(*at)).map(|at| &chain[at]).collect();
    let later = |(at, first)| unnamed[at + 1..].iter().map(move |second| (first, second));
    let mut pairs = unnamed.iter().enumerate().flat_map(later);
    let (first, second) = pairs.find(|(first, second)| is_open(first, second))?;
    Some(format!(
        "nothing in the file says whether {first} or {second} computes first, and both have one shape: the layers were taken in \
            the order in which they were defined ({}). If the network computes them in another order, this is another function: \
            in Python, give the layers the names {}, and save them again",
        some(chain),
        some(ours)
    ))
}

/// Returns the names with commas; in the middle of many is a `…`.
fn some(names: &[impl AsRef<str>]) -> String {
    let text = |names: &[_]| names.iter().map(AsRef::as_ref).collect::<Vec<&str>>().join(", ");
    if names.len() <= SOME {
        text(names)
    } else {
        format!("{}, …, {}", text(&names[..SOME - 1]), text(&names[names.len() - 1..]))
    }
}

/// Returns the layers that are numbered below a parent, in their order.
fn children<'a>(parent: &str, layers: impl Iterator<Item = &'a str>) -> Vec<String> {
    let is_child = |name: &&str| {
        let number = name.strip_prefix(parent).and_then(|rest| rest.strip_prefix('.'));
        number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let mut layers: Vec<String> = layers.filter(is_child).map(str::to_owned).collect();
    layers.sort_by_cached_key(|name| natural(name));
    layers
}

/// Lists what others may call one of our layers.
fn synonyms(name: &str) -> Vec<String> {
    let parts: Vec<&str> = name.split('.').collect();
    let mut found = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        for (_, others) in SYNONYMS.iter().filter(|(ours, _)| ours == part) {
            for other in *others {
                let mut parts = parts.clone();
                parts[at] = other;
                found.push(parts.join("."));
            }
        }
    }
    found
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
            let naming = Naming::new(&structure, &file);
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
        assert_eq!(Naming::new(&structure, &file(5)).prefix, "of.the.student.");
        assert_eq!(Naming::new(&structure, &file(3)).prefix, "b0.", "the first of all that fit");
    }

    #[test]
    fn the_first_of_two_networks_is_taken_and_the_other_one_named() {
        let structure = perceptron("Mlp(hidden: [3])", 4, 2);
        let mut file = stored("twins");
        let naming = Naming::new(&structure, &file);
        assert_eq!(naming.prefix, "online.");
        let doubt = "the weights under online. were taken, and those under ema. fit too: ";
        assert!(naming.doubts[0].starts_with(doubt), "{:?}", naming.doubts);
        file.order.clear();
        assert_eq!(Naming::new(&structure, &file).prefix, "ema.", "by name, where the file says no order");
        // Those of a wrapper come before, and those without anything before their names before these.
        for (name, taken) in [("model.", "model."), ("", "")] {
            for weight in NAMES {
                let shape = file.shapes[&format!("ema.{weight}")].clone();
                file.shapes.insert(format!("{name}{weight}"), shape);
            }
            assert_eq!(Naming::new(&structure, &file).prefix, taken);
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
            Naming::new(&structure, &FileShapes { shapes, order, ..FileShapes::default() }).doubts
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

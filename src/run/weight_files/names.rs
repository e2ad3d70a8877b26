//! Names of layers in the files of others, and the names of the same layers here.
//!
//! Networks here have the names of torchvision and of the repositories that their documentation names, so most files fit as
//! they are. What differs elsewhere is listed in the tables of this file.

use std::collections::{BTreeMap, BTreeSet};

use super::Shapes;
use doc::Structure;
use doc::structure::LayerKind;
use form::number::first_of;

/// What stands before all names of a file: of `DataParallel`, of `torch.compile`, of Lightning and other wrappers.
const PREFIXES: [&str; 6] = ["module.", "_orig_mod.", "state_dict.", "model.", "net.", "network."];

/// Parts of our names, and what others call them.
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

/// What others call the last layer, where the layers before it are numbered.
const LAST: [&str; 12] = [
    "out",
    "output",
    "fc_out",
    "out_layer",
    "output_layer",
    "head",
    "classifier",
    "linear",
    "fc",
    "last",
    "final",
    "logits",
];

/// Layers that are named in a note; more are counted.
const SOME: usize = 4;

/// The layers of a network and those of a file, and what is known of both.
pub struct Layers<'a> {
    /// The network.
    pub structure: &'a Structure,
    /// Layers of the file, in the order of their numbers.
    pub theirs: &'a [String],
    /// The same in the order of the file; empty where it does not say it.
    pub in_file: &'a [String],
    /// Shapes of the tensors of the file.
    pub shapes: &'a Shapes,
}

/// Whether a beginning of names is one that wrappers give them.
pub fn is_wrapper(prefix: &str) -> bool {
    let mut rest = prefix;
    while let Some(known) = PREFIXES.iter().find(|known| rest.starts_with(**known)) {
        rest = &rest[known.len()..];
    }
    rest.is_empty()
}

/// What wrappers put before all of these names.
pub fn common_wrapper<'a>(names: &(impl Iterator<Item = &'a String> + Clone)) -> String {
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

/// The layers of these names in their order.
pub fn layers_in_file(order: &[String]) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let layers = order.iter().filter_map(|name| Some(name.rsplit_once('.')?.0));
    layers.filter(|layer| seen.insert(*layer)).map(str::to_owned).collect()
}

/// Layers that follow each other in the order in which they compute, where their names or the file say it; `layers` are in the
/// order of their numbers, `in_file` in that of the file, if it is known.
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

/// Whether the name of a layer is one of a last layer.
fn is_last(layer: &str) -> bool {
    LAST.contains(&layer.rsplit('.').next().unwrap_or_default())
}

/// A name with `#` for each number.
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

/// One sentence about renamed layers, if there are any.
pub fn note(renamed: &[(String, String)]) -> Option<String> {
    let names = renamed.iter().map(|(theirs, ours)| format!("{theirs} is {ours} here"));
    (!renamed.is_empty()).then(|| first_of(names, SOME, ", "))
}

/// Names of layers, in the order of their numbers.
pub fn layers_of<'a>(names: impl Iterator<Item = &'a String>) -> Vec<String> {
    let layers: BTreeSet<&str> = names.filter_map(|name| Some(name.rsplit_once('.')?.0)).collect();
    let mut layers: Vec<String> = layers.into_iter().map(str::to_owned).collect();
    layers.sort_by_cached_key(|name| natural(name));
    layers
}

/// The parts of a name by which `fc2` comes before `fc10`.
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

/// Our name of a layer by theirs, for each layer that has one in both; and, if it is a guess, what is not known.
pub fn layer_map(layers: &Layers<'_>) -> (BTreeMap<String, String>, Option<String>) {
    let ours: Vec<&str> = layers.structure.layers.iter().map(|layer| layer.name.as_str()).collect();
    if let Some(chain) = chain_of(layers, &ours) {
        let doubt = doubt(layers, &ours, &chain);
        return (chain.into_iter().zip(ours.iter().map(ToString::to_string)).collect(), doubt);
    }
    (named_layers(&ours, layers.theirs), None)
}

/// The layers that the tables of this file have names for.
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

/// Linear layers in their order, where the network has no others and some names differ. Names that are in both have to have
/// the same place, unless all are numbered: from 0, for example.
fn chain_of(layers: &Layers<'_>, ours: &[&str]) -> Option<Vec<String>> {
    let Layers { structure, theirs, in_file, .. } = layers;
    let is_chain = structure.layers.iter().all(|layer| layer.kind == LayerKind::Linear);
    let is_same = || ours.iter().all(|name| theirs.iter().any(|other| other == name));
    if !is_chain || ours.len() != theirs.len() || is_same() {
        return None;
    }
    let chain = chain(theirs, in_file)?;
    let is_numbered = chain.iter().all(|layer| pattern(layer) == pattern(&chain[0]));
    let agrees = |(at, layer): (usize, &String)| ours[at] == layer || !ours.contains(&layer.as_str());
    (is_numbered || chain.iter().enumerate().all(agrees)).then_some(chain)
}

/// What is not known where two layers of one shape follow each other in the order of the file alone: neither names nor shapes
/// say which of them computes first.
fn doubt(layers: &Layers<'_>, ours: &[&str], chain: &[String]) -> Option<String> {
    let is_named = |at: usize| at + 1 == chain.len() && is_last(&chain[at]) || ours[at] == chain[at];
    let shape = |layer: &String| layers.shapes.get(&format!("{layer}.weight"));
    let is_open = |first: &String, second: &String| {
        let (patterns, shapes) = ([pattern(first), pattern(second)], [shape(first), shape(second)]);
        shapes[0].is_some()
            && shapes[0] == shapes[1]
            && !(patterns[0].contains('#') && patterns[0] == patterns[1])
    };
    let unnamed: Vec<&String> = (0..chain.len()).filter(|at| !is_named(*at)).map(|at| &chain[at]).collect();
    let mut pairs = unnamed
        .iter()
        .enumerate()
        .flat_map(|(at, first)| unnamed[at + 1..].iter().map(move |second| (first, second)));
    let (first, second) = pairs.find(|(first, second)| is_open(first, second))?;
    Some(format!(
        "nothing in the file says whether {first} or {second} computes first, and both have one shape: the layers were taken in \
            the order in which they were defined ({}). If the network computes them in another order, this is another function: \
            in Python, give the layers the names {}, and save them again",
        some(chain),
        some(ours)
    ))
}

/// Names with commas; in the middle of many is a `…`.
fn some(names: &[impl AsRef<str>]) -> String {
    let text = |names: &[_]| names.iter().map(AsRef::as_ref).collect::<Vec<&str>>().join(", ");
    if names.len() <= SOME {
        text(names)
    } else {
        format!("{}, …, {}", text(&names[..SOME - 1]), text(&names[names.len() - 1..]))
    }
}

/// Layers that are numbered below a parent, in their order.
fn children<'a>(parent: &str, layers: impl Iterator<Item = &'a str>) -> Vec<String> {
    let is_child = |name: &&str| {
        let number = name.strip_prefix(parent).and_then(|rest| rest.strip_prefix('.'));
        number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let mut layers: Vec<String> = layers.filter(is_child).map(str::to_owned).collect();
    layers.sort_by_cached_key(|name| natural(name));
    layers
}

/// What others may call one of our layers.
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

//! Names of layers in the files of others, and the names of the same layers here.
//!
//! Networks here have the names of torchvision and of the repositories that their documentation names, so most files fit as
//! they are. What differs elsewhere is listed in the tables of this file.

use std::collections::{BTreeMap, BTreeSet};

use crate::doc::Structure;
use crate::doc::structure::LayerKind;

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

/// Tensors under the names that a network gives them.
#[derive(Clone, Debug, PartialEq)]
pub struct Named<T> {
    /// Tensors by our name, or by the name in the file where the network has none for it.
    pub tensors: BTreeMap<String, T>,
    /// Layers that are called differently: their name in the file, and ours.
    pub renamed: Vec<(String, String)>,
}

/// Gives the tensors of a file the names that a network has for them. `order` has the names in the order of the file, if it
/// is known.
pub fn named_as_here<T>(structure: &Structure, tensors: BTreeMap<String, T>, order: &[String]) -> Named<T> {
    let is_ours = structure.parameters.iter().any(|parameter| tensors.contains_key(&parameter.name));
    let length = if is_ours { 0 } else { prefix(&tensors.keys()) };
    let tensors = shortened(tensors, length);
    let theirs = layers_of(tensors.keys());
    let in_file = layers_in_file(order, length);
    let ours: Vec<&str> = structure.layers.iter().map(|layer| layer.name.as_str()).collect();
    let map = layer_map(structure, &ours, &theirs, &in_file);
    let rename = |name: String| match name.rsplit_once('.') {
        Some((layer, role)) => map.get(layer).map_or(name.clone(), |ours| format!("{ours}.{role}")),
        None => name,
    };
    let tensors = tensors.into_iter().map(|(name, tensor)| (rename(name), tensor)).collect();
    let differs = |(theirs, ours): (String, String)| (theirs != ours).then_some((theirs, ours));
    Named { tensors, renamed: map.into_iter().filter_map(differs).collect() }
}

/// Bytes of what stands before all of these names.
pub fn prefix<'a>(names: &(impl Iterator<Item = &'a String> + Clone)) -> usize {
    let mut length = 0;
    let first = names.clone().next().map_or("", String::as_str);
    while let Some(prefix) = PREFIXES.iter().find(|prefix| first[length..].starts_with(**prefix)) {
        let whole = &first[..length + prefix.len()];
        if !names.clone().all(|name| name.starts_with(whole)) {
            break;
        }
        length += prefix.len();
    }
    length
}

/// Tensors without this number of bytes before their names.
pub fn shortened<T>(tensors: BTreeMap<String, T>, length: usize) -> BTreeMap<String, T> {
    tensors.into_iter().map(|(name, tensor)| (name[length..].to_owned(), tensor)).collect()
}

/// The layers of these names in their order, without this number of bytes before the names.
pub fn layers_in_file(order: &[String], length: usize) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let layers = order.iter().filter_map(|name| Some(name.get(length..)?.rsplit_once('.')?.0));
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
    let is_last = |layer: &String| LAST.contains(&layer.rsplit('.').next().unwrap_or_default());
    let known: BTreeSet<&String> = layers.iter().collect();
    let in_file: Vec<String> = in_file.iter().filter(|layer| known.contains(layer)).cloned().collect();
    if in_file.len() == layers.len() {
        let (last, others) = in_file.split_last()?;
        // Numbers and names of last layers have to agree with the order.
        let numbered = |pair: &[String]| {
            pattern(&pair[0]) != pattern(&pair[1]) || natural(&pair[0]) <= natural(&pair[1])
        };
        let has_order = in_file.windows(2).all(numbered) && (is_last(last) || !others.iter().any(is_last));
        return has_order.then_some(in_file);
    }
    let (last, others): (Vec<String>, Vec<String>) = layers.iter().cloned().partition(is_last);
    let others = (last.len() == 1).then(|| chain(&others, &[]))??;
    Some([others, last].concat())
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
    let some: Vec<String> =
        renamed.iter().take(SOME).map(|(theirs, ours)| format!("{theirs} is {ours} here")).collect();
    let more = renamed.len().saturating_sub(SOME);
    let more = if more > 0 { format!(", and {more} more") } else { String::new() };
    (!some.is_empty()).then(|| format!("{}{more}", some.join(", ")))
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

/// Our name of a layer by theirs, for each layer that has one in both.
fn layer_map(
    structure: &Structure,
    ours: &[&str],
    theirs: &[String],
    in_file: &[String],
) -> BTreeMap<String, String> {
    if let Some(map) = chain_map(structure, ours, theirs, in_file) {
        return map;
    }
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

/// Linear layers by their order, where the network has no others and some names differ. Names that are in both have to have
/// the same place, unless all are numbered: from 0, for example.
fn chain_map(
    structure: &Structure,
    ours: &[&str],
    theirs: &[String],
    in_file: &[String],
) -> Option<BTreeMap<String, String>> {
    let is_chain = structure.layers.iter().all(|layer| layer.kind == LayerKind::Linear);
    let is_same = || ours.iter().all(|name| theirs.iter().any(|other| other == name));
    if !is_chain || ours.len() != theirs.len() || is_same() {
        return None;
    }
    let chain = chain(theirs, in_file)?;
    let is_numbered = chain.iter().all(|layer| pattern(layer) == pattern(&chain[0]));
    let agrees = |(at, layer): (usize, &String)| ours[at] == layer || !ours.contains(&layer.as_str());
    if !is_numbered && !chain.iter().enumerate().all(agrees) {
        return None;
    }
    Some(chain.into_iter().zip(ours.iter().map(ToString::to_string)).collect())
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

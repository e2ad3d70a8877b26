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

/// Gives the tensors of a file the names that a network has for them.
pub fn named_as_here<T>(structure: &Structure, tensors: BTreeMap<String, T>) -> Named<T> {
    let is_ours = structure.parameters.iter().any(|parameter| tensors.contains_key(&parameter.name));
    let tensors = if is_ours { tensors } else { without_prefix(tensors) };
    let theirs = layers_of(tensors.keys());
    let ours: Vec<&str> = structure.layers.iter().map(|layer| layer.name.as_str()).collect();
    let map = layer_map(structure, &ours, &theirs);
    let rename = |name: String| match name.rsplit_once('.') {
        Some((layer, role)) => map.get(layer).map_or(name.clone(), |ours| format!("{ours}.{role}")),
        None => name,
    };
    let tensors = tensors.into_iter().map(|(name, tensor)| (rename(name), tensor)).collect();
    let differs = |(theirs, ours): (String, String)| (theirs != ours).then_some((theirs, ours));
    Named { tensors, renamed: map.into_iter().filter_map(differs).collect() }
}

/// The tensors of a file without what stands before all of their names.
pub fn without_prefix<T>(tensors: BTreeMap<String, T>) -> BTreeMap<String, T> {
    let mut length = 0;
    let first = tensors.keys().next().cloned().unwrap_or_default();
    while let Some(prefix) = PREFIXES.iter().find(|prefix| first[length..].starts_with(**prefix)) {
        if !tensors.keys().all(|name| name[..length] == first[..length] && name[length..].starts_with(prefix))
        {
            break;
        }
        length += prefix.len();
    }
    tensors.into_iter().map(|(name, tensor)| (name[length..].to_owned(), tensor)).collect()
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

/// Orders `fc2` before `fc10`.
fn natural(name: &str) -> Vec<(String, u64)> {
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
fn layer_map(structure: &Structure, ours: &[&str], theirs: &[String]) -> BTreeMap<String, String> {
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
    let is_chain = structure.layers.iter().all(|layer| layer.kind == LayerKind::Linear);
    if map.is_empty() && is_chain && ours.len() == theirs.len() {
        map.extend(theirs.iter().cloned().zip(ours.iter().map(ToString::to_string)));
    }
    map
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

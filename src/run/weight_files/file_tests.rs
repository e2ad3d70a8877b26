//! Files of the families of networks, with the names of others, into networks: every parameter comes back bit for bit.

use std::path::{Path, PathBuf};

use super::{Read, guess, read_for, read_shapes};
use data::Shape;
use doc::structure::Parameter;
use doc::{Loss, Net, Structure};
use form::ron_text;
use net::weights_file::{BATCHES_TRACKED, FileTensor, write_tensors};

fn structure(net: &str, input: Shape, classes: usize) -> Structure {
    let net: Net = ron_text::from_str(net).unwrap();
    Structure::new(&net, input, classes, &Loss::CrossEntropy).unwrap()
}

/// Returns the values of a parameter: no two of them are the same, in whichever parameters.
fn values(structure: &Structure, index: usize) -> FileTensor {
    let before: usize = structure.parameters[..index].iter().map(Parameter::len).sum();
    let parameter = &structure.parameters[index];
    let values =
        (before..before + parameter.len()).map(|at| f32::from_bits(0x3d00_0000 + at as u32)).collect();
    FileTensor { shape: parameter.shape.clone(), values }
}

/// Writes a network with the names of others; batch norms have their counts.
fn written(structure: &Structure, theirs: &dyn Fn(&str) -> String, folder: &Path) -> PathBuf {
    let path = folder.join("w.safetensors");
    let mut tensors = std::collections::BTreeMap::new();
    for (index, parameter) in structure.parameters.iter().enumerate() {
        let name = theirs(&parameter.name);
        if let Some(layer) = name.strip_suffix("running_var") {
            let count = FileTensor { shape: Vec::new(), values: vec![5.0] };
            tensors.insert(format!("{layer}{BATCHES_TRACKED}"), count);
        }
        assert!(tensors.insert(name, values(structure, index)).is_none(), "two of one name");
    }
    write_tensors(&path, &tensors, None).unwrap();
    path
}

/// Another name for the beginning of a name.
fn with(pairs: &'static [(&'static str, &'static str)]) -> Box<dyn Fn(&str) -> String> {
    Box::new(move |name| {
        let found =
            pairs.iter().find_map(|(ours, theirs)| Some(format!("{theirs}{}", name.strip_prefix(ours)?)));
        found.unwrap_or_else(|| name.to_owned())
    })
}

#[test]
fn every_family_comes_back_from_a_file_bit_for_bit() {
    let (cifar, mnist) = (Shape::new(3, 32, 32), Shape::new(1, 28, 28));
    let kuangliu = |name: &str| name.replace("downsample", "shortcut");
    let families: Vec<(&str, Shape, Box<dyn Fn(&str) -> String>)> = vec![
        ("Vgg(width: 4, classes: Some(10))", cifar, with(&[("classifier", "module.fc"), ("", "module.")])),
        (
            "Vgg(depth: 11, width: 4, batch_norm: false, head: Hidden(widths: [8, 8], pool: 1), classes: Some(10))",
            cifar,
            with(&[
                ("classifier.0", "classifier.1"),
                ("classifier.3", "classifier.4"),
                ("classifier.6", "classifier.6"),
            ]),
        ),
        ("ResNet(classes: Some(10))", cifar, with(&[("", "module.")])),
        ("ResNet(classes: Some(10))", cifar, with(&[("linear", "fc")])),
        ("ResNet(shortcuts: Project, classes: Some(10))", cifar, with(&[("linear", "fc")])),
        ("ResNet(shortcuts: Project, classes: Some(10))", cifar, Box::new(kuangliu)),
        ("LeNet5(classes: Some(10))", mnist, with(&[])),
        (
            "Mlp(hidden: [5, 4], classes: Some(10))",
            mnist,
            with(&[("fc1", "net.0"), ("fc2", "net.2"), ("fc3", "net.4")]),
        ),
        (
            "Mlp(hidden: [5, 4], classes: Some(10))",
            mnist,
            with(&[("fc1", "fc0"), ("fc2", "fc1"), ("fc3", "fc2")]),
        ),
        ("Mlp(hidden: [5, 4], classes: Some(10))", mnist, with(&[("fc3", "output")])),
    ];
    for (net, input, theirs) in families {
        let structure = structure(net, input, 10);
        let folder = tempfile::tempdir().unwrap();
        let path = written(&structure, &theirs, folder.path());
        let Read { tensors, notes, .. } = read_for(&structure, &path, false).unwrap();
        assert_eq!(tensors.len(), structure.parameters.len(), "{net}");
        for (index, parameter) in structure.parameters.iter().enumerate() {
            let (found, expected) = (&tensors[&parameter.name], values(&structure, index));
            let bits =
                |tensor: &FileTensor| tensor.values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
            assert_eq!(
                (&found.shape, bits(found)),
                (&expected.shape, bits(&expected)),
                "{net}: {}",
                parameter.name
            );
        }
        let is_renamed = structure.layers.iter().any(|layer| !theirs(&layer.name).ends_with(&layer.name));
        assert_eq!(notes.iter().any(|note| note.contains(" here")), is_renamed, "{net}: {notes:?}");
        let guess = guess(&read_shapes(&path, false).unwrap()).unwrap_or_else(|seen| panic!("{net}: {seen}"));
        assert_eq!(guess.net, ron_text::from_str::<Net>(net).unwrap());
    }
}

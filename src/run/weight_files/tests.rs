use super::*;
use data::Shape;
use doc::{Loss, Net};
use form::{Stored, ron_text};

/// Names and shapes, written down a second time from the sources of the repositories.
#[derive(Default)]
pub struct State(pub Shapes);

impl State {
    fn add(&mut self, name: &str, shape: &[usize]) {
        assert!(self.0.insert(name.to_owned(), shape.to_vec()).is_none(), "{name} twice");
    }

    fn layer(&mut self, name: &str, shape: &[usize], bias: bool) {
        self.add(&format!("{name}.weight"), shape);
        if bias {
            self.add(&format!("{name}.bias"), &shape[..1]);
        }
    }

    fn norm(&mut self, name: &str, channels: usize) {
        for role in ["weight", "bias", "running_mean", "running_var"] {
            self.add(&format!("{name}.{role}"), &[channels]);
        }
    }

    fn prefixed(self, prefix: &str) -> Shapes {
        self.0.into_iter().map(|(name, shape)| (format!("{prefix}{name}"), shape)).collect()
    }
}

/// torchvision's `cfgs` A, B, D, E; 0 is a pooling.
fn channels(depth: u32) -> Vec<usize> {
    match depth {
        11 => vec![64, 0, 128, 0, 256, 256, 0, 512, 512, 0, 512, 512, 0],
        13 => vec![64, 64, 0, 128, 128, 0, 256, 256, 0, 512, 512, 0, 512, 512, 0],
        16 => vec![64, 64, 0, 128, 128, 0, 256, 256, 256, 0, 512, 512, 512, 0, 512, 512, 512, 0],
        _ => {
            vec![64, 64, 0, 128, 128, 0, 256, 256, 256, 256, 0, 512, 512, 512, 512, 0, 512, 512, 512, 512, 0]
        }
    }
}

/// Linear layers by their number and units.
fn vgg(depth: u32, norm: bool, inputs: usize, classifier: &[(&str, usize)]) -> State {
    let (mut state, mut number, mut input) = (State::default(), 0, 3);
    for channels in channels(depth) {
        if channels == 0 {
            number += 1;
            continue;
        }
        state.layer(&format!("features.{number}"), &[channels, input, 3, 3], true);
        if norm {
            state.norm(&format!("features.{}", number + 1), channels);
        }
        number += if norm { 3 } else { 2 };
        input = channels;
    }
    let mut input = inputs;
    for (name, units) in classifier {
        state.layer(name, &[*units, input], true);
        input = *units;
    }
    state
}

/// torchvision's residual networks.
fn resnet(blocks: [usize; 4], is_bottleneck: bool) -> State {
    let mut state = State::default();
    state.layer("conv1", &[64, 3, 7, 7], false);
    state.norm("bn1", 64);
    let expansion = if is_bottleneck { 4 } else { 1 };
    let mut input = 64;
    for (stage, blocks) in blocks.into_iter().enumerate() {
        let planes = 64 << stage;
        for block in 0..blocks {
            let name = format!("layer{}.{block}", stage + 1);
            let kernels: &[usize] = if is_bottleneck { &[1, 3, 1] } else { &[3, 3] };
            let mut into = input;
            for (number, kernel) in kernels.iter().enumerate() {
                let out = if number + 1 == kernels.len() { planes * expansion } else { planes };
                state.layer(&format!("{name}.conv{}", number + 1), &[out, into, *kernel, *kernel], false);
                state.norm(&format!("{name}.bn{}", number + 1), out);
                into = out;
            }
            if input != planes * expansion {
                state.layer(&format!("{name}.downsample.0"), &[planes * expansion, input, 1, 1], false);
                state.norm(&format!("{name}.downsample.1"), planes * expansion);
            }
            input = planes * expansion;
        }
    }
    state.layer("fc", &[1000, input], true);
    state
}

/// Residual networks for CIFAR: those of akamaster have no weights in their shortcuts, those of chenyaofo do.
fn small_resnet(depth: usize, last: &str, projects: bool) -> State {
    let mut state = State::default();
    state.layer("conv1", &[16, 3, 3, 3], false);
    state.norm("bn1", 16);
    let mut input = 16;
    for (stage, planes) in [16, 32, 64].into_iter().enumerate() {
        for block in 0..(depth - 2) / 6 {
            let name = format!("layer{}.{block}", stage + 1);
            state.layer(&format!("{name}.conv1"), &[planes, input, 3, 3], false);
            state.norm(&format!("{name}.bn1"), planes);
            state.layer(&format!("{name}.conv2"), &[planes, planes, 3, 3], false);
            state.norm(&format!("{name}.bn2"), planes);
            if projects && input != planes {
                state.layer(&format!("{name}.downsample.0"), &[planes, input, 1, 1], false);
                state.norm(&format!("{name}.downsample.1"), planes);
            }
            input = planes;
        }
    }
    state.layer(last, &[10, 64], true);
    state
}

/// A file whose order is not known.
fn file(shapes: &Shapes) -> FileShapes {
    FileShapes { shapes: shapes.clone(), ..FileShapes::default() }
}

fn guess_of(shapes: &Shapes) -> Result<Guess, String> {
    guess(&file(shapes))
}

/// The network is found, and its parameters have as many entries as there are here.
fn found(shapes: &Shapes, net: &str) {
    let expected: Net = ron_text::from_str(net).unwrap();
    let guess = guess_of(shapes).unwrap_or_else(|seen| panic!("{net}: {seen}"));
    assert_eq!(guess.net, expected, "{}", guess.net.to_ron());
    let structure = Structure::new(&guess.net, guess.input, guess.classes, &Loss::CrossEntropy).unwrap();
    let fit = Fit::whole(&structure, &file(shapes).named_for(&structure));
    assert!(fit.is_exact(), "{net}: {}", fit.table());
    assert_eq!(fit.rows.len(), shapes.len());
}

const IMAGE_NET: [(&str, usize); 3] =
    [("classifier.0", 4096), ("classifier.3", 4096), ("classifier.6", 1000)];

#[test]
fn vggs_of_torchvision_are_known() {
    for depth in [11, 13, 16, 19] {
        for norm in [false, true] {
            let net = format!("Vgg(depth: {depth}, batch_norm: {norm}, head: ImageNet, classes: Some(1000))");
            found(&vgg(depth, norm, 512 * 49, &IMAGE_NET).0, &net);
        }
    }
}

#[test]
fn vggs_for_small_images_are_known_by_their_heads() {
    let small = [("classifier.0", 512), ("classifier.3", 512), ("classifier.6", 10)];
    let hidden = "head: Hidden(widths: [512, 512], pool: 1), classes: Some(10))";
    found(&vgg(16, true, 512, &small).0, &format!("Vgg({hidden}")); // chenyaofo
    let shifted = [("classifier.1", 512), ("classifier.4", 512), ("classifier.6", 10)];
    let plain = format!("Vgg(batch_norm: false, {hidden}");
    found(&vgg(16, false, 512, &shifted).prefixed("module."), &plain); // chengyangfu
}

#[test]
fn large_hidden_layers_on_one_pixel_are_no_image_net_head() {
    let head = [("classifier.0", 4096), ("classifier.3", 4096), ("classifier.6", 10)];
    let net = "Vgg(head: Hidden(widths: [4096, 4096], pool: 1), classes: Some(10))";
    found(&vgg(16, true, 512, &head).0, net); // huyvnphan
    found(
        &vgg(19, true, 512, &[("classifier", 10)]).prefixed("module."),
        "Vgg(depth: 19, classes: Some(10))",
    );
    found(&vgg(11, false, 512, &[("fc", 100)]).0, "Vgg(depth: 11, batch_norm: false, classes: Some(100))");
}

#[test]
fn resnets_of_torchvision_are_known() {
    for (depth, blocks, is_bottleneck) in [
        (18, [2, 2, 2, 2], false),
        (34, [3, 4, 6, 3], false),
        (50, [3, 4, 6, 3], true),
        (101, [3, 4, 23, 3], true),
    ] {
        found(&resnet(blocks, is_bottleneck).0, &format!("ResNet(depth: {depth}, classes: Some(1000))"));
    }
}

#[test]
fn resnets_for_cifar_are_known_by_their_shortcuts() {
    for depth in [20, 32, 44, 56, 110] {
        let net = format!("ResNet(depth: {depth}, classes: Some(10))");
        found(&small_resnet(depth, "linear", false).prefixed("module."), &net); // akamaster
        let net = format!("ResNet(depth: {depth}, shortcuts: Project, classes: Some(10))");
        found(&small_resnet(depth, "fc", true).0, &net); // chenyaofo
    }
}

#[test]
fn small_networks_are_known() {
    let mut lenet = State::default();
    for (name, shape) in [("conv1", &[6, 1, 5, 5][..]), ("conv2", &[16, 6, 5, 5])] {
        lenet.layer(name, shape, true);
    }
    for (name, shape) in [("fc1", [120, 400]), ("fc2", [84, 120]), ("fc3", [10, 84])] {
        lenet.layer(name, &shape, true);
    }
    found(&lenet.0, "LeNet5(classes: Some(10))");
    for names in [["fc1", "fc2", "fc3"], ["0", "2", "10"], ["layers.0", "layers.2", "layers.4"]] {
        let mut mlp = State::default();
        for (name, shape) in names.iter().zip([[300, 784], [100, 300], [10, 100]]) {
            mlp.layer(name, &shape, true);
        }
        found(&mlp.prefixed("module.net."), "Mlp(hidden: [300, 100], classes: Some(10))");
    }
}

#[test]
fn what_is_no_network_here_is_said_with_its_layers() {
    let mut state = small_resnet(20, "linear", false);
    state.layer("layer4.0.conv1", &[128, 64, 3, 3], false);
    let seen = guess_of(&state.0).unwrap_err();
    assert!(seen.starts_with("no network here has its layers: conv1 16×3×3×3, layer1.0.conv1"), "{seen}");
    assert!(seen.ends_with("and 15 more"), "{seen}");
    assert_eq!(guess_of(&Shapes::new()).unwrap_err(), "the file has no weights of layers");
    let hostile: Shapes = [("a.weight", vec![0, usize::MAX]), ("b.weight", vec![usize::MAX, 0, 3, 3])]
        .map(|(name, shape)| (name.to_owned(), shape))
        .into();
    assert!(guess_of(&hostile).is_err());
    let mut deep = State::default();
    for layer in 0..2000 {
        deep.layer(&format!("fc{layer}"), &[2, 2], true);
    }
    let seen = guess_of(&deep.0).unwrap_err();
    assert!(seen.starts_with("no network here has its layers: fc0 2×2"), "{seen}");
}

#[test]
fn settings_that_an_experiment_cannot_have_are_not_suggested() {
    for (shapes, problem) in [
        ([[3, 4], [1, 3]], "its layers are those of MLP, but Classes is 1; it must be between 2 and 65536"),
        (
            [[70000, 4], [3, 70000]],
            "its layers are those of MLP, but Hidden layers is 70000; it must be between 1 and 65536",
        ),
    ] {
        let mut mlp = State::default();
        for (name, shape) in ["fc1", "fc2"].iter().zip(shapes) {
            mlp.layer(name, &shape, true);
        }
        assert_eq!(guess_of(&mlp.0).unwrap_err(), problem);
    }
}

#[test]
fn layers_follow_each_other_by_their_numbers_or_by_the_file() {
    let net: Net = ron_text::from_str("Mlp(hidden: [4, 4])").unwrap();
    let structure = Structure::new(&net, Shape::new(4, 1, 1), 4, &Loss::CrossEntropy).unwrap();
    let names = |layers: &[&str]| layers.iter().map(|layer| format!("{layer}.weight")).collect::<Vec<_>>();
    // Which layer of the file is which one here.
    let map = |layers: &[&str], order: &[&str]| {
        let tensors = layers.iter().map(|layer| (format!("{layer}.weight"), (*layer).to_owned())).collect();
        let shapes = layers.iter().map(|layer| (format!("{layer}.weight"), vec![4, 4])).collect();
        let file = FileShapes { shapes, order: names(order), ..FileShapes::default() };
        let named: BTreeMap<String, String> = Naming::new(&structure, &file).apply(tensors);
        let ours = ["fc1", "fc2", "fc3"].map(|layer| named.get(&format!("{layer}.weight")).cloned());
        ours.map(Option::unwrap_or_default).join(" ")
    };
    for (layers, order, expected) in [
        (["10", "2", "0"], &[][..], "0 2 10"),
        (["fc0", "fc1", "fc2"], &[], "fc0 fc1 fc2"),
        (["l1", "l2", "head"], &[], "l1 l2 head"),
        (["fc1", "fc2", "out"], &[], "fc1 fc2 out"),
        (["fc1", "fc2", "fc"], &[], "fc1 fc2 fc"),
        // Neither the names nor the file say the order.
        (["inp", "hid", "out"], &[], "  "),
        (["fc1", "fc2", "inp"], &[], "fc1 fc2 "),
        (["inp", "hid", "out"], &["inp", "hid", "out"], "inp hid out"),
        (["fc1", "fc2", "mine"], &["fc1", "fc2", "mine"], "fc1 fc2 mine"),
        // The file contradicts names.
        (["inp", "hid", "out"], &["out", "inp", "hid"], "  "),
        (["fc1", "fc2", "inp"], &["inp", "fc1", "fc2"], "fc1 fc2 "),
        (["l2", "l1", "mine"], &["l2", "l1", "mine"], "  "),
        (["fc3", "fc1", "fc2"], &["fc3", "fc1", "fc2"], "fc1 fc2 fc3"),
    ] {
        assert_eq!(map(&layers, order), expected, "{layers:?}, {order:?}");
    }
}

#[test]
fn perceptrons_with_other_names_are_known() {
    let mut mlp = State::default();
    for (name, shape) in [("fc1", [300, 784]), ("out", [10, 300])] {
        mlp.layer(name, &shape, true);
    }
    found(&mlp.0, "Mlp(hidden: [300], classes: Some(10))");
    let file = read_shapes(
        &Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
            .join("tests/oracle/checkpoints/ordered.pth"),
        false,
    );
    let net: Net = ron_text::from_str("Mlp(hidden: [4, 4], classes: Some(4))").unwrap();
    assert_eq!(guess(&file.unwrap()).unwrap().net, net);
}

#[test]
fn all_that_differs_is_in_one_table() {
    let net: Net = ron_text::from_str("ResNet()").unwrap();
    let structure = Structure::new(&net, Shape::new(3, 32, 32), 100, &Loss::CrossEntropy).unwrap();
    let mut shapes = small_resnet(20, "fc", true).0;
    shapes.remove("bn1.bias");
    let fit = Fit::whole(&structure, &file(&shapes).named_for(&structure));
    let table = fit.table();
    let unused = "w.pth also has layer2.0.downsample.0.weight, layer2.0.downsample.1.bias, layer2.0.downsample.1.running_mean, \
        layer2.0.downsample.1.running_var, layer2.0.downsample.1.weight and 5 more, which this network does not have";
    assert_eq!(fit.unused("w.pth").unwrap(), unused);
    assert!(!fit.fits() && table.starts_with("94 of 97 parameters fit; these differ:\n"), "{table}");
    for line in [
        "  bn1.bias                    16 here, no floating-point tensor of that name in the file\n",
        "  linear.weight               100×64 here, 10×64 in the file\n",
        "  layer2.0.downsample.0.weight  not in this network, 32×16×1×1 in the file\n",
        "  and 8 more",
    ] {
        let line: Vec<&str> = line.split_whitespace().collect();
        let rows = table.lines().map(|row| row.split_whitespace().collect::<Vec<_>>());
        assert!(rows.into_iter().any(|row| row == line), "{table}");
    }
}

#[test]
fn names_that_fit_are_left_alone() {
    let net: Net = ron_text::from_str("Mlp(hidden: [3])").unwrap();
    let structure = Structure::new(&net, Shape::new(2, 1, 1), 2, &Loss::CrossEntropy).unwrap();
    let named = |names: &[&str]| {
        let shape = |name: &str| if name.contains("bias") { vec![3] } else { vec![3, 2] };
        let shapes: Shapes = names.iter().map(|name| ((*name).to_owned(), shape(name))).collect();
        let naming = Naming::new(&structure, &file(&shapes));
        (naming.apply(shapes).into_keys().collect::<Vec<_>>(), naming)
    };
    let (names, own) = named(&["fc1.weight", "fc1.bias", "fc2.weight", "fc2.bias", "net.weight"]);
    assert!(own.notes.is_empty() && names.contains(&"net.weight".to_owned()));
    let (wrapped, _) = named(&["module.model.fc1.weight", "module.model.fc2.weight"]);
    assert_eq!(wrapped, ["fc1.weight", "fc2.weight"]);
    let (_, others) = named(&["2.weight", "10.weight", "10.bias"]);
    assert_eq!(others.notes, ["10 is fc2 here, 2 is fc1 here"]);
}

#[test]
fn a_run_is_inspected_with_its_network() {
    use doc::{file::parse, runs};
    let folder = tempfile::tempdir().unwrap();
    let text = "(data: Iris(), net: Mlp(hidden: [2], activation: Tanh), arms: [(name: \"a\", plan: [Test])])";
    let run = runs(&parse(text, Path::new("x.ron")).unwrap()).unwrap().remove(0);
    let path = folder.path().join(&run.id);
    crate::testing::write_done(folder.path(), &run);
    let inspection = inspect(&path).unwrap();
    assert_eq!(inspection.guess.unwrap().net, run.spec.net, "its settings, not a guess");
    let names: Vec<&str> = inspection.tensors.iter().map(|tensor| tensor.name.as_str()).collect();
    assert_eq!(names, ["fc1.bias", "fc1.weight", "fc2.bias", "fc2.weight"]);
    let last = inspection.tensors[3].values.unwrap();
    assert_eq!((last.maximum, last.zeros, last.nan), (2.0, 1.0 / 6.0, 0));
    let alone = inspect(&path.join("weights.safetensors")).unwrap();
    let guess = alone.guess.unwrap();
    assert_eq!((guess.name().as_str(), guess.unknown.is_some()), ("4–2–3 for inputs of 4, 3 classes", true));
    assert!(inspect(folder.path()).unwrap_err().contains("is not the directory of a run"));
}

#[test]
fn statistics_are_those_of_finite_values() {
    let values = Statistics::new(&[1.0, -3.0, 0.0, -0.0, f32::NAN, f32::INFINITY]);
    let expected = Statistics {
        minimum: -3.0,
        maximum: 1.0,
        mean: -0.5,
        deviation: 2.25_f64.sqrt(),
        zeros: 1.0 / 3.0,
        nan: 1,
        infinite: 1,
    };
    assert_eq!(values, expected);
    assert_eq!(Statistics::new(&[]), Statistics::default());
}

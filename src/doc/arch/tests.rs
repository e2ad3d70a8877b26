use super::*;
use crate::structure::{LayerKind, Op, Parameter, Window, logits};
use crate::{Loss, Structure};
use form::{Stored, check_ranges, ron_text};

fn net(text: &str) -> Net {
    ron_text::from_str(text).unwrap()
}

fn structure(text: &str, input: Shape, classes: usize) -> Structure {
    Structure::new(&net(text), input, classes, &Loss::CrossEntropy).unwrap()
}

fn listed(layers: &str) -> String {
    format!("Sequential(layers: [{layers}])")
}

fn refusal(layers: &str) -> String {
    Structure::new(&net(&listed(layers)), Shape::new(3, 32, 32), 10, &Loss::CrossEntropy)
        .unwrap_err()
        .to_string()
}

/// The networks of the papers have as many parameters as there: LeCun et al. 1998 (with ReLU and pooling, as common
/// tutorials have it), Frankle & Carbin 2019, `akamaster/pytorch_resnet_cifar10`, torchvision 0.20.
#[test]
fn parameter_counts_are_those_of_the_field() {
    let (mnist, cifar, large) = (Shape::new(1, 28, 28), Shape::new(3, 32, 32), Shape::new(3, 224, 224));
    let counts = [
        ("LeNet5()", mnist, 10, 61_706),
        ("LeNet5()", Shape::new(1, 32, 32), 10, 61_706),
        ("ConvNet(depth: 2)", cifar, 10, 4_301_642),
        ("ConvNet(depth: 4)", cifar, 10, 2_425_930),
        ("ConvNet()", cifar, 10, 2_262_602),
        ("ResNet()", cifar, 10, 269_722),
        ("ResNet(shortcuts: Project)", cifar, 10, 272_474), // chenyaofo/pytorch-cifar-models
        ("ResNet(depth: 32)", cifar, 10, 464_154),
        ("ResNet(depth: 44)", cifar, 10, 658_586),
        ("ResNet(depth: 56)", cifar, 10, 853_018),
        ("ResNet(depth: 110)", cifar, 10, 1_727_962),
        ("ResNet(depth: 18)", large, 1000, 11_689_512),
        ("ResNet(depth: 34)", large, 1000, 21_797_672),
        ("ResNet(depth: 50)", large, 1000, 25_557_032),
        ("ResNet(depth: 101)", large, 1000, 44_549_160),
        ("ResNet(depth: 18, classes: 1000)", large, 10, 11_689_512),
        ("Vgg(batch_norm: false, head: ImageNet)", large, 1000, 138_357_544),
    ];
    for (text, input, classes, count) in counts {
        assert_eq!(structure(text, input, classes).trained_count(), count, "{text}");
    }
    let weights = |structure: &Structure| {
        let weights = (0..structure.layers.len()).filter_map(|layer| structure.weight(layer));
        weights.map(Parameter::len).sum::<usize>()
    };
    assert_eq!(weights(&structure("ResNet()", cifar, 10)), 268_336);
    let hidden = "Vgg(depth: 11, head: Hidden(widths: [512, 512], pool: 1))";
    let names = structure(hidden, cifar, 10).layers;
    let classifier: Vec<&str> = names.iter().map(|layer| layer.name.as_str()).skip(16).collect();
    assert_eq!(classifier, ["classifier.0", "classifier.3", "classifier.6"]);
}

#[test]
fn layers_have_the_names_of_the_originals() {
    let names = |text: &str| -> Vec<String> {
        structure(text, Shape::new(3, 32, 32), 10).layers.into_iter().map(|layer| layer.name).collect()
    };
    assert_eq!(names("LeNet5()"), ["conv1", "conv2", "fc1", "fc2", "fc3"]);
    assert_eq!(
        names("ConvNet(depth: 4)")[2..],
        ["features.5", "features.7", "classifier.0", "classifier.2", "classifier.4"]
    );
    let small = names("ResNet()");
    assert_eq!(small[..4], ["conv1", "bn1", "layer1.0.conv1", "layer1.0.bn1"]);
    assert_eq!(small.last().unwrap(), "linear");
    let large = names("ResNet(depth: 50)");
    let block: Vec<&str> = large.iter().filter_map(|name| name.strip_prefix("layer1.0.")).collect();
    assert_eq!(block, ["conv1", "bn1", "conv2", "bn2", "conv3", "bn3", "downsample.0", "downsample.1"]);
    assert_eq!(large.last().unwrap(), "fc");
}

#[test]
fn a_list_of_layers_is_counted_as_torch_does() {
    let text = "Sequential(layers: [Conv(channels: 4, bias: false), BatchNorm(), Relu, Residual(body: [Conv(channels: 4), \
        Tanh]), MaxPool(), Residual(body: [Conv(channels: 8, stride: 2, name: \"first\")], shortcut: Project()), \
        GlobalAveragePool, Flatten, Dropout(0.25), Linear()])";
    let structure = structure(text, Shape::new(3, 16, 16), 10);
    let names: Vec<&str> = structure.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    let weights: Vec<&str> = names.into_iter().filter(|name| name.ends_with("weight")).collect();
    let expected = [
        "0.weight",
        "1.weight",
        "3.0.weight",
        "5.first.weight",
        "5.shortcut.0.weight",
        "5.shortcut.1.weight",
        "9.weight",
    ];
    assert_eq!(weights, expected);
    assert!(structure.find("0.bias").is_none() && structure.find("3.0.bias").is_some());
    let kinds = |op: &Op| match op {
        Op::Fork => "fork",
        Op::Swap => "swap",
        Op::Add(_) => "add",
        Op::Layer(_) => "layer",
        Op::MaxPool(window) if *window == Window::HALVES => "halves",
        Op::Activation(_)
        | Op::MaxPool(_)
        | Op::AveragePool(_)
        | Op::AdaptiveAveragePool(_)
        | Op::Flatten
        | Op::Dropout(_)
        | Op::Subsample { .. } => "",
    };
    let kinds: Vec<&str> = structure.ops.iter().map(kinds).filter(|kind| !kind.is_empty()).collect();
    let expected = [
        "layer", "layer", "fork", "layer", "add", "halves", "fork", "layer", "swap", "layer", "layer", "add",
        "layer",
    ];
    assert_eq!(kinds, expected);
    assert_eq!(structure.layers[0].output, Shape::new(4, 16, 16));
    assert_eq!(structure.blocks[1].output, Shape::new(8, 4, 4));
}

#[test]
fn a_layer_that_does_not_fit_is_named_with_what_came_in() {
    for (layers, expected) in [
        (
            "Linear()",
            "layer 1: a linear layer takes a row of features, and 3×32×32 come in; put Flatten before it",
        ),
        (
            "Flatten, Conv(), Linear()",
            "layer 2: a convolution needs images, and a row of 3072 features comes in; put it before Flatten",
        ),
        (
            "Conv(kernel: 5, stride: 4, padding: Some(0)), MaxPool(window: 8), Linear()",
            "layer 2: max pooling of 8×8 does not fit into what comes in, 16×7×7;",
        ),
        (
            "Residual(body: [Conv(channels: 4)]), Flatten, Linear()",
            "layer 1: the body yields 4×32×32, and 3×32×32 came in; the shortcut Identity adds equal shapes only",
        ),
        (
            "Residual(body: [Relu, Conv(kernel: 3, padding: Some(4))]), Linear()",
            "layer 1.2: a convolution with a kernel of 3 has a padding of 4",
        ),
        (
            "Flatten, Linear(units: Some(12))",
            "layer 2: the last layer yields 12 numbers, and 10 are needed, one for each class",
        ),
        ("Flatten, Linear(), Relu", "layer 3: the last layer must be linear"),
        ("Conv(name: \"a\"), Conv(name: \"a\"), Flatten, Linear()", "layer 2: another layer is called a too"),
        (
            "Conv(name: \"2\"), Relu, Residual(body: [Relu]), Flatten, Linear()",
            "layer 3: another layer is called 2 too",
        ),
        (
            "Residual(body: [], name: \"b\"), Residual(body: [], name: \"b\"), Flatten, Linear()",
            "layer 2: another layer is called b too",
        ),
        (
            "Residual(body: [Conv(channels: 3)], name: \"b\"), Conv(name: \"b\"), Flatten, Linear()",
            "layer 2: another layer is called b too",
        ),
        ("Flatten, AdaptiveAveragePool(side: 2), Linear()", "layer 2: adaptive average pooling needs images"),
        ("Flatten, GlobalAveragePool, Linear()", "layer 2: global average pooling needs images"),
        (
            "Flatten, Linear(units: 60000), Linear(units: 40000), Linear()",
            "layer 3: the network has 2,584,420,000 parameters up to here, more than 2,147,483,648",
        ),
        ("MaxPool(window: 2, padding: 2), Flatten, Linear()", "half the window is the most"),
        ("Conv(stride: 0), Flatten, Linear()", "layer 1: a convolution has a side and a stride of 1 or more"),
    ] {
        let message = refusal(layers);
        assert!(message.contains(expected), "{layers}: {message}");
    }
}

#[test]
fn a_name_that_tables_and_paths_cannot_hold_is_refused() {
    for name in ["", "a,b", "a\\nb", "../../x", "a\\\\b", "it's", "a\\\"b", " a", "a ", "#1"] {
        for layers in [
            format!("Flatten, Linear(name: \"{name}\")"),
            format!("Residual(body: [BatchNorm(name: \"{name}\")]), Flatten, Linear()"),
            format!("Residual(body: [Conv(channels: 3)], name: \"{name}\"), Flatten, Linear()"),
            format!("Residual(body: [Conv()], shortcut: Project(name: \"{name}\")), Flatten, Linear()"),
        ] {
            let message = refusal(&layers);
            assert!(message.contains("name"), "{layers}: {message}");
        }
    }
    for name in ["conv 1", "layer1.0", "größe_2-a", "a#1"] {
        structure(&listed(&format!("Flatten, Linear(name: \"{name}\")")), Shape::new(3, 32, 32), 10);
    }
}

#[test]
fn blocks_inside_blocks_end_somewhere() {
    let nested = |depth: usize| {
        let (open, close) = ("Residual(body: [".repeat(depth), "])".repeat(depth));
        format!("{open}Relu{close}, Flatten, Linear()")
    };
    structure(&listed(&nested(8)), Shape::new(3, 4, 4), 10);
    let message = refusal(&nested(9));
    assert!(message.starts_with("layer 1.1.1.1.1.1.1.1.1: residual blocks are nested 8 deep"), "{message}");
}

/// Subsampled from `side` pixels: what comes in, the stride of the body, and that of the shortcut.
#[test]
fn a_shortcut_has_the_stride_of_the_body() {
    let found = |body: &str, side: usize, shortcut: &str| {
        let net = listed(&format!("Residual(body: [{body}], shortcut: {shortcut}), Flatten, Linear()"));
        let structure = structure(&net, Shape::new(3, side, side), 10);
        let stride = structure.ops.iter().rev().find_map(|op| match op {
            Op::Subsample { stride, .. } => Some(*stride),
            _ => None,
        });
        stride.or_else(|| {
            match structure.layers.iter().rfind(|layer| layer.name.ends_with("shortcut.0"))?.kind {
                LayerKind::Convolution(window) => Some(window.stride),
                LayerKind::Linear | LayerKind::BatchNorm => None,
            }
        })
    };
    for shortcut in ["PadSubsample", "Project()"] {
        for (side, stride) in [(4, 3), (5, 4), (6, 4), (9, 4), (8, 2), (9, 2)] {
            let body = format!("Conv(channels: 4, stride: {stride})");
            assert_eq!(found(&body, side, shortcut), Some(stride), "{side} pixels");
        }
        let inner = format!("Residual(body: [MaxPool()], shortcut: {shortcut})");
        assert_eq!(found(&format!("Conv(channels: 4, stride: 2), {inner}"), 8, shortcut), Some(4));
        // A pooling that leaves a pixel out: 5 pixels become 2, which every third pixel makes too.
        assert_eq!(found("Conv(channels: 4), MaxPool()", 5, shortcut), Some(3));
    }
}

#[test]
fn a_list_is_written_as_it_is_read() {
    let text = "Sequential(layers:[Conv(channels:32,stride:2),BatchNorm(),Relu,Residual(body:[Dropout(0.1)],shortcut:Project(name:\"down\")),Flatten,Linear()])";
    let read = net(text);
    let again: Net = net(&read.to_ron());
    assert_eq!(again, read);
}

#[test]
fn known_depths_are_known() {
    let problems = |text: &str| check_ranges(&mut net(text)).len() + net(text).rule().problems().len();
    assert_eq!(
        ["ResNet(depth: 21)", "ConvNet(depth: 3)", "Vgg(depth: 12)", "Sequential(layers: [])"].map(problems),
        [1; 4]
    );
    assert_eq!(["ResNet()", "ConvNet()", "Vgg()", "Sequential()", "LeNet5()"].map(problems), [0; 5]);
}

/// Every network is the same one as a list of its layers: a trained network's weights still fit.
#[test]
fn a_named_network_is_a_list_of_its_layers() {
    let (mnist, cifar, iris) = (Shape::new(1, 28, 28), Shape::new(3, 32, 32), Shape::new(4, 1, 1));
    for (text, input) in [
        ("Mlp(activation: Tanh, output: Tanh, init: KaimingNormal)", mnist),
        ("Mlp(hidden: [])", iris),
        ("LeNet5()", mnist),
        ("LeNet5()", cifar),
        ("ConvNet(depth: 2)", cifar),
        ("ConvNet(depth: 6)", cifar),
        ("Vgg(depth: 11, classes: Some(100))", cifar),
        ("Vgg(batch_norm: false, head: Hidden(widths: [8, 8], pool: 2))", cifar),
        ("ResNet(depth: 20)", cifar),
        ("ResNet(depth: 110)", cifar),
        ("ResNet(depth: 32, shortcuts: Project)", cifar),
        ("ResNet(depth: 18)", cifar),
        ("ResNet(depth: 50)", Shape::new(3, 64, 64)),
    ] {
        let before = net(text);
        for loss in [Loss::CrossEntropy, Loss::BinaryCrossEntropy] {
            let list = before.to_layers(input, logits(&before, 10, &loss));
            assert!(matches!(list.layers.last(), Some(Module::Linear(Linear { units: None, .. }))), "{text}");
            let after = Net::Sequential(list);
            assert_eq!(after.rule().initial(), before.rule().initial(), "{text}");
            assert_eq!(
                (after.image_side(), after.rule().classes()),
                (before.image_side(), before.rule().classes())
            );
            let structure = |net: &Net| Structure::new(net, input, 10, &loss).unwrap();
            assert_eq!(structure(&after), structure(&before), "{text}");
            assert_eq!(net(&after.to_ron()), after, "{text}");
        }
    }
}

#[test]
fn shapes_are_known_up_to_the_first_layer_that_does_not_fit() {
    let text = "Sequential(layers: [Conv(channels: 4), Residual(body: [Relu, Conv(channels: 4), MaxPool(window: 3, padding: \
        2)]), Flatten, Linear()])";
    let traced = Structure::trace(&net(text), Shape::new(3, 16, 16), 10, &Loss::CrossEntropy);
    let behind: Vec<(Vec<usize>, String)> =
        traced.behind.into_iter().map(|(path, shape)| (path, shape.to_string())).collect();
    let same = || "4×16×16".to_owned();
    assert_eq!(behind, [(vec![0], same()), (vec![1, 0], same()), (vec![1, 1], same())]);
    assert_eq!(traced.misfit.unwrap().path, [1, 2]);
    assert_eq!(traced.structure.layers.len(), 2);

    let fits = Structure::trace(&net("Sequential()"), Shape::new(3, 2, 2), 10, &Loss::CrossEntropy);
    let behind: Vec<String> = fits.behind.iter().map(|(_, shape)| shape.to_string()).collect();
    assert_eq!((behind, fits.misfit), (vec!["12".to_owned(), "10".to_owned()], None));
}

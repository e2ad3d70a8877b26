//! Weights that are dropped on the window.

use std::path::Path;

use super::citizen::{drop_on, until};
use super::*;
use doc::{Intervention, Stage as PlanStage};

#[test]
fn weights_that_are_dropped_are_imported_into_the_selected_arm_if_wanted() {
    let folder = tempfile::tempdir().unwrap();
    let weights = folder.path().join("w.safetensors");
    let mut window = Window::open(Some(saved_template(folder.path())));
    let structure = window.harness.state().editor.document.runs()[0].spec.structure().unwrap();
    let shapes: Vec<(&str, &[usize])> = structure
        .parameters
        .iter()
        .map(|parameter| (parameter.name.as_str(), &parameter.shape[..]))
        .collect();
    write_zeros(&weights, &shapes);
    window.harness.state_mut().workspace.selection = Selection::Arm(2);
    window.harness.run();
    drop_on(&mut window, &weights);
    assert!(window.sees("Import the weights into reinitialized?"));
    let normalize = |window: &Window| window.harness.state().editor.document.experiment.data.normalize();
    let warning = "Changes the data of all arms: their runs are to do again";
    assert!(!window.sees(warning));
    window.click("Input scaling");
    window.click("Standardized");
    window.harness.run();
    assert!(window.sees(warning));
    window.click("Import weights");
    assert_eq!(normalize(&window), data::Normalize::Standard);
    let PlanStage::Do(Intervention::Import(doc::intervention::Import(file))) =
        &window.harness.state().editor.document.experiment.arms[2].plan[0]
    else {
        panic!("no stage that imports")
    };
    assert_eq!(file.file, "w.safetensors", "relative to the experiment");
    window.execute(Command::Undo);
    drop_on(&mut window, &weights);
    window.click("Cancel");
    assert!(!window.harness.state().editor.document.is_unsaved());
}

/// Writes tensors of these names and shapes.
pub(super) fn write_zeros(path: &Path, shapes: &[(&str, &[usize])]) {
    use safetensors::{Dtype, tensor::TensorView};
    let zeros: Vec<Vec<u8>> =
        shapes.iter().map(|(_, shape)| vec![0; 4 * shape.iter().product::<usize>()]).collect();
    let views = shapes
        .iter()
        .zip(&zeros)
        .map(|((name, shape), zeros)| (*name, TensorView::new(Dtype::F32, shape.to_vec(), zeros).unwrap()));
    std::fs::write(path, safetensors::serialize(views, None).unwrap()).unwrap();
}

#[test]
fn weights_of_another_network_show_what_differs_and_offer_theirs() {
    let folder = tempfile::tempdir().unwrap();
    let weights = folder.path().join("w.pth");
    let shapes: [(&str, &[usize]); 4] = [
        ("module.0.weight", &[5, 64]),
        ("module.0.bias", &[5]),
        ("module.2.weight", &[10, 5]),
        ("module.2.bias", &[10]),
    ];
    write_zeros(&weights, &shapes);
    let mut window = Window::open(Some(saved_template(folder.path())));
    window.harness.state_mut().workspace.selection = Selection::Arm(2);
    window.harness.run();
    drop_on(&mut window, &weights);
    assert!(window.sees("The weights do not fit the network of reinitialized"));
    assert!(window.sees("Nothing would be copied: 0 of 6 parameters fit") && window.sees("and 1 more"));
    for text in [
        "They fit 64–5–10 for inputs of 1×8×8, 10 classes. A multi-layer perceptron with one hidden layer of 5 units",
        "\"Use this network\" replaces that of the experiment (dense, winning ticket, reinitialized and ",
    ] {
        assert!(window.harness.query_by_label_contains(text).is_some(), "{text}");
    }
    window.click("Use this network");
    let experiment = &window.harness.state().editor.document.experiment;
    assert_eq!(form::Stored::to_ron(&experiment.net), "Mlp(hidden: [5])");
    assert!(
        matches!(&experiment.arms[2].plan[0], PlanStage::Do(Intervention::Import(file)) if file.0.file == "w.pth")
    );
    drop_on(&mut window, &weights);
    assert!(window.sees("Import the weights into reinitialized?"), "it fits now");
    window.click("Cancel");

    write_zeros(&weights, &[("embedding.weight", &[7, 3])]);
    std::fs::write(folder.path().join("page.pt"), "<html>").unwrap();
    drop_on(&mut window, &weights);
    assert!(window.sees("No network here has its layers: embedding 7×3"));
    assert!(window.harness.query_by_label("Use this network").is_none());
    window.click("Close");
    drop_on(&mut window, &folder.path().join("page.pt"));
    assert!(
        window
            .harness
            .query_all_by_label_contains("page.pt is a web page, not the file itself")
            .next()
            .is_some()
    );
}

/// The network of the perceptron 64–16–10 with an additional layer has all that the perceptron needs.
#[test]
fn weights_with_more_than_the_network_has_are_offered_with_theirs() {
    let folder = tempfile::tempdir().unwrap();
    let weights = folder.path().join("w.safetensors");
    let shapes: [(&str, &[usize]); 6] = [
        ("fc1.weight", &[5, 64]),
        ("fc1.bias", &[5]),
        ("fc2.weight", &[10, 5]),
        ("fc2.bias", &[10]),
        ("fc3.weight", &[10, 10]),
        ("fc3.bias", &[10]),
    ];
    write_zeros(&weights, &shapes);
    let mut window = Window::open(Some(saved_template(folder.path())));
    let state = window.harness.state_mut();
    state.editor.document.experiment.net = form::ron_text::from_str("Mlp(hidden: [5])").unwrap();
    state.workspace.selection = Selection::Arm(0);
    window.harness.run();
    drop_on(&mut window, &weights);
    assert!(window.sees("Import the weights into dense?") && window.sees("Import weights"));
    assert!(window.sees("The file also has fc3.bias, fc3.weight, which this network does not have"));
    window.click("Use this network");
    let experiment = &window.harness.state().editor.document.experiment;
    assert_eq!(form::Stored::to_ron(&experiment.net), "Mlp(hidden: [5, 10])");
}

#[test]
fn weights_are_recognized_while_the_document_has_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let weights = folder.path().join("w.safetensors");
    write_zeros(&weights, &[("fc1.weight", &[10, 64]), ("fc1.bias", &[10])]);
    let mut window = Window::open(Some(saved_template(folder.path())));
    window.harness.state_mut().editor.document.experiment.seeds.clear();
    window.harness.run();
    assert!(window.harness.state().editor.document.is_behind());
    drop_on(&mut window, &weights);
    assert!(window.sees("Weightlab cannot compare the weights"));
    assert!(window.sees("Import weights"));
    window.click("Use this network");
    let experiment = &window.harness.state().editor.document.experiment;
    assert_eq!(form::Stored::to_ron(&experiment.net), "Mlp(hidden: [])");
}

#[test]
fn an_import_that_cannot_fit_blocks_run_until_its_file_does() {
    let folder = tempfile::tempdir().unwrap();
    let weights = folder.path().join("w.safetensors");
    write_zeros(&weights, &[("fc1.weight", &[5, 64]), ("fc1.bias", &[5])]);
    let mut window = Window::open(Some(saved_template(folder.path())));
    let experiment = &mut window.harness.state_mut().editor.document.experiment;
    experiment.net = form::ron_text::from_str("Mlp(hidden: [])").unwrap();
    let import = "Do(Import(file: \"w.safetensors\"))";
    experiment.arms[0].plan.insert(0, form::ron_text::from_str(import).unwrap());
    let error = |window: &Window| {
        let document = &window.harness.state().editor.document;
        document.first_error().map(|problem| problem.message.clone())
    };
    assert!(until(&mut window, |window| error(window).is_some()));
    let message = error(&window).unwrap();
    assert!(
        message.starts_with("w.safetensors does not fit this network, so nothing is copied."),
        "{message}"
    );
    write_zeros(&weights, &[("fc1.weight", &[10, 64]), ("fc1.bias", &[10])]);
    let mut changed = false;
    for _ in 0..3 {
        changed |= until(&mut window, |window| error(window).is_none()); // it looks every two seconds
    }
    assert!(changed, "{:?}", error(&window));
    let document = &window.harness.state().editor.document;
    let asks = |problem: &doc::Problem| problem.message.contains("does not say how its inputs were scaled");
    assert!(document.problems().iter().any(asks), "a note");
}

#[test]
fn the_network_of_a_file_brings_its_data_along() {
    use data::Shape;
    use doc::{Loss, Net, Structure};
    let folder = tempfile::tempdir().unwrap();
    let weights = folder.path().join("resnet20.th");
    let net: Net = form::ron_text::from_str("ResNet(depth: 20)").unwrap();
    let structure = Structure::new(&net, Shape::new(3, 32, 32), 10, &Loss::CrossEntropy).unwrap();
    let names: Vec<String> =
        structure.parameters.iter().map(|parameter| format!("module.{}", parameter.name)).collect();
    let shapes: Vec<(&str, &[usize])> = names
        .iter()
        .zip(&structure.parameters)
        .map(|(name, parameter)| (name.as_str(), &parameter.shape[..]))
        .collect();
    write_zeros(&weights, &shapes);
    let mut window = Window::open(Some(saved_template(folder.path())));
    drop_on(&mut window, &weights);
    assert!(window.sees("CIFAR-10 instead of Digits (built in), which does not fit it"));
    window.click("Use this network");
    let experiment = &window.harness.state().editor.document.experiment;
    assert_eq!(form::Stored::to_ron(&experiment.data), "Cifar10(normalize: ImageNet)");
    assert_eq!(form::Stored::to_ron(&experiment.net), "ResNet()");
}

#[test]
fn a_scaling_that_was_not_asked_for_stays() {
    use data::Normalize;
    let folder = tempfile::tempdir().unwrap();
    let weights = folder.path().join("w.safetensors");
    let mut window = Window::open(Some(saved_template(folder.path())));
    let data = |window: &Window| window.harness.state().editor.document.experiment.data.clone();
    // Of a source that scales, while the network is not known.
    write_zeros(
        &weights,
        &[
            ("conv1.weight", &[16, 3, 3, 3]),
            ("layer3.0.conv2.weight", &[64, 64, 3, 3]),
            ("linear.weight", &[10, 64]),
        ],
    );
    window.harness.state_mut().editor.document.experiment.seeds.clear();
    window.harness.run();
    drop_on(&mut window, &weights);
    window.click("Import weights");
    assert_eq!(data(&window).normalize(), Normalize::None);
    // That of other data is not put on those of the network.
    let present = &mut window.harness.state_mut().editor.document.experiment.data;
    *present = present.clone().scaled(Normalize::Standard);
    window.harness.state_mut().workspace.selection = Selection::Arm(0);
    window.harness.run();
    write_zeros(&weights, &[("fc1.weight", &[10, 784]), ("fc1.bias", &[10])]);
    drop_on(&mut window, &weights);
    window.click("Use this network");
    assert_eq!((data(&window).name(), data(&window).normalize()), ("MNIST", Normalize::None));
}

#[test]
fn of_several_that_are_dropped_the_experiment_is_opened_and_the_others_are_named() {
    use crate::app::dropped::{Dropped, identify};
    let folder = tempfile::tempdir().unwrap();
    let mut window = Window::open(Some(saved_template(folder.path())));
    let [weights, other] = ["w.safetensors", "other.ron"].map(|name| folder.path().join(name));
    write_zeros(&weights, &[("fc1.weight", &[10, 64]), ("fc1.bias", &[10])]);
    std::fs::copy(saved_template(folder.path()), &other).unwrap();
    let found: Vec<Dropped> = [&weights, &other].map(|path| identify(path, &data::Data::all()[0])).into();
    let ctx = window.harness.ctx.clone();
    window.harness.state_mut().use_dropped(found, &ctx);
    let is_open = |window: &Window| window.harness.state().editor.document.path() == Some(&other);
    assert!(until(&mut window, is_open));
    assert!(window.log().contains("w.safetensors left out"), "{}", window.log());
}

/// The weights of a network of pictures in three classes, which no known data have.
fn write_own_resnet(path: &Path) {
    use data::Shape;
    use doc::{Loss, Net, Structure};
    let net: Net = form::ron_text::from_str("ResNet(depth: 20)").unwrap();
    let structure = Structure::new(&net, Shape::new(3, 32, 32), 3, &Loss::CrossEntropy).unwrap();
    let all = structure.parameters.iter();
    let shapes: Vec<_> = all.map(|parameter| (parameter.name.as_str(), &parameter.shape[..])).collect();
    write_zeros(path, &shapes);
}

#[test]
fn a_network_without_data_that_it_runs_on_is_not_offered() {
    let folder = tempfile::tempdir().unwrap();
    let weights = folder.path().join("own.safetensors");
    write_own_resnet(&weights);
    let mut window = Window::open(Some(saved_template(folder.path())));
    let before = window.harness.state().editor.document.experiment.clone();
    drop_on(&mut window, &weights);
    assert!(window.sees("choose data of 3×32×32 in 3 classes under Data: no known set is of that kind"));
    assert!(window.harness.query_by_label("Use this network").is_none());
    window.click("Close");
    assert_eq!(window.harness.state().editor.document.experiment, before);
}

/// Writes weights of the default network of digits, and opens an experiment that imports them.
fn importing(folder: &Path, net: &str) -> Window {
    let shapes: [(&str, &[usize]); 4] =
        [("fc1.weight", &[5, 64]), ("fc1.bias", &[5]), ("fc2.weight", &[10, 5]), ("fc2.bias", &[10])];
    write_zeros(&folder.join("w.safetensors"), &shapes);
    let path = folder.join("x.ron");
    let plan = "Do(Import(file: \"w.safetensors\")), Test";
    std::fs::write(&path, format!("(net: {net}, arms: [(name: \"a\", plan: [{plan}])])")).unwrap();
    let mut window = Window::sized([1440.0, 1600.0], Some(path));
    window.select(Selection::Stage { arm: 0, path: vec![0] });
    window
}

#[test]
fn the_stage_asks_how_inputs_were_scaled_and_sets_that_of_the_data() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = importing(folder.path(), "Mlp(hidden: [5])");
    assert!(until(&mut window, |window| window.sees("4 of 4 parameters fit")));
    assert!(window.sees("Data: Digits (built in)"));
    assert!(window.sees("How were the inputs scaled in training?"));
    assert!(window.sees("The file does not say how its inputs were scaled in training"));
    window.click("Input scaling");
    assert!(window.harness.query_by_label("ImageNet").is_none(), "digits have one channel");
    window.click("Standardized");
    let normalize = window.harness.state().editor.document.experiment.data.normalize();
    assert_eq!(normalize, data::Normalize::Standard);
    assert!(!window.sees("does not say how its inputs"));
    window.execute(Command::Undo);
    let normalize = window.harness.state().editor.document.experiment.data.normalize();
    assert_eq!(normalize, data::Normalize::None);
}

#[test]
fn the_stage_offers_the_network_of_a_file_that_does_not_fit() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = importing(folder.path(), "Mlp(hidden: [7])");
    assert!(until(&mut window, |window| window.sees("Nothing would be copied: 1 of 4 parameters fit")));
    assert!(window.sees("fc1.weight: 7×64 here, 5×64 in the file"));
    assert!(until(&mut window, |window| window.sees("1 problem")));
    window.execute(Command::RunAll);
    assert!(window.stage.borrow().jobs.is_empty(), "it cannot work");
    window.click("Use this network");
    let net = form::Stored::to_ron(&window.harness.state().editor.document.experiment.net);
    assert_eq!(net, "Mlp(hidden: [5])");
    assert!(until(&mut window, |window| window.sees("4 of 4 parameters fit")));
    assert!(until(&mut window, |window| !window.sees("1 problem")));
}

#[test]
fn a_run_waits_until_it_is_known_whether_its_files_fit() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = importing(folder.path(), "Mlp(hidden: [5])");
    let is_ready = |window: &Window| {
        let app = window.harness.state();
        app.runner.start_blocked_by(&app.editor.document).is_none()
    };
    assert!(until(&mut window, is_ready));
    // In the frame of the edit nothing is known yet.
    let ctx = window.harness.ctx.clone();
    let app = window.harness.state_mut();
    app.editor.document.experiment.net = form::ron_text::from_str("Mlp(hidden: [7])").unwrap();
    app.execute(Command::RunAll, &ctx);
    assert!(until(&mut window, |window| window.log().contains("Nothing started")), "{}", window.log());
    assert!(window.stage.borrow().jobs.is_empty());
}

#[test]
fn inputs_far_from_those_of_the_training_are_a_warning_below_the_plot() {
    use results::{Event, Report};
    let folder = tempfile::tempdir().unwrap();
    let mut window = importing(folder.path(), "Mlp(hidden: [5])");
    let is_ready = |window: &Window| {
        let app = window.harness.state();
        app.runner.start_blocked_by(&app.editor.document).is_none()
    };
    assert!(until(&mut window, is_ready));
    window.click("Run all");
    window.say(0, started());
    let summary = "the activations of these data are far".to_owned();
    let report = Report { kind: results::INPUTS.to_owned(), summary, ..Report::default() };
    window.say(0, Event::Report(report.warning()));
    let log = &window.harness.state().log;
    assert_eq!(log.latest().unwrap().tone, crate::widgets::Tone::Warning);
    window.say(0, accuracy(0.2779, 1.0));
    window.say(0, Event::Finished { secs: 1.0 });
    let app = window.harness.state_mut();
    let note = app.workspace.plot_input(&app.runner.runs).note();
    assert_eq!(note, "inputs of 1 run far from those that its weights were trained with");
}

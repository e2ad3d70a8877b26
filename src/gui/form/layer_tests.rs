//! Layers to tick.

use eframe::egui::Key;
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};

use super::About;
use super::tests::{Form, choose, click, form, of_experiment, perceptron, write};
use doc::intervention::{Intervention, Layers, Prune};
use doc::{Stage, Target};

#[test]
fn layers_are_ticks_and_unknown_names_stay_until_they_are_unticked() {
    let only = |names: &[&str]| Layers::Only(names.iter().map(|name| (*name).to_owned()).collect());
    let mut harness = of_experiment(Target::default(), Vec::new(), perceptron());
    let about = |harness: &Harness<'_, Form<Target>>, name: &str| {
        harness.get_by_label(name).accesskit_node().description().unwrap_or_default()
    };
    assert_eq!(about(&harness, "fc1"), "235,200 weights");
    click(&mut harness, "fc2");
    assert_eq!(harness.state().value.layers, only(&["fc1", "fc3"]));
    click(&mut harness, "fc2");
    assert_eq!(harness.state().value.layers, Layers::All);
    harness.state_mut().value.layers = only(&["fc1", "fc9"]);
    harness.run();
    assert_eq!(about(&harness, "fc9"), "The network has no such layer");
    click(&mut harness, "fc9");
    assert_eq!(harness.state().value.layers, only(&["fc1"]));
    choose(&mut harness, "Layers", "All but");
    click(&mut harness, "fc3");
    assert_eq!(harness.state().value.layers, Layers::Except(vec!["fc3".to_owned()]));
    choose(&mut harness, "Layers", "Only");
    assert_eq!(harness.state().value.layers, only(&["fc1", "fc2", "fc3"]), "no error to begin with");
}

#[test]
fn a_stage_shows_the_layers_of_its_target_at_once() {
    let stage = Stage::Do(Intervention::Prune(Prune::default()));
    let mut harness = of_experiment(stage.clone(), Vec::new(), perceptron());
    click(&mut harness, "fc3");
    let target =
        Target { layers: Layers::Only(vec!["fc1".to_owned(), "fc2".to_owned()]), ..Target::default() };
    let without = Stage::Do(Intervention::Prune(Prune { target, ..Prune::default() }));
    assert_eq!(harness.state().value, without);
    click(&mut harness, "fc3");
    assert_eq!(harness.state().value, stage, "all are the default");
}

#[test]
fn many_layers_scroll() {
    let mut about = perceptron();
    about.layers = (0..40).map(|index| (format!("layer{index}"), 7)).collect();
    let mut harness = of_experiment(Target::default(), Vec::new(), about);
    let channels = harness.get_by_label("Output channels").rect();
    assert!(channels.top() < 500.0, "{channels:?}");
    click(&mut harness, "layer1");
    let Layers::Only(names) = &harness.state().value.layers else { panic!() };
    assert!(names.len() == 39 && !names.contains(&"layer1".to_owned()));
}

#[test]
fn names_of_layers_are_added_behind_the_choice_of_naming_them() {
    let mut harness = form(Target::default());
    choose(&mut harness, "Layers", "Only");
    click(&mut harness, "Add to Only");
    write(&mut harness, "Only 1", "fc1");
    let layers = Layers::Only(vec!["fc1".to_owned()]);
    assert_eq!(harness.state().value.layers, layers);
}

/// A form that knows the layers of a ResNet-20.
fn resnet() -> About {
    let text = "(net: ResNet(), arms: [(name: \"a\", plan: [Test])])";
    About::new(&doc::file::parse(text, std::path::Path::new("x.ron")).unwrap(), Some(0))
}

fn left_out(harness: &Harness<'_, Form<Target>>) -> usize {
    match &harness.state().value.layers {
        Layers::All => 0,
        Layers::Only(names) => resnet().layers.len() - names.len(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn layers_of_blocks_are_a_tree_and_a_block_ticks_its_layers() {
    let mut harness = of_experiment(Target::default(), Vec::new(), resnet());
    assert!(harness.query_by_label("layer1.0.conv1").is_none(), "blocks of many layers are folded");
    click(&mut harness, "layer1");
    let inside = resnet().layers.iter().filter(|(name, _)| name.starts_with("layer1.")).count();
    assert!(inside >= 12 && left_out(&harness) == inside, "{inside}");
    for label in ["Layers of layer1", "layer1.0"] {
        click(&mut harness, label);
    }
    assert_eq!(left_out(&harness), inside - 4, "those of one block again");
    click(&mut harness, "Layers of layer1.0");
    click(&mut harness, "layer1.0.conv1");
    assert_eq!(left_out(&harness), inside - 3);
    click(&mut harness, "layer1.0");
    assert_eq!(left_out(&harness), inside - 4, "a block of which some are ticked is ticked as a whole");
}

#[test]
fn a_filter_finds_layers_in_all_blocks_and_a_block_ticks_those_that_are_shown() {
    let mut harness = of_experiment(Target::default(), Vec::new(), resnet());
    write(&mut harness, "Filter layers", "3.2.conv");
    harness.get_by_label("layer3.2.conv2");
    assert!(harness.query_by_label("layer3.2.bn2").is_none() && harness.query_by_label("linear").is_none());
    click(&mut harness, "layer3");
    assert_eq!(left_out(&harness), 2);
}

#[test]
fn the_keyboard_goes_through_the_tree_folds_and_ticks() {
    let mut harness = of_experiment(Target::default(), Vec::new(), resnet());
    harness.get_by_label("bn1").focus();
    harness.run();
    for key in [Key::ArrowDown, Key::ArrowRight, Key::ArrowDown, Key::Space] {
        harness.key_press(key);
        harness.run();
    }
    assert!(harness.get_by_label("layer1.0").is_focused());
    assert_eq!(left_out(&harness), 4);
    for key in [Key::ArrowUp, Key::ArrowLeft] {
        harness.key_press(key);
        harness.run();
    }
    assert!(harness.query_by_label("layer1.0").is_none());
}

//! Layers to tick.

use super::tests::{choose, click, form, of_experiment, perceptron, write};
use doc::intervention::{Intervention, Layers, Prune};
use doc::{Stage, Target};
use egui_kittest::kittest::Queryable;

#[test]
fn layers_are_ticks_and_unknown_names_stay_until_they_are_unticked() {
    let only = |names: &[&str]| Layers::Only(names.iter().map(|name| (*name).to_owned()).collect());
    let mut harness = of_experiment(Target::default(), Vec::new(), perceptron());
    harness.get_by_label("235,200");
    click(&mut harness, "fc2");
    assert_eq!(harness.state().value.layers, only(&["fc1", "fc3"]));
    click(&mut harness, "fc2");
    assert_eq!(harness.state().value.layers, Layers::All);
    harness.state_mut().value.layers = only(&["fc1", "fc9"]);
    harness.run();
    harness.get_by_label("unknown");
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

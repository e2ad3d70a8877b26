//! Networks that are edited layer by layer, and their drawing.

use eframe::egui::accesskit::Role;
use egui_kittest::kittest::NodeT;

use super::*;
use doc::{Module, Net, ResNet, Sequential};
use form::path::Place;
use form::{Stored, ron_text};

fn with_layers(layers: &str) -> Window {
    let layers: Vec<Module> = ron_text::from_str(layers).unwrap();
    with_net(Net::Sequential(Sequential { layers, ..Sequential::default() }))
}

fn with_net(net: Net) -> Window {
    let mut window = Window::sized([1440.0, 1600.0], None);
    window.harness.state_mut().editor.document.experiment.net = net;
    window.harness.run();
    let mut all = window.harness.query_all_by_role(Role::DisclosureTriangle);
    all.rfind(|node| node.accesskit_node().label().as_deref() == Some("Network")).unwrap().click();
    drop(all);
    window.harness.run();
    window
}

fn net(window: &Window) -> String {
    window.harness.state().editor.document.experiment.net.to_ron()
}

/// Returns the text under the pointer about the layer whose line has this name.
fn beside(window: &mut Window, line: &str) -> String {
    window.harness.get_by_label(line).hover();
    window.harness.run_steps(40);
    let all = window.harness.query_all_by_label_contains("Output: ");
    let texts: Vec<String> = all.filter_map(|node| node.accesskit_node().value()).collect();
    texts
        .last()
        .and_then(|text| text.rsplit_once("Output: "))
        .map_or_else(String::new, |(_, shape)| shape.to_owned())
}

#[test]
fn every_layer_has_the_shape_behind_it() {
    let mut window =
        with_layers("[Conv(channels: 4, stride: 2), Residual(body: [Relu]), MaxPool(), Flatten, Linear()]");
    assert_eq!(beside(&mut window, "Layers 1: Conv 4, 3×3, stride 2"), "4×4×4");
    assert_eq!(beside(&mut window, "Layers 4: Flatten"), "16");
    assert_eq!(beside(&mut window, "Layers 5: Linear to classes"), "10");
    window.click("Layers 1: Conv 4, 3×3, stride 2");
    window.harness.get_by_label("Stride").set_text_value_accesskit("1");
    window.harness.run();
    assert_eq!(beside(&mut window, "Layers 1: Conv 4, 3×3"), "4×8×8", "it follows edits");
    assert_eq!(beside(&mut window, "Layers 4: Flatten"), "64");
}

#[test]
fn a_layer_has_its_name_under_the_pointer() {
    let mut window =
        with_layers("[Conv(name: Some(\"conv1\")), Residual(body: [Conv()]), Flatten, Linear()]");
    window.harness.get_by_label("Layers 1: Conv 16, 3×3").hover();
    window.harness.run_steps(40);
    assert!(window.harness.query_all_by_label_contains("Name: conv1").next().is_some());
}

#[test]
fn what_does_not_fit_says_so_below_its_layer() {
    let mut window = with_layers("[Flatten, Residual(body: [Relu, Conv()]), Linear()]");
    let problem = window.harness.state().editor.document.problems()[0].clone();
    assert_eq!(problem.place.to_string(), "net.Sequential.layers[1].Residual.body[1]");
    let message = "a convolution needs images";
    let at =
        |window: &Window, label: &str| window.harness.get_all_by_label_contains(label).last().unwrap().rect();
    let [line, next] = ["Layers 2: Residual", "Layers 3: Linear"].map(|label| at(&window, label));
    let shown = at(&window, message);
    assert!(line.bottom() <= shown.top() && shown.bottom() <= next.top(), "{line} {shown} {next}");
    // The problem leads to the layer, in the block that opens for it.
    window.harness.state_mut().show_setting(problem.place);
    window.harness.run();
    window.harness.run();
    assert!(window.harness.get_by_label("Layers 2: Conv 16, 3×3").is_focused());
    window.harness.key_press(Key::Delete);
    window.harness.run();
    assert!(window.harness.state().editor.document.first_error().is_none());
}

#[test]
fn a_named_network_becomes_a_list_and_comes_back() {
    let mut window = with_net(Net::ResNet(ResNet::default()));
    let before = window.harness.state().editor.document.runs()[0].spec.structure();
    window.click("Edit as layers");
    assert!(net(&window).starts_with("Sequential(layers: [Conv("), "{}", net(&window));
    let after = window.harness.state().editor.document.runs()[0].spec.structure();
    assert_eq!(after, before, "weights still fit");
    assert!(
        window.sees("Layers 4: Residual layer1.0")
            && window.log().contains("ResNet-20 is now a list of 24 layers")
    );
    assert!(window.harness.query_by_label("Edit as layers").is_none());
    window.click("Layers 4: Residual layer1.0");
    window.harness.state_mut().step_history(History::undo);
    window.harness.run();
    assert_eq!(net(&window), "ResNet()", "one step");
}

#[test]
fn the_network_of_an_arm_becomes_a_list() {
    let mut window = Window::sized([1440.0, 1600.0], None);
    window.harness.state_mut().editor.document.experiment.arms[1].net = Some(Net::default());
    window.select(Selection::Arm(1));
    window.click("Edit as layers");
    let experiment = &window.harness.state().editor.document.experiment;
    assert!(
        matches!(&experiment.arms[1].net, Some(Net::Sequential(_))) && matches!(experiment.net, Net::Mlp(_))
    );
    assert!(window.sees("Layers 2: Linear 300"));
}

#[test]
fn each_edit_of_the_layers_is_undone_by_itself() {
    let mut window = with_layers("[Flatten, Linear()]");
    let start = net(&window);
    window.click("Layers 1: Flatten");
    for _ in 0..2 {
        window.harness.key_press_modifiers(Modifiers::COMMAND, Key::D);
        window.harness.run();
    }
    assert_eq!(net(&window).matches("Flatten").count(), 3);
    window.harness.state_mut().step_history(History::undo);
    window.harness.run();
    assert_eq!(net(&window).matches("Flatten").count(), 2);
    window.harness.state_mut().step_history(History::undo);
    window.harness.run();
    assert_eq!(net(&window), start);
}

#[test]
fn the_drawing_of_the_network_follows_every_edit() {
    let mut window =
        with_layers("[Conv(channels: 4), Residual(body: [Conv(channels: 4), Relu]), Flatten, Linear()]");
    window.click("Show network");
    assert!(window.sees("Sum of 1") && window.sees("experiment, initial weights"));
    window.select(Selection::Arm(1));
    assert!(window.sees("Sum of 1") && window.sees("winning ticket, initial weights"));
    window.select(Selection::Experiment);
    assert!(window.sees("Sum of 1") && window.sees("experiment, initial weights"));
    window.click("Layers 1: Conv 4, 3×3");
    window.harness.get_by_label("Channels").set_text_value_accesskit("6");
    window.harness.run();
    window.harness.run();
    assert!(window.sees("Conv 1→6, 3×3"));
    let message = "the body yields 4×8×8, and 6×8×8 came in";
    let count = window.harness.query_all_by_label_contains(message).count();
    assert!(count >= 2, "beside the layer and above the layers that fit: {count}");
    assert!(window.sees("Conv 6→4, 3×3, ReLU") && !window.sees("Sum of 1"));
    assert!(window.sees("So far") && !window.sees("All layers"));
    assert!(window.sees("Edit Residual, 2 layers"), "the block that does not fit is drawn");
    // The same for an arm, whose runs are those before the error.
    window.select(Selection::Arm(0));
    window.harness.run();
    assert!(window.sees("Conv 1→6, 3×3"));
    window.harness.get_by_label("Channels").set_text_value_accesskit("4");
    window.harness.run();
    window.harness.run();
    assert!(window.sees("Conv 1→4, 3×3") && window.sees("Sum of 1"));
}

#[test]
fn a_long_list_is_a_line_for_each_layer() {
    let mut window = with_net(Net::ResNet(ResNet { depth: 110, ..ResNet::default() }));
    window.click("Edit as layers");
    let lines = window.harness.query_all_by_role(Role::DisclosureTriangle);
    let lines =
        lines.filter(|node| node.accesskit_node().label().is_some_and(|name| name.starts_with("Layers ")));
    let count = lines.count();
    assert!((10..60).contains(&count), "only those that are seen: {count}");
    let place = Place::default().key("net").variant("Sequential").key("layers").index(100);
    window.harness.state_mut().show_setting(place);
    window.harness.run();
    window.harness.run();
    assert!(window.sees("Layers 101: "));
    super::accessible::all_are_named(&window, "a long list");
}

#[test]
fn the_network_of_the_experiment_is_drawn_where_its_button_was_pressed() {
    let mut window = Window::sized([1440.0, 2000.0], None);
    let experiment = &mut window.harness.state_mut().editor.document.experiment;
    let layers = ron_text::from_str("[Conv(channels: 4), Flatten, Linear()]").unwrap();
    experiment.arms[1].net = Some(Net::Sequential(Sequential { layers, ..Sequential::default() }));
    window.harness.run();
    let mut all = window.harness.query_all_by_role(Role::DisclosureTriangle);
    all.rfind(|node| node.accesskit_node().label().as_deref() == Some("Network")).unwrap().click();
    drop(all);
    window.select(Selection::Arm(1));
    let press = |window: &mut Window, last: bool| {
        let buttons: Vec<_> = window.harness.query_all_by_label("Show network").collect();
        assert_eq!(buttons.len(), 2, "one for the arm, one for the experiment");
        buttons[usize::from(last)].click();
        drop(buttons);
        window.harness.run();
    };
    let mut all = window.harness.query_all_by_role(Role::DisclosureTriangle);
    let section = all.rfind(|node| node.accesskit_node().label().as_deref() == Some("Network")).unwrap();
    assert_eq!(window.harness.query_all_by_label("Show network").count(), 1, "folded beside that of the arm");
    section.click();
    drop(all);
    window.harness.run();
    press(&mut window, true);
    assert!(window.sees("experiment, initial weights") && window.sees("Linear 64→300"));
    press(&mut window, false);
    assert!(!window.sees("experiment, initial weights") && window.sees("Conv 1→4, 3×3"));
    press(&mut window, true);
    window.select(Selection::Arm(0));
    assert!(window.sees("dense, initial weights"), "what is selected later is drawn");
}

#[test]
fn a_block_opens_its_line() {
    let mut window =
        with_layers("[Conv(channels: 4), Residual(body: [Conv(channels: 4), Relu]), Flatten, Linear()]");
    window.click("Show network");
    window.click("Edit Conv 4→4, 3×3, ReLU");
    window.harness.run();
    let mut lines = window.harness.query_all_by_label("Layers 1: Conv 4, 3×3");
    assert!(lines.nth(1).is_some_and(|line| line.is_focused()), "that of the block, not that of the network");
    drop(lines);
    assert!(window.sees("Kernel"), "the line of the layer in the block is open");
}

#[test]
fn undo_opens_the_layer_that_comes_back_and_no_other_one() {
    let mut window = with_layers("[Conv(channels: 4), Relu, Flatten, Linear()]");
    window.click("Layers 1: Conv 4, 3×3");
    window.harness.key_press(Key::Delete);
    window.harness.run();
    assert!(!window.sees("Kernel"));
    window.click("Layers 1: ReLU");
    window.harness.state_mut().step_history(History::undo);
    window.harness.run();
    window.harness.run();
    assert!(window.harness.get_by_label("Layers 1: Conv 4, 3×3").is_focused() && window.sees("Kernel"));
    let undoes = |window: &Window| window.harness.state().editor.history.redoes();
    assert_eq!(undoes(&window), Some("removal of a layer"));
    window.harness.state_mut().step_history(History::redo);
    window.harness.run();
    window.harness.run();
    assert!(!window.sees("Kernel") && !window.harness.get_by_label("Layers 1: ReLU").is_focused());
}

//! Layers as lines that open.

use eframe::egui::accesskit::Role;
use eframe::egui::{Key, Modifiers, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};

use super::About;
use super::tests::{Form, choose, click, form, of_experiment, write};
use doc::{Module, Net, Sequential};
use form::{Stored, ron_text};

fn list<'a>(layers: &str) -> Harness<'a, Form<Net>> {
    let layers: Vec<Module> = ron_text::from_str(layers).unwrap();
    form(Net::Sequential(Sequential { layers, ..Sequential::default() }))
}

fn layers(harness: &Harness<'_, Form<Net>>) -> String {
    match &harness.state().value {
        Net::Sequential(list) => list.layers.to_ron(),
        other => panic!("a {}", other.label()),
    }
}

fn is_there(harness: &Harness<'_, Form<Net>>, label: &str) -> bool {
    harness.query_all_by_label(label).next().is_some()
}

fn key(harness: &mut Harness<'_, Form<Net>>, modifiers: Modifiers, key: Key) {
    harness.key_press_modifiers(modifiers, key);
    harness.run();
}

#[test]
fn a_line_opens_with_its_settings_and_closes_the_one_before() {
    let mut harness = list("[Conv(channels: 8, stride: 2), Flatten, Linear()]");
    assert!(!is_there(&harness, "Kernel"));
    click(&mut harness, "Layers 1: Conv 8, 3×3, stride 2");
    write(&mut harness, "Kernel", "5");
    assert_eq!(layers(&harness), "[Conv(channels: 8, kernel: 5, stride: 2), Flatten, Linear()]");
    click(&mut harness, "Layers 3: Linear to classes");
    assert!(!is_there(&harness, "Kernel") && is_there(&harness, "Units"));
    click(&mut harness, "Layers 3: Linear to classes");
    assert!(!is_there(&harness, "Units"));
}

#[test]
fn layers_are_added_after_the_open_one_or_at_the_end() {
    let mut harness = list("[Flatten, Linear()]");
    for kind in ["Add to Layers", "Dropout"] {
        click(&mut harness, kind);
    }
    assert_eq!(layers(&harness), "[Flatten, Linear(), Dropout(0.5)]");
    assert!(is_there(&harness, "Dropout"), "what is new is open");
    click(&mut harness, "Layers 1: Flatten");
    for kind in ["Add to Layers", "Linear", "Add to Layers", "ReLU"] {
        click(&mut harness, kind);
    }
    assert_eq!(layers(&harness), "[Flatten, Linear(), Relu, Linear(), Dropout(0.5)]", "one after the other");
}

#[test]
fn layers_are_moved_duplicated_and_removed_by_their_menu_and_by_keys() {
    let mut harness = list("[Flatten, Linear(units: Some(7)), Relu, Linear()]");
    click(&mut harness, "Layers 2: Linear 7");
    for entry in ["More for Layers 2", "Move down"] {
        click(&mut harness, entry);
    }
    assert_eq!(layers(&harness), "[Flatten, Relu, Linear(units: 7), Linear()]");
    write(&mut harness, "Units", "9");
    assert_eq!(layers(&harness), "[Flatten, Relu, Linear(units: 9), Linear()]", "the open one stays open");
    for entry in ["More for Layers 3", "Duplicate"] {
        click(&mut harness, entry);
    }
    assert_eq!(layers(&harness), "[Flatten, Relu, Linear(units: 9), Linear(units: 9), Linear()]");
    click(&mut harness, "Layers 1: Flatten");
    key(&mut harness, Modifiers::ALT, Key::ArrowDown);
    key(&mut harness, Modifiers::ALT, Key::ArrowDown);
    assert!(layers(&harness).starts_with("[Relu, Linear(units: 9), Flatten, "), "{}", layers(&harness));
    key(&mut harness, Modifiers::ALT, Key::ArrowUp);
    key(&mut harness, Modifiers::COMMAND, Key::D);
    assert!(layers(&harness).starts_with("[Relu, Flatten, Flatten, Linear("), "{}", layers(&harness));
    key(&mut harness, Modifiers::NONE, Key::Delete);
    key(&mut harness, Modifiers::NONE, Key::Delete);
    assert_eq!(layers(&harness), "[Relu, Flatten, Linear(units: 9), Linear()]");
}

#[test]
fn arrow_keys_go_from_line_to_line_and_enter_opens() {
    let mut harness = list("[Flatten, Relu, Linear()]");
    harness.get_by_label("Layers 1: Flatten").focus();
    harness.run();
    for down in [Key::ArrowDown, Key::ArrowDown] {
        key(&mut harness, Modifiers::NONE, down);
    }
    assert!(harness.get_by_label("Layers 3: Linear to classes").is_focused());
    key(&mut harness, Modifiers::NONE, Key::Enter);
    assert!(is_there(&harness, "Units"));
}

#[test]
fn a_line_is_dragged_to_another_place() {
    let mut harness = list("[Flatten, Relu, Tanh, Linear()]");
    let rect = |harness: &Harness<'_, Form<Net>>, label: &str| harness.get_by_label(label).rect();
    let (from, to) = (rect(&harness, "Layers 1: Flatten"), rect(&harness, "Layers 3: Tanh"));
    harness.hover_at(from.center());
    harness.run_steps(2);
    harness.drag_at(from.center());
    for at in [from.center().lerp(to.center(), 0.5), to.center() + vec2(0.0, 5.0)] {
        harness.run_steps(2);
        harness.hover_at(at);
    }
    harness.run_steps(2);
    harness.drop_at(to.center() + vec2(0.0, 5.0));
    harness.run();
    assert_eq!(layers(&harness), "[Relu, Tanh, Flatten, Linear()]");
}

#[test]
fn blocks_have_lists_inside() {
    let mut harness = list("[Residual(body: [Relu]), Flatten, Linear()]");
    click(&mut harness, "Layers 1: Residual, 1 layer");
    let inner = harness.get_all_by_label("Add to Layers").last().unwrap();
    inner.click();
    harness.run();
    click(&mut harness, "Batch norm");
    assert_eq!(layers(&harness), "[Residual(body: [Relu, BatchNorm()]), Flatten, Linear()]");
    choose(&mut harness, "Shortcut", "Pad and subsample");
    assert!(layers(&harness).contains("shortcut: PadSubsample"));
    choose(&mut harness, "Layers 1", "Dropout");
    assert_eq!(layers(&harness), "[Dropout(0.5), Flatten, Linear()]", "a line can become another layer");
}

#[test]
fn known_depths_are_a_drop_down() {
    let mut harness = form(ron_text::from_str::<Net>("ResNet()").unwrap());
    choose(&mut harness, "Depth", "110");
    assert_eq!(harness.state().value.to_ron(), "ResNet(depth: 110)");
}

#[test]
fn every_layer_fits_into_a_narrow_panel() {
    let depth = |body: &str| format!("[Residual(body: {body}), {}]", &body[1..body.len() - 1]);
    let all = format!("{:?}", Module::all().iter().map(Stored::to_ron).collect::<Vec<_>>());
    let all = all.replace('"', "").replace('\\', "\"");
    for text in [all.clone(), depth(&all)] {
        let mut harness = list(&text);
        let names: Vec<String> = harness
            .query_all_by_role(Role::DisclosureTriangle)
            .filter_map(|node| node.accesskit_node().label())
            .filter(|name| name.starts_with("Layers "))
            .collect();
        assert!(names.len() >= Module::all().len());
        for name in names {
            click(&mut harness, &name);
            let widest = harness
                .root()
                .children_recursive()
                .filter(|node| node.accesskit_node().bounding_box().is_some())
                .map(|node| node.rect().right())
                .fold(0.0, f32::max);
            assert!(widest <= 241.0, "{name}: {widest}");
        }
    }
}

/// A list of layers in a form that knows the shapes between them, for digits of 8×8 pixels.
fn known<'a>(layers: &str) -> Harness<'a, Form<doc::Experiment>> {
    let text = format!("(net: Sequential(layers: {layers}), arms: [(name: \"a\", plan: [Test])])");
    let experiment = doc::file::parse(&text, std::path::Path::new("x.ron")).unwrap();
    let about = About::new(&experiment, None);
    of_experiment(experiment, Vec::new(), about)
}

#[test]
fn a_new_layer_goes_where_it_fits_with_settings_that_fit() {
    let mixed = "[Conv(channels: 8), Relu, Flatten, Linear()]";
    for (layers, open, kind, after) in [
        (mixed, None, "Convolution", "[Conv(channels: 8), Relu, Conv(), Flatten, Linear()]"),
        (mixed, None, "Dropout", "[Conv(channels: 8), Relu, Flatten, Dropout(0.5), Linear()]"),
        (mixed, None, "Linear", "[Conv(channels: 8), Relu, Flatten, Linear(units: 128), Linear()]"),
        (mixed, Some("Layers 1: Conv 8, 3×3"), "ReLU", "[Conv(channels: 8), Relu, Relu, Flatten, Linear()]"),
        (
            mixed,
            Some("Layers 3: Flatten"),
            "Max pooling",
            "[Conv(channels: 8), Relu, MaxPool(), Flatten, Linear()]",
        ),
        ("[Flatten, Linear()]", None, "Linear", "[Flatten, Linear(units: 64), Linear()]"),
        (
            mixed,
            Some("Layers 2: ReLU"),
            "Residual block",
            "[Conv(channels: 8), Relu, Residual(), Flatten, Linear()]",
        ),
        ("[Flatten]", None, "Linear", "[Flatten, Linear()]"),
        (
            "[Residual(body: [Conv(channels: 1)]), Flatten, Linear()]",
            Some("Layers 1: Residual, 1 layer"),
            "Convolution",
            "[Residual(body: [Conv(channels: 1)]), Conv(), Flatten, Linear()]",
        ),
    ] {
        let mut harness = known(layers);
        for label in open.into_iter().chain(["Add to Layers", kind]) {
            harness.get_all_by_label(label).next().unwrap().click();
            harness.run();
        }
        let Net::Sequential(list) = &harness.state().value.net else { panic!() };
        assert_eq!(list.layers.to_ron(), after, "{kind} in {layers}");
    }
}

//! Forms in the narrowest inspector.

use eframe::egui::accesskit::Role;
use eframe::egui::{Rect, Shape, epaint::TextShape, vec2};
use egui_kittest::kittest::NodeT;

use super::dropped_weights::write_zeros;
use super::*;
use doc::intervention::{Import, WeightFile};
use doc::{Intervention, Net, Stage, Train};
use form::ron_text;

/// Width of the inspector, in points.
const WIDTH: f32 = 240.0;

/// A window in which the inspector has its least width, with this zoom.
fn narrow(zoom: f32) -> Window {
    let mut window = Window::sized([1024.0, 2400.0 * zoom], None);
    window.harness.set_pixels_per_point(zoom);
    window.harness.run_ok();
    if !window.sees("Selected") {
        window.execute(Command::ToggleInspector);
    }
    // A name from a user can be of any length.
    window.harness.state_mut().editor.document.experiment.arms[0].name = "dense_with_a_name_".repeat(6);
    window.harness.run_ok();
    window
}

/// Opens all that folds in the inspector.
fn unfold(window: &mut Window) {
    for _ in 0..4 {
        let left = window.harness.ctx.content_rect().right() - WIDTH;
        let all = window.harness.query_all_by_role(Role::DisclosureTriangle);
        let folded = all.filter(|node| {
            let is_folded = node.accesskit_node().toggled() == Some(eframe::egui::accesskit::Toggled::False);
            is_folded && node.rect().left() >= left && !node.accesskit_node().is_disabled()
        });
        let folded: Vec<_> = folded.map(|node| node.rect().left_center() + vec2(6.0, 0.0)).collect();
        if folded.is_empty() {
            return;
        }
        for at in folded.into_iter().rev() {
            for is_pressed in [true, false] {
                window.harness.event(egui::Event::PointerMoved(at));
                let (button, modifiers) = (egui::PointerButton::Primary, Modifiers::NONE);
                window.harness.event(egui::Event::PointerButton {
                    pos: at,
                    button,
                    pressed: is_pressed,
                    modifiers,
                });
                window.harness.step();
            }
        }
        window.harness.run_ok();
    }
}

/// Returns all painted texts with their places.
pub(super) fn texts(window: &Window) -> Vec<(Rect, TextShape)> {
    fn collect(shape: &Shape, texts: &mut Vec<(Rect, TextShape)>) {
        match shape {
            Shape::Vec(shapes) => shapes.iter().for_each(|shape| collect(shape, texts)),
            Shape::Text(text) => texts.push((text.visual_bounding_rect(), text.clone())),
            _ => {}
        }
    }
    let mut found = Vec::new();
    window.harness.output().shapes.iter().for_each(|shape| collect(&shape.shape, &mut found));
    found
}

/// Asserts that all widgets are in their panels, which have their widths, and that names of settings are whole.
fn all_fits(window: &Window, what: &str) {
    let all = window.harness.ctx.content_rect();
    let selected = window.harness.get_by_label("Selected").rect();
    let edge = all.right() - WIDTH;
    assert!((edge..edge + 16.0).contains(&selected.left()), "{what}: the inspector begins at {selected}");
    let plan = window.harness.get_by_label("Plan").rect();
    let left = window.harness.get_by_label("Add arm").rect().right();
    assert!(left <= 216.0 && plan.left() < 16.0, "{what}: the left panel ends at {left}");
    let texts = texts(window);
    for node in window.harness.root().children_recursive() {
        let about = node.accesskit_node();
        let name = about.label().or_else(|| about.value()).unwrap_or_default();
        if about.bounding_box().is_none()
            || name.is_empty()
            || matches!(about.role(), Role::Splitter | Role::TextRun)
        {
            continue;
        }
        let rect = node.rect();
        if rect.top() > all.bottom() - 24.0 || rect.top() < crate::bar::HEIGHT {
            continue; // across the window
        }
        let is_inside =
            rect.right() <= all.right() + 0.5 && (rect.left() >= edge || rect.right() <= edge + 8.0);
        assert!(is_inside, "{what}: \"{name}\" is at {rect}, the inspector from {edge}");
        // What a user has named may be cut.
        let is_name = about.role() == Role::Label && rect.left() >= edge && !name.contains('_');
        let own =
            texts.iter().find(|(at, text)| is_name && at.intersects(rect) && text.galley.text() == name);
        let Some((_, text)) = own else { continue };
        let (_, rows) = text.galley.rows.split_last().unwrap();
        let is_broken = rows.iter().any(|row| !row.text().ends_with([' ', '-', '.', '/', ',']));
        assert!(!text.galley.elided && !is_broken, "{what}: \"{name}\" is cut");
    }
}

fn walk(zoom: f32) {
    let mut window = narrow(zoom);
    all_fits(&window, "at first");
    for entry in crate::plan::entries() {
        let plan = vec![Stage::Train(Train::default()), entry.stage];
        window.harness.state_mut().editor.document.experiment.arms[0].plan = plan;
        window.select(Selection::Stage { arm: 0, path: vec![1] });
        unfold(&mut window);
        all_fits(&window, entry.label);
    }
    window.select(Selection::Arm(0));
    unfold(&mut window);
    for data in data::Data::all() {
        window.harness.state_mut().editor.document.experiment.data = data.clone();
        window.harness.run_ok();
        unfold(&mut window);
        all_fits(&window, data.label());
    }
    window.harness.state_mut().editor.document.experiment.data = data::Data::default();
    for net in Net::all() {
        window.harness.state_mut().editor.document.experiment.net = net.clone();
        window.harness.run_ok();
        unfold(&mut window);
        all_fits(&window, net.label());
    }
}

#[test]
fn no_form_leaves_the_narrowest_inspector_and_no_name_is_cut() {
    walk(1.0);
}

#[test]
fn no_form_leaves_the_narrowest_inspector_at_150_per_cent() {
    walk(1.5);
}

#[test]
fn what_would_be_copied_widens_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = Window::sized([1024.0, 2400.0], Some(saved_template(folder.path())));
    let long: Vec<String> = (0..9).map(|at| format!("a_tensor_with_a_long_name.{at}.weight_of_it")).collect();
    let shapes: Vec<(&str, &[usize])> = long.iter().map(|name| (name.as_str(), &[300, 784][..])).collect();
    write_zeros(&folder.path().join("w.safetensors"), &shapes);
    let file = WeightFile { file: "w.safetensors".to_owned(), ..WeightFile::default() };
    let document = &mut window.harness.state_mut().editor.document;
    document.experiment.net = ron_text::from_str("ResNet()").unwrap();
    document.experiment.arms[0].plan = vec![Stage::Do(Intervention::Import(Import(file))), Stage::Test];
    window.select(Selection::Stage { arm: 0, path: vec![0] });
    assert!(super::citizen::until(&mut window, |window| window.sees(" parameters fit")));
    window.harness.run_ok();
    all_fits(&window, "refused");
    unfold(&mut window);
    all_fits(&window, "unfolded");
}

#[test]
fn names_of_layers_of_a_resnet_are_whole() {
    let mut window = narrow(1.0);
    let document = &mut window.harness.state_mut().editor.document;
    document.experiment.net = ron_text::from_str("ResNet(depth: 56)").unwrap();
    document.experiment.arms[0].plan = vec![Stage::Do(Intervention::default())];
    window.select(Selection::Stage { arm: 0, path: vec![0] });
    window.harness.get_by_label("Filter layers").set_text_value_accesskit("layer2.0");
    window.harness.run_ok();
    all_fits(&window, "filtered");
    let texts = texts(&window);
    for name in ["layer2.0", "layer2.0.conv1", "layer2.0.bn2"] {
        assert!(texts.iter().any(|(_, text)| text.galley.text() == name && !text.galley.elided), "{name}");
    }
}

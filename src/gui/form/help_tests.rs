//! What forms say about settings: definitions under the pointer, and what is inherited.

use std::collections::BTreeSet;

use eframe::egui::accesskit::Role;
use egui_kittest::kittest::{NodeT, Queryable};

use super::tests::{of_experiment, perceptron};
use doc::{Target, Train};
use form::{Node, Stored, Value};

/// Notes the settings and alternatives below a value that have no help.
fn without_help(value: &mut dyn Value, at: &str, seen: &mut BTreeSet<String>, found: &mut Vec<String>) {
    match value.node() {
        Node::Group(group) => {
            for (index, field) in group.fields().iter().enumerate() {
                let here = format!("{at}.{}", field.key);
                if field.help.is_empty() {
                    found.push(here.clone());
                }
                without_help(group.value(index), &here, seen, found);
            }
        }
        Node::Choice(choice) => {
            for (index, variant) in choice.variants().iter().enumerate() {
                let here = format!("{at}.{}", variant.key);
                if variant.help.is_empty() {
                    found.push(here.clone());
                }
                // Plans hold plans.
                if seen.insert(format!("{}.{}", choice.title(), variant.key)) {
                    choice.select(index);
                    if let Some(payload) = choice.payload() {
                        without_help(payload, &here, seen, found);
                    }
                }
            }
        }
        Node::List(list) => {
            if list.count() == 0 {
                list.insert_default(0);
            }
            without_help(list.item(0), at, seen, found);
        }
        Node::Optional(optional) => {
            optional.set(true);
            if let Some(value) = optional.value() {
                without_help(value, at, seen, found);
            }
        }
        Node::Switch(_)
        | Node::Integer(_)
        | Node::Number(_)
        | Node::Text(_)
        | Node::Length(_)
        | Node::Overrides(_) => {}
    }
}

#[test]
fn every_setting_and_every_alternative_has_a_definition() {
    let (mut seen, mut found) = (BTreeSet::new(), Vec::new());
    without_help(&mut doc::Experiment::default(), "", &mut seen, &mut found);
    assert!(found.is_empty(), "{found:?}");
    assert!(seen.len() > 100, "all alternatives are visited: {}", seen.len());
}

#[test]
fn the_definition_of_a_setting_is_under_the_pointer() {
    let mut harness = of_experiment(Target::default(), Vec::new(), perceptron());
    harness.get_by_role_and_label(Role::Label, "Output channels").hover();
    harness.run_steps(40);
    harness.get_by_label("Only these output channels (rows); none: all");
}

#[test]
fn the_rate_of_a_stage_is_inherited_from_the_optimizer_of_the_stage() {
    let hint = |stage: Train| {
        let mut harness = of_experiment(stage, Vec::new(), perceptron());
        harness.run();
        let field = harness.get_all_by_role_and_label(Role::TextInput, "Learning rate").next().unwrap();
        field.accesskit_node().placeholder().unwrap_or_default().to_owned()
    };
    assert_eq!(hint(Train::default()), "inherits 0.001");
    let mut stage = Train::default();
    stage.set_ron("(steps: \"1ep\", optimizer: Sgd(rate: 0.25))").unwrap();
    assert_eq!(hint(stage), "inherits 0.25");
}

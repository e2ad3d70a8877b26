//! Addresses of a small tree.

use super::*;

crate::form! {
    struct Step: "Step" {
        name: String = "step".to_owned(), "Name", "What it is called";
        rate: Option<f64> = None, "Rate", "How much", range [0.0, 1.0];
        length: crate::Steps = crate::Steps::epochs(1), "Length", "How long";
    }
}
crate::choice! {
    enum Stage: "Stage" {
        Walk(Step) = Step::default(), "Walk", "Slowly";
        Rest, "Rest", "Not at all";
        Loop(Vec<Stage>) = Vec::new(), "Loop", "Again and again";
    }
}
crate::form! {
    struct Plan: "Plan" {
        stages: Vec<Stage> = Vec::new(), "Stages", "In order";
    }
}

fn plan() -> Plan {
    let walk = || Stage::Walk(Step::default());
    Plan { stages: vec![walk(), Stage::Rest, Stage::Loop(vec![walk(), walk()])] }
}

#[test]
fn stars_reach_one_step_or_any_number() {
    let mut plan = plan();
    assert_eq!(assign(&mut plan, "stages.*.length", "3ep"), Ok(1));
    assert_eq!(assign(&mut plan, "stages.**.Walk.length", "\"7it\""), Ok(3));
    let Stage::Loop(body) = &plan.stages[2] else { panic!("the loop") };
    let Stage::Walk(step) = &body[1] else { panic!("the walk") };
    assert_eq!(step.length, crate::Steps::iterations(7));
}

#[test]
fn an_address_with_many_open_steps_is_refused_and_two_in_a_row_are_one() {
    let mut plan = plan();
    assert_eq!(assign(&mut plan, "**.**.**.**.**.length", "2ep"), Ok(3));
    let many = ["**"; 30].join(".*.");
    let error = assign(&mut plan, &many, "1").unwrap_err().to_string();
    assert!(error.contains("more than 3 steps **"), "{error}");
}

#[test]
fn items_answer_to_their_index_and_options_to_their_value() {
    let mut plan = plan();
    assert_eq!(assign(&mut plan, "stages.0.rate", "0.5"), Ok(1));
    assert_eq!(assign(&mut plan, "stages.2.0.name", "round walk"), Ok(1));
    assert_eq!(assign(&mut plan, "stages.2.1.name", "r#\"second \"walk\"\"#"), Ok(1));
    assert_eq!(assign(&mut plan, "stages.0.rate", "None"), Ok(1));
    assert!(matches!(&plan.stages[0], Stage::Walk(step) if step.rate.is_none()));
}

#[test]
fn a_name_with_dots_stands_in_quotes() {
    let mut items = vec![Step { name: "rate 0.1".to_owned(), ..Step::default() }];
    assert_eq!(assign(&mut items, "\"rate 0.1\".rate", "0.5"), Ok(1));
    assert_eq!(items[0].rate, Some(0.5));
    let error = assign(&mut items, "rate 0.1.rate", "0.5").unwrap_err().to_string();
    assert!(error.ends_with("nothing called \"rate 0\"; there are \"rate 0.1\""), "{error}");
}

#[test]
fn what_is_left_out_is_told_from_what_does_not_exist() {
    crate::form! {
        struct Walks: "Walks" {
            step: Step = Step::default(), "Step", "For all";
            own: Vec<Own> = vec![Own::default()], "Own", "For each";
        }
    }
    crate::form! {
        struct Own: "Own" {
            step: Option<Step> = None, "Step", "Of this one";
        }
    }
    let detail = |path: &str| match assign(&mut Walks::default(), path, "x").unwrap_err() {
        PathError::NoMatch { detail, .. } => detail,
        other @ PathError::BadValue { .. } => other.to_string(),
    };
    assert_eq!(detail("own.0.step.name"), "own.0.step is not set; write own.0.step=(…) or step.name=…");
    assert_eq!(detail("step.rate.name"), "step.rate is not set; write step.rate=(…)");
    assert_eq!(detail("own.**.Walk"), "there is nothing called \"Walk\"; there are step");
}

#[test]
fn no_match_says_where_and_what_there_is() {
    let error = assign(&mut plan(), "stages.0.pace", "1").unwrap_err();
    assert_eq!(
        error.to_string(),
        "no setting matches \"stages.0.pace\": there is nothing called \"pace\"; there are name, rate, length"
    );
    let error = assign(&mut plan(), "stages.0.rate", "fast").unwrap_err();
    assert!(matches!(error, PathError::BadValue { .. }), "{error}");
}

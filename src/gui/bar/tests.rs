//! The bar at many widths.

use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};

use super::*;
use form::path::Place;

type State = (Vec<Problem>, Option<BarResponse>);

fn harness(width: f32, problems: Vec<Problem>) -> Harness<'static, State> {
    let groups = ["Curves", "Pruning", "Faults", "Geometry", "Runs", "Weights", "Notes"];
    let groups = groups.map(|name| GroupTab { name, is_open: name == "Pruning", is_new: false, help: "" });
    let is_refused = problems.iter().any(Problem::is_mistake);
    let command = move |command: Command| CommandState {
        command,
        label: command.text().to_owned(),
        refusal: is_refused.then(|| "The document has an error".into()),
        is_on: None,
    };
    let mut has_fonts = false;
    let draw = move |ui: &mut Ui, (problems, response): &mut State| {
        if !std::mem::replace(&mut has_fonts, true) {
            return theme::install(ui.ctx()); // they can be used from the next frame on
        }
        let status = Status { text: "4 to do · 11–14 min".to_owned(), ..Status::default() };
        let input = BarInput {
            status: &status,
            file: Some("lottery_mnist.ron"),
            path: "/home/a/lottery_mnist.ron",
            groups: &groups,
            problems,
            panels: [true; 2],
            is_unsaved: true,
            is_running: false,
            is_paused: false,
            command: &command,
            has_view: &|_| false,
            takes_keyboard: false,
            opens_menu: false,
        };
        *response = bar_ui(ui, &input).or(response.take());
    };
    Harness::builder().with_size(vec2(width, 400.0)).build_ui_state(draw, (problems, None))
}

fn problem() -> Problem {
    Problem {
        location: "winning ticket, stage 4.1 Prune, Amount".to_owned(),
        ..Problem::error(Place::default(), "120 % is above 100 %.")
    }
}

#[test]
fn nothing_in_the_bar_covers_anything_else() {
    for width in [720.0, 900.0, 1100.0, 1280.0, 1440.0, 1920.0] {
        for problems in [Vec::new(), vec![problem(), problem()]] {
            let mut harness = harness(width, problems);
            harness.run();
            let names = [
                "Menu",
                "File",
                "Pruning",
                "Notes",
                "2 problems",
                "Run all",
                "Pause",
                "Stop now",
                "Inspector",
            ];
            let rects: Vec<(&str, Rect)> =
                names.iter().filter_map(|name| Some((*name, harness.query_by_label(name)?.rect()))).collect();
            assert!(rects.len() >= 5, "{width}: {rects:?}");
            for (index, (a, first)) in rects.iter().enumerate() {
                assert!(first.right() <= width && first.left() >= 0.0, "{a} at {width}: {first}");
                for (b, second) in &rects[..index] {
                    assert!(!first.shrink(0.5).intersects(*second), "{a} covers {b} at {width}");
                }
            }
        }
    }
}

#[test]
fn a_problem_stands_in_the_place_of_the_estimate_and_leads_to_its_field() {
    let mut harness = harness(1280.0, vec![problem()]);
    harness.run();
    assert!(harness.get_by_label("Run all").accesskit_node().is_disabled());
    harness.get_by_label("1 problem").click();
    harness.run();
    harness.get_by_label("120 % is above 100 %.");
    harness.get_by_label("Go to field: winning ticket, stage 4.1 Prune, Amount").click();
    harness.run();
    assert_eq!(harness.state().1, Some(BarResponse::Problem(0)));
}

#[test]
fn all_problems_are_seen_where_there_is_room_and_missing_data_have_their_remedies() {
    let named = |name: &str| Problem { location: name.to_owned(), ..problem() };
    let details = "Looked in:\n  /a\n  /b".to_owned();
    let missing = Problem { lacks_folder: true, details, ..named("Data") };
    let mut harness = harness(1280.0, vec![missing, named("b"), named("c"), named("d"), named("e")]);
    harness.run();
    harness.get_by_label("5 problems").click();
    harness.run();
    let bottom = harness.get_by_label("Go to field: e").rect().bottom();
    assert!(bottom < 400.0 && harness.query_by_label_contains("/b").is_none(), "{bottom}");
    harness.get_by_label("Details").click();
    harness.run();
    assert!(harness.query_by_label_contains("/b").is_some());
    harness.get_by_label("Download…: Data").click();
    harness.run();
    assert_eq!(harness.state().1, Some(BarResponse::Choice(Choice::Command(Command::DownloadData))));
}

#[test]
fn groups_are_chosen_by_a_click() {
    for width in [1280.0, 1000.0] {
        let mut harness = harness(width, Vec::new());
        harness.run();
        if width < NARROW {
            harness.get_by_role(egui::accesskit::Role::ComboBox).click();
            harness.run();
        }
        harness.get_by_label("Faults").click();
        harness.run();
        assert_eq!(harness.state().1, Some(BarResponse::Group(2)));
    }
}

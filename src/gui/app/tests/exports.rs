//! What is exported, what its file is called, and the faults behind a cell.

use eframe::egui::accesskit::Role;
use egui_kittest::kittest::NodeT;

use super::*;
use crate::tiles::LayoutChange;
use doc::fault::CellPlan;
use figure::plots::testing::outcome;
use results::campaign::{CampaignBegan, CellState};
use run::testing::write_done;

const TEXT: &str =
    "(data: Iris(), net: Mlp(hidden: [2]), seeds: [1, 2], arms: [(name: \"a\", plan: [Test])])";

/// A window with a file, whose results lie beside it.
fn with_file(folder: &Path) -> Window {
    let file = folder.join("x.ron");
    std::fs::write(&file, TEXT).unwrap();
    Window::open(Some(file))
}

fn show(window: &mut Window, view: &'static str) {
    window.harness.state_mut().workspace.tiles.change(LayoutChange::Show(view));
    window.harness.run_steps(4);
}

/// Draws frames until something is told.
fn wait_until(window: &mut Window, is_so: impl Fn(&Window) -> bool) {
    for _ in 0..2000 {
        if is_so(window) {
            return;
        }
        std::thread::sleep(Duration::from_millis(2));
        window.harness.step();
    }
    panic!("it never came: {}", window.log());
}

fn asked(window: &Window) -> (String, String) {
    let (name, title) = window.harness.state().exporting().expect("the dialog is open");
    (name.to_owned(), title.to_owned())
}

fn write_to(window: &mut Window, path: &Path) {
    let ctx = window.harness.ctx.clone();
    window.harness.state_mut().export_to(path, &ctx);
}

/// Presses *Close* below the figure; there is a cross in the corner too.
fn close(window: &mut Window) {
    window.harness.get_all_by_label("Close").last().unwrap().click();
    window.harness.run();
}

/// A window with the export dialog of accuracy, which can be written as SVG.
fn exporting_accuracy(folder: &Path) -> Window {
    let mut window = with_file(folder);
    window.execute(Command::RunAll);
    window.say(0, started());
    window.say(0, accuracy(0.5, 1.0));
    show(&mut window, "accuracy");
    window.execute(Command::ExportFigure);
    window.click("SVG");
    window.click("PDF"); // which is ticked at first
    window
}

fn press_export(window: &mut Window) {
    wait_until(window, |window| {
        !window.harness.get_by_role_and_label(Role::Button, "Export").accesskit_node().is_disabled()
    });
    window.harness.get_by_role_and_label(Role::Button, "Export").click_accesskit();
    window.harness.run_steps(3);
}

#[test]
fn keys_reach_nothing_behind_the_dialog_but_undo_and_that_stays_undone() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = exporting_accuracy(folder.path());
    let press = |window: &mut Window, modifiers: Modifiers, key: Key| {
        window.harness.key_press_modifiers(modifiers, key);
        window.harness.run_steps(3);
    };
    press(&mut window, Modifiers::COMMAND | Modifiers::SHIFT, Key::Delete);
    press(&mut window, Modifiers::COMMAND, Key::Period);
    let app = window.harness.state();
    assert_eq!(app.editor.document.experiment.arms.len(), 1);
    assert!(window.stage.borrow().stops.is_empty());
    let draws_seeds = |window: &Window| window.harness.state().workspace.plot.options.traces;
    let before = draws_seeds(&window);
    window.click("Individual seeds");
    assert_ne!(draws_seeds(&window), before);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!((draws_seeds(&window), asked(&window).1.as_str()), (before, "Accuracy"));
    press(&mut window, Modifiers::COMMAND | Modifiers::SHIFT, Key::Z);
    assert_ne!(draws_seeds(&window), before);
}

#[test]
fn a_table_of_values_has_no_settings_of_size_and_look() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = exporting_accuracy(folder.path());
    assert!(window.sees("Preset") && window.sees("Footnote"));
    window.click("CSV");
    assert!(window.sees("Preset"), "there is a picture besides");
    window.click("SVG");
    assert!(!window.sees("Preset") && !window.sees("Footnote") && window.sees("Individual seeds"));
    wait_until(&mut window, |window| window.sees("1 row, with all digits"));
    assert!(window.harness.query_by_label_contains("kind,series,run,x,y,low,high\nline,a,,1,0.5").is_some());
}

#[test]
fn all_formats_are_written_at_once_and_the_dialog_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = exporting_accuracy(folder.path());
    for format in ["PDF", "PNG", "CSV"] {
        window.click(format);
    }
    press_export(&mut window);
    let text = format!(
        "Wrote x-accuracy.pdf, x-accuracy.svg, x-accuracy.png and x-accuracy.csv to {}",
        folder.path().display()
    );
    let is_said = |window: &Window| {
        let said = window.harness.query_by_label_contains("Wrote x-accuracy");
        said.is_some_and(|said| {
            said.accesskit_node().value().is_some_and(|said| said.matches("x-accuracy").count() == 4)
        })
    };
    wait_until(&mut window, is_said);
    for ending in ["pdf", "svg", "png", "csv"] {
        assert!(folder.path().join(format!("x-accuracy.{ending}")).is_file(), "{ending}: {text}");
    }
    assert!(window.sees("Show in folder") && asked(&window).1 == "Accuracy", "it stays open");
    press_export(&mut window);
    assert!(window.harness.query_by_label_contains("x-accuracy.csv already exist").is_some(), "one question");
}

#[test]
fn the_dialog_stays_open_and_says_what_was_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("x-accuracy.svg");
    let mut window = exporting_accuracy(folder.path());
    std::fs::create_dir(&to).unwrap();
    press_export(&mut window);
    window.click("Replace");
    let failed = |window: &Window| window.harness.query_by_label_contains("Cannot write").is_some();
    wait_until(&mut window, failed);
    assert!(window.log().contains("The figure was not written"));
    assert_eq!(asked(&window).1, "Accuracy", "what could not be written");
    std::fs::remove_dir(&to).unwrap();
    std::fs::write(&to, "old").unwrap();
    press_export(&mut window);
    window.click("Cancel");
    assert_eq!(asked(&window).1, "Accuracy", "what is there was not replaced");
    press_export(&mut window);
    window.click("Replace");
    wait_until(&mut window, |window| {
        window.harness.query_by_label_contains("Wrote x-accuracy.svg").is_some()
    });
    assert!(std::fs::read_to_string(&to).unwrap().contains("<svg"));
}

#[test]
fn the_suggested_name_the_dialog_and_the_log_say_what_is_exported() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = with_file(folder.path());
    window.execute(Command::RunAll);
    window.say(0, started());
    window.say(0, accuracy(0.5, 1.0));
    show(&mut window, "loss");
    window.execute(Command::ExportFigure);
    assert_eq!(asked(&window), ("x-loss".to_owned(), "Loss".to_owned()));
    let to = folder.path().join("y.svg");
    close(&mut window);
    show(&mut window, "accuracy");
    let ctx = window.harness.ctx.clone();
    window.harness.state_mut().execute(Command::ExportFigure, &ctx);
    // Whatever is clicked on while the dialog is open.
    window.harness.state_mut().workspace.tiles.change(LayoutChange::Show("loss"));
    write_to(&mut window, &to);
    wait_until(&mut window, |window| window.log().contains("Wrote Accuracy to"));
    assert!(std::fs::read_to_string(&to).unwrap().contains(">Test accuracy (%)<"));
    for (action, opened) in [("Open", to.as_path()), ("Show in folder", folder.path())] {
        window.harness.get_by_role_and_label(Role::Link, action).click();
        window.harness.step();
        let is_opened = |command: &egui::OutputCommand| matches!(command, egui::OutputCommand::OpenUrl(url) if url.url == format!("file://{}", opened.display()));
        let commands = |window: &Window| window.harness.output().platform_output.commands.clone();
        let found = (0..4).any(|_| {
            let found = commands(&window).iter().any(is_opened);
            window.harness.step();
            found
        });
        assert!(found, "{action}");
    }
}

#[test]
fn the_dialog_has_title_seeds_and_looks_of_lines_and_all_of_them_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = with_file(folder.path());
    window.execute(Command::RunAll);
    for (run, value) in [(0, 0.5), (1, 0.25)] {
        window.say(run, started());
        window.say(run, accuracy(value, 1.0));
        window.say(run, accuracy(0.75, 2.0));
    }
    show(&mut window, "accuracy");
    window.execute(Command::ExportFigure);
    window.harness.get_by_role_and_label(Role::TextInput, "Title").focus();
    window.harness.run_ok();
    window.harness.get_by_role_and_label(Role::TextInput, "Title").type_text("Mine");
    window.harness.run_ok();
    window.click("Individual seeds");
    for (list, choice) in [("Marks", "No marks"), ("Dashes", "All lines solid")] {
        window.harness.get_by_role_and_label(Role::ComboBox, list).click();
        window.harness.run_ok();
        window.harness.get_all_by_label(choice).last().unwrap().click();
        window.harness.run_ok();
    }
    let to = folder.path().join("y.svg");
    write_to(&mut window, &to);
    wait_until(&mut window, |window| window.log().contains("Wrote Accuracy to"));
    let svg = std::fs::read_to_string(&to).unwrap();
    assert!(svg.contains(">Mine<"), "{svg}");
    let view = window.harness.state_mut().workspace.shown().0.clone();
    assert!(view.options.traces && !view.page.marks && !view.page.dashes);
    assert_eq!(view.plots["accuracy"].title, "Mine");
    let faint = svg.matches("stroke-opacity=\"0.32\"").count();
    assert_eq!(faint, 2, "two seeds behind their mean: {svg}");
}

#[test]
fn format_and_folder_of_the_last_export_are_kept_between_starts() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = exporting_accuracy(folder.path());
    press_export(&mut window);
    wait_until(&mut window, |window| window.log().contains("Wrote Accuracy to"));
    let settings = &window.harness.state().shell.settings;
    assert_eq!(settings.export_kinds, [figure::FileKind::Svg]);
    assert_eq!(settings.export_folder.as_deref(), Some(folder.path()));
    let old = "(shows_log: true)";
    let old: crate::settings::Settings = ron::from_str(old).unwrap();
    assert!(old.shows_log && old.export_kinds == [figure::FileKind::Pdf] && old.export_folder.is_none());
}

#[test]
fn figures_of_weights_are_exported_by_the_menu_as_plots_are() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = with_file(folder.path());
    show(&mut window, "weights");
    window.execute(Command::ExportFigure);
    assert!(window.log().contains("Weights shows nothing yet"), "{}", window.log());
    window.execute(Command::RunAll);
    let run = window.stage.borrow().jobs[0].run.clone();
    write_done(&folder.path().join("x.runs"), &run);
    window.say(0, started());
    window.say(0, Event::Finished { secs: 1.0 });
    window.harness.state_mut().workspace.selection = Selection::Arm(0);
    wait_until(&mut window, |window| window.sees("Image of the values"));
    window.execute(Command::ExportFigure);
    assert_eq!(asked(&window), ("x-fc1.weight-histogram".to_owned(), "histogram of fc1.weight".to_owned()));
    close(&mut window);
    window.click("Mask");
    let to = folder.path().join("mask.csv");
    window.click("Export Weights…");
    assert_eq!(asked(&window).0, "x-fc1.weight-mask");
    write_to(&mut window, &to);
    wait_until(&mut window, |window| window.log().contains("Wrote mask of fc1.weight to"));
    let table = std::fs::read_to_string(&to).unwrap();
    assert_eq!(table.lines().count(), 1 + 2 * 4, "{table}");
    window.execute(Command::CopyValues);
    wait_until(&mut window, |window| window.log().contains("Copied the values of mask of fc1.weight"));
    show(&mut window, "accuracy");
    window.execute(Command::CopyFigure);
    assert!(window.log().contains("There are no curves yet"), "the plot has none: {}", window.log());
}

#[test]
fn a_click_on_a_cell_of_the_heat_map_opens_its_faults_with_a_way_back() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = with_file(folder.path());
    window.execute(Command::RunAll);
    let layers = vec!["fc1".to_owned()];
    let began = CampaignBegan {
        campaign: "1".to_owned(),
        layers,
        cells: vec![CellPlan::default()],
        ..CampaignBegan::default()
    };
    let state = CellState { trials: 1, outcomes: vec![outcome(0, 30, 8)], ..CellState::default() };
    let run = window.stage.borrow().jobs[1].run.clone();
    let of_run = folder.path().join("x.runs").join(&run.id);
    std::fs::create_dir_all(&of_run).unwrap();
    std::fs::write(of_run.join("faults.csv"), "1,,0,,fc1.weight,3,30,3f000000,7f000000\n").unwrap();
    std::fs::write(of_run.join("trials.csv"), "1,,0,0,1,10,2,0,8,0,0,0,8,0.2\n").unwrap();
    window.say(1, started());
    window.say(1, accuracy(0.5, 1.0));
    window.say(1, Event::CampaignBegan(began));
    window.say(1, Event::CampaignCell(state));
    show(&mut window, "vulnerability");
    wait_until(&mut window, |window| window.sees("Plot of Layer"));
    window.harness.get_by_label("Plot of Layer").click();
    window.harness.run_steps(4);
    let active = |window: &Window| window.harness.state().workspace.tiles.layout().active.clone();
    assert_eq!(
        (active(&window).as_str(), window.harness.state().workspace.selection.arm()),
        ("campaigns", Some(0))
    );
    wait_until(&mut window, |window| window.sees("Trial 0, seed 2"));
    for label in ["Show trial 0, seed 2", "20.00 %", "1 of 1"] {
        assert!(window.sees(label), "{label}");
    }
    // The fault as a place, numbers and bits; the click that opened the cell has opened its worst trial.
    for label in ["fc1.weight [0, 3]", "0.5000", "3f000000 → 7f000000", "Copy command", "Replay"] {
        assert!(window.sees(label), "{label}");
    }
    assert!(window.sees("changed: b30, exponent"));
    assert!(window.sees("1 trial: 20.00 % of images masked, 80.00 % with SDC-1"));
    wait_until(&mut window, |window| window.sees("The trial cannot be replayed"));
    window.click("Back to Vulnerability");
    assert_eq!(active(&window), "vulnerability");
    show(&mut window, "campaigns");
    for chip in ["Clear layer fc1", "Clear bit b30"] {
        window.harness.get_by_label(chip).click();
        window.harness.run_ok();
    }
    assert!(!window.sees("Back to Vulnerability") && window.sees("Show trial 0, seed 2"));
}

#[test]
fn a_report_is_written_to_the_chosen_file_with_the_extension_of_reports() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = with_file(folder.path());
    let runs = window.harness.state().editor.document.runs().to_vec();
    let refusal = window.harness.state().refusal(Command::WriteReport);
    assert!(refusal.unwrap().contains("There are no results yet"));
    for run in &runs {
        run::testing::run_in(&folder.path().join("x.runs"), run);
    }
    window.execute(Command::RunAll);
    window.say(0, started());
    window.say(0, accuracy(0.5, 1.0));
    window.stage.borrow_mut().answer = Some(PathAnswer::Path(folder.path().join("told.v2")));
    window.execute(Command::WriteReport);
    let asked = window.stage.borrow().requests.last().unwrap().clone();
    assert_eq!((asked.name.as_str(), asked.title()), ("x.html", "Write a report"));
    wait_until(&mut window, |window| window.log().contains("Wrote the report to "));
    let html = std::fs::read_to_string(folder.path().join("told.v2.html")).unwrap();
    assert!(html.contains("All 2 runs are done.") && html.contains("seeds: [1, 2]"));
}

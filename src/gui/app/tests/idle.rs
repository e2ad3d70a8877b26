//! A window that nothing happens in costs nothing.

use super::*;
use crate::tiles::LayoutChange;
use crate::tiles::panes;

/// Time until the window wants to be drawn again, after it has come to rest.
fn repaint_delay(window: &mut Window) -> Duration {
    window.harness.run();
    window.harness.step();
    window.harness.output().viewport_output[&ViewportId::ROOT].repaint_delay
}

/// Returns true if the window comes to rest: the table of runs and the figure may be a little behind, and view settings are
/// written once they rest.
fn settles(window: &mut Window) -> bool {
    (0..40).any(|round| {
        if round > 0 {
            std::thread::sleep(Duration::from_millis(50));
        }
        repaint_delay(window) == Duration::MAX
    })
}

#[test]
fn an_idle_window_asks_for_no_frame() {
    let mut window = Window::new();
    assert_eq!(repaint_delay(&mut window), Duration::MAX, "an untouched document");
    window.execute(Command::RunAll);
    window.say(0, started());
    window.say(0, accuracy(0.5, 1.0));
    assert!(repaint_delay(&mut window) < Duration::from_secs(1), "a run that goes on is followed");
    window.say(0, Event::Finished { secs: 1.0 });
    window.hang_up();
    assert!(settles(&mut window), "a finished one");
}

#[test]
fn every_view_comes_to_rest_also_under_the_pointer() {
    let mut window = Window::new();
    window.execute(Command::RunAll);
    window.carry_out(0, &[0.6, 0.7, 0.8]);
    window.hang_up();
    for pane in panes() {
        window.harness.state_mut().workspace.tiles.change(LayoutChange::Show(pane.name));
        assert!(settles(&mut window), "{}", pane.name);
        for at in [egui::pos2(500.0, 250.0), egui::pos2(640.0, 420.0)] {
            window.harness.hover_at(at);
            assert!(settles(&mut window), "{} under the pointer at {at}", pane.name);
        }
    }
    for command in [Command::Palette, Command::New, Command::Shortcuts] {
        window.execute(command);
        assert!(settles(&mut window), "{command:?}");
        window.harness.key_press(Key::Escape);
    }
}

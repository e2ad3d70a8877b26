//! What menus offer for runs in the queue, or out of it.

use eframe::egui::Ui;

use super::icons::Icon;
use super::runs::{QueueAction, QueueCounts, QueueRequest, Runs};
use super::widgets;

/// The entries that apply to these runs; what was chosen, which closes the menu.
pub fn queue_entries_ui(ui: &mut Ui, runs: &Runs, ids: &[String]) -> Option<QueueRequest> {
    let mut chosen = None;
    for (icon, text, action) in entries(runs.counts(ids), runs.is_running()) {
        if ui.add(widgets::ghost(icon, text)).accessible_name(text).clicked() {
            chosen = Some(QueueRequest { action, runs: ids.to_vec() });
            ui.close();
        }
    }
    chosen
}

/// What applies to runs of which so many can be started, go on, and wait.
fn entries(counts: QueueCounts, is_running: bool) -> Vec<(Icon, &'static str, QueueAction)> {
    let QueueCounts { startable, resumable, open, waiting } = counts;
    let run = if startable > 0 && resumable == startable { "Retry" } else { "Run" };
    let moves = waiting > 0;
    let all = [
        (startable > 0, Icon::Play, run, QueueAction::Run),
        (
            open > 0,
            Icon::StopFill,
            if waiting == open { "Remove from queue" } else { "Stop" },
            QueueAction::Stop,
        ),
        (is_running && startable + waiting > 0, Icon::CaretUp, "Run next", QueueAction::Next),
        (moves, Icon::ArrowUp, "Move up in queue", QueueAction::Up),
        (moves, Icon::ArrowDown, "Move down in queue", QueueAction::Down),
    ];
    all.into_iter().filter(|entry| entry.0).map(|(_, icon, text, action)| (icon, text, action)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_menu_has_what_applies() {
        let texts = |startable, resumable, open, waiting, is_running| {
            let counts = QueueCounts { startable, resumable, open, waiting };
            entries(counts, is_running).into_iter().map(|(_, text, _)| text).collect::<Vec<_>>()
        };
        assert_eq!(texts(0, 0, 0, 0, true), [""; 0], "all are done");
        assert_eq!(texts(3, 2, 0, 0, false), ["Run"]);
        assert_eq!(texts(2, 2, 0, 0, true), ["Retry", "Run next"]);
        assert_eq!(texts(0, 0, 1, 0, true), ["Stop"]);
        let moves = ["Remove from queue", "Run next", "Move up in queue", "Move down in queue"];
        assert_eq!(texts(0, 0, 2, 2, true), moves);
    }
}

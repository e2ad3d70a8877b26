//! Keys: what they are called, and which commands they ask for.

use eframe::egui;

use super::Command;

/// How a key is written: signs where egui has names for them.
pub fn key_text(ctx: &egui::Context, key: egui::KeyboardShortcut) -> String {
    let signs = [("Period", "."), ("Equals", "="), ("Plus", "+"), ("Minus", "-")];
    signs.iter().fold(ctx.format_shortcut(&key), |text, (name, sign)| text.replace(name, sign))
}

/// The check mark of what is switched on, and the key.
pub fn mark_and_key(ctx: &egui::Context, command: Command, on: Option<bool>) -> String {
    let mark = (on == Some(true)).then(|| "✓".to_owned());
    let key = command.shortcut().map(|key| key_text(ctx, key));
    mark.into_iter().chain(key).collect::<Vec<_>>().join("   ")
}

/// Takes the commands whose keys were pressed; those that cannot be used now are taken too, and refused with a reason.
pub fn pressed(ctx: &egui::Context) -> Vec<Command> {
    let mut found: Vec<(Command, egui::KeyboardShortcut)> =
        super::keys().filter(|(command, key)| !is_for_text(ctx, *command, *key)).collect();
    // Ctrl+Shift+S would also count as Ctrl+S.
    found.sort_by_key(|(_, shortcut)| !shortcut.modifiers.shift);
    ctx.input_mut(|input| {
        found
            .into_iter()
            .filter(|(_, shortcut)| input.consume_shortcut(shortcut))
            .map(|(command, _)| command)
            .collect()
    })
}

/// Whether a text field takes this key while somebody types. Undo and Redo are the window's where it undoes the edits of
/// the field.
fn is_for_text(ctx: &egui::Context, command: Command, shortcut: egui::KeyboardShortcut) -> bool {
    use egui::Key as K;
    let edits = match shortcut.logical_key {
        K::Z | K::Y => matches!(command, Command::Undo | Command::Redo) && !crate::form::is_editing(ctx),
        K::Delete | K::Backspace | K::ArrowUp | K::ArrowDown | K::ArrowLeft | K::ArrowRight => true,
        K::W => !shortcut.modifiers.shift,
        _ => false,
    };
    edits && ctx.text_edit_focused()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_means_its_command_alone() {
        for (command, key) in crate::commands::keys() {
            let ctx = egui::Context::default();
            let event = egui::Event::Key {
                key: key.logical_key,
                physical_key: None,
                pressed: true,
                repeat: false,
                modifiers: key.modifiers,
            };
            ctx.input_mut(|input| input.events.push(event));
            assert_eq!(pressed(&ctx), [command], "{key:?}");
        }
    }

    #[test]
    fn a_text_field_keeps_the_keys_that_edit_it() {
        let ctx = egui::Context::default();
        let mut text = String::new();
        let mut output = ctx.run_ui(egui::RawInput::default(), |ui| {
            ui.text_edit_singleline(&mut text).request_focus();
            let kept = crate::commands::keys().filter(|(command, key)| is_for_text(ui.ctx(), *command, *key));
            let kept: Vec<&str> = kept.map(|(command, _)| command.text()).collect();
            assert_eq!(
                kept,
                [
                    "Undo",
                    "Redo",
                    "Redo",
                    "Move arm up",
                    "Move arm down",
                    "Remove arm",
                    "Archive results of arm…",
                    "Close view"
                ]
            );
        });
        output.textures_delta.clear();
    }

    #[test]
    fn keys_are_written_as_they_are_engraved() {
        let key = |command: Command| key_text(&egui::Context::default(), command.shortcut().unwrap());
        assert!(key(Command::StopNow).ends_with('.') && key(Command::ZoomIn).ends_with('+'));
    }
}

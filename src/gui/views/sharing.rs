//! The fields for runs side by side and for threads.

use eframe::egui::{RichText, TextEdit, Ui};

use crate::runs::Sharing;
use crate::theme::present;
use crate::widgets::{self, FieldState};
use run::QueueOptions;

/// The most runs side by side, and threads.
const MOST: usize = 1024;

/// What is typed for how runs share the machine, and not entered yet.
#[derive(Default)]
pub(super) struct TypedSharing {
    /// For runs side by side, and for threads.
    texts: [Option<String>; 2],
    /// Whether the keyboard is to go there.
    pub(super) wants_focus: bool,
}

impl TypedSharing {
    /// Draws the fields; `used` is what holds where they are empty.
    pub(super) fn fields_ui(&mut self, ui: &mut Ui, used: QueueOptions, sharing: &mut Sharing) {
        let (jobs, threads) = (used.jobs, used.threads_per_run());
        let fields = [
            ("Runs side by side", "How many runs go on at the same time", jobs, &mut sharing.jobs),
            ("Threads per run", "How many threads each run computes with", threads, &mut sharing.threads),
        ];
        let wants_focus = std::mem::take(&mut self.wants_focus);
        for (nth, (name, help, used, chosen)) in fields.into_iter().enumerate() {
            let help = format!("{help}. Empty: as many as suit the machine");
            number_ui(ui, [name, &help], used, chosen, &mut self.texts[nth], wants_focus && nth == 0);
        }
    }

    /// Enters what is typed and can be used.
    pub(super) fn enter(&mut self, sharing: &mut Sharing) {
        for (typed, chosen) in self.texts.iter_mut().zip([&mut sharing.jobs, &mut sharing.threads]) {
            if let Some(Ok(number)) = typed.as_deref().map(number_of) {
                (*typed, *chosen) = (None, number);
            }
        }
    }
}

/// The number that a text means, none where it is left to the machine; or what can be used.
fn number_of(text: &str) -> Result<Option<usize>, String> {
    match text.trim() {
        "" => Ok(None),
        number => match number.parse() {
            Ok(number) if (1..=MOST).contains(&number) => Ok(Some(number)),
            _ => Err(format!("A number from 1 to {MOST}")),
        },
    }
}

/// A field for a number, which is chosen once the field is left; empty for what is `used` otherwise.
fn number_ui(
    ui: &mut Ui,
    [name, help]: [&str; 2],
    used: usize,
    chosen: &mut Option<usize>,
    typed: &mut Option<String>,
    wants_focus: bool,
) {
    let mut shown =
        typed.clone().unwrap_or_else(|| chosen.map(|number| number.to_string()).unwrap_or_default());
    let number = number_of(&shown);
    let label = ui.label(name);
    let hint = RichText::new(format!("{used} (auto)")).color(present(ui).text3);
    let edit = TextEdit::singleline(&mut shown).desired_width(64.0).hint_text(hint);
    let (state, help) = match &number {
        Ok(_) => (FieldState::Plain, help.to_owned()),
        Err(allowed) => (FieldState::Wrong, format!("{help}. {allowed}")),
    };
    let field = widgets::field_ui(ui, edit, state).labelled_by(label.id).on_hover_text(help);
    if wants_focus {
        field.request_focus();
    }
    if field.changed() {
        *typed = Some(shown);
    } else if field.lost_focus()
        && let Ok(number) = number
    {
        *chosen = number;
        *typed = None;
    }
}

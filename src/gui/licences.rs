//! What the program contains and under which licences, in a window of its own: a list to search, and the texts.

use eframe::egui::{self, Label, Response, RichText, ScrollArea, TextEdit, Ui};

use super::text::counted;
use super::theme::{SMALL, STEP, present};
use super::widgets::{self, FieldState};
use licences::{Component, Licences};

const LIST: f32 = 320.0;

/// The longest licence beside a name, in letters; longer ones are cut there.
const LONGEST: usize = 24;

/// The window with the licences.
#[derive(Default)]
pub struct LicencesWindow {
    is_open: bool,
    /// Unpacked when the window opens first.
    licences: Option<Licences>,
    chosen: usize,
    search: String,
    wants_keyboard: bool,
}

impl LicencesWindow {
    pub fn open(&mut self) {
        (self.is_open, self.wants_keyboard) = (true, true);
        self.licences.get_or_insert_with(Licences::load);
    }

    pub fn ui(&mut self, ctx: &egui::Context) {
        let Some(licences) = self.licences.as_ref().filter(|_| self.is_open) else { return };
        let (chosen, search) = (&mut self.chosen, &mut self.search);
        let takes_keyboard = std::mem::take(&mut self.wants_keyboard);
        self.is_open = widgets::window_ui(ctx, "Licences", 960.0, |ui| {
            let list = egui::Panel::left("components").resizable(false).exact_size(LIST);
            list.show(ui, |ui| {
                let field = search_ui(ui, search);
                if takes_keyboard {
                    field.request_focus();
                }
                list_ui(ui, &licences.components, chosen, search);
            });
            egui::CentralPanel::default().show(ui, |ui| texts_ui(ui, licences, *chosen));
        });
    }
}

/// Returns the positions of those whose name or licence has the words.
fn matching(components: &[Component], search: &str) -> Vec<usize> {
    let wanted = search.trim().to_lowercase();
    let has = |component: &Component| {
        let text = format!("{} {}", component.title(), component.licence).to_lowercase();
        wanted.split_whitespace().all(|word| text.contains(word))
    };
    (0..components.len()).filter(|&index| has(&components[index])).collect()
}

fn search_ui(ui: &mut Ui, search: &mut String) -> Response {
    let field =
        TextEdit::singleline(search).hint_text("Search names and licences").desired_width(f32::INFINITY);
    let response = widgets::field_ui(ui, field, FieldState::Plain);
    ui.add_space(STEP);
    response
}

fn list_ui(ui: &mut Ui, components: &[Component], chosen: &mut usize, search: &str) {
    let found = matching(components, search);
    let count = match found.len() {
        0 => "No component has these words.".to_owned(),
        count => counted(count, "component"),
    };
    ui.label(RichText::new(count).size(SMALL).color(present(ui).text3));
    let height = ui.spacing().interact_size.y;
    ScrollArea::vertical().auto_shrink([false, false]).show_rows(ui, height, found.len(), |ui, rows| {
        for &index in &found[rows] {
            let component = &components[index];
            let row = egui::Button::selectable(index == *chosen, component.title())
                .right_text(RichText::new(cut(&component.licence)).size(SMALL).color(present(ui).text3))
                .truncate();
            if ui.add_sized([ui.available_width(), height], row).on_hover_text(&component.licence).clicked() {
                *chosen = index;
            }
        }
    });
}

/// Returns the beginning of a long licence; the whole one is under the pointer and above its text.
fn cut(licence: &str) -> String {
    match licence.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", licence[..end].trim_end()),
        None => licence.to_owned(),
    }
}

fn texts_ui(ui: &mut Ui, licences: &Licences, chosen: usize) {
    let Some(component) = licences.components.get(chosen) else { return };
    widgets::title_ui(ui, &component.title());
    ui.label(RichText::new(format!("Licence: {}", component.licence)).color(present(ui).text2));
    ui.add_space(STEP);
    ScrollArea::vertical().id_salt(chosen).auto_shrink([false, false]).show(ui, |ui| {
        for (nth, &text) in component.texts.iter().enumerate() {
            if nth > 0 {
                ui.separator();
            }
            ui.add(Label::new(RichText::new(licences.texts[text].trim_end()).monospace()).wrap());
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_search_looks_at_names_and_licences() {
        let licences = Licences::load();
        let found = |search: &str| -> Vec<&str> {
            let found = matching(&licences.components, search);
            found.into_iter().map(|index| licences.components[index].name.as_str()).collect()
        };
        assert_eq!(found("").len(), licences.components.len());
        assert_eq!(found(" roboto APACHE "), ["Roboto (font)"]);
        assert!(found("mpl-2.0").contains(&"option-ext"), "{:?}", found("mpl-2.0"));
        assert!(found("no such words").is_empty());
    }

    #[test]
    fn a_long_licence_leaves_room_for_the_name() {
        assert_eq!(cut("MIT OR Apache-2.0 OR Zlib"), "MIT OR Apache-2.0 OR Zli…");
        assert_eq!(cut("MIT OR Apache-2.0"), "MIT OR Apache-2.0");
    }
}

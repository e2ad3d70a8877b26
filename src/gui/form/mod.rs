//! Draws any tree of settings as a form: one control per kind of [`Node`], no code per setting.
//!
//! Each value has a *head*, on one line with its label, and may have a *body* below it: the settings of a chosen
//! alternative, the items of a list. Both edit the document in place. Text that is no value yet is a draft
//! ([`Drafts`]) until it is one, so that the document never holds anything half typed.

mod about;
mod choice;
mod drafts;
#[cfg(test)]
mod help_tests;
#[cfg(test)]
mod layer_tests;
mod layers;
mod leaf;
mod line;
mod list;
mod overrides;
#[cfg(test)]
mod row_tests;
#[cfg(test)]
mod tests;

use eframe::egui;
use eframe::egui::{Id, Response, Ui};

use super::widgets;
pub use about::About;
use doc::Problem;
pub use drafts::{Drafts, TypedText, select_all};
use form::path::{Place, Segment};
use form::{Field, Group, Names, Node, Value};
pub use line::{Heading, heading_ui};
pub use list::{Dragged, close_lines, open_line};

/// A request of a form to the window.
#[derive(Clone, Debug, PartialEq)]
pub enum FormRequest {
    Browse(Place, Names),
    /// Other values for a sweep of an arm, or of the experiment; none end it.
    Sweep {
        /// The position of the arm; `None` for the experiment.
        arm: Option<usize>,
        path: String,
        values: Option<String>,
    },
    Show(Place),
    /// A button of the choice at this place was pressed.
    Press(Place, &'static str),
}

/// A button below the drop-down of a choice.
pub struct FormButton {
    pub of: &'static str,
    /// Returns true for the alternatives that have it, by their key.
    pub is_for: fn(&str) -> bool,
    pub text: &'static str,
    pub help: &'static str,
}

/// The context of a form: place, problems, focus, and the document around.
#[derive(Default)]
pub struct FormContext<'a> {
    /// Place of the value in the document, and of each of its parts while that is drawn.
    pub place: Place,
    /// Problems of the whole document; those of the drawn settings are shown beside them.
    pub problems: &'a [Problem],
    /// A setting to scroll to and to give the keyboard to; taken once it is reached.
    pub focus: Option<Place>,
    /// Keys of settings that another part of the window edits and this form leaves out, such as `plan`.
    pub elsewhere: &'a [&'static str],
    pub buttons: &'a [FormButton],
    /// What the document knows about settings around the value.
    pub about: About,
    pub drafts: Drafts,
    pub requests: Vec<FormRequest>,
    pub notes: Vec<String>,
    root_len: usize,
    control_width: f32,
    first_input: Option<Id>,
    wrong: Vec<(Place, String)>,
}

impl<'a> FormContext<'a> {
    /// Returns the context of a form for the value at `place`.
    pub fn new(place: Place, problems: &'a [Problem]) -> Self {
        Self { root_len: place.0.len(), place, problems, ..Self::default() }
    }

    fn problems_here(&self) -> impl Iterator<Item = &'a Problem> + use<'a, '_> {
        let problems: &'a [Problem] = self.problems;
        problems.iter().filter(|problem| problem.place == self.place)
    }

    /// Notes what is wrong with the control of the present place; shown below its line.
    fn note_wrong(&mut self, message: impl Into<String>) {
        self.wrong.push((self.place.clone(), message.into()));
    }

    /// Returns what is wrong with the control of the present place, as it says itself.
    fn own_error(&self) -> Option<&str> {
        self.wrong.iter().find(|(place, _)| *place == self.place).map(|(_, message)| message.as_str())
    }

    fn is_wrong(&self) -> bool {
        self.own_error().is_some() || self.problems_here().any(Problem::is_mistake)
    }

    /// Returns true if the setting that is to get the keyboard is here or inside.
    fn leads_to_focus(&self) -> bool {
        self.focus.as_ref().is_some_and(|focus| focus.0.starts_with(&self.place.0))
    }

    /// Returns the problems of the present place and of all settings inside.
    fn problems_inside(&self) -> impl Iterator<Item = &'a Problem> + use<'a, '_> {
        let problems: &'a [Problem] = self.problems;
        problems.iter().filter(|problem| problem.place.0.starts_with(&self.place.0))
    }

    /// Draws one step further down.
    pub fn at<R>(&mut self, segment: Segment, draw: impl FnOnce(&mut Self) -> R) -> R {
        self.place.0.push(segment);
        let result = draw(self);
        self.place.0.pop();
        result
    }

    /// Returns an id for a control of the present place, the same in every frame.
    fn id(&self, ui: &Ui, part: &str) -> Id {
        ui.make_persistent_id((self.place.to_string(), part))
    }

    /// Notes an input: its line may be asked to take the keyboard.
    fn note_input(&mut self, response: &Response) {
        self.first_input.get_or_insert(response.id);
        note_edited(response);
    }

    /// Completes an input of the present place: gives it its name, and lets its line get the keyboard.
    fn finish_input(&mut self, ui: &Ui, slot: &Slot, response: Response) -> Response {
        if response.has_focus() && !response.is_pointer_button_down_on() {
            widgets::focus_ring(ui, response.rect);
        }
        self.note_input(&response);
        slot.name(response)
    }

    /// Draws something that belongs to the present place; scrolls there and gives it the keyboard if asked to. Inner
    /// places come first, so that the closest match gets the keyboard. What is wrong inside is forgotten afterwards.
    fn reachable<R>(&mut self, ui: &mut Ui, draw: impl FnOnce(&mut Ui, &mut Self) -> R) -> R {
        let (before, wrong_before) = (self.first_input.take(), self.wrong.len());
        let top = ui.cursor().min;
        let result = draw(ui, self);
        self.wrong.truncate(wrong_before);
        if self.leads_to_focus() {
            let is_exact = self.focus.take().is_some_and(|focus| focus == self.place);
            let height = ui.spacing().interact_size.y;
            ui.scroll_to_rect(
                egui::Rect::from_min_size(top, egui::vec2(1.0, height)),
                Some(egui::Align::Center),
            );
            let is_setting = is_exact || self.place.0.len() > self.root_len;
            if let Some(input) = self.first_input.filter(|_| is_setting) {
                ui.memory_mut(|memory| memory.request_focus(input));
            }
        }
        self.first_input = before.or(self.first_input);
        result
    }
}

/// Key in egui's memory: which of these inputs had the keyboard last.
const EDITED: &str = "edited setting";
/// Key in egui's memory: which of them held a text that did not count yet.
const TYPED: &str = "setting with a typed text";

/// Notes an input whose edits the window undoes, rather than the input itself.
pub fn note_edited(response: &Response) {
    if response.has_focus() {
        response.ctx.data_mut(|data| data.insert_temp(Id::unique(EDITED), response.id));
    }
}

/// Returns the input that the keyboard types into, if the window undoes its edits.
pub fn edited(ctx: &egui::Context) -> Option<Id> {
    let edited = ctx.data(|data| data.get_temp(Id::unique(EDITED)));
    ctx.memory(eframe::egui::Memory::focused).filter(|focused| edited == Some(*focused))
}

/// Returns true if there is such an input, and its text is that of the document.
pub fn is_editing(ctx: &egui::Context) -> bool {
    let typed = ctx.data(|data| data.get_temp::<Option<Id>>(Id::unique(TYPED))).flatten();
    edited(ctx).is_some_and(|edited| typed != Some(edited))
}

/// Notes whether the text of an input counts already.
fn note_typed(response: &Response, is_typed: bool) {
    if response.has_focus() {
        let typed = is_typed.then_some(response.id);
        response.ctx.data_mut(|data| data.insert_temp(Id::unique(TYPED), typed));
    }
}

/// The name and the declaration of a control, from its line.
#[derive(Clone)]
struct Slot {
    name: String,
    label: Option<Id>,
    field: Field,
}

impl Slot {
    fn named(name: impl Into<String>) -> Self {
        Self { name: name.into(), label: None, field: Field::new("", "", "") }
    }

    fn name(&self, response: Response) -> Response {
        match self.label {
            Some(label) => response.labelled_by(label),
            None => response.accessible_name(&self.name),
        }
    }
}

/// Draws the settings of the chosen alternative, without the choice itself.
pub fn inner_ui(ui: &mut Ui, value: &mut dyn Value, context: &mut FormContext) -> bool {
    context.control_width = control_width(ui);
    context.reachable(ui, |ui, context| {
        let Node::Choice(choice) = value.node() else { return value_ui(ui, value, context) };
        line::problems_ui(ui, context);
        let variant = choice.variant();
        let Some(payload) = choice.payload() else { return false };
        context.at(Segment::Variant(variant.key.to_owned()), |context| inner_ui(ui, payload, context))
    })
}

/// Draws some settings of a group, line by line. Returns true if one changed.
pub fn fields_ui(
    ui: &mut Ui,
    group: &mut dyn Group,
    is_shown: impl Fn(&Field) -> bool,
    context: &mut FormContext,
) -> bool {
    context.control_width = control_width(ui);
    line::rows_ui(ui, group, &is_shown, context)
}

/// Returns the width of the part of a line right of its label.
fn control_width(ui: &Ui) -> f32 {
    (ui.available_width() * 0.6).round()
}

/// Draws `value`, whatever it is, and lets the user change it. Returns true if it changed.
pub fn value_ui(ui: &mut Ui, value: &mut dyn Value, context: &mut FormContext) -> bool {
    context.control_width = control_width(ui);
    context.reachable(ui, |ui, context| {
        if matches!(value.node(), Node::Group(_)) {
            line::problems_ui(ui, context);
        }
        whole_ui(ui, value, &Slot::named("Value"), context)
    })
}

/// Draws head and body of a value that no field declares.
fn whole_ui(ui: &mut Ui, value: &mut dyn Value, slot: &Slot, context: &mut FormContext) -> bool {
    if let Node::Group(group) = value.node() {
        return line::rows_ui(ui, group, &|_| true, context);
    }
    if let Node::Choice(choice) = value.node() {
        let slot = Slot::named(choice.title());
        return line::setting_ui(ui, &slot, value, Some(false), context).changed;
    }
    let changed = ui.horizontal(|ui| head_ui(ui, value, slot, context)).inner;
    body_ui(ui, value, slot, context) || changed
}

/// Draws the part of a value on its line.
fn head_ui(ui: &mut Ui, value: &mut dyn Value, slot: &Slot, context: &mut FormContext) -> bool {
    match value.node() {
        Node::Switch(on) => leaf::switch_ui(ui, on, slot, context),
        Node::Integer(number) if !slot.field.allowed.is_empty() => {
            leaf::allowed_ui(ui, number, slot, context)
        }
        Node::Integer(_) | Node::Number(_) | Node::Length(_) => leaf::line_ui(ui, value, slot, context),
        Node::Text(text) => leaf::text_ui(ui, text, slot, context),
        Node::Choice(choice) => choice::head_ui(ui, choice, slot, context),
        Node::Optional(optional) if line::is_optional_line(optional) => match slot.field.names {
            Names::Folder | Names::File => leaf::path_ui(ui, value, slot, context),
            Names::Nothing | Names::Layers | Names::Parameter => leaf::line_ui(ui, value, slot, context),
        },
        Node::Optional(optional) => line::optional_head_ui(ui, optional, slot, context),
        Node::List(list) if list::is_line(list) => leaf::line_ui(ui, value, slot, context),
        Node::List(list) => list::head_ui(ui, list, slot, context),
        Node::Group(_) | Node::Overrides(_) => false,
    }
}

/// Draws the part of a value below its line, if it has one.
fn body_ui(ui: &mut Ui, value: &mut dyn Value, slot: &Slot, context: &mut FormContext) -> bool {
    match value.node() {
        Node::Choice(choice) => choice::body_ui(ui, choice, context),
        Node::Optional(optional) => optional.value().is_some_and(|inner| body_ui(ui, inner, slot, context)),
        Node::List(list) if !list::is_line(list) => list::body_ui(ui, list, slot, context),
        Node::Group(group) => {
            line::indented_ui(ui, context, |ui, context| line::rows_ui(ui, group, &|_| true, context))
        }
        Node::Overrides(overrides) => overrides::body_ui(ui, overrides, slot, context),
        Node::List(_)
        | Node::Switch(_)
        | Node::Integer(_)
        | Node::Number(_)
        | Node::Text(_)
        | Node::Length(_) => false,
    }
}

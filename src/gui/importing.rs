//! What is asked before weights are imported, when they are dropped and in the form of their stage: how they fit, of which
//! network they are, for which data, and how its inputs were scaled.

use std::path::PathBuf;

use eframe::egui::{Label, RichText, Ui};

use crate::dialogs::{Reply, buttons_ui};
use crate::theme::{SMALL, present};
use crate::widgets::{self, Tone, title_ui};
use data::{Data, Normalize};
use doc::{Structure, capitalised};
use form::Choice;
use run::weight_files::{FileShapes, Fit, Guess, Naming, Scaling};

/// Parameters that do not fit and are named; more are counted.
const MOST: usize = 5;

/// A weight file beside a network.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    pub path: PathBuf,
    pub shapes: FileShapes,
    /// The network that the file is of, or what it has instead.
    pub guess: Result<Guess, String>,
}

impl Weights {
    /// Draws how the weights fit a network, which of the network or else of theirs they are, and for which data, whose
    /// scaling can be chosen. Returns true if the network of the file is to be used: offered only with data that it runs on.
    pub fn ui(&self, ui: &mut Ui, fit: Option<&Fit>, data: Option<&mut Data>) -> bool {
        let Self { shapes, guess, .. } = self;
        if let Some(fit) = fit {
            fit_ui(ui, fit);
        }
        let Some(data) = data else { return false };
        if self.are_of(fit) {
            say(ui, &format!("Data: {}", data.name()));
            let scaling = Scaling::new(shapes);
            if self.asks(fit, data, &scaling) {
                say(ui, "How were the inputs scaled in training?");
                scaling_ui(ui, data, &scaling);
            }
            return false;
        }
        let guess = match guess {
            Ok(guess) => guess,
            Err(seen) => {
                say(ui, &capitalised(seen));
                return false;
            }
        };
        say(ui, &format!("They fit {}. {}", guess.name(), guess.net.rule().description()));
        if let Some(unknown) = guess.unknown {
            say(ui, &format!("Note that {unknown}"));
        }
        let taken = guess.data(data);
        match &taken {
            Ok(taken) if taken.name() == data.name() => say(ui, &format!("Data: {}", data.name())),
            Ok(taken) => {
                say(ui, &format!("Data: {} instead of {}, which does not fit it", taken.name(), data.name()));
            }
            Err(missing) => say(ui, &format!("Data: {} does not fit it; {missing}", data.name())),
        }
        taken.is_ok() && ui.add(widgets::button(None, "Use this network")).clicked()
    }

    /// Returns true if they are of the network that they fit so, rather than of another one.
    fn are_of(&self, fit: Option<&Fit>) -> bool {
        fit.is_some_and(|fit| fit.is_exact() || fit.fits() && self.guess.is_err())
    }

    /// Returns true if it is asked how the inputs were scaled: never where their network may bring other data.
    fn asks(&self, fit: Option<&Fit>, data: &Data, scaling: &Scaling) -> bool {
        let is_image = || data.facts(None).is_some_and(|facts| facts.shape.is_image());
        self.are_of(fit) && (matches!(scaling, Scaling::Known(_)) || is_image())
    }
}

fn say(ui: &mut Ui, text: &str) {
    ui.add(Label::new(RichText::new(text).size(SMALL)).wrap());
}

/// Draws how many parameters fit, and the first that do not.
fn fit_ui(ui: &mut Ui, fit: &Fit) {
    let (tone, verdict) = if fit.fits() {
        (Tone::Good, fit.verdict())
    } else {
        (Tone::Bad, format!("Nothing would be {}: {}", fit.reading.done(), fit.verdict()))
    };
    widgets::message_ui(ui, tone, &verdict);
    let refused: Vec<_> = fit.rows.iter().filter(|row| row.is_refused()).collect();
    for row in refused.iter().take(MOST) {
        say(ui, &format!("{}: {}", row.name, fit.text(row)));
    }
    if refused.len() > MOST {
        say(ui, &format!("and {} more", refused.len() - MOST));
    }
    if let Some(unused) = fit.unused("The file") {
        say(ui, &unused);
    }
}

/// Draws how the inputs of weights were scaled, as a choice of the scaling of the data; and below it what is known
/// of that.
fn scaling_ui(ui: &mut Ui, data: &mut Data, scaling: &Scaling) {
    let mut normalize = data.normalize();
    let channels = data.facts(None).map_or(1, |facts| facts.shape.channels);
    let list = widgets::drop_down("input scaling", normalize.label()).show_ui(ui, |ui| {
        for choice in Normalize::all() {
            let known = scaling.normalize().filter(|known| known.key() == choice.key());
            let choice = known.unwrap_or(choice);
            let (is_chosen, help) = (choice.key() == normalize.key(), choice.variant().help);
            let is_possible = choice.problem(channels).is_none();
            if is_possible && ui.selectable_label(is_chosen, choice.label()).on_hover_text(help).clicked() {
                normalize = choice;
            }
        }
    });
    list.response.accessible_name("Input scaling");
    let help = normalize.variant().help;
    *data = data.clone().scaled(normalize);
    if scaling.note("", data).is_none() {
        return say(ui, help);
    }
    let doubt = scaling.normalize().map_or_else(
        || "The file does not say how its inputs were scaled in training".to_owned(),
        |known| format!("Weights of this kind are trained with {}", known.label()),
    );
    widgets::message_ui(ui, Tone::Warning, &doubt);
}

/// Weights that were dropped, for an arm.
#[derive(Clone, Debug)]
pub struct Importing {
    weights: Weights,
    /// The position of the arm, and its name.
    arm: (usize, String),
    /// How they fit its network; none while the document has errors.
    fit: Option<Fit>,
    /// The data of the experiment, scaled as it is known or answered where that is asked.
    data: Data,
    /// Their scaling in the experiment.
    before: Normalize,
    /// Whose network is replaced, if theirs is used; and what the file leaves open.
    notes: Vec<String>,
}

impl Importing {
    /// Compares weights with the network of an arm, which may not be known.
    pub fn new(
        weights: Weights,
        arm: (usize, String),
        whose: &str,
        structure: Option<&Structure>,
        data: &Data,
    ) -> Self {
        let naming = structure.map(|structure| Naming::new(structure, &weights.shapes)).unwrap_or_default();
        let shapes = || naming.apply(weights.shapes.shapes.clone());
        let fit = structure.map(|structure| Fit::whole(structure, &shapes()));
        let (scaling, before) = (Scaling::new(&weights.shapes), data.normalize());
        let differs = weights.asks(fit.as_ref(), data, &scaling) && scaling.note("", data).is_some();
        let scaled = scaling.normalize().filter(|_| differs);
        let data = scaled.map_or_else(|| data.clone(), |normalize| data.clone().scaled(normalize));
        let replaced = fit.as_ref().is_none_or(|fit| !fit.is_exact()) && weights.guess.is_ok();
        let replaced = replaced.then(|| format!("\"Use this network\" replaces that of {whose}"));
        let notes = naming.doubts.iter().map(|doubt| capitalised(doubt)).chain(replaced).collect();
        Self { weights, arm, fit, data, before, notes }
    }

    /// Draws the questions. Returns the decision, once there is one.
    pub fn ui(&mut self, ui: &mut Ui) -> Option<Reply> {
        let Self { weights, arm: (arm, name), fit, data, before, notes } = self;
        let fits = fit.as_ref().is_none_or(Fit::fits);
        title_ui(
            ui,
            &match &fit {
                None => "Weightlab cannot compare the weights".to_owned(),
                Some(_) if fits => format!("Import the weights into {name}?"),
                Some(_) => format!("The weights do not fit the network of {name}"),
            },
        );
        let path = RichText::new(weights.path.display().to_string()).size(SMALL).color(present(ui).text3);
        ui.add(Label::new(path).wrap());
        if fit.is_none() {
            say(ui, &format!("The document has errors, so the network of {name} is not known."));
        }
        let uses = weights.ui(ui, fit.as_ref(), Some(data));
        for note in notes {
            widgets::message_ui(ui, Tone::Info, note);
        }
        let normalize = Some(data.normalize()).filter(|normalize| normalize != before);
        if normalize.is_some() {
            let text = "Changes the data of all arms: their runs are to do again";
            widgets::message_ui(ui, Tone::Warning, text);
        }
        let import = |guess| {
            let (path, normalize) = (weights.path.clone(), normalize.clone());
            Reply::Import { path, arm: *arm, guess, normalize }
        };
        let away = (if fits { "Cancel" } else { "Close" }, Reply::Cancel);
        let replies = fits.then(|| ("Import weights", import(None))).into_iter().chain([away]);
        let reply = buttons_ui(ui, replies);
        let guess = weights.guess.as_ref().ok().filter(|_| uses);
        reply.or_else(|| guess.map(|guess| import(Some(Box::new(guess.clone())))))
    }
}

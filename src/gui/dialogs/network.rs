//! Weights that were dropped: those that fit the network of an arm, and others.

use std::path::PathBuf;

use eframe::egui::{RichText, Ui};

use super::{Reply, buttons_ui, question_ui};
use crate::scroll::scroll_area;
use crate::widgets::title_ui;
use doc::capitalised;
use form::Stored;
use run::weight_files::{Fit, Guess};

/// Weights that the network of an arm has a place for.
#[derive(Clone, Debug)]
pub struct FittingWeights {
    /// The weight file.
    pub path: PathBuf,
    /// The arm, by position.
    pub arm: usize,
    /// What the arm is called.
    pub name: String,
    /// Notes on the import, in sentences: what the network has no place for, what the file leaves open.
    pub notes: Vec<String>,
}

/// Weights of another network than an arm has, or perhaps of another one.
#[derive(Clone, Debug)]
pub struct OtherNetwork {
    /// The weight file.
    pub path: PathBuf,
    /// The arm, by position.
    pub arm: usize,
    /// What the arm is called.
    pub name: String,
    /// Whose network is replaced, if theirs is used.
    pub whose: String,
    /// How they fit its network; none while the document has errors.
    pub fit: Option<Fit>,
    /// The network that the weights are of, or what the file has instead.
    pub guess: Result<Guess, String>,
    /// What becomes of the data with that network, and how its inputs are scaled, in sentences.
    pub notes: Vec<String>,
}

impl OtherNetwork {
    fn title(&self) -> String {
        let name = &self.name;
        match &self.fit {
            None => "Weightlab cannot compare the weights".to_owned(),
            Some(fit) if fit.fits() => format!("The network of {name} has no place for all of the weights"),
            Some(_) => format!("The weights do not fit the network of {name}"),
        }
    }
}

/// Asks whether to import weights that fit.
pub fn import_ui(ui: &mut Ui, weights: &FittingWeights) -> Option<Reply> {
    let FittingWeights { path, arm, name, notes } = weights;
    let first = format!("This adds a stage that reads {} to its plan", path.display());
    let notes = notes.iter().map(|note| capitalised(note));
    let text = std::iter::once(first).chain(notes).collect::<Vec<_>>().join(".\n\n") + ".";
    let import = Reply::Import { path: path.clone(), arm: *arm };
    let replies = [("Import weights", import), ("Cancel", Reply::Cancel)];
    question_ui(ui, &format!("Import the weights into {name}?"), &text, replies)
}

/// Says how the weights differ from the network of the arm, and offers theirs.
pub fn network_ui(ui: &mut Ui, other: &OtherNetwork) -> Option<Reply> {
    let OtherNetwork { path, arm, name, whose, fit, guess, notes } = other;
    title_ui(ui, &other.title());
    ui.label(path.display().to_string());
    match fit {
        Some(fit) => {
            let table = RichText::new(fit.table()).monospace().small();
            scroll_area(ui, 280.0).show(ui, |ui| ui.label(table));
        }
        None => {
            ui.label(format!("The document has errors, so the network of {name} is not known."));
        }
    }
    let mut replies = Vec::new();
    match guess {
        Err(seen) => {
            ui.label(format!("{}.", capitalised(seen)));
        }
        Ok(guess) => {
            let unknown = guess.unknown.map_or_else(String::new, |unknown| format!(" Note that {unknown}."));
            let description = guess.net.rule().description();
            ui.label(format!("They fit {}. {description}.{unknown}", guess.name()));
            ui.label(RichText::new(format!("net: {}", guess.net.to_ron())).monospace().small());
            ui.label(format!(
                "Use it as the network of {whose}, with a stage in the plan of {name} that imports the weights?"
            ));
            for note in notes {
                ui.label(format!("{}.", capitalised(note)));
            }
            let guess = Box::new(guess.clone());
            replies.push(("Use this network", Reply::UseNetwork { path: path.clone(), arm: *arm, guess }));
        }
    }
    if fit.as_ref().is_none_or(Fit::fits) {
        let text = if fit.is_some() { "Import what fits" } else { "Import weights" };
        replies.push((text, Reply::Import { path: path.clone(), arm: *arm }));
    }
    let away = if replies.is_empty() { "Close" } else { "Cancel" };
    replies.push((away, Reply::Cancel));
    buttons_ui(ui, replies)
}

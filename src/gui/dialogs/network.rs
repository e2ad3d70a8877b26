//! Weights that were dropped: those that fit the network of an arm, and others.

use std::path::{Path, PathBuf};

use eframe::egui::{RichText, Ui};

use super::{Reply, buttons_ui, question_ui};
use crate::gui::scroll::scroll_area;
use crate::gui::widgets::title_ui;
use crate::run::weight_files::Guess;

/// Weights of another network than an arm has.
#[derive(Clone, Debug)]
pub struct OtherNetwork {
    /// The weight file.
    pub path: PathBuf,
    /// The arm, by position.
    pub arm: usize,
    /// What the arm is called.
    pub name: String,
    /// What fits its network, and what does not.
    pub table: String,
    /// The network that the weights are of, or what the file has instead.
    pub guess: Result<Guess, String>,
}

/// Asks whether to import weights that fit.
pub fn import_ui(ui: &mut Ui, path: &Path, arm: usize, name: &str) -> Option<Reply> {
    let text = format!("This adds a stage that reads {} to its plan.", path.display());
    let import = Reply::Import { path: path.to_owned(), arm };
    let replies = [("Import weights", import), ("Cancel", Reply::Cancel)];
    question_ui(ui, &format!("Import the weights into {name}?"), &text, replies)
}

/// Says how the weights differ from the network of the arm, and offers theirs.
pub fn network_ui(ui: &mut Ui, other: &OtherNetwork) -> Option<Reply> {
    let OtherNetwork { path, arm, name, table, guess } = other;
    title_ui(ui, &format!("The weights do not fit the network of {name}"));
    ui.label(path.display().to_string());
    scroll_area(ui, 280.0).show(ui, |ui| ui.label(RichText::new(table).monospace().small()));
    match guess {
        Err(seen) => {
            ui.label(format!("In the file: {seen}."));
            buttons_ui(ui, [("Close", Reply::Cancel)])
        }
        Ok(guess) => {
            let unknown = guess.unknown.map_or_else(String::new, |unknown| format!(" Note that {unknown}."));
            ui.label(format!("They fit {}.{unknown}", guess.name()));
            ui.label(format!(
                "Use it as the network of {name}, with a stage that imports the weights? The data stay as they are."
            ));
            let use_it = Reply::UseNetwork { path: path.clone(), arm: *arm, guess: Box::new(guess.clone()) };
            buttons_ui(ui, [("Use this network", use_it), ("Cancel", Reply::Cancel)])
        }
    }
}

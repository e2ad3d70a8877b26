//! `weightlab export --tensorboard` and `--crate`: all results of the selected runs, for other programs and other people.

use std::path::PathBuf;

use clap::Args;

use super::Results;
use crate::document::Document;
use crate::failure::{Exit, Failure};
use crate::output::print_err;
use form::number::{counted, megabytes};
use publish::ro_crate::{Author, CrateOptions, Licence};
use publish::{PublishError, Selected, ro_crate, tensorboard};

/// The options that choose what goes into the file of `--to`.
pub const OF_TO: [&str; 23] = [
    "figure",
    "parameter",
    "round",
    "size",
    "dpi",
    "methods",
    "band",
    "x",
    "y",
    "y_range",
    "rounds",
    "statistic",
    "seeds_shown",
    "facets",
    "axes",
    "title",
    "legend",
    "font",
    "intervals",
    "marks",
    "dashes",
    "notes",
    "footnote",
];

/// What is written for others.
#[derive(Debug, Args)]
pub struct ShareArgs {
    /// Folder for event files of TensorBoard: all values and histograms of the weights, settings, and the methods text.
    /// It must be new, empty, or of an earlier export
    #[arg(long, value_name = "DIR", conflicts_with_all = OF_TO, conflicts_with_all = ["license", "author"])]
    tensorboard: Option<PathBuf>,
    /// Folder or .zip file for an RO-Crate: the experiment, its results, and where they come from. It must be new, empty,
    /// or of an earlier export
    #[arg(id = "packed", long = "crate", value_name = "DIR|ZIP", conflicts_with_all = OF_TO)]
    packed: Option<PathBuf>,
    /// What others may do with the crate: an identifier of the SPDX list, such as CC-BY-4.0, or an address
    #[arg(long, value_name = "ID", requires = "packed", value_parser = licence)]
    license: Option<Licence>,
    /// Who made the crate: a name, or "Name <ORCID>"; can be repeated
    #[arg(long, value_name = "NAME", requires = "packed", value_parser = author)]
    author: Vec<Author>,
}

fn licence(text: &str) -> Result<Licence, String> {
    Licence::parse(text).map_err(|error| error.to_string())
}

fn author(text: &str) -> Result<Author, String> {
    Author::parse(text).map_err(|error| error.to_string())
}

/// Writes what the options ask for.
///
/// # Errors
/// When something else is at the place, there are no results, or the disk refuses.
pub fn share(arguments: &ShareArgs, document: &Document, results: &Results) -> Result<Exit, Failure> {
    let text = document.text_with_settings()?;
    let selected = Selected {
        experiment: document.experiment(),
        file: document.path(),
        text: &text,
        all: &results.all,
        runs: &results.runs,
        records: &results.records,
        folder: &results.folder,
    };
    let fail = |error: PublishError| Failure::Input(error.to_string());
    if let Some(place) = &arguments.tensorboard {
        let written = tensorboard::write(&selected, place).map_err(fail)?;
        note(&written.notes);
        print_err(&format!(
            "wrote {}, {} and {} to {}; see them with tensorboard --logdir {}",
            counted(written.runs, "run"),
            counted(written.points, "point"),
            counted(written.histograms, "histogram"),
            place.display(),
            place.display()
        ));
    }
    if let Some(place) = &arguments.packed {
        let options = CrateOptions { licence: arguments.license.clone(), authors: arguments.author.clone() };
        let written = ro_crate::write(&selected, &options, place).map_err(fail)?;
        note(&written.notes);
        print_err(&format!(
            "wrote {} in {} ({}) to {}",
            counted(written.runs, "run"),
            counted(written.files, "file"),
            megabytes(written.bytes),
            place.display()
        ));
    }
    Ok(Exit::Done)
}

fn note(notes: &[String]) {
    for note in notes {
        print_err(&format!("note: {note}"));
    }
}

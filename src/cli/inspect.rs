//! `weightlab inspect`: what a weight file holds, and which network it is of.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use super::output::{Exit, Failure, print_out, table};
use doc::capitalised;
use form::Stored;
use form::number::{counted, grouped};
use results::network::shape_text;
use results::number::{Format, readable};
use run::weight_files::{Guess, Inspection, TensorSummary, inspect};

/// Settings of `weightlab inspect`.
#[derive(Debug, Args)]
pub struct InspectArgs {
    /// A .safetensors, .pth, .pt, .th or .ckpt file, or the directory of a run
    file: PathBuf,
    /// Write JSON, for programs
    #[arg(long)]
    json: bool,
}

/// A file in JSON.
#[derive(Debug, Serialize)]
struct FileJson<'a> {
    form: &'a str,
    /// The network, as an experiment has it.
    net: Option<String>,
    /// The scaling of inputs of the source whose file it looks like.
    #[serde(skip_serializing_if = "Option::is_none")]
    normalize: Option<String>,
    /// What the file has, where no network is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    seen: Option<&'a str>,
    notes: &'a [String],
    tensors: &'a [TensorSummary],
}

/// Prints names, shapes, types and statistics of the tensors of a file, and its network.
///
/// # Errors
/// What is wrong with the file.
pub fn inspect_file(arguments: &InspectArgs) -> Result<Exit, Failure> {
    let inspection = inspect(&arguments.file).map_err(Failure::Input)?;
    print_out(&if arguments.json { json(&inspection) } else { text(&inspection) })?;
    Ok(Exit::Done)
}

fn json(inspection: &Inspection) -> String {
    let Inspection { form, tensors, notes, guess, .. } = inspection;
    let file = FileJson {
        form,
        net: guess.as_ref().ok().map(|guess| guess.net.to_ron()),
        normalize: guess.as_ref().ok().and_then(|guess| Some(guess.source?.normalize().to_ron())),
        seen: guess.as_ref().err().map(String::as_str),
        notes,
        tensors,
    };
    serde_json::to_string_pretty(&file).expect("finite numbers and texts are JSON")
}

const HEAD: [&str; 9] = ["tensor", "type", "shape", "min", "max", "mean", "deviation", "zeros", "not finite"];

fn text(inspection: &Inspection) -> String {
    let Inspection { form, tensors, notes, about, guess } = inspection;
    let values: usize = tensors.iter().map(|tensor| tensor.shape.iter().product::<usize>()).sum();
    let count = counted(tensors.len(), "tensor");
    let mut text = format!("{form}: {count}, {}\n\n", counted(values, "value"));
    let rows: Vec<Vec<String>> = tensors.iter().map(row).collect();
    text += &table(&HEAD, &rows, 2);
    let about = about.iter().map(|(key, value)| format!("note of its writer: {key}: {value}"));
    let notes: Vec<String> = notes.iter().cloned().chain(about).collect();
    if !notes.is_empty() {
        text += &["\n", &notes.join("\n"), "\n"].concat();
    }
    text + &match guess {
        Ok(guess) => network(guess),
        Err(seen) => format!("\nThe network is not known: {seen}\n"),
    }
}

fn row(tensor: &TensorSummary) -> Vec<String> {
    let TensorSummary { name, shape, dtype, values } = tensor;
    let shape = if shape.is_empty() { "–".to_owned() } else { shape_text(shape) };
    let mut cells = vec![name.clone(), (*dtype).to_owned(), shape];
    let number = |value: f64| readable(value, Format::Number);
    cells.extend(match values {
        Some(values) => {
            let wrong = (values.nan + values.infinite) as u64;
            let zeros = readable(values.zeros, Format::Percent);
            let numbers = [values.minimum, values.maximum, values.mean, values.deviation].map(number);
            numbers.into_iter().chain([zeros, grouped(wrong)]).collect()
        }
        None => vec!["–".to_owned(); 6],
    });
    cells
}

/// Writes the network as a line of an experiment.
fn network(guess: &Guess) -> String {
    let ron = guess.net.to_ron();
    let unknown = guess.unknown.map_or_else(String::new, |unknown| format!(" ({unknown})"));
    let source =
        guess.source.map_or_else(String::new, |source| format!("\n{}.\n", capitalised(&source.sentence())));
    format!("\nThe weights fit {}{unknown}. In an experiment:\n\n    net: {ron},\n{source}", guess.name())
}

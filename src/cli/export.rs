//! `weightlab export`: writes points, a figure or weights, by the ending of the file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;

use super::document::{Document, DocumentArgs, SelectionArgs};
use super::failure::{Exit, Failure};
use super::number::{counted, thousands};
use super::output::complain;
use super::points::points_csv;
use crate::doc::{Run, RunRecord};
use crate::figure::plots::{ALL, ArmRuns, PlotOptions, find};
use crate::figure::{Figure, FileKind, Line, Options, write, write_file};
use crate::run::{read_records, weights_path};

/// Settings of `weightlab export`.
#[derive(Debug, Args)]
pub struct ExportArgs {
    #[command(flatten)]
    document: DocumentArgs,
    /// File to write: .csv points; .svg .png .pdf a figure; .safetensors weights
    #[arg(long, value_name = "OUT")]
    to: PathBuf,
    /// Which figure [default: the first one]
    #[arg(long, value_name = "NAME", value_parser = plot_names())]
    figure: Option<String>,
    #[command(flatten)]
    selection: SelectionArgs,
    /// Folder of the runs' directories [default: beside the file, FILE.runs]
    #[arg(long, value_name = "DIR", visible_alias = "into")]
    from: Option<PathBuf>,
}

fn plot_names() -> Vec<&'static str> {
    ALL.iter().map(|plot| plot.name()).collect()
}

/// Runs with what is known of them.
struct Results {
    /// All runs of the document: what colours of arms follow from.
    all: Vec<Run>,
    /// The runs that were asked for.
    runs: Vec<Run>,
    records: BTreeMap<String, RunRecord>,
    folder: PathBuf,
}

/// Writes the file.
///
/// # Errors
/// What is wrong with the file or the arguments, results that are not there, and what cannot be written.
pub fn export(arguments: &ExportArgs) -> Result<Exit, Failure> {
    let document = Document::open(&arguments.document)?;
    let folder = document.runs_folder(arguments.from.as_ref());
    let all = document.all_runs()?;
    let runs = document.select(all.clone(), &arguments.selection)?;
    let records = read_records(&folder, &runs);
    let results = Results { all, runs, records, folder };
    let to = &arguments.to;
    let ending = to.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_lowercase();
    let written = match (ending.as_str(), FileKind::of(to)) {
        ("csv", _) => write_points(&results, to)?,
        ("safetensors", _) => write_weights(&results, to)?,
        (_, Some(kind)) => write_figure(&results, arguments.figure.as_deref(), kind, to)?,
        _ => {
            let message = "give --to a file that ends with .csv, .svg, .png, .pdf or .safetensors";
            return Err(Failure::Input(message.to_owned()));
        }
    };
    complain(&format!("wrote {written} to {}", to.display()));
    Ok(Exit::Done)
}

fn write_points(results: &Results, to: &Path) -> Result<String, Failure> {
    let points: usize = results.records.values().map(|record| record.points().len()).sum();
    if points == 0 {
        return Err(nothing_there(results));
    }
    write_file(to, points_csv(&results.runs, &results.records).as_bytes())?;
    Ok(format!("{} points", thousands(points as u64)))
}

fn write_figure(results: &Results, name: Option<&str>, kind: FileKind, to: &Path) -> Result<String, Failure> {
    let plot = name.and_then(find).unwrap_or(ALL[0]);
    let figure = plot.build(&arms(results), &PlotOptions::default());
    if !figure.has_data() {
        return Err(nothing_drawn(results, plot.name(), &figure));
    }
    write(&figure, to, kind, &Options::default())?;
    Ok(format!("the figure \"{}\"", plot.name()))
}

/// The runs by arm; an arm has the colour of its place in the document, whatever else is in the figure.
fn arms(results: &Results) -> Vec<ArmRuns<'_>> {
    let mut names: Vec<&str> = Vec::new();
    for run in &results.all {
        if !names.contains(&run.arm.as_str()) {
            names.push(&run.arm);
        }
    }
    let arm = |(colour, name): (usize, &str)| {
        let of_arm = results.runs.iter().filter(|run| run.arm == name);
        let runs = of_arm.filter_map(|run| Some((run.seed, results.records.get(&run.id)?)));
        ArmRuns { name: name.to_owned(), colour, runs: runs.collect() }
    };
    names.into_iter().enumerate().map(arm).filter(|arm| !arm.runs.is_empty()).collect()
}

/// Copies the weights that the only run which was asked for ended with.
fn write_weights(results: &Results, to: &Path) -> Result<String, Failure> {
    let [run] = results.runs.as_slice() else {
        let count = counted(results.runs.len(), "run");
        return Err(Failure::Input(format!(
            "weights are those of one run, and these are {count}; name it with --arm and --seed"
        )));
    };
    let from = weights_path(&results.folder, &run.id);
    let bytes = std::fs::read(&from).map_err(|error| {
        let remedy = "weights are written when a run is done";
        Failure::Input(format!(
            "cannot read the weights of {} (seed {}): {}: {error}; {remedy}",
            run.arm,
            run.seed,
            from.display()
        ))
    })?;
    write_file(to, &bytes)?;
    Ok(format!("the weights of {} (seed {})", run.arm, run.seed))
}

/// Why a figure would be empty.
fn nothing_drawn(results: &Results, name: &str, figure: &Figure) -> Failure {
    if results.records.values().all(|record| record.points().is_empty()) {
        return nothing_there(results);
    }
    Failure::Input(if figure.lines.iter().flat_map(Line::polylines).any(|points| !points.is_empty()) {
        format!(
            "no value of the figure \"{name}\" can be drawn, each is {}; --to x.csv writes them as they are",
            figure.y.scale.refusal()
        )
    } else {
        format!(
            "these runs have no results for the figure \"{name}\"; choose another --figure, or --to x.csv for all points"
        )
    })
}

fn nothing_there(results: &Results) -> Failure {
    let folder = results.folder.display();
    Failure::Input(format!(
        "there are no results in {folder} yet; run the experiment first, with weightlab run"
    ))
}

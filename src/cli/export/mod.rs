//! `weightlab export`: writes points, a figure or weights, by the ending of the file, or all results for others.

mod figure_args;
mod of_arm;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use clap::{ArgGroup, Args};
use figure_args::{FigureArgs, PageArgs};
use of_arm::OfArm;

use super::document::{Document, DocumentArgs, SelectionArgs, view_of};
use super::output::{Exit, Failure, print_err, refuse};
use doc::{Experiment, Run};
use figure::export::missing_characters;
use figure::plots::{ALL, Plot, find};
use figure::view::exported;
use figure::{Figure, FileKind, Line, Options, write, write_file, write_file_by};
use form::number::{counted, grouped, megabytes};
use publish::ro_crate::{Author, CrateOptions, Licence};
use publish::{self, PublishError, Selected, ro_crate, tensorboard};
use results::RunRecord;
use results::methods::methods;
use results::table::Differing;
use results::tiles::Group;
use results::view::{Preset, ViewSettings};
use run::{read_record, read_records, weights_path};

/// Settings of `weightlab export`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("place").required(true).args(["to", "tensorboard", "packed"]))]
pub struct ExportArgs {
    #[command(flatten)]
    document: DocumentArgs,
    /// File to write: .svg .png .pdf a figure; .csv all points, or with --figure what it draws; .safetensors weights
    #[arg(long, value_name = "OUT", conflicts_with_all = ["license", "author"])]
    to: Option<PathBuf>,
    #[command(flatten)]
    share: ShareArgs,
    /// Which figure [default: the first one]; layers, histogram, histograms, values and mask are about the
    /// first run of one arm that has them
    #[arg(long, value_name = "NAME", value_parser = figure_names())]
    figure: Option<String>,
    /// Which parameter the figures histogram, histograms, values and mask show, such as fc1.weight [default: the first one];
    /// of weight-statistics, the parameter that has a line for each arm [default: all parameters of one arm]
    #[arg(long, value_name = "NAME", requires = "figure")]
    parameter: Option<String>,
    /// Which training's network the figures layers, histogram, values and mask show, where the run has kept it: the number
    /// of a round, or a name such as "training 1", as the slider of the window has them [default: the final weights]
    #[arg(long, value_name = "N", requires = "figure")]
    round: Option<String>,
    /// Size of the figure: one-column (3.5 inches wide), two-columns (7.2 inches), slide (16:9, with large text), or width
    /// and height in millimetres, such as 120x80 [default: what the window has chosen, else one-column]
    #[arg(long, value_name = "SIZE", value_parser = Preset::parse)]
    size: Option<Preset>,
    /// Dots per inch of a .png [default: what the window has chosen, else 300]
    #[arg(long, value_name = "N")]
    dpi: Option<u32>,
    #[command(flatten)]
    figure_args: FigureArgs,
    #[command(flatten)]
    page_args: PageArgs,
    /// Write a paragraph for a paper's methods section, made from the experiment file
    #[arg(long, conflicts_with_all = OF_FIGURE.split(' '))]
    methods: bool,
    #[command(flatten)]
    selection: SelectionArgs,
    /// Folder of the runs' directories [default: beside the file, FILE.runs]
    #[arg(long, value_name = "DIR", visible_alias = "into")]
    from: Option<PathBuf>,
}

fn figure_names() -> Vec<&'static str> {
    ALL.iter().map(|plot| plot.name).chain(of_arm::names()).collect()
}

/// Runs with their records.
struct Results {
    /// All runs of the document: colours of arms follow from them.
    all: Vec<Run>,
    runs: Vec<Run>,
    records: BTreeMap<String, RunRecord>,
    folder: PathBuf,
}

/// Writes the file.
///
/// # Errors
/// What is wrong with the file or the arguments, results that are not there, and what cannot be written.
pub fn export(arguments: &ExportArgs) -> Result<Exit, Failure> {
    let document = Document::open(&arguments.document, arguments.from.as_ref())?;
    let folder = document.folder.clone();
    if arguments.methods {
        // With mistakes there are no runs; what they are is said below.
        let records = document.all_runs().map(|runs| read_records(&folder, &runs)).unwrap_or_default();
        let text = methods(&document.experiment, records.values()).map_err(|problems| {
            let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
            Failure::Input(lines.join("\n"))
        })?;
        if let Some(to) = &arguments.to {
            write_file(to, text.as_bytes())?;
            print_err(&format!("wrote a methods paragraph to {}", to.display()));
        }
        return Ok(Exit::Done);
    }
    let (all, runs) = document.selected(&arguments.selection)?;
    let Some(to) = &arguments.to else {
        let records = read_records(&folder, &runs);
        return share(&arguments.share, &document, &Results { all, runs, records, folder });
    };
    let ending = to.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_lowercase();
    let is_figure = FileKind::from_path(to).is_some() && (ending != "csv" || arguments.figure.is_some());
    if arguments.figure_args != FigureArgs::default() && !is_figure {
        return refuse(format!("{OF_PLOT} a figure; name one with --figure, or remove them"));
    }
    if arguments.page_args != PageArgs::default() && (!is_figure || ending == "csv") {
        return refuse(
            "--title, --select, --legend, --font, --intervals, --marks, --dashes, --notes and --footnote apply to a drawn figure; \
            remove them",
        );
    }
    let written = match (ending.as_str(), FileKind::from_path(to)) {
        ("csv", _) if arguments.figure.is_none() => write_points(&runs, &folder, to)?,
        ("safetensors", _) => write_weights(&runs, &folder, to)?,
        (_, Some(kind)) => {
            let results = Results { records: read_records(&folder, &runs), all, runs, folder };
            write_figure(&document.experiment, &results, arguments, (to, kind))?
        }
        _ => {
            let known = "give --to a file that ends with .csv, .svg, .png, .pdf or .safetensors";
            let wrong =
                if ending.is_empty() { ending } else { format!(".{ending} is not a supported format; ") };
            return refuse(wrong + known);
        }
    };
    print_err(&format!("wrote {written} to {}", to.display()));
    Ok(Exit::Done)
}

/// Reads the runs as it writes: the points of thousands of them would fill the memory.
fn write_points(runs: &[Run], folder: &Path, to: &Path) -> Result<String, Failure> {
    let is_any = |run: &Run| read_record(folder, &run.id).is_some_and(|record| !record.points().is_empty());
    if !runs.iter().any(is_any) {
        return nothing_there(folder);
    }
    let points = write_file_by(to, |file| publish::write_points(folder, runs, file))?;
    Ok(format!("{} points", grouped(points as u64)))
}

const OF_PLOT: &str =
    "--band, --x, --y, --y-range, --rounds, --statistic, --individual-seeds, --facets and --axes apply to";

/// Writes the figure as the window shows it: with the filter, the axes and the titles of `view.json`.
fn write_figure(
    experiment: &Experiment,
    results: &Results,
    arguments: &ExportArgs,
    (to, kind): (&Path, FileKind),
) -> Result<String, Failure> {
    let mut view = view_of(&results.folder);
    let figure = arguments.figure.as_deref();
    let of_arm = figure.and_then(OfArm::find);
    let of_weights = figure.and_then(find).is_some_and(|plot| plot.controls.weights);
    if arguments.parameter.is_some() && !of_weights && !of_arm.is_some_and(OfArm::has_parameter) {
        return refuse(
            "--parameter applies to the figures histogram, histograms, values, mask and weight-statistics; remove it",
        );
    }
    if arguments.round.is_some() && !of_arm.is_some_and(OfArm::has_moment) {
        return refuse(
            "--round applies to the figures layers, histogram, values and mask; remove it (--rounds chooses lines)",
        );
    }
    if let Some(plot) = figure.and_then(find).filter(|_| kind == FileKind::Csv) {
        // A table has all values, unless the window hides some.
        view.plots.entry(plot.name.to_owned()).or_default();
    }
    let (figure, what) = match of_arm {
        Some(_) if arguments.figure_args != FigureArgs::default() => {
            return refuse(format!("{OF_PLOT} plots over runs; remove them"));
        }
        Some(of_arm) => of_arm.figure(results, arguments.parameter.as_deref(), arguments.round.as_deref())?,
        None => (plotted(results, arguments, &mut view)?, String::new()),
    };
    let mut figure = figure.of_experiment(&experiment.name);
    arguments.page_args.name(&mut figure)?;
    let paper = Options::from_view(&view);
    let dpi = arguments.dpi.map_or(paper.dpi, f64::from);
    let options = arguments.page_args.apply(Options { dpi, ..paper }, arguments.size);
    write(&figure, to, kind, &options)?;
    if let Some(note) = missing_characters(&figure, kind, &options) {
        print_err(&format!("note: {note}"));
    }
    let name = arguments.figure.as_deref().unwrap_or(ALL[0].name);
    Ok(format!("the figure \"{name}\"{what}"))
}

/// Draws the figure that says most about runs into their folder: over the weights that remain where some were pruned, over
/// faults where some were injected, else the first plot with data. Returns its path; `None` without data.
///
/// # Errors
/// What cannot be written.
pub fn write_overview(
    experiment: &Experiment,
    runs: &[Run],
    folder: &Path,
) -> Result<Option<PathBuf>, Failure> {
    let records = read_records(folder, runs);
    let mut view = ViewSettings::read(folder).unwrap_or_default();
    let mut plots: Vec<&Plot> = ALL.iter().filter(|plot| plot.concerns(records.values())).collect();
    plots.sort_by_key(|plot| match plot.group {
        Group::Pruning => 0,
        Group::Faults => 1,
        Group::Curves | Group::Geometry | Group::Runs | Group::Weights | Group::Notes => 2,
    });
    for plot in plots {
        let figure = exported(plot, &mut view, runs, &records, |_| true).of_experiment(&experiment.name);
        if figure.refusal().is_none() && figure.has_data() {
            let to = folder.join(format!("{}.png", plot.name));
            write(&figure, &to, FileKind::Png, &Options::from_view(&view))?;
            return Ok(Some(to));
        }
    }
    Ok(None)
}

fn plotted(results: &Results, arguments: &ExportArgs, view: &mut ViewSettings) -> Result<Figure, Failure> {
    let plot = arguments.figure.as_deref().and_then(find).unwrap_or(&ALL[0]);
    let selected: BTreeSet<(&str, &str)> =
        results.runs.iter().map(|run| (run.id.as_str(), run.arm.as_str())).collect();
    let is_selected = |run: &Run| selected.contains(&(run.id.as_str(), run.arm.as_str()));
    let mut differing = Differing::default();
    differing.give(&mut [], &results.all.iter().collect::<Vec<_>>());
    if plot.controls.weights && arguments.parameter.is_some() {
        view.options.weights.parameter.clone_from(&arguments.parameter);
    }
    arguments.figure_args.apply(plot, view, &results.records, [differing.paths(), differing.known()])?;
    let mut figure = exported(plot, view, &results.all, &results.records, is_selected);
    if let Some(why) = figure.refusal() {
        let remedy = "give --facets another setting or none, or choose runs with --arm and --seed";
        return refuse(format!("{why}; {remedy}"));
    }
    if !figure.has_data() || !plot.concerns(results.records.values()) {
        return nothing_drawn(results, plot, &figure);
    }
    arguments.figure_args.cut(plot, &mut figure)?;
    Ok(figure)
}

/// Copies the final weights of the only selected run.
fn write_weights(runs: &[Run], folder: &Path, to: &Path) -> Result<String, Failure> {
    let [run] = runs else {
        let count = counted(runs.len(), "run");
        return refuse(format!(
            "weights belong to one run, and these are {count}; choose one with --arm and --seed"
        ));
    };
    let from = weights_path(folder, &run.id);
    let bytes = std::fs::read(&from).map_err(|error| {
        let remedy = "a run writes its weights when it is done";
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

fn nothing_drawn<T>(results: &Results, plot: &Plot, figure: &Figure) -> Result<T, Failure> {
    let (name, lacks) = (plot.name, plot.lacks);
    if results.records.values().all(|record| record.points().is_empty()) {
        return nothing_there(&results.folder);
    }
    let why = figure.why_empty();
    if !why.is_empty() {
        return refuse(format!(
            "there is no figure \"{name}\": {why}; choose other columns with --x and --y"
        ));
    }
    let parts = figure.parts();
    let mut lines = parts.iter().flat_map(|part| &part.lines).flat_map(Line::polylines);
    if plot.concerns(results.records.values()) && lines.any(|points| !points.is_empty()) {
        return refuse(format!(
            "no value of the figure \"{name}\" can be drawn, each is {}; --to x.csv without --figure writes them as they are",
            figure.y.scale.refusal()
        ));
    }
    refuse(format!(
        "there is no figure \"{name}\": {lacks}; choose another --figure, or leave it out and write --to x.csv for all points"
    ))
}

fn nothing_there<T>(folder: &Path) -> Result<T, Failure> {
    let folder = folder.display();
    refuse(format!("there are no results in {folder} yet; run the experiment first, with weightlab run"))
}

/// The options about the figure that `--to` writes.
const OF_FIGURE: &str = "figure parameter round size dpi band x y y_range rounds statistic seeds_shown facets axes title \
    select legend font intervals marks dashes notes footnote";

/// Exports for others.
#[derive(Debug, Args)]
pub struct ShareArgs {
    /// Folder for event files of TensorBoard: all values and histograms of the weights, settings, and the methods text.
    /// It must be new, empty, or of an earlier export
    #[arg(long, value_name = "DIR", conflicts_with_all = OF_FIGURE.split(' '), conflicts_with = "methods", conflicts_with_all = ["license", "author"])]
    tensorboard: Option<PathBuf>,
    /// Folder for an RO-Crate: the experiment, its results, and where they come from. It must be new or empty
    #[arg(id = "packed", long = "crate", value_name = "DIR", conflicts_with_all = OF_FIGURE.split(' '), conflicts_with = "methods")]
    packed: Option<PathBuf>,
    /// What others may do with the crate: an identifier of the SPDX list, such as CC-BY-4.0, or an address
    #[arg(long, value_name = "ID", requires = "packed", value_parser = Licence::parse)]
    license: Option<Licence>,
    /// Who made the crate: a name, or "Name <ORCID>"; can be repeated
    #[arg(long, value_name = "NAME", requires = "packed", value_parser = Author::parse)]
    author: Vec<Author>,
}

/// Writes what the options ask for.
///
/// # Errors
/// When something else is at the place, there are no results, or the disk refuses.
fn share(arguments: &ShareArgs, document: &Document, results: &Results) -> Result<Exit, Failure> {
    let text = document.text_with_settings()?;
    let selected = Selected {
        experiment: &document.experiment,
        file: &document.path,
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

//! `weightlab data`: which datasets there are on this machine, and getting one from its source.

use std::io::{IsTerminal, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::{Args, Subcommand};

use super::output::{Exit, Failure, print_err, print_out, table};
use data::{Data, KnownSet, Origin, Places, Remote};
use download::{DownloadError, Patience, Progress, download};
use form::number::megabytes;

/// Settings of `weightlab data`.
#[derive(Debug, Args)]
pub struct DataArgs {
    #[command(subcommand)]
    action: Action,
}

/// What can be done with datasets.
#[derive(Debug, Subcommand)]
enum Action {
    /// List the datasets that can be downloaded, with size, licence and folder
    List,
    /// Download a dataset; a second call continues an interrupted one
    Get(GetArgs),
}

/// Settings of `weightlab data get`.
#[derive(Debug, Args)]
struct GetArgs {
    /// The dataset, such as mnist, fashion-mnist or cifar-10
    name: String,
    #[arg(
        long,
        value_name = "DIR",
        help = "Folder for its files [default: below WEIGHTLAB_DATA, or below data in your home folder]"
    )]
    to: Option<PathBuf>,
}

/// The time between two versions of the line of a terminal.
const REDRAW_EVERY: Duration = Duration::from_millis(200);

/// Lists datasets, or downloads one.
///
/// # Errors
/// A name that no dataset has, or why the download failed.
pub fn data(arguments: &DataArgs) -> Result<Exit, Failure> {
    let places = Places::from_env(Path::new("."));
    match &arguments.action {
        Action::List => {
            print_out(&list(&places))?;
            Ok(Exit::Done)
        }
        Action::Get(arguments) => get(arguments, &places),
    }
}

fn list(places: &Places) -> String {
    let row = |(set, origin): (&KnownSet, Origin)| {
        let found = places.find(set).map_or("not found".to_owned(), |folder| folder.display().to_string());
        vec![set.name.to_owned(), megabytes(origin.bytes()), origin.licence.to_owned(), found]
    };
    let rows: Vec<_> = Data::downloadable().into_iter().map(row).collect();
    table(&["dataset", "download", "licence", "folder"], &rows, 4)
}

fn get(arguments: &GetArgs, places: &Places) -> Result<Exit, Failure> {
    let Some((set, origin)) = named(&arguments.name) else {
        let names: Vec<&str> = Data::downloadable().iter().map(|(set, _)| set.name).collect();
        let message = format!("no dataset is called {}; there are {}", arguments.name, names.join(", "));
        return Err(Failure::Input(message));
    };
    let folder = arguments.to.clone().unwrap_or_else(|| set.download_folder(places));
    // Whether what is there is right is only known below; where it is, no request is sent.
    let is_there = origin.files.iter().all(|file| file.is_in(&folder));
    if !is_there {
        print_err(&about(set, &origin, &folder));
    }
    let cancelled = Arc::new(AtomicBool::new(false));
    let flag = cancelled.clone();
    // Without the handler, the interrupt ends the program, and what has arrived is kept all the same.
    let _ = ctrlc::set_handler(move || flag.store(true, Ordering::SeqCst));
    match fetch(origin.files, &folder, &cancelled) {
        Ok(()) => {
            let already = if is_there { "already " } else { "" };
            print_out(&format!("{} is {already}in {}", set.name, folder.display()))?;
            Ok(Exit::Done)
        }
        Err(DownloadError::Cancelled) => {
            print_err("interrupted; the same command continues");
            Ok(Exit::Interrupted)
        }
        Err(error) => Err(Failure::Input(error.to_string())),
    }
}

/// Finds the dataset of a name, however it is written: `cifar10`, `CIFAR-10`.
fn named(name: &str) -> Option<(&'static KnownSet, Origin)> {
    let plain = |name: &str| -> String {
        name.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase()).collect()
    };
    Data::downloadable().into_iter().find(|(set, _)| plain(set.name) == plain(name))
}

/// Says what is downloaded, from where, under which licence and to which folder.
fn about(set: &KnownSet, origin: &Origin, folder: &Path) -> String {
    let addresses: Vec<String> = origin.files.iter().map(|file| format!("  {}", file.url)).collect();
    format!(
        "{}: {}\nlicence: {}\npage: {}\nfolder: {}\nfrom:\n{}",
        set.name,
        megabytes(origin.bytes()),
        origin.licence,
        origin.page,
        folder.display(),
        addresses.join("\n")
    )
}

fn fetch(files: &[Remote], folder: &Path, cancelled: &AtomicBool) -> Result<(), DownloadError> {
    let is_terminal = std::io::stderr().is_terminal();
    let mut drawn: Option<Instant> = None;
    let mut on_progress = |progress: Progress| {
        let is_over = progress.done == progress.total;
        if is_terminal && (is_over || drawn.is_none_or(|drawn| drawn.elapsed() >= REDRAW_EVERY)) {
            drawn = Some(Instant::now());
            let (done, total) = (megabytes(progress.done), megabytes(progress.total));
            let _ = write!(std::io::stderr(), "\r\x1b[2K{done} of {total}"); // progress is no result
        }
        if cancelled.load(Ordering::SeqCst) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let result = download(files, folder, Patience::default(), &mut on_progress);
    if drawn.is_some() {
        print_err("");
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn datasets_are_known_however_their_names_are_written() {
        for name in ["cifar10", "CIFAR-10", "Cifar_10"] {
            assert_eq!(named(name).unwrap().0.name, "CIFAR-10");
        }
        assert_eq!(named("fashion mnist").unwrap().0.name, "Fashion-MNIST");
        assert!(named("cifar").is_none());
    }

    #[test]
    fn what_is_downloaded_names_size_licence_source_and_folder() {
        let (set, origin) = named("mnist").unwrap();
        let text = about(set, &origin, Path::new("/data/mnist"));
        for word in ["MNIST: 11.6 MB", "CC BY-SA", "yann.lecun.com", "/data/mnist", "https://"] {
            assert!(text.contains(word), "{text}");
        }
        let text = list(&Places { data: Some("/nowhere".into()), ..Places::default() });
        assert!(
            text.contains("CIFAR-10") && text.contains("170.1 MB") && text.contains("not found"),
            "{text}"
        );
    }

    #[test]
    fn files_that_are_there_but_wrong_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let (_, origin) = named("mnist").unwrap();
        for file in origin.files {
            std::fs::write(folder.path().join(file.name()), b"another file").unwrap();
        }
        let arguments = GetArgs { name: "mnist".to_owned(), to: Some(folder.path().to_owned()) };
        let message = get(&arguments, &Places::default()).unwrap_err().to_string();
        assert!(
            message.contains("train-images-idx3-ubyte.gz is there already and is another file"),
            "{message}"
        );
    }

    #[test]
    fn an_unknown_name_lists_the_known_ones() {
        let arguments = GetArgs { name: "imagenet".to_owned(), to: None };
        let message = get(&arguments, &Places::default()).unwrap_err().to_string();
        assert!(message.contains("imagenet") && message.contains("MNIST, Fashion-MNIST"), "{message}");
    }
}

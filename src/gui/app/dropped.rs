//! Files dropped on the window: experiments, weights and datasets; identified in a thread, then used or refused.

use std::path::{Path, PathBuf};

use eframe::egui::{self, Id, Order};

use super::App;
use super::shell::Shell;
use crate::dialogs::{Dialog, Leaving, Next};
use crate::files::absolute;
use crate::importing::{Importing, Weights};
use crate::theme;
use data::{Data, Recognised, recognise};
use doc::file_names::{is_file, weight_endings};
use doc::listed;
use form::path::Place;
use run::weight_files::{guess, read_shapes};

/// A dropped path, identified.
#[derive(Clone, Debug, PartialEq)]
pub enum Dropped {
    /// An experiment's file.
    Experiment(PathBuf),
    /// Weights.
    Weights(Box<Weights>),
    /// A folder with the files of a dataset.
    Data(Recognised),
    /// The folder that was chosen for data that were not found, and what it holds, if that is a known dataset.
    Chosen(PathBuf, Option<Recognised>),
    /// Something that has no use here, and what it is.
    Other(String),
}

impl Dropped {
    /// Returns its name among files.
    fn name(&self) -> String {
        let path = match self {
            Self::Experiment(path) | Self::Chosen(path, _) => path,
            Self::Weights(weights) => &weights.path,
            Self::Data(found) => &found.folder,
            Self::Other(what) => return what.clone(),
        };
        path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }
}

impl Shell {
    /// Takes dropped paths: identifies them in a thread, and returns what they are once that is known. `wanted` are
    /// the data of the experiment.
    pub fn take_dropped(&mut self, wanted: &Data, ctx: &egui::Context) -> Option<Vec<Dropped>> {
        let paths: Vec<PathBuf> =
            ctx.input(|input| input.raw.dropped_files.iter().map(|file| file.path().to_owned()).collect());
        if !paths.is_empty() && self.takes_drops() {
            self.dialog = None;
            let wanted = wanted.clone();
            self.identify(paths, move |path| identify(path, &wanted), ctx);
        }
        self.dropping.take().map(|((), found)| found)
    }

    /// Finds out in a thread what the folder is that was chosen for these data.
    pub fn identify_chosen(&mut self, path: PathBuf, wanted: Data, ctx: &egui::Context) {
        let found = move |path: &Path| Dropped::Chosen(path.to_owned(), recognise(path, &wanted));
        self.identify(vec![path], found, ctx);
    }

    fn identify(
        &mut self,
        paths: Vec<PathBuf>,
        what: impl Fn(&Path) -> Dropped + Send + 'static,
        ctx: &egui::Context,
    ) {
        self.dropping.abandon();
        self.dropping.ask((), ctx, move || Ok(paths.iter().map(|path| what(&absolute(path))).collect()));
    }

    /// Returns true if something may be dropped: not while a question is open. A dialog that only shows something
    /// closes then.
    fn takes_drops(&self) -> bool {
        self.dialog.as_ref().is_none_or(|dialog| !dialog.is_question())
    }
}

impl App {
    /// Says what can be dropped, while something is dragged over the window.
    pub(super) fn drop_ui(&self, ctx: &egui::Context) {
        let is_held = ctx.input(|input| !input.raw.hovered_files.is_empty());
        if is_held && self.shell.takes_drops() {
            let area = egui::Area::new(Id::unique("drop")).order(Order::Foreground).interactable(false);
            area.fixed_pos(ctx.content_rect().min).show(ctx, |ui| {
                let frame = egui::Frame::new().fill(theme::present(ui).canvas.gamma_multiply(0.9));
                frame.show(ui, |ui| {
                    ui.set_min_size(ctx.content_rect().size());
                    ui.centered_and_justified(|ui| {
                        ui.label("Drop to open experiments, import weights or use data")
                    });
                });
            });
        }
    }

    /// Uses what was dropped on the window.
    pub(super) fn use_dropped(&mut self, found: Vec<Dropped>, ctx: &egui::Context) {
        let others = found.iter().filter_map(|dropped| match dropped {
            Dropped::Other(what) => Some(what.as_str()),
            Dropped::Experiment(_) | Dropped::Weights(_) | Dropped::Data(_) | Dropped::Chosen(..) => None,
        });
        let others = others.collect::<Vec<_>>().join(".\n");
        if !others.is_empty() {
            let use_of = format!(
                "Drop an experiment (.ron), a weight file ({}) or data (a folder, a table .csv or arrays .npz).",
                weight_endings()
            );
            self.fail("Weightlab cannot use this", &format!("{others}.\n{use_of}"));
        }
        let usable = found.into_iter().filter(|dropped| !matches!(dropped, Dropped::Other(_)));
        let mut usable: Vec<_> = usable.collect();
        usable.sort_by_key(|dropped| !matches!(dropped, Dropped::Experiment(_))); // the first of them
        let mut usable = usable.into_iter();
        match usable.next() {
            None | Some(Dropped::Other(_)) => {}
            Some(Dropped::Experiment(path)) => self.proceed(Leaving::to(Next::Open(path)), ctx),
            Some(Dropped::Weights(found)) => self.offer_import(*found),
            Some(Dropped::Data(found)) if is_same(&found, &self.editor.document.experiment.data) => {
                self.use_data(&found);
            }
            Some(Dropped::Data(found)) => {
                let present = self.editor.document.experiment.data.name();
                self.shell.dialog = Some(Dialog::other_data(found, present));
            }
            Some(Dropped::Chosen(path, found)) => self.take_chosen(&path, found.as_ref()),
        }
        let left: Vec<String> = usable.map(|dropped| dropped.name()).collect();
        if !left.is_empty() {
            self.log.warn(format!("Only one of what was dropped is used: {} left out", listed(&left)));
        }
    }

    /// Uses the folder that was chosen for data that were not found, or says why it is of no use.
    fn take_chosen(&mut self, path: &Path, found: Option<&Recognised>) {
        let data = &self.editor.document.experiment.data;
        if let Some(found) = found.filter(|found| is_same(found, data)) {
            return self.use_data(found);
        }
        if data.needs_look() {
            // What is wrong with it is said at its field.
            let data = data.clone().in_folder(self.editor.document.as_written(path));
            self.editor.document.experiment.data = data;
            return self.show_setting(Place::default().key("data"));
        }
        let (title, text, details) = why_not(path, found, data);
        self.ask_about_missing(title, text, details);
    }

    /// Makes a folder of data the data of the experiment.
    pub(super) fn use_data(&mut self, found: &Recognised) {
        self.editor.use_data(found, &mut self.log);
        self.note_data_folder();
        self.show_setting(Place::default().key("data"));
    }

    /// Offers to import weights; where they do not fit the network of the arm exactly, the network that they are of.
    fn offer_import(&mut self, weights: Weights) {
        let arm = self.workspace.arm();
        let document = &self.editor.document;
        let Some(name) = document.experiment.arms.get(arm).map(|arm| arm.name.clone()) else {
            let why = "There is no arm to import them into. Add one first.";
            return self.fail("The weights were not imported", why);
        };
        // While the document has an error, the runs are those of earlier settings.
        let runs = if document.is_behind() { &[] } else { document.runs() };
        let run = runs.iter().find(|run| run.arm_index == arm);
        let structure = run.and_then(|run| run.spec.structure().ok());
        let (whose, data) = (self.editor.whose_network(arm), &document.experiment.data);
        let importing = Importing::new(weights, (arm, name), &whose, structure.as_ref(), data);
        self.shell.dialog = Some(Dialog::Import(Box::new(importing)));
    }
}

/// Returns what a path is; `wanted` are the data of the experiment. Reads from disk, which may be slow.
pub fn identify(path: &Path, wanted: &Data) -> Dropped {
    if let Some(found) = recognise(path, wanted) {
        return Dropped::Data(found);
    }
    if path.is_dir() {
        let names: Vec<&str> = Data::all().iter().filter_map(Data::file_set).collect();
        return Dropped::Other(format!(
            "{} has no files of a known dataset ({}), no folders of pictures and no NumPy arrays",
            path.display(),
            names.join(", ")
        ));
    }
    match ending(path).as_str() {
        "ron" => Dropped::Experiment(path.to_owned()),
        _ if is_file(&path.to_string_lossy()) => match read_shapes(path, false) {
            Ok(shapes) => {
                let (path, guess) = (path.to_owned(), guess(&shapes));
                Dropped::Weights(Box::new(Weights { path, shapes, guess }))
            }
            Err(why) => Dropped::Other(why),
        },
        "gz" | "zip" | "tar" | "tgz" => {
            Dropped::Other(format!("{} is an archive: unpack it and drop the folder", path.display()))
        }
        "csv" | "tsv" => Dropped::Other(format!(
            "{} has no header with columns, and cannot be read as a table",
            path.display()
        )),
        "" => Dropped::Other(format!("{} has no file extension", path.display())),
        other => Dropped::Other(format!("{} is a .{other} file", path.display())),
    }
}

fn ending(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_lowercase()
}

/// Returns why a chosen folder is of no use to an experiment with these data, for its user: a title, a text, and details.
pub fn why_not(path: &Path, found: Option<&Recognised>, wanted: &Data) -> (String, String, String) {
    let (set, files) = (wanted.name(), wanted.file_names().join(", "));
    let other = found.map(|found| format!("This folder holds {}", found.data.name()));
    let title = other.unwrap_or_else(|| format!("This folder does not hold {set}"));
    let chosen = wanted.clone().in_folder(path.to_string_lossy().into_owned());
    let lacks = chosen.check_files(Path::new("")).err().and_then(|error| error.searched());
    (title, format!("The experiment needs {set}: choose the folder with {files}."), lacks.unwrap_or_default())
}

/// Returns true if data that were found are those of the experiment: the same dataset and, of EMNIST, the same split.
pub fn is_same(found: &Recognised, present: &Data) -> bool {
    (found.data.key(), found.data.file_set()) == (present.key(), present.file_set())
}

/// Returns the data that were dropped, with the settings that the document has for the same dataset.
pub fn data_in(found: &Recognised, dir: String, present: &Data) -> Data {
    // A first folder brings its settings along; afterwards they are those of the document.
    let is_first = present.user_path() == Some("");
    if is_same(found, present) && !is_first { present.clone() } else { found.data.clone() }.in_folder(dir)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(path: &Path) -> Dropped {
        identify(path, &Data::all()[0])
    }

    #[test]
    fn a_folder_without_data_says_what_could_be_in_it() {
        let root = tempfile::tempdir().unwrap();
        assert!(matches!(named(root.path()), Dropped::Other(why) if why.contains("CIFAR-10")));
    }

    #[test]
    fn what_is_dropped_is_named() {
        assert!(matches!(named(Path::new("/x/a.ron")), Dropped::Experiment(_)));
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("a.SafeTensors");
        let header = br#"{"fc1.bias":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}"#;
        let bytes = [&(header.len() as u64).to_le_bytes(), &header[..], &[0; 4]].concat();
        std::fs::write(&path, bytes).unwrap();
        let Dropped::Weights(weights) = named(&path) else { panic!() };
        assert_eq!(weights.shapes.shapes["fc1.bias"], [1]);
        assert_eq!(weights.guess.unwrap_err(), "the file has no weights of layers");
        std::fs::write(root.path().join("a.pt"), "<html>").unwrap();
        let Dropped::Other(why) = named(&root.path().join("a.pt")) else { panic!() };
        assert!(why.contains("a.pt is a web page, not the file itself"), "{why}");
        assert!(matches!(named(Path::new("/x/a.jpg")), Dropped::Other(why) if why.contains("a .jpg file")));
    }

    #[test]
    fn another_split_of_a_dataset_is_other_data() {
        use data::{Emnist, EmnistSplit};
        let of = |split| Data::Emnist(Emnist { split, limit_test: Some(9), ..Emnist::default() });
        let found = Recognised {
            data: Data::Emnist(Emnist { split: EmnistSplit::Letters, ..Emnist::default() }),
            folder: PathBuf::new(),
            others: Vec::new(),
        };
        let same = data_in(&found, "x".to_owned(), &of(EmnistSplit::Letters));
        assert_eq!(same, of(EmnistSplit::Letters).in_folder("x".to_owned()));
        let other = data_in(&found, "x".to_owned(), &of(EmnistSplit::Digits));
        assert_eq!(other, found.data.in_folder("x".to_owned()));
    }

    #[test]
    fn settings_of_the_same_dataset_are_kept() {
        let found = |data: Data| Recognised { data, folder: PathBuf::new(), others: Vec::new() };
        for data in Data::all().into_iter().filter(|data| data.file_set().is_some()) {
            let found = found(data.clone());
            assert_eq!(
                data_in(&found, "here".to_owned(), &data.limited_to(500)).limited_to(600),
                data_in(&found, "here".to_owned(), &data.limited_to(500))
            );
            assert_eq!(
                data_in(&found, "here".to_owned(), &Data::all()[0]),
                data.in_folder("here".to_owned())
            );
        }
    }
}

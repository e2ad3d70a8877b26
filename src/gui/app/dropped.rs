//! What is dropped on the window: identified in a thread, then used or refused.

use std::path::{Path, PathBuf};

use eframe::egui;

use super::App;
use super::editor::of_data;
use super::shell::Shell;
use crate::dialogs::{Dialog, Leaving, Next, OtherNetwork};
use crate::drop::{self, Dropped, DroppedWeights};
use data::{Data, Recognised, recognise};
use form::path::Place;
use run::weight_files::{Fit, Naming, Scaling};

impl Shell {
    /// Takes dropped paths: identifies them in a thread, and returns what they are once that is known. `wanted` are
    /// the data of the experiment.
    pub fn take_dropped(&mut self, wanted: &Data, ctx: &egui::Context) -> Option<Vec<Dropped>> {
        let paths: Vec<PathBuf> =
            ctx.input(|input| input.raw.dropped_files.iter().map(|file| file.path().to_owned()).collect());
        if !paths.is_empty() && self.takes_drops() {
            self.dialog = None;
            let wanted = wanted.clone();
            self.identify(paths, move |path| drop::identify(path, &wanted), ctx);
        }
        self.dropping.take().map(|(_, found)| found)
    }

    /// Finds out in a thread what the folder is that was chosen for these data.
    pub fn identify_chosen(&mut self, path: PathBuf, wanted: &Data, ctx: &egui::Context) {
        let wanted = wanted.clone();
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
        self.dropping.ask((), ctx, move || Ok(paths.iter().map(|path| what(path)).collect()));
    }

    /// Says what dropping would do, while something is dragged over the window.
    pub fn drop_ui(&self, arm: &str, ctx: &egui::Context) {
        let held: Vec<Option<PathBuf>> =
            ctx.input(|input| input.raw.hovered_files.iter().map(|file| file.path.clone()).collect());
        if !held.is_empty() && self.takes_drops() {
            drop::overlay_ui(ctx, &drop::promise(&held, arm));
        }
    }

    /// Returns true if something may be dropped: not while a question is open. A dialog that only shows something
    /// closes then.
    fn takes_drops(&self) -> bool {
        self.dialog.as_ref().is_none_or(|dialog| !dialog.is_question())
    }
}

impl App {
    /// Uses what was dropped on the window.
    pub(super) fn use_dropped(&mut self, found: Vec<Dropped>, ctx: &egui::Context) {
        let mut others = Vec::new();
        let (mut experiment, mut weights) = (None, None);
        for dropped in found {
            match dropped {
                Dropped::Experiment(path) if experiment.is_none() => experiment = Some(path),
                Dropped::Experiment(path) => {
                    others.push(format!("{} was not opened: a window holds one experiment", path.display()));
                }
                Dropped::Weights(found) if weights.is_none() => weights = Some(*found),
                Dropped::Weights(found) => {
                    others.push(format!("{}: drop one weight file at a time", found.path.display()));
                }
                Dropped::Data(found) => self.use_or_ask(found),
                Dropped::Chosen(path, found) => self.take_chosen(&path, found.as_ref()),
                Dropped::Other(what) => others.push(what),
            }
        }
        if !others.is_empty() {
            let use_of = format!(
                "Drop an experiment (.ron), a weight file ({}) or data (a folder, a table .csv or arrays .npz).",
                doc::file_names::weight_endings()
            );
            self.fail("Weightlab cannot use this", &format!("{}.\n{use_of}", others.join(".\n")));
        }
        match (experiment, weights) {
            (Some(path), _) => self.proceed(Leaving::to(Next::Open(path)), ctx),
            (None, Some(found)) => self.offer_import(found),
            (None, None) => {}
        }
    }

    /// Uses data of the experiment's dataset, and asks before they replace it by another one.
    fn use_or_ask(&mut self, found: Recognised) {
        let data = &self.editor.document.experiment.data;
        if drop::is_same(&found, data) {
            return self.use_data(&found);
        }
        self.shell.dialog = Some(Dialog::other_data(found, data.name()));
    }

    /// Uses the folder that was chosen for data that were not found, or says why it is of no use.
    fn take_chosen(&mut self, path: &Path, found: Option<&Recognised>) {
        let data = &self.editor.document.experiment.data;
        if let Some(found) = found.filter(|found| drop::is_same(found, data)) {
            return self.use_data(found);
        }
        let (title, text) = drop::why_not(path, found, data);
        self.ask_about_missing(title, text);
    }

    /// Makes a folder of data the data of the experiment.
    pub(super) fn use_data(&mut self, found: &Recognised) {
        self.editor.use_data(found, &mut self.log);
        self.show_setting(Place::default().key("data"));
    }

    /// Offers to import weights; where they do not fit the network of the arm exactly, the network that they are of.
    fn offer_import(&mut self, DroppedWeights { path, shapes, guess }: DroppedWeights) {
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
        let naming = structure.as_ref().map(|structure| Naming::new(structure, &shapes)).unwrap_or_default();
        let fit = structure.map(|structure| Fit::whole(&structure, &naming.apply(shapes.shapes.clone())));
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let (scaling, data) = (Scaling::new(&shapes), &document.experiment.data);
        self.shell.dialog = Some(match fit {
            Some(fit) if fit.is_exact() || fit.fits() && guess.is_err() => {
                let notes =
                    fit.unused(&file).into_iter().chain(naming.doubts).chain(scaling.note(&file, data));
                Dialog::import(path.clone(), arm, &name, notes)
            }
            fit => {
                let whose = self.editor.whose_network(arm);
                let notes = guess.as_ref().map_or_else(
                    |_| Vec::new(),
                    |guess| {
                        let taken = guess.data(data);
                        let note = scaling.note(&file, taken.as_ref().unwrap_or(data));
                        [of_data(&taken, data)].into_iter().chain(note).collect()
                    },
                );
                Dialog::OtherNetwork(OtherNetwork { path, arm, name, whose, fit, guess, notes })
            }
        });
    }
}

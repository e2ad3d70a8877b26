//! Looking at the inputs of runs in a thread: when the document is opened, when it names others, and when their files
//! change. What is found is no edit.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use eframe::egui::Context;

use super::{Document, LOOK_FOR_DATA};
use crate::background::Latest;
use data::{Input, Inventory, Look, Looks, Stamp};
use doc::{Problem, inputs_to_look_at};
use form::Stored;
use run::{Looker, input_problems};

/// All inputs are looked at in full this often.
const LOOK_IN_FULL: Duration = Duration::from_mins(1);

/// Knowledge of the inputs, and the thread that looks at them.
#[derive(Default)]
pub(super) struct Looking {
    looks: Looks,
    /// The folder that paths are relative to, and that of the results.
    base: PathBuf,
    results: PathBuf,
    /// The edit that `wanted` belongs to.
    revision: u64,
    /// The inputs, with keys.
    wanted: Vec<(String, Input)>,
    /// The state of the files of those that were looked at, by their keys; none where that failed.
    stamps: HashMap<String, Option<Stamp>>,
    seen: Latest<(), (Vec<Seen>, BTreeSet<String>)>,
    /// The time when the files were compared with their stamps.
    compared: Option<Instant>,
    /// The time when all were looked at without regard to stamps.
    in_full: Option<Instant>,
    had_focus: bool,
    /// The known set of the experiment, empty for data of the user; nothing before the first look.
    known_set: Option<String>,
    /// Lines for the log on data that were found or have changed.
    news: Vec<String>,
}

/// An input as it was looked at.
struct Seen {
    input: Input,
    stamp: Option<Stamp>,
    look: Look,
}

/// Problems of the weight files and lists of faults that runs read.
#[derive(Default)]
pub(super) struct FileProblems {
    pub problems: Vec<Problem>,
    /// The edit that the files were read for.
    revision: Option<u64>,
    found: Latest<u64, Vec<Problem>>,
}

impl Document {
    /// Takes what was found in the inputs, and begins to look at those that are new or have changed. `results` is the
    /// folder of the runs, which may know data that are gone. Returns a line for each dataset that is new or has changed.
    pub fn look_at_inputs(&mut self, results: &Path, ctx: &Context) -> Vec<String> {
        self.follow_looks(results, ctx);
        std::mem::take(&mut self.looking.news)
    }

    fn follow_looks(&mut self, results: &Path, ctx: &Context) {
        self.take_looks();
        let base = self.base();
        let is_elsewhere = self.looking.base != base || self.looking.results != results;
        if self.looking.revision != self.revision || is_elsewhere {
            if is_elsewhere {
                self.looking = Looking { base, results: results.to_owned(), ..Looking::default() };
            }
            self.looking.revision = self.revision;
            let wanted = inputs_to_look_at(&self.experiment);
            self.looking.looks.keep(&wanted);
            self.looking.wanted = wanted.into_iter().map(|input| (key(&input), input)).collect();
            self.log_known_set();
        }
        // An earlier state of the experiment may know less.
        if !self.experiment.looks.is(&self.looking.looks) {
            self.experiment.looks = self.looking.looks.clone();
            self.look_again();
        }
        if self.looking.wanted.is_empty() || self.looking.seen.is_busy() {
            return;
        }
        let due = self.due(ctx);
        if !due.is_empty() {
            let Looking { base, results, .. } = &self.looking;
            let (base, results) = (base.clone(), results.clone());
            let work = move || {
                let looker = OnceCell::new();
                // The files may be many and on a slow disk, so they are compared here, too.
                let look = |(input, known): (Input, Option<Stamp>)| {
                    let stamp = input.stamp(&base);
                    if known.as_ref() == Some(&stamp) {
                        return None;
                    }
                    let new = || Looker::new(base.clone(), results.clone());
                    let look = looker.get_or_init(new).look(&input);
                    Some(Seen { input, stamp: Some(stamp), look })
                };
                let seen: Vec<Seen> = due.into_iter().filter_map(look).collect();
                Ok((seen, looker.get().map(Looker::done_runs).unwrap_or_default()))
            };
            self.looking.seen.ask((), ctx, work);
        }
    }

    /// Returns true while inputs are still being looked at.
    pub fn is_looking(&self) -> bool {
        let Looking { wanted, stamps, .. } = &self.looking;
        wanted.iter().any(|(key, _)| !stamps.contains_key(key))
    }

    /// Looks at all inputs again: a run may have failed because a file in their depth has changed, which no stamp shows.
    pub fn forget_stamps(&mut self) {
        self.looking.stamps.clear();
    }

    /// Returns inputs that were not looked at yet and, after a while, all others with the state of their files. When
    /// the window gets the focus again, and once a minute, all are looked at in full: a stamp does not show a picture
    /// that was overwritten.
    fn due(&mut self, ctx: &Context) -> Vec<(Input, Option<Stamp>)> {
        let is_behind = self.is_looking();
        let Looking { wanted, stamps, compared, in_full, had_focus, .. } = &mut self.looking;
        let has_focus = ctx.input(|input| input.focused);
        let is_back = has_focus && !std::mem::replace(had_focus, has_focus);
        let is_in_full = is_back || in_full.is_none_or(|at| at.elapsed() >= LOOK_IN_FULL);
        let is_time = is_in_full || compared.is_none_or(|at| at.elapsed() >= LOOK_FOR_DATA);
        if !is_time && !is_behind {
            return Vec::new();
        }
        let now = Some(Instant::now());
        *compared = if is_time { now } else { *compared };
        *in_full = if is_in_full { now } else { *in_full };
        let due = |(key, input): &(String, Input)| match stamps.get(key) {
            None => Some((input.clone(), None)),
            Some(stamp) => stamp
                .clone()
                .filter(|_| is_time)
                .map(|stamp| (input.clone(), Some(stamp).filter(|_| !is_in_full))),
        };
        wanted.iter().filter_map(due).collect()
    }

    fn take_looks(&mut self) {
        let (found, done) = if let Some(((), found)) = self.looking.seen.take() {
            found
        } else {
            let Some(error) = self.looking.seen.failure() else { return };
            let failed = |input: &Input| {
                let look = Look { error: Some(error.clone()), ..Look::default() };
                Seen { input: input.clone(), stamp: None, look }
            };
            (self.looking.wanted.iter().map(|(_, input)| failed(input)).collect(), BTreeSet::new())
        };
        if found.is_empty() {
            return;
        }
        let mut has_changed = false;
        for Seen { input, stamp, look } in found {
            let Looking { looks, news, stamps, .. } = &mut self.looking;
            stamps.insert(key(&input), stamp);
            if looks.of_input(&input) == Some(&look) {
                continue;
            }
            if let Input::Data(data) = &input
                && look.found.is_some()
                && look.error.is_none()
            {
                let found = Inventory::new(&data.with_found(look.found.clone()), None, &look.details);
                news.extend(found.map(|found| found.summary()));
            }
            looks.add(&input, look);
            has_changed = true;
        }
        if self.looking.looks.note_done(done) || has_changed {
            self.experiment.looks = self.looking.looks.clone();
            self.look_again();
        }
    }

    /// Returns true while it is not known yet whether the files that runs read fit.
    pub fn is_checking_files(&self) -> bool {
        let reads_files = || self.looking.wanted.iter().any(|(_, input)| matches!(input, Input::File(_)));
        let is_known = self.files.revision == Some(self.revision) && !self.files.found.is_busy();
        !is_known && !self.is_behind() && reads_files()
    }

    /// Takes what was found in weight files and lists of faults, and begins to read them again in a thread where the document has
    /// changed, or what is known of its inputs.
    pub fn check_files(&mut self, ctx: &Context) {
        if let Some((_, found)) = self.files.found.take() {
            self.take_problems(found);
        } else if self.files.found.failure().is_some() {
            self.take_problems(Vec::new()); // the run itself will say why
        }
        let is_due = self.files.revision != Some(self.revision) && !self.files.found.is_busy();
        if is_due && !self.is_behind() && self.checked.is_some() {
            self.files.revision = Some(self.revision);
            if self.looking.wanted.iter().any(|(_, input)| matches!(input, Input::File(_))) {
                let (runs, base) = (self.runs().to_vec(), self.base());
                self.files.found.ask(self.revision, ctx, move || Ok(input_problems(&runs, &base)));
            } else {
                self.take_problems(Vec::new());
            }
        }
    }

    fn take_problems(&mut self, found: Vec<Problem>) {
        if self.files.problems != found {
            self.files.problems = found;
            self.look_again();
        }
    }

    /// Logs a known set when it takes the place of other data, and not when a document is opened. Data of the user are logged
    /// when they were looked at.
    fn log_known_set(&mut self) {
        let (data, net) = (&self.experiment.data, &self.experiment.net);
        let name = if data.needs_look() { String::new() } else { data.name().to_owned() };
        let before = self.looking.known_set.replace(name.clone());
        if !name.is_empty() && before.is_some_and(|before| before != name) {
            let found = self.looking.looks.inventory(data, net.image_side());
            self.looking.news.extend(found.map(|found| found.summary()));
        }
    }

    /// Checks the experiment again, although it has not changed.
    fn look_again(&mut self) {
        if let Some(checked) = &mut self.checked {
            checked.is_stale = true;
        }
    }
}

/// Returns the name of an input.
fn key(input: &Input) -> String {
    match input {
        Input::Data(data) => data.to_ron(),
        Input::File(file) => format!("file {file}"),
    }
}

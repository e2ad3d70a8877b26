//! Writing the view settings beside the runs. Nobody waits for the disk: the file is written in a thread, as a whole, and
//! one thread at a time.

use std::path::{Path, PathBuf};

use eframe::egui::Context;

use crate::background::Latest;
use crate::files::NO_RESULTS;
use doc::file::kept_files;
use results::view::{NAME, ViewSettings};

/// Changed view settings are written this long after the first change, in seconds.
const REST: f64 = 1.0;

/// The file with the view settings.
#[derive(Default)]
pub struct ViewStore {
    pub folder: PathBuf,
    /// As the file has it, or as it would be without one.
    pub written: ViewSettings,
    /// Since when something is to be written, in seconds.
    changed_at: Option<f64>,
    writing: Latest<(), ()>,
    /// True if the failure to write the file has been reported.
    has_complained: bool,
    /// True if the present file cannot be read: it is renamed, not replaced.
    is_damaged: bool,
}

impl ViewStore {
    /// Reads the settings in a folder; until something is written, they are those of the file.
    ///
    /// # Errors
    /// When the file is there and cannot be read, with what becomes of it.
    pub fn read(folder: &Path) -> (Self, Result<ViewSettings, String>) {
        let read = ViewSettings::read(folder);
        let mut view_store = Self::default();
        (view_store.folder, view_store.is_damaged) = (folder.to_owned(), read.is_err());
        let message = read.map_err(|why| {
            format!(
                "{why}. Weightlab adds .damaged to its name (or .damaged-2 and so on) before it writes a new \
                    one: to restore it, repair it, close the window and give it its name again"
            )
        });
        (view_store, message)
    }

    /// Gives the file another folder, and writes it there unless the settings are `without_file`.
    pub fn set_folder(&mut self, folder: &Path, without_file: ViewSettings) {
        self.is_damaged = ViewSettings::read(folder).is_err();
        folder.clone_into(&mut self.folder);
        self.written = without_file;
        self.has_complained = false;
    }

    /// Writes the settings: in a thread once they have changed and rest, or here at once, where nothing is drawn
    /// again. `now` in seconds; returns the time after which to look again, where something is left to do.
    ///
    /// # Errors
    /// When the file could not be written; reported once until it can be.
    pub fn keep(
        &mut self,
        view: &ViewSettings,
        now: f64,
        ctx: Option<&Context>,
    ) -> Result<Option<f64>, String> {
        if self.folder.ends_with(NO_RESULTS) {
            return Ok(None); // they are written once the document has a file
        }
        if ctx.is_none() {
            self.writing.wait();
        }
        if self.writing.take().is_some() {
            self.note_end(Ok(()))?;
        } else if let Some(why) = self.writing.failure() {
            self.note_end(Err(why))?;
        }
        if *view == self.written {
            self.changed_at = None;
            return Ok(None);
        }
        let since = *self.changed_at.get_or_insert(now);
        let left = since + REST - now;
        if left > 0.0 && ctx.is_some() {
            return Ok(Some(left));
        }
        if self.writing.is_busy() {
            return Ok(None); // its end wakes the window
        }
        self.changed_at = None;
        self.written = view.clone();
        let (folder, view, is_damaged) = (self.folder.clone(), view.clone(), self.is_damaged);
        let work = move || write(&folder, &view, is_damaged);
        match ctx {
            Some(ctx) => drop(self.writing.ask((), ctx, work)),
            None => self.note_end(work())?,
        }
        Ok(None)
    }

    fn note_end(&mut self, end: Result<(), String>) -> Result<(), String> {
        let has_complained = std::mem::replace(&mut self.has_complained, end.is_err());
        self.is_damaged &= end.is_err();
        match end {
            Err(why) if !has_complained => Err(format!(
                "{NAME}.json in {} was not written ({why}): closing the window loses notes, filter and layout",
                self.folder.display()
            )),
            Ok(()) | Err(_) => Ok(()),
        }
    }
}

impl Drop for ViewStore {
    fn drop(&mut self) {
        self.writing.wait(); // no log is left to report an error to
    }
}

fn write(folder: &Path, view: &ViewSettings, is_damaged: bool) -> Result<(), String> {
    let written = std::fs::create_dir_all(folder)
        .and_then(|()| if is_damaged { set_aside(folder) } else { Ok(()) })
        .and_then(|()| view.write(folder));
    written.map_err(|error| error.to_string())
}

/// Renames the file that cannot be read to the first name behind it that is free.
fn set_aside(folder: &Path) -> std::io::Result<()> {
    let Some(path) = kept_files(folder, NAME).into_iter().find(|path| path.exists()) else { return Ok(()) };
    let others = (2..).map(|number: u32| format!("damaged-{number}"));
    let names = std::iter::once("damaged".to_owned()).chain(others);
    let free = names.map(|name| path.with_added_extension(name)).find(|path| !path.exists());
    std::fs::rename(&path, free.expect("there are more names than files"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filtered(filter: &str) -> ViewSettings {
        ViewSettings { filter: filter.to_owned(), ..ViewSettings::default() }
    }

    #[test]
    fn it_says_when_it_writes_and_that_the_disk_has_it() {
        let folder = tempfile::tempdir().unwrap();
        let (mut view_store, _) = ViewStore::read(folder.path());
        let ctx = &Context::default();
        assert_eq!(view_store.keep(&ViewSettings::default(), 0.0, Some(ctx)), Ok(None));
        assert_eq!(view_store.keep(&filtered("a"), 4.0, Some(ctx)), Ok(Some(1.0)));
        let later = view_store.keep(&filtered("b"), 4.75, Some(ctx));
        assert_eq!(later, Ok(Some(0.25)), "from the first change on");
        assert_eq!(view_store.keep(&filtered("b"), 5.0, Some(ctx)), Ok(None));
        assert!(view_store.writing.is_busy());
        assert_eq!(view_store.keep(&filtered("c"), 5.0, None), Ok(None), "the older one is waited for");
        assert_eq!(ViewSettings::read(folder.path()), Ok(filtered("c")));
        assert_eq!(view_store.keep(&filtered("d"), 6.0, Some(ctx)), Ok(Some(1.0)));
        assert_eq!(view_store.keep(&filtered("d"), 7.0, Some(ctx)), Ok(None));
        drop(view_store);
        assert_eq!(ViewSettings::read(folder.path()), Ok(filtered("d")), "dropping waits, too");
    }

    #[test]
    fn a_damaged_file_makes_room_and_stays() {
        let folder = tempfile::tempdir().unwrap();
        for (text, damaged, name) in [
            ("(filter: 3", "view.ron", "view.ron.damaged"),
            ("{", "view.json", "view.json.damaged"),
            ("[", "view.json", "view.json.damaged-2"),
        ] {
            std::fs::write(folder.path().join(damaged), text).unwrap();
            let (mut view_store, read) = ViewStore::read(folder.path());
            assert!(read.unwrap_err().contains("adds .damaged"));
            for filter in ["a", "b"] {
                assert_eq!(view_store.keep(&filtered(filter), 0.0, None), Ok(None));
            }
            assert_eq!(std::fs::read_to_string(folder.path().join(name)).unwrap(), text);
            assert_eq!(ViewSettings::read(folder.path()), Ok(filtered("b")));
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 4);
    }

    #[test]
    fn what_cannot_be_written_is_said_once_until_it_can_be() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("x.runs");
        std::fs::write(&place, "no folder").unwrap();
        let (mut view_store, _) = ViewStore::read(&place.join("below"));
        view_store.set_folder(&place, ViewSettings::default());
        assert!(view_store.keep(&filtered("a"), 0.0, None).unwrap_err().contains("was not written"));
        assert_eq!(view_store.keep(&filtered("b"), 0.0, None), Ok(None));
        std::fs::remove_file(&place).unwrap();
        assert_eq!(view_store.keep(&filtered("c"), 0.0, None), Ok(None));
        assert_eq!(ViewSettings::read(&place), Ok(filtered("c")));
    }
}

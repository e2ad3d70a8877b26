//! Recently opened files, the last one first.

use std::path::{Path, PathBuf};

use eframe::egui;
use serde::{Deserialize, Serialize};

use super::views::loading::{LoadState, Loading};

/// As many are remembered.
const KEPT: usize = 12;

/// The list, kept between starts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recent(Vec<PathBuf>);

impl Recent {
    /// Puts a file first.
    pub fn note(&mut self, path: &Path) {
        self.0.retain(|known| known != path);
        self.0.insert(0, path.to_owned());
        self.0.truncate(KEPT);
    }

    /// Forgets all files.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// The files, the last one first.
    pub fn files(&self) -> &[PathBuf] {
        &self.0
    }
}

/// Which files still exist: checked in a thread, since a disk may be slow, each time the list is opened.
#[derive(Default)]
pub struct Presence {
    opened: usize,
    found: Loading<(usize, Vec<PathBuf>), Vec<bool>>,
}

impl Presence {
    /// Checks the files again the next time.
    pub fn reopen(&mut self) {
        self.opened += 1;
    }

    /// Whether each file exists. Until the answer is known, all of them count as existing.
    pub fn of(&mut self, files: &[PathBuf], ctx: &egui::Context) -> Vec<bool> {
        let asked = files.to_vec();
        let check = move || Ok(asked.iter().map(|path| path.is_file()).collect());
        match self.found.get(&(self.opened, files.to_vec()), ctx, check) {
            LoadState::Ready(found) => found.clone(),
            LoadState::Pending | LoadState::Failed(_) => vec![true; files.len()],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_listed_once_and_the_last_one_first() {
        let mut recent = Recent::default();
        for number in [1, 2, 1, 3] {
            recent.note(Path::new(&format!("{number}.ron")));
        }
        assert_eq!(recent.files(), ["3.ron", "1.ron", "2.ron"].map(PathBuf::from));
        for number in 0..40 {
            recent.note(Path::new(&format!("{number}.ron")));
        }
        assert_eq!(recent.files().len(), KEPT);
    }
}

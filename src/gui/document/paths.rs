//! Paths as a document writes them, and what becomes of them when its file moves.

use std::path::{Path, PathBuf};

use super::Document;
use crate::files::{absolute, is_untitled};
use doc::Experiment;
use doc::file::base_of;
use doc::file_names::with_paths;
use doc::templates::{BLANK, all};

/// A document's file that moves, or gets its first place.
pub struct Move {
    /// The folder that its paths were relative to.
    from: PathBuf,
    /// The folder that they will be relative to; none for a place that is not its own, in which they are whole.
    to: Option<PathBuf>,
    had_place: bool,
    /// The name of the experiment, if nobody gave it one, and that which it gets from the file.
    name: Option<[String; 2]>,
}

impl Document {
    /// Returns the folder that paths of data are relative to.
    pub fn base(&self) -> PathBuf {
        let base = self.path.as_deref().map(base_of).unwrap_or_default();
        if base.as_os_str().is_empty() { PathBuf::from(".") } else { base }
    }

    /// Returns the path of a file or folder as the document writes it: relative to its own folder if it is below
    /// that. While it has no place of its own, nothing is relative to it.
    pub fn as_written(&self, path: &Path) -> String {
        let path = absolute(path);
        if self.has_place() { relative(&path, &self.base()) } else { path.to_string_lossy().into_owned() }
    }

    /// Returns true if somebody has given it a place.
    fn has_place(&self) -> bool {
        self.path.as_deref().is_some_and(|path| !is_untitled(path))
    }

    /// Returns the change of paths when the document is saved there, and of a name that is not the user's.
    pub fn moving_to(&self, to: &Path) -> Move {
        let (had_place, is_own) = (self.has_place(), !is_untitled(to));
        let stem = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let old = &self.experiment.name;
        // A name that is that of the file, of a template or of nothing was given by nobody.
        let follows = match self.path.as_deref().filter(|_| had_place) {
            Some(path) => stem(path) == *old,
            None => old.is_empty() || *old == BLANK.name || all().iter().any(|template| template.name == old),
        };
        let name = (is_own && follows).then(|| [old.clone(), stem(to)]);
        Move { from: self.base(), to: is_own.then(|| base_of(to)), had_place, name }
    }
}

impl Move {
    /// Returns the experiment with paths that lead to the same files from its new place.
    pub fn of(&self, experiment: &Experiment) -> Experiment {
        let stays = self.had_place && self.to.as_deref().map(absolute) == Some(absolute(&self.from));
        let mut moved =
            if stays { experiment.clone() } else { with_paths(experiment, &|path| self.path(path)) };
        if let Some([_, new]) = self.name.as_ref().filter(|[old, _]| *old == moved.name) {
            moved.name.clone_from(new);
        }
        moved
    }

    fn path(&self, text: &str) -> Option<String> {
        let path = Path::new(text);
        if text.is_empty() || path.is_absolute() && self.had_place {
            return None;
        }
        let whole = absolute(&self.from.join(path));
        // What is nowhere leads nowhere; placeholders of runs are filled in later.
        let is_there = path.is_absolute() || whole.exists() || text.contains('{');
        is_there.then(|| match &self.to {
            Some(to) => relative(&whole, to),
            None => whole.to_string_lossy().into_owned(),
        })
    }
}

/// Returns the path relative to a folder if it is below that.
fn relative(path: &Path, base: &Path) -> String {
    let below = path.strip_prefix(absolute(base)).ok().filter(|below| !below.as_os_str().is_empty());
    below.unwrap_or(path).to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_below_the_document_are_written_relative_to_it() {
        assert_eq!(relative(Path::new("/x/data/w.safetensors"), Path::new("/x")), "data/w.safetensors");
        assert_eq!(relative(Path::new("/y/w.safetensors"), Path::new("/x")), "/y/w.safetensors");
    }

    #[test]
    fn paths_lead_to_the_same_files_from_every_place_of_the_document() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        for folder in ["a/data", "b/data"] {
            std::fs::create_dir_all(at(folder)).unwrap();
            std::fs::write(at(folder).join("t.csv"), "x,y\n1,2\n").unwrap();
        }
        let mut document = Document::untitled("x", "(arms: [(name: \"a\", plan: [Test])])").unwrap();
        let written = document.as_written(&at("a/data/t.csv"));
        assert_eq!(Path::new(&written), at("a/data/t.csv"));
        let plan = format!("Do(Import(file: {:?}))", at("a/w.pt"));
        let text = format!(
            "(data: Csv(file: {written:?}, label: \"y\"), sweep: {{\"data.file\": [{written:?}]}}, \
                arms: [(name: \"a\", plan: [{plan}])])"
        );
        document.experiment = doc::file::parse(&text, Path::new("x")).unwrap();
        let paths = |document: &Document| {
            let found = std::cell::RefCell::new(Vec::new());
            with_paths(&document.experiment, &|path| {
                found.borrow_mut().push(path.to_owned());
                None
            });
            found.into_inner()
        };
        document.save(&at("a/x.ron")).unwrap();
        assert_eq!(paths(&document), ["data/t.csv", "w.pt", "data/t.csv"]);
        let opened = Document::open(&at("a/x.ron")).unwrap();
        assert_eq!(opened.experiment, document.experiment);
        // The table at the new place is another one.
        document.save(&at("b/x.ron")).unwrap();
        let table = at("a/data/t.csv").to_string_lossy().into_owned();
        assert_eq!(paths(&document), [&table, "w.pt", &table], "there is no w.pt");
        document.save(&at("a/y.ron")).unwrap();
        assert_eq!(paths(&document)[0], table, "what is written in full stays so");
    }
}

//! What is dropped on the window: experiments, weight files and folders of data.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, sync_channel};

use eframe::egui::{self, Align2, Color32, FontId, Id, LayerId, Order, Stroke, StrokeKind};

use super::theme;
use crate::data::{CIFAR10, FASHION_MNIST, KnownSet, MNIST};
use crate::data::{Cifar10, Data, FashionMnist, Mnist};

/// What a dropped path is.
#[derive(Clone, Debug, PartialEq)]
pub enum Dropped {
    /// An experiment's file.
    Experiment(PathBuf),
    /// Weights.
    Weights(PathBuf),
    /// A folder with the files of a data set.
    Data {
        /// Which one.
        set: &'static str,
        /// The folder.
        folder: PathBuf,
    },
    /// Something that has no use here, and what it is.
    Other(String),
}

/// Looks at dropped paths in a thread, since a disk may be slow to answer.
pub fn look(paths: Vec<PathBuf>, ctx: &egui::Context) -> Receiver<Vec<Dropped>> {
    let (sender, receiver) = sync_channel(1);
    let ctx = ctx.clone();
    let work = move || {
        let _ = sender.send(paths.iter().map(|path| look_at(path)).collect()); // the window has gone
        ctx.request_repaint();
    };
    // Without a thread, nothing is found: the receiver says that nobody answers.
    let _ = std::thread::Builder::new().name("dropped files".to_owned()).spawn(work);
    receiver
}

/// What a path is.
pub fn look_at(path: &Path) -> Dropped {
    if path.is_dir() {
        return folder(path);
    }
    match ending(path).as_str() {
        "ron" => Dropped::Experiment(path.to_owned()),
        "safetensors" => Dropped::Weights(path.to_owned()),
        "pt" | "pth" | "bin" | "ckpt" => Dropped::Other(format!(
            "{} looks like weights of another kind: write them as .safetensors first (in Python, safetensors.torch.save_file)",
            path.display()
        )),
        "gz" | "zip" | "tar" | "tgz" => {
            Dropped::Other(format!("{} is an archive: unpack it, and drop the folder", path.display()))
        }
        "" => Dropped::Other(format!("{} is a file without an ending", path.display())),
        other => Dropped::Other(format!("{} is a .{other} file", path.display())),
    }
}

fn ending(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_lowercase()
}

const SETS: [&KnownSet; 3] = [&CIFAR10, &FASHION_MNIST, &MNIST];

/// The data set that a folder holds, itself or in one of the folders that tools put it into.
fn folder(path: &Path) -> Dropped {
    for set in SETS {
        let places = std::iter::once(path.to_owned()).chain(set.folders.iter().map(|below| path.join(below)));
        let holds = |place: &PathBuf| {
            let is_this = set.name == CIFAR10.name || is_fashion(place) == (set.name == FASHION_MNIST.name);
            is_this && set.needed.iter().all(|name| set.file(place, name).is_ok())
        };
        if let Some(folder) = places.into_iter().find(holds) {
            return Dropped::Data { set: set.name, folder };
        }
    }
    let names = SETS.map(|set| set.name).join(", ");
    Dropped::Other(format!("{} is a folder without the files of a known data set ({names})", path.display()))
}

/// MNIST and Fashion-MNIST have files of the same names; what tells them apart is the folder's name.
fn is_fashion(path: &Path) -> bool {
    path.to_string_lossy().to_lowercase().contains("fashion")
}

/// The path as a document says it: relative to its folder where it lies below it.
pub fn as_written(path: &Path, base: &Path) -> String {
    let base = std::path::absolute(base).unwrap_or_else(|_| base.to_owned());
    let below = path.strip_prefix(&base).ok().filter(|below| !below.as_os_str().is_empty());
    below.unwrap_or(path).to_string_lossy().into_owned()
}

/// The data of a set in a folder; settings that the document has for the same set already are kept.
pub fn data_in(set: &str, dir: String, present: &Data) -> Data {
    let dir = Some(dir);
    match (set, present) {
        (set, Data::Cifar10(old)) if set == CIFAR10.name => Data::Cifar10(Cifar10 { dir, ..old.clone() }),
        (set, _) if set == CIFAR10.name => Data::Cifar10(Cifar10 { dir, ..Cifar10::default() }),
        (set, Data::FashionMnist(old)) if set == FASHION_MNIST.name => {
            Data::FashionMnist(FashionMnist { dir, ..old.clone() })
        }
        (set, _) if set == FASHION_MNIST.name => {
            Data::FashionMnist(FashionMnist { dir, ..FashionMnist::default() })
        }
        (_, Data::Mnist(old)) => Data::Mnist(Mnist { dir, ..old.clone() }),
        _ => Data::Mnist(Mnist { dir, ..Mnist::default() }),
    }
}

/// What would happen if the things that are held over the window were dropped; told from their names alone.
pub fn promise(paths: &[Option<PathBuf>], arm: &str) -> String {
    let [Some(path)] = paths else {
        return "Drop to open experiments, import weights or use data".to_owned();
    };
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    match ending(path).as_str() {
        "ron" => format!("Drop to open {name}"),
        "safetensors" => format!("Drop to import {name} into the plan of {arm}"),
        "" => format!("Drop to use {name} as data"),
        _ => format!("{name} is no experiment (.ron), weight file (.safetensors) or folder of data"),
    }
}

/// Covers the window while something is held over it.
pub fn overlay_ui(ctx: &egui::Context, text: &str) {
    let colours = theme::colours(ctx.theme());
    let painter = ctx.layer_painter(LayerId::new(Order::Foreground, Id::unique("drop")));
    let rect = ctx.content_rect();
    let veil = if ctx.theme() == egui::Theme::Dark {
        Color32::from_black_alpha(200)
    } else {
        Color32::from_white_alpha(225)
    };
    painter.rect_filled(rect, 0.0, veil);
    let inner = rect.shrink(2.0 * theme::STEP);
    painter.rect_stroke(inner, 8.0, Stroke::new(2.0, colours.accent), StrokeKind::Inside);
    let font = FontId::proportional(theme::TEXT);
    let galley = painter.layout(text.to_owned(), font, colours.text, inner.width() - 8.0 * theme::STEP);
    let at = Align2::CENTER_CENTER.align_size_within_rect(galley.size(), inner);
    painter.galley(at.min, galley, colours.text);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(folder: &Path, names: &[&str]) {
        std::fs::create_dir_all(folder).unwrap();
        for name in names {
            std::fs::write(folder.join(name), "").unwrap();
        }
    }

    #[test]
    fn folders_of_data_are_known_by_their_files() {
        let root = tempfile::tempdir().unwrap();
        write(&root.path().join("cifar"), CIFAR10.needed);
        write(&root.path().join("data/FashionMNIST/raw"), FASHION_MNIST.needed);
        write(&root.path().join("numbers"), MNIST.needed);
        let set_of = |name: &str| match look_at(&root.path().join(name)) {
            Dropped::Data { set, folder } => (set, folder.strip_prefix(root.path()).unwrap().to_owned()),
            other => panic!("{name}: {other:?}"),
        };
        assert_eq!(set_of("cifar"), (CIFAR10.name, PathBuf::from("cifar")));
        assert_eq!(set_of("data/FashionMNIST/raw").0, FASHION_MNIST.name);
        assert_eq!(set_of("numbers"), (MNIST.name, PathBuf::from("numbers")));
        assert!(matches!(look_at(root.path()), Dropped::Other(why) if why.contains("CIFAR-10")));
    }

    #[test]
    fn what_is_dropped_is_named() {
        assert!(matches!(look_at(Path::new("/x/a.ron")), Dropped::Experiment(_)));
        assert!(matches!(look_at(Path::new("/x/a.SafeTensors")), Dropped::Weights(_)));
        let Dropped::Other(why) = look_at(Path::new("/x/a.pt")) else { panic!() };
        assert!(why.contains("safetensors"), "{why}");
        assert!(matches!(look_at(Path::new("/x/a.jpg")), Dropped::Other(why) if why.contains("a .jpg file")));
    }

    #[test]
    fn paths_below_the_document_are_written_relative_to_it() {
        assert_eq!(as_written(Path::new("/x/data/w.safetensors"), Path::new("/x")), "data/w.safetensors");
        assert_eq!(as_written(Path::new("/y/w.safetensors"), Path::new("/x")), "/y/w.safetensors");
    }

    #[test]
    fn settings_of_the_same_data_set_are_kept() {
        let old = Data::Cifar10(Cifar10 { validation: 500, ..Cifar10::default() });
        let Data::Cifar10(new) = data_in(CIFAR10.name, "here".to_owned(), &old) else { panic!() };
        assert_eq!((new.validation, new.dir.as_deref()), (500, Some("here")));
        assert!(matches!(data_in(MNIST.name, "there".to_owned(), &old), Data::Mnist(_)));
    }
}

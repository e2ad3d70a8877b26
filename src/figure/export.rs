//! Writes a figure to a file. The window and the command line share this code, so they write equal bytes.

use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::csv::csv;
use super::model::Figure;
use super::options::Options;
use super::raster::{DrawError, missing, pdf, pixels, png};
use super::svg::svg;
use doc::file::write_atomically_by;
use doc::listed;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum FileKind {
    Svg,
    Png,
    Pdf,
    Csv,
}

impl FileKind {
    pub const ALL: [Self; 4] = [Self::Svg, Self::Pdf, Self::Png, Self::Csv];

    /// Returns the file extension, without the dot.
    pub const fn ending(self) -> &'static str {
        match self {
            Self::Svg => "svg",
            Self::Png => "png",
            Self::Pdf => "pdf",
            Self::Csv => "csv",
        }
    }

    /// Returns the kind for a file's extension, in upper or lower case.
    pub fn from_path(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?;
        Self::ALL.into_iter().find(|kind| ending.eq_ignore_ascii_case(kind.ending()))
    }
}

/// A reason why a figure was not written.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error("the figure was not written: {0}")]
    Draw(#[from] DrawError),
    #[error("cannot write {}: the folder {} does not exist; make it, or choose another folder", path.display(), folder.display())]
    NoFolder { path: PathBuf, folder: PathBuf },
    /// The file could not be written; an existing file is unchanged.
    #[error("cannot write {}: {source}; choose another folder, or check its permissions and free space", path.display())]
    Write { path: PathBuf, source: std::io::Error },
}

/// Returns the bytes of the file.
///
/// # Errors
/// An impossible size or resolution.
pub fn bytes(figure: &Figure, kind: FileKind, options: &Options) -> Result<Vec<u8>, DrawError> {
    if kind == FileKind::Csv {
        return Ok(csv(figure).into_bytes());
    }
    options.size.check().map_err(DrawError::Size)?;
    let drawing = svg(figure, options);
    match kind {
        FileKind::Png => png(&drawing, options.dpi),
        FileKind::Pdf => pdf(&drawing, &figure.named()),
        FileKind::Svg | FileKind::Csv => Ok(drawing.into_bytes()),
    }
}

/// Names the characters that no font on this machine draws, and the remedy; `None` without any, and for tables of values.
pub fn missing_characters(figure: &Figure, kind: FileKind, options: &Options) -> Option<String> {
    if kind == FileKind::Csv || options.size.check().is_err() {
        return None;
    }
    let missing = missing(&svg(figure, options)).ok()?;
    let shown = &missing[..missing.len().min(MOST_CHARACTERS)];
    let more = match missing.len() - shown.len() {
        0 => String::new(),
        more => format!(" and {more} other characters"),
    };
    (!missing.is_empty()).then(|| {
        format!(
            "no font on this machine has {}{more}: the figure shows boxes or nothing in their place; install a font that has \
                them, such as one of Noto, or write other letters",
            listed(shown)
        )
    })
}

/// So many characters without a font are named.
const MOST_CHARACTERS: usize = 8;

/// Returns the figure as an image: width and height in pixels, and the pixels as premultiplied RGBA.
///
/// # Errors
/// An impossible size or resolution.
pub fn picture(figure: &Figure, options: &Options) -> Result<([usize; 2], Vec<u8>), DrawError> {
    options.size.check().map_err(DrawError::Size)?;
    let pixels = pixels(&svg(figure, options), options.dpi)?;
    let size = [pixels.width() as usize, pixels.height() as usize];
    Ok((size, pixels.take()))
}

/// Writes the figure to a temporary file and renames it, so that an error leaves an existing file unchanged.
///
/// # Errors
/// An impossible size or resolution, or an error of the operating system.
pub fn write(figure: &Figure, path: &Path, kind: FileKind, options: &Options) -> Result<(), ExportError> {
    write_file(path, &bytes(figure, kind, options)?)
}

/// Writes an exported file in the same way as [`write`].
///
/// # Errors
/// When its folder does not exist, or an error of the operating system.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<(), ExportError> {
    write_file_by(path, |file| file.write_all(bytes))
}

/// Writes an exported file of pieces.
///
/// # Errors
/// As [`write_file`].
pub fn write_file_by<T>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> std::io::Result<T>,
) -> Result<T, ExportError> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir()) {
        return Err(ExportError::NoFolder { path: path.to_owned(), folder: folder.to_owned() });
    }
    write_atomically_by(path, write).map_err(|source| ExportError::Write { path: path.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Line;
    use crate::{Size, style_of};
    use results::view::Preset;

    fn example() -> Figure {
        Figure { lines: vec![Line::new("a", style_of(0), vec![[0.0, 1.0], [1.0, 2.0]])], ..Figure::default() }
    }

    #[test]
    fn the_ending_decides_in_any_case() {
        assert_eq!(FileKind::from_path(Path::new("a/b.SVG")), Some(FileKind::Svg));
        assert_eq!(FileKind::from_path(Path::new("a.tiff")), None);
        assert_eq!(FileKind::from_path(Path::new("svg")), None);
        assert!(
            FileKind::ALL
                .iter()
                .all(|kind| FileKind::from_path(&Path::new("a").with_extension(kind.ending())) == Some(*kind))
        );
    }

    #[test]
    fn every_kind_is_written_twice_with_equal_bytes() {
        let folder = tempfile::tempdir().unwrap();
        for kind in FileKind::ALL {
            let path = folder.path().join("figure").with_extension(kind.ending());
            write(&example(), &path, kind, &Options::default()).unwrap();
            let first = std::fs::read(&path).unwrap();
            write(&example(), &path, kind, &Options::default()).unwrap();
            assert!(first.len() > 50 && first == std::fs::read(&path).unwrap(), "{kind:?}");
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 4, "nothing else is left behind");
    }

    #[test]
    fn characters_without_a_font_are_named_for_every_kind_of_picture() {
        let named = |name: &str| {
            let line = Line::new(name, style_of(0), vec![[0.0, 1.0], [1.0, 2.0]]);
            Figure { lines: vec![line], ..Figure::default() }
        };
        let note = |name: &str, kind| missing_characters(&named(name), kind, &Options::default());
        for kind in [FileKind::Svg, FileKind::Png, FileKind::Pdf] {
            let said = note("a\u{1FFFE}\u{2FFFE}", kind).unwrap();
            let start = "no font on this machine has \u{1FFFE} and \u{2FFFE}: the figure shows boxes";
            assert!(said.starts_with(start), "{said}");
            assert_eq!(note("dense", kind), None);
        }
        assert_eq!(note("\u{1FFFE}", FileKind::Csv), None);
        let many: String = (0..10).filter_map(|plane| char::from_u32(0x1FFFE + 0x10000 * plane)).collect();
        assert!(note(&many, FileKind::Svg).unwrap().contains(" and 2 other characters: "));
    }

    #[test]
    fn errors_say_what_to_do() {
        let options =
            Options { size: Size { width_pt: 1.0, ..Preset::default().size() }, ..Options::default() };
        let error = write(&example(), Path::new("x.svg"), FileKind::Svg, &options).unwrap_err();
        assert!(error.to_string().contains("choose sides of 72"), "{error}");
        let error = write(&example(), Path::new("/no/such/x.csv"), FileKind::Csv, &options).unwrap_err();
        assert_eq!(
            error.to_string(),
            "cannot write /no/such/x.csv: the folder /no/such does not exist; make it, or choose another folder"
        );
    }
}

//! Files that stand in the place of others: pointers of Git LFS, and web pages that a download gave instead.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::DataError;

/// Says what stands in the place of a file, with the remedy, by its first bytes (128 are enough); none where they may be the file
/// itself. Every reader of the user's files asks this before it complains about a format. Fits behind "PATH is".
/// Git LFS: <https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md>.
pub fn stand_in(first: &[u8]) -> Option<&'static str> {
    if first.starts_with(b"version https://git-lfs.github.com/") {
        return Some(
            "a Git LFS pointer, not the file itself; fetch it with `git lfs pull` in its repository",
        );
    }
    let text = first.strip_prefix(b"\xef\xbb\xbf").unwrap_or(first).trim_ascii_start();
    let begins = |tag: &[u8]| text.get(..tag.len()).is_some_and(|start| start.eq_ignore_ascii_case(tag));
    let is_page = [&b"<!doctype html"[..], b"<html", b"<head"].into_iter().any(begins);
    is_page.then_some("a web page, not the file itself; download it again, from the link of the file")
}

/// Says what stands in the place of this file; nothing where it cannot be read, which is said where it is read.
pub(super) fn stand_in_at(path: &Path) -> Option<&'static str> {
    let mut first = Vec::new();
    File::open(path).and_then(|file| file.take(128).read_to_end(&mut first)).ok()?;
    stand_in(&first)
}

/// Refuses a file that something else stands in the place of, by its first bytes.
pub(super) fn refuse_stand_in(path: &Path) -> Result<(), DataError> {
    let refused = |what| Err(DataError::StandIn { path: path.to_owned(), what });
    stand_in_at(path).map_or(Ok(()), refused)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_and_pages_are_told_from_files() {
        let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12\n";
        assert!(stand_in(pointer).unwrap().contains("git lfs pull"));
        for page in ["<!DOCTYPE html><html>", "\u{feff}  \n<HTML lang=en>", "<head>"] {
            assert!(stand_in(page.as_bytes()).unwrap().starts_with("a web page"), "{page}");
        }
        for file in ["version,https\n1,2", "a<html,b", "", "<h", "PK\u{3}\u{4}"] {
            assert_eq!(stand_in(file.as_bytes()), None, "{file}");
        }
    }
}

use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use super::*;
use crate::data::testing::Folder;

/// The paths of a part, below the folder.
fn names(folder: &Folder, part: &[Picture]) -> Vec<String> {
    let name = |picture: &Picture| picture.path.strip_prefix(folder.path()).unwrap().display().to_string();
    part.iter().map(name).collect()
}

#[test]
fn folders_in_a_class_are_in_the_order_of_their_paths() {
    let folder = Folder::new("folders-order");
    for name in ["a/z.png", "a/b/y.png", "a/b-x/x.png", "a/b/c/w.png", "a/.hidden/v.png", "b/1.png"] {
        folder.write(name, b"");
    }
    let found = find(folder.path(), None).unwrap();
    // sorted(os.walk("a")) of Python yields a, a/.hidden, a/b, a/b-x, a/b/c.
    let expected = ["a/z.png", "a/.hidden/v.png", "a/b/y.png", "a/b-x/x.png", "a/b/c/w.png", "b/1.png"];
    assert_eq!(names(&folder, &found.train), expected);
}

#[test]
fn a_class_may_be_called_train() {
    let folder = Folder::new("folders-train");
    for name in ["train/1.png", "bus/1.png", "val/1.png"] {
        folder.write(name, b"");
    }
    let found = find(folder.path(), None).unwrap();
    assert_eq!((found.classes, found.test), (["bus", "train", "val"].map(str::to_owned).to_vec(), None));
    assert!(is_like_pictures(folder.path()));
}

#[test]
fn what_is_no_set_is_counted_in_words() {
    let folder = Folder::new("folders-words");
    folder.write("only/1.png", b"");
    let message = find(folder.path(), None).unwrap_err().to_string();
    assert!(message.contains("two at least, found 1 folder (only)"), "{message}");
    folder.write("b/1/2/3/4/5/6/7/8/9/x.png", b"");
    let message = find(folder.path(), None).unwrap_err().to_string();
    assert!(
        message.contains("expected folders of a class at most 8 deep, found another folder"),
        "{message}"
    );
}

#[cfg(unix)]
#[test]
fn trees_of_any_form_with_links_anywhere_never_panic() {
    use std::os::unix::fs::symlink;
    let outside = Folder::new("folders-outside");
    outside.write("secret.png", b"");
    let part = || prop_oneof!["train", "val", "test", "a", "b", "b-x", "[.]h", "x[.]png", "y[.]JPG", "note"];
    let path = || prop::collection::vec(part(), 1..5);
    let leap = || prop_oneof![Just(None), path().prop_map(Some)];
    let links = prop::collection::vec((path(), leap()), 0..3);
    let config = ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() };
    TestRunner::new(config)
        .run(&(prop::collection::vec(path(), 0..8), links), |(files, links)| {
            let folder = Folder::new("folders-trees");
            let under = |parts: &[String]| folder.join(&parts.join("/"));
            for parts in files {
                let path = under(&parts);
                // What is a file already cannot be a folder.
                if std::fs::create_dir_all(path.parent().unwrap()).is_ok() {
                    drop(std::fs::write(path, b""));
                }
            }
            for (from, to) in links {
                let to = to.map_or_else(|| outside.path().to_owned(), |to| under(&to));
                drop(symlink(to, under(&from)));
            }
            if let Ok(found) = find(folder.path(), None) {
                let root = folder.path().canonicalize().unwrap();
                for picture in found.train.iter().chain(found.test.iter().flatten()) {
                    prop_assert!((picture.label as usize) < found.classes.len());
                    prop_assert!(picture.path.canonicalize().unwrap().starts_with(&root));
                }
            }
            Ok(())
        })
        .unwrap();
}

use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use super::*;
use crate::testing::Folder;

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
    // sorted(os.walk("a")) of Python yields a, a/.hidden, a/b, a/b-x, a/b/c; what is hidden is nothing here.
    let expected = ["a/z.png", "a/b/y.png", "a/b-x/x.png", "a/b/c/w.png", "b/1.png"];
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
    assert!(!first_pictures(folder.path()).is_empty());
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

/// The parts of a folder with one picture a class in these folders, by the last folder but one.
fn parts(folders: &[&str]) -> Result<(String, [Vec<String>; 3]), String> {
    let folder = Folder::new(&format!("folders-parts-{:?}", std::thread::current().id()));
    for part in folders {
        folder.write(&format!("{part}/a/1.png"), b"");
        folder.write(&format!("{part}/b/1.png"), b"");
    }
    assert!(!first_pictures(folder.path()).is_empty(), "{folders:?}");
    let found = find(folder.path(), None).map_err(|error| error.to_string())?;
    let parts = [found.train, found.validation.unwrap_or_default(), found.test.unwrap_or_default()];
    let first =
        |part: Vec<Picture>| names(&folder, &part).into_iter().filter(|name| name.contains("/a/")).collect();
    Ok((found.split, parts.map(first)))
}

#[test]
fn parts_have_the_names_that_people_give_them() {
    for [train, test] in [
        ["train", "test"],
        ["Train", "TEST"],
        ["training", "testing"],
        ["train_set", "test_set"],
        ["Training-Set", "TestSet"],
        ["seg_train", "seg_test"],
        ["seg_train/seg_train", "seg_test/seg_test"],
        ["train", "val"],
        ["train", "valid"],
        ["train", "Validation"],
        ["train", "dev"],
        ["train", "eval"],
    ] {
        let (split, parts) = parts(&[train, test]).unwrap();
        let expected = [vec![format!("{train}/a/1.png")], vec![], vec![format!("{test}/a/1.png")]];
        assert_eq!(parts, expected);
        let first = |path: &str| path.split('/').next().unwrap().to_owned();
        assert!(split.starts_with(&format!("the folders {} and {}", first(train), first(test))), "{split}");
        assert_eq!(
            split.contains("as there is no folder test"),
            !test.to_lowercase().contains("test"),
            "{split}"
        );
    }
    let (split, parts) = parts(&["TRAIN", "valid", "test", "pred"]).unwrap();
    assert_eq!(parts.concat(), ["TRAIN/a/1.png", "valid/a/1.png", "test/a/1.png"]);
    assert_eq!(split, "the folders TRAIN, valid (for validation) and test (for testing)");
}

#[test]
fn parts_that_are_unclear_are_refused_with_the_names_that_are_known() {
    let message = parts(&["Train", "training", "test"]).unwrap_err();
    assert!(message.contains("one folder for each part, found Train and training"), "{message}");
    let (alike, named) =
        ("folders that all hold the same folders", "folders of parts, and none for training");
    for (folders, what) in [
        (&["fold1", "fold2"][..], alike),
        (&["Art", "Clipart", "Product"], alike),
        (&["test", "val"], named),
        (&["my-testset", "train_images"], named),
    ] {
        let message = parts(folders).unwrap_err();
        assert!(message.contains(&format!("found {what}: {}. ", folders.join(", "))), "{message}");
        assert!(
            message.contains("train, training; val, valid, validation, dev, eval; test, testing"),
            "{message}"
        );
    }
    // As Tiny ImageNet has its classes.
    let folder = Folder::new("folders-images");
    folder.write("n01/images/1.png", b"");
    folder.write("n02/images/1.png", b"");
    assert_eq!(find(folder.path(), None).unwrap().train.len(), 2);
    // Where a label map names them, they are classes.
    folder.write("n01/more/1.png", b"");
    folder.write("n02/more/1.png", b"");
    assert!(find(folder.path(), None).is_err());
    folder.write("map.txt", b"n01\nn02\n");
    let map = LabelMap::read(&folder.join("map.txt")).unwrap();
    assert_eq!(find(folder.path(), Some(&map)).unwrap().train.len(), 4);
}

#[test]
fn a_part_is_never_a_class_because_of_what_is_beside_it() {
    for (files, found) in [
        // Classes, and a part beside them.
        (
            &["cat/1.png", "dog/1.png", "test/cat/1.png", "test/dog/1.png"][..],
            "none for training: test. Rename",
        ),
        (&["cat/1.png", "dog/1.png", "Dev/cat/1.png"], "none for training: Dev. Rename"),
        // A stray folder, and a part without folders.
        (
            &["train_images/a/1.png", "test_images/a/1.png", "misc/1.png"],
            "training: test_images, train_images. Rename",
        ),
        (
            &["asl_alphabet_train/asl_alphabet_train/a/1.png", "asl_alphabet_test/1.png"],
            "training: asl_alphabet_train. ",
        ),
        (
            &["one/a/1.png", "one/b/1.png", "two/a/1.png", "two/b/1.png", "misc/1.png"],
            "the same folders: one, two. Rename",
        ),
        // A part with a wrong name, beside the one for training.
        (
            &["train/a/1.png", "train/b/1.png", "test_images/a/1.png"],
            "found test_images beside train. Rename it so if",
        ),
        (
            &["train/a/1.png", "train/b/1.png", "dev/a/1.png", "my test/a/1.png"],
            "found my test beside train. Rename",
        ),
    ] {
        let folder = Folder::new("folders-beside");
        for file in files {
            folder.write(file, b"");
        }
        let message = find(folder.path(), None).unwrap_err().to_string();
        assert!(message.contains(found) && message.contains("parts named train, training; val"), "{message}");
        assert!(!first_pictures(folder.path()).is_empty(), "{files:?}");
    }
    // Words that only begin like those of parts, and what is no part beside parts.
    let folder = Folder::new("folders-beside-classes");
    for file in ["trains/a/1.png", "contest/b/1.png", "devices/1.png"] {
        folder.write(file, b"");
    }
    assert_eq!(find(folder.path(), None).unwrap().classes, ["contest", "devices", "trains"]);
    let folder = Folder::new("folders-beside-parts");
    for file in ["train/a/1.png", "train/b/1.png", "test/a/1.png", "test-multiple/a/1.png"] {
        folder.write(file, b"");
    }
    let note = "Left out beside the folder train: test-multiple. Rename a folder to valid or test if it is that part";
    assert_eq!(find(folder.path(), None).unwrap().notes, [note]);
}

#[test]
fn what_is_left_out_is_counted_by_reason_and_ending() {
    let folder = Folder::new("folders-left-out");
    for name in ["train/a/1.PNG", "train/b/1.Jfif", "train/b/2.tif", "test/a/1.pgm", "test/b/1.GIF"] {
        folder.write(name, b"");
    }
    for name in [
        "train/a/x.heic",
        "train/b/y.HEIC",
        "train/a/notes.txt",
        "train/a/README",
        "train/loose.png",
        "pred/1.png",
    ] {
        folder.write(name, b"");
    }
    folder.write("valid/1.png", b"");
    let found = find(folder.path(), None).unwrap();
    assert_eq!((found.train.len(), found.test.unwrap().len()), (3, 2));
    let left_out: Vec<_> =
        found.left_out.iter().map(|left| (left.reason.as_str(), left.ending.as_str(), left.count)).collect();
    assert_eq!(
        left_out,
        [
            ("in no folder of a class", ".png", 1),
            ("no format that this program reads", ".heic", 2),
            ("no picture", "", 1),
            ("no picture", ".txt", 1)
        ]
    );
    assert_eq!(found.left_out[1].first, folder.join("train/a/x.heic"));
    let notes = [
        "Left out beside the folder train: pred. Rename a folder to valid or test if it is that part",
        "Left out beside the folder train: valid. Its pictures need a folder for each class",
    ];
    assert_eq!(found.notes, notes);
    folder.write("train/c/1.heic", b"");
    let message = find(folder.path(), None).unwrap_err().to_string();
    assert!(message.contains("found 1 other file (heic)"), "{message}");
    std::fs::remove_dir_all(folder.join("train/c")).unwrap();
    folder.write("test/c/1.png", b"");
    let message = find(folder.path(), None).unwrap_err().to_string();
    assert!(message.contains("the classes of the training part, found 1 other folder: \"c\""), "{message}");
}

#[cfg(unix)]
#[test]
fn links_to_classes_are_followed_but_not_in_circles() {
    use std::os::unix::fs::symlink;
    let (folder, outside) = (Folder::new("folders-links"), Folder::new("folders-links-to"));
    outside.write("cats/1.png", b"");
    outside.write("2.png", b"");
    folder.write("dog/1.png", b"");
    symlink(outside.join("cats"), folder.join("cat")).unwrap();
    symlink(outside.join("2.png"), folder.join("dog/2.png")).unwrap();
    let found = find(folder.path(), None).unwrap();
    assert_eq!(names(&folder, &found.train), ["cat/1.png", "dog/1.png", "dog/2.png"]);
    let refused = |to: &Path, at: &str| {
        symlink(to, folder.join(at)).unwrap();
        let message = find(folder.path(), None).unwrap_err().to_string();
        std::fs::remove_file(folder.join(at)).unwrap();
        message
    };
    let message = refused(folder.path(), "dog/all");
    assert!(message.contains("dog/all: expected no links in circles, found a link back to"), "{message}");
    for at in ["bird", "dog/3.png"] {
        let message = refused(Path::new("/nowhere"), at);
        assert!(
            message.contains(&format!("{at}: expected a file or folder, found a link to /nowhere")),
            "{message}"
        );
    }
}

/// Systems leave these in folders and archives.
#[test]
fn trees_with_junk_have_the_samples_of_clean_ones() {
    let class = || prop_oneof!["a", "b", "Cat", "dog/small"];
    let part = || prop_oneof![Just(""), Just("Train/"), Just("VALID/"), Just("test/")];
    let picture = (part(), class(), "[a-c]{1,2}[.](png|JPG|tiff)")
        .prop_map(|(part, class, name)| format!("{part}{class}/{name}"));
    let junk = prop_oneof![
        "[.]_[a-c]{1,2}[.]png",
        "[.]DS_Store",
        "Thumbs[.]db",
        "__MACOSX/a/[.]_[a-c][.]png",
        "[.]h/[a-c][.]png",
        "__MACOSX/[a-c]/[a-c][.]png",
        "@eaDir/a[.]jpg",
        "THUMBS[.]DB",
        "Desktop[.]ini"
    ];
    let place = prop_oneof!["", "a/", "b/", "Cat/", "Train/", "Train/a/", "VALID/", "test/b/"];
    let junk = prop::collection::vec((place, junk), 1..8);
    let config = ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() };
    TestRunner::new(config)
        .run(&(prop::collection::vec(picture, 1..12), junk), |(pictures, junk)| {
            let folder = Folder::new("folders-junk");
            for name in &pictures {
                folder.write(name, b"");
            }
            let samples = || {
                let found = find(folder.path(), None).map_err(|error| error.to_string())?;
                let notes = (found.notes, found.left_out, found.split);
                Ok::<_, String>((found.train, found.validation, found.test, found.classes, notes))
            };
            let clean = samples();
            for (place, name) in junk {
                // No folder of a class without pictures is added.
                if place.is_empty() || folder.join(&place).is_dir() {
                    folder.write(&format!("{place}{name}"), b"");
                }
            }
            prop_assert_eq!(samples(), clean);
            Ok(())
        })
        .unwrap();
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
                for picture in found.train.iter().chain(found.test.iter().flatten()) {
                    prop_assert!((picture.label as usize) < found.classes.len());
                    prop_assert!(picture.path.is_file());
                }
            }
            Ok(())
        })
        .unwrap();
}

mod label_map {
    use proptest::prelude::*;
    use proptest::test_runner::TestRunner;

    use super::*;

    #[test]
    fn folders_have_classes_by_number_or_by_line() {
        let map = LabelMap::parse("n01 tench, Tinca\nn02\n\nn03 crane\nn04 crane\n").unwrap();
        assert_eq!(map.labels["n03"], 2);
        assert_eq!(map.names, ["tench, Tinca", "n02", "crane", "crane (3)"]);
        let map = LabelMap::parse("b 2 two\na 0\n").unwrap();
        assert_eq!((map.labels["b"], map.names), (2, vec!["a".to_owned(), "1".to_owned(), "two".to_owned()]));
        let map = LabelMap::parse("polar bear\t1 Ursus maritimus\nsea lion\t0\n").unwrap();
        assert_eq!((map.labels["polar bear"], map.labels["sea lion"]), (1, 0));
        assert_eq!(map.names, ["sea lion", "Ursus maritimus"]);
    }

    #[test]
    fn any_text_is_a_map_or_an_error() {
        let text =
            proptest::string::string_regex("([a-c]{1,2}[ \\t]?[0-9]{0,3}[ \\t]?[a-z\\n]{0,3}){0,8}").unwrap();
        let config = ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() };
        TestRunner::new(config)
            .run(&text, |text| {
                if let Ok(map) = LabelMap::parse(&text) {
                    prop_assert!(map.labels.values().all(|label| (*label as usize) < map.names.len()));
                }
                Ok(())
            })
            .unwrap();
    }

    #[test]
    fn contradictions_and_giant_classes_are_refused() {
        assert!(LabelMap::parse("a 0\na 1\n").unwrap_err().0.contains("line 2: each folder once"));
        assert!(LabelMap::parse("a 4000000000\n").is_err());
        assert!(LabelMap::parse("\n").is_err());
    }
}

use proptest::prelude::*;

use super::*;
use crate::data::testing::Folder;

fn settings(label: &str) -> TableSettings<'_> {
    TableSettings { label, leave_out: &[], words: &[], memory: Memory(1.0) }
}

fn read_text(text: &[u8], settings: &TableSettings<'_>) -> Result<Table, String> {
    let folder = Folder::new(&format!("table-{:?}", std::thread::current().id()));
    folder.write("wine.csv", text);
    read(&folder.join("wine.csv"), settings).map_err(|error| error.to_string())
}

const WINE: &str = "\u{feff}acid; colour;quality\n0.5;red;10\n1e-1;\"white\";9\r\n-2;red;10\n";

#[test]
fn numbers_are_features_and_words_become_one_hot() {
    let table = read_text(WINE.as_bytes(), &settings("quality")).unwrap();
    assert_eq!(table.samples.shape, Shape::new(3, 1, 1));
    // acid, colour red, colour white
    assert_eq!(table.samples.values().unwrap()[..], [0.5, 1.0, 0.0, 0.1, 0.0, 1.0, -2.0, 1.0, 0.0]);
    assert_eq!((table.classes, table.samples.labels), (vec!["9".to_owned(), "10".to_owned()], vec![1, 0, 1]));
    assert_eq!(table.content, hexadecimal(&Sha256::digest(WINE)[..8]));
}

#[test]
fn columns_may_be_left_out_and_numbers_may_be_words() {
    let (out, words) = (["acid".to_owned()], ["quality".to_owned()]);
    let settings = TableSettings { label: "colour", leave_out: &out, words: &words, memory: Memory(1.0) };
    let table = read_text(WINE.as_bytes(), &settings).unwrap();
    assert_eq!(table.samples.values().unwrap()[..], [0.0, 1.0, 1.0, 0.0, 0.0, 1.0]);
    assert_eq!(table.classes, ["red", "white"]);
}

#[test]
fn every_mistake_names_its_place_and_a_remedy() {
    for (text, part) in [
        ("a,y\n1,p\n,q\n", "line 3, column \"a\": a value, not a missing one, found \"\". Fill it in"),
        ("a,y\n1,p\nNA,q\n", "found \"NA\""),
        ("a,y\n1,p\nx,q\n", "line 3, column \"a\": a finite number, as in the lines before, found \"x\""),
        ("a,y\n1,p\n1e60,q\n", "column \"a\": a finite number"),
        ("a,y\nx,p\n1,q\n", "line 3, column \"a\": a word"),
        ("a,y\n1,p\n1,2,q\n", "line 3: 2 cells, as in the header, found 3"),
        ("a,a\n1,p\n", "a header with a name for each column, found \"a\", \"a\""),
        ("", "a header"),
        ("y\n1\n", "a column of features"),
        ("a,y\n1,p\n2,p\n", "two classes at least, found 2 lines with 1 classes"),
        ("a,z\n1,p\n", "label: there is no column \"y\""),
    ] {
        let message = read_text(text.as_bytes(), &settings("y")).unwrap_err();
        assert!(message.contains(part), "{message} lacks {part}");
    }
    let message = read_text(b"a,y\n1,\xff\n", &settings("y")).unwrap_err();
    assert!(message.contains("line 2: text in UTF-8"), "{message}");
    let message = read_text(b"a,y\n1,p\n", &settings("")).unwrap_err();
    assert!(message.contains("there are \"a\", \"y\""), "{message}");
}

#[test]
fn names_are_no_words_and_large_tables_are_refused() {
    let lines =
        |start: &str| (0..40).map(|row| format!("{start}{row},{}\n", row % 2)).collect::<Vec<_>>().concat();
    let names = lines("n");
    let message = read_text(format!("name,y\n{names}").as_bytes(), &settings("y")).unwrap_err();
    assert!(message.contains("line 34, column \"name\": at most 32 different words"), "{message}");
    let rows = lines("");
    let small = TableSettings { memory: Memory(1e-7), ..settings("y") };
    let message = read_text(format!("a,y\n{rows}").as_bytes(), &small).unwrap_err();
    assert!(message.contains("memory: 40 samples of 1 values"), "{message}");
}

#[test]
fn damaged_tables_never_panic() {
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        cases: 3000,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    let folder = Folder::new("table-mutations");
    let path = folder.join("x.csv");
    let mutations = prop::collection::vec((0..WINE.len(), any::<u8>()), 1..6);
    runner
        .run(&(mutations, 0..WINE.len()), |(mutations, end)| {
            let mut bytes = WINE.as_bytes().to_vec();
            for (place, byte) in mutations {
                bytes[place] = byte;
            }
            bytes.truncate(end.max(3));
            std::fs::write(&path, &bytes).unwrap();
            if let Ok(table) = read(&path, &settings("quality")) {
                prop_assert!(table.samples.values().unwrap().iter().all(|value| value.is_finite()));
                prop_assert!(
                    table.samples.labels.iter().all(|label| (*label as usize) < table.classes.len())
                );
            }
            Ok(())
        })
        .unwrap();
}

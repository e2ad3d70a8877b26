use super::*;
use crate::data::testing::{Folder, mutated};

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
        ("a,y\n1,p\n2,p\n", "two classes at least, found 2 lines with 1 class."),
        (
            "a,y\nB2,p\n101,q\n",
            "column \"a\": a word, as in the lines before, found \"101\". Correct it; or, if the column has words, name it: words: [\"a\"]",
        ),
        ("a,y\n101,p\nB2,q\n", "name it: words: [\"a\"]; or leave it out: leave_out: [\"a\"]"),
        (
            "a;y\n0,5;p\n",
            "line 2, column \"a\": a number with a decimal point, found \"0,5\". Write 0.5 for 0,5; or, if the column has words, name it: words: [\"a\"]",
        ),
        ("a;y\n0.5;p\n-1.234,5e3;q\n", "line 3, column \"a\": a number with a decimal point"),
        ("a,y\n1,p\nNone,q\n", "found \"None\""),
        ("a,y\n<NA>,p\n", "a value, not a missing one, found \"<NA>\""),
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
    assert!(message.contains("memory: 40 samples of 1 value in"), "{message}");
}

#[test]
fn memory_ends_the_reading_of_lines_and_of_a_line() {
    let folder = Folder::new("table-giants");
    let path = folder.join("long.csv");
    // Reading stops at the 256th line, long before the one that is wrong.
    let rows = "1,p\n".repeat(1000);
    folder.write("long.csv", format!("a,y\n{rows}x,q\n").as_bytes());
    let small = TableSettings { memory: Memory(1e-7), ..settings("y") };
    let message = read(&path, &small).unwrap_err().to_string();
    assert!(message.contains("memory: the first 256 samples of 1 value in"), "{message}");
    // Sparse: a line without an end.
    std::fs::File::create(&path).unwrap().set_len(50_000_000_000).unwrap();
    let message = columns(&path).unwrap_err().to_string();
    assert!(message.contains("long.csv: expected lines of at most 8 MiB, found a longer one"), "{message}");
    folder.write("long.csv", b"a,y\n1,p\n2,\"");
    std::fs::File::options().write(true).open(&path).unwrap().set_len(50_000_000_000).unwrap();
    let message = read(&path, &settings("y")).unwrap_err().to_string();
    assert!(message.contains("lines of at most 8 MiB"), "{message}");
    folder.write("long.csv", format!("a,y\n1,{}\n", "p".repeat(2000)).as_bytes());
    let message = read(&path, &settings("y")).unwrap_err().to_string();
    assert!(message.contains("a word of at most 1,000 letters"), "{message}");
}

#[test]
fn words_may_have_decimal_commas() {
    let words = ["a".to_owned()];
    let settings = TableSettings { words: &words, ..settings("y") };
    assert_eq!(read_text(b"a;y\n0,5;1,5\n0,7;2,5\n", &settings).unwrap().classes, ["1,5", "2,5"]);
}

#[test]
fn damaged_tables_never_panic() {
    let folder = Folder::new("table-mutations");
    let path = folder.join("x.csv");
    mutated(WINE.as_bytes(), 3000, |bytes| {
        std::fs::write(&path, bytes).unwrap();
        if let Ok(table) = read(&path, &settings("quality")) {
            assert!(table.samples.values().unwrap().iter().all(|value| value.is_finite()));
            assert!(table.samples.labels.iter().all(|label| (*label as usize) < table.classes.len()));
        }
    });
}

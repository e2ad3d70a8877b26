use proptest::prelude::*;

use super::*;
use crate::testing::{Folder, mutated};
use crate::{Csv, Data, Normalize};

fn settings(label: &str) -> TableSettings<'_> {
    TableSettings { label, leave_out: &[], words: &[], numbers: &NumberStyle::Plain, memory: Memory(1.0) }
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
}

#[test]
fn columns_may_be_left_out_and_numbers_may_be_words() {
    let (out, words) = (["acid".to_owned()], ["quality".to_owned()]);
    let settings = TableSettings { leave_out: &out, words: &words, ..settings("colour") };
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
        ("a,y\n1,p\n1e60,q\n", "column \"a\": a number that is finite in single precision"),
        ("a,y\nx,p\n1,q\n", "line 3, column \"a\": a word"),
        ("a,y\n1,p\n1,2,q\n", "line 3: 2 cells, as in the header, found 3"),
        ("a,a\n1,p\n", "a header with a name for each column, found \"a\", \"a\""),
        ("", "a header"),
        ("y\n1\n", "between them, found one column \"y\". Save the table with one of these"),
        (
            "a b y\n1 2 p\n",
            "columns with commas, semicolons, tabs or vertical bars between them, found one column \"a b y\"",
        ),
        ("# by us\na,y\n1,p\n", "with the names of the columns in its first line"),
        (
            "# by us, 2020\na,b,y\n1,2,p\n",
            "there are \"# by us\", \"2020\"; remove comments before the names of the columns",
        ),
        (
            "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12\n",
            "wine.csv is a Git LFS pointer",
        ),
        ("<!DOCTYPE html><html>", "wine.csv is a web page"),
        (
            ",a,y\n0,1,p\n",
            "a name for each column in the first line, found none for 1 column. Leave out what has none, by the name that pandas gives it: leave_out: [\"Unnamed: 0\"]",
        ),
        ("sep=;\na;y\n1;p\nx;q\n", "line 4, column \"a\": a finite number"),
        (
            "a,y\n1,p\n2,NA\n",
            "found \"NA\". Fill it in or remove the line; or, if it is a word, name the column: words: [\"y\"]",
        ),
        (
            "a,y\n1,p\n2,\n",
            "column \"y\": a value, not a missing one, found \"\". Fill it in or remove the line",
        ),
        (
            "a,y\n1,0\n2,1\n3,0.0\n",
            "line 4, column \"y\": a class written as in the lines before, found \"0.0\". \"0\" is the same number: write both alike; or, if they are two classes, name the column: words: [\"y\"]",
        ),
        ("a,y\n1,00\n2,1\n3,0\n", "\"00\" is the same number"),
        (
            "a,y\n\"1,000\",p\n",
            "line 2, column \"a\": a number with a decimal point and without separators of thousands, found \"1,000\". Write it plainly, or read it as 1000 with numbers: Grouped or read it as 1 with numbers: DecimalComma; or, if",
        ),
        ("a,y\n1'000,p\n", "Write it plainly, or read it as 1000 with numbers: Grouped; or, if"),
        (
            "a,y\nx,p\n5%,q\n",
            "line 3, column \"a\": a number without signs of money or per cent, found \"5%\". Remove the signs",
        ),
        (
            "a,y\n2020-01-31,p\n",
            "a number or a word, not a date or time, found \"2020-01-31\". Leave the column out: leave_out: [\"a\"]",
        ),
        ("a,y\n0x1F,p\n", "a decimal number, found \"0x1F\""),
        (
            "a;y\n5,-;p\n",
            "found \"5,-\". Write it plainly, or read it as 5 with numbers: DecimalComma; or, if",
        ),
        ("a;y\n0,500;p\n", "Write it plainly, or read it as 0.5 with numbers: DecimalComma; or, if"),
        (
            "a;y\n0 500;p\n",
            "a number without 0 before its first group of digits, found \"0 500\". Correct it; or, if",
        ),
        ("a;y\n$50K;p\n", "a number without signs of money or per cent, found \"$50K\". Remove the signs"),
        ("a,y\n1,p\n2,p\n", "two classes at least, found 2 lines with 1 class."),
        (
            "a,y\nB2,p\n101,q\n",
            "column \"a\": a word, as in the lines before, found \"101\". Correct it; or, if the column has words, name it: words: [\"a\"]",
        ),
        ("a,y\n101,p\nB2,q\n", "name it: words: [\"a\"]; or leave it out: leave_out: [\"a\"]"),
        (
            "a;y\n0,5;p\n",
            "line 2, column \"a\": a number with a decimal point and without separators of thousands, found \"0,5\". Write it plainly, or read it as 0.5 with numbers: DecimalComma; or, if the column has words, name it: words: [\"a\"]",
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
fn cells_that_are_long_or_far_apart_are_read_in_no_time_and_without_overflow() {
    let text = format!("a,y\n{}.{},p\n", "a".repeat(1 << 20), "-".repeat(3 << 20));
    let message = read_text(text.as_bytes(), &settings("y")).unwrap_err();
    assert!(message.contains("a word of at most 1,000 letters"), "{message}");
    let text = format!("a,y\n{},p\n{},q\n", i128::MAX, i128::MIN);
    let table = read_text(text.as_bytes(), &settings("y")).unwrap();
    assert_eq!(table.samples.values().unwrap()[..], [2_f32.powi(127), -(2_f32.powi(127))]);
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

#[test]
fn separators_and_names_of_columns_are_those_of_excel_and_pandas() {
    for text in [
        "sep=;\na;b;y\n1;2;p\n3;4;q\n",
        "\u{feff}sep=|\r\na|b|y\r\n1|2|p\r\n3|4|q\r\n",
        "a|b|y\n1|2|p\n3|4|q\n",
    ] {
        let table = read_text(text.as_bytes(), &settings("y")).unwrap();
        assert_eq!(table.samples.values().unwrap()[..], [1.0, 2.0, 3.0, 4.0], "{text}");
    }
    let out = ["Unnamed: 0".to_owned(), "Unnamed: 3".to_owned()];
    let table =
        read_text(b",a,y,\n0,5,p,\n1,6,q,\n", &TableSettings { leave_out: &out, ..settings("y") }).unwrap();
    assert_eq!(table.samples.values().unwrap()[..], [5.0, 6.0]);
    assert_eq!(
        table.columns,
        Columns { numbers: vec!["a".to_owned()], words: Vec::new(), left_out: out.to_vec() }
    );
}

#[test]
fn missing_values_and_equal_numbers_are_words_where_the_setting_says_so() {
    let words = ["y".to_owned()];
    let settings = TableSettings { words: &words, ..settings("y") };
    let table = read_text(b"a,y\n1,NA\n2,None\n3,NA\n", &settings).unwrap();
    assert_eq!(
        (table.classes, table.samples.labels),
        (vec!["NA".to_owned(), "None".to_owned()], vec![0, 1, 0])
    );
    assert!(table.notes[0].contains("Column \"y\": \"NA\" in 2 lines is a word"), "{:?}", table.notes);
    assert_eq!(read_text(b"a,y\n1,0\n2,0.0\n3,00\n", &settings).unwrap().classes, ["0", "0.0", "00"]);
    assert!(read_text(b"a,y\n1,\n2,p\n", &settings).unwrap_err().contains("a value, not a missing one"));
}

#[test]
fn a_style_reads_what_people_write() {
    for (style, text) in [
        (NumberStyle::Grouped, "a;y\n1,000.5;p\n\u{2212}2'000;q\n(3);p\n"),
        (NumberStyle::DecimalComma, "a;y\n1.000,5;p\n-2 000;q\n(3);p\n"),
    ] {
        let settings = TableSettings { numbers: &style, ..settings("y") };
        let table = read_text(text.as_bytes(), &settings).unwrap();
        assert_eq!(table.samples.values().unwrap()[..], [1000.5, -2000.0, -3.0], "{text}");
        let message = read_text(b"a;y\n$5;p\n", &settings).unwrap_err();
        assert!(message.contains("without signs of money"), "{message}");
    }
}

#[test]
fn what_looks_odd_is_a_note() {
    let notes = |text: &str| read_text(text.as_bytes(), &settings("y")).unwrap().notes;
    for text in ["income;y\n1.000;p\n-10.000;q\n", "income;y\n950;p\n1.200;q\n870;p\n1.050;q\n"] {
        let thousands = notes(text);
        let begin =
            "Column \"income\": every number with a point has three digits behind it, and is read with a";
        assert!(thousands[0].starts_with(begin) && thousands.len() == 1, "{thousands:?}");
    }
    for text in [
        "income,y\n1.000,p\n10.000,q\n",
        "income;y\n1.000;p\n10.00;q\n",
        "income;y\n950;p\n870;q\n",
        "income;y\n1.200;p\n1950;q\n",
        "share;y\n0.512;p\n1.200;q\n",
        "a;y\nred;p\n2nd;q\n3D;q\n",
    ] {
        assert_eq!(notes(text), [""; 0], "{text}");
    }
    let units = notes("w,y\n10 kg,p\n20 kg,q\n30-39,q\n");
    assert!(units[0].contains("its 3 words begin with digits, as \"10 kg\""), "{units:?}");
    let money = notes("w,y\n(50K),p\n$50-$60,q\n€60-€70,q\n");
    assert!(money[0].contains("its 3 words begin with digits, as \"$50-$60\""), "{money:?}");
}

/// Standardised and plain values of a table, and the notes about it.
fn of_column(name: &str, cells: &[&str]) -> ([Vec<f32>; 2], Vec<String>) {
    let folder = Folder::new(&format!("table-column-{name}"));
    let lines = cells.iter().enumerate().map(|(row, cell)| format!("{cell},{}\n", row % 2));
    folder.write("t.csv", format!("x,y\n{}", lines.collect::<String>()).as_bytes());
    let data = |normalize: Normalize| {
        let file = folder.join("t.csv").display().to_string();
        Data::Csv(Csv { file, label: "y".to_owned(), test: 0.001, normalize, ..Csv::default() })
    };
    let values = [Normalize::Standard, Normalize::None].map(|normalize| {
        let read = data(normalize).read(None, Path::new("")).unwrap();
        read.train.values().unwrap().into_owned()
    });
    (
        values,
        data(Normalize::None).look(Path::new(""), &crate::Digests::open()).unwrap().unwrap().details.notes,
    )
}

/// Expected numbers: `((x - x.mean()) / x.std()).astype("float32")` of NumPy with float64; of the whole numbers in Python's
/// whole numbers, which NumPy's float64 rounds.
#[test]
fn large_numbers_are_standardised_in_double_precision() {
    for (name, cells, expected) in [
        (
            "pressure",
            ["101325.000", "101325.001", "101325.002", "101325.004", "0"],
            [-1.183_216, -0.507_092_54, 0.169_030_84, 1.521_277_7],
        ),
        (
            "utm",
            ["5761234.0", "5761234.1", "5761234.2", "5761234.4", "0"],
            [-1.183_216, -0.507_092_54, 0.169_030_84, 1.521_277_7],
        ),
        (
            "ids",
            ["4611686018427387904", "4611686018427387905", "4611686018427387906", "4611686018427387909", "0"],
            [-1.069_045, -0.534_522_5, 0.0, 1.603_567_5],
        ),
    ] {
        // One line is for testing: it may not be one of the first four.
        let all = samples_for_testing(5);
        let mut cells = cells.to_vec();
        cells.swap(all, 4);
        let ([standard, plain], notes) = of_column(name, &cells);
        let mut found = standard.clone();
        found.sort_by(f32::total_cmp);
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 2e-7), "{name}: {found:?}");
        assert!(plain.iter().all(|value| *value == plain[0]) || name != "ids", "{plain:?}");
        assert!(notes[0].contains("single precision is too coarse for column \"x\""), "{notes:?}");
    }
    let ([_, plain], notes) = of_column("short", &["0.1", "0.2", "0.3", "0.4", "0.5"]);
    assert!(notes.is_empty() && plain.contains(&0.2), "{notes:?} {plain:?}");
}

/// Which of so many lines is the only one for testing.
fn samples_for_testing(count: usize) -> usize {
    crate::prepare::split_labels(&(0..count as u32).collect::<Vec<_>>(), 1)[1][0] as usize
}

/// Lines of a table with a cell and a class each.
fn two_columns(cells: impl Iterator<Item = String>) -> String {
    let line = |(row, cell): (usize, String)| {
        [cell, "\t".to_owned(), (row % 2).to_string(), "\n".to_owned()].concat()
    };
    cells.enumerate().map(line).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever people put around and into numbers: a column of them is refused or has numbers.
    #[test]
    fn what_looks_like_a_number_never_becomes_a_word_by_itself(
        numbers in prop::collection::vec(0_u64..10_000_000_000, 2..6),
        decimals in prop::option::of(0_u32..1000),
        group in prop::sample::select(vec!["", ",", ".", "'", "’", " ", "\u{a0}", "\u{202f}", "\u{2009}", "_"]),
        mark in prop::sample::select(vec![".", ","]),
        around in prop::sample::select(vec![
            ("", ""), ("-", ""), ("−", ""), ("+", ""), ("- ", ""), ("$", ""), ("-$", ""), ("", " €"), ("US$", ""), ("CHF ", ""), ("", " USD"),
            ("", "%"), ("", " %"), ("(", ")"), ("($", ")"), ("£ ", ""), ("", "‰"),
        ]),
        exponent in prop::sample::select(vec!["", "e3", "E-2", "D+01"]),
        style in prop::sample::select(vec![NumberStyle::Plain, NumberStyle::Grouped, NumberStyle::DecimalComma]),
    ) {
        let written = |number: &u64| {
            let whole = form::number::grouped(*number).replace(',', group);
            let decimals = decimals.map_or_else(String::new, |decimals| format!("{mark}{decimals}"));
            format!("{}{whole}{decimals}{exponent}{}", around.0, around.1)
        };
        let lines = two_columns(numbers.iter().map(written));
        let settings = TableSettings { numbers: &style, ..settings("y") };
        // Two separators that are one: "1,000,5" is no number.
        let is_number = group != mark || decimals.is_none();
        match read_text(format!("x\ty\n{lines}").as_bytes(), &settings) {
            Ok(table) if is_number => prop_assert!(table.columns.words.is_empty(), "{lines}"),
            Err(message) if is_number => prop_assert!(message.contains("line "), "{message}"),
            Ok(_) | Err(_) => {}
        }
    }

    /// Any cells of the signs of numbers: what a column of words has is no number of any style.
    #[test]
    fn hostile_cells_are_refused_or_words_without_numbers(cells in prop::collection::vec("[0-9.,' eE$%()+xN−-]{1,7}", 2..5)) {
        let lines = two_columns(cells.iter().cloned());
        if let Ok(table) = read_text(format!("x\ty\n{lines}").as_bytes(), &settings("y")) {
            for cell in cells.iter().filter(|_| !table.columns.words.is_empty()) {
                for style in [NumberStyle::Plain, NumberStyle::Grouped, NumberStyle::DecimalComma] {
                    prop_assert!(cell::number(cell.trim(), &style).is_none(), "{cell}");
                }
            }
        }
    }
}

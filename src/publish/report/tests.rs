use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::*;
use ::results::table::Mark;
use doc::file::parse;
use doc::{Experiment, runs};
use figure::plots::find;
use run::read_records;
use run::testing::run_in;

const TEXT: &str = r#"(
    name: "Does it matter?", data: Iris(), net: Mlp(hidden: [4]), seeds: [1, 2, 3], train: (batch: 24),
    arms: [
        (name: "dense", plan: [Train("2ep"), Test]),
        (name: "<b>ticket</b> \"&\"", plan: [Train("1ep"), Do(Prune(amount: Fraction(0.5))), Train("1ep"), Test]),
        (name: "faulty", plan: [Train("1ep"), Campaign(trials: Fixed(20)), Test]),
    ],
)"#;

/// An experiment with the results of some of its runs.
struct Fixture {
    folder: tempfile::TempDir,
    experiment: Experiment,
    all: Vec<Run>,
    records: BTreeMap<String, RunRecord>,
    view: ViewSettings,
    set: [(String, String); 1],
}

impl Fixture {
    fn of(text: &str, is_done: impl Fn(&Run) -> bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let experiment = parse(text, Path::new("x.ron")).unwrap();
        let all = runs(&experiment).unwrap();
        for run in all.iter().filter(|run| is_done(run)) {
            run_in(folder.path(), run);
        }
        let records = read_records(folder.path(), &all);
        let set = [("train.batch".to_owned(), "24".to_owned())];
        Self { folder, experiment, all, records, view: ViewSettings::default(), set }
    }

    fn html(&self) -> String {
        self.with(|_| {}).unwrap()
    }

    fn with<'a>(&'a self, change: impl FnOnce(&mut ReportInput<'a>)) -> Result<String, ReportError> {
        let mut input = ReportInput {
            title: "",
            selected: Selected {
                experiment: &self.experiment,
                file: Path::new("/home/somebody/first.ron"),
                text: TEXT,
                all: &self.all,
                runs: &self.all,
                records: &self.records,
                folder: self.folder.path(),
            },
            set: &self.set,
            view: &self.view,
            plots: None,
            made: 1_700_000_000,
        };
        change(&mut input);
        html(&input)
    }
}

/// The elements of a document in their order, each with its attributes; panics where one is not closed or closed twice.
fn elements(html: &str) -> Vec<(String, String)> {
    const VOID: [&str; 1] = ["meta"];
    let (mut found, mut open): (Vec<(String, String)>, Vec<String>) = (Vec::new(), Vec::new());
    let styled = html.find("<style>").unwrap()..html.find("</style>").unwrap();
    let html = html.replace(&html[styled.start + "<style>".len()..styled.end], "");
    for part in html.split('<').skip(1) {
        let (tag, _) = part.split_once('>').unwrap_or_else(|| panic!("no end: <{part}"));
        if tag.starts_with('!') {
            continue;
        }
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name), "closed in the wrong order");
            continue;
        }
        let is_empty = tag.ends_with('/');
        let (name, attributes) = tag.trim_end_matches('/').split_once(' ').unwrap_or((tag, ""));
        assert!(attributes.matches('"').count() % 2 == 0, "{tag}");
        if !is_empty && !VOID.contains(&name) {
            open.push(name.to_owned());
        }
        found.push((name.to_owned(), attributes.to_owned()));
    }
    assert!(open.is_empty(), "not closed: {open:?}");
    found
}

fn attribute<'a>(attributes: &'a str, name: &str) -> Option<&'a str> {
    let start = format!("{name}=\"");
    let inner = format!(" {start}");
    let rest = attributes.strip_prefix(&start).or_else(|| Some(attributes.split_once(&inner)?.1))?;
    rest.split('"').next()
}

/// Checks the needs of browsers and screen readers beyond closed elements.
fn check(html: &str) {
    let elements = elements(html);
    let mut ids = BTreeSet::new();
    for id in elements.iter().filter_map(|(_, attributes)| attribute(attributes, "id")) {
        assert!(ids.insert(id.to_owned()), "{id} is there twice");
    }
    let mut level = 0;
    for (name, attributes) in &elements {
        if let Some(label) = attribute(attributes, "aria-labelledby") {
            assert!(ids.contains(label), "nothing is called {label}");
        }
        if let Some(target) = attribute(attributes, "href").and_then(|target| target.strip_prefix('#')) {
            assert!(ids.contains(target), "no {target}");
        }
        if let Some(clip) = attribute(attributes, "clip-path") {
            assert!(ids.contains(clip.trim_start_matches("url(#").trim_end_matches(')')), "{clip}");
        }
        if name == "svg" {
            assert!(
                attribute(attributes, "aria-label").is_some_and(|label| label.len() > 20),
                "{attributes}"
            );
        }
        if let Some(depth) = name.strip_prefix('h').and_then(|depth| depth.parse::<usize>().ok()) {
            assert!(depth <= level + 1, "h{depth} follows h{level}");
            level = depth;
        }
        assert!(!matches!(name.as_str(), "script" | "iframe" | "link" | "object"), "{name}");
        let loads = attributes.contains("http://") || attributes.contains("https://");
        assert!(!loads, "{attributes}");
    }
    for landmark in ["header", "nav", "main", "footer", "h1"] {
        assert_eq!(elements.iter().filter(|(name, _)| name == landmark).count(), 1, "{landmark}");
    }
}

#[test]
fn a_report_tells_all_of_an_experiment_and_is_well_formed() {
    let mut fixture = Fixture::of(TEXT, |_| true);
    fixture.view.notes = "look at <seed 2>".to_owned();
    let mark = Mark { starred: true, tags: vec!["keep".to_owned()], note: "why?".to_owned() };
    fixture.view.marks.insert("arm:dense".to_owned(), mark);
    let html = fixture.html();
    check(&html);
    for section in [
        "Results",
        "Paired differences",
        "Figures",
        "Fault campaigns",
        "What stages reported",
        "Notes",
        "Methods",
        "Data",
        "Settings",
        "Runs",
        "Environment",
        "Experiment file",
    ] {
        assert!(html.contains(&format!(">{section}</h2>")), "{section}");
    }
    for part in [
        "All 9 runs are done.",
        "<title>Does it matter?</title>",
        "<bdi>first.ron</bdi>",
        "2023-11-14 22:13 UTC",
        "&lt;b&gt;ticket&lt;/b&gt; &quot;&amp;&quot; − dense",
        "look at &lt;seed 2&gt;",
        "starred",
        "Batch size",
        "Iris (built in): 120 for training, 0 for validation, 30 for testing; 3 classes",
        "3: setosa, versicolor, virginica",
        "SDC-1",
        "--set train.batch=24",
        "A multi-layer perceptron with one hidden layer",
        "95 % CI",
    ] {
        assert!(html.contains(part), "{part}");
    }
    assert!(html.contains(&escaped(TEXT)), "the experiment can be copied out");
    assert!(!html.contains("/home/somebody") && !html.contains("<b>"));
    assert_eq!(html, fixture.html(), "equal inputs give equal bytes");
    let weights = run::weights_path(fixture.folder.path(), &fixture.all[0].id);
    let digest = <sha2::Sha256 as sha2::Digest>::digest(std::fs::read(weights).unwrap());
    assert!(html.contains(&form::number::hexadecimal(&digest)));
}

#[test]
fn what_is_not_done_is_said_and_without_any_run_there_is_no_report() {
    let fixture = Fixture::of(TEXT, |run| run.arm == "dense" && run.seed != 3);
    let html = fixture.html();
    check(&html);
    assert!(html.contains("Preliminary: 2 of 9 runs done, 7 not run."), "{}", &html[..9000]);
    assert!(html.contains("7 runs of 9"));
    let error = Fixture::of(TEXT, |_| false).with(|_| {}).unwrap_err().to_string();
    assert!(error.contains("there are no results in "), "{error}");
}

#[test]
fn hostile_names_stay_text() {
    let text = TEXT
        .replace("Does it matter?", "</title><script>alert(1)</script>")
        .replace("faulty", "\\u{202e}rtl&#60;\\u{0}<svg onload=x>id=\\\"clip1\\\"");
    let mut fixture = Fixture::of(&text, |run| run.seed == 1);
    fixture.view.notes = "</p><img src=x onerror=y>".repeat(50);
    let html = fixture.with(|input| input.selected.text = "</code></pre><script>").unwrap();
    check(&html);
    assert!(!html.contains("<script") && !html.contains("<img") && !html.contains("<svg onload"));
}

#[test]
fn figures_can_be_chosen_and_say_what_they_show() {
    let loss = [find("loss").unwrap()];
    let fixture = Fixture::of(TEXT, |run| run.arm == "dense");
    let html = fixture.with(|input| input.plots = Some(&loss)).unwrap();
    check(&html);
    assert_eq!(html.matches("<figure>").count(), 1);
    assert!(html.contains("aria-label=\"Loss: "), "an alternative text");
    let all = fixture.html();
    assert!(
        all.matches("<figure>").count() >= 2 && all.contains("At the right end: dense "),
        "from the data"
    );
}

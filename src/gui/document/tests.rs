//! Documents and their files.

use super::*;

const TEXT: &str =
    "// Why.\nExperiment(name: \"A / b\", seeds: [1, 2], arms: [(name: \"x\", plan: [Train(\"1ep\")])])";

#[test]
fn an_edit_makes_the_document_unsaved_and_saving_ends_that() {
    let folder = tempfile::tempdir().unwrap();
    let mut document = Document::untitled("A b", TEXT).unwrap();
    assert!(!document.is_unsaved());
    document.experiment.seeds.push(3);
    assert!(document.is_unsaved());
    let path = folder.path().join(document.suggested_file_name());
    assert!(path.ends_with("a-b.ron"));
    document.save(&path).unwrap();
    assert!(!document.is_unsaved());
    assert_eq!(document.title(), "a-b.ron");
    document.save(&folder.path().join("untitled-3.ron")).unwrap();
    assert_eq!(
        [document.title(), document.suggested_file_name()],
        ["A / b", "a-b.ron"],
        "nobody has named it"
    );
    assert!(std::fs::read_to_string(&path).unwrap().starts_with("// Why.\n"));
}

#[test]
fn the_experiment_is_looked_at_only_when_it_has_changed() {
    let mut document = Document::untitled("A b", TEXT).unwrap();
    assert!(document.refresh());
    assert_eq!(document.runs().len(), 2);
    assert!(!document.refresh());
    document.experiment.seeds.push(3);
    assert!(document.refresh());
    assert_eq!(document.runs().len(), 3);
}

#[test]
fn missing_data_are_one_error_with_a_remedy_until_they_are_there() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().display().to_string();
    let text = format!("(data: Mnist(dir: {dir:?}), seeds: [1, 2], arms: [(name: \"x\", plan: [Test])])");
    let mut document = Document::untitled("A", &text).unwrap();
    document.refresh();
    let [problem] = document.problems() else { panic!("{:?}", document.problems()) };
    assert_eq!(problem.to_string(), "Data: MNIST not found: choose the folder with its files");
    assert!(problem.details.contains(&dir) && problem.place == Place::default().key("data"));
    assert!(problem.lacks_folder);
    assert!(document.first_error().is_some() && document.runs().len() == 2);
    assert!(!document.is_behind(), "the settings themselves are fine");
    for name in data::MNIST.needed {
        std::fs::write(folder.path().join(name), "").unwrap();
    }
    assert!(!document.has_changed() && !document.refresh(), "the disk is left alone for a while");
    let earlier = Instant::now().checked_sub(2 * LOOK_FOR_DATA).unwrap();
    document.checked.as_mut().unwrap().at = earlier;
    assert!(document.has_changed() && document.refresh());
    assert_eq!(document.problems(), []);
    // Found once, they are not looked for with every edit.
    std::fs::remove_file(folder.path().join(data::MNIST.needed[0])).unwrap();
    document.experiment.seeds.push(4);
    document.refresh();
    assert_eq!(document.problems(), []);
}

#[test]
fn an_error_leaves_the_last_valid_runs_where_they_are() {
    let arms = "(name: \"x\", plan: [Test]), (name: \"y\", plan: [Train(\"1ep\")])";
    let mut document = Document::untitled("A", &format!("(seeds: [1, 2], arms: [{arms}])")).unwrap();
    document.refresh();
    let all = document.runs().to_vec();
    let edit = |document: &mut Document, change: &dyn Fn(&mut Experiment)| {
        change(&mut document.experiment);
        assert!(document.refresh());
        assert!(document.first_error().is_some() && document.is_behind());
    };
    edit(&mut document, &|experiment| {
        experiment.sweep.0.insert("train.batch".to_owned(), "8".to_owned());
    });
    assert_eq!(document.runs(), all, "a sweep with a mistake removes no run");
    edit(&mut document, &|experiment| experiment.arms.swap(0, 1));
    let places: Vec<_> = document.runs().iter().map(|run| (run.arm.as_str(), run.arm_index)).collect();
    assert_eq!(places, [("x", 1), ("x", 1), ("y", 0), ("y", 0)], "runs follow their arms");
    edit(&mut document, &|experiment| drop(experiment.arms.remove(0)));
    assert_eq!(document.runs().len(), 2);
    edit(&mut document, &|experiment| experiment.arms[0].name = "z".to_owned());
    assert_eq!(document.runs().len(), 2, "an arm that is being renamed keeps its runs");
    document.experiment.sweep.0.clear();
    document.refresh();
    assert!(!document.is_behind() && document.runs()[0].arm == "z");
}

#[test]
fn no_two_documents_have_the_same_revision() {
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..2 {
        let mut document = Document::untitled("A b", TEXT).unwrap();
        assert!(seen.insert(document.revision()));
        document.refresh();
        assert!(seen.insert(document.revision()));
        document.refresh();
        assert!(!seen.insert(document.revision()), "nothing was edited");
    }
}

#[test]
fn what_another_program_has_written_is_noticed_also_after_a_crash() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.ron");
    std::fs::write(&path, TEXT).unwrap();
    let mut document = Document::open(&path).unwrap();
    document.experiment.seeds.push(3);
    assert!(!document.is_changed_elsewhere());
    let kept = document.to_keep().unwrap();
    assert!(!Document::recovered(&kept).unwrap().is_changed_elsewhere());
    std::fs::write(&path, TEXT.replace("A / b", "B")).unwrap();
    assert!(document.is_changed_elsewhere());
    let recovered = Document::recovered(&kept).unwrap();
    assert!(recovered.is_changed_elsewhere() && recovered.is_unsaved());
    document.save(&path).unwrap();
    assert!(!document.is_changed_elsewhere());
    std::fs::remove_file(&path).unwrap();
    assert!(!document.is_changed_elsewhere(), "nothing would be replaced");
}

#[test]
fn comments_are_asked_about_only_where_they_would_be_lost() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.ron");
    std::fs::write(&path, TEXT.replace("seeds", "/* two */ seeds")).unwrap();
    let document = Document::open(&path).unwrap();
    assert!(document.would_lose_comments(&path));
    assert!(!document.would_lose_comments(&folder.path().join("y.ron")));
}

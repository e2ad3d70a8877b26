//! Figures of faults of an arm with a sweep: each panel has one setting, and names the runs whose trials it counts.

use std::path::Path;

use super::*;
use crate::FileKind;
use crate::export::bytes;
use crate::plots::find;
use crate::plots::testing::{arm, outcome, single_faults};
use crate::view::exported;
use doc::file::parse;
use doc::{Run, runs};
use results::RunRecord;
use results::campaign::Outcomes;
use results::view::{PlotOptions, PlotView, ViewSettings};

const SWEPT: &str =
    "(seeds: [1, 2, 3], arms: [(name: \"a\", sweep: { \"train.batch\": [8, 16, 32] }, plan: [Test])])";

/// All runs of a document, and the figure of their faults; of ten images, one in eight of the batch size has SDC-1.
fn drawn(text: &str, plot: &str, by: &[Column]) -> (Vec<Run>, Figure) {
    let all = runs(&parse(text, Path::new("x.ron")).unwrap()).unwrap();
    let record = |run: &Run| single_faults(vec![outcome(0, 30, run.spec.train.batch as u64 / 8)]);
    let records: BTreeMap<String, RunRecord> = all.iter().map(|run| (run.id.clone(), record(run))).collect();
    let facets = FacetSettings { by: by.to_vec(), ..FacetSettings::default() };
    let kept = PlotView { facets, ..PlotView::default() };
    let mut view = ViewSettings { plots: [(plot.to_owned(), kept)].into(), ..ViewSettings::default() };
    let figure = exported(find(plot).unwrap(), &mut view, &all, &records, |_| true);
    (all, figure)
}

fn ids(all: &[Run], batch: usize) -> Vec<String> {
    all.iter().filter(|run| run.spec.train.batch == batch).map(|run| run.id.clone()).collect()
}

#[test]
fn each_setting_of_a_sweep_has_a_panel_which_knows_its_runs() {
    for by in [Vec::new(), vec![Column::Setting("train.batch".to_owned())]] {
        let (all, figure) = drawn(SWEPT, "vulnerability", &by);
        let facets = figure.facets.as_ref().expect("panels");
        let titles: Vec<String> = facets.panels.iter().map(|panel| facets.title(panel)).collect();
        let word = if by.is_empty() { "batch" } else { "batch size" };
        assert_eq!(titles, [8, 16, 32].map(|batch| format!("{word} {batch}")));
        for (panel, batch) in facets.panels.iter().zip([8, 16, 32]) {
            let cells = panel.figure.cells.as_ref().unwrap();
            assert_eq!(cells.runs, ids(&all, batch), "the runs of another setting are not its");
            assert_eq!(cells.values, [[batch as f64 / 80.0]]);
            assert_eq!(cells.texts[0].ends.unwrap().1, 3, "a trial of each seed");
        }
    }
}

#[test]
fn the_caption_counts_exactly_the_trials_that_are_drawn() {
    let batch = || vec![Column::Setting("train.batch".to_owned())];
    let caption = |plot: &str, by: Vec<Column>| drawn(SWEPT, plot, &by).1.note.text("");
    for plot in ["vulnerability", "outcomes-bit", "outcomes-layer"] {
        let each = "a, batch 8 (3 trials); a, batch 16 (3 trials); a, batch 32 (3 trials)";
        assert!(caption(plot, Vec::new()).contains(each), "{}", caption(plot, Vec::new()));
        assert!(caption(plot, batch()).contains("mean over single faults: a (9 trials)"), "{plot}");
    }
    let one = SWEPT.replace("[8, 16, 32]", "[8]");
    let (_, figure) = drawn(&one, "vulnerability", &[]);
    assert!(figure.facets.is_none() && figure.note.text("").contains("(3 trials)"), "{:?}", figure.note);
    assert!(figure.note.text("").contains("all images count, also those wrong without faults"));
}

#[test]
fn settings_that_would_share_a_panel_are_rows() {
    let (all, figure) = drawn(SWEPT, "vulnerability", &[Column::Seed]);
    let facets = figure.facets.as_ref().unwrap();
    assert_eq!((facets.columns.len(), facets.rows.len(), facets.panels.len()), (3, 3, 9));
    let heads: Vec<&str> = facets.rows.iter().map(|head| head.value.as_str()).collect();
    assert_eq!(heads, ["batch 8", "batch 16", "batch 32"]);
    for panel in &facets.panels {
        let cells = panel.figure.cells.as_ref().unwrap();
        let [row, column] = panel.place;
        assert_eq!(cells.runs, [ids(&all, [8, 16, 32][row])[column].clone()]);
        assert_eq!(panel.values, [(column + 1).to_string(), format!("a, batch {}", [8, 16, 32][row])]);
    }
}

#[test]
fn more_settings_than_panels_are_refused() {
    let many: Vec<String> = (1..=30).map(|batch| batch.to_string()).collect();
    let text = SWEPT.replace("8, 16, 32", &many.join(", "));
    let (_, figure) = drawn(&text, "vulnerability", &[]);
    assert!(figure.refusal().is_some_and(|why| why.contains("30 settings")), "{:?}", figure.refusal());
}

#[test]
fn in_one_column_a_heat_map_keeps_its_values_and_names_all_fields() {
    use crate::Options;
    use crate::scene::page::page_facts;
    let bits = [31, 30, 29, 28, 27, 26, 25, 24, 23, 0];
    let run = single_faults(bits.map(|bit| Outcomes { trials: 20, ..outcome(0, bit, 3) }).to_vec());
    let figure = (find("vulnerability").unwrap().build)(&[arm("a", 0, [&run])], &PlotOptions::default());
    let options = Options::default();
    let svg = String::from_utf8(bytes(&figure, FileKind::Svg, &options).unwrap()).unwrap();
    for field in ["sign", "exponent", "mantissa"] {
        assert!(svg.contains(&format!(">{field}<")), "{field}");
    }
    assert_eq!(svg.matches(">30.0<").count(), bits.len());
    let facts = page_facts(&figure, &options);
    assert!(facts.has_cell_texts && facts.least_text.is_some_and(|least| least < options.size.font_pt));
}

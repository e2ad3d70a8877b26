//! The settings in which runs differ.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::plan_words::plan_words;
use super::settings::{self, LAYERS, NONE, Settings};
use super::{Labels, Row};
use crate::outline::Outline;
use doc::{Run, RunSpec};

/// The settings in which runs differ, kept between edits of a document: an edit leaves most arms as they are.
#[derive(Debug, Default)]
pub struct Differing {
    /// The first run of each arm, and all of its settings.
    specs: Vec<RunSpec>,
    all: Vec<Arc<Settings>>,
    /// The settings in which they differ, and what each arm has there.
    paths: Vec<String>,
    own: Vec<Arc<Settings>>,
    /// What the plan of each arm does, and the same in a few words.
    outlines: Vec<(Outline, Arc<str>)>,
    /// Every setting of some arm, by its path.
    known: Vec<String>,
    labels: Arc<Labels>,
}

impl Differing {
    /// Gives every row its settings, by the runs of the document; returns the paths of these.
    pub fn give(&mut self, rows: &mut [Row], runs: &[&Run]) -> &[String] {
        let mut arms: BTreeMap<&str, usize> = BTreeMap::new();
        let mut specs: Vec<&RunSpec> = Vec::new();
        for run in runs {
            arms.entry(&run.arm).or_insert_with(|| {
                specs.push(&run.spec);
                specs.len() - 1
            });
        }
        self.update(&specs);
        for row in rows {
            let Some(arm) = arms.get(row.arm.as_str()) else { continue };
            row.settings.clone_from(&self.own[*arm]);
            row.all.clone_from(&self.all[*arm]);
            row.labels.clone_from(&self.labels);
            let (outline, plan) = &self.outlines[*arm];
            (row.outline, row.plan) = (outline.clone(), plan.clone());
        }
        &self.paths
    }

    fn update(&mut self, specs: &[&RunSpec]) {
        let is_known = |index: usize| self.specs.get(index) == Some(specs[index]);
        let known: Vec<bool> = (0..specs.len()).map(is_known).collect();
        if specs.len() == self.specs.len() && known.iter().all(|known| *known) {
            return;
        }
        self.all.resize_with(specs.len(), Arc::default);
        self.outlines.resize_with(specs.len(), Default::default);
        let labels = Arc::make_mut(&mut self.labels);
        for (index, _) in known.iter().enumerate().filter(|(_, known)| !**known) {
            self.all[index] = Arc::new(settings::labelled(specs[index], labels));
            let plan = &specs[index].plan;
            self.outlines[index] = (Outline::of(plan), plan_words(plan).into());
        }
        let known: BTreeSet<&String> = self.all.iter().flat_map(|all| all.keys()).collect();
        self.known = known.into_iter().cloned().collect();
        self.specs = specs.iter().map(|spec| (*spec).clone()).collect();
        self.paths = settings::differing(&self.all);
        let value = |all: &Arc<Settings>, path: &String| (path.clone(), settings::value_of(all, path));
        let own = |all: &Arc<Settings>| Arc::new(self.paths.iter().map(|path| value(all, path)).collect());
        self.own = self.all.iter().map(own).collect();
        self.shorten_layers();
    }

    /// Calls lists of layers by a few words: "18 layers, 4,962 parameters", with a number where others are called so too.
    fn shorten_layers(&mut self) {
        if !self.paths.iter().any(|path| path == LAYERS) {
            return;
        }
        let labels = Arc::make_mut(&mut self.labels);
        let mut known: Vec<(&String, String)> = Vec::new();
        for (spec, own) in self.specs.iter().zip(&self.own) {
            let Some(value) = own.get(LAYERS).filter(|value| *value != NONE) else { continue };
            if known.iter().any(|(other, _)| *other == value) {
                continue;
            }
            let text = spec.network_name();
            let alike = known.iter().filter(|(_, known)| *known == text).count();
            let shown = if alike == 0 { text.clone() } else { format!("{text} ({})", alike + 1) };
            labels.shorten(LAYERS, value, [shown, spec.net.rule().description()]);
            known.push((value, text));
        }
    }

    /// The paths of the settings in which the runs differ.
    pub fn paths(&self) -> &[String] {
        &self.paths
    }

    /// The paths of all settings, those included in which runs agree.
    pub fn known(&self) -> &[String] {
        &self.known
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::columns::Column;
    use super::*;
    use doc::file::parse;
    use doc::runs;

    #[test]
    fn lists_of_layers_have_a_few_words() {
        let arm = |name: &str, layers: &str| {
            format!("(name: \"{name}\", net: Sequential(layers: [{layers}]), plan: [Test])")
        };
        let arms = [
            arm("a", "Conv(channels: 4), Flatten, Linear()"),
            arm("b", "Conv(channels: 4), Relu, Flatten, Linear()"),
            arm("c", "Conv(channels: 4), Tanh, Flatten, Linear()"),
        ];
        let text = format!("(arms: [{}])", arms.join(", "));
        let listed = runs(&parse(&text, Path::new("x.ron")).unwrap()).unwrap();
        let listed: Vec<&Run> = listed.iter().collect();
        let mut rows: Vec<Row> = listed.iter().map(|run| Row::of(run, None, "", 0)).collect();
        Differing::default().give(&mut rows, &listed);
        let column = Column::Setting(LAYERS.to_owned());
        let mut texts: Vec<String> = rows.iter().map(|row| column.text(row)).collect();
        texts.dedup();
        // 4·9 + 4, and 4·8·8·10 + 10.
        let words =
            ["3 layers, 2,610 parameters", "4 layers, 2,610 parameters", "4 layers, 2,610 parameters (2)"];
        assert_eq!(texts, words);
        let details = rows[0].labels.details(&rows[0].settings[LAYERS]).unwrap();
        assert_eq!(details, "A network of the layers [conv 4, 3×3; flatten; linear to classes]");
    }

    #[test]
    fn after_every_edit_rows_have_what_they_would_have_without_one_before() {
        let mut edited = Differing::default();
        for (batches, extra) in [
            ([8, 16], ""),
            ([8, 32], ""),
            ([8, 8], ""),
            ([8, 32], ", (name: \"c\", plan: [Test])"),
            ([8, 16], ""),
        ] {
            let [a, b] = batches.map(|batch| {
                format!("(train: (batch: {batch}), name: \"arm {batch}\", plan: [Train(\"1ep\")])")
            });
            let text =
                format!("(seeds: [1, 2], arms: [{a}, {}{extra}])", b.replace("name: \"arm", "name: \"b"));
            let listed = runs(&parse(&text, Path::new("x.ron")).unwrap()).unwrap();
            let listed: Vec<&Run> = listed.iter().collect();
            let rows = || -> Vec<Row> { listed.iter().map(|run| Row::of(run, None, "", 0)).collect() };
            let (mut again, mut fresh) = (rows(), rows());
            let paths = edited.give(&mut again, &listed).to_vec();
            assert_eq!(paths, Differing::default().give(&mut fresh, &listed));
            assert_eq!(again, fresh);
            assert_eq!(paths.contains(&"train.batch".to_owned()), batches != [8, 8] || !extra.is_empty());
        }
    }
}

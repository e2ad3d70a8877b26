//! A plan in the words of a legend: its kinds of stages, and how often they come.

use std::sync::Arc;

use super::distinct;
use doc::Stage;

/// Longer texts stay out of legends, characters.
const LONGEST: usize = 28;
/// The name of trainings.
const TRAIN: &str = "Train";

/// All stages of one kind in a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Kind {
    /// Its name: "Prune".
    name: &'static str,
    /// The sentence of all of them, if they share a short one: "Prune 20 % by magnitude".
    text: Option<String>,
    /// Their number, repetitions written out.
    count: u64,
}

/// The kinds of stages of a plan, in its order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline(Arc<Vec<Kind>>);

impl Outline {
    /// Returns the kinds of stages of a plan. Tests, and what is only kept or written, change nothing of a network.
    pub fn from_plan(plan: &[Stage]) -> Self {
        let mut kinds = Vec::new();
        collect(plan, 1, &mut kinds);
        Self(Arc::new(kinds))
    }

    fn kind(&self, name: &str) -> Option<&Kind> {
        self.0.iter().find(|kind| kind.name == name)
    }
}

fn collect(plan: &[Stage], times: u64, kinds: &mut Vec<Kind>) {
    for stage in plan {
        if let Some(nested) = stage.nested() {
            collect(nested.plan, times.saturating_mul(nested.times), kinds);
        }
        let Some(name) = stage.outline() else { continue };
        let text = clause(&stage.sentence());
        match kinds.iter_mut().find(|kind| kind.name == name) {
            Some(kind) => {
                kind.count = kind.count.saturating_add(times);
                kind.text = kind.text.take().filter(|known| Some(known) == text.as_ref());
            }
            None if times > 0 => kinds.push(Kind { name, text, count: times }),
            None => {}
        }
    }
}

/// Returns the first clause of a sentence, if it is short.
fn clause(sentence: &str) -> Option<String> {
    let first = sentence.split(", ").next().unwrap_or_default();
    (first.chars().count() <= LONGEST).then(|| first.to_owned())
}

/// Returns how each of these plans differs from most of them: kinds of stages that only it has, has with other settings, or lacks.
pub fn differences(plans: &[&Outline]) -> Vec<Vec<String>> {
    let names = distinct(plans.iter().flat_map(|plan| plan.0.iter()).map(|kind| kind.name));
    // How long plans train follows from what else they do, where that differs.
    let (trainings, others): (Vec<_>, Vec<_>) = names.into_iter().partition(|name| *name == TRAIN);
    let of_kinds = |names: &[&'static str]| -> Vec<Vec<String>> {
        let usual: Vec<Usual<'_>> = names.iter().map(|name| Usual::new(plans, name)).collect();
        let words = |plan: &&Outline| {
            let found = usual.iter().filter_map(|usual| usual.word(plan));
            // What is missing comes last: "no" must not seem to belong to what follows.
            let (missing, own): (Vec<_>, Vec<_>) = found.partition(|word| word.starts_with("no "));
            [own, missing].concat()
        };
        plans.iter().map(words).collect()
    };
    let found = of_kinds(&others);
    if found.iter().all(Vec::is_empty) { of_kinds(&trainings) } else { found }
}

/// The stages of a kind that most plans have.
struct Usual<'a> {
    name: &'static str,
    /// Their number, in more than half of the plans.
    count: Option<u64>,
    /// Which text, in more than half of those that have any.
    text: Option<&'a str>,
    /// True if it is that of all of them.
    is_same: bool,
}

impl<'a> Usual<'a> {
    fn new(plans: &[&'a Outline], name: &'static str) -> Self {
        let kinds: Vec<Option<&Kind>> = plans.iter().map(|plan| plan.kind(name)).collect();
        let counts: Vec<u64> = kinds.iter().map(|kind| kind.map_or(0, |kind| kind.count)).collect();
        let texts: Vec<Option<&str>> = kinds.iter().flatten().map(|kind| kind.text.as_deref()).collect();
        let is_same = texts.iter().all(|text| *text == texts[0]);
        Self { name, count: most(&counts), text: most(&texts).flatten(), is_same }
    }

    /// Returns what a plan has of it, where that is unusual.
    fn word(&self, plan: &Outline) -> Option<String> {
        let Some(own) = plan.kind(self.name) else {
            return self.count.filter(|count| *count > 0).map(|_| format!("no {}", self.name));
        };
        let text = own.text.as_deref();
        let own_text = text.filter(|text| !self.is_same && Some(*text) != self.text);
        // The length of a training is more informative than its name.
        let name = text.filter(|_| self.name == TRAIN).unwrap_or(self.name);
        match (own_text, self.count == Some(own.count)) {
            (None, true) => None,
            (Some(text), true) => Some(text.to_owned()),
            (text, false) if own.count == 1 => Some(text.unwrap_or(name).to_owned()),
            (text, false) => Some(format!("{} ×{}", text.unwrap_or(name), own.count)),
        }
    }
}

/// Returns what more than half of these are.
fn most<T: PartialEq + Copy>(all: &[T]) -> Option<T> {
    let count = |one: &&T| all.iter().filter(|other| other == one).count();
    all.iter().find(|one| 2 * count(one) > all.len()).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use form::ron_text;

    fn words(plans: &[&str]) -> Vec<String> {
        let read = |plan: &&str| -> Vec<Stage> {
            ron_text::from_str(&format!("[{plan}]")).unwrap_or_else(|error| panic!("{plan}: {error}"))
        };
        let outlines: Vec<Outline> = plans.iter().map(|plan| Outline::from_plan(&read(plan))).collect();
        let outlines: Vec<&Outline> = outlines.iter().collect();
        differences(&outlines).iter().map(|words| words.join(", ")).collect()
    }

    #[test]
    fn arms_of_a_lottery_say_what_only_they_do() {
        let rounds = |criterion: &str, then: &str| {
            format!(
                "Do(Snapshot(name: \"init\")), Train(\"12ep\"), Test, Repeat(times: 6, body: [
                 Do(Prune({criterion}amount: Fraction(0.2))), {then}, Train(\"12ep\"), Test])"
            )
        };
        let plans = [
            "Train(\"12ep\"), Test".to_owned(),
            rounds("", "Do(Graft(from: \"init\"))"),
            rounds("", "Do(Reinitialize())"),
            rounds("criterion: Random, ", "Do(Graft(from: \"init\"))"),
        ];
        let words = words(&plans.each_ref().map(String::as_str));
        assert_eq!(words, ["no Prune", "Graft ×6", "Reinitialize ×6", "Prune 20 % at random, Graft ×6"]);
    }

    #[test]
    fn rounds_are_counted_and_what_is_missing_is_named() {
        let plan = |times: u32| {
            format!("Repeat(times: {times}, body: [Do(Prune(amount: Fraction(0.2))), Train(\"1ep\")]), Test")
        };
        assert_eq!(words(&[&plan(6), &plan(3)]), ["Prune ×6", "Prune ×3"]);
        let train = "Train(\"1ep\")";
        assert_eq!(words(&[train, "Train(\"1ep\"), Train(\"1ep\")"]), ["Train 1 epoch", "Train 1 epoch ×2"]);
        assert_eq!(words(&[train, "Train(\"1ep\"), Test"]), ["", ""], "a test changes nothing");
    }

    #[test]
    fn what_is_missing_comes_last_and_belongs_to_nothing_else() {
        let campaign = "Train(\"1ep\"), Campaign()";
        let fault = "Train(\"1ep\"), Do(Fault()), Do(Release())";
        assert_eq!(words(&[campaign, campaign, fault])[2], "Fault, Release, no Campaign");
    }

    #[test]
    fn what_cannot_be_said_shortly_is_not_said() {
        let two = "Train(\"1ep\"), Train(\"2ep\")";
        assert_eq!(words(&[two, "Train(\"2ep\"), Train(\"1ep\")"]), ["", ""], "another order");
        assert_eq!(words(&[two, "Train(\"9ep\")"]), ["Train ×2", "Train 9 epochs"]);
    }
}

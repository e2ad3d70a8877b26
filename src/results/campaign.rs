//! The events of a campaign, and its record: the fold of them.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::event::place_of;
use super::number::fixed;
use super::{by_key, distinct};
use doc::fault::{CellPlan, Format, Protect};
use doc::listed;
use intervene::fault::statistics::{Interval, wilson};

pub use intervene::fault::outcome::{ImageOutcome, Tally, definition};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CampaignBegan {
    /// Its name in the column `campaign` of `faults.csv` and `trials.csv`: the place of the stage, followed by a number
    /// where the same place and round come again.
    pub campaign: String,
    /// Place of the stage in the plan, such as `2.1`.
    pub stage: String,
    /// The branch; empty for the main branch.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub branch: String,
    /// The round of the innermost repetition, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<u64>,
    /// The campaign as a sentence.
    pub label: String,
    /// Its cells, in the order in which they are worked on.
    pub cells: Vec<CellPlan>,
    /// Names of the layers that have sites, and of the residual blocks whose sums have; [`Outcomes::layer`] counts in this
    /// list.
    pub layers: Vec<String>,
    /// Number of entries of each of these layers that faults can hit; empty for faults in activations, and in logs of
    /// 2026-11-22 and before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub layer_entries: Vec<u64>,
    /// The format of stored values.
    pub format: Format,
    /// True if the fault model changes whole values: a rate is one for each value then, not for each bit.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub strikes_values: bool,
    /// The protection of the network.
    pub protect: Protect,
    /// Images of every trial.
    pub images: u64,
    /// Confidence of the intervals.
    pub confidence: f64,
    /// Accuracy without faults, in [0, 1]: in the format, with the protection. What faults are compared with.
    pub golden_accuracy: f64,
    /// Accuracy without faults in the format, without the protection.
    pub unprotected_accuracy: f64,
    /// Accuracy of the network as it was trained: float32, without the protection.
    pub float32_accuracy: f64,
}

impl CampaignBegan {
    /// Returns its stage as the plan numbers it, whatever the round: "Stage 4", "Stage 3.1, control".
    pub fn place(&self) -> String {
        place_of(&self.stage, None, &self.branch)
    }

    /// Returns what it varies, and where: "bits of conv1", "rates of biases", "layers", "faults of list.csv".
    fn varied(&self) -> String {
        // Each before those that it holds.
        const KINDS: [&str; 8] = [
            "weights and biases",
            "everything",
            "biases",
            "norm parameters",
            "running statistics",
            "outputs before the non-linearity",
            "outputs",
            "weights",
        ];
        if let Some(list) = self.label.strip_prefix("Campaign: faults of ") {
            return format!("faults of {}", list.split(", ").next().unwrap_or(list));
        }
        // A sentence without a kind means all parameters of its layers.
        let other = if self.label.is_empty() { "weights" } else { "everything" };
        let kind = KINDS.into_iter().find(|kind| self.label.contains(kind)).unwrap_or(other);
        let is_usual = kind == "weights";
        let part = match self.layers.len() {
            1 | 2 if is_usual => listed(&self.layers),
            1 | 2 => format!("{} ({kind})", listed(&self.layers)),
            _ => kind.to_owned(),
        };
        match self.cells.first() {
            Some(CellPlan { rate: Some(_), .. }) => format!("rates of {part}"),
            Some(CellPlan { bit: Some(_), .. }) => format!("bits of {part}"),
            Some(CellPlan { layer: Some(_), .. }) if is_usual => "layers".to_owned(),
            Some(CellPlan { layer: Some(_), .. }) => format!("layers ({kind})"),
            Some(CellPlan { rate: None, bit: None, layer: None, .. }) | None => format!("faults in {part}"),
        }
    }

    /// Names it among the earlier ones of its run: by what it varies, a second one that varies the same also by its
    /// format or its protection, or else by its number. Rounds share their name.
    fn named(&self, earlier: &[CampaignRecord]) -> String {
        let place = self.place();
        if let Some(same) = earlier.iter().find(|other| other.began.place() == place) {
            return same.name.clone();
        }
        let branch = if self.branch.is_empty() { String::new() } else { format!(", {}", self.branch) };
        let plain = format!("{}{branch}", self.varied());
        let is_alike = |other: &&CampaignRecord| {
            (&other.began.branch, other.began.varied()) == (&self.branch, self.varied())
        };
        let alike: Vec<&CampaignRecord> = earlier.iter().filter(is_alike).collect();
        let differs =
            |is_same: fn(&Self, &Self) -> bool| alike.iter().all(|other| !is_same(&other.began, self));
        if alike.is_empty() {
            plain
        } else if differs(|a, b| a.format == b.format) {
            format!("{plain}, {}", self.format.label())
        } else if differs(|a, b| a.protect == b.protect) {
            format!("{plain}, {}", protection(&self.protect).unwrap_or("unprotected"))
        } else {
            let places = distinct(alike.iter().map(|other| other.began.place()));
            format!("{plain} ({})", places.len() + 1)
        }
    }

    /// Returns what the format alone changes about the accuracy: "int8 loses 0.50", in percentage points; "gains" where
    /// it is higher than in float32.
    pub fn change_by_format(&self) -> String {
        let points = 100.0 * (self.float32_accuracy - self.unprotected_accuracy);
        let verb = if points < -0.005 { "gains" } else { "loses" };
        format!("{} {verb} {}", self.format.label(), fixed(points.abs(), 2))
    }
}

/// Returns a protection in a word or two: "clipped"; none where there is no protection.
pub const fn protection(protect: &Protect) -> Option<&'static str> {
    match protect {
        Protect::Nothing => None,
        Protect::Clip => Some("clipped"),
        Protect::ZeroNonFinite => Some("NaN set to 0"),
        Protect::Both => Some("clipped, NaN set to 0"),
    }
}

/// The outcomes of trials with a single fault, in one bit of one layer; where each image has another fault, each of these
/// counts as a trial with one image.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Outcomes {
    /// The layer, as its place in [`CampaignBegan::layers`].
    pub layer: usize,
    /// The bit, from the least significant; none for models of values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bit: Option<u32>,
    /// Number of trials.
    pub trials: u64,
    /// Their images.
    pub tally: Tally,
}

/// A trial that did much harm.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WorstTrial {
    /// Its number; the column `trial` of `trials.csv` and `faults.csv`.
    pub trial: u64,
    /// Faults that it injected.
    pub faults: u64,
    /// The first of them, as `fc1.weight[17] b30: 3d23d70a → 7d23d70a`.
    pub first: String,
    /// The outcomes of its images.
    pub tally: Tally,
}

/// A share with its interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The estimate.
    pub value: f64,
    /// Lower end of its interval.
    pub low: f64,
    /// Upper end of its interval.
    pub high: f64,
}

impl Estimate {
    /// Returns a share over so many trials with Wilson's interval.
    pub fn wilson(share: f64, trials: u64, confidence: f64) -> Self {
        let Interval { low, high } = wilson(share, trials, confidence);
        Self { value: share, low, high }
    }
}

/// The progress of a cell, and its results so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CellState {
    /// Its place in [`CampaignBegan::cells`].
    pub cell: usize,
    /// True if these are the same trials without the protection, next to the result.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unprotected: bool,
    /// Trials so far, in whole blocks.
    pub trials: u64,
    /// True if no more follow.
    pub done: bool,
    /// True if the log leaves it out, since a later event repeats it with more trials.
    #[serde(skip)]
    pub live: bool,
    /// Faults of all trials together.
    pub faults: u64,
    /// Images of all trials together.
    pub tally: Tally,
    /// Mean share of images with SDC-1, with its Wilson interval (n = trials).
    pub sdc1: Estimate,
    /// Mean share of images with DUE, with its Wilson interval.
    pub due: Estimate,
    /// Mean share of masked images, with its Wilson interval.
    pub masked: Estimate,
    /// Mean accuracy with its bootstrap interval over trials.
    pub accuracy: Estimate,
    /// Median of the accuracies of trials.
    pub median: f64,
    /// Their 5th percentile.
    pub p5: f64,
    /// Their 95th percentile.
    pub p95: f64,
    /// Trials with a single fault by layer and bit, in this order; those that are not there were not hit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outcomes: Vec<Outcomes>,
    /// The worst trials, worst first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub worst: Vec<WorstTrial>,
}

/// A campaign is over.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CampaignEnded {
    /// True if the network and what it is in the format have the same checksums and logits as before.
    pub intact: bool,
    /// Its checksum afterwards.
    pub checksum: String,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct CampaignRecord {
    /// What it is called, by what it varies: "bits of conv1". Campaigns of other runs that vary the same share it,
    /// wherever their stage is; the rounds of one stage do too.
    pub name: String,
    /// Its description.
    pub began: CampaignBegan,
    /// Its cells, in their order; with protection first the results, then the same cells unprotected.
    pub cells: Vec<CellState>,
    /// Its end; none while it runs, or where it was stopped.
    pub ended: Option<CampaignEnded>,
}

/// Number of the worst trials that are kept.
pub const WORST: usize = 20;

impl CampaignRecord {
    /// Returns a campaign without trials, the first one of its run.
    pub fn new(began: CampaignBegan) -> Self {
        Self::after(&[], began)
    }

    /// Returns a campaign without trials, after those of its run that began `earlier`.
    pub fn after(earlier: &[Self], began: CampaignBegan) -> Self {
        Self { name: began.named(earlier), began, ..Self::default() }
    }

    /// Returns its name with its round: "bits of conv1, round 2".
    pub fn title(&self) -> String {
        let round = self.began.round.map_or_else(String::new, |round| format!(", round {round}"));
        format!("{}{round}", self.name)
    }

    /// Replaces the state of a cell.
    pub fn take_in(&mut self, state: CellState) {
        let key = |state: &CellState| (state.unprotected, state.cell);
        match self.cells.binary_search_by_key(&key(&state), key) {
            Ok(at) => self.cells[at] = state,
            Err(at) => self.cells.insert(at, state),
        }
    }

    /// Returns the results, or those of the same trials without the protection.
    pub fn states(&self, unprotected: bool) -> impl Iterator<Item = &CellState> {
        self.cells.iter().filter(move |state| state.unprotected == unprotected)
    }

    /// Returns true if a choice means it: by its name or, as files of 2026-11-26 and before do, by the place of its stage.
    fn is(&self, chosen: Option<&str>) -> bool {
        chosen.is_some_and(|chosen| chosen == self.name || chosen == self.began.place())
    }

    /// Returns true if any trial has a single fault, so that there are outcomes by bit and layer.
    pub fn has_outcomes(&self) -> bool {
        self.states(false).any(|state| !state.outcomes.is_empty())
    }

    /// Counts the trials so far.
    pub fn trials(&self) -> u64 {
        self.states(false).map(|state| state.trials).sum()
    }

    /// Returns the most trials that it can take; intervals that get narrow enough end it earlier.
    pub fn planned(&self) -> u64 {
        self.began.cells.iter().map(|cell| cell.trials).sum()
    }

    /// Sums trials with a single fault by layer and bit, of all cells together.
    pub fn outcomes(&self) -> Vec<Outcomes> {
        self.gathered(|outcome| (outcome.layer, outcome.bit))
    }

    /// Sums trials with a single fault by layer; their bit is left out.
    pub fn by_layer(&self) -> Vec<Outcomes> {
        let layers = self.gathered(|outcome| outcome.layer);
        layers.into_iter().map(|outcome| Outcomes { bit: None, ..outcome }).collect()
    }

    /// Sums trials with a single fault by bit; their layer is 0.
    pub fn by_bit(&self) -> Vec<Outcomes> {
        let bits = self.gathered(|outcome| outcome.bit);
        bits.into_iter().map(|outcome| Outcomes { layer: 0, ..outcome }).collect()
    }

    /// Returns the worst trials of all cells, worst first.
    pub fn worst(&self) -> Vec<&WorstTrial> {
        let mut worst: Vec<&WorstTrial> = self.states(false).flat_map(|state| &state.worst).collect();
        worst.sort_by_key(|trial| trial.rank());
        worst.truncate(WORST);
        worst
    }

    fn gathered<K: Ord>(&self, key: impl Fn(&Outcomes) -> K) -> Vec<Outcomes> {
        let mut sums: BTreeMap<K, Outcomes> = BTreeMap::new();
        for outcome in self.states(false).flat_map(|state| &state.outcomes) {
            let empty = || Outcomes { trials: 0, tally: Tally::default(), ..outcome.clone() };
            let sum = sums.entry(key(outcome)).or_insert_with(empty);
            sum.trials += outcome.trials;
            sum.tally = sum.tally + outcome.tally;
        }
        sums.into_values().collect()
    }
}

/// The campaigns of one name, with what the reader has to know about them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chosen<'a> {
    /// Those with single faults: of all runs and rounds.
    pub campaigns: Vec<&'a CampaignRecord>,
    /// Which they are where there are others or another one is chosen, and how many rounds are pooled: "bits of conv1, 3
    /// rounds pooled"; empty where there is nothing to say.
    pub caption: String,
}

impl<'a> Chosen<'a> {
    /// Returns the campaigns with single faults of a name, or of the place of their stage, or else the first ones. Those
    /// of several names are not pooled: they inject into other targets, or into another network.
    pub fn new(all: impl IntoIterator<Item = &'a CampaignRecord>, chosen: Option<&str>) -> Self {
        let all: Vec<_> = all.into_iter().filter(|campaign| campaign.has_outcomes()).collect();
        let names = distinct(all.iter().map(|campaign| campaign.name.as_str()));
        let Some(shown) = all.iter().find(|campaign| campaign.is(chosen)).or(all.first()) else {
            return Self::default();
        };
        let is_told = names.len() > 1 || chosen.is_some() && !shown.is(chosen);
        let mut caption: Vec<String> = is_told.then(|| shown.name.clone()).into_iter().collect();
        let campaigns: Vec<_> = all.iter().copied().filter(|campaign| campaign.name == shown.name).collect();
        let rounds: BTreeSet<_> = campaigns.iter().filter_map(|campaign| campaign.began.round).collect();
        caption.extend((rounds.len() > 1).then(|| format!("{} rounds pooled", rounds.len())));
        Self { campaigns, caption: caption.join(", ") }
    }

    /// Sums trials and their outcomes by key over the campaigns.
    pub fn sums<K: Ord>(
        &self,
        key: impl Fn(&CampaignRecord, &Outcomes) -> Option<K>,
    ) -> BTreeMap<K, (u64, Tally)> {
        let mut sums: BTreeMap<K, (u64, Tally)> = BTreeMap::new();
        for campaign in &self.campaigns {
            for outcome in campaign.outcomes() {
                let Some(key) = key(campaign, &outcome) else { continue };
                let (trials, tally) = sums.entry(key).or_default();
                *trials += outcome.trials;
                *tally = *tally + outcome.tally;
            }
        }
        sums
    }
}

/// A campaign that can be chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CampaignChoice {
    /// By which it is chosen.
    pub name: String,
    /// Its name after the arms that have it, where others have not: "dense · bits of conv1".
    pub text: String,
    /// Its sentence, or those of several settings.
    pub sentence: String,
    /// The places of stages by which files of 2026-11-26 and before choose it.
    places: Vec<String>,
}

impl CampaignChoice {
    /// Returns the one that [`Chosen::new`] takes.
    pub fn shown<'a>(known: &'a [Self], chosen: Option<&str>) -> Option<&'a Self> {
        let is_it = |choice: &&Self| {
            chosen.is_some_and(|chosen| choice.name == chosen || choice.places.iter().any(|it| it == chosen))
        };
        known.iter().find(is_it).or(known.first())
    }
}

/// Returns the campaigns with single faults of these lines; none where each line has a single one, since nothing can be
/// chosen then.
pub fn with_single_faults<'a>(
    all: impl IntoIterator<Item = (&'a str, &'a CampaignRecord)>,
) -> Vec<CampaignChoice> {
    let all = all.into_iter().filter(|(_, campaign)| campaign.has_outcomes());
    let all: Vec<_> = all.map(|(line, campaign)| (line, campaign.name.as_str(), campaign)).collect();
    let lines = distinct(all.iter().map(|(line, ..)| line)).len();
    if distinct(all.iter().map(|(line, name, _)| (line, name))).len() == lines {
        return Vec::new();
    }
    choices(all, |campaign| campaign.name.clone()).into_iter().map(|(_, choice)| choice).collect()
}

/// Returns the campaigns of these lines, each with a key by which they are told apart, in the order of the document: line
/// by line.
pub fn choices<'a, K: Ord + Clone>(
    all: impl IntoIterator<Item = (&'a str, K, &'a CampaignRecord)>,
    name: impl Fn(&CampaignRecord) -> String,
) -> Vec<(K, CampaignChoice)> {
    let all: Vec<_> = all.into_iter().collect();
    let lines = distinct(all.iter().map(|(line, ..)| *line)).len();
    // A place means the first campaign there.
    let mut places: BTreeMap<String, &str> = BTreeMap::new();
    for (.., campaign) in &all {
        places.entry(campaign.began.place()).or_insert(&campaign.name);
    }
    let by_choice = by_key(all.into_iter().map(|(line, key, campaign)| (key, (line, campaign))));
    let choice = |(key, found): (K, Vec<(&str, &CampaignRecord)>)| {
        let own = distinct(found.iter().map(|(line, _)| *line));
        let name = name(found[0].1);
        let text = match own.as_slice() {
            several if several.len() == lines && lines > 1 => name.clone(),
            several if several.len() < 3 => format!("{} · {name}", listed(several)),
            several => format!("{} arms · {name}", several.len()),
        };
        let sentences = distinct(found.iter().map(|(_, campaign)| campaign.began.label.as_str()));
        let of_name = places.iter().filter(|(_, known)| **known == found[0].1.name);
        let places = of_name.map(|(place, _)| place.clone()).collect();
        (key, CampaignChoice { name, text, sentence: sentences.join("\n"), places })
    };
    by_choice.into_iter().map(choice).collect()
}

impl WorstTrial {
    /// Orders trials, the worst first: most images with SDC-1 or DUE, then the fewest right ones, then the earliest.
    pub const fn rank(&self) -> (std::cmp::Reverse<u64>, u64, u64) {
        (std::cmp::Reverse(self.tally.sdc1 + self.tally.due), self.tally.correct, self.trial)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Event, Report, RunRecord};

    fn outcome(layer: usize, bit: u32, sdc1: u64) -> Outcomes {
        Outcomes { layer, bit: Some(bit), trials: 1, tally: Tally { images: 10, sdc1, ..Tally::default() } }
    }

    #[test]
    fn a_cell_is_replaced_and_tables_sum_over_cells() {
        let mut record = CampaignRecord::new(CampaignBegan::default());
        record.take_in(CellState { cell: 1, outcomes: vec![outcome(0, 30, 9)], ..CellState::default() });
        record.take_in(CellState { cell: 0, trials: 1, ..CellState::default() });
        let outcomes = vec![outcome(0, 30, 5), outcome(1, 0, 0)];
        record.take_in(CellState { cell: 0, trials: 2, outcomes, ..CellState::default() });
        record.take_in(CellState { unprotected: true, trials: 2, ..CellState::default() });
        assert_eq!(record.cells.iter().map(|cell| cell.cell).collect::<Vec<_>>(), [0, 1, 0]);
        assert_eq!(record.trials(), 2);
        let by = |outcomes: Vec<Outcomes>| -> Vec<(u64, u64)> {
            outcomes.iter().map(|outcome| (outcome.trials, outcome.tally.sdc1)).collect()
        };
        assert_eq!(by(record.outcomes()), [(2, 14), (1, 0)]);
        assert_eq!(by(record.by_layer()), [(2, 14), (1, 0)]);
        assert_eq!(by(record.by_bit()), [(1, 0), (2, 14)]);
    }

    /// A campaign of some stage that varies bits of a layer.
    fn of_bits(stage: &str, layer: &str) -> CampaignBegan {
        let (stage, label) = (stage.to_owned(), "Campaign: flip 1 bit of weights".to_owned());
        let cells = vec![CellPlan { bit: Some(30), ..CellPlan::default() }];
        CampaignBegan { stage, label, cells, layers: vec![layer.to_owned()], ..CampaignBegan::default() }
    }

    /// The campaigns of a run, each with a trial.
    fn run(all: Vec<CampaignBegan>) -> Vec<CampaignRecord> {
        let mut run: Vec<CampaignRecord> = Vec::new();
        for (sdc1, began) in (1..).zip(all) {
            let mut record = CampaignRecord::after(&run, began);
            record.take_in(CellState { outcomes: vec![outcome(0, 1, sdc1)], ..CellState::default() });
            run.push(record);
        }
        run
    }

    fn names(run: &[CampaignRecord]) -> Vec<&str> {
        run.iter().map(|campaign| campaign.name.as_str()).collect()
    }

    #[test]
    fn a_campaign_is_called_by_what_it_varies_and_a_second_one_also_by_its_difference() {
        let conv = |stage: &str| of_bits(stage, "conv1");
        let int8 = CampaignBegan { format: Format::Int8, ..conv("3") };
        let clipped = CampaignBegan { protect: Protect::Clip, ..conv("4") };
        let round = CampaignBegan { round: Some(2), ..conv("2") };
        let branch = CampaignBegan { branch: "control".to_owned(), ..conv("6.0") };
        let all = run(vec![conv("2"), round, int8, clipped, conv("5"), branch]);
        assert_eq!(
            names(&all),
            [
                "bits of conv1",
                "bits of conv1",
                "bits of conv1, int8",
                "bits of conv1, clipped",
                "bits of conv1 (4)",
                "bits of conv1, control"
            ]
        );
        assert_eq!(all[1].title(), "bits of conv1, round 2");
        let record = RunRecord::from_events([Event::CampaignBegan(conv("2"))]);
        let report =
            |kind: &str| Report { stage: "2".to_owned(), kind: kind.to_owned(), ..Report::default() };
        let places = ["campaign_bits", "held"].map(|kind| record.place_of(&report(kind)));
        assert_eq!(places, ["bits of conv1", "Stage 3"]);
        let of = |label: &str, layers: usize, cell: CellPlan| {
            let layers = (0..layers).map(|layer| format!("fc{layer}")).collect();
            CampaignBegan { label: label.to_owned(), layers, cells: vec![cell], ..CampaignBegan::default() }
                .varied()
        };
        let layer = || CellPlan { layer: Some("fc1".to_owned()), ..CellPlan::default() };
        let rate = CellPlan { rate: Some(1e-3), ..CellPlan::default() };
        assert_eq!(of("Campaign: flip bits of weights", 3, rate.clone()), "rates of weights");
        assert_eq!(of("Campaign: flip bits of fc0's biases", 1, rate), "rates of fc0 (biases)");
        assert_eq!(of("Campaign: flip 1 bit of weights, layer by layer", 5, layer()), "layers");
        assert_eq!(of("Campaign: flip 1 bit of outputs", 5, layer()), "layers (outputs)");
        assert_eq!(of("", 2, CellPlan::default()), "faults in fc0 and fc1");
        assert_eq!(of("Campaign: faults of a.csv, 9 trials", 2, CellPlan::default()), "faults of a.csv");
    }

    #[test]
    fn campaigns_of_several_names_are_not_pooled_and_rounds_are() {
        let round = |round| CampaignBegan { round: Some(round), ..of_bits("2.0", "conv1") };
        let all = run(vec![round(1), round(2), of_bits("3", "fc1")]);
        let none = CampaignRecord::new(of_bits("1", "fc2"));
        let of = |chosen| Chosen::new(all.iter().chain([&none]), chosen);
        assert_eq!(
            (of(None).campaigns.len(), of(None).caption.as_str()),
            (2, "bits of conv1, 2 rounds pooled")
        );
        for chosen in ["bits of fc1", "Stage 4"] {
            let last = of(Some(chosen));
            assert_eq!((last.campaigns, last.caption.as_str()), (vec![&all[2]], "bits of fc1"), "{chosen}");
        }
        assert_eq!(of(Some("Stage 9")).campaigns, of(None).campaigns, "the stage of another plan");
        let alone = |chosen| Chosen::new(&all[2..], chosen).caption;
        assert_eq!(alone(None), "", "there is nothing to choose from");
        assert_eq!(alone(Some("bits of conv1")), "bits of fc1", "another one was chosen");
    }

    #[test]
    fn campaigns_are_chosen_by_what_they_vary_wherever_their_stage_is() {
        let arms = [
            ("dense", run(vec![of_bits("2", "conv1"), of_bits("3", "fc1")])),
            ("pruned", run(vec![of_bits("4", "conv1")])),
            ("grown", run(vec![of_bits("3", "fc1"), of_bits("5", "conv1")])),
        ];
        let listed = |arms: &[(&'static str, Vec<CampaignRecord>)]| -> Vec<String> {
            let all = arms.iter().flat_map(|(arm, run)| run.iter().map(|campaign| (*arm, campaign)));
            with_single_faults(all).into_iter().map(|choice| choice.text).collect()
        };
        assert_eq!(listed(&arms), ["bits of conv1", "dense and grown · bits of fc1"]);
        assert_eq!(listed(&arms[..1]), ["dense · bits of conv1", "dense · bits of fc1"]);
        assert_eq!(listed(&arms[1..2]), [""; 0]);
        let each = arms.each_ref().map(|(_, run)| {
            let shown = Chosen::new(run, Some("bits of conv1"));
            shown.campaigns.iter().map(|campaign| campaign.began.stage.clone()).collect::<Vec<_>>()
        });
        assert_eq!(each, [["2"], ["4"], ["5"]]);
        let all = || arms.iter().flat_map(|(arm, run)| run.iter().map(|campaign| (*arm, campaign)));
        let known = with_single_faults(all());
        for chosen in [None, Some("bits of fc1"), Some("Stage 4"), Some("Stage 5"), Some("Stage 9")] {
            let drawn = Chosen::new(all().map(|(_, campaign)| campaign), chosen).campaigns[0];
            assert_eq!(CampaignChoice::shown(&known, chosen).unwrap().name, drawn.name, "{chosen:?}");
        }
    }

    #[test]
    fn every_kind_of_parameters_has_its_name() {
        let of = |params: &str, layers: &str, count: usize| {
            let text = format!(
                "(arms: [(plan: [Campaign(fault: (target: (params: {params}, layers: {layers})), vary: Bit([1]))])])"
            );
            let document = doc::file::parse(&text, std::path::Path::new("x.ron")).unwrap();
            let layers = (1..=count).map(|layer| format!("fc{layer}")).collect();
            let label = document.arms[0].plan[0].sentence();
            CampaignBegan { label, layers, ..of_bits("1", "") }.varied()
        };
        for (params, kind) in [
            ("Weights", "weights"),
            ("Biases", "biases"),
            ("WeightsAndBiases", "weights and biases"),
            ("Norm", "norm parameters"),
            ("RunningStatistics", "running statistics"),
            ("Everything", "everything"),
            ("Activations", "outputs"),
            ("Preactivations", "outputs before the non-linearity"),
        ] {
            assert_eq!(of(params, "All", 3), format!("bits of {kind}"));
            let name =
                if kind == "weights" { "bits of fc1".to_owned() } else { format!("bits of fc1 ({kind})") };
            assert_eq!(of(params, "Only([\"fc1\"])", 1), name);
        }
    }

    #[test]
    fn the_worst_trials_come_first_and_the_earlier_one_of_equals() {
        let trial = |trial, sdc1, correct| WorstTrial {
            trial,
            tally: Tally { images: 10, sdc1, correct, ..Tally::default() },
            ..WorstTrial::default()
        };
        let mut record = CampaignRecord::default();
        let worst = vec![trial(3, 9, 1), trial(1, 5, 5)];
        record.take_in(CellState { worst, ..CellState::default() });
        record.take_in(CellState { cell: 1, worst: vec![trial(4, 9, 1)], ..CellState::default() });
        assert_eq!(record.worst().iter().map(|trial| trial.trial).collect::<Vec<_>>(), [3, 4, 1]);
    }
}

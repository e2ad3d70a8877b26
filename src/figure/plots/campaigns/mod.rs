//! Shared code of the plots of fault campaigns: outcomes, bits with their fields, layers by name.

use std::collections::{BTreeMap, BTreeSet};

use super::ArmRuns;
use crate::axis::Category;
use crate::distinct;
use crate::model::{Bars, Note};
use crate::palette::OUTCOME;
use doc::fault::{BitField, Format};
use form::number::counted;
use results::RunRecord;
use results::campaign::{CampaignChoice, CampaignRecord, Chosen, ImageOutcome, Tally, with_single_faults};
use results::view::PlotOptions;

/// An outcome as a part of bars. Together, the outcomes cover all images.
pub struct OutcomePart {
    name: &'static str,
    colour: usize,
    count: fn(&Tally) -> u64,
}

/// From harmful to harmless, as parts are stacked: SDC-1 begins at the axis. The colours differ in brightness too.
const OUTCOMES: [OutcomePart; 5] = [
    OutcomePart { name: "SDC-5", colour: OUTCOME + 3, count: |tally| tally.sdc5 },
    OutcomePart { name: "SDC-1 only", colour: OUTCOME + 2, count: |tally| tally.sdc1 - tally.sdc5 },
    OutcomePart { name: "DUE", colour: OUTCOME + 4, count: |tally| tally.due },
    OutcomePart { name: "benign", colour: OUTCOME + 1, count: |tally| tally.benign },
    OutcomePart { name: MASKED, colour: OUTCOME, count: |tally| tally.masked },
];

/// The outcome of most faults, which would press the others into a strip.
pub const MASKED: &str = ImageOutcome::Masked.name();

/// Returns true if any trial of a record has a single fault, so that there are outcomes by bit and layer.
pub fn has_outcomes(record: &RunRecord) -> bool {
    record.campaigns().iter().any(CampaignRecord::has_outcomes)
}

/// Returns all campaigns of an arm, run by run.
pub fn campaigns(arm: &ArmRuns) -> impl Iterator<Item = &CampaignRecord> {
    arm.runs.iter().flat_map(|(_, record)| record.campaigns())
}

/// Returns the campaigns of an arm with single faults that are drawn: the chosen ones, or its first.
pub fn drawn<'a>(arm: &'a ArmRuns, options: &PlotOptions) -> Chosen<'a> {
    Chosen::new(campaigns(arm), options.campaign.as_deref())
}

/// Returns the campaigns with single faults of these arms, where one of them has several.
pub fn campaign_choices(arms: &[ArmRuns]) -> Vec<CampaignChoice> {
    with_single_faults(arms.iter().flat_map(|arm| campaigns(arm).map(|own| (arm.name.as_str(), own))))
}

/// Returns the parts of an arm's bars: the share of each outcome in each category.
pub fn parts(arm: &str, tallies: &[Option<Tally>]) -> Vec<Bars> {
    let part = |outcome: &OutcomePart| {
        let value =
            |tally: &Option<Tally>| tally.map_or(f64::NAN, |tally| tally.share((outcome.count)(&tally)));
        let values: Vec<f64> = tallies.iter().map(value).collect();
        Bars { name: outcome.name.to_owned(), stack: arm.to_owned(), colour: Some(outcome.colour), values }
    };
    OUTCOMES.iter().map(part).collect()
}

/// Which images count: outcomes compare with the fault-free network, not with labels.
const GOLDEN: &str = "all images count, also those wrong without faults";

/// Returns the small print of shares of images: the arms with their trials, and the campaigns.
pub fn note(what: &str, trials: Vec<(String, u64)>, captions: Vec<String>) -> Note {
    if trials.is_empty() {
        return Note::default();
    }
    let captions = distinct(captions.into_iter().filter(|caption| !caption.is_empty()));
    let rest = captions.into_iter().chain([GOLDEN.to_owned()]).collect::<Vec<_>>().join(", ");
    Note { what: what.to_owned(), trials, rest, ..Note::default() }
}

/// Returns the field of a bit, counted from the least significant. The bits of an integer except its sign are its value.
fn field(format: Format, bit: u32) -> &'static str {
    match format.field(bit) {
        Some(BitField::Sign) => "sign",
        Some(BitField::Exponent) => "exponent",
        Some(BitField::Mantissa) if format == Format::Int8 => "value",
        Some(BitField::Mantissa) => "mantissa",
        None => "",
    }
}

/// Returns bits as categories, the most significant first, as formats are drawn.
pub fn bits(all: &[Chosen<'_>]) -> (Vec<u32>, Vec<Category>) {
    let mut found: BTreeMap<u32, &str> = BTreeMap::new();
    for campaign in all.iter().flat_map(|drawn| &drawn.campaigns) {
        for bit in campaign.outcomes().iter().filter_map(|outcome| outcome.bit) {
            found.entry(bit).or_insert_with(|| field(campaign.began.format, bit));
        }
    }
    let category = |(bit, group): (u32, &str)| {
        (bit, Category { name: format!("b{bit}"), group: group.to_owned(), ..Category::default() })
    };
    found.into_iter().rev().map(category).unzip()
}

/// Returns the bit that a category of [`bits`] stands for.
pub fn bit_of(category: &Category) -> Option<u32> {
    category.name.strip_prefix('b')?.parse().ok()
}

/// Counts the entries of a layer that faults can hit, for its label: "6,400 weights"; empty if no campaign knows.
pub fn entries_of(drawn: &Chosen<'_>, layer: &str) -> String {
    let entries = drawn.campaigns.iter().find_map(|campaign| {
        let at = campaign.began.layers.iter().position(|known| known == layer)?;
        campaign.began.layer_entries.get(at)
    });
    entries.map_or_else(String::new, |entries| counted(*entries, "weight"))
}

/// Returns the layers with injected faults, and the blocks with faults in their sums, in the order of the network.
pub fn layers(all: &[Chosen<'_>]) -> Vec<String> {
    let mut known: Vec<&String> = Vec::new();
    let mut injected: BTreeSet<&String> = BTreeSet::new();
    for campaign in all.iter().flat_map(|drawn| &drawn.campaigns) {
        let layers = &campaign.began.layers;
        known.extend(layers);
        injected.extend(campaign.outcomes().iter().filter_map(|outcome| layers.get(outcome.layer)));
    }
    distinct(known.into_iter().filter(|name| injected.contains(*name)).cloned())
}

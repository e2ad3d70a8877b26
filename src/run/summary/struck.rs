//! The trials behind a cell of the heat map: those that struck one layer or one bit alone, from the tables of a run.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use super::{TrialFault, TrialKey};
use crate::results::campaign::CampaignRecord;
use crate::run::tables::Table;

/// Where single faults are sought.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sought {
    /// The layer that they struck; none: any.
    pub layer: Option<String>,
    /// The bit, from the least significant; none: any.
    pub bit: Option<u32>,
}

/// The cells of a campaign whose trials strike once each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SingleCells {
    /// The campaign, by its name in `faults.csv`.
    pub campaign: String,
    /// The round of the innermost repetition.
    pub round: Option<u64>,
    /// Places of the cells.
    pub cells: Vec<usize>,
}

/// A trial that struck where it was sought.
#[derive(Clone, Debug, PartialEq)]
pub struct StruckTrial {
    /// Its run.
    pub run: String,
    /// Which it is.
    pub key: TrialKey,
    /// What struck there, or the first of it.
    pub fault: TrialFault,
    /// How many images saw a fault there that was theirs alone; 0 where all images saw the same.
    pub images_struck: usize,
    /// Images of the trial.
    pub images: u64,
    /// Those with bit-identical logits.
    pub masked: u64,
    /// Those with another class.
    pub sdc1: u64,
    /// Those with NaN or infinity among the logits.
    pub due: u64,
    /// Accuracy in the trial, in [0, 1].
    pub accuracy: f64,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StruckTrials {
    /// The worst of them, worst first: most images with SDC-1 or DUE, then the lowest accuracy, then the earliest.
    pub worst: Vec<StruckTrial>,
    /// How many there are.
    pub count: usize,
}

impl SingleCells {
    /// Those of a campaign; none where no cell strikes once in each trial.
    pub fn of(campaign: &CampaignRecord) -> Option<Self> {
        let single = campaign.states(false).filter(|state| !state.outcomes.is_empty());
        let cells: Vec<usize> = single.map(|state| state.cell).collect();
        let (campaign, round) = (campaign.began.campaign.clone(), campaign.began.round);
        (!cells.is_empty()).then_some(Self { campaign, round, cells })
    }

    fn is_of(&self, key: &TrialKey) -> bool {
        (self.campaign.as_str(), self.round) == (key.campaign.as_str(), key.round)
    }
}

impl Sought {
    fn is_struck(&self, fault: &TrialFault) -> bool {
        let layer = fault.parameter.rsplit_once('.').map_or("", |(layer, _)| layer);
        self.layer.as_ref().is_none_or(|sought| sought == layer)
            && self.bit.is_none_or(|sought| fault.bit.parse() == Ok(sought))
    }
}

/// The trials of some runs that struck a single site (all images together, or each image its own) where it is sought; the
/// `most` worst of them one by one.
///
/// # Errors
/// When a table cannot be read.
pub fn read_struck(
    folder: &Path,
    runs: &[(String, Vec<SingleCells>)],
    sought: &Sought,
    most: usize,
) -> Result<StruckTrials, String> {
    let mut found = Vec::new();
    for (run, campaigns) in runs.iter().filter(|(_, campaigns)| !campaigns.is_empty()) {
        let struck = struck(&folder.join(run), campaigns, sought)?;
        add_counts(&mut found, &folder.join(run), run, campaigns, struck)?;
    }
    let order = |trial: &StruckTrial| Reverse(trial.sdc1 + trial.due);
    found.sort_by(|a, b| {
        let accuracy = a.accuracy.total_cmp(&b.accuracy);
        order(a).cmp(&order(b)).then(accuracy).then(a.key.trial.cmp(&b.key.trial))
    });
    let count = found.len();
    found.truncate(most);
    Ok(StruckTrials { worst: found, count })
}

/// A trial that struck, as the table of faults has it: the first fault, and how many images saw one of their own.
type Struck = BTreeMap<(usize, u64), (TrialFault, usize)>;

/// Which trials struck, by the place of their campaign.
fn struck(folder: &Path, campaigns: &[SingleCells], sought: &Sought) -> Result<Struck, String> {
    let mut found = Struck::new();
    let mut open: Option<((usize, u64), Vec<TrialFault>)> = None;
    each_line(&folder.join(Table::Faults.file()), |line| {
        let Some((key, [image, parameter, index, bit, before, after])) = cells_of(line) else { return };
        let Some(campaign) = campaigns.iter().position(|campaign| campaign.is_of(&key)) else { return };
        let place = (campaign, key.trial);
        if open.as_ref().is_none_or(|(last, _)| *last != place)
            && let Some((last, faults)) = open.replace((place, Vec::new()))
        {
            found.extend(alone(faults, sought).map(|struck| (last, struck)));
        }
        if let Some((_, faults)) = &mut open {
            let [image, parameter, index, bit, before, after] =
                [image, parameter, index, bit, before, after].map(str::to_owned);
            faults.push(TrialFault { image, parameter, index, bit, before, after });
        }
    })?;
    if let Some((last, faults)) = open {
        found.extend(alone(faults, sought).map(|struck| (last, struck)));
    }
    Ok(found)
}

/// The first fault of a trial that came alone, to all images or to one, where it is sought, and how many images saw such
/// a one.
fn alone(faults: Vec<TrialFault>, sought: &Sought) -> Option<(TrialFault, usize)> {
    if faults.iter().any(|fault| fault.image.is_empty()) {
        let [fault] = <[TrialFault; 1]>::try_from(faults).ok()?;
        return sought.is_struck(&fault).then_some((fault, 0));
    }
    let mut images: BTreeMap<&str, usize> = BTreeMap::new();
    for fault in &faults {
        *images.entry(&fault.image).or_default() += 1;
    }
    let is_alone = |fault: &&TrialFault| images.get(fault.image.as_str()) == Some(&1);
    let mut struck = faults.iter().filter(|fault| is_alone(fault) && sought.is_struck(fault));
    let first = struck.next()?.clone();
    let count = 1 + struck.count();
    Some((first, count))
}

/// Adds what became of the images of the trials that struck.
fn add_counts(
    found: &mut Vec<StruckTrial>,
    folder: &Path,
    run: &str,
    campaigns: &[SingleCells],
    mut struck: Struck,
) -> Result<(), String> {
    each_line(&folder.join(Table::Trials.file()), |line| {
        let Some((key, [cell, _, images, masked, _, sdc1, _, due, _, _, accuracy])) = cells_of(line) else {
            return;
        };
        let Some(campaign) = campaigns.iter().position(|campaign| campaign.is_of(&key)) else { return };
        let is_single = cell.parse().is_ok_and(|cell| campaigns[campaign].cells.contains(&cell));
        let counts = [images, masked, sdc1, due].map(str::parse);
        let ([Ok(images), Ok(masked), Ok(sdc1), Ok(due)], Ok(accuracy)) = (counts, accuracy.parse()) else {
            return;
        };
        if let Some((fault, images_struck)) = struck.remove(&(campaign, key.trial)).filter(|_| is_single) {
            let run = run.to_owned();
            found.push(StruckTrial { run, key, fault, images_struck, images, masked, sdc1, due, accuracy });
        }
    })
}

/// The trial that a line of a table is about, and its other cells; nothing of the head and of remarks.
fn cells_of<const CELLS: usize>(line: &str) -> Option<(TrialKey, [&str; CELLS])> {
    let mut cells = line.split(',');
    let [campaign, round, trial] = [cells.next()?, cells.next()?, cells.next()?];
    let key =
        TrialKey { campaign: campaign.to_owned(), round: round.parse().ok(), trial: trial.parse().ok()? };
    let rest: Vec<&str> = cells.collect();
    Some((key, rest.try_into().ok()?))
}

fn each_line(path: &Path, mut take: impl FnMut(&str)) -> Result<(), String> {
    let fail = |error: std::io::Error| format!("{}: {error}", path.display());
    for line in BufReader::new(File::open(path).map_err(fail)?).lines() {
        take(&line.map_err(fail)?);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAULTS: &str = "1,,0,,fc1.weight,3,30,3f000000,7f000000\n\
        1,,1,,fc1.weight,4,30,0,40000000\n\
        1,,2,,fc1.weight,4,29,0,20000000\n\
        1,,3,,fc1.output,4,30,0,40000000\n1,,3,,fc2.weight,5,30,0,40000000\n\
        1,,4,,features.0.weight,7,30,0,40000000\n\
        1,,5,0,fc1.weight,1,30,0,40000000\n1,,5,1,fc1.weight,2,30,0,40000000\n\
        1,,5,2,fc1.weight,2,30,0,40000000\n1,,5,2,fc1.weight,3,30,0,40000000\n\
        1,,6,,fc1.weight,9,30,0,40000000\n\
        1,1,0,,fc1.weight,3,30,3f000000,7f000000\n\
        # 1,,9: 200000 faults are too many to be listed\n";

    fn found(layer: Option<&str>, bit: Option<u32>, most: usize) -> StruckTrials {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("a")).unwrap();
        let write = |table: Table, lines: &str| {
            let text = format!("{}\n{lines}", table.header());
            std::fs::write(folder.path().join("a").join(table.file()), text).unwrap();
        };
        write(Table::Faults, FAULTS);
        let trial = |trial: u64, cell: u64, sdc1: u64| {
            format!("1,,{trial},{cell},1,10,{},0,{sdc1},0,0,0,0,0.{}\n", 10 - sdc1, 9 - sdc1)
        };
        let lines: String = (0..6).map(|number| trial(number, 0, number)).collect();
        write(Table::Trials, &(lines + &trial(6, 1, 9) + "1,1,0,0,1,10,0,0,8,0,0,0,0,0.1\n"));
        let single = SingleCells { campaign: "1".to_owned(), round: None, cells: vec![0] };
        let sought = Sought { layer: layer.map(str::to_owned), bit };
        read_struck(folder.path(), &[("a".to_owned(), vec![single])], &sought, most).unwrap()
    }

    fn trials(found: &StruckTrials) -> Vec<u64> {
        found.worst.iter().map(|trial| trial.key.trial).collect()
    }

    #[test]
    fn trials_of_one_layer_and_bit_come_worst_first() {
        let struck = found(Some("fc1"), Some(30), 10);
        assert_eq!(
            trials(&struck),
            [5, 1, 0],
            "a trial of two faults, another round and another cell stay out"
        );
        let first = &struck.worst[0];
        assert_eq!((first.images_struck, first.sdc1, first.accuracy), (2, 5, 0.4));
        assert_eq!((first.fault.image.as_str(), struck.worst[1].fault.index.as_str()), ("0", "4"));
    }

    #[test]
    fn a_layer_or_a_bit_alone_can_be_sought_and_the_worst_are_told() {
        assert_eq!(trials(&found(Some("features.0"), None, 10)), [4]);
        assert_eq!(trials(&found(None, Some(29), 10)), [2]);
        let struck = found(None, None, 2);
        assert_eq!((trials(&struck), struck.count), (vec![5, 4], 5));
        assert_eq!(found(Some("fc3"), None, 10), StruckTrials::default());
    }

    #[test]
    fn a_table_that_is_gone_is_named() {
        let single = SingleCells { campaign: "1".to_owned(), round: None, cells: vec![0] };
        let runs = [("gone".to_owned(), vec![single])];
        let why = read_struck(Path::new("/nowhere"), &runs, &Sought::default(), 10).unwrap_err();
        assert!(why.contains("/nowhere/gone/faults.csv"), "{why}");
    }
}

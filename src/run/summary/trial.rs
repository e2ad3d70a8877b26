//! The faults of one trial of a campaign, read from the run's directory.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use crate::run::tables::Table;

/// One fault of a trial, as `faults.csv` has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrialFault {
    /// The image that saw it; empty: all of them.
    pub image: String,
    /// The parameter, or what flows out of a layer.
    pub parameter: String,
    /// The entry in PyTorch's layout.
    pub index: String,
    /// The bit; empty for models of values.
    pub bit: String,
    /// The stored bits before, hexadecimal.
    pub before: String,
    /// The stored bits afterwards, hexadecimal.
    pub after: String,
}

/// A trial of a campaign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrialKey {
    /// The campaign, by its name in `faults.csv`.
    pub campaign: String,
    /// The round of the innermost repetition.
    pub round: Option<u64>,
    /// Its number.
    pub trial: u64,
}

/// What `faults.csv` has of a trial.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrialFaults {
    /// The first of its faults.
    pub faults: Vec<TrialFault>,
    /// How many are listed.
    pub count: usize,
    /// What stands there instead where they are too many to be listed.
    pub note: Option<String>,
}

/// The faults of a trial, the first `most` of them one by one.
///
/// # Errors
/// When the log cannot be read.
pub fn read_trial(folder: &Path, id: &str, key: &TrialKey, most: usize) -> Result<TrialFaults, String> {
    let path = folder.join(id).join(Table::Faults.file());
    let fail = |error: std::io::Error| format!("{}: {error}", path.display());
    let round = key.round.map_or_else(String::new, |round| round.to_string());
    let (campaign, trial) = (&key.campaign, key.trial);
    let start = format!("{campaign},{round},{trial},");
    let large = format!("# {campaign},{round},{trial}: ");
    let mut found = TrialFaults::default();
    for line in BufReader::new(File::open(&path).map_err(fail)?).lines() {
        let line = line.map_err(fail)?;
        if let Some(note) = line.strip_prefix(&large) {
            found.note = Some(note.to_owned());
            continue;
        }
        let cells: Vec<&str> =
            line.strip_prefix(&start).map(|rest| rest.split(',').collect()).unwrap_or_default();
        let [image, parameter, index, bit, before, after] = cells[..] else { continue };
        found.count += 1;
        if found.faults.len() < most {
            let [image, parameter, index, bit, before, after] =
                [image, parameter, index, bit, before, after].map(str::to_owned);
            found.faults.push(TrialFault { image, parameter, index, bit, before, after });
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_faults_of_one_trial_of_one_round_are_found() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("a")).unwrap();
        let head = Table::Faults.header();
        let lines = "1,,7,,fc1.weight,3,30,3f000000,7f000000\n1,,7,,fc1.weight,4,30,0,40000000\n\
                     1,2,7,,fc1.weight,5,30,0,40000000\n2,,7,,fc1.bias,0,,0,1\n\
                     # 1,2,8: 200000 faults are too many to be listed\n";
        std::fs::write(folder.path().join("a/faults.csv"), format!("{head}\n{lines}")).unwrap();
        let read = |id: &str, round: Option<u64>, trial: u64| {
            read_trial(folder.path(), id, &TrialKey { campaign: "1".to_owned(), round, trial }, 1)
        };
        let found = read("a", None, 7).unwrap();
        assert_eq!((found.faults.len(), found.count, found.note), (1, 2, None));
        assert_eq!((found.faults[0].index.as_str(), found.faults[0].after.as_str()), ("3", "7f000000"));
        let found = read("a", Some(2), 7).unwrap();
        assert_eq!((found.faults[0].index.as_str(), found.count), ("5", 1));
        let large = read("a", Some(2), 8).unwrap();
        assert_eq!(
            (large.count, large.note.as_deref()),
            (0, Some("200000 faults are too many to be listed"))
        );
        assert!(read("b", None, 7).unwrap_err().contains("faults.csv"));
    }
}

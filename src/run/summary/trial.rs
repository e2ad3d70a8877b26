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

/// The first `most` faults of a trial, and how many there are.
///
/// # Errors
/// When the log cannot be read.
pub fn read_trial(
    folder: &Path,
    id: &str,
    campaign: &str,
    trial: u64,
    most: usize,
) -> Result<(Vec<TrialFault>, usize), String> {
    let path = folder.join(id).join(Table::Faults.file());
    let fail = |error: std::io::Error| format!("{}: {error}", path.display());
    let trial = trial.to_string();
    let (mut faults, mut count) = (Vec::new(), 0);
    for line in BufReader::new(File::open(&path).map_err(fail)?).lines() {
        let line = line.map_err(fail)?;
        let cells: Vec<&str> = line.split(',').collect();
        let [of, _, number, image, parameter, index, bit, before, after] = cells[..] else { continue };
        if of != campaign || number != trial {
            continue;
        }
        count += 1;
        if faults.len() < most {
            let [image, parameter, index, bit, before, after] =
                [image, parameter, index, bit, before, after].map(str::to_owned);
            faults.push(TrialFault { image, parameter, index, bit, before, after });
        }
    }
    Ok((faults, count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_faults_of_one_trial_are_found() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("a")).unwrap();
        let head = Table::Faults.header();
        let lines = "1,,7,,fc1.weight,3,30,3f000000,7f000000\n1,,7,,fc1.weight,4,30,0,40000000\n2,,7,,fc1.bias,0,,0,1\n";
        std::fs::write(folder.path().join("a/faults.csv"), format!("{head}\n{lines}")).unwrap();
        let (faults, count) = read_trial(folder.path(), "a", "1", 7, 1).unwrap();
        assert_eq!((faults.len(), count), (1, 2));
        assert_eq!((faults[0].index.as_str(), faults[0].after.as_str()), ("3", "7f000000"));
        assert!(read_trial(folder.path(), "b", "1", 7, 1).unwrap_err().contains("faults.csv"));
    }
}

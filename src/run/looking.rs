//! Looking at the user's data, and what earlier runs know of data that are gone.

use std::path::Path;

use super::directory::spec_of;
use crate::data::{Data, Found, Look};
use crate::doc::{Experiment, data_to_look_at};

/// Looks at the user's data that an experiment names and that were not looked at yet; paths are relative to `base`. Where
/// data cannot be used now, the runs in the folder `results` may know what they were. Reads from disk, which may be slow.
pub fn look_at_data(experiment: &mut Experiment, base: &Path, results: Option<&Path>) {
    for data in data_to_look_at(experiment) {
        if experiment.looks.of(&data).is_none() {
            experiment.looks.add(&data, look_at(&data, base, results));
        }
    }
}

/// As [`look_at_data`], for one dataset.
pub fn look_at(data: &Data, base: &Path, results: Option<&Path>) -> Look {
    let look = Look::at(data, base);
    match look.error {
        None => look,
        Some(_) => Look { found: results.and_then(|folder| found_before(data, folder)), ..look },
    }
}

/// What the last run with these data found in them.
fn found_before(data: &Data, folder: &Path) -> Option<Found> {
    let of_run = |entry: std::io::Result<std::fs::DirEntry>| {
        let entry = entry.ok()?;
        let written = entry.path().join("events.jsonl").metadata().ok()?.modified().ok()?;
        let spec = spec_of(folder, entry.file_name().to_str()?).ok()?;
        let found = spec.data.found()?.clone();
        (spec.data.with_found(None) == *data).then_some((written, found))
    };
    let all = std::fs::read_dir(folder).ok()?.filter_map(of_run);
    all.max_by_key(|(written, _)| *written).map(|(_, found)| found)
}

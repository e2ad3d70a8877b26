//! What people read first in a crate, and what they would rather not hand on.

use std::path::Path;

use super::VIEW;
use crate::Selected;
use data::Places;

/// How to read a crate.
pub fn readme(selected: &Selected<'_>, experiment: &str) -> String {
    let name = selected.experiment.name.trim();
    let name = if name.is_empty() { experiment.trim_end_matches(".ron") } else { name };
    let stem = experiment.trim_end_matches(".ron");
    format!(
        "# {name}

An experiment on the weights of neural networks with its results, made with Weightlab {version}.

| file | what it is |
|---|---|
| `{experiment}` | the experiment: every setting of all runs |
| `{stem}.runs/` | the results, one folder for each run: `run.ron` (settings, program, machine, digest of the data), `events.jsonl` (every point and report), networks as `.safetensors` |
| `report.html` | methods, figures and tables, for people |
| `points.csv` | every value of every run, one on each line |
| `ro-crate-metadata.json` | what each file is, where it comes from, and its SHA-256 (RO-Crate 1.2) |
| `ro-crate-preview.html` | the same for people |

`weightlab {experiment}` opens the experiment and its results, `weightlab show {experiment}` prints the table of runs, and
`weightlab run {experiment}` computes what is missing. Without Weightlab, `points.csv` is a table, and safetensors read the
networks.
",
        version = env!("CARGO_PKG_VERSION")
    )
}

/// Notes on what the copied files tell about the machine at which they were made: the home of the user.
pub fn private(selected: &Selected<'_>) -> Vec<String> {
    let base = selected.file.parent().unwrap_or(Path::new(""));
    let Some(home) = Places::from_env(base).home else { return Vec::new() };
    let home = home.to_string_lossy();
    if home.len() < 2 {
        return Vec::new();
    }
    // Files have backslashes twice.
    let quoted = home.replace('\\', "\\\\");
    let tells = |text: &str| text.contains(home.as_ref()) || text.contains(&quoted);
    let mut notes = Vec::new();
    if tells(selected.text) {
        notes.push(format!("the experiment names a path in {home}; name paths relative to its file instead"));
    }
    if std::fs::read_to_string(selected.folder.join(VIEW)).is_ok_and(|text| tells(&text)) {
        notes.push(format!("the notes or the views of the window name a path in {home}"));
    }
    let is_told = selected.begun().any(|(run, record)| {
        let settings = std::fs::read_to_string(selected.folder.join(&run.id).join("run.ron"));
        settings.is_ok_and(|text| tells(&text))
            || record.failure().is_some_and(tells)
            || record.reports().iter().any(|report| tells(&report.summary))
    });
    if is_told {
        notes.push(format!("files of the runs name a path in {home}, in settings or in reports"));
    }
    notes
}

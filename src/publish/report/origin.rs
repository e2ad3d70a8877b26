//! Where the results come from: single runs with their digests, programs and machines, and the experiment itself.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;

use sha2::{Digest, Sha256};

use super::Material;
use super::html::{Page, escaped};
use super::results::cut;
use data::copied;
use doc::{capitalised, listed};
use form::number::{counted, hexadecimal};
use results::number::{duration, percent};
use results::table::Row;
use results::{Report, RunRecord, inventory};
use run::{Machine, Provenance, provenance, weights_path};

/// The most runs with a line of their own.
const MOST_RUNS: usize = 300;
/// The most kinds of data with a table of their own.
const MOST_DATA: usize = 20;
/// Bytes of weights that are read for digests.
const MOST_WEIGHTS: u64 = 4 << 30;

/// Returns name and version of this program, with its commit.
pub fn version() -> String {
    capitalised(&Provenance::here().program_and_commit())
}

/// Writes a moment in UTC: "2026-11-24 19:30 UTC".
pub fn time(secs: i64) -> String {
    let moment = chrono::DateTime::from_timestamp(secs, 0).unwrap_or_default();
    moment.format("%Y-%m-%d %H:%M UTC").to_string()
}

/// Writes single runs with the digests of their weights.
pub fn runs(page: &mut Page, material: &Material<'_>) {
    let all = material.rows.len();
    let mut left = MOST_WEIGHTS;
    let share = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), percent);
    let line = |row: &Row| {
        let [arm, run] = [&row.arm, &row.run].map(String::clone);
        let digest = weights_digest(material, &row.run, &mut left);
        let (last, best) = (share(row.last), share(row.best));
        vec![arm, row.seed.to_string(), row.state_in_words(), last, best, duration(row.secs), run, digest]
    };
    let rows: Vec<Vec<String>> = material.rows.iter().take(MOST_RUNS).map(line).collect();
    let head = "Arm,Seed,State,Last accuracy,Best accuracy,Wall time,Run,SHA-256 of weights.safetensors";
    let head: Vec<&str> = head.split(',').collect();
    page.details(&format!("{} by themselves", counted(all, "run")), |page| {
        page.table("Runs, their identities and the digests of their final weights", &head, &rows);
        if all > MOST_RUNS {
            let all = counted(all, "run");
            page.paragraph(&format!("These are the first {MOST_RUNS} of {all}; weightlab show lists all."));
        }
    });
}

/// Returns the digest of the weights that a run ended with, as long as there is something left to read.
fn weights_digest(material: &Material<'_>, run: &str, left: &mut u64) -> String {
    let path = weights_path(material.input.selected.folder, run);
    let Ok(about) = std::fs::metadata(&path) else { return "–".to_owned() };
    if about.len() > *left {
        return "not computed: too many bytes".to_owned();
    }
    *left -= about.len();
    let digest = File::open(&path).and_then(|mut file| copied(&mut file, &mut std::io::sink()));
    digest.map_or_else(|_| "–".to_owned(), |(_, digest)| digest)
}

/// Writes what was found in the data, as the runs reported it: a table for each kind of them.
pub fn data(page: &mut Page, material: &Material<'_>) {
    let mut kinds: Vec<(&Report, BTreeSet<&str>)> = Vec::new();
    for run in material.input.selected.runs {
        let reports = material.record(run).map_or(&[][..], RunRecord::reports);
        for report in reports.iter().filter(|report| inventory::is_of_data(report)) {
            let same = |known: &Report| (&known.branch, &known.rows) == (&report.branch, &report.rows);
            match kinds.iter_mut().find(|(known, _)| same(known)) {
                Some((_, arms)) => drop(arms.insert(&run.arm)),
                None => kinds.push((report, BTreeSet::from([run.arm.as_str()]))),
            }
        }
    }
    for (report, arms) in kinds.iter().take(MOST_DATA) {
        let arms: Vec<&str> = arms.iter().copied().collect();
        let branch = match report.branch.as_str() {
            "" => String::new(),
            branch => format!(", branch {branch}"),
        };
        let whose =
            if kinds.len() == 1 { String::new() } else { format!(" (arm {}{branch})", listed(&arms)) };
        page.table(&format!("{}{whose}", report.summary), &["What", "Found"], &report.rows);
    }
    cut(page, kinds.len().min(MOST_DATA), kinds.len(), "kinds of data");
}

/// Writes the programs and machines of the runs, the digests of their data, and what made this report.
pub fn environment(page: &mut Page, material: &Material<'_>) {
    let input = material.input;
    let known = provenance(input.selected.folder, input.selected.runs);
    let mut machines: BTreeMap<(String, Option<Machine>), Vec<&str>> = BTreeMap::new();
    let mut data: BTreeMap<(String, String), usize> = BTreeMap::new();
    for run in input.selected.runs {
        let Some(found) = known.get(&run.id) else { continue };
        let key = (found.program.clone(), found.machine.clone());
        machines.entry(key).or_default().push(&run.id);
        let label = run.spec.data.label();
        let files = run.spec.inputs.files.iter().map(|(file, digest)| (file.clone(), digest.clone()));
        let unknown = run.is_earlier.then(|| (label.to_owned(), "inputs not recorded".to_owned()));
        let samples = found.data.iter().map(|digest| (label.to_owned(), digest.clone()));
        for row in samples.chain(files).chain(unknown) {
            *data.entry(row).or_default() += 1;
        }
    }
    let mut rows: Vec<Vec<String>> =
        machines.iter().map(|(key, runs)| made_by(material, key, runs)).collect();
    let own = Provenance::here();
    let here = machine_cells(own.machine.as_ref()).to_vec();
    rows.push([vec!["this report".to_owned(), own.program], here, vec![time(input.made)]].concat());
    let head = ["What", "Program", "Commit", "System", "Processor", "Vectors", "Begun"];
    page.table("What computed the runs, as they recorded it, and what made this report", &head, &rows);
    let secs: f64 = material.rows.iter().map(|row| row.secs).sum();
    page.paragraph(&format!("Wall time of all runs together: {}.", duration(secs)));
    let mut devices: Vec<String> =
        input.selected.runs.iter().map(|run| format!("{:?}", run.spec.device)).collect();
    devices.sort();
    devices.dedup();
    page.paragraph(&format!("Device: {}.", listed(&devices)));
    let line = |((label, digest), count): (&(String, String), &usize)| {
        vec![label.clone(), digest.clone(), count.to_string()]
    };
    let rows: Vec<Vec<String>> = data.iter().take(MOST_RUNS).map(line).collect();
    page.table(
        "Digests of what the runs read (SHA-256: of data, all samples as a run saw them; of files, their bytes)",
        &["Data or file", "SHA-256", "Runs"],
        &rows,
    );
}

fn made_by(
    material: &Material<'_>,
    (program, machine): &(String, Option<Machine>),
    runs: &[&str],
) -> Vec<String> {
    let began = runs.iter().filter_map(|id| material.input.selected.records.get(*id)?.began());
    let (first, last) =
        began.fold((f64::INFINITY, f64::NEG_INFINITY), |(first, last), at| (first.min(at), last.max(at)));
    let [from, to] = [first, last].map(|secs| time(secs as i64));
    let begun = match (first.is_finite(), from == to) {
        (false, _) => "–".to_owned(),
        (true, true) => from,
        (true, false) => format!("{from} to {to}"),
    };
    [vec![counted(runs.len(), "run"), program.clone()], machine_cells(machine.as_ref()).to_vec(), vec![begun]]
        .concat()
}

fn machine_cells(machine: Option<&Machine>) -> [String; 4] {
    let Some(machine) = machine else { return ["–", "not recorded", "–", "–"].map(str::to_owned) };
    let Machine { commit, system, processor, vectors, gpu, .. } = machine.clone();
    let processor = if gpu.is_empty() { processor } else { format!("{processor}; GPU: {gpu}") };
    let or_none = |text: String| if text.is_empty() { "–".to_owned() } else { text };
    [or_none(commit), system, or_none(processor), vectors]
}

/// Writes the file to copy out, its digest, and the settings that were changed for this report.
pub fn experiment(page: &mut Page, material: &Material<'_>) {
    let input = material.input;
    let (name, digest) = (material.file_name(), hexadecimal(&Sha256::digest(input.selected.text)));
    page.paragraph(&format!("SHA-256 of {name}: {digest}"));
    if !input.set.is_empty() {
        page.paragraph("The report is about this file with these settings of the command line:");
        page.raw("<ul>");
        for (key, value) in input.set {
            let setting = escaped(&format!("--set {key}={value}"));
            page.raw(&format!("<li dir=\"auto\"><code>{setting}</code></li>"));
        }
        page.raw("</ul>");
    }
    page.raw(&format!(
        "<pre tabindex=\"0\" aria-label=\"Text of the experiment file\" role=\"region\"><code>{}</code></pre>",
        escaped(input.selected.text)
    ));
}

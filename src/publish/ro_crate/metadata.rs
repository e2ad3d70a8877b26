//! `ro-crate-metadata.json`: RO-Crate 1.2 (<https://w3id.org/ro/crate/1.2>), sections "Root Data Entity", "Data Entities",
//! "Contextual Entities" and "Provenance", and the profile Process Run Crate 0.5 (<https://w3id.org/ro/wfrun/process/0.5>),
//! in which a run is an action of a program on its inputs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use chrono::{DateTime, SecondsFormat};
use serde_json::{Value, json};

use super::options::{CrateOptions, Licence};
use super::{METADATA, README, media_type, name_of};
use crate::Selected;
use data::{Data, Origin};
use doc::Run;
use form::Choice;
use form::number::counted;
use results::methods::methods;
use results::{RunRecord, RunState};
use run::Provenance;

const PROFILE: &str = "https://w3id.org/ro/wfrun/process/0.5";

/// A file in a crate.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its path in the crate, with `/` between the parts.
    pub path: String,
    pub bytes: u64,
    /// In hexadecimal.
    pub sha256: String,
    pub name: String,
    pub description: String,
}

/// A run in a crate.
#[derive(Debug)]
pub struct CratedRun<'a> {
    /// The run; of arms that share it, the first.
    pub run: &'a Run,
    pub record: &'a RunRecord,
    /// Where its results come from; nothing where its `run.json` cannot be read.
    pub provenance: Option<Provenance>,
    pub parts: Vec<Part>,
}

/// The content of a crate.
#[derive(Debug)]
pub struct Content<'a> {
    pub selected: Selected<'a>,
    pub options: &'a CrateOptions,
    /// When it was published: RFC 3339, to the second.
    pub published: &'a str,
    pub experiment: String,
    /// The path of the folder of runs, with `/` at its end.
    pub folder: String,
    /// The files beside that folder, and those in it that are of no run.
    pub parts: Vec<Part>,
    pub runs: Vec<CratedRun<'a>>,
}

/// Returns a reference to an entity.
fn reference(id: &str) -> Value {
    json!({ "@id": id })
}

/// Lists the entities of a crate, each once, in an order that does not change.
pub fn graph(content: &Content<'_>) -> Vec<Value> {
    let mut software = Software::default();
    let actions = actions(content, &mut software);
    let (data, whole) = data_entities(content);
    let mut graph = vec![descriptor(), root(content, &actions.mentioned, &whole)];
    graph.extend(content.parts.iter().map(file));
    graph.push(folder(content));
    graph.extend(actions.entities);
    graph.extend(data);
    graph.extend(software.entities());
    graph.push(Licence::entity(content.options.licence.as_ref()));
    let authors = content.options.authors.iter().enumerate();
    graph.extend(authors.map(|(at, author)| author.entity(at + 1)));
    graph.push(json!({
        "@id": PROFILE,
        "@type": ["CreativeWork", "Profile"],
        "name": "Process Run Crate",
        "version": "0.5",
        "description": "A profile of RO-Crate for runs of programs",
    }));
    graph
}

/// Writes the document of a graph. Environments of actions are a term of the Workflow Run RO-Crate profiles.
pub fn document(graph: &[Value]) -> String {
    let context = json!([
        "https://w3id.org/ro/crate/1.2/context",
        { "environment": "https://w3id.org/ro/terms/workflow-run#environment" },
    ]);
    let document = json!({ "@context": context, "@graph": graph });
    serde_json::to_string_pretty(&document).expect("texts and numbers can be written") + "\n"
}

fn descriptor() -> Value {
    json!({
        "@id": METADATA,
        "@type": "CreativeWork",
        "name": "RO-Crate metadata",
        "description": "What is in this crate, and where it comes from",
        "about": reference("./"),
        "conformsTo": reference("https://w3id.org/ro/crate/1.2"),
    })
}

fn root(content: &Content<'_>, mentioned: &[Value], data: &[Value]) -> Value {
    let Content { selected, options, published, experiment, folder, .. } = content;
    let of_folder = |part: &&Part| part.path.starts_with(folder.as_str());
    let mut parts: Vec<Value> = content
        .parts
        .iter()
        .filter(|part| !of_folder(part))
        .map(|part| reference(&id_of(&part.path)))
        .collect();
    parts.push(reference(&id_of(folder)));
    parts.extend(data.iter().cloned());
    let licence = Licence::entity(options.licence.as_ref());
    let mut root = json!({
        "@id": "./",
        "@type": "Dataset",
        "name": format!("{}: a Weightlab experiment with its results", name_of(selected, experiment)),
        "description": description(content),
        "datePublished": published,
        "license": reference(licence["@id"].as_str().unwrap_or_default()),
        "conformsTo": reference(PROFILE),
        "hasPart": parts,
        "mentions": mentioned,
    });
    let authors = authors(content);
    match &authors[..] {
        [] => {}
        [author] => root["author"] = author.clone(),
        _ => root["author"] = Value::Array(authors),
    }
    if counts(selected).0 < selected.runs.len() {
        root["creativeWorkStatus"] = json!("Incomplete");
    }
    root
}

fn authors(content: &Content<'_>) -> Vec<Value> {
    let numbered = content.options.authors.iter().enumerate();
    numbered
        .map(|(at, author)| reference(author.entity(at + 1)["@id"].as_str().unwrap_or_default()))
        .collect()
}

/// Counts the runs that are done, and those in other states by their words.
fn counts(selected: &Selected<'_>) -> (usize, BTreeMap<&'static str, usize>) {
    let mut counts = BTreeMap::new();
    for run in selected.runs {
        let state = selected.records.get(&run.id).map_or("not run", |record| record.state().word());
        *counts.entry(state).or_default() += 1;
    }
    (counts.remove(RunState::Done.word()).unwrap_or_default(), counts)
}

/// Says how much of the experiment there is, and what was done.
fn description(content: &Content<'_>) -> String {
    let selected = &content.selected;
    let (done, others) = counts(selected);
    let mut text = counted(selected.runs.len(), "run");
    if selected.runs.len() < selected.all.len() {
        text = format!("{text} of the {} of the experiment", selected.all.len());
    }
    if others.is_empty() {
        text.push_str(", all of them done. ");
    } else {
        let others: Vec<String> = others.iter().map(|(state, count)| format!("{count} {state}")).collect();
        text = format!("{text}: {done} done, {}. ", others.join(", "));
    }
    let records = selected.begun().map(|(_, record)| record);
    let methods = methods(selected.experiment, records).unwrap_or_default();
    text + methods.trim_end()
}

fn file(part: &Part) -> Value {
    let Part { path, bytes, sha256, name, description } = part;
    json!({
        "@id": id_of(path),
        "@type": "File",
        "name": name,
        "description": description,
        "encodingFormat": media_type(path),
        // "File Data Entity": a number of bytes, as a text.
        "contentSize": bytes.to_string(),
        "sha256": sha256,
    })
}

/// Returns the entity of a folder.
fn dataset(id: &str, name: &str, description: &str, parts: &[Value]) -> Value {
    json!({ "@id": id, "@type": "Dataset", "name": name, "description": description, "hasPart": parts })
}

/// Returns the entity of the folder of all runs.
fn folder(content: &Content<'_>) -> Value {
    let runs = content.runs.iter().map(|run| reference(&id_of_run(content, run.run)));
    let own = content.parts.iter().filter(|part| part.path.starts_with(&content.folder));
    let parts = own.map(|part| reference(&id_of(&part.path))).chain(runs).collect::<Vec<_>>();
    let description = format!(
        "The results of each run. Beside {}, Weightlab finds them when it opens the experiment",
        content.experiment
    );
    dataset(&id_of(&content.folder), "Runs", &description, &parts)
}

/// Lists the entities of all data, and references to those that are part of the crate as data on the web.
fn data_entities(content: &Content<'_>) -> (Vec<Value>, Vec<Value>) {
    let mut entities = Vec::new();
    let mut whole = Vec::new();
    let mut seen = BTreeSet::new();
    for run in &content.runs {
        let data = &run.run.spec.data;
        if seen.insert(id_of_data(data)) {
            if let Some(origin) = data.origin() {
                entities.extend(on_the_web(data, &origin, content.published));
                whole.push(reference(&id_of_data(data)));
            } else {
                entities.push(elsewhere(data));
            }
        }
        if let Some(digest) = digest_of(run).filter(|digest| seen.insert(samples_id(digest))) {
            entities.push(json!({
                "@id": samples_id(digest),
                "@type": "PropertyValue",
                "name": "SHA-256 of the samples",
                "description": "Of the training, the validation and the test part as the runs saw them: docs/semantics.md \
                    of Weightlab, \"Files\", says over which bytes",
                "value": digest,
            }));
        }
    }
    (entities, whole)
}

fn digest_of<'a>(run: &'a CratedRun<'_>) -> Option<&'a str> {
    run.provenance.as_ref()?.data.as_deref()
}

fn samples_id(digest: &str) -> String {
    format!("#samples-{digest}")
}

fn id_of_data(data: &Data) -> String {
    data.origin().map_or_else(|| format!("#data-{}", data.key()), |origin| origin.page.to_owned())
}

/// Returns the entities of a known set: a dataset on the web with the files to download (RO-Crate 1.2, "Web-based Data Entities").
fn on_the_web(data: &Data, origin: &Origin, published: &str) -> Vec<Value> {
    let downloads: Vec<Value> = origin.files.iter().map(|file| reference(file.url)).collect();
    let set = json!({
        "@id": origin.page,
        "@type": "Dataset",
        "name": data.label(),
        "description": format!("{}. Not in this crate; licence: {}", data.variant().help, origin.licence),
        "distribution": downloads,
        "sdDatePublished": published,
    });
    let files = origin.files.iter().map(|file| {
        json!({
            "@id": file.url,
            "@type": "DataDownload",
            "name": file.name(),
            "description": format!("A file of {}", data.label()),
            "contentUrl": file.url,
            "contentSize": file.bytes.to_string(),
            "encodingFormat": media_type(file.name()),
            "sha256": file.sha256,
        })
    });
    std::iter::once(set).chain(files).collect()
}

/// Returns the entity of data without an address: those inside the program, and those of the user, whose place is private.
fn elsewhere(data: &Data) -> Value {
    let about = data.variant().help;
    let description = if data.needs_look() {
        format!("{about}; files of the authors' own, which are not in this crate")
    } else {
        format!("{about}; part of Weightlab")
    };
    json!({ "@id": id_of_data(data), "@type": "CreativeWork", "name": data.label(), "description": description })
}

/// The part of a graph that describes runs.
struct Actions {
    /// Folders, files and actions.
    entities: Vec<Value>,
    /// References to the actions.
    mentioned: Vec<Value>,
}

/// Lists the entities of all runs, and of the export itself.
fn actions(content: &Content<'_>, software: &mut Software) -> Actions {
    let mut entities = Vec::new();
    let mut mentioned = Vec::new();
    for run in &content.runs {
        let parts = run.parts.iter().map(|part| reference(&id_of(&part.path))).collect::<Vec<_>>();
        let (id, state) = (id_of_run(content, run.run), run.record.state().word());
        let about = format!("The results of this run, which is {state}: log, settings and networks");
        entities.push(dataset(&id, &in_words(run.run), &about, &parts));
        entities.extend(run.parts.iter().map(file));
        let action = action(content, run, software);
        mentioned.push(reference(action["@id"].as_str().unwrap_or_default()));
        entities.push(action);
    }
    // The files that the export has made, rather than copied.
    let made = content.parts.iter().map(|part| part.path.as_str());
    let made = made.filter(|path| *path != content.experiment && !path.starts_with(&content.folder));
    let mut export = json!({
        "@id": "#export",
        "@type": "CreateAction",
        "name": "Export of the results",
        "description": "Writes what is known of the runs as files for others",
        "instrument": used(&mut software.programs, "program", Provenance::here().program_and_commit()),
        "object": reference(&id_of(&content.folder)),
        "result": made.map(|path| reference(&id_of(path))).collect::<Vec<_>>(),
        "endTime": content.published,
        "actionStatus": "http://schema.org/CompletedActionStatus",
    });
    set_agent(&mut export, content);
    mentioned.push(reference("#export"));
    entities.push(export);
    Actions { entities, mentioned }
}

/// Returns the identity of the folder of a run.
fn id_of_run(content: &Content<'_>, run: &Run) -> String {
    id_of(&format!("{}{}/", content.folder, run.id))
}

fn in_words(run: &Run) -> String {
    format!("Arm \"{}\", seed {}", run.arm, run.seed)
}

fn set_agent(action: &mut Value, content: &Content<'_>) {
    if let Some(first) = authors(content).into_iter().next() {
        action["agent"] = first;
    }
}

fn action(content: &Content<'_>, run: &CratedRun<'_>, software: &mut Software) -> Value {
    let CratedRun { run: own, record, provenance, .. } = run;
    let program = provenance
        .as_ref()
        .map_or_else(|| Provenance::here().program_and_commit(), Provenance::program_and_commit);
    let inputs = [id_of(&content.experiment), id_of_data(&own.spec.data)];
    let inputs: Vec<Value> =
        inputs.into_iter().chain(digest_of(run).map(samples_id)).map(|id| reference(&id)).collect();
    let mut action = json!({
        "@id": format!("#run-{}", own.id),
        "@type": "CreateAction",
        "name": in_words(own),
        "description": format!("Carries out the plan of the arm \"{}\" with the seed {}", own.arm, own.seed),
        "instrument": used(&mut software.programs, "program", program),
        "object": inputs,
        "result": reference(&id_of_run(content, own)),
    });
    set_agent(&mut action, content);
    if let Some(machine) = provenance.as_ref().and_then(|provenance| provenance.machine.as_ref()) {
        action["environment"] = used(&mut software.machines, "machine", machine.to_string());
    }
    if let Some(began) = record.began().and_then(time) {
        action["startTime"] = json!(began);
    }
    let points = record.points().last().map_or(0.0, |point| point.secs);
    if let Some(ended) = record.utc(record.progress().secs.max(points)).and_then(time) {
        action["endTime"] = json!(ended);
    }
    match record.state() {
        RunState::Done => action["actionStatus"] = json!("http://schema.org/CompletedActionStatus"),
        RunState::Failed(why) => {
            action["actionStatus"] = json!("http://schema.org/FailedActionStatus");
            action["error"] = json!(why);
        }
        RunState::Waiting | RunState::Running | RunState::Stopped => {}
    }
    action
}

/// Writes seconds since 1970-01-01 00:00 UTC in the form of RFC 3339, with `+00:00`: rocrate-validator knows no `Z`.
pub fn time(utc: f64) -> Option<String> {
    let time = DateTime::from_timestamp(utc.floor() as i64, 0)?;
    Some(time.to_rfc3339_opts(SecondsFormat::Secs, false))
}

/// The programs and machines that occur in a crate, each once, in the order of their first use.
#[derive(Debug, Default)]
struct Software {
    /// Such as "weightlab 0.1.0 (0123456789ab)".
    programs: Vec<String>,
    machines: Vec<String>,
}

impl Software {
    /// Lists the entities (RO-Crate 1.2, "Software used to create files"; machines as environments of Process Run Crate 0.5).
    fn entities(self) -> Vec<Value> {
        let programs = self.programs.iter().enumerate().map(|(at, program)| {
            let version = program.split_once(' ').map_or(program.as_str(), |(_, version)| version);
            json!({
                "@id": numbered("program", at),
                "@type": "SoftwareApplication",
                "name": "Weightlab",
                "description": "Runs experiments on the weights of neural networks",
                "version": version,
                // It has no address of its own on the web; the page says how to read its files.
                "url": reference(README),
            })
        });
        let machines = self.machines.iter().enumerate().map(|(at, machine)| {
            json!({
                "@id": numbered("machine", at),
                "@type": "PropertyValue",
                "name": "Machine",
                "description": "System and processor that computed runs: on the same kind, they give the same bits",
                "value": machine,
            })
        });
        programs.chain(machines).collect()
    }
}

/// Returns a reference to one of these programs or machines, which it joins where it is new.
fn used(known: &mut Vec<String>, kind: &str, text: String) -> Value {
    let place = known.iter().position(|own| *own == text).unwrap_or(known.len());
    if place == known.len() {
        known.push(text);
    }
    reference(&numbered(kind, place))
}

fn numbered(kind: &str, at: usize) -> String {
    format!("#{kind}-{}", at + 1)
}

/// Writes a relative path as `@id`: signs other than those that RFC 3986 (section 2.3) does not reserve are percent-encoded.
pub fn id_of(path: &str) -> String {
    let mut id = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            id.push(char::from(byte));
        } else {
            write!(id, "%{byte:02X}").expect("a string can be written to");
        }
    }
    id
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_to_the_second() {
        assert_eq!(time(1_767_225_599.9).as_deref(), Some("2025-12-31T23:59:59+00:00"));
        assert_eq!(time(f64::NAN).as_deref(), Some("1970-01-01T00:00:00+00:00"));
    }

    #[test]
    fn an_address_has_no_signs_of_its_own() {
        assert_eq!(id_of("zwei W\u{f6}rter.ron"), "zwei%20W%C3%B6rter.ron");
        assert_eq!(id_of("a#b?c/100%.csv"), "a%23b%3Fc/100%25.csv");
    }
}

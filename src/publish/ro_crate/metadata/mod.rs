//! `ro-crate-metadata.json`: RO-Crate 1.2 (<https://w3id.org/ro/crate/1.2>), sections "Root Data Entity", "Data Entities",
//! "Contextual Entities" and "Provenance", and the profile Process Run Crate 0.5 (<https://w3id.org/ro/wfrun/process/0.5>),
//! in which a run is an action of a program on its inputs.

mod data;
mod runs;
mod software;

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::METADATA;
use super::address::id_of;
use super::files::media_type;
use super::options::{CrateOptions, Licence};
use super::sink::Stored;
use crate::Selected;
use doc::Run;
use form::number::counted;
use results::methods::methods;
use results::{RunRecord, RunState};
use run::Provenance;
pub use runs::time;
use software::Software;

/// The profile that a crate conforms to.
const PROFILE: &str = "https://w3id.org/ro/wfrun/process/0.5";

/// A file in a crate.
#[derive(Clone, Debug)]
pub struct Part {
    /// What was written of it.
    pub stored: Stored,
    /// Its name for people.
    pub name: String,
    /// What it is, in a sentence.
    pub description: String,
}

/// A run in a crate.
#[derive(Debug)]
pub struct CratedRun<'a> {
    /// The run; of arms that share it, the first.
    pub run: &'a Run,
    /// What is known of it.
    pub record: &'a RunRecord,
    /// Where its results come from; nothing where its `run.ron` cannot be read.
    pub provenance: Option<Provenance>,
    /// Its files.
    pub parts: Vec<Part>,
}

/// What is in a crate.
#[derive(Debug)]
pub struct Content<'a> {
    /// The experiment and its runs.
    pub selected: Selected<'a>,
    /// What is said of it.
    pub options: &'a CrateOptions,
    /// When it was published: RFC 3339, to the second.
    pub published: &'a str,
    /// The path of the experiment.
    pub experiment: String,
    /// The path of the folder of runs, with `/` at its end.
    pub folder: String,
    /// The files beside that folder, and those in it that are of no run.
    pub parts: Vec<Part>,
    /// Its runs.
    pub runs: Vec<CratedRun<'a>>,
}

/// A reference to an entity.
fn reference(id: &str) -> Value {
    json!({ "@id": id })
}

/// The entities of a crate, each once, in an order that does not change.
pub fn graph(content: &Content<'_>) -> Vec<Value> {
    let mut software = Software::default();
    let actions = runs::entities(content, &mut software);
    let (data, whole) = data::entities(content);
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

/// The document of a graph. Environments of actions are a term of the Workflow Run RO-Crate profiles.
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
    let of_folder = |part: &&Part| part.stored.path.starts_with(folder.as_str());
    let mut parts: Vec<Value> = content
        .parts
        .iter()
        .filter(|part| !of_folder(part))
        .map(|part| reference(&id_of(&part.stored.path)))
        .collect();
    parts.push(reference(&id_of(folder)));
    parts.extend(data.iter().cloned());
    let licence = Licence::entity(options.licence.as_ref());
    let mut root = json!({
        "@id": "./",
        "@type": "Dataset",
        "name": title(selected, experiment),
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
    if counts(selected).done < selected.runs.len() {
        root["creativeWorkStatus"] = json!("Incomplete");
    }
    root
}

/// References to the authors.
fn authors(content: &Content<'_>) -> Vec<Value> {
    let numbered = content.options.authors.iter().enumerate();
    numbered
        .map(|(at, author)| reference(author.entity(at + 1)["@id"].as_str().unwrap_or_default()))
        .collect()
}

/// What the crate is called.
fn title(selected: &Selected<'_>, experiment: &str) -> String {
    let name = selected.experiment.name.trim();
    let name = if name.is_empty() { experiment.trim_end_matches(".ron") } else { name };
    format!("{name}: a Weightlab experiment with its results")
}

struct Counts {
    done: usize,
    others: BTreeMap<&'static str, usize>,
}

fn counts(selected: &Selected<'_>) -> Counts {
    let mut counts = Counts { done: 0, others: BTreeMap::new() };
    for run in selected.runs {
        match selected.records.get(&run.id).map(RunRecord::state) {
            Some(RunState::Done) => counts.done += 1,
            Some(state) => *counts.others.entry(state.word()).or_default() += 1,
            None => *counts.others.entry("not run").or_default() += 1,
        }
    }
    counts
}

/// How much of the experiment there is, and what was done.
fn description(content: &Content<'_>) -> String {
    let selected = &content.selected;
    let Counts { done, others } = counts(selected);
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

/// The entity of a file.
fn file(part: &Part) -> Value {
    let Part { stored, name, description } = part;
    json!({
        "@id": id_of(&stored.path),
        "@type": "File",
        "name": name,
        "description": description,
        "encodingFormat": media_type(&stored.path),
        // "File Data Entity": a number of bytes, as a text.
        "contentSize": stored.bytes.to_string(),
        "sha256": stored.sha256,
    })
}

/// The entity of a folder.
fn dataset(id: &str, name: &str, description: &str, parts: Vec<Value>) -> Map<String, Value> {
    let mut entity = Map::new();
    entity.insert("@id".to_owned(), json!(id));
    entity.insert("@type".to_owned(), json!("Dataset"));
    entity.insert("name".to_owned(), json!(name));
    entity.insert("description".to_owned(), json!(description));
    entity.insert("hasPart".to_owned(), Value::Array(parts));
    entity
}

/// The folder of all runs.
fn folder(content: &Content<'_>) -> Value {
    let runs = content.runs.iter().map(|run| reference(&runs::id_of_run(content, run.run)));
    let own = content.parts.iter().filter(|part| part.stored.path.starts_with(&content.folder));
    let parts = own.map(|part| reference(&id_of(&part.stored.path))).chain(runs).collect();
    let description = format!(
        "The results of each run. Beside {}, Weightlab finds them when it opens the experiment",
        content.experiment
    );
    Value::Object(dataset(&id_of(&content.folder), "Runs", &description, parts))
}

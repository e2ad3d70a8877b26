//! Runs as actions with their inputs and results (Process Run Crate 0.5, "Requirements").

use chrono::{DateTime, SecondsFormat};
use serde_json::{Value, json};

use super::software::Software;
use super::{Content, CratedRun, authors, data, dataset, file, id_of, reference};
use doc::Run;
use results::RunState;
use run::Provenance;

/// What runs add to a crate.
pub struct Actions {
    /// Folders, files and actions.
    pub entities: Vec<Value>,
    /// References to the actions.
    pub mentioned: Vec<Value>,
}

/// The entities of all runs, and of the export itself.
pub fn entities(content: &Content<'_>, software: &mut Software) -> Actions {
    let mut entities = Vec::new();
    let mut mentioned = Vec::new();
    for run in &content.runs {
        let parts = run.parts.iter().map(|part| reference(&id_of(&part.stored.path))).collect();
        let (id, state) = (id_of_run(content, run.run), run.record.state().word());
        let about = format!("The results of this run, which is {state}: log, settings and networks");
        entities.push(Value::Object(dataset(&id, &name_of(run.run), &about, parts)));
        entities.extend(run.parts.iter().map(file));
        let action = action(content, run, software);
        mentioned.push(reference(action["@id"].as_str().unwrap_or_default()));
        entities.push(action);
    }
    let mut export = json!({
        "@id": "#export",
        "@type": "CreateAction",
        "name": "Export of the results",
        "description": "Writes what is known of the runs as files for others",
        "instrument": software.program(&Provenance::here().program_and_commit()),
        "object": reference(&id_of(&content.folder)),
        "result": made(content),
        "endTime": content.published,
        "actionStatus": json!("http://schema.org/CompletedActionStatus"),
    });
    set_agent(&mut export, content);
    mentioned.push(reference("#export"));
    entities.push(export);
    Actions { entities, mentioned }
}

/// The files that the export has made, rather than copied.
fn made(content: &Content<'_>) -> Vec<Value> {
    let own = content.parts.iter().map(|part| part.stored.path.as_str());
    let own = own.filter(|path| *path != content.experiment && !path.starts_with(content.folder.as_str()));
    own.map(|path| reference(&id_of(path))).collect()
}

/// The identity of the folder of a run.
pub fn id_of_run(content: &Content<'_>, run: &Run) -> String {
    id_of(&format!("{}{}/", content.folder, run.id))
}

fn name_of(run: &Run) -> String {
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
    let experiment = reference(&id_of(&content.experiment));
    let inputs: Vec<Value> = std::iter::once(experiment).chain(data::inputs(run)).collect();
    let mut action = json!({
        "@id": format!("#run-{}", own.id),
        "@type": "CreateAction",
        "name": name_of(own),
        "description": format!("Carries out the plan of the arm \"{}\" with the seed {}", own.arm, own.seed),
        "instrument": software.program(&program),
        "object": inputs,
        "result": reference(&id_of_run(content, own)),
    });
    set_agent(&mut action, content);
    if let Some(machine) = provenance.as_ref().and_then(|provenance| provenance.machine.as_ref()) {
        action["environment"] = software.machine(&machine.to_string());
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

/// Seconds since 1970-01-01 00:00 UTC in the form of RFC 3339, with `+00:00`: rocrate-validator knows no `Z`.
pub fn time(utc: f64) -> Option<String> {
    let time = DateTime::from_timestamp(utc.floor() as i64, 0)?;
    Some(time.to_rfc3339_opts(SecondsFormat::Secs, false))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_to_the_second() {
        assert_eq!(time(1_767_225_599.9).as_deref(), Some("2025-12-31T23:59:59+00:00"));
        assert_eq!(time(f64::NAN).as_deref(), Some("1970-01-01T00:00:00+00:00"));
    }
}

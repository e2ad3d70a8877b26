//! The data that runs have learned from. They are not in the crate: known sets have addresses, and what runs saw has a
//! digest.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{Content, CratedRun, reference};
use crate::ro_crate::files::media_type;
use data::{Data, Origin};
use form::Choice;

/// The entities of all data, and references to those that are part of the crate as data on the web.
pub fn entities(content: &Content<'_>) -> (Vec<Value>, Vec<Value>) {
    let mut entities = Vec::new();
    let mut whole = Vec::new();
    let mut seen = BTreeSet::new();
    for run in &content.runs {
        let data = &run.run.spec.data;
        if seen.insert(id_of(data)) {
            if let Some(origin) = data.origin() {
                entities.extend(on_the_web(data, &origin, content.published));
                whole.push(reference(&id_of(data)));
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

/// References to the data of a run, and to their digest.
pub fn inputs(run: &CratedRun<'_>) -> Vec<Value> {
    let data = reference(&id_of(&run.run.spec.data));
    std::iter::once(data).chain(digest_of(run).map(|digest| reference(&samples_id(digest)))).collect()
}

fn digest_of<'a>(run: &'a CratedRun<'_>) -> Option<&'a str> {
    run.provenance.as_ref()?.data.as_deref()
}

fn samples_id(digest: &str) -> String {
    format!("#samples-{digest}")
}

fn key_of(data: &Data) -> &'static str {
    data.variant().key
}

fn id_of(data: &Data) -> String {
    data.origin().map_or_else(|| format!("#data-{}", key_of(data)), |origin| origin.page.to_owned())
}

/// A known set: a dataset on the web with the files to download (RO-Crate 1.2, "Web-based Data Entities").
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

/// Data without an address: those inside the program, and those of the user, whose place is nobody's business.
fn elsewhere(data: &Data) -> Value {
    let about = data.variant().help;
    let description = if data.is_of_user() {
        format!("{about}; files of the authors' own, which are not in this crate")
    } else {
        format!("{about}; part of Weightlab")
    };
    json!({ "@id": id_of(data), "@type": "CreativeWork", "name": data.label(), "description": description })
}

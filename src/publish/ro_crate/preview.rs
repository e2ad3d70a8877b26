//! `ro-crate-preview.html`: what the crate is, for people (RO-Crate 1.2, "RO-Crate Website"). It needs no script.

use std::fmt::Write;

use serde_json::Value;

use super::address::path_of;
use crate::report::escaped;

/// What marks the digest of the metadata that the page was made for.
const MARK: &str = "<meta name=\"ro-crate-metadata-sha256\" content=\"";

const STYLE: &str = "body{font:1rem/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem}\
    p{white-space:pre-line}table{border-collapse:collapse}td,th{text-align:left;vertical-align:top;padding:.2rem 1rem .2rem 0}\
    code{overflow-wrap:anywhere}:root{color-scheme:light dark}";

/// The page of a graph whose metadata have this digest.
pub fn preview(graph: &[Value], digest: &str) -> String {
    let entity = |id: &Value| graph.iter().find(|entity| entity["@id"] == id["@id"]);
    let root = graph.iter().find(|entity| entity["@id"] == "./").unwrap_or(&Value::Null);
    let text = |value: &Value| escaped(value.as_str().unwrap_or_default());
    let name = text(&root["name"]);
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
        <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n{MARK}{digest}\">\n\
        <title>{name}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{name}</h1>\n<p>{}</p>\n<table>\n",
        text(&root["description"])
    );
    let mut row = |title: &str, content: &str| {
        writeln!(page, "<tr><th scope=\"row\">{title}</th><td>{content}</td></tr>").expect(STRING);
    };
    row("Published", &text(&root["datePublished"]));
    let one = std::slice::from_ref(&root["author"]);
    let authors = root["author"].as_array().map_or(one, Vec::as_slice);
    for author in authors.iter().filter(|author| author.is_object()) {
        row("Author", &linked(author, entity(author)));
    }
    row("Licence", &linked(&root["license"], entity(&root["license"])));
    if root["creativeWorkStatus"].is_string() {
        row("Status", &text(&root["creativeWorkStatus"]));
    }
    row("Metadata", "<a href=\"ro-crate-metadata.json\">ro-crate-metadata.json</a>");
    page.push_str("</table>\n<h2>Contents</h2>\n<table>\n");
    for part in root["hasPart"].as_array().into_iter().flatten() {
        let about = entity(part).map_or_else(String::new, |entity| text(&entity["description"]));
        writeln!(page, "<tr><td>{}</td><td>{about}</td></tr>", linked(part, entity(part))).expect(STRING);
    }
    page.push_str("</table>\n</main>\n</body>\n</html>\n");
    page
}

/// The digest that a page was made for.
pub fn digest_in(preview: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(preview).ok()?;
    text.split_once(MARK)?.1.split_once('"').map(|(digest, _)| digest)
}

/// An entity by its name, with a link to what it is about.
fn linked(reference: &Value, entity: Option<&Value>) -> String {
    let id = reference["@id"].as_str().unwrap_or_default();
    let name = entity.and_then(|entity| entity["name"].as_str()).unwrap_or(id);
    let is_file = id.strip_suffix('/').is_none() && path_of(id).is_some() && !id.starts_with('#');
    if is_file || id.starts_with("https://") || id.starts_with("http://") {
        format!("<a href=\"{}\">{}</a>", escaped(id), escaped(name))
    } else {
        escaped(name)
    }
}

const STRING: &str = "a string can be written to";

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_page_shows_the_root_and_no_markup_of_its_names() {
        let graph = [
            json!({ "@id": "./", "name": "a <b>", "description": "d", "datePublished": "2026-01-02",
                "license": { "@id": "https://spdx.org/licenses/MIT" }, "author": [{ "@id": "#author-1" }],
                "hasPart": [{ "@id": "x%20y.ron" }, { "@id": "x.runs/" }] }),
            json!({ "@id": "https://spdx.org/licenses/MIT", "name": "MIT" }),
            json!({ "@id": "#author-1", "name": "Ada \"L\"" }),
            json!({ "@id": "x%20y.ron", "name": "x y.ron", "description": "The experiment" }),
        ];
        let page = preview(&graph, "00ff");
        assert_eq!(digest_in(page.as_bytes()), Some("00ff"));
        for part in [
            "<h1>a &lt;b&gt;</h1>",
            "<a href=\"https://spdx.org/licenses/MIT\">MIT</a>",
            "<td>Ada &quot;L&quot;</td>",
            "<a href=\"x%20y.ron\">x y.ron</a></td><td>The experiment</td>",
            "<tr><td>x.runs/</td>",
        ] {
            assert!(page.contains(part), "{part} in {page}");
        }
        assert_eq!(digest_in(b"<html>"), None);
    }
}

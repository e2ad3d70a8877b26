//! Names of documents without a file.

use std::time::SystemTime;

use sha2::{Digest, Sha256};

use super::next_revision;

/// A name that no other document without a file has.
pub(super) fn new_identity(name: &str) -> String {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    format!("{}-{:x}-{:x}-{:x}", slug(name), since.as_millis(), std::process::id(), next_revision())
}

/// The same name for the same template.
pub(super) fn template_identity(name: &str, text: &str) -> String {
    let digest = Sha256::digest(text);
    let [a, b, c, d, ..] = <[u8; 32]>::from(digest);
    format!("{}-{a:02x}{b:02x}{c:02x}{d:02x}", slug(name))
}

pub(super) fn slug(title: &str) -> String {
    let mut slug = String::new();
    for character in title.to_lowercase().chars() {
        if character.is_alphanumeric() {
            slug.push(character);
        } else if !slug.ends_with('-') && !slug.is_empty() {
            slug.push('-');
        }
    }
    let slug: String = slug.trim_end_matches('-').chars().take(60).collect();
    if slug.is_empty() { "experiment".to_owned() } else { slug }
}

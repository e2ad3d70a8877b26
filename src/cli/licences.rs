//! `weightlab licences`: what the program contains, and under which licences.

use clap::Args;

use super::output::{Exit, Failure, print_out, table};
use licences::Licences;

/// Settings of `weightlab licences`.
#[derive(Debug, Args)]
pub struct LicencesArgs {
    /// Print the full texts, each once, with the names of those that have it
    #[arg(long)]
    texts: bool,
}

/// Prints the table, or the texts.
///
/// # Errors
/// When they cannot be printed.
pub fn licences(arguments: &LicencesArgs) -> Result<Exit, Failure> {
    let licences = Licences::load();
    print_out(&if arguments.texts { licences.text() } else { list(&licences) })?;
    Ok(Exit::Done)
}

fn list(licences: &Licences) -> String {
    let rows: Vec<Vec<String>> = licences
        .components
        .iter()
        .map(|component| {
            [&component.name, &component.version, &component.licence].map(String::clone).to_vec()
        })
        .collect();
    let own = env!("CARGO_PKG_LICENSE");
    let version = env!("CARGO_PKG_VERSION");
    format!(
        "Weightlab {version}: {own}. On Linux, Windows or macOS it contains:\n\n{}",
        table(&["name", "version", "licence"], &rows, 3)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_a_row_for_each_component_and_the_texts_each_text_once() {
        let licences = Licences::load();
        let list = list(&licences);
        assert_eq!(list.lines().count(), licences.components.len() + 3);
        assert!(list.contains("burn ") && list.contains("Roboto (font)"), "{list}");
        let texts = licences.text();
        assert_eq!(texts.matches(&"=".repeat(100)).count(), 2 * licences.texts.len());
        assert!(texts.contains("eframe ") && texts.contains("Mozilla Public License"));
    }
}

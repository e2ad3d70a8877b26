//! Names that a user gives to layers: they become names of parameters, cells of tables, and parts of paths.

/// What is wrong with a name, if anything. The dots in names of weight files are fine.
pub(super) fn problem(name: &str) -> Option<String> {
    let is_refused = |c: char| c.is_control() || ",\"'/\\".contains(c);
    if name.is_empty() {
        return Some("the name is empty; write one, or leave it out".to_owned());
    }
    let is_wrong = name.contains(is_refused) || name.starts_with('#') || name.trim() != name;
    is_wrong.then(|| {
        format!(
            "{name:?} is no name for a layer: names have no commas, quotes, slashes or line breaks, no # at the start, and \
             no blanks at their ends"
        )
    })
}

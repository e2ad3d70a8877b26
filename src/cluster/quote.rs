//! Words for a shell, and values of Slurm's directives.

/// Letters that mean nothing to a shell and nothing to Slurm.
fn is_plain(text: &str) -> bool {
    !text.is_empty()
        && text.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-./:,=+@".contains(letter))
}

/// A word as a shell reads it, with anything in it: spaces, quotes, `$`, line breaks.
pub fn word(text: &str) -> String {
    if is_plain(text) { text.to_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// Words as a line for a shell.
pub fn words<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    words.into_iter().map(word).collect::<Vec<_>>().join(" ")
}

/// The value of an option on a line `#SBATCH --option=value`; Slurm takes quotes and backslashes away. Nothing can stand
/// for a line break, which becomes a space.
pub fn directive(value: &str) -> String {
    if is_plain(value) || value.chars().all(|letter| letter == '%' || is_plain(&letter.to_string())) {
        return value.to_owned();
    }
    let one_line: String =
        value.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    format!("\"{}\"", one_line.replace('\\', r"\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_back_every_word() {
        let odd = ["", "a b", "it's", "\"$HOME\"", "`id`", "a\nb", "\\", "*", "ü;&|", "~", "plain-1.ron"];
        let script = format!("printf '%s\\0' {}", words(odd));
        let output = std::process::Command::new("sh").args(["-c", &script]).output().unwrap();
        let read = String::from_utf8(output.stdout).unwrap();
        assert_eq!(read.split_terminator('\0').collect::<Vec<_>>(), odd);
    }

    #[test]
    fn values_of_directives_are_quoted_where_they_need_it() {
        assert_eq!(directive("gpu,cpu"), "gpu,cpu");
        assert_eq!(directive("/a/%A_%a.log"), "/a/%A_%a.log");
        assert_eq!(directive("a \"b\" \\ c\nd"), r#""a \"b\" \\ c d""#);
    }
}

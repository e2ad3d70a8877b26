//! HTML under construction: text is escaped here and nowhere else.

use std::fmt::Write;

/// A column with a longer text is wide.
const LONG: usize = 40;

/// Text with the characters escaped that mean something in HTML, in elements and in quoted attributes. Characters that no
/// HTML document may hold become U+FFFD (HTML, section 13.2.3.5). Lines end with a line feed alone, as browsers read them.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\r' if characters.peek() == Some(&'\n') => {}
            '\r' => out.push('\n'),
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(character),
            control if control.is_control() || u32::from(control) & 0xfffe == 0xfffe => out.push('\u{fffd}'),
            '\u{fdd0}'..='\u{fdef}' => out.push('\u{fffd}'),
            other => out.push(other),
        }
    }
    out
}

/// The sections of a report.
#[derive(Debug, Default)]
pub struct Page {
    /// The markup so far.
    pub out: String,
    /// The sections for the list of contents: identity and title.
    pub contents: Vec<(String, String)>,
    tables: usize,
    /// What the identities of tables begin with.
    prefix: String,
}

impl Page {
    /// A part of a page that is made by itself; its identities begin with this.
    pub fn part(prefix: &str) -> Self {
        Self { prefix: prefix.to_owned(), ..Self::default() }
    }

    /// Adds markup as it is.
    pub fn raw(&mut self, markup: &str) {
        self.out.push_str(markup);
        self.out.push('\n');
    }

    /// Adds an element with text; names in it cannot turn the direction of what surrounds it.
    pub fn element(&mut self, name: &str, text: &str) {
        let _ = writeln!(self.out, "<{name} dir=\"auto\">{}</{name}>", escaped(text)); // a string takes everything
    }

    /// Adds a paragraph.
    pub fn paragraph(&mut self, text: &str) {
        self.element("p", text);
    }

    /// Adds a section with its heading, unless nothing is in it.
    pub fn section(&mut self, title: &str, fill: impl FnOnce(&mut Self)) {
        let id = title.to_lowercase().replace(' ', "-");
        let before = self.out.len();
        let _ = writeln!(self.out, "<section aria-labelledby=\"{id}\">\n<h2 id=\"{id}\">{title}</h2>");
        let filled = self.out.len();
        fill(self);
        if self.out.len() == filled {
            self.out.truncate(before);
            return;
        }
        self.raw("</section>");
        self.contents.push((id, title.to_owned()));
    }

    /// Adds what is closed until a reader opens it.
    pub fn details(&mut self, summary: &str, fill: impl FnOnce(&mut Self)) {
        let _ = writeln!(self.out, "<details><summary dir=\"auto\">{}</summary>", escaped(summary));
        fill(self);
        self.raw("</details>");
    }

    /// Adds a table: its first column has the names of the rows. Columns of numbers are at the right. No table without rows.
    pub fn table(&mut self, caption: &str, head: &[&str], rows: &[Vec<String>]) {
        if rows.is_empty() {
            return;
        }
        self.tables += 1;
        let id = format!("{}table-{}", self.prefix, self.tables);
        let _ = writeln!(
            self.out,
            "<div class=\"scroll\" role=\"region\" aria-labelledby=\"{id}\" tabindex=\"0\"><table>\n\
             <caption id=\"{id}\" dir=\"auto\"><span>{}</span></caption>\n<thead><tr>",
            escaped(caption)
        );
        let class_of = |nth: usize| match nth {
            0 => "",
            _ if has_numbers(rows, nth) => " class=\"n\"",
            _ if has_long_texts(rows, nth) => " class=\"w\"",
            _ => "",
        };
        let classes: Vec<&str> = (0..head.len()).map(class_of).collect();
        for (nth, cell) in head.iter().enumerate() {
            let _ = write!(self.out, "<th scope=\"col\"{}>{}</th>", classes[nth], escaped(cell));
        }
        self.raw("</tr></thead>\n<tbody>");
        for row in rows {
            self.out.push_str("<tr>");
            for (nth, cell) in row.iter().take(head.len()).enumerate() {
                let cell = escaped(cell);
                let _ = match nth {
                    0 => write!(self.out, "<th scope=\"row\" dir=\"auto\">{cell}</th>"),
                    _ => write!(self.out, "<td{} dir=\"auto\">{cell}</td>", classes[nth]),
                };
            }
            self.raw("</tr>");
        }
        self.raw("</tbody></table></div>");
    }
}

/// Whether a column has numbers, and nothing else but gaps.
fn has_numbers(rows: &[Vec<String>], nth: usize) -> bool {
    let starts_like_one =
        |cell: &str| cell.starts_with(|sign: char| sign.is_ascii_digit() || "+−±".contains(sign));
    let mut cells = rows
        .iter()
        .filter_map(|row| row.get(nth))
        .filter(|cell| !matches!(cell.as_str(), "" | "–" | "baseline"));
    let mut any = false;
    let all = cells.all(|cell| {
        any = true;
        starts_like_one(cell) && cell.chars().count() < 24
    });
    any && all
}

/// Whether a column has texts that would make a narrow one many lines high.
fn has_long_texts(rows: &[Vec<String>], nth: usize) -> bool {
    rows.iter().filter_map(|row| row.get(nth)).any(|cell| cell.chars().count() > LONG)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_becomes_markup() {
        assert_eq!(
            escaped("<b a=\"1\">&\u{0}\u{b}\u{ffff}\n"),
            "&lt;b a=&quot;1&quot;&gt;&amp;\u{fffd}\u{fffd}\u{fffd}\n"
        );
        assert_eq!(escaped("a\r\nb\rc\r\r\n"), "a\nb\nc\n\n", "lines of other systems");
        let mut page = Page::default();
        page.table("<i>", &["<th>", "n"], &[vec!["</table>".to_owned(), "1.5 ± 0.1".to_owned()]]);
        page.details("<s>", |page| page.paragraph("<p>"));
        for wrong in ["<i>", "<s>", "<p>&", "</table></th>", "<p><p>"] {
            assert!(!page.out.contains(wrong), "{wrong}");
        }
        assert!(page.out.contains("<td class=\"n\" dir=\"auto\">1.5 ± 0.1</td>"), "{}", page.out);
    }

    #[test]
    fn empty_tables_and_sections_are_left_out() {
        let mut page = Page::default();
        page.section("Nothing here", |page| page.table("a", &["b"], &[]));
        assert_eq!((page.out.as_str(), page.contents.len()), ("", 0));
    }
}

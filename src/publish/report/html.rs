//! HTML under construction: text is escaped here and nowhere else.

use std::fmt::Write;

/// A column with a longer text is wide.
const LONG: usize = 40;

/// Escapes the characters of a text that mean something in HTML, in elements and in quoted attributes. Characters that no
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
    pub out: String,
    /// The sections for the list of contents: identity and title.
    pub contents: Vec<(String, String)>,
    tables: usize,
    prefix: String,
}

impl Page {
    /// Begins a part of a page that is made by itself; its identities begin with this.
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
            // A narrow column would be many lines high.
            _ if rows.iter().any(|row| row.get(nth).is_some_and(|cell| cell.chars().count() > LONG)) => {
                " class=\"w\""
            }
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

/// Returns true if a column has numbers, and nothing else but gaps.
fn has_numbers(rows: &[Vec<String>], nth: usize) -> bool {
    let starts_like_one =
        |cell: &str| cell.starts_with(|sign: char| sign.is_ascii_digit() || "+−±".contains(sign));
    let cells = rows.iter().filter_map(|row| row.get(nth));
    let mut cells = cells.filter(|cell| !matches!(cell.as_str(), "" | "–" | "baseline")).peekable();
    cells.peek().is_some() && cells.all(|cell| starts_like_one(cell) && cell.chars().count() < 24)
}

/// The style sheet. Colours of text keep a contrast of 4.5 to their background (WCAG 2.2, 1.4.3).
pub const STYLE: &str = r#"
:root{color-scheme:light dark;--page:#f7f7f5;--panel:#fff;--text:#1d1f23;--soft:#565b63;--line:#d9dade;--accent:#14559e}
@media (prefers-color-scheme:dark){:root{--page:#16181b;--panel:#1f2226;--text:#e6e7ea;--soft:#a9aeb7;--line:#383c43;--accent:#8cbcf5}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,Helvetica,Arial,sans-serif;overflow-wrap:anywhere}
header,nav,main,footer{max-width:80rem;margin:0 auto;padding:0 1.25rem}
header{padding-top:2.5rem}
h1{font-size:2rem;line-height:1.2;margin:0 0 .4rem;letter-spacing:-.01em}
h2{font-size:1.3rem;line-height:1.3;margin:2.75rem 0 .75rem;padding-top:.9rem;border-top:1px solid var(--line)}
h3{font-size:1.02rem;margin:1.6rem 0 .4rem}
p,ul,dl{max-width:46rem;margin:.5rem 0}
.soft,figcaption,footer{color:var(--soft)}
.state{font-weight:600;font-size:1.05rem}
a{color:var(--accent)}
a:focus-visible,summary:focus-visible,.scroll:focus-visible,pre:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.skip{position:absolute;left:-100vw}
.skip:focus{left:1rem;top:1rem;background:var(--panel);padding:.5rem 1rem;z-index:1}
nav ul{display:flex;flex-wrap:wrap;gap:.35rem 1.1rem;list-style:none;padding:0;margin:1.2rem 0 0;max-width:none;font-size:.92rem}
nav a{text-decoration:none}
nav a:hover{text-decoration:underline}
.figures{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,30rem),1fr));gap:1.25rem}
figure{margin:0;background:var(--panel);border:1px solid var(--line);border-radius:8px;padding:.75rem;min-width:0}
figure.wide{grid-column:1/-1}
figure.wide svg{max-width:54rem;margin:auto}
figure svg{display:block;width:100%;height:auto;background:#fff;border-radius:4px}
figcaption{font-size:.88rem;line-height:1.45;margin:.6rem .15rem .1rem}
figcaption strong{color:var(--text)}
.scroll{overflow-x:auto;margin:.9rem 0;background:var(--panel);border:1px solid var(--line);border-radius:8px}
table{border-collapse:collapse;width:100%;font-size:.9rem;line-height:1.4}
caption{text-align:start;color:var(--soft);padding:.6rem .6rem .4rem;font-size:.88rem}
th,td{text-align:start;vertical-align:top;padding:.38rem .6rem;border-top:1px solid var(--line);overflow-wrap:normal;min-width:3.5rem;max-width:26rem}
caption span{display:block;max-width:min(100vw - 4rem,75rem)}
thead th{font-weight:600;border-bottom:1px solid var(--soft)}
tbody th{font-weight:500;min-width:8rem;overflow-wrap:anywhere}
td{overflow-wrap:break-word}
th.n,td.n{text-align:end;white-space:nowrap;font-variant-numeric:tabular-nums}
thead th.n{white-space:normal}
.w{min-width:16rem}
details{margin:.7rem 0}
summary{cursor:pointer;color:var(--accent);font-size:.92rem}
pre{overflow-x:auto;white-space:pre;background:var(--panel);border:1px solid var(--line);border-radius:8px;padding:1rem;font:.84rem/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace}
.note{white-space:pre-wrap;border-inline-start:3px solid var(--line);padding-inline-start:.9rem}
.long{white-space:pre-wrap}
footer{margin-top:3rem;padding-top:1rem;padding-bottom:2.5rem;font-size:.88rem}
@media (max-width:40rem){header{padding-top:1.5rem}h1{font-size:1.55rem}header,nav,main,footer{padding-inline:.9rem}figure{padding:.4rem}td{min-width:7rem}td.n{min-width:3.5rem}td.w{min-width:15rem}}
@media print{
@page{size:A4;margin:17mm 15mm}
:root{color-scheme:light;--page:#fff;--panel:#fff;--text:#000;--soft:#444;--line:#bbb;--accent:#000}
body{font-size:9.5pt;line-height:1.4}
header,nav,main,footer{max-width:none;padding-inline:0}
header{padding-top:0}nav,.skip{display:none}
h1{font-size:18pt}h2{font-size:12.5pt;margin-top:1.4rem}h2,h3,caption{break-after:avoid}
figure,tr{break-inside:avoid}
.figures{grid-template-columns:1fr 1fr;gap:.6rem}
figure{border-color:#ddd;padding:.4rem}figure details:not([open]){display:none}
.scroll{overflow:visible;border:0}table{font-size:8pt}th,td{padding:.2rem .4rem;min-width:0}th.n,td.n{white-space:normal}thead{display:table-header-group}caption,figcaption,summary{font-size:8.5pt}caption{padding-inline:.4rem}caption span{max-width:none}
pre{white-space:pre-wrap;font-size:7.5pt}
}
"#;

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

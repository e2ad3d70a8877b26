//! Finds the line and column of a setting in the text of a file.
//!
//! The parser knows positions of syntax errors only. Problems that validation finds carry a [`Place`]; this scanner
//! walks the brackets of the text along it, and ends at the deepest step that is written there.

use ron::error::Position;

use form::path::{Place, Segment};
use form::ron_text::position;
use form::write::Written;

/// Line and column, both from 1, of the setting at `place`, or of the nearest enclosing one that is written down.
pub fn locate(text: &str, place: &Place) -> (usize, usize) {
    let tokens = tokens(text);
    let mut cursor = Cursor { tokens: &tokens, at: 0 };
    let mut found = cursor.offset().unwrap_or(0);
    for segment in &place.0 {
        match cursor.enter(segment) {
            Some(offset) => found = offset,
            None => break,
        }
    }
    let Position { line, col } = position(text, found);
    (line, col)
}

/// What a text has written down.
pub fn written(text: &str) -> Written {
    let tokens = tokens(text);
    value(&tokens, &mut 0, 0)
}

/// Deeper brackets are no settings.
const DEEPEST: usize = 200;

/// The value that begins at the token `at`, which moves behind it.
fn value(tokens: &[(usize, Token<'_>)], at: &mut usize, depth: usize) -> Written {
    let token = |at: usize| tokens.get(at).map(|(_, token)| *token);
    let mut found = Written::default();
    while let Some(Token::Word(text) | Token::Text(text)) = token(*at) {
        found.name = Some(text.to_owned());
        *at += 1;
    }
    if !matches!(token(*at), Some(Token::Open(_))) || depth > DEEPEST {
        return found;
    }
    *at += 1;
    while let Some(next) = token(*at) {
        match (next, token(*at + 1)) {
            (Token::Close, _) => {
                *at += 1;
                break;
            }
            (Token::Comma | Token::Colon, _) => *at += 1,
            (Token::Word(key) | Token::Text(key), Some(Token::Colon)) => {
                *at += 2;
                found.entries.push((Some(key.to_owned()), value(tokens, at, depth + 1)));
            }
            (Token::Word(_) | Token::Text(_) | Token::Open(_), _) => {
                let before = *at;
                found.entries.push((None, value(tokens, at, depth + 1)));
                *at = (*at).max(before + 1);
            }
        }
    }
    found
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Token<'a> {
    Open(u8),
    Close,
    Comma,
    Colon,
    Word(&'a str),
    Text(&'a str),
}

/// Whether a text has comments.
pub fn has_comments(text: &str) -> bool {
    let mut found = false;
    scan(text, &mut || found = true);
    found
}

/// The tokens of a text with their byte offsets, without comments.
fn tokens(text: &str) -> Vec<(usize, Token<'_>)> {
    scan(text, &mut || ())
}

/// The same; `comment` is called for every comment.
fn scan<'a>(text: &'a str, comment: &mut dyn FnMut()) -> Vec<(usize, Token<'a>)> {
    let mut tokens = Vec::new();
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &text[at..];
        let length = match bytes[at] {
            byte @ (b'(' | b'[' | b'{') => push(&mut tokens, at, Token::Open(byte), 1),
            b')' | b']' | b'}' => push(&mut tokens, at, Token::Close, 1),
            b',' => push(&mut tokens, at, Token::Comma, 1),
            b':' => push(&mut tokens, at, Token::Colon, 1),
            b'"' => {
                let length = quoted_length(rest);
                push(&mut tokens, at, Token::Text(rest[1..length].trim_end_matches('"')), length)
            }
            b'r' | b'b' if let Some((inner, length)) = raw_text(rest) => {
                push(&mut tokens, at, Token::Text(inner), length)
            }
            b'/' if rest.starts_with("//") => {
                comment();
                rest.find('\n').unwrap_or(rest.len())
            }
            b'/' if rest.starts_with("/*") => {
                comment();
                comment_length(rest)
            }
            _ => {
                let ends_word = |c: char| "()[]{},:\"".contains(c) || c.is_whitespace();
                let end = rest.find(ends_word).unwrap_or(rest.len());
                let word = &rest[..end];
                match ["//", "/*"].iter().filter_map(|mark| word.find(mark)).min().unwrap_or(end) {
                    0 => rest.chars().next().map_or(1, char::len_utf8), // white space of any kind
                    length => push(&mut tokens, at, Token::Word(&rest[..length]), length),
                }
            }
        };
        at += length;
    }
    tokens
}

fn push<'a>(tokens: &mut Vec<(usize, Token<'a>)>, at: usize, token: Token<'a>, length: usize) -> usize {
    tokens.push((at, token));
    length
}

/// What is in the quotes of a raw text, `r#"…"#` or `br"…"`, and its length with them.
fn raw_text(rest: &str) -> Option<(&str, usize)> {
    let marked = rest.strip_prefix('b').unwrap_or(rest).strip_prefix('r')?;
    let open = marked.trim_start_matches('#');
    let end = format!("\"{}", &marked[..marked.len() - open.len()]);
    let inner = open.strip_prefix('"')?;
    let length = inner.find(&end).unwrap_or(inner.len());
    Some((&inner[..length], (rest.len() - inner.len() + length + end.len()).min(rest.len())))
}

/// Length of a comment that may hold others: `/* a /* b */ c */`.
fn comment_length(rest: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    let bytes = rest.as_bytes();
    while let Some(two) = bytes.get(at..at + 2) {
        match two {
            b"/*" => depth += 1,
            b"*/" => depth -= 1,
            _ => {
                at += 1;
                continue;
            }
        }
        at += 2;
        if depth == 0 {
            return at;
        }
    }
    rest.len()
}

/// Length of a quoted text with its quotes.
fn quoted_length(rest: &str) -> usize {
    let mut escaped = false;
    for (offset, character) in rest.char_indices().skip(1) {
        match character {
            '\\' if !escaped => escaped = true,
            '"' if !escaped => return offset + 1,
            _ => escaped = false,
        }
    }
    rest.len()
}

struct Cursor<'a> {
    tokens: &'a [(usize, Token<'a>)],
    /// The first token of the present value.
    at: usize,
}

impl Cursor<'_> {
    fn offset(&self) -> Option<usize> {
        self.tokens.get(self.at).map(|(offset, _)| *offset)
    }

    fn token(&self, at: usize) -> Option<Token<'_>> {
        self.tokens.get(at).map(|(_, token)| *token)
    }

    /// Steps into the present value; the offset of what was entered, or nothing when it is not written there.
    fn enter(&mut self, segment: &Segment) -> Option<usize> {
        match segment {
            Segment::Variant(name) => self.enter_variant(name),
            Segment::Key(name) => self.enter_entry(|key, _| key == Some(name.as_str()), None),
            Segment::Index(index) => self.enter_entry(|_, position| position == *index, Some(b'[')),
        }
    }

    /// `Name(…)`: the content of the brackets becomes the present value; a bare name has none.
    fn enter_variant(&mut self, name: &str) -> Option<usize> {
        let at = if matches!(self.token(self.at), Some(Token::Open(b'('))) { self.at + 1 } else { self.at };
        (self.token(at) == Some(Token::Word(name))).then_some(())?;
        self.at = at + 1;
        self.tokens.get(at).map(|(offset, _)| *offset)
    }

    fn enter_entry(
        &mut self,
        wanted: impl Fn(Option<&str>, usize) -> bool,
        bracket: Option<u8>,
    ) -> Option<usize> {
        let mut at = self.at;
        while matches!(self.token(at), Some(Token::Word(_))) {
            at += 1;
        }
        // A list that a variant carries, as in `Only(["fc1"])`, is in the brackets of the variant.
        if self.token(at) == Some(Token::Open(b'('))
            && bracket.is_some_and(|b| self.token(at + 1) == Some(Token::Open(b)))
        {
            at += 1;
        }
        matches!(self.token(at), Some(Token::Open(_))).then_some(())?;
        at += 1;
        let mut position = 0;
        while let Some(token) = self.token(at) {
            if token == Token::Close {
                return None;
            }
            let key = match (token, self.token(at + 1)) {
                (Token::Word(key) | Token::Text(key), Some(Token::Colon)) => Some(key),
                _ => None,
            };
            if wanted(key, position) {
                let entry = self.tokens[at].0;
                self.at = if key.is_some() { at + 2 } else { at };
                return Some(entry);
            }
            at = self.after_entry(at);
            position += 1;
        }
        None
    }

    /// The token after the comma that ends the entry at `at`, or the closing bracket.
    fn after_entry(&self, mut at: usize) -> usize {
        let mut depth = 0usize;
        while let Some(token) = self.token(at) {
            match token {
                Token::Open(_) => depth += 1,
                Token::Close if depth == 0 => return at,
                Token::Close => depth -= 1,
                Token::Comma if depth == 0 => return at + 1,
                _ => {}
            }
            at += 1;
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "// a comment (with brackets\nExperiment(\n    name: \"a, (b\",\n    arms: [\n        (name: \"x\", plan: [Train(\"5ep\"), Do(Prune(amount: Fraction(2.0)))]),\n    ],\n    set: { \"train.batch\": 8 },\n)\n";

    fn place(segments: &[Segment]) -> Place {
        Place(segments.to_vec())
    }

    fn key(name: &str) -> Segment {
        Segment::Key(name.to_owned())
    }

    fn variant(name: &str) -> Segment {
        Segment::Variant(name.to_owned())
    }

    #[test]
    fn a_setting_is_found_through_lists_and_variants() {
        let prune = [
            key("arms"),
            Segment::Index(0),
            key("plan"),
            Segment::Index(1),
            variant("Do"),
            variant("Prune"),
            key("amount"),
        ];
        assert_eq!(locate(FILE, &place(&prune)), (5, 51));
        assert_eq!(locate(FILE, &place(&[key("set"), key("train.batch")])), (7, 12));
    }

    proptest::proptest! {
        #[test]
        fn any_text_comes_to_an_end(text in ".{0,200}") {
            let (line, column) = locate(&text, &place(&[key("arms"), Segment::Index(0), variant("Do"), key("x")]));
            proptest::prop_assert!(line >= 1 && column >= 1);
            written(&text);
        }
    }

    #[test]
    fn what_is_written_is_known_by_its_brackets() {
        let arm = &written(FILE).entries[1].1.entries[0].1;
        let keys: Vec<_> = arm.entries.iter().filter_map(|(key, _)| key.as_deref()).collect();
        assert_eq!(keys, ["name", "plan"]);
        let prune = &arm.entries[1].1.entries[1].1.entries[0].1;
        assert_eq!((prune.name.as_deref(), prune.entries[0].0.as_deref()), (Some("Prune"), Some("amount")));
    }

    #[test]
    fn raw_texts_end_at_their_own_quotes_and_comments_hold_comments() {
        let text = r###"(name: r"C:\", /* a /* b */ (c */ data: br##"x"#(y"##, seeds: [1])"###;
        assert_eq!(locate(text, &place(&[key("data")])), (1, 35));
        assert_eq!(locate(text, &place(&[key("seeds"), Segment::Index(0)])), (1, 64));
        assert!(has_comments(text) && !has_comments(r##"(name: r#"a "// b" /* c"#, key: "\"//")"##));
        assert!(has_comments(
            r#"(name: r"C:\", // why
            seeds: [1])"#
        ));
        assert!(has_comments("(seeds: [1// one\n])") && !has_comments("(a: r\"/*"));
    }

    #[test]
    fn unusual_white_space_is_passed_over() {
        assert_eq!(locate("(\u{b}\u{2028}name: 1)", &place(&[key("name")])), (1, 4));
    }

    #[test]
    fn what_is_not_written_is_found_at_what_encloses_it() {
        assert_eq!(locate(FILE, &place(&[key("train"), key("batch")])), (2, 1));
        assert_eq!(locate(FILE, &place(&[key("arms"), Segment::Index(0), key("sweep")])), (5, 9));
    }
}

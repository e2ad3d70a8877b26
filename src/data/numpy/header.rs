//! The header of a `.npy` file: a literal of Python's that says type, order and shape. A strict parser of that literal
//! and nothing else, for versions 1 to 3 of the format (`numpy.lib.format`).

use std::io::{self, Read};

/// The longest header: a shape has few numbers.
const LONGEST: usize = 1 << 16;
const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// What a file holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub kind: Kind,
    /// Bytes of a number.
    pub size: usize,
    pub is_big_endian: bool,
    /// Whether the first index runs fastest.
    pub is_fortran: bool,
    pub shape: Vec<usize>,
    /// Bytes before the numbers.
    pub len: u64,
    /// The literal.
    pub text: String,
}

/// Kinds of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Bool,
    Unsigned,
    Signed,
    Float,
}

impl Header {
    /// Reads the header of a file.
    ///
    /// # Errors
    /// What was expected and what was found.
    pub fn read(file: &mut impl Read) -> Result<Self, Wrong> {
        let mut head = [0; 8];
        read_exact(file, &mut head)?;
        let [magic @ .., major, _minor] = head;
        if magic != *MAGIC {
            return Err(wrong("a NumPy array (.npy)", "another file"));
        }
        let (len, before) = match major {
            1 => {
                let mut len = [0; 2];
                read_exact(file, &mut len)?;
                (usize::from(u16::from_le_bytes(len)), 10)
            }
            2 | 3 => {
                let mut len = [0; 4];
                read_exact(file, &mut len)?;
                (u32::from_le_bytes(len) as usize, 12)
            }
            _ => return Err(wrong("version 1, 2 or 3 of the format", format!("version {major}"))),
        };
        if len > LONGEST {
            return Err(wrong("a header of at most 65,536 bytes", format!("one of {len}")));
        }
        let mut bytes = vec![0; len];
        read_exact(file, &mut bytes)?;
        let text = String::from_utf8(bytes).map_err(|_| wrong("a header in UTF-8", "other bytes"))?;
        let header = Parser { rest: text.trim_end() }.header();
        let mut header = header
            .ok_or_else(|| wrong("a header with descr, fortran_order and shape", text.trim_end()))??;
        header.len = (before + len) as u64;
        header.text = text;
        Ok(header)
    }

    /// Whether there are numbers that single precision may round.
    pub const fn is_wide(&self) -> bool {
        match self.kind {
            Kind::Bool => false,
            Kind::Unsigned | Kind::Signed => self.size >= 4,
            Kind::Float => self.size == 8,
        }
    }

    /// Whether there are bytes, which are divided by 255.
    pub const fn is_bytes(&self) -> bool {
        matches!(self.kind, Kind::Unsigned) && self.size == 1
    }

    /// How many numbers there are, if they can be counted: every product of sizes and its bytes fit a `usize`, also where
    /// one of the sizes is 0.
    pub fn count(&self) -> Option<usize> {
        let sizes = || self.shape.iter().copied();
        let product = sizes().filter(|size| *size > 0).try_fold(self.size, usize::checked_mul)?;
        Some(if sizes().any(|size| size == 0) { 0 } else { product / self.size })
    }
}

/// What was expected, and what was found.
#[derive(Debug)]
pub(super) struct Wrong {
    pub expected: String,
    pub found: String,
}

pub(super) fn wrong(expected: impl Into<String>, found: impl Into<String>) -> Wrong {
    let found: String = found.into();
    Wrong { expected: expected.into(), found: found.chars().take(120).collect() }
}

pub(super) fn read_exact(file: &mut impl Read, bytes: &mut [u8]) -> Result<(), Wrong> {
    file.read_exact(bytes).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => wrong("a whole array", "an end in the middle of it"),
        _ => wrong("an array that can be read", error.to_string()),
    })
}

/// That nothing follows. An archive compares its checksum only here, at the end of a file.
pub(super) fn read_end(file: &mut impl Read) -> Result<(), Wrong> {
    match file.by_ref().take(1).read_to_end(&mut Vec::new()) {
        Ok(0) => Ok(()),
        Ok(_) => Err(wrong("an end after the last number", "more bytes")),
        Err(error) => Err(wrong("an array that can be read", format!("damaged bytes ({error})"))),
    }
}

struct Parser<'a> {
    rest: &'a str,
}

impl<'a> Parser<'a> {
    /// The literal; nothing where it is not written as NumPy writes it.
    fn header(mut self) -> Option<Result<Header, Wrong>> {
        let (mut descr, mut order, mut shape) = (None, None, None);
        self.sign('{')?;
        while !self.is_next('}') {
            match self.text()? {
                "descr" if descr.is_none() => {
                    self.sign(':')?;
                    if !self.is_next('\'') && !self.is_next('"') {
                        return Some(Err(wrong("an array of plain numbers", "one of records")));
                    }
                    descr = Some(self.text()?);
                }
                "fortran_order" if order.is_none() => {
                    self.sign(':')?;
                    order = Some(self.truth()?);
                }
                "shape" if shape.is_none() => {
                    self.sign(':')?;
                    shape = Some(self.shape()?);
                }
                _ => return None,
            }
            if !self.is_next('}') {
                self.sign(',')?;
            }
        }
        self.sign('}')?;
        if !self.rest.trim_start().is_empty() {
            return None;
        }
        let (descr, is_fortran, shape) = (descr?, order?, shape?);
        Some(kind_of(descr).map(|(kind, size, is_big_endian)| Header {
            kind,
            size,
            is_big_endian,
            is_fortran,
            shape,
            len: 0,
            text: String::new(),
        }))
    }

    fn is_next(&mut self, sign: char) -> bool {
        self.rest = self.rest.trim_start();
        self.rest.starts_with(sign)
    }

    fn sign(&mut self, sign: char) -> Option<()> {
        self.rest = self.rest.trim_start().strip_prefix(sign)?;
        Some(())
    }

    /// A text in quotes, without escapes.
    fn text(&mut self) -> Option<&'a str> {
        let rest = self.rest.trim_start();
        let quote = rest.chars().next().filter(|sign| matches!(sign, '\'' | '"'))?;
        let (text, rest) = rest[1..].split_once(quote)?;
        self.rest = rest;
        (!text.contains('\\')).then_some(text)
    }

    fn truth(&mut self) -> Option<bool> {
        let rest = self.rest.trim_start();
        for (word, truth) in [("True", true), ("False", false)] {
            if let Some(rest) = rest.strip_prefix(word) {
                self.rest = rest;
                return Some(truth);
            }
        }
        None
    }

    /// `()`, `(3,)` or `(3, 4)`.
    fn shape(&mut self) -> Option<Vec<usize>> {
        self.sign('(')?;
        let (inside, rest) = self.rest.split_once(')')?;
        self.rest = rest;
        let inside = inside.trim();
        if inside.is_empty() {
            return Some(Vec::new());
        }
        let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        // Python 2 wrote long numbers as 40L.
        let digits = |text: &'a str| text.trim().strip_suffix('L').unwrap_or(text.trim());
        let size = |text: &'a str| Some(digits(text)).filter(|text| is_digits(text))?.parse().ok();
        inside.strip_suffix(',').unwrap_or(inside).split(',').map(size).collect()
    }
}

/// `<f4`: byte order, kind, bytes.
fn kind_of(descr: &str) -> Result<(Kind, usize, bool), Wrong> {
    let refused =
        || wrong("an array of numbers (u1 to u8, i1 to i8, f2, f4, f8 or b1)", format!("one of \"{descr}\""));
    let mut signs = descr.chars();
    let order = signs.next().ok_or_else(refused)?;
    let (kind, size) = match signs.as_str() {
        "b1" => (Kind::Bool, 1),
        "u1" => (Kind::Unsigned, 1),
        "u2" => (Kind::Unsigned, 2),
        "u4" => (Kind::Unsigned, 4),
        "u8" => (Kind::Unsigned, 8),
        "i1" => (Kind::Signed, 1),
        "i2" => (Kind::Signed, 2),
        "i4" => (Kind::Signed, 4),
        "i8" => (Kind::Signed, 8),
        "f2" => (Kind::Float, 2),
        "f4" => (Kind::Float, 4),
        "f8" => (Kind::Float, 8),
        _ => return Err(refused()),
    };
    match order {
        '|' if size == 1 => Ok((kind, size, false)),
        '<' => Ok((kind, size, false)),
        '>' => Ok((kind, size, true)),
        '=' => Ok((kind, size, cfg!(target_endian = "big"))),
        _ => Err(refused()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Header, Wrong> {
        let len = u16::try_from(text.len()).unwrap().to_le_bytes();
        let file = [&MAGIC[..], &[1, 0], &len, text.as_bytes()].concat();
        Header::read(&mut file.as_slice())
    }

    #[test]
    fn what_numpy_writes_is_read() {
        let header =
            parse("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }          \n").unwrap();
        assert_eq!((header.kind, header.size, header.is_big_endian), (Kind::Float, 4, false));
        assert_eq!((header.shape, header.is_fortran), (vec![3, 4], false));
        let header = parse("{'descr': '<f8', 'fortran_order': False, 'shape': (40L, 5L), }").unwrap();
        assert_eq!(header.shape, [40, 5], "as Python 2 wrote it");
        let header = parse("{\"shape\": (3,), \"fortran_order\": True, \"descr\": \">i2\"}").unwrap();
        assert_eq!((header.kind, header.size, header.is_big_endian), (Kind::Signed, 2, true));
        assert_eq!((header.shape, header.is_fortran), (vec![3], true));
        assert_eq!(
            parse("{'descr': '|b1', 'fortran_order': False, 'shape': ()}").unwrap().shape,
            Vec::<usize>::new()
        );
    }

    #[test]
    fn anything_else_is_refused() {
        for (descr, order, shape) in [
            ("'<c8'", "False", "(1,)"),
            ("'|f4'", "False", "(1,)"),
            ("[('a', '<f4')]", "False", "(1,)"),
            ("'<f4'", "1", "(1,)"),
            ("'<f4'", "False", "(-1,)"),
            ("'<f4'", "False", "(1LL,)"),
            ("'<f4'", "False", "(L,)"),
            ("'<f4'", "False", "(99999999999999999999999,)"),
            ("'<f4'", "False", "[1]"),
            ("'<f4'", "False", "(1,), 'more': 1"),
            ("'<O8'", "False", "(1,)"),
        ] {
            let text = format!("{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}}}");
            assert!(parse(&text).is_err(), "{text}");
        }
        assert!(parse("{'descr': '<f4'}").is_err() && parse("").is_err());
        assert!(parse("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} + 1").is_err());
        let huge =
            parse("{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904, 2)}").unwrap();
        assert_eq!(huge.count(), None);
        let empty = "(0, 4294967296, 4294967296, 4294967296)";
        let empty = parse(&format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {empty}}}")).unwrap();
        assert_eq!(empty.count(), None, "what would overflow without its 0 is refused");
    }
}

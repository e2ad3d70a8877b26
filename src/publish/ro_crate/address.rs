//! Paths as addresses.

use std::fmt::Write;

/// A relative path as `@id`: signs other than those that RFC 3986 (section 2.3) does not reserve are percent-encoded.
pub fn id_of(path: &str) -> String {
    let mut id = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            id.push(char::from(byte));
        } else {
            write!(id, "%{byte:02X}").expect("a string can be written to");
        }
    }
    id
}

/// The path of an `@id` in this crate, if it is one that stays inside; the inverse of [`id_of`].
pub fn path_of(id: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(id.len());
    let mut rest = id.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(if byte == b'%' {
            let digits = [rest.next()?, rest.next()?];
            u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
        } else {
            byte
        });
    }
    let path = String::from_utf8(bytes).ok()?;
    let is_plain = |part: &str| !matches!(part, "" | "." | "..") && !part.contains(['\\', ':']);
    path.split('/').all(is_plain).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_name_of_a_file_comes_back() {
        for path in ["first.runs/ab12/run.ron", "zwei Wörter.ron", "100%25.csv", "a#b?c.ron"] {
            let id = id_of(path);
            assert!(id.is_ascii() && !id.contains([' ', '#', '?']), "{id}");
            assert_eq!(path_of(&id).as_deref(), Some(path));
        }
        assert_eq!(id_of("a b.ron"), "a%20b.ron");
    }

    #[test]
    fn no_address_leads_out_of_the_crate() {
        for id in
            ["../x", "a/../../x", "/etc/passwd", "%2e%2e/x", "C:/x", "a\\b", "https://a/b", "", "a%2", "%zz"]
        {
            assert_eq!(path_of(id), None, "{id}");
        }
    }
}

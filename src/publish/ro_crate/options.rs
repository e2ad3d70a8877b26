//! What somebody says of a crate: who made it, and what others may do with it.

use serde_json::{Value, json};

use crate::PublishError;

/// Licence and authors of a crate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CrateOptions {
    /// What others may do with it.
    pub licence: Option<Licence>,
    /// Who made it.
    pub authors: Vec<Author>,
}

/// A licence: an identifier of the SPDX list, or an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Licence {
    address: String,
    name: String,
}

/// A person, with an ORCID where there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Author {
    name: String,
    orcid: Option<String>,
}

impl Licence {
    /// Reads `CC-BY-4.0` or `https://…`.
    ///
    /// # Errors
    /// What is neither.
    pub fn parse(text: &str) -> Result<Self, PublishError> {
        let text = text.trim();
        if text.starts_with("https://") || text.starts_with("http://") {
            let is_address = text.chars().all(|c| c.is_ascii_graphic() && !"<>\"{}|\\^`".contains(c));
            if is_address {
                return Ok(Self { address: text.to_owned(), name: text.to_owned() });
            }
        } else if !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || ".-+".contains(c)) {
            return Ok(Self { address: format!("https://spdx.org/licenses/{text}"), name: text.to_owned() });
        }
        let message = format!(
            "\"{text}\" is no licence; write an identifier of https://spdx.org/licenses, such as CC-BY-4.0, or an address"
        );
        Err(PublishError::Option(message))
    }

    /// Makes the entity of a licence, or of the fact that there is none (RO-Crate 1.2, "Licensing, access control and copyright").
    pub(super) fn entity(own: Option<&Self>) -> Value {
        match own {
            Some(Self { address, name }) => json!({
                "@id": address,
                "@type": "CreativeWork",
                "name": name,
                "description": format!("The licence {name}; its text is at {address}"),
            }),
            None => json!({
                "@id": "#no-licence",
                "@type": "CreativeWork",
                "name": "No licence",
                "description": "The authors have named no licence: ask them before you use this in more than reading it.",
            }),
        }
    }
}

impl Author {
    /// Reads `Ada Lovelace` or `Ada Lovelace <0000-0002-1825-0097>`, the ORCID also as an address.
    ///
    /// # Errors
    /// What has no name, or is no ORCID.
    pub fn parse(text: &str) -> Result<Self, PublishError> {
        let wrong = |why: &str| {
            let message = format!("\"{text}\": {why}; write \"Name\" or \"Name <0000-0002-1825-0097>\"");
            PublishError::Option(message)
        };
        let (name, orcid) = match text.split_once('<') {
            Some((name, rest)) => {
                let inner = rest.trim().strip_suffix('>').ok_or_else(|| wrong("the > is missing"))?;
                let bare = inner.trim().trim_start_matches("https://").trim_start_matches("http://");
                let bare = bare.trim_start_matches("orcid.org/").trim_end_matches('/');
                (name, Some(checked(bare).ok_or_else(|| wrong("that is no ORCID"))?))
            }
            None => (text, None),
        };
        let name = name.trim();
        if name.is_empty() {
            return Err(wrong("the name is missing"));
        }
        Ok(Self { name: name.to_owned(), orcid })
    }

    /// Makes the entity of a person (RO-Crate 1.2, "People"); `number` counts the authors, from 1.
    pub(super) fn entity(&self, number: usize) -> Value {
        let id = match &self.orcid {
            Some(orcid) => format!("https://orcid.org/{orcid}"),
            None => format!("#author-{number}"),
        };
        json!({ "@id": id, "@type": "Person", "name": self.name })
    }
}

/// Checks an ORCID, whose last digit is right: ISO 7064, MOD 11-2, as <https://support.orcid.org> describes it.
fn checked(orcid: &str) -> Option<String> {
    let orcid = orcid.to_uppercase();
    let groups: Vec<&str> = orcid.split('-').collect();
    if groups.len() != 4 || groups.iter().any(|group| group.len() != 4 || !group.is_ascii()) {
        return None;
    }
    let digits: String = groups.concat();
    let (body, last) = digits.split_at(15);
    let mut sum = 0;
    for digit in body.chars() {
        sum = (sum + digit.to_digit(10)?) * 2 % 11;
    }
    let wanted = match (12 - sum) % 11 {
        10 => "X".to_owned(),
        digit => digit.to_string(),
    };
    (last == wanted).then_some(orcid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_licence_is_an_identifier_or_an_address() {
        let address = |text: &str| Licence::parse(text).map(|licence| licence.address);
        assert_eq!(address("CC-BY-4.0").unwrap(), "https://spdx.org/licenses/CC-BY-4.0");
        assert_eq!(address(" https://example.org/licence ").unwrap(), "https://example.org/licence");
        for text in ["", "MIT OR Apache-2.0", "https://a b", "all rights"] {
            let refusal = address(text).unwrap_err().to_string();
            assert!(refusal.contains("is no licence; write"), "{refusal}");
        }
        assert_eq!(Licence::entity(None)["@id"], "#no-licence");
    }

    /// The ORCID of the documentation's example, and one that ends with an X.
    #[test]
    fn an_author_may_have_an_orcid_whose_last_digit_is_checked() {
        let id = |text: &str| Author::parse(text).map(|author| author.entity(2)["@id"].clone());
        assert_eq!(id("Ada Lovelace").unwrap(), "#author-2");
        for orcid in ["0000-0002-1825-0097", "https://orcid.org/0000-0002-1825-0097", "0000-0002-1694-233x"] {
            let found = id(&format!("Ada Lovelace <{orcid}>")).unwrap();
            assert!(found.as_str().unwrap().starts_with("https://orcid.org/0000-0002-1"), "{found}");
        }
        for text in ["", "<0000-0002-1825-0097>", "A <0000-0002-1825-0098>", "A <ada@example.org>", "A <0"] {
            assert!(matches!(id(text), Err(PublishError::Option(_))), "{text}");
        }
        assert_eq!(Author::parse("A B").unwrap().entity(1)["name"], "A B");
    }
}

//! Programs and machines as entities.

use serde_json::{Value, json};

use super::reference;
use crate::ro_crate::README;

/// The programs and machines that occur in a crate, each once, in the order of their first use.
#[derive(Debug, Default)]
pub struct Software {
    programs: Vec<String>,
    machines: Vec<String>,
}

impl Software {
    /// A reference to a program: "weightlab 0.1.0 (0123456789ab)".
    pub fn program(&mut self, program: &str) -> Value {
        reference(&id("program", place(&mut self.programs, program)))
    }

    /// A reference to a machine.
    pub fn machine(&mut self, machine: &str) -> Value {
        reference(&id("machine", place(&mut self.machines, machine)))
    }

    /// The entities (RO-Crate 1.2, "Software used to create files"; machines as environments of Process Run Crate 0.5).
    pub fn entities(self) -> Vec<Value> {
        let programs = self.programs.iter().enumerate().map(|(at, program)| {
            let version = program.split_once(' ').map_or(program.as_str(), |(_, version)| version);
            json!({
                "@id": id("program", at),
                "@type": "SoftwareApplication",
                "name": "Weightlab",
                "description": "Runs experiments on the weights of neural networks",
                "version": version,
                // It has no address of its own on the web; the page says how to read its files.
                "url": reference(README),
            })
        });
        let machines = self.machines.iter().enumerate().map(|(at, machine)| {
            json!({
                "@id": id("machine", at),
                "@type": "PropertyValue",
                "name": "Machine",
                "description": "System and processor that computed runs: on the same kind, they give the same bits",
                "value": machine,
            })
        });
        programs.chain(machines).collect()
    }
}

fn place(known: &mut Vec<String>, text: &str) -> usize {
    known.iter().position(|own| own == text).unwrap_or_else(|| {
        known.push(text.to_owned());
        known.len() - 1
    })
}

fn id(kind: &str, at: usize) -> String {
    format!("#{kind}-{}", at + 1)
}

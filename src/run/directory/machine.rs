//! What computes a run, for its `run.ron`: results are the same bits on the same kind of processor. No name of a host or of
//! a person is in it, since results are handed on.

use std::sync::OnceLock;

use crate::net::vectors;

/// The program with its version, and the commit of a release build: "weightlab 0.1.0 (0123456789ab)".
pub fn program_version() -> String {
    let version = concat!("weightlab ", env!("CARGO_PKG_VERSION"));
    match env!("WEIGHTLAB_COMMIT") {
        "" => version.to_owned(),
        commit => format!("{version} ({commit})"),
    }
}

/// The machine: "linux x86_64, AVX-512, Intel(R) Xeon(R) Platinum 8481C".
pub fn machine() -> &'static str {
    static MACHINE: OnceLock<String> = OnceLock::new();
    MACHINE.get_or_init(|| {
        let (system, processor) = (std::env::consts::OS, std::env::consts::ARCH);
        let about = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = model_of(&about).map(|model| format!(", {model}")).unwrap_or_default();
        format!("{system} {processor}, {}{model}", vectors())
    })
}

/// The first processor of Linux's `/proc/cpuinfo`; other systems, and Linux on ARM, do not tell.
fn model_of(about: &str) -> Option<&str> {
    let lines = about.lines().filter_map(|line| line.split_once(':'));
    let model = lines.filter(|(key, _)| key.trim() == "model name").map(|(_, model)| model.trim());
    model.into_iter().find(|model| !model.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_is_told_by_system_processor_and_model() {
        assert!(machine().starts_with(std::env::consts::OS) && machine().contains(vectors()));
        assert!(program_version().starts_with("weightlab 0."));
        assert_eq!(model_of("processor\t: 0\nmodel name\t: A (R) 1\nmodel name\t: B\n"), Some("A (R) 1"));
        assert_eq!(model_of("processor\t: 0\nCPU part\t: 0xd0c\n"), None);
    }
}

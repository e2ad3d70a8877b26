//! What computes, and what a build and a device promise.

form::choice! {
    /// What computes.
    pub enum Device: "Device", unless Device::refusal {
        #[serde(alias = "Flex")]
        Cpu, "cpu", "The CPU, with Weightlab's kernels";
        Ndarray, "ndarray", "The CPU, with Burn's ndarray backend: an independent reference, slow for convolutions";
        Cuda, "cuda", "An NVIDIA GPU, with Burn's kernels. Needs a build with the feature cuda; bits may differ from \
            run to run";
        Wgpu, "wgpu", "A GPU of any make through Vulkan, Metal or DirectX 12, with Burn's kernels. Needs a build \
            with the feature wgpu; bits may differ from run to run";
    }
}

impl Device {
    /// The Cargo feature that a build needs for it; none where every build has it.
    pub const fn feature(&self) -> Option<&'static str> {
        match self {
            Self::Cpu | Self::Ndarray => None,
            Self::Cuda => Some("cuda"),
            Self::Wgpu => Some("wgpu"),
        }
    }

    /// Whether this build has it.
    pub const fn is_built(&self) -> bool {
        match self {
            Self::Cpu | Self::Ndarray => true,
            Self::Cuda => cfg!(feature = "cuda"),
            Self::Wgpu => cfg!(feature = "wgpu"),
        }
    }

    /// Why it cannot be chosen in this build, and what to do.
    pub fn refusal(&self) -> Option<String> {
        let feature = self.feature().filter(|_| !self.is_built())?;
        Some(format!(
            "this build has no device {}; choose {}, or build Weightlab with cargo build --release --features {feature}",
            self.key(),
            Self::Cpu.key()
        ))
    }

    /// What it does not promise, for those who choose it; nothing where equal settings give equal bits.
    pub fn caution(&self) -> Option<String> {
        self.feature()?;
        Some(format!(
            "{} computes in float32 with its driver's order of sums: another GPU, driver or run may give other last \
                bits, and so other results after long training; Cpu gives the same bits each time",
            self.key()
        ))
    }

    /// What computed, for the methods of a paper; nothing for the processor.
    pub const fn sentence(&self) -> Option<&'static str> {
        match self {
            Self::Cpu | Self::Ndarray => None,
            Self::Cuda => Some(
                "Networks were computed on a GPU by Burn with CUDA; optimizers and masks ran on the host. Bits were \
                    not reproducible there.",
            ),
            Self::Wgpu => Some(
                "Networks were computed on a GPU by Burn with wgpu; optimizers and masks ran on the host. Bits were \
                    not reproducible there.",
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::file::parse;
    use crate::{Problem, Severity, validate};

    #[test]
    fn a_file_for_another_build_is_read_and_says_which_build_has_its_device() {
        for device in Device::all() {
            let text = format!("(device: {}, arms: [(plan: [Test])])", device.key());
            let experiment = parse(&text, Path::new("a.ron")).unwrap();
            assert_eq!(experiment.device, device);
            let problems = validate(&experiment);
            let at = |severity| {
                let of = problems.iter().filter(|problem| problem.severity == severity);
                of.map(Problem::to_string).collect::<Vec<_>>()
            };
            let errors = at(Severity::Error);
            match device.refusal() {
                Some(refusal) => {
                    let feature = device.feature().unwrap();
                    assert!(refusal.ends_with(&format!("--features {feature}")), "{refusal}");
                    assert!(errors[0].contains(&refusal) && errors[0].contains("Device"), "{errors:?}");
                }
                None => assert_eq!(errors, Vec::<String>::new()),
            }
            let cautions = at(Severity::Note);
            assert_eq!(cautions.len(), usize::from(device.feature().is_some()), "{cautions:?}");
            assert_eq!(device.sentence().is_some(), device.feature().is_some());
        }
    }
}

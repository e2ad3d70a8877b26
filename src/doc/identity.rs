//! What identities of runs are made of.

use sha2::{Digest, Sha256};

use super::device::Device;
use super::inputs::Inputs;
use super::spec::RunSpec;
use super::stage::Stage;
use super::training::Kernels;
use data::Data;
use form::Stored;

/// 16 hexadecimal digits of the SHA-256 of a text.
pub(super) fn identity(text: &str) -> String {
    form::number::hexadecimal(&Sha256::digest(text)[..8])
}

/// The text of settings that the identity of a run is made of: as earlier versions wrote them, defaults left out.
///
/// To leave the kernels out has meant exact training since before there was a default that is faster: results of that time
/// must not pass for those of fast kernels, and stay those of every run whose bits the kernels do not change.
pub(super) fn text(spec: &RunSpec) -> String {
    let mut own = RunSpec { data: spec.data.without_place(), inputs: Inputs::default(), ..spec.clone() };
    identify(&mut own.plan, &|| spec.structure().is_ok_and(|structure| structure.has_batch_norm()));
    if spec.has_fast_convolutions() {
        own.train.kernels = Kernels::Exact; // written, since it is no default
        return own.to_ron().replacen(EXACT, WINOGRAD, 1);
    }
    if spec.device == Device::Cpu && spec.train.kernels == Kernels::Burn {
        own.device = Device::Ndarray; // the same computation, and not that of Burn's flex backend in earlier versions
    }
    own.train.kernels = Kernels::Fast; // other devices take Burn's in any case
    own.to_ron()
}

/// How the kernels are written that are no default, and how earlier versions wrote the fast ones.
const EXACT: &str = "kernels: Exact";
const WINOGRAD: &str = "kernels: Winograd";

/// Makes a plan the one that identities are made of: without the places of other data in its branches, and with lines
/// between networks with batch norm as [`in_identities`](super::stage::LineStatistics::in_identities) has them.
fn identify(plan: &mut [Stage], has_batch_norm: &dyn Fn() -> bool) {
    for stage in plan {
        if let Stage::Branch(branch) = stage {
            branch.data = branch.data.as_ref().map(Data::without_place);
        }
        if let Stage::Connect(connect) = stage
            && has_batch_norm()
        {
            connect.statistics = connect.statistics.in_identities();
        }
        if let Some(nested) = stage.nested_mut() {
            identify(nested, has_batch_norm);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use form::ron_text;

    fn id(net: &str, more: &str, train: &str) -> String {
        let spec = format!("(data: Digits(), net: {net}, train: ({train}), plan: [Train(\"1ep\")]{more})");
        ron_text::from_str::<RunSpec>(&spec).unwrap().id()
    }

    #[test]
    fn results_of_fast_and_of_exact_training_stay_apart_and_are_found_again() {
        let vgg = |train: &str| id("Vgg(depth: 11, width: 32)", "", train);
        // Pinned with the version before, in which exact training was the default.
        let (exact, fast) = ("1f72971f29636c69", "752c3cb829255f5e");
        assert_eq!([vgg("kernels: Exact"), vgg("kernels: Direct")], [exact, exact]);
        assert_eq!([vgg(""), vgg("kernels: Fast"), vgg("kernels: Winograd")], [fast, fast, fast]);
    }

    #[test]
    fn kernels_that_change_no_bit_change_no_identity() {
        for (net, more) in [
            ("Mlp()", ""),
            ("LeNet5()", ""),
            ("Vgg(depth: 11, width: 2)", ""),
            ("Vgg(depth: 11)", ", device: Ndarray"),
        ] {
            let of = |train: &str| id(net, more, train);
            assert_eq!(of("kernels: Fast"), of("kernels: Exact"), "{net}");
        }
        let of = |more: &str, kernels: &str| id("Vgg(depth: 11)", more, &format!("kernels: {kernels}"));
        assert_ne!(of("", "Exact"), of("", "Burn"));
        assert_eq!(of("", "Burn"), of(", device: Ndarray", "Fast"));
        assert_eq!(of(", device: Flex", "Fast"), of("", "Fast"));
    }
}

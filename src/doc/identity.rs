//! What identities of runs are made of.

use sha2::{Digest, Sha256};

use super::stage::Stage;
use crate::data::Data;

/// 16 hexadecimal digits of the SHA-256 of a text.
pub(super) fn identity(text: &str) -> String {
    crate::form::number::hexadecimal(&Sha256::digest(text)[..8])
}

/// Makes a plan the one that identities are made of: without the places of other data in its branches, and with lines
/// between networks with batch norm as [`in_identities`](super::stage::LineStatistics::in_identities) has them.
pub(super) fn identify(plan: &mut [Stage], has_batch_norm: &dyn Fn() -> bool) {
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

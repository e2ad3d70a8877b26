//! New initial weights under the same mask.

use crate::error::RunError;
use crate::session::{Session, report};
use crate::state::Position;
use doc::intervention::{Params, Reinitialize};
use doc::targets;
use form::number::grouped;
use net::Written;

/// Draws new values for the target from a stream of this stage; a whole network starts its training over.
pub fn reinitialize(session: &mut Session, reinitialize: &Reinitialize) -> Result<(), RunError> {
    let structure = session.context.structure.clone();
    let chosen = targets::parameters(&structure, &reinitialize.target, &Params::Everything);
    let (seed, generation) = (session.context.spec.seed, session.number() + 1);
    let state = session.state_mut();
    let mut total = Written::default();
    for &index in &chosen {
        let new = state.network.initial_values(index, seed, generation);
        let parameter = &structure.parameters[index];
        let inside = |entry: usize| targets::has_entry(&reinitialize.target, parameter, entry);
        total += state.network.write_inside(index, &new, &inside);
    }
    if targets::is_whole(&structure, &reinitialize.target) {
        state.position = Position::default();
        state.restart_optimizer();
    }
    let [taken, dropped] = [total.taken, total.dropped].map(|count| grouped(count as u64));
    let summary = format!("drew {taken} new values; {dropped} pruned or frozen weights kept theirs");
    session.report(report("reinitialize", summary))
}

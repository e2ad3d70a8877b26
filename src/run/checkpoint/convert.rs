//! Replaces the networks, arrays and faults of a state by their form in a file, and back.

use crate::past::Watch;
use crate::state::{HandOvers, Member, Snapshot, State};

/// Converts the parts of a state that hold arrays to their form in a file, or back.
pub trait Convert<N, V, F> {
    /// What a network becomes.
    type Network;
    /// What an array of numbers becomes.
    type Values;
    /// What the faults become.
    type Faults;

    /// Converts a network.
    fn network(&mut self, network: &N) -> Result<Self::Network, String>;

    /// Converts an array of numbers.
    fn values(&mut self, values: &V) -> Result<Self::Values, String>;

    /// Converts the faults.
    fn faults(&mut self, faults: &F) -> Result<Self::Faults, String>;

    /// Converts a state, its parts always in the same order.
    ///
    /// # Errors
    /// When a part cannot be converted.
    fn state(
        &mut self,
        state: &State<N, V, F>,
    ) -> Result<State<Self::Network, Self::Values, Self::Faults>, String> {
        let State { network, position, trained, order, optimizer, memory, kept, .. } = state;
        let State { watch, faults, others, share, handovers, began_with, .. } = state;
        Ok(State {
            network: self.network(network)?,
            position: *position,
            trained: *trained,
            order: *order,
            optimizer: optimizer.clone(),
            memory: memory.with_arrays(|values| self.values(values))?,
            kept: kept
                .iter()
                .map(|(name, Snapshot { network, position })| {
                    Ok((name.clone(), Snapshot { network: self.network(network)?, position: *position }))
                })
                .collect::<Result<_, String>>()?,
            watch: watch.as_ref().map(|watch| self.watch(watch)).transpose()?,
            faults: self.faults(faults)?,
            others: others.iter().map(|member| self.member(member)).collect::<Result<_, String>>()?,
            share: share.clone(),
            handovers: HandOvers {
                reference: handovers.reference.as_ref().map(|network| self.network(network)).transpose()?,
                checked: handovers.checked,
                unequal: handovers.unequal,
            },
            began_with: self.networks(began_with)?,
        })
    }

    /// Converts a further member of an ensemble.
    fn member(&mut self, member: &Member<N, V>) -> Result<Member<Self::Network, Self::Values>, String> {
        let Member { network, memory, score } = member;
        let network = self.network(network)?;
        Ok(Member { network, memory: memory.with_arrays(|values| self.values(values))?, score: *score })
    }

    /// Converts the past of a network that is watched.
    fn watch(&mut self, watch: &Watch<N>) -> Result<Watch<Self::Network>, String> {
        let Watch { settings, past, tally, asked, secs } = watch;
        let past = self.networks(past)?;
        Ok(Watch { settings: settings.clone(), past, tally: *tally, asked: *asked, secs: *secs })
    }

    /// Converts networks, one after the other.
    fn networks<'a, R>(&mut self, networks: impl IntoIterator<Item = &'a N>) -> Result<R, String>
    where
        N: 'a,
        R: FromIterator<Self::Network>,
    {
        networks.into_iter().map(|network| self.network(network)).collect()
    }
}

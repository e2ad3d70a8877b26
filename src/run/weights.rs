//! What a run records of its weights at each evaluation, and of its networks after each training.

use super::error::RunError;
use super::session::Session;
use super::tables::Table;
use doc::WeightRecord;
use doc::structure::Role;
use net::{Network, TrainPass};
use results::weights::{Measure, WeightHistogram, WeightStatistics, l2_norm, series};
use results::{Event, Point};

/// The gradients of the last mini-batch, by member; kept only where their norms are recorded.
pub type LastPasses = Vec<Option<TrainPass>>;

impl Session<'_> {
    /// Takes a pass that a member has learned from; `member` counts from 0, the present network.
    pub(crate) fn take_pass(&mut self, member: usize, pass: TrainPass) {
        let mut old = Some(pass);
        if self.context.records_gradients() {
            let passes = &mut self.last_passes;
            passes.resize_with(passes.len().max(member + 1), || None);
            std::mem::swap(&mut passes[member], &mut old);
        }
        if let Some(old) = old {
            self.context.compute.recycle(old);
        }
    }

    /// Emits statistics and histograms of the weights of all members, where the settings ask for them. The gradients are
    /// those of the last mini-batch, so there are none outside of a training.
    pub(crate) fn emit_weights(&mut self) -> Result<(), RunError> {
        let what = self.context.spec.train.record.weights.clone();
        let state = self.state();
        let count = match what {
            WeightRecord::Off => return Ok(()),
            _ => state.members().len(),
        };
        let (mut points, mut lines) = (Vec::new(), String::new());
        for member in 0..count {
            let network = state.members()[member];
            let number = (count > 1).then_some(member + 1);
            let gradients = self.last_passes.get(member).and_then(Option::as_ref);
            for index in recorded(network, &what) {
                let name = &network.structure().parameters[index].name;
                let mut measured = WeightStatistics::of(network.values(index)).measured().to_vec();
                let gradient = gradients.and_then(|pass| pass.gradients.get(index)?.as_ref());
                measured.extend(gradient.map(|gradient| (Measure::GradientNorm, l2_norm(gradient))));
                for (measure, value) in measured {
                    let point = self.new_point(&series(name, measure), value);
                    points.push(Point { member: number, remaining: network.remaining(), ..point });
                }
                if what == WeightRecord::Histograms {
                    lines += &self.histogram(network, index, number).line();
                }
            }
        }
        for point in points {
            self.emit(Event::Point(point))?;
        }
        if lines.is_empty() { Ok(()) } else { self.log(Table::Histograms, &lines) }
    }

    fn histogram(&self, network: &Network, index: usize, member: Option<usize>) -> WeightHistogram {
        let state = self.state();
        WeightHistogram {
            parameter: network.structure().parameters[index].name.clone(),
            member,
            stage: self.stage(),
            branch: self.branch(),
            round: self.round(),
            iteration: state.position.iteration,
            trained: state.trained,
            remaining: network.remaining(),
            ..WeightHistogram::of(network.values(index), network.entries(index))
        }
    }

    /// Keeps the network after a training, where the settings ask for it.
    pub(crate) fn keep_round(&mut self) -> Result<(), RunError> {
        if self.context.spec.train.record.rounds {
            self.keep_network(&files_of_round(self.next))?;
        }
        Ok(())
    }
}

/// Values and masks of the network after the training of this step, in the run's directory.
pub fn files_of_round(step: usize) -> [String; 2] {
    [format!("rounds/step-{step}.safetensors"), format!("rounds/step-{step}.pins.safetensors")]
}

/// The parameters that are recorded.
fn recorded(network: &Network, what: &WeightRecord) -> Vec<usize> {
    let parameters = network.structure().parameters.iter().enumerate();
    let is_recorded = |role: Role| match what {
        WeightRecord::Off => false,
        WeightRecord::Layers | WeightRecord::Histograms => role == Role::Weight,
        WeightRecord::Parameters => role.is_trained(),
    };
    parameters.filter(|(_, parameter)| is_recorded(parameter.role)).map(|(index, _)| index).collect()
}

//! Evaluates networks: counts over a part of the data in evaluation mode, members of an ensemble one by one and together,
//! and what is recorded of the weights.

use std::time::Instant;

use super::error::RunError;
use super::listener::Table;
use super::session::Session;
use super::stop::StopKind;
use super::train::PROGRESS_EVERY;
use data::{DataError, Dataset, Samples};
use doc::WeightRecord;
use doc::structure::Role;
use net::{Answers, Compute, LossFunction, Network, Score, TrainPass, top1};
use results::weights::{Measure, WeightHistogram, WeightStatistics, l2_norm, series};
use results::{Event, Point};

/// Evaluates a network on samples, `batch` at a time. After each batch, `proceed` receives the number of samples so far; where
/// it returns false, the evaluation ends without a result.
pub fn evaluate(
    compute: &dyn Compute,
    network: &Network,
    loss: &LossFunction,
    samples: &Samples,
    batch: usize,
    proceed: &mut dyn FnMut(u64) -> Result<bool, RunError>,
) -> Result<Option<Evaluation>, RunError> {
    let mut tally = Evaluation::new(network.structure().outputs);
    for part in samples.batches(batch) {
        let (inputs, labels) = part?;
        tally.add(loss, &compute.logits(network, &inputs, labels.len()), labels);
        if !proceed(tally.score.samples as u64)? {
            return Ok(None);
        }
    }
    Ok(Some(tally))
}

/// Computes the logits of all samples in evaluation mode, `[samples, outputs]`.
pub fn logits(
    compute: &dyn Compute,
    network: &Network,
    samples: &Samples,
    batch: usize,
) -> Result<Vec<f32>, DataError> {
    let mut logits = Vec::new();
    for part in samples.batches(batch) {
        let (inputs, labels) = part?;
        logits.extend(compute.logits(network, &inputs, labels.len()));
    }
    Ok(logits)
}

/// Picks samples at equal distances.
pub fn spread(samples: &Samples, count: usize) -> Samples {
    let indices = (0..count).map(|index| (index * samples.len() / count) as u32);
    samples.pick(&indices.collect::<Vec<_>>())
}

/// The loss and the answers over the samples so far.
pub struct Evaluation {
    outputs: usize,
    pub score: Score,
    /// Right answers by class and by rank.
    answers: Answers,
}

impl Evaluation {
    fn new(outputs: usize) -> Self {
        Self { outputs, score: Score::default(), answers: Answers::new(outputs) }
    }

    /// Adds a batch with logits `[samples, outputs]`.
    fn add(&mut self, loss: &LossFunction, logits: &[f32], labels: &[u32]) {
        let mean = loss.evaluate(logits, labels).mean;
        self.score.add(labels.len(), mean, self.answers.add(logits, self.outputs, labels));
    }
}

impl Session<'_> {
    /// Evaluates the validation part, where there is one, and the test part; emits what is recorded of the weights.
    pub(super) fn evaluate_parts(&mut self) -> Result<(), RunError> {
        if self.state().others.is_empty() {
            self.evaluate_present(false)?;
        } else {
            self.evaluate_members()?;
        }
        self.emit_weights()
    }

    /// Evaluates like [`evaluate_parts`](Self::evaluate_parts), as a stage: with progress, and ended by a request to stop
    /// before anything is emitted. Returns true if it came to its end.
    pub(super) fn evaluate_or_stop(&mut self) -> Result<bool, RunError> {
        if !self.state().others.is_empty() {
            return self.evaluate_parts().map(|()| true);
        }
        let is_done = self.evaluate_present(true)?;
        if is_done {
            self.emit_weights()?;
        }
        Ok(is_done)
    }

    /// Evaluates the present network. Returns true if it came to its end.
    fn evaluate_present(&mut self, is_stage: bool) -> Result<bool, RunError> {
        let (context, data) = (self.context.clone(), self.data());
        let batch = context.spec.train.evaluation_batch;
        let (mut before, mut emitted, mut tallies) = (0, Instant::now(), Vec::new());
        for (name, part) in parts(&data) {
            let (reader, network) = (self.reader(), self.state().network.clone());
            let mut proceed = |samples: u64| {
                if is_stage && emitted.elapsed() >= PROGRESS_EVERY {
                    emitted = Instant::now();
                    self.emit_progress(before + samples)?;
                }
                Ok(!is_stage || self.stop_requested() != Some(StopKind::Now))
            };
            let Some(tally) = evaluate(&reader, &network, &context.loss, part, batch, &mut proceed)? else {
                return Ok(false);
            };
            self.close_reader(reader)?;
            before += part.len() as u64;
            tallies.push((name, tally));
        }
        for (name, tally) in tallies {
            self.emit_score(name, &tally.score, Some(&tally.answers), None)?;
        }
        Ok(true)
    }

    /// Evaluates every member of an ensemble; on the test part the vote and the mean distance between members too.
    fn evaluate_members(&mut self) -> Result<(), RunError> {
        let (context, data) = (self.context.clone(), self.data());
        let (batch, outputs) = (context.spec.train.evaluation_batch, context.structure.outputs);
        for (name, part) in parts(&data) {
            let mut of_members = Vec::new();
            for member in 0..self.state().members().len() {
                let reader = self.reader();
                of_members.push(logits(&reader, self.state().members()[member], part, batch)?);
                self.close_reader(reader)?;
            }
            for (member, logits) in of_members.iter().enumerate() {
                let mut tally = Evaluation::new(outputs);
                for (logits, labels) in logits.chunks(batch * outputs).zip(part.labels.chunks(batch)) {
                    tally.add(&context.loss, logits, labels);
                }
                self.emit_score(name, &tally.score, Some(&tally.answers), Some(member))?;
            }
            if name == "test" {
                let vote = vote_accuracy(&of_members, outputs, context.data.classes, &part.labels);
                self.emit_point("vote_accuracy", vote)?;
                self.emit_point("member_distance", mean_distance(&of_members))?;
            }
        }
        Ok(())
    }

    /// Emits loss and accuracy on training batches since the last evaluation: of the present network, and of each further
    /// member that trained.
    pub(super) fn emit_training(&mut self, score: &Score) -> Result<(), RunError> {
        let others = self.state_mut().others.iter_mut();
        let others: Vec<Score> = others.map(|member| std::mem::take(&mut member.score)).collect();
        let is_alone = others.is_empty();
        for (member, score) in std::iter::once(*score).chain(others).enumerate() {
            if score.samples > 0 {
                self.emit_score("train", &score, None, (!is_alone).then_some(member))?;
            }
        }
        Ok(())
    }

    /// Emits loss and accuracy of one part of the data, with `answers` those by class and, if the experiment asks for it,
    /// among the largest logits; `member` counts from 0, the present network.
    fn emit_score(
        &mut self,
        part: &str,
        score: &Score,
        answers: Option<&Answers>,
        member: Option<usize>,
    ) -> Result<(), RunError> {
        let classes = answers.map(Answers::accuracies).unwrap_or_default();
        let mut measures = vec![
            ("loss".to_owned(), score.loss(), Vec::new()),
            ("accuracy".to_owned(), score.accuracy(), classes),
        ];
        if let (Some(answers), Some(largest)) = (answers, self.context.spec.train.top) {
            measures.push((format!("top{largest}_accuracy"), answers.among(largest), Vec::new()));
        }
        for (what, value, classes) in measures {
            let point = self.new_point(&format!("{part}_{what}"), value);
            let other = member.filter(|&member| member > 0).map(|member| &self.state().others[member - 1]);
            let remaining = other.map_or(point.remaining, |other| other.network.remaining());
            let member = member.map(|member| member + 1);
            self.emit(Event::Point(Point { member, remaining, classes, ..point }))?;
        }
        Ok(())
    }

    /// Keeps a pass that a member has learned from, where its gradients are recorded, and recycles the one before it; `member`
    /// counts from 0, the present network.
    pub(super) fn retire_pass(&mut self, member: usize, pass: TrainPass) {
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
    fn emit_weights(&mut self) -> Result<(), RunError> {
        let record = self.context.spec.train.record.weights.clone();
        if record == WeightRecord::Off {
            return Ok(());
        }
        let members = self.state().members();
        let (mut points, mut lines) = (Vec::new(), String::new());
        for (member, network) in members.iter().enumerate() {
            let number = (members.len() > 1).then_some(member + 1);
            let gradients = self.last_passes.get(member).and_then(Option::as_ref);
            for index in recorded(network, &record) {
                let name = &network.structure().parameters[index].name;
                let mut measured = WeightStatistics::new(network.values(index)).measured().to_vec();
                let gradient = gradients.and_then(|pass| pass.gradients.get(index)?.as_ref());
                measured.extend(gradient.map(|gradient| (Measure::GradientNorm, l2_norm(gradient))));
                for (measure, value) in measured {
                    let point = self.new_point(&series(name, measure), value);
                    points.push(Point { member: number, remaining: network.remaining(), ..point });
                }
                if record == WeightRecord::Histograms {
                    lines += &self.histogram(network, index, number).line();
                }
            }
        }
        for point in points {
            self.emit(Event::Point(point))?;
        }
        if lines.is_empty() { Ok(()) } else { self.listener.lines(Table::Histograms, &lines) }
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
            ..WeightHistogram::new(network.values(index), network.entries(index))
        }
    }
}

/// Returns the parts that are evaluated, with their names in series.
fn parts(data: &Dataset) -> impl Iterator<Item = (&'static str, &Samples)> {
    [("validation", &data.validation), ("test", &data.test)].into_iter().filter(|(_, part)| !part.is_empty())
}

/// Returns the share of samples whose label most members predict; the lower class wins a tie, and NaN has no vote.
fn vote_accuracy(logits: &[Vec<f32>], outputs: usize, classes: usize, labels: &[u32]) -> f64 {
    let is_right = |(sample, label): (usize, &u32)| {
        let mut votes = vec![0_usize; classes];
        let row = sample * outputs..(sample + 1) * outputs;
        for class in logits.iter().filter_map(|logits| top1(&logits[row.clone()])) {
            votes[class as usize] += 1;
        }
        let most = votes.iter().copied().max().filter(|&most| most > 0);
        most.is_some_and(|most| votes.iter().position(|&count| count == most) == Some(*label as usize))
    };
    let right = labels.iter().enumerate().filter(|&sample| is_right(sample)).count();
    right as f64 / labels.len() as f64
}

/// Returns the mean over all pairs of members of 2‖a − b‖ / (‖a‖ + ‖b‖), with the logits of the whole part as one vector; 0
/// for equal ones and for a single member.
fn mean_distance(logits: &[Vec<f32>]) -> f64 {
    let (mut sum, mut pairs) = (0.0, 0_usize);
    for (number, a) in logits.iter().enumerate() {
        for b in &logits[number + 1..] {
            let difference: Vec<f32> = a.iter().zip(b).map(|(a, b)| a - b).collect();
            let distance = l2_norm(&difference);
            sum += if distance == 0.0 { 0.0 } else { 2.0 * distance / (l2_norm(a) + l2_norm(b)) };
            pairs += 1;
        }
    }
    sum / pairs.max(1) as f64
}

/// Names the files of values and masks of the network after the training of this step, in the run's directory.
pub fn files_of_round(step: usize) -> [String; 2] {
    [format!("rounds/step-{step}.safetensors"), format!("rounds/step-{step}.pins.safetensors")]
}

fn recorded(network: &Network, what: &WeightRecord) -> Vec<usize> {
    let parameters = network.structure().parameters.iter().enumerate();
    let is_recorded = |role: Role| match what {
        WeightRecord::Off => false,
        WeightRecord::Layers | WeightRecord::Histograms => role == Role::Weight,
        WeightRecord::Parameters => role.is_trained(),
    };
    parameters.filter(|(_, parameter)| is_recorded(parameter.role)).map(|(index, _)| index).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_members_decide_and_the_lower_class_wins_a_tie() {
        let [first, second, third] = [[1.0, 0.0], [0.0, 1.0], [f32::NAN, 1.0]].map(Vec::from);
        assert_eq!(vote_accuracy(&[first.clone(), second.clone(), third.clone()], 2, 2, &[0]), 1.0);
        assert_eq!(vote_accuracy(&[first, second.clone(), second], 2, 2, &[0]), 0.0);
        assert_eq!(vote_accuracy(&[third], 2, 2, &[0]), 0.0);
    }

    #[test]
    fn distances_are_relative_and_averaged_over_pairs() {
        let (a, b) = (vec![1.0, 0.0], vec![3.0, 0.0]);
        assert_eq!(mean_distance(&[a.clone(), b.clone()]), 1.0);
        assert_eq!(mean_distance(&[a.clone(), a.clone(), b]), 2.0 / 3.0);
        assert_eq!(mean_distance(&[a]), 0.0);
    }
}

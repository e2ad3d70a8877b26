//! Members of an ensemble, evaluated one by one and together.

use super::error::RunError;
use super::evaluate::{Tally, logits};
use super::session::Session;
use net::top1;
use results::weights::l2_norm;

/// Evaluates every member on the validation part, where there is one, and on the test part; there the vote and the mean
/// distance between members too.
pub fn evaluate(session: &mut Session) -> Result<(), RunError> {
    let (context, data) = (session.context.clone(), session.data());
    let (batch, outputs) = (context.spec.train.evaluation_batch, context.structure.outputs);
    for (name, part) in [("validation", &data.validation), ("test", &data.test)] {
        if part.is_empty() {
            continue;
        }
        let mut of_members = Vec::new();
        for member in 0..session.state().members().len() {
            let reader = session.reader();
            of_members.push(logits(&reader, session.state().members()[member], part, batch)?);
            session.put_back(reader)?;
        }
        for (member, logits) in of_members.iter().enumerate() {
            let mut tally = Tally::new(outputs);
            for (logits, labels) in logits.chunks(batch * outputs).zip(part.labels.chunks(batch)) {
                tally.add(&context.loss, logits, labels);
            }
            session.emit_score(name, &tally.score, Some(&tally.answers), Some(member))?;
        }
        if name == "test" {
            let vote = vote_accuracy(&of_members, outputs, context.data.classes, &part.labels);
            session.point("vote_accuracy", vote)?;
            session.point("member_distance", mean_distance(&of_members))?;
        }
    }
    Ok(())
}

/// Share of samples whose label most members predict; the lower class wins a tie, and NaN has no vote.
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

/// Mean over all pairs of members of 2‖a − b‖ / (‖a‖ + ‖b‖), with the logits of the whole part as one vector; 0 for
/// equal ones and for a single member.
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

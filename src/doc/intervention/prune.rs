use crate::plan::words::{counted, joined, number, percent, target as target_words};
use crate::plan::{Check, Situation, StepWork};
use crate::stage::Planned;
use crate::targets::{self, Params, Target};
use form::Steps;
use form::number::grouped;
use form::path::Place;
use intervene::criteria::Evidence;
use intervene::{Amount, Criterion, Scope};

form::form! {
    /// Settings of pruning.
    pub struct Prune: "Prune" {
        criterion: Criterion = Criterion::Magnitude, "Criterion", "Which entries to prune first", written always;
        amount: Amount = Amount::Fraction(0.2), "Amount", "How many entries to prune", written always;
        scope: Scope = Scope::PerLayer, "Scope", "Whether to rank layers separately or together";
        output_factor: f64 = 1.0, "Output factor", "Multiplies the pruned fraction of the output layer: 0.5 \
            in the LeNet papers, 0 in the VGG papers", range [0.0, 1.0];
        target: Target = Target::default(), "Target", "What to prune; default: weights";
    }
}

impl Prune {
    /// Takes the scope that is usual for a criterion that was chosen after `before`, unless another scope was chosen too.
    pub fn follow_criterion(&mut self, before: &Criterion) {
        let [old, new] = [before, &self.criterion].map(|criterion| criterion.rule().usual_scope());
        if self.criterion.key() != before.key() && self.scope == old {
            self.scope = new;
        }
    }
}

impl Planned for Prune {
    fn sentence(&self) -> String {
        let Self { criterion, amount, scope, output_factor, target } = self;
        let named = (*target != Target::default()).then(|| target_words(target, &Params::Weights)).flatten();
        let of = named.as_ref().map(|part| format!(" of {part}")).unwrap_or_default();
        let by = criterion.rule().words().map_or_else(|| format!("by {}", criterion.label()), str::to_owned);
        let what = match amount {
            Amount::Fraction(fraction) => format!("Prune {}{of} {by}", percent(*fraction)),
            Amount::Remaining(rest) => {
                let part = named.map(|part| format!(" {part}")).unwrap_or_default();
                format!("Prune{part} {by} until {} remain", percent(*rest))
            }
            Amount::Count(count) => format!("Prune {}{of} {by}", counted(*count, "entry")),
            Amount::Threshold(bound) => {
                let part = named.unwrap_or_else(|| "weights".to_owned());
                return format!("Prune {part} below {}", number(*bound));
            }
        };
        let scope = match scope {
            Scope::PerLayer => "per layer",
            Scope::Global => "over all layers",
        };
        joined([Some(what), Some(scope.to_owned()), output(*output_factor, *amount)])
    }

    fn check(&self, check: &mut Check<'_>, place: &Place) {
        check.entries(&self.target, &self.usual_params(), &place.key("target"));
        check.prunable(&self.target, &place.key("target"));
        let criterion = place.key("criterion").variant(self.criterion.key());
        match self.criterion.rule().evidence() {
            Evidence::Past { since, .. } => check.snapshot(since, &criterion.key("since")),
            Evidence::LossGradient { batches, .. } => {
                let (sample, fixed) = (check.left.sample, check.left.fixed_norms.clone());
                check.left.sample = 0; // its order is its own
                check.mini_batches(Steps::iterations(batches), check.spec.train.batch, &fixed, &criterion);
                check.left.sample = sample;
            }
            Evidence::Weights(_) | Evidence::FlowGradient(_) => {}
        }
        let splits = self.output_factor > 0.0 && self.output_factor < 1.0;
        if splits && !matches!(self.amount, Amount::Fraction(_)) {
            let message =
                "an output factor between 0 and 1 works only with a fraction as the amount; use 0 or 1";
            check.error(place.key("output_factor"), message);
        }
        if let Amount::Count(count) = self.amount {
            check_count(self, count, check, &place.key("amount").variant("Count"));
        }
    }

    fn usual_params(&self) -> Params {
        Params::Weights
    }

    fn work(&self, situation: &mut Situation<'_>) -> StepWork {
        let mini_batches = match self.criterion.rule().evidence() {
            Evidence::LossGradient { batches, .. } => batches as f64,
            Evidence::Weights(_) | Evidence::FlowGradient(_) | Evidence::Past { .. } => 0.0,
        };
        let work = StepWork { mini_batches, ..situation.little() };
        situation.level.holds = true;
        work
    }
}

/// Says what happens to the output layer, where it is treated differently.
fn output(factor: f64, amount: Amount) -> Option<String> {
    if factor >= 1.0 {
        return None;
    }
    if factor <= 0.0 {
        return Some("without the output layer".to_owned());
    }
    Some(match amount {
        // Rounded, since 0.7 · 0.1 is a little less than 0.07.
        Amount::Fraction(fraction) => {
            format!("{} of the output layer", percent((fraction * factor * 1e9).round() / 1e9))
        }
        Amount::Remaining(_) | Amount::Count(_) | Amount::Threshold(_) => {
            format!("the output layer at {}", percent(factor))
        }
    })
}

/// Refuses a count that is larger than what is ranked together.
fn check_count(prune: &Prune, count: u64, check: &mut Check<'_>, place: &Place) {
    let structure = check.structure;
    let mut groups: Vec<(usize, u64)> = Vec::new();
    for index in targets::prunable(structure, &prune.target) {
        let parameter = &structure.parameters[index];
        if prune.output_factor == 0.0 && structure.layers[parameter.layer].is_output {
            continue;
        }
        let row = parameter.len() / parameter.channels(); // 0 without entries
        let is_meant = |channel: &usize| targets::has_entry(&prune.target, parameter, channel * row);
        let size = ((0..parameter.channels()).filter(is_meant).count() * row) as u64;
        match groups.last_mut() {
            Some((layer, sum)) if prune.scope == Scope::Global || *layer == parameter.layer => *sum += size,
            _ => groups.push((parameter.layer, size)),
        }
    }
    let Some((layer, size)) = groups.into_iter().find(|(_, size)| *size < count) else { return };
    let place_in_words = match prune.scope {
        Scope::Global => "the target".to_owned(),
        Scope::PerLayer => structure.layers[layer].name.clone(),
    };
    check.error(
        place.clone(),
        format!("{} entries are to be pruned, and {place_in_words} has {}", grouped(count), grouped(size)),
    );
}

#[cfg(test)]
mod tests {
    use crate::plan::testing::sentence_of_change as sentence;

    #[test]
    fn pruning_says_how_much_by_what_and_where() {
        assert_eq!(
            sentence(
                "Prune(criterion: Magnitude, amount: Fraction(0.2), scope: PerLayer, output_factor: 0.5)"
            ),
            "Prune 20 % by magnitude, per layer, 10 % of the output layer"
        );
        assert_eq!(
            sentence("Prune(criterion: Random, amount: Remaining(0.1), scope: Global, output_factor: 0.0)"),
            "Prune at random until 10 % remain, over all layers, without the output layer"
        );
        assert_eq!(
            sentence("Prune(amount: Threshold(0.01), target: (params: WeightsAndBiases))"),
            "Prune weights and biases below 0.01"
        );
        assert_eq!(
            sentence(r#"Prune(amount: Count(1), target: (layers: Only(["fc1"])))"#),
            "Prune 1 entry of fc1's weights by magnitude, per layer"
        );
    }
}

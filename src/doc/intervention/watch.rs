use crate::plan::words::{counted, joined, number};
use crate::plan::{Check, Situation, StepWork, words};
use crate::stage::Planned;
use crate::targets::Layers;
use form::path::Place;

form::form! {
    /// Settings of keeping the network of some steps ago.
    pub struct Watch: "Watch" {
        lag: usize = 1, "Lag", "How many steps ago", unit "steps", range [1, 10000];
        penalty: f64 = 0.0, "Penalty", "Weight of the squared distance between past and present logits in the loss", range [0.0, 1e6];
        layers: Layers = Layers::All, "Layers", "Layers of the past network; the others are those of the \
            present";
    }
}

impl Planned for Watch {
    fn sentence(&self) -> String {
        let Self { lag, penalty, layers } = self;
        let ago = counted(*lag as u64, "step");
        let part = words::layers(layers).unwrap_or_else(|| "the network".to_owned());
        let pull = (*penalty > 0.0).then(|| format!("pulled towards it with penalty {}", number(*penalty)));
        joined([Some(format!("Watch {part} of {ago} ago")), pull])
    }

    fn check(&self, check: &mut Check<'_>, place: &Place) {
        check.layers(&self.layers, &place.key("layers"));
    }

    /// Counts a pass forward to ask the past, a third of a mini-batch; where gradients go through it into the present rest,
    /// it goes backward too.
    fn work(&self, situation: &mut Situation<'_>) -> StepWork {
        let goes_back = self.penalty > 0.0 && self.layers != Layers::All;
        situation.level.past = if goes_back { 1.0 } else { 1.0 / 3.0 };
        situation.little()
    }
}

#[cfg(test)]
mod tests {
    use crate::plan::testing::sentence_of_change as sentence;

    #[test]
    fn a_watch_says_how_long_ago_and_how_it_pulls() {
        assert_eq!(sentence("Watch(lag: 1)"), "Watch the network of 1 step ago");
        assert_eq!(
            sentence("Watch(lag: 8, penalty: 1.0)"),
            "Watch the network of 8 steps ago, pulled towards it with penalty 1"
        );
    }
}

//! What a fault did to an image: classes of outcomes, from golden and faulty logits.

/// The classes that exclude each other; every image has one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// All logits are bit-identical to the golden ones.
    Masked,
    /// Some logit differs, the predicted class does not.
    Benign,
    /// Another class is predicted: silent data corruption.
    Sdc1,
    /// NaN or infinity among the logits: detectable, and without a predicted class.
    Due,
}

/// All that is said of one image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Judgement {
    /// Its class.
    pub outcome: Outcome,
    /// The golden class is not among the five largest logits. Only with SDC-1, and never with five classes or fewer.
    pub sdc5: bool,
    /// The golden network is right.
    pub was_correct: bool,
    /// The faulty network is right.
    pub is_correct: bool,
}

impl Judgement {
    /// The golden network is wrong and the faulty one right; only with SDC-1.
    pub fn corrected(&self) -> bool {
        self.outcome == Outcome::Sdc1 && self.is_correct
    }

    /// The golden network is right and the faulty one wrong; only with SDC-1.
    pub fn lost(&self) -> bool {
        self.outcome == Outcome::Sdc1 && self.was_correct
    }
}

/// Judges one image by its golden and its faulty logits, which are equally many.
pub fn judge(golden: &[f32], faulty: &[f32], label: u32) -> Judgement {
    let (expected, predicted) = (top1(golden), top1(faulty));
    let outcome = if predicted.is_none() {
        Outcome::Due
    } else if golden.iter().zip(faulty).all(|(a, b)| a.to_bits() == b.to_bits()) {
        Outcome::Masked
    } else if predicted == expected {
        Outcome::Benign
    } else {
        Outcome::Sdc1
    };
    Judgement {
        outcome,
        sdc5: outcome == Outcome::Sdc1 && expected.is_some_and(|class| rank(faulty, class) >= 5),
        was_correct: expected == Some(label),
        is_correct: predicted == Some(label),
    }
}

/// The predicted class: that of the largest logit, the lower one of equals; with one logit its sign. Logits that are NaN
/// or infinite predict nothing.
fn top1(logits: &[f32]) -> Option<u32> {
    if logits.iter().any(|logit| !logit.is_finite()) {
        return None;
    }
    if let [logit] = logits {
        return Some(u32::from(*logit > 0.0));
    }
    let largest = (0_u32..).zip(logits).reduce(|best, next| if next.1 > best.1 { next } else { best });
    largest.map(|(class, _)| class)
}

/// How many classes come before this one: those with a larger logit, and the lower ones with an equal logit. With one
/// logit there are two classes, and none has five before it.
fn rank(logits: &[f32], class: u32) -> usize {
    let Some(own) = logits.get(class as usize) else { return 0 };
    let is_before = |(other, logit): &(u32, &f32)| *logit > own || *logit == own && *other < class;
    (0_u32..).zip(logits).filter(is_before).count()
}

/// Judgements added up over images, and over trials.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct Tally {
    /// Images: masked + benign + sdc1 + due.
    pub images: u64,
    /// Bit-identical logits.
    pub masked: u64,
    /// Other logits, same class.
    pub benign: u64,
    /// Another class.
    pub sdc1: u64,
    /// The golden class not among the five best.
    pub sdc5: u64,
    /// NaN or infinity.
    pub due: u64,
    /// Wrong before, right now.
    pub corrected: u64,
    /// Right before, wrong now.
    pub lost: u64,
    /// Right now.
    pub correct: u64,
}

impl Tally {
    /// The tally of a batch: logits are `[images, outputs]`, row by row.
    pub fn of(golden: &[f32], faulty: &[f32], outputs: usize, labels: &[u32]) -> Self {
        let rows = golden.chunks_exact(outputs).zip(faulty.chunks_exact(outputs)).zip(labels);
        rows.map(|((golden, faulty), &label)| Self::from(judge(golden, faulty, label))).sum()
    }

    /// Share of images that the faulty network classifies rightly, in [0, 1]; an image with NaN or infinity is wrong.
    pub fn accuracy(&self) -> f64 {
        self.share(self.correct)
    }

    /// Share of images with SDC-1, in [0, 1].
    pub fn sdc1_share(&self) -> f64 {
        self.share(self.sdc1)
    }

    /// Any of the counts as a share of the images.
    pub fn share(&self, count: u64) -> f64 {
        count as f64 / self.images as f64
    }
}

impl From<Judgement> for Tally {
    fn from(judgement: Judgement) -> Self {
        let is = |class| u64::from(judgement.outcome == class);
        Self {
            images: 1,
            masked: is(Outcome::Masked),
            benign: is(Outcome::Benign),
            sdc1: is(Outcome::Sdc1),
            sdc5: judgement.sdc5.into(),
            due: is(Outcome::Due),
            corrected: judgement.corrected().into(),
            lost: judgement.lost().into(),
            correct: judgement.is_correct.into(),
        }
    }
}

impl std::ops::Add for Tally {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            images: self.images + other.images,
            masked: self.masked + other.masked,
            benign: self.benign + other.benign,
            sdc1: self.sdc1 + other.sdc1,
            sdc5: self.sdc5 + other.sdc5,
            due: self.due + other.due,
            corrected: self.corrected + other.corrected,
            lost: self.lost + other.lost,
            correct: self.correct + other.correct,
        }
    }
}

impl std::iter::Sum for Tally {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self::default(), |total, part| total + part)
    }
}

#[cfg(test)]
mod tests;

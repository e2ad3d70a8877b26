//! What a fault did to images: classes of outcomes, from golden and faulty logits.

/// The predicted class: that of the largest logit, the lower one of equals; with one logit its sign. Logits that are NaN
/// or infinite predict nothing.
pub fn top1(logits: &[f32]) -> Option<u32> {
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

/// What a fault did to images, added up over images and over trials.
///
/// Each image has one of four classes: `masked`, `benign`, `sdc1`, `due`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct Tally {
    /// Images: masked + benign + sdc1 + due.
    pub images: u64,
    /// All logits are bit-identical to the golden ones.
    pub masked: u64,
    /// Some logit differs, the predicted class does not.
    pub benign: u64,
    /// Another class is predicted: silent data corruption.
    pub sdc1: u64,
    /// The golden class is not among the five largest logits. Only with SDC-1, and never with five classes or fewer.
    pub sdc5: u64,
    /// NaN or infinity among the logits: detectable, and without a predicted class.
    pub due: u64,
    /// The golden network is wrong and the faulty one right; only with SDC-1.
    pub corrected: u64,
    /// The golden network is right and the faulty one wrong; only with SDC-1.
    pub lost: u64,
    /// The faulty network is right.
    pub correct: u64,
}

impl Tally {
    /// The tally of a batch: logits are `[images, outputs]`, row by row.
    pub fn of(golden: &[f32], faulty: &[f32], outputs: usize, labels: &[u32]) -> Self {
        let rows = golden.chunks_exact(outputs).zip(faulty.chunks_exact(outputs)).zip(labels);
        rows.map(|((golden, faulty), &label)| Self::of_image(golden, faulty, label)).sum()
    }

    /// The tally of one image.
    fn of_image(golden: &[f32], faulty: &[f32], label: u32) -> Self {
        let (expected, predicted) = (top1(golden), top1(faulty));
        let correct = u64::from(predicted == Some(label));
        let image = Self { images: 1, correct, ..Self::default() };
        if predicted.is_none() {
            Self { due: 1, ..image }
        } else if golden.iter().zip(faulty).all(|(a, b)| a.to_bits() == b.to_bits()) {
            Self { masked: 1, ..image }
        } else if predicted == expected {
            Self { benign: 1, ..image }
        } else {
            let sdc5 = expected.is_some_and(|class| rank(faulty, class) >= 5);
            let lost = expected == Some(label);
            Self { sdc1: 1, sdc5: sdc5.into(), corrected: correct, lost: lost.into(), ..image }
        }
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

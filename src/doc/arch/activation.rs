//! Non-linearities.

form::choice! {
    /// Non-linearities between layers.
    pub enum Activation: "Activation" {
        Relu, "ReLU", "max(0, x)";
        Softsign, "Softsign", "x / (1 + |x|)";
        Tanh, "Tanh", "Hyperbolic tangent";
        Sigmoid, "Sigmoid", "1 / (1 + e⁻ˣ)";
    }
}

form::choice! {
    /// What follows the last layer.
    pub enum Output: "Output" {
        Linear, "Linear", "The logits themselves";
        Sigmoid, "Sigmoid", "1 / (1 + e⁻ˣ), for binary cross-entropy";
        Tanh, "Tanh", "Hyperbolic tangent; with binary cross-entropy p = (1 + y) / 2";
    }
}

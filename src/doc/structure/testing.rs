//! Networks of the tests.

use data::Shape;

/// Graphs with every kind of layer, shortcut and window.
pub const GRAPHS: [(&str, Shape); 7] = [
    // Blocks at the start and inside of each other, with shortcuts that change shapes.
    (
        "Residual(body: [Conv(channels: 3, bias: false), BatchNorm()]), Relu, Residual(body: [Conv(channels: 16, stride: 2), \
         BatchNorm(), Relu, Residual(body: [Conv(channels: 16), Tanh])], shortcut: Project()), Relu, GlobalAveragePool, \
         Flatten, Linear(bias: false)",
        Shape::new(3, 9, 8),
    ),
    (
        "Conv(channels: 8, bias: false), BatchNorm(), Relu, Residual(body: [Conv(channels: 8, bias: false), BatchNorm(), Relu, \
         Conv(channels: 8, bias: false), BatchNorm()]), Relu, Residual(body: [Conv(channels: 17, stride: 2, bias: false), \
         BatchNorm(), Relu, Conv(channels: 17, bias: false), BatchNorm()], shortcut: PadSubsample), Relu, Flatten, Linear()",
        Shape::new(3, 7, 7),
    ),
    (
        "Conv(channels: 6, kernel: 5, padding: 2), Relu, MaxPool(), Conv(channels: 16, kernel: 5, padding: 0), Relu, MaxPool(), \
         Flatten, Linear(units: 20), Relu, Dropout(0.3), Linear()",
        Shape::new(1, 28, 28),
    ),
    (
        "Conv(channels: 5, kernel: 7, stride: 2, bias: false), BatchNorm(), Relu, MaxPool(window: 3, stride: 2, padding: 1), \
         Conv(channels: 7, kernel: 1), Softsign, AveragePool(window: 3, stride: 2, padding: 1), Dropout(0.2), Flatten, Linear()",
        Shape::new(3, 21, 24),
    ),
    (
        "Conv(channels: 18, kernel: 3, stride: 3, padding: 0), BatchNorm(), AveragePool(), Conv(channels: 4, kernel: 2, \
         padding: 1), Sigmoid, MaxPool(window: 2, stride: 1), Flatten, Residual(body: [Linear(units: 16), Relu]), Linear()",
        Shape::new(2, 14, 14),
    ),
    (
        "BatchNorm(), Residual(body: [Conv(channels: 6, kernel: 1), Relu, Conv(channels: 2, kernel: 11)]), MaxPool(window: 5, \
         stride: 4), Flatten, Linear()",
        Shape::new(2, 13, 17),
    ),
    ("BatchNorm(), Linear(units: 9), BatchNorm(), Relu, Dropout(0.3), Linear()", Shape::new(12, 1, 1)),
];

//! From the layers of an architecture to its structure: names, parameters, and every shape on the way.

use crate::arch::{Activation, Conv, Linear, Module, Output, Pool, Residual, Shortcut};
use crate::structure::{Block, Layer, LayerKind, Misfit, Op, Parameter, Role, Structure, Traced, Window};
use data::Shape;
use form::number::grouped;

/// Follows these layers for inputs of a shape and this many logits.
pub(crate) fn trace(modules: &[Module], input: Shape, outputs: usize, output: Output) -> Traced {
    let (layers, parameters, blocks, ops) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut builder = Builder {
        structure: Structure { input, outputs, output, layers, parameters, blocks, ops },
        shape: input,
        is_flat: !input.is_image(),
        path: Vec::new(),
        behind: Vec::new(),
        shortcut_of: None,
        entries: 0,
    };
    let misfit = builder.list(modules, "").and_then(|()| builder.finish(modules.len())).err();
    Traced { structure: builder.structure, behind: builder.behind, misfit }
}

/// The most numbers of one sample between two layers, and the most parameters.
const MOST: usize = 1 << 31;

/// The most residual blocks inside each other.
const MOST_NESTED: usize = 8;

/// Appends layers and operations to a structure, one after the other.
struct Builder {
    structure: Structure,
    /// The input of the next operation.
    shape: Shape,
    /// That is a row of features.
    is_flat: bool,
    /// Position of the present layer: in the list, in the body of a block, and so on.
    path: Vec<usize>,
    behind: Vec<(Vec<usize>, Shape)>,
    /// Set in the shortcut of a block: the last unit of its body.
    shortcut_of: Option<usize>,
    entries: usize,
}

impl Builder {
    /// Adds layers in sequence, whose names begin with `prefix`.
    fn list(&mut self, modules: &[Module], prefix: &str) -> Result<(), Misfit> {
        for (position, module) in modules.iter().enumerate() {
            self.path.push(position);
            self.module(module, prefix, position)?;
            self.behind.push((self.path.clone(), self.shape));
            self.path.pop();
        }
        Ok(())
    }

    fn module(&mut self, module: &Module, prefix: &str, position: usize) -> Result<(), Misfit> {
        let name = match module.name() {
            Some(Some(name)) => match problem(name) {
                Some(problem) => return self.refuse(problem),
                None => format!("{prefix}{name}"),
            },
            Some(None) | None => format!("{prefix}{position}"),
        };
        match module {
            Module::Conv(conv) => self.convolution(&name, conv)?,
            Module::BatchNorm(_) => self.batch_norm(&name)?,
            Module::Linear(linear) => self.linear(&name, linear)?,
            Module::Relu => self.op(Op::Activation(Activation::Relu)),
            Module::Softsign => self.op(Op::Activation(Activation::Softsign)),
            Module::Tanh => self.op(Op::Activation(Activation::Tanh)),
            Module::Sigmoid => self.op(Op::Activation(Activation::Sigmoid)),
            Module::MaxPool(pool) => {
                let window = self.pooling("max pooling", pool)?;
                self.op(Op::MaxPool(window));
            }
            Module::AveragePool(pool) => {
                let window = self.pooling("average pooling", pool)?;
                self.op(Op::AveragePool(window));
            }
            Module::AdaptiveAveragePool(pool) => self.average("adaptive average pooling", pool.side)?,
            Module::GlobalAveragePool => self.average("global average pooling", 1)?,
            Module::Flatten => {
                self.op(Op::Flatten);
                self.is_flat = true;
            }
            Module::Dropout(share) => self.op(Op::Dropout(*share)),
            Module::Residual(residual) => self.residual(&name, residual)?,
        }
        if self.shape.len() >= MOST {
            let message = format!("yields {} for each sample, too many numbers", self.shape);
            return self.refuse(message);
        }
        Ok(())
    }

    fn refuse<T>(&self, message: impl Into<String>) -> Result<T, Misfit> {
        Err(Misfit { path: self.path.clone(), message: message.into() })
    }

    /// Refuses a name that a layer or block has already.
    fn claim(&self, name: &str) -> Result<(), Misfit> {
        let Structure { layers, blocks, .. } = &self.structure;
        let mut taken = layers.iter().map(|layer| &layer.name).chain(blocks.iter().map(|block| &block.name));
        if taken.any(|taken| taken == name) {
            return self.refuse(format!("another layer is called {name} too; choose another name"));
        }
        Ok(())
    }

    fn op(&mut self, op: Op) {
        self.shape = self.structure.output(&op, self.shape);
        self.structure.ops.push(op);
    }

    /// Refuses rows of features.
    fn images(&self, what: &str) -> Result<(), Misfit> {
        let came = self.shape;
        if !self.is_flat {
            return Ok(());
        }
        let remedy = if self.structure.input.is_image() {
            "put it before Flatten"
        } else {
            "choose data with images, or linear layers"
        };
        self.refuse(format!("{what} needs images, and a row of {came} features comes in; {remedy}"))
    }

    fn average(&mut self, what: &str, side: usize) -> Result<(), Misfit> {
        self.images(what)?;
        self.op(Op::AdaptiveAveragePool(side));
        Ok(())
    }

    /// Returns the window of a convolution or pooling, if it fits into the images that come in.
    fn window(&self, what: &str, window: Window) -> Result<Window, Misfit> {
        let Shape { height, width, .. } = self.shape;
        self.images(what)?;
        // Ranges are checked with other settings; forms trace a network before that.
        if window.kernel == 0 || window.stride == 0 {
            return self.refuse(format!("{what} has a side and a stride of 1 or more"));
        }
        if height.min(width) + 2 * window.padding < window.kernel {
            let (side, channels) = (window.kernel, self.shape.channels);
            let is_pooled =
                self.structure.ops.iter().any(|op| matches!(op, Op::MaxPool(_) | Op::AveragePool(_)));
            let remedy = if is_pooled { ", or leave out a pooling before it" } else { "" };
            return self.refuse(format!(
                "{what} of {side}×{side} does not fit into what comes in, {channels}×{height}×{width}; choose a \
                 smaller window or more padding{remedy}"
            ));
        }
        Ok(window)
    }

    fn pooling(&self, what: &str, pool: &Pool) -> Result<Window, Misfit> {
        let Pool { window: side, stride, padding } = *pool;
        if 2 * padding > side {
            return self.refuse(format!(
                "{what} over windows of {side} pixels has a border of {padding}; half the window is the most"
            ));
        }
        self.window(what, Window { kernel: side, stride: stride.unwrap_or(side), padding })
    }

    fn convolution(&mut self, name: &str, conv: &Conv) -> Result<(), Misfit> {
        let side = conv.kernel;
        let padding = conv.padding.unwrap_or(side / 2);
        if padding >= side {
            return self.refuse(format!(
                "a convolution with a kernel of {side} has a padding of {padding}; it must be smaller than the kernel"
            ));
        }
        let window = self.window("a convolution", Window { kernel: side, stride: conv.stride, padding })?;
        self.convolve(name, conv.channels, window, conv.bias)
    }

    fn convolve(
        &mut self,
        name: &str,
        channels: usize,
        window: Window,
        has_bias: bool,
    ) -> Result<(), Misfit> {
        let weight = vec![channels, self.shape.channels, window.kernel, window.kernel];
        let [height, width] = [self.shape.height, self.shape.width].map(|length| window.output(length));
        self.weighted(
            name,
            LayerKind::Convolution(window),
            Shape { channels, height, width },
            weight,
            has_bias,
        )
    }

    fn linear(&mut self, name: &str, linear: &Linear) -> Result<(), Misfit> {
        if !self.is_flat {
            let message = format!(
                "a linear layer takes a row of features, and {} come in; put Flatten before it",
                self.shape
            );
            return self.refuse(message);
        }
        let units = linear.units.unwrap_or(self.structure.outputs);
        let weight = vec![units, self.shape.channels];
        self.weighted(name, LayerKind::Linear, Shape::new(units, 1, 1), weight, linear.bias)
    }

    fn weighted(
        &mut self,
        name: &str,
        kind: LayerKind,
        output: Shape,
        weight: Vec<usize>,
        has_bias: bool,
    ) -> Result<(), Misfit> {
        let outputs = weight[0];
        let mut roles = vec![(Role::Weight, weight)];
        roles.extend(has_bias.then(|| (Role::Bias, vec![outputs])));
        let unit = self.shortcut_of.unwrap_or_else(|| self.structure.units());
        self.layer(name, kind, output, unit, roles)
    }

    fn batch_norm(&mut self, name: &str) -> Result<(), Misfit> {
        let roles = [Role::Scale, Role::Shift, Role::RunningMean, Role::RunningVariance];
        let roles = roles.map(|role| (role, vec![self.shape.channels]));
        let unit = self.structure.layers.last().map_or(0, |before| before.unit);
        self.layer(name, LayerKind::BatchNorm, self.shape, unit, roles.into())
    }

    fn layer(
        &mut self,
        name: &str,
        kind: LayerKind,
        output: Shape,
        unit: usize,
        roles: Vec<(Role, Vec<usize>)>,
    ) -> Result<(), Misfit> {
        self.claim(name)?;
        self.entries += roles.iter().map(|(_, shape)| shape.iter().product::<usize>()).sum::<usize>();
        if self.entries > MOST {
            let message = format!(
                "the network has {} parameters up to here, more than {}; choose fewer channels or units",
                grouped(self.entries as u64),
                grouped(MOST as u64)
            );
            return self.refuse(message);
        }
        let position = self.structure.layers.len();
        let mut parameters = Vec::new();
        for (role, shape) in roles {
            parameters.push(self.structure.parameters.len());
            let name = format!("{name}.{}", role.suffix());
            self.structure.parameters.push(Parameter { name, layer: position, role, shape });
        }
        let name = name.to_owned();
        self.structure.layers.push(Layer { name, kind, parameters, output, unit, is_output: false });
        self.op(Op::Layer(position));
        Ok(())
    }

    fn residual(&mut self, name: &str, residual: &Residual) -> Result<(), Misfit> {
        self.claim(name)?;
        if self.path.len() > MOST_NESTED {
            let message =
                format!("residual blocks are nested {MOST_NESTED} deep at most; put this one elsewhere");
            return self.refuse(message);
        }
        let (input, was_flat) = (self.shape, self.is_flat);
        self.structure.ops.push(Op::Fork);
        let before = self.structure.units();
        self.list(&residual.body, &format!("{name}."))?;
        let (body, is_flat) = (self.shape, self.is_flat);
        let units = self.structure.units();
        if is_flat != was_flat {
            let message =
                "the body flattens its images, so the shortcut cannot be added; put Flatten after the block";
            return self.refuse(message);
        }
        let stride = stride(&residual.body, input, body);
        let misfit = |expected: &str| format!("the body yields {body}, and {input} came in; {expected}");
        let fitting = [1, 2, 3].map(|stride| {
            format!(
                "{}×{} with a stride of {stride}",
                input.height.div_ceil(stride),
                input.width.div_ceil(stride)
            )
        });
        match &residual.shortcut {
            Shortcut::Identity if body == input => {}
            Shortcut::Identity => {
                return self.refuse(misfit("the shortcut Identity adds equal shapes only: choose Project or PadSubsample, or change the body"));
            }
            Shortcut::PadSubsample => {
                let Some(stride) = stride.filter(|_| body.channels >= input.channels && !self.is_flat) else {
                    return self.refuse(misfit(&format!(
                        "the shortcut PadSubsample leaves out pixels and adds channels: the body must yield as many \
                         channels or more, and images of {}, …",
                        fitting.join(", ")
                    )));
                };
                self.swap(input);
                self.op(Op::Subsample { stride, channels: body.channels });
            }
            Shortcut::Project(project) => {
                let Some(stride) = stride.filter(|_| !self.is_flat) else {
                    return self.refuse(misfit(&format!(
                        "the shortcut Project leaves out pixels: the body must yield images of {}, …",
                        fitting.join(", ")
                    )));
                };
                if let Some(problem) = problem(&project.name) {
                    return self.refuse(problem);
                }
                self.swap(input);
                // A projection belongs to its block.
                self.shortcut_of = Some(units.saturating_sub(1).max(before));
                let window = Window { kernel: 1, stride, padding: 0 };
                let name = format!("{name}.{}", project.name);
                self.convolve(&format!("{name}.0"), body.channels, window, false)?;
                self.batch_norm(&format!("{name}.1"))?;
                self.shortcut_of = None;
            }
        }
        let unit = units.saturating_sub(1);
        self.structure.blocks.push(Block { name: name.to_owned(), unit, output: body });
        self.op(Op::Add(self.structure.blocks.len() - 1));
        Ok(())
    }

    /// Goes from the end of the body to the start of the shortcut.
    fn swap(&mut self, input: Shape) {
        self.structure.ops.push(Op::Swap);
        self.shape = input;
    }

    fn finish(&mut self, modules: usize) -> Result<(), Misfit> {
        self.path = vec![modules.saturating_sub(1)];
        let ends_well = matches!(self.structure.ops.last(), Some(Op::Layer(last)) if self.structure.layers[*last].kind == LayerKind::Linear);
        if !ends_well {
            let message = "the last layer must be linear, and yield a number for each class";
            return self.refuse(message);
        }
        let Structure { outputs, .. } = self.structure;
        if self.shape.len() != outputs {
            let message = format!(
                "the last layer yields {} numbers, and {outputs} are needed, one for each class; leave out its units",
                self.shape.len()
            );
            return self.refuse(message);
        }
        if let Some(last) = self.structure.layers.last_mut() {
            last.is_output = true;
        }
        Ok(())
    }
}

/// Returns the stride of a shortcut: that of the body, where it makes shapes that can be added; else what makes them. None
/// where nothing does.
fn stride(body: &[Module], input: Shape, output: Shape) -> Option<usize> {
    let axes = [(input.height, output.height), (input.width, output.width)];
    let needed = input.height.checked_div(output.height).map(|_| input.height.div_ceil(output.height));
    let fits = |stride: &usize| axes.iter().all(|(input, output)| input.div_ceil(*stride) == *output);
    [Some(Module::stride_of(body)), needed].into_iter().flatten().find(fits)
}

/// Says what is wrong with the name of a layer, which becomes a name of parameters, a cell of tables and a part of paths.
/// The dots in names of weight files are fine.
pub(crate) fn problem(name: &str) -> Option<String> {
    let is_refused = |c: char| c.is_control() || ",\"'/\\".contains(c);
    if name.is_empty() {
        return Some("the name is empty; write one, or leave it out".to_owned());
    }
    let is_wrong = name.contains(is_refused) || name.starts_with('#') || name.trim() != name;
    is_wrong.then(|| {
        format!(
            "{name:?} is no name for a layer: names have no commas, quotes, slashes or line breaks, no # at the start, and \
             no blanks at their ends"
        )
    })
}

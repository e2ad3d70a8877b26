//! What a pass moves between the host and the device, without the pass: for measuring what share of its time that is.

use burn::tensor::Tensor;

use super::{BurnCompute, read};
use crate::network::Network;

/// Both ways go through the code of passes, and both return when everything has arrived, so a clock can be read before and
/// after. In a pass, copies and operations overlap: without its transfers it would be faster by at most their time.
///
/// Left out are masks of dropout, what a tap writes, and the few indices of shortcuts that leave pixels out.
impl BurnCompute {
    /// Moves what [`logits`](crate::Compute::logits) moves: parameters that are not on the device yet and the inputs
    /// there, as many values as there are logits back.
    ///
    /// # Panics
    /// When the device fails.
    pub fn move_evaluation(&self, network: &Network, inputs: &[f32], count: usize) {
        self.move_forward(network, inputs, count);
        self.wait();
    }

    /// Moves what [`train`](crate::Compute::train) moves: as for an evaluation, then the gradient of the loss with respect
    /// to the logits there, and as many values as there are gradients and statistics of batch norms back.
    ///
    /// In place of a gradient comes the parameter itself, in place of statistics the running ones. They are returned, in the
    /// order of the structure; none for parameters whose gradients or statistics a pass does not return.
    ///
    /// # Panics
    /// When the device fails.
    pub fn move_step(&self, network: &Network, inputs: &[f32], count: usize) -> Vec<Option<Vec<f32>>> {
        let structure = network.structure();
        let parameters = self.move_forward(network, inputs, count);
        let _gradient = self.tensor(&vec![0.0; count * structure.outputs]);
        let comes_back = |index: usize| {
            let parameter = &structure.parameters[index];
            parameter.role.is_trained() || !network.fixed_norms().contains(&parameter.layer)
        };
        let sent: Vec<Option<Tensor<1>>> = parameters
            .into_iter()
            .enumerate()
            .map(|(index, tensor)| tensor.filter(|_| comes_back(index)))
            .collect();
        let mut values = read(sent.iter().flatten().cloned()).into_iter();
        self.wait();
        sent.into_iter().map(|tensor| tensor.and_then(|_| values.next())).collect()
    }

    /// What travels before and after the forward pass. The parameters on the device.
    fn move_forward(&self, network: &Network, inputs: &[f32], count: usize) -> Vec<Option<Tensor<1>>> {
        let structure = network.structure();
        let parameters = self.parameters(network, &structure.ops);
        let _inputs = self.tensor(inputs);
        read([Tensor::zeros([count * structure.outputs], &self.device)]);
        parameters
    }

    /// Waits for all that the device has been given.
    fn wait(&self) {
        self.device.sync().expect("a device that was just read from works");
    }
}

use crate::plan::Check;
use crate::plan::words::{counted, number};
use crate::stage::Planned;
use form::path::Place;

form::form! {
    /// Settings of writing single entries.
    pub struct Set: "Set" {
        parameter: String = String::new(), "Parameter", "Its name, such as fc2.bias", names Parameter;
        indices: Vec<usize> = Vec::new(), "Entries", "Counted from 0 in PyTorch's layout; none: all";
        value: f64 = 0.0, "Value", "The value to write";
    }
}

impl Planned for Set {
    fn sentence(&self) -> String {
        let Self { parameter, indices, value } = self;
        let value = number(*value);
        match indices.as_slice() {
            [] => format!("Set {parameter} to {value}"),
            [index] => format!("Set {parameter}[{index}] to {value}"),
            several => format!("Set {} of {parameter} to {value}", counted(several.len(), "entry")),
        }
    }

    fn check(&self, check: &mut Check<'_>, place: &Place) {
        check.representable(self.value, &place.key("value"));
        let parameters = &check.structure.parameters;
        if self.parameter.is_empty() {
            return check.unset(place.key("parameter"), "choose a parameter");
        }
        let Some(index) = check.structure.find(&self.parameter) else {
            let known: Vec<&str> = parameters.iter().map(|parameter| parameter.name.as_str()).collect();
            let message =
                format!("there is no parameter \"{}\"; there are {}", self.parameter, known.join(", "));
            return check.error(place.key("parameter"), message);
        };
        let size = parameters[index].len();
        check.indices(&self.parameter, size, &self.indices, &place.key("indices"));
    }
}

#[cfg(test)]
mod tests {
    use crate::plan::testing::sentence_of_change as sentence;

    #[test]
    fn a_written_entry_is_named() {
        assert_eq!(
            sentence(r#"Set(parameter: "fc2.bias", indices: [3], value: 2.0)"#),
            "Set fc2.bias[3] to 2"
        );
    }
}

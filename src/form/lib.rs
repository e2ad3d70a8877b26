//! How one setting is declared: once, with its label, help, unit and range in one breath.
//!
//! A settings struct is written with [`form!`](crate::form!), an enum of alternatives with
//! [`choice!`](crate::choice!). The declaration yields the serde format (defaults left out), and a mutable
//! tree of [`Node`]s that everything else walks: the window draws it ([`Node`] by [`Node`]), `--set` and
//! `sweep` address it ([`path`]), validation checks its ranges ([`check_ranges`]), and the written reference of the
//! file format is generated from it (`tests/it/format.rs`).

mod macros;
pub mod number;
pub mod path;
pub mod ron_text;
pub mod text;
mod values;

pub use values::{Overrides, RangeProblem, Steps, StepsUnit, check_ranges};

/// The declaration of a setting, or of an alternative of a [`Choice`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Field {
    pub key: &'static str,
    pub label: &'static str,
    /// One or two sentences: what it does, and when to change it.
    pub help: &'static str,
    /// Unit shown after the value; empty when it has none. `%` makes a share of 1 read as a percentage; files keep the
    /// share.
    pub unit: &'static str,
    pub range: Option<[f64; 2]>,
    /// The only whole numbers that it can be; empty where all within the bounds are.
    pub allowed: &'static [u64],
    /// Where a value that is left out comes from: a path in a run, such as `train.batch`. Empty when from nowhere.
    pub inherits: &'static str,
    /// What a value that is left out means, in one or two words.
    pub unset: &'static str,
    pub names: Names,
    pub is_always_written: bool,
}

impl Field {
    /// Creates a setting without unit and bounds.
    pub const fn new(key: &'static str, label: &'static str, help: &'static str) -> Self {
        let (unit, inherits, unset, names) = ("", "", "default", Names::Nothing);
        Self {
            key,
            label,
            help,
            unit,
            range: None,
            allowed: &[],
            inherits,
            unset,
            names,
            is_always_written: false,
        }
    }

    /// Returns true if it is a share of 1 that reads as a percentage.
    pub fn is_share(&self) -> bool {
        self.unit == "%"
    }
}

/// The kind of thing that the text of a setting names, so that it can be chosen and need not be typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
    Nothing,
    Layers,
    Parameter,
    Folder,
    File,
}

/// A setting seen as text of the file format; every serde value has it.
pub trait Stored {
    /// Returns the value as RON, on one line, defaults left out.
    fn to_ron(&self) -> String;
    /// Replaces the value by what the RON text says.
    ///
    /// # Errors
    /// What the parser says of the text; the value is unchanged then.
    fn set_ron(&mut self, text: &str) -> Result<(), String>;
}

impl<T: serde::Serialize + serde::de::DeserializeOwned> Stored for T {
    fn to_ron(&self) -> String {
        ron_text::to_line(self)
    }

    fn set_ron(&mut self, text: &str) -> Result<(), String> {
        *self = ron_text::from_str(text).map_err(|error| ron_text::explain(&error.code))?;
        Ok(())
    }
}

/// Anything that can be in a form.
pub trait Value: Stored {
    fn node(&mut self) -> Node<'_>;
}

/// A value, by the kind of its control.
pub enum Node<'a> {
    Switch(&'a mut bool),
    Integer(&'a mut dyn Integer),
    Number(&'a mut f64),
    Text(&'a mut String),
    Length(&'a mut Steps),
    Choice(&'a mut dyn Choice),
    Group(&'a mut dyn Group),
    List(&'a mut dyn List),
    Optional(&'a mut dyn Optional),
    /// Paths of settings with the values they are overridden by.
    Overrides(&'a mut Overrides),
}

impl Node<'_> {
    /// Returns the value of a whole or real number.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Integer(integer) => Some(integer.get() as f64),
            Self::Number(number) => Some(**number),
            Self::Switch(_)
            | Self::Text(_)
            | Self::Length(_)
            | Self::Choice(_)
            | Self::Group(_)
            | Self::List(_)
            | Self::Optional(_)
            | Self::Overrides(_) => None,
        }
    }
}

/// A whole number of any width.
pub trait Integer {
    fn get(&self) -> u64;
    /// Writes it, limited to the type's largest value.
    fn set(&mut self, value: u64);
}

pub trait Choice {
    /// Returns the name of the kind of thing that is chosen.
    fn title(&self) -> &'static str;
    /// Returns all alternatives, in the order in which they are offered.
    fn variants(&self) -> &'static [Field];
    /// Returns the index of the present one.
    fn selected(&self) -> usize;
    fn variant(&self) -> Field {
        self.variants()[self.selected()]
    }
    /// Returns the present one in a few words, where it has better ones than its label and what differs from the defaults.
    fn words(&self) -> Option<String> {
        None
    }
    /// Returns the reason why the one at this index cannot be chosen in this build.
    fn refusal(&self, _index: usize) -> Option<String> {
        None
    }
    /// Takes another alternative, with its default settings.
    fn select(&mut self, index: usize);
    /// Returns the settings of the present alternative.
    fn payload(&mut self) -> Option<&mut dyn Value>;
}

pub trait Group {
    fn title(&self) -> &'static str;
    /// Returns the declarations, in order.
    fn fields(&self) -> &'static [Field];
    fn value(&mut self, index: usize) -> &mut dyn Value;
    fn is_default(&self, index: usize) -> bool;
    fn reset(&mut self, index: usize);
    /// Returns the field that a bare value stands for, when the group may be written as that alone.
    fn shorthand(&self) -> Option<usize> {
        None
    }
}

pub trait List {
    fn count(&self) -> usize;
    fn item(&mut self, index: usize) -> &mut dyn Value;
    fn insert_default(&mut self, index: usize);
    /// Inserts a copy of item `index` after it.
    fn duplicate(&mut self, index: usize);
    fn remove(&mut self, index: usize);
    fn swap(&mut self, a: usize, b: usize);
    /// Returns a default item, for the reference.
    fn sample(&self) -> Box<dyn Value>;
}

pub trait Optional {
    fn is_set(&self) -> bool;
    /// Puts a default there, or takes it away.
    fn set(&mut self, present: bool);
    fn value(&mut self) -> Option<&mut dyn Value>;
    /// Returns a default value, for the reference.
    fn sample(&self) -> Box<dyn Value>;
}

/// Returns the name by which a group that has a field `name` can be addressed in a path.
pub fn name_of(value: &mut dyn Value) -> Option<String> {
    let Node::Group(group) = value.node() else { return None };
    let index = group.fields().iter().position(|field| field.key == "name")?;
    match group.value(index).node() {
        Node::Text(text) => Some(text.clone()),
        _ => None,
    }
}

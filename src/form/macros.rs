//! The two declarations from which everything about a setting follows.

/// Declares a group of settings: the struct, its defaults, its format and its [`Group`](crate::Group).
///
/// Saved files leave defaults out. `written always` at the end of a declaration keeps the setting in them.
///
/// Fields in a block `hidden { … }` after the settings are no settings: they have no place in forms, addresses, the
/// reference and saved files. They are part of the value as serde writes it, unless an attribute skips them.
///
/// ```
/// form::form! {
///     /// Plain gradient descent.
///     pub struct Descent: "Gradient descent" {
///         rate: f64 = 0.1, "Learning rate", "Length of a step along the gradient", range [0.0, 10.0];
///         epochs: u64 = 5, "Epochs", "Passes over the training part", unit "epochs";
///     }
/// }
/// assert_eq!(Descent::default().rate, 0.1);
/// ```
#[macro_export]
macro_rules! form {
    ($(#[$meta:meta])* $vis:vis struct $name:ident : $title:literal {
        $( $field:ident : $type:ty = $default:expr, $label:literal, $help:literal
           $(, $word:ident $about:tt)* ; )*
    } $(hidden { $( $(#[$of_hidden:meta])* $hidden:ident : $hidden_type:ty = $hidden_default:expr ; )* })?) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, serde::Deserialize)]
        #[serde(default, deny_unknown_fields)]
        $vis struct $name {
            $( #[doc = $help] pub $field: $type, )*
            $($( $(#[$of_hidden])* pub $hidden: $hidden_type, )*)?
        }
        $crate::form_impl! { $name : $title { $( $field : $type = $default, $label, $help
            $(, $word $about)* ; )* } None $($( $hidden = $hidden_default; )*)? }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $crate::form_serialize_fields!(self, serializer, $name $($field)* $($($hidden)*)?)
            }
        }
    };
}

/// Declares a group of settings that may be written as one of its fields alone: `Train("5ep")` for
/// `Train(steps: "5ep")`. That field comes first, and its type reads itself from text.
#[macro_export]
macro_rules! short_form {
    ($(#[$meta:meta])* $vis:vis struct $name:ident : $title:literal, $example:literal {
        $first:ident : $first_type:ty = $first_default:expr, $first_label:literal, $first_help:literal ;
        $( $field:ident : $type:ty = $default:expr, $label:literal, $help:literal
           $(, $word:ident $about:tt)* ; )*
    }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, serde::Deserialize)]
        #[serde(default, deny_unknown_fields, remote = "Self")]
        $vis struct $name {
            #[doc = $first_help] pub $first: $first_type,
            $( #[doc = $help] pub $field: $type, )*
        }

        $crate::form_impl! { $name : $title {
            $first : $first_type = $first_default, $first_label, $first_help;
            $( $field : $type = $default, $label, $help $(, $word $about)* ; )*
        } Some(0) }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                if *self == (Self { $first: self.$first.clone(), ..Self::default() }) {
                    return self.$first.serialize(serializer);
                }
                $crate::form_serialize_fields!(self, serializer, $name $first $($field)*)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Either;
                impl<'de> serde::de::Visitor<'de> for Either {
                    type Value = $name;
                    fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result { f.write_str($example) }
                    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<$name, E> {
                        let $first = text.parse().map_err(E::custom)?;
                        Ok($name { $first, ..$name::default() })
                    }
                    fn visit_unit<E: serde::de::Error>(self) -> Result<$name, E> { Ok($name::default()) }
                    fn visit_map<A: serde::de::MapAccess<'de>>(self, map: A) -> Result<$name, A::Error> {
                        $name::deserialize(serde::de::value::MapAccessDeserializer::new(map))
                    }
                }
                deserializer.deserialize_any(Either)
            }
        }
    };
}

/// Serializes a group: the fields that differ from their defaults.
#[doc(hidden)]
#[macro_export]
macro_rules! form_serialize_fields {
    ($self:ident, $serializer:ident, $name:ident $($field:ident)*) => {{
        #[allow(unused_imports)]
        use serde::ser::SerializeStruct;
        #[allow(unused_variables)]
        let default = $name::default();
        let count = 0 $( + usize::from($self.$field != default.$field) )*;
        #[allow(unused_mut)]
        let mut state = $serializer.serialize_struct(stringify!($name), count)?;
        $( if $self.$field == default.$field {
            state.skip_field(stringify!($field))?;
        } else {
            state.serialize_field(stringify!($field), &$self.$field)?;
        } )*
        state.end()
    }};
}

/// What [`form!`](crate::form!) and [`short_form!`](crate::short_form!) declare besides the struct and its format.
#[macro_export]
macro_rules! form_impl {
    ($name:ident : $title:literal {
        $( $field:ident : $type:ty = $default:expr, $label:literal, $help:literal
           $(, $word:ident $about:tt)* ; )*
    } $shorthand:ident $(($first:literal))? $( $hidden:ident = $hidden_default:expr ; )*) => {
        impl Default for $name {
            fn default() -> Self { Self { $( $field: $default, )* $( $hidden: $hidden_default, )* } }
        }

        #[allow(dead_code, reason = "every group gets the same names, whether it needs them or not")]
        impl $name {
            /// Name of the group in the window.
            pub const TITLE: &'static str = $title;
        }

        impl $crate::Value for $name {
            fn node(&mut self) -> $crate::Node<'_> { $crate::Node::Group(self) }
        }

        impl $crate::Group for $name {
            fn title(&self) -> &'static str { $title }
            fn fields(&self) -> &'static [$crate::Field] {
                const FIELDS: &[$crate::Field] = &[ $(
                    $crate::field_about!(stringify!($field), $label, $help $(, $word $about)*),
                )* ];
                FIELDS
            }
            fn value(&mut self, index: usize) -> &mut dyn $crate::Value {
                match self.fields()[index].key {
                    $( stringify!($field) => &mut self.$field, )*
                    key => unreachable!("{key} is no field"),
                }
            }
            fn is_default(&self, index: usize) -> bool {
                match self.fields()[index].key {
                    $( stringify!($field) => self.$field == Self::default().$field, )*
                    key => unreachable!("{key} is no field"),
                }
            }
            fn reset(&mut self, index: usize) {
                match self.fields()[index].key {
                    $( stringify!($field) => self.$field = $default, )*
                    key => unreachable!("{key} is no field"),
                }
            }
            fn shorthand(&self) -> Option<usize> { $shorthand $(($first))? }
        }
    };
}

/// What a line of a declaration says after the help: any of `unit "steps"`, `range [0, 1]`, `allowed [2, 4, 6]`,
/// `inherits "train.batch"`, `unset "all"` and `names Layers`, each as the field of [`Field`](crate::Field) of
/// that name.
#[doc(hidden)]
#[macro_export]
macro_rules! field_about {
    ($key:expr, $label:literal, $help:literal $(, $word:ident $about:tt)*) => {{
        #[allow(unused_mut, reason = "most lines end after the help")]
        let mut field = $crate::Field::new($key, $label, $help);
        $( $crate::field_word!(field $word $about); )*
        field
    }};
}

#[doc(hidden)]
#[macro_export]
macro_rules! field_word {
    ($field:ident range [$low:expr, $high:expr]) => {
        $field.range = Some([$low as f64, $high as f64]);
    };
    ($field:ident allowed [$($number:literal),*]) => {
        $field.allowed = &[$($number),*];
    };
    ($field:ident written always) => {
        $field.is_always_written = true;
    };
    ($field:ident names $names:ident) => {
        $field.names = $crate::Names::$names;
    };
    ($field:ident $word:ident $text:literal) => {
        $field.$word = $text;
    };
}

/// Declares a setting that is written as the value that it holds: a separate type for what an alternative does.
#[macro_export]
macro_rules! wrapped {
    ($(#[$meta:meta])* $vis:vis struct $name:ident($type:ty);) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(transparent)]
        $vis struct $name(pub $type);

        impl $crate::Value for $name {
            fn node(&mut self) -> $crate::Node<'_> { $crate::Value::node(&mut self.0) }
        }
    };
}

/// Declares alternatives: the enum, its format and its [`Choice`](crate::Choice). The first one is the default.
///
/// ```
/// form::choice! {
///     /// How many entries.
///     pub enum HowMany: "How many" {
///         All, "All", "Every entry";
///         Share(f64) = 0.5, "Share", "This share of them", range [0.0, 1.0];
///     }
/// }
/// assert_eq!(HowMany::default(), HowMany::All);
/// ```
///
/// With `, each Trait` after the title, [`rule`] has the present alternative as `&dyn Trait`: its settings, or the unit
/// struct of its name. So a registry is this list, and an alternative is one line of it and one `impl`. With `, in words
/// Type::function`, that function says what the present alternative is in lists and summaries. With `, unless
/// Type::function`, that function says why a build cannot offer an alternative.
///
/// [`rule`]: intervene::Criterion::rule
#[macro_export]
macro_rules! choice {
    ($(#[$meta:meta])* $vis:vis enum $name:ident : $title:literal $(, each $rule:path)? $(, in words $words:path)? $(, unless $refusal:path)? {
        $( $(#[$attribute:meta])* $variant:ident $(($payload:ty) = $default:expr)?, $label:literal, $help:literal
           $(, $word:ident $about:tt)* ; )*
    }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        $vis enum $name { $( #[doc = $help] $(#[$attribute])* $variant $(($payload))?, )* }

        #[allow(dead_code, reason = "every enum gets the same names, whether it needs them or not")]
        impl $name {
            /// What its alternatives are, in the window.
            pub const TITLE: &'static str = $title;

            /// Returns all alternatives with their default settings, in the order in which they are offered.
            pub fn all() -> Vec<Self> { vec![ $( Self::$variant $(($default))?, )* ] }

            pub fn key(&self) -> &'static str { $crate::Choice::variant(self).key }

            pub fn label(&self) -> &'static str { $crate::Choice::variant(self).label }
        }

        impl Default for $name {
            fn default() -> Self { Self::all().swap_remove(0) }
        }

        impl $crate::Value for $name {
            fn node(&mut self) -> $crate::Node<'_> { $crate::Node::Choice(self) }
        }

        impl $crate::Choice for $name {
            fn title(&self) -> &'static str { $title }
            fn variants(&self) -> &'static [$crate::Field] {
                const VARIANTS: &[$crate::Field] = &[ $(
                    $crate::field_about!(stringify!($variant), $label, $help $(, $word $about)*),
                )* ];
                VARIANTS
            }
            fn selected(&self) -> usize {
                let key = match self { $( Self::$variant { .. } => stringify!($variant), )* };
                $crate::Choice::variants(self).iter().position(|variant| variant.key == key).unwrap_or(0)
            }
            $( fn words(&self) -> Option<String> { Some($words(self)) } )?
            $( fn refusal(&self, index: usize) -> Option<String> { $refusal(&Self::all()[index]) } )?
            fn select(&mut self, index: usize) { *self = Self::all().swap_remove(index); }
            fn payload(&mut self) -> Option<&mut dyn $crate::Value> {
                $( $crate::choice_payload!(self $name $variant $($payload)?); )*
                None
            }
        }

        $crate::choice_rule! { $name [$($rule)?] $( $variant $(($payload))?; )* }
    };
}

/// Declares alternatives that have a file each: `file::Type, label, help` for every one, whose settings are `Type`. All that the
/// files export is re-exported.
#[macro_export]
macro_rules! registry {
    ($(#[$meta:meta])* $vis:vis enum $name:ident : $title:literal, each $rule:path {
        $( $file:ident :: $item:ident, $label:literal, $help:literal; )+
    }) => {
        $( pub use $file::*; )+
        $crate::choice! {
            $(#[$meta])*
            $vis enum $name: $title, each $rule {
                $( $item($item) = $item::default(), $label, $help; )+
            }
        }
    };
}

/// What each alternative does: its settings, or the unit struct of its name, as one trait.
#[doc(hidden)]
#[macro_export]
macro_rules! choice_rule {
    ($name:ident [] $($rest:tt)*) => {};
    ($name:ident [$rule:path] $( $variant:ident $(($payload:ty))?; )*) => {
        #[allow(dead_code, reason = "every enum gets the same names, whether it needs them or not")]
        impl $name {
            /// Returns what the present alternative does.
            pub fn rule(&self) -> &dyn $rule {
                match self {
                    $( $crate::choice_bound!($name $variant rule $($payload)?) =>
                        $crate::choice_bound_rule!($variant rule $($payload)?), )*
                }
            }

            /// Returns the [`rule`](Self::rule) to be changed, where it has settings.
            pub fn rule_mut(&mut self) -> Option<&mut dyn $rule> {
                $( $crate::choice_payload!(self $name $variant $($payload)?); )*
                None
            }
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! choice_bound {
    ($name:ident $variant:ident $rule:ident) => {
        $name::$variant
    };
    ($name:ident $variant:ident $rule:ident $payload:ty) => {
        $name::$variant($rule)
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! choice_bound_rule {
    ($variant:ident $rule:ident) => {
        &$variant
    };
    ($variant:ident $rule:ident $payload:ty) => {
        $rule
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! choice_payload {
    ($self:ident $name:ident $variant:ident) => {};
    ($self:ident $name:ident $variant:ident $payload:ty) => {
        if let $name::$variant(payload) = $self {
            return Some(payload);
        }
    };
}

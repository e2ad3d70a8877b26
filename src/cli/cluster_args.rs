//! The settings of a cluster as options: one for each line of their declaration.

use clap::builder::StyledStr;
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Command, FromArgMatches};

use cluster::ClusterSettings;
use form::{Field, Group, Node, Value};

/// Options of `weightlab submit` for Slurm.
#[derive(Clone, Debug, Default)]
pub struct ClusterArgs(pub ClusterSettings);

impl clap::Args for ClusterArgs {
    fn augment_args(command: Command) -> Command {
        let mut usual = ClusterSettings::default();
        let fields = usual.fields();
        let argument = |(index, field): (usize, &Field)| {
            let name = field.key.replace('_', "-");
            let is_list = matches!(usual.value(index).node(), Node::List(_));
            let action = if is_list { ArgAction::Append } else { ArgAction::Set };
            Arg::new(field.key)
                .long(name)
                .value_name(value_name(usual.value(index)))
                .help(help(field, usual.value(index)))
                .action(action)
                .help_heading("Options of Slurm")
        };
        let arguments: Vec<Arg> = fields.iter().enumerate().map(argument).collect();
        command.args(arguments)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

fn value_name(value: &mut dyn Value) -> &'static str {
    match value.node() {
        Node::Integer(_) => "N",
        Node::Optional(optional) => value_name(optional.sample().as_mut()),
        Node::List(_) => "NAME=VALUE",
        Node::Switch(_)
        | Node::Number(_)
        | Node::Text(_)
        | Node::Parsed(_)
        | Node::Choice(_)
        | Node::Group(_)
        | Node::Overrides(_) => "TEXT",
    }
}

/// Says `Memory of a task, such as 4G [default: 1]`.
fn help(field: &Field, value: &mut dyn Value) -> StyledStr {
    let unit = if field.unit.is_empty() { String::new() } else { format!(" {}", field.unit) };
    let usual = match value.node() {
        Node::Integer(number) => format!(" [default: {}{unit}]", number.get()),
        Node::Optional(_) => format!(" [default: {}]", field.unset),
        Node::Switch(_)
        | Node::Number(_)
        | Node::Text(_)
        | Node::Parsed(_)
        | Node::Choice(_)
        | Node::Group(_)
        | Node::List(_)
        | Node::Overrides(_) => String::new(),
    };
    format!("{}{usual}", field.help).into()
}

impl FromArgMatches for ClusterArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut read = Self::default();
        read.update_from_arg_matches(matches)?;
        Ok(read)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for (index, field) in self.0.fields().iter().enumerate() {
            for text in matches.get_many::<String>(field.key).into_iter().flatten() {
                take(self.0.value(index), text, field).map_err(|why| {
                    let name = field.key.replace('_', "-");
                    let message = format!("invalid value '{text}' for '--{name}': {why}\n");
                    clap::Error::raw(ErrorKind::ValueValidation, message)
                })?;
            }
        }
        Ok(())
    }
}

/// Takes a text as the value of a setting; a list gets another item.
fn take(value: &mut dyn Value, text: &str, field: &Field) -> Result<(), String> {
    match value.node() {
        Node::Integer(number) => {
            let read: u64 = text.parse().map_err(|_| "write a whole number".to_owned())?;
            let [least, most] = field.range.unwrap_or([0.0, f64::MAX]);
            if !(least..=most).contains(&(read as f64)) {
                return Err(format!("it must be from {least} to {most}"));
            }
            number.set(read);
            Ok(())
        }
        Node::Text(known) => {
            if text.trim().is_empty() || text.chars().any(char::is_control) {
                return Err("it is empty, or not one line".to_owned());
            }
            text.trim().clone_into(known);
            Ok(())
        }
        Node::Optional(optional) => {
            optional.set(true);
            optional.value().map_or(Ok(()), |value| take(value, text, field))
        }
        Node::List(list) => {
            let count = list.count();
            list.insert_default(count);
            take(list.item(count), text, field)
        }
        Node::Switch(_)
        | Node::Number(_)
        | Node::Parsed(_)
        | Node::Choice(_)
        | Node::Group(_)
        | Node::Overrides(_) => Err("it cannot be set here".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use clap::Args;

    use super::*;

    fn read(arguments: &[&str]) -> Result<ClusterSettings, String> {
        let command = ClusterArgs::augment_args(Command::new("submit").no_binary_name(true));
        let matches = command.try_get_matches_from(arguments).map_err(|error| error.to_string())?;
        ClusterArgs::from_arg_matches(&matches).map(|read| read.0).map_err(|error| error.to_string())
    }

    #[test]
    fn every_setting_is_an_option() {
        let all =
            ["--shards", "7", "--minutes", "30", "--parallel", "4", "--partition", "gpu", "--time", "1-12"];
        let more =
            ["--cpus", "2", "--memory", "4G", "--account", "me", "--job-name", "a b", "--warning", "60"];
        let options = ["--option", "qos=long", "--option", "exclusive"];
        let words = [&all[..], &more[..], &options[..]].concat();
        let settings = read(&words).unwrap();
        let expected = ClusterSettings {
            shards: Some(7),
            minutes: 30,
            parallel: Some(4),
            partition: Some("gpu".to_owned()),
            time: Some("1-12".to_owned()),
            cpus: 2,
            memory: Some("4G".to_owned()),
            account: Some("me".to_owned()),
            job_name: Some("a b".to_owned()),
            warning: 60,
            option: vec!["qos=long".to_owned(), "exclusive".to_owned()],
        };
        assert_eq!(settings, expected);
        let mut settings = settings;
        let is_usual = (0..settings.fields().len()).any(|index| settings.is_default(index));
        assert!(!is_usual, "a setting is not in this test: {settings:?}");
        assert!(settings.value(0).to_ron().contains('7'));
    }

    #[test]
    fn a_value_that_does_not_fit_is_named_with_its_option() {
        assert!(read(&["--shards", "0"]).unwrap_err().contains("'--shards': it must be from 1"));
        assert!(read(&["--cpus", "many"]).unwrap_err().contains("write a whole number"));
        assert!(read(&["--job-name", "a\n#SBATCH"]).unwrap_err().contains("'--job-name'"));
    }
}

//! `weightlab install` and `weightlab uninstall`: what a Linux desktop needs to list the program, to show its icon, and to
//! open experiments with it; man pages; and completions for shells.
//!
//! Everything goes below the user's data folder, as freedesktop.org specifies, or below `share` of a prefix, which has the
//! same layout. A list records what was written, and uninstalling removes exactly that. Packages are made from a prefix.

use std::io;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};

use clap::Args;
use clap_complete::Shell;

use super::failure::{Exit, Failure};
use super::output::{print_err, print_out};
use super::shell;
use figure::icon;

/// Settings of `weightlab install` and `weightlab uninstall`.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub struct InstallArgs {
    /// For this user alone, in the user's data folder
    #[arg(long)]
    user: bool,
    /// Below FOLDER/share, for a program that is in the PATH: for all users, or for a package
    #[arg(long, value_name = "FOLDER")]
    prefix: Option<PathBuf>,
}

impl InstallArgs {
    /// The folder that everything is in: the user's data folder, or `share` of the prefix.
    fn data_folder(&self) -> Result<PathBuf, Failure> {
        if !cfg!(all(unix, not(target_os = "macos"))) {
            let text = "install is for Linux only; on this system, run the program from where it is";
            return Err(Failure::Input(text.to_owned()));
        }
        self.prefix.as_ref().map_or_else(user_folder, |prefix| Ok(prefix.join("share")))
    }

    /// How the desktop starts the program.
    fn program(&self) -> Result<PathBuf, Failure> {
        if self.prefix.is_some() {
            return Ok(PathBuf::from("weightlab"));
        }
        std::env::current_exe()
            .map_err(|error| Failure::Input(format!("cannot find the path of the program: {error}")))
    }

    /// Lets the desktop of this user read what changed. For a prefix, the package or the next login does that.
    fn tell_desktop(&self, folder: &Path) {
        if self.user {
            tell_desktop(folder);
        }
    }
}

/// The list of installed files and folders; folders end in a slash.
const LIST: &str = "weightlab/installed.txt";

const DESKTOP: &str = "applications/weightlab.desktop";
const MIME: &str = "mime/packages/weightlab.xml";
const ICONS: &str = "icons/hicolor";

/// Where each shell looks for completions of programs; zsh only where its `fpath` names the folder.
const COMPLETIONS: [(Shell, &str); 3] = [
    (Shell::Bash, "bash-completion/completions/weightlab"),
    (Shell::Zsh, "zsh/site-functions/_weightlab"),
    (Shell::Fish, "fish/vendor_completions.d/weightlab.fish"),
];

/// Sides of the icons, in pixels.
const SIDES: [u32; 8] = [16, 22, 32, 48, 64, 128, 256, 512];

/// Many programs use RON, so the desktop recognises an experiment by its first word, which comments may precede, and not
/// by its name.
const MIME_TYPE: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<mime-info xmlns="http://www.freedesktop.org/standards/shared-mime-info">
  <mime-type type="application/x-weightlab+ron">
    <comment>Weightlab experiment</comment>
    <sub-class-of type="text/plain"/>
    <icon name="weightlab"/>
    <magic priority="60">
      <match type="string" offset="0" value="Experiment("/>
      <match type="string" offset="0" value="//">
        <match type="string" offset="2:4096" value="\nExperiment("/>
      </match>
    </magic>
  </mime-type>
</mime-info>
"#;

/// Adds the program to the desktop, to `man` and to shells.
///
/// # Errors
/// On another system than Linux, or what could not be written.
pub fn install(arguments: &InstallArgs) -> Result<Exit, Failure> {
    let folder = arguments.data_folder()?;
    let mut said = lines("wrote", &install_into(&folder, &arguments.program()?)?);
    arguments.tell_desktop(&folder);
    if arguments.user {
        said.push_str(
            "Weightlab is now in the desktop's menu and opens experiments. To remove it: weightlab uninstall --user",
        );
    }
    print_out(&said)?;
    Ok(Exit::Done)
}

/// Removes what `install` made, and nothing else.
///
/// # Errors
/// On another system than Linux, or what could not be removed.
pub fn uninstall(arguments: &InstallArgs) -> Result<Exit, Failure> {
    let folder = arguments.data_folder()?;
    let removed = uninstall_from(&folder, |folder| arguments.tell_desktop(folder))?;
    if removed.is_empty() {
        print_err(&format!("nothing is installed in {}", folder.display()));
        return Ok(Exit::Done);
    }
    print_out(&lines("removed", &removed))?;
    Ok(Exit::Done)
}

/// A line for each of the paths.
fn lines(what: &str, paths: &[PathBuf]) -> String {
    let lines: Vec<String> = paths.iter().map(|path| format!("{what} {}", path.display())).collect();
    lines.join("\n") + "\n"
}

/// `$XDG_DATA_HOME`, or `~/.local/share`.
fn user_folder() -> Result<PathBuf, Failure> {
    let folders = directories::BaseDirs::new();
    let home = folders.map(|folders| folders.data_dir().to_owned());
    home.ok_or_else(|| Failure::Input("no home folder found: set HOME or XDG_DATA_HOME".to_owned()))
}

/// What is installed: paths below the folder, and contents.
fn files(program: &Path) -> Result<Vec<(String, Vec<u8>)>, Failure> {
    let mut files = vec![
        (DESKTOP.to_owned(), desktop_entry(program).into_bytes()),
        (MIME.to_owned(), MIME_TYPE.as_bytes().to_vec()),
        (format!("{ICONS}/scalable/apps/weightlab.svg"), icon::SVG.as_bytes().to_vec()),
    ];
    for side in SIDES {
        let png = icon::png(side).map_err(|error| Failure::Input(format!("the icon: {error}")))?;
        files.push((format!("{ICONS}/{side}x{side}/apps/weightlab.png"), png));
    }
    for (name, page) in shell::pages()? {
        files.push((format!("man/man1/{name}"), page));
    }
    for (shell, path) in COMPLETIONS {
        files.push((path.to_owned(), shell::completions_for(shell).into_bytes()));
    }
    Ok(files)
}

fn desktop_entry(program: &Path) -> String {
    let (program, argument) = (program.display(), quoted(&program.to_string_lossy()));
    let description = env!("CARGO_PKG_DESCRIPTION");
    format!(
        "[Desktop Entry]\nType=Application\nVersion=1.0\nName=Weightlab\nGenericName=Neural network experiments\n\
         Comment={description}\nExec={argument} %F\nTryExec={program}\nIcon=weightlab\nTerminal=false\n\
         Categories=Science;ArtificialIntelligence;\nKeywords=pruning;lottery ticket;fault injection;\n\
         MimeType=application/x-weightlab+ron;\nStartupWMClass=weightlab\nStartupNotify=true\n"
    )
}

/// A path as one argument of `Exec` (Desktop Entry Specification 1.5, "The Exec key"): quoted, with the escapes of the
/// file itself escaped once more.
fn quoted(path: &str) -> String {
    let mut argument = String::from("\"");
    for character in path.chars() {
        match character {
            '"' | '`' | '$' => argument.extend(["\\\\", character.to_string().as_str()]),
            '\\' => argument.push_str(r"\\\\"),
            '%' => argument.push_str("%%"),
            _ => argument.push(character),
        }
    }
    argument + "\""
}

/// Writes all files, replacing existing ones; returns their paths.
fn install_into(home: &Path, program: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut made = read_list(home);
    let written = write_files(home, program, &mut made);
    // The list is written after a failure too: what was made until then can be removed.
    let list = write_list(home, &mut made);
    let mut written = written?;
    written.push(list?);
    Ok(written)
}

/// Writes all files but the list, and notes them.
fn write_files(home: &Path, program: &Path, made: &mut Vec<String>) -> Result<Vec<PathBuf>, Failure> {
    let mut written = Vec::new();
    for (name, content) in files(program)? {
        make_folders(home, Path::new(&name), made)?;
        let path = home.join(&name);
        std::fs::write(&path, content).map_err(Failure::write(&path))?;
        note(made, name);
        written.push(path);
    }
    Ok(written)
}

/// Writes the list of what was made; returns its path.
fn write_list(home: &Path, made: &mut Vec<String>) -> Result<PathBuf, Failure> {
    make_folders(home, Path::new(LIST), made)?;
    let path = home.join(LIST);
    std::fs::write(&path, made.join("\n") + "\n").map_err(Failure::write(&path))?;
    Ok(path)
}

/// Makes the missing folders above a file, and notes them.
fn make_folders(home: &Path, file: &Path, made: &mut Vec<String>) -> Result<(), Failure> {
    let parents: Vec<&Path> =
        file.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty()).collect();
    for folder in parents.into_iter().rev() {
        let path = home.join(folder);
        if !path.is_dir() {
            std::fs::create_dir_all(&path).map_err(Failure::write(&path))?;
            note(made, format!("{}/", folder.display()));
        }
    }
    Ok(())
}

fn note(made: &mut Vec<String>, name: String) {
    if !made.contains(&name) {
        made.push(name);
    }
}

/// What previous installations wrote. Lines that lead out of the folder are not from this program.
fn read_list(home: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(home.join(LIST)).unwrap_or_default();
    let is_below = |line: &str| Path::new(line).components().all(|part| matches!(part, Component::Normal(_)));
    text.lines().filter(|line| !line.is_empty() && is_below(line)).map(str::to_owned).collect()
}

/// Removes what is on the list, folders only when they are empty; returns the removed paths. In between, `tell` makes the
/// desktop forget the files.
fn uninstall_from(home: &Path, tell: impl Fn(&Path)) -> Result<Vec<PathBuf>, Failure> {
    let made = read_list(home);
    if made.is_empty() {
        return Ok(Vec::new());
    }
    let (folders, mut files): (Vec<String>, Vec<String>) =
        made.into_iter().partition(|name| name.ends_with('/'));
    files.push(LIST.to_owned());
    let mut removed = Vec::new();
    for name in files {
        let path = home.join(name);
        match std::fs::remove_file(&path) {
            Ok(()) => removed.push(path),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(Failure::write(&path)(error)),
        }
    }
    tell(home);
    remove_generated(home, &folders);
    for name in folders.iter().rev() {
        let path = home.join(name);
        // A folder with files of others stays.
        if std::fs::remove_dir(&path).is_ok() {
            removed.push(path);
        }
    }
    Ok(removed)
}

/// Removes what the desktop's programs generated from the files, from folders that the installation made and that hold
/// nothing else.
fn remove_generated(home: &Path, made: &[String]) {
    let is_made = |name: &str| made.iter().any(|folder| folder == name);
    let is_empty =
        |name: &str| std::fs::read_dir(home.join(name)).is_ok_and(|mut folder| folder.next().is_none());
    // What cannot be removed stays.
    if is_made("mime/") && is_empty("mime/packages") {
        let _ = std::fs::remove_dir_all(home.join("mime"));
    }
    if is_made("applications/") {
        let _ = std::fs::remove_file(home.join("applications/mimeinfo.cache"));
    }
}

/// Makes the desktop reread its folders; without these programs it does so at the next login.
fn tell_desktop(home: &Path) {
    run("update-mime-database", &home.join("mime"));
    run("update-desktop-database", &home.join("applications"));
}

fn run(program: &str, folder: &Path) {
    if folder.is_dir() {
        let mut command = Command::new(program);
        let _ = command.arg(folder).stdout(Stdio::null()).stderr(Stdio::null()).status(); // see above
    }
}

#[cfg(test)]
mod tests;
